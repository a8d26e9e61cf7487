"""The laws of kinds of evidence, for tests of one's own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.comparison.compare import compare
from howsure.errors import HowsureError
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate, evaluate
from howsure.methods.library import METHODS, suitable_methods
from howsure.metrics.kinds import form_of
from howsure.metrics.registry import REGISTRY
from howsure.tables.protocols import default_metrics
from howsure.tables.serialization import load
from howsure.tables.table import Table
from howsure.testing.metrics import check_metric

Columns = Mapping[str, Array]
Make = Callable[..., Any]
SEED = 20260103
SLACK = 1e-9  # of limits, for rounding
PRECISE = 1e-7  # relative, of sums in another order
LEVELS = (0.95, 0.99)
FEW = 99  # draws
DESIGNS = ((), ("sample_weight",), ("groups",), ("sample_weight", "groups"))  # settings of one table


def check_evidence(make: Callable[..., Any], columns: Mapping[str, ArrayLike]) -> None:
    """Check that the tables of a kind of evidence obey the laws of tables; return None if they do.

    The kind's metrics obey the laws of metrics on its examples. Each applicable method gives limits that widen with the
    confidence level, or nan with a reason, whether cases are weighted, clustered or neither. The order of rows and the
    scale of weights have no effect. A group of `by` has the interval that its cases have alone. Tables can be saved,
    loaded, copied, compared and added.

    Parameters
    ----------
    make : callable
        ``make(columns, **settings)`` returns the table of one model, where the settings are some of ``sample_weight``,
        ``groups`` and ``by``, arrays of shape (n,).
    columns : mapping of str to array-like of shape (n, ...)
        Columns that it counts, of 20 cases or more.

    Raises
    ------
    AssertionError
        If a law is broken; the message names the law.

    Examples
    --------
    >>> import numpy as np
    >>> import howsure as hs
    >>> import howsure.testing
    >>> score = np.random.default_rng(0).normal(size=40)
    >>> howsure.testing.check_evidence(lambda columns, **more: hs.values(columns["score"], **more), {"score": score})
    """
    given = {name: np.asarray(column) for name, column in columns.items()}
    size = len(next(iter(given.values())))
    rng = np.random.default_rng(SEED)
    beside = {"sample_weight": rng.gamma(2, 0.5, size) + 0.1, "groups": np.arange(size) // 3}
    for names in DESIGNS:
        more = {name: beside[name] for name in names}
        table = make(given, **more)
        _methods_answer(table)
        _is_copied(table)
        by_is_each_group(make, given, more, np.where(np.arange(size) % 6 < 3, "a", "b"))
        order_is_ignored(make, given, more, rng.permutation(size))
    scale_is_ignored(make, given, beside)
    _adds_up(make, given, size // 2)
    _metrics_keep_the_laws(table)


def _fail(table: object, words: str, law: str) -> NoReturn:
    raise AssertionError(f"`{type(table).__name__}` {words}. It breaks the law `{law}`.")


def _metrics_keep_the_laws(table: Table) -> None:
    form = form_of(table.data_kinds[-1])
    if form is None or not [*form.examples()]:
        _fail(table, f"has no `examples` of {table.data_kinds[-1]!r}: see `define_evidence`", "examples")
    for definition in REGISTRY:
        if definition.form is form:
            check_metric(definition.name)


def _methods_answer(table: Table) -> None:
    metric = default_metrics(table)[0]
    for name in suitable_methods(table, metric):
        method = _with_few_draws(METHODS[name].method())
        inner, outer = (
            estimate(table, metric, method=method, confidence_level=level, random_state=SEED) for level in LEVELS
        )
        if np.isnan([inner.low, inner.high]).any():
            if not inner.reason:
                _fail(table, f"has an interval by `{name}` that is nan without a reason", "reason")
        elif not outer.low - SLACK <= inner.low <= inner.high <= outer.high + SLACK:
            _fail(table, f"has a narrower interval by `{name}` at a higher level", "levels")


def _with_few_draws(method: Any) -> Any:
    return replace(method, **{each.name: FEW for each in fields(method) if each.name in {"n_draws", "n_resamples"}})


def _is_copied(table: Table) -> None:
    metric = default_metrics(table)[0]
    with tempfile.TemporaryDirectory() as folder:
        copies = {"copy": deepcopy(table), "load": load(table.save(Path(folder) / "table.json"))}
    for law, copy in copies.items():
        if repr(copy) != repr(table) or not _same(_numbers(copy, metric), _numbers(table, metric)):
            _fail(table, "differs from its copy", law)
    if not _same(_numbers(table, metric), _of(evaluate(table)[metric])):
        _fail(table, "has another estimate by `evaluate`", "evaluate")


def by_is_each_group(make: Make, columns: Columns, more: Columns, by: Array) -> None:
    """Check that the groups of a table have the counts and intervals that each group has alone."""
    tables = make(columns, **more, by=by)
    for key in np.unique(by).tolist():
        own = {name: column[by == key] for name, column in columns.items()}
        alone = make(own, **{name: column[by == key] for name, column in more.items()})
        _agree(tables[key], alone, "groups")


def order_is_ignored(make: Make, columns: Columns, more: Columns, order: Array) -> None:
    """Check that another order of the rows gives the same intervals."""
    turned = make(
        {name: column[order] for name, column in columns.items()},
        **{name: column[order] for name, column in more.items()},
    )
    _agree(turned, make(columns, **more), "order of rows")


def scale_is_ignored(make: Make, columns: Columns, more: Columns) -> None:
    """Check that weights times a constant give the same intervals."""
    scaled = {**more, "sample_weight": 1e-7 * more["sample_weight"]}
    _agree(make(columns, **scaled), make(columns, **more), "scale of weights")


def _adds_up(make: Make, columns: Columns, half: int) -> None:
    first, second = (
        make({name: column[some] for name, column in columns.items()}) for some in (slice(half), slice(half, None))
    )
    _agree(first + second, make(columns), "sum of parts")
    try:
        found = compare(first, second, default_metrics(first)[0])
    except HowsureError as error:
        _fail(first, f"has no comparison of two test sets ({error})", "compare")
    if not np.isnan(found.low) and not found.low <= found.value <= found.high:
        _fail(first, f"has the difference {found.value:g} with the interval [{found.low:g}, {found.high:g}]", "compare")


def _agree(found: Table, expected: Table, law: str) -> None:
    for metric in default_metrics(expected)[:4]:
        one, other = _numbers(found, metric), _numbers(expected, metric)
        if not np.allclose(one, other, rtol=PRECISE, atol=PRECISE, equal_nan=True):
            _fail(expected, f"has the interval {one[1:3]} of `{metric}`, not {other[1:3]}", law)


def _same(one: list[float], other: list[float]) -> bool:
    return np.array_equal(one, other, equal_nan=True)


def _numbers(table: Table, metric: str) -> list[float]:
    return _of(estimate(table, metric))


def _of(found: Estimate) -> list[float]:
    return [found.value, found.low, found.high, found.standard_error]

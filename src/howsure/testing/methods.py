"""The laws of interval methods, for tests of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NoReturn

import numpy as np

from howsure.arrays import Array
from howsure.designs.clusters import Clusters
from howsure.designs.crossed import Crossed
from howsure.designs.fixed_margins import FixedMargins
from howsure.designs.independent import Weighted
from howsure.designs.stratified_clusters import within_strata
from howsure.errors import HowsureError
from howsure.imperfect_labels.noisy.judged import judged
from howsure.methods.core.interval import Interval
from howsure.methods.core.lookup import named
from howsure.methods.core.method import DrawingMethod, Method
from howsure.methods.core.registry import METHODS
from howsure.methods.variance.gap_test import GapTest
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.forms import Distance
from howsure.metrics.kinds import all_forms
from howsure.metrics.metric import Metric, Side
from howsure.tables.confusion import ConfusionTable
from howsure.tables.paired import PairedTable
from howsure.tables.scores import ScoresTable
from howsure.tables.separate import SeparateTables
from howsure.tables.table import Table

Case = tuple[Metric, Table]
SEED = 20260101
SLACK = 1e-9  # of limits, for rounding
LEVELS = (0.5, 0.8, 0.95)
TWO = np.array([[61.0, 14.0], [18.0, 97.0]])
OTHER = np.array([[50.0, 30.0], [10.0, 90.0]])  # of other cases
THREE = np.array([[44.0, 6.0, 3.0], [7.0, 39.0, 5.0], [4.0, 8.0, 41.0]])
METRICS = {  # contents of generic tables → metrics
    "predictions": ("accuracy", "recall", "f1", "mcc", "informedness", "f1@macro", "recall@min"),
    "scores": ("roc_auc", "average_precision", "brier_score", "ece", "precision_at+recall=0.8"),
}


def check_method(method: str | Method | type[Method]) -> None:
    """Check that an interval method obeys the laws of methods, on generic tables of every kind; return None if it does.

    The method accepts the tables and metrics that it declares as supported, and refuses others with a one-line message.
    The interval contains the estimate and lies in the metric's range. A higher confidence level never gives a narrower
    interval. Tables of a batch have the same intervals as single tables. The order of the classes has no effect, and
    equal seeds give equal results. The interval of an undefined metric is nan.

    Parameters
    ----------
    method : str, Method or class of methods
        A method, its class or its name.

    Raises
    ------
    AssertionError
        If the method breaks a law, which the message names.
    HowsureError
        If the method does not exist.

    Examples
    --------
    >>> import howsure.testing
    >>> howsure.testing.check_method("wilson")
    """
    chosen = named(method)
    if chosen is None:
        raise HowsureError("'auto' is no method: it chooses one. Check those that it may choose.")
    if METHODS.get(chosen.name) is None:
        _fail(chosen, "is not registered under its name", "registered")
    applicable = [case for case in _cases() if _applies(chosen, *case) and _is_for_it(chosen, case[0])]
    if not applicable:
        _fail(chosen, "suits none of the generic tables", "suits")
    for law in (_holds_the_value, _widens, _batch_is_loop, _is_reproducible):
        for metric, table in applicable:
            law(chosen, metric, table)
    _ignores_the_order_of_classes(chosen)
    _is_undefined_with_the_metric(chosen)


def _is_for_it(method: Method, metric: Metric) -> bool:
    """Whether a law may ask a method about a metric: other methods' intervals need not hold an estimated distance."""
    return not isinstance(metric.structure, Distance) or isinstance(method, GapTest)


def _fail(method: Method, words: str, law: str) -> NoReturn:
    raise AssertionError(f"`{method.name}` {words}. It breaks the law `{law}`.")


def _applies(method: Method, metric: Metric, table: Table) -> bool:
    refusal = method.unsupported_reason(metric, table)
    if not isinstance(refusal, str) or "\n" in refusal:
        _fail(method, "does not answer `unsupported_reason` with one line of text", "suits")
    return not refusal


def _holds_the_value(method: Method, metric: Metric, table: Table) -> None:
    value = float(metric(table.counted))
    for level in LEVELS:
        found = method.interval(metric, table, level, SEED)
        _check_type(method, found)
        if not found.low - SLACK <= value <= found.high + SLACK:
            _fail(method, f"gives `{metric.name}` = {value:g} the interval [{found.low:g}, {found.high:g}]", "value")
        lowest, highest = metric.range
        if not lowest - SLACK <= found.low <= found.high <= highest + SLACK:
            _fail(method, f"leaves the range of `{metric.name}`: [{found.low:g}, {found.high:g}]", "range")


def _check_type(method: Method, found: Interval) -> None:
    if not isinstance(found, Interval) or not isinstance(found.low, float) or not isinstance(found.reason, str):
        _fail(method, "does not give an `Interval` of plain numbers for one table", "interval")


def _widens(method: Method, metric: Metric, table: Table) -> None:
    at_level = method.at_levels(metric, table, SEED)
    widths = [float(found.high - found.low) for found in map(at_level, LEVELS)]
    if not all(narrow <= wide + SLACK for narrow, wide in pairwise(widths)):
        _fail(method, f"has a narrower interval of `{metric.name}` at a higher level", "levels")


def _batch_is_loop(method: Method, metric: Metric, table: Table) -> None:
    if not method.takes_batches:
        return
    counts = np.stack([table.counts, table.counts + 3.0, 2 * table.counts])
    if not table.design.traits.is_independent:
        return
    found = method.interval(metric, replace(table, counts=counts, rows=-1), LEVELS[-1])
    for place, each in enumerate(counts):
        alone = method.interval(metric, replace(table, counts=each, rows=-1), LEVELS[-1])
        if not np.allclose([found.low[place], found.high[place]], [alone.low, alone.high], rtol=0, atol=SLACK):
            _fail(method, f"gives a table of a batch another interval of `{metric.name}` than alone", "batch")


def _is_reproducible(method: Method, metric: Metric, table: Table) -> None:
    first, second = (method.interval(metric, table, LEVELS[-1], SEED) for _ in range(2))
    if (first.low, first.high, first.stream) != (second.low, second.high, second.stream):
        _fail(method, f"gives two intervals of `{metric.name}` from one seed", "seed")


def _ignores_the_order_of_classes(method: Method) -> None:
    table = ConfusionTable(counts=THREE, labels=np.arange(3))
    order = [2, 0, 1]
    turned = ConfusionTable(counts=THREE[np.ix_(order, order)], labels=np.array(order))
    for spec in ("accuracy", "mcc", "f1@macro"):
        one, other = resolve(spec, table), resolve(spec, turned)
        if isinstance(method, DrawingMethod) or method.unsupported_reason(one, table):
            continue
        first, second = method.interval(one, table, LEVELS[-1]), method.interval(other, turned, LEVELS[-1])
        if not np.allclose([first.low, first.high], [second.low, second.high], rtol=0, atol=SLACK):
            _fail(method, f"gives `{spec}` another interval when the classes are in another order", "order")


def _is_undefined_with_the_metric(method: Method) -> None:
    table = ConfusionTable(counts=np.array([[9.0, 0.0], [4.0, 0.0]]), labels=np.arange(2))
    metric = resolve("precision", table)
    if method.unsupported_reason(metric, table) or isinstance(method, DrawingMethod):  # a prior may say something of it
        return
    found = method.interval(metric, table, LEVELS[-1], SEED)
    if not np.isnan([found.low, found.high]).all():
        _fail(method, "does not answer nan where a metric is undefined", "undefined")


def _cases() -> Iterator[Case]:
    """Yield metrics with generic tables of every kind."""
    for form in all_forms():
        yield from ((resolve(spec, table), table) for table in form.examples() for spec in form.tried)
    for table in _tables():
        for spec in METRICS[table.data_kinds[0]]:
            if len(table.labels) < 3 or spec in {"accuracy", "mcc", "f1@macro"}:
                yield resolve(spec, table), table
    yield from _contrasts()


def _tables() -> Iterator[Table]:
    rng = np.random.default_rng(SEED)
    for counts in (TWO, THREE):
        yield ConfusionTable(counts=counts, labels=np.arange(len(counts)))
    two = ConfusionTable(counts=TWO, labels=np.arange(2))
    yield two.with_design(FixedMargins())
    yield replace(two, design=Weighted(1.5 * TWO.ravel()))
    cells = rng.permutation(np.repeat(np.arange(4), TWO.ravel().astype(int)))
    cluster = np.arange(cells.size) // 4
    clusters = Clusters(cluster, cells, np.ones(cells.size), np.ones(int(cluster.max()) + 1))
    yield replace(two, design=clusters)
    yield replace(two, design=within_strata(clusters, np.arange(len(clusters.multiplicity)) % 3, (0, 1, 2)))
    yield _crossed(np.repeat(cells, 4))
    yield _judged(rng)
    counts = np.array([[12.0, 2.0], [9.0, 4.0], [6.0, 7.0], [2.0, 12.0]])
    yield ScoresTable(counts=counts, scores=np.array([0.1, 0.3, 0.6, 0.8]), labels=np.arange(2))


def _crossed(cells: Array) -> ConfusionTable:
    """Return a table of cases with these cells, each in one combination of 38 levels of two crossed factors."""
    counts, one = np.bincount(cells, minlength=TWO.size).reshape(TWO.shape), np.ones(cells.size)
    combinations = Clusters(np.arange(cells.size), cells, one, one)
    levels = np.stack(np.divmod(np.arange(cells.size), cells.size // 38))
    return ConfusionTable(counts=counts * 1.0, labels=np.arange(2), design=Crossed(combinations, levels))


def _judged(rng: np.random.Generator) -> ConfusionTable:
    """Return a table of cases that a judge graded and people labelled in part."""
    truth, verdict = np.divmod(rng.permutation(np.repeat(np.arange(4), TWO.ravel().astype(int))), 2)
    return judged(np.where(np.arange(truth.size) < truth.size // 2, truth, np.nan), verdict, check=False)


def _contrasts() -> Iterator[Case]:
    """Yield differences of two models on the same cases, and contrasts of two on different ones."""
    codes = np.array(list(np.ndindex(2, 2, 2)))
    counts = np.array([50.0, 9.0, 6.0, 12.0, 14.0, 8.0, 11.0, 70.0])
    table = PairedTable(
        counts=counts, labels=np.arange(2), names=("A", "B"), codes=codes, pseudo=np.full(len(codes), 1 / len(codes))
    )
    for spec in ("accuracy", "f1"):
        first, second = (Side(name, resolve(spec, table.model(name)), table.view(name)) for name in table.models)
        yield from ((contrast_metric(EFFECTS[effect], first, second), table) for effect in ("difference", "ratio"))
    parts = tuple(ConfusionTable(counts=each, labels=np.arange(2)) for each in (TWO, OTHER))
    separate = SeparateTables.of(parts)
    for spec, effect in (("accuracy", "difference"), ("recall", "ratio"), ("f1", "difference")):
        sides = zip("AB", parts, separate.views, strict=True)
        first, second = (Side(name, resolve(spec, own), view) for name, own, view in sides)
        yield contrast_metric(EFFECTS[effect], first, second), separate

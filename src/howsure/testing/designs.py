"""The laws of designs, for tests of one's own."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import numpy as np

from howsure.arrays import Array
from howsure.designs.algebra import Algebra
from howsure.designs.base import Design
from howsure.designs.resampling import Resampling
from howsure.errors import UndefinedDesignError
from howsure.tables.table import Table

SEED = 20260102
DRAWS = 4000
FORMS = 5  # linear forms of the counts that are looked at
PRECISE = 1e-9
CLOSE = 0.2  # relative to the variance: Monte Carlo error and factors such as n / (n - 1)


def check_design(design: Design, table: Table) -> None:
    """Check that a design obeys the laws of designs, on a table that it supports; return None if it does.

    The variance is a non-negative quadratic form. Merged cells have the variance of the form that is constant within
    them, or are refused. Resampled and posterior tables are centred at the counts, with the variance of the design. A
    table in a batch has the same variance as alone.

    Parameters
    ----------
    design : Design
        The design of the counts.
    table : Table
        One table with counts in all of its cells, or a batch, with several hundred cases, so that large-sample
        properties apply.

    Raises
    ------
    AssertionError
        If the design breaks a law, which the message names.

    Examples
    --------
    >>> import howsure as hs
    >>> import howsure.testing
    >>> howsure.testing.check_design(hs.designs.FixedMargins(), hs.from_counts([[61, 14], [18, 97]]))
    """
    given = replace(table, design=Algebra.of(design).with_true_classes(table.true_class))
    if given.batch:
        _batch_is_loop(given)
        return
    forms = _forms(given)
    for law in (_is_quadratic, _merges, _is_resampled, _has_a_posterior):
        law(given, forms)


def _fail(table: Table, words: str, law: str) -> NoReturn:
    raise AssertionError(f"`{type(table.design).__name__}` {words}. It breaks the law `{law}`.")


def _forms(table: Table) -> Array:
    """Return linear forms of the counts with a sum of zero, as gradients of metrics are, ``(FORMS, cells)``."""
    forms = np.random.default_rng(SEED).normal(size=(FORMS, table.cells.shape[-1]))
    return np.asarray(forms - (forms @ table.cells / table.cells.sum())[:, None])


def _variances(table: Table, forms: Array) -> Array:
    return np.array([float(table.design.variance(table.cells, form)) for form in forms])


def _is_quadratic(table: Table, forms: Array) -> None:
    own = _variances(table, forms)
    if not (own >= 0).all():
        _fail(table, "has a negative variance", "quadratic")
    other = np.roll(forms, 1, 0)
    both = _variances(table, forms + other) + _variances(table, forms - other)
    if not np.allclose(both, 2 * own + 2 * np.roll(own, 1), rtol=PRECISE):
        _fail(table, "has a variance that is no quadratic form", "quadratic")


def _merges(table: Table, forms: Array) -> None:
    cells = table.true_class
    size = int(cells.max()) + 1
    try:
        merged = table.design.collapse_cells(cells, size)
    except UndefinedDesignError:
        return
    counts = np.bincount(cells, table.cells, size)
    found = np.array([float(merged.variance(counts, form)) for form in forms[:, :size]])
    if not np.allclose(found, _variances(table, forms[:, :size][:, cells]), rtol=PRECISE, atol=PRECISE):
        _fail(table, "has another variance once cells are merged", "merged")


def _is_resampled(table: Table, forms: Array) -> None:
    if table.design.supports(Resampling.resample):
        drawn = Resampling.of(table.design).resample(table.cells, DRAWS, np.random.default_rng(SEED))
        _agrees(table, forms, drawn, "resample")


def _has_a_posterior(table: Table, forms: Array) -> None:
    if table.design.supports(Resampling.posterior):
        prior = np.zeros(table.cells.shape)
        drawn = Resampling.of(table.design).posterior(table.cells, prior, DRAWS, np.random.default_rng(SEED))
        _agrees(table, forms, drawn * (table.cells.sum() / drawn.sum(-1, keepdims=True)), "posterior")


def _agrees(table: Table, forms: Array, drawn: Array, law: str) -> None:
    """Compare the mean and variance of the forms on drawn tables with those of the design."""
    values, expected = drawn @ forms.T, _variances(table, forms)
    if not (np.abs(values.mean(0)) <= 5 * np.sqrt(expected / DRAWS) + PRECISE).all():
        _fail(table, "draws tables that are not centred at the counts", law)
    if not np.allclose(values.var(0, ddof=1), expected, rtol=CLOSE, atol=PRECISE):
        _fail(table, "draws tables that vary otherwise than its variance says", law)


def _batch_is_loop(table: Table) -> None:
    gradient = np.random.default_rng(SEED).normal(size=table.cells.shape)
    together = table.design.variance(table.cells, gradient)
    for place in range(table.batch[0]):
        alone = Algebra.of(table.design).select_table(place).variance(table.cells[place], gradient[place])
        if not np.isclose(together[place], alone, rtol=PRECISE):
            _fail(table, "gives a table of a batch another variance than alone", "batch")

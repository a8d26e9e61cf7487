"""Tables represented by products have the sums of tables with all cells, compiled or not."""

import numpy as np
import pytest

from howsure.errors import HowsureError
from howsure.native.averages import ClassShares
from howsure.native.products import ProductTables

AVERAGES = [
    ClassShares.of([2, 0, 0], [0, 1, 1], by_total=False, times=np.ones(7)),
    ClassShares.of([1, 0, 0], [0, 0, 1], by_total=True, times=np.ones(7)),
    ClassShares.of([1, 0, 0], [0, 1, 0], by_total=True, times=np.arange(7) % 3, constants=[0.0, *[np.nan] * 5, 1.0]),
]


def some(wrong, classes=7):
    """Return tables with some wrong predictions listed, and all cells of each of six."""
    rng = np.random.default_rng(wrong)
    places = np.sort(rng.choice(np.flatnonzero(~np.eye(classes, dtype=bool)), wrong, replace=False))
    truth, prediction = np.divmod(places, classes)
    right, told, factors = (rng.gamma(2.0, 2.0, (2, 3, size)) for size in (classes, wrong, 2 * classes))
    full = factors[..., :classes, None] * factors[..., None, classes:]
    full[..., np.arange(classes), np.arange(classes)] = right
    full[..., truth, prediction] += told
    return ProductTables(truth, prediction, classes), np.concatenate([right, told, factors], -1), full


@pytest.mark.parametrize("wrong", [0, 1, 20, 42])
def test_errors_are_the_sums_of_wrong_predictions(wrong):
    """By true class and by predicted class."""
    tables, cells, full = some(wrong)
    misses, alarms = tables.errors(cells)
    right = np.diagonal(full, axis1=-2, axis2=-1)
    np.testing.assert_allclose(misses, full.sum(-1) - right, rtol=1e-12)
    np.testing.assert_allclose(alarms, full.sum(-2) - right, rtol=1e-12)


@pytest.mark.parametrize("wrong", [0, 1, 20, 42])
def test_moments_are_sums_over_all_cells(wrong, by_numpy):
    """For tables scaled to their cases, with the slope of every cell."""
    together, cases = ClassShares.beside(AVERAGES), np.array([30.0, 100.0, 7.0])
    for call in (lambda ask: ask(), by_numpy):
        tables, cells, full = some(wrong)
        found = call(lambda tables=tables, cells=cells: tables.moments(together, cells, cases))
        full *= (cases / full.sum((-2, -1)))[..., None, None]
        hits = np.diagonal(full, axis1=-2, axis2=-1)
        expected = together.slopes(hits, full.sum(-1), full.sum(-2))
        slopes = expected.by_row[..., :, None] + expected.by_column[..., None, :]
        slopes[..., np.arange(7), np.arange(7)] += expected.by_hit
        np.testing.assert_allclose(found.value, expected.value, rtol=1e-12)
        np.testing.assert_allclose(found.second, (full * slopes**2).sum((-2, -1)), rtol=1e-9)
        np.testing.assert_allclose(found.third, (full * slopes**3).sum((-2, -1)), rtol=1e-9, atol=1e-12)
        right, wrong_ones = found.slopes[..., :7], found.slopes[..., 7:-14]
        np.testing.assert_allclose(right, np.diagonal(slopes, axis1=-2, axis2=-1), rtol=1e-9)
        np.testing.assert_allclose(wrong_ones, slopes[..., tables.true_class, tables.prediction], rtol=1e-9)
        for each, by_class in enumerate((expected.by_row, expected.by_column)):
            own = found.slopes[..., -14:].reshape(2, 3, 2, 7)[..., each, :]
            np.testing.assert_allclose(own, by_class, rtol=1e-9)
        errors = tables.errors(cells)  # of the cells as they are left: scaled
        np.testing.assert_allclose(errors[0] + cells[..., :7], full.sum(-1), rtol=1e-12)


@pytest.mark.usefixtures("compiled")
def test_cells_of_no_class_are_refused():
    """A position beyond the classes would be outside the memory."""
    tables = ProductTables(np.array([0]), np.array([7]), 7)
    with pytest.raises(HowsureError, match="product_points"):
        tables.moments(ClassShares.beside(AVERAGES), np.ones((1, 3, 22)), np.ones(3))

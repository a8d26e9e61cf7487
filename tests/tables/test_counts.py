"""Tables with one cell changed."""

import numpy as np
import pytest

from howsure.tables.counts import ConfusionCounts, Counts, MultilabelCounts


@pytest.mark.parametrize("counts", [Counts, ConfusionCounts, MultilabelCounts])
def test_moved_tables_have_more_or_less_in_one_cell(counts):
    """Each chosen cell of each table is changed up, then down; the tables themselves come last."""
    rng = np.random.default_rng(0)
    cells, chosen, nudges = rng.random((5, 3, 2, 2)), np.array([3, 7, 0]), rng.random((3, 5))
    cells = cells[:, 0].repeat(2, 1)[..., :4, :].repeat(2, -1) if counts is ConfusionCounts else cells
    own = counts(cells)
    expected = np.repeat(cells.reshape(1, 5, -1), 7, 0)
    for index, (cell, change) in enumerate(zip(chosen, nudges, strict=True)):
        expected[index, :, cell] += change
        expected[3 + index, :, cell] -= change
    same, found = counts(expected.reshape(7, *cells.shape)), own.moved(nudges, chosen)
    np.testing.assert_array_equal(found.cells, same.cells)
    for name in () if counts is Counts else ("classes", "hits", "rows", "columns"):
        np.testing.assert_allclose(getattr(found, name), getattr(same, name), rtol=1e-14)


@pytest.mark.parametrize("where", [1, np.array([1])])
def test_derivatives_of_one_class_lie_in_its_row_and_column(where):
    """Cells of class 1 of three have derivatives by its hits, its misses and its false alarms; others by its rest."""
    gradient = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0]])  # two tables
    found = ConfusionCounts(np.zeros((2, 3, 3))).by_cell_of(gradient, where)
    assert found.tolist() == [[[4, 3, 4], [2, 1, 2], [4, 3, 4]], [[40, 30, 40], [20, 10, 20], [40, 30, 40]]]

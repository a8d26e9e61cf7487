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

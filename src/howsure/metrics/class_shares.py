"""Averages over classes that are ratios of linear forms in the hits and the totals of each."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.native.averages import ClassShares
from howsure.tables.counts import ClassCounts


def variance_of_independent(averages: ClassShares, counts: ClassCounts) -> Array:
    """Return the variance of averages of independent cases, by the cells that have some."""
    _, by_hit, by_row, by_column = averages.slopes(counts.hits, counts.rows, counts.columns)
    truth, prediction = filled = counts.once(filled_cells)
    slopes = by_row[..., truth] + by_column[..., prediction]
    right = truth == prediction
    slopes[..., right] += by_hit[..., truth[right]]
    return np.asarray((counts.cells[..., *filled] * slopes**2).sum(-1))


def filled_cells(counts: ClassCounts) -> tuple[Array, Array]:
    """Return true and predicted class of the cells that some table has cases in, in order."""
    classes = counts.classes
    truth, prediction = np.divmod(np.flatnonzero(counts.cells.reshape(-1, classes**2).any(0)), classes)
    return truth, prediction

"""The areas under the ROC curve of all pairs of classes, in the time of one area for each class.

What a case adds to the area of class a against class b is the share of the cases of a above its score for a, the same
share whatever b is. The areas of a against every other class thus are sums of one column of these placements, and all
of them one product of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.metrics.forms import divide
from howsure.metrics.roc import below
from howsure.tables.score_matrix import ScoreMatrixTable as Table

COLUMNS = 16  # columns of placements in memory at once


@final
@dataclass(frozen=True, slots=True, eq=False)
class AreasOfPairs:
    """The areas of each class against each other class, by the scores of the first (Hand and Till 2001).

    Parameters
    ----------
    table : ScoreMatrixTable
        The scores of the classes.

    Notes
    -----
    Let C be the counts (cases × classes), n their sums and M the placements (cases × classes). The area of a against b
    is ``(M' C)[a, b] / (n[a] n[b])``. Its derivatives are a column of M for a case of b, and the number of cases of b
    below it for a case of a.
    """

    table: Table
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    of_distances: ClassVar[bool] = False
    takes_batches: ClassVar[bool] = True

    def values(self, counts: Array) -> Array:
        """Return the areas, ``(..., K (K - 1))``, the first class's together."""
        return self._apart(self._areas(counts))

    def weights(self, counts: Array) -> Array:
        """Return the true cases of the classes of each pair, ``(..., K (K - 1))``."""
        size = counts.sum(-2)
        return self._apart(size[..., :, None] + size[..., None, :])

    def gradient(self, counts: Array, by_value: Array, by_weight: Array) -> Array:
        """Return the derivative, by each cell, of what has these slopes by areas and weights."""
        areas, size = np.nan_to_num(self._areas(counts)), counts.sum(-2)
        of_area, of_weight = self._together(by_value), self._together(by_weight)
        by_win = np.nan_to_num(divide(of_area, size[..., :, None] * size[..., None, :]))
        fixed = np.nan_to_num(divide((of_area * areas).sum(-1) + (of_area * areas).sum(-2), size))
        slopes = np.empty(counts.shape)
        slopes[...] = (of_weight.sum(-1) + of_weight.sum(-2) - fixed)[..., None, :]
        for columns, placements in self._placements(counts):
            slopes += placements @ by_win[..., columns, :]
            others = counts @ np.swapaxes(by_win[..., columns, :], -1, -2)  # weighted by the value of a win
            for place, column in enumerate(columns):
                ranking = self.table.rankings.column(column)
                slopes[..., column] += ranking.spread(below(ranking.collected(others[..., place])))
        return slopes

    def _areas(self, counts: Array) -> Array:
        """Return the areas, ``(..., K, K)``; a class against itself is one half."""
        size = counts.sum(-2)
        wins = np.empty((*size.shape, size.shape[-1]))
        for columns, placements in self._placements(counts):
            wins[..., columns, :] = np.swapaxes(placements, -1, -2) @ counts
        return divide(wins, size[..., :, None] * size[..., None, :])

    def _placements(self, counts: Array) -> Iterator[tuple[list[int], Array]]:
        """Give, for some classes at a time, the cases of the class above each case, ties counting half."""
        classes = counts.shape[-1]
        for first in range(0, classes, COLUMNS):
            columns = list(range(first, min(first + COLUMNS, classes)))
            placements = np.empty((*counts.shape[:-1], len(columns)))
            for place, column in enumerate(columns):
                ranking = self.table.rankings.column(column)
                own = ranking.collected(counts[..., column])
                placements[..., place] = ranking.spread(own.sum(-1, keepdims=True) - below(own))
            yield columns, placements

    @staticmethod
    def _apart(square: Array) -> Array:
        """Return the entries of pairs of different classes, ``(..., K (K - 1))``."""
        return np.asarray(square[..., ~np.eye(square.shape[-1], dtype=bool)])

    def _together(self, pairs: Array) -> Array:
        """Return such entries as ``(..., K, K)``, 0 of a class with itself."""
        classes = len(self.table.labels)
        square = np.zeros((*pairs.shape[:-1], classes, classes))
        square[..., ~np.eye(classes, dtype=bool)] = pairs
        return square

"""The tables along paths of averages over classes, many averages of one table at once.

Such an average looks at the hits and the totals of each class alone, so that a wrong prediction has the slope of its
true class plus that of the predicted one. Small tables are told by all their cells. Of large ones the cells that
nobody fell into start alike, and stay the product of a factor of their true class and one of the predicted one: only
cells with cases are told one by one.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from howsure.designs.base import PSEUDO_CASES
from howsure.designs.sums import dot
from howsure.methods.path_tables import LUMPED_CELLS, NUDGE, SMALL_PART, PathTables, Point, steady
from howsure.methods.tilting import STEEPEST
from howsure.metrics.class_shares import all_cells, filled_cells
from howsure.native.averages import ClassShares, differences
from howsure.native.products import ProductTables
from howsure.tables.counts import ConfusionCounts

Array = NDArray[Any]


class TooSteepError(Exception):
    """A stride changes wrong predictions by more than is allowed, and they are no products any more."""


@final
class ClassPath(PathTables):
    """Tables along paths of averages: those of a few classes by all cells, others by the cells with cases.

    Entries are those of `ProductTables`: where all cells are told one by one the factors of the others are 0.

    Parameters
    ----------
    averages : ClassShares
        One for each table.
    counts : ConfusionCounts
        One table for all averages, or for each its own.
    effect : ndarray of shape (tables,)
        How many counts an independent case is worth.
    """

    def __init__(self, averages: ClassShares, counts: ConfusionCounts, effect: Array) -> None:
        self.averages, self.classes = averages, counts.classes
        self.by_cells = self.classes**2 < LUMPED_CELLS
        truth, prediction = counts.once(all_cells if self.by_cells else filled_cells)
        wrong = truth != prediction
        self.told = ProductTables(truth[wrong], prediction[wrong], self.classes)
        cells = counts.cells.reshape(-1, self.classes, self.classes)
        self.totals = steady(cells.sum((-2, -1)) / effect)
        right, wrong = np.diagonal(cells, axis1=-2, axis2=-1), cells[:, self.told.truth, self.told.prediction]
        right, wrong = (steady(each / effect[:, None]) for each in (right, wrong))
        self.cases = np.concatenate([right, wrong], -1)  # of those told one by one
        pseudo, factors = PSEUDO_CASES / self.classes**2, np.zeros((len(effect), 2, self.classes))
        if self.by_cells:
            wrong += pseudo
        else:
            factors += [[pseudo], [1.0]]
        self.filled = np.concatenate([right + pseudo, wrong, factors.reshape(len(effect), -1)], -1)

    def score(self, here: Point, tables: Any) -> Array:
        """Return how far the observed cells are from a point along its slopes."""
        return dot(self.cases[tables], here.slopes[..., : -2 * self.classes])

    def bias(self) -> Array:
        """Return the second-order bias: of a few classes by each cell, else by what each class adds."""
        return self._bias_by_cells() if self.by_cells else self._bias_by_class()

    def point(self, cells: Array, tables: Any) -> Point:
        """Return the point of the path at tables in these proportions."""
        found = self.told.moments(self.averages.at(tables), cells, self.totals[tables])
        return Point(cells, found.slopes, found.value, found.second, found.third)

    def directions(self, here: Point, pace: Array) -> Array:
        """Return what the logarithms of the cells change by; refuse a pace that would end that some are products."""
        if not self.by_cells:
            factors = np.abs(here.slopes[..., -2 * self.classes :]).reshape(*here.slopes.shape[:-1], 2, self.classes)
            if (np.abs(pace) * factors.max(-1).sum(-1) > STEEPEST).any():
                raise TooSteepError
        return here.slopes

    def _bias_by_class(self) -> Array:
        hits, (misses, alarms) = self.filled[..., : self.classes], self.told.errors(self.filled)
        rest = (hits + misses).sum(-1, keepdims=True) - hits - misses - alarms
        return self.averages.bias((hits, misses, alarms, rest), SMALL_PART, NUDGE)

    def _bias_by_cells(self) -> Array:
        """Return half the sum of ``C · ∂²/∂C²`` over the cells, each of which changes the terms of two classes.

        An average is N / M, with N the sum of the classes' weights times their values, and M that of the weights. With
        ``N ± hd + h²s/2`` over ``M ± hm`` its second difference is ``(sM − 2md + 2Nm²/M) / (M² − h²m²)``.
        """
        cells, diagonal = np.empty((len(self.filled), self.classes, self.classes)), np.arange(self.classes)
        cells[:, diagonal, diagonal] = self.filled[:, : self.classes]
        cells[:, self.told.truth, self.told.prediction] = self.filled[:, self.classes : -2 * self.classes]
        counts = ConfusionCounts(cells)
        value, times, whole = self.averages.of_each(counts.hits, counts.rows, counts.columns)
        weights = self.averages.weights(counts.rows, times)
        moves = np.where(self.averages.by_total, times, 0.0)  # of a weight, by a case of the class
        total, square = weights.sum(-1)[:, None, None], np.minimum(cells, NUDGE) ** 2
        (hit, row, column), (of_hit, of_row, of_column) = self.averages.above, self.averages.below

        def changes(which: Any, moves: Any, a: Array, b: Array, square: Array) -> Array:
            own_value, own_whole, weight = value[which], whole[which], weights[which]
            first, second = differences(own_value, own_whole, a, b, square)
            slope = weight * first + moves * (own_value + square / 2 * second)
            return np.stack([slope, weight * second + 2 * moves * first])

        true, predicted = (..., None), (slice(None), None)
        found = changes(true, moves[true], row[true], of_row[true], square)
        found += changes(predicted, 0.0, column[true], of_column[true], square)
        right = square[:, diagonal, diagonal]
        found[..., diagonal, diagonal] = changes(..., moves, hit + row + column, of_hit + of_row + of_column, right)
        (slope, bend), move = found, moves[true]
        mean = (weights * value).sum(-1)[:, None, None] / total
        bend = (bend * total + 2 * move * (mean * move - slope)) / (total**2 - square * move**2)
        return np.asarray((cells * np.where(np.isfinite(bend), bend, 0.0)).sum((-2, -1)) / 2)

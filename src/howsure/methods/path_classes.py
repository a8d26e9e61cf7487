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
from howsure.methods.path_tables import NUDGE, SMALL_PART, WAYS, PathTables, Point, steady
from howsure.methods.tilting import STEEPEST
from howsure.metrics.class_shares import filled_cells
from howsure.native.averages import ClassShares
from howsure.native.products import ProductTables
from howsure.tables.counts import ConfusionCounts

Array = NDArray[Any]


class TooSteepError(Exception):
    """A stride changes wrong predictions by more than is allowed, and they are no products any more."""


@final
class SquareCells(PathTables):
    """Tables told by all their cells.

    Parameters
    ----------
    averages : ClassShares
        One for each table.
    cases : ndarray of shape (tables, K, K)
        Numbers of independent cases.
    """

    def __init__(self, averages: ClassShares, cases: Array) -> None:
        self.averages, self.classes = averages, cases.shape[-1]
        self.cases = steady(cases).reshape(len(cases), -1)
        self.totals = self.cases.sum(-1)
        self.filled = self.cases + PSEUDO_CASES / self.classes**2

    def point(self, cells: Array, tables: Any) -> Point:
        """Return the point of the path at tables in these proportions."""
        cells *= (self.totals[tables] / np.add.reduce(cells, -1))[..., None]
        counts = ConfusionCounts(cells.reshape(*cells.shape[:-1], self.classes, self.classes))
        value, *by_margin = self.averages.at(tables).slopes(counts.hits, counts.rows, counts.columns)
        slopes = counts.by_margins(*by_margin).reshape(cells.shape)
        squares = cells * slopes
        squares *= slopes
        return Point(cells, slopes, value, np.add.reduce(squares, -1), dot(squares, slopes))

    def score(self, here: Point, tables: Any) -> Array:
        """Return how far the observed cells are from a point along its slopes."""
        return dot(self.cases[tables], here.slopes)

    def bias(self) -> Array:
        """Return half the sum of ``C · ∂²/∂C²`` over the cells, each of which changes the terms of two classes."""
        cells = self.filled.reshape(-1, self.classes, self.classes)
        counts = ConfusionCounts(cells)
        hits, rows, columns = counts.hits, counts.rows, counts.columns
        nudges = np.minimum(cells, NUDGE)
        signs = WAYS[..., None, None]
        by_truth, by_prediction = signs * np.moveaxis(nudges, -1, 0), signs * np.moveaxis(nudges, -2, 0)
        right = WAYS[..., None] * np.diagonal(nudges, axis1=-2, axis2=-1)
        middle = self._sums(hits, rows, columns)
        truth = self._sums(hits, rows + by_truth, columns) - middle[:, None, None]
        prediction = self._sums(hits, rows, columns + by_prediction) - middle[:, None, None]
        moved = np.moveaxis(truth, 2, -1) + np.moveaxis(prediction, 2, -2)
        diagonal = np.arange(self.classes)
        moved[..., diagonal, diagonal] = self._sums(hits + right, rows + right, columns + right) - middle[:, None]
        above, below = middle.sum(-1)[..., None, None]
        # Changes of the average, and not the average, whose rounding a second difference would show.
        changes = (moved[0] - above / below * moved[1]) / (below + moved[1])
        bend = changes.sum(0) / nudges**2
        return np.asarray((cells * np.where(np.isfinite(bend), bend, 0.0)).sum((-2, -1)) / 2)

    def _sums(self, hits: Array, rows: Array, columns: Array) -> Array:
        """Return what each class adds to the numerator and the denominator of the averages, ``(2, ..., K)``."""
        values, times, _ = self.averages.of_each(hits, rows, columns)
        weights = self.averages.weights(rows, times)
        shape = np.broadcast_shapes(hits.shape, rows.shape, columns.shape)  # not all averages look at all of these
        sums = np.empty((2, *shape))
        sums[0], sums[1] = values * weights, weights
        return sums


@final
class FilledCells(PathTables):
    """Tables told by the cells with cases; the others are products of a factor of either class.

    Cells lie in one row: the right predictions, with their pseudo-cases; the wrong ones that have cases, without;
    and by class the two factors of the pseudo-cases among the wrong predictions.

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
        truth, prediction = counts.once(filled_cells)
        wrong = truth != prediction
        truth, prediction = truth[wrong], prediction[wrong]
        self.told = ProductTables(truth, prediction, self.classes)
        cells = counts.cells.reshape(-1, self.classes, self.classes)
        self.totals = steady(cells.sum((-2, -1)) / effect)
        pseudo = np.full((len(effect), self.classes), PSEUDO_CASES / self.classes**2)
        right, wrong = np.diagonal(cells, axis1=-2, axis2=-1), cells[:, truth, prediction]
        right, wrong = (steady(each / effect[:, None]) for each in (right, wrong))
        self.cases = np.concatenate([right, wrong], -1)  # of those told one by one
        self.filled = np.concatenate([right + pseudo, wrong, pseudo, np.ones(pseudo.shape)], -1)

    def score(self, here: Point, tables: Any) -> Array:
        """Return how far the observed cells are from a point along its slopes."""
        return dot(self.cases[tables], here.slopes[..., : -2 * self.classes])

    def bias(self) -> Array:
        """Return the second-order bias by what each class adds."""
        hits, (misses, alarms) = self.filled[..., : self.classes], self.told.errors(self.filled)
        rest = (hits + misses).sum(-1, keepdims=True) - hits - misses - alarms
        return self.averages.bias((hits, misses, alarms, rest), SMALL_PART, NUDGE)

    def point(self, cells: Array, tables: Any) -> Point:
        """Return the point of the path at tables in these proportions."""
        found = self.told.moments(self.averages.at(tables), cells, self.totals[tables])
        return Point(cells, found.slopes, found.value, found.second, found.third)

    def directions(self, here: Point, pace: Array) -> Array:
        """Return what the logarithms of the factors change by; refuse a pace that would end that cells are products."""
        factors = np.abs(here.slopes[..., -2 * self.classes :]).reshape(*here.slopes.shape[:-1], 2, self.classes)
        if (np.abs(pace) * factors.max(-1).sum(-1) > STEEPEST).any():
            raise TooSteepError
        return here.slopes

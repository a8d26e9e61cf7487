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
from howsure.methods.path_tables import NUDGE, WAYS, PathTables, Point, bias_by_class, steady
from howsure.methods.tilting import STEEPEST
from howsure.metrics.class_shares import ClassShares, filled_cells
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
    counts : ndarray of shape (tables, K, K)
        The counts, one table for all averages or for each its own.
    effect : ndarray of shape (tables,)
        How many counts an independent case is worth.
    """

    def __init__(self, averages: ClassShares, counts: Array, effect: Array) -> None:
        self.averages, self.classes = averages, counts.shape[-1]
        truth, prediction = filled_cells(counts)
        wrong = truth != prediction
        self.truth, self.prediction = truth[wrong], prediction[wrong]
        self.by_prediction = np.argsort(self.prediction, kind="stable")
        self.truths = _Runs(self.truth)
        self.predictions = _Runs(self.prediction[self.by_prediction])
        self.totals = steady(counts.sum((-2, -1)) / effect)
        pseudo = np.full((len(effect), self.classes), PSEUDO_CASES / self.classes**2)
        right, wrong = np.diagonal(counts, axis1=-2, axis2=-1), counts[:, self.truth, self.prediction]
        right, wrong = (steady(each / effect[:, None]) for each in (right, wrong))
        self.cases = np.concatenate([right, wrong], -1)  # of those told one by one
        self.filled = np.concatenate([right + pseudo, wrong, pseudo, np.ones(pseudo.shape)], -1)

    def score(self, here: Point, tables: Any) -> Array:
        """Return how far the observed cells are from a point along its slopes."""
        return dot(self.cases[tables], here.slopes[..., : -2 * self.classes])

    def bias(self) -> Array:
        """Return the second-order bias by what each class adds."""
        hits, misses, alarms = self.outcomes(self.filled)
        rest = (hits + misses).sum(-1, keepdims=True) - hits - misses - alarms
        return bias_by_class(self.averages.terms, np.stack([hits, misses, alarms, rest], -1))

    def outcomes(self, cells: Array) -> tuple[Array, Array, Array]:
        """Return hits, misses and false alarms of each class."""
        right, wrong, of_truth, of_prediction = self._parts(cells)
        same = of_truth * of_prediction
        misses = of_truth * of_prediction.sum(-1, keepdims=True) - same
        alarms = of_prediction * of_truth.sum(-1, keepdims=True) - same
        self.truths.add(misses, wrong)
        self.predictions.add(alarms, wrong[..., self.by_prediction])
        return right, misses, alarms

    def point(self, cells: Array, tables: Any) -> Point:
        """Return the point of the path at tables in these proportions."""
        hits, misses, alarms = self.outcomes(cells)
        rows, columns = hits + misses, hits + alarms
        scale = (self.totals[tables] / rows.sum(-1))[..., None]
        value, *by_total = self.averages.at(tables).slopes(scale * hits, scale * rows, scale * columns)
        by_hit, by_row, by_column = by_total
        cells[..., : -self.classes] *= scale
        wrong = by_row[..., self.truth] + by_column[..., self.prediction]
        slopes = np.concatenate([by_hit + by_row + by_column, wrong, by_row, by_column], -1)
        return Point(cells, slopes, value, *self.moments(cells, slopes))

    def moments(self, cells: Array, slopes: Array) -> tuple[Array, Array]:
        """Return the sums over all cells of squares and third powers of the slopes."""
        told = slice(-2 * self.classes)
        factors, by_total = self._factors(cells), self._factors(slopes)
        (n, m), (n1, m1), (n2, m2), (n3, m3) = _powers(factors, by_total)
        both = by_total.sum(-2)
        same = factors.prod(-2) * both  # right predictions are no products
        same *= both
        second = n2 * m + 2 * n1 * m1 + n * m2 - same.sum(-1)
        third = n3 * m + 3 * (n2 * m1 + n1 * m2) + n * m3 - dot(same, both)
        squares = cells[..., told] * slopes[..., told]
        squares *= slopes[..., told]
        return second + squares.sum(-1), third + dot(squares, slopes[..., told])

    def steps(self, here: Point) -> Array:
        """Return the logarithms of the factors; refuse those that would end that cells are products."""
        steps = super().steps(here)
        _, _, of_truth, of_prediction = self._parts(np.abs(steps))
        if (of_truth.max(-1) + of_prediction.max(-1) > STEEPEST).any():
            raise TooSteepError
        return steps

    def _parts(self, cells: Array) -> tuple[Array, Array, Array, Array]:
        size = self.classes
        right, wrong, of_truth = cells[..., :size], cells[..., size : -2 * size], cells[..., -2 * size : -size]
        return right, wrong, of_truth, cells[..., -size:]

    def _factors(self, cells: Array) -> Array:
        """Return what the cells have of the true and of the predicted classes, ``(..., 2, K)``."""
        return cells[..., -2 * self.classes :].reshape(*cells.shape[:-1], 2, self.classes)


@final
class _Runs:
    """Sums over runs of equal classes."""

    def __init__(self, classes: Array) -> None:
        self.starts = np.flatnonzero(np.diff(classes, prepend=-1))
        self.of = classes[self.starts]

    def add(self, sums: Array, values: Array) -> None:
        """Add values in their order, ``(..., m)``, to the sums of their classes, ``(..., K)``."""
        if len(self.starts):
            sums[..., self.of] += np.add.reduceat(values, self.starts, axis=-1)


def _powers(factors: Array, slopes: Array) -> Array:
    """Return the sums of factors times the powers of slopes, from the zeroth to the third, ``(4, 2, ...)``."""
    first = factors * slopes
    second = first * slopes
    sums = [factors.sum(-1), first.sum(-1), second.sum(-1), dot(second, slopes)]
    return np.moveaxis(np.array(sums), -1, 1)

"""Paths of averages over classes, for many averages of one table at once.

Such an average depends only on the hits and the totals of each class. The slope of a wrong prediction is therefore that
of its true class plus that of its predicted class. Small tables store all their cells. In large tables all empty cells
start equal, and remain the product of a factor of the true class and one of the predicted class; only cells with cases
are stored individually.
"""

from __future__ import annotations

import abc
from functools import lru_cache
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs.base import PSEUDO_COUNT, safe_divide
from howsure.designs.cell_sums import dot
from howsure.methods.core.standard_errors import is_positive_error
from howsure.methods.flow.all_cells import DIFFERENCE_STEP, SMALL_PART, PathTables, Point, TooSteepError, round_counts
from howsure.methods.flow.class_bias import SEVERAL, LeftOut
from howsure.methods.flow.exponential_tilting import STEEPEST
from howsure.metrics.class_shares import filled_cells
from howsure.native.averages import ClassShares, differences
from howsure.native.products import ProductTables
from howsure.tables.counts import ConfusionCounts, occurring

MOST_INFLATION = 2.0  # of a variance, up to which the path of an average has the right shape


def _prior_classes(counts: ConfusionCounts, classes: int) -> tuple[Array, Array]:
    """Return which true and which predicted classes share the pseudo-counts, ``(tables, K)``: see `occurring`."""
    return occurring(counts.rows.reshape(-1, classes), counts.columns.reshape(-1, classes))


def _layout(truth: Array, prediction: Array, classes: int) -> ProductTables:
    """Return the layout of tables whose listed cells have these true and predicted classes."""
    wrong = truth != prediction
    return ProductTables(truth[wrong], prediction[wrong], classes)


@lru_cache
def _every_cell(classes: int) -> ProductTables:
    """Return the layout of small tables, in which all cells are listed."""
    return _layout(*np.divmod(np.arange(classes**2), classes), classes)


def _with_cases(counts: ConfusionCounts) -> ProductTables:
    """Return the layout of large tables, in which the cells with cases are listed."""
    return _layout(*counts.once(filled_cells), counts.classes)


class ClassPath(PathTables, abc.ABC):
    """Tables along paths of averages; the entries are those of `ProductTables`.

    Parameters
    ----------
    averages : ClassShares
        One for each table.
    counts : ConfusionCounts
        One table for all averages, or one for each.
    effect : ndarray of shape (tables,)
        Design effect: number of counts per independent case.
    told : ProductTables
        Layout of the wrong cells that are stored individually.
    is_listed : bool
        Whether these are all cells, including the pseudo-counts. Otherwise every cell also has a product of two
        factors, of the true and of the predicted class.
    """

    def __init__(
        self,
        averages: ClassShares,
        counts: ConfusionCounts,
        effect: Array,
        *,
        told: ProductTables,
        is_listed: bool,
    ) -> None:
        self.averages, self.classes, self.told = averages, counts.classes, told
        cells = counts.cells.reshape(-1, self.classes, self.classes)
        self.totals = round_counts(cells.sum((-2, -1)) / effect)
        seen = np.diagonal(cells, axis1=-2, axis2=-1), cells[:, self.told.true_class, self.told.prediction]
        right, missed = (round_counts(each / effect[:, None]) for each in seen)
        self.cases = np.concatenate([right, missed], -1)  # of the cells that are stored individually
        true, predicted = _prior_classes(counts, self.classes)
        pseudo = PSEUDO_COUNT / (true.sum(-1) * predicted.sum(-1))[:, None]
        wrong = pseudo * true[:, self.told.true_class] * predicted[:, self.told.prediction] * is_listed
        by_class = [pseudo * true, 1.0 * predicted] if not is_listed else [0.0 * true, 0.0 * predicted]
        parts = [right + pseudo * true * predicted, missed + wrong, *by_class]
        self.filled = np.concatenate([np.broadcast_to(each, (len(effect), each.shape[-1])) for each in parts], -1)

    def is_sparse(self) -> Array:
        """Return whether many classes of each table have few cases on average; a weighted recall has no bias."""
        is_recall = (self.averages.below[[0, 2]] == 0).all((0, -1))
        return np.asarray(self.left_out.has_few_cases & ~(is_recall & self.averages.by_total.any(-1)))

    def score(self, here: Point, tables: Any) -> Array:
        """Return the score: the distance of the observed cells from a point along its gradient."""
        return dot(self.cases[tables], here.slopes[..., : -2 * self.classes])

    @cached_property
    def left_out(self) -> LeftOut:
        """Return the averages on tables from which one case of each kind is left out."""
        return LeftOut(self.averages, self.told, self.cases)

    def centre_bias(self) -> Array:
        """Return the bias correction of the intervals; for macro averages half of it is from second differences."""
        return self._bias_and_error[0]

    @cached_property
    def _bias_and_error(self) -> tuple[Array, Array]:
        """The bias correction, and how far it may be off if the classes have fixed sizes."""
        bias, is_weighted = self.left_out.bias(), self.left_out.is_weighted.reshape(-1)
        if not is_weighted.all():
            bias = np.where(is_weighted, bias, (bias + self.bias()) / 2)
        equal = self.left_out.has_equal_sizes
        if not equal.any():
            return bias, np.zeros(bias.shape)
        fixed, off = self.left_out.of_fixed_sizes()
        return np.where(equal, fixed, bias), np.where(equal, off, 0.0)

    def second_order(self) -> tuple[Array, Array]:
        """Return the second-order bias and the inflation of the variance; of many classes the range of the bias."""
        bias, off = self._bias_and_error
        if self.classes > SEVERAL:
            of_singles = self.left_out.of_singles()
            bias = np.stack([bias + off + np.maximum(of_singles, 0), bias - off + np.minimum(of_singles, 0)])
        plain, whole = self.left_out.variances
        return bias, np.where(plain > 0, safe_divide(whole, plain), 1.0)

    def point(self, cells: Array, tables: Any) -> Point:
        """Return the point of the path at tables with these proportions."""
        found = self.told.moments(self.averages.at(tables), cells, self.totals[tables])
        return Point(cells, found.slopes, found.value, found.second, found.third)


@final
class ManyClasses(ClassPath):
    """Large tables, stored by the cells with cases; all others are products. For the parameters see `ClassPath`."""

    def __init__(self, averages: ClassShares, counts: ConfusionCounts, effect: Array) -> None:
        super().__init__(averages, counts, effect, told=counts.once(_with_cases), is_listed=False)
        self.corrections, self.is_cautioned = super().second_order(), super().is_sparse()
        (plain, whole), value = self.left_out.variances, self.left_out.mean[:, 0]
        lacks_variation = self.left_out.has_few_cases | (whole > MOST_INFLATION * plain)
        reduced = np.flatnonzero(lacks_variation & is_positive_error(np.sqrt(whole), value))
        if reduced.size and self.classes > SEVERAL and len(self.told.true_class):
            number = np.minimum(value * (1 - value) / whole, self.left_out.number)
            self._reduce(reduced, value[reduced], number[reduced])

    def _reduce(self, tables: Array, value: Array, number: Array) -> None:
        """Replace averages by the recall of one class with this value and number of cases, as in Wilson's interval.

        Their own paths would have too little variance, as classes with a single case do not vary along them.
        """
        own = self.averages
        arrays = (np.array(each) for each in (own.above, own.below, own.by_total, own.times, own.constants))
        above, below, by_total, times, constants = arrays
        above[:, tables, 0], below[:, tables, 0] = np.eye(3)[:2, :, None]
        by_total[tables], times[tables], constants[tables] = False, 0.0, np.nan
        hit, miss = self.told.true_class[0], self.classes
        times[tables, hit] = 1.0
        self.averages = ClassShares(above, below, by_total, times, constants)
        self.totals, self.cases = np.broadcast_to(self.totals, len(self.filled)).copy(), self.cases.copy()
        self.totals[tables], self.cases[tables], self.filled[tables] = number, 0.0, 0.0
        for cell, part in ((hit, value), (miss, 1 - value)):
            self.cases[tables, cell] = number * part
            self.filled[tables, cell] = number * part + PSEUDO_COUNT / 2
        self.corrections[1][tables] = 1.0

    def second_order(self) -> tuple[Array, Array]:
        """Return the range of the second-order bias, and the inflation of the variance."""
        return self.corrections

    def is_sparse(self) -> Array:
        """Return whether many classes of each table have few cases on average."""
        return self.is_cautioned

    def bias(self) -> Array:
        """Return the second-order bias, as a sum over the classes."""
        hits, (misses, alarms) = self.filled[..., : self.classes], self.told.errors(self.filled)
        rows = hits + misses  # a weighted average is over the cases of its own classes
        total = (~self.averages.by_total | (self.averages.times > 0)) * rows
        rest = total.sum(-1, keepdims=True) - rows - alarms
        return self.averages.bias((hits, misses, alarms, rest), SMALL_PART, DIFFERENCE_STEP)

    def directions(self, here: Point, pace: Array) -> Array:
        """Return the derivatives of the log factors; raise an error if cells would not stay products."""
        slopes, cells = (each[..., -2 * self.classes :] for each in (here.slopes, here.cells))
        factors = np.abs(slopes * (cells > 0)).reshape(*slopes.shape[:-1], 2, self.classes)
        if (np.abs(pace) * factors.max(-1).sum(-1) > STEEPEST).any():
            raise TooSteepError
        return here.slopes


@final
class FewClasses(ClassPath):
    """Small tables, stored by all their cells. For the parameters see `ClassPath`."""

    def __init__(self, averages: ClassShares, counts: ConfusionCounts, effect: Array) -> None:
        super().__init__(averages, counts, effect, told=_every_cell(counts.classes), is_listed=True)

    def bias(self) -> Array:
        """Return half the sum of ``C · ∂²/∂C²`` over the cells, each of which changes the terms of two classes.

        An average is N / M, where N is the sum of weight times value over the classes and M the sum of the weights. If
        a change of ±h gives ``N ± hd + h²s/2`` and ``M ± hm``, the second difference of N / M is
        ``(sM − 2md + 2Nm²/M) / (M² − h²m²)``.
        """
        cells, diagonal = np.empty((len(self.filled), self.classes, self.classes)), np.arange(self.classes)
        cells[:, diagonal, diagonal] = self.filled[:, : self.classes]
        cells[:, self.told.true_class, self.told.prediction] = self.filled[:, self.classes : -2 * self.classes]
        counts = ConfusionCounts(cells)
        value, times, whole = self.averages.of_each(counts.hits, counts.rows, counts.columns)
        weights = self.averages.weights(counts.rows, times)
        moves = np.where(self.averages.by_total, times, 0.0)  # of a weight, by a case of the class
        total, square = weights.sum(-1)[:, None, None], np.minimum(cells, DIFFERENCE_STEP) ** 2
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

"""Averages over classes of ratios of their hits and margins: many of one table are evaluated side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, final

import numpy as np
from numpy.typing import NDArray

from howsure.metrics.averages import Average
from howsure.metrics.spec import Spec
from howsure.tables.counts import ClassCounts

Array = NDArray[Any]
BY_MARGIN = np.array([[1, 0, 0], [-1, 1, 0], [-1, 0, 1], [0, 0, 0]])  # tp, fn, fp, tn by hits, row and column total


class Slopes(NamedTuple):
    """The value of averages, ``(...)``, and their derivatives by hits and margins of each class, ``(..., K)``."""

    value: Array
    by_hit: Array
    by_row: Array
    by_column: Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class ClassShares:
    """Macro or weighted averages of ratios of linear forms in the hits, row and column totals of a class.

    Precision, recall, F-beta and Jaccard's index are such ratios: true negatives play no part. Arrays have the last
    axis of classes, and in front of it that of the averages, one for each table of a batch.

    Parameters
    ----------
    above, below : ndarray of shape (3, ..., 1)
        Coefficients of hits, row total and column total in numerator and denominator.
    by_total : ndarray of shape (..., 1)
        Whether classes count by their true totals.
    times : ndarray of shape (..., K)
        How often each class is averaged over.
    filled : ndarray of shape (..., 1)
        The value of a class on which the ratio is undefined; nan leaves it out.
    read : tuple of two tuples of int
        Which of hits, row total and column total have coefficients other than 0 in numerator and denominator.
    """

    above: Array
    below: Array
    by_total: Array
    times: Array
    filled: Array
    read: tuple[tuple[int, ...], tuple[int, ...]]

    @classmethod
    def of(cls, spec: Spec, average: Average, chosen: Array | None, classes: int) -> Self | None:
        """Return the average that a spec names; None where it is none of these."""
        ratio = spec.definition.outcome_ratio(**spec.arguments)
        if ratio is None or spec.definition.form != "outcomes" or average.name not in {"macro", "weighted"}:
            return None
        forms = np.array([ratio.numerator, ratio.denominator])
        if forms[:, 3].any():
            return None
        above, below = (forms @ BY_MARGIN)[..., None]
        times = np.ones(classes) if chosen is None else np.bincount(chosen, minlength=classes) * 1.0
        read = (_read(above), _read(below))
        return cls(above, below, np.array([average.reads_weights]), times, np.array([spec.zero_division]), read)

    @classmethod
    def beside(cls, averages: Sequence[ClassShares]) -> Self:
        """Return several averages, one for each table of a batch."""
        above, below = (np.stack([getattr(each, name) for each in averages], 1) for name in ("above", "below"))
        names = ("by_total", "times", "filled")
        by_total, times, filled = (np.stack([getattr(each, name) for each in averages]) for name in names)
        return cls(above, below, by_total, times, filled, (_read(above), _read(below)))

    def at(self, which: Any) -> ClassShares:
        """Return some of several averages."""
        if isinstance(which, slice) and which == slice(None):
            return self
        of_each = (self.by_total[which], self.times[which], self.filled[which])
        return ClassShares(self.above[:, which], self.below[:, which], *of_each, self.read)

    def slopes(self, hits: Array, rows: Array, columns: Array) -> Slopes:
        """Return values and derivatives on tables of which each class has these hits and totals, ``(..., K)``."""
        values, times, whole = self.of_each(hits, rows, columns)
        weights = self.weights(rows, times)
        total = np.add.reduce(weights, -1, keepdims=True)
        mean = np.add.reduce(values * weights, -1, keepdims=True) / total
        each = np.where(whole == 0, 0.0, weights / (total * whole))
        by_hit, by_row, by_column = self._derivatives(each, each * values)
        if self.by_total.any():
            by_row = by_row + self.by_total * times * (values - mean) / total
        return Slopes(mean[..., 0], by_hit, by_row, by_column)

    def weights(self, rows: Array, times: Array) -> Array:
        """Return what classes of these totals count, which are averaged over so often."""
        return np.where(self.by_total, rows, 1.0) * times if self.by_total.any() else times

    def _derivatives(self, each: Array, scaled: Array) -> Iterator[Array]:
        for place, (above, below) in enumerate(zip(self.above, self.below, strict=True)):
            found = each * above if place in self.read[0] else np.zeros(each.shape)
            yield found - scaled * below if place in self.read[1] else found

    def of_each(self, hits: Array, rows: Array, columns: Array) -> tuple[Array, Array, Array]:
        """Return the value of each class, how often it is averaged over, 0 if left out, and its denominator."""
        counts = (hits, rows, columns)
        part, whole = (_weighted(*each, counts) for each in zip((self.above, self.below), self.read, strict=True))
        empty = whole == 0
        if not empty.any():
            return part / whole, self.times, whole
        values = np.where(empty, self.filled, part / np.where(empty, 1.0, whole))
        absent = np.isnan(values)
        return np.where(absent, 0.0, values), np.where(absent, 0.0, self.times), whole

    def variance(self, counts: ClassCounts) -> Array:
        """Return the variance of the averages of independent cases, by the cells that have some."""
        _, by_hit, by_row, by_column = self.slopes(counts.hits, counts.rows, counts.columns)
        truth, prediction = filled = filled_cells(counts.cells)
        slopes = by_row[..., truth] + by_column[..., prediction]
        right = truth == prediction
        slopes[..., right] += by_hit[..., truth[right]]
        return np.asarray((counts.cells[..., *filled] * slopes**2).sum(-1))

    def terms(self, tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
        """Return what each class adds to the averages, by its outcomes ``(..., K)``."""
        values, times, _ = self.of_each(tp, tp + fn, tp + fp)
        every = self.times.sum(-1, keepdims=True)
        return np.asarray(values * times * np.where(self.by_total, (tp + fn) / (tp + fn + fp + tn), 1 / every))


def _weighted(coefficients: Array, places: tuple[int, ...], counts: tuple[Array, ...]) -> Array:
    """Return the sum of some of the counts times their coefficients."""
    first, *others = [coefficients[place] * counts[place] for place in places] or [coefficients[0]]  # which are 0
    return np.asarray(sum(others, first))


def _read(coefficients: Array) -> tuple[int, ...]:
    return tuple(np.flatnonzero(coefficients.reshape(3, -1).any(-1)).tolist())


def filled_cells(counts: Array) -> tuple[Array, Array]:
    """Return true and predicted class of the cells that some table has cases in, in order.

    Parameters
    ----------
    counts : ndarray of shape (..., K, K)
        The tables.
    """
    classes = counts.shape[-1]
    truth, prediction = np.divmod(np.flatnonzero(counts.reshape(-1, classes**2).any(0)), classes)
    return truth, prediction

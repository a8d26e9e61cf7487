"""Averages over classes of ratios of hits and totals, evaluated in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, final

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.native.library import kernel, require_equal


class Slopes(NamedTuple):
    """The value of averages, ``(...)``, and their derivatives by hits and totals of each class, ``(..., K)``."""

    value: Array
    by_hit: Array
    by_row: Array
    by_column: Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class ClassShares:
    """Macro or weighted averages of ratios of linear forms in the hits, row and column totals of a class.

    Precision, recall, F-beta and Jaccard's index are such ratios, which do not depend on true negatives. The last axis
    of the arrays is for classes; the axis before it is for averages, one for each table of a batch.

    Parameters
    ----------
    above, below : ndarray of shape (3, ..., 1)
        Coefficients of hits, row total and column total in numerator and denominator.
    by_total : ndarray of shape (..., 1)
        Whether classes are weighted by their true totals.
    times : ndarray of shape (..., K)
        Multiplicity of each class in the average.
    constants : ndarray of shape (..., K)
        Value of each constant class; nan for classes with a ratio.

    Examples
    --------
    The mean of two recalls, 8 of 10 and 3 of 6, rises by a half of 1/10 and of 1/6 with a hit:

    >>> recall = ClassShares.of([1, 0, 0], [0, 1, 0], by_total=False, times=[1, 1])
    >>> slopes = recall.slopes(np.array([8.0, 3.0]), np.array([10.0, 6.0]), np.array([11.0, 5.0]))
    >>> round(float(slopes.value), 3), slopes.by_hit.round(3).tolist()
    (0.65, [0.05, 0.083])
    """

    above: Array
    below: Array
    by_total: Array
    times: Array
    constants: Array

    @classmethod
    def of(
        cls,
        above: Sequence[float],
        below: Sequence[float],
        *,
        by_total: bool,
        times: ArrayLike,
        constants: ArrayLike | None = None,
    ) -> Self:
        """Return one average; parameters are those of the class, without the axis of averages."""
        over, under = (np.array(each, dtype=float)[:, None] for each in (above, below))
        number = np.asarray(times, dtype=float)
        values = np.full(number.shape, np.nan) if constants is None else np.asarray(constants, dtype=float)
        return cls(over, under, np.array([by_total]), number, values)

    @classmethod
    def beside(cls, averages: Sequence[ClassShares]) -> Self:
        """Return several averages, one for each table of a batch."""
        above, below = (np.stack([getattr(each, name) for each in averages], 1) for name in ("above", "below"))
        names = ("by_total", "times", "constants")
        by_total, times, constants = (np.stack([getattr(each, name) for each in averages]) for name in names)
        return cls(above, below, by_total, times, constants)

    def at(self, which: Any) -> ClassShares:
        """Return some of several averages."""
        if isinstance(which, slice) and which == slice(None):
            return self
        of_each = (self.by_total[which], self.times[which], self.constants[which])
        return ClassShares(self.above[:, which], self.below[:, which], *of_each)

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All parameters, in the form for a kernel."""
        given = (self.above, self.below, self.by_total, self.times, self.constants)
        return tuple(np.ascontiguousarray(each, dtype=float) for each in given)

    def slopes(self, hits: Array, rows: Array, columns: Array) -> Slopes:
        """Return values and derivatives for tables with these hits and totals of each class, ``(..., K)``."""
        values, times, whole = self.of_each(hits, rows, columns)
        weights = self.weights(rows, times)
        total = np.add.reduce(weights, -1, keepdims=True)
        mean = np.add.reduce(values * weights, -1, keepdims=True) / total
        each = weights / (total * np.where(whole == 0, np.inf, whole))
        by_hit, by_row, by_column = (
            each * above - each * values * below for above, below in zip(self.above, self.below, strict=True)
        )
        if self.by_total.any():
            by_row = by_row + self.by_total * times * (values - mean) / total
        return Slopes(mean[..., 0], by_hit, by_row, by_column)

    def weights(self, rows: Array, times: Array) -> Array:
        """Return the weights of classes from their totals and multiplicities."""
        return np.where(self.by_total, rows, 1.0) * times if self.by_total.any() else times

    def of_each(self, hits: Array, rows: Array, columns: Array) -> tuple[Array, Array, Array]:
        """Return the value of each class, its multiplicity (0 if undefined), and its denominator.

        The denominator of a constant is 0: its value has no slope.
        """
        part, whole = (by[0] * hits + by[1] * rows + by[2] * columns for by in (self.above, self.below))
        constant = ~np.isnan(self.constants)
        if constant.any():
            whole = np.where(constant, 0.0, whole)
        empty = whole == 0
        if not empty.any():
            return part / whole, self.times, whole
        values = np.where(empty, self.constants, part / np.where(empty, 1.0, whole))
        absent = np.isnan(values)
        return np.where(absent, 0.0, values), np.where(absent, 0.0, self.times), whole

    def bias(self, outcomes: Sequence[Array], part: float, most: float) -> Array:
        """Return half the sum over classes of their counts times the second differences, ``(...)``.

        A weighted average is the sum of the ratio times the class frequency, which is another such ratio.

        Parameters
        ----------
        outcomes : sequence of 4 ndarray of shape (..., K)
            tp, fn, fp and tn of each class.
        part, most : float
            Each count is changed separately, up and down, by the fraction ``part`` of it, but at most by ``most``.
        """
        compiled, shape = kernel("average_bias"), outcomes[0].shape
        require_equal("average_bias", *(each.shape for each in outcomes))
        if compiled is not None and shape[-self.times.ndim :] == self.times.shape:
            found, averages = np.empty(shape[:-1]), self.by_total.size
            counts = (np.ascontiguousarray(each, dtype=float) for each in outcomes)
            sizes = (found.size // averages, averages, shape[-1])
            compiled(*sizes, *self.arrays, *counts, np.array([part, most]), found)
            return found
        tp, fn, fp, tn = outcomes
        value, times, whole = self.of_each(tp, tp + fn, tp + fp)
        weights, total = times / self.times.sum(-1, keepdims=True), tp + fn + fp + tn
        share = (tp + fn) / total
        weights = np.where(self.by_total, share * times, weights)
        over, under = (_by_outcome(each) for each in (self.above, self.below))
        sum_of_all = np.zeros(shape[:-1])
        for count, a, b, of_row in zip(outcomes, over, under, (1, 1, 0, 0), strict=True):
            square = np.minimum(part * count, most) ** 2
            first, second = differences(value, whole, a, b, square)
            rise = self.by_total * times * (of_row - share) * total / (total**2 - square)
            bend = weights * second + 2 * rise * (first - (value + square / 2 * second) / total)
            sum_of_all += (count * np.where(np.isfinite(bend) & (whole > 0) & (times > 0), bend, 0.0)).sum(-1)
        return sum_of_all / 2


def differences(value: Array, whole: Array, a: Any, b: Any, square: Array) -> tuple[Array, Array]:
    """Return the first and second symmetric difference quotients of a ratio by one of its counts.

    The differences of ``A ± ha`` over ``B ± hb`` are ``D = (aB − Ab) / (B² − h²b²)`` and ``−2 D b / B``. These forms
    subtract no nearly equal numbers.

    Parameters
    ----------
    value, whole : ndarray
        ``A / B`` and B; B is 0 for a constant.
    a, b : float or ndarray
        Coefficients of the count in A and B.
    square : ndarray
        h².

    Examples
    --------
    The quotient 2 / x at x = 4, changed by 1:

    >>> first, second = differences(np.array(0.5), np.array(4.0), 0.0, 1.0, np.array(1.0))
    >>> round(2 * float(first), 9), round(2 / 5 - 2 / 3, 9)
    (-0.266666667, -0.266666667)
    >>> round(float(second), 9), round(2 / 5 + 2 / 3 - 2 * 2 / 4, 9)
    (0.066666667, 0.066666667)
    """
    safe = np.where(whole == 0, np.inf, whole)
    first = (a - value * b) / (safe - square * b**2 / safe)
    return first, -2 * first * b / safe


def _by_outcome(coefficients: Array) -> tuple[Array, ...]:
    """Return the coefficients of tp, fn, fp and tn from those of hits, row and column total."""
    _, row, column = coefficients
    return coefficients.sum(0), row, column, np.zeros(row.shape)

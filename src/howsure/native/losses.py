"""Losses of the cells of a table: sums, ends, moments by bin, and tilts, each in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel, require_equal

ORDERS, ORDERS_OF_CELLS = 6, 4  # of moments, from the zeroth
IN_CACHE = 2**17  # numbers that stay in the cache over several passes


class Sums(NamedTuple):
    """Losses of all cases of a table, and their number."""

    losses: float
    cases: float


@dataclass(frozen=True, slots=True, eq=False)
class CellLosses:
    """Loss of each cell of a table, ``base + slope · given``, so that losses of many classes need no memory.

    Parameters
    ----------
    given : ndarray of the cells' shape
        The losses; with a base, the numbers in the formula.
    base : ndarray of shape (rows,), optional
        One value for each row, if the cells have two axes.
    slope : float
        Slope, the same for all cells.

    Examples
    --------
    >>> losses = CellLosses(np.array([[0.5, 0.25], [0.75, 0.0]]), np.array([1.0, 2.0]), -2.0)
    >>> losses.every.tolist()
    [[0.0, 0.5], [0.5, 2.0]]
    >>> losses.sums(np.array([[1, 1], [0, 1]]))
    Sums(losses=2.5, cases=3.0)
    """

    given: Array
    base: Array | None = None
    slope: float = 1.0

    @property
    def every(self) -> Array:
        """The loss of each cell."""
        if self.base is None:
            return self.given
        found = np.multiply(self.given, self.slope)
        found += self.base[:, None]
        return np.maximum(found, 0.0, out=found)  # which rounding may leave below

    @property
    def ends(self) -> tuple[float, float]:
        """Bounds of all losses; without a base, the smallest and the largest loss."""
        low, high = float(self.given.min()), float(self.given.max())
        if self.base is None:
            return low, high
        below, above = sorted((self.slope * low, self.slope * high))
        return float(self.base.min()) + below, float(self.base.max()) + above

    def flat(self, counts: Array) -> tuple[Array, Array]:
        """Return losses and counts of all cells in a row each."""
        order = self._order
        return self.every.ravel(order), counts.ravel(order)

    def sums(self, counts: Array) -> Sums:
        """Return the sums over a table.

        Parameters
        ----------
        counts : ndarray of the cells' shape
            How many cases each cell has.
        """
        given, base, counts = self._rows(counts)
        compiled = kernel("loss_sums")
        if compiled is not None:
            found = np.empty(len(Sums._fields))
            compiled(*given.shape, given, base, counts, np.array([self.slope]), found)
        else:
            found = np.sum([(each @ number, number.sum()) for each, number in self._blocks(given, base, counts)], 0)
        losses, cases = found.tolist()
        return Sums(losses if self.base is None else max(losses, 0.0), cases)

    def moments(self, counts: Array, ends: tuple[float, float], bins: int) -> tuple[Array, Array]:
        """Return moments of cases and, up to a lower order, of cells about the middle of each bin, in bin widths.

        Sums over the losses of a function that is smooth within a bin follow from them. Shape ``(bins, 6)`` and
        ``(bins, 4)``.

        Parameters
        ----------
        counts : ndarray of the cells' shape
            How many cases each cell has.
        ends : tuple of float
            Start of the first bin and end of the last one; all losses are between them.
        bins : int
            Number of bins, of equal width.

        Examples
        --------
        >>> of_cases, of_cells = CellLosses(np.array([0.0, 1.0, 4.0])).moments(np.array([2.0, 0.0, 5.0]), (0.0, 4.0), 2)
        >>> of_cases[:, :3].tolist(), of_cells[:, :3].tolist()
        ([[2.0, -1.0, 0.5], [5.0, 2.5, 1.25]], [[2.0, -0.5, 0.25], [1.0, 0.5, 0.25]])
        """
        scale = bins / (ends[1] - ends[0])
        of_counts, of_cells = np.zeros((bins, ORDERS)), np.zeros((bins, ORDERS_OF_CELLS))
        given, base, counts = self._rows(counts)
        compiled = kernel("loss_moments")
        if compiled is not None:
            settings = np.array([self.slope, ends[0], scale])
            compiled(*given.shape, bins, given, base, counts, settings, of_counts, of_cells)
            return of_counts, of_cells
        for losses, number in self._blocks(given, base, counts):
            place = (losses - ends[0]) * scale
            bin_of = np.minimum(place.astype(np.intp), bins - 1)
            powers = (place - bin_of - 0.5) ** np.arange(ORDERS)[:, None]
            of_counts += np.stack([np.bincount(bin_of, number * power, bins) for power in powers], -1)
            of_cells += np.stack([np.bincount(bin_of, power, bins) for power in powers[:ORDERS_OF_CELLS]], -1)
        return of_counts, of_cells

    @property
    def _order(self) -> Literal["C", "F"]:
        return "C" if self.base is not None else in_memory(self.given)

    def _rows(self, counts: Array) -> tuple[Array, Array, Array]:
        """Return the parameters of the losses by row, with a base for each, and the counts; one row without a base."""
        base, shape = (np.zeros(1), (1, self.given.size)) if self.base is None else (self.base, self.given.shape)
        require_equal("losses", self.given.shape, counts.shape)
        require_equal("losses", len(base), shape[0])
        given, counts = (each.ravel(self._order).reshape(shape) for each in (self.given, counts))
        given, base, counts = (np.ascontiguousarray(each, dtype=float) for each in (given, base, counts))
        return given, base, counts

    def _blocks(self, given: Array, base: Array, counts: Array) -> Iterator[tuple[Array, Array]]:
        """Yield losses and counts of some cells at a time, from the result of `_rows`."""
        step = max(1, IN_CACHE // max(1, given.shape[1]))
        for start in range(0, max(1, len(given)), step):
            some = slice(start, start + step)
            yield (base[some, None] + self.slope * given[some]).ravel(), counts[some].ravel()


class Tilts:
    """Cases whose weights are repeatedly tilted by their losses.

    Parameters
    ----------
    off : ndarray of shape (m,)
        Difference of each loss from a reference value.
    bound : float
        At most 700: the logarithm of the largest factor of a weight.

    Examples
    --------
    >>> weights = np.array([1.0, 3.0])
    >>> tilts, once = Tilts(np.array([-1.0, 2.0]), 5.0), np.log(2)
    >>> [round(each, 9) for each in tilts.sums(weights, once)], weights.round(9).tolist()
    ([12.5, 23.5, 48.5, 95.5], [0.5, 12.0])
    """

    def __init__(self, off: Array, bound: float) -> None:
        self.off, self.bound = np.ascontiguousarray(off, dtype=float), bound
        self._compiled = kernel("tilted")
        if self._compiled is None:
            self._powers = np.ones((4, len(self.off)))
            for order in range(1, 4):
                np.multiply(self._powers[order - 1], self.off, out=self._powers[order])
        else:
            self._settings, self._found = np.array([0.0, 0.0, bound]), np.empty(4)

    def sums(self, weights: Array, pace: float = 0.0, shift: float = 0.0) -> list[float]:
        """Multiply weights, in place, by the exponential of ``pace · off - shift``; sum them times powers of ``off``.

        Parameters
        ----------
        weights : ndarray of shape (m,)
            Contiguous floats.
        pace, shift : float
            Coefficients of the exponent, which is limited to the bound.

        Returns
        -------
        list of float
            Of the powers 0 … 3.
        """
        if self._compiled is None:
            if pace or shift:
                weights *= np.exp(np.clip(pace * self.off - shift, -self.bound, self.bound))
            return list(np.vecdot(self._powers, weights).tolist())
        require_equal("tilted", self.off.shape, weights.shape)
        require_equal("tilted", (self.off.strides, self.off.dtype), (weights.strides, weights.dtype))
        self._settings[:2] = pace, shift
        self._compiled(len(weights), self.off, self._settings, weights, self._found)
        return list(self._found.tolist())


def square_losses(rows: Array) -> CellLosses:
    """Return the sum of squared differences of each row of probabilities from that of each class, ``Σ p² + 1 − 2 p``.

    Examples
    --------
    >>> square_losses(np.array([[0.5, 0.25, 0.25]])).every.tolist()
    [[0.375, 0.875, 0.875]]
    """
    compiled, rows = kernel("square_sums"), np.ascontiguousarray(rows, dtype=float)
    if compiled is None:
        return CellLosses(rows, np.vecdot(rows, rows) + 1.0, -2.0)
    sums = np.empty(len(rows))
    compiled(*rows.shape, rows, sums)
    return CellLosses(rows, sums, -2.0)


def in_memory(array: Array) -> Literal["C", "F"]:
    """Return the memory order of an array, for sequential reads."""
    return "F" if array.flags.f_contiguous else "C"

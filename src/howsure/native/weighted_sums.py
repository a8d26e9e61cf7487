"""Sums of columns, and tables, over resampled units, directly from the weights of the units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array, Bytes, Floats, Integers
from howsure.native.library import kernel, require_equal
from howsure.native.resampling import LANES, MOST_OF_BLOCK, Resamples, block_weights, blocks_of


def weighted_sums(resamples: Resamples, columns: Floats) -> Floats:
    """Return the sum of each column over the cases of 64 resamples, ``(columns, 64)``.

    Parameters
    ----------
    resamples : Resamples
        `LANES` resamples.
    columns : ndarray of shape (columns, cases)
        Finite numbers.

    Examples
    --------
    >>> resamples = Resamples.drawn(1000, LANES, np.random.default_rng(0))
    >>> number, ones = weighted_sums(resamples, np.stack([np.arange(1000.0), np.ones(1000)]))
    >>> set(ones.tolist()), bool(abs(number.mean() / 499.5e3 - 1) < 0.01)
    ({1000.0}, True)
    """
    compiled, columns = kernel("weighted_sums"), np.ascontiguousarray(columns, dtype=float)
    if compiled is None:
        return _by_numpy(resamples, columns)
    require_equal("weighted_sums", columns.shape, (len(columns), resamples.cases))
    require_equal("weighted_sums", resamples.totals.shape, (len(resamples.totals), LANES))
    one, sums = resamples.poisson, np.empty((len(columns), LANES))
    scratch = np.empty((min(resamples.cases, MOST_OF_BLOCK), LANES), dtype=np.uint8)
    drawing = (one.levels, one.atoms, one.guide, resamples.keys, resamples.totals)
    compiled(resamples.cases, len(resamples.totals), len(columns), columns, *drawing, sums, scratch)
    return sums


@dataclass(frozen=True, slots=True, eq=False)
class UnitCounts:
    """Counts of units in cells. The weights of a block of units stay in the processor's cache for all its entries.

    Parameters
    ----------
    size : int
        Number of cells.
    cell, count : ndarray of shape (runs,)
        Cell and count of the entries of each run.
    starts : ndarray of shape (runs + 1,)
        First entry of each run, and the number of entries.
    unit : ndarray of shape (entries,)
        Unit of each entry; those of a run are in one block.

    Examples
    --------
    >>> counts = UnitCounts.of(np.array([0, 0, 1]), np.array([2, 0, 0]), np.array([5.0, 1.0, 2.0]), 3)
    >>> weights = np.array([[1, 0, 0, 0, 0, 0, 0, 0], [0, 3, 0, 0, 0, 0, 0, 0]], dtype=np.uint8)
    >>> counts.tables(weights)[:2].tolist()
    [[1.0, 0.0, 5.0], [6.0, 0.0, 0.0]]
    """

    size: int
    cell: Integers
    count: Floats
    starts: Integers
    unit: Integers

    @classmethod
    def of(cls, unit: Array, cell: Array, count: Array, size: int) -> UnitCounts:
        """Return entries that are given in any order."""
        place = unit // MOST_OF_BLOCK * size + cell
        same = (count == count[:1]).all()
        order = np.argsort(place, kind="stable") if same else np.lexsort((count, place))
        place, sizes = place[order], count[order].astype(float)
        is_new = np.diff(place, prepend=-1) != 0
        is_new[1:] |= np.diff(sizes) != 0
        starts = np.flatnonzero(is_new)
        units = np.ascontiguousarray(unit[order], dtype=np.int64)
        return cls(size, place[starts] % size, sizes[starts], np.append(starts, len(units)), units)

    def tables(self, weights: Bytes) -> Floats:
        """Return the sums of the units' counts with weights, ``(tables, cells)``.

        Parameters
        ----------
        weights : ndarray of shape (units, tables)
            How often each of the units occurs in each of 8 or 64 tables.
        """
        compiled, (units, lanes) = kernel("weighted_tables"), weights.shape
        found = np.zeros((self.size, lanes))
        if compiled is None:
            for cell, count, first, last in zip(self.cell, self.count, self.starts, self.starts[1:], strict=False):
                found[cell] += count * weights[self.unit[first:last]].sum(0, dtype=np.int64)
            return np.ascontiguousarray(found.T)
        require_equal("weighted_tables", len(self.starts), len(self.cell) + 1, len(self.count) + 1)
        sizes = lanes, units, self.size, len(self.cell), len(self.unit)
        weights = np.ascontiguousarray(weights, dtype=np.uint8)
        compiled(*sizes, self.cell, self.count, self.starts, self.unit, weights, found)
        return np.ascontiguousarray(found.T)


def _by_numpy(resamples: Resamples, columns: Array) -> Array:
    sums = np.zeros((len(columns), LANES))
    for block, (first, last) in enumerate(blocks_of(resamples.cases)):
        weights = block_weights(resamples.cases, block, resamples.keys, resamples.totals[block])
        for index, column in enumerate(columns):
            sums[index] += (column[first:last, None] * weights).sum(0)
    return sums

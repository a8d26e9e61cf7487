"""Counting of pairs of codes, and conversion of floats to the whole numbers that they equal."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel, require_equal

WAYS = 8  # tables of counts that the kernel needs
MOST_CELLS = 2**12  # whose tables stay in the cache
MOST = 2**30  # magnitude of converted numbers
BLOCK = 2**16  # rows that stay in the cache


def count_pairs(codes: tuple[Array, Array], lows: tuple[int, int], sizes: tuple[int, int]) -> Array:
    """Return how often each pair of codes occurs, ``(sizes[0] * sizes[1],)``.

    Parameters
    ----------
    codes : tuple of two ndarray of shape (n,)
        Integers of any type.
    lows, sizes : tuple of two int
        The lowest code of each column, and the number of its codes: they are from ``low`` to ``low + size - 1``.

    Examples
    --------
    >>> count_pairs((np.array([5, 6, 6]), np.array([0, 1, 1])), (5, 0), (2, 2)).tolist()
    [1, 0, 0, 2]
    """
    first, second = (np.ascontiguousarray(each) for each in codes)
    require_equal("count_pairs", len(first), len(second))
    cells, bytes_each = sizes[0] * sizes[1], first.dtype.itemsize
    compiled = kernel("count_pairs") if bytes_each == second.dtype.itemsize and cells <= MOST_CELLS else None
    if compiled is not None and first.dtype.isnative and second.dtype.isnative:
        found = np.zeros((WAYS, cells), dtype=np.int64)
        compiled(len(first), bytes_each, *lows, sizes[1], cells, first, second, found)
        return np.asarray(found.sum(0))
    counts = np.zeros(cells, dtype=np.int64)
    for start in range(0, len(first), max(BLOCK, cells)):
        place, other = (
            each[start : start + max(BLOCK, cells)].astype(np.int64) - low
            for each, low in zip((first, second), lows, strict=True)
        )
        counts += np.bincount(place * sizes[1] + other, minlength=cells)
    return counts


def whole_numbers(numbers: Array) -> Array | None:
    """Return floats as the integers that they equal; None if one is nan, has decimals, or is 2**30 or more.

    Examples
    --------
    >>> whole_numbers(np.array([1.0, -0.0])).tolist(), whole_numbers(np.array([1.5]))
    ([1, 0], None)
    """
    compiled, found = kernel("whole_numbers"), np.empty(len(numbers), dtype=np.int32)
    if compiled is not None and numbers.dtype == np.float64:
        are_whole = np.empty(1, dtype=np.int64)
        compiled(len(numbers), np.ascontiguousarray(numbers), found, are_whole)
        return found if are_whole[0] else None
    for start in range(0, len(numbers), BLOCK):
        block = numbers[start : start + BLOCK]
        if not (np.abs(block) < MOST).all():
            return None
        found[start : start + BLOCK] = block
        if not (found[start : start + BLOCK] == block).all():
            return None
    return found

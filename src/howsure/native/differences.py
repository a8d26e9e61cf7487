"""Largest scaled differences of rows of draws, for each draw."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel, require_equal

BLOCK = 1024  # draws at once, so that those of all rows stay in the cache
CHANGES = {1: np.positive, 2: np.negative, 3: np.abs}


def largest_differences(values: Array, scale: Array, sides: Array, which: Array, into: Array) -> Array:
    """Return the largest scaled difference of some rows to the others for each draw; at least 0.

    Parameters
    ----------
    values : ndarray of float32 of shape (rows, draws)
        The draws.
    scale : ndarray of float32 of shape (rows, rows)
        Factor of each difference.
    sides : ndarray of uint8 of shape (rows, rows)
        The differences that count: 1 for ``values[i] - values[j]``, 2 for its negative, 3 for both, 0 for neither.
    which : ndarray of int of shape (some,)
        The rows i.
    into : ndarray of int of shape (some,)
        Row of the result for each of them.

    Returns
    -------
    ndarray of float32 of shape (max(into) + 1, draws)

    Examples
    --------
    >>> values = np.array([[1, 4], [3, 3], [9, 0]], dtype=np.float32)
    >>> sides, both = np.array([[0, 2, 0], [1, 0, 3], [0, 0, 0]], dtype=np.uint8), np.arange(2)
    >>> largest_differences(values, np.ones((3, 3), dtype=np.float32), sides, both, both).tolist()
    [[2.0, 0.0], [6.0, 3.0]]
    """
    rows, draws = values.shape
    require_equal("largest_differences", (rows, rows), scale.shape, sides.shape)
    require_equal("largest_differences", which.shape, into.shape)
    found = np.zeros((int(into.max(initial=-1)) + 1, draws), dtype=np.float32)
    compiled = kernel("largest_differences")
    if compiled is not None:
        places = (np.ascontiguousarray(each, dtype=np.int64) for each in (which, into))
        numbers = (np.ascontiguousarray(each, dtype=np.float32) for each in (values, scale))
        compiled(rows, draws, len(which), len(found), *places, *numbers, np.ascontiguousarray(sides, np.uint8), found)
        return found
    for start in range(0, draws, BLOCK):
        part, most = values[:, start : start + BLOCK], found[:, start : start + BLOCK]
        for row, place in zip(which, into, strict=True):
            for side, change in CHANGES.items():
                others = np.flatnonzero(sides[row] == side)
                apart = (part[row] - part[others]) * scale[row, others, None]
                np.maximum(most[place], change(apart).max(0, initial=0.0), out=most[place])
    return found

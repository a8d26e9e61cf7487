"""Moments by class in one pass over the cells, and sums of powers in one pass over the numbers."""

from __future__ import annotations

import ctypes

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel, require_equal

IN_CACHE = 2**15  # numbers that stay in the cache over several passes
MOST_POWERS = 32
RUN, LANES = 128, 4  # size of runs and lanes of sums of powers, so that both versions round equally


def class_moments(counts: Array, squares: Array, truth: Array, slopes: Array) -> Array:
    """Return sums over the non-empty cells of each class, ``(classes, 4)``.

    The sums are of ``c``, ``s``, ``s g²`` and ``s³ / c² · g⁴``, where c are counts, s squares and g slopes.

    Parameters
    ----------
    counts, squares : ndarray of shape (cells,)
        Sums of the weights and of their squares; for unweighted cases both are the counts.
    truth : ndarray of shape (cells,)
        Position of the true class of each cell.
    slopes : ndarray of shape (cells,)
        Coefficients of the linear form.

    Examples
    --------
    >>> counts, truth = np.array([2.0, 1.0, 0.0, 3.0]), np.array([0, 1, 0, 1])
    >>> class_moments(counts, counts, truth, np.array([1.0, 2.0, 9.0, 1.0])).tolist()
    [[2.0, 2.0, 2.0, 2.0], [4.0, 4.0, 7.0, 19.0]]
    """
    require_equal("class_moments", counts.shape, squares.shape, truth.shape, slopes.shape)
    classes = int(truth.max()) + 1
    compiled = kernel("class_moments")
    if compiled is not None:
        found = np.zeros((classes, 4))
        numbers = [np.ascontiguousarray(each, dtype=float) for each in (counts, squares, slopes)]
        compiled(len(truth), classes, np.ascontiguousarray(truth, dtype=np.int64), *numbers, found)
        return found
    filled = np.flatnonzero(counts)
    counts, squares, truth, slopes = (each[filled] for each in (counts, squares, truth, slopes))
    second = squares * slopes**2
    fourth = np.where(counts > 0, (squares / counts) ** 2 * second * slopes**2, 0.0)
    return np.stack([np.bincount(truth, each, classes) for each in (counts, squares, second, fourth)], -1)


def chance_sums(chance: Array, number: Array, most: int) -> Array:
    """Return the sums of ``n (1 - p)`` and of ``n p``, ``n p²`` … ``n p^most`` over chances p of n trials each.

    Parameters
    ----------
    chance, number : ndarray of shape (n,)
        Chances, and the number of trials or the weight of each; not necessarily contiguous. The numbers can be one
        broadcast number.
    most : int
        The highest power, at most `MOST_POWERS`.

    Examples
    --------
    >>> chance_sums(np.array([0.5, 0.25]), np.array([4.0, 1.0]), 2).tolist()
    [2.75, 2.25, 1.0625]
    """
    chance, number = np.asarray(chance, dtype=float), np.asarray(number, dtype=float)
    require_equal("chance_sums", chance.shape, number.shape)
    compiled, sums = kernel("chance_sums"), np.zeros(most + 1)
    if compiled is not None:
        if any(each.strides[0] % each.itemsize for each in (chance, number)):  # a field of a structured array
            chance, number = chance.copy(), number.copy()
        apart = (each.strides[0] // each.itemsize for each in (chance, number))
        starts = (ctypes.c_void_p(each.ctypes.data) for each in (chance, number))
        compiled(len(chance), most, *apart, *starts, sums)
        return sums
    for first in range(0, len(chance), IN_CACHE):
        base, weight = chance[first : first + IN_CACHE], number[first : first + IN_CACHE]
        products = np.zeros((-(-len(base) // RUN), RUN // LANES, LANES))
        own = products.reshape(-1)[: len(base)]
        np.multiply(weight, 1 - base, out=own)
        for order in range(most + 1):
            sums[order] = np.cumsum(np.append(sums[order], products.sum(1)))[-1]
            np.multiply(own if order else weight, base, out=own)
    return sums

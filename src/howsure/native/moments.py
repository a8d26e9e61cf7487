"""Moments by class in one pass over the cells, and sums of powers in one pass over the numbers."""

from __future__ import annotations

import ctypes

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel, require_equal

IN_CACHE = 2**15  # numbers that stay in the cache over several passes
BLOCK, LANES = 1024, 32  # block size of sums of powers, so that both versions round equally


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


def power_sums(numbers: Array, weights: Array, most: int) -> Array:
    """Return the weighted sums of numbers to the powers 1 … most.

    Parameters
    ----------
    numbers, weights : ndarray of shape (n,)
        Numbers and weights, not necessarily contiguous; the weights can be one broadcast weight.
    most : int
        The highest power.

    Examples
    --------
    >>> power_sums(np.array([0.5, 2.0]), np.array([4.0, 1.0]), 3).tolist()
    [4.0, 5.0, 8.5]
    """
    numbers, weights = np.asarray(numbers, dtype=float), np.asarray(weights, dtype=float)
    require_equal("power_sums", numbers.shape, weights.shape)
    compiled, sums = kernel("power_sums"), np.zeros(most)
    if compiled is not None:
        if any(each.strides[0] % each.itemsize for each in (numbers, weights)):  # a field of a structured array
            numbers, weights = numbers.copy(), weights.copy()
        apart = (each.strides[0] // each.itemsize for each in (numbers, weights))
        starts = (ctypes.c_void_p(each.ctypes.data) for each in (numbers, weights))
        compiled(len(numbers), most, *apart, *starts, sums)
        return sums
    for first in range(0, len(numbers), IN_CACHE):
        base = np.ascontiguousarray(numbers[first : first + IN_CACHE])
        power = np.zeros((-(-len(base) // BLOCK), BLOCK // LANES, LANES))
        own = power.reshape(-1)[: len(base)]
        np.multiply(weights[first : first + IN_CACHE], base, out=own)
        for order in range(most):
            sums[order] = np.cumsum(np.append(sums[order], power.sum(1)))[-1]
            own *= base
    return sums

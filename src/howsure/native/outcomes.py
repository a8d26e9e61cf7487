"""Margins, and true and false positives and negatives of each class, of one confusion table or of many that were drawn.

Outcomes are sums, never differences, so that the smallest weights are distinguished from zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel

MOST_CLASSES = 20  # size up to which the sums cost less than their overhead
MANY = 64  # number of tables from which the kernel is faster
PAIRWISE = 8  # number of values from which NumPy does not sum in order


def margins(cells: Array) -> tuple[Array, Array]:
    """Return the sums of rows and of columns, ``(..., K)``.

    Parameters
    ----------
    cells : ndarray of shape (..., K, K)
        Tables: rows are the true class.

    Examples
    --------
    >>> [each.tolist() for each in margins(np.array([[5, 1, 0], [2, 3, 1], [0, 0, 4]]))]
    [[6, 6, 4], [7, 4, 5]]
    """
    few = 2 < cells.shape[-1] < PAIRWISE
    compiled = kernel("margins") if _are_drawn(cells) or (few and _are_many(cells)) else None
    if compiled is None:
        return summed(cells, -1), summed(cells, -2)
    rows, columns = _by_draws(cells, compiled, 2)
    return rows, columns


def outcomes(cells: Array) -> tuple[Array, Array, Array, Array]:
    """Return true positives, false negatives, false positives and true negatives of each class, ``(..., K)``.

    Parameters
    ----------
    cells : ndarray of shape (..., K, K)
        Tables: rows are the true class.

    Examples
    --------
    >>> [each.tolist() for each in outcomes(np.array([[5.0, 1.0, 0.0], [2.0, 3.0, 1.0], [0.0, 0.0, 4.0]]))]
    [[5.0, 3.0, 4.0], [1.0, 3.0, 0.0], [2.0, 1.0, 1.0], [8.0, 9.0, 11.0]]
    """
    hits = np.diagonal(cells, axis1=-2, axis2=-1)
    if cells.shape[-1] == 2:
        misses = np.moveaxis(np.stack([cells[..., 0, 1], cells[..., 1, 0]]), 0, -1)
        return hits, misses, misses[..., ::-1], hits[..., ::-1]
    compiled = kernel("outcomes") if _are_many(cells) else None
    return (hits, *_by_products(cells)) if compiled is None else (hits, *_by_draws(cells, compiled, 3))


def summed(array: Array, axis: int) -> Array:
    """Return the sum over an axis, -1 or -2; two parts are added as views, which on many tables is much faster."""
    if array.shape[axis] != 2:
        return np.asarray(np.add.reduce(array, axis))
    first, second = (array[..., 0], array[..., 1]) if axis == -1 else (array[..., 0, :], array[..., 1, :])
    return np.asarray(first + second)


def _are_drawn(cells: Array) -> bool:
    if cells.ndim != 3 or len(cells) == 1 or cells.shape[-1] == 2 or cells.dtype != float:
        return False
    return bool(cells.transpose(1, 2, 0).flags.c_contiguous)  # draws of one cell are contiguous


def _are_many(cells: Array) -> bool:
    classes = cells.shape[-1]
    return classes <= MOST_CLASSES and cells.size >= MANY * classes**2 and cells.dtype == float


def _by_draws(cells: Array, compiled: Any, number: int) -> Array:
    """Return the results of a kernel, each ``(draws, classes)``."""
    *leading, classes, _ = cells.shape
    each = cells.reshape(-1, classes, classes)
    together = np.ascontiguousarray(each.transpose(1, 2, 0))  # draws of one cell
    found = np.empty((number, classes, len(each)))
    compiled(classes, len(each), together, found)
    return found.transpose(0, 2, 1).reshape(number, *leading, classes)


def _by_products(cells: Array) -> tuple[Array, Array, Array]:
    size = cells.shape[-1]
    rest = 1.0 - np.eye(size)
    others = (cells.reshape(-1, size) @ rest).reshape(cells.shape)  # of a row, all but one column
    alarms, rejections = (np.einsum("...ik,ik->...k", each, rest) for each in (cells, others))
    return np.diagonal(others, axis1=-2, axis2=-1), alarms, rejections

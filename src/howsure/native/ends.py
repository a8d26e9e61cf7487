"""Ends and totals of numbers in one pass, and in none if one number is repeated."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel

MANY = 2**14  # numbers, from which on one pass saves more than its call costs


def ends(numbers: Array) -> tuple[float, float]:
    """Return the smallest and the largest number; both are nan if a number is nan.

    Parameters
    ----------
    numbers : ndarray
        At least one number.

    Examples
    --------
    >>> ends(np.array([0.5, 0.2, 0.7]))
    (0.2, 0.7)
    """
    if is_repeated(numbers):
        numbers = numbers[:1]
    is_whole = numbers.size >= MANY and (numbers.flags.c_contiguous or numbers.flags.f_contiguous)
    compiled = kernel("ends") if is_whole and numbers.dtype == float else None
    if compiled is None:
        return float(numbers.min()), float(numbers.max())
    found = np.empty(2)
    compiled(numbers.size, numbers.ravel(order="K"), found)
    low, high = found.tolist()
    return low, high


def is_repeated(numbers: Array) -> bool:
    """Return whether a one-dimensional array is a single number in memory, repeated by `numpy.broadcast_to`.

    Examples
    --------
    >>> is_repeated(np.broadcast_to(1.0, 3)), is_repeated(np.ones(3))
    (True, False)
    """
    return numbers.strides == (0,) and bool(numbers.size)


def total(numbers: Array) -> float:
    """Return the sum of a one-dimensional array, at no cost for a repeated number.

    Examples
    --------
    >>> total(np.broadcast_to(2.0, 3))
    6.0
    """
    return float(numbers[0] * len(numbers)) if is_repeated(numbers) else float(numbers.sum())


def are_ones(numbers: Array) -> bool:
    """Return whether all numbers of a one-dimensional array are one, at no cost for a repeated number.

    Examples
    --------
    >>> are_ones(np.broadcast_to(1.0, 3)), are_ones(np.array([1.0, 2.0]))
    (True, False)
    """
    return bool(((numbers[:1] if is_repeated(numbers) else numbers) == 1).all())

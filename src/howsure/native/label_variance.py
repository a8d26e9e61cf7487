"""Variance of a sum over cases of two classes whose labels are unknown and whose chances are known."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.native.ends import is_repeated
from howsure.native.library import kernel, require_equal

BLOCK = 2**13  # kinds of cases at once: intermediate results stay in the cache


def label_variance(chance: Array, number: Array, slopes: Array) -> float:
    """Return the sum of ``n p (1 - p) (b - a)²`` over kinds of cases.

    Parameters
    ----------
    chance : ndarray of shape (m,)
        The probability p of the second class for each kind of cases.
    number : ndarray of shape (m,)
        Their number n; it can be one broadcast number.
    slopes : ndarray of shape (m, 2)
        Contributions a and b of a case of the first and of the second class.

    Examples
    --------
    >>> round(label_variance(np.array([0.5, 0.2]), np.array([4.0, 1.0]), np.array([[0.0, 1.0], [2.0, -3.0]])), 12)
    5.0
    """
    require_equal("label_variance", chance.shape, number.shape, slopes.shape[:1])
    compiled = kernel("label_variance")
    if compiled is None:
        total = 0.0
        for first in range(0, len(chance), BLOCK):
            own, block = chance[first : first + BLOCK], slopes[first : first + BLOCK]
            total += float(number[first : first + BLOCK] @ (own * (1 - own) * (block[:, 1] - block[:, 0]) ** 2))
        return total
    found, apart = np.empty(1), 0 if is_repeated(number) else 1
    chance, slopes = (np.ascontiguousarray(each, dtype=float) for each in (chance, slopes))
    number = np.ascontiguousarray(number if apart else number[:1], dtype=float)
    compiled(len(chance), apart, chance, number, slopes, found)
    return float(found[0])

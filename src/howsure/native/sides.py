"""Numbers in two parts: the unmarked ones first, then the ones that a mask marks."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel, require_equal


def by_side(numbers: Array, is_second: Array, least: float) -> tuple[Array, int]:
    """Return the numbers, those not marked first, each part in its order, and the number of those not marked.

    Parameters
    ----------
    numbers : ndarray of shape (n,)
        The numbers.
    is_second : ndarray of bool of shape (n,)
        The mask.
    least : float
        Numbers below it become 0.

    Examples
    --------
    >>> found, firsts = by_side(np.array([0.5, 0.2, 1e-40, 0.7]), np.array([True, False, False, True]), 1e-30)
    >>> found.tolist(), firsts
    ([0.2, 0.0, 0.5, 0.7], 2)
    """
    require_equal("sides", numbers.shape, is_second.shape)
    firsts = len(numbers) - int(np.count_nonzero(is_second))
    compiled = kernel("sides")
    if compiled is None:
        found = np.concatenate([numbers[np.flatnonzero(~is_second)], numbers[np.flatnonzero(is_second)]])
        return np.where(found < least, 0.0, found), firsts
    found = np.empty(len(numbers))
    numbers, is_second = np.ascontiguousarray(numbers, dtype=float), np.ascontiguousarray(is_second, dtype=bool)
    compiled(len(numbers), firsts, is_second, numbers, np.array([least]), found)
    return found, firsts

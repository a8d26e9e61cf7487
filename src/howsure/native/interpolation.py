"""Straight lines between points, at places in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.native.library import kernel, require_equal

Array = NDArray[Any]
FEW = 1_000  # places, of fewer of which NumPy finds the values before a kernel is called and has laid its grid


def interpolated(places: Array, known: Array, values: Array) -> NDArray[np.float64]:
    """Return values at some places, on straight lines between those that are known, and level beyond them.

    NumPy searches all known places for each that is asked for. The compiled kernel lays a grid over them first, whose
    cells hold one or none of them, which pays where many are asked for. Both give the same bits.

    Parameters
    ----------
    places : ndarray of shape (n,)
        Finite numbers.
    known : ndarray of shape (points,)
        Finite numbers that ascend.
    values : ndarray of shape (points,)
        The value at each.

    Examples
    --------
    >>> interpolated(np.array([3.0, 0.5, 9.0, -1.0]), np.array([0.0, 2.0, 4.0]), np.array([0.0, 1.0, 0.0])).tolist()
    [0.5, 0.25, 0.0, 0.0]
    """
    require_equal("interpolated", len(known), len(values))
    compiled = kernel("interpolated") if len(places) >= FEW else None
    if compiled is None:
        return np.asarray(np.interp(places, known, values))
    places, known, values = (np.ascontiguousarray(each, dtype=float) for each in (places, known, values))
    found = np.empty(len(places))
    compiled(len(places), len(known), places, known, values, found)
    return found

"""Linear interpolation at places in any order."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array, Floats
from howsure.native.library import kernel, require_equal

FEW = 1_000  # number of places below which NumPy is faster than the kernel with its grid


def interpolated(places: Array, known: Array, values: Array) -> Floats:
    """Return linearly interpolated values at some places; constant beyond the known places.

    NumPy searches all known places for each requested one. The compiled kernel first builds a grid whose cells contain
    at most one known place, which is faster for many requested places. Both give the same bits.

    Parameters
    ----------
    places : ndarray of shape (n,)
        Finite numbers.
    known : ndarray of shape (points,)
        Finite numbers in ascending order.
    values : ndarray of shape (points,)
        Value at each known place.

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

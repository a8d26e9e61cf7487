"""Isotonic regression of proportions for many tables at once."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array, Floats
from howsure.native.library import kernel, require_equal


def rising_shares(counts: Array) -> Floats:
    """Return the isotonic proportion of positive cases at each score, ``(…, S)``.

    Both versions pool adjacent violators like SciPy's function, and give the same bits.

    Parameters
    ----------
    counts : ndarray of shape (…, S, 2)
        Negative and positive cases, or weights, at ascending scores; scores without weight take the value of the one
        before (the first ones: of the one after). Each table has some score with weight.

    Examples
    --------
    >>> rising_shares(np.array([[3, 1], [1, 1], [2, 1], [0, 1]])).tolist()
    [0.25, 0.4, 0.4, 1.0]
    """
    counts = np.ascontiguousarray(counts, dtype=float)
    require_equal("rising_shares", counts.shape[-1], 2)
    shares = np.empty(counts.shape[:-1])
    compiled = kernel("rising_shares")
    if compiled is None:
        for index in np.ndindex(shares.shape[:-1]):
            shares[index] = _by_scipy(counts[index])
        return shares
    scores = counts.shape[-2]
    compiled(shares.size // scores, scores, counts, shares, np.empty(scores), np.empty(scores, dtype=np.int64))
    return shares


def _by_scipy(counts: Array) -> Array:
    from scipy import optimize

    mass = counts.sum(1)
    filled = np.flatnonzero(mass > 0)
    shares = optimize.isotonic_regression(counts[filled, 1] / mass[filled], weights=mass[filled]).x
    if len(filled) == len(counts):
        return np.asarray(shares)
    before = np.searchsorted(filled, np.arange(len(counts)), side="right") - 1
    return np.asarray(shares[np.maximum(before, 0)])

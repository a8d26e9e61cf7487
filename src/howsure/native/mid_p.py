"""Mid-p limits of many proportions, of counts that need not be whole."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel

MOST_TRIALS = 2**13  # beyond it the probability of one outcome loses digits
LEAST_COUNT = 0.5  # with fewer successes, or failures, the start is far from the limit
LEAST_TAIL = 1e-12


def mid_p_limits(successes: Array, trials: Array, tail: float, z: float) -> tuple[Array, Array] | None:
    """Return the mid-p limits of proportions; None for other counts or levels, or if nothing is compiled.

    The lower limit is the p at which the mean of ``P(X >= x)`` and ``P(X > x)`` is the tail. In the log odds of p it is
    found by Halley's method, as by `binomial_tail.mid_p_odds`. The ratio ``P(X >= x) / P(X = x)`` is a continued
    fraction, and ``P(X = x)`` follows from its logarithm by Stirling's series (Loader 2000). `binomial.mid_p` computes
    the same with NumPy and SciPy.

    Parameters
    ----------
    successes, trials : ndarray of shape (...)
        The counts.
    tail, z : float
        The probability in each tail, and the upper normal quantile for it.

    References
    ----------
    DLMF 8.17.22, the continued fraction of the incomplete beta function.

    Examples
    --------
    >>> limits = mid_p_limits(np.array([81.0]), np.array([263.0]), 0.025, 1.959964)
    >>> limits is None or [round(float(limit[0]), 4) for limit in limits] == [0.2544, 0.3658]
    True
    """
    compiled = kernel("mid_p")
    if compiled is None or not LEAST_TAIL < tail < 0.5 or not successes.size:
        return None
    x, n = np.array([successes, trials], dtype=float).reshape(2, -1)  # of one shape, and without gaps
    with np.errstate(invalid="ignore"):
        both = np.stack([x, n - x])
        if (n > MOST_TRIALS).any() or ((both > 0) & (both < LEAST_COUNT)).any():
            return None
    limits = np.empty((2, x.size))
    compiled(x.size, x, n, np.array([tail, z]), limits[0], limits[1])
    low, high = limits.reshape(2, *successes.shape)
    return np.asarray(low), np.asarray(high)

"""Upper tails of a few binomial distributions of integer counts, from the ratios of successive probabilities.

This avoids the incomplete beta function, whose import takes longer than a hundred of these intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from howsure.arrays import Array

MOST_COUNTS = 16  # above this number, or `MOST_TRIALS`, use the incomplete beta function
MOST_TRIALS = 2**14
SPREADS = 16  # number of largest standard deviations, √n / 2, beyond which probabilities are rounding errors
FEW = 64  # additional terms, for small n
_LOG_GAMMA = np.frompyfunc(math.lgamma, 1, 1)
ASYMPTOTIC = 16.0  # from here on Stirling's series is accurate to rounding


def are_small(successes: Array, trials: Array) -> bool:
    """Return whether the counts are few, integer and of small n."""
    if successes.size > MOST_COUNTS:
        return False
    whole = (successes == np.floor(successes)) & (trials == np.floor(trials))
    return bool((whole & (successes >= 0) & (successes <= trials) & (trials <= MOST_TRIALS)).all())


def tails_of(successes: Array, trials: Array, *, is_alone: bool = False) -> Callable[[Array], Array]:
    """Return ``P(X >= x)`` and ``P(X > x)``, shape ``(2, ...)``, as a function of the log odds of p.

    The result is nan if x is 0 or n: the limits then have closed forms.

    ``P(X >= x) = P(X = x) (1 + r₀ + r₀ r₁ + …)`` with ``r_j = (n - x - j) / (x + 1 + j) · p / (1 - p)``. The term
    ``log P(X = x)`` is computed from the deviance and Stirling's errors, which do not cancel (Loader 2000).

    Parameters
    ----------
    successes, trials : ndarray of shape (...)
        x and n: see `are_small`.
    is_alone : bool
        Whether the sum ends at P(X = x), as if no larger count were possible. This is also defined for counts that are
        not whole, as the difference of the incomplete beta functions that extend the two tails. Its relative error is
        about n times that of rounding.

    Examples
    --------
    >>> tails = tails_of(np.array(2.0), np.array(4.0))  # of 16 equally likely outcomes 11 and 5
    >>> (16 * tails(np.array(0.0))).round(12).tolist()
    [11.0, 5.0]
    """
    x, n, y = successes * 1.0, trials * 1.0, trials - successes * 1.0
    terms = np.arange(0.0 if is_alone else np.minimum(y, SPREADS * np.sqrt(n) / 2 + FEW).max(initial=0.0))
    with np.errstate(all="ignore"):
        ratios = np.maximum((y[..., None] - terms) / (x[..., None] + 1 + terms), 0.0)
        constant = _stirling_error(n) - _stirling_error(x) - _stirling_error(y) + np.log(n / (2 * math.pi * x * y)) / 2
        share, rest = np.log(x / n), np.log(y / n)

    def tails(odds: Array) -> Array:
        with np.errstate(all="ignore"):
            ratio = np.exp(odds)
            more = np.log1p(ratio)  # -log(1 - p)
            exactly = np.exp(constant - x * (share - odds + more) - y * (rest + more))
            beyond = np.multiply.accumulate(ratios * ratio[..., None], -1).sum(-1)
        return np.array([exactly * (1 + beyond), exactly * beyond])

    return tails


def _stirling_error(n: Array) -> Array:
    """Return ``log n! - log(√(2πn) (n/e)^n)``, elementwise."""
    large, square = np.maximum(n, ASYMPTOTIC), np.maximum(n, ASYMPTOTIC) ** 2
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / large
    found, few = np.asarray(series), np.asarray(n < ASYMPTOTIC)
    if few.any():
        m = np.maximum(np.asarray(n)[few], 0.0)
        found[few] = np.asarray(_LOG_GAMMA(m + 1), dtype=float) - (m + 0.5) * np.log(m) + m - math.log(2 * math.pi) / 2
    return found

"""Upper tails of a few binomial distributions of integer counts, from the ratios of successive probabilities.

This avoids the incomplete beta function, whose import takes longer than a hundred of these intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
MOST_COUNTS = 16  # above this number, or `MOST_TRIALS`, use the incomplete beta function
MOST_TRIALS = 2**14
SPREADS = 16  # number of largest standard deviations, √n / 2, beyond which probabilities are rounding errors
FEW = 64  # additional terms, for small n
ASYMPTOTIC = 16.0  # from here on Stirling's series is accurate to rounding


def are_small(successes: Array, trials: Array) -> bool:
    """Return whether the counts are few, integer and of small n."""
    if successes.size > MOST_COUNTS:
        return False
    whole = (successes == np.floor(successes)) & (trials == np.floor(trials))
    return bool((whole & (successes >= 0) & (successes <= trials) & (trials <= MOST_TRIALS)).all())


def tails_of(successes: Array, trials: Array) -> Callable[[Array], Array]:
    """Return ``P(X >= x)`` and ``P(X > x)``, shape ``(2, ...)``, as a function of the log odds of p.

    The result is nan if x is 0 or n: the limits then have closed forms.

    ``P(X >= x) = P(X = x) (1 + r₀ + r₀ r₁ + …)`` with ``r_j = (n - x - j) / (x + 1 + j) · p / (1 - p)``. The term
    ``log P(X = x)`` is computed from the deviance and Stirling's errors, which do not cancel (Loader 2000).

    Parameters
    ----------
    successes, trials : ndarray of shape (...)
        x and n: see `are_small`.

    Examples
    --------
    >>> tails = tails_of(np.array(2.0), np.array(4.0))  # of 16 equally likely outcomes 11 and 5
    >>> (16 * tails(np.array(0.0))).round(12).tolist()
    [11.0, 5.0]
    """
    each = [_tails_of_one(float(x), float(n)) for x, n in zip(successes.flat, trials.flat, strict=True)]

    def tails(odds: Array) -> Array:
        found = [of_one(float(at)) for of_one, at in zip(each, odds.flat, strict=True)]
        return np.reshape(np.transpose(found), (2, *odds.shape))

    return tails


def _tails_of_one(x: float, n: float) -> Callable[[float], tuple[float, float]]:
    if not 0 < x < n:
        return lambda _: (math.nan, math.nan)
    terms = np.arange(min(n - x, SPREADS * math.sqrt(n) / 2 + FEW))
    ratios = (n - x - terms) / (x + 1 + terms)
    constant = _stirling_error(n) - _stirling_error(x) - _stirling_error(n - x)
    constant += math.log(n / (2 * math.pi * x * (n - x))) / 2

    def tails(at: float) -> tuple[float, float]:
        more = math.log1p(math.exp(at))  # -log(1 - p)
        entropy = x * (math.log(x / n) - at + more) + (n - x) * (math.log((n - x) / n) + more)
        exactly = math.exp(constant - entropy)
        beyond = float(np.cumprod(ratios * math.exp(at)).sum())
        return exactly * (1 + beyond), exactly * beyond

    return tails


def _stirling_error(n: float) -> float:
    """Return ``log n! - log(√(2πn) (n/e)^n)``."""
    if n < ASYMPTOTIC:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - math.log(2 * math.pi) / 2
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n

"""The upper tail of one binomial distribution of whole counts, from the ratios of successive probabilities.

It needs no incomplete beta function, whose import takes longer than a hundred of these intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
MOST_TRIALS = 2**14  # beyond it the incomplete beta function is worth its import
SPREADS = 16  # standard deviations at the most, √n / 2, beyond which probabilities are rounding
FEW = 64  # more of them, for few trials
ASYMPTOTIC = 16.0  # from here on Stirling's series is exact to rounding


def is_small(successes: Array, trials: Array) -> bool:
    """Return whether it is one whole count of few trials, neither none nor all."""
    if successes.size != 1:
        return False
    x, n = float(successes.item()), float(trials.item())
    return x.is_integer() and n.is_integer() and 0 < x < n <= MOST_TRIALS


def tails_of(successes: Array, trials: Array) -> Callable[[Array], Array]:
    """Return ``P(X >= x)`` and ``P(X > x)``, ``(2, ...)``, as a function of the log odds of p below those of x.

    ``P(X >= x) = P(X = x) (1 + r₀ + r₀ r₁ + …)`` with ``r_j = (n - x - j) / (x + 1 + j) · p / (1 - p)``; and
    ``log P(X = x)`` is half the deviance and Stirling's errors, which do not cancel (Loader 2000).

    Parameters
    ----------
    successes, trials : ndarray of shape (...)
        x and n, in all one of each: see `is_small`.

    Examples
    --------
    >>> tails = tails_of(np.array(2.0), np.array(4.0))  # of 16 equally likely outcomes 11 and 5
    >>> (16 * tails(np.array(0.0))).round(12).tolist()
    [11.0, 5.0]
    """
    x, n = float(successes.item()), float(trials.item())
    terms = np.arange(min(n - x, SPREADS * math.sqrt(n) / 2 + FEW))
    ratios = (n - x - terms) / (x + 1 + terms)
    constant = _stirling_error(n) - _stirling_error(x) - _stirling_error(n - x)
    constant += math.log(n / (2 * math.pi * x * (n - x))) / 2

    def tails(odds: Array) -> Array:
        at = float(odds.item())
        more = math.log1p(math.exp(at))  # -log(1 - p)
        entropy = x * (math.log(x / n) - at + more) + (n - x) * (math.log((n - x) / n) + more)
        exactly = math.exp(constant - entropy)
        beyond = float(np.cumprod(ratios * math.exp(at)).sum())
        return exactly * np.reshape([1 + beyond, beyond], (2, *odds.shape))

    return tails


def _stirling_error(n: float) -> float:
    """Return ``log n! - log(√(2πn) (n/e)^n)``."""
    if n < ASYMPTOTIC:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - math.log(2 * math.pi) / 2
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n

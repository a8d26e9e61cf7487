"""The upper tails of a few binomial distributions of whole counts, from the ratios of successive probabilities.

It needs no incomplete beta function, whose import takes longer than a hundred of these intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
MOST_COUNTS = 16  # beyond them, and beyond so many trials, the incomplete beta function is worth its import
MOST_TRIALS = 2**14
SPREADS = 16  # standard deviations at the most, √n / 2, beyond which probabilities are rounding
FEW = 64  # more of them, for few trials
ASYMPTOTIC = 16.0  # from here on Stirling's series is exact to rounding


def are_small(successes: Array, trials: Array) -> bool:
    """Return whether these are few counts, whole ones of few trials."""
    if successes.size > MOST_COUNTS:
        return False
    whole = (successes == np.floor(successes)) & (trials == np.floor(trials))
    return bool((whole & (successes >= 0) & (successes <= trials) & (trials <= MOST_TRIALS)).all())


def tails_of(successes: Array, trials: Array) -> Callable[[Array], Array]:
    """Return ``P(X >= x)`` and ``P(X > x)``, ``(2, ...)``, as a function of the log odds of p below those of x.

    They are nan where no case, or every case, is a success: limits there have closed forms.

    ``P(X >= x) = P(X = x) (1 + r₀ + r₀ r₁ + …)`` with ``r_j = (n - x - j) / (x + 1 + j) · p / (1 - p)``; and
    ``log P(X = x)`` is half the deviance and Stirling's errors, which do not cancel (Loader 2000).

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

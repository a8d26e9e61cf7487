"""Tails of single binomial distributions, without the incomplete beta function.

Its import takes longer than a hundred mid-p intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.arrays import Array

MOST_COUNTS = 16  # above this number, or `MOST_TRIALS`, use the incomplete beta function
MOST_TRIALS = 2**14
MOST_STEPS, ENOUGH = 60, 1e-9  # of Halley's method; smallest step in the log odds
MOST_BENT = 0.5  # curvature beyond which a step is Newton's
NEGLIGIBLE = 1e-11  # error that the next step would remove
LEAST_START = 0.3  # of the successes, in the start
LEAST_TERM = 1e-17  # proportion of a sum that a term must exceed
_LOG_GAMMA = np.frompyfunc(math.lgamma, 1, 1)
ASYMPTOTIC = 16.0  # from here on Stirling's series is accurate to rounding


def are_small(successes: Array, trials: Array) -> bool:
    """Return whether the counts are few, integer and of small n."""
    if successes.size > MOST_COUNTS:
        return False
    whole = (successes == np.floor(successes)) & (trials == np.floor(trials))
    return bool((whole & (successes >= 0) & (successes <= trials) & (trials <= MOST_TRIALS)).all())


def halley_step(place: Any, beyond: Any, x: Any, n: Any, p: Any) -> tuple[Any, Any]:
    """Return Newton's step in the log odds to the root of a tail's logarithm, and the curvature there.

    Let f be the logarithm of ``(P(X >= x) + P(X > x)) / 2`` over the tail. The step is ``f / f'``, and the curvature
    ``b = f f'' / (2 f'**2)``. Halley's step is Newton's over ``1 - b``, and leaves an error of about b² steps.

    Parameters
    ----------
    place : float or ndarray
        f.
    beyond : float or ndarray
        ``P(X = x)`` over the mean of the two tails.
    x, n, p : float or ndarray
        Successes, trials and probability.
    """
    half = x / 2 + p * (n / 2 - x)
    slope = beyond * half
    bent = beyond * ((x - n * p) * half + p * (1 - p) * (n / 2 - x)) - slope**2
    return place / slope, place * bent / (2 * slope**2)


def mid_p_of_one(x: float, n: float, tail: float, z: float) -> tuple[float, float]:
    """Return the mid-p limits for one whole count; see `mid_p_odds`.

    Examples
    --------
    >>> [round(limit, 4) for limit in mid_p_of_one(81.0, 263.0, 0.025, 1.959964)]
    [0.2544, 0.3658]
    """
    if n == 0:
        return math.nan, math.nan
    agreed = math.log(2 * tail) / n  # where all cases agree, p**n / 2 is the tail
    low = high = 0.0
    if x > 0:
        low = math.exp(agreed) if x == n else 1 / (1 + math.exp(-mid_p_odds(x, n, tail, z)))
    if x < n:  # computed for failures, for which p has full relative precision
        high = -math.expm1(agreed) if x == 0 else 1 / (1 + math.exp(mid_p_odds(n - x, n, tail, z)))
    return min(low, x / n), max(high, x / n)


def mid_p_odds(x: float, n: float, tail: float, z: float) -> float:
    """Return the log odds of the p at which the mean of ``P(X >= x)`` and ``P(X > x)`` is the tail.

    ``P(X >= x) = P(X = x) (1 + r₀ + r₀ r₁ + …)`` with ``r_j = (n - x - j) / (x + 1 + j) · p / (1 - p)``. Halley's
    method starts from Wilson's limit, first p₀ and then that of ``x - (1 - 2 p₀) (z² - 1) / 6``, which removes the
    skewness of X (Cornish and Fisher).

    Parameters
    ----------
    x, n : float
        Whole numbers with 0 < x < n.
    tail, z : float
        The probability, below 1/2, and the upper normal quantile for it.

    Examples
    --------
    >>> odds = mid_p_odds(2.0, 4.0, 8 / 16, 0.0)  # of 16 equally likely outcomes 11 and 5
    >>> abs(round(odds, 12))
    0.0
    """
    y = n - x
    choices = math.lgamma(n + 1) - math.lgamma(x + 1) - math.lgamma(y + 1)
    odds, start, square = 0.0, x, z * z
    for _ in range(2):
        half = math.sqrt(square * (start * (n - start) / n + square / 4))
        odds = math.log((start + square / 2 - half) / (n - start + square / 2 + half))  # of Wilson's limit
        start = min(max(x - (2 / (1 + math.exp(odds)) - 1) * (square - 1) / 6, LEAST_START * x), (x + n) / 2)
    for _ in range(MOST_STEPS):
        ratio = math.exp(odds)
        term = whole = 1.0
        above, below = y, x + 1
        while above > 0 and term > LEAST_TERM * whole:
            term *= above / below * ratio
            whole += term
            above, below = above - 1, below + 1
        mean = whole - 0.5  # over P(X = x)
        place = choices + x * odds - n * math.log1p(ratio) + math.log(mean) - math.log(tail)
        newton, bend = halley_step(place, 1 / mean, x, n, ratio / (1 + ratio))
        step = newton / (1 - bend) if abs(bend) < MOST_BENT else newton
        odds -= step
        left = abs(step) * (bend**2 if abs(bend) < MOST_BENT else 1.0)
        if abs(step) <= ENOUGH or left <= NEGLIGIBLE:
            break
    return odds


def probabilities_of(successes: Array, trials: Array) -> Callable[[Array], Array]:
    """Return ``P(X = x)`` as a function of the log odds of p; nan if x is 0 or n.

    It is also defined for counts that are not whole, as the difference of the incomplete beta functions that extend
    ``P(X >= x)`` and ``P(X > x)``; its relative error is about n times that of rounding. The logarithm is computed from
    the deviance and Stirling's errors, which do not cancel (Loader 2000).

    Parameters
    ----------
    successes, trials : ndarray of shape (...)
        x and n.

    Examples
    --------
    >>> (16 * probabilities_of(np.array(2.0), np.array(4.0))(np.array(0.0))).round(12).tolist()
    6.0
    """
    x, n, y = successes * 1.0, trials * 1.0, trials - successes * 1.0
    with np.errstate(all="ignore"):
        constant = _stirling_error(n) - _stirling_error(x) - _stirling_error(y) + np.log(n / (2 * math.pi * x * y)) / 2
        share, rest = np.log(x / n), np.log(y / n)

    def probabilities(odds: Array) -> Array:
        with np.errstate(all="ignore"):
            more = np.log1p(np.exp(odds))  # -log(1 - p)
            return np.asarray(np.exp(constant - x * (share - odds + more) - y * (rest + more)))

    return probabilities


def _stirling_error(n: Array) -> Array:
    """Return ``log n! - log(√(2πn) (n/e)^n)``, elementwise."""
    large, square = np.maximum(n, ASYMPTOTIC), np.maximum(n, ASYMPTOTIC) ** 2
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / large
    found, few = np.asarray(series), np.asarray(n < ASYMPTOTIC)
    if few.any():
        m = np.maximum(np.asarray(n)[few], 0.0)
        found[few] = np.asarray(_LOG_GAMMA(m + 1), dtype=float) - (m + 0.5) * np.log(m) + m - math.log(2 * math.pi) / 2
    return found

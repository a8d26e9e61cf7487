"""Search for the limits of the exact two-sided binomial test, with the steps of statsmodels."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable

import numpy as np


def accepted_shares(successes: float, trials: float, rejected: float) -> tuple[float, float]:
    """Return the limits for one count; proportions with a p-value below ``rejected`` are rejected."""
    if math.isnan(successes) or not trials > 0:
        return np.nan, np.nan
    x, n = round(successes), round(trials)
    if not n:
        return 0.0, 1.0  # less than half a case carries no information
    if x > n // 2:
        low, high = accepted_shares(n - x, n, rejected)
        return 1 - high, 1 - low

    def excess(p: float) -> float:
        return _exact_p_value(x, n, p) - rejected

    return _crossing(excess, x / n, 0) if x else 0.0, _crossing(excess, x / n, 1)


def _crossing(excess: Callable[[float], float], share: float, end: int) -> float:
    """Return the proportion between the observed one and 0 or 1 at which the p-value crosses the level.

    If there are several crossings, the result depends on the search, so this function follows statsmodels: a bracket,
    then Brent's method. If that stops on the accepted side, bisection finds a proportion that is just rejected.
    """
    from scipy import optimize

    bound, step = share, 1 / 8 if end else 7 / 8
    for _ in range(9):
        bound += (end - bound) * step
        if excess(bound) <= 0:
            break
    else:
        bound = abs(end - 2.0**-52)
    limit = float(optimize.brentq(excess, min(bound, share), max(bound, share)))
    if excess(limit) <= 0:
        return limit
    outside = next((p for p in (limit + (bound - limit) / 2**k for k in range(10, 0, -1)) if excess(p) <= 0), bound)
    return _just_rejected(excess, share, outside)


def _just_rejected(excess: Callable[[float], float], inside: float, outside: float) -> float:
    """Return the rejected proportion, among those that bisection visits, whose p-value is closest to the level."""
    limit, best = outside, excess(outside)
    for _ in range(28):  # as in statsmodels
        middle = (inside + outside) / 2
        value = excess(middle)
        inside, outside = (middle, outside) if value > 0 else (inside, middle)
        if best < value < 0:
            limit, best = middle, value
    return limit


def _exact_p_value(x: int, n: int, p: float) -> float:
    """Return the probability of the outcomes no more likely than x; a ratio within 1e-7 is a tie, as in SciPy and R."""
    from scipy import special

    if x == n * p:
        return 1.0
    if x < n * p:
        x, p = n - x, 1 - p
    log_odds = math.log(p) - math.log1p(-p)

    def log_mass(count: int) -> float:
        return count * log_odds - math.lgamma(count + 1) - math.lgamma(n - count + 1)

    below = bisect.bisect_right(range(math.floor(n * p) + 1), log_mass(x) + math.log1p(1e-7), key=log_mass)
    far = float(special.betaincc(below, n - below + 1, p)) if below else 0.0
    return min(1.0, float(special.betainc(x, n - x + 1, p)) + far)

"""Intervals for a binomial proportion, vectorised over successes and trials.

Counts need not be whole: weighted and clustered data come in as effective counts. No trials give nan.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
Limits = tuple[Array, Array]
BISECTIONS = 200  # the interval is halved until floating point has no number in between; far fewer suffice


def wilson(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Score interval of Wilson (1927): the p with ``(p̂ - p)**2 <= z**2 p (1 - p) / n``.

    Examples
    --------
    >>> low, high = wilson(81, 263, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2553, 0.3662)
    """
    x, n, z = _prepared(successes, trials, confidence_level)
    with np.errstate(all="ignore"):
        p, square = x / n, z * z / n
        middle = (p + square / 2) / (1 + square)
        half = np.sqrt(square * (p * (1 - p) + square / 4)) / (1 + square)
    return _ends(middle - half, middle + half, x, n)


def wilson_cc(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Score interval with continuity correction (Newcombe 1998, method 4): Wilson's for half a case fewer and more."""
    x, n, _ = _prepared(successes, trials, confidence_level)
    low, _ = wilson(np.maximum(x - 0.5, 0), n, confidence_level)
    _, high = wilson(np.minimum(x + 0.5, n), n, confidence_level)
    return _ends(low, high, x, n)


def clopper_pearson(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Exact interval of Clopper and Pearson (1934): beta quantiles."""
    from scipy import special

    x, n, _ = _prepared(successes, trials, confidence_level)
    tail = (1 - confidence_level) / 2
    with np.errstate(all="ignore"):
        low = special.betaincinv(x, n - x + 1, tail)
        high = special.betainccinv(x + 1, n - x, tail)
    return _ends(low, high, x, n)


def mid_p(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Exact interval with half the probability of the observed count in each tail.

    The lower limit solves ``(P(X >= x) + P(X > x)) / 2 = tail``, the upper one its mirror image.
    """
    from scipy import special

    x, n, _ = _prepared(successes, trials, confidence_level)
    tail = (1 - confidence_level) / 2

    def at_least(p: Array, count: Array) -> Array:
        """``P(X >= count)``, continued to counts that are not whole."""
        inside = special.betainc(np.where(count > 0, count, 1), np.maximum(n - count + 1, 1e-300), p)
        return np.where(count <= 0, 1.0, np.where(count >= n + 1, 0.0, inside))

    def upper_tail(p: Array) -> Array:
        return (at_least(p, x) + at_least(p, x + 1)) / 2

    low = _bisected(lambda p: upper_tail(p) < tail, np.zeros(x.shape), _share(x, n))
    high = _bisected(lambda p: upper_tail(p) < 1 - tail, _share(x, n), np.ones(x.shape))
    return _ends(low, high, x, n)


def agresti_coull(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Wald's interval around Wilson's centre (Agresti and Coull 1998), cut at 0 and 1."""
    x, n, z = _prepared(successes, trials, confidence_level)
    with np.errstate(all="ignore"):
        more = n + z * z
        p = (x + z * z / 2) / more
        half = z * np.sqrt(p * (1 - p) / more)
    return _where_tried(np.clip(p - half, 0, 1), np.clip(p + half, 0, 1), n)


def jeffreys(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Equal-tailed posterior interval under Beta(1/2, 1/2)."""
    from scipy import special

    x, n, _ = _prepared(successes, trials, confidence_level)
    tail = (1 - confidence_level) / 2
    low = special.betaincinv(x + 0.5, n - x + 0.5, tail)
    high = special.betainccinv(x + 0.5, n - x + 0.5, tail)
    return _where_tried(low, high, n)


def wald(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """``p̂ ± z sqrt(p̂ (1 - p̂) / n)``: may leave [0, 1], and is a point at 0 and n successes."""
    x, n, z = _prepared(successes, trials, confidence_level)
    with np.errstate(all="ignore"):
        p = x / n
        half = z * np.sqrt(p * (1 - p) / n)
    return _where_tried(p - half, p + half, n)


def logit(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the normal interval of the log odds, with half a case added to each side at 0 and n successes."""
    x, n, z = _prepared(successes, trials, confidence_level)
    edge = np.where((x == 0) | (x == n), 0.5, 0.0)
    hits, misses = x + edge, n - x + edge
    with np.errstate(all="ignore"):
        odds, half = np.log(hits / misses), z * np.sqrt(1 / hits + 1 / misses)
        low, high = (1 / (1 + np.exp(-limit)) for limit in (odds - half, odds + half))
    return _ends(low, high, x, n)


def arcsine(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the normal interval of ``arcsin(sqrt(p))``, with Anscombe's (1948) ``p = (x + 3/8) / (n + 3/4)``."""
    x, n, z = _prepared(successes, trials, confidence_level)
    with np.errstate(all="ignore"):
        angle, half = np.arcsin(np.sqrt((x + 0.375) / (n + 0.75))), z / (2 * np.sqrt(n))
    low = np.sin(np.clip(angle - half, 0, np.pi / 2)) ** 2
    high = np.sin(np.clip(angle + half, 0, np.pi / 2)) ** 2
    return _ends(low, high, x, n)


def likelihood_ratio(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the p whose deviance from ``p̂`` is at most ``z**2``."""
    from scipy import special

    x, n, z = _prepared(successes, trials, confidence_level)
    best = special.xlogy(x, _share(x, n)) + special.xlogy(n - x, 1 - _share(x, n))

    def is_far(p: Array) -> Array:
        return np.asarray(2 * (best - special.xlogy(x, p) - special.xlog1py(n - x, -p)) > z * z)

    low = _bisected(is_far, np.zeros(x.shape), _share(x, n))
    high = _bisected(lambda p: ~is_far(p), _share(x, n), np.ones(x.shape))
    return _ends(low, high, x, n)


def binom_test(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the shares that the two-sided exact test (by likelihood of the outcomes) does not reject.

    Counts are rounded to whole ones. The p-value jumps as the share moves, and may cross the level more than once;
    the limits are crossings that Brent's method finds.
    """
    x, n, _ = _prepared(successes, trials, confidence_level)
    limits = [_binom_test_one(float(a), float(b), 1 - confidence_level) for a, b in zip(x.flat, n.flat, strict=True)]
    low, high = np.array(limits).reshape(*x.shape, 2).T.reshape(2, *x.shape[::-1])
    return _ends(low.T, high.T, x, n)


def _binom_test_one(successes: float, trials: float, alpha: float) -> tuple[float, float]:
    from scipy import optimize, special

    x, n = round(successes), round(trials)
    if not n:
        return np.nan, np.nan
    counts = np.arange(n + 1)
    log_choose = special.gammaln(n + 1) - special.gammaln(counts + 1) - special.gammaln(n - counts + 1)

    def excess(p: float) -> float:
        mass = np.exp(log_choose + special.xlogy(counts, p) + special.xlog1py(n - counts, -p))
        return float(mass[mass <= mass[x] * (1 + 1e-7)].sum()) - alpha

    low = optimize.brentq(excess, 1e-300, x / n, xtol=1e-14) if x else 0.0
    high = optimize.brentq(excess, x / n, 1 - 2**-53, xtol=1e-14) if x < n else 1.0
    return low, high


def _bisected(is_left: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Return where a condition that holds on the left stops holding, between two ends."""
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        left = is_left(middle)
        low, high = np.where(left, middle, low), np.where(left, high, middle)
        if ((high - low) <= 2**-53 * np.maximum(high, 2**-1000)).all():
            break
    return np.asarray((low + high) / 2)


def _prepared(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> tuple[Array, Array, float]:
    from scipy import special

    x, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(trials, dtype=float))
    return x, n, float(special.ndtri((1 + confidence_level) / 2))


def _share(x: Array, n: Array) -> Array:
    return np.asarray(np.divide(x, n, out=np.full(x.shape, 0.5), where=n > 0))


def _ends(low: Array, high: Array, x: Array, n: Array) -> Limits:
    """Close the interval at 0 and 1 where no case, or every case, is a success; keep the observed share inside."""
    share = _share(x, n)
    low = np.where(x <= 0, 0.0, np.clip(low, 0, share))
    high = np.where(x >= n, 1.0, np.clip(high, share, 1))
    return _where_tried(low, high, n)


def _where_tried(low: Array, high: Array, n: Array) -> Limits:
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)

"""Intervals for a binomial proportion, vectorised over successes and trials.

Each function takes ``successes`` and ``trials``, which broadcast, and a ``confidence_level`` in (0, 1), and returns
the lower and upper limits as arrays. Counts need not be whole: weighted and clustered data use effective counts.
Without trials the limits are nan. Limits stay in [0, 1] and, except for `wald`, are never equal. Except for `wald` and
`jeffreys`, the interval reaches 0 if there are no successes and 1 if every trial is a success.

In the formulas, x is the number of successes, n the number of trials, ``p̂ = x / n``, and z the normal quantile of the
confidence level (1.96 for 95 %).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.methods.numerics.binomial_search import accepted_shares
from howsure.methods.numerics.binomial_tail import (
    ENOUGH,
    LEAST_START,
    MOST_BENT,
    MOST_STEPS,
    NEGLIGIBLE,
    are_small,
    halley_step,
    mid_p_of_one,
    probabilities_of,
)
from howsure.methods.numerics.bisection import root
from howsure.methods.numerics.confidence_levels import tail_of
from howsure.native.mid_p import mid_p_limits

MANY_COUNTS = 64  # above this number, look for equal counts
MOST_EXACT = 2**13  # trials from which on the probability of one outcome is the difference of two tails
LEAST_SHARE = 1e-3
MOST_OUTCOMES = 1e12  # beyond this, floating-point numbers do not resolve the probabilities of single outcomes
Limits = tuple[Array, Array]


def wilson(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the score interval: all p with ``(p̂ - p)**2 <= z**2 p (1 - p) / n``.

    ``(p̂ + z**2/2n ± z sqrt(p̂ (1 - p̂)/n + z**2/4n**2)) / (1 + z**2/n)``.
    Source: Wilson (1927), JASA 22, 209.

    Examples
    --------
    >>> low, high = wilson(81, 263, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2553, 0.3662)
    """
    x, n, tail = _prepared(successes, trials, confidence_level)
    with np.errstate(all="ignore"):
        p, q, square = x / n, (n - x) / n, _normal(tail) ** 2 / n
        middle = (p + square / 2) / (1 + square)
        half = np.sqrt(square * (p * q + square / 4)) / (1 + square)
    return _ends(middle - half, middle + half, x, n)


def wilson_cc(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the score interval with continuity correction: Wilson's limits for x - 1/2 and x + 1/2.

    It contains all p with ``|p̂ - p| - 1/2n <= z sqrt(p (1 - p) / n)``.
    Source: Newcombe (1998), Statistics in Medicine 17, 857, method 4.

    Examples
    --------
    >>> low, high = wilson_cc(81, 263, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2535, 0.3682)
    """
    x, n, _ = _prepared(successes, trials, confidence_level)
    low, _ = wilson(np.maximum(x - 0.5, 0), n, confidence_level)
    _, high = wilson(np.minimum(x + 0.5, n), n, confidence_level)
    return _ends(low, high, x, n)


def clopper_pearson(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the exact interval: its coverage is at least the confidence level for every proportion.

    The limits solve ``P(X >= x) = tail`` and ``P(X <= x) = tail`` with ``tail = (1 - level) / 2``. They are quantiles
    of Beta(x, n - x + 1) and Beta(x + 1, n - x).
    Source: Clopper and Pearson (1934), Biometrika 26, 404.

    Examples
    --------
    >>> low, high = clopper_pearson(81, 263, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2527, 0.3676)
    """
    from scipy import special

    x, n, tail = _prepared(successes, trials, confidence_level)
    low = special.betaincinv(x, n - x + 1, tail)
    high = special.betainccinv(x + 1, n - x, tail)
    return _ends(low, high, x, n)


def mid_p(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the mid-p interval: exact, with half the probability of x in each tail; shorter, nominal on average.

    The lower limit solves ``(P(X >= x) + P(X > x)) / 2 = tail``, the upper one ``(P(X <= x) + P(X < x)) / 2 = tail``,
    with ``tail = (1 - level) / 2``. The incomplete beta function extends both to counts that are not whole.
    Source: Lancaster (1961), JASA 56, 223; Newcombe (1998), method 6.

    Examples
    --------
    >>> low, high = mid_p(81, 263, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2544, 0.3658)
    """
    x, n, tail = _prepared(successes, trials, confidence_level)
    if x.size <= MANY_COUNTS and (found := mid_p_limits(x, n, tail, _normal(tail))) is not None:
        return found
    if are_small(x, n):
        each = zip(x.ravel().tolist(), n.ravel().tolist(), strict=True)
        low, high = np.array([mid_p_of_one(*pair, tail, _normal(tail)) for pair in each]).T.reshape(2, *x.shape)
        return low, high
    if x.size > MANY_COUNTS:  # with many classes or groups, few counts are distinct
        pairs, places = np.unique(x + 1j * n, return_inverse=True)
        if 2 * pairs.size < x.size:
            low, high = mid_p(pairs.real, pairs.imag, confidence_level)
            return low[places].reshape(x.shape), high[places].reshape(x.shape)
        if (found := mid_p_limits(x, n, tail, _normal(tail))) is not None:
            return found

    # The upper limit is computed for failures, for which p has full relative precision.
    low, high = _mid_p_odds(np.stack([x, n - x]), n, tail)
    # Where all cases agree, p**n / 2 is the tail.
    with np.errstate(all="ignore"):
        logarithm = np.log(2 * tail) / n
        low = np.where(x >= n, np.exp(logarithm), _expit(low))
        high = np.where(x <= 0, -np.expm1(logarithm), _expit(-high))
    return _ends(low, high, x, n)


def agresti_coull(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return Wald's interval after adding ``z**2/2`` successes and as many failures, clipped to [0, 1].

    ``p̃ ± z sqrt(p̃ (1 - p̃) / ñ)`` with ``ñ = n + z**2`` and ``p̃ = (x + z**2/2) / ñ``. It contains Wilson's interval.
    Source: Agresti and Coull (1998), The American Statistician 52, 119.

    Examples
    --------
    >>> low, high = agresti_coull(81, 263, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2552, 0.3663)
    """
    x, n, tail = _prepared(successes, trials, confidence_level)
    z = _normal(tail)
    with np.errstate(all="ignore"):
        more = n + z * z
        p = (x + z * z / 2) / more
        half = z * np.sqrt(p * (1 - p) / more)
    return _where_tried(np.clip(p - half, 0, 1), np.clip(p + half, 0, 1), n)


def jeffreys(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the equal-tailed posterior interval under Jeffreys' prior: quantiles of Beta(x + 1/2, n - x + 1/2).

    The limits are those of statsmodels. Brown, Cai and DasGupta (2001) move them to 0 and 1 if x is 0 or n. Here they
    are not moved, so that the interval does not contain an observed proportion of 0 or 1.
    Source: Brown, Cai and DasGupta (2001), Statistical Science 16, 101.

    Examples
    --------
    >>> low, high = jeffreys(81, 263, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2545, 0.3656)
    """
    from scipy import special

    x, n, tail = _prepared(successes, trials, confidence_level)
    low = special.betaincinv(x + 0.5, n - x + 0.5, tail)
    high = special.betainccinv(x + 0.5, n - x + 0.5, tail)
    return _where_tried(low, high, n)


def wald(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the plain normal interval, ``p̂ ± z sqrt(p̂ (1 - p̂) / n)``, for comparison with other reports.

    It is cut at 0 and 1, is a point if x is 0 or n, and covers too rarely: the `normal` method of statsmodels.
    Source: Laplace (1812); Brown, Cai and DasGupta (2001) on its faults.

    Examples
    --------
    >>> low, high = wald(1, 29, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0, 0.1009)
    """
    x, n, tail = _prepared(successes, trials, confidence_level)
    with np.errstate(all="ignore"):
        p, q = x / n, (n - x) / n
        half = _normal(tail) * np.sqrt(p * q / n)
    return _where_tried(np.clip(p - half, 0, 1), np.clip(p + half, 0, 1), n)


def logit(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the normal interval of the log odds.

    ``log(x / (n - x)) ± z sqrt(1/x + 1/(n - x))``, transformed back to proportions. If x is 0 or n, half a case is
    added to each side (Haldane 1956, Anscombe 1956), and the interval reaches 0 or 1.
    Source: Brown, Cai and DasGupta (2001), section 4.1.3.

    Examples
    --------
    >>> low, high = logit(81, 263, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2551, 0.3664)
    """
    from scipy import special

    x, n, tail = _prepared(successes, trials, confidence_level)
    edge = np.where((x <= 0) | (x >= n), 0.5, 0.0)
    hits, misses = x + edge, n - x + edge
    with np.errstate(all="ignore"):
        odds, half = np.log(hits / misses), _normal(tail) * np.sqrt(1 / hits + 1 / misses)
    return _ends(special.expit(odds - half), special.expit(odds + half), x, n)


def arcsine(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the normal interval of ``arcsin(sqrt(p))``, whose variance hardly depends on p.

    ``sin(arcsin(sqrt(p̃)) ± z / (2 sqrt(n)))**2`` with Anscombe's ``p̃ = (x + 3/8) / (n + 3/4)``; the angles are clipped
    to [0, π/2]. This is not the variant of Freeman and Tukey (1950), which averages two angles.
    Source: Anscombe (1948), Biometrika 35, 246; Brown, Cai and DasGupta (2001), section 4.1.2.

    Examples
    --------
    >>> low, high = arcsine(81, 263, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2542, 0.3656)
    """
    x, n, tail = _prepared(successes, trials, confidence_level)
    with np.errstate(all="ignore"):
        angle, half = np.arcsin(np.sqrt((x + 0.375) / (n + 0.75))), _normal(tail) / (2 * np.sqrt(n))
    low = np.sin(np.clip(angle - half, 0, np.pi / 2)) ** 2
    high = np.sin(np.clip(angle + half, 0, np.pi / 2)) ** 2
    return _ends(low, high, x, n)


def likelihood_ratio(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the interval of all p whose deviance from ``p̂`` is at most ``z**2``.

    ``2 (x log(p̂ / p) + (n - x) log((1 - p̂) / (1 - p))) <= z**2``, the chi-squared quantile with one degree of freedom.
    Source: Newcombe (1998), method 8.

    Examples
    --------
    >>> low, high = likelihood_ratio(81, 263, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2542, 0.3655)
    """
    x, n, tail = _prepared(successes, trials, confidence_level)
    z = _normal(tail)
    low = root(lambda p: np.sqrt(_deviance(x, n, p)) - z, np.zeros(x.shape), _share(x, n))
    high = root(lambda p: z - np.sqrt(_deviance(x, n, p)), _share(x, n), np.ones(x.shape))
    return _ends(low, high, x, n)


def binom_test(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> Limits:
    """Return the proportions that the exact two-sided test (by likelihood of the outcomes) does not reject.

    Counts are rounded to integers. The p-value is discontinuous in p and may cross the level more than once; the limits
    are the crossings that statsmodels' search finds, to its tolerance of about 1e-9. The test may accept some
    proportions beyond them, so coverage can be slightly below nominal: 94.8 % at the worst proportion for n = 50 and a
    level of 95 %. The coverage of `clopper_pearson` is never below nominal.
    Source: Sterne (1954), Biometrika 41, 275.

    Examples
    --------
    >>> low, high = binom_test(3, 10, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0873, 0.6194)
    """
    x, n, _ = _prepared(successes, trials, confidence_level)
    # Beyond so many outcomes their probabilities are rounding errors, and the test is Clopper and Pearson's.
    if n.size and np.nanmax(n) > MOST_OUTCOMES:
        return clopper_pearson(successes, trials, confidence_level)
    limits = [accepted_shares(float(a), float(b), 1 - confidence_level) for a, b in zip(x.flat, n.flat, strict=True)]
    low, high = np.array(limits).reshape(-1, 2).T
    return _ends(low.reshape(x.shape), high.reshape(x.shape), x, n)


BINOMIAL: dict[str, Callable[[ArrayLike, ArrayLike, float], Limits]] = {
    function.__name__: function
    for function in (
        wilson,
        wilson_cc,
        clopper_pearson,
        mid_p,
        agresti_coull,
        jeffreys,
        wald,
        logit,
        arcsine,
        likelihood_ratio,
        binom_test,
    )
}


def jeffreys_or_mid_p(share: Array, trials: Array, confidence_level: float) -> tuple[Array, Array]:
    """Return Jeffreys' limits; mid-p limits for proportions of 0 and 1, and [0, 1] if there are no trials.

    Examples
    --------
    >>> low, high = jeffreys_or_mid_p(np.array([0.5, 1.0, 0.0]), np.array([10.0, 10.0, 0.0]), 0.95)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.224, 0.741, 0.0], [0.776, 1.0, 1.0])
    """
    every = (share <= 0) | (share >= 1)
    low, high = jeffreys(share * trials, trials, confidence_level)
    if every.any():
        exact = mid_p((share * trials)[every], trials[every], confidence_level)
        low[every], high[every] = exact
    some = trials > 0
    return np.where(some, np.minimum(low, share), 0.0), np.where(some, np.maximum(high, share), 1.0)


def _mid_p_odds(x: Array, n: Array, tail: float) -> Array:
    """Return the log odds of the p at which the mean of ``P(X >= x)`` and ``P(X > x)`` is the tail, by Halley's method.

    It starts and ends as `mid_p_odds`, which is for one whole count.
    """
    square, tails = _normal(tail) ** 2, _tails(x[0], n)
    with np.errstate(all="ignore"):
        start = x
        for _ in range(2):
            half = np.sqrt(square * (start * (n - start) / n + square / 4))
            odds = np.log(start + square / 2 - half) - np.log(n - start + square / 2 + half)  # of Wilson's limit
            start = np.clip(x - (1 - 2 * _expit(odds)) * (square - 1) / 6, LEAST_START * x, (x + n) / 2)
        odds = np.where(np.isfinite(odds), odds, -np.log1p(n))
        for _ in range(MOST_STEPS):
            least, more = tails(odds)
            mean = (least + more) / 2
            newton, bend = halley_step(np.log(mean / tail), (least - more) / mean, x, n, _expit(odds))
            bend = np.where(np.abs(bend) < MOST_BENT, bend, 0.0)
            step = newton / (1 - bend)
            step = np.where(np.isfinite(step) & (x > 0), step, 0.0)  # without successes there is no root
            odds = odds - step
            left = np.abs(step) * np.where(bend == 0, 1.0, bend**2)
            if not ((np.abs(step) > ENOUGH) & (left > NEGLIGIBLE)).any():
                break
    return np.asarray(odds)


def _tails(x: Array, n: Array) -> Callable[[Array], Array]:
    """Return a function from log odds to P(≥ x) and P(> x), for successes and for failures."""
    if x.size and np.nanmax(n) > MOST_EXACT:
        at_least, below = _at_least(np.stack([x, x + 1]), n), _below(np.stack([x + 1, x]), n)
        return lambda odds: np.stack([at_least(_expit(odds[0])), below(_expit(-odds[1]))], 1)
    upper, lower = _at_least(x, n), _below(x + 1, n)
    exactly = probabilities_of(np.stack([x, n - x]), np.stack([n, n]))

    def tails(odds: Array) -> Array:
        least = np.stack([upper(_expit(odds[0])), lower(_expit(-odds[1]))])
        return np.stack([least, least - exactly(odds)])

    return tails


def _expit(odds: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-odds)))  # which may overflow: callers ignore that


def _at_least(counts: Array, n: Array) -> Callable[[Array], Array]:
    """Return ``P(X >= count)`` of each count as a function of p, extended to counts that are not whole."""
    from scipy import special

    inside = (counts > 0) & (counts < n + 1)
    a, b = np.where(inside, counts, 1), np.where(inside, n - counts + 1, 1)
    outside = np.where(counts <= 0, 1.0, 0.0)
    return lambda p: np.where(inside, special.betainc(a, b, p), outside)


def _below(counts: Array, n: Array) -> Callable[[Array], Array]:
    """Return ``P(X < count)`` of each count as a function of p, to full relative precision where it is small."""
    from scipy import special

    inside = (counts > 0) & (counts < n + 1)
    a, b = np.where(inside, counts, 1), np.where(inside, n - counts + 1, 1)
    outside = np.where(counts <= 0, 0.0, 1.0)

    def of(p: Array) -> Array:
        plain = p > LEAST_SHARE  # for these 1 - p is accurate enough; SciPy's complement takes ten times as long
        mass = special.betainc(b, a, 1 - p)
        if not plain.all():
            mass = np.where(plain, mass, special.betaincc(a, b, np.where(plain, 0.5, p)))
        return np.where(inside, mass, outside)

    return of


def _deviance(x: Array, n: Array, p: Array) -> Array:
    """Return the deviance of p from the observed proportion, as a sum of two terms that do not cancel."""
    with np.errstate(all="ignore"):
        gap = x / n - p
        return np.asarray(2 * n * (p * _excess_entropy(gap / p) + (1 - p) * _excess_entropy(-gap / (1 - p))))


def _excess_entropy(u: Array) -> Array:
    """Return ``(1 + u) log(1 + u) - u``; by its series for small u, where the difference would cancel (Loader 2000)."""
    from scipy import special

    series = u * u * np.polynomial.polynomial.polyval(u, [(-1) ** k / (k * (k - 1)) for k in range(2, 12)])
    return np.where(np.abs(u) < 0.01, series, special.xlog1py(1 + u, u) - u)


def _prepared(successes: ArrayLike, trials: ArrayLike, confidence_level: float) -> tuple[Array, Array, float]:
    """Return successes and trials, broadcast, and the probability in each tail."""
    x, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(trials, dtype=float))
    return x, n, tail_of(confidence_level) / 2


def _normal(tail: float) -> float:
    """Return the upper normal quantile for a tail probability."""
    return -NormalDist().inv_cdf(tail) if tail > 0 else math.inf


def _share(x: Array, n: Array) -> Array:
    return np.asarray(np.divide(x, n, out=np.full(x.shape, 0.5), where=n > 0))


def _ends(low: Array, high: Array, x: Array, n: Array) -> Limits:
    """Extend the interval to 0 if x is 0, to 1 if x is n, and make it contain the observed proportion."""
    share = _share(x, n)
    low = np.where(x <= 0, 0.0, np.minimum(np.maximum(low, 0), share))
    high = np.where(x >= n, 1.0, np.minimum(np.maximum(high, share), 1))
    return _where_tried(low, high, n)


def _where_tried(low: Array, high: Array, n: Array) -> Limits:
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)

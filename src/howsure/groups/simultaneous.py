"""Simultaneous intervals and stepdown p-values of differences between estimates, recovered from their own intervals.

Each estimate has an interval at any level. The interval at the half-width z, in standard errors, is that of the level
2Φ(z) − 1. The limits of a difference follow from the limits of its two estimates (MOVER), at the same z. One critical z
for all differences is a quantile of the largest of many correlated normal variables (max-t).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs.base import safe_divide
from howsure.methods.core.standard_errors import normal_quantile
from howsure.methods.numerics.confidence_levels import Level, share_beyond

DRAWS = 20_000
USUAL = 1.96  # half-width at which standard errors are read off the intervals
FARTHEST = 8.0  # largest statistic that is resolved
HALF_WIDTHS = np.geomspace(0.1, FARTHEST, 12)
NOISE = 1e-9  # a variance of a difference, relative to those of its two estimates, that is rounding


def level_at(half_width: float) -> Level:
    """Return the level of an interval that reaches this many standard errors, if its estimate is normal."""
    return Level(float(share_beyond(half_width)))


@dataclass(frozen=True, eq=False)
class Estimated:
    """Several correlated estimates with their intervals.

    Parameters
    ----------
    values : ndarray of shape (E,)
        The estimates; nan if undefined.
    limits : callable
        Half-width in standard errors → lower and upper limits, each ``(E,)``.
    correlation : ndarray of shape (E, E)
        Correlation of the estimates.
    """

    values: Array
    limits: Callable[[float], tuple[Array, Array]]
    correlation: Array

    @cached_property
    def errors(self) -> Array:
        """Standard errors, from the width of the intervals, so that none is 0 because a sample is perfect."""
        low, high = self.limits(USUAL)
        return np.asarray((high - low) / (2 * USUAL))

    @cached_property
    def is_known(self) -> Array:
        """Whether each estimate has a value and limits."""
        return np.isfinite(self.values) & np.isfinite(self.errors)

    @cached_property
    def reaches(self) -> Array:
        """Distances of the limits from the values at `HALF_WIDTHS`, ``(widths, 2, E)``."""
        return np.stack([self._reach(each) for each in HALF_WIDTHS.tolist()])

    def _reach(self, half_width: float) -> Array:
        low, high = self.limits(half_width)
        return np.asarray(np.maximum(np.stack([self.values - low, high - self.values]), 0.0))

    def deviations(self, rng: np.random.Generator) -> Array:
        """Return draws of the errors of the estimates, in units of their standard errors, ``(E, draws)``."""
        values, vectors = np.linalg.eigh(self.correlation)
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        return np.asarray(root @ rng.standard_normal((len(root), DRAWS)), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Differences and ratios of pairs of estimates, which cover simultaneously.

    Parameters
    ----------
    value, low, high : ndarray of shape (P,)
        Differences with their limits; nan if one of the two is undefined.
    ratio, ratio_low, ratio_high : ndarray of shape (P,)
        Ratios with their limits; nan where a value or limit is negative.
    p_value : ndarray of shape (P,)
        Stepdown p-values of equality.
    critical : float
        Half-width of the intervals in standard errors; nan without a pair.
    """

    value: Array
    low: Array
    high: Array
    ratio: Array
    ratio_low: Array
    ratio_high: Array
    p_value: Array
    critical: float


def contrasts(estimated: Estimated, first: Array, second: Array, level: float, deviations: Array) -> Contrasts:
    """Return the differences and ratios of pairs of estimates, with simultaneous limits and p-values.

    Parameters
    ----------
    estimated : Estimated
        The estimates.
    first, second : ndarray of shape (P,)
        Positions of the two estimates of each pair.
    level : float
        Probability that all intervals cover.
    deviations : ndarray of shape (E, draws)
        Draws of the errors.
    """
    shared = estimated.correlation[first, second]
    known = estimated.is_known[first] & estimated.is_known[second]
    a, b = estimated.errors[first], estimated.errors[second]
    with np.errstate(invalid="ignore"):
        variance = a**2 + b**2 - 2 * shared * a * b
        known &= variance > NOISE * (a**2 + b**2)
    spread = np.sqrt(np.where(known, variance, 1.0))
    statistic = np.where(known, _statistics(estimated, first, second, shared), np.nan)
    share_a, share_b = (np.where(known, each, 0.0) / spread for each in (a, b))

    def deviation(pair: int) -> Array:
        return np.asarray(np.abs(share_a[pair] * deviations[first[pair]] - share_b[pair] * deviations[second[pair]]))

    p_value, critical = stepdown(statistic, deviation, deviations.shape[1], level)
    if known.sum() == 1:  # the normal distribution itself, without the error of draws
        p_value, critical = share_beyond(statistic), float(normal_quantile(level))
    missing = np.full(len(first), np.nan)
    if not known.any():
        return Contrasts(missing, missing, missing, missing, missing, missing, p_value, critical)
    low, high = estimated.limits(critical)
    value, below, above = ((each[first], each[second]) for each in (estimated.values, low, high))
    limits, ratios = difference_limits(value, below, above, shared), ratio_limits(value, below, above, shared)
    apart, least, most, ratio, ratio_low, ratio_high = (np.where(known, each, np.nan) for each in (*limits, *ratios))
    return Contrasts(apart, least, most, ratio, ratio_low, ratio_high, p_value, critical)


def stepdown(statistic: Array, deviation: Callable[[int], Array], draws: int, level: float) -> tuple[Array, float]:
    """Return p-values adjusted by the stepdown max-t test, and the critical value of all statistics together.

    Parameters
    ----------
    statistic : ndarray of shape (P,)
        Absolute statistics; nan ones do not count.
    deviation : callable
        Position of a statistic → its absolute value on each draw under equality, ``(draws,)``.
    draws : int
        Number of draws.
    level : float
        Probability of the critical value.

    References
    ----------
    Westfall, Young (1993), Resampling-Based Multiple Testing; Romano, Wolf (2005), Econometrica 73.

    Examples
    --------
    >>> normal = np.abs(np.random.default_rng(0).standard_normal((2, 50_000)))
    >>> p_value, critical = stepdown(np.array([3.0, 1.96]), normal.__getitem__, 50_000, 0.95)
    >>> p_value.round(3).tolist(), round(critical, 2)  # the larger of two, then the smaller alone
    ([0.006, 0.051], 2.25)
    """
    most, p_value = np.zeros(draws), np.full(len(statistic), np.nan)
    ascending = [int(each) for each in np.argsort(statistic, kind="stable") if np.isfinite(statistic[each])]
    for each in ascending:  # the smallest is compared with itself, the largest with all
        np.maximum(most, deviation(each), out=most)
        p_value[each] = (1 + (most >= statistic[each]).sum()) / (1 + draws)
    descending = ascending[::-1]
    p_value[descending] = np.maximum.accumulate(p_value[descending])
    return p_value, float(np.quantile(most, level)) if ascending else np.nan


Pair = tuple[Array, Array]


def difference_limits(value: Pair, low: Pair, high: Pair, correlation: Array) -> tuple[Array, Array, Array]:
    """Return differences of estimates and their limits, from the limits of both (MOVER).

    Parameters
    ----------
    value, low, high : pair of ndarray
        The first and the second estimates, their lower and their upper limits.
    correlation : ndarray
        Correlation of the two.

    References
    ----------
    Zou, Donner (2008), Statistics in Medicine 27:1693–1702.

    Examples
    --------
    >>> found = difference_limits((0.8, 0.5), (0.7, 0.4), (0.9, 0.6), 0.0)
    >>> [round(float(each), 3) for each in found]
    [0.3, 0.159, 0.441]
    """
    apart = np.asarray(value[0] - value[1])
    below = _reach(value[0] - low[0], high[1] - value[1], correlation)
    above = _reach(high[0] - value[0], value[1] - low[1], correlation)
    return apart, apart - below, apart + above


def ratio_limits(value: Pair, low: Pair, high: Pair, correlation: Array) -> tuple[Array, Array, Array]:
    """Return ratios of estimates that are not negative, and their limits, from the limits of both (MOVER).

    A limit θ solves (x − θy)² = a² + θ²b² − 2ρθab, with the distances a and b of the limits from the values x and y.
    A ratio contains 1 where the difference contains 0.

    Parameters
    ----------
    value, low, high : pair of ndarray
        The first and the second estimates, their lower and their upper limits.
    correlation : ndarray
        Correlation of the two.

    References
    ----------
    Donner, Zou (2012), Statistical Methods in Medical Research 21:347–359.

    Examples
    --------
    >>> found = ratio_limits((0.8, 0.5), (0.7, 0.4), (0.9, 0.6), 0.0)
    >>> [round(float(each), 3) for each in found]
    [1.6, 1.276, 2.058]
    """
    x, y = np.asarray(value[0], dtype=float), np.asarray(value[1], dtype=float)
    with np.errstate(all="ignore"):
        ratio = np.where(y > 0, safe_divide(x, y), np.where(x > 0, np.inf, np.nan))
        lower = _lower_ratio(x, y, x - low[0], high[1] - y, correlation)
        upper = 1 / _lower_ratio(y, x, y - low[1], high[0] - x, correlation)
    undefined = (x < 0) | (y < 0) | (low[0] < 0) | (low[1] < 0) | np.isnan(ratio)
    return tuple(np.where(undefined, np.nan, each) for each in (ratio, lower, upper))  # type: ignore[return-value]


def _lower_ratio(x: Array, y: Array, a: Array, b: Array, correlation: Array) -> Array:
    product = x * y - correlation * a * b
    inside = product**2 - (x**2 - a**2) * (y**2 - b**2)
    return np.maximum(safe_divide(x**2 - a**2, product + np.sqrt(np.maximum(inside, 0.0))), 0.0)


def _reach(first: Array, second: Array, correlation: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sqrt(np.maximum(first**2 + second**2 - 2 * correlation * first * second, 0.0)))


def _statistics(estimated: Estimated, first: Array, second: Array, shared: Array) -> Array:
    """Return the half-width at which the interval of each difference reaches 0, as a statistic."""
    apart = estimated.values[first] - estimated.values[second]
    ahead, behind = np.where(apart >= 0, first, second), np.where(apart >= 0, second, first)
    reach = _reach(estimated.reaches[:, 0, ahead], estimated.reaches[:, 1, behind], shared)
    size, found = np.abs(apart), np.zeros(len(first))
    with np.errstate(all="ignore"):
        heights = np.log(np.maximum.accumulate(reach, axis=0))
    widths = np.log(HALF_WIDTHS)
    for pair in np.flatnonzero(size > 0):
        if not np.isfinite(heights[:, pair]).all():
            found[pair] = FARTHEST if size[pair] > 0 and reach[-1, pair] == 0 else np.nan
        else:
            found[pair] = np.exp(np.interp(np.log(size[pair]), heights[:, pair], widths))
            if size[pair] < reach[0, pair]:  # near 0 the reach is proportional to the half-width
                found[pair] = HALF_WIDTHS[0] * size[pair] / reach[0, pair]
    return found

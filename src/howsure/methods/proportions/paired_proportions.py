"""Score intervals for the difference and the ratio of two proportions of the same cases."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.base import safe_divide
from howsure.methods.core.interval import CONSTANT, Interval, IntervalAtLevel
from howsure.methods.core.method import Method
from howsure.methods.core.standard_errors import normal_quantile, standard_error
from howsure.methods.numerics import binomial
from howsure.methods.numerics.bisection import root
from howsure.methods.numerics.confidence_levels import share_beyond
from howsure.metrics.contrast import PairCounts, pair_counts
from howsure.metrics.metric import Metric
from howsure.tables.table import Table

NO_TRIALS = "there is no case that the share is of"
NO_SUCCESS = "the second proportion is 0"


@dataclass(frozen=True, slots=True)
class PairedShares(Method, abc.ABC):
    """An interval for the difference or the ratio of two proportions of the same independent cases."""

    takes_batches: ClassVar[bool] = True
    effect: ClassVar[str] = "difference"

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return an empty text for this contrast of two proportions of the same independent cases."""
        if (
            table.design.traits.is_independent
            and _effect_of(metric) == self.effect
            and pair_counts(metric, table) is not None
        ):
            return ""
        return (
            f"`{type(self).__name__}` needs a {self.effect} of shares of the same, independent cases (accuracy, "
            f"recall, specificity), and `{metric.name}` is not one. Use `Delta()` or `Bootstrap()`."
        )

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; the cases are counted once."""
        return paired_intervals(metric, table, self.limits)

    @abc.abstractmethod
    def limits(self, counts: PairCounts, confidence_level: float) -> tuple[Array, Array]:
        """Return the limits from the counts of the four patterns, elementwise."""


class _PairedScore(PairedShares, abc.ABC):
    """The limits and p-values of a score test on the counts of the four patterns."""

    __slots__ = ()

    @staticmethod
    @abc.abstractmethod
    def score(counts: PairCounts, null: object) -> Array:
        """Return the score statistic at a value of the contrast, elementwise."""

    def p_value(
        self, metric: Metric, table: Table, null: float, *, draws: Array | None = None, rng: Seed = None
    ) -> float:
        """Return the p-value of the score test."""
        return float(self.p_values(metric, table, null))

    def p_values(self, metric: Metric, table: Table, null: float) -> Array:
        """Return the p-value of the score test on each table."""
        counts = counts_of(metric, table)
        return np.where(np.greater(counts.total, 0), share_beyond(np.abs(self.score(counts, null))), np.nan)


def paired_intervals(
    metric: Metric, table: Table, limits: Callable[[PairCounts, float], tuple[Array, Array]]
) -> IntervalAtLevel:
    """Return the interval of a contrast of proportions as a function of its level, from limits by the four counts."""
    counts, error = counts_of(metric, table), standard_error(metric, table)
    no_ratio = _effect_of(metric) == "ratio" and np.equal(counts.both + counts.second, 0)

    def interval(confidence_level: float) -> Interval:
        with np.errstate(all="ignore"):
            low, high = limits(counts, confidence_level)
            reason = np.where(no_ratio, NO_SUCCESS, np.where(low < high, "", CONSTANT))
            reason = np.where(np.equal(counts.total, 0), NO_TRIALS, reason)
        usable, (least, most) = reason == "", metric.range
        low, high = np.where(usable, np.maximum(low, least), np.nan), np.where(usable, np.minimum(high, most), np.nan)
        return Interval(low, high, np.where(usable, error, np.nan), reason=reason)

    return interval


def _effect_of(metric: Metric) -> str:
    """Return the name of the contrast that a metric is; empty for a metric of one model."""
    return "" if metric.contrast is None else metric.contrast.effect.name


def counts_of(metric: Metric, table: Table) -> PairCounts:
    """Return the counts of the four patterns."""
    counts = pair_counts(metric, table)
    assert counts is not None  # noqa: S101 - see `unsupported_reason`
    return counts


@final
@dataclass(frozen=True, slots=True)
class Tango(_PairedScore):
    """Tango's score interval (1998): the differences that the score test does not reject.

    Notes
    -----
    The interval contains the differences ``d`` with ``|b − c − n d| ≤ z sqrt(n (2 q + d (1 − d)))``. Here b and c are
    the numbers of cases that only the first or only the second model gets right, and ``q`` is the maximum likelihood
    estimate of the proportion of the latter given ``d``. At ``d = 0`` the test is McNemar's asymptotic one, so the
    p-values are equal.

    References
    ----------
    Tango (1998), Statistics in Medicine 17:891–908.

    Examples
    --------
    >>> from howsure.metrics.contrast import PairCounts
    >>> [round(float(limit), 4) for limit in Tango().limits(PairCounts(59, 6, 16, 80), 0.95)]
    [-0.124, -0.0054]
    """

    name: ClassVar[str] = "tango"

    def limits(self, counts: PairCounts, confidence_level: float) -> tuple[Array, Array]:
        """Return the limits from the counts of the four patterns, elementwise."""
        z = normal_quantile(confidence_level)
        observed = safe_divide(np.subtract(counts.first, counts.second), counts.total)

        def reserve(difference: Array) -> Array:
            return np.asarray(z - np.abs(self.score(counts, difference)))

        near, far = np.stack([observed, observed]), np.broadcast_to([[-1.0], [1.0]], (2, observed.size))
        low, high = root(reserve, near, far.reshape(near.shape), tiniest=2.0**-60)
        return low, high

    @staticmethod
    def score(counts: PairCounts, null: Any) -> Array:
        """Return the score statistic at a difference, elementwise."""
        n, b, c = counts.total, counts.first, counts.second
        linear = (2 * n - b + c) * null - b - c
        with np.errstate(all="ignore"):
            root = np.sqrt(np.maximum(linear**2 + 8 * n * c * null * (1 - null), 0.0))
            variance = n * (2 * (root - linear) / (4 * n) + null * (1 - null))
            return _standardized(b - c - n * null, variance)


@final
@dataclass(frozen=True, slots=True)
class NamBlackwelder(_PairedScore):
    """Nam and Blackwelder's score interval (2002) for the ratio of two proportions of the same cases.

    Notes
    -----
    Let a be the number of cases that both models get right, b and c those that only the first or only the second
    gets right, and ``m = a + b + c``. The interval contains the ratios φ with

    ``|a + b − φ (a + c)| ≤ z sqrt(m ((1 + φ) q − 1 + φ))``,

    where q is the most likely share of c among the m cases given φ: the larger root of
    ``(1 + φ) m q² − (a (1 − φ²) + b + c (2 − φ²)) q + c (1 − φ) = 0``. Cases that neither gets right do not enter.
    At ``φ = 1`` the test is McNemar's asymptotic test.

    References
    ----------
    Nam, Blackwelder (2002), Statistics in Medicine 21:689–699. Tang, Tang, Chan (2003), Statistics in Medicine
    22:1217–1233.

    Examples
    --------
    >>> from howsure.metrics.contrast import PairCounts
    >>> [round(float(limit), 4) for limit in NamBlackwelder().limits(PairCounts(59, 6, 16, 80), 0.95)]
    [0.7476, 0.9876]
    """

    name: ClassVar[str] = "nam_blackwelder"
    effect: ClassVar[str] = "ratio"

    def limits(self, counts: PairCounts, confidence_level: float) -> tuple[Array, Array]:
        """Return the limits from the counts of the four patterns, elementwise."""
        z, first, second = normal_quantile(confidence_level), counts.both + counts.first, counts.both + counts.second

        def reserve(place: Array) -> Array:
            return np.asarray(z - np.abs(self.score(counts, place / (1 - place))))

        observed = safe_divide(first, np.add(first, second))  # of the ratio r its place r / (1 + r) between 0 and 1
        near, far = np.stack([observed, observed]), np.broadcast_to([[0.0], [1.0]], (2, observed.size))
        low, high = root(reserve, near, far.reshape(near.shape), tiniest=2.0**-60)
        return low / (1 - low), high / (1 - high)

    @staticmethod
    def score(counts: PairCounts, null: object) -> Array:
        """Return the score statistic at a ratio, elementwise."""
        a, ratio = counts.both, np.asarray(null, dtype=float)
        with np.errstate(all="ignore"):
            swapped = ratio > 1  # the models change places, so that the two terms of a root have one sign
            b, c = np.where(swapped, counts.second, counts.first), np.where(swapped, counts.first, counts.second)
            ratio = np.where(swapped, 1 / ratio, ratio)
            m, linear = a + b + c, a * (1 - ratio**2) + b + c * (2 - ratio**2)
            root = np.sqrt(np.maximum(linear**2 - 4 * (1 + ratio) * m * c * (1 - ratio), 0.0))
            variance = m * ((linear + root) / (2 * m) - 1 + ratio)
            return np.where(swapped, -1.0, 1.0) * _standardized(a + b - ratio * (a + c), variance)


def _standardized(gap: Array, variance: Array) -> Array:
    """Return a gap over its standard error; infinite where its variance is 0 and it is not."""
    certain = np.where(gap == 0, 0.0, np.sign(gap) * np.inf)
    return np.where(variance > 0, gap / np.sqrt(variance), certain)


class _Newcombe(PairedShares, abc.ABC):
    """Base class of Newcombe's intervals, from the Wilson intervals of both proportions and their correlation."""

    __slots__ = ()
    single: ClassVar[Any]
    continuity: ClassVar[float]

    def limits(self, counts: PairCounts, confidence_level: float) -> tuple[Array, Array]:
        """Return the limits from the counts of the four patterns, elementwise."""
        n = np.asarray(counts.total, dtype=float)
        hits = np.stack(np.broadcast_arrays(counts.both + counts.first, counts.both + counts.second))
        low, high = type(self).single(hits, n, confidence_level)
        shares, phi = safe_divide(hits, n), correlation(counts, self.continuity)

        def reach(first: Array, second: Array) -> Array:
            return np.asarray(np.sqrt(np.maximum(first**2 - 2 * phi * first * second + second**2, 0.0)))

        difference = shares[0] - shares[1]
        below = reach(shares[0] - low[0], high[1] - shares[1])
        above = reach(high[0] - shares[0], shares[1] - low[1])
        return difference - below, difference + above


@final
@dataclass(frozen=True, slots=True)
class NewcombePaired(_Newcombe):
    """Newcombe's interval for paired proportions (1998, method 10), from the Wilson intervals of both.

    Notes
    -----
    ``low = d − sqrt((p1 − l1)² − 2 φ (p1 − l1)(u2 − p2) + (u2 − p2)²)`` and likewise the upper limit, with φ the
    correlation of the two successes. If the numerator of φ, ``both · neither − first · second``, is positive, it is
    reduced by n/2 for continuity, but not below 0. `NewcombePairedCC` (method 9) uses Wilson intervals with continuity
    correction and the plain φ.

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17:2635–2650.

    Examples
    --------
    >>> from howsure.metrics.contrast import PairCounts
    >>> [round(float(limit), 4) for limit in NewcombePaired().limits(PairCounts(59, 6, 16, 80), 0.95)]
    [-0.1186, -0.0046]
    """

    name: ClassVar[str] = "newcombe_paired"
    single: ClassVar[Any] = staticmethod(binomial.wilson)
    continuity: ClassVar[float] = 0.5


@final
@dataclass(frozen=True, slots=True)
class NewcombePairedCC(_Newcombe):
    """Newcombe's interval for paired proportions with continuity correction (1998, method 9).

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17:2635–2650.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1, 0], {"A": [1, 1, 0, 1, 1, 0], "B": [1, 0, 0, 1, 0, 1]})
    >>> print(hs.compare(table, "accuracy", method=hs.methods.NewcombePairedCC()))
    accuracy: A − B = 0.500 [-0.024, 0.769], p = 0.069
    """

    name: ClassVar[str] = "newcombe_paired_cc"
    single: ClassVar[Any] = staticmethod(binomial.wilson_cc)
    continuity: ClassVar[float] = 0.0


def correlation(counts: PairCounts, continuity: float = 0.0) -> Array:
    """Return the φ coefficient of the two models' successes; a positive numerator is reduced by ``continuity · n``."""
    e, f, g, h = counts.both, counts.first, counts.second, counts.neither
    covariance = e * h - f * g
    shrunk = np.maximum(covariance - continuity * counts.total, 0.0)
    product = (e + f) * (g + h) * (e + g) * (f + h)
    return safe_divide(np.where(np.greater(covariance, 0), shrunk, covariance), np.sqrt(product))

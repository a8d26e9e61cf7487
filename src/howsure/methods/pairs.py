"""Score intervals for the difference of two shares of the same cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from howsure.methods import binomial
from howsure.methods.interval import CONSTANT, AtLevels, Interval, Method, normal_quantile, standard_error
from howsure.metrics.contrast import PairCounts, pair_counts
from howsure.metrics.metric import Metric
from howsure.tables.table import Table

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class PairedShares(Method):
    """An interval for the difference of two shares of the same independent cases."""

    name: ClassVar[str] = "paired_shares"

    def suits(self, metric: Metric, table: Table) -> str:
        """Return an empty text for a difference of shares of the same independent cases."""
        if pair_counts(metric, table) is not None and table.design.is_independent:
            return ""
        return (
            f"`{type(self).__name__}` needs a difference of shares of the same, independent cases (accuracy, "
            f"recall, specificity), and `{metric.name}` is not one. Use `Delta()` or `Bootstrap()`."
        )

    def at_levels(self, metric: Metric, table: Table) -> AtLevels:
        """Return the interval as a function of its level: the cases are counted once."""
        counts = pair_counts(metric, table)
        assert counts is not None  # noqa: S101 - see `suits`
        if counts.total == 0:
            return lambda _: Interval(np.nan, np.nan, reason="there is no case that the share is of")
        error = standard_error(metric, table)

        def interval(confidence_level: float) -> Interval:
            low, high = self.limits(counts, confidence_level)
            if not low < high:
                return Interval(np.nan, np.nan, reason=CONSTANT)
            return Interval(max(low, -1.0), min(high, 1.0), error)

        return interval

    def limits(self, counts: PairCounts, confidence_level: float) -> tuple[float, float]:
        """Return the limits from the counts of the four patterns."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Tango(PairedShares):
    """Tango's score interval (1998): the differences that the score test does not reject.

    Notes
    -----
    The differences ``d`` with ``|b − c − n d| ≤ z sqrt(n (2 q + d (1 − d)))``, where b and c count the cases that only
    the first or only the second model gets right, and ``q`` is the share of the latter that is most likely given
    ``d``. At ``d = 0`` it is McNemar's asymptotic test, so the p-value is that test's.

    References
    ----------
    Tango (1998), Statistics in Medicine 17:891–908.

    Examples
    --------
    >>> from howsure.metrics.contrast import PairCounts
    >>> [round(limit, 4) for limit in Tango().limits(PairCounts(59, 6, 16, 80), 0.95)]
    [-0.124, -0.0054]
    """

    name: ClassVar[str] = "tango"

    def limits(self, counts: PairCounts, confidence_level: float) -> tuple[float, float]:
        """Return the limits from the counts of the four patterns."""
        z = normal_quantile(confidence_level)
        observed = (counts.first - counts.second) / counts.total
        return _last(counts, z, observed, -1.0), _last(counts, z, observed, 1.0)


def _distance(counts: PairCounts, difference: float) -> float:
    """Return the score statistic at a difference."""
    n, b, c = counts.total, counts.first, counts.second
    linear = (2 * n - b + c) * difference - b - c
    share = (np.sqrt(max(linear**2 + 8 * n * c * difference * (1 - difference), 0.0)) - linear) / (4 * n)
    variance = n * (2 * share + difference * (1 - difference))
    gap = b - c - n * difference
    return float(gap / np.sqrt(variance)) if variance > 0 else float(np.sign(gap) * np.inf) if gap else 0.0


def _last(counts: PairCounts, z: float, near: float, far: float) -> float:
    """Return where the accepted differences end on the way from the observed one to ``far``."""
    if abs(_distance(counts, far)) <= z:
        return far
    for _ in range(60):  # halvings: beyond the precision of a float
        middle = (near + far) / 2
        near, far = (middle, far) if abs(_distance(counts, middle)) <= z else (near, middle)
    return near


@dataclass(frozen=True, slots=True)
class NewcombePaired(PairedShares):
    """Newcombe's interval for paired shares (1998, method 10), from the Wilson intervals of either.

    Notes
    -----
    ``low = d − sqrt((p1 − l1)² − 2 φ (p1 − l1)(u2 − p2) + (u2 − p2)²)`` and the upper limit alike, with φ the
    correlation of the two successes; where it is positive half a case is taken from ``both · neither − …`` for
    continuity. `NewcombePairedCC` (method 9) has Wilson intervals with continuity correction and the plain φ.

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17:2635–2650.

    Examples
    --------
    >>> from howsure.metrics.contrast import PairCounts
    >>> [round(limit, 4) for limit in NewcombePaired().limits(PairCounts(59, 6, 16, 80), 0.95)]
    [-0.1186, -0.0046]
    """

    name: ClassVar[str] = "newcombe_paired"
    single: ClassVar[Any] = staticmethod(binomial.wilson)
    continuity: ClassVar[float] = 0.5

    def limits(self, counts: PairCounts, confidence_level: float) -> tuple[float, float]:
        """Return the limits from the counts of the four patterns."""
        n = counts.total
        hits = np.array([counts.both + counts.first, counts.both + counts.second])
        low, high = type(self).single(hits, np.array([n, n]), confidence_level)
        shares = hits / n
        phi = correlation(counts, type(self).continuity)
        difference = shares[0] - shares[1]

        def reach(first: float, second: float) -> float:
            return float(np.sqrt(max(first**2 - 2 * phi * first * second + second**2, 0.0)))

        below = reach(shares[0] - low[0], high[1] - shares[1])
        above = reach(high[0] - shares[0], shares[1] - low[1])
        return float(difference - below), float(difference + above)


@dataclass(frozen=True, slots=True)
class NewcombePairedCC(NewcombePaired):
    """Newcombe's interval for paired shares with continuity correction (1998, method 9)."""

    name: ClassVar[str] = "newcombe_paired_cc"
    single = staticmethod(binomial.wilson_cc)
    continuity: ClassVar[float] = 0.0


def correlation(counts: PairCounts, continuity: float = 0.0) -> float:
    """Return the φ coefficient of the two models' successes; a positive one shrunk by ``continuity · n`` cases."""
    e, f, g, h = counts.both, counts.first, counts.second, counts.neither
    product = (e + f) * (g + h) * (e + g) * (f + h)
    if product == 0:
        return 0.0
    covariance = e * h - f * g
    if covariance > 0:
        covariance = max(covariance - continuity * counts.total, 0.0)
    return float(covariance / np.sqrt(product))

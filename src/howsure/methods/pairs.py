"""Score intervals and tests for the difference of two shares of the same cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.methods import binomial
from howsure.methods.interval import CONSTANT, AtLevels, Interval, Method, normal_quantile, standard_error
from howsure.methods.inversion import p_text
from howsure.metrics.contrast import PairCounts, pair_counts, pair_of_models
from howsure.metrics.metric import Metric
from howsure.tables.paired import PairedTable
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


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test that two models are right equally often on the same cases.

    ``only_first`` and ``only_second`` count the cases that one alone gets right; ``statistic`` is the smaller of them
    (exact tests), or χ² with one degree of freedom.
    """

    only_first: int
    only_second: int
    statistic: float
    p_value: float
    method: str

    def __str__(self) -> str:
        return (
            f"McNemar ({self.method}): only the first is right {self.only_first} times, only the second "
            f"{self.only_second} times; {p_text(self.p_value)}"
        )


def _exact(first: int, second: int) -> tuple[float, float]:
    from scipy import special

    fewer = min(first, second)
    return float(fewer), min(1.0, 2 * float(special.bdtr(fewer, first + second, 0.5)))


def _mid_p(first: int, second: int) -> tuple[float, float]:
    from scipy import special

    fewer, p = _exact(first, second)
    n = first + second
    point = np.exp(special.gammaln(n + 1) - special.gammaln(first + 1) - special.gammaln(second + 1) - n * np.log(2))
    return fewer, 1.0 if first == second else p - float(point)


def _asymptotic(first: int, second: int, correction: float = 0.0) -> tuple[float, float]:
    from scipy import special

    if first + second == 0:
        return 0.0, 1.0
    statistic = max(abs(first - second) - correction, 0.0) ** 2 / (first + second)
    return statistic, float(special.chdtrc(1, statistic))


def _corrected(first: int, second: int) -> tuple[float, float]:
    return _asymptotic(first, second, 1.0)


TESTS: dict[str, Callable[[int, int], tuple[float, float]]] = {
    "exact": _exact,
    "mid_p": _mid_p,
    "asymptotic": _asymptotic,
    "corrected": _corrected,
}


def mcnemar(table: Table, *, a: str | None = None, b: str | None = None, method: str = "mid_p") -> McNemar:
    """Test whether two models are right equally often on the same cases.

    Parameters
    ----------
    table
        From `paired`, of independent cases.
    a, b
        Names of the two models; by default the first two.
    method
        ``"exact"`` (conditional binomial test), ``"mid_p"`` (it with half the weight on the observed count),
        ``"asymptotic"`` (χ²) or ``"corrected"`` (χ² with continuity correction).

    Raises
    ------
    HowsureError
        If the table is not paired, its cases have weights or clusters, or a name is unknown.

    Notes
    -----
    Only the discordant pairs count: b that the first model alone gets right and c that the second alone does. The
    exact test doubles a binomial tail of ``min(b, c)`` among ``b + c``; the asymptotic one refers ``(b − c)²/(b + c)``
    to χ². The exact test rejects too rarely, the corrected one more so; mid-p is the usual compromise.

    References
    ----------
    McNemar (1947), Psychometrika 12; Fagerland, Lydersen, Laake (2013), BMC Medical Research Methodology 13:91.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1] * 30, {"A": [1] * 26 + [0] * 4, "B": [1] * 14 + [0] * 16}, labels=[0, 1])
    >>> print(hs.mcnemar(table))
    McNemar (mid_p): only the first is right 12 times, only the second 0 times; p < 0.001
    """
    if method not in TESTS:
        raise HowsureError.unknown("test of McNemar's", method, TESTS)
    first, second = pair_of_models(table.models, a, b)
    if not isinstance(table, PairedTable) or not table.design.is_independent:
        message = "McNemar's test is for labels of independent, unweighted cases. Use `compare(table, 'accuracy')`."
        raise HowsureError(message)
    right = []
    for name in (first, second):
        size = len(table.labels)
        right.append(table.view(name).pulled_back(np.eye(size), table.counts.size) > 0)
    only_first = round(float(table.counts[right[0] & ~right[1]].sum()))
    only_second = round(float(table.counts[~right[0] & right[1]].sum()))
    return McNemar(only_first, only_second, *TESTS[method](only_first, only_second), method)

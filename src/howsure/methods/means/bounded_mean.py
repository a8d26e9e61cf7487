"""Intervals for a mean of bounded values that are valid for every distribution and every number of cases."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.base import safe_divide
from howsure.methods.core.interval import Interval, IntervalAtLevel
from howsure.methods.core.method import Method, needs_counted_cases
from howsure.methods.core.standard_errors import standard_error
from howsure.methods.numerics.bisection import root
from howsure.methods.numerics.confidence_levels import tail_of
from howsure.metrics.metric import Metric
from howsure.tables.table import Table

STAKES = 10  # number of fixed bets whose capital is averaged
NOTHING = 1e-12  # lower end of the search, relative to the observed mean
PRECISE = 1e-11  # relative precision of a limit


@dataclass(frozen=True, slots=True)
class BoundedMean(Method, abc.ABC):
    """Base class of intervals for a mean of independent values within known bounds, with guaranteed coverage."""

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for means of bounded values of independent, unweighted cases."""
        if refusal := needs_counted_cases(self, table):
            return refusal
        own = type(self).__name__
        if not (table.kind.has_values and metric.is_mean and metric.contrast is None):
            return f"`{own}` is for a mean of values, and `{metric.name}` here is none. Use `Delta()` or `Bootstrap()`."
        if not np.isfinite(metric.range).all():
            return (
                f"`{own}` needs bounds: make the table with `values(score, bounds=(lowest, highest))`. Or use 'hall'."
            )
        if not table.design.traits.is_independent:
            return f"`{own}` is for independent cases without weights. Use 'hall' or `Bootstrap()`."
        return ""

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        return bounded_intervals(metric, table, self.limits)

    @staticmethod
    @abc.abstractmethod
    def limits(shares: Array, numbers: Array, alpha: float) -> tuple[Any, Any]:
        """Return the limits of the mean of values in [0, 1], ``shares``, that occur ``numbers`` times."""


def bounded_intervals(
    metric: Metric, table: Table, limits: Callable[[Array, Array, float], tuple[Any, Any]]
) -> IntervalAtLevel:
    """Return the interval of a mean as a function of its level, from limits for values scaled to [0, 1]."""
    assert metric.ratio is not None  # noqa: S101 - see `BoundedMean.unsupported_reason`
    lowest, highest = metric.range
    width = highest - lowest
    filled = table.cells > 0
    shares = (np.asarray(metric.ratio.numerator)[filled] - lowest) / width
    numbers = table.cells[filled]
    error = float(standard_error(metric, table))

    def interval(confidence_level: float) -> Interval:
        low, high = map(float, limits(shares, numbers, tail_of(confidence_level)))
        mean = float(shares @ numbers / numbers.sum())
        low, high = max(0.0, min(low, mean)), min(1.0, max(high, mean))
        return Interval(lowest + width * low, lowest + width * high, error)

    return interval


@final
@dataclass(frozen=True, slots=True)
class Hoeffding(BoundedMean):
    """Hoeffding's interval (1963) for any bounded values: the mean ± ``(b − a) sqrt(log(2 / α) / (2 n))``.

    References
    ----------
    Hoeffding (1963), Journal of the American Statistical Association 58:13–30.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.values([0.9, 0.8, 1.0, 0.7] * 25, bounds=(0, 1)), "mean", method="hoeffding"))
    0.850 [0.714, 0.986]
    """

    name: ClassVar[str] = "hoeffding"

    @staticmethod
    def limits(shares: Array, numbers: Array, alpha: float) -> tuple[float, float]:
        """Return the limits of the mean of values from 0 to 1."""
        total = numbers.sum()
        half = float(np.sqrt(np.log(2 / alpha) / (2 * total)))
        mean = float(shares @ numbers / total)
        return mean - half, mean + half


@final
@dataclass(frozen=True, slots=True)
class Betting(BoundedMean):
    """Betting interval of Waudby-Smith and Ramdas (2024), for any bounded values.

    Notes
    -----
    Consider a bettor with a capital of 1 who stakes a proportion ``λ`` of it, case after case, on values above m. The
    final capital is ``Π (1 + λ (x − m))``. If m is the true mean, its expectation is 1, and it exceeds ``2 / α`` with
    probability at most ``α/2``. The capital is averaged over several λ that are fixed in advance: the grid Kelly bets
    of the paper, here from ``1/√n`` of the largest possible stake to all of it. The average does not depend on the
    order of the cases, so it is a function of the table. The interval contains the means at which neither the bets
    above nor the bets below reach ``2 / α``.

    References
    ----------
    Waudby-Smith, Ramdas (2024), Journal of the Royal Statistical Society B 86:1–27.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.values([0.9, 0.8, 1.0, 0.7] * 25, bounds=(0, 1)), "mean", method="betting"))
    0.850 [0.798, 0.884]
    """

    name: ClassVar[str] = "betting"

    @staticmethod
    def limits(shares: Array, numbers: Array, alpha: float) -> tuple[Any, Any]:
        """Return the limits of the mean of values from 0 to 1."""
        bets = np.geomspace(numbers.sum() ** -0.5, 1.0, STAKES)
        return betting_limits(shares, numbers, alpha, bets, np.full(STAKES, 1 / STAKES))


def betting_limits(shares: Array, numbers: Array, alpha: float, bets: Array, parts: Array) -> tuple[Array, Array]:
    """Return the limits of the mean of values in [0, 1]: the means at which the bets win less than ``2 / α``.

    Parameters
    ----------
    shares, numbers : ndarray of shape (n_values,) and (..., n_values)
        The values, and how often each occurs.
    alpha : float
        1 minus the level.
    bets, parts : ndarray of shape (n_bets,)
        Stakes as proportions of the largest possible one, and the proportion of the initial capital on each.
    """
    return _lower(shares, numbers, alpha, bets, parts), 1 - _lower(1 - shares, numbers, alpha, bets, parts)


def log_capital(shares: Array, numbers: Array, mean: Any, bets: Array, parts: Array) -> Array:
    """Return the log capital of bets on a mean above a hypothetical one, from an initial capital of 1."""
    gains = shares / np.maximum(mean, np.finfo(float).tiny)[..., None, None] - 1
    with np.errstate(divide="ignore"):
        each = np.where(numbers[..., None, :] > 0, np.log1p(bets[:, None] * gains), 0.0) @ numbers[..., None]
    most = each[..., 0].max(-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(most + np.log(np.exp(each[..., 0] - most[..., None]) @ parts))


def _lower(shares: Array, numbers: Array, alpha: float, bets: Array, parts: Array) -> Array:
    """Return the largest mean below the observed one at which the bets above it reach ``2 / α``."""
    mean, wanted = safe_divide(numbers @ shares, numbers.sum(-1)), np.log(2 / alpha)

    def spare(m: Array) -> Array:
        """Return the log capital at which a mean is rejected, minus the log capital."""
        return np.asarray(wanted - log_capital(shares, numbers, m, bets, parts))

    return np.where(mean > 0, root(spare, mean, mean * NOTHING, relative=PRECISE), 0.0)

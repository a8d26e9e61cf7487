"""The interval of a quantile from the order statistics around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.methods.core.interval import CONSTANT, ONE_CLUSTER, Interval, IntervalAtLevel
from howsure.methods.core.method import Method, needs_counted_cases
from howsure.methods.core.standard_errors import standard_error
from howsure.methods.numerics.confidence_levels import tail_of
from howsure.metrics.forms import Rank
from howsure.metrics.metric import Metric
from howsure.tables.protocols import effective_sample_size
from howsure.tables.table import Table

FEW = "too few cases for a limit on both sides"
TIED = "so many cases share one value that it is both limits"
ROUNDING = 1e-9  # of sums of weights, relative to a case


@final
@dataclass(frozen=True, slots=True)
class OrderStatistics(Method):
    """Distribution-free interval of a quantile: between two of the observed values.

    Notes
    -----
    The number of cases at or below the quantile q of a distribution is ``Bin(n, q)``, whatever the distribution. The
    r-th smallest value is therefore above the quantile with probability ``P(Bin(n, q) < r)``. The limits are the
    nearest values for which this probability, on either side, is at most (1 − level) / 2. Coverage is at least nominal,
    also with ties. For weighted or clustered data, n is the number of independent cases that gives the proportion at or
    below the quantile its variance (Woodruff), at most the effective number of cases or clusters.

    If there are too few cases for a limit on one side, the limit is the end of the metric's range.

    References
    ----------
    Conover (1999), Practical Nonparametric Statistics, section 3.2; Woodruff (1952), JASA 47; Korn, Graubard (1998),
    Survey Methodology 24.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.values(range(1, 21))
    >>> print(hs.estimate(table, "median", method=hs.methods.OrderStatistics()))
    10.500 [6.000, 15.000]
    """

    name: ClassVar[str] = "order_statistics"
    synonyms: ClassVar[tuple[str, ...]] = ("woodruff",)

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for quantiles of values, otherwise the reason why not."""
        if not isinstance(metric.structure, Rank):
            return f"`OrderStatistics` is for quantiles, and `{metric.name}` is none. Use `Delta()` or `Bootstrap()`."
        return needs_counted_cases(self, table)

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        from scipy import special

        rank = metric.structure
        assert isinstance(rank, Rank)  # noqa: S101 - see `unsupported_reason`
        values, share = rank.values, rank.share
        value, error = float(metric(table.counted)), float(standard_error(metric, table))
        total = float(table.cells.sum())
        cases = _independent_cases(table, values <= value, share)
        if not np.isfinite(cases):
            reason = CONSTANT if np.isinf(cases) else ONE_CLUSTER
            return lambda _: Interval(np.nan, np.nan, error, reason=reason)
        filled = np.flatnonzero(table.cells > 0)
        seen = values[filled]
        upto = np.concatenate([[0.0], np.cumsum(table.cells[filled])]) * (cases / total)
        below = upto[np.searchsorted(seen, seen, side="left")]
        above = upto[np.searchsorted(seen, seen, side="right")]
        # The chances that so many cases or fewer, and so many or more, are at or below the quantile.
        fewer = special.betainc(np.maximum(cases - below, ROUNDING), below + 1, 1 - share)
        more = special.betainc(np.maximum(above, ROUNDING), np.maximum(cases - above, 0.0) + 1, share)

        def interval(confidence_level: float) -> Interval:
            tail = tail_of(confidence_level) / 2 * (1 + ROUNDING)
            lows, highs = seen[fewer <= tail], seen[more <= tail]
            low = max(lows[-1] if lows.size else -np.inf, metric.range[0])
            high = min(highs[0] if highs.size else np.inf, metric.range[1])
            reason = FEW if not (lows.size and highs.size) else TIED if low == high else ""
            return Interval(float(min(low, value)), float(max(high, value)), error, reason=reason)

        return interval


def _independent_cases(table: Table, below: Array, share: float) -> float:
    """Return the number of independent cases that gives the proportion of marked cases its variance."""
    n_effective = float(effective_sample_size(table, np.ones(table.cells.size)))
    if table.design.traits.is_independent:
        return n_effective
    total = table.cells.sum()
    if not total > 0:
        return np.nan
    observed = float((table.cells * below).sum() / total)
    variance = float(table.design.variance(table.cells, (below - observed) / total))
    if np.isnan(variance):
        return np.nan
    return min(float(observed * (1 - observed) / variance), n_effective) if variance > 0 else n_effective

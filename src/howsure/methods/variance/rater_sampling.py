"""Intervals that generalise to other raters, or to other raters and other items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, final

import numpy as np

from howsure.arrays import Seed
from howsure.errors import one_of
from howsure.methods.core.interval import Interval, IntervalAtLevel
from howsure.methods.core.method import Method
from howsure.methods.core.registry import Variant
from howsure.methods.core.standard_errors import design_sample
from howsure.methods.flow.flow import flow_intervals
from howsure.methods.variance.delta import normal_intervals
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.tables.ratings import RatingsTable
from howsure.tables.table import Table, require_table

NEEDS = "This method is for a table of ratings, as `ratings` makes it."
FEWEST_RATERS = 3  # of whom each is left out in turn, so that two are left
WITHOUT_ONE = "the metric is undefined without one of the raters"
NEGLIGIBLE = 1e-9  # variance of items, as a share of the raters', which rounding leaves where items are all alike
OVER = ("raters", "items_and_raters")


@final
@dataclass(frozen=True, slots=True)
class RaterSampling(Method):
    """Interval for raters who are a sample from a population of raters, by the jackknife over raters.

    Parameters
    ----------
    over : {"items_and_raters", "raters"}
        What changes if the study is repeated: items and raters, or only the raters. All other methods assume other
        items with the same raters.

    Notes
    -----
    Let ``θ₍g₎`` be the coefficient without rater g, for R raters. The variance due to raters is the jackknife's,
    ``V_R = (R − 1)/R Σ (θ₍g₎ − θ̄)²``, with R − 1 degrees of freedom. Items and raters together have the variance
    ``V_I + V_R``, with V_I that of the items, and Satterthwaite's degrees of freedom. The interval is the one along the
    flow for items, with the number of items reduced accordingly. Both variances include the differences of raters
    between items, so the sum is conservative; after subtracting an estimate of that part, coverage is too low with
    three raters. Few raters carry little information about others: with three of them and most of the variance due to
    raters, Student's t has two degrees of freedom.

    References
    ----------
    Gwet (2021), Handbook of Inter-Rater Reliability, 5th edition, on variances due to raters and to subjects; Efron,
    Stein (1981), Annals of Statistics 9; Satterthwaite (1946), Biometrics Bulletin 2.

    Examples
    --------
    >>> import howsure as hs
    >>> verdicts = [["ok", "ok", "ok", "bad"], ["ok", "bad", "ok", "ok"], ["bad", "bad", "ok", "bad"]] * 5
    >>> verdicts += [["ok", "ok", "ok", "ok"], ["bad", "bad", "bad", "bad"]] * 15
    >>> table = hs.ratings(verdicts)
    >>> print(hs.estimate(table, "gwet_ac1"), hs.estimate(table, "gwet_ac1", method="items_and_raters"))
    0.668 [0.513, 0.795] 0.668 [0.295, 0.914]
    """

    over: Literal["raters", "items_and_raters"] = "items_and_raters"
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("items_and_raters", {"over": "items_and_raters"}, "For other items and other raters, by a jackknife."),
        Variant("raters", {"over": "raters"}, "For other raters of the same items, by a jackknife."),
    )

    def __post_init__(self) -> None:
        one_of("over", self.over, OVER)

    @property
    def name(self) -> str:  # type: ignore[override]  # each kind has its own
        """Name of the method."""
        return self.over

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for the agreement of three or more raters, otherwise the reason why not."""
        if not (table.data_kinds == ("ratings",) and metric.spec is not None):
            return f"`{self.name}` is for the agreement of one set of raters, which `{metric.name}` is not. Use 'auto'."
        if "rater" in metric.spec.definition.parameters:
            return f"`{self.name}` leaves out each rater in turn, and `{metric.name}` is of one of them. Use 'flow'."
        if not require_table(RatingsTable, table, NEEDS).names_raters:
            return f"`{self.name}` needs the rater of each rating: not of numbers by category. Use 'flow'."
        if np.count_nonzero(require_table(RatingsTable, table, NEEDS).rates) < FEWEST_RATERS:
            return f"`{self.name}` needs three raters who rate, and there are two. Use 'flow', for the same raters."
        return ""

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; each rater is left out once."""
        variances = _Variances.of(metric, table)
        value = float(metric(table.counted))
        if np.isfinite(value) and not np.isfinite(variances.raters):
            return lambda _: Interval(np.nan, np.nan, reason=WITHOUT_ONE)
        if self.over == "raters" or variances.items < NEGLIGIBLE * variances.raters:
            return normal_intervals(
                metric,
                table,
                error_of=lambda of, other: np.sqrt(_Variances.of(of, other).raters),
                sample_of=lambda *_: (1.0, variances.raters_degrees_of_freedom),
            )
        inflation, degrees_of_freedom = design_sample(metric, table)
        along = flow_intervals(
            metric, table, inflation * variances.factor, variances.degrees_of_freedom(degrees_of_freedom)
        )
        error = np.sqrt(variances.items * variances.factor)
        return lambda level: replace(along(level), standard_error=error)


@dataclass(frozen=True, slots=True)
class _Variances:
    """The variances of a coefficient for other items, and for other raters."""

    items: float
    raters: float
    raters_degrees_of_freedom: int

    @classmethod
    def of(cls, metric: Metric, table: Table) -> _Variances:
        """Return those of a metric of one table of ratings."""
        assert metric.spec is not None  # noqa: S101 - see `unsupported_reason`
        table = require_table(RatingsTable, table, NEEDS)
        with np.errstate(all="ignore"):
            gradient = np.asarray(metric.gradient(table.counted))
            parts = [table.without(rater) for rater in np.flatnonzero(table.rates).tolist()]
            values = np.array([float(resolve(metric.spec, each)(each.counted)) for each in parts])
        return cls(
            items=float(table.variance(np.nan_to_num(gradient))),
            raters=(len(values) - 1) * float(values.var()),
            raters_degrees_of_freedom=len(values) - 1,
        )

    @property
    def factor(self) -> float:
        """Ratio of the variance of items and raters to that of the items."""
        return 1 + self.raters / self.items if self.items > 0 else 1.0

    def degrees_of_freedom(self, of_items: Any) -> Any:
        """Return the degrees of freedom of the variance of items and raters."""
        parts = self.items**2 / of_items + self.raters**2 / self.raters_degrees_of_freedom
        return (self.items + self.raters) ** 2 / parts if parts > 0 else of_items

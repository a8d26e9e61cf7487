"""Interval that corrects the t statistic of a metric of values for its skewness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Seed
from howsure.designs.base import safe_divide
from howsure.designs.variance_details import VarianceDetails
from howsure.methods.core.interval import CONSTANT, ONE_CASE, Interval, IntervalAtLevel
from howsure.methods.core.method import Method, needs_counted_cases
from howsure.methods.core.scales import automatic_scale, on_scale
from howsure.methods.core.standard_errors import is_positive_error, quantile, standard_error
from howsure.methods.numerics import binomial
from howsure.metrics.forms import Rank
from howsure.metrics.metric import Metric
from howsure.tables.protocols import effective_sample_size
from howsure.tables.table import Table
from howsure.tables.variances import small_sample_correction

NO_BOUNDS = "all values are equal: state their `bounds` to learn how far the mean may be off"
ALONE = 1 + 1e-9  # case
SYMMETRIC = 1e-7  # skewness that is none


@final
@dataclass(frozen=True, slots=True)
class Hall(Method):
    """Interval by Hall's cubic transformation, which removes the skewness of Student's t: for metrics of values.

    Use it for standard deviations, trimmed means, errors and other smooth metrics of values. The default method for
    means is `EmpiricalLikelihoodScore`.

    Notes
    -----
    The t statistic T of a skewed metric is skewed itself. Let u be the influence of a case (or cluster) on the metric,
    and ``a = Σ u³ / (Σ u²)^1.5``. Then ``T + a T²/3 + a² T³/27 + a/6`` approximately has Student's distribution. The
    transformation is monotone, so each level has one interval. The degrees of freedom are the number of cases minus 1,
    and fewer if weights or clusters are uneven (Satterthwaite).

    The limits are never inside those of Student's t. On the short side the transformation relies on an estimate of the
    skewness that is too uncertain: otherwise a limit misses up to 5 % of standard deviations instead of 2.5 %. If the
    metric's range has one finite end, they are not inside those of Student's t for the logarithm of the distance from
    this end either. R², whose standard error is too small where R² is too high, needs this.

    If all values are equal, the limits of a mean follow from the mid-p limits for n successes in n trials. They bound
    the proportion of future cases with another value, which may be as far away as the bounds of the metric allow.

    References
    ----------
    Hall (1992), Journal of the Royal Statistical Society B 54:221–228; Johnson (1978), JASA 73.

    Examples
    --------
    >>> import howsure as hs
    >>> seconds = [0.2, 0.3, 0.3, 0.4, 0.4, 0.5, 0.7, 0.9, 1.4, 6.1]
    >>> print(hs.estimate(hs.values(seconds), "mean", method=hs.methods.Hall()))
    1.120 [-0.158, 5.351]
    """

    name: ClassVar[str] = "hall"

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for metrics of values except quantiles, and differences of means of the same cases."""
        if refusal := needs_counted_cases(self, table):
            return refusal
        skewed_alone = metric.is_mean or (metric.contrast is None and not isinstance(metric.structure, Rank))
        if not (table.kind.has_values and skewed_alone):
            return (
                "`Hall` is for metrics of values that move with each of them, and differences of means, and "
                f"`{metric.name}` here is neither. Use `Delta()` or `Bootstrap()`."
            )
        if len(table.design.test_sets) > 1 or not table.design.supports(VarianceDetails.influence_functions):
            return (
                f"`Hall` needs the cases behind the counts, which `{type(table.design).__name__}` has not. Use 'delta'."
            )
        return ""

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        value, error = float(metric(table.counted)), float(standard_error(metric, table))
        slopes = np.nan_to_num(np.asarray(metric.gradient(table.counted)).ravel())
        cases = float(effective_sample_size(table, np.ones(slopes.size)))
        if not is_positive_error(error, value):
            return _of_equal_values(metric, table, value, cases, error)
        found = VarianceDetails.of(table.design).influence_functions(table.cells, slopes)
        assert found is not None  # noqa: S101 - see `unsupported_reason`
        parts, number = found
        skewness = float(safe_divide((number * parts**3).sum(), (number * parts**2).sum() ** 1.5))
        skewness = skewness if abs(skewness) > SYMMETRIC else SYMMETRIC
        # Few heavy cases or clusters reduce the degrees of freedom; the tails of the values enter the skewness.
        inflation, degrees_of_freedom = small_sample_correction(table, slopes)
        alike = np.ones(slopes.size)
        degrees_of_freedom = np.minimum(
            degrees_of_freedom, VarianceDetails.of(table.design).satterthwaite_df(table.cells, table.true_class, alike)
        )
        spread = error * float(np.sqrt(inflation))
        has_one_end = automatic_scale(metric.range) == "log"

        def interval(confidence_level: float) -> Interval:
            t = float(quantile(confidence_level, degrees_of_freedom))
            below, above = (max(abs(_without_skewness(each, skewness)), t) for each in (t, -t))
            low, high = max(value - spread * below, metric.range[0]), min(value + spread * above, metric.range[1])
            if has_one_end:
                on_log = on_scale("log", value, t * spread, metric.range)
                low, high = min(low, float(on_log[0])), max(high, float(on_log[1]))
            return Interval(low, high, error)

        return interval


def _without_skewness(quantile: float, skewness: float) -> float:
    """Return the t statistic whose transformed value is the given quantile."""
    return float(3 / skewness * (np.cbrt(1 + skewness * (quantile - skewness / 6)) - 1))


def _of_equal_values(metric: Metric, table: Table, value: float, cases: float, error: float) -> IntervalAtLevel:
    """Return the interval of a mean of equal values, from their number and the range."""
    lowest, highest = metric.range
    reason = ""
    if cases < ALONE:
        reason = ONE_CASE
    elif not metric.is_mean or np.isinf(cases):
        reason = CONSTANT
    elif not np.isfinite(metric.range).all():
        reason = NO_BOUNDS

    def interval(confidence_level: float) -> Interval:
        if reason:
            return Interval(np.nan, np.nan, error, reason=reason)
        others = 1 - float(binomial.mid_p(np.array(cases), np.array(cases), confidence_level)[0])
        return Interval(value - (value - lowest) * others, value + (highest - value) * others, error)

    return interval

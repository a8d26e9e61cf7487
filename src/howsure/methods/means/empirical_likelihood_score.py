"""The score interval of a mean, and of the difference of two means on the same cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.variance_details import VarianceDetails
from howsure.methods.core.interval import CONSTANT, ONE_CASE, Interval, IntervalAtLevel
from howsure.methods.core.method import Method, needs_counted_cases
from howsure.methods.core.standard_errors import normal_quantile, quantile, standard_error
from howsure.methods.means.empirical_likelihood import Units, score_limits, score_statistic, support_of
from howsure.methods.numerics.confidence_levels import share_beyond
from howsure.metrics.contrast import averaged_numbers
from howsure.metrics.metric import Metric
from howsure.tables.protocols import effective_sample_size
from howsure.tables.table import Table, select_table
from howsure.tables.variances import small_sample_correction

NO_BOUNDS = "all values are equal: state their `bounds` to learn how far the mean may be off"
ALONE = 1 + 1e-9  # case
NO_UNITS = (np.empty(0), np.empty(0))


@final
@dataclass(frozen=True, slots=True)
class EmpiricalLikelihoodScore(Method):
    """Score interval of a mean under empirical likelihood: for values, runs and paired differences of their means.

    The interval contains the means that a score test does not reject. The variance is that of the distribution which
    has the hypothetical mean and is closest to the sample, so that a few differing items are not taken for all that
    there may be. p-values and limits agree: p is below 1 minus the level if and only if the hypothetical value is
    outside the interval. For two-valued cases it is Wilson's interval, and for paired ones Tango's interval and
    McNemar's test.

    Notes
    -----
    Unit g (a case or a cluster) has the size m_g (its sum of weights) and the total y_g. The parameter is
    θ = Σ y / Σ m, with e_g = y_g − θ m_g. Weights q maximise Σ log q_g subject to Σ q_g = 1 and Σ q_g e_g = 0 on the
    observed units and one unobserved unit at either end of a support. The statistic T² = (Σ e)² / (G Σ q_g e_g²) has
    the standard normal distribution for the absolute value of T.

    The support ends at the bounds of the values, but no further than the largest value plus r (t / 1.96)², with t the
    quantile of Student's t: r is the larger of the root mean square deviation from the median, of the values that
    differ from it, and s + max(m₃ / s², 0), with s the standard deviation and m₃ the third central moment. The support
    of differences is symmetric: it ends at the largest magnitude in the direction of 0, and in both directions where
    that magnitude occurs twice. Equal values have the bounds as support.

    Where units differ in size, or in more than one magnitude, the p-value is not below that of Student's t and the
    limits are not inside its limits. A single mean has the design's standard error and degrees of freedom, which allow
    for heavy units that the sample missed. A difference has M² / Σ m² − 1 degrees of freedom.

    References
    ----------
    Wilson (1927), JASA 22:209–212; McNemar (1947), Psychometrika 12:153–157; Owen (1988), Biometrika 75:237–249; Tango
    (1998), Statistics in Medicine 17:891–908; Chen, Variyath, Abraham (2008), Journal of Computational and Graphical
    Statistics 17:426–443 (added points); Honda, Takemura (2010), COLT (bounded support).

    Examples
    --------
    >>> import howsure as hs
    >>> grades = {"new": [1, 1, 0.5, 1, 0, 1, 1, 1] * 5, "old": [1, 1, 0.5, 1, 0, 1, 1, 1] * 4 + [1, 0, 0, 1] * 2}
    >>> print(hs.compare(hs.values(grades, bounds=(0, 1)), "mean"))
    mean: new − old = 0.062 [-0.056, 0.191], p = 0.234
    """

    name: ClassVar[str] = "empirical_likelihood_score"

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for means of values, and differences of means on the same cases."""
        if refusal := needs_counted_cases(self, table):
            return refusal
        own = type(self).__name__
        if not (table.kind.has_values and metric.is_mean):
            return (
                f"`{own}` is for a mean of values, or the difference of two, and `{metric.name}` here is neither. "
                "Use `Hall()`, `Delta()` or `Bootstrap()`."
            )
        design = table.design
        if (
            len(design.test_sets) > 1
            or not design.supports(VarianceDetails.influence_functions)
            or design.traits.has_fixed_class_totals
            or design.traits.is_stratified
            or design.traits.has_strata
        ):
            return (
                f"`{own}` needs one sample of cases or clusters, which `{type(design).__name__}` is not. Use 'delta'."
            )
        return ""

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        return _Test.of(metric, table).interval

    def p_value(
        self, metric: Metric, table: Table, null: float, *, draws: Array | None = None, rng: Seed = None
    ) -> float:
        """Return the p-value of the test that the interval inverts."""
        return _Test.of(metric, table).p_value(null)

    def p_values(self, metric: Metric, table: Table, null: float) -> Array:
        """Return the p-value of each table of a batch."""
        return np.array([self.p_value(metric, select_table(table, index), null) for index in range(table.batch[0])])


@dataclass(frozen=True, slots=True)
class _Test:
    """The test of a mean on one table.

    Parameters
    ----------
    units : Units
        The sample.
    support : tuple of float
        Ends of the support.
    bounds : tuple of float
        Smallest and largest possible mean.
    error : float
        Standard error of the mean.
    student : tuple of float or None
        Standard error and degrees of freedom of Student's t, where the test is not below it.
    reason : str
        Why there is no interval.
    """

    units: Units
    support: tuple[float, float]
    bounds: tuple[float, float]
    error: float
    student: tuple[float, float] | None
    reason: str

    @classmethod
    def of(cls, metric: Metric, table: Table) -> _Test:
        """Return the test of a mean, or of a difference of means, on a table."""
        design, cells, is_difference = table.design, table.cells, metric.contrast is not None
        ones = np.ones(cells.shape[-1])
        numbers = averaged_numbers(metric, len(ones))
        totals, number = (
            VarianceDetails.of(design).influence_functions(cells, ones if numbers is None else numbers) or NO_UNITS
        )
        sizes, _ = VarianceDetails.of(design).influence_functions(cells, ones) or NO_UNITS
        units = Units.of(totals, sizes, number)
        bounds, error = metric.range, float(standard_error(metric, table))
        effective = float(effective_sample_size(table, ones))
        support, student, reason = (-np.inf, np.inf), None, ""
        if not len(units.number) or effective < ALONE:
            reason = ONE_CASE
        elif not np.isfinite(effective):
            reason = CONSTANT
        elif units.are_equal and not np.isfinite(bounds).all():
            reason = NO_BOUNDS
        else:
            support = support_of(units, bounds, is_difference=is_difference)
            if not (units.are_of_one_size and units.have_one_scale(is_difference=is_difference)):
                student = _student_of(metric, table, units)
        return cls(units, support, bounds, error, student, reason)

    def interval(self, confidence_level: float) -> Interval:
        """Return the interval at a level."""
        if self.reason:
            return Interval(np.nan, np.nan, self.error, reason=self.reason)
        z = float(normal_quantile(confidence_level))
        low, high = score_limits(self.units, self.support, z) if np.isfinite(z) else self.bounds
        if self.student is not None:
            reach = self.student[0] * float(quantile(confidence_level, self.student[1]))
            low, high = min(low, self.units.mean - reach), max(high, self.units.mean + reach)
        return Interval(max(low, self.bounds[0]), min(high, self.bounds[1]), self.error)

    def p_value(self, null: float) -> float:
        """Return the two-sided p-value of a hypothetical mean."""
        if self.reason:
            return np.nan
        found = float(share_beyond(score_statistic(self.units, self.support, null)))
        if self.student is None:
            return found
        from scipy.special import stdtr

        error, degrees_of_freedom = self.student
        gap = abs(self.units.mean - null)
        by_t = 2 * stdtr(degrees_of_freedom, -gap / error) if error > 0 else float(gap == 0)
        return max(found, float(by_t))


def _student_of(metric: Metric, table: Table, units: Units) -> tuple[float, float]:
    """Return the standard error and the degrees of freedom of Student's t."""
    if metric.contrast is not None:  # heavy units in favour of either model are equally likely to be missed
        return units.error, max(units.effective - 1, 1.0)
    slopes = np.nan_to_num(np.asarray(metric.gradient(table.counted)).ravel())
    inflation, degrees_of_freedom = small_sample_correction(table, slopes)
    by_weight = VarianceDetails.of(table.design).satterthwaite_df(table.cells, table.true_class, np.ones(slopes.size))
    return float(standard_error(metric, table)) * float(np.sqrt(inflation)), float(
        np.minimum(degrees_of_freedom, by_weight)
    )

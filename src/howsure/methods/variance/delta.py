"""The delta method, on a scale that respects the metric's range."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.methods.core.interval import (
    CONSTANT,
    NO_ERROR,
    ONE_CLUSTER,
    UNDEFINED,
    Interval,
    IntervalAtLevel,
    interval_with_reasons,
)
from howsure.methods.core.inversion import KNOWN, p_values_at
from howsure.methods.core.method import ONE_CLASS, Method
from howsure.methods.core.scales import Scale, automatic_scale, check_scale, inside, on_scale, scaled
from howsure.methods.core.standard_errors import (
    critical_value,
    is_positive_error,
    large_sample,
    small_sample,
    standard_error,
)
from howsure.methods.flow.loss_histogram import of_filled_cells
from howsure.methods.variance.within_classes import is_within_classes
from howsure.metrics.metric import Metric
from howsure.tables.table import Table, with_pseudo_counts

NOISE_ADDS = f"noise adds to the calibration error of each class. {ONE_CLASS}"
SCALES = ("auto", "identity", "logit", "log")
MOST_INFLATION = 2.0  # of a variance on the log scale, on which an error is a factor


@final
@dataclass(frozen=True, slots=True)
class Delta(Method):
    """Normal interval from the delta-method standard error, on a transformed scale.

    Parameters
    ----------
    transform : {"auto", "identity", "logit", "log"}
        ``"logit"``: logit of ``(value - lowest) / (highest - lowest)``, which for a range of [-1, 1] is twice Fisher's
        z; ``"log"``: logarithm of the distance from the only finite end; ``"identity"``: no transformation (Wald);
        ``"auto"``: chosen by the metric's range.

    Notes
    -----
    ``Var = sum(C * g**2)`` for independent cases, with C the counts and g the gradient with respect to C; other designs
    have their own formulas. If the sample shows no variation (for example, a table without errors) or the value is at
    an end of the range, two cases are spread evenly over the cells. Centre and standard error are then those of this
    table, and the interval is extended to the observed value; it is never a point.

    The quantile is Student's t, with the design's degrees of freedom. These allow for few unequal clusters and uneven
    weights (`VarianceDetails.small_sample_correction`). For metrics of scores they also allow for a class with few
    cases, and for few cases that make up most of the variance (`VarianceDetails.satterthwaite_df`). On the log scale,
    the small-sample correction for clusters at most doubles the variance.

    For estimated counts, the automatic scale is the identity, clipped at the metric's range, except for rates within
    classes for which only the class frequencies are estimated. The sampling variance of the cases is evaluated at the
    limit, as in Wilson's interval, if that gives a wider interval.

    References
    ----------
    Takahashi, Yamamoto, Kuchiba, Koyama (2022), Applied Intelligence 52; Satterthwaite (1946), Biometrics Bulletin 2.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "mcc", method=Delta()))
    0.840 [0.696, 0.919]
    """

    transform: Scale = "auto"
    name: ClassVar[str] = "delta"
    takes_batches: ClassVar[bool] = True
    takes_levels: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_scale(self.transform, SCALES)

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; the standard error is computed once."""
        return normal_intervals(*of_filled_cells(metric, table), self.transform)


@final
@dataclass(frozen=True, slots=True)
class Wald(Method):
    """Plain normal interval, value ± z · standard error, cut at the ends of the metric's range; may be a point.

    References
    ----------
    Wald (1943), Transactions of the American Mathematical Society 54:426–482.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "mcc", method=hs.methods.Wald()))
    0.840 [0.734, 0.946]
    """

    name: ClassVar[str] = "wald"
    synonyms: ClassVar[tuple[str, ...]] = ("takahashi", "normal")
    takes_batches: ClassVar[bool] = True
    takes_levels: ClassVar[bool] = True

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; the standard error is computed once."""
        return normal_intervals(metric, table, "identity", sample_of=large_sample)


def normal_intervals(
    metric: Metric,
    table: Table,
    transform: Scale = "auto",
    *,
    error_of: Callable[[Metric, Table], Any] = standard_error,
    sample_of: Callable[[Metric, Table], tuple[Any, Any]] = small_sample,
) -> IntervalAtLevel:
    """Return the interval on a transformed scale as a function of its level, with a Student t quantile.

    ``error_of`` returns the standard error; ``sample_of`` returns the small-sample factor of its square and its degrees
    of freedom.
    """
    if metric.averages_distances:
        nothing = np.full(np.shape(metric(table.counted)), np.nan)
        return lambda _: Interval(nothing, nothing, reason=np.full(nothing.shape, NOISE_ADDS))
    inflation, degrees_of_freedom = sample_of(metric, table)
    value, error = metric.value_at(table.counted), np.asarray(error_of(metric, table))
    if transform == "identity":
        return NormalIntervals(value, error, value, error, inflation, degrees_of_freedom, "identity", metric.range)
    scale = automatic_scale(metric.range) if transform == "auto" else transform
    if scale == "log":
        inflation = np.minimum(inflation, MOST_INFLATION)
    with np.errstate(invalid="ignore"):
        varies = is_positive_error(error, value)
        shows = varies & inside(value, metric.range)
        # The error of estimated counts does not vanish near the ends of the range, except for rates within a class.
        estimated = varies & (not table.design.traits.has_binomial_proportions and table.design.traits.has_labels)
        estimated = estimated & ~(shows & is_within_classes(metric, table))
        shows = estimated | shows
    centre, spread = value, error
    if not shows.all():
        filled = with_pseudo_counts(table)
        with np.errstate(all="ignore"):
            centre = np.where(shows, value, metric(filled.counted))
            spread = np.where(shows, error, error_of(metric, filled))
        fewer = np.minimum(sample_of(metric, filled)[1], table.design.degrees_of_freedom)
        degrees_of_freedom = np.where(shows, degrees_of_freedom, fewer)
        shows = shows | is_positive_error(spread, centre) | np.isnan(spread)
    found = NormalIntervals(value, error, centre, spread, inflation, degrees_of_freedom, scale, metric.range, shows)
    if transform == "auto" and estimated.any():
        return replace(found, estimated=estimated, sampled=_sampled_variance(metric, table, spread))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class NormalIntervals:
    """Normal intervals on a scale by their level, with their p-values in closed form.

    Parameters
    ----------
    value, error : ndarray of the shape of the batch
        The observed value, which the interval contains, and its standard error.
    centre, spread : ndarray of the shape of the batch
        Centre of the interval, and the standard error there.
    inflation, freedom : float or ndarray of the shape of the batch
        Factor of the variance, and degrees of freedom of the quantile.
    scale : {"identity", "logit", "log"}
        The scale.
    bounds : tuple of two float
        Range of the limits.
    shows : ndarray of bool of the shape of the batch, optional
        Tables that have an interval; without it all have one, which may be a point.
    estimated : ndarray of bool of the shape of the batch, optional
        Tables of estimated counts, whose scale is the identity.
    sampled : ndarray of the shape of the batch
        The part of the variance of estimated counts that is evaluated at the limit; see `_sampled_variance`.
    """

    value: Array
    error: Array
    centre: Array
    spread: Array
    inflation: Any
    degrees_of_freedom: Any
    scale: Scale
    bounds: tuple[float, float]
    shows: Array | None = None
    estimated: Any = False
    sampled: Any = 0.0

    def __call__(self, level: float) -> Interval:
        """Return the intervals at a level."""
        z = critical_value(level, self.inflation, self.degrees_of_freedom)
        others = (~np.isfinite(z), ONE_CLUSTER), (~np.isfinite(self.value), UNDEFINED)
        if self.shows is None:
            low, high = (np.clip(self.value + each * self.error, *self.bounds) for each in (-z, z))
            return interval_with_reasons(low, high, self.error, (np.isnan(low), NO_ERROR), *others)
        low, high = on_scale(self.scale, self.centre, z * self.spread, self.bounds)
        if np.any(self.estimated):
            plain = self._of_estimated_counts(z)
            low, high = (np.where(self.estimated, own, other) for own, other in zip(plain, (low, high), strict=True))
        with np.errstate(invalid="ignore"):
            constant = ~(self.shows & (low < high))
            low = np.maximum(np.minimum(low, self.value), self.bounds[0])
            high = np.minimum(np.maximum(high, self.value), self.bounds[1])
        return interval_with_reasons(low, high, self.error, (constant, CONSTANT), (np.isnan(low), NO_ERROR), *others)

    def p_values(self, value: Array, null: float) -> Array:
        """Return the two-sided p-values of a hypothesis, given the observed values; nan without an interval.

        A limit equals the null value where z standard errors are the distance to it on the scale.
        """
        sign = np.where(value > null, 1.0, -1.0)
        with np.errstate(all="ignore"):
            plain, error = sign * (self.centre - null), np.sqrt(self._variance_at(null))
            if self.scale != "identity":
                (place, slope), (there, _) = (scaled(self.scale, each, self.bounds) for each in (self.centre, null))
                on_it = inside(self.centre, self.bounds) & ~np.asarray(self.estimated)
                plain = np.where(on_it, sign * (place - there), plain)
                error = np.where(on_it, slope * self.spread, error)
            reach = np.where((plain > 0) & (value != null), plain / (np.sqrt(self.inflation) * error), 0.0)
            possible = self.bounds[0] <= null <= self.bounds[1]
            tests = p_values_at(reach if possible else np.full(reach.shape, np.inf), self.degrees_of_freedom)
        return np.where(np.isnan(self(KNOWN).low), np.nan, tests)

    def _of_estimated_counts(self, z: Any) -> tuple[Any, Any]:
        """Return limits on the identity scale, with the sampling variance of the cases evaluated at the limit.

        With S the sampling variance, it is proportional to ``N(θ) = (θ - lowest)(highest - θ)``, as for a proportion.
        The limits solve ``(value - θ)² = z² (error² - S + S N(θ) / N(value))``. If the limits with S at the estimate
        are wider, or the range is infinite, those are returned.
        """
        low, high = on_scale("identity", self.centre, z * self.spread, self.bounds)
        lowest, highest = self.bounds
        if not np.isfinite(self.bounds).all():
            return low, high
        with np.errstate(all="ignore"):
            each = self._share_of_sampled() * z**2
            square, linear = 1 + each, self.centre + each * (lowest + highest) / 2
            constant = self.centre**2 - z**2 * (self.spread**2 - self.sampled) + each * lowest * highest
            half = np.sqrt(np.maximum(linear**2 - square * constant, 0.0))
            return np.fmin(low, (linear - half) / square), np.fmax(high, (linear + half) / square)

    def _variance_at(self, null: float) -> Array:
        """Return the variance on the identity scale at a null value: the larger one for estimated counts."""
        square = self.spread**2
        if not np.any(self.estimated) or not np.isfinite(self.bounds).all():
            return square
        lowest, highest = self.bounds
        there = square - self.sampled + self._share_of_sampled() * (null - lowest) * (highest - null)
        return np.where(self.estimated, np.fmax(square, there), square)

    def _share_of_sampled(self) -> Array:
        """Return S / N(value), or 0 for a value at an end of the range."""
        lowest, highest = self.bounds
        product = (self.centre - lowest) * (highest - self.centre)
        return np.asarray(np.where(inside(self.centre, self.bounds), self.sampled / product, 0.0))


def _sampled_variance(metric: Metric, table: Table, error: Array) -> Array:
    """Return the variance of the metric for as many cases with known labels; the rest is due to estimated labels."""
    with np.errstate(all="ignore"):
        gradient = np.nan_to_num(metric.gradient_at(table.counted).reshape(table.cells.shape), posinf=0.0, neginf=0.0)
        weight = table.cells.sum(-1) / np.maximum(table.rows, 1)  # average weight of a case
        return np.asarray(np.minimum(weight * (np.maximum(table.cells, 0.0) * gradient**2).sum(-1), error**2))

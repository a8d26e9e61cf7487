"""`joint_region`: confidence region of two metrics of the same cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from howsure.arrays import Array, Seed
from howsure.comparison.contenders import covariance_within, finite_gradients
from howsure.designs.base import safe_divide
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError, checked_level
from howsure.estimates.batched_intervals import method_and_table, own_table
from howsure.estimates.coercion import coerce_table
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate
from howsure.estimates.grouped import apply_by_group
from howsure.methods.core.draws import seed_sequence
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.numerics.bisection import root
from howsure.methods.numerics.confidence_levels import Level, share_beyond
from howsure.methods.numerics.student_t import share_beyond as share_beyond_t
from howsure.metrics.binding import of_counts, resolve
from howsure.metrics.forms import Ratio
from howsure.metrics.metric import Metric
from howsure.requirements.profile_likelihood import bartlett_factor, deviance
from howsure.requirements.region import JointRegion
from howsure.tables.table import Table

Scale = Callable[[Array], Array]  # signed half-widths, in standard errors, to limits of an interval
LIKELIHOOD, INTERVALS = "profile_likelihood", "joint_intervals"
POINTS = 360  # of the boundary
HALF_WIDTHS = 32  # at which limits are computed; between them they are interpolated
FARTHEST = 3.0  # end of the search for the likelihood's boundary, in radii of the ellipse
DETERMINED = 1 - 1e-9  # correlation above which one metric follows from the other


@apply_by_group
def joint_region(
    table: Table,
    x: str | Metric,
    y: str | Metric,
    *,
    method: str | Method | None = None,
    confidence_level: float = 0.95,
    threshold: float | None = None,
    random_state: Seed = None,
) -> JointRegion:
    r"""Return the joint confidence region of two metrics, such as sensitivity and specificity.

    The region contains both true values together with the stated confidence. The rectangle of two intervals of that
    level does so less often, and ignores the correlation of the two estimates.

    Parameters
    ----------
    table : Table or Tables
        A table, or the tables of groups.
    x, y : str or Metric
        The metrics: on the horizontal and on the vertical axis.
    method : str or Method, optional
        ``"joint_intervals"`` (default) combines the default intervals of the two metrics; the name of an interval
        method combines intervals of that method. ``"profile_likelihood"`` inverts the likelihood ratio test of both
        values; it is for ratios of counts, such as precision and recall, of independent cases.
    confidence_level : float
        Confidence level of the region, between 0 and 1.
    threshold : float, optional
        Threshold for metrics of counts on a table of scores.
    random_state : int, Generator, SeedSequence or None
        Seed of methods that draw.

    Returns
    -------
    JointRegion
        For `Tables`, a `Grouped` of such results. If one metric follows from the other, as the false negative rate
        does from recall, the region is undefined, with the reason.

    Raises
    ------
    HowsureError
        If a metric, the method, the level or the threshold is not valid.

    Notes
    -----
    Each point (x, y) has two signed half-widths: :math:`t_x` is the number of standard errors, positive or negative, at
    which a limit of the interval of the first metric equals x, and :math:`t_y` that of the second. The region is

    .. math:: (t_x^2 - 2 \rho t_x t_y + t_y^2) / (1 - \rho^2) \le c^2.

    The correlation :math:`\rho` of the estimates follows from the design's variance of linear forms (delta method).
    :math:`c^2` is the quantile of χ² with two degrees of freedom, :math:`-2 \log \alpha`, and for clusters that of
    Hotelling's T² with :math:`\nu` degrees of freedom, :math:`\nu (\alpha^{-2/(\nu - 1)} - 1)`. The region stays
    within the ranges of the metrics, as their intervals do. For two independent proportions it combines mid-p tests.

    The region of the profile likelihood contains the values with a deviance of at most :math:`c^2 B`. Bartlett's factor
    :math:`B = 1 + \sum_i (n_i + 1/2)^{-1} / 12`, over the counts n of the cells that enter either metric, corrects the
    mean of the deviance in small samples.

    References
    ----------
    Hotelling (1931), Annals of Mathematical Statistics 2:360–378; Macskassy, Provost, Rosset (2005), ROC confidence
    bands, ICML; Goutte, Gaussier (2005), ECIR, LNCS 3408:345–359; Williams (1976), Biometrika 63:33–37.

    Examples
    --------
    >>> import howsure as hs
    >>> region = hs.joint_region(hs.from_counts([[50, 3], [5, 42]]), "sensitivity", "specificity")
    >>> region.contains((0.85, 0.9)), region.contains((0.8, 0.86))
    (True, False)
    >>> print(region.x_limits.round(3), region.y_limits.round(3), round(region.area, 3))
    [0.747 0.971] [0.826 0.991] 0.029
    """
    level, one = checked_level(confidence_level), one_model(table, "joint_region")
    own = method if isinstance(method, str) else ""
    likely = own == LIKELIHOOD
    chosen = None if own in {LIKELIHOOD, INTERVALS} else named(method)
    seed = seed_sequence(random_state)
    settings: dict[str, Any] = {"method": chosen, "confidence_level": level, "random_state": seed}
    asked = list(zip((x, y), thresholds((x, y), threshold), strict=True))
    estimates = [estimate(one, each, threshold=at, **settings) for each, at in asked]
    bound = [resolve(each, one, threshold=at) for each, at in asked]
    correlation, degrees_of_freedom = _moments(one, bound)
    facts: dict[str, Any] = {
        "x": estimates[0],
        "y": estimates[1],
        "confidence_level": level,
        "method": LIKELIHOOD if likely else INTERVALS,
        "correlation": correlation,
    }
    outline = _Likelihood.of([own_table(one, each) for each in bound]) if likely else None
    reason = _why_undefined(estimates, correlation, degrees_of_freedom)
    if reason:
        return JointRegion(boundary_x=np.empty(0), boundary_y=np.empty(0), reason=reason, **facts)
    radius = _radius(level, degrees_of_freedom)
    farthest = radius * (FARTHEST if likely else 1.0)
    scales = [
        _scale(metric, one, chosen, seed, float(each), farthest, degrees_of_freedom)
        for metric, each in zip(bound, estimates, strict=True)
    ]
    half_widths = _ellipse(correlation, radius)
    if outline is not None:
        half_widths = outline.reached(scales, half_widths, radius)
    boundary = [scale(t) for scale, t in zip(scales, half_widths, strict=True)]
    return JointRegion(boundary_x=boundary[0], boundary_y=boundary[1], **facts)


def one_model(given: object, verb: str) -> Any:
    """Return the table of one model; a matrix of counts is made a table.

    Raises
    ------
    HowsureError
        If the argument is no table, or the table of several models.
    """
    table = coerce_table(given, verb)
    if hasattr(table, "models"):
        raise HowsureError(f"`{verb}` takes the table of one model: give `table.model('name')`.")
    return table


def thresholds(metrics: Sequence[Any], threshold: float | None) -> list[float | None]:
    """Return the threshold of each metric: none for metrics of scores beside metrics of counts."""
    needs = [of_counts(each) for each in metrics]
    return [threshold if need or not any(needs) else None for need in needs]


def _why_undefined(estimates: list[Estimate], correlation: float, degrees_of_freedom: float) -> str:
    if abs(correlation) > DETERMINED:
        first, second = (each.label for each in estimates)
        return f"in these data `{second}` follows from `{first}`, so the region is a line"
    undefined = [f"{each.label}: {each.reason}" for each in estimates if np.isnan([each, each.low, each.high]).any()]
    if not undefined and not degrees_of_freedom > 1:
        return "two metrics need at least three clusters"
    return "; ".join(undefined)


@dataclass(frozen=True, slots=True, eq=False)
class _Likelihood:
    """The likelihood of two ratios of counts of independent cases."""

    counts: Array
    first: Ratio
    second: Ratio

    @classmethod
    def of(cls, parts: list[tuple[Table, Metric]]) -> _Likelihood:
        """Return the likelihood of two metrics of one table; raise an error if there is none."""
        (table, first), (other, second) = parts
        for metric in (first, second):
            if metric.ratio is None:
                raise HowsureError(
                    f"`{LIKELIHOOD}` needs ratios of counts, and `{metric.name}` is not one: drop `method`."
                )
        traits = table.design.traits
        if not traits.is_independent or not traits.is_counted or table.cells.shape != other.cells.shape:
            raise HowsureError(f"`{LIKELIHOOD}` needs counts of independent cases without weights: drop `method`.")
        return cls(table.cells, cast("Ratio", first.ratio), cast("Ratio", second.ratio))

    def reached(self, scales: list[Scale], rays: Array, radius: float) -> Array:
        """Return the half-widths along rays at which the deviance reaches its critical value."""
        critical = radius * math.sqrt(bartlett_factor(self.counts, self.first, self.second))

        def inside(reach: Array) -> Array:
            x, y = (scale(reach * ray) for scale, ray in zip(scales, rays, strict=True))
            return critical - np.sqrt(np.maximum(deviance(self.counts, self.first, self.second, x, y), 0.0))

        near, far = np.zeros(POINTS), np.full(POINTS, FARTHEST)
        return np.asarray(np.where(inside(far) > 0, far, root(inside, near, far, relative=1e-9)) * rays)


def _moments(table: Table, bound: list[Metric]) -> tuple[float, float]:
    """Return the correlation of two metrics, and the fewer degrees of freedom of the two.

    The correlation is 0 if a metric shows no variation, and nan with at most one degree of freedom.
    """
    with np.errstate(all="ignore"):
        gradients = finite_gradients((each.gradient(table.counted) for each in bound), len(bound), table)
    covariance = covariance_within(table, gradients)
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    correlation = float(np.clip(np.nan_to_num(safe_divide(covariance[0, 1], spread[0] * spread[1])), -1.0, 1.0))
    details = VarianceDetails.of(table.design)
    degrees_of_freedom = float(np.min([details.small_sample_correction(table.cells, each)[1] for each in gradients]))
    return (correlation if degrees_of_freedom > 1 else math.nan), degrees_of_freedom


def _radius(level: float, degrees_of_freedom: float) -> float:
    """Return the square root of the quantile of Hotelling's T² of two dimensions, or of χ²."""
    missed = math.log1p(-level)
    if math.isinf(degrees_of_freedom):
        return math.sqrt(-2 * missed)
    return math.sqrt(degrees_of_freedom * math.expm1(-2 * missed / (degrees_of_freedom - 1)))


def _scale(
    metric: Metric,
    table: Table,
    method: Method | None,
    seed: Seed,
    value: float,
    farthest: float,
    degrees_of_freedom: float,
) -> Scale:
    """Return the function from signed half-widths, in standard errors, to limits of the metric's interval."""
    chosen, same, small = method_and_table(metric, table, method)
    at_level = chosen.at_levels(same, small, seed)
    widths = np.linspace(0.0, farthest, HALF_WIDTHS + 1)
    tails = (
        share_beyond(widths)
        if math.isinf(degrees_of_freedom)
        else [share_beyond_t(each, degrees_of_freedom) for each in widths.tolist()]
    )
    found = [at_level(Level(float(tail))).to_scalars() for tail in tails[1:]]
    low = np.fmin.accumulate([value, *(each.low for each in found)])
    high = np.fmax.accumulate([value, *(each.high for each in found)])
    widths, limits = np.concatenate([-widths[:0:-1], widths]), np.concatenate([low[:0:-1], high])
    return lambda t: np.interp(t, widths, limits)


def _ellipse(correlation: float, radius: float) -> Array:
    """Return signed half-widths along the ellipse of a bivariate normal distribution, ``(2, POINTS)``."""
    angle = 2 * np.pi * np.arange(POINTS) / POINTS
    across = correlation * np.cos(angle) + math.sqrt(1 - correlation**2) * np.sin(angle)
    return radius * np.stack([np.cos(angle), across])

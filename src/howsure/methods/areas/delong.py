"""Intervals of the area under the ROC curve: DeLong, Hanley–McNeil, Newcombe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.variance_details import VarianceDetails
from howsure.methods.core.interval import CONSTANT, ONE_CLUSTER, Interval, IntervalAtLevel
from howsure.methods.core.method import Method, needs_labels
from howsure.methods.core.registry import Variant
from howsure.methods.core.scales import check_scale, on_scale
from howsure.methods.core.standard_errors import is_positive_error, large_sample, quantile, small_sample
from howsure.methods.numerics.bisection import root
from howsure.methods.variance.delta import Delta, normal_intervals
from howsure.metrics.metric import Metric
from howsure.native.placements import placement_sums
from howsure.tables.protocols import effective_sample_size
from howsure.tables.score_matrix import MulticlassScoresTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Transform = Literal["logit", "identity"]
TRANSFORMS = ("logit", "identity")
SEPARATED = "the classes are separated: one-sided limit"
NO_CASE = "one of the classes has no case"
SINGLE_CLUSTER = "a single cluster shows no variation"
CLUSTER_OF_CLASS = "one of the classes occurs in a single cluster, which shows no variation"
EQUAL = "all scores are equal"
ROUNDING = 1e-12  # rounding error of sums of weights
STEADY = 4.0  # degrees of freedom given to the variance that follows from the area alone


@final
@dataclass(frozen=True, slots=True)
class DeLong(Method):
    """Interval of ROC AUC from the variances of the placements, on the logit scale by default.

    Parameters
    ----------
    transform : {"logit", "identity"}
        ``"logit"`` keeps the interval inside (0, 1); ``"identity"`` is the plain normal interval.

    Notes
    -----
    For each class, the sample variance of the placements is divided by the number of cases; the variance of the area is
    the sum over both classes. It is computed from counts at distinct scores in O(n log n), with exact ties. With
    weights, the number of cases is Kish's effective sample size. For clusters, the variance is Obuchowski's, with the
    covariance of the two classes within clusters. If the classes are perfectly separated, the placements do not vary;
    the open limit is then the exact one for as many concordant pairs as the smallest class has cases. A class with a
    single case has no sample variance, and Newcombe's interval is used.

    On the logit scale the quantile is Student's t with Satterthwaite's degrees of freedom f, from the cases of each
    class and the tails of the placements: near an area of 1 few cases make up most of the variance. For two classes
    the variance is averaged with Newcombe's, which follows from the area alone. The placement variance has weight f
    and Newcombe's has weight k = 4 (k = 1 for clusters). As Newcombe's does not vary, the average has ``(f + k)² / f``
    degrees of freedom. The plain normal interval of a difference of areas on two test sets has Welch's.

    An average over many classes, one against the rest or in pairs, is also a sum over cases. The contributions of a
    case to the single areas are added before squaring, so that the variance includes their covariance.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44; Sun, Xu (2014), IEEE Signal Processing Letters 21;
    Obuchowski (1997), Biometrics 53; Pepe (2003), section 5.2, for the logit scale; Satterthwaite (1946), Biometrics
    Bulletin 2.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.3, 0.6])
    >>> print(hs.estimate(table, "roc_auc", method=DeLong()))
    0.889 [0.222, 0.996]
    """

    transform: Transform = "logit"

    takes_batches: ClassVar[bool] = True
    ignores_empty_cells: ClassVar[bool] = True
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("delong", {}, "ROC AUC from the variances of the placements, on the logit scale."),
        Variant("delong_wald", {"transform": "identity"}, "ROC AUC from those variances, as a plain normal interval."),
    )

    def __post_init__(self) -> None:
        check_scale(self.transform, TRANSFORMS)

    @property
    def name(self) -> str:  # type: ignore[override]  # each scale has its own
        """Name of the method, with its scale."""
        return "delong_wald" if self.transform == "identity" else "delong"

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for areas of labelled scores and contrasts of two areas, otherwise the reason why not."""
        kinds = (ScoresTable, MulticlassScoresTable)
        fits = metric.contrast is not None or isinstance(table, kinds)
        return needs_labels(self, table) or _not_an_area(self, metric, fits=fits)

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        plain = self.transform == "identity"
        sample_of = _plain_sample if plain else small_sample
        if metric.contrast is not None:
            scale: Literal["identity", "auto"] = "identity" if plain else "auto"
            return normal_intervals(metric, table, scale, error_of=placement_error, sample_of=sample_of)
        ordinary = _of_sums(table, self.transform)
        if ordinary is not None:
            return lambda level: _area_interval(ordinary, self.transform, table, level)
        value, error = observed_area(metric, table), placement_error(metric, table)
        degrees_of_freedom = np.asarray(table.design.degrees_of_freedom)
        extreme = ((value == 0) | (value == 1)) & (not plain)
        single = np.isnan(error) & np.isinf(degrees_of_freedom) & ~extreme  # a class of a single case
        shows = is_positive_error(error, value) | (plain & np.isfinite(error))
        why = np.where(degrees_of_freedom < 1, SINGLE_CLUSTER, CLUSTER_OF_CLASS)
        why = np.where(np.isfinite(error), CONSTANT, why)
        why = np.where(shows | extreme | single, "", np.where(all_equal(table), EQUAL, why))
        why = np.where(np.isnan(value), NO_CASE, why)
        traits = table.design.traits
        inflation, degrees = sample_of(metric, table)
        spread = error if traits.has_one_unit else error * np.sqrt(inflation)
        has_model = traits.has_one_unit and not traits.has_estimated_prevalence  # a variance by the class sizes
        if table.kind.has_thresholds and not plain and has_model:
            spread, degrees = _steadied(value, error, degrees, class_sizes(table), table.design.degrees_of_freedom)
        areas = _Areas(value, error, spread, degrees, extreme, why)
        other: Newcombe | Delta = Newcombe() if table.kind.has_thresholds else Delta()
        single &= why == ""
        fallback = other.at_levels(metric, table) if single.any() else None

        def interval(confidence_level: float) -> Interval:
            found = _area_interval(areas, self.transform, table, confidence_level)
            if fallback is None:
                return found
            own = fallback(confidence_level)
            words = f"a class has a single case: interval by {type(other).__name__}"
            low, high = np.where(single, own.low, found.low), np.where(single, own.high, found.high)
            return Interval(low, high, error, reason=np.where(single, words, found.reason))

        return interval


@final
@dataclass(frozen=True, slots=True)
class HanleyMcNeil(Method):
    """Interval of ROC AUC from the two class sizes and the area alone, assuming exponential scores.

    Parameters
    ----------
    transform : {"logit", "identity"}
        ``"logit"`` keeps the interval inside (0, 1); ``"identity"`` is the plain normal interval.

    Notes
    -----
    ``Var = (A(1-A) + (m-1)(A/(2-A) - A²) + (n-1)(2A²/(1+A) - A²)) / (m n)`` for m positive and n negative cases. The
    formula needs no other data; it is accurate only if the two score distributions are approximately exponential.

    References
    ----------
    Hanley, McNeil (1982), Radiology 143.

    Examples
    --------
    >>> round(hanley_mcneil_variance(0.893, 51, 58) ** 0.5, 4)
    0.0325
    """

    transform: Transform = "logit"

    name: ClassVar[str] = "hanley_mcneil"
    takes_batches: ClassVar[bool] = True
    ignores_empty_cells: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_scale(self.transform, TRANSFORMS)

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for the area of a table of labelled scores."""
        return suits_areas_of_scores(self, metric, table)

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        value, (others, number) = observed_area(metric, table), class_sizes(table)
        with np.errstate(all="ignore"):
            error = np.sqrt(hanley_mcneil_variance(value, number, others))
        extreme = ((value == 0) | (value == 1)) & (self.transform != "identity")
        why, degrees_of_freedom = np.where(np.isnan(value), NO_CASE, ""), table.design.degrees_of_freedom
        areas = _Areas(value, error, error, degrees_of_freedom, extreme, why)
        return lambda level: _area_interval(areas, self.transform, table, level)


@final
@dataclass(frozen=True, slots=True)
class Newcombe(Method):
    """Interval of ROC AUC with the variance evaluated at each limit, not at the estimate (Newcombe's method 5).

    Notes
    -----
    The interval contains the areas ``A`` with ``(A - observed)² <= z² V(A)``. Here V is Hanley and McNeil's variance
    with both ``m - 1`` and ``n - 1`` replaced by ``(m + n)/2 - 1``. The interval is never a point and stays inside
    [0, 1], so it is suitable for tiny samples and separated classes.

    References
    ----------
    Newcombe (2006), Statistics in Medicine 25:559–573.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    >>> print(hs.estimate(table, "roc_auc", method=Newcombe()))
    1.000 [0.501, 1.000]
    """

    name: ClassVar[str] = "newcombe"
    takes_batches: ClassVar[bool] = True
    ignores_empty_cells: ClassVar[bool] = True

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for the area of a table of labelled scores."""
        return suits_areas_of_scores(self, metric, table)

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        value, (others, number) = observed_area(metric, table), class_sizes(table)
        with np.errstate(all="ignore"):
            error = np.sqrt(newcombe_variance(value, number, others))

        def interval(confidence_level: float) -> Interval:
            degrees_of_freedom = table.design.degrees_of_freedom
            z = quantile(confidence_level, degrees_of_freedom)
            low, high = newcombe_limits(
                value, lambda area: newcombe_variance(area, number, others), confidence_level, degrees_of_freedom
            )
            reason = np.where(np.isfinite(z), "", SINGLE_CLUSTER)
            return _with_reason(low, high, error, np.where(np.isnan(value), NO_CASE, reason))

        return interval


@dataclass(frozen=True, slots=True, eq=False)
class _Areas:
    """Areas, their standard errors and the inputs of their intervals; a reason for each area without an interval."""

    value: Array
    error: Array
    spread: Array
    degrees_of_freedom: Any
    extreme: Array
    reason: Array


def _area_interval(areas: _Areas, transform: Transform, table: Table, level: float) -> Interval:
    """Return the interval on a scale: one-sided for an area of 0 or 1, nan if there is a reason."""
    value, error, extreme, why = areas.value, areas.error, areas.extreme, areas.reason
    z = quantile(level, areas.degrees_of_freedom)
    low, high = on_scale(transform, value, z * areas.spread, (0.0, 1.0))
    if extreme.any():
        sizes = class_sizes(table)
        smallest = np.maximum(np.where(sizes > 0, sizes, np.inf).min(0), 1.0)
        limit = ((1 - level) / 2) ** (1 / smallest)
        low = np.where(extreme, np.where(value == 1, limit, 0.0), low)
        high = np.where(extreme, np.where(value == 1, 1.0, 1 - limit), high)
    why = np.where((why == "") & ~extreme & ~np.isfinite(z), ONE_CLUSTER, why)
    found = _with_reason(low, high, error, why)
    return Interval(found.low, found.high, found.standard_error, reason=np.where(extreme, SEPARATED, found.reason))


def _with_reason(low: Array, high: Array, error: Array, reason: Array) -> Interval:
    """Return the interval, with nan limits if there is a reason."""
    low, high = (np.where(reason == "", limit, np.nan) for limit in (low, high))
    return Interval(low, high, np.where(reason == NO_CASE, np.nan, error), reason=reason)


def hanley_mcneil_variance(area: Any, positives: Any, negatives: Any) -> Any:
    """Return Hanley and McNeil's variance of an area."""
    square = area**2
    by_positive, by_negative = area / (2 - area) - square, 2 * square / (1 + area) - square
    pairs = positives * negatives
    return (area * (1 - area) + (positives - 1) * by_positive + (negatives - 1) * by_negative) / pairs


def newcombe_limits(
    value: Array, variance: Callable[[Array], Any], confidence_level: float, degrees_of_freedom: object = np.inf
) -> tuple[Array, Array]:
    """Return the areas whose distance from the observed one is z standard errors, with the variance at each of them.

    Parameters
    ----------
    value : ndarray
        The observed area.
    variance : callable
        Variance of an area, from the area.
    confidence_level : float
        Coverage, between 0 and 1.
    degrees_of_freedom : float or ndarray
        Degrees of freedom of the quantile; infinite (normal) by default.
    """
    z = quantile(confidence_level, degrees_of_freedom)

    def reserve(area: Array) -> Array:
        return np.asarray(z * np.sqrt(variance(area)) - np.abs(area - value))

    with np.errstate(all="ignore"):
        low, high = (root(reserve, value, np.full(value.shape, end), tiniest=2.0**-60) for end in (0.0, 1.0))
    return low, high


def newcombe_variance(area: Any, positives: Any, negatives: Any) -> Any:
    """Return the variance of an area in Newcombe's method 5."""
    half = (positives + negatives) / 2 - 1
    spread = 1 + half * ((1 - area) / (2 - area) + area / (1 + area))
    return area * (1 - area) * spread / (positives * negatives)


def _of_sums(table: Table, transform: Transform) -> _Areas | None:
    """Return the area of independent cases from sums in two passes over them, or None for other tables.

    The results equal those of the general code for any design.
    """
    if table.batch or not (table.kind.has_thresholds and table.design.traits.is_independent):
        return None
    sums = placement_sums(table.counts)
    if not (sums.cases >= 2).all():
        return None
    each = sums.squares / sums.cases**2
    error = float(np.sqrt((each * sums.cases / (sums.cases - 1)).sum()))
    if not (0 < sums.area < 1 and is_positive_error(error, sums.area)):
        return None
    welch = each.sum() ** 2 / (each**2 / (sums.cases - 1)).sum()
    tails = 2 * each.sum() ** 2 / (sums.fourths / sums.cases**4).sum()
    value, spread, degrees = np.asarray(sums.area), np.asarray(error), np.minimum(welch, tails)
    steady, degrees_of_freedom = spread, np.asarray(np.inf)
    if transform != "identity":
        steady, degrees_of_freedom = _steadied(value, spread, degrees, sums.cases, table.design.degrees_of_freedom)
    return _Areas(value, spread, steady, degrees_of_freedom, np.zeros((), dtype=bool), np.asarray(""))


def _steadied(
    value: Array, error: Array, degrees_of_freedom: object, sizes: Array, of_design: Any
) -> tuple[Array, Any]:
    """Return the standard error averaged with Newcombe's variance of the area, and its degrees of freedom."""
    others, number = sizes
    worth = np.where(np.isinf(of_design), STEADY, 1.0)  # for clusters the model variance is too large
    with np.errstate(all="ignore"):
        square, known = error**2, degrees_of_freedom + worth
        model = newcombe_variance(value, number, others)
        return np.sqrt(square + worth * (model - square) / known), known + worth * known / degrees_of_freedom


def class_sizes(table: Table) -> Array:
    """Return the effective number of cases of each class, ``(K, ...)``, the positive class last.

    With weights or clusters it is Kish's.
    """
    if table.design.traits.is_independent:  # effective number = number
        rest = tuple(range(1 - len(table.shape), 0))
        return np.stack([table.counts[..., place].sum(rest) for place in range(table.shape[-1])])
    sides = np.eye(table.shape[-1], dtype=bool)
    return np.stack([effective_sample_size(table, np.broadcast_to(side, table.shape)) for side in sides])


def placement_error(metric: Metric, table: Table) -> Array:
    """Return DeLong's standard error of an area or a contrast of two; nan for a class with a single case.

    The two areas may come from the same cases or from different ones.
    """
    with np.errstate(all="ignore"):
        return np.asarray(np.sqrt(placement_variance(table, metric.gradient_at(table.counted))))


def placement_variance(table: Table, slopes: Array) -> Array:
    """Return DeLong's variance from the derivatives of an area with respect to the counts, for each table of a batch.

    The derivative for a positive case is ``(placement - area) / n_pos``, and likewise for a negative one.
    """
    return VarianceDetails.of(table.design).placement_variance(
        table.cells, table.true_class, slopes.reshape(table.cells.shape)
    )


def _plain_sample(metric: Metric, table: Table) -> tuple[Any, Any]:
    """Return a variance factor of 1, and Welch's degrees of freedom if two test sets are compared.

    Each test set has the degrees of freedom of its design, at most its effective number of cases minus 1.
    """
    contrast, design = metric.contrast, table.design
    if contrast is None or len(design.test_sets) == 1:
        return large_sample(metric, table)
    variances, own = [], []
    with np.errstate(all="ignore"):
        slopes = metric.gradient_at(table.counted).reshape(table.cells.shape)
        for view in (contrast.first.view, contrast.second.view):
            inside, part = view.pulled_back(np.ones(view.shape), table.cells.shape[-1]), view.table(table)
            variances.append(placement_variance(table, slopes * inside))
            own.append(np.minimum(part.design.degrees_of_freedom, class_sizes(part).sum(0) - 1))
        each, total = np.stack(variances), sum(variances)
        found = total**2 / (each**2 / np.stack(own)).sum(0)
    return 1.0, np.where(np.isfinite(found), found, design.degrees_of_freedom)


def suits_areas_of_scores(method: Method, metric: Metric, table: Table) -> str:
    """Return "" for the area of labelled scores of two classes, otherwise the method to use instead."""
    fits = table.kind.has_thresholds and metric.contrast is None
    return needs_labels(method, table) or _not_an_area(method, metric, fits=fits)


def _not_an_area(method: Method, metric: Metric, *, fits: bool) -> str:
    area = metric.is_area if metric.contrast is None else metric.contrast.is_of_areas
    if area and fits:
        return ""
    is_difference = metric.contrast is not None and metric.contrast.effect.name == "difference"
    others = f"{'`Mover()`, ' if is_difference else ''}`Delta()` or `Bootstrap()`"  # Newcombe's other method is Mover's
    return f"`{type(method).__name__}` is for `roc_auc`, not for `{metric.name}`. Use {others}."


def observed_area(metric: Metric, table: Table) -> Array:
    """Return the area; within rounding of 0 or 1, exactly 0 or 1."""
    value = np.asarray(metric(table.counted), dtype=float)
    with np.errstate(invalid="ignore"):
        return np.where(value <= ROUNDING, 0.0, np.where(value >= 1 - ROUNDING, 1.0, value))


def all_equal(table: Table) -> Array:
    """Return whether all cases of each table have the same score."""
    assert isinstance(table, ScoresTable | MulticlassScoresTable)  # noqa: S101 - see `unsupported_reason`
    seen = (table.counts > 0).any(-1, keepdims=True)
    scores = table.scores.reshape(seen.shape[-2], -1)
    ends = (np.where(seen, scores, extreme) for extreme in (-np.inf, np.inf))
    highest, lowest = (function(each, -2) for function, each in zip((np.max, np.min), ends, strict=True))
    return np.asarray((highest == lowest).all(-1))

"""Intervals of the area under the ROC curve: DeLong, Hanley–McNeil, Newcombe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from howsure.designs.clusters import Clusters
from howsure.designs.separate import Separate
from howsure.errors import HowsureError
from howsure.methods.delta import Delta, normal_intervals
from howsure.methods.interval import CONSTANT, AtLevels, Interval, Method, quantile, shows_variation
from howsure.methods.scales import Scale
from howsure.metrics.contrast import Contrast
from howsure.metrics.metric import Metric
from howsure.tables.score_matrix import MulticlassScoresTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Array = NDArray[Any]
SEPARATED = "the classes are separated: one-sided limit"
NO_CASE = "one of the classes has no case"
A_CLUSTER = "one of the classes occurs in a single cluster, which shows no variation"
HALVINGS = 60  # of [0, 1]: beyond the precision of a float


@dataclass(frozen=True, slots=True)
class DeLong(Method):
    """Interval of ROC AUC from the variances of the placements, on the logit scale by default.

    Parameters
    ----------
    transform
        ``"logit"`` keeps the interval inside (0, 1); ``"identity"`` is the plain normal interval.

    Notes
    -----
    The variance is the sum over both classes of the placements' sample variance over the class's number of cases,
    from counts at distinct scores: O(n log n), ties exact. With weights the number is Kish's effective one; cases in
    clusters have Obuchowski's variance, with the covariance of the two classes within clusters. Where the classes
    are perfectly separated the placements do not vary; the open limit then is the exact one of as many agreeing
    pairs as the smallest class has cases. A class of a single case has no sample variance: Newcombe's interval.

    The difference of two areas of different test sets has Student's t with Welch's degrees of freedom.

    An average over many classes, one against the rest or in pairs, is a sum over the cases too: what a case adds to
    each of the areas is added up before squaring, so that their covariance is in it.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44; Sun, Xu (2014), IEEE Signal Processing Letters 21;
    Obuchowski (1997), Biometrics 53; Pepe (2003), section 5.2, for the logit scale.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.3, 0.6])
    >>> print(hs.estimate(table, "roc_auc", method=DeLong()))
    0.889 [0.261, 0.995]
    """

    transform: Literal["logit", "identity"] = "logit"

    name: ClassVar[str] = "delong"

    def at_levels(self, metric: Metric, table: Table) -> AtLevels:
        """Return the interval as a function of its level; see the class."""
        if metric.contrast is None:
            return lambda level: self._of_one_area(metric, table, level)
        scale: Scale = "identity" if self.transform == "identity" else "auto"
        return normal_intervals(
            metric, table, scale, error_of=contrast_error, degrees_of_freedom=contrast_freedom(metric, table)
        )

    def _of_one_area(self, metric: Metric, table: Table, confidence_level: float) -> Interval:
        value = observed_area(self, metric, table, (ScoresTable, MulticlassScoresTable))
        if np.isnan(value):
            return Interval(np.nan, np.nan, reason=NO_CASE)
        error = placement_error(metric, table)
        z = quantile(confidence_level, table.design.degrees_of_freedom)
        if self.transform == "identity" and np.isfinite(error):
            return Interval(value - z * error, value + z * error, error)
        if value in {0.0, 1.0} and self.transform != "identity":
            return _separated(value, error, table, confidence_level)
        if np.isnan(error) and not isinstance(table.design, Clusters):
            other: Newcombe | Delta = Newcombe() if isinstance(table, ScoresTable) else Delta()
            fallback = other.interval(metric, table, confidence_level)
            words = f"a class has a single case: interval by {type(other).__name__}"
            return Interval(fallback.low, fallback.high, error, reason=words)
        if not shows_variation(error, value):
            single = "a single cluster shows no variation" if table.design.degrees_of_freedom < 1 else A_CLUSTER
            equal = not np.ptp(table.scores, axis=0).any()
            words = "all scores are equal" if equal else CONSTANT if np.isfinite(error) else single
            return Interval(np.nan, np.nan, error, reason=words)
        return Interval(*_logit(value, z * error), error)


@dataclass(frozen=True, slots=True)
class HanleyMcNeil(Method):
    """Interval of ROC AUC from the two class sizes and the area alone, as if scores were exponential.

    Parameters
    ----------
    transform
        ``"logit"`` keeps the interval inside (0, 1); ``"identity"`` is the plain normal interval.

    Notes
    -----
    ``Var = (A(1-A) + (m-1)(A/(2-A) - A²) + (n-1)(2A²/(1+A) - A²)) / (m n)`` for m positive and n negative cases. It
    needs no data beyond that, and is right only where the shapes of the two distributions are about exponential.

    References
    ----------
    Hanley, McNeil (1982), Radiology 143.

    Examples
    --------
    >>> round(hanley_mcneil_variance(0.893, 51, 58) ** 0.5, 4)
    0.0325
    """

    transform: Literal["logit", "identity"] = "logit"

    name: ClassVar[str] = "hanley_mcneil"

    def at_levels(self, metric: Metric, table: Table) -> AtLevels:
        """Return the interval as a function of its level; see the class."""
        return lambda level: self._interval(metric, table, level)

    def _interval(self, metric: Metric, table: Table, confidence_level: float) -> Interval:
        """Return the interval; see the class."""
        value = observed_area(self, metric, table)
        if np.isnan(value):
            return Interval(np.nan, np.nan, reason=NO_CASE)
        others, number = class_sizes(table)
        error = float(np.sqrt(hanley_mcneil_variance(value, number, others)))
        z = quantile(confidence_level, table.design.degrees_of_freedom)
        if self.transform == "identity":
            return Interval(value - z * error, value + z * error, error)
        if value in {0.0, 1.0}:
            return _separated(value, error, table, confidence_level)
        return Interval(*_logit(value, z * error), error)


@dataclass(frozen=True, slots=True)
class Newcombe(Method):
    """Interval of ROC AUC that takes the variance at each limit, not at the estimate (Newcombe's method 5).

    Notes
    -----
    The areas ``A`` with ``(A - observed)² <= z² V(A)``, where V is Hanley and McNeil's variance with both ``m - 1``
    and ``n - 1`` replaced by ``(m + n)/2 - 1``. Never a point, and inside [0, 1]: it serves tiny and separated samples.

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

    def at_levels(self, metric: Metric, table: Table) -> AtLevels:
        """Return the interval as a function of its level; see the class."""
        return lambda level: self._interval(metric, table, level)

    def _interval(self, metric: Metric, table: Table, confidence_level: float) -> Interval:
        """Return the interval; see the class."""
        value = observed_area(self, metric, table)
        if np.isnan(value):
            return Interval(np.nan, np.nan, reason=NO_CASE)
        others, number = class_sizes(table)
        z = quantile(confidence_level, table.design.degrees_of_freedom)
        if not np.isfinite(z):
            return Interval(np.nan, np.nan, reason="a single cluster shows no variation")

        def outside(area: float) -> bool:
            return (area - value) ** 2 > z**2 * newcombe_variance(area, number, others)

        error = float(np.sqrt(newcombe_variance(value, number, others)))
        return Interval(_edge(outside, 0.0, value), _edge(outside, 1.0, value), error)


def _edge(outside: Callable[[float], bool], far: float, near: float) -> float:
    """Return where the interval around ``near`` ends on the way to ``far``."""
    if not outside(far):
        return far
    for _ in range(HALVINGS):
        middle = (far + near) / 2
        far, near = (middle, near) if outside(middle) else (far, middle)
    return near


def hanley_mcneil_variance(area: float, positives: float, negatives: float) -> float:
    """Return Hanley and McNeil's variance of an area."""
    square = area**2
    by_positive, by_negative = area / (2 - area) - square, 2 * square / (1 + area) - square
    pairs = positives * negatives
    return (area * (1 - area) + (positives - 1) * by_positive + (negatives - 1) * by_negative) / pairs


def newcombe_variance(area: float, positives: float, negatives: float) -> float:
    """Return the variance of an area in Newcombe's method 5."""
    half = (positives + negatives) / 2 - 1
    spread = 1 + half * ((1 - area) / (2 - area) + area / (1 + area))
    return area * (1 - area) * spread / (positives * negatives)


def class_sizes(table: Table) -> tuple[float, ...]:
    """Return the effective number of cases of each class, the positive one last (Kish's with weights or clusters)."""
    if table.design.is_independent or table.design.fixes_margins:
        return tuple(float(column.sum()) for column in table.counts.T)
    return tuple(
        float(table.effective_trials(np.broadcast_to(side, table.counts.shape)))
        for side in np.eye(table.counts.shape[-1], dtype=bool)
    )


def placement_error(metric: Metric, table: Table) -> float:
    """Return DeLong's standard error of the area; nan for a class of a single case (or cluster)."""
    slopes = metric.gradient(table.counted)
    with np.errstate(invalid="ignore"):
        return float(np.sqrt(placement_variance(table, slopes)))


def contrast_error(metric: Metric, table: Table) -> float:
    """Return DeLong's standard error of a contrast of two areas, on the same cases or on different ones.

    Raises
    ------
    HowsureError
        If it is a contrast of something else.
    """
    contrast = metric.contrast
    if contrast is None or not contrast.is_of_areas:
        message = f"`DeLong` is for `roc_auc`, not for `{metric.name}`. Use `Delta()` or `Bootstrap()`."
        raise HowsureError(message)
    with np.errstate(invalid="ignore"):
        slopes = metric.gradient(table.counted)
        if isinstance(table.design, Separate):
            return float(np.sqrt(sum(_separate_variances(contrast, table, table.design, slopes))))
        return float(np.sqrt(placement_variance(table, slopes)))


def contrast_freedom(metric: Metric, table: Table) -> float:
    """Return the degrees of freedom of a contrast's variance: Welch's where the areas are of different test sets.

    Each test set's own are those of its design, and at most its (effective) number of cases less one.
    """
    contrast, design = metric.contrast, table.design
    if contrast is None or not isinstance(design, Separate):
        return design.degrees_of_freedom
    with np.errstate(all="ignore"):
        slopes = metric.gradient(table.counted)
        variances = np.array(_separate_variances(contrast, table, design, slopes))
        parts = [side.view.table(table) for side in (contrast.first, contrast.second)]
        own = [min(part.design.degrees_of_freedom, sum(class_sizes(part)) - 1) for part in parts]
        found = float(variances.sum() ** 2 / (variances**2 / own).sum())
    return found if np.isfinite(found) else design.degrees_of_freedom


def _separate_variances(contrast: Contrast, table: Table, design: Separate, slopes: Array) -> list[float]:
    own = (side.view.table(table) for side in (contrast.first, contrast.second))
    return [
        placement_variance(part, each)
        for part, each in zip(own, _by_part(table, design.split(slopes.ravel())), strict=True)
    ]


def _by_part(table: Table, slopes: list[Array]) -> list[Array]:
    return [each.reshape(part.shape) for part, each in zip(table.tables, slopes, strict=True)]


def placement_variance(table: Table, slopes: Array, others: Array | None = None) -> float:
    """Return DeLong's variance from the slopes of the area by the counts, or the covariance with other slopes.

    Parameters
    ----------
    table
        A table of scores.
    slopes, others
        Derivatives ``(S, 2)``: of a positive case ``(placement - area) / n_pos``, of a negative one alike; with many
        classes ``(n, K)``.
    """
    second = slopes if others is None else others
    if isinstance(table.design, Clusters):
        return _obuchowski(table.design, slopes, second)
    squares = table.design.squares(table.cells)
    mass = table.counts if squares is None else squares.reshape(table.counts.shape)
    if squares is None and slopes.shape[1] > 2:  # noqa: PLR2004 - with two classes the means are zero
        slopes, second = (_centred(part, table.counts) for part in (slopes, second))
    spread = (mass * slopes * second).sum(0)
    sizes = np.array(class_sizes(table))
    seen = sizes > 0
    if (sizes[seen] < 2 - 1e-9).any():
        return float("nan")
    return float((spread[seen] * sizes[seen] / (sizes[seen] - 1)).sum())


def _centred(slopes: Array, counts: Array) -> Array:
    """Return slopes less their mean over each class's cases: totals that are fixed do not vary."""
    totals = counts.sum(0)
    means = np.divide((counts * slopes).sum(0), totals, out=np.zeros(len(totals)), where=totals > 0)
    return np.asarray(slopes - means)


def _obuchowski(design: Clusters, slopes: Array, others: Array) -> float:
    """Return Obuchowski's variance of the area from cases in clusters, or the covariance of two areas."""
    sides = np.eye(slopes.shape[1])
    first, second = (np.stack([design.totals(part * side) for side in sides]) for part in (slopes, others))
    # Clusters that hold a case of the class; the covariance of the classes is over all clusters.
    holds = [design.totals(np.broadcast_to(side, slopes.shape).copy()) > 0 for side in sides]
    present = np.array([design.multiplicity[held].sum() for held in holds])
    if (present[present > 0] < 2).any():  # noqa: PLR2004 - a variance needs two
        return float("nan")
    own = (first * second) @ design.multiplicity
    within = float(np.divide(own * present, present - 1, out=np.zeros(len(own)), where=present > 0).sum())
    across = float((first.sum(0) * second.sum(0)) @ design.multiplicity - own.sum())
    return max(within + design.number / (design.number - 1) * across, 0.0)


def observed_area(
    method: Method, metric: Metric, table: Table, kinds: tuple[type[Table], ...] = (ScoresTable,)
) -> float:
    """Return the area, exactly 0 or 1 where it is so up to rounding; refuse other metrics and tables."""
    if not metric.is_area or not isinstance(table, kinds):
        message = (
            f"`{type(method).__name__}` is for `roc_auc`, not for `{metric.name}`. Use `Delta()` or `Bootstrap()`."
        )
        raise HowsureError(message)
    value = float(metric(table.counted))
    rounding = 1e-12  # of sums of weights
    return value if rounding < value < 1 - rounding else value if np.isnan(value) else round(value)


def _logit(value: float, half: float) -> tuple[float, float]:
    odds, width = np.log(value / (1 - value)), half / (value * (1 - value))
    with np.errstate(over="ignore"):
        low, high = (float(1 / (1 + np.exp(-limit))) for limit in (odds - width, odds + width))
    return low, high


def _separated(value: float, error: float, table: Table, confidence_level: float) -> Interval:
    tail = (1 - confidence_level) / 2
    limit = float(tail ** (1 / max(min(filter(None, class_sizes(table))), 1.0)))
    if value == 1:
        return Interval(limit, 1.0, error, reason=SEPARATED)
    return Interval(0.0, 1 - limit, error, reason=SEPARATED)

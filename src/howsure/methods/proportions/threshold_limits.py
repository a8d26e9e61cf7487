"""Intervals of rates at a stated rate with an estimated threshold: limits of the threshold and of the rate there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.base import safe_divide
from howsure.methods.core.interval import CONSTANT, ONE_CLUSTER, UNDEFINED, Interval, IntervalAtLevel
from howsure.methods.core.method import Method
from howsure.methods.core.standard_errors import (
    effective_counts,
    is_positive_error,
    normal_quantile,
    quantile,
    standard_error,
)
from howsure.methods.numerics import binomial
from howsure.metrics.forms import OperatingPoint, Proportion
from howsure.metrics.metric import Metric
from howsure.metrics.operating import ROUNDING
from howsure.tables.table import Table

FEWEST = 1e-9  # cases, in place of none
LEAST_TOGETHER = 0.5  # of the variance of independent parts: a few clusters may cancel by chance


@final
@dataclass(frozen=True, slots=True)
class ThresholdLimits(Method):
    """Interval of a rate at a stated rate, combined from limits of the threshold and of the rate there.

    Notes
    -----
    Let T(x) be the observed true positive rate at the false positive rate x, and m and n the numbers of negative and
    positive cases. At the true threshold the observed false positive rate has mean x and variance x(1 − x)/m. The
    threshold therefore lies between those with the rates ``x ± d``, where ``d = z sqrt(x (1 - x) / m)`` (Woodruff
    1952). Let l and u be Wilson's limits of T(x) in n cases. The method of variance estimates recovery combines them
    with T at ``x ± d``: ``low = T(x) - sqrt((T(x) - T(x - d))² + (T(x) - l)²)``, and likewise for the upper limit. No
    density is estimated. If ``x m`` is less than about 4, the threshold may lie above all scores, with T(x − d) = 0.

    The precision at a recall r is ``π r / (π r + (1 - π) F)``, with F the false positive rate at r and π the
    prevalence. It has three such distances: F at the recalls ``r ± z sqrt(r (1 - r) / n)``, Wilson's limits of F, and
    those of π.

    For weighted or clustered data the numbers of cases are effective ones, which allow for Student's t. The distances
    are multiplied by the ratio of the delta-method standard error to that of independent parts. The square of this
    ratio is at least 1/2.

    For scores without labels the variance of both classes together is known. The interval is Wilson's, with the number
    of cases that matches this variance, or a normal one if that number is below 1.

    References
    ----------
    Woodruff (1952), Journal of the American Statistical Association 47:635–646; Zou, Donner (2008), Statistics in
    Medicine 27.

    Examples
    --------
    >>> import howsure as hs
    >>> truth, score = [0] * 20 + [1] * 20, [*range(20), *range(12, 32)]
    >>> print(hs.estimate(hs.scores(truth, score), "recall_at+fpr=0.3", method=ThresholdLimits()))
    0.900 [0.579, 1.000]
    """

    name: ClassVar[str] = "threshold_limits"

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for rates at a stated rate from scores of two classes, otherwise the reason why not."""
        if metric.contrast is not None or not isinstance(metric.structure, OperatingPoint):
            return (
                f"`ThresholdLimits` is for metrics such as `recall_at+fpr=0.1`, not for `{metric.name}`. Use `Delta()`."
            )
        return ""

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        point = metric.structure
        with np.errstate(all="ignore"):
            value = float(metric(table.counted))
        error = float(standard_error(metric, table))
        if not isinstance(point, OperatingPoint) or not np.isfinite(value):
            return lambda _: Interval(np.nan, np.nan, error, reason=UNDEFINED)
        if not table.design.traits.has_labels:
            return _of_expected(value, error, table)
        together = _together(metric, table, error)
        errors, hits = cumulated(table.counts[::-1, ::-1] if point.turned else table.counts)

        def interval(confidence_level: float) -> Interval:
            if not np.isfinite(quantile(confidence_level, table.design.degrees_of_freedom)):
                return Interval(np.nan, np.nan, error, reason=ONE_CLUSTER)
            if point.is_precision:
                below, above = _precision_reaches(table, errors, hits, point.rate, confidence_level)
            else:
                place = int(_within(errors, np.asarray(point.rate)))
                tried, own = _sizes(table, _class_shares(table, place, turned=point.turned), confidence_level)
                share = np.asarray(value)
                found = rate_reaches(errors, hits, np.asarray(point.rate), share, (tried, own), confidence_level)
                below, above = (float(each) for each in found)
            return Interval(max(value - together * below, 0.0), min(value + together * above, 1.0), error)

        return interval


def cumulated(counts: Array) -> tuple[Array, Array]:
    """Return the cases of either class at or above each threshold, from the top, ``(S + 1,)``; the first are 0."""
    above = np.zeros((2, len(counts) + 1))
    np.cumsum(counts[::-1].T, 1, out=above[:, 1:])
    return above[0], above[1]


def rate_reaches(
    errors: Array, hits: Array, rate: Array, share: Array, sizes: tuple[Any, Any], level: float
) -> tuple[Array, Array]:
    """Return the distances of the limits of true positive rates at given false positive rates, below and above them.

    Parameters
    ----------
    errors, hits : ndarray of shape (S + 1,)
        Negative and positive cases at or above each threshold.
    rate, share : ndarray of shape (...)
        False positive rates, and the true positive rates there.
    sizes : tuple of float or ndarray
        Effective numbers of the negative and of the positive cases.
    level : float
        The confidence level.
    """
    tried, own = sizes
    reach = normal_quantile(level) * np.sqrt(rate * (1 - rate) / np.maximum(tried, FEWEST))
    low, high = (safe_divide(hits[_within(errors, rate + sign * reach)], hits[-1]) for sign in (-1, 1))
    low = np.where(rate < reach, 0.0, low)
    lowest, highest = _wilson(share, own, level)
    below = np.hypot(np.maximum(share - low, 0.0), share - lowest)
    return below, np.hypot(np.maximum(high - share, 0.0), highest - share)


def _class_shares(table: Table, place: int, *, turned: bool = False) -> list[Proportion]:
    """Return the false and the true positive rate at a threshold from the top.

    With ``turned`` the classes are exchanged, and thresholds start at the lowest score.
    """
    rows = np.arange(len(table.counts))
    above = rows < place if turned else rows >= len(rows) - place
    classes = (np.broadcast_to(np.arange(2) == side, table.counts.shape) for side in ((1, 0) if turned else (0, 1)))
    return [_share(above[:, None] & tried, tried) for tried in classes]


def _share(met: Array, tried: Array) -> Proportion:
    return Proportion(met, tried, (1.0, 1.0), (0.0, 1.0))


def _sizes(table: Table, shares: Sequence[Proportion], level: float) -> list[float]:
    """Return the effective number of cases of each proportion."""
    return [float(effective_counts(share, table, level)[1]) for share in shares]


def _within(errors: Array, rate: Array) -> Array:
    """Return the lowest threshold, from the top, whose false positive rate is at most the given one; 0 if none is."""
    return np.asarray(np.maximum(np.searchsorted(errors, rate * errors[-1] * (1 + ROUNDING), side="right") - 1, 0))


def _precision_reaches(table: Table, errors: Array, hits: Array, rate: float, level: float) -> tuple[float, float]:
    """Return the distances of the limits of the precision at a recall, below and above it."""

    def first(recall: float) -> int:
        return min(int(np.searchsorted(hits, recall * hits[-1] * (1 - ROUNDING))), len(hits) - 1)

    place = first(rate)
    rates = _class_shares(table, place)
    positives = rates[1].trials
    others, tried, cases = _sizes(table, [*rates, _share(positives, np.ones_like(positives))], level)
    recall, false = hits[place] / hits[-1], float(safe_divide(errors[place], errors[-1]))
    prevalence = hits[-1] / (hits[-1] + errors[-1])
    reach = normal_quantile(level) * np.sqrt(rate * (1 - rate) / max(tried, FEWEST))

    def precision(share: Any, rate: Any) -> Any:
        right = share * recall
        return safe_divide(right, right + (1 - share) * rate)

    def moved(recall: float) -> float:
        return 1.0 if recall > 1 else float(safe_divide(errors[first(recall)], errors[-1]))

    shares, wrong = _wilson(np.asarray(prevalence), cases, level), _wilson(np.asarray(false), others, level)
    value = precision(prevalence, false)
    worst = precision(prevalence, max(moved(rate + reach), false)), precision(prevalence, wrong[1])
    best = precision(prevalence, min(moved(rate - reach), false)), precision(prevalence, wrong[0])
    below, above = (
        np.linalg.norm(np.array([*ends, precision(share, false)], dtype=float) - value)
        for ends, share in zip((worst, best), shares, strict=True)
    )
    return float(below), float(above)


def _of_expected(value: float, error: float, table: Table) -> IntervalAtLevel:
    """Return the interval of a rate of expected counts, from its standard error."""
    degrees_of_freedom = table.design.degrees_of_freedom

    def interval(confidence_level: float) -> Interval:
        if not is_positive_error(error, value):
            return Interval(np.nan, np.nan, error, reason=CONSTANT)
        reach = float(quantile(confidence_level, degrees_of_freedom))
        n_effective = value * (1 - value) / error**2 * (normal_quantile(confidence_level) / reach) ** 2
        if n_effective < 1:
            return Interval(max(value - reach * error, 0.0), min(value + reach * error, 1.0), error)
        low, high = _wilson(np.asarray(value), n_effective, confidence_level)
        return Interval(float(low), float(high), error)

    return interval


def _wilson(share: Array, trials: Any, level: float) -> tuple[Array, Array]:
    """Return Wilson's limits; 0 and 1 without trials, the proportion itself for infinitely many."""
    known = np.isfinite(trials) & (np.asarray(trials) > 0)
    number = np.where(known, trials, 1.0)
    limits = binomial.wilson(share * number, number, level)
    low, high = (
        np.where(known, found, np.where(np.equal(trials, np.inf), share, end))
        for found, end in zip(limits, (0.0, 1.0), strict=True)
    )
    return low, high


def _together(metric: Metric, table: Table, error: float) -> float:
    """Return the ratio of the standard error to that of independent parts: two rates and the prevalence."""
    if table.design.traits.is_independent:
        return 1.0
    cells, slopes = table.cells, np.nan_to_num(metric.gradient_at(table.counted).reshape(-1), posinf=0.0, neginf=0.0)
    sides = [table.true_class == side for side in (0, 1)]
    means = [float(safe_divide(cells[side] @ slopes[side], cells[side].sum())) for side in sides]
    parts = [np.where(side, slopes - mean, 0.0) for side, mean in zip(sides, means, strict=True)]
    parts.append(np.where(sides[0], *means))  # of the prevalence
    apart = sum(float(table.variance(part)) for part in parts)
    return float(np.sqrt(max(error**2 / apart, LEAST_TOGETHER))) if apart > 0 and error > 0 else 1.0

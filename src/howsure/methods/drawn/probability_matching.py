"""Limits of posterior draws, matched to confidence limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.methods.core.standard_errors import standard_error
from howsure.methods.drawn.jackknife import jackknife, variance_of_jackknife
from howsure.methods.proportions.proportion import MidP
from howsure.metrics.metric import Metric
from howsure.tables.counts import ClassCounts, Counts
from howsure.tables.table import Table

Limits = Callable[[float], tuple[Any, Any]]


def of_proportion(metric: Metric, table: Table, quantiles: Limits) -> Limits:
    """Return the limits of a proportion by level; the given quantiles if it has no trials.

    They are quantiles of the even mixture of Beta(x + 1, n − x) and Beta(x, n − x + 1): the mid-p limits.
    """
    at_level = MidP().at_levels(metric, table)

    def limits(confidence_level: float) -> tuple[Any, Any]:
        found = at_level(confidence_level)
        return (found.low, found.high) if np.isfinite(found.low) else quantiles(confidence_level)

    return limits


def averages_all_classes(metric: Metric, counts: Counts) -> bool:
    """Return whether the metric, or that of both models of a contrast, averages all classes or none."""
    if metric.contrast is not None:
        sides = metric.contrast.first, metric.contrast.second
        return all(averages_all_classes(side.metric, counts.through(side.view)) for side in sides)
    if metric.per_class is None or not isinstance(counts, ClassCounts):
        return True
    return metric.spec is not None or not np.isnan(metric.per_class(counts)).any()  # a bound one fixes its classes


def matched(quantiles: Limits, draws: Array, metric: Metric, middle: Counts | None, sample: Table | None) -> Limits:
    """Return matched limits by level, from the limits of draws.

    Parameters
    ----------
    quantiles : callable
        The limits of the draws at a level.
    draws : ndarray of shape (draws,)
        The metric on each drawn table; finite.
    metric : Metric
        The metric, bound to the table.
    middle : Counts, optional
        The mean of the drawn tables. Limits are shifted by twice the effect of curvature on the mean of the draws.
    sample : Table, optional
        The table of the cases, if the draws have no other information. The limits are then stretched to the sampling
        variation of the metric, and contain its value.
    """
    mean, (lowest, highest) = float(draws.mean()), metric.range
    with np.errstate(all="ignore"):
        value_of_middle = mean if middle is None else float(metric(middle))
    if not np.isfinite(value_of_middle):
        return quantiles
    centre, spread, value = 2 * value_of_middle - mean, 1.0, np.nan
    if sample is not None:
        spread, value = _spread(draws, metric, sample), float(metric.value_at(sample.counted))

    def limits(confidence_level: float) -> tuple[Any, Any]:
        low, high = (centre + spread * (float(each) - mean) for each in quantiles(confidence_level))
        least = lowest if value <= lowest else max(lowest, np.fmin(low, value))
        most = highest if value >= highest else min(highest, np.fmax(high, value))
        return least, most

    return limits


def _spread(draws: Array, metric: Metric, sample: Table) -> float:
    """Return the ratio of the metric's standard error to the standard deviation of the draws, at least 1.

    For a proportion of n cases, the expected delta-method variance is (n − 1) / n times the true one, and that of the
    jackknife n / (n − 1) times; their mean is accurate to second order. The draws have (n − 1) / (n + 1) times the true
    variance, plus the part of the unseen cases.
    """
    variance = (standard_error(metric, sample) ** 2 + variance_of_jackknife(*jackknife(metric, sample))) / 2
    drawn = float(draws.var())
    return math.sqrt(variance / drawn) if variance > drawn > 0 else 1.0

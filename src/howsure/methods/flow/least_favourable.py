"""Intervals from the metric at the two tables at a given distance along which it changes fastest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.base import RELATIVE_TOLERANCE
from howsure.designs.refit import Refittable
from howsure.methods.core.interval import CONSTANT, ONE_CLUSTER, UNDEFINED, Interval, IntervalAtLevel
from howsure.methods.core.method import Method
from howsure.methods.core.standard_errors import critical_value, is_positive_error, small_sample, standard_error
from howsure.methods.flow.path_extremes import PathExtremes
from howsure.methods.flow.refitted import limits_at_levels
from howsure.metrics.averages import EXTREMES
from howsure.metrics.forms import Distance, Rank
from howsure.metrics.metric import Metric
from howsure.tables.table import Table
from howsure.tables.variances import variance_at

Limits = Callable[[float, float], tuple[float, float]]  # quantile, level → low, high
STEPS = np.sinh(np.arange(0, 28, 0.05))  # standard errors of a way's stops, closest where it begins, up to 10^12
MOST_CELLS = 400  # whose covariances with the metric are found cell by cell


@final
@dataclass(frozen=True, slots=True)
class LeastFavourable(Method):
    """Interval from the metric at two tables: those in the direction in which it changes fastest.

    Notes
    -----
    Some tables are a known function of several independent samples (`Refittable.refit`), for example those of
    `transported`. To first order the metric then changes by gᵢ·pᵢ with the proportions pᵢ of sample i. The mean of gᵢ
    is a proportion of the range between its least and its greatest value. Its binomial limit is at a distance rᵢ:
    Jeffreys', or mid-p if all cases of the sample agree. All samples move jointly along their covariances with gᵢ, each
    by the fraction ``rᵢ / √Σ rᵢ²`` of its distance, and the limit is the metric of the table estimated there. This is
    repeated twice with the mean of the gradients at both ends; the farthest value is the limit. If the metric is
    linear, this is the method of variance estimates recovery. If it is nonlinear, as with a class that hardly occurs,
    the limit follows the curvature and stays in the range.

    For other estimates the table moves along its covariance with the metric. With gradient g and covariance Σ of the
    table T, the table at a distance of z standard errors is displaced by ``z Σg / √(g·Σg)``. The limits are extremes
    of the metric along the way to these two tables, with negative cells set to zero.

    References
    ----------
    Stein (1956), Third Berkeley Symposium, on the one-dimensional problem that is as hard as the whole; Zou, Donner
    (2008), Statistics in Medicine 27.

    Examples
    --------
    >>> import howsure as hs
    >>> source = hs.from_counts([[900, 100], [50, 450]], labels=["ok", "fault"])
    >>> there = hs.transported(source, {"ok": 8900, "fault": 1100})
    >>> print(hs.estimate(there, "mcc", method=hs.methods.LeastFavourable()), hs.estimate(there, "mcc", method="delta"))
    0.284 [0.000, 0.476] 0.284 [0.008, 0.560]
    """

    name: ClassVar[str] = "least_favourable"

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for smooth metrics of one estimated table with few cells, otherwise the reason why not."""
        estimated = (
            not table.design.traits.is_counted and table.design.traits.has_labels and not table.design.traits.is_exact
        )
        if not estimated or len(table.design.test_sets) > 1 or metric.contrast is not None or table.batch:
            return "`LeastFavourable` is for one table of estimated counts, as from `transported`. Use `Delta()`."
        if table.cells.size > MOST_CELLS:
            return (
                f"`LeastFavourable` is for tables of up to {MOST_CELLS} cells, not {table.cells.size}. Use `Delta()`."
            )
        if isinstance(metric.structure, Rank | Distance) or metric.average in EXTREMES:
            return f"`LeastFavourable` is for smooth metrics, and `{metric.name}` is none. Use `Delta()`."
        return ""

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        with np.errstate(all="ignore"):
            value, error = float(metric(table.counted)), float(standard_error(metric, table))
            gradient = metric.finite_gradient(table.counted).ravel()
        known = small_sample(metric, table)
        refit = Refittable.of(table.design).refit
        if refit is not None and len(refit.observed) <= MOST_CELLS and np.isfinite(value):
            limits = limits_at_levels(metric, table, refit, value, gradient)
        else:
            limits = _straight(metric, table, value, error, gradient)

        def interval(confidence_level: float) -> Interval:
            z = float(critical_value(confidence_level, *known))
            if not (np.isfinite(value) and np.isfinite(z)):
                reason = ONE_CLUSTER if np.isfinite(value) else UNDEFINED
                return Interval(np.nan, np.nan, error, reason=reason)
            low, high = limits(z, confidence_level)
            if not (np.isfinite(low) and np.isfinite(high) and is_positive_error(high - low, value)):
                return Interval(np.nan, np.nan, error, reason=CONSTANT)
            return Interval(low, high, error)

        return interval


def _straight(metric: Metric, table: Table, value: float, error: float, gradient: Array) -> Limits:
    """Return the limits along the table's covariance with the metric, as a function of quantile and level."""
    # For a value of zero the standard error may be a rounding error.
    if not (np.isfinite(value) and error > RELATIVE_TOLERANCE * float(np.abs(gradient).max()) * table.cells.sum()):
        return lambda *_: (np.nan, np.nan)
    direction = _direction(table, gradient)

    def way(direction: Array) -> PathExtremes:
        moved = np.maximum(table.cells + STEPS[:, None] * direction, RELATIVE_TOLERANCE * table.cells.sum())
        with np.errstate(all="ignore"):
            return PathExtremes(STEPS, np.vstack([[value], np.reshape(metric(table.make_counts(moved[1:])), (-1, 1))]))

    down, up = way(-direction), way(direction)
    return lambda z, _: (float(down.lowest(np.array([z]))[0]), float(up.highest(np.array([z]))[0]))


def _direction(table: Table, gradient: Array) -> Array:
    """Return the covariance of each cell with the linear form, over the form's standard error."""
    step = float(np.abs(gradient).max())
    units = step * np.eye(len(gradient))
    up, down = (
        np.array([variance_at(table, table.cells, gradient + sign * unit) for unit in units]) for sign in (1, -1)
    )  # one by one: not all designs take batches
    spread = float(variance_at(table, table.cells, gradient))
    return np.asarray((up - down) / (4 * step * np.sqrt(spread)))

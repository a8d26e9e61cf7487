"""Intervals from the metric itself at two tables, so and so many standard errors away in the direction that counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from howsure.designs.base import DUST
from howsure.methods.interval import CONSTANT, ONE_CLUSTER, UNDEFINED, AtLevels, Interval
from howsure.methods.method import Method
from howsure.methods.standard_errors import critical_value, shows_variation, small_sample, standard_error
from howsure.methods.ways import Ways
from howsure.metrics.averages import EXTREMES
from howsure.metrics.metric import Metric
from howsure.tables.table import Table

Array = NDArray[Any]
STEPS = np.sinh(np.arange(0, 28, 0.05))  # standard errors of a way's stops, closest where it begins, up to 10^12
MOST_CELLS = 400  # whose covariances with the metric are found cell by cell


@final
@dataclass(frozen=True, slots=True)
class LeastFavourable(Method):
    """The metric where the table is moved along its covariance with the metric, as far as the level asks.

    Notes
    -----
    To first order a metric with gradient g varies as ``g·T``, and the table T most likely to be met when that is z
    standard errors off has moved by ``z Σg / √(g·Σg)``, Σ its covariance. The limits are the extremes of the metric on
    the ways to these two tables, cells below zero set to zero. Where the metric is a straight line there this is the
    normal interval; where it bends, as with a class that hardly occurs, it follows the bend, and stays in the range by
    itself.

    References
    ----------
    Stein (1956), Third Berkeley Symposium, on the one-dimensional problem that is as hard as the whole.

    Examples
    --------
    >>> import howsure as hs
    >>> source = hs.from_counts([[900, 100], [50, 450]], labels=["ok", "fault"])
    >>> there = hs.transported(source, {"ok": 8900, "fault": 1100})
    >>> print(hs.estimate(there, "mcc", method=hs.LeastFavourable()), hs.estimate(there, "mcc", method="delta"))
    0.284 [0.000, 0.488] 0.284 [0.008, 0.560]
    """

    name: ClassVar[str] = "least_favourable"

    def suits(self, metric: Metric, table: Table) -> str:
        """Return an empty text for smooth metrics of one estimated table of few cells."""
        estimated = not table.design.is_counted and table.design.has_labels and not table.design.is_exact
        if not estimated or len(table.design.test_sets) > 1 or metric.contrast is not None or table.batch:
            return "`LeastFavourable` is for one table of estimated counts, as from `transported`. Use `Delta()`."
        if table.cells.size > MOST_CELLS:
            return (
                f"`LeastFavourable` is for tables of up to {MOST_CELLS} cells, not {table.cells.size}. Use `Delta()`."
            )
        if metric.rank is not None or metric.distance is not None or metric.average in EXTREMES:
            return f"`LeastFavourable` is for smooth metrics, and `{metric.name}` is none. Use `Delta()`."
        return ""

    def at_levels(self, metric: Metric, table: Table, rng: Any = None) -> AtLevels:
        """Return the interval as a function of its level; see the class."""
        with np.errstate(all="ignore"):
            value, error = float(metric(table.counted)), float(standard_error(metric, table))
            slopes = metric.slopes(table.counted).ravel()
        # Of a value of zero an error may be rounding too.
        usable = np.isfinite(value) and error > DUST * float(np.abs(slopes).max()) * table.cells.sum()
        direction = _direction(table, slopes) if usable else table.cells
        known = small_sample(metric, table)

        def way(direction: Array) -> Ways:
            moved = np.maximum(table.cells + STEPS[:, None] * direction, DUST * table.cells.sum())
            with np.errstate(all="ignore"):
                return Ways(STEPS, np.vstack([[value], np.reshape(metric(table.wrap(moved[1:])), (-1, 1))]))

        down, up = way(-direction), way(direction)

        def interval(confidence_level: float) -> Interval:
            z = float(critical_value(confidence_level, *known))
            if not (np.isfinite(value) and np.isfinite(z)):
                reason = ONE_CLUSTER if np.isfinite(value) else UNDEFINED
                return Interval(np.nan, np.nan, error, reason=reason)
            low, high = float(down.lowest(np.array([z]))[0]), float(up.highest(np.array([z]))[0])
            if not (usable and np.isfinite(low) and np.isfinite(high) and shows_variation(high - low, value)):
                return Interval(np.nan, np.nan, error, reason=CONSTANT)
            return Interval(low, high, error)

        return interval


def _direction(table: Table, gradient: Array) -> Array:
    """Return the covariance of each cell with the linear form, over the form's standard error."""
    step = float(np.abs(gradient).max())
    units = step * np.eye(len(gradient))
    up, down = (
        np.array([table.variance_at(table.cells, gradient + sign * unit) for unit in units]) for sign in (1, -1)
    )  # one by one: not all designs take batches
    spread = float(table.variance_at(table.cells, gradient))
    return np.asarray((up - down) / (4 * step * np.sqrt(spread)))

"""Joint computation of the intervals of all metrics with the same method and table."""

from __future__ import annotations

from collections.abc import Sequence

from howsure.arrays import Seed
from howsure.methods.core.interval import Interval
from howsure.methods.core.lookup import named
from howsure.methods.core.method import DrawingMethod, Method
from howsure.methods.default import checked
from howsure.metrics.binding import smallest
from howsure.metrics.metric import Metric
from howsure.tables.table import Table

Answer = tuple[Method, Interval]


def batched_intervals(
    table: Table, metrics: Sequence[Metric], method: Method | None, level: float, seed: Seed = None
) -> dict[int, Answer]:
    """Return method and interval of each metric by its position; for a batch, only if both accept batches.

    Parameters
    ----------
    table : Table
        A table, or a batch.
    metrics : sequence of Metric
        Metrics bound to the table.
    method : Method, optional
        A method that does not draw; by default the default method of each metric.
    level : float
        Confidence level of the two-sided interval.
    seed : seed, optional
        Seed for default methods that draw.
    """
    passes: dict[tuple[str, int], tuple[Method, Table, dict[int, Metric]]] = {}
    for place, metric in enumerate(metrics):
        small, same = smallest(*own_table(table, metric))
        chosen = checked(method, same, small)
        if not table.batch or (chosen.takes_batches and same.takes_batches):
            passes.setdefault((chosen.name, id(small)), (chosen, small, {}))[2][place] = same
    found: dict[int, Answer] = {}
    for chosen, small, bound in passes.values():
        intervals = chosen.intervals(list(bound.values()), small, level, seed)
        found |= {place: (chosen, interval) for place, interval in zip(bound, intervals, strict=True)}
    return found


def own_table(table: Table, metric: Metric) -> tuple[Table, Metric]:
    """Return the smaller table that determines a metric, if there is one, and the metric bound to it."""
    return (table, metric) if metric.reduced_to is None else metric.reduced_to(table)


def method_and_table(metric: Metric, table: Table, method: Method | None) -> tuple[Method, Metric, Table]:
    """Return the method for a metric of one table, and the smallest table that it needs with the metric bound to it.

    Parameters
    ----------
    metric : Metric
        Bound to the table.
    table : Table
        One table.
    method : Method, optional
        The requested method; by default that of the design, or the default method of the metric.
    """
    wanted = named(table.design.traits.default_method or None) if method is None else method
    own, metric = own_table(table, metric)
    small, same = (own, metric) if isinstance(wanted, DrawingMethod) else smallest(own, metric)
    return checked(wanted, same, small), same, small

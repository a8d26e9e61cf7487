"""Estimates of one metric at several confidence levels."""

from __future__ import annotations

from collections.abc import Sequence

from howsure.estimates.batched_intervals import method_and_table, own_table
from howsure.estimates.estimate import Estimate, Quantity
from howsure.estimates.estimation import finished
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.table import Table


def estimates_at(table: Table, asked: str | Spec | Metric, levels: Sequence[float]) -> list[Estimate]:
    """Return the estimate of a metric by its default method at each level; what the levels share is computed once.

    Parameters
    ----------
    table : Table
        One table.
    asked : str, Spec or Metric
        The metric.
    levels : sequence of float
        The confidence levels.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> [str(each) for each in estimates_at(table, "accuracy", [0.9, 0.99])]
    ['0.920 [0.866, 0.957]', '0.920 [0.829, 0.972]']
    """
    metric = resolve(asked, table)
    method, same, small = method_and_table(metric, table, None)
    interval, own = method.at_levels(same, small), own_table(table, metric)
    quantity = Quantity.of(metric, table)
    return [finished(quantity, *own, level, method, interval(level).to_scalars()) for level in levels]

"""The method that suits a metric of a table: the first of an ordered list."""

from __future__ import annotations

from howsure.methods.interval import Method
from howsure.metrics.metric import Metric
from howsure.tables.table import Table


def default_method(metric: Metric, table: Table) -> Method:
    """Return the method that suits a metric."""
    from howsure.methods import automatic

    return automatic(metric, table)

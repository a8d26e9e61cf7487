"""Metrics of rates within the classes, as recall is: that class shares are estimates does not matter to them."""

from __future__ import annotations

import math

import numpy as np

from howsure.metrics.metric import Metric
from howsure.tables.table import Table


def is_within_classes(metric: Metric, table: Table) -> bool:
    """Whether a metric of a table with estimated class shares is the same in any shares.

    Where a class hardly occurs, methods that move its counts say that nothing is known of such a metric. It is known
    as well as the labelled cases tell it.
    """
    if not table.design.estimates_shares or metric.contrast is not None or table.batch:
        return False
    cells = np.arange(1.0, table.cells.size + 1)  # any will do whose rates differ from class to class
    with np.errstate(all="ignore"):
        value, other = (float(metric(table.wrap(cells * scale))) for scale in (1.0, (table.truth + 1.0) ** 2))
    return math.isclose(value, other, rel_tol=1e-9)

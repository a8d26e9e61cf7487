"""Metrics of rates within the classes, such as recall, which do not depend on estimated class frequencies."""

from __future__ import annotations

import math

import numpy as np

from howsure.metrics.metric import Metric
from howsure.tables.table import Table


def is_within_classes(metric: Metric, table: Table) -> bool:
    """Return whether a metric of a table with estimated class frequencies is the same for all class frequencies.

    If a class hardly occurs, methods that move its counts give uninformative intervals for such a metric. Its precision
    depends only on the labelled cases.
    """
    if not table.design.traits.has_estimated_prevalence or metric.contrast is not None or table.batch:
        return False
    cells = (
        np.arange(1.0, table.cells.size + 1) ** 2
    )  # not linear: the middle class would have the same rate in each row
    with np.errstate(all="ignore"):
        value, other = (
            float(metric(table.make_counts(cells * scale))) for scale in (1.0, (table.true_class + 1.0) ** 2)
        )
    return math.isclose(value, other, rel_tol=1e-9)

"""The jackknife: a metric on the tables without one unit, and what these values say of its distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.metrics.metric import Metric
from howsure.tables.table import Table

Array = NDArray[Any]
MOST_ENTRIES = 2**22  # of the tables without a unit, all together


def jackknife(metric: Metric, table: Table) -> tuple[Array, Array]:
    """Return the metric on each table without one unit, and how many units each of them stands for.

    Of many cells the values are told from the gradient, up to a constant: leaving each out is quadratic in them.
    """
    cells = table.cells
    if np.count_nonzero(cells) * cells.size > MOST_ENTRIES:
        found = table.design.influences(cells, metric.gradient(table.counted).ravel())
        if found is not None:
            return -found[0], found[1]
    with np.errstate(all="ignore"):
        pairs = [(metric(table.wrap(tables)), number) for tables, number in table.design.left_out(cells)]
    if not pairs:  # no cell has a case
        return np.empty(0), np.empty(0)
    values, numbers = zip(*pairs, strict=True)
    return np.concatenate(values), np.concatenate(numbers)


def variance_of_jackknife(values: Array, number: Array) -> float:
    """Return the jackknife variance from values, each of which stands for a number of units; undefined ones apart.

    Examples
    --------
    Of a share of 3 of 4 it is that of the sample, with its own degrees of freedom:

    >>> round(variance_of_jackknife(np.array([2 / 3, 1.0]), np.array([3, 1])), 9), 3 / 4 * 1 / 4 / (4 - 1)
    (0.0625, 0.0625)
    """
    deviations, number = _deviations(values, number)
    units = float(number.sum())
    return (units - 1) / units * float((number * deviations**2).sum()) if units > 0 else 0.0


def skewness_of_jackknife(values: Array, number: Array) -> float:
    """Return the BCa acceleration from jackknife values, each of which stands for a number of units."""
    deviations, number = _deviations(values, number)
    square = float((number * deviations**2).sum())
    return float((number * deviations**3).sum()) / (6 * square**1.5) if square > 0 else 0.0


def _deviations(values: Array, number: Array) -> tuple[Array, Array]:
    """Return how far the defined values are below their mean, and for how many units each stands."""
    defined = np.isfinite(values)
    values, number = values[defined], number[defined]
    units = number.sum()
    return ((number * values).sum() / units - values if units > 0 else values), number

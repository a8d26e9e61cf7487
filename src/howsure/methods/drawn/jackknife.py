"""The jackknife: the metric on tables from which one unit is left out, its variance and skewness."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.designs.resampling import Resampling
from howsure.designs.variance_details import VarianceDetails
from howsure.metrics.metric import Metric
from howsure.tables.table import Table

MOST_ENTRIES = 2**22  # of the tables without a unit, all together


def jackknife(metric: Metric, table: Table) -> tuple[Array, Array]:
    """Return the metric on tables from which one unit is left out, and the number of units that each represents.

    With many cells the values are linear approximations from the gradient, up to a constant: the exact computation is
    quadratic in the number of cells.
    """
    cells = table.cells
    if np.count_nonzero(cells) * cells.size > MOST_ENTRIES:
        found = VarianceDetails.of(table.design).influence_functions(cells, metric.gradient(table.counted).ravel())
        if found is not None:
            return -found[0], found[1]
    with np.errstate(all="ignore"):
        pairs = [
            (metric(table.make_counts(tables)), number)
            for tables, number in Resampling.of(table.design).leave_one_out(cells)
        ]
    if not pairs:  # no cell has a case
        return np.empty(0), np.empty(0)
    values, numbers = zip(*pairs, strict=True)
    return np.concatenate(values), np.concatenate(numbers)


def variance_of_jackknife(values: Array, number: Array) -> float:
    """Return the jackknife variance from values that represent several units each; undefined values are left out.

    Examples
    --------
    For a proportion of 3/4 in 4 cases it equals the sample variance, with n - 1:

    >>> round(variance_of_jackknife(np.array([2 / 3, 1.0]), np.array([3, 1])), 9), 3 / 4 * 1 / 4 / (4 - 1)
    (0.0625, 0.0625)
    """
    deviations, number = _deviations(values, number)
    units = float(number.sum())
    return (units - 1) / units * float((number * deviations**2).sum()) if units > 0 else 0.0


def skewness_of_jackknife(values: Array, number: Array) -> float:
    """Return the BCa acceleration from jackknife values that represent several units each."""
    deviations, number = _deviations(values, number)
    square = float((number * deviations**2).sum())
    return float((number * deviations**3).sum()) / (6 * square**1.5) if square > 0 else 0.0


def _deviations(values: Array, number: Array) -> tuple[Array, Array]:
    """Return the deviations of the defined values below their mean, and the number of units of each."""
    defined = np.isfinite(values)
    values, number = values[defined], number[defined]
    units = number.sum()
    return ((number * values).sum() / units - values if units > 0 else values), number

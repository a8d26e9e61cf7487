"""Metrics of predicted numbers: by the cells' errors, the prediction less the truth, and by the truth.

Counts have shape ``(..., cells)`` over the distinct pairs of both. Repeating every case changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howsure.arrays import Array
from howsure.metrics.forms import divide
from howsure.metrics.kinds import Form
from howsure.metrics.registry import Scored, declare
from howsure.metrics.values import deviations, mean_of
from howsure.tables.values import ErrorsTable


def _examples() -> Iterator[ErrorsTable]:
    rng = np.random.default_rng(0)
    actual = rng.normal(size=11)
    error = np.sort(rng.normal(0, 0.5, 11))
    yield ErrorsTable(counts=rng.integers(1, 20, 11) * 1.0, predicted=actual + error, actual=actual)


errors_metric = declare(  # (table of true and predicted numbers, arguments) → Scored
    Form(
        name="errors",
        maker="a table of errors: `values(prediction, truth=…)`",
        examples=_examples,
    )
)


def _largest(table: ErrorsTable) -> float:
    return np.inf if table.bounds is None else float(table.bounds[1])


def absolute_error(table: ErrorsTable) -> Scored:
    """Return the mean absolute error."""
    return mean_of(np.abs(table.values), (0.0, _largest(table)))


def squared_error(table: ErrorsTable) -> Scored:
    """Return the mean squared error."""
    return mean_of(table.values**2, (0.0, _largest(table) ** 2))


def root_squared_error(table: ErrorsTable) -> Scored:
    """Return the root of the mean squared error."""
    mean = squared_error(table)

    def value(cells: Array) -> Array:
        return np.sqrt(mean.value(cells))

    def slopes(cells: Array) -> Array:
        return divide(mean.gradient(cells), 2 * value(cells)[..., None])

    return Scored(value, slopes, range=(0.0, _largest(table)))


@errors_metric(range=(-np.inf, 1.0), aliases=("r_squared", "coefficient_of_determination"), sklearn="r2_score")
def r2(table: ErrorsTable) -> Scored:
    """Share of the variance of the truth that predictions explain (R²): 1 less the squared errors in its units."""
    squares, actual = table.values**2, table.actual

    def parts(cells: Array) -> tuple[Array, Array, Array]:
        away = deviations(actual, cells) ** 2
        return away, (cells @ squares)[..., None], (cells * away).sum(-1)[..., None]

    def value(cells: Array) -> Array:
        _, errors, total = parts(cells)
        return 1 - divide(errors, total)[..., 0]

    def slopes(cells: Array) -> Array:
        away, errors, total = parts(cells)
        return divide(errors * away - squares * total, total**2)

    return Scored(value, slopes)

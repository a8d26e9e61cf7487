"""The mean of very many losses as that of few: paths that go by the losses alone need no more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from howsure.metrics.metric import Metric
from howsure.metrics.probability import mean_loss
from howsure.tables.losses import BINS, on_grid
from howsure.tables.table import Table

Array = NDArray[Any]
MANY = 4 * BINS  # cells


def gridded(metric: Metric, losses: Array, table: Table) -> tuple[Table, Metric]:
    """Return a mean loss on a grid of losses, and the table of that; both as they are where that saves little.

    So they are where cases do not count alike, or where most losses are closer together than the grid's points, whose
    sums then would be off by more than rounding.

    Parameters
    ----------
    metric : Metric
        The mean loss.
    losses : ndarray of the cells' shape
        What each cell loses.
    table : Table
        The cases.
    """
    if table.batch or losses.size < MANY or not table.design.is_independent or losses.min() == losses.max():
        return table, metric
    small = on_grid(table, losses)
    mean = mean_loss(small.losses[:, None])
    same = replace(
        metric,
        value=lambda counts: mean.value(counts.cells[..., None]),
        gradient=lambda counts: mean.gradient(counts.cells[..., None])[..., 0],
        losses=small.losses,
    )
    value = same.value_at(small.counted)
    variance = (small.counts * (small.losses - value) ** 2).sum() / small.counts.sum()
    return (small, same) if variance > (small.losses[1] - small.losses[0]) ** 2 else (table, metric)

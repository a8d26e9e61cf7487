"""Distributions of losses, for intervals of their mean: of all cells, of cells with cases, or on a grid."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from howsure.arrays import Array
from howsure.methods.core.standard_errors import NOISE
from howsure.metrics.metric import Metric
from howsure.metrics.registry import MeanLoss
from howsure.native.losses import ORDERS, CellLosses, in_memory
from howsure.tables.nonempty_cells import FilledTable
from howsure.tables.table import Table, view_identity

BINS = 4096
MANY = 2 * BINS  # losses, from which on a grid pays
BEYOND = ORDERS / 2 - 1  # points beyond either end


@dataclass(frozen=True, slots=True, eq=False)
class LossHistogram:
    """Numbers of cases by loss. Counts on a grid may be negative.

    Parameters
    ----------
    losses : ndarray of shape (m,)
        The losses.
    cases : ndarray of shape (m,)
        Number of cases with each loss.
    prior : ndarray of shape (m,)
        Distribution of the pseudo-counts; sums to 1.
    """

    losses: Array
    cases: Array
    prior: Array

    @classmethod
    def of(cls, table: Table, losses: CellLosses) -> LossHistogram:
        """Return the losses of a table, on a grid if that reduces their number considerably.

        The grid is not used if most losses are closer together than its points: sums would be off by more than
        rounding.

        Parameters
        ----------
        table : Table
            A table of independent cases.
        losses : CellLosses
            The loss of each of its cells.
        """
        if table.counts.size >= MANY and (ends := losses.ends)[0] < ends[1]:
            grid = on_grid(losses, table.counts, ends)
            mean = grid.cases @ grid.losses / grid.cases.sum()
            variance = grid.cases @ (grid.losses - mean) ** 2 / grid.cases.sum()
            if variance > (grid.losses[1] - grid.losses[0]) ** 2:
                return grid
        flat, cases = losses.flat(table.counts)
        return cls(flat, cases, np.full(flat.size, 1 / flat.size))


def of_filled_cells(metric: Metric, table: Table) -> tuple[Metric, Table]:
    """Return the metric and the table restricted to the cells with cases, or unchanged if that saves little.

    They are also unchanged if cases have unequal weights, or if the cases show no variation and empty cells are needed.
    """
    loss, design = metric.structure, table.design
    if not isinstance(loss, MeanLoss) or table.counts.size < MANY or table.batch or not design.traits.is_independent:
        return metric, table
    order = in_memory(table.counts)
    flat = table.counts.ravel(order)
    filled = np.flatnonzero(flat != 0)
    if 2 * len(filled) > flat.size:
        return metric, table
    places, cases = np.unravel_index(filled, table.shape, order), flat[filled]
    built = loss.on_subset(places)
    if not (np.abs(cases * built.gradient(cases)) > NOISE).any():
        return metric, table
    small = FilledTable(
        counts=cases,
        labels=table.labels,
        design=table.design,
        rows=table.rows,
        identity=view_identity(table, "filled"),
        true_classes=places[-1],
    )
    own = replace(
        metric,
        value=lambda counts: built.value(counts.cells),
        gradient=lambda counts: built.gradient(counts.cells),
        structure=built.structure,
    )
    return own, small


def on_grid(losses: CellLosses, counts: Array, ends: tuple[float, float]) -> LossHistogram:
    """Return few losses that have the same sums of smooth functions as many.

    Each loss is distributed to the six grid points around it by Lagrange's polynomials. The equal prior share of each
    cell is distributed to the nearest four. Sums of polynomials up to degree five (three for the prior) are then exact.
    For functions with little curvature between two points, such as the exponential tilts of a path, the errors are
    below rounding.

    Parameters
    ----------
    losses : CellLosses
        The loss of each cell.
    counts : ndarray of the cells' shape
        Number of cases of each.
    ends : tuple of float
        Smallest and largest possible loss; they differ.

    Examples
    --------
    >>> losses = CellLosses(np.array([0.01, 0.09, 0.36, 0.49]))
    >>> grid = on_grid(losses, np.array([2.0, 0.0, 1.0, 1.0]), (0.01, 0.49))
    >>> round(float((grid.cases * grid.losses**2).sum()), 12) == round(2 * 0.01**2 + 0.36**2 + 0.49**2, 12)
    True
    """
    width = (ends[1] - ends[0]) / BINS
    of_cases, of_cells = (_shared_out(each) for each in losses.moments(counts, ends, BINS))
    places = ends[0] + width * (np.arange(len(of_cases)) - BEYOND)
    return LossHistogram(places, of_cases, of_cells / counts.size)


def _shared_out(moments: Array) -> Array:
    """Return the weights of the grid points from the moments of the bins around them, one moment per point."""
    orders = moments.shape[1]
    points = np.arange(orders) - (orders - 1) / 2  # in widths of a bin, from its middle
    shares = moments @ np.linalg.inv(np.vander(points, increasing=True))  # of a power of the place to each of them
    found = np.zeros(len(shares) + ORDERS - 1)
    for place, share in enumerate(shares.T, (ORDERS - orders) // 2):
        found[place : place + len(share)] += share
    return found

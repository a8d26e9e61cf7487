"""Losses of cases, moved to the points of a grid in such a way that sums over them stay what they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np
from numpy.typing import NDArray

from howsure.native.moments import ORDERS, bin_moments
from howsure.tables.table import Table

Array = NDArray[Any]
BINS = 4096
POINTS = np.arange(ORDERS) - (ORDERS - 1) / 2  # around the middle of a bin, in its widths
SHARES = np.linalg.inv(np.vander(POINTS, increasing=True))  # of a power of the place in a bin to each of the points


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LossesTable(Table):
    """How many cases have which loss, at the points of a grid; see `on_grid`. Counts may lie below zero.

    Parameters
    ----------
    losses : ndarray of shape (points,)
        The loss of each point.
    prior : ndarray of shape (points,)
        How a prior's mass is spread over them.
    """

    losses: Array
    prior: Array
    axes: ClassVar[int] = 1

    @property
    def truth(self) -> Array:
        """Zeros: the points are of no class."""
        return np.zeros(len(self.losses), dtype=np.intp)

    @property
    def prior_shares(self) -> Array:
        """How a prior's mass is spread over the points; sums to 1."""
        return self.prior


def on_grid(table: Table, losses: Array) -> LossesTable:
    """Return a table of few losses, over which all sums are those over the many of a table.

    Each loss is shared out to the six grid points around it by Lagrange's polynomials, and so is the even share that
    its cell has of a prior. Sums of polynomials to the fifth order then are exact; those of what bends little from
    one point to the next, such as the exponential tilts of a path, are off by less than rounding.

    Parameters
    ----------
    table : Table
        Its design is of independent cases.
    losses : ndarray
        The loss of each of its cells, in their shape; not all are equal.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.9])
    >>> losses = np.stack([table.scores**2, (1 - table.scores) ** 2], -1)
    >>> grid = on_grid(table, losses)
    >>> sum_of_squares = (grid.counts * grid.losses**2).sum()
    >>> bool(np.isclose(sum_of_squares, (table.counts * losses**2).sum(), rtol=1e-12))
    True
    """
    order: Literal["F", "C"] = "F" if table.counts.flags.f_contiguous else "C"  # as the counts lie in memory
    flat, counts = losses.ravel(order), table.counts.ravel(order)
    ends = float(flat.min()), float(flat.max())
    width = (ends[1] - ends[0]) / BINS
    of_cases, of_cells = (_shared_out(each) for each in bin_moments(flat, counts, ends, BINS))
    return LossesTable(
        counts=of_cases,
        labels=table.labels,
        design=table.design,
        rows=table.rows,
        identity=table.identity_of("losses"),
        losses=ends[0] + width * (0.5 + POINTS[0] + np.arange(len(of_cases))),
        prior=of_cells / len(flat),
    )


def _shared_out(moments: Array) -> Array:
    """Return what each grid point gets of the bins around it, from their moments."""
    shares = moments @ SHARES
    points = np.zeros(len(shares) + ORDERS - 1)
    for place in range(ORDERS):
        points[place : place + len(shares)] += shares[:, place]
    return points

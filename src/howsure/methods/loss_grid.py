"""The losses that the path of a mean loss goes by: those of all cells, or of very many the points of a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from howsure.native.moments import ORDERS, bin_moments
from howsure.tables.table import Table

Array = NDArray[Any]
BINS = 4096
MANY = 4 * BINS  # losses, from which on a grid pays
POINTS = np.arange(ORDERS) - (ORDERS - 1) / 2  # around the middle of a bin, in its widths
SHARES = np.linalg.inv(np.vander(POINTS, increasing=True))  # of a power of the place in a bin to each of the points


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """How many cases lose how much. Counts at the points of a grid may lie below zero.

    Parameters
    ----------
    losses : ndarray of shape (m,)
        What may be lost.
    cases : ndarray of shape (m,)
        How many cases lose that.
    prior : ndarray of shape (m,)
        How a prior's mass is spread; sums to 1.
    """

    losses: Array
    cases: Array
    prior: Array

    @classmethod
    def of(cls, table: Table, losses: Array) -> Losses:
        """Return the losses of a table, on a grid where that saves much.

        It does not where most are closer together than the points of the grid: sums would be off by more than rounding.

        Parameters
        ----------
        table : Table
            Its design is of independent cases.
        losses : ndarray
            The loss of each of its cells, in their shape.
        """
        order: Literal["F", "C"] = "F" if table.counts.flags.f_contiguous else "C"  # as the counts lie in memory
        found = cls(losses.ravel(order), table.counts.ravel(order), np.full(losses.size, 1 / losses.size))
        if losses.size < MANY or losses.min() == losses.max():
            return found
        grid = on_grid(found)
        mean = grid.cases @ grid.losses / grid.cases.sum()
        variance = grid.cases @ (grid.losses - mean) ** 2 / grid.cases.sum()
        return grid if variance > (grid.losses[1] - grid.losses[0]) ** 2 else found


def on_grid(many: Losses) -> Losses:
    """Return few losses, over which all sums are those over many.

    Each loss is shared out to the six grid points around it by Lagrange's polynomials, and so is the even share that
    its cell has of a prior. Sums of polynomials to the fifth order then are exact; those of what bends little from
    one point to the next, such as the exponential tilts of a path, are off by less than rounding.

    Parameters
    ----------
    many : Losses
        They are not all equal, and the prior is spread evenly.

    Examples
    --------
    >>> losses = np.array([0.01, 0.09, 0.36, 0.49])
    >>> grid = on_grid(Losses(losses, np.array([2.0, 0.0, 1.0, 1.0]), np.full(4, 0.25)))
    >>> round(float((grid.cases * grid.losses**2).sum()), 12) == round(2 * 0.01**2 + 0.36**2 + 0.49**2, 12)
    True
    """
    ends = float(many.losses.min()), float(many.losses.max())
    width = (ends[1] - ends[0]) / BINS
    cases, cells = (_shared_out(each) for each in bin_moments(many.losses, many.cases, ends, BINS))
    places = ends[0] + width * (0.5 + POINTS[0] + np.arange(len(cases)))
    return Losses(places, cases, cells / len(many.losses))


def _shared_out(moments: Array) -> Array:
    """Return what each grid point gets of the bins around it, from their moments."""
    shares = moments @ SHARES
    points = np.zeros(len(shares) + ORDERS - 1)
    for place in range(ORDERS):
        points[place : place + len(shares)] += shares[:, place]
    return points

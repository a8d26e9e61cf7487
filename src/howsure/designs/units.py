"""`Units`: the exchangeable units of a table, which are drawn with replacement in a resample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array, Floats, Positions


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Cases or clusters, each with its counts in some cells. Equal ones are stored once, with their number.

    Parameters
    ----------
    kind, cell, count : ndarray of shape (entries,)
        For entry ``e``, each unit of kind ``kind[e]`` has the count ``count[e]`` in cell ``cell[e]``.
    number : ndarray of int of shape (kinds,)
        Number of units of each kind.
    strata : tuple of tuple of two int
        Number of units of each stratum, in the order of the kinds, and how many of them a resample draws. By default
        all units are one stratum, and as many are drawn.
    fixed : ndarray of shape (cells,), optional
        Counts that are added to every resampled table.

    Examples
    --------
    >>> units = Units(np.array([0, 0, 1]), np.array([0, 2, 1]), np.array([1.0, 3.0, 2.0]), np.array([1, 2]))
    >>> units.total, units.columns(np.array([[1.0, 10.0, 100.0]])).tolist()
    (3, [[301.0, 20.0, 20.0]])
    """

    kind: Array
    cell: Array
    count: Array
    number: Positions
    strata: tuple[tuple[int, int], ...] = ()
    fixed: Array | None = None

    @property
    def total(self) -> int:
        """Number of units."""
        return int(self.number.sum())

    @property
    def samples(self) -> tuple[tuple[int, int], ...]:
        """Number of units of each stratum, and how many of them are drawn."""
        return self.strata or ((self.total, self.total),)

    def columns(self, forms: Array) -> Floats:
        """Return the contribution of each unit to each linear form of the cells, ``(forms, units)``.

        Parameters
        ----------
        forms : ndarray of shape (forms, cells)
            Coefficients.
        """
        totals = [np.bincount(self.kind, form[self.cell] * self.count, len(self.number)) for form in forms]
        return np.repeat(np.stack(totals), self.number, axis=1)

    def each(self) -> tuple[Array, Array, Array]:
        """Return unit, cell and count of the entries of every single unit."""
        number = self.number[self.kind]
        first = (np.cumsum(self.number) - self.number)[self.kind]
        within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
        start, cell, count = (np.repeat(column, number) for column in (first, self.cell, self.count))
        return start + within, cell, count


def units_of_strata(
    observed: Array, stratum: Array, place: Array, weight: Array, unsampled: Array, size: int, *, fewer: int
) -> Units | None:
    """Return the cases of strata, whose deviations from the sample are reduced in finite ones (Rao and Wu 1988).

    The weights of the drawn cases are scaled to the total of their stratum. Returns None unless all counts are whole.

    Parameters
    ----------
    observed, stratum, place : ndarray of shape (observed cells,)
        Cases, their stratum, and their cell of the table, or −1.
    weight, unsampled : ndarray of shape (S,)
        Weight of a case of each stratum, and the fraction of the stratum that was not sampled.
    size : int
        Number of cells of the table.
    fewer : int
        How many cases less than a stratum has are drawn from it: 0 or 1.
    """
    if (observed != np.rint(observed)).any():
        return None
    order = np.argsort(stratum, kind="stable")
    order = order[observed[order] > 0]
    number, own, cell = observed[order].astype(np.intp), stratum[order], place[order]
    totals = np.bincount(own, number, len(weight)).astype(int)
    draws, spread = np.maximum(totals - fewer, 1), np.sqrt(unsampled)
    inside = cell >= 0
    fixed = np.bincount(cell[inside], ((weight * (1 - spread))[own] * number)[inside], size)
    varying = np.flatnonzero(spread[own] > 0)
    kind = np.flatnonzero(inside[varying])
    some, strata = varying[kind], np.unique(own[varying])
    scale = (weight * spread * totals / draws)[own[some]]
    drawn = tuple(zip(totals[strata].tolist(), draws[strata].tolist(), strict=True))
    return Units(kind, cell[some], scale, number[varying], drawn, fixed)

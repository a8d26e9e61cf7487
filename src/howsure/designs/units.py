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

    @property
    def total(self) -> int:
        """Number of units."""
        return int(self.number.sum())

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

"""Optional protocol of designs: sums, batches and mergers of tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import Design, DesignProtocol
from howsure.errors import UndefinedDesignError


class Algebra(DesignProtocol):
    """Designs of sums, batches and mergers of tables.

    Examples
    --------
    >>> import howsure as hs
    >>> design = hs.from_counts([[50, 3], [5, 42]]).design
    >>> Algebra.of(design).add_tables([design])
    Independent()
    """

    __slots__ = ()

    def add_tables(self, others: Sequence[Self]) -> Design:
        """Return the design of the sum of tables over the same cells, whose cases are distinct.

        Parameters
        ----------
        others : sequence of Design
            Designs of the same class: those of the other tables.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for the sum.
        """
        raise UndefinedDesignError(type(self).__name__, "the sum of tables")

    def stack_tables(self, others: Sequence[Self], size: int) -> Design:
        """Return the design of a batch of tables over the same cells.

        Parameters
        ----------
        others : sequence of Design
            Designs of the same class: those of the tables after the first.
        size : int
            Number of cells of each table.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for a batch.
        """
        raise UndefinedDesignError(type(self).__name__, "tables as one batch")

    def select_table(self, index: int) -> Design:
        """Return the design of one table of a batch."""
        return self

    def collapse_cells_per_table(self, codes: Array, size: int) -> Design:
        """Return the design of a batch in which each table is collapsed by its own row of ``codes``.

        Parameters
        ----------
        codes : ndarray of shape (tables, cells)
            New cell of each cell, for each table.
        size : int
            Number of new cells.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for such a batch.
        """
        raise UndefinedDesignError(type(self).__name__, "several mergers at once")

    def collapsible_cells(self, cells: int) -> Array | None:
        """Return codes of cells that can be merged before a draw without a change in the distribution of their sums.

        Cells with the same code can be merged. None if no such codes are known.

        Parameters
        ----------
        cells : int
            Number of cells.
        """
        return None

    def at_threshold(self, row: int, rows: int) -> Design:
        """Return the design of the confusion table of a table of scores, positive from one of its rows on.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for the collapsed table.
        """
        positive = (np.arange(rows) >= row).astype(np.intp)
        return self.collapse_cells((2 * np.arange(2) + positive[:, None]).ravel(), 4)  # true × predicted class

    def with_true_classes(self, true_class: Array) -> Design:
        """Return the design for a table whose cells have these true classes, ``(cells,)``."""
        return self

    def with_pseudo_counts(self, counts: Array, extra: Array) -> tuple[Array, Design] | None:
        """Return counts and design after adding pseudo-counts; None if they vary separately (see `smoothed`).

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        extra : ndarray of shape (cells,)
            Pseudo-counts of each cell, in sampling units of mean size.
        """
        return None

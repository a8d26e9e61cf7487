"""Optional protocol of designs: observed cells that are finer than those of the table, or have fixed totals."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import DesignProtocol, safe_divide


class TwoLevel(DesignProtocol):
    """Designs whose observed cells are finer than the cells of the table, or have fixed totals.

    The defaults are those of one level: the observed cells are the cells of the table.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[180, 20], [10, 90]]).at_prevalence([0.99, 0.01])
    >>> TwoLevel.of(table.design).observed_cells(table.cells).tolist()
    [180.0, 20.0, 10.0, 90.0]
    """

    __slots__ = ()

    @property
    def unsampled_fraction(self) -> Any:
        """1 minus the sampling fraction of each observed cell; 1 for an infinite population."""
        return 1.0

    def observed_cells(self, counts: Array) -> Array:
        """Return the counts of the observed cells, ``(..., observed cells)``.

        The methods `project_gradient`, `rescale_to_fixed_totals` and `table_from_observed` take observed cells.
        """
        return counts

    def table_from_observed(self, observed: Array) -> Array:
        """Return the tables estimated from observed cells, ``(..., observed cells)`` → ``(..., cells)``."""
        return observed

    def expand_to_observed(self, values: Array) -> Array:
        """Expand a value per cell of the table to a value per observed cell, ``(..., observed cells)``."""
        return values

    def spread_pseudo_counts(self, extra: Array) -> Array:
        """Distribute pseudo-counts of the table's cells over the observed cells; the total is unchanged."""
        return extra

    def project_gradient(self, observed: Array, gradient: Array) -> Array:
        """Project a gradient onto the tables that satisfy the fixed totals of the design."""
        return gradient

    def rescale_to_fixed_totals(self, cells: Array, counts: Array) -> Array:
        """Scale ``cells`` to the totals of ``counts`` that the design fixes; by default the overall total."""
        return cells * safe_divide(counts.sum(-1), cells.sum(-1))[..., None]

    def is_fixed_total(self, gradient: Array) -> Array:
        """Return whether a linear form without observed variation is a total fixed by the design, ``(...)``.

        Parameters
        ----------
        gradient : ndarray of shape (..., cells)
            Coefficients of the linear form.
        """
        return np.full(gradient.shape[:-1], self.traits.has_fixed_class_totals)

    def has_equal_weights(self, cells: Array) -> bool:
        """Return whether all cases that can fall in the selected cells have the same stratum weight.

        Parameters
        ----------
        cells : ndarray of shape (cells,)
            Which cells are selected.
        """
        return True

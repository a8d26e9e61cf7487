"""Optional protocol of designs: units of correlated cases, such as clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import Design, DesignProtocol
from howsure.errors import UndefinedDesignError


@dataclass(frozen=True, slots=True, eq=False)
class NamedUnits:
    """Units of one kind whose names may occur in other tables.

    Parameters
    ----------
    kind : str
        Name of the factor; empty for clusters. Units of the same kind and name are the same unit.
    sign : float
        Sign of the variance of these units in the variance of the design.
    names : list of str
        Names of the units.
    design : Design
        Design of these units alone, with their influence functions.
    """

    kind: str
    sign: float
    names: list[str]
    design: Design


class Clustering(DesignProtocol):
    """Designs of correlated cases: their units, and the precision of the variance between few of them.

    Examples
    --------
    >>> import howsure as hs
    >>> design = hs.confusion([1, 0, 1, 0, 1], [1, 0, 0, 0, 1], groups=["a", "a", "b", "b", "c"]).design
    >>> Clustering.of(design).unit_names.tolist()
    ['a', 'b', 'c']
    """

    __slots__ = ()

    @property
    def unit_names(self) -> Array | None:
        """Names of the units of `VarianceDetails.influence_functions`, for matching across tables; None without."""
        return None

    @property
    def named_units(self) -> tuple[NamedUnits, ...]:
        """Kinds of units that other tables may share; their variances with signs add up to that of the design."""
        names = Clustering.of(self).unit_names
        return () if names is None else (NamedUnits("", 1.0, [*map(str, names.tolist())], self),)

    def combined_variance(self, counts: Array, variances: Sequence[Array]) -> tuple[Array, Any]:
        """Return the variance for intervals of a linear form, and its degrees of freedom, from those of `named_units`.

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        variances : sequence of ndarray of shape (...)
            Variance due to each kind of unit; by default there is one kind.
        """
        (variance,) = variances
        return variance, np.inf

    def missed_cluster_inflation(self, counts: Array, gradient: Array) -> Any:
        """Return the design effect after adding an unobserved unit, divided by the design effect.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and the coefficients of the linear form.

        Returns
        -------
        float or ndarray of shape (...)
            At least 1; by default 1.
        """
        return 1.0

    def excess_skewness(self, counts: Array, design_effect: Array) -> Array:
        """Return the relative increase in skewness of a smooth function of the counts over independent cases.

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        design_effect : ndarray of shape (...)
            The variance divided by that of independent cases with weight 1.
        """
        return np.zeros(np.shape(design_effect))

    def with_unshared_units(self) -> Design:
        """Return the design under the assumption that its units, such as clusters, occur in no other table."""
        return self

    def keep_cells(self, selected: Array, position: Array) -> Design:
        """Return the design restricted to some of the cells; the units stay the same.

        Parameters
        ----------
        selected : ndarray of shape (cells,)
            Which cells are kept.
        position : ndarray of shape (cells,)
            Position of each kept cell among the kept ones.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for them.
        """
        raise UndefinedDesignError(type(self).__name__, "some of the cells")

    def split_by_class(self, class_of_cell: Array, number: int) -> list[Design]:
        """Return one design per class, restricted to its cells where that is faster; by default the full design.

        Parameters
        ----------
        class_of_cell : ndarray of shape (cells,)
            The class of each cell.
        number : int
            Number of classes.
        """
        return [self] * number

    def unit_tables(self, size: int) -> tuple[Any, Array | None, Array | None]:
        """Return the table of each unit as a sparse matrix ``(units, size)``, its cluster, and the clusters' names.

        Clusters and names are None if each unit is its own cluster.

        Parameters
        ----------
        size : int
            Number of cells.

        Raises
        ------
        UndefinedDesignError
            If the tables of the units are not known.
        """
        raise UndefinedDesignError(type(self).__name__, "a table for each unit")

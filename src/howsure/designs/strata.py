"""Optional protocol of designs: strata of cases of which only some are labelled."""

from __future__ import annotations

from dataclasses import dataclass

from howsure.arrays import Array
from howsure.designs.base import DesignProtocol
from howsure.errors import UndefinedDesignError


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """Contribution of each stratum to a linear form, between its lowest and highest possible value.

    Parameters
    ----------
    reach : ndarray of shape (..., strata)
        Range of the form within each stratum.
    value : ndarray of shape (..., strata)
        Position of the estimate in that range, from 0 to 1.
    trials : ndarray of shape (..., strata)
        Number of cases on which that position is based, as for a proportion; 0 if none.
    within : ndarray of shape (..., strata)
        Variance of the form within the strata.
    between : ndarray of shape (...)
        Variance of the form due to the sizes of the strata.
    """

    reach: Array
    value: Array
    trials: Array
    within: Array
    between: Array


class PartialLabels(DesignProtocol):
    """Designs with labels for only some cases of each stratum."""

    __slots__ = ()

    def stratum_contributions(self, counts: Array, gradient: Array) -> Strata:
        """Return the contribution of each partially labelled stratum to a linear form.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and the coefficients of the linear form.
        """
        raise UndefinedDesignError(type(self).__name__, "strata of cases that are labelled in part")

    def extreme_tables(self, counts: Array, gradient: Array) -> Array:
        """Return tables in which one stratum has only its worst, or only its best, outcome for a linear form.

        Parameters
        ----------
        counts, gradient : ndarray of shape (cells,)
            The table, and the coefficients of the linear form.

        Returns
        -------
        ndarray of shape (2, ties, strata, cells)
            The worst outcome comes first. Tied outcomes have one table each.
        """
        raise UndefinedDesignError(type(self).__name__, "strata of cases that are labelled in part")

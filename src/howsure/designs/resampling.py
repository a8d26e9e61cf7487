"""Optional protocol of designs: random tables."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import Design, DesignProtocol
from howsure.designs.sampling import Blocks, counts_of_draws
from howsure.designs.units import Units
from howsure.errors import UndefinedDesignError


class Resampling(DesignProtocol):
    """Random tables from a design, and jackknife tables.

    Examples
    --------
    >>> import howsure as hs
    >>> design = hs.from_counts([[50, 3], [5, 42]]).design
    >>> design.supports(Resampling.posterior)
    True
    """

    __slots__ = ()

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Return bootstrap replicates of the table, ``(size, cells)``."""
        raise UndefinedDesignError(type(self).__name__, "resampled tables")

    def exchangeable_units(self, counts: Array) -> Units | None:
        """Return the units that `resample` draws with equal probabilities; None if they are not known or not equal."""
        return None

    def leave_one_out(self, counts: Array) -> Blocks:
        """Yield jackknife tables without one unit, ``(distinct units, cells)``, and the number of such units."""
        raise UndefinedDesignError(type(self).__name__, "tables without one unit")

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Return posterior draws of the cell probabilities, up to a factor per draw, ``(size, cells)``.

        Parameters
        ----------
        counts : ndarray of shape (cells,)
            The table.
        prior : ndarray of shape (cells,) or (size, cells)
            Pseudo-counts of each cell, in sampling units of mean size: one set for all draws, or one set per draw.
            Callers pass one set per draw only to designs of counted cases.
        size : int
            Number of draws.
        rng : Generator
            Source of randomness.
        """
        raise UndefinedDesignError(type(self).__name__, "posterior tables")

    def posterior_with_pairs(self, counts: Array, pair: Array, size: int, rng: np.random.Generator) -> Array:
        """Return `posterior` draws in which each draw has its own two whole pseudo-counts.

        Parameters
        ----------
        counts : ndarray of shape (cells,)
            The table.
        pair : ndarray of shape (size, 2)
            The cells of the two pseudo-counts of each draw.
        size : int
            Number of draws.
        rng : Generator
            Source of randomness.
        """
        return Resampling.of(self).posterior(counts, counts_of_draws(pair, counts.size), size, rng)

    def simulate_studies(
        self, counts: Array, scale: float, size: int, rng: np.random.Generator
    ) -> tuple[Array, Design]:
        """Return tables of new studies from the population with these cell probabilities, and their batch design.

        `resample` returns counts only; here the interval of each table can also be computed.

        Parameters
        ----------
        counts : ndarray of shape (cells,)
            The table whose proportions define the population.
        scale : float
            Sample size of a study divided by that of the table, in cases or clusters.
        size : int
            Number of studies.
        rng : Generator
            Source of the draws.

        Returns
        -------
        tuple of ndarray of shape (size, cells) and Design
        """
        raise UndefinedDesignError(type(self).__name__, "new studies")

    def exponential_tilt(self, counts: Array, log_factors: Array) -> tuple[Array, Design]:
        """Return table and design of the exponentially tilted population.

        The number of units of each kind is multiplied by the exponential of the contribution of one unit to
        ``sum(log_factors * counts)``. The result is rescaled to the original number of units.

        Parameters
        ----------
        counts, log_factors : ndarray of shape (cells,)
            The table, and the logarithm of the factor of each cell.

        Returns
        -------
        tuple of ndarray of shape (cells,) and Design
        """
        raise UndefinedDesignError(type(self).__name__, "another truth than the table's own")

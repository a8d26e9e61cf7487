"""Pseudo-counts of a table: how a prior, or counts added to a sample without variation, are spread over its cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import PSEUDO_COUNT
from howsure.designs.sampling import counts_of_draws

Draws = Callable[[int, "np.random.Generator"], Array]  # in quotes: numpy.random is imported when it is used


@dataclass(frozen=True, slots=True, eq=False)
class Priors:
    """Pseudo-counts of one table.

    Parameters
    ----------
    shares : ndarray of the cells' shape
        Distribution of a prior's mass over the cells; sums to 1.
    total : float
        Total of the default prior, which is ``total * shares`` unless `mean` is given.
    mean : ndarray of the cells' shape, optional
        The default prior, or the mean of its draws.
    cells : callable, optional
        ``(size, rng)`` → the cells of the two whole pseudo-counts of each draw of the default prior, ``(size, 2)``.
    draws : callable, optional
        ``(size, rng)`` → the pseudo-counts of each draw, ``(size, cells)``; by default from `cells`.
    occurring : callable, optional
        Returns the distribution of pseudo-counts for an average over classes, which is over the classes that occur,
        ``(..., *cells)``; by default `shares`.
    order : callable, optional
        Returns the cells over which a prior of several models' tuples is spread, in order; by default first and last.
    given_shape : tuple of int, optional
        Shape of the pseudo-counts that users give; by default the cells' shape.
    spread : callable, optional
        Pseudo-counts of that shape → pseudo-counts by cell; by default the same.

    Examples
    --------
    >>> priors = Priors(np.full(4, 0.25))
    >>> priors.default.tolist(), priors.of_occurring.tolist()
    ([0.5, 0.5, 0.5, 0.5], [0.25, 0.25, 0.25, 0.25])
    """

    shares: Array
    total: float = PSEUDO_COUNT
    mean: Array | None = None
    cells: Draws | None = None
    draws: Draws | None = None
    occurring: Callable[[], Array] | None = None
    order: Callable[[], Array] | None = None
    given_shape: tuple[int, ...] | None = None
    spread: Callable[[Array], Array] | None = None

    @property
    def default(self) -> Array:
        """Pseudo-counts of the default prior by cell."""
        return self.total * self.shares if self.mean is None else self.mean

    @property
    def of_occurring(self) -> Array:
        """Distribution of pseudo-counts for an average over classes."""
        return self.shares if self.occurring is None else self.occurring()

    @property
    def ordered_cells(self) -> Array:
        """Two cells or more, in order, over which a prior of several models' tuples is spread."""
        return np.array([0, self.shares.shape[-1] - 1]) if self.order is None else self.order()

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the pseudo-counts that users give."""
        return self.shares.shape if self.given_shape is None else self.given_shape

    def by_cell(self, given: Array) -> Array:
        """Return the pseudo-counts by cell, from the user's."""
        return given if self.spread is None else self.spread(given)

    def drawn(self, size: int, rng: np.random.Generator) -> Array:
        """Return the pseudo-counts of the default prior: one set, ``(cells,)``, or one per draw, ``(size, cells)``."""
        if self.draws is not None:
            return self.draws(size, rng)
        return self.default.ravel() if self.cells is None else counts_of_draws(self.cells(size, rng), self.shares.size)

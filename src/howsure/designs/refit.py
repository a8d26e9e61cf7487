"""Estimated tables as an explicit function of the observed counts."""

from __future__ import annotations

from typing import Protocol, Self

from howsure.arrays import Array
from howsure.designs.base import DesignProtocol


class Refit(Protocol):
    """Independent multinomial samples, and the table estimated from them.

    Attributes
    ----------
    observed : ndarray of shape (observed cells,)
        The counts.
    row : ndarray of shape (observed cells,)
        The multinomial sample, 0 … R−1, of each observed cell; its total is taken as given.
    is_independent : bool
        Whether the observed cases are independent and unweighted.
    """

    @property
    def observed(self) -> Array:
        """The counts."""

    @property
    def row(self) -> Array:
        """The multinomial sample of each observed cell."""

    @property
    def is_independent(self) -> bool:
        """Whether the observed cases are independent and unweighted."""

    def tables(self, observed: Array) -> Array:
        """Return the tables estimated from other counts, ``(..., observed cells)`` → ``(..., cells)``."""

    def interior(self, observed: Array) -> Array:
        """Return the nearest counts whose table is inside the range of possible tables, ``(observed cells,)``."""

    def merged(self, cells: Array, size: int) -> Self:
        """Return the refit of the table whose cell ``cells[c]`` collects cell ``c``."""


class Refittable(DesignProtocol):
    """Designs of tables that can be estimated again from other observed counts."""

    __slots__ = ()

    @property
    def refit(self) -> Refit | None:
        """Samples of which an estimated table is a known function; None if there is no such function."""
        return None

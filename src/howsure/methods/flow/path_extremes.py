"""Extremes of a metric along curves of tables, which need not be straight, nor the metric monotone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class PathExtremes:
    """Running extremes of a metric at some stops along curves.

    Parameters
    ----------
    stops : ndarray of shape (stops,)
        Positions along the curves, ascending.
    values : ndarray of shape (stops, ways)
        The metric at these positions.
    """

    stops: Array
    values: Array

    def lowest(self, places: Array) -> Array:
        """Return the minimum from the first stop to a place on each curve: it never increases with the place.

        Examples
        --------
        >>> turning = PathExtremes(np.array([0.0, 1.0, 2.0]), np.array([[0.0], [-4.0], [-2.0]]))
        >>> [turning.lowest(np.array([place])).tolist() for place in (0.5, 1.0, 1.5)]
        [[-2.0], [-4.0], [-4.0]]
        """
        return self._between(np.minimum.accumulate(self.values), places)

    def highest(self, places: Array) -> Array:
        """Return the maximum from the first stop to a place on each curve."""
        return self._between(np.maximum.accumulate(self.values), places)

    def _between(self, values: Array, places: Array) -> Array:
        after = np.clip(np.searchsorted(self.stops, places), 1, len(self.stops) - 1)
        begin, end = self.stops[after - 1], self.stops[after]
        part = np.clip((places - begin) / (end - begin), 0.0, 1.0)
        each = np.arange(values.shape[-1])
        return np.asarray((1 - part) * values[after - 1, each] + part * values[after, each])

"""The penalised log-likelihood of the binomial-normal model near its maximum, on rows of equal tau."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.pooling.likelihood import Likelihood

FARTHEST = 16.0  # logits; a limit that lies beyond is an end of the range
LARGEST_TAU = 6.0
TAU_SCALE = 2.0  # of the half-normal penalty on tau, which bounds the limits of few sites
COARSE, FINE = (9, 13, 5), (29, 19, 15)  # rows of tau, values of mu in each, nodes of the integral


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of equal tau, each with the penalised log-likelihood on equidistant mu in a window of its own.

    Parameters
    ----------
    places : ndarray of shape (rows,)
        Equidistant values of asinh(tau / unit).
    unit : float
        Standard error of the logit of an ordinary site.
    windows : ndarray of shape (2, rows)
        Ends of mu.
    heights : ndarray of shape (rows, values of mu)
        The penalised log-likelihood.
    """

    places: Array
    unit: float
    windows: Array
    heights: Array

    @classmethod
    def evaluated(
        cls, likelihood: Likelihood, places: Array, unit: float, windows: Array, sizes: tuple[int, int, int]
    ) -> Rows:
        """Return the rows with their heights."""
        _, columns, nodes = sizes
        tau = (unit * np.sinh(places))[:, None]
        heights = likelihood(_spread(windows, columns), tau, nodes) - np.square(tau / TAU_SCALE) / 2
        return cls(places, unit, windows, heights)

    @property
    def tau(self) -> Array:
        """The standard deviation of each row."""
        return self.unit * np.sinh(self.places)

    @cached_property
    def spline(self) -> Any:
        """The heights of all rows as functions of the part of the window, 0 … 1."""
        from scipy import interpolate

        return interpolate.CubicSpline(np.linspace(0, 1, self.heights.shape[1]), self.heights, axis=1)

    def dense(self, number: int) -> tuple[Array, Array]:
        """Return more values of mu in each row, and their heights."""
        return _spread(self.windows, number), np.asarray(self.spline(np.linspace(0, 1, number)))

    def narrowed(self, depth: float) -> tuple[Array, Array]:
        """Return the window of each row and the range of places that reach within half the depth of the maximum."""
        highest, columns = self.heights.max(1), self.heights.shape[1]
        near = 2 * (highest[:, None] - self.heights) <= depth
        first = np.maximum(near.argmax(1) - 1, 0)
        last = columns - 1 - np.maximum(near[:, ::-1].argmax(1) - 1, 0)
        mu, rows = _spread(self.windows, columns), np.arange(len(highest))
        reached = np.flatnonzero(2 * (highest.max() - highest) <= depth)
        ends = max(reached[0] - 1, 0), min(reached[-1] + 1, len(highest) - 1)
        return np.array([mu[rows, first], mu[rows, last]]), self.places[list(ends)]


def rows_about_the_maximum(likelihood: Likelihood, depth: float) -> Rows:
    """Return rows that reach down to half the depth below the maximum: a coarse grid is narrowed until it fits.

    The log-likelihood is concave in mu. The windows are narrowed first, so that the heights of rows are comparable.
    """
    unit = likelihood.standard_error
    number = COARSE[0]
    places = np.linspace(0, math.asinh(LARGEST_TAU / unit), number)
    windows = np.array([[-FARTHEST], [FARTHEST]]) * np.ones(number)
    while True:
        rows = Rows.evaluated(likelihood, places, unit, windows, COARSE)
        narrow, ends = rows.narrowed(depth)
        if (windows[1] - windows[0] > 2 * (narrow[1] - narrow[0])).any():
            windows = narrow
            continue
        finished = places[-1] - places[0] < 1.5 * (ends[1] - ends[0])
        finer = np.linspace(ends[0], ends[1], FINE[0] if finished else number)
        windows = np.array([np.interp(finer, places, each) for each in narrow])
        places = finer
        if finished:
            return Rows.evaluated(likelihood, places, unit, windows, FINE)


def _spread(windows: Array, number: int) -> Array:
    """Return equidistant values of mu in each window."""
    return np.asarray(windows[0][:, None] + (windows[1] - windows[0])[:, None] * np.linspace(0, 1, number))

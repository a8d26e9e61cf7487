"""The limits of `Flow` for one mean loss: case weights are tilted exponentially by the loss, as in `solver.Path`.

``off`` is the difference of a mean on the path from the observed mean.
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import PSEUDO_COUNT
from howsure.methods.core.standard_errors import is_positive_error
from howsure.methods.flow.loss_histogram import LossHistogram
from howsure.native.losses import Tilts

STRIDE = 0.7  # standard errors from one point of a path to the next
MOST_STRIDES = 80
STEEPEST = 5.0  # logarithm of the factor by which a cell may change in a stride
FLAT = 1e-12  # fraction of the first variance below which the metric is at the end of its range
SYMMETRIC = 1e-6  # smaller skewness counts as zero
CLOSE = 1e-6  # points closer than this (normal quantiles) coincide; shorter strides (standard errors) have ended
MAX_QUANTILE = 1000.0  # normal quantiles; reached with fewer than one degree of freedom, too far for steps of a path
FARTHEST = 1e12  # normal quantiles: the distance of the end of a path, beyond which there are no values
CONFIDENCE = 2.0  # how many times too confident probabilities may be: pseudo-counts have their power 1/2
DOWN, UP = -1, 1


class Point(NamedTuple):
    """Distance of a mean from the observed one, its variance and its third moment."""

    off: float
    variance: float
    third: float

    @property
    def standard_error(self) -> float:
        """The root of the variance."""
        return math.sqrt(self.variance)


class Tilting:
    """The path of `Flow` for a mean loss of independent cases, in both directions, extended as far as requested.

    It is for one table, so that its points are numbers and not arrays.

    Parameters
    ----------
    losses : Losses
        The losses of the cases.
    value : float
        The mean loss.
    bounds : tuple of float
        Smallest and largest possible mean.
    """

    bias: ClassVar[float] = 0.0  # a mean has none
    is_sparse: ClassVar[bool] = False

    def __init__(self, losses: LossHistogram, value: float, bounds: tuple[float, float]) -> None:
        off = losses.losses - value
        cases = _Cases(off, float(losses.cases.sum()))
        prior = losses.prior if math.isfinite(bounds[1]) else losses.prior * np.exp(-off / CONFIDENCE)
        start = losses.cases + PSEUDO_COUNT / prior.sum() * prior
        first = cases.point(start)
        self.value, self.bounds = value, bounds
        self.standard_error = cases.point(losses.cases * 1.0).standard_error
        self.varies = bool(is_positive_error(first.standard_error, value))
        if self.varies:
            self.directions = _Direction(cases, DOWN, start.copy(), first), _Direction(cases, UP, start, first)

    def limits(self, z: float) -> tuple[float, float]:
        """Return the lower and upper values at which the observed one is at a quantile."""
        if not self.varies:
            return math.nan, math.nan
        down, up = self.directions
        ends = down.limit(z, up), up.limit(z, down)
        low, high = (bound if off is None else self.value + off for off, bound in zip(ends, self.bounds, strict=True))
        return low, high


class _Cases:
    """Losses of the cases, and the weights along the tilting path."""

    def __init__(self, off: Array, total: float) -> None:
        self.tilts, self.total = Tilts(off, STEEPEST), total
        self.farthest = float(max(off.max(), -off.min()))

    def point(self, weights: Array, pace: float = 0.0, shift: float = 0.0) -> Point:
        """Return the point to which tilting moves; the weights are changed in place."""
        total, first, second, third = self.tilts.sums(weights, pace, shift)
        mean, square = first / total, second / total
        skew = third / total - 3 * mean * square + 2 * mean**3
        return Point(mean, max(square - mean**2, 0.0) / self.total, skew / self.total**2)

    def ahead(self, here: Point, weights: Array, sign: int) -> Point:
        """Return the point after one more step."""
        pace = sign * STRIDE / (here.standard_error * self.total)
        is_steep = abs(pace) * (self.farthest + abs(here.off)) > STEEPEST
        return self.point(weights, pace, pace * here.off if is_steep else 0.0)


class _Direction:
    """One direction of a path: distances of its points from the observed value, in value and as quantiles."""

    def __init__(self, cases: _Cases, sign: int, weights: Array, start: Point) -> None:
        self.cases, self.sign, self.weights, self.least = cases, sign, weights, FLAT * start.variance
        self.here, self.near, self.ended = cases.ahead(start, weights, sign), start, False
        self.offs, self.distances = [start.off], [self.distance(start)]
        self._store_point()

    def distance(self, here: Point) -> float:
        """Return the normal quantile of the observed value if ``here`` were the true one.

        A mean equals its own score, so its skewness is that of its cases.
        """
        error = here.standard_error
        skewness = here.third / here.variance / error
        skewness = skewness if abs(skewness) > SYMMETRIC else SYMMETRIC
        bent = 6 / skewness * (math.cbrt(1 - skewness * here.off / error / 2) - 1) + skewness / 6
        return -self.sign * bent

    def _store_point(self) -> None:
        """Store distance and value of the current point; both are kept monotone."""
        here, near = self.here, self.near
        turned = self.sign * (here.off - near.off) <= CLOSE * here.standard_error
        found = FARTHEST if turned or not here.variance else self.distance(here)
        self.ended = turned or here.variance <= self.least
        self.distances.append(max(self.distances[-1], found))
        self.offs.append(self.sign * max(self.sign * self.offs[-1], self.sign * here.off))

    def extend(self, z: float) -> None:
        """Add points until the distance of the observed value exceeds a quantile, or the path ends."""
        while self.distances[-1] < z and not self.ended and len(self.offs) <= MOST_STRIDES:
            self.here, self.near = self.cases.ahead(self.here, self.weights, self.sign), self.here
            self._store_point()

    def limit(self, z: float, other: _Direction) -> float | None:
        """Return the distance from the observed value at a quantile; None beyond the end of the path."""
        self.extend(z)
        if not (z <= MAX_QUANTILE and z <= self.distances[-1]):
            return None
        distances, offs = [-other.distances[1], *self.distances], [other.offs[1], *self.offs]
        last = next(place for place, each in enumerate(distances) if place and each >= z)
        three = slice(max(last - 2, 0), last + 1)
        return _between(z, distances[three], offs[three])


def _between(place: float, at: list[float], values: list[float]) -> float:
    """Return the value between the last two of three points, by the monotone part of a parabola through all three."""
    near, far = at[-2:]
    start, stop = values[-2:]
    if place <= near:
        return start
    slope = (stop - start) / (far - near)
    bend = 0.0
    if near - at[0] > CLOSE:
        bend = (slope - (start - values[0]) / (near - at[0])) / (far - at[0])
        steepest = abs(slope) / (far - near)
        bend = min(max(bend, -steepest), steepest)
    return start + (place - near) * (slope + (place - far) * bend)

"""The limits of `Flow`: values on the path whose distance from the observed table is a given normal quantile.

From the starting table the path is followed down and up in strides of about 0.7 standard errors. Each point stores its
value, and its distance: the normal quantile of the observed table if the table of this point were the true one. The
limits at a quantile z are the values at which the distance is z, interpolated between points by a parabola. Points are
added only as far as a requested quantile or value needs. Arrays have two rows: down and up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import safe_divide
from howsure.methods.core.standard_errors import is_positive_error
from howsure.methods.flow.all_cells import DOWN_UP, PathTables, Point, TooSteepError
from howsure.methods.flow.exponential_tilting import (
    CLOSE,
    FARTHEST,
    FLAT,
    MAX_QUANTILE,
    MOST_STRIDES,
    STRIDE,
    SYMMETRIC,
)

EARLY = 0.5  # normal quantiles: a path passes the observed value before them, unless pseudo-counts outweigh a class
NEAR = 2.0  # normal quantiles: most limits lie within them
MOST_AT_ONCE = 3  # strides, whose distances are computed jointly: those to the limits at 95 %
MANY_TABLES = 2_000  # whose strides are computed one by one: several do not fit the processor's cache
REMOTE = 6 * np.log(10.0)  # on a logarithmic scale: rounding decides how likely values are that far from the observed


@final
class Path:
    """Values along the path of each table of a batch, with their distances from the observed table.

    Parameters
    ----------
    tables : PathTables
        The starting tables, and the steps along their paths.
    value : ndarray of shape (tables,)
        Observed values of the metric.
    excess : ndarray of shape (tables,)
        Additional skewness due to clusters, relative to that of independent cases; see `Clustering.excess_skewness`.
    bounds : tuple of float
        Range of the metric.
    """

    def __init__(self, tables: PathTables, value: Array, excess: Array, bounds: tuple[float, float]) -> None:
        self.tables, self.excess, self.bounds = tables, excess, bounds
        self.start = tables.start()
        centre = tables.scale.scaled(value)
        self.observed = centre
        bias, self.inflation = tables.second_order()
        self.bias = np.broadcast_to(bias, (2, len(centre)))
        self.is_sparse = tables.is_sparse()
        centre = np.where(np.isfinite(centre), centre, self.start.value[0]) - self.bias
        self.ends = tables.scale.scaled(np.array(bounds))[:, None]
        self.centre = np.minimum(np.maximum(centre, self.ends[0]), self.ends[1])  # no table has a value beyond them
        self.varies = is_positive_error(np.sqrt(self.start.variance[0]), self.centre[0])
        self.reach = np.full(centre.shape[-1], -np.inf)
        self.distances = self.values = np.zeros((1, 2, centre.shape[-1]))
        self.trace: _Trace | None = None

    def distance(self, here: Array, near: Array, far: Array, tables: Any) -> Array:
        """Return the normal quantiles of the observed table if the points ``here`` were the true ones.

        Rao's score measures the distance of the observed cells from ``here`` along its gradient. It is linear in the
        counts, so its variance and skewness are exact even if the metric is strongly nonlinear.

        Parameters
        ----------
        here, near, far : ndarray of shape (4, points, 2, tables)
            The `moments` of consecutive points, of the point before each of them, and of the one before that.
        tables : slice or ndarray of int
            The tables.
        """
        value, variance, third, score = here
        if self.tables.by_deviance:
            return np.asarray(score)
        error = np.sqrt(variance)
        skewness = third / (variance * error)
        excess = self.excess[tables] * skewness  # of clusters, whose variance is estimated
        weight, found = self.tables.score_share, np.zeros(error.shape)
        error = error * np.sqrt(self.inflation[tables])
        if weight > 0:
            difference = score - (self.bias[..., tables] if self.tables.sums_classes else 0.0)
            found = weight * _quantile(difference / error + excess / 2, skewness - 2 * excess)
        if weight < 1:
            statistic = (self.centre[..., tables] - value) / error
            bent = _bent_skewness(here, near, far)
            found = found + (1 - weight) * _quantile(statistic + excess / 2, bent - 2 * excess)
        return found

    def moments(self, points: Sequence[Point], tables: Any) -> Array:
        """Return value, variance, third moment, and score or deviance of points, ``(4, points, 2, tables)``."""
        measure = self.tables.deviance if self.tables.by_deviance else self.tables.score
        found = np.empty((4, len(points), *points[-1].value.shape))
        for place, each in enumerate(points):
            for row, part in enumerate((each.value, each.variance, each.third, measure(each, tables))):
                found[row, place] = part
        return found

    def extend(self, reach: Array, goal: Array | None = None) -> None:
        """Continue both directions of each path until its distance exceeds ``reach``, or its value passes ``goal``."""
        short = self._is_short_of(reach, goal)
        if self.trace is None or not self.trace.is_walking[short].all():
            self.trace = _Trace(self, slice(None) if short.all() else np.flatnonzero(short), reach)
        trace = self.trace
        trace.extend(self, reach, goal)
        covered = np.where(trace.ended, np.inf, trace.distances[-1]).min(0)
        covered = np.maximum(reach, covered) if goal is None else covered
        self.reach = np.where(short, covered, self.reach)
        # The first row is the first point of the opposite direction, for the parabola at the start.
        self.distances = _merged(short, np.concatenate([-trace.distances[1:2, ::-1], trace.distances]), self.distances)
        self.values = _merged(short, np.concatenate([trace.values[1:2, ::-1], trace.values]), self.values)

    def end(self, last: Array) -> Array:
        """Return the last value of paths whose next step would turn back; the end of the metric's range, if close.

        Near an extreme value e the metric is ``e + c x²``. A step turns back if x is less than half its length; e is
        then closer than half of the step in value.
        """
        value, variance = last[:2]
        return np.where(np.abs(self.ends - value) <= STRIDE / 2 * np.sqrt(variance), self.ends, value)

    def limits(self, z: Array) -> Array:
        """Return the values down and up the path at which the distance of the observed table is the quantile z."""
        z = self._beyond_observed(np.where(np.isfinite(z), z, 0.0))
        beyond = self.distances[1:] >= z
        places = np.maximum(beyond.argmax(0) + np.array([-1, 0, 1])[:, None, None], 0)
        limit = _between(z, *_at(places, self.distances, self.values))
        remote = (np.abs(limit - self.start.value) > REMOTE) & (self.tables.scale.sign != 0)
        found = beyond.any(0) & ~remote & (z <= MAX_QUANTILE)
        return np.where(found, self.tables.scale.unscaled(limit), np.array(self.bounds)[:, None])

    def quantiles_at(self, limit: float, lower: Array, farthest: Array) -> Array:
        """Return the quantile at which a limit of each table equals a value; infinite if no limit does.

        Parameters
        ----------
        limit : float
            The value, which is outside the interval at small quantiles.
        lower : ndarray of bool of shape (tables,)
            Whether the lower limit is searched, otherwise the upper one.
        farthest : ndarray of shape (tables,)
            Largest quantile of interest.
        """
        each, direction = np.arange(len(lower)), np.where(lower, 0, 1)
        sign = DOWN_UP[direction, 0]
        goal = self.tables.scale.scaled(np.full(len(lower), limit))
        if self.tables.scale.sign:  # farther values are those of the end of the range
            start = self.start.value[0]
            goal = np.clip(goal, start - REMOTE, start + REMOTE)
        goals = np.where(direction == np.arange(2)[:, None], goal, self.start.value)
        z = found = np.zeros(len(lower), dtype=bool)
        for reach, stop in ((NEAR, None), (MAX_QUANTILE, goals)):
            z = np.where(found, z, np.minimum(reach, np.minimum(farthest, MAX_QUANTILE)))
            offset = (self._beyond_observed(z, stop) - z)[direction, each]
            beyond = sign * (self.values[1:, direction, each] - goal) >= 0
            found = beyond.any(0)
            if found.all():
                break
        places = np.maximum(beyond.argmax(0) + np.array([-1, 0, 1])[:, None], 0)
        around = (part[places, direction, each] for part in (self.distances, self.values))
        last = self.distances[-1, direction, each]  # at larger quantiles the limit is the end of the range
        place = np.where(found, _place_between(goal, *around), np.where(last < FARTHEST, last, np.inf))
        is_outside = sign * (limit - np.array(self.bounds)[direction]) > 0
        return np.where(is_outside, np.inf, np.minimum(place - offset, MAX_QUANTILE))

    def _beyond_observed(self, z: Array, goal: Array | None = None) -> Array:
        """Return the distances that correspond to the quantiles z, ``(2, tables)``; extend the path to them or a value.

        The two are equal, except if a few pseudo-counts move the start of the path so far from the observed value that
        tables between the two are improbable, because they have other proportions of the classes. The quantiles are
        then counted from the point at which the path passes the observed value.
        """
        self._extend_if_short(z, goal)
        open_ends = self.observed != self.ends
        passes = self._passes()
        is_known = (passes | ~open_ends).all(0)
        if not is_known.all():  # paths that end before it have their own largest value
            beyond = np.nextafter(self.observed, DOWN_UP * np.inf)
            self._extend_if_short(np.where(is_known, z, MAX_QUANTILE), beyond)
            passes = self._passes()
        offset = np.where(passes & open_ends, self._quantile_of_passing() - EARLY, 0.0)
        wanted = z + np.maximum(offset, 0.0)
        self._extend_if_short(wanted.max(0), goal)
        return np.asarray(wanted)

    def _extend_if_short(self, reach: Array, goal: Array | None = None) -> None:
        if self._is_short_of(reach, goal).any():
            self.extend(reach, goal)

    def _is_short_of(self, reach: Array, goal: Array | None) -> Array:
        """Return whether each path must be extended to contain a quantile, or a value, in both directions."""
        short = reach > self.reach
        return short if goal is None else short & ~_passed(self.values[-1], goal).all(0)

    def _passes(self) -> Array:
        """Return whether the stored points of each path pass the observed value, ``(2, tables)``."""
        return np.asarray((DOWN_UP * (self.values[1:] - self.observed) > 0).any(0))

    def _quantile_of_passing(self) -> Array:
        """Return the quantile at which each path passes the observed value, by linear interpolation."""
        number = (DOWN_UP * (self.values[1:] - self.observed) <= 0).sum(0)  # points before it: values are in order
        places = np.minimum(np.maximum(number + np.array([-1, 0])[:, None, None], 0), len(self.values) - 2)
        (near, far), (start, stop) = _at(places, self.distances[1:], self.values[1:])
        part = safe_divide(np.abs(self.observed - start), np.abs(stop - start))
        passed = near + np.where(far < FARTHEST, part * (far - near), 0.0)
        return np.where(number > 0, passed, 0.0)


@final
class _Trace:
    """The points of some tables' paths so far, which can be extended as long as they are walked.

    It has no reference to its `Path`, so that large tables are released without waiting for the garbage collector.

    Attributes
    ----------
    distances, values : ndarray of shape (points, 2, tables)
        The points so far: distances from the observed table as normal quantiles, and values; both monotone.
    ended : ndarray of bool of shape (2, tables)
        Whether the metric has an extreme value there: the next step turned back, or the variance is zero.
    is_walking : ndarray of bool of shape (tables,)
        Whether the path of each table is still extended.
    last : ndarray of shape (4, 2, 2, tables)
        The moments of the last two points of the paths that are still extended.
    """

    def __init__(self, path: Path, tables: Any, reach: Array) -> None:
        self.tables, self.is_walking = tables, np.zeros(len(path.observed), dtype=bool)
        self.is_walking[tables] = True
        self.here = path.start.of(tables)
        self.ended = np.zeros((2, len(path.observed)), dtype=bool)
        self.distances = np.zeros((1, 2, len(path.observed)))
        self.values = np.repeat(path.start.value[None], 2, axis=1)
        points = [self.here, *self._strides(path, _needed(reach[tables]))]
        moments = path.moments(points, tables)
        first = moments[:, 1:2]  # which on either side precedes the start for a parabola
        moments = np.concatenate([first, first[:, :, ::-1], moments], axis=1)
        distances = path.distance(moments[:, 2:], moments[:, 1:-1], moments[:, :-2], tables)
        self.distances[0][:, tables] = distances[0]
        self.last: Array = moments[:, -2:]
        self._store(path, moments[:, 2:], distances[1:])

    def extend(self, path: Path, reach: Array, goal: Array | None) -> None:
        """Continue each path until its distance in both directions exceeds a quantile, it passes a value, or ends."""
        while len(self.values) <= MOST_STRIDES:
            farthest, every = self.distances[-1], self.tables
            reached = self.ended if goal is None else self.ended | _passed(self.values[-1], goal)
            active = np.asarray(((farthest < reach) & ~reached)[:, every].any(0))
            if not active.any():
                return
            if not active.all():
                self.tables = np.arange(len(reach))[every][active]
                self.is_walking = np.isin(np.arange(len(reach)), self.tables)
                self.here, self.last = self.here.of(active), self.last[..., active]
            number = 1 if goal is not None else _needed((reach - farthest)[:, self.tables].max(0))
            points = self._strides(path, min(number, MOST_STRIDES + 1 - len(self.values)))
            moments = np.concatenate([self.last, path.moments(points, self.tables)], axis=1)
            found = path.distance(moments[:, 2:], moments[:, 1:-1], moments[:, :-2], self.tables)
            self.last = moments[:, -2:]
            self._store(path, moments[:, 1:], found)

    def _strides(self, path: Path, number: int) -> list[Point]:
        """Walk some strides and return their points; stop before a later one that is too steep, and may be unneeded."""
        points: list[Point] = []
        for _ in range(number):
            try:
                self.here = path.tables.ahead(self.here, self.tables)
            except TooSteepError:
                if points:
                    return points
                raise
            points.append(self.here)
        return points

    def _store(self, path: Path, moments: Array, distances: Array) -> None:
        """Store values and distances of new points; both are kept monotone. The first moments are of the point before.

        Nothing is stored for points beyond the end of a path.
        """
        tables, near, here = self.tables, moments[:, :-1], moments[:, 1:]
        turned = DOWN_UP * (here[0] - near[0]) <= CLOSE * np.sqrt(here[1])
        ends = turned | ~(here[1] > FLAT * path.start.variance[:, tables])
        ended = np.logical_or.accumulate(np.concatenate([self.ended[None][..., tables], ends]))
        self.ended[:, tables] = ended[-1]
        found = np.where(ended[:-1], np.nan, np.where(turned, FARTHEST, distances))
        value = np.where(ended[:-1], np.nan, np.where(turned, path.end(near), here[0]))
        self.distances = _continued(self.distances, tables, found)
        self.values = DOWN_UP * _continued(DOWN_UP * self.values, tables, DOWN_UP * value)


def _continued(rows: Array, tables: Any, new: Array) -> Array:
    """Return rows with new ones of some tables after them, kept from falling; nan repeats the number before."""
    more = np.repeat(rows[-1:], len(new), axis=0)
    more[..., tables] = np.fmax.accumulate(np.concatenate([rows[-1:][..., tables], new]))[1:]
    return np.concatenate([rows, more])


def _needed(distances: Array) -> int:
    """Return the number of strides that all paths have to be extended by for these distances, 1 to `MOST_AT_ONCE`."""
    most = MOST_AT_ONCE if len(distances) < MANY_TABLES else 1
    return min(max(round(float(distances.min()) / STRIDE), 1), most)


def _at(places: Array, *parts: Array) -> list[Array]:
    """Return the entries of arrays at places along their first axis, ``(..., 2, tables)``."""
    rest = np.arange(places.shape[-2])[:, None], np.arange(places.shape[-1])
    return [part[places, *rest] for part in parts]


def _passed(values: Array, goal: Array) -> Array:
    """Return whether values down and up a path have reached or passed a goal, ``(2, tables)``."""
    return np.asarray(DOWN_UP * (values - goal) >= 0)


def _merged(tables: Array, path: Array, other: Array) -> Array:
    """Return ``path`` for some tables and ``other`` for the rest; the last entry of the shorter one is repeated."""
    if tables.all():
        return path
    strides = max(len(path), len(other))
    path, other = (np.concatenate([each, np.repeat(each[-1:], strides - len(each), 0)]) for each in (path, other))
    return np.where(tables, path, other)


def _quantile(statistic: Array, skewness: Array) -> Array:
    """Return the normal quantile of a statistic with mean 0, variance 1 and a skewness (inverse Wilson–Hilferty)."""
    skewness = np.where(np.abs(skewness) > SYMMETRIC, skewness, SYMMETRIC)
    return np.asarray(-DOWN_UP * (6 / skewness * (np.cbrt(1 + skewness * statistic / 2) - 1) + skewness / 6))


def _bent_skewness(here: Array, near: Array, far: Array) -> Array:
    """Return γ of `Flow`: ``(1.5 dV/dθ - T / (2 V)) / sqrt(V)`` with a point's value θ, variance V and third moment T.

    The derivative dV/dθ is that of a parabola through three points of the path.
    """
    value, variance, third, _ = here
    rise = _slope(here, near)
    rise = rise + (value - near[0]) * (rise - _slope(near, far)) / (value - far[0])
    return np.asarray((1.5 * rise - 0.5 * third / variance) / np.sqrt(variance))


def _slope(here: Array, there: Array) -> Array:
    """Return the derivative of the variance with respect to the value, from one point to another."""
    return np.asarray((there[1] - here[1]) / (there[0] - here[0]))


def _between(place: Array, at: Array, values: Array) -> Array:
    """Return the values at ``place`` between the last two of three points, by the monotone part of a parabola.

    If the requested place is beyond the end of the path, the last value is returned.
    """
    (_, near, far), (_, start, stop) = at, values
    slope, bend = _parabola(at, values)
    inside = start + (place - near) * (slope + (place - far) * bend)
    return np.asarray(np.where(place <= near, start, np.where((place < far) & (far < FARTHEST), inside, stop)))


def _parabola(at: Array, values: Array) -> tuple[Array, Array]:
    """Return slope and bend of the parabola through three points, monotone between the last two."""
    (before, near, far), (first, start, stop) = at, values
    slope, earlier = (stop - start) / (far - near), (start - first) / (near - before)
    steepest = np.abs(slope) / (far - near)
    bend = np.where(near - before > CLOSE, (slope - earlier) / (far - before), 0.0)
    return slope, np.minimum(np.maximum(bend, -steepest), steepest)


def _place_between(value: Array, at: Array, values: Array) -> Array:
    """Return the place at which `_between` equals a value: the root of its parabola."""
    (_, near, far), (_, start, stop) = at, values
    slope, bend = _parabola(at, values)
    linear, sign = slope - (far - near) * bend, np.where(stop < start, -1.0, 1.0)
    rise = sign * (value - start)
    root = np.sqrt(np.maximum(linear**2 + 4 * sign * bend * rise, 0.0))
    inside = near + np.clip(safe_divide(2 * rise, sign * linear + root), 0.0, far - near)
    return np.asarray(np.where(far < FARTHEST, np.where(near < far, inside, far), near))

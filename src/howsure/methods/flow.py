"""The score interval along the natural-gradient flow: for every smooth metric of counts, of any number of tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, cast, final

import numpy as np
from numpy.typing import NDArray

from howsure.designs.base import PSEUDO_CASES, quotient
from howsure.designs.sums import dot
from howsure.methods.draws import lumped
from howsure.methods.interval import (
    CONSTANT,
    ONE_CASE,
    ONE_CLUSTER,
    UNDEFINED,
    AtLevels,
    Interval,
    Method,
    needs_counted_cases,
)
from howsure.methods.loss_grid import Losses
from howsure.methods.scales import automatic_scale
from howsure.methods.standard_errors import design_sample, quantile, shows_variation, standard_error
from howsure.methods.tilting import (
    CLOSE,
    CONFIDENCE,
    FARTHEST,
    FLAT,
    HOPELESS,
    MOST_STRIDES,
    STEEPEST,
    STRIDE,
    SYMMETRIC,
    Tilting,
)
from howsure.metrics.averages import EXTREMES
from howsure.metrics.metric import Metric
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table

Array = NDArray[Any]
NUDGE = 0.5  # cases that a cell is changed by, up or down, for a second derivative
SMALL_PART = 1 / 16  # of an outcome of a class, which is changed by no more: the share of a rare class bends sharply
MOST_CELLS = 1024  # whose second derivatives are taken one by one
LUMPED_CELLS = 400  # from which on it pays to put together those that stay in proportion
DIRECTIONS = 128  # in which they are taken together, beyond that
ENTRIES = 2**20  # of tables held at once
REMOTE = 6 * np.log(10.0)  # on a logarithmic scale: rounding decides how likely values are that far from the observed
WAYS = np.array([-1.0, 1.0])[:, None]  # down and up


@final
@dataclass(frozen=True, slots=True)
class Flow(Method):
    """Score interval along the natural-gradient flow: the values that the observed one does not contradict.

    Notes
    -----
    A score interval holds the values θ that a test of θ does not reject, with the variance that *θ* implies. For a
    proportion that is Wilson's. A metric of a table has many tables of the same value, so a path through the observed
    one is chosen: ``dq/dt = q · g``, with q the shares of the cells and g the gradient of the metric, on which the
    metric changes fastest for the least information (the least favourable family), and which leaves alone what tells
    nothing of it. Along it the limits are where

    ``(θ̂ − bias − θ(q)) / sqrt(V(q) / n) = w(±z),  V = Σ q g²``

    with the bias of θ̂ to second order, ``½ Σ C ∂²θ/∂C²``, and ``w`` the quantile of a distribution of mean 0, variance
    1 and the skewness of θ̂ at q, ``γ = (1.5 V' − ½ Σ q g³) / (V^1.5 √n)`` with ``V' = dV/dt``, by Wilson and Hilferty:
    ``w(z) = 2/γ ((1 + γ z / 6 − γ² / 36)³ − 1)``. The path begins at the observed table with two pseudo-cases spread
    over its cells, so that empty cells can fill. Metrics without an upper limit are taken on the scale of their
    logarithm. Of weighted and clustered data n is what makes V / n the design's variance, with what that lacks in
    small samples (`Design.small_sample`), and z is a quantile of Student's t. The estimate's skewness in excess of
    that of n independent cases, e, enters once more by the variance, which is estimated too small where bad clusters
    are missing: γ − 2 e is the skewness of the estimate over its standard error, and −e / 2 its mean.

    Where cases count by their stratum (`Design.has_strata`) few of them may make up a large part of a table, and the
    metric bends within a standard error. There the statistic is Rao's score along the path, ``Σ (C − q) g / √V``: it is
    linear in the counts, has no bias, and its skewness is ``Σ q g³ / V^1.5``.

    Of ratings, whose patterns are nearly as many as the items, the variance is a sample's, with n − 1, and z a quantile
    of Student's t with n − 1 degrees of freedom.

    A mean loss of scores has no bias, and its path is exponential tilting: cases of a score change in number by what
    they lose. The pseudo-cases stand for losses that were not seen: of the Brier score as often of the class that a
    score speaks against as of the other, of the log loss in proportion to the root of the class's probability, as if
    the scores were twice as confident as they deserve. Losses of scores that are more overconfident than that, and
    were not seen, are beyond any method.

    References
    ----------
    Wilson (1927), JASA 22; Stein (1956) on least favourable families; Hall (1992), The Bootstrap and Edgeworth
    Expansion; Wilson and Hilferty (1931), PNAS 17.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "mcc", method="flow"))
    0.840 [0.709, 0.923]
    """

    name: ClassVar[str] = "flow"
    takes_batches: ClassVar[bool] = True
    takes_levels: ClassVar[bool] = True

    def suits(self, metric: Metric, table: Table) -> str:
        """Return an empty text for smooth metrics of counted cases, one label each, and of ratings."""
        if refusal := needs_counted_cases(self, table):
            return refusal
        if metric.of_one_model.average in EXTREMES:
            return f"`Flow` is for smooth metrics, and `{metric.name}` jumps from class to class. Use `Delta()`."
        counted = metric.is_mean_loss or not {"predictions", "ratings"}.isdisjoint(table.holds)
        if not (counted and table.has_one_label_per_case) or len(table.design.test_sets) > 1:
            return (
                "`Flow` is for metrics of predicted classes, of ratings and mean losses on one test set, one class for "
                f"each case, and `{metric.name}` here is none. Use `Delta()` or `Mover()`."
            )
        return ""

    def at_levels(self, metric: Metric, table: Table, rng: Any = None) -> AtLevels:
        """Return the interval as a function of its level: all levels share one path.

        Cells with equal slopes stay in proportion all the way, and are one cell; a mean loss goes by its losses alone.
        """
        cells = table.cells.shape[-1]
        if metric.losses is not None and table.design.is_independent and not table.batch:
            return _tilted(metric, Losses.of(table, metric.losses), metric.value_at(table.counted))
        if cells >= LUMPED_CELLS and metric.losses is None:
            table = lumped(table, [metric], table.design.lumps(cells))
        return flow_intervals(metric, table, *design_sample(metric, table))


def _tilted(metric: Metric, losses: Losses, value: Array) -> AtLevels:
    """Return the interval of a mean loss of independent cases."""
    path = Tilting(losses, float(value), metric.range)
    return _at_levels(metric, value, np.asarray(path.standard_error), path, np.inf)


def flow_intervals(metric: Metric, table: Table, inflation: Any, freedom: Any) -> AtLevels:
    """Return the interval along the flow as a function of its level.

    Parameters
    ----------
    metric : Metric
        The metric, bound to the table.
    table : Table
        One table, or a batch.
    inflation, freedom : float or ndarray of the shape of the batch
        How many times the design's variance that of the metric is, and its degrees of freedom.
    """
    with np.errstate(all="ignore"):
        value, error = metric.value_at(table.counted), standard_error(metric, table)
        effect = inflation * design_effect(metric, table, shows_variation(error, value))
        excess = np.broadcast_to(table.design.excess_skewness(table.cells, effect), effect.shape)
        sampled = table.design.sampled(table.cells)
        paths = _Paths.of(metric, table, sampled / np.asarray(effect)[..., None], value, excess)
    return _at_levels(metric, value, error, paths, freedom, ONE_CASE if table.has_sample_variance else ONE_CLUSTER)


def _at_levels(
    metric: Metric, value: Array, error: Array, paths: _Paths | Tilting, freedom: Any, why_endless: str = ""
) -> AtLevels:
    """Return the interval as a function of its level, from the paths of all tables."""
    lowest, highest = metric.range

    def interval(confidence_level: float) -> Interval:
        z = quantile(confidence_level, freedom)
        with np.errstate(all="ignore"):
            low, high = paths.limits(z)
            low = np.where(value <= lowest, lowest, np.minimum(low, value))
            high = np.where(value >= highest, highest, np.maximum(high, value))
        reason = np.where(paths.varies & (low < high), "", CONSTANT)
        reason = np.where(np.isfinite(z), reason, why_endless)
        reason = np.where(np.isfinite(value), reason, UNDEFINED)
        usable = reason == ""
        low, high = np.where(usable, low, np.nan), np.where(usable, high, np.nan)
        return Interval(low, high, np.where(np.isfinite(value), error, np.nan), reason=reason)

    return interval


class _Path:
    """The tables on the way down and up from each observed one, and how far they are: as a normal quantile.

    Tables are told by the cells that the design samples.

    Arrays have the way, down or up, as their first axis, then the tables of the batch, and then the cells.
    """

    def __init__(self, metric: Metric, table: Table, cases: Array, value: Array, excess: Array) -> None:
        self.metric, self.table, self.cases, self.excess = metric, table, cases, excess
        self.left = table.design.remaining
        self.is_finite = bool(np.any(self.left != 1))  # whether the population is
        self.sign, self.end = (0.0, 0.0) if metric.is_mean_loss else _end(metric.range)
        filled = cases + PSEUDO_CASES * self.pseudo_shares() * self.left
        self.start = self.point(np.array([filled, filled]), slice(None))
        centre = self.scaled(value)
        centre = np.where(np.isfinite(centre), centre, self.start.value[0])
        self.centre = centre if metric.is_mean_loss else centre - self.bias(filled)
        self.varies = shows_variation(np.sqrt(self.start.variance[0]), centre)
        self.reach = np.full(self.centre.shape, -np.inf)
        self.distances, self.values = np.empty(0), np.empty(0)

    def pseudo_shares(self) -> Array:
        """Return the share of the pseudo-cases in each cell: of a loss without bound fewer where it is large."""
        even = self.table.design.spread(self.table.prior_shares.ravel())
        if not self.metric.is_mean_loss or np.isfinite(self.metric.range[1]):
            return even
        cells = self.table.design.tables(self.cases)
        total = cells.sum(-1, keepdims=True)
        beyond = total * self.metric.gradient(self.table.wrap(cells)).reshape(cells.shape)  # the mean loss
        beyond = self.table.design.lifted(beyond)
        shares = even * np.exp(-beyond / CONFIDENCE)
        return np.asarray(shares / shares.sum(-1, keepdims=True))

    def bias(self, cells: Array) -> Array:
        """Return the second-order bias of the metric on its scale: with many cells by what each class adds."""
        terms = self.metric.terms
        few = len(self.table.labels) ** 2 < LUMPED_CELLS
        if terms is None or few or self.sign or self.table.design.has_strata:
            return second_order_bias(self.value, cells)
        counts = cast("ClassCounts", self.table.wrap(cells))  # of which alone there are terms
        outcomes = np.stack(counts.outcomes(), -1)

        def by_class(flat: Array) -> Array:
            four = np.moveaxis(flat.reshape(*flat.shape[:-2], *outcomes.shape), -1, 0)
            return np.asarray(terms(*four)).reshape(flat.shape[:-1])

        of_each = second_order_bias(by_class, outcomes.reshape(-1, 4), SMALL_PART)
        return np.asarray(of_each.reshape(outcomes.shape[:-1]).sum(-1))

    def scaled(self, value: Array) -> Array:
        """Return values on the metric's scale: the logarithm of the distance from a single end, else themselves."""
        return self.sign * np.log(self.sign * (value - self.end)) if self.sign else value

    def unscaled(self, value: Array) -> Array:
        """Return the values that are these on the metric's scale."""
        return np.asarray(self.end + self.sign * np.exp(self.sign * value) if self.sign else value)

    def value(self, cells: Array) -> Array:
        """Return the metric of tables, by their sampled cells, on its scale."""
        return self.scaled(np.asarray(self.metric(self.table.wrap(self.table.design.tables(cells)))))

    def point(self, cells: Array, tables: Any) -> _Point:
        """Return the point of the path at tables in these proportions, with the totals that the design fixes."""
        design = self.table.design
        cells = design.rescaled(cells, self.cases[tables])
        whole = design.tables(cells)
        counts = self.table.wrap(whole)
        value, slopes = np.asarray(self.metric(counts)), self.metric.gradient(counts).reshape(whole.shape)
        if not np.isfinite(slopes).all():
            slopes = np.where(np.isfinite(slopes), slopes, 0.0)
        slopes = design.tangent(cells, slopes)
        if self.sign:
            slopes = slopes / np.abs(value - self.end)[..., None]
        squares = cells * slopes
        squares *= slopes
        third = dot(squares, slopes * quotient(2 * self.left - 1, np.sqrt(self.left)) if self.is_finite else slopes)
        return _Point(cells, slopes, self.scaled(value), squares.sum(-1), third)

    def ahead(self, here: _Point, tables: Any) -> _Point:
        """Return the points one stride on."""
        pace = STRIDE / np.sqrt(here.variance)
        pace = np.where(np.isfinite(pace), pace, 0.0)  # where nothing varies, nothing changes
        steps = (WAYS * pace)[..., None] * here.slopes
        if self.is_finite:
            steps *= np.sqrt(self.left)
        cells = np.exp(np.clip(steps, -STEEPEST, STEEPEST, out=steps), out=steps)
        cells *= here.cells
        return self.point(cells, tables)

    def distance(self, here: _Point, near: _Point, far: _Point, tables: Any) -> Array:
        """Return the quantile of a normal variable at which the observed value would be, were ``here`` the truth."""
        found = (
            self.of_scores(here, tables) if self.table.design.has_strata else self.of_values(here, near, far, tables)
        )
        score, skewness, added = found
        skewness = np.where(np.abs(skewness) > SYMMETRIC, skewness, SYMMETRIC)
        return np.asarray(-WAYS * (6 / skewness * (np.cbrt(1 + skewness * (score + added) / 2) - 1) + skewness / 6))

    def of_values(self, here: _Point, near: _Point, far: _Point, tables: Any) -> tuple[Array, Array, Array]:
        """Return how many standard errors off the observed value is, its skewness, and what is added for the excess.

        The variance's derivative is that of a parabola through the point and two others of its path.
        """
        variance = here.variance
        rise = _slope(here, near)
        rise = rise + (here.value - near.value) * (rise - _slope(near, far)) / (here.value - far.value)
        skewness = (1.5 * rise - 0.5 * here.third / variance) / np.sqrt(variance)
        excess = self.excess[tables] * here.third / variance**1.5
        return (self.centre[tables] - here.value) / np.sqrt(variance), skewness - 2 * excess, excess / 2

    def of_scores(self, here: _Point, tables: Any) -> tuple[Array, Array, Array]:
        """Return Rao's score, its skewness, and 0: how far the observed cells are from ``here`` along its slopes.

        It is linear in the counts, so that its variance and skewness are exact, however steeply the metric bends.
        """
        score = (self.cases[tables] * quotient(here.slopes, np.sqrt(self.left))).sum(-1) / np.sqrt(here.variance)
        return score, here.third / here.variance**1.5, np.zeros_like(score)

    def walk(self, reach: Array) -> None:
        """Go on, both ways from every table, until each is farther than its quantile."""
        tables: Any = slice(None)
        near, here = self.start, self.ahead(self.start, tables)
        far = here.turned()
        farthest, latest = self.distance(near, here, far, tables), near.value.copy()
        ended = np.zeros(farthest.shape, dtype=bool)  # a way that turned, or varies no more: what follows is rounding
        distances, values = [farthest.copy()], [latest.copy()]
        for _ in range(MOST_STRIDES):
            turned = WAYS * (here.value - near.value) <= CLOSE * np.sqrt(here.variance)
            found = np.where(turned, FARTHEST, self.distance(here, near, far, tables))
            found, value = (np.where(ended[:, tables], np.nan, each) for each in (found, here.value))
            farthest[:, tables] = np.fmax(farthest[:, tables], found)
            latest[:, tables] = WAYS * np.fmax(WAYS * latest[:, tables], WAYS * value)
            distances.append(farthest.copy())
            values.append(latest.copy())
            ended[:, tables] |= turned | ~(here.variance > FLAT * self.start.variance[:, tables])
            going = np.asarray(((farthest[:, tables] < reach[tables]) & ~ended[:, tables]).any(0))
            if not going.any():
                break
            near, far = here, near
            if not going.all():
                tables, near, far = np.arange(len(self.centre))[tables][going], near.of(going), far.of(going)
            here = self.ahead(near, tables)
        self.reach = reach
        self.distances = np.stack([-distances[1][::-1], *distances])
        self.values = np.stack([values[1][::-1], *values])

    def limits(self, z: Array) -> Array:
        """Return the values on the path at which the observed ones are at a quantile, lower and upper."""
        farthest = np.where(np.isfinite(z), z, 0.0)
        if (farthest > self.reach).any():
            self.walk(np.maximum(farthest, self.reach))
        beyond = self.distances[1:] >= z
        places = np.maximum(beyond.argmax(0) + np.array([-1, 0, 1])[:, None, None], 0)
        around = (np.take_along_axis(part, places, 0) for part in (self.distances, self.values))
        limit = _between(z, *around)
        remote = (np.abs(limit - self.start.value) > REMOTE) & (self.sign != 0)
        found = beyond.any(0) & ~remote & (z <= HOPELESS)
        return np.where(found, self.unscaled(limit), np.array(self.metric.range)[:, None])


@dataclass(frozen=True, slots=True)
class _Paths:
    """The paths of all tables of a batch, in blocks that bound their memory."""

    blocks: list[_Path]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, metric: Metric, table: Table, cases: Array, value: Array, excess: Array) -> _Paths:
        """Return the paths from each table, of numbers of independent cases."""
        flat, values, excess = cases.reshape(-1, cases.shape[-1]), value.reshape(-1), excess.reshape(-1)
        step = max(1, ENTRIES // flat.shape[1])
        parts = [slice(start, start + step) for start in range(0, len(flat), step)]
        return cls([_Path(metric, table, flat[part], values[part], excess[part]) for part in parts], value.shape)

    @property
    def varies(self) -> Array:
        """Whether the metric varies at all."""
        return np.concatenate([block.varies for block in self.blocks]).reshape(self.shape)

    def limits(self, quantile: Any) -> tuple[Array, Array]:
        """Return the lower and upper limits at a quantile, or at one for each table."""
        z = np.broadcast_to(quantile, self.shape).reshape(-1)
        ends = np.cumsum([len(block.cases) for block in self.blocks])
        pieces = zip(self.blocks, np.split(z, ends[:-1]), strict=True)
        low, high = np.concatenate([block.limits(each) for block, each in pieces], axis=1)
        return low.reshape(self.shape), high.reshape(self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """Tables, with the metric's gradient by their cells, and its value, variance and third moment on the scale."""

    cells: Array
    slopes: Array
    value: Array
    variance: Array
    third: Array

    def of(self, tables: Array) -> _Point:
        """Return the points of some of the tables."""
        return _Point(*(part[:, tables] for part in self._parts))

    def turned(self) -> _Point:
        """Return the points of the other way."""
        return _Point(*(part[::-1] for part in self._parts))

    @property
    def _parts(self) -> tuple[Array, ...]:
        return self.cells, self.slopes, self.value, self.variance, self.third


def _end(bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the single finite end of a range, after 1 if it is the lower and −1 if it is the upper one; else zeros."""
    if automatic_scale(bounds) != "log":
        return 0.0, 0.0
    return (1.0, bounds[0]) if np.isfinite(bounds[0]) else (-1.0, bounds[1])


def _slope(here: _Point, there: _Point) -> Array:
    """Return how the variance changes with the value from one point to another."""
    return np.asarray((there.variance - here.variance) / (there.value - here.value))


def _between(place: Array, at: Array, values: Array) -> Array:
    """Return values between the last two of three points, by the parabola through all, bent no more than monotone."""
    (before, near, far), (first, start, stop) = at, values
    slope, earlier = (stop - start) / (far - near), (start - first) / (near - before)
    steepest = np.abs(slope) / (far - near)
    bend = np.clip(np.where(near - before > CLOSE, (slope - earlier) / (far - before), 0.0), -steepest, steepest)
    inside = start + (place - near) * (slope + (place - far) * bend)
    return np.asarray(np.where(place <= near, start, np.where(place < far, inside, stop)))


def design_effect(metric: Metric, table: Table, varies: Array) -> Array:
    """Return how many times the variance of the metric is that of independent cases, one a count, of each table.

    Where the sample shows no variation it is that of the smoothed table.
    """
    if table.design.is_independent and not table.has_sample_variance:
        return np.ones(table.batch)
    effect = _effect(metric, table)
    if not varies.all():
        effect = np.where(varies, effect, _effect(metric, table.smoothed()))
    return np.where(effect == 0, 1.0, effect)


def _effect(metric: Metric, table: Table) -> Array:
    gradient, sampled = metric.slopes(table.counted).reshape(table.cells.shape), table.design.sampled(table.cells)
    slopes = table.design.tangent(sampled, gradient)
    return quotient(table.variance(gradient), (sampled * slopes**2).sum(-1))


def second_order_bias(value: Callable[[Array], Array], cells: Array, part: float = 1.0) -> Array:
    """Return the bias of a function of Poisson counts to second order: half the sum of ``C · ∂²/∂C²`` over the cells.

    Of very many cells by Hutchinson's estimate of that trace, in fixed directions.

    Parameters
    ----------
    value : callable
        ndarray of shape (..., cells) → (...).
    cells : ndarray of shape (tables, cells)
        The counts, all positive.
    part : float
        Share of a count by which it is changed at the most.
    """
    tables, size = cells.shape
    total = np.zeros(tables)
    if size <= MOST_CELLS:
        for start in range(0, size, block := max(1, ENTRIES // cells.size)):
            chosen = np.arange(start, min(start + block, size))
            own = cells[:, chosen].T
            nudges, number = np.minimum(part * own, NUDGE), np.arange(len(chosen))
            moved = np.repeat(cells[None], 2 * len(chosen) + 1, 0)
            moved[number, :, chosen] += nudges
            moved[len(chosen) + number, :, chosen] -= nudges
            above, below, middle = np.split(value(moved), (len(chosen), 2 * len(chosen)))
            bend = (above + below - 2 * middle) / nudges**2
            total += (own * np.where(np.isfinite(bend), bend, 0.0)).sum(0)
        return total / 2
    middle = value(cells)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (DIRECTIONS, size))
    step = NUDGE * np.sqrt(np.where(cells > 0, cells, np.inf).min(-1, keepdims=True))
    for sign in signs:
        moved = step * np.sqrt(cells) * sign
        bend = (value(cells + moved) + value(cells - moved) - 2 * middle) / step[:, 0] ** 2
        total += np.where(np.isfinite(bend), bend, 0.0) / DIRECTIONS
    return total / 2

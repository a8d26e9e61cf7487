"""Tables along a path of the flow, stored by all their cells: for any metric and any design."""

from __future__ import annotations

import abc
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs.base import PSEUDO_COUNT, safe_divide
from howsure.designs.cell_sums import dot
from howsure.designs.two_level import TwoLevel
from howsure.methods.core.scales import automatic_scale
from howsure.methods.flow.exponential_tilting import CONFIDENCE, STEEPEST, STRIDE
from howsure.metrics.metric import Metric
from howsure.native.growth import grown
from howsure.tables.counts import ClassCounts, Counts, with_moves
from howsure.tables.table import Table

DIFFERENCE_STEP = 0.5  # cases that a cell is changed by, up or down, for a second derivative
LEAST_PART = 1e-4  # of a cell, changed by no less: rounding errors of a second difference grow with the count's square
SMALL_PART = 1 / 16  # of an outcome of a class, which is changed by no more: the share of a rare class bends sharply
MOST_CELLS = 1024  # whose second derivatives are taken one by one
LUMPED_CELLS = 400  # from which on it pays to put together those that stay in proportion
DIRECTIONS = 128  # in which they are taken together, beyond that
FEWEST_DIRECTIONS, MOST_SIGNS = 16, 2**25  # of tables so large that the sum of all directions' cells would take long
ENTRIES = 2**20  # of tables held at once
MEANS_OF_LOGARITHMS = ("geometric", "harmonic")  # averages that are 0 where a class has no hit
STEEP_SCORE_SHARE = 3 / 4  # with half of the score they covered 79 % where a class expects one or two cases
SHORT = 0.25  # logarithm of the factor by which a cell may change in a stride for these
EVERY = slice(None)
DIGITS = 40  # binary, of numbers of cases
DOWN_UP = np.array([-1.0, 1.0])[:, None]  # down and up


class TooSteepError(Exception):
    """Raised if a step changes wrong predictions so much that they are no longer products."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Tables, the metric's gradient with respect to their cells, and its value, variance and third moment.

    Value and moments are on the metric's scale. The axes of the arrays are the direction (down, up, or one for both),
    the tables of the batch, and the cells.
    """

    cells: Array
    slopes: Array
    value: Array
    variance: Array
    third: Array

    def of(self, tables: Array) -> Point:
        """Return the points of some of the tables."""
        return Point(*(part[:, tables] for part in self._parts))

    def turned(self) -> Point:
        """Return the points of the opposite direction."""
        return Point(*(part[::-1] for part in self._parts))

    @property
    def _parts(self) -> tuple[Array, ...]:
        return self.cells, self.slopes, self.value, self.variance, self.third


@final
@dataclass(frozen=True, slots=True)
class Scale:
    """Scale of a metric: the log distance from the only finite end of its range, otherwise the identity."""

    sign: float = 0.0
    end: float = 0.0

    @classmethod
    def of(cls, metric: Metric) -> Scale:
        """Return the scale of a metric; a mean loss is not transformed."""
        bounds = metric.range
        if metric.is_mean_loss or automatic_scale(bounds) != "log":
            return cls()
        return cls(1.0, bounds[0]) if np.isfinite(bounds[0]) else cls(-1.0, bounds[1])

    def scaled(self, value: Array) -> Array:
        """Return values on the scale."""
        return self.sign * np.log(self.sign * (value - self.end)) if self.sign else value

    def unscaled(self, value: Array) -> Array:
        """Return the values from those on the scale."""
        return np.asarray(self.end + self.sign * np.exp(self.sign * value) if self.sign else value)


class PathTables(abc.ABC):
    """Representation of the tables along a path: all their cells, or the part that determines the metric.

    Attributes
    ----------
    filled : ndarray of shape (tables, entries)
        The tables at the start: the observed ones plus two pseudo-counts.
    by_deviance : bool
        Whether the statistic is the root of the deviance: for geometric and harmonic means.
    sums_classes : bool
        Whether the metric is a sum over classes of ratios, so that its score has the bias of its value.
    scale : Scale
        The metric's scale.
    score_share : float
        Weight of Rao's score along the path in the statistic; the metric's value has the remaining weight.
    """

    filled: Array
    by_deviance: bool = False
    sums_classes: bool = True
    scale: Scale = Scale()
    score_share: float = 1 / 2

    @abc.abstractmethod
    def point(self, cells: Array, tables: object) -> Point:
        """Return the point of the path at tables with these proportions and the totals that the design fixes."""

    @abc.abstractmethod
    def bias(self) -> Array:
        """Return the second-order bias of the metric on its scale, at the start."""

    def second_order(self) -> tuple[Array, Array]:
        """Return the bias, and the ratio of the variance to that of the delta method."""
        bias = self.bias()
        return bias, np.ones(bias.shape)

    def is_sparse(self) -> Array:
        """Return whether many classes of each table have so few cases that the bias is unknown."""
        return np.zeros(len(self.filled), dtype=bool)

    def deviance(self, here: Point, tables: Any) -> Array:
        """Return the root of the deviance of the starting tables from points of the path."""
        filled = self.filled[tables]
        cells = here.cells * safe_divide(filled.sum(-1), here.cells.sum(-1))[..., None]
        with np.errstate(all="ignore"):
            each = np.where(filled > 0, filled * np.log(filled / cells), 0.0)
        return np.asarray(np.sqrt(np.maximum(2 * each.sum(-1), 0.0)))

    @abc.abstractmethod
    def score(self, here: Point, tables: object) -> Array:
        """Return the score: the distance of the observed cells from a point along its gradient."""

    def directions(self, here: Point, pace: Array) -> Array:
        """Return the derivatives of the log cells along the path, for a step of this length down and up.

        Raises
        ------
        TooSteepError
            If tables after such a step cannot be stored.
        """
        return here.slopes

    @final
    def start(self) -> Point:
        """Return the tables at the start, shared by both directions."""
        return self.point(np.array([self.filled]), slice(None))

    @final
    def ahead(self, here: Point, tables: object) -> Point:
        """Return the points after one more step."""
        found = STRIDE / np.sqrt(here.variance)
        if self.by_deviance:  # which is steep where a class has few hits
            steepest = np.abs(here.slopes).max(-1, where=here.cells > 0, initial=0.0)  # an empty cell stays empty
            found = np.minimum(found, safe_divide(np.array(SHORT), steepest))
        pace = DOWN_UP * np.where(np.isfinite(found), found, 0.0)  # where nothing varies nothing changes
        return self.point(grown(here.cells, self.directions(here, pace), pace, STEEPEST), tables)


class AllCells(PathTables):
    """Tables stored by the cells that the design samples.

    Parameters
    ----------
    metric : Metric
        The metric, bound to the table.
    table : Table
        One table, or a batch.
    cases : ndarray of shape (tables, cells)
        Numbers of independent cases, that is counts divided by the design effect.
    part : slice
        Indices of these tables in the batch.
    """

    def __init__(self, metric: Metric, table: Table, cases: Array, part: slice = EVERY) -> None:
        self.part = part
        self.metric, self.table, self.cases = metric, table, round_counts(cases)
        self.scale = Scale.of(metric)
        self.levels = TwoLevel.of(table.design)
        self.left = self.levels.unsampled_fraction
        self.is_finite = bool(np.any(self.left != 1))  # whether the population is
        if table.design.traits.is_stratified or metric.is_mean_loss:  # which is linear: its own score
            self.score_share = 1.0
        elif not np.isfinite(metric.range).all():  # far out the score hardly grows
            self.score_share = 0.0
        elif metric.spec is not None and metric.spec.definition.is_steep_at_zero:
            self.score_share = STEEP_SCORE_SHARE
        self.sums_classes = metric.class_shares is not None and not table.design.traits.is_stratified
        self.by_deviance = metric.average in MEANS_OF_LOGARITHMS and table.kind.has_rows
        self.filled = self.cases + PSEUDO_COUNT * self.pseudo_shares() * self.left
        if self.by_deviance:
            self.filled = self.cases + self.levels.spread_pseudo_counts(self._flat(table.half_hits))  # type: ignore[attr-defined]

    def _flat(self, cells: Array) -> Array:
        """Return values for the cells of one table, or of each table in this part of the batch, ``(..., cells)``."""
        many = cells.ndim > len(self.table.shape)
        return cells.reshape(len(self.table.cells), -1)[self.part] if many else cells.ravel()

    def pseudo_shares(self) -> Array:
        """Return the proportion of the pseudo-counts in each cell; for an unbounded loss less where it is large."""
        averages_classes = self.metric.single_model.class_average is not None
        priors = self.table.priors
        shares = priors.of_occurring if averages_classes else priors.shares
        even = self.levels.spread_pseudo_counts(self._flat(shares))
        if not self.metric.is_mean_loss or np.isfinite(self.metric.range[1]):
            return even
        cells = self.levels.table_from_observed(self.cases)
        total = cells.sum(-1, keepdims=True)
        beyond = total * self.metric.gradient(self.table.make_counts(cells)).reshape(cells.shape)  # the mean loss
        beyond = self.levels.expand_to_observed(beyond)
        shares = even * np.exp(-beyond / CONFIDENCE)
        return np.asarray(shares / shares.sum(-1, keepdims=True))

    def bias(self) -> Array:
        """Return the second-order bias of the metric; with many cells as a sum over classes."""
        if self.by_deviance or self.metric.is_mean_loss:
            return np.zeros(len(self.cases))
        average = self.metric.class_average
        terms = None if average is None else average.class_terms
        few = len(self.table.labels) ** 2 < LUMPED_CELLS
        if terms is None or few or self.scale.sign or self.table.design.traits.is_stratified:
            return second_order_bias(self.value, self.filled, moved_values=self._moved_values)
        counts = cast("ClassCounts", self.table.make_counts(self.filled))  # only these have terms
        return bias_by_class(terms, np.stack(counts.outcomes(), -1))

    def _moved_values(self, nudges: Array, chosen: Array) -> Array:
        """Return the metric, on its scale, of tables with one cell changed; see `Counts.moved`."""
        if self.table.design.supports(TwoLevel.table_from_observed):
            return self.value(with_moves(self.filled, nudges, chosen))
        return self.scale.scaled(np.asarray(self.metric(self._start.moved(nudges, chosen))))

    @cached_property
    def _start(self) -> Counts:
        return self.table.make_counts(self.filled)

    def value(self, cells: Array) -> Array:
        """Return the metric of tables, given by their sampled cells, on its scale."""
        return self.scale.scaled(
            np.asarray(self.metric(self.table.make_counts(self.levels.table_from_observed(cells))))
        )

    def point(self, cells: Array, tables: Any) -> Point:
        """Return the point of the path at tables with these proportions and the totals that the design fixes."""
        cells = self.levels.rescale_to_fixed_totals(cells, self.cases[tables])
        whole = self.levels.table_from_observed(cells)
        counts = self.table.make_counts(whole)
        value, gradient = np.asarray(self.metric(counts)), self.metric.gradient(counts).reshape(whole.shape)
        if not np.isfinite(gradient).all():
            gradient = np.where(np.isfinite(gradient), gradient, 0.0)
        gradient = self.levels.project_gradient(cells, gradient)
        if self.scale.sign:
            gradient = gradient / np.abs(value - self.scale.end)[..., None]
        squares = cells * gradient
        squares *= gradient
        third = dot(
            squares, gradient * safe_divide(2 * self.left - 1, np.sqrt(self.left)) if self.is_finite else gradient
        )
        return Point(cells, gradient, self.scale.scaled(value), np.add.reduce(squares, -1), third)

    def directions(self, here: Point, pace: Array) -> Array:
        """Return the derivatives of the log cells along the path; smaller for the rest of a finite population."""
        return here.slopes * np.sqrt(self.left) if self.is_finite else here.slopes

    def score(self, here: Point, tables: Any) -> Array:
        """Return the score: the distance of the observed cells from a point along its gradient."""
        gradient = safe_divide(here.slopes, np.sqrt(self.left)) if self.is_finite else here.slopes
        return dot(self.cases[tables], gradient)


def round_counts(cases: Array) -> Array:
    """Return numbers of cases rounded to twelve digits, so that rounding of weighted counts does not grow on a path."""
    mantissa, exponent = np.frexp(cases)
    rounded: Array = np.ldexp(np.rint(mantissa * 2.0**DIGITS), exponent - DIGITS)
    return rounded


def bias_by_class(terms: Callable[..., Array], outcomes: Array) -> Array:
    """Return the second-order bias of a sum over classes.

    Parameters
    ----------
    terms : callable
        Outcomes (tp, fn, fp, tn) of each class, ``(..., K)`` → contribution of each class.
    outcomes : ndarray of shape (tables, K, 4)
        Outcomes at which the bias is computed.
    """

    def by_class(flat: Array) -> Array:
        four = np.moveaxis(flat.reshape(*flat.shape[:-2], *outcomes.shape), -1, 0)
        return np.asarray(terms(*four)).reshape(flat.shape[:-1])

    of_each = second_order_bias(by_class, outcomes.reshape(-1, 4), SMALL_PART)
    return np.asarray(of_each.reshape(outcomes.shape[:-1]).sum(-1))


def second_order_bias(
    value: Callable[[Array], Array],
    cells: Array,
    part: float = 1.0,
    moved_values: Callable[[Array, Array], Array] | None = None,
) -> Array:
    """Return the second-order bias of a function of Poisson counts: half the sum of ``C · ∂²/∂C²`` over the cells.

    For very many cells the sum is Hutchinson's estimate of that trace, in fixed directions. Each sign of a direction is
    the product of a sign for the row and one for the column, so that the signs of any two cells are uncorrelated.

    Parameters
    ----------
    value : callable
        ndarray of shape (..., cells) → (...).
    cells : ndarray of shape (tables, cells)
        The counts, all positive.
    part : float
        Largest change of a count, as a proportion of it.
    moved_values : callable, optional
        Values of the tables that `with_moves` makes of ``cells``, from the other two arguments of that function.
    """
    tables, size = cells.shape
    of_moved = moved_values or (lambda nudges, chosen: value(with_moves(cells, nudges, chosen)))
    total = np.zeros(tables)
    if size <= MOST_CELLS:
        for start in range(0, size, block := max(1, ENTRIES // cells.size)):
            chosen = np.arange(start, min(start + block, size))
            own = cells[:, chosen].T
            nudges = np.minimum(part * own, np.maximum(DIFFERENCE_STEP, LEAST_PART * own))
            above, below, middle = np.split(of_moved(nudges, chosen), (len(chosen), 2 * len(chosen)))
            bend = safe_divide(above + below - 2 * middle, nudges**2)
            total += (own * np.where(np.isfinite(bend), bend, 0.0)).sum(0)
        return total / 2
    middle, rng, roots = value(cells), np.random.default_rng(0), np.sqrt(cells)
    step = DIFFERENCE_STEP * roots.min(-1, keepdims=True, where=roots > 0, initial=np.inf)
    roots *= step
    side, directions = math.isqrt(size - 1) + 1, max(MOST_SIGNS // size, FEWEST_DIRECTIONS)
    twice, moved, signs = 2 * cells, np.empty(cells.shape), np.empty((side, side))
    for first, second in rng.choice([-1.0, 1.0], (min(directions, DIRECTIONS), 2, side)):
        np.multiply(roots, np.outer(first, second, out=signs).ravel()[:size], out=moved)
        moved += cells
        above = value(moved)
        bend = (above + value(np.subtract(twice, moved, out=moved)) - 2 * middle) / step[:, 0] ** 2
        total += np.where(np.isfinite(bend), bend, 0.0)
    return np.asarray(total / (2 * min(directions, DIRECTIONS)))

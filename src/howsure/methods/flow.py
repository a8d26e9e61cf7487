"""The score interval along the natural-gradient flow: for every smooth metric of counts, of any number of tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast, final

import numpy as np
from numpy.typing import NDArray

from howsure.designs.base import quotient
from howsure.methods.draws import lumped
from howsure.methods.interval import (
    BIASED,
    CONSTANT,
    ONE_CASE,
    ONE_CLUSTER,
    SPARSE,
    UNDEFINED,
    AllAtLevels,
    AtLevels,
    Interval,
    told,
)
from howsure.methods.loss_grid import Losses
from howsure.methods.method import JointMethod, needs_counted_cases, tests_by
from howsure.methods.path import Path
from howsure.methods.path_classes import FewClasses, ManyClasses, TooSteepError
from howsure.methods.path_contrasts import ContrastOfAverages, compares_averages
from howsure.methods.path_tables import ENTRIES, LUMPED_CELLS, AllCells, PathTables
from howsure.methods.standard_errors import quantile, sample_with_unseen, shows_variation, standard_error
from howsure.methods.tilting import Tilting
from howsure.metrics.averages import EXTREMES
from howsure.metrics.class_shares import variance_of_independent
from howsure.metrics.metric import Metric
from howsure.native.averages import ClassShares
from howsure.tables.counts import ClassCounts, ConfusionCounts
from howsure.tables.table import Table

Array = NDArray[Any]


@final
@dataclass(frozen=True, slots=True)
class Flow(JointMethod):
    """Score interval along the natural-gradient flow: the values that the observed one does not contradict.

    Notes
    -----
    A score interval holds the values θ that a test of θ does not reject, with the variance that *θ* implies. For a
    proportion that is Wilson's. A metric of a table has many tables of the same value, so a path through the observed
    one is chosen: ``dq/dt = q · g``, with q the shares of the cells and g the gradient of the metric, on which the
    metric changes fastest for the least information (the least favourable family), and which leaves alone what tells
    nothing of it. Along it the limits are where the mean of two normal quantiles of the observed table is ±z. One is of
    how far its value is,

    ``(θ̂ − bias − θ(q)) / sqrt(V(q) / n) = w(z₁),  V = Σ q g²``

    with the bias of θ̂ to second order, ``½ Σ C ∂²θ/∂C²``, and ``w`` the quantile of a distribution of mean 0, variance
    1 and the skewness of θ̂ at q, ``γ = (1.5 V' − ½ Σ q g³) / (V^1.5 √n)`` with ``V' = dV/dt``, by Wilson and Hilferty:
    ``w(z) = 2/γ ((1 + γ z / 6 − γ² / 36)³ − 1)``. The other is of Rao's score along the path,

    ``Σ (C − n q) g / sqrt(n V(q)) = w(z₂)``

    which is linear in the counts: it has no bias, and its skewness is ``Σ q g³ / (V^1.5 √n)``, however steeply the
    metric bends. Of a proportion both are the same. Where classes are rare a value is too hopeful of what its sample
    does not show, and a score too doubtful.

    The path begins at the observed table with two pseudo-cases spread over its cells, so that empty cells can fill.
    Metrics without an upper limit are taken on the scale of their logarithm. Of weighted and clustered data n is what
    makes V / n the design's variance, with what that lacks in small samples (`Design.small_sample`), and z is a
    quantile of Student's t. The estimate's skewness in excess of that of n independent cases, e, enters once more by
    the variance, which is estimated too small where bad clusters are missing: γ − 2 e is the skewness of the statistic,
    and −e / 2 its mean.

    Where cases count by their stratum (`Design.has_strata`) few of them may make up a large part of a table, and the
    metric bends within a standard error. There the statistic is Rao's score alone. Of a metric without bounds, which
    far out grows on where the score hardly does, it is the value alone.

    Of ratings, whose patterns are nearly as many as the items, the variance is a sample's, with n − 1, and z a quantile
    of Student's t with n − 1 degrees of freedom.

    A mean loss of scores is its own score, and its path is exponential tilting: cases of a score change in number by
    what they lose. The pseudo-cases stand for losses that were not seen: of the Brier score as often of the class that
    a score speaks against as of the other, of the log loss in proportion to the root of the class's probability, as if
    the scores were twice as confident as they deserve. Losses of scores that are more overconfident than that, and
    were not seen, are beyond any method.

    References
    ----------
    Wilson (1927), JASA 22; Rao (1948), Proceedings of the Cambridge Philosophical Society 44; Stein (1956) on least
    favourable families; Hall (1992), The Bootstrap and Edgeworth Expansion; Wilson and Hilferty (1931), PNAS 17.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "mcc", method="flow"))
    0.840 [0.708, 0.923]
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

    def all_at_levels(self, metrics: Sequence[Metric], table: Table) -> AllAtLevels:
        """Return the intervals as a function of their level: all levels share one path.

        Averages over classes go along their paths side by side. Of other metrics cells with equal slopes stay in
        proportion all the way, and are one cell; a mean loss goes by its losses alone.
        """
        beside = _side_by_side(metrics, table)
        places = [place for place, metric in enumerate(metrics) if metric not in beside]
        together = _of_averages(beside, table) if beside else None
        alone = {place: _by_cells(metrics[place], table) for place in places}

        def intervals(level: float) -> list[Interval]:
            found = [] if together is None else together(level)
            for place, at_level in alone.items():  # ascending, so that each comes to its own place
                found.insert(place, at_level(level))
            return found

        return intervals

    def tested(self, metric: Metric, table: Table, confidence_level: float, null: float) -> tuple[Interval, Array]:
        """Return intervals and p-values, along the same paths."""
        at_levels = self.at_levels(metric, table)
        return at_levels(confidence_level), tests_by(at_levels, metric.value_at(table.counted), null)


def _side_by_side(metrics: Sequence[Metric], table: Table) -> list[Metric]:
    """Return the averages over classes whose paths need no more than the counts of a confusion table."""
    design = table.design
    if table.counts_class is not ConfusionCounts or any(map(design.offers, ("sampled", "tangent", "rescaled"))):
        return []
    cells = table.cells.shape[-1]
    if cells >= LUMPED_CELLS and not (design.is_independent or design.lumps(cells) is None):
        return []  # lumped cells have a small sample of their own
    return [each for each in metrics if each.shares is not None]


def _by_cells(metric: Metric, table: Table) -> AtLevels:
    if metric.population is not None:  # whose values the path has
        return _of_estimate(_by_cells(metric.population, table), metric, table)
    if metric.losses is not None and table.design.is_independent and not table.batch:
        return _tilted(metric, Losses.of(table, metric.losses), metric.value_at(table.counted))
    cells = table.cells.shape[-1]
    if cells >= LUMPED_CELLS and metric.losses is None:
        table = lumped(table, [metric], table.design.lumps(cells))
    return flow_intervals(metric, table, *sample_with_unseen(metric, table))


def _of_estimate(at_level: AtLevels, metric: Metric, table: Table) -> AtLevels:
    """Return the intervals of a population's metric as those of its estimate: with its error, containing its value."""
    value, error = metric.value_at(table.counted), standard_error(metric, table)

    def interval(level: float) -> Interval:
        found = at_level(level)
        with np.errstate(invalid="ignore"):
            low, high = np.minimum(found.low, value), np.maximum(found.high, value)
        known = np.where(np.isnan(found.standard_error), np.nan, error)
        return replace(found, low=low, high=high, standard_error=known)

    return interval


def _tilted(metric: Metric, losses: Losses, value: Array) -> AtLevels:
    """Return the interval of a mean loss of independent cases."""
    path = Tilting(losses, float(value), metric.range)
    sample = _Sample.of_one(value, path.standard_error)
    return lambda level: _interval(sample, path, metric.range, quantile(level, sample.freedom))


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
        sample = _Sample.of(metric, table, inflation, freedom)
        cases = table.design.sampled(table.cells) / sample.effect[..., None]
        cells = cases.shape[-1]
        flat = cases.reshape(-1, cells)
        kind = ContrastOfAverages if compares_averages(metric, table) else AllCells
        paths = _Paths.of(lambda part: kind(metric, table, flat[part], part), cells, sample, metric.range)
    return lambda level: paths.interval(level, table)


def _of_averages(metrics: Sequence[Metric], table: Table) -> AllAtLevels:
    """Return the intervals of averages over classes, along paths side by side; by all cells where one is too steep."""
    shares: list[ClassShares] = [each.shares for each in metrics if each.shares is not None]
    averages, square = ClassShares.beside(shares), (-1, *table.shape)
    counts, tables = table.counts.reshape(square), math.prod(table.batch)
    with np.errstate(all="ignore"):
        if table.design.is_independent:
            sample = _Sample.of_averages(averages, metrics, table)
        else:
            sample = _Sample.beside([_Sample.of(each, table, *sample_with_unseen(each, table)) for each in metrics])
        effect = sample.effect.reshape(-1)
        kind = FewClasses if table.cells.shape[-1] < LUMPED_CELLS else ManyClasses

        def path_tables(part: slice) -> PathTables:
            which, own = np.divmod(np.arange(effect.size)[part], tables)
            each = cast("ConfusionCounts", table.counted) if tables == 1 else ConfusionCounts(counts[own])
            return kind(averages.at(which), each, effect[part])

        paths = _Paths.of(path_tables, table.cells.shape[-1], sample, metrics[0].range)
    apart: list[AtLevels] = []

    def intervals(level: float) -> list[Interval]:
        try:
            if not apart:
                return paths.interval(level, table).parts()
        except TooSteepError:
            apart.extend(_by_cells(metric, table) for metric in metrics)
        return [at_level(level) for at_level in apart]

    return intervals


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Values of tables, their standard errors, and what a sample of each is worth, in the shape of the batch."""

    value: Array
    error: Array
    effect: Array  # how many counts an independent case is worth
    excess: Array  # skewness in excess of that of independent cases
    freedom: Any

    @classmethod
    def of(cls, metric: Metric, table: Table, inflation: Any, freedom: Any) -> _Sample:
        """Return those of a metric; for the parameters see `flow_intervals`."""
        value, error = metric.value_at(table.counted), standard_error(metric, table)
        effect = np.asarray(inflation * design_effect(metric, table, shows_variation(error, value)))
        excess = np.broadcast_to(table.design.excess_skewness(table.cells, effect), effect.shape)
        return cls(value, error, effect, excess, freedom)

    @classmethod
    def of_one(cls, value: Array, error: float) -> _Sample:
        """Return those of one table of independent cases."""
        return cls(value, np.asarray(error), np.ones(()), np.zeros(()), np.inf)

    @classmethod
    def beside(cls, samples: Sequence[_Sample]) -> _Sample:
        """Return those of several metrics, on one more leading axis."""
        shape = samples[0].value.shape
        parts = ([np.broadcast_to(getattr(each, name), shape) for each in samples] for name in cls.__slots__)
        return cls(*map(np.stack, parts))

    @classmethod
    def of_averages(cls, averages: ClassShares, metrics: Sequence[Metric], table: Table) -> _Sample:
        """Return those of averages over classes of independent cases."""
        each = np.arange(len(metrics)).reshape(-1, *(1 for _ in table.batch))
        variance = variance_of_independent(averages.at(each), cast("ClassCounts", table.counted))
        value = np.stack([each.value_at(table.counted) for each in metrics])
        error = np.where(np.isfinite(value), np.sqrt(variance), np.nan)
        return cls(value, error, np.ones(value.shape), np.zeros(value.shape), table.design.degrees_of_freedom)


@dataclass(frozen=True, slots=True, eq=False)
class _Paths:
    """The paths of all tables of a batch, in blocks that bound their memory."""

    blocks: list[Path]
    sample: _Sample
    bounds: tuple[float, float]

    @classmethod
    def of(
        cls, tables: Callable[[slice], PathTables], cells: int, sample: _Sample, bounds: tuple[float, float]
    ) -> _Paths:
        """Return the paths of tables, of which ``tables`` gives a part."""
        value, excess = sample.value.reshape(-1), sample.excess.reshape(-1)
        step = max(1, ENTRIES // cells)
        parts = [slice(start, start + step) for start in range(0, len(value), step)]
        return cls([Path(tables(part), value[part], excess[part], bounds) for part in parts], sample, bounds)

    @property
    def bias(self) -> Array:
        """The second-order bias of each average over classes; 0 of other metrics, which may be on another scale."""
        each = [block.bias if block.tables.sums_classes else np.zeros(block.bias.shape) for block in self.blocks]
        return np.concatenate(each).reshape(self.sample.value.shape)

    @property
    def is_sparse(self) -> Array:
        """Whether many classes have so few cases that the bias is not known."""
        return np.concatenate([block.is_sparse for block in self.blocks]).reshape(self.sample.value.shape)

    @property
    def varies(self) -> Array:
        """Whether each metric varies at all."""
        return np.concatenate([block.varies for block in self.blocks]).reshape(self.sample.value.shape)

    def interval(self, confidence_level: float, table: Table) -> Interval:
        """Return the interval at a level; ``table`` tells what no level there can be for."""
        why_endless = ONE_CASE if table.has_sample_variance else ONE_CLUSTER
        return _interval(self.sample, self, self.bounds, quantile(confidence_level, self.sample.freedom), why_endless)

    def limits(self, quantile: Any) -> tuple[Array, Array]:
        """Return the lower and upper limits at a quantile, or at one for each table."""
        shape = self.sample.value.shape
        z = np.broadcast_to(quantile, shape).reshape(-1)
        ends = np.cumsum([len(block.centre) for block in self.blocks])
        pieces = zip(self.blocks, np.split(z, ends[:-1]), strict=True)
        low, high = np.concatenate([block.limits(each) for block, each in pieces], axis=1)
        return low.reshape(shape), high.reshape(shape)


def _interval(
    sample: _Sample, paths: _Paths | Tilting, bounds: tuple[float, float], z: Any, why_endless: str = ""
) -> Interval:
    """Return the interval at a normal quantile, or Student's; where that is not finite the reason is given."""
    value, (lowest, highest) = sample.value, bounds
    with np.errstate(all="ignore"):
        low, high = paths.limits(z)
        low = np.where(value <= lowest, lowest, np.minimum(low, value))
        high = np.where(value >= highest, highest, np.maximum(high, value))
    constant = ~(paths.varies & (low < high))
    endless = ~np.isfinite(z)
    refusals = (constant, CONSTANT), (endless, why_endless), (~np.isfinite(value), UNDEFINED)
    return _with_caution(told(low, high, sample.error, *refusals), paths.bias, paths.is_sparse)


def _with_caution(found: Interval, bias: Any, is_sparse: Any) -> Interval:
    """Return intervals with a caution where the bias exceeds half the width, or cannot be known."""
    with np.errstate(invalid="ignore"):
        exceeds = np.abs(bias) > (found.high - found.low) / 2
    if not (np.any(exceeds) or np.any(is_sparse)):
        return found
    shape = np.shape(found.low)
    words = [BIASED.format(bias=f"{each:+.2g}") for each in np.broadcast_to(bias, shape).ravel()]
    cautions = np.where(is_sparse, SPARSE, np.where(exceeds, np.reshape(np.array(words, dtype=object), shape), ""))
    return replace(found, reason=np.where(found.reason == "", cautions, found.reason))


def design_effect(metric: Metric, table: Table, varies: Array) -> Array:
    """Return how many times the variance of the metric is that of independent cases, one a count, of each table.

    Where the sample shows no variation it is that of the smoothed table, and where even that shows none, that of a form
    which varies in any: pseudo-cases are to be in the unit of the weights.
    """
    if table.design.is_independent and not table.has_sample_variance:
        return np.ones(table.batch)
    effect = _effect(metric.slopes(table.counted), table)
    if not varies.all():
        smoothed = table.smoothed()
        effect = np.where(varies, effect, _effect(metric.slopes(smoothed.counted), smoothed))
        if not effect.all():
            alternating = np.broadcast_to(np.arange(table.cells.shape[-1]) % 2.0, table.cells.shape)
            effect = np.where(effect == 0, _effect(alternating, smoothed), effect)
    return np.where(effect == 0, 1.0, effect)


def _effect(slopes: Array, table: Table) -> Array:
    gradient, sampled = slopes.reshape(table.cells.shape), table.design.sampled(table.cells)
    slopes = table.design.tangent(sampled, gradient)
    return quotient(table.variance(gradient), (sampled * slopes**2).sum(-1))

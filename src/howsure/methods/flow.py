"""The score interval along the least favourable path: for every smooth metric of counts, one table or a batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast, final

import numpy as np
from numpy.typing import NDArray

from howsure.designs.algebra import Algebra
from howsure.designs.base import quotient
from howsure.designs.clustering import Clustering
from howsure.designs.two_level import TwoLevel
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
from howsure.methods.inversion import KNOWN, LARGEST_Z, SMALLEST_Z
from howsure.methods.levels import Level, share_beyond
from howsure.methods.loss_grid import Losses
from howsure.methods.method import JointMethod, needs_counted_cases, tests_by
from howsure.methods.path import Path
from howsure.methods.path_classes import FewClasses, ManyClasses, TooSteepError
from howsure.methods.path_contrasts import ContrastOfAverages, compares_averages
from howsure.methods.path_tables import ENTRIES, LUMPED_CELLS, AllCells, PathTables
from howsure.methods.standard_errors import quantile, sample_with_unseen, shows_variation, standard_error, tail_beyond
from howsure.methods.tilting import Tilting
from howsure.metrics.averages import EXTREMES
from howsure.metrics.class_shares import variance_of_independent
from howsure.metrics.kinds import has_flow
from howsure.metrics.metric import Metric
from howsure.native.averages import ClassShares
from howsure.tables.counts import ClassCounts, ConfusionCounts
from howsure.tables.table import Table

Array = NDArray[Any]


@final
@dataclass(frozen=True, slots=True)
class Flow(JointMethod):
    """Score interval along the least favourable path (the natural-gradient flow of the metric).

    Notes
    -----
    A score interval contains every value θ that a score test does not reject. The variance is evaluated at θ, not at
    the estimate θ̂. For a proportion the result is Wilson's interval. For other metrics many tables have the same
    value θ, so the test is restricted to a one-parameter path through the observed table,

    ``dq/dt = q · g``

    where q is the vector of cell probabilities and g the gradient of the metric with respect to q. The path is the
    least favourable family (Stein 1956): the metric changes fastest per unit of Fisher information, and cells with
    zero gradient keep their proportions. The limits are the values θ(q) at which the average of two normal quantiles,
    z₁ and z₂, is ±z.

    The quantile z₁ compares the values:

    ``(θ̂ − bias − θ(q)) / sqrt(V(q) / n) = w(z₁),  V = Σ q g²``

    Here the bias is the second-order bias of θ̂, ``½ Σ C ∂²θ/∂C²`` with C the counts, and w is the quantile function of
    a distribution with mean 0, variance 1 and skewness γ, in Wilson and Hilferty's form:

    ``w(z) = 2/γ ((1 + γ z / 6 − γ² / 36)³ − 1),  γ = (1.5 V' − ½ Σ q g³) / (V^1.5 √n),  V' = dV/dt``

    The quantile z₂ comes from Rao's score along the path:

    ``Σ (C − n q) g / sqrt(n V(q)) = w(z₂)``

    The score is linear in the counts, so its bias is zero and its skewness is exactly ``Σ q g³ / (V^1.5 √n)``. For a
    proportion both quantiles coincide. For rare classes z₁ gives intervals that are too short and z₂ intervals that
    are too long.

    The path starts at the observed table plus two pseudo-counts spread over its cells, so that empty cells can grow.
    Metrics without an upper bound are analysed on the log scale.

    For weighted or clustered data, n is the effective sample size: the n for which V / n equals the design-based
    variance, after the small-sample correction (`VarianceDetails.small_sample_correction`). The normal quantile z is
    replaced by a Student t quantile. Let e be the skewness of the estimate in excess of that of n independent cases. If
    bad clusters are missing from the sample, the variance is underestimated; the statistic therefore has skewness
    γ − 2 e and mean −e / 2.

    Three cases use a different statistic:

    - Stratified samples (`Traits.is_stratified`) use z₂ alone: a few cases can make up a large part of a table, and the
      metric is then nonlinear within one standard error.
    - Metrics without bounds use z₁ alone: far from the estimate they keep growing while the score hardly does.
    - Ratings have almost as many patterns as items. They use the sample variance, with n − 1, and a Student t quantile
      with n − 1 degrees of freedom.

    A mean loss of scores equals its own score, and its path is exponential tilting: the number of cases with a given
    score changes with their loss. The pseudo-counts represent losses absent from the sample. For the Brier score, both
    classes get the same pseudo-count at each score. For the log loss, the pseudo-counts are proportional to the square
    root of the predicted class probability, as if the scores were twice as confident as they should be. The interval
    does not allow for losses of scores that are more overconfident than that if the sample contains none.

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
        """Return "" for smooth metrics of counted single-label cases and of ratings, otherwise the reason why not."""
        if refusal := needs_counted_cases(self, table):
            return refusal
        if metric.of_one_model.average in EXTREMES:
            return f"`Flow` is for smooth metrics, and `{metric.name}` jumps from class to class. Use `Delta()`."
        counted = metric.is_mean_loss or "predictions" in table.holds or has_flow(table)
        if not (counted and table.has_one_label_per_case) or len(table.design.test_sets) > 1:
            return (
                "`Flow` is for metrics of predicted classes, of ratings and mean losses on one test set, one class for "
                f"each case, and `{metric.name}` here is none. Use `Delta()` or `Mover()`."
            )
        return ""

    def all_at_levels(self, metrics: Sequence[Metric], table: Table) -> AllAtLevels:
        """Return the intervals as a function of their level; all levels share one path per metric.

        Averages over classes are solved jointly. For other metrics, cells with equal gradients keep their proportions
        along the path and are collapsed. A mean loss needs only the distribution of the losses.
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

    def at_levels(self, metric: Metric, table: Table, rng: Any = None) -> AtLevels:
        """Return the interval as a function of its level; for most metrics its path has p-values too."""
        if not _side_by_side([metric], table):
            return _by_cells(metric, table)
        together = _of_averages([metric], table)
        return lambda level: together(level)[0]

    def tested(
        self, metric: Metric, table: Table, confidence_level: float, null: float, rng: Any = None
    ) -> tuple[Interval, Array]:
        """Return intervals and p-values from the same paths."""
        at_levels = self.at_levels(metric, table)
        value = metric.value_at(table.counted)
        if isinstance(at_levels, _OnPaths):
            found, tests = at_levels.tested(confidence_level, value, null)
        else:
            found, tests = at_levels(confidence_level), tests_by(at_levels, value, null)
        return found if table.batch else found.of_one(), tests


def _side_by_side(metrics: Sequence[Metric], table: Table) -> list[Metric]:
    """Return the averages over classes whose paths depend on the counts of a confusion table alone."""
    design = table.design
    if table.counts_class is not ConfusionCounts or design.supports(TwoLevel.project_gradient):
        return []
    cells = table.cells.shape[-1]
    if cells >= LUMPED_CELLS and not (
        design.traits.is_independent or Algebra.of(design).collapsible_cells(cells) is None
    ):
        return []  # lumped cells have a small sample of their own
    return [each for each in metrics if each.shares is not None]


def _by_cells(metric: Metric, table: Table) -> AtLevels:
    if metric.population is not None:  # whose values the path has
        return _of_estimate(_by_cells(metric.population, table), metric, table)
    if metric.losses is not None and table.design.traits.is_independent and not table.batch:
        return _tilted(metric, Losses.of(table, metric.losses), metric.value_at(table.counted))
    cells = table.cells.shape[-1]
    if cells >= LUMPED_CELLS and metric.losses is None:
        table = lumped(table, [metric], Algebra.of(table.design).collapsible_cells(cells))
    return flow_intervals(metric, table, *sample_with_unseen(metric, table))


def _of_estimate(at_level: AtLevels, metric: Metric, table: Table) -> AtLevels:
    """Return intervals of a population's metric with the standard error of the estimate, containing its value."""
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
        Small-sample factor of the variance, and degrees of freedom.
    """
    with np.errstate(all="ignore"):
        sample = _Sample.of(metric, table, inflation, freedom)
        cases = TwoLevel.of(table.design).observed_cells(table.cells) / sample.effect[..., None]
        cells = cases.shape[-1]
        flat = cases.reshape(-1, cells)
        kind = ContrastOfAverages if compares_averages(metric, table) else AllCells
        paths = _Paths.of(lambda part: kind(metric, table, flat[part], part), cells, sample, metric.range)
    return _OnPaths(paths, table)


def _of_averages(metrics: Sequence[Metric], table: Table) -> AllAtLevels:
    """Return the intervals of averages over classes, solved jointly; from all cells if a path is too steep for that."""
    shares: list[ClassShares] = [each.shares for each in metrics if each.shares is not None]
    averages, square = ClassShares.beside(shares), (-1, *table.shape)
    counts, tables = table.counts.reshape(square), math.prod(table.batch)
    with np.errstate(all="ignore"):
        if table.design.traits.is_independent:
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
    """Value, standard error and effective sample size of each table; all fields have the shape of the batch."""

    value: Array
    error: Array
    effect: Array  # design effect: counts per independent case
    excess: Array  # skewness in excess of that of independent cases
    freedom: Any

    @classmethod
    def of(cls, metric: Metric, table: Table, inflation: Any, freedom: Any) -> _Sample:
        """Summarise one metric; for the parameters see `flow_intervals`."""
        value, error = metric.value_at(table.counted), standard_error(metric, table)
        effect = np.asarray(inflation * design_effect(metric, table, shows_variation(error, value)))
        excess = np.broadcast_to(Clustering.of(table.design).excess_skewness(table.cells, effect), effect.shape)
        return cls(value, error, effect, excess, freedom)

    @classmethod
    def of_one(cls, value: Array, error: float) -> _Sample:
        """Summarise one table of independent cases."""
        return cls(value, np.asarray(error), np.ones(()), np.zeros(()), np.inf)

    @classmethod
    def beside(cls, samples: Sequence[_Sample]) -> _Sample:
        """Stack the summaries of several metrics along a new first axis."""
        shape = samples[0].value.shape
        parts = ([np.broadcast_to(getattr(each, name), shape) for each in samples] for name in cls.__slots__)
        return cls(*map(np.stack, parts))

    @classmethod
    def of_averages(cls, averages: ClassShares, metrics: Sequence[Metric], table: Table) -> _Sample:
        """Summarise averages over classes of independent cases."""
        each = np.arange(len(metrics)).reshape(-1, *(1 for _ in table.batch))
        variance = variance_of_independent(averages.at(each), cast("ClassCounts", table.counted))
        value = np.stack([each.value_at(table.counted) for each in metrics])
        error = np.where(np.isfinite(value), np.sqrt(variance), np.nan)
        return cls(value, error, np.ones(value.shape), np.zeros(value.shape), table.design.degrees_of_freedom)


@dataclass(frozen=True, slots=True, eq=False)
class _Paths:
    """The paths of all tables of a batch, in blocks of bounded memory."""

    blocks: list[Path]
    sample: _Sample
    bounds: tuple[float, float]

    @classmethod
    def of(
        cls, tables: Callable[[slice], PathTables], cells: int, sample: _Sample, bounds: tuple[float, float]
    ) -> _Paths:
        """Split the batch into blocks; ``tables(slice)`` returns the path tables of one block."""
        value, excess = sample.value.reshape(-1), sample.excess.reshape(-1)
        step = max(1, ENTRIES // cells)
        parts = [slice(start, start + step) for start in range(0, len(value), step)]
        return cls([Path(tables(part), value[part], excess[part], bounds) for part in parts], sample, bounds)

    @property
    def bias(self) -> Array:
        """Return the second-order bias of averages over classes; 0 for other metrics, whose scale may differ."""
        each = [block.bias if block.tables.sums_classes else np.zeros(block.bias.shape) for block in self.blocks]
        return np.concatenate(each).reshape(self.sample.value.shape)

    @property
    def is_sparse(self) -> Array:
        """Return whether many classes have so few cases that the bias is unknown."""
        return np.concatenate([block.is_sparse for block in self.blocks]).reshape(self.sample.value.shape)

    @property
    def varies(self) -> Array:
        """Return whether the variance of each metric is positive at the start of its path."""
        return np.concatenate([block.varies for block in self.blocks]).reshape(self.sample.value.shape)

    def interval(self, confidence_level: float, table: Table) -> Interval:
        """Return the interval at a level; ``table`` determines the reason for infinite quantiles."""
        why_endless = ONE_CASE if table.has_sample_variance else ONE_CLUSTER
        return _interval(self.sample, self, self.bounds, quantile(confidence_level, self.sample.freedom), why_endless)

    def limits(self, quantile: Any) -> tuple[Array, Array]:
        """Return the lower and upper limits at a quantile, or at one for each table."""
        shape = self.sample.value.shape
        z = np.broadcast_to(quantile, shape).reshape(-1)
        low, high = np.concatenate([block.limits(each) for block, each in self._pieces(z)], axis=1)
        return low.reshape(shape), high.reshape(shape)

    def p_values(self, value: Array, null: float) -> Array:
        """Return the two-sided p-values of a hypothesis: the complement of the level at which a limit equals it."""
        shape, freedom = self.sample.value.shape, self.sample.freedom
        farthest = np.broadcast_to(quantile(Level(float(share_beyond(LARGEST_Z))), freedom), shape).reshape(-1)
        above = np.reshape(value > null, -1)
        with np.errstate(all="ignore"):
            pieces = self._pieces(above, farthest)
            reach = np.concatenate([block.quantiles_at(null, *each) for block, *each in pieces])
            reach = np.where(np.reshape(value == null, -1), 0.0, np.clip(reach, 0.0, farthest)).reshape(shape)
            found = tail_beyond(reach, freedom)
        return np.where(found < share_beyond(SMALLEST_Z), found, 1.0)

    def _pieces(self, *each: Array) -> Iterator[tuple[Any, ...]]:
        """Return the blocks with their parts of arrays of one entry a table."""
        ends = np.cumsum([len(block.centre) for block in self.blocks])[:-1]
        return zip(self.blocks, *(np.split(array, ends) for array in each), strict=True)


@dataclass(frozen=True, slots=True, eq=False)
class _OnPaths:
    """Intervals by their level, and p-values by the hypothetical value, from the same paths."""

    paths: _Paths
    table: Table

    def __call__(self, level: float) -> Interval:
        """Return the interval at a level."""
        return self.paths.interval(level, self.table)

    def p_values(self, value: Array, null: float) -> Array:
        """Return the two-sided p-values of a hypothesis, given the observed values; nan without an interval."""
        return self.tested(KNOWN, value, null)[1]

    def tested(self, level: float, value: Array, null: float) -> tuple[Interval, Array]:
        """Return the intervals at a level and the p-values, which walk as far as most levels."""
        tests = self.paths.p_values(value, null)
        found = self(level)
        return found, np.where(np.isnan(found.low), np.nan, tests)


def _interval(
    sample: _Sample, paths: _Paths | Tilting, bounds: tuple[float, float], z: Any, why_endless: str = ""
) -> Interval:
    """Return the interval at a normal or Student t quantile; if it is not finite, limits are nan with a reason."""
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
    """Return intervals with a caution if the bias exceeds half the width, or is unknown."""
    with np.errstate(invalid="ignore"):
        exceeds = np.abs(bias) > (found.high - found.low) / 2
    if not (np.any(exceeds) or np.any(is_sparse)):
        return found
    shape = np.shape(found.low)
    words = [BIASED.format(bias=f"{each:+.2g}") for each in np.broadcast_to(bias, shape).ravel()]
    cautions = np.where(is_sparse, SPARSE, np.where(exceeds, np.reshape(np.array(words, dtype=object), shape), ""))
    return replace(found, reason=np.where(found.reason == "", cautions, found.reason))


def design_effect(metric: Metric, table: Table, varies: Array) -> Array:
    """Return the design effect of the metric for each table: its variance over that of independent unit cases.

    If the sample variance is zero, the smoothed table is used. If that variance is zero too, a form that varies in
    every table is used, so that pseudo-counts are in the unit of the weights.
    """
    if table.design.traits.is_independent and not table.has_sample_variance:
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
    gradient, levels = slopes.reshape(table.cells.shape), TwoLevel.of(table.design)
    observed = levels.observed_cells(table.cells)
    slopes = levels.project_gradient(observed, gradient)
    return quotient(table.variance(gradient), (observed * slopes**2).sum(-1))

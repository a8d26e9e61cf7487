"""The score interval along the least favourable path: for every smooth metric of counts, one table or a batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.algebra import Algebra
from howsure.designs.two_level import TwoLevel
from howsure.methods.core.draws import collapsed_for
from howsure.methods.core.interval import AllAtLevels, Interval, IntervalAtLevel
from howsure.methods.core.method import JointMethod, needs_counted_cases, tests_by
from howsure.methods.core.standard_errors import quantile, small_sample_with_missed_clusters, standard_error
from howsure.methods.flow.all_cells import LUMPED_CELLS, PathTables, TooSteepError
from howsure.methods.flow.class_averages import FewClasses, ManyClasses
from howsure.methods.flow.contrasts import path_kind
from howsure.methods.flow.exponential_tilting import Tilting
from howsure.methods.flow.intervals import BatchPaths, PathIntervals, PathSample, interval_at
from howsure.methods.flow.loss_histogram import LossHistogram
from howsure.methods.numerics.confidence_levels import tail_of
from howsure.metrics.averages import EXTREMES
from howsure.metrics.kinds import has_flow
from howsure.metrics.metric import Metric
from howsure.metrics.registry import MeanLoss
from howsure.native.averages import ClassShares
from howsure.tables.counts import ConfusionCounts
from howsure.tables.table import Table


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
    replaced by a Student t quantile. Let e be the skewness of the estimate in excess of that of n independent cases. A
    sample that lacks the few clusters with many errors underestimates the variance; the statistic therefore has
    skewness γ − 2 e and mean −e / 2.

    Four cases use a different statistic:

    - Stratified samples (`Traits.is_stratified`) use z₂ alone: a few cases can make up a large part of a table, and the
      metric is then nonlinear within one standard error.
    - Metrics without bounds use z₁ alone: far from the estimate they keep growing while the score hardly does.
    - P4 and the prevalence threshold use ``(z₁ + 3 z₂) / 4``: they change fastest where a rate is near zero.
    - Ratings have almost as many patterns as items. They use the sample variance, with n − 1, and a Student t quantile
      with n − 1 degrees of freedom.

    If all cases have the same utility and others could have a lower or a higher one, the interval of the mean also
    contains ``u + s (v − u)`` with the lowest and the highest utility v and ``s = 1 − (α / 2)^(1 / n)``, the proportion
    of cases with utility v that is unseen with probability α/2. This occurs for `interventions_avoided` if everyone in
    the sample is treated.

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

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for smooth metrics of counted single-label cases and of ratings, otherwise the reason why not."""
        if refusal := needs_counted_cases(self, table):
            return refusal
        if metric.single_model.average in EXTREMES:
            return f"`Flow` is for smooth metrics, and `{metric.name}` jumps from class to class. Use `Delta()`."
        counted = metric.is_mean_loss or "predictions" in table.data_kinds or has_flow(table)
        if not (counted and table.kind.has_one_label_per_case) or len(table.design.test_sets) > 1:
            return (
                "`Flow` is for metrics of predicted classes, of ratings and mean losses on one test set, one class for "
                f"each case, and `{metric.name}` here is none. Use `Delta()` or `Mover()`."
            )
        return ""

    def all_at_levels(self, metrics: Sequence[Metric], table: Table) -> AllAtLevels:
        """Return the intervals as a function of their level.

        Averages over classes are solved jointly. For other metrics, cells with equal gradients keep their proportions
        along the path and are collapsed. A mean loss needs only the distribution of the losses. Paths can be large, so
        each is released before the next one is computed, and none is kept for another level.
        """
        beside = _side_by_side(metrics, table)
        places = [place for place, metric in enumerate(metrics) if metric not in beside]

        def intervals(level: float) -> list[Interval]:
            found = _of_averages(beside, table)(level) if beside else []
            for place in places:  # ascending, so that each comes to its own place
                found.insert(place, _by_cells(metrics[place], table)(level))
            return found

        return intervals

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; for most metrics it is a `PathIntervals` with p-values."""
        if not _side_by_side([metric], table):
            return _by_cells(metric, table)
        together = _of_averages([metric], table)
        return lambda level: together(level)[0]

    def intervals_and_p_values(
        self, metric: Metric, table: Table, confidence_level: float, null: float, rng: Seed = None
    ) -> tuple[Interval, Array]:
        """Return intervals and p-values from the same paths."""
        at_levels = self.at_levels(metric, table)
        value = metric.value_at(table.counted)
        if isinstance(at_levels, PathIntervals):
            found, tests = at_levels.intervals_and_p_values(confidence_level, value, null)
        else:
            found, tests = at_levels(confidence_level), tests_by(at_levels, value, null)
        return found if table.batch else found.to_scalars(), tests


def _side_by_side(metrics: Sequence[Metric], table: Table) -> list[Metric]:
    """Return the averages over classes whose paths depend on the counts of a confusion table alone."""
    design = table.design
    if table.counts_class is not ConfusionCounts or design.supports(TwoLevel.project_gradient):
        return []
    cells = table.cells.shape[-1]
    if cells >= LUMPED_CELLS and not (
        design.traits.is_independent or Algebra.of(design).collapsible_cells(cells) is None
    ):
        return []  # the small-sample correction is that of the collapsed cells
    return [each for each in metrics if each.class_shares is not None]


def _by_cells(metric: Metric, table: Table) -> IntervalAtLevel:
    if metric.population is not None:  # the path has the values of the population's metric
        return _of_estimate(_by_cells(metric.population, table), metric, table)
    losses = metric.structure.cells if isinstance(metric.structure, MeanLoss) else None
    if losses is not None and table.design.traits.is_independent and not table.batch:
        return _tilted(metric, LossHistogram.of(table, losses), metric.value_at(table.counted))
    cells = table.cells.shape[-1]
    if cells >= LUMPED_CELLS and losses is None and not table.batch:
        table = collapsed_for(table, [metric], Algebra.of(table.design).collapsible_cells(cells))
    return flow_intervals(metric, table, *small_sample_with_missed_clusters(metric, table))


def _of_estimate(at_level: IntervalAtLevel, metric: Metric, table: Table) -> IntervalAtLevel:
    """Return intervals of a population's metric with the standard error of the estimate, containing its value."""
    value, error = metric.value_at(table.counted), standard_error(metric, table)

    def interval(level: float) -> Interval:
        found = at_level(level)
        with np.errstate(invalid="ignore"):
            low, high = np.minimum(found.low, value), np.maximum(found.high, value)
        known = np.where(np.isnan(found.standard_error), np.nan, error)
        return replace(found, low=low, high=high, standard_error=known)

    return interval


def _tilted(metric: Metric, losses: LossHistogram, value: Array) -> IntervalAtLevel:
    """Return the interval of a mean loss of independent cases."""
    path = Tilting(losses, float(value), metric.range)
    sample = PathSample.of_one(value, path.standard_error)
    return lambda level: interval_at(sample, path, metric.range, quantile(level, sample.degrees_of_freedom))


def flow_intervals(metric: Metric, table: Table, inflation: object, degrees_of_freedom: object) -> IntervalAtLevel:
    """Return the interval along the flow as a function of its level.

    Parameters
    ----------
    metric : Metric
        The metric, bound to the table.
    table : Table
        One table, or a batch.
    inflation, degrees_of_freedom : float or ndarray of the shape of the batch
        Small-sample factor of the variance, and degrees of freedom.
    """
    with np.errstate(all="ignore"):
        sample = PathSample.of(metric, table, inflation, degrees_of_freedom)
        cases = TwoLevel.of(table.design).observed_cells(table.cells) / sample.effect[..., None]
        cells = cases.shape[-1]
        flat = cases.reshape(-1, cells)
        kind = path_kind(metric, table)
        paths = BatchPaths.of(lambda part: kind(metric, table, flat[part], part), cells, sample, metric.range)
    found = PathIntervals(paths, table)
    agree = (sample.error == 0) & (metric.range[0] < sample.value) & (sample.value < metric.range[1])
    if metric.contrast is not None or metric.class_average is not None:  # which is no mean over cases
        return found
    return _with_unseen_cells(found, metric, table, agree) if np.any(agree) else found


def _with_unseen_cells(found: PathIntervals, metric: Metric, table: Table, agree: Array) -> IntervalAtLevel:
    """Return intervals of a mean that also contain ``u + s (v - u)`` (see `Flow`) where all cases have one utility.

    The path alone is then too short towards the nearer end of the range, because the cells of both ends change along
    it.
    """
    cells = table.cells.shape[-1]
    utilities, sample = np.asarray(metric(table.make_counts(np.eye(cells)))), found.paths.sample
    if table.design.supports(TwoLevel.project_gradient) or np.isnan(utilities).any():
        return found
    number = table.cells.sum(-1) / sample.effect

    def interval(level: float) -> Interval:
        plain, share = found(level), -np.expm1(np.log(tail_of(level) / 2) / number)
        low, high = (sample.value + (end - sample.value) * share for end in (utilities.min(), utilities.max()))
        low, high = np.minimum(plain.low, low), np.maximum(plain.high, high)
        return replace(plain, low=np.where(agree, low, plain.low), high=np.where(agree, high, plain.high))

    return interval


def _of_averages(metrics: Sequence[Metric], table: Table) -> AllAtLevels:
    """Return the intervals of averages over classes, solved jointly; from all cells if a path is too steep for that."""
    shares = [each.class_shares for each in metrics]
    averages, square = ClassShares.beside([each for each in shares if each is not None]), (-1, *table.shape)
    counts, tables = table.counts.reshape(square), math.prod(table.batch)
    with np.errstate(all="ignore"):
        if table.design.traits.is_independent:
            sample = PathSample.of_averages(averages, metrics, table)
        else:
            sample = PathSample.beside(
                [PathSample.of(each, table, *small_sample_with_missed_clusters(each, table)) for each in metrics]
            )
        effect = sample.effect.reshape(-1)
        kind = FewClasses if table.cells.shape[-1] < LUMPED_CELLS else ManyClasses

        def path_tables(part: slice) -> PathTables:
            which, own = np.divmod(np.arange(effect.size)[part], tables)
            each = cast("ConfusionCounts", table.counted) if tables == 1 else ConfusionCounts(counts[own])
            return kind(averages.at(which), each, effect[part])

        paths = BatchPaths.of(path_tables, table.cells.shape[-1], sample, metrics[0].range)
    apart: list[IntervalAtLevel] = []

    def intervals(level: float) -> list[Interval]:
        try:
            if not apart:
                return paths.interval(level, table).parts()
        except TooSteepError:
            apart.extend(_by_cells(metric, table) for metric in metrics)
        return [at_level(level) for at_level in apart]

    return intervals

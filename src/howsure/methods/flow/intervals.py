"""Intervals and p-values from the paths of the flow, for one table or a batch, and the samples that they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import safe_divide
from howsure.designs.clustering import Clustering
from howsure.designs.two_level import TwoLevel
from howsure.methods.core.interval import (
    BIASED,
    CONSTANT,
    ONE_CASE,
    ONE_CLUSTER,
    SPARSE,
    UNDEFINED,
    Interval,
    interval_with_reasons,
)
from howsure.methods.core.inversion import KNOWN, LARGEST_Z, p_values_at
from howsure.methods.core.standard_errors import is_positive_error, quantile, standard_error
from howsure.methods.flow.all_cells import PathTables
from howsure.methods.flow.exponential_tilting import Tilting
from howsure.methods.flow.solver import Path
from howsure.methods.numerics.confidence_levels import Level, share_beyond
from howsure.metrics.class_shares import variance_of_independent
from howsure.metrics.metric import Metric
from howsure.native.averages import ClassShares
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table, with_pseudo_counts

ENTRIES = 2**18  # of the tables of a block of paths, so that they stay in the cache


@dataclass(frozen=True, slots=True, eq=False)
class PathSample:
    """Value, standard error and effective sample size of each table; all fields have the shape of the batch."""

    value: Array
    error: Array
    effect: Array  # design effect: counts per independent case
    excess: Array  # skewness in excess of that of independent cases
    degrees_of_freedom: Any

    @classmethod
    def of(cls, metric: Metric, table: Table, inflation: object, degrees_of_freedom: object) -> PathSample:
        """Summarise one metric; for the parameters see `flow_intervals`."""
        value, error = metric.value_at(table.counted), standard_error(metric, table)
        effect = np.asarray(inflation * design_effect(metric, table, is_positive_error(error, value)))
        excess = np.broadcast_to(Clustering.of(table.design).excess_skewness(table.cells, effect), effect.shape)
        return cls(value, error, effect, excess, degrees_of_freedom)

    @classmethod
    def of_one(cls, value: Array, error: float) -> PathSample:
        """Summarise one table of independent cases."""
        return cls(value, np.asarray(error), np.ones(()), np.zeros(()), np.inf)

    @classmethod
    def beside(cls, samples: Sequence[PathSample]) -> PathSample:
        """Stack the summaries of several metrics along a new first axis."""
        shape = samples[0].value.shape
        parts = ([np.broadcast_to(getattr(each, name), shape) for each in samples] for name in cls.__slots__)
        return cls(*map(np.stack, parts))

    @classmethod
    def of_averages(cls, averages: ClassShares, metrics: Sequence[Metric], table: Table) -> PathSample:
        """Summarise averages over classes of independent cases."""
        each = np.arange(len(metrics)).reshape(-1, *(1 for _ in table.batch))
        variance = variance_of_independent(averages.at(each), cast("ClassCounts", table.counted))
        value = np.stack([each.value_at(table.counted) for each in metrics])
        error = np.where(np.isfinite(value), np.sqrt(variance), np.nan)
        return cls(value, error, np.ones(value.shape), np.zeros(value.shape), table.design.degrees_of_freedom)


@dataclass(frozen=True, slots=True, eq=False)
class BatchPaths:
    """The paths of all tables of a batch, in blocks of bounded memory."""

    blocks: list[Path]
    sample: PathSample
    bounds: tuple[float, float]

    @classmethod
    def of(
        cls, tables: Callable[[slice], PathTables], cells: int, sample: PathSample, bounds: tuple[float, float]
    ) -> BatchPaths:
        """Split the batch into blocks; ``tables(slice)`` returns the path tables of one block."""
        value, excess = sample.value.reshape(-1), sample.excess.reshape(-1)
        step = max(1, ENTRIES // cells)
        parts = [slice(start, start + step) for start in range(0, len(value), step)]
        return cls([Path(tables(part), value[part], excess[part], bounds) for part in parts], sample, bounds)

    @property
    def bias(self) -> Array:
        """Return the second-order bias of averages over classes; 0 for other metrics, whose scale may differ."""
        each = [block.bias.mean(0) * block.tables.sums_classes for block in self.blocks]
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
        why_endless = ONE_CASE if table.kind.has_sample_variance else ONE_CLUSTER
        return interval_at(
            self.sample, self, self.bounds, quantile(confidence_level, self.sample.degrees_of_freedom), why_endless
        )

    def limits(self, quantile: Any) -> tuple[Array, Array]:
        """Return the lower and upper limits at a quantile, or at one for each table."""
        shape = self.sample.value.shape
        z = np.broadcast_to(quantile, shape).reshape(-1)
        low, high = np.concatenate([block.limits(each) for block, each in self._pieces(z)], axis=1)
        return low.reshape(shape), high.reshape(shape)

    def p_values(self, value: Array, null: float) -> Array:
        """Return the two-sided p-values of a hypothesis: the complement of the level at which a limit equals it."""
        shape, degrees_of_freedom = self.sample.value.shape, self.sample.degrees_of_freedom
        farthest = np.broadcast_to(quantile(Level(float(share_beyond(LARGEST_Z))), degrees_of_freedom), shape).reshape(
            -1
        )
        above = np.reshape(value > null, -1)
        with np.errstate(all="ignore"):
            pieces = self._pieces(above, farthest)
            reach = np.concatenate([block.quantiles_at(null, *each) for block, *each in pieces])
            reach = np.where(np.reshape(value == null, -1), 0.0, reach).reshape(shape)
            return p_values_at(reach, degrees_of_freedom)

    def _pieces(self, *each: Array) -> Iterator[tuple[Any, ...]]:
        """Return the blocks with their parts of arrays of one entry a table."""
        ends = np.cumsum([len(block.observed) for block in self.blocks])[:-1]
        return zip(self.blocks, *(np.split(array, ends) for array in each), strict=True)


@dataclass(frozen=True, slots=True, eq=False)
class PathIntervals:
    """Intervals by their level, and p-values by the hypothetical value, from the same paths."""

    paths: BatchPaths
    table: Table

    def __call__(self, level: float) -> Interval:
        """Return the interval at a level."""
        return self.paths.interval(level, self.table)

    def p_values(self, value: Array, null: float) -> Array:
        """Return the two-sided p-values of a hypothesis, given the observed values; nan without an interval."""
        return self.intervals_and_p_values(KNOWN, value, null)[1]

    def intervals_and_p_values(self, level: float, value: Array, null: float) -> tuple[Interval, Array]:
        """Return the intervals at a level and the p-values, which walk as far as most levels."""
        tests = self.paths.p_values(value, null)
        found = self(level)
        return found, np.where(np.isnan(found.low), np.nan, tests)


def interval_at(
    sample: PathSample, paths: BatchPaths | Tilting, bounds: tuple[float, float], z: Any, why_endless: str = ""
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
    return _with_caution(interval_with_reasons(low, high, sample.error, *refusals), paths.bias, paths.is_sparse)


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
    if table.design.traits.is_independent and not table.kind.has_sample_variance:
        return np.ones(table.batch)
    effect = _effect(metric.finite_gradient(table.counted), table)
    if not varies.all():
        smoothed = with_pseudo_counts(table)
        effect = np.where(varies, effect, _effect(metric.finite_gradient(smoothed.counted), smoothed))
        if not effect.all():
            alternating = np.broadcast_to(np.arange(table.cells.shape[-1]) % 2.0, table.cells.shape)
            effect = np.where(effect == 0, _effect(alternating, smoothed), effect)
    return np.where(effect == 0, 1.0, effect)


def _effect(slopes: Array, table: Table) -> Array:
    gradient, levels = slopes.reshape(table.cells.shape), TwoLevel.of(table.design)
    observed = levels.observed_cells(table.cells)
    slopes = levels.project_gradient(observed, gradient)
    return safe_divide(table.variance(gradient), (observed * slopes**2).sum(-1))

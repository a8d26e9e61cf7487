"""Paths of mean utilities, each of its own table: those of many thresholds are walked together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import PSEUDO_COUNT, safe_divide
from howsure.designs.cell_sums import dot
from howsure.designs.two_level import TwoLevel
from howsure.methods.core.interval import Interval, IntervalAtLevel
from howsure.methods.core.standard_errors import small_sample_with_missed_clusters
from howsure.methods.flow.all_cells import PathTables, Point, round_counts
from howsure.methods.flow.intervals import BatchPaths, PathSample
from howsure.methods.numerics.confidence_levels import tail_of
from howsure.metrics.metric import Metric
from howsure.tables.table import Table


@final
class MeanPaths(PathTables):
    """Tables along paths of means. A mean is its own score, so that it has no bias.

    Parameters
    ----------
    utilities : ndarray of shape (tables, cells)
        Utility of a case in each cell; the range of the metric becomes 0 to 1.
    cases : ndarray of shape (tables, cells)
        Numbers of independent cases.
    pseudo_shares : ndarray of shape (cells,)
        Proportion of the pseudo-counts in each cell.
    """

    sums_classes = False

    def __init__(self, utilities: Array, cases: Array, pseudo_shares: Array) -> None:
        self.utilities, self.cases = utilities, round_counts(cases)
        self.filled = self.cases + PSEUDO_COUNT * pseudo_shares

    def bias(self) -> Array:
        """Return 0 for each table."""
        return np.zeros(len(self.cases))

    def point(self, cells: Array, tables: Any) -> Point:
        """Return the point of the path at tables with these proportions."""
        total = self.cases[tables].sum(-1)
        cells = cells * safe_divide(total, cells.sum(-1))[..., None]
        whole, utilities = cells.sum(-1), self.utilities[tables]
        value = safe_divide(dot(cells, utilities), whole)
        slopes = safe_divide(utilities - value[..., None], whole[..., None])
        squares = cells * slopes * slopes
        return Point(cells, slopes, value, squares.sum(-1), dot(squares, slopes))

    def score(self, here: Point, tables: Any) -> Array:
        """Return the distance of the observed mean from that of a point."""
        return dot(self.cases[tables], here.slopes)


def are_means(metrics: Sequence[Metric], tables: Sequence[Table]) -> bool:
    """Return whether `means_at_levels` applies: metrics of the flow that are means, of designs with free totals."""
    design = tables[0].design
    is_free = not (design.supports(TwoLevel.project_gradient) or design.supports(TwoLevel.table_from_observed))
    is_plain = is_free and not (design.traits.is_stratified or tables[0].kind.has_sample_variance)
    return is_plain and all(np.isfinite(_utilities(*each)).all() for each in zip(metrics, tables, strict=True))


def means_at_levels(metrics: Sequence[Metric], tables: Sequence[Table]) -> IntervalAtLevel:
    """Return the intervals of means by `Flow`, each of its own table, as a function of their level.

    They are those of ``Flow().at_levels(metric, table)``. The paths of all tables are walked in one pass.

    Parameters
    ----------
    metrics : sequence of Metric
        Means of the utilities of cells, with a finite range; see `are_means`.
    tables : sequence of Table
        The table of each metric, all of the same shape.
    """
    lowest, highest = np.transpose([each.range for each in metrics])
    span = highest - lowest
    utilities = np.array([_utilities(*each) for each in zip(metrics, tables, strict=True)])
    scaled = (utilities - lowest[:, None]) / span[:, None]
    cells = np.array([each.cells for each in tables])
    with np.errstate(all="ignore"):
        sample = _sample(metrics, tables, cells, utilities)
        own = replace(sample, value=(sample.value - lowest) / span, error=sample.error / span)
        shares = tables[0].priors.shares.ravel()
        cases = cells / sample.effect[:, None]
        paths = BatchPaths.of(
            lambda part: MeanPaths(scaled[part], cases[part], shares), cells.shape[1], own, (0.0, 1.0)
        )
    agree = (own.error == 0) & (own.value > 0) & (own.value < 1) & np.array([each.contrast is None for each in metrics])
    number = cells.sum(-1) / sample.effect

    def interval(level: float) -> Interval:
        found, unseen = paths.interval(level, tables[0]), -np.expm1(np.log(tail_of(level) / 2) / number)
        low, high = (own.value + (end - own.value) * unseen for end in (scaled.min(-1), scaled.max(-1)))
        low = np.where(agree, np.minimum(found.low, low), found.low)
        high = np.where(agree, np.maximum(found.high, high), found.high)
        return replace(found, low=lowest + span * low, high=lowest + span * high, standard_error=sample.error)

    return interval


def _utilities(metric: Metric, table: Table) -> Array:
    """Return the utility of a case in each cell: the metric of that case alone."""
    cells = table.cells.shape[-1]
    return np.asarray(metric(np.eye(cells).reshape(cells, *table.shape)), dtype=float)


def _sample(metrics: Sequence[Metric], tables: Sequence[Table], cells: Array, utilities: Array) -> PathSample:
    """Return values, standard errors and effective sample sizes; of independent cases in one pass."""
    design = tables[0].design
    if not design.traits.is_independent:
        samples = zip(metrics, tables, strict=True)
        return PathSample.beside([PathSample.of(*each, *small_sample_with_missed_clusters(*each)) for each in samples])
    total = cells.sum(-1)
    value = safe_divide(dot(cells, utilities), total)
    variance = dot(cells, (utilities - value[:, None]) ** 2) / total**2
    ones = np.ones(len(cells))
    return PathSample(value, np.sqrt(variance), ones, 0 * ones, design.degrees_of_freedom)

"""Metrics of resampled tables whose many cells or clusters hold few cases each: weights of units are drawn, not cells.

Means, quotients of sums, areas under the ROC curve and average precisions follow from the weights at once; other
metrics are evaluated on the tables that the weights add up to. All are of the same resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from howsure.arrays import Array, Bytes
from howsure.designs.units import Units
from howsure.methods.core.draws import drawn_blocks
from howsure.metrics.forms import divide
from howsure.metrics.metric import Metric
from howsure.metrics.registry import MeanLoss
from howsure.metrics.structures import RankedViews, ViewAverage
from howsure.native.ranks import cases_of, rank_sums, ranked_units
from howsure.native.resampling import EIGHT, LANES, Ranked, Resamples
from howsure.native.weighted_sums import UnitCounts, weighted_sums
from howsure.tables.protocols import block_size
from howsure.tables.table import Table

Metrics = Mapping[int, Metric]  # by their row
Strata = Sequence[Resamples]  # of the units of each stratum, or of all units
Part = tuple[list[int], Callable[[Strata], Array]]  # rows of metrics, and the function of their values, (rows, 64)
OF_STREAM = 4 * LANES  # resamples of one random stream


def values_of_resamples(
    metrics: Sequence[Metric], table: Table, units: Units, size: int, seed: np.random.SeedSequence
) -> Array:
    """Return each metric's value on each resample of a table's units, ``(metrics, size)``."""
    values, of_weights = np.empty((len(metrics), size)), []
    left = dict(enumerate(metrics))
    for way in (_by_sums, _by_ranks, _by_views):
        found = way(left, table, units)
        if found is not None:
            of_weights.append(found)
            left = {row: metric for row, metric in left.items() if row not in found[0]}
    counts = UnitCounts.of(*units.each(), table.cells.shape[-1]) if left else None

    def fill(rows: slice, stream: np.random.Generator) -> None:
        own = values[:, rows]
        many = -(-own.shape[1] // LANES) * LANES
        resamples = [Resamples.drawn(cases, many, stream, draws) for cases, draws in units.samples]
        for start in range(0, own.shape[1] if of_weights else 0, LANES):
            some = [each.some(start) for each in resamples]
            for places, function in of_weights:
                own[places, start : start + LANES] = function(some)[:, : own.shape[1] - start]
        if counts is not None:
            _fill_others(own, left, table, counts, resamples, units.fixed)

    drawn_blocks(fill, size, OF_STREAM, seed)
    return values


def _by_sums(metrics: Metrics, table: Table, units: Units) -> Part | None:
    """Compute the metrics that are quotients of two sums of the cells' numbers, where all of these are finite."""
    forms, empty = {}, {}
    for row, metric in metrics.items():
        if isinstance(metric.structure, MeanLoss) and metric.structure.cells is not None:
            part = metric.structure.cells.every.ravel()
            pair = np.stack([part, np.ones(part.shape)])
        elif metric.ratio is not None:
            pair = np.stack([metric.ratio.numerator.ravel(), metric.ratio.denominator.ravel()]).astype(float)
        else:
            continue
        if np.isfinite(pair[:, units.cell]).all():
            forms[row], empty[row] = pair, np.nan if metric.spec is None else metric.spec.zero_division
    if not forms:
        return None
    every, of_zero = np.concatenate([*forms.values()]), np.array([*empty.values()])[:, None]
    ends = np.cumsum([cases for cases, _ in units.samples])[:-1]
    columns = [np.ascontiguousarray(each) for each in np.split(units.columns(every), ends, axis=1)]
    fixed = 0.0 if units.fixed is None else (every @ units.fixed)[:, None]

    def values(some: Strata) -> Array:
        sums = fixed + np.sum([weighted_sums(*each) for each in zip(some, columns, strict=True)], axis=0)
        return np.where(sums[1::2] == 0, of_zero, divide(sums[::2], sums[1::2]))

    return list(forms), values


def _by_ranks(metrics: Metrics, table: Table, units: Units) -> Part | None:
    """Compute areas and average precisions of independent cases, from one pass over their ranks."""
    kinds = {row: metric.structure for row, metric in metrics.items() if isinstance(metric.structure, Ranked)}
    if not kinds or not table.design.traits.is_independent:
        return None
    cases, what = cases_of(table.counts), Ranked(sum(set(map(int, kinds.values()))))

    def values(some: Strata) -> Array:
        sums = rank_sums(some[0], cases, what)
        return np.stack([sums.value(kind) for kind in kinds.values()])

    return list(kinds), values


def _by_views(metrics: Metrics, table: Table, units: Units) -> Part | None:
    """Compute averages of areas or average precisions over views, and those of clusters; not of cases with weights."""
    views = {}
    for row, metric in metrics.items():
        if isinstance(metric.structure, Ranked):
            itself = [lambda: np.arange(table.cells.size)]
            views[row] = RankedViews(metric.structure, itself, lambda values, _: values[..., 0])
        elif isinstance(metric.structure, ViewAverage) and metric.structure.ranked is not None:
            views[row] = metric.structure.ranked
    if not views or units.fixed is not None:
        return None
    unit, cell, count = units.each()
    if (count != np.round(count)).any():
        return None
    times = count.astype(np.intp)
    unit, cell = np.repeat(unit, times), np.repeat(cell, times)
    ordered = {row: [_in_order(of_whole()[cell], unit) for of_whole in each.cells] for row, each in views.items()}

    def values(some: Strata) -> Array:
        weights, found = some[0].weights(0, LANES // EIGHT), []
        for row, each in views.items():
            sums = [ranked_units(weights, *cases, each.kind) for cases in ordered[row]]
            positives = np.stack([one.positives for one in sums], -1).astype(float)
            found.append(each.average(np.stack([one.value(each.kind) for one in sums], -1), positives))
        return np.stack(found)

    return list(views), values


def _in_order(cell: Array, unit: Array) -> tuple[Array, Bytes]:
    """Return the unit and the kind of each case in the order of the scores, from the cells of a view."""
    inside = np.flatnonzero(cell >= 0)
    order = inside[np.argsort(cell[inside], kind="stable")]
    size = int(cell.max(initial=-1)) // 2 + 1
    return unit[order], cases_of(np.bincount(cell[order], minlength=2 * size).reshape(size, 2))


def _fill_others(
    values: Array, metrics: Metrics, table: Table, of_units: UnitCounts, resamples: Strata, fixed: Array | None
) -> None:
    """Compute metrics on tables, in blocks of 8 or 64 tables: in 64 if these fit the processor's cache."""
    size, at_once = values.shape[1], LANES if block_size(table) >= LANES else EIGHT
    for start in range(0, size, at_once):
        weights = [each.weights(start // EIGHT, at_once // EIGHT) for each in resamples]
        drawn = of_units.tables(weights[0] if len(weights) == 1 else np.concatenate(weights))
        counts = table.make_counts(drawn if fixed is None else drawn + fixed)
        with np.errstate(all="ignore"):
            for row, metric in metrics.items():
                values[row, start : start + at_once] = metric(counts)[: size - start]

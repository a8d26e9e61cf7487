"""Metrics of resampled tables whose many cells or clusters hold few cases each: weights of units are drawn, not cells.

Means, quotients of sums, areas under the ROC curve and average precisions follow from the weights at once; other
metrics are evaluated on the tables that the weights add up to. All are of the same resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.designs.units import Units
from howsure.methods.core.draws import drawn_blocks
from howsure.metrics.forms import divide
from howsure.metrics.metric import Metric
from howsure.metrics.registry import MeanLoss
from howsure.metrics.structures import RankedViews, ViewAverage
from howsure.native.ranks import cases_of, rank_sums, ranked_units
from howsure.native.resampling import EIGHT, LANES, Ranked, Resamples
from howsure.native.weighted_sums import Entries, weighted_sums
from howsure.tables.table import Table

Array = NDArray[Any]
Values = Callable[[Resamples], Array]  # the metric on each of 64 resamples
OF_STREAM = 4 * LANES  # resamples of one random stream


def values_of_resamples(
    metrics: Sequence[Metric], table: Table, units: Units, size: int, seed: np.random.SeedSequence
) -> Array:
    """Return each metric's value on each resample of a table's units, ``(metrics, size)``."""
    values = np.empty((len(metrics), size))
    direct = {row: found for row, metric in enumerate(metrics) if (found := _direct(metric, table, units)) is not None}
    others = [(row, metric) for row, metric in enumerate(metrics) if row not in direct]
    entries = Entries.of(*units.each(), table.cells.shape[-1]) if others else None

    def fill(rows: slice, stream: np.random.Generator) -> None:
        own = values[:, rows]
        resamples = Resamples.drawn(units.total, -(-own.shape[1] // LANES) * LANES, stream)
        for start in range(0, own.shape[1], LANES):
            some = resamples.some(start)
            for row, found in direct.items():
                own[row, start : start + LANES] = found(some)[: own.shape[1] - start]
        if entries is not None:
            _fill_others(own, others, table, entries, resamples)

    drawn_blocks(fill, size, OF_STREAM, seed)
    return values


def _direct(metric: Metric, table: Table, units: Units) -> Values | None:
    """Return the function that computes a metric from the weights of units; None if it needs tables."""
    kind = metric.structure
    if isinstance(kind, Ranked):
        if table.design.traits.is_independent:
            cases = cases_of(table.counts)
            return lambda some: rank_sums(some, cases, kind).value(kind)
        itself = RankedViews(kind, [lambda: np.arange(table.cells.size)], lambda values, _: values[..., 0])
        return _of_ranks(itself, units)
    if isinstance(kind, ViewAverage):
        return None if kind.ranked is None else _of_ranks(kind.ranked, units)
    if isinstance(kind, MeanLoss) and kind.cells is not None:
        losses = kind.cells.every.ravel()
        return _of_sums(losses, np.ones(losses.shape), units)
    if metric.ratio is None:
        return None
    empty = np.nan if metric.spec is None else metric.spec.zero_division
    return _of_sums(metric.ratio.numerator, metric.ratio.denominator, units, empty)


def _of_sums(part: Array, whole: Array, units: Units, empty: float = np.nan) -> Values | None:
    """Return the function that computes a quotient of two sums of the cells' numbers; None if some are infinite.

    ``empty`` is the quotient of a sum by 0.
    """
    forms = np.stack([np.ravel(part), np.ravel(whole)]).astype(float)
    if not np.isfinite(forms[:, units.cell]).all():
        return None
    columns = units.columns(forms)

    def values(some: Resamples) -> Array:
        upper, lower = weighted_sums(some, columns)
        return np.where(lower == 0, empty, divide(upper, lower))

    return values


def _of_ranks(views: RankedViews, units: Units) -> Values | None:
    """Return the function that computes an average over views of the cases' ranks; None for cases with weights."""
    unit, cell, count = units.each()
    if (count != np.round(count)).any():
        return None
    times = count.astype(np.intp)
    unit, cell = np.repeat(unit, times), np.repeat(cell, times)
    ordered = [_in_order(of_whole()[cell], unit) for of_whole in views.cells]

    def values(some: Resamples) -> Array:
        weights = some.weights(0, LANES // EIGHT)
        sums = [ranked_units(weights, *each, views.kind) for each in ordered]
        positives = np.stack([each.positives for each in sums], -1).astype(float)
        return views.average(np.stack([each.value(views.kind) for each in sums], -1), positives)

    return values


def _in_order(cell: Array, unit: Array) -> tuple[Array, NDArray[np.uint8]]:
    """Return the unit and the kind of each case in the order of the scores, from the cells of a view."""
    inside = np.flatnonzero(cell >= 0)
    order = inside[np.argsort(cell[inside], kind="stable")]
    size = int(cell.max(initial=-1)) // 2 + 1
    return unit[order], cases_of(np.bincount(cell[order], minlength=2 * size).reshape(size, 2))


def _fill_others(
    values: Array, metrics: Sequence[tuple[int, Metric]], table: Table, entries: Entries, resamples: Resamples
) -> None:
    """Compute metrics on tables, in blocks of 8 or 64 tables: in 64 if these fit the processor's cache."""
    size, at_once = values.shape[1], LANES if table.block_size >= LANES else EIGHT
    for start in range(0, size, at_once):
        counts = table.make_counts(entries.tables(resamples.weights(start // EIGHT, at_once // EIGHT)))
        with np.errstate(all="ignore"):
            for row, metric in metrics:
                values[row, start : start + at_once] = metric(counts)[: size - start]

"""Metrics of resampled tables whose many cells hold few cases each: weights of cases are drawn, not cells.

The area under the ROC curve, average precision, means and quotients of sums follow from the weights at once; other
metrics are evaluated on the tables that the weights add up to. All are of the same resamples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.designs.sampling import resampled
from howsure.methods.core.draws import drawn_blocks
from howsure.metrics.forms import divide
from howsure.metrics.metric import Metric
from howsure.metrics.registry import MeanLoss
from howsure.native.ranks import cases_of, rank_sums
from howsure.native.resampling import EIGHT, LANES, Ranked, Resamples
from howsure.native.weighted_sums import weighted_sums
from howsure.tables.table import Table

Array = NDArray[Any]
OF_STREAM = 4 * LANES  # resamples of one random stream


def values_of_resamples(metrics: Sequence[Metric], table: Table, size: int, seed: np.random.SeedSequence) -> Array:
    """Return each metric's value on each resample of a table of independent cases, ``(metrics, size)``."""
    values, number = np.empty((len(metrics), size)), round(float(table.cells.sum()))
    ranked = {row: each.structure for row, each in enumerate(metrics) if isinstance(each.structure, Ranked)}
    summed = {row: sums for row, each in enumerate(metrics) if (sums := _columns(each, table)) is not None}
    others = [(row, metric) for row, metric in enumerate(metrics) if row not in ranked | summed]
    what = Ranked(sum(set(map(int, ranked.values()))))
    cases = cases_of(table.counts) if ranked else np.empty(0, dtype=np.uint8)

    def fill(rows: slice, stream: np.random.Generator) -> None:
        own = values[:, rows]
        resamples = Resamples.drawn(number, -(-own.shape[1] // LANES) * LANES, stream)
        for start in range(0, own.shape[1] if ranked or summed else 0, LANES):
            some, lanes = resamples.some(start), slice(start, start + LANES)
            if ranked:
                sums = rank_sums(some, cases, what)
                for row, kind in ranked.items():
                    own[row, lanes] = sums.value(kind)[: own.shape[1] - start]
            for row, columns in summed.items():
                part, *whole = weighted_sums(some, columns)
                own[row, lanes] = divide(part, *(whole or [np.asarray(number)]))[: own.shape[1] - start]
        if others:
            _fill_others(own, others, table, resamples)

    drawn_blocks(fill, size, OF_STREAM, seed)
    return values


def _columns(metric: Metric, table: Table) -> Array | None:
    """Return the columns ``(1 or 2, cases)`` of a metric that is the mean of one, or the quotient of two sums."""
    if isinstance(metric.structure, MeanLoss) and metric.structure.cells is not None:
        columns = [metric.structure.cells.every]
    elif metric.ratio is not None:
        whole = metric.ratio.denominator
        columns = [metric.ratio.numerator, *([] if (whole == 1).all() else [whole])]
    else:
        return None
    number = table.cells.astype(np.intp)
    found = np.stack([np.repeat(np.ravel(each).astype(float), number) for each in columns])
    return found if np.isfinite(found).all() else None


def _fill_others(values: Array, metrics: Sequence[tuple[int, Metric]], table: Table, resamples: Resamples) -> None:
    """Compute metrics on tables, in blocks of tables that fit the processor's cache."""
    size, at_once = values.shape[1], table.block_size
    step = max(1, at_once // EIGHT)
    eights = range(-(-size // EIGHT))
    for some in (eights[start : start + step] for start in range(0, len(eights), step)):
        weights = resamples.weights(some[0], len(some))
        first = EIGHT * some[0]
        for start in range(0, min(weights.shape[1], size - first), at_once):
            drawn = slice(first + start, min(first + start + at_once, first + weights.shape[1], size))
            counts = table.make_counts(resampled(table.cells, weights[:, start : start + drawn.stop - drawn.start]))
            with np.errstate(all="ignore"):
                for row, metric in metrics:
                    values[row, drawn] = metric(counts)

"""Metrics of resampled tables whose many cells hold few cases each: weights of cases are drawn, not cells.

The area under the ROC curve and average precision follow from the weights at once; other metrics are evaluated on the
tables that the weights add up to. All are of the same resamples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.designs.sampling import resampled
from howsure.methods.core.draws import drawn_blocks
from howsure.metrics.metric import Metric
from howsure.native.ranks import cases_of, rank_sums
from howsure.native.resampling import EIGHT, LANES, Ranked, Resamples
from howsure.tables.table import Table

Array = NDArray[Any]
OF_STREAM = 4 * LANES  # resamples of one random stream


def values_of_resamples(metrics: Sequence[Metric], table: Table, size: int, seed: np.random.SeedSequence) -> Array:
    """Return each metric's value on each resample of a table of independent cases, ``(metrics, size)``."""
    values, number = np.empty((len(metrics), size)), round(float(table.cells.sum()))
    kinds = [(row, metric.structure) for row, metric in enumerate(metrics)]
    ranked = [(row, kind) for row, kind in kinds if isinstance(kind, Ranked)]
    others = [(row, metric) for row, metric in enumerate(metrics) if not isinstance(metric.structure, Ranked)]
    what = Ranked(sum({int(each) for _, each in ranked}))
    cases = cases_of(table.counts) if ranked else np.empty(0, dtype=np.uint8)

    def fill(rows: slice, stream: np.random.Generator) -> None:
        own = values[:, rows]
        resamples = Resamples.drawn(number, -(-own.shape[1] // LANES) * LANES, stream)
        for start in range(0, own.shape[1] if ranked else 0, LANES):
            sums = rank_sums(resamples.some(start), cases, what)
            for row, each in ranked:
                own[row, start : start + LANES] = sums.value(each)[: own.shape[1] - start]
        if others:
            _fill_others(own, others, table, resamples)

    drawn_blocks(fill, size, OF_STREAM, seed)
    return values


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

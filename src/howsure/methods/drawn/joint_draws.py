"""Joint draws for many models: the joint table is drawn, and one matrix product sums it to every model's table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.sampling import holds_few
from howsure.methods.core.draws import Draw, drawn_blocks, seed_sequence
from howsure.methods.drawn.bootstrap import Bootstrap
from howsure.methods.drawn.dirichlet import Dirichlet
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric, Side
from howsure.tables.counts import ConfusionCounts
from howsure.tables.joint import JointTable
from howsure.tables.paired import PairedTable

BLOCK_DRAWS = 64  # smallest number of tables drawn at once, for an efficient matrix product
BLOCK_ENTRIES = 2**21  # of the models' tables held at once
DENSE_CLASSES = 16  # up to which the product is quicker with a dense matrix
DENSE_ENTRIES = 2**25  # of it, at most
UNTHREADED = 2**18  # multiplications of a product that OpenBLAS does in one thread
STACKED = 64  # of them in one call
# Of 256 equally likely bytes, the smallest that mean a weight of at least 1, 2, 3, 4 and 5: a Poisson variable with
# mean and variance exactly 1, and third central moment 0.98 instead of 1.
POISSON_BYTES = (94, 189, 235, 251, 255)


def draws_of_models(
    metrics: Sequence[Metric],
    table: JointTable,
    method: Bootstrap | Dirichlet,
    rng: Seed = None,
) -> Array:
    """Return each metric of each model on each drawn table, ``(metrics, models, draws)``.

    Parameters
    ----------
    metrics
        Metrics of one model's table.
    table
        A paired table, of predicted labels or of scores.
    method
        The method that draws.

    Notes
    -----
    If many cells have few independent cases, each case is resampled with a Poisson weight instead of a fixed total: the
    metrics do not change when a table is multiplied by a constant.
    """
    size = method.size
    if not isinstance(table, PairedTable):
        return _draws_of_scores(metrics, table, method, rng)
    classes, models = len(table.labels), len(table.models)
    draw, cell, kind = _drawing(table, method)
    adding = _Adding.of(table, cell, kind)
    values = np.empty((len(metrics), models, size))
    block = max(1, min(max(BLOCK_DRAWS, 2**17 // len(cell)), BLOCK_ENTRIES // (models * classes**2)))

    def fill(rows: slice, stream: np.random.Generator) -> None:
        tables = adding.tables(draw(rows.stop - rows.start, stream)).astype(float, copy=False)
        counts = ConfusionCounts(tables)
        with np.errstate(all="ignore"):
            for row, metric in enumerate(metrics):
                values[row, :, rows] = metric(counts).T

    drawn_blocks(fill, size, block, seed_sequence(rng))
    return values


def _draws_of_scores(
    metrics: Sequence[Metric], table: JointTable, method: Bootstrap | Dirichlet, rng: Seed = None
) -> Array:
    every = [
        Side(name, resolve(metric.spec or metric, own), table.view(name)).as_metric()
        for metric in metrics
        for name, own in ((name, table.model(name)) for name in table.models)
    ]
    return method.draws(every, table, rng).reshape(len(metrics), len(table.models), method.size)


def _drawing(table: PairedTable, method: Bootstrap | Dirichlet) -> tuple[Draw, Array, type[np.floating[Any]]]:
    """Return the function that draws weights, the joint cell of each column of weights, and their type."""
    every = np.arange(table.counts.size)
    if isinstance(method, Dirichlet):
        return method.drawer(table), every, np.float64
    filled = np.flatnonzero(table.counts)
    few = holds_few(len(filled), table.counts.sum())
    if not (few and table.design.traits.is_independent):
        return method.drawer(table), every, np.float64
    cell = np.repeat(filled, table.counts[filled].astype(np.intp))
    return lambda size, stream: poisson_weights(size, len(cell), stream), cell, np.float32


def poisson_weights(size: int, cases: int, rng: np.random.Generator) -> Array:
    """Return Poisson weights with mean 1, ``(size, cases)``, to the precision of a byte."""
    weights = np.empty((size, cases), dtype=np.float32)
    words = -(-cases // 8)
    for row in weights:
        byte = rng.integers(2**64 - 1, size=words, dtype=np.uint64, endpoint=True).view(np.uint8)[:cases]
        number = (byte >= POISSON_BYTES[0]).view(np.uint8)
        for smallest in POISSON_BYTES[1:]:
            number += (byte >= smallest).view(np.uint8)
        row[:] = number
    return weights


@dataclass(frozen=True, slots=True, eq=False)
class _Adding:
    """The matrices that sum weights of cells to the tables of all models.

    With few classes there is one for each true class: the rows of that class in all models' tables, whose cells are
    contiguous. Otherwise there is one sparse matrix.
    """

    shape: tuple[int, int]  # models, classes
    rows: tuple[tuple[slice, Array], ...]
    sparse: Any = None

    @classmethod
    def of(cls, table: PairedTable, cell: Array, kind: type[np.floating[Any]]) -> _Adding:
        codes, classes = table.codes[cell], len(table.labels)
        models, true = codes.shape[1] - 1, codes[:, 0]
        shape = (models, classes)
        if classes <= DENSE_CLASSES and len(cell) * models * classes <= DENSE_ENTRIES:
            ends = np.searchsorted(true, np.arange(classes + 1))  # tuples are in order
            every = np.zeros((len(cell), models * classes), dtype=kind)
            np.put_along_axis(every, classes * np.arange(models) + codes[:, 1:], 1.0, axis=1)
            parts = [slice(int(start), int(stop)) for start, stop in pairwise(ends)]
            return cls(shape, tuple((part, every[part]) for part in parts))
        from scipy import sparse

        place = classes**2 * np.arange(models) + classes * codes[:, :1] + codes[:, 1:]
        case = np.repeat(np.arange(len(cell)), models)
        ones = np.ones(place.size, dtype=kind)
        matrix = sparse.csr_array((ones, (place.ravel(), case)), (models * classes**2, len(cell)))
        return cls(shape, (), matrix)

    def tables(self, weights: Array) -> Array:
        """Return the models' tables, ``(draws, models, classes, classes)``."""
        models, classes = self.shape
        if self.sparse is not None:
            return np.asarray((self.sparse @ weights.T).T).reshape(-1, models, classes, classes)
        every = np.empty((len(weights), models, classes, classes))
        for row, (part, matrix) in enumerate(self.rows):
            every[:, :, row] = _product(weights[:, part], matrix).reshape(-1, models, classes)
        return every


def _product(weights: Array, matrix: Array) -> Array:
    """Return ``weights @ matrix`` in products so small that the linear algebra library starts no threads."""
    (size, cells), width = weights.shape, matrix.shape[1]
    depth = max(1, UNTHREADED // (size * width))
    added = np.zeros((size, width), dtype=np.result_type(weights, matrix))
    for start in range(0, cells, STACKED * depth):
        number = min(cells - start, STACKED * depth) // depth
        stop = start + number * depth
        left = weights[:, start:stop].reshape(size, number, depth).transpose(1, 0, 2)
        added += np.matmul(left, matrix[start:stop].reshape(number, depth, width)).sum(0)
        if number < STACKED:
            added += weights[:, stop:] @ matrix[stop:]
            break
    return added

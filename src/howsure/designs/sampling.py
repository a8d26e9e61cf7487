"""Random draws of tables of counts, and jackknife tables; all ``(size, cells)``, in blocks that fit in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howsure.arrays import Array
from howsure.native.gammas import gammas as gamma_draws
from howsure.native.multinomials import multinomials
from howsure.native.resampling import EIGHT, Resamples, starts_of

Blocks = Iterator[tuple[Array, Array]]
BLOCK_CELLS = 2**20  # total cells of the tables in memory at once
MANY_CELLS = 256  # number of cells from which sparse cells are resampled case by case
CASES_PER_CELL = 16  # largest mean of cases per cell for resampling by case, which is then cheaper than binomial draws
WEIGHTED_CASES = 8  # largest number of cases of a cell for resampling by case


def multinomial(counts: Array, size: int, rng: np.random.Generator) -> Array:
    """Multinomial draws, ``(size, cells)``; counts are whole.

    If many cells have few cases, the draw is of a weight for each of their cases.
    """
    filled = np.flatnonzero(counts)
    few = filled[counts[filled] <= WEIGHTED_CASES]
    if has_rich_cells(counts[filled]):
        return _partly_weighted(counts, few, size, rng)
    total = round(float(counts[filled].sum()))
    if holds_few(len(filled), total):
        return _added_up(counts, Resamples.drawn(total, size, rng), size).T
    return _partly_weighted(counts, few, size, rng) if len(few) >= MANY_CELLS else _by_cell(counts, size, rng).T


def has_rich_cells(counts: Array) -> bool:
    """Whether many cells have few cases each, and the other cells have more than half of the cases.

    Parameters
    ----------
    counts : ndarray of shape (cells,)
        Cases of each non-empty cell.
    """
    few = counts[counts <= WEIGHTED_CASES]
    return bool(len(few) >= MANY_CELLS and 2 * few.sum() < counts.sum())


def multinomial_of_number(counts: Array, number: int, size: int, rng: np.random.Generator) -> Array:
    """Multinomial draws of another number of cases, ``(size, cells)``; counts need not be whole."""
    if len(counts) < MANY_CELLS:  # NumPy draws a few cells as fast
        return rng.multinomial(number, counts / counts.sum(), size).astype(float)
    return np.ascontiguousarray(_by_cell(counts * (number / counts.sum()), size, rng).T)


def _by_cell(counts: Array, size: int, rng: np.random.Generator) -> Array:
    """Multinomial draws, cell by cell, ``(cells, size)``: callers sum over cells."""
    return multinomials(counts, size, rng.integers(2**64 - 1, dtype=np.uint64, endpoint=True))


def _added_up(counts: Array, resamples: Resamples, size: int) -> Array:
    """Tables ``(cells, size)`` as sums of weights of their cases."""
    tables = np.empty((counts.size, size))
    step = max(1, BLOCK_CELLS // (EIGHT * counts.size))
    for start in range(0, size, EIGHT * step):
        drawn = resampled(counts, resamples.weights(start // EIGHT, step)).T
        tables[:, start : start + EIGHT * step] = drawn[:, : size - start]
    return tables


def holds_few(filled: int, total: float) -> bool:
    """Whether there are many non-empty cells with few cases each; draws are then of case weights, not of cells."""
    return bool(filled >= MANY_CELLS and total <= CASES_PER_CELL * filled)


def resampled(counts: Array, weights: Array) -> Array:
    """Return tables ``(size, cells)`` from weights of their cases ``(cases, size)``, which are sorted by cell."""
    filled = np.flatnonzero(counts)
    each = counts[filled].astype(np.intp)
    drawn = np.zeros((weights.shape[1], counts.size), dtype=np.intp)
    if len(weights) > len(filled):  # else one case a cell
        weights = np.add.reduceat(weights, np.cumsum(each) - each, axis=0, dtype=np.intp)
    drawn[:, filled] = weights.T
    return drawn


def _partly_weighted(counts: Array, few: Array, size: int, rng: np.random.Generator) -> Array:
    """Multinomial draws; cells with few cases are drawn by weights of cases."""
    rich, cases = np.setdiff1d(np.flatnonzero(counts), few, assume_unique=True), round(float(counts[few].sum()))
    blocks, eights = np.diff(starts_of(cases)), -(-size // EIGHT)
    keys = rng.integers(2**64 - 1, size=eights, dtype=np.uint64, endpoint=True)
    sums = _by_cell(np.concatenate([counts[rich], blocks]), EIGHT * eights, rng)
    resamples = Resamples(cases, keys, sums[len(rich) :].astype(np.uint32))
    drawn: Array = np.zeros((counts.size, size))
    drawn[rich], weights, start = sums[: len(rich), :size], resamples.weights(0, eights), 0
    for number in range(1, WEIGHTED_CASES + 1):
        cells = few[counts[few] == number]
        layers = weights[start : start + number * len(cells)].reshape(number, len(cells), weights.shape[1])
        drawn[cells] = np.add.reduce(layers, 0, dtype=np.uint8)[:, :size]  # sum of at most 8 weights, each below 31
        start += number * len(cells)
    return drawn.T


def gammas(shape: Array, size: int, rng: np.random.Generator) -> Array:
    """Independent gamma draws, ``(size, cells)``; a shape of zero is the limit, zero."""
    key = rng.integers(2**64 - 1, dtype=np.uint64, endpoint=True)
    return gamma_draws(shape, size, key).T  # draws of one cell are contiguous


def gammas_with_prior(counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
    """Independent gamma draws of counts and pseudo-counts, ``(size, cells)``.

    A prior per draw, ``(size, cells)``, has few non-zero cells: its gamma variables are added to those of the counts.
    """
    if prior.ndim == 1:
        return gammas(counts + prior, size, rng)
    drawn, filled = gammas(counts, size, rng), np.flatnonzero(prior != 0)  # faster for booleans
    row, cell = np.divmod(filled, prior.shape[1])
    drawn[row, cell] += rng.standard_gamma(prior.ravel()[filled])
    return drawn


def gammas_with_pair(counts: Array, pair: Array, size: int, rng: np.random.Generator) -> Array:
    """Independent gamma draws of counts and of two further cases per draw, ``(size, cells)``.

    Two cases in the same cell have one gamma variable. The draws equal those of `gammas_with_prior` with the prior
    `counts_of_draws`, without a scan of all cells.

    Parameters
    ----------
    counts : ndarray of shape (cells,)
        Counts, the same in all draws.
    pair : ndarray of shape (size, 2)
        The cells of each draw's two cases.
    size : int
        Number of draws.
    rng : Generator
        Source of randomness.
    """
    drawn, lower, upper = gammas(counts, size, rng), np.minimum(*pair.T), np.maximum(*pair.T)
    are_two = lower != upper
    added = rng.standard_gamma(np.stack([2.0 - are_two, are_two], -1))  # a shape of 0 uses no random number
    by_cell, draw = drawn.T.reshape(-1), np.arange(size)  # the first is a view: draws of one cell are contiguous
    for cell, each in zip((lower, upper), added.T, strict=True):
        by_cell[size * cell + draw] += each
    return drawn


def counts_of_draws(cells: Array, size: int) -> Array:
    """Return the number of occurrences of each of ``size`` cells in each draw, ``(draws, size)``, as bytes."""
    counts = np.zeros((len(cells), size), dtype=np.uint8)
    starts, flat = size * np.arange(len(cells)), counts.reshape(-1)
    for column in cells.T:
        flat[starts + column] += 1
    return counts


def without_one(counts: Array, cell: Array, weight: Array, number: Array) -> Blocks:
    """Yield tables without one case of the given weight and cell, and the ``number`` of such cases."""
    step = max(1, BLOCK_CELLS // counts.size)
    for start in range(0, len(cell), step):
        cells = cell[start : start + step]
        tables = np.repeat(counts[None, :], len(cells), axis=0).astype(float)
        left = counts[cells] - weight[start : start + step]
        tables[np.arange(len(cells)), cells] = np.maximum(left, 0.0)
        yield tables, number[start : start + step]

"""Draws of tables of counts, and tables without one case; all ``(size, cells)``, in blocks that fit memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.native.gammas import gammas as gamma_draws
from howsure.native.resampling import EIGHT, Resamples

Array = NDArray[Any]
Blocks = Iterator[tuple[Array, Array]]
BLOCK_CELLS = 2**20  # cells of the tables held at once
MANY_CELLS = 256  # from here on, cells of few cases each are resampled
CASES_PER_CELL = 16  # or fewer of them, by weights of cases: they cost less than a binomial draw
PICKED_CASES = 8  # or fewer of a cell: picking them costs less than a binomial draw


def multinomial(counts: Array, size: int, rng: np.random.Generator) -> Array:
    """Multinomial draws over the non-empty cells, ``(size, cells)``; counts are whole.

    Where many cells hold few cases each, their sum is drawn as one cell, and its cases are picked. Where these are most
    of all cases, each case has a weight.
    """
    filled = np.flatnonzero(counts)
    few = filled[counts[filled] <= PICKED_CASES]
    total, poor = (round(float(counts[cells].sum())) for cells in (filled, few))
    if len(few) >= MANY_CELLS and 2 * poor < total:
        return _partly_picked(counts, few, size, rng)
    if holds_few(len(filled), total):
        resamples, tables = Resamples.drawn(total, size, rng), np.empty((size, counts.size), dtype=np.intp)
        step = max(1, BLOCK_CELLS // (EIGHT * counts.size))
        for start in range(0, size, EIGHT * step):
            weights = resamples.weights(start // EIGHT, step)
            tables[start : start + EIGHT * step] = resampled(counts, weights)[: size - start]
        return tables
    if len(few) >= MANY_CELLS:
        return _partly_picked(counts, few, size, rng)
    drawn: Array = np.zeros((counts.size, size)).T  # draws of one cell lie together: what reads them sums over cells
    if filled.size:
        drawn[:, filled] = _by_cell(counts[filled], size, rng)
    return drawn


def _by_cell(counts: Array, size: int, rng: np.random.Generator) -> Array:
    """Multinomial draws, cell by cell."""
    return rng.multinomial(round(float(counts.sum())), counts / counts.sum(), size)


def holds_few(filled: int, total: float) -> bool:
    """Whether so many non-empty cells hold few cases each: then weights of cases are drawn, not cells."""
    return bool(filled >= MANY_CELLS and total <= CASES_PER_CELL * filled)


def resampled(counts: Array, weights: Array) -> Array:
    """Return the tables ``(size, cells)`` of weights of their cases ``(cases, size)``, which come cell by cell."""
    filled = np.flatnonzero(counts)
    each = counts[filled].astype(np.intp)
    drawn = np.zeros((weights.shape[1], counts.size), dtype=np.intp)
    if len(weights) > len(filled):  # else one case a cell
        weights = np.add.reduceat(weights, np.cumsum(each) - each, axis=0, dtype=np.intp)
    drawn[:, filled] = weights.T
    return drawn


def _partly_picked(counts: Array, few: Array, size: int, rng: np.random.Generator) -> Array:
    """Multinomial draws of which those of cells of few cases are made by picking cases."""
    drawn, cases = np.zeros((size, counts.size)), np.repeat(few, counts[few].astype(np.intp))
    rich = np.setdiff1d(np.flatnonzero(counts), few, assume_unique=True)
    number = np.full(size, len(cases))
    if rich.size:
        sums = _by_cell(np.append(counts[rich], len(cases)), size, rng)
        drawn[:, rich], number = sums[:, :-1], sums[:, -1]
    kind = np.int32 if len(cases) < 2**31 else np.int64  # fewer random bits
    alone = len(cases) == len(few)  # one case a cell
    place = few if alone else cases
    for row, picked in enumerate(number.tolist()):
        picks = rng.integers(len(cases), size=picked, dtype=kind)
        if alone:
            drawn[row, place] = np.bincount(picks, minlength=len(place))
        else:
            drawn[row] += np.bincount(place[picks], minlength=counts.size)
    return drawn


def gammas(shape: Array, size: int, rng: np.random.Generator) -> Array:
    """Independent gamma draws, ``(size, cells)``; a shape of zero is the limit, zero."""
    key = rng.integers(2**64 - 1, dtype=np.uint64, endpoint=True)
    return gamma_draws(shape, size, key).T  # draws of one cell lie together


def gammas_with_prior(counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
    """Independent gamma draws of counts and pseudo-cases, ``(size, cells)``.

    Pseudo-cases of each draw's own, ``(size, cells)``, fill few cells: their gamma variables are added to the counts'.
    """
    if prior.ndim == 1:
        return gammas(counts + prior, size, rng)
    drawn, filled = gammas(counts, size, rng), np.flatnonzero(prior != 0)  # of booleans, which is quicker
    row, cell = np.divmod(filled, prior.shape[1])
    drawn[row, cell] += rng.standard_gamma(prior.ravel()[filled])
    return drawn


def without_one(counts: Array, cell: Array, weight: Array, number: Array) -> Blocks:
    """Tables without one case of a weight in a cell, for each of these cases that stand for ``number``."""
    step = max(1, BLOCK_CELLS // counts.size)
    for start in range(0, len(cell), step):
        cells = cell[start : start + step]
        tables = np.repeat(counts[None, :], len(cells), axis=0).astype(float)
        left = counts[cells] - weight[start : start + step]
        tables[np.arange(len(cells)), cells] = np.maximum(left, 0.0)
        yield tables, number[start : start + step]

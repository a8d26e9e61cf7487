"""Cases counted by the cells of the models' tables of numbers: distinct values, pairs with the truth, or tuples."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.independent import MOST_ATOMS
from howsure.sources.groups import Cells
from howsure.sources.strata import AnyStrata
from howsure.tables.paired_values import PairedValuesTable, extremes
from howsure.tables.table import Table
from howsure.tables.values import ErrorsTable, ValuesTable, by_error

MOST_FLAT = 2**62  # tuples that one integer tells apart


def _cells(numbers: Array, truth: Array | None, limits: tuple[float, float] | None) -> tuple[Table, Array]:
    """Return an empty table of the distinct values (with the bounds) or pairs, and each case's cell."""
    if truth is None:
        ends = limits if limits is not None and np.isfinite(limits).all() else ()
        found, code = np.unique(np.concatenate([numbers, ends]), return_inverse=True)
        empty = ValuesTable(counts=np.zeros(len(found)), values=found, bounds=limits, rows=0)
        return empty, code.ravel()[: len(numbers)]
    both, code = np.unique(numbers + 1j * truth, return_inverse=True)  # sorts pairs as fast as numbers
    pairs = np.column_stack([both.real, both.imag])
    place = np.empty(len(pairs), dtype=np.intp)
    place[by_error(pairs)] = np.arange(len(pairs))
    return ErrorsTable.of_pairs(pairs, limits), place[code.ravel()]


def counted_values(
    names: tuple[str, ...],
    numbers: Sequence[Array],
    weight: Array | None,
    cluster: Array | None,
    *,
    truth: Array | None = None,
    limits: tuple[float, float] | None,
    clusters_named: Array | None,
    strata: AnyStrata | None = None,
) -> Any:
    """Return the table of the numbers of each model for the same cases.

    Parameters
    ----------
    names : tuple of str
        The models; empty for a single model.
    numbers : sequence of ndarray of shape (n,)
        Finite numbers of each.
    weight, cluster : ndarray of shape (n,), optional
        Weight and cluster of each case.
    truth : ndarray of shape (n,), optional
        The true numbers.
    limits : tuple of two float, optional
        Smallest and largest possible number.
    clusters_named : ndarray, optional
        Names of the clusters.
    strata : Strata, optional
        The strata of the cases.
    """
    own, places = zip(*(_cells(each, truth, limits) for each in numbers), strict=True)
    return counted_units(names, own, places, weight, cluster, clusters_named=clusters_named, strata=strata)


def counted_units(
    names: tuple[str, ...],
    own: Sequence[Any],
    codes: Sequence[Array],
    weight: Array | None,
    cluster: Array | None,
    *,
    clusters_named: Array | None,
    strata: AnyStrata | None = None,
) -> Any:
    """Return the joint table of cases by their cell in each model's table.

    Parameters
    ----------
    names : tuple of str
        The models; empty for a single model.
    own : sequence of Table
        A table of each model's cells, in the order of their values.
    codes : sequence of ndarray of shape (n,)
        The cell of each case in it.
    weight, cluster : ndarray of shape (n,), optional
        Weight and cluster of each case.
    clusters_named : ndarray, optional
        Names of the clusters.
    strata : Strata, optional
        The strata of the cases.
    """
    beside = weight, cluster, clusters_named, strata
    if not names:
        return _designed(codes[0], own[0].shape[-1], *beside, lambda **found: replace(own[0], **found))
    every = np.vstack([np.column_stack(codes), extremes(own)])
    tuples, cell = distinct_tuples(every, [each.shape[-1] for each in own])
    seen, extra = np.split(cell, [len(codes[0])])
    pseudo = np.bincount(extra, minlength=len(tuples)) / len(extra)

    def paired(**found: Any) -> PairedValuesTable:
        return PairedValuesTable(names=names, codes=tuples, own=tuple(own), pseudo=pseudo, **found)

    return _designed(seen, len(tuples), *beside, paired)


def distinct_tuples(tuples: Array, sizes: Sequence[int]) -> tuple[Array, Array]:
    """Return the distinct tuples of indices, sorted, and the position of each tuple among them.

    Parameters
    ----------
    tuples : ndarray of shape (n, columns)
        Whole numbers of at least 0.
    sizes : sequence of int
        Upper bound (exclusive) of the numbers of each column.
    """
    if math.prod(sizes) < MOST_FLAT:  # one number for each is sorted many times as fast
        flat, place = np.unique(np.ravel_multi_index(tuple(tuples.T), tuple(sizes)), return_inverse=True)
        return np.column_stack(np.unravel_index(flat, tuple(sizes))), place.ravel()
    found, place = np.unique(tuples, axis=0, return_inverse=True)
    return found, place.ravel()


def _designed(
    cell: Array,
    size: int,
    weight: Array | None,
    cluster: Array | None,
    names: Array | None,
    strata: AnyStrata | None,
    make: Callable[..., Table],
) -> Table:
    each = np.ones(len(cell)) if weight is None else weight
    atoms = (cell, each, np.ones(len(cell))) if len(cell) <= MOST_ATOMS else None
    parts = cell, size, np.ones(len(cell)), each, each**2
    cells = Cells(*parts, is_weighted=weight is not None, cluster=cluster, names=names, atoms=atoms, strata=strata)
    return cells.table(lambda counts, design, rows: make(counts=counts, design=design, rows=rows))

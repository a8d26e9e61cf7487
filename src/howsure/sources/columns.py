"""Counting of combinations of column codes, in blocks, with the sums of weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, NoCaseError
from howsure.native.pairs import count_pairs
from howsure.sources.encoding import BLOCK, Column, encoded, of_other_shape, sort_order
from howsure.sources.to_numpy import one_each, plain

MOST_CELLS = 2**24  # of a counting array; beyond it combinations are sorted
CHEAP = 2**12  # cells, which are counted sooner than any rows are sorted
CELLS_PER_ROW = 16  # with more of them sorting is quicker than counting
LARGEST_CODE = 2**62  # of a combination of columns
ORDINARY = 40  # binary digits, up to which the largest weight is taken as it is: 1e-12 … 1e12


@dataclass(frozen=True, slots=True)
class Grouped:
    """The distinct combinations of key columns, with the number of rows and the sum of weights of each."""

    levels: tuple[Array, ...]
    codes: tuple[Array, ...]
    n: Array
    weight: Array
    weight_squared: Array
    ranks: tuple[dict[Any, int] | None, ...] = ()
    multiplicity: Array | None = None  # of each value of the clusters' column, where it stands for several clusters


def group(keys: Mapping[str, object], weight: object = None) -> Grouped:
    """Count the combinations of the key columns' values.

    Parameters
    ----------
    keys
        Name → column: anything one-dimensional, of any type of label.
    weight
        Non-negative weight of each row, or None.

    Raises
    ------
    HowsureError
        If columns differ in length, are empty, are not one-dimensional or have missing values.
    """
    weights = None if weight is None else checked_weight(weight)
    columns = [encoded(name, values) for name, values in keys.items()]
    size = same_length(columns, weight)
    sizes = [max(len(column.levels), 1) for column in columns]
    cells = math.prod(map(float, sizes))  # which may exceed the largest integer of NumPy
    codes: Any
    if cells <= max(CHEAP, min(CELLS_PER_ROW * size, MOST_CELLS), 2 * size):
        n, total, squared = _counted(columns, sizes, weights, int(cells))
        filled = np.flatnonzero(n)
        n, total, squared = n[filled], total[filled], squared[filled]
        codes = np.unravel_index(filled, sizes)
    else:
        codes, n, total, squared = _sorted(columns, sizes, weights)
    ordered = _in_order([column.levels for column in columns], list(codes), n, total, squared)
    return replace(ordered, ranks=tuple(column.rank for column in columns))


def group_again(keys: Mapping[str, object], n: Array, weight: Array, weight_squared: Array) -> Grouped:
    """Merge counts of combinations whose labels are equal after conversion; see `group`."""
    columns = [encoded(name, values) for name, values in keys.items()]
    codes, inverse = _distinct(columns, [max(len(column.levels), 1) for column in columns])
    sums = (np.bincount(inverse, each) for each in (n, weight, weight_squared))
    ordered = _in_order([column.levels for column in columns], codes, *sums)
    return replace(ordered, ranks=tuple(column.rank for column in columns))


def _flat(columns: list[Column], sizes: list[int], rows: slice) -> Array:
    first, *others = columns
    flat = np.multiply(first.codes[rows], sizes[1] if others else 1, dtype=np.int64)
    shift = first.offset * (sizes[1] if others else 1)
    for position, column in enumerate(others, 1):
        flat += column.codes[rows]
        shift += column.offset
        if position + 1 < len(sizes):
            flat *= sizes[position + 1]
            shift *= sizes[position + 1]
    if shift:
        flat -= shift
    return flat


def _counted(columns: list[Column], sizes: list[int], weights: Array | None, cells: int) -> tuple[Array, Array, Array]:
    size = len(columns[0])
    if weights is None and len(columns) == 2:
        first, second = columns
        n = count_pairs((first.codes, second.codes), (first.offset, second.offset), (sizes[0], sizes[1])).astype(float)
        return n, n, n
    step = max(BLOCK, cells)
    n, total, squared = (np.zeros(cells) for _ in range(3))
    for start in range(0, size, step):
        rows = slice(start, start + step)
        flat = _flat(columns, sizes, rows)
        n += np.bincount(flat, minlength=cells)
        if weights is not None:
            total += np.bincount(flat, weights[rows], cells)
            squared += np.bincount(flat, weights[rows] ** 2, cells)
    return (n, n, n) if weights is None else (n, total, squared)


def _sorted(columns: list[Column], sizes: list[int], weights: Array | None) -> tuple[list[Array], Array, Array, Array]:
    codes, inverse = _distinct(columns, sizes)
    n = np.bincount(inverse).astype(float)
    if weights is None:
        return codes, n, n, n
    return codes, n, np.bincount(inverse, weights), np.bincount(inverse, weights**2)


def _distinct(columns: list[Column], sizes: list[int]) -> tuple[list[Array], Array]:
    """Return the codes of the distinct combinations, and the index of each row's combination."""
    flat: Array = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for column, size in zip(columns, sizes, strict=True):
        if span * size >= LARGEST_CODE:  # many columns: number the combinations so far
            flat = np.unique(flat, return_inverse=True)[1]
            span = int(flat.max()) + 1
        flat = flat * size + (column.codes - np.int64(column.offset))
        span *= size
    _, first, inverse = np.unique(flat, return_index=True, return_inverse=True)
    return [column.codes[first] - np.int64(column.offset) for column in columns], inverse


def _in_order(levels: list[Array], codes: list[Array], n: Array, total: Array, squared: Array) -> Grouped:
    """Drop values without rows and sort the others."""
    for axis, (values, code) in enumerate(zip(levels, codes, strict=True)):
        used = np.flatnonzero(np.bincount(code, minlength=1))
        order = used[sort_order(values[used])]
        position = np.zeros(len(values), dtype=np.intp)
        position[order] = np.arange(len(order))
        levels[axis], codes[axis] = values[order], position[code]
    return Grouped(tuple(levels), tuple(codes), n, total, squared)


def same_length(columns: list[Column], weight: object) -> int:
    """Return the common length of the columns; refuse differing lengths and empty columns."""
    weights = weight if hasattr(weight, "__len__") else None
    refuse_other_lengths({column.name: column for column in columns} | {"sample_weight": weights})
    size = len(columns[0])
    if not size:
        raise NoCaseError(f"`{columns[0].name}` is empty: there is no case to evaluate.")
    return size


def refuse_other_lengths(columns: Mapping[str, Sized | None]) -> None:
    """Refuse columns that differ in length.

    Parameters
    ----------
    columns : mapping of str to sized
        Each column by its name in error messages; None if it was not given.
    """
    lengths = {}
    for name, column in columns.items():
        if column is not None:
            with one_each(name):  # some have no length
                lengths[name] = len(column)
    if len(set(lengths.values())) > 1:
        parts = ", ".join(f"`{name}` has {length}" for name, length in lengths.items())
        raise HowsureError(f"The columns differ in length: {parts}. Give one value per case in each.")


def checked_weight(weight: object, argument_name: str = "sample_weight") -> Array:
    """Return weights as floats of moderate size; refuse weights that are not finite, negative, or all zero."""
    weight = plain(argument_name, weight)
    weights = None
    with suppress(TypeError, ValueError, OverflowError):
        given = np.asarray(weight)
        weights = None if given.dtype.kind in "mM" else given.astype(float)  # times are not numbers
    if weights is None:
        raise HowsureError(f"`{argument_name}` is not numeric. Give one non-negative number a case.")
    if weights.ndim != 1:
        raise HowsureError(f"`{argument_name}` has shape {weights.shape}. Give one non-negative number a case.")
    for bad, words in ((~np.isfinite(weights), "is not finite"), (weights < 0, "is negative")):
        if bad.any():
            first = int(np.argmax(bad))
            raise HowsureError(
                f"`{argument_name}[{first}]` = {weights[first]:g} {words}. Weights are non-negative numbers."
            )
    if not weights.any():
        raise NoCaseError(f"`{argument_name}` is all zeros: no case counts.")
    scale = ordinary_scale(weights)
    return weights if scale == 1 else weights * scale


def checked_counts(counts: object) -> Array:
    """Return numbers of identical cases as floats; refuse numbers that are fractional, negative, or all zero."""
    given = plain("counts", counts)
    numbers = checked_weight(given, "counts")
    with suppress(TypeError, ValueError):
        numbers = np.asarray(given).astype(float)  # counts have no scale
    if numbers.max() >= 2.0**ORDINARY:
        raise HowsureError(f"`counts` holds {numbers.max():g}, more than can be counted. Give smaller numbers.")
    wrong = numbers != np.floor(numbers)
    if wrong.any():
        first = int(np.argmax(wrong))
        raise HowsureError(
            f"`counts[{first}]` = {numbers[first]:g}: `counts` are whole numbers of identical cases. For weights use "
            "`sample_weight`."
        )
    return numbers


def ordinary_scale(weights: Array) -> float:
    """Return the power of two that scales weights to a moderate size; 1 if their largest is already moderate.

    Metrics and intervals do not depend on the scale of the weights, but products of very large or small weights (such
    as likelihoods) overflow or underflow.
    """
    size = math.frexp(float(np.max(weights)))[1]
    return 1.0 if abs(size) <= ORDINARY else math.ldexp(1.0, min(max(-size, -1000), 1000))


def indicator(name: str, values: object) -> Array:
    """Return a multilabel indicator array as integers; refuse values other than 0 and 1."""
    values = plain(name, values)
    try:
        array = np.asarray(values)
    except ValueError:
        message = f"`{name}` is ragged. Give an array of cases × labels."
        raise HowsureError(of_other_shape(name, values) or message) from None
    if array.ndim > 2 or array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        message = f"`{name}` has two dimensions but is no indicator array: multilabel data hold 0 and 1 only."
        raise HowsureError(of_other_shape(name, values) or message)
    return array.astype(np.intp)

"""Pairs of codes are counted, and whole floats converted, alike by the kernel and by NumPy."""

from collections import Counter

import numpy as np
import pytest

import howsure as hs
from howsure.native.library import kernel
from howsure.native.pairs import MOST_CELLS, count_pairs, whole_numbers

KINDS = [np.uint8, np.int8, np.uint16, np.int16, np.int32, np.int64]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [0, 1, 7, 255, 256, 257, 70_000])
@pytest.mark.parametrize("sizes", [(1, 1), (3, 2), (2, 100), (70, 70)])
def test_pairs_are_counted_from_the_lowest_codes(kind, rows, sizes, by_numpy):
    """`collections.Counter` gives the same, for codes at both ends of their type and for columns with gaps."""
    rng = np.random.default_rng(rows)
    limits = np.iinfo(kind)
    lows = int(limits.min), int(limits.max) - sizes[1] + 1
    places = rng.integers(0, sizes, (rows, 2))
    first, second = (places.astype(kind) + np.array(lows, dtype=kind)).T
    counted = Counter((places @ (sizes[1], 1)).tolist())
    expected = [counted[cell] for cell in range(sizes[0] * sizes[1])]
    for call in (lambda ask: ask(), by_numpy):
        assert call(lambda: count_pairs((first, second), lows, sizes)).tolist() == expected


def test_columns_of_two_types_and_of_many_cells_are_counted():
    """Where the kernel does not apply, NumPy counts."""
    first, second = np.array([3, 3, 4], dtype=np.uint8), np.array([-1, 0, 0], dtype=">i8")
    assert count_pairs((first, second), (3, -1), (2, 2)).tolist() == [1, 1, 0, 1]
    many = np.arange(MOST_CELLS)
    assert count_pairs((many, many), (0, 0), (MOST_CELLS, MOST_CELLS)).sum() == MOST_CELLS


@pytest.mark.usefixtures("compiled")
def test_codes_outside_their_range_are_refused_by_the_kernel():
    """The kernel writes nowhere but into its cells."""
    for code in (-1, 2, 2**40):
        with pytest.raises(hs.HowsureError, match="refuses its arguments"):
            count_pairs((np.array([0, code]), np.array([0, 1])), (0, 0), (2, 2))
    assert kernel("count_pairs") is not None


@pytest.mark.parametrize("kind", [np.float64, np.float32, ">f8"])
@pytest.mark.parametrize("size", [0, 1, 257, 70_000])
def test_floats_are_converted_if_they_are_small_whole_numbers(kind, size, by_numpy):
    """One that is not, anywhere, is enough for None."""
    numbers = np.random.default_rng(size).integers(-(2**20), 2**20, size).astype(kind)
    for call in (lambda ask: ask(), by_numpy):
        found = call(lambda: whole_numbers(numbers))
        assert found.tolist() == numbers.tolist()
        for odd in (0.5, np.nan, np.inf, -np.inf, 2.0**30, -(2.0**31), 1e-40) if size else ():
            other = numbers.copy()
            other[-1] = odd
            assert call(lambda other=other: whole_numbers(other)) is None


def test_labels_near_the_largest_integer_are_counted():
    """Their codes are differences, which do not overflow."""
    for low in (2**62, -(2**62), -(2**63)):
        true, predicted = np.array([low, low + 1, low + 1]), np.array([low, low, low + 1])
        assert hs.confusion(true, predicted).counts.tolist() == [[1, 0], [1, 1]]

"""The largest differences of rows, compiled or not."""

import numpy as np
import pytest

from howsure.native.differences import BLOCK, largest_differences


@pytest.mark.parametrize("draws", [1, 7, BLOCK, BLOCK + 3])
def test_the_largest_difference_is_that_of_the_sides_that_count(draws, by_numpy):
    """Each row is compared with the others ahead, behind or both; rows may share a row of the result."""
    rng = np.random.default_rng(draws)
    values, scale = (rng.normal(size=shape).astype(np.float32) for shape in ((5, draws), (5, 5)))
    sides, which, into = rng.integers(0, 4, (5, 5)), np.array([4, 0, 2]), np.array([1, 0, 1])
    expected = np.zeros((2, draws), dtype=np.float32)
    for row, place in zip(which, into, strict=True):
        for other in range(5):
            apart = (values[row] - values[other]) * scale[row, other]
            for counts, side in ((sides[row, other] & 1, apart), (sides[row, other] & 2, -apart)):
                expected[place] = np.maximum(expected[place], side if counts else 0)
    for call in (lambda ask: ask(), by_numpy):
        np.testing.assert_array_equal(call(lambda: largest_differences(values, scale, sides, which, into)), expected)


def test_no_rows_have_no_differences(by_numpy):
    """The result is empty, or 0 where no difference counts."""
    none, one = np.zeros(0, dtype=int), np.zeros(1, dtype=int)
    single = np.ones((1, 3), dtype=np.float32), np.ones((1, 1), dtype=np.float32), np.zeros((1, 1), dtype=int)
    for call in (lambda ask: ask(), by_numpy):
        assert call(lambda: largest_differences(*single, none, none)).shape == (0, 3)
        assert call(lambda: largest_differences(*single, one, one)).tolist() == [[0.0, 0.0, 0.0]]

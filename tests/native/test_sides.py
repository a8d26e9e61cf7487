"""Numbers are put in two parts in their order, alike by the kernel and by NumPy."""

import numpy as np
import pytest

from howsure.native.sides import by_side


@pytest.mark.parametrize("size", [0, 1, 2, 9, 5000])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_each_side_keeps_its_order(size, share, by_numpy):
    """Lists give the same; numbers below the limit become 0, also of a column of a matrix."""
    rng = np.random.default_rng(size)
    numbers, is_second = rng.random((size, 2))[:, 1], rng.random(size) < share
    kept = [0.0 if each < 0.1 else each for each in numbers.tolist()]
    sides = [[each for each, own in zip(kept, is_second.tolist(), strict=True) if own == side] for side in (0, 1)]
    for call in (lambda ask: ask(), by_numpy):
        found, firsts = call(lambda: by_side(numbers, is_second, 0.1))
        assert firsts == len(sides[0])
        assert found.tolist() == sides[0] + sides[1]

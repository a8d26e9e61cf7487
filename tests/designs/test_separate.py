"""Test sets that vary independently of each other."""

import numpy as np

from howsure.designs.counted import Independent
from howsure.designs.separate import Separate


def test_leaving_out_a_case_leaves_it_out_of_its_own_test_set():
    """The jackknife's tables are those of every case left out in turn, from one test set and then from the other."""
    first, second = np.array([3.0, 0.0, 1.0, 2.0]), np.array([1.0, 4.0])
    both = np.concatenate([first, second])
    found = [
        (left.tolist(), number)
        for tables, numbers in Separate((Independent(), Independent()), (4, 2)).left_out(both)
        for left, number in zip(tables, numbers, strict=True)
    ]
    expected = [((both - cell).tolist(), cases) for cell, cases in zip(np.eye(6), both, strict=True) if cases]
    assert sorted(found) == sorted(expected)

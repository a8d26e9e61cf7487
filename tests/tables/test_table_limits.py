"""Counts near the largest numbers: an answer, or one line of error."""

import numpy as np
import pytest

import howsure as hs


@pytest.mark.parametrize("size", [1e16, 1e18, 1e19, 1e300, 1e308])
def test_more_cases_than_whole_floats_are_refused(size):
    """Counts whose sum exceeds exact floating-point integers are refused, without a warning of NumPy."""
    for counts in ([[size, 3], [5, size]], [[[size, 3], [5, size]], [[50, 3], [5, 42]]]):
        with pytest.raises(hs.HowsureError, match="the most cases are 9.01e\\+15"):
            hs.from_counts(counts)


def test_the_most_cases_have_limits_about_the_value():
    """Up to that number every default gives limits about the value."""
    table = hs.from_counts(np.array([[3e15, 1e15], [2e15, 2e15]]))
    for metric in ("accuracy", "f1", "mcc", "kappa", "f1@macro"):
        found = hs.estimate(table, metric)
        assert found.low <= found.value <= found.high
        assert found.high - found.low < 1e-6

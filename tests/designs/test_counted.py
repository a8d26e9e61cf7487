"""Designs of counted cases."""

import numpy as np
import pytest

from howsure.designs.counted import variance_by_class


def test_variance_by_class_is_the_sample_variance_of_each_class():
    """Each class adds the variance that its cases, written out one by one, have with n − 1, times their number."""
    counts, truth = np.array([4.0, 3.0, 2.0, 5.0, 1.0]), np.array([0, 0, 1, 1, 1])
    slopes = np.array([1.5, -2.0, 0.3, -0.6, 2.4])  # sums to 0 in either class
    cases = [np.repeat(slopes[truth == each], counts[truth == each].astype(int)) for each in (0, 1)]
    expected = sum(len(each) * np.var(each, ddof=1) for each in cases)
    assert variance_by_class(counts, counts, truth, slopes) == pytest.approx(expected, rel=1e-12)


def test_variance_by_class_of_a_single_case_is_not_known():
    """One case in a class says nothing about its variance: nan, where two cases are enough."""
    truth, slopes = np.array([0, 0, 1, 1]), np.array([1.0, -1.0, 1.0, -1.0])
    single, pair = np.array([1.0, 0.0, 3.0, 3.0]), np.array([1.0, 1.0, 3.0, 3.0])
    assert np.isnan(variance_by_class(single, single, truth, slopes))
    assert variance_by_class(pair, pair, truth, slopes) == pytest.approx(2 * 2 + 6 * 6 / 5)

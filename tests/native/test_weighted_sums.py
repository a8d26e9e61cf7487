"""Sums of columns over resampled cases."""

import numpy as np
import pytest

from howsure.native.resampling import Resamples
from howsure.native.weighted_sums import weighted_sums


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("cases", [1, 2, 300, 4096, 4097, 9_001])
def test_sums_are_those_of_the_weights(cases, number, by_numpy):
    """Each column is added up with the weights of its cases, across blocks, to the same bits compiled or not."""
    rng = np.random.default_rng([cases, number])
    resamples, columns = Resamples.drawn(cases, 64, rng), rng.normal(size=(number, cases))
    weights = np.concatenate([resamples.weights(eight) for eight in range(8)], axis=1)
    found = weighted_sums(resamples, columns)
    np.testing.assert_allclose(found, columns @ weights, rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(found, by_numpy(lambda: weighted_sums(resamples, columns)))
    assert (np.ptp(found, axis=1) > 0).all() == (cases > 1)

"""Sums of columns and tables over resampled units."""

import numpy as np
import pytest

from howsure.native.resampling import Resamples
from howsure.native.weighted_sums import UnitCounts, weighted_sums


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


@pytest.mark.parametrize("lanes", [8, 64])
@pytest.mark.parametrize("units, size", [(1, 1), (30, 7), (5_000, 40)])
@pytest.mark.parametrize("counts", [[1.0], [1.0, 0.25, 3.0]])
def test_tables_are_sums_of_the_entries(units, size, counts, lanes, by_numpy):
    """Each cell has the sum of its units' counts times their weights, in blocks of units, compiled or not."""
    rng = np.random.default_rng([units, size])
    entries = 3 * units
    cell, unit, count = rng.integers(size, size=entries), rng.integers(units, size=entries), rng.choice(counts, entries)
    weights = Resamples.drawn(units, 64, rng).weights(0, lanes // 8)
    found = UnitCounts.of(unit, cell, count, size).tables(weights)
    expected = np.zeros((size, lanes))
    np.add.at(expected, cell, count[:, None] * weights[unit])
    np.testing.assert_array_equal(found, expected.T)
    np.testing.assert_array_equal(found, by_numpy(lambda: UnitCounts.of(unit, cell, count, size).tables(weights)))


def test_weights_of_64_resamples_are_those_of_eight_times_eight():
    """All lanes at once have the weights that eight of them have alone."""
    resamples = Resamples.drawn(5_000, 128, np.random.default_rng(0))
    each = np.concatenate([resamples.weights(eight) for eight in range(8, 16)], axis=1)
    np.testing.assert_array_equal(resamples.weights(8, 8), each)
    assert each.sum(0).tolist() == [5_000] * 64

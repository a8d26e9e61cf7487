"""Cells grow by exponentials, compiled or not."""

import math

import numpy as np
import pytest

from howsure.native.growth import grown


@pytest.mark.parametrize("ways", [(1, 1), (1, 2), (2, 2), (2, 1)])
@pytest.mark.parametrize("width", [1, 7, 300])
def test_cells_grow_by_what_is_no_more_than_the_bound(ways, width, by_numpy):
    """Cells, or their slopes, may be equal both ways; `math.exp` gives the factor."""
    rng, (of_cells, of_slopes) = np.random.default_rng(width), ways
    cells, slopes = rng.gamma(1.0, size=(of_cells, 3, width)), rng.normal(0, 3, (of_slopes, 3, width))
    pace = np.array([[1.0, 0.0, 2.0], [-1.0, 1e-300, -40.0]])
    for call in (lambda ask: ask(), by_numpy):
        found = call(lambda: grown(cells, slopes, pace, 5.0))
        for (way, row, each), own in np.ndenumerate(found):
            power = pace[way, row] * slopes[way % of_slopes, row, each]
            expected = cells[way % of_cells, row, each] * math.exp(min(max(power, -5.0), 5.0))
            assert own == pytest.approx(expected, rel=1e-15 * 8)


def test_a_slope_that_is_not_known_is_not_made_up(by_numpy):
    """If a slope is nan, so is the cell that grows by it, and its neighbours are not."""
    for call in (lambda ask: ask(), by_numpy):
        found = call(lambda: grown(np.ones((1, 1, 3)), np.array([[[np.nan, np.inf, 0.0]]]), np.ones((1, 1)), 2.0))
        np.testing.assert_allclose(found, [[[np.nan, np.exp(2.0), 1.0]]], rtol=1e-12)

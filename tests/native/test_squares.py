"""Sums of squared differences from each class."""

import numpy as np
import pytest

from howsure.native.squares import square_losses


@pytest.mark.parametrize("classes", [1, 2, 7, 8, 9, 64, 131])
@pytest.mark.parametrize("rows", [0, 1, 3, 500])
def test_losses_are_squared_distances_from_each_class(rows, classes, by_numpy):
    """Compiled or not, and whatever the order in memory; nothing is below 0 where a class is certain."""
    rng = np.random.default_rng(rows + classes)
    shares = rng.dirichlet(np.full(classes, 0.3), rows)
    shares[::7] = np.eye(classes)[rng.integers(classes, size=len(shares[::7]))]
    expected = ((shares[:, None, :] - np.eye(classes)) ** 2).sum(-1)
    for each in (shares, np.asfortranarray(shares)):
        for found in (square_losses(each), by_numpy(lambda each=each: square_losses(each))):
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)
            assert (found >= 0).all()

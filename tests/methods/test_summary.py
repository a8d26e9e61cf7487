"""Quantiles and tails of draws, against NumPy's and against sorting all of them."""

import numpy as np
import pytest

from howsure.methods.summary import SAMPLE, highest_density, quantiles, smallest


def draws_of(shape, size):
    rng = np.random.default_rng(size)
    if shape == "of a comb that the sample meets in its teeth":
        found = rng.normal(size=size)
        found[:: max(size // SAMPLE, 1)] = -5.0
    elif shape == "of a comb that it misses":
        found = np.full(size, -5.0)
        found[:: max(size // SAMPLE, 1)] = rng.normal(size=len(found[:: max(size // SAMPLE, 1)]))
    else:
        found = {
            "normal": lambda: rng.normal(size=size),
            "tied": lambda: rng.binomial(30, 0.9, size) / 30,
            "falling": lambda: -np.arange(size) * 1.0,
            "all alike": lambda: np.full(size, 0.25),
        }[shape]()
    return found


SHAPES = [
    "normal",
    "tied",
    "falling",
    "all alike",
    "of a comb that the sample meets in its teeth",
    "of a comb that it misses",
]
SIZES = [1, 2, 3, 40, 2 * SAMPLE - 1, 2 * SAMPLE, 9_999, 40_000]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_quantiles_are_numpys(shape, size):
    """At the ends, in the tails and in the middle, whatever a sample of the draws tells."""
    draws, shares = draws_of(shape, size), np.array([0.0, 0.0005, 0.025, 0.3, 0.5, 0.61, 0.975, 0.9995, 1.0])
    np.testing.assert_allclose(quantiles(draws, shares), np.quantile(draws, shares), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_smallest_are_the_first_in_order(shape, size):
    """They are, to the last bit, what sorting all of them puts first."""
    draws = draws_of(shape, size)
    for number in {1, size // 40 + 1, size // 2 + 1, size}:
        np.testing.assert_array_equal(smallest(draws, number), np.sort(draws)[:number])


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("shape", SHAPES)
def test_highest_density_is_the_shortest_of_all_intervals(shape, level):
    """No other interval between two draws that holds as many is shorter."""
    draws = draws_of(shape, 9_999)
    low, high = highest_density(draws, level)
    ordered, held = np.sort(draws), int(np.ceil(level * len(draws)))
    assert ((draws >= low) & (draws <= high)).sum() >= held
    assert high - low == (ordered[held - 1 :] - ordered[: len(draws) - held + 1]).min()

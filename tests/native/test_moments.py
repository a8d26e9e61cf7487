"""Moments by bin and by class are plain sums, compiled or not."""

import math

import numpy as np
import pytest

from howsure.native.moments import ORDERS, ORDERS_OF_CELLS, bin_moments, class_moments


def of_bins(numbers, counts, low, high, bins):
    """Return the moments of cases and of cells, a number at a time."""
    width, found = (high - low) / bins, np.zeros((2, bins, ORDERS))
    for number, count in zip(numbers, counts, strict=True):
        place = min(int((number - low) / width), bins - 1)
        for order in range(ORDERS):
            power = ((number - low) / width - place - 0.5) ** order
            found[:, place, order] += count * power, power
    return found[0], found[1, :, :ORDERS_OF_CELLS]


@pytest.mark.parametrize("cells, bins", [(0, 3), (1, 1), (2, 7), (500, 1), (500, 16)])
@pytest.mark.parametrize("seed", range(3))
def test_moments_by_bin_are_sums_of_powers(cells, bins, seed, by_numpy):
    """Of numbers at the ends and between, of cells with cases, without, and with weights."""
    rng = np.random.default_rng(seed)
    numbers = np.where(rng.random(cells) < 0.2, rng.choice([-1.0, 3.0], cells), rng.uniform(-1, 3, cells))
    counts = rng.gamma(1, size=cells) * (rng.random(cells) < 0.7)
    expected = of_bins(numbers, counts, -1.0, 3.0, bins)
    for call in (lambda ask: ask(), by_numpy):
        found = call(lambda: bin_moments(numbers, counts, (-1.0, 3.0), bins))
        for moments, sums in zip(found, expected, strict=True):
            np.testing.assert_allclose(moments, sums, rtol=1e-10, atol=1e-12)


def test_the_largest_number_is_in_the_last_bin(by_numpy):
    """However its place among the bins is rounded."""
    rng = np.random.default_rng(0)
    for bins in range(1, 100):
        low, high = np.sort(rng.normal(size=2))
        for call in (lambda ask: ask(), by_numpy):
            _, cells = call(
                lambda low=low, high=high, bins=bins: bin_moments(np.array([high]), np.ones(1), (low, high), bins)
            )
            assert cells[-1, 0] == 1 == cells[:, 0].sum()


@pytest.mark.parametrize("cells, classes", [(1, 1), (9, 2), (700, 5)])
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_by_class_are_sums_over_its_cells(cells, classes, weighted, by_numpy):
    """Also where a slope of an empty cell is infinite or not known: it adds nothing."""
    rng = np.random.default_rng(cells)
    counts = rng.poisson(1.0, cells) * (rng.gamma(1, size=cells) if weighted else 1.0)
    squares = counts * (rng.gamma(1, size=cells) if weighted else 1.0)
    truth = rng.integers(0, classes, cells)
    truth[0] = classes - 1
    slopes = np.where(counts > 0, rng.normal(size=cells), rng.choice([np.nan, np.inf, 2.0], cells))
    expected = np.zeros((classes, 4))
    for count, square, label, slope in zip(counts, squares, truth, slopes, strict=True):
        if count:
            expected[label] += count, square, square * slope**2, square**3 / count**2 * slope**4
    for call in (lambda ask: ask(), by_numpy):
        found = call(lambda: class_moments(counts, squares, truth, slopes))
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_both_paths_say_the_same(by_numpy):
    """To rounding, on a million cells."""
    rng = np.random.default_rng(0)
    numbers, counts, truth = rng.random(10**6), rng.poisson(1.0, 10**6) * 1.0, rng.integers(0, 3, 10**6)

    def moments():
        return [*bin_moments(numbers, counts, (0.0, 1.0), 64), class_moments(counts, counts, truth, numbers)]

    found = moments()
    for one, other in zip(found, by_numpy(moments), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    assert math.isclose(found[0][:, 0].sum(), counts.sum())

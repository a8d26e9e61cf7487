"""Moments by class and sums of powers are plain sums, compiled or not."""

import math

import numpy as np
import pytest

from howsure.native.moments import chance_sums, class_moments


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
        return class_moments(counts, counts, truth, numbers)

    np.testing.assert_allclose(moments(), by_numpy(moments), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("size", [0, 1, 3, 4, 127, 128, 129, 1023, 1024, 1025, 70_000])
@pytest.mark.parametrize("kind", ["one", "each", "apart"])
@pytest.mark.parametrize("most", [1, 2, 5, 12, 17])
def test_sums_of_powers_are_exact_to_rounding_and_alike_on_both_paths(size, kind, most, by_numpy):
    """Also for columns and for constant weight: `math.fsum` gives the same, and NumPy has the same bits."""
    rng = np.random.default_rng(size)
    chance = rng.random((size, 3))[:, 1] if kind == "apart" else rng.random(size)
    weights = {
        "one": np.broadcast_to(2.0, size),
        "each": rng.integers(0, 9, size),
        "apart": rng.random((size, 2))[:, 0],
    }
    found = chance_sums(chance, weights[kind], most)
    pairs = list(zip(weights[kind].tolist(), chance.tolist(), strict=True))
    expected = [math.fsum(weight * (1 - number) for weight, number in pairs)]
    expected += [math.fsum(weight * number**order for weight, number in pairs) for order in range(1, most + 1)]
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert by_numpy(lambda: chance_sums(chance, weights[kind], most)).tobytes() == found.tobytes()

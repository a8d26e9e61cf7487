"""Cases counted by distinct score and class."""

import numpy as np
import pytest

from howsure.native.sorting import count_numbers, count_scores


def plain(positive, score):
    """Return the distinct scores and their counts by `numpy.unique`."""
    scores, row = np.unique(score, return_inverse=True)
    counts = np.zeros((len(scores), 2))
    np.add.at(counts, (row, positive * 1), 1.0)
    return scores, counts


RNG = np.random.default_rng(0)
SCORES = {
    "one": np.array([0.3]),
    "equal": np.full(5000, 0.7),
    "all zero": np.array([0.0, -0.0, 0.0]),
    "two zeros among others": np.array([0.0, -0.0, 1.0, -1.0, 0.0, 5e-324, -5e-324]),
    "uniform": RNG.random(20_000),
    "normal": RNG.normal(size=20_000),
    "rounded": RNG.random(20_000).round(2),
    "single precision": RNG.random(20_000).astype(np.float32).astype(float),
    "logits": 30 * RNG.normal(size=20_000),
    "skewed": RNG.random(20_000) ** 40,
    "descending": -np.arange(20_000.0),
    "last digits only": 1.0 + np.arange(20_000)[::-1] * 2.0**-52,
    "close together, one far": np.append(1.0 + RNG.permutation(20_000) * 2.0**-52, 1e9),
    "largest and smallest": np.array([1.7e308, -1.7e308, 5e-324, 0.0, 1.0, 1.0]),
    "wide": 10.0 ** RNG.uniform(-150, 150, 20_000) * RNG.choice([-1, 1], 20_000),
    "integers": RNG.integers(-50, 50, 20_000).astype(float),
    "above two to the 53": 2.0**53 + np.arange(0.0, 100.0, 2.0),
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_scores_are_counted_as_by_unique(name, share, by_numpy):
    """Distinct scores come in order with the cases of either class, to the last bit, compiled and by NumPy."""
    score = SCORES[name]
    positive = np.random.default_rng(1).random(len(score)) < share
    expected = plain(positive, score)
    for found in (count_scores(positive, score), by_numpy(lambda: count_scores(positive, score))):
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("name", SCORES)
def test_numbers_without_classes_are_counted_as_by_unique(name):
    """Distinct numbers come in order with how often each occurs."""
    numbers = SCORES[name].copy()
    distinct, number = np.unique(numbers, return_counts=True)
    found = count_numbers(numbers)
    np.testing.assert_array_equal(found[0], distinct)
    np.testing.assert_array_equal(found[1], number)
    assert not np.signbit(found[0][found[0] == 0]).any()
    np.testing.assert_array_equal(numbers, SCORES[name])


def test_columns_need_not_lie_together():
    """A column of a frame, of which every third number is the score's, is counted like one of its own."""
    columns = np.random.default_rng(2).random((1000, 3))
    positive = columns[:, 0] > 0.5
    for found, expected in zip(count_scores(positive, columns[:, 1]), plain(positive, columns[:, 1]), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("zeros", [[-0.0], [-0.0, 0.0], [0.0, -0.0, -1.0, 1.0]])
def test_zero_has_no_sign(zeros, by_numpy):
    """A score of minus zero is zero, compiled and by NumPy."""
    score, positive = np.array(zeros), np.arange(len(zeros)) > 1
    for scores, _ in (count_scores(positive, score), by_numpy(lambda: count_scores(positive, score))):
        assert scores.tolist() == sorted({*zeros})
        assert not np.signbit(scores[scores == 0]).any()

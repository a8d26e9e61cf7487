"""Sums of products of wins against the matrix of all pairs."""

import numpy as np
import pytest

from howsure.native.placements import area, case_placements
from howsure.readers import dominance


def ranks(rng, number, levels):
    return np.unique(rng.integers(0, levels, number), return_inverse=True)[1]


@pytest.mark.parametrize("levels", [2, 5, 60])
@pytest.mark.parametrize("seed", range(5))
def test_sums_of_products_equal_those_over_all_pairs(levels, seed):
    """With few and with many ties, by joint counts and by ranks."""
    rng = np.random.default_rng(seed)
    positive = rng.random(41) < 0.4
    first, second = ranks(rng, 41, levels), ranks(rng, 41, 7)

    def signs(codes):
        return np.sign(codes[positive][:, None] - codes[~positive])

    expected = ((signs(first) + 1) * (signs(second) + 1)).sum() / 4
    for way in (dominance.product_of_wins, dominance._by_counts, dominance._by_ranks):
        assert way(first, second, positive) == pytest.approx(expected, abs=1e-9)


def test_continuous_scores_go_by_ranks():
    """Above the limit of joint counts the sum is by ranks, and equals the pairs of few of the cases."""
    rng = np.random.default_rng(1)
    positive, codes = rng.random(600) < 0.5, [rng.permutation(600) for _ in range(2)]
    assert dominance.MOST_CELLS < 600 * 600
    wins = [(each[positive][:, None] > each[~positive]) * 1.0 for each in codes]
    assert dominance.product_of_wins(*codes, positive) == pytest.approx((wins[0] * wins[1]).sum())


def test_without_a_class_there_is_no_pair():
    """Two groups may share cases of one class only."""
    codes = np.array([0, 1])
    assert dominance.product_of_wins(codes, codes, np.array([True, True])) == 0
    assert dominance.product_of_wins(codes[:0], codes[:0], np.zeros(0, dtype=bool)) == 0


def test_placements_average_to_the_area():
    """The mean placement of either class is the area, with ties."""
    rng = np.random.default_rng(2)
    positive, scores = rng.random(200) < 0.3, rng.integers(0, 9, 200).astype(float)
    counts = np.stack([np.bincount(scores[positive == side].astype(int), minlength=9) for side in (False, True)], 1)
    found = case_placements(scores, positive)
    assert found[positive].mean() == pytest.approx(float(area(counts.astype(float))))
    assert found[~positive].mean() == pytest.approx(found[positive].mean())

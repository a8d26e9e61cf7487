"""Test sets that vary independently of each other."""

import numpy as np
import pytest

import howsure as hs
from howsure.designs.algebra import Algebra
from howsure.designs.clusters import clusters_of
from howsure.designs.independent import Independent, Weighted
from howsure.designs.resampling import Resampling
from howsure.designs.separate import Separate


def test_leaving_out_a_case_leaves_it_out_of_its_own_test_set():
    """The jackknife's tables are those of every case left out in turn, from one test set and then from the other."""
    first, second = np.array([3.0, 0.0, 1.0, 2.0]), np.array([1.0, 4.0])
    both = np.concatenate([first, second])
    found = [
        (left.tolist(), number)
        for tables, numbers in Separate((Independent(), Independent()), (4, 2)).leave_one_out(both)
        for left, number in zip(tables, numbers, strict=True)
    ]
    expected = [((both - cell).tolist(), cases) for cell, cases in zip(np.eye(6), both, strict=True) if cases]
    assert sorted(found) == sorted(expected)


PLAIN, HEAVY = np.array([4.0, 0.0, 6.0]), np.array([8.0, 3.0])  # the second are cases of weight 2 and 3
BOTH = np.concatenate([PLAIN, HEAVY])
SQUARES = np.array([16.0, 9.0])
MIXED = Separate((Independent(), Weighted(SQUARES)), (3, 2))
FORM = np.array([0.5, 2.0, -1.0, 0.7, -0.4])


def test_two_test_sets_add_their_variances():
    """Squares, effective numbers and placements of either test set are added; degrees of freedom are Welch's."""
    squares = np.concatenate([PLAIN, SQUARES])
    variance = squares @ FORM**2
    assert MIXED.variance(BOTH, FORM) == pytest.approx(variance)
    assert MIXED.variance(np.stack([BOTH, BOTH]), np.stack([FORM, 2 * FORM])) == pytest.approx([variance, 4 * variance])
    assert MIXED.squared_weights(BOTH).tolist() == squares.tolist()
    assert Separate((Independent(), hs.designs.FixedMargins(np.zeros(2, int))), (3, 2)).squared_weights(BOTH) is None
    marked = np.array([1, 1, 0, 1, 1])
    assert MIXED.effective_sample_size(BOTH, marked) == pytest.approx(4 + 11**2 / 25)
    side, kish = np.array([0, 1, 1, 0, 0]), 11**2 / 25
    known = 4 / 3 * 4 * 0.5**2 + 6 / 5 * 6 + kish / (kish - 1) * (SQUARES @ FORM[3:] ** 2)
    assert MIXED.placement_variance(BOTH, side, FORM) == pytest.approx(known)


def test_two_means_have_welchs_degrees_of_freedom():
    """The squared sum of the variances of two samples over the sum of their squares, each by its freedom."""
    first, second = np.array([1.0, 2.0, 5.0, 2.0, 0.0]), np.array([3.0, 9.0, 4.0])
    cases = np.concatenate([(each - each.mean()) / len(each) for each in (first, second)])
    design, ones = Separate((Independent(), Independent()), (5, 3)), np.ones(8)
    parts = [((each - each.mean()) ** 2).sum() / len(each) ** 2 for each in (first, second)]
    own = []  # of each sample: the number of cases minus 1, or less by its tails
    for each, part in zip((first, second), parts, strict=True):
        fourth = ((each - each.mean()) ** 4).sum() / len(each) ** 4
        own.append(min(len(each) - 1, 2 * part**2 / fourth))
    expected = sum(parts) ** 2 / sum(part**2 / freedom for part, freedom in zip(parts, own, strict=True))
    assert design.satterthwaite_df(ones, np.zeros(8, int), cases) == pytest.approx(expected)
    assert np.isinf(design.satterthwaite_df(ones, np.zeros(8, int), np.zeros(8)))
    clusters = clusters_of(np.arange(1.0, 13).reshape(1, 4, 3))
    fewer = Separate((clusters.select_table(0), Independent()), (3, 2))
    assert fewer.degrees_of_freedom == 3
    assert np.isinf(MIXED.degrees_of_freedom)


def test_what_is_done_to_both_is_done_to_each():
    """Pseudo-cases, draws and tilted tables of two test sets are those of each, side by side."""
    extra = np.array([1.0, 0.0, 2.0, 0.5, 1.0])
    filled, design = MIXED.with_pseudo_counts(BOTH, extra)
    mean = 25 / 11
    assert filled == pytest.approx(np.concatenate([PLAIN + extra[:3], HEAVY + extra[3:] * mean]))
    assert design.parts[1].weight_squared == pytest.approx(SQUARES + extra[3:] * mean**2)
    assert design.sizes == (3, 2)
    tilted, _ = MIXED.exponential_tilt(BOTH, FORM)
    assert tilted[:3].sum() == pytest.approx(10)
    assert tilted[2] / tilted[0] == pytest.approx(6 / 4 * np.exp(-1.5))
    drawn = MIXED.resample(BOTH, 400, np.random.default_rng(0))
    assert drawn.shape == (400, 5)
    assert set(drawn[:, :3].sum(1)) == {10}
    assert drawn[:, 3:].mean(0) == pytest.approx(HEAVY, abs=5 * np.sqrt(16 / 400))
    studies, batch = MIXED.simulate_studies(BOTH, 2.0, 400, np.random.default_rng(1))
    assert set(studies[:, :3].sum(1)) == {20}
    assert batch.select_table(7).parts[1].weight_squared.tolist() == batch.parts[1].weight_squared[7].tolist()
    posterior = MIXED.posterior(BOTH, extra, 2000, np.random.default_rng(2))
    expected = np.concatenate([PLAIN + extra[:3], HEAVY + extra[3:] * SQUARES / HEAVY])
    assert posterior.mean(0) == pytest.approx(expected, abs=0.4)
    assert MIXED.supports(Resampling.posterior)
    assert MIXED.supports(Algebra.collapse_cells_per_table)
    assert not Separate((Independent(), hs.designs.FixedMargins()), (3, 2)).supports(Algebra.collapse_cells_per_table)
    assert MIXED.test_sets == MIXED.parts


@pytest.mark.parametrize("sizes", [(3, 3), (2, 2), (6, -1), (3, 2, 0), (5,)])
def test_test_sets_have_the_cells_of_the_table(sizes):
    """Sizes that do not add up to the cells of the table, or are not one for each design, are refused."""
    MIXED.check((5,))
    MIXED.check_sums(BOTH)
    with pytest.raises(hs.HowsureError):
        Separate(MIXED.parts, sizes).check((5,))


def test_the_sums_of_each_test_set_are_checked():
    """Weights that are of other counts are found in any of the test sets."""
    atoms = np.array([0, 1, 1]), np.array([2.0, 1.0, 2.0]), np.array([4.0, 1.0, 1.0])
    design = Separate((Independent(), Weighted(np.array([16.0, 5.0]), atoms)), (3, 2))
    design.check_sums(BOTH)
    with pytest.raises(hs.HowsureError):
        design.check_sums(BOTH + 1)

"""Designs of counted cases."""

from dataclasses import fields

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.sums import variance_by_class


def test_variance_by_class_is_the_sample_variance_of_each_class():
    """Each class adds the variance that its cases, written out one by one, have with n − 1, times their number."""
    counts, truth = np.array([4.0, 3.0, 2.0, 5.0, 1.0]), np.array([0, 0, 1, 1, 1])
    slopes = np.array([1.5, -2.0, 0.3, -0.6, 2.4])  # sums to 0 in either class
    cases = [np.repeat(slopes[truth == each], counts[truth == each].astype(int)) for each in (0, 1)]
    expected = sum(len(each) * np.var(each, ddof=1) for each in cases)
    assert variance_by_class(counts, counts, truth, slopes) == pytest.approx(expected, rel=1e-12)


def test_variance_by_class_of_a_single_case_is_not_known():
    """One case in a class shows no variance: nan; two cases are enough."""
    truth, slopes = np.array([0, 0, 1, 1]), np.array([1.0, -1.0, 1.0, -1.0])
    single, pair = np.array([1.0, 0.0, 3.0, 3.0]), np.array([1.0, 1.0, 3.0, 3.0])
    assert np.isnan(variance_by_class(single, single, truth, slopes))
    assert variance_by_class(pair, pair, truth, slopes) == pytest.approx(2 * 2 + 6 * 6 / 5)


def of_a_threshold_beyond_all_scores():
    """Return a table on which nobody is predicted positive, made from scores."""
    return hs.scores([0] * 26 + [1] * 34, np.linspace(0, 0.9, 60)).with_design(hs.designs.FixedMargins()).at(0.95)


def of_a_model_that_never_predicts_a_class():
    """Return the same table, made from the joint table of two models."""
    truth, never = np.repeat([0, 1], [26, 34]), np.zeros(60, dtype=int)
    return hs.paired(truth, {"never": never, "always": 1 - never}).with_design(hs.designs.FixedMargins()).model("never")


@pytest.mark.parametrize("make", [of_a_threshold_beyond_all_scores, of_a_model_that_never_predicts_a_class])
def test_fixed_totals_hold_where_a_class_is_never_predicted(make):
    """Pseudo-cases of a cell that no case fell in count with their true class, whose total stays fixed."""
    table = make()
    assert table.counts.tolist() == [[26, 0], [34, 0]]
    drawn = table.design.posterior(table.cells, np.full(4, 0.5), 4000, np.random.default_rng(0))
    assert drawn[:, :2].sum(1) == pytest.approx(np.full(4000, 26))
    assert drawn[:, 2:].sum(1) == pytest.approx(np.full(4000, 34))
    for cell, cases in ((1, 26), (3, 34)):
        assert stats.kstest(drawn[:, cell] / cases, stats.beta(0.5, cases + 0.5).cdf).pvalue > 1e-4


def test_a_class_of_no_case_in_a_smaller_study_stays_empty():
    """For totals of 1, 35 and 77, a fifth is 0, 7 and 16 by largest remainders: the totals of each draw."""
    table = hs.from_counts([[1, 0, 0], [0, 30, 5], [2, 5, 70]]).with_design(hs.designs.FixedMargins())
    drawn, _ = table.design.repeated(table.cells, 0.2, 50, np.random.default_rng(0))
    assert drawn.reshape(50, 3, 3).sum(2).tolist() == [[0, 7, 16]] * 50


def test_cells_that_no_case_fell_into_are_of_their_class():
    """They join their class's stratum; those of a class without any case are a stratum of their own."""
    truth, stratum = np.array([0, 0, 1, 1, 2, 2, 3]), np.array([1, 1, 0, -1, -1, -1, -1])
    found = hs.designs.FixedMargins(stratum).bound(truth).stratum
    assert found[:4].tolist() == [1, 1, 0, 0]
    assert found[4] == found[5]
    assert len({0, 1, int(found[4]), int(found[6])}) == 4
    assert hs.designs.FixedMargins().bound(truth).stratum.tolist() == truth.tolist()


def test_designs_say_what_they_hold_in_a_line():
    """The text of a design contains its class and its settings; arrays are printed as their size."""
    table = hs.confusion([0, 1, 1, 0] * 50, [0, 1, 0, 0] * 50, groups=np.arange(200))
    said = repr(table.design)
    assert said.startswith("Clusters(cluster=<")
    assert all(f"{each.name}=" in said for each in fields(table.design))
    assert "\n" not in said
    assert len(said) < 500
    assert repr(hs.designs.FixedMargins()) == "FixedMargins(stratum=None)"
    assert repr(hs.designs.Independent()) == "Independent()"


def test_pseudo_cases_by_their_cells_are_those_by_counts():
    """Two pseudo-cases of each draw give the same draws by their cells as by how many are in each cell of the table."""
    counts, pair = np.array([9.0, 0.0, 3.0, 30.0]), np.array([[2, 1], [0, 0], [1, 1], [3, 2], [0, 3]])
    table = hs.from_counts(counts.reshape(2, 2))
    prior = np.array([[0, 1, 1, 0], [2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 1, 1], [1, 0, 0, 1]])
    by_cells = table.design.posterior_with(counts, pair, 5, np.random.default_rng(4))
    assert by_cells.tolist() == table.design.posterior(counts, prior, 5, np.random.default_rng(4)).tolist()
    for design in (hs.designs.FixedMargins(), hs.designs.Weighted(counts)):
        bound = table.with_design(design).design if isinstance(design, hs.designs.FixedMargins) else design
        by_cells = bound.posterior_with(counts, pair, 5, np.random.default_rng(4))
        assert by_cells.tolist() == bound.posterior(counts, prior, 5, np.random.default_rng(4)).tolist()


def test_variance_from_the_top_is_that_of_two_binomials():
    """With fixed classes, the variance of a form above and below a threshold is n p (1 − p) times the squared gap."""
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 60), rng.integers(0, 9, 60) / 9
    table = hs.scores(truth, score).with_design(hs.designs.FixedMargins())
    thresholds = [np.inf, *table.scores[::-1]]
    slopes = rng.normal(size=(len(thresholds), 2, 2))  # at each, of either class, below and above
    expected = []
    for threshold, slope in zip(thresholds, slopes, strict=True):
        above = [score[truth == label] >= threshold for label in (0, 1)]
        each = [len(a) * a.mean() * (1 - a.mean()) * np.ptp(s) ** 2 for a, s in zip(above, slope, strict=True)]
        expected.append(sum(each))
    found = table.design.variance_from_top(table.counts, slopes)
    assert found == pytest.approx(np.array(expected), abs=1e-9)


def test_the_variance_of_weighted_cases_is_never_below_that_of_kishs_number():
    """Where a form varies in the light cases alone, their variance is raised to that of the effective number."""
    truth, said = np.array([1] * 40 + [0] * 4), np.array([1] * 30 + [0] * 10 + [0] * 4)
    light = np.where(said == truth, 3.0, 0.5)
    table = hs.confusion(truth, said, sample_weight=light)
    form = table.design
    gradient = np.array([0.0, 0.0, 0.3, -0.1])
    inflation, freedom = form.small_sample(table.cells, gradient)
    assert inflation > 1
    assert form.small_sample(table.cells, np.array([0.0, 0.0, 0.0, 1.0]))[0] == pytest.approx(1)
    assert np.isinf(freedom)

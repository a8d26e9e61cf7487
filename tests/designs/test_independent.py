"""Designs of counted cases."""

from dataclasses import fields

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.base import active_cells
from howsure.designs.cell_sums import variance_by_class
from howsure.designs.independent import smoothed


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
    drawn, _ = table.design.simulate_studies(table.cells, 0.2, 50, np.random.default_rng(0))
    assert drawn.reshape(50, 3, 3).sum(2).tolist() == [[0, 7, 16]] * 50


def test_cells_that_no_case_fell_into_are_of_their_class():
    """They join their class's stratum; those of a class without any case are a stratum of their own."""
    truth, stratum = np.array([0, 0, 1, 1, 2, 2, 3]), np.array([1, 1, 0, -1, -1, -1, -1])
    found = hs.designs.FixedMargins(stratum).with_true_classes(truth).stratum
    assert found[:4].tolist() == [1, 1, 0, 0]
    assert found[4] == found[5]
    assert len({0, 1, int(found[4]), int(found[6])}) == 4
    assert hs.designs.FixedMargins().with_true_classes(truth).stratum.tolist() == truth.tolist()


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
    by_cells = table.design.posterior_with_pairs(counts, pair, 5, np.random.default_rng(4))
    assert by_cells.tolist() == table.design.posterior(counts, prior, 5, np.random.default_rng(4)).tolist()
    for design in (hs.designs.FixedMargins(), hs.designs.Weighted(counts)):
        bound = table.with_design(design).design if isinstance(design, hs.designs.FixedMargins) else design
        by_cells = bound.posterior_with_pairs(counts, pair, 5, np.random.default_rng(4))
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
    found = table.design.threshold_variances(table.counts, slopes)
    assert found == pytest.approx(np.array(expected), abs=1e-9)


def test_the_variance_of_weighted_cases_is_never_below_that_of_kishs_number():
    """Where a form varies in the light cases alone, their variance is raised to that of the effective number."""
    truth, said = np.array([1] * 40 + [0] * 4), np.array([1] * 30 + [0] * 10 + [0] * 4)
    light = np.where(said == truth, 3.0, 0.5)
    table = hs.confusion(truth, said, sample_weight=light)
    form = table.design
    gradient = np.array([0.0, 0.0, 0.3, -0.1])
    inflation, freedom = form.small_sample_correction(table.cells, gradient)
    assert inflation > 1
    assert form.small_sample_correction(table.cells, np.array([0.0, 0.0, 0.0, 1.0]))[0] == pytest.approx(1)
    assert np.isinf(freedom)


TRUTH = np.array([0, 0, 1, 1, 1])
FORM = np.array([0.7, -1.1, 0.4, 1.9, -0.3])
CELL = np.array([0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 4, 4])  # of each case; no case is in cell 2
WEIGHT = np.array([0.5, 2.0, 2.0, 1.0, 1.0, 1.0, 4.0, 0.5, 2.0, 2.0, 1.0, 3.0, 0.5, 0.5])


def of_cases(cell=CELL, weight=WEIGHT, size=5):
    """Return the sums of the weights of cases written out one by one, and their design."""
    kinds, number = np.unique(np.stack([cell, weight]), axis=1, return_counts=True)
    counts, squares = (np.bincount(cell, weight**power, size) for power in (1, 2))
    return counts, hs.designs.Weighted(squares, (kinds[0].astype(int), kinds[1], number.astype(float)))


def kinds_of(design):
    """Return the number of cases of each cell and weight of a design."""
    return {(int(cell), float(weight)): float(number) for cell, weight, number in zip(*design.atoms, strict=True)}


def test_sums_of_weighted_cases_are_those_of_the_cases():
    """Variances, effective numbers and units are sums over the cases, with the squares of their weights."""
    counts, design = of_cases()
    assert design.variance(counts, FORM) == pytest.approx(sum(WEIGHT**2 * FORM[CELL] ** 2))
    marked = np.array([True, False, True, True, False])
    inside = WEIGHT[marked[CELL]]
    assert design.effective_sample_size(counts, marked) == pytest.approx(inside.sum() ** 2 / (inside**2).sum())
    assert design.mean_unit_size(counts) == pytest.approx((WEIGHT**2).sum() / WEIGHT.sum())
    assert design.squared_weights(counts).tolist() == [sum(WEIGHT[cell == CELL] ** 2) for cell in range(5)]
    placements = 0.0
    for side in (0, 1):
        own = WEIGHT[TRUTH[CELL] == side]
        kish = own.sum() ** 2 / (own**2).sum()
        placements += kish / (kish - 1) * (own**2 * FORM[CELL[TRUTH[CELL] == side]] ** 2).sum()
    assert design.placement_variance(counts, TRUTH, FORM) == pytest.approx(placements)
    form, number = design.influence_functions(counts, FORM)
    assert [number @ form, number @ form**2] == pytest.approx([WEIGHT @ FORM[CELL], ((WEIGHT * FORM[CELL]) ** 2).sum()])
    heard = np.array([1.0, 0.0, 0.0, -2.0, 0.0])
    own = WEIGHT[heard[CELL] != 0]
    kish = (own**2).sum() / own.sum() * (WEIGHT * heard[CELL] ** 2).sum()
    assert design.small_sample_correction(counts, heard)[0] == pytest.approx(
        max(kish / sum((WEIGHT * heard[CELL]) ** 2), 1)
    )


def test_left_out_and_tilted_cases_are_those_of_the_cases():
    """Each case is left out in turn, and tilted by its own weight; the number of cases stays."""
    counts, design = of_cases()
    found = {}
    for tables, numbers in design.leave_one_out(counts):
        for left, number in zip(tables, numbers, strict=True):
            found[tuple(left)] = found.get(tuple(left), 0) + number
    expected = {}
    for cell, weight in zip(CELL, WEIGHT, strict=True):
        left = tuple(counts - weight * (np.arange(5) == cell))
        expected[left] = expected.get(left, 0) + 1
    assert found == expected
    factor = np.exp(WEIGHT * 0.3 * FORM[CELL])
    factor *= len(CELL) / factor.sum()
    sums, moved = design.exponential_tilt(counts, 0.3 * FORM)
    assert sums == pytest.approx(np.bincount(CELL, factor * WEIGHT, 5))
    assert moved.weight_squared == pytest.approx(np.bincount(CELL, factor * WEIGHT**2, 5))
    assert moved.atoms[2].sum() == pytest.approx(len(CELL))
    even = np.full(5, 2.0)
    alone = hs.designs.Weighted(2 * even).exponential_tilt(even, 0.3 * FORM)[0]  # cases of weight 2, one in each cell
    assert alone == pytest.approx(2 * 5 * np.exp(0.6 * FORM) / np.exp(0.6 * FORM).sum())


def test_merged_and_joined_weights_are_those_of_the_cases():
    """The design of relabelled cases, or of the cases of two tables, is that of the cases counted at once."""
    target = np.array([1, 0, 2, 1, 0])
    _, design = of_cases()
    expected = of_cases(target[CELL], WEIGHT, 3)
    merged = design.collapse_cells(target, 3)
    assert merged.weight_squared.tolist() == expected[1].weight_squared.tolist()
    merged.check_sums(expected[0])
    both = of_cases(np.tile(CELL, 2), np.append(WEIGHT, WEIGHT[::-1]))
    joined = design.add_tables([of_cases(CELL, WEIGHT[::-1])[1]])
    assert kinds_of(joined) == kinds_of(both[1])
    joined.check_sums(both[0])
    assert design.add_tables([hs.designs.Weighted(np.ones(5))]).atoms is None
    assert design.add_tables([hs.designs.Weighted(np.ones(5))]).weight_squared == pytest.approx(
        design.weight_squared + 1
    )
    batch = design.stack_tables([hs.designs.Weighted(np.arange(5.0))], 5)
    assert batch.select_table(1).weight_squared.tolist() == [0, 1, 2, 3, 4]
    each = design.collapse_cells_per_table(np.stack([target, target[::-1]]), 3)
    for place, cells in enumerate((target, target[::-1])):
        assert (
            each.select_table(place).weight_squared.tolist() == design.collapse_cells(cells, 3).weight_squared.tolist()
        )


def test_wrong_sums_of_weights_are_refused():
    """Weights that add up to other counts, or whose squares do, belong to another table."""
    counts, design = of_cases()
    design.check((5,))
    design.check_sums(counts)
    with pytest.raises(hs.HowsureError):
        design.check_sums(counts + np.eye(5)[1])
    with pytest.raises(hs.HowsureError):
        hs.designs.Weighted(design.weight_squared + np.eye(5)[1], design.atoms).check_sums(counts)
    with pytest.raises(hs.HowsureError):
        design.check((4,))
    with pytest.raises(hs.HowsureError):
        hs.designs.Weighted(design.weight_squared, design.atoms[:2]).check((5,))


@pytest.mark.parametrize("known", [True, False], ids=["weights", "sums alone"])
def test_draws_of_weighted_cases_have_the_moments_of_the_cases(known):
    """Resamples, new studies and the posterior have the sums as means and the squares as variances."""
    counts, design = of_cases()
    design = design if known else hs.designs.Weighted(design.weight_squared)
    squares, size = design.weight_squared, 40_000

    def agrees(drawn, mean, variance):
        assert drawn.mean(0) == pytest.approx(mean, abs=5 * np.sqrt(variance.max() / size))
        assert drawn.var(0) == pytest.approx(variance, rel=0.06)

    variance = squares - counts**2 / len(CELL) if known else squares  # whole cases, always as many, or Poisson cells
    agrees(design.resample(counts, size, np.random.default_rng(0)), counts, variance)
    prior = np.array([0.0, 1.0, 2.0, 0.0, 3.0])
    unit = np.divide(squares, counts, out=np.full(5, squares.sum() / counts.sum()), where=counts > 0)
    drawn = design.posterior(counts, prior, size, np.random.default_rng(1))
    agrees(drawn, counts + prior * unit, squares + prior * unit**2)
    filled, smooth = design.with_pseudo_counts(counts, prior)
    mean = (WEIGHT**2).sum() / WEIGHT.sum()
    assert filled == pytest.approx(counts + prior * mean)
    assert smooth.weight_squared == pytest.approx(squares + prior * mean**2)
    if known:
        sums, studies = design.simulate_studies(counts, 3.0, size, np.random.default_rng(2))
        agrees(sums, 3 * counts, 3 * variance)
        assert studies.weight_squared.mean(0) == pytest.approx(3 * squares, rel=0.02)
        even = of_cases(CELL, np.full(len(CELL), 2.5))
        assert even[1].simulate_studies(even[0], 3.0, 9, np.random.default_rng(3))[0].sum(1).tolist() == [2.5 * 42] * 9


def along_thresholds(truth, score, slopes, thresholds):
    """Return each case's term of a form of the confusion table, ``(thresholds, cases)``."""
    return np.array([slope[truth, (score >= at).astype(int)] for at, slope in zip(thresholds, slopes, strict=True)])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("index", [None, np.array([0, 3, 4, 9])])
def test_variance_along_thresholds_is_the_sum_of_squared_terms(weighted, index):
    """The variance of a form at each threshold is the sum of the squares of all its cases' terms."""
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 60), np.arange(60) % 9 / 9
    weight = rng.choice([0.5, 1.0, 3.0], 60) if weighted else np.ones(60)
    table = hs.scores(truth, score, sample_weight=weight / weight.mean() if weighted else None)
    thresholds = np.array([np.inf, *table.scores[::-1]])
    thresholds = thresholds if index is None else thresholds[index]
    slopes = rng.normal(size=(len(thresholds), 2, 2))
    terms = along_thresholds(truth, score, slopes, thresholds) * weight / weight.mean()
    assert table.design.threshold_variances(table.counts, slopes, index) == pytest.approx((terms**2).sum(1))


COUNTS = np.array([12.0, 8.0, 0.0, 25.0, 5.0])
FIXED = hs.designs.FixedMargins(TRUTH)


def test_fixed_totals_take_the_mean_of_each_class_off():
    """Variances are n times those of the cases of each class, placements have sample variances, units are cases."""
    cases = [np.repeat(FORM[side == TRUTH], COUNTS[side == TRUTH].astype(int)) for side in (0, 1)]
    assert FIXED.variance(COUNTS, FORM) == pytest.approx(sum(len(each) * each.var() for each in cases))
    expected = sum(len(each) * each.var(ddof=1) for each in cases)
    assert FIXED.placement_variance(COUNTS, TRUTH, FORM) == pytest.approx(expected)
    parts = [len(each) * each.var() for each in cases]
    welch = sum(parts) ** 2 / sum(part**2 / (len(each) - 1) for part, each in zip(parts, cases, strict=True))
    fourths = sum(((each - each.mean()) ** 4).sum() for each in cases)
    found = FIXED.satterthwaite_df(COUNTS, TRUTH, FORM)
    assert found == pytest.approx(min(welch, 2 * sum(parts) ** 2 / fourths))
    form, number = FIXED.influence_functions(COUNTS, FORM)
    assert [number.sum(), number @ form, number @ form**2] == pytest.approx([50, 0, sum(parts)], abs=1e-9)
    assert FIXED.effective_sample_size(COUNTS, np.array([1, 0, 0, 1, 1])) == 42
    both = FIXED.variance(np.stack([COUNTS, 2 * COUNTS]), np.stack([FORM, FORM]))
    assert both == pytest.approx([sum(parts), 2 * sum(parts)])


def test_tables_of_fixed_totals_keep_them():
    """Without a case, tilted, drawn, repeated: the totals of the classes stay, and shares are those of each class."""
    totals = np.array([20.0, 30.0])
    tilted = FIXED.exponential_tilt(COUNTS, FORM)[0]
    for side, total in enumerate(totals):
        moved = (COUNTS * np.exp(FORM))[side == TRUTH]
        assert tilted[side == TRUTH] == pytest.approx(total * moved / moved.sum())
    left = {}
    for tables, numbers in FIXED.leave_one_out(COUNTS):
        left |= {tuple(np.round(table, 9)): number for table, number in zip(tables, numbers, strict=True)}
    expected = {}
    for cell in np.flatnonzero(COUNTS):
        table = COUNTS - np.eye(5)[cell]
        side = TRUTH[cell] == TRUTH
        table[side] *= totals[TRUTH[cell]] / table[side].sum()
        expected[tuple(np.round(table, 9))] = COUNTS[cell]
    assert left == expected
    size = 40_000
    share = COUNTS / totals[TRUTH]
    binomial = totals[TRUTH] * share * (1 - share)
    drawn = FIXED.resample(COUNTS, size, np.random.default_rng(0))
    studies, _ = FIXED.simulate_studies(COUNTS, 0.5, size, np.random.default_rng(1))
    posterior = FIXED.posterior(COUNTS, np.zeros(5), size, np.random.default_rng(2))
    for tables, scale, smaller in ((drawn, 1, 0), (studies, 0.5, 0), (posterior, 1, 1)):
        sums = np.stack([tables[:, side == TRUTH].sum(1) for side in (0, 1)], 1)
        np.testing.assert_allclose(sums, np.tile(scale * totals, (size, 1)))
        assert tables.mean(0) == pytest.approx(scale * COUNTS, abs=0.1)
        number = totals[TRUTH]
        assert tables.var(0) == pytest.approx(scale * binomial * number / (number + smaller), rel=0.05, abs=1e-9)


def test_strata_of_fixed_totals_are_not_mixed():
    """Cells of two classes are not merged, and tables that fix other totals are not added."""
    assert FIXED.collapse_cells(np.array([0, 0, 1, 1, 2]), 4).stratum.tolist() == [0, 1, 1, -1]
    with pytest.raises(hs.errors.UndefinedDesignError):
        FIXED.collapse_cells(np.array([0, 1, 1, 2, 2]), 3)
    swapped = hs.designs.FixedMargins(1 - TRUTH)  # the same strata by other numbers
    assert FIXED.add_tables([swapped]) is FIXED
    for other in ([0, 0, 1, 1, 2], [0, 0, 0, 0, 0], [0, 1, 1, 1, 1]):
        with pytest.raises(hs.errors.UndefinedDesignError):
            FIXED.add_tables([swapped, hs.designs.FixedMargins(np.array(other))])
    FIXED.check((5,))
    with pytest.raises(hs.HowsureError):
        FIXED.check((4,))
    with pytest.raises(hs.HowsureError, match="belongs to a table"):
        hs.designs.FixedMargins().variance(COUNTS, FORM)


def test_draws_of_independent_cases_have_multinomial_moments():
    """New studies have the scaled number of cases; tilted counts are tilted shares; pseudo-cases add gamma variables."""
    design, size = hs.designs.Independent(), 40_000
    share = COUNTS / 50
    for drawn, number in (
        (design.resample(COUNTS, size, np.random.default_rng(0)), 50),
        (design.simulate_studies(COUNTS, 0.5, size, np.random.default_rng(1))[0], 25),
    ):
        assert set(drawn.sum(1)) == {number}
        assert drawn.mean(0) == pytest.approx(number * share, abs=0.1)
        assert drawn.var(0) == pytest.approx(number * share * (1 - share), rel=0.05)
    assert design.variance(COUNTS, FORM) == pytest.approx(sum(n * f**2 for n, f in zip(COUNTS, FORM, strict=True)))
    tilted = design.exponential_tilt(COUNTS, FORM)[0]
    assert tilted == pytest.approx(50 * COUNTS * np.exp(FORM) / (COUNTS * np.exp(FORM)).sum())
    prior = np.array([0.0, 1.0, 2.0, 0.0, 3.0])
    drawn = design.posterior(COUNTS, prior, size, np.random.default_rng(2))
    assert drawn.mean(0) == pytest.approx(COUNTS + prior, abs=0.13)
    assert drawn.var(0) == pytest.approx(COUNTS + prior, rel=0.05)
    assert design.with_pseudo_counts(COUNTS, prior)[0].tolist() == (COUNTS + prior).tolist()
    assert design.effective_sample_size(COUNTS, np.array([1, 0, 0, 1, 1])) == 42
    form, number = design.influence_functions(COUNTS, FORM)
    assert (form.tolist(), number.tolist()) == ([0.7, -1.1, 1.9, -0.3], [12, 8, 25, 5])
    left = [tuple(table) for tables, _ in design.leave_one_out(COUNTS) for table in tables]
    assert left == [tuple(COUNTS - np.eye(5)[cell]) for cell in (0, 1, 3, 4)]


def test_pseudo_cases_of_tables_that_all_agree_have_the_size_of_a_cluster():
    """Designs without pseudo-cases of their own get separate ones, as large as a cluster: weight times count squared."""
    group = np.repeat(np.arange(6), 4)
    table = hs.confusion(np.ones(24, int), np.ones(24, int), groups=group, labels=[0, 1])
    filled, design = smoothed(table.design, table.cells, np.array([0.0, 0.0, 0.5, 0.5]))
    assert filled == pytest.approx([0, 0, 2, 26])
    assert design.variance(filled, np.array([0.0, 0.0, 1.0, -1.0])) == pytest.approx(4 * 2 + 4 * 26)


def test_a_form_hears_the_cells_that_it_is_of():
    """Cells with a slope above rounding, relative to the largest, are heard; a form of nothing hears none."""
    forms = np.array([[1.0, -1e-13, 0.0, 1e-11], [0.0, 0.0, 0.0, 0.0], [1e-30, 0.0, -2e-30, 0.0]])
    assert active_cells(np.ones((3, 4)), forms).tolist() == [[1, 0, 0, 1], [0, 0, 0, 0], [1, 0, 1, 0]]
    assert active_cells(np.ones((2, 4)), forms[0]).tolist() == [[1, 0, 0, 1]] * 2

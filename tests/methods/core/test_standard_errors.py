"""Quantiles, standard errors, small-sample corrections and effective sample sizes, by their formulas."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.core.standard_errors import (
    critical_value,
    design_sample,
    effective_counts,
    is_positive_error,
    normal_quantile,
    quantile,
    small_sample,
    small_sample_with_missed_clusters,
    standard_error,
    standard_errors,
)
from howsure.methods.numerics.confidence_levels import Level, Levels
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Side
from howsure.tables.variances import missed_cluster_inflation


def test_tables_of_a_batch_are_worth_what_they_are_alone():
    """The effective size of a group is at most its number of cases, also in a batch with a group without errors."""
    truth = np.ones(26, dtype=int)
    said = np.r_[np.zeros(3, dtype=int), np.ones(23, dtype=int)]
    weight = np.r_[np.full(3, 0.01), np.linspace(0.8, 1.2, 23)]
    by = np.repeat(["some", "none"], 13)
    found = hs.estimate(hs.confusion(truth, said, sample_weight=weight, by=by, labels=[0, 1]), "recall")
    for name in ("some", "none"):
        inside = by == name
        table = hs.confusion(truth[inside], said[inside], sample_weight=weight[inside], labels=[0, 1])
        alone = hs.estimate(table, "recall")
        assert (found[name].low, found[name].high) == pytest.approx((alone.low, alone.high), rel=1e-9)
    assert found["some"].low < 0.8  # with 13 cases, for any small weight of the wrong ones


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 1 - 1e-6])
@pytest.mark.parametrize("freedom", [0.7, 1.0, 2.0, 5.5, 80.0, np.inf])
def test_quantiles_are_those_of_students_distribution(level, freedom):
    """For one table and for many, with one level or one each: normal for infinite degrees of freedom."""
    expected = stats.t.isf((1 - level) / 2, freedom)
    assert quantile(level, freedom) == pytest.approx(expected, rel=1e-8)
    assert normal_quantile(level) == pytest.approx(stats.norm.isf((1 - level) / 2), rel=1e-12)
    many = Levels(np.array([1 - level, 0.1, 0.3]))
    assert normal_quantile(many) == pytest.approx(stats.norm.isf(many.tail / 2), rel=1e-12)
    others = np.array([freedom, 3.0, np.inf])
    assert quantile(many, others) == pytest.approx(stats.t.isf(many.tail / 2, others), rel=1e-8)
    assert critical_value(level, 1.44, freedom) == pytest.approx(1.2 * expected, rel=1e-8)
    assert np.isnan(quantile(level, np.array([0.0, 4.0]))).tolist() == [True, False]


def test_what_leaves_nothing_is_infinitely_far():
    """The normal quantile of a level of one is infinite; a tail below rounding still has one."""
    assert normal_quantile(Level(0.0)) == np.inf
    assert normal_quantile(Level(1e-40)) == pytest.approx(stats.norm.isf(5e-41))


def test_rounding_of_zero_is_no_variation():
    """It is relative to values above one, and absolute below."""
    assert is_positive_error(np.array([1e-13, 1e-11, 1e-10, 1e-8]), np.array([0.0, 0.1, 1e3, -1e3])).tolist() == [
        False,
        True,
        False,
        True,
    ]


COUNTS = np.array([[12, 3, 1], [2, 9, 4], [0, 5, 14]])


def of_multinomial(metric, counts):
    """Return the delta method's standard error, with derivatives of the metric by central differences."""
    value = lambda cells: float(resolve(metric, hs.from_counts(COUNTS))(hs.from_counts(COUNTS).make_counts(cells)))  # noqa: E731
    cells, slopes = counts.ravel().astype(float), []
    for place in range(cells.size):
        step = np.eye(cells.size)[place] * 1e-4
        slopes.append((value(cells + step) - value(cells - step)) / 2e-4)
    slopes = np.array(slopes)
    mean = cells @ slopes / cells.sum()
    return np.sqrt(cells @ (slopes - mean) ** 2)


@pytest.mark.parametrize("metric", ["accuracy", "mcc", "f1@macro", "kappa"])
def test_standard_errors_are_the_delta_methods(metric):
    """They are those of multinomial counts, of a table and of others in its place; clusters of one case change nothing."""
    table = hs.from_counts(COUNTS)
    bound = resolve(metric, table)
    others = np.stack([COUNTS, COUNTS.T, COUNTS + 2]).reshape(3, -1).astype(float)
    expected = [of_multinomial(metric, each) for each in others]
    assert standard_error(bound, table) == pytest.approx(expected[0], rel=1e-6)
    assert standard_errors(bound, table, others) == pytest.approx(expected, rel=1e-6)
    fixed = table.with_design(hs.designs.FixedMargins())
    alone = [standard_error(bound, hs.from_counts(each.reshape(3, 3)).with_design(hs.designs.FixedMargins())) for each in others.astype(int)]  # fmt: skip
    assert standard_errors(bound, fixed, others) == pytest.approx(np.array(alone, dtype=float), rel=1e-9)


def test_undefined_metrics_have_no_standard_error():
    """So have metrics with infinite slopes at cells with cases; infinite slopes at empty cells do not matter."""
    table = hs.from_counts([[0, 0], [3, 4]])
    assert np.isnan(standard_error(resolve("fpr@binary+positive_class=1", table), table))
    assert standard_error(resolve("recall@binary+positive_class=1", table), table) == pytest.approx(np.sqrt(12 / 7**3))
    perfect = hs.from_counts([[5, 0], [0, 4]])
    assert standard_error(resolve("accuracy", perfect), perfect) == 0


def clustered(number, size, seed=3, *, silent=()):
    """Return a table whose clusters are each of one class: ``number`` of each class, of ``size`` cases."""
    group = np.arange(sum(number) * size) // size
    truth = np.repeat(np.arange(len(number)), np.array(number) * size)
    rng = np.random.default_rng(seed)
    right = (rng.random(len(truth)) < rng.beta(3, 1, sum(number))[group]) | np.isin(truth, silent)
    said = np.where(right, truth, (truth + 1) % len(number))
    return hs.confusion(truth, said, groups=group), truth, right, group


@pytest.mark.parametrize("number, silent", [((10, 8), ()), ((5, 12), ()), ((6, 9), (1,)), ((4, 7, 20), (0,))])
def test_averages_have_the_degrees_of_freedom_of_welch(number, silent):
    """Each class has its number of clusters minus one; the variances of classes that vary are put together."""
    table, truth, right, group = clustered(number, 6, silent=silent)
    metric = resolve("recall@macro", table)
    variances = []
    for side in range(len(number)):
        own = truth == side
        variances.append(((np.bincount(group[own], right[own] - right[own].mean()) / own.sum()) ** 2).sum())
    variances, clusters = np.array(variances), np.array(number)
    whole = clusters.sum() / (clusters.sum() - 1)  # of the design's own variance
    inflation, freedom = design_sample(metric, table)
    corrected = (variances * clusters / (clusters - 1)).sum() / variances.sum()
    assert inflation == pytest.approx(corrected / whole, rel=1e-6)
    assert freedom == pytest.approx(variances.sum() ** 2 / (variances**2 / (clusters - 1)).sum(), rel=1e-6)
    assert [float(each) for each in small_sample(metric, table)] == [float(inflation), float(freedom)]
    error = standard_error(metric, table)
    assert error == pytest.approx(np.sqrt(whole * variances.sum()) / len(number), rel=1e-9)


def test_one_share_has_the_clusters_of_its_class():
    """Recall of a class has the degrees of freedom of the clusters with that class, with and without errors."""
    for silent in ((), (1,)):
        table, *_ = clustered((10, 8), 6, silent=silent)
        inflation, freedom = design_sample(resolve("recall@binary+positive_class=1", table), table)
        assert freedom == pytest.approx(7, rel=1e-6)
        assert inflation == pytest.approx(1 if silent else 8 / 7 * 17 / 18, rel=1e-6)


def test_independent_cases_have_the_normal_distribution():
    """No factor and infinite degrees of freedom, also for averages; with a sample variance those of Student."""
    table = hs.from_counts(COUNTS)
    for metric in ("accuracy", "f1@macro"):
        bound = resolve(metric, table)
        assert [float(np.max(each)) for each in design_sample(bound, table)] == [1, np.inf]
        assert [float(np.max(each)) for each in small_sample_with_missed_clusters(bound, table)] == [1, np.inf]
    values = hs.values(np.random.default_rng(0).normal(size=30))
    assert [float(each) for each in design_sample(resolve("mean", values), values)] == [1, 29]


def test_clusters_that_the_sample_missed_widen_intervals():
    """The factor is larger by what unseen clusters add to a form with these slopes; degrees of freedom are the same."""
    table, truth, right, _ = clustered((10, 8), 6)
    metric = resolve("accuracy", table)
    plain, seen = design_sample(metric, table), small_sample_with_missed_clusters(metric, table)
    slopes = np.where(np.eye(2, dtype=bool), 1 - right.mean(), -right.mean()).ravel() / len(truth)
    assert seen[0] / plain[0] == pytest.approx(float(missed_cluster_inflation(table, slopes)), rel=1e-9)
    assert seen[0] > plain[0]
    assert seen[1] == plain[1]


def share_of(table):
    """Return the accuracy of a table of two classes as a proportion."""
    return resolve("accuracy", table).proportion


def test_effective_counts_of_independent_cases_are_the_counts():
    """Also of the cells of a class alone."""
    table = hs.from_counts(COUNTS)
    assert effective_counts(share_of(table), table, 0.95) == (35, 50)
    recall = resolve("recall@binary+positive_class=1", table).proportion
    assert effective_counts(recall, table, 0.95) == (9, 15)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_effective_counts_have_the_variance_of_the_design(level):
    """That is p (1 − p) over the variance, for clusters at Student's quantile; Kish's number without errors; at most the cases."""
    rng = np.random.default_rng(1)
    truth, weight = rng.integers(0, 2, 60), rng.gamma(2.0, size=60)
    kish, kinds = weight.sum() ** 2 / (weight**2).sum(), set()
    for _ in range(6):
        said = np.where(rng.random(60) < 0.8, truth, 1 - truth)
        table = hs.confusion(truth, said, sample_weight=weight)
        p = weight[said == truth].sum() / weight.sum()
        variance = (weight**2 * ((said == truth) - p) ** 2).sum() / weight.sum() ** 2
        expected = min(p * (1 - p) / variance, kish)
        assert effective_counts(share_of(table), table, level) == pytest.approx((p * expected, expected), rel=1e-9)
        kinds.add(bool(expected < kish))
    assert kinds == {False, True}
    table = hs.confusion(truth, truth.copy(), sample_weight=weight)
    assert effective_counts(share_of(table), table, level) == pytest.approx((kish, kish), rel=1e-9)
    table = hs.confusion(truth, 1 - truth, sample_weight=weight)
    assert effective_counts(share_of(table), table, level) == pytest.approx((0, kish), rel=1e-9)
    student = (stats.norm.ppf((1 + level) / 2) / stats.t.ppf((1 + level) / 2, 14)) ** 2
    table = hs.confusion(truth, truth.copy(), groups=np.arange(60) // 4)
    assert effective_counts(share_of(table), table, level) == pytest.approx((15 * student,) * 2, rel=1e-9)
    even = np.where(np.arange(60) % 4 < 3 + (np.arange(60) == 7) - (np.arange(60) == 0), truth, 1 - truth)
    table = hs.confusion(truth, even, groups=np.arange(60) // 4)
    assert effective_counts(share_of(table), table, level)[1] == 60


def test_shares_without_cases_or_without_variation_are_worth_none_or_all():
    """No case: no trial. Fixed totals: infinitely many. One cluster: unknown."""
    for design in ("weights", "none"):
        given = {"sample_weight": [1.0, 2.0, 3.0]} if design == "weights" else {}
        table = hs.confusion([0, 0, 0], [0, 1, 0], labels=[0, 1], **given)
        recall = resolve("recall@binary+positive_class=1", table).proportion
        assert [float(each) for each in effective_counts(recall, table, 0.95)] == [0, 0]
    fixed = hs.from_counts(COUNTS).with_design(hs.designs.FixedMargins())
    prevalence = resolve("prevalence@binary+positive_class=1", fixed).proportion
    assert effective_counts(prevalence, fixed, 0.95)[1] == np.inf
    one = hs.confusion([0, 1, 1], [0, 1, 0], groups=[1, 1, 1])
    assert np.isnan(effective_counts(share_of(one), one, 0.95)[1])


def test_metrics_of_scores_have_the_degrees_of_freedom_of_their_tails():
    """Satterthwaite's: of the cases of each class, or fewer where a few cases make up most of the variance."""
    rng = np.random.default_rng(6)
    truth = np.repeat([0, 1], [40, 9])
    for score in (rng.normal(2 * truth), rng.random(49)):
        table = hs.scores(truth, score)
        wins = score[truth == 1][:, None] > score[truth == 0]
        away = [(wins.mean(1 - side) - wins.mean()) / wins.shape[side] for side in (0, 1)]
        squares = np.array([(each**2).sum() for each in away])
        welch = squares.sum() ** 2 / (squares**2 / (np.array(wins.shape) - 1)).sum()
        tails = 2 * squares.sum() ** 2 / (np.concatenate(away) ** 4).sum()
        inflation, freedom = small_sample(resolve("roc_auc", table), table)
        assert float(freedom) == pytest.approx(min(welch, tails), rel=1e-9)
        assert float(inflation) == 1
        assert float(design_sample(resolve("roc_auc", table), table)[1]) == np.inf


def test_clusters_that_the_sample_missed_do_not_widen_differences():
    """As likely one model is the better there as the other: the factor of a contrast is the design's."""
    table, truth, right, group = clustered((10, 8), 6)
    said = np.where(right, truth, 1 - truth)
    pair = hs.paired(truth, {"A": said, "B": np.roll(said, 5)}, groups=group)
    sides = [Side(name, resolve("accuracy", pair.model(name)), pair.view(name)) for name in "AB"]
    difference = contrast_metric(EFFECTS["difference"], *sides)
    plain, seen = design_sample(difference, pair), small_sample_with_missed_clusters(difference, pair)
    assert [float(each) for each in seen] == [float(each) for each in plain]
    single = resolve("accuracy", table)
    assert float(small_sample_with_missed_clusters(single, table)[0]) > float(design_sample(single, table)[0])

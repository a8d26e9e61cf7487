"""Wilson's interval of average precision is as it is defined, keeps its laws, and covers."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

import howsure as hs
from howsure.methods.default import default_method
from howsure.methods.variance.effective_wilson import EffectiveWilson, bias, squares_of, with_ends
from howsure.metrics.binding import resolve


def drawn(seed, size, share=0.3, *, ties=True):
    """Return truth and scores."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(size) < share).astype(int)
    truth[:2] = 0, 1
    score = rng.normal(truth * 1.5)
    return truth, np.round(score, 1) if ties else score


def precision(truth, score, weight):
    """Return average precision from all pairs of cases: at each positive case the share of those not below it."""
    above = (score[None, :] >= score[:, None]) * weight
    positive = truth == 1
    each = above[:, positive].sum(1) / above.sum(1)
    return (weight * each)[positive].sum() / weight[positive].sum()


def slopes(truth, score, weight):
    """Return numerical derivatives of it by the weight of each case."""
    steps = np.diag(1e-5 * weight)
    ends = (np.array([precision(truth, score, weight + sign * step) for step in steps]) for sign in (1, -1))
    return np.subtract(*ends) / (2e-5 * weight)


def with_quarters(truth, score, weight):
    """Return the cases with an eighth of an average one of each class above all others, and an eighth below.

    Also return the contribution of each case to the variance by the square of its slope.
    """
    average = (weight**2).sum() / weight.sum()
    parts = np.full(4, 1 / 8)
    cases = np.r_[truth, 0, 1, 0, 1], np.r_[score, -99, -99, 99, 99], np.r_[weight, parts * average]
    return cases, np.r_[weight**2, parts * average**2]


def too_high(truth, score, weight):
    """Return the bias from all pairs: each positive case leaves the precision at its own score.

    It is the precision minus that of the other cases, times one minus the recall.
    """
    found = 0.0
    for place in np.flatnonzero(truth == 1):
        above, positive = score >= score[place], truth == 1
        equals = weight[positive & (score == score[place])]
        own = (equals**2).sum() / equals.sum()  # ties are not resolved: on average one of the cases with equal score
        everyone, right = weight[above].sum(), weight[above & positive].sum()
        lost = right / everyone - (right - own) / (everyone - own) if everyone > own else 0.0
        recall = right / weight[positive].sum()
        found += weight[place] ** 2 / own * lost * (1 - recall)
    return found / weight[truth == 1].sum()


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_value_and_variance_are_those_of_a_table_with_a_quarter_of_a_case_more(seed, weighted):
    """They, and the bias, equal the definition from all pairs of cases; those added have the average weight."""
    truth, score = drawn(seed, 40)
    weight = np.random.default_rng(seed).integers(1, 5, 40).astype(float) if weighted else np.ones(40)
    table = hs.scores(truth, score, sample_weight=weight if weighted else None)
    value, variance = with_ends(table.counts, squares_of(table))
    cases, squares = with_quarters(truth, score, weight)
    assert value == pytest.approx(precision(*cases), rel=1e-12)
    assert bias(table.counts, squares_of(table)) == pytest.approx(too_high(truth, score, weight), rel=1e-12)
    assert variance == pytest.approx(squares @ slopes(*cases) ** 2, rel=1e-6)


def wilson(share, error, quantile):
    """Return Wilson's interval for a share with the number of cases that gives this standard error, by its equation."""
    number = share * (1 - share) / error**2
    square = quantile**2 / number
    return np.sort(np.roots([1 + square, -2 * share - square, share**2]))


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_the_limits_are_wilsons_of_the_effective_number_of_cases(level):
    """The interval is that of a share of this number of cases, with the normal quantile, and contains the value."""
    truth, score = drawn(5, 50)
    table = hs.scores(truth, score)
    found = hs.estimate(table, "average_precision", confidence_level=level)
    assert found.method == "effective_wilson"
    centre, variance = with_ends(table.counts, squares_of(table))
    kept = 1 - bias(table.counts, squares_of(table)) / found.value
    centre *= kept
    number = centre * (1 - centre) / variance
    quantile = stats.norm.ppf((1 + level) / 2)
    own = wilson(kept * found.value, found.standard_error, quantile)[1]
    assert found.high == pytest.approx(max(wilson(centre, np.sqrt(variance), quantile)[1], own), rel=1e-9)
    assert centre - found.low == pytest.approx(quantile * np.sqrt(found.low * (1 - found.low) / number), rel=1e-9)
    assert found.low < found.value < found.high


def test_less_its_bias_the_value_is_right_on_average():
    """For few positive cases average precision is biased upwards; the correction at least halves the bias."""
    rng = np.random.default_rng(4)
    truth = np.repeat([0, 1], [60, 6])
    order = rng.normal(truth * 1.0, size=(4000, 66)).argsort(axis=1)
    counts = np.eye(2)[truth[order]]  # each case has a rank of its own
    one = hs.scores(truth, np.arange(66.0))
    values = resolve("average_precision", one).value_at(replace(one, counts=counts).counted)
    less = values - bias(counts, counts)

    def precision_at(threshold):
        right, wrong = 6 * stats.norm.sf(threshold, 1), 60 * stats.norm.sf(threshold)
        return right / (right + wrong) * stats.norm.pdf(threshold, 1)

    true = integrate.quad(precision_at, -8, 9)[0]
    error = values.std() / np.sqrt(len(values))
    assert values.mean() - true > 10 * error
    assert abs(less.mean() - true) < (values.mean() - true) / 2


def test_ranks_alone_and_the_unit_of_the_weights_do_not_matter():
    """Scores of equal ranks have one interval, weights of any equal size change nothing, nor does a batch."""
    truth, score = drawn(7, 60)
    one = hs.estimate(hs.scores(truth, score), "average_precision")
    both = hs.scores(np.tile(truth, 2), np.r_[score, -score], by=np.repeat([0, 1], 60))
    others = (
        hs.estimate(hs.scores(truth, np.exp(score)), "average_precision"),
        hs.estimate(hs.scores(truth, score, sample_weight=np.full(60, 7.0)), "average_precision"),
        hs.estimate(both, "average_precision")[0],
        hs.estimate(both[0], "average_precision"),
    )
    for found in others:
        assert found.method == one.method
        assert [found.low, found.high] == pytest.approx([one.low, one.high], rel=1e-9)
        assert found.standard_error == pytest.approx(one.standard_error, rel=1e-9)
    assert hs.estimate(hs.scores(truth, score, sample_weight=1.0 + truth), "average_precision").low > one.low


@pytest.mark.parametrize("sizes", [(1, 1), (6, 4), (300, 40), (40, 300)])
def test_separated_classes_have_an_interval_that_ends_at_one(sizes):
    """If all positive cases rank above the others, the upper limit is 1, the lower one well below."""
    truth = np.repeat([0, 1], sizes)
    found = hs.estimate(hs.scores(truth, np.arange(float(len(truth)))), "average_precision")
    assert (found.value, found.high, found.reason) == (1, 1, "")
    assert 0 <= found.low < 1 - 1 / (8 * sum(sizes))


@pytest.mark.parametrize("sizes", [(40, 40), (400, 60)])
def test_above_a_value_below_one_there_is_room_that_grows_with_the_level(sizes):
    """Also if all but one pair are in order, when the added cases pull the interval's centre below its value."""
    score = np.arange(float(sum(sizes)))
    score[sizes[0] - 1 : sizes[0] + 1] = score[sizes[0] - 1 : sizes[0] + 1][::-1]
    table = hs.scores(np.repeat([0, 1], sizes), score)
    found = [hs.estimate(table, "average_precision", confidence_level=level) for level in (0.5, 0.8, 0.95, 0.99)]
    rooms = [each.high - each.value for each in found]
    assert all(0 < one < more for one, more in pairwise(rooms))
    assert found[-1].high < 1
    one_sided = hs.estimate(table, "average_precision", alternative="less", confidence_level=0.9)
    assert one_sided.high == pytest.approx(found[1].high, rel=1e-12)


def test_two_test_sets_are_compared_by_the_delta_method():
    """What each interval allows for beyond its sample would be twice in a difference."""
    first, second = (hs.scores(*drawn(seed, 80)) for seed in (1, 2))
    found, delta = (hs.compare(first, second, "average_precision", method=method) for method in (None, "delta"))
    assert (found.method, found.low, found.high) == ("delta", delta.low, delta.high)


def test_positive_cases_at_the_bottom_and_equal_scores():
    """The other end, and uninformative scores: the interval has positive width, contains the value, and is in range."""
    for truth, score in (([1, 0, 0, 0], [1, 2, 3, 4]), ([0, 1, 0, 1, 1], [0.5] * 5), ([1, 1, 1, 0], [1, 2, 3, 4])):
        found = hs.estimate(hs.scores(truth, score), "average_precision")
        assert 0 <= found.low < found.value < found.high <= 1


def test_what_it_does_not_serve_has_the_delta_method():
    """Clusters, averages over labels and other metrics use delta; requested by name it is refused, with that."""
    truth, score = drawn(1, 60)
    clustered = hs.scores(truth, score, groups=np.arange(60) // 2)
    assert hs.estimate(clustered, "average_precision").method == "delta"
    with pytest.raises(hs.HowsureError, match=r"not for clusters or strata. Use `Delta\(\)`"):
        hs.estimate(clustered, "average_precision", method="effective_wilson")
    with pytest.raises(hs.HowsureError, match="is for `average_precision`, not for `roc_auc`"):
        hs.estimate(hs.scores(truth, score), "roc_auc", method="effective_wilson")
    shares = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    several, labels = hs.multiclass_scores(np.arange(60) % 3, shares), hs.multiclass_scores(shares > 1 / 3, shares)
    assert hs.estimate(labels, "average_precision@macro").method == "delta"
    assert hs.estimate(several, "average_precision@harmonic").method == "delta"
    assert hs.estimate(several, "average_precision@binary+positive_class=1").method == "effective_wilson"


def covered(truth, scores, value):
    """Return the coverage of the default interval of rows of cases."""
    ranks = stats.rankdata(scores, "dense", axis=1) - 1
    size = int(ranks.max()) + 1
    codes = (2 * ranks + truth + 2 * size * np.arange(len(ranks))[:, None]).astype(int)
    counts = np.bincount(codes.ravel(), minlength=2 * size * len(ranks)).reshape(-1, size, 2)
    one = hs.scores(np.r_[0, 1, np.zeros(size - 2, int)], np.arange(size, dtype=float))
    tables = replace(one, counts=counts.astype(float), rows=scores.shape[1])
    metric = resolve("average_precision", tables)
    method = default_method(metric, tables)
    assert method == EffectiveWilson()
    found = method.interval(metric, tables, 0.95)
    return float(np.mean((found.low <= value) & (value <= found.high)))


def of_students_t(rng, truth, freedom, shift):
    """Return scores of two populations of Student's t."""
    return rng.standard_t(freedom, size=truth.shape) + shift * truth


@pytest.mark.parametrize("cases", [80, 200])
def test_classes_that_are_all_but_separated_are_covered(cases):
    """Most samples are of a value above the true one: their lower limit allows for it, and other ones' upper limit."""
    rng = np.random.default_rng(8)
    everyone = (rng.random(500_000) < 0.5).astype(int)
    value = hs.estimate(hs.scores(everyone, rng.normal(4.65 * everyone)), "average_precision").value
    assert 0.9993 < value < 0.9997
    truth = (rng.random((500, cases)) < 0.5).astype(int)
    assert covered(truth, rng.normal(4.65 * truth), value) > 0.93


@pytest.mark.parametrize("size, share", [(40, 0.5), (160, 0.1), (150, 0.8)])
@pytest.mark.parametrize("freedom", [2, pytest.param(30, marks=pytest.mark.thorough)])
def test_coverage_in_brief(size, share, freedom):
    """Light and heavy tails, few positive and few negative cases: 500 samples, true values from 300,000."""
    rng = np.random.default_rng(3)
    everyone = (rng.random(300_000) < share).astype(int)
    population = hs.scores(everyone, of_students_t(rng, everyone, freedom, 2.5))
    truth = (rng.random((500, size)) < share).astype(int)
    truth[:, :2] = 0, 1
    value = hs.estimate(population, "average_precision").value
    assert covered(truth, of_students_t(rng, truth, freedom, 2.5), value) > 0.92


def of_classes(rng, cases, classes, shift):
    """Return true classes and scores, which are higher for the true class."""
    truth = rng.integers(0, classes, cases)
    while len(np.unique(truth)) < classes:
        truth = rng.integers(0, classes, cases)
    scores = rng.normal(size=(cases, classes))
    scores[np.arange(cases), truth] += shift
    return truth, scores


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_a_mean_of_two_classes_that_mirror_each_other_is_that_of_either(average):
    """Scores that sum to a constant: of classes of equal precision the mean has the bias and centre of each."""
    score = np.array([0.9, 0.8, 0.3, 0.6, 0.4, 0.7, 0.2, 0.1])
    truth = np.array([1, 1, 1, 1, 0, 0, 0, 0])  # the ranks of class 0 mirror those of class 1
    both = hs.estimate(hs.multiclass_scores(truth, np.c_[1 - score, score]), f"average_precision@{average}")
    one = hs.estimate(hs.scores(truth, score), "average_precision")
    assert both.method == one.method == "effective_wilson"
    assert float(both) == pytest.approx(float(one), rel=1e-12)
    assert both.low < float(both) < both.high


def test_means_of_groups_are_those_of_each_alone():
    """A batch of tables has the limits of each table."""
    truth, scores = of_classes(np.random.default_rng(2), 120, 3, 1.0)
    groups = np.repeat([0, 1, 2], 40)
    for metric in ("average_precision@macro", "average_precision@weighted"):
        found = hs.estimate(hs.multiclass_scores(truth, scores, by=groups), metric)
        for place, group in enumerate((0, 1, 2)):
            own = hs.estimate(hs.multiclass_scores(truth[groups == group], scores[groups == group]), metric)
            assert (found.low[place], found.high[place]) == pytest.approx((own.low, own.high), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("cases, classes, shift", [(60, 6, 1.0), (60, 10, 1.5), (90, 3, 2.0)])
def test_means_over_classes_are_covered(average, cases, classes, shift):
    """The delta method covers 74 to 90 % of six classes of ten cases, and of ten of six: it ignores the bias."""
    rng, metric = np.random.default_rng(11), f"average_precision@{average}"
    value = hs.estimate(hs.multiclass_scores(*of_classes(rng, 100_000, classes, shift)), metric, method="delta").value
    hits = 0
    for _ in range(400):
        found = hs.estimate(hs.multiclass_scores(*of_classes(rng, cases, classes, shift)), metric)
        hits += found.low <= value <= found.high
    assert hits / 400 > 0.92

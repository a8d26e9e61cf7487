"""Intervals of rates at a stated rate: limits by a plain loop over thresholds, and coverage."""

import itertools

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.proportions.threshold_limits import _together, _wilson, _within
from howsure.metrics.binding import resolve

RNG = np.random.default_rng(11)
SETTINGS = list(itertools.product((0.05, 0.3, 0.6, 0.95), ((15, 25), (60, 40), (7, 90))))


def data(sizes, digits=1):
    """Return true classes and tied scores."""
    truth = np.repeat([0, 1], sizes)
    return truth, RNG.normal(truth).round(digits)


def wilson(hits, cases):
    """Return SciPy's Wilson interval."""
    return stats.binomtest(hits, cases).proportion_ci(method="wilson")


def tables(truth, score):
    """Return false and true positives at each threshold, none first."""
    cuts = [np.inf, *sorted(set(score), reverse=True)]
    return [(int(((score >= cut) & (truth == 0)).sum()), int(((score >= cut) & (truth == 1)).sum())) for cut in cuts]


@pytest.mark.parametrize("rate, sizes", SETTINGS)
def test_limits_of_a_recall_move_the_threshold_and_the_rate_there(rate, sizes):
    """The distances to the recall at the rate's own limit, and to Wilson's, are combined as independent parts."""
    truth, score = data(sizes)
    others, number = sizes
    found = hs.estimate(hs.scores(truth, score), f"recall_at+fpr={rate}")

    def hits(at):
        return max((met for wrong, met in tables(truth, score) if wrong <= at * others + 1e-9), default=0)

    half = stats.norm.ppf(0.975) * np.sqrt(rate * (1 - rate) / others)
    value, low, high = hits(rate) / number, hits(rate - half) / number, hits(rate + half) / number
    own = wilson(hits(rate), number)
    assert found.method == "threshold_limits"
    assert found.value == pytest.approx(value)
    assert found.low == pytest.approx(max(value - np.hypot(value - low, value - own.low), 0))
    assert found.high == pytest.approx(min(value + np.hypot(high - value, own.high - value), 1))


@pytest.mark.parametrize("rate, sizes", SETTINGS)
def test_limits_of_a_precision_move_threshold_false_positive_rate_and_prevalence(rate, sizes):
    """The three distances are those of Bayes' rule with one of its parts moved at a time."""
    truth, score = data(sizes)
    others, number = sizes
    found = hs.estimate(hs.scores(truth, score), f"precision_at+recall={rate}")

    def at(recall):
        return next(((w, h) for w, h in tables(truth, score) if h >= recall * number - 1e-9), (others, number))

    def precision(prevalence, recall, false):
        return prevalence * recall / (prevalence * recall + (1 - prevalence) * false)

    half = stats.norm.ppf(0.975) * np.sqrt(rate * (1 - rate) / number)
    wrong, met = at(rate)
    recall, false, share = met / number, wrong / others, number / (number + others)
    value = precision(share, recall, false)
    assert found.value == pytest.approx(met / (met + wrong))
    for sign, limit, end in ((1, found.low, 0), (-1, found.high, 1)):
        rates, shares = wilson(wrong, others), wilson(number, number + others)
        moved = [
            precision(share, recall, at(rate + sign * half)[0] / others),
            precision(share, recall, rates.high if sign > 0 else rates.low),
            precision(shares.low if sign > 0 else shares.high, recall, false),
        ]
        reach = np.sqrt(sum((each - value) ** 2 for each in moved))
        assert limit == pytest.approx(max(value - reach, 0) if end == 0 else min(value + reach, 1))


@pytest.mark.parametrize("rate", [0.1, 0.6])
def test_the_specificity_at_a_sensitivity_is_the_recall_of_the_other_class(rate):
    """The classes change places, and scores their sign."""
    truth, score = data((30, 20))
    for cases in ({}, {"sample_weight": RNG.gamma(2, 1, 50)}, {"groups": np.arange(50) // 3}):
        table, mirrored = hs.scores(truth, score, **cases), hs.scores(1 - truth, -score, **cases)
        found = hs.estimate(table, f"specificity_at+sensitivity={1 - rate}")
        expected = hs.estimate(mirrored, f"recall_at+fpr={rate}")
        assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))


def test_cases_that_count_twice_tell_no_more():
    """Two equal cases of each cluster, or of twice the weight, have the interval of one: up to Student's t."""
    truth, score = data((300, 200), 2)
    twice = np.repeat(np.arange(500), 2)
    single = hs.scores(truth, score)
    clustered, weighted = (
        hs.scores(truth[twice], score[twice], groups=twice),
        hs.scores(truth, score, sample_weight=np.full(500, 2.0)),
    )
    for metric in ("recall_at+fpr=0.2", "precision_at+recall=0.7", "specificity_at+sensitivity=0.8"):
        one, pair, heavy = (hs.estimate(table, metric) for table in (single, clustered, weighted))
        assert (pair.low, pair.high) == pytest.approx((one.low, one.high), abs=0.02)
        assert (heavy.low, heavy.high) == pytest.approx((one.low, one.high), abs=0.02)


def test_other_metrics_are_refused():
    """A plain rate has no threshold to move."""
    truth, score = data((20, 20))
    with pytest.raises(hs.HowsureError, match="recall_at"):
        hs.estimate(hs.scores(truth, score), "roc_auc", method="threshold_limits")


def test_scores_without_labels_have_wilsons_limits_of_their_known_variance():
    """The number of cases is that whose binomial variance is the delta method's."""
    table = hs.calibrated(RNG.beta(1, 1, 80), target="population")
    found = hs.estimate(table, "recall_at+fpr=0.2")
    value, cases = found.value, found.value * (1 - found.value) / found.standard_error**2
    z = stats.norm.ppf(0.975)
    half = z * np.sqrt(value * (1 - value) / cases + z**2 / (4 * cases**2))
    middle = value + z**2 / (2 * cases)
    assert found.low == pytest.approx((middle - half) / (1 + z**2 / cases))
    assert found.high == pytest.approx((middle + half) / (1 + z**2 / cases))


def coverage(cases, prevalence, distance, metric, truth, studies, seed):
    """Return how often the interval contains the true value of normal scores."""
    rng, held = np.random.default_rng(seed), 0
    for _ in range(studies):
        labels = (rng.random(cases) < prevalence).astype(int)
        labels[:2] = 0, 1
        found = hs.estimate(hs.scores(labels, rng.normal(labels * distance)), metric)
        held += found.low <= truth <= found.high
    return held / studies


@pytest.mark.parametrize(
    "cases, prevalence, distance, metric",
    [
        (100, 0.1, 2.0, "precision_at+recall=0.9"),  # the delta method covers 79 %
        (500, 0.1, 2.0, "precision_at+recall=0.9"),  # 84 %
        (500, 0.9, 2.0, "recall_at+fpr=0.1"),  # 84 %
        (100, 0.9, 1.0, "recall_at+fpr=0.05"),  # 38 %
    ],
)
def test_intervals_cover_where_the_delta_method_does_not(cases, prevalence, distance, metric):
    """Few cases of the class whose rate is stated."""
    rate = float(metric.rpartition("=")[2])
    if metric.startswith("recall"):
        truth = stats.norm.sf(stats.norm.isf(rate) - distance)
    else:
        false = stats.norm.sf(stats.norm.isf(rate) + distance)
        truth = prevalence * rate / (prevalence * rate + (1 - prevalence) * false)
    assert coverage(cases, prevalence, distance, metric, truth, 150, 3) >= 0.92


def test_a_single_cluster_has_no_interval_and_two_no_narrow_one():
    """One cluster shows no variation; two may cancel by chance."""
    truth, score = [0, 1, 0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    single = hs.estimate(hs.scores(truth, score, groups=[1] * 6), "recall_at+fpr=0.5")
    assert np.isnan([single.low, single.high]).all()
    assert "single cluster" in single.reason
    two = hs.scores(truth, score, groups=[1, 1, 1, 2, 2, 2])
    for metric in ("recall_at+fpr=0.5", "precision_at+recall=0.5"):
        alone, found = (hs.estimate(each, metric) for each in (hs.scores(truth, score), two))
        assert found.high - found.low > (alone.high - alone.low) / 2


@pytest.mark.parametrize("rate, place", [(0.0, 1), (0.24, 1), (0.25, 2), (0.6, 3), (1.0, 5), (-0.1, 0)])
def test_the_lowest_threshold_within_a_rate_is_the_last_of_its_ties(rate, place):
    """A rate that a threshold reaches exactly includes it, and thresholds without more errors follow."""
    assert _within(np.array([0.0, 0.0, 1.0, 2.0, 3.0, 4.0]), np.asarray(rate)) == place


@pytest.mark.parametrize("level", [0.8, 0.999])
def test_rates_of_scores_without_labels_are_wilsons_or_normal(level):
    """The number of cases is that of the variance at the level; below one case the limits are normal, in the unit interval."""
    wide = 0
    for beta in (1.0, 0.05):
        table = hs.calibrated(np.random.default_rng(2).beta(beta, beta, 12), target="population")
        for rate in (0.05, 0.5, 0.9):
            found = hs.estimate(table, f"recall_at+fpr={rate}", method="threshold_limits", confidence_level=level)
            z, value, error = stats.norm.ppf((1 + level) / 2), found.value, found.standard_error
            freedom = table.design.degrees_of_freedom
            reach = z if np.isinf(freedom) else stats.t.ppf((1 + level) / 2, freedom)
            if not 1e-6 < error < np.inf:
                continue
            cases = value * (1 - value) / error**2 * (z / reach) ** 2
            if cases < 1:
                wide += 1
                expected = max(value - reach * error, 0), min(value + reach * error, 1)
            else:
                half = z * np.sqrt(value * (1 - value) / cases + z**2 / (4 * cases**2))
                middle = value + z**2 / (2 * cases)
                expected = tuple((middle + sign * half) / (1 + z**2 / cases) for sign in (-1, 1))
            assert (found.low, found.high) == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert wide


@pytest.mark.parametrize("metric", ["recall_at+fpr=0.2", "precision_at+recall=0.7"])
def test_clusters_stretch_the_distances_by_their_joint_variance(metric):
    """Parts that vary together have a larger variance than the sum of theirs, and no less than half of it counts."""
    rng = np.random.default_rng(21)
    group = np.arange(240) // 8
    truth = np.tile([0, 1], 120)
    score = rng.normal(truth + rng.normal(0, 1.5, 30)[group])
    table = hs.scores(truth, score, groups=group)
    bound = resolve(metric, table)
    slopes = np.nan_to_num(bound.gradient_at(table.counted).reshape(-1), posinf=0, neginf=0)
    side = np.tile([0, 1], slopes.size // 2)
    means = [(table.cells @ (slopes * (side == each))) / (table.cells @ (side == each)) for each in (0, 1)]
    forms = [np.where(side == each, slopes - means[each], 0) for each in (0, 1)] + [np.where(side == 0, *means)]
    # By the sums of each cluster, whose mean is zero.
    place = np.searchsorted(table.scores, score) * 2 + truth
    apart = sum((np.bincount(group, form[place]) ** 2).sum() * 30 / 29 for form in forms)
    error = hs.estimate(table, metric).standard_error
    assert _together(bound, table, error) == pytest.approx(np.sqrt(max(error**2 / apart, 0.5)), rel=1e-6)
    assert _together(bound, table, 1e-3 * error) == pytest.approx(np.sqrt(0.5))
    assert _together(bound, table, 0.0) == _together(bound, hs.scores(truth, score), error) == 1


def test_limits_of_rates_without_cases_are_the_unit_interval():
    """Wilson's limits without trials are 0 and 1, and of infinitely many the rate itself."""
    low, high = _wilson(np.array([0.3, 0.3, 0.3]), np.array([0.0, 12.0, np.inf]), 0.95)
    expected = stats.binomtest(3, 10).proportion_ci(method="wilson")
    assert (low[[0, 2]].tolist(), high[[0, 2]].tolist()) == ([0, 0.3], [1, 0.3])
    one = _wilson(np.array(0.3), 10.0, 0.95)
    assert one == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert one[0] < low[1] < 0.3 < high[1] < one[1]

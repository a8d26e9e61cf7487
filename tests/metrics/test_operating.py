"""Metrics at an operating point equal their definitions by search, and carry the threshold's uncertainty."""

import numpy as np
import pytest
from scipy import ndimage, stats

import howsure as hs
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.binding import resolve
from howsure.metrics.operating import BANDWIDTH, RANKS, roc_slope


def sample(seed, size=60):
    """Return truth and tied scores."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(size) < 0.4).astype(int)
    truth[:2] = 0, 1
    return truth, np.round(rng.normal(truth), 1)


def by_search(truth, score):
    """Return sensitivity, specificity and precision at every threshold, from the top."""
    thresholds = [np.inf, *sorted(set(score), reverse=True)]
    called = [score >= threshold for threshold in thresholds]
    sensitivity = np.array([each[truth == 1].mean() for each in called])
    specificity = np.array([1 - each[truth == 0].mean() for each in called])
    precision = np.array([truth[each].mean() if each.any() else np.nan for each in called])
    return sensitivity, specificity, precision


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.8, 0.95])
def test_values_are_found_by_search(rate):
    """Each metric is the best (or first) of all thresholds that meet the condition."""
    for seed in range(40):
        truth, score = sample(seed)
        table = hs.scores(truth, score)
        sensitivity, specificity, precision = by_search(truth, score)
        value = lambda spec: float(resolve(spec, table)(table.counts))  # noqa: B023, E731
        assert value(f"sensitivity_at+specificity={rate}") == sensitivity[specificity >= rate - 1e-12].max()
        assert value(f"specificity_at+sensitivity={rate}") == pytest.approx(
            specificity[sensitivity >= rate - 1e-12].max()
        )
        assert value(f"recall_at+fpr={rate}") == sensitivity[1 - specificity <= rate + 1e-12].max()
        assert value(f"precision_at+recall={rate}") == precision[sensitivity >= rate - 1e-12][0]


SPECS = (
    "sensitivity_at+specificity=0.8",
    "specificity_at+sensitivity=0.8",
    "recall_at+fpr=0.3",
    "precision_at+recall=0.6",
)


@pytest.mark.thorough
@pytest.mark.parametrize("spec", SPECS)
def test_standard_error_is_the_spread_of_repeated_studies(spec):
    """The standard error, with the threshold's share in it, is the metric's spread over 400 new samples."""
    rng = np.random.default_rng(3)
    errors, values = [], []
    for _ in range(400):
        truth = (rng.random(1500) < 0.4).astype(int)
        table = hs.scores(truth, rng.normal(truth * 1.3))
        metric = resolve(spec, table)
        values.append(float(metric(table.counts)))
        errors.append(standard_error(metric, table))
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(values), rel=0.1)


def test_clusters_widen_the_interval():
    """Each case repeated four times within its cluster: the error is that of the distinct cases."""
    truth, score = sample(2, 400)
    once, often = (
        hs.scores(truth, score),
        hs.scores(np.tile(truth, 4), np.tile(score, 4), groups=np.tile(np.arange(400), 4)),
    )
    for spec in SPECS:
        errors = [standard_error(resolve(spec, table), table) for table in (once, often)]
        assert errors[1] == pytest.approx(errors[0], rel=0.15)  # the smoothing differs with the number of cases


@pytest.mark.parametrize("spec", SPECS)
def test_gradients_sum_to_zero_with_the_counts(spec):
    """Euler: the metrics do not change when the counts are multiplied."""
    table = hs.scores(*sample(1))
    metric = resolve(spec, table)
    gradient = metric.gradient(type("Counts", (), {"cells": table.counts})())
    assert (table.counts * gradient).sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.thorough
def test_interval_covers():
    """Sensitivity at 90 % specificity of normal scores is covered at about 95 % (400 seeded samples of 200)."""
    rng = np.random.default_rng(2)
    target = stats.norm.sf(stats.norm.ppf(0.9) - 1.5)
    truth = np.repeat([0, 1], 100)
    inside = 0
    for _ in range(400):
        estimate = hs.estimate(hs.scores(truth, rng.normal(truth * 1.5)), "sensitivity_at+specificity=0.9")
        inside += estimate.low <= target <= estimate.high
    assert inside / 400 == pytest.approx(0.94, abs=0.035)


def test_slope_is_the_ratio_of_densities():
    """For normal scores the slope is the ratio of the two normal densities, wherever there are cases of both."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 50_000)
    table = hs.scores(truth, rng.normal(truth))
    for point in (-1.0, 0.0, 0.5, 1.0, 2.0):
        index = np.searchsorted(table.scores, point)
        expected = stats.norm.pdf(point - 1) / stats.norm.pdf(point)
        assert roc_slope(table.counts, table.rows)[index] == pytest.approx(expected, rel=0.1)


def test_slope_does_not_depend_on_the_unit_of_weight():
    """Where the classes do not mix the slope is finite too; counts a thousand times as large have the same slopes."""
    counts = np.concatenate([np.tile([3.0, 0.0], (200, 1)), np.tile([0.0, 1.0], (200, 1))])
    slopes = roc_slope(counts, 800)
    assert np.isfinite(slopes).all()
    assert (slopes > 0).all()
    # Among negative cases it is that of the share of positive cases; a 1000th of it is spread over the ranks.
    assert slopes[0] == pytest.approx(1e-3 * 0.25 / (1 + 1e-3 * 0.75) * 3, rel=0.01)
    assert roc_slope(1000 * counts, 800) == pytest.approx(slopes, rel=1e-9)


def test_nothing_above_the_threshold():
    """Where no threshold meets the condition but the one above all scores, the rate is 0, with Wilson's limits."""
    estimate = hs.estimate(hs.scores([0, 1, 1, 1] * 3, [0.9, 0.1, 0.2, 0.3] * 3), "sensitivity_at+specificity=0.9")
    assert estimate.value == 0
    assert (estimate.low, estimate.high) == pytest.approx(tuple(stats.binomtest(0, 9).proportion_ci(method="wilson")))


@pytest.mark.parametrize("spec", ["recall_at+fpr=1.2", "sensitivity_at+specificity=0", "precision_at+recall=-1"])
def test_rates_lie_between_zero_and_one(spec):
    """Other rates are refused."""
    with pytest.raises(hs.HowsureError, match="between 0 and 1"):
        resolve(spec, hs.scores(*sample(0)))


@pytest.mark.parametrize("spec, side", [("sensitivity_at+specificity=0.7", 1), ("specificity_at+sensitivity=0.7", 0)])
def test_cases_on_both_sides_of_the_threshold_vary_as_a_share(spec, side):
    """The part of the variance that is the class's own is p (1 − p) / n, also where the lowest score is of the class."""
    truth, score = np.array([1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1]), np.arange(12) / 12
    table = hs.scores(truth, score)
    metric = resolve(spec, table)
    rate, slopes = float(metric(table.counts)), metric.gradient(table.counted)
    assert 0 < rate < 1
    assert (table.counts * slopes**2)[:, side].sum() == pytest.approx(rate * (1 - rate) / 6, rel=1e-12)


def test_scores_that_no_case_has_change_no_slope():
    """Slopes of the ROC curve at the scores of cases do not depend on higher scores without cases."""
    counts = np.array([[9.0, 1], [20, 4], [7, 6], [3, 15], [2, 11], [1, 16]])
    slopes = roc_slope(np.concatenate([counts, np.zeros((2, 2))]), 95)
    assert slopes[:6] == pytest.approx(roc_slope(counts, 95), rel=1e-12)


def test_the_slope_is_the_same_from_either_end():
    """After exchanging the classes the ROC curve has the inverse slopes, also with many ties."""
    counts = np.array([[9.0, 1], [20, 4], [7, 6], [3, 15], [2, 11], [1, 16]])
    assert roc_slope(counts[::-1, ::-1], 95)[::-1] == pytest.approx(1 / roc_slope(counts, 95), rel=1e-9)


def test_a_resample_without_any_weight_has_no_slope():
    """Where all weight fell on cases that a resample left out, the classes have no densities to compare."""
    assert np.isnan(roc_slope(np.zeros((3, 2)), 4)).all()
    rows = {"y_true": ["a", "b"], "y_score": np.array([[0.9, 0.1], [0.3, 0.7]]), "sample_weight": [0.0, 2.0]}
    table = hs.multiclass_scores(**rows)
    method = hs.methods.Bootstrap("studentized", n_resamples=60)
    found = hs.estimate(table, "specificity_at+sensitivity=0.8@micro", method=method, random_state=1)
    assert np.isnan(found.low) or 0 <= found.low <= found.high <= 1


@pytest.mark.parametrize("above", [0, 1, 4])
def test_the_precision_of_a_single_positive_case_is_that_of_those_above_it(above):
    """To find it, all cases with higher scores are predicted positive too."""
    scores = np.r_[2.0, 3.0 + np.arange(above), -1.0 - np.arange(5)]
    table = hs.scores(np.r_[1, np.zeros(above + 5, dtype=int)], scores)
    assert hs.estimate(table, "precision_at+recall=0.5").value == pytest.approx(1 / (1 + above))


@pytest.mark.parametrize("fpr", [0.05, 0.1, 0.35, 0.9])
def test_recall_at_a_false_positive_rate_is_sensitivity_at_its_complement(fpr):
    """The largest recall of the thresholds with at most that rate, by going through all of them."""
    truth, score = sample(5)
    sensitivity, specificity, _ = by_search(truth, score)
    found = hs.estimate(hs.scores(truth, score), f"recall_at+fpr={fpr}")
    assert found.value == pytest.approx(sensitivity[1 - specificity <= fpr + 1e-12].max())
    other = hs.estimate(hs.scores(truth, score), f"sensitivity_at+specificity={1 - fpr}")
    assert [found.low, found.high] == pytest.approx([other.low, other.high], nan_ok=True)


@pytest.mark.parametrize("recall", [0.4, 0.7, 0.9])
def test_the_slope_of_precision_at_a_recall_moves_the_threshold(recall):
    """A positive case more lowers the threshold that reaches the recall, and takes false alarms along."""
    table = hs.scores(*sample(8, 200))
    cells = table.counts
    metric = resolve(f"precision_at+recall={recall}", table)
    hits, errors = np.cumsum(cells[::-1, 1])[::-1], np.cumsum(cells[::-1, 0])[::-1]
    place = np.flatnonzero(hits >= recall * hits[0] - 1e-9)[-1]  # the highest score that reaches it
    tp, fp, positives, negatives = hits[place], errors[place], hits[0], errors[0]
    above = np.arange(len(cells)) >= place
    steep = roc_slope(cells, 200)[place]  # positives over negatives that come, each as a share of all
    by_hit = fp / (tp + fp) ** 2 * above
    by_error = -tp / (tp + fp) ** 2 * above
    # One more positive case requires `recall` more hits, minus itself if above; false alarms follow in proportion.
    move = (tp / positives - above) * negatives / (steep * positives)
    by_hit = by_hit + fp / (tp + fp) ** 2 * (tp / positives - above) - tp / (tp + fp) ** 2 * move
    assert float(metric(table.counted)) == pytest.approx(tp / (tp + fp))
    found = metric.gradient(table.counts_class(cells)).reshape(cells.shape)
    assert found[:, 0] == pytest.approx(by_error)
    assert found[:, 1] == pytest.approx(by_hit)


def test_one_case_is_smoothed_like_a_known_distribution():
    """The width of the smoothing is widest for one case; a distribution that is known has none, and the same width."""
    counts = np.array([[9.0, 1], [20, 4], [7, 6], [3, 15], [2, 11], [1, 16]])
    assert roc_slope(counts, 0).tolist() == roc_slope(counts, 1).tolist()
    assert np.abs(roc_slope(counts, 2) / roc_slope(counts, 1) - 1).max() > 0.01


def test_positive_cases_below_all_others_have_the_precision_of_all_cases():
    """If the lowest score contains every positive case, all cases are needed to find one: 2 of 7."""
    table = hs.scores([0, 0, 0, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.6, 0.1, 0.1, 0.1])
    assert hs.estimate(table, "precision_at+recall=0.5").value == pytest.approx(2 / 7)


@pytest.mark.parametrize("size", [60, 500])
def test_the_slope_of_the_roc_curve_is_smoothed_along_the_ranks(size):
    """The share of positive cases along the ranks is that of a normal kernel, reflected at both ends."""
    truth, score = sample(4, size)
    cells = hs.scores(truth, score).counts
    mass = cells.sum(1)
    rank = np.minimum(((np.cumsum(mass) - mass / 2) / size * RANKS).astype(int), RANKS - 1)
    width = BANDWIDTH * size**-0.2 * RANKS
    negatives, positives = (
        ndimage.gaussian_filter1d(np.bincount(rank, each, RANKS), width, mode="reflect", truncate=12)
        + each.sum() / RANKS * 1e-3
        for each in cells.T
    )
    expected = (positives / negatives)[rank] * cells[:, 0].sum() / cells[:, 1].sum()
    assert roc_slope(cells, size) == pytest.approx(expected, rel=2e-3)

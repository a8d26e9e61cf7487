"""Ranking metrics equal scikit-learn's, and DeLong's interval its definition."""

from dataclasses import replace

import confidenceinterval as ci
import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

import howsure as hs
from howsure.methods.core.standard_errors import standard_error
from howsure.methods.library import METHODS
from howsure.metrics.binding import resolve


def data(seed, rows=None):
    """Return labels and scores with ties, and weights for every other seed."""
    rng = np.random.default_rng(seed)
    rows = rows or int(rng.integers(20, 300))
    true = (rng.random(rows) < rng.uniform(0.2, 0.7)).astype(int)
    true[:2] = 0, 1
    score = np.round(rng.normal(true, 1.0), int(rng.integers(0, 4)))
    return true, score, rng.exponential(size=rows) if seed % 2 else None


@pytest.mark.parametrize("seeds", [range(30), pytest.param(range(30, 300), marks=pytest.mark.thorough)])
def test_values_equal_scikit_learns(seeds):
    """ROC AUC and average precision equal scikit-learn's on hundreds of data sets with ties and weights."""
    for seed in seeds:
        true, score, weight = data(seed)
        for name in ("roc_auc_score", "average_precision_score"):
            expected = getattr(sk, name)(true, score, sample_weight=weight)
            assert getattr(hs, name)(true, score, sample_weight=weight).value == pytest.approx(expected, abs=1e-12)


def test_delong_equals_its_definition():
    """The variance equals the O(n²) definition over all pairs of a positive and a negative case, to 1e-10."""
    for seed in range(0, 60, 2):
        true, score, _ = data(seed)
        positive, negative = score[true == 1], score[true == 0]
        if min(len(positive), len(negative)) < 2:
            continue
        wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
        variance = wins.mean(1).var(ddof=1) / len(positive) + wins.mean(0).var(ddof=1) / len(negative)
        estimate = hs.roc_auc_score(true, score)
        assert estimate.standard_error == pytest.approx(np.sqrt(variance), rel=1e-10)
        if 0 < estimate.value < 1 and variance > 0:
            plain = hs.roc_auc_score(true, score, method="delong_wald")
            half = stats.norm.ppf(0.975) * np.sqrt(variance)
            assert [plain.low, plain.high] == pytest.approx([plain.value - half, plain.value + half])


def test_plain_delong_gives_the_peers_numbers():
    """On distinct scores, `delong_wald` gives confidenceinterval's interval."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, 400)
    score = rng.normal(true)
    theirs, limits = ci.roc_auc_score(true, score, confidence_level=0.95)
    ours, interval = hs.roc_auc_score(true, score, confidence_level=0.95, method="delong_wald")
    assert ours == pytest.approx(theirs, abs=1e-6)  # its ranks are single precision
    assert interval == pytest.approx(tuple(limits), abs=1e-6)


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_slopes_are_derivatives(metric):
    """The closed-form slopes equal central differences."""
    true, score, _ = data(4, 60)
    table = hs.scores(true, score)
    bound = resolve(metric, table)
    gradient = bound.gradient(type("C", (), {"cells": table.counts})())
    for cell in np.ndindex(table.counts.shape):
        up, down = table.counts + 0.5, table.counts + 0.5
        up[cell] += 1e-5
        down[cell] -= 1e-5
        expected = (bound(up) - bound(down)) / 2e-5
        shifted = bound.gradient(type("C", (), {"cells": table.counts + 0.5})())
        assert shifted[cell] == pytest.approx(float(expected), rel=1e-5, abs=1e-9)
    assert (table.counts * gradient).sum() == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
@pytest.mark.parametrize("design", ["simple", "weighted", "clusters"])
def test_bootstrap_agrees_with_the_delta_method(metric, design):
    """On a large sample the bootstrap's standard error is the delta method's, in each design."""
    rng = np.random.default_rng(3)
    true = (rng.random(5000) < 0.3).astype(int)
    score = np.round(rng.normal(true, 1.2), 2)
    extra = {
        "weighted": {"sample_weight": rng.integers(1, 4, 5000)},
        "clusters": {"groups": rng.integers(0, 900, 5000)},
    }
    table = hs.scores(true, score, **extra.get(design, {}))
    drawn = hs.estimate(table, metric, method=hs.methods.Bootstrap("percentile", 1500), random_state=0)
    assert drawn.standard_error == pytest.approx(standard_error(resolve(metric, table), table), rel=0.08)


def test_logit_delong_covers_in_small_samples():
    """With ten positives among fifty, the interval covers at least at its level (a short seeded sample)."""
    rng = np.random.default_rng(8)
    truth = np.repeat([0, 1], [40, 10])
    for area in (0.7, 0.9):
        shift = np.sqrt(2) * stats.norm.ppf(area)
        score = rng.normal(shift * truth, size=(600, 50))
        # An area depends only on the order of the scores, so all samples may have the same ones.
        ranked = np.eye(2)[truth[score.argsort(1)]]
        table = replace(hs.scores(truth, np.arange(50)), counts=ranked, rows=-1)
        found = METHODS["delong"].method().interval(resolve("roc_auc", table), table, 0.95)
        assert ((found.low <= area) & (area <= found.high)).mean() > 0.93


def test_threshold_gives_the_confusion_table():
    """At a threshold, cases with at least that score are predicted positive, in every design."""
    true, score, weight = data(5)
    groups = np.arange(len(true)) // 3
    for extra in ({}, {"sample_weight": weight}, {"groups": groups}):
        table = hs.scores(true, score, **extra).at(0.5)
        expected = hs.confusion(true, (score >= 0.5).astype(int), **extra)
        assert np.allclose(table.counts, expected.counts)
        for metric in ("f1", "mcc"):
            ours, theirs = hs.estimate(table, metric), hs.estimate(expected, metric)
            assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))


PROBABILITIES = [0.1, 0.4, 0.35, 0.8]
REFUSED = "all scores lie from 0 to 1"


@pytest.mark.parametrize("threshold", [1.5, -0.01])
def test_a_threshold_that_no_probability_reaches_is_refused(threshold):
    """For scores from 0 to 1 a finite threshold outside them is refused everywhere, and infinity is recommended."""
    table = hs.scores([0, 0, 1, 1], PROBABILITIES)
    groups = hs.scores([0, 0, 1, 1], PROBABILITIES, by=["a", "b", "a", "b"])
    unlabelled = hs.calibrated(PROBABILITIES)
    by_chunk = hs.calibrated(PROBABILITIES, by=["a", "b", "a", "b"])
    for given in (table, groups, unlabelled, by_chunk):
        for ask in (
            lambda given: given.at(threshold),
            lambda given: hs.estimate(given, "f1", threshold=threshold),
            lambda given: hs.evaluate(given, ["f1", "roc_auc"], threshold=threshold),
        ):
            with pytest.raises(hs.HowsureError, match=f"{REFUSED}.* inf to predict no case positive, -inf"):
                ask(given)
    with pytest.raises(hs.HowsureError, match=REFUSED):
        hs.suitable_methods(table, "f1", threshold=threshold)
    with pytest.raises(hs.HowsureError, match=REFUSED):
        hs.shift.miscalibration(unlabelled, "f1", threshold=threshold, shift=0.1)
    with pytest.raises(hs.HowsureError, match=REFUSED):
        hs.monitor(by_chunk, "f1", threshold=threshold)
    with pytest.raises(hs.HowsureError, match=REFUSED):
        hs.paired_scores([0, 0, 1, 1], {"A": PROBABILITIES, "B": [3, 2, 4, 1]}).model("A").at(threshold)


def test_a_threshold_in_per_cent_leads_to_its_fraction():
    """A threshold of 50 is taken for 50 %."""
    with pytest.raises(hs.HowsureError, match=f"{REFUSED}. Did you mean 0.5"):
        hs.scores([0, 0, 1, 1], PROBABILITIES).at(50)


@pytest.mark.parametrize("metrics", [["recall", "roc_auc"], ["roc_auc", "recall"]])
def test_a_threshold_of_groups_is_for_the_metrics_that_count(metrics):
    """Areas of groups are computed together, beside metrics at a threshold; alone they refuse it."""
    tables = hs.scores([0, 1, 1, 0] * 3, np.arange(12.0) % 7, by=[*"aabb"] * 3)
    found = hs.evaluate(tables, metrics, threshold=3.0)
    for name, alone in tables.items():
        assert [each.value for each in found[name].values()] == [
            each.value for each in hs.evaluate(alone, metrics, threshold=3.0).values()
        ]
    for ask in (hs.estimate, lambda given, metric, **settings: hs.evaluate(given, [metric], **settings)):
        with pytest.raises(hs.HowsureError, match="uses all scores"):
            ask(tables, "roc_auc", threshold=3.0)


def test_infinity_predicts_none_or_all_and_the_ends_are_thresholds():
    """Infinity and minus infinity predict none and all; 0 and 1 are valid, and other scores allow any threshold."""
    table = hs.scores([0, 0, 1, 1], PROBABILITIES)
    assert table.at(np.inf).counts.tolist() == [[2, 0], [2, 0]] == table.at(1).counts.tolist()
    assert table.at(-np.inf).counts.tolist() == [[0, 2], [0, 2]] == table.at(0).counts.tolist()
    assert hs.estimate(table, "recall", threshold=-np.inf).value == 1.0
    assert hs.scores([0, 0, 1, 1], [-1, 0.4, 0.35, 0.8]).at(1.5).counts.tolist() == [[2, 0], [2, 0]]


def test_a_probability_as_threshold_of_logarithms_has_a_warning():
    """No log-probability reaches one half, so that every case would be negative; the logarithm of the threshold is given."""
    table = hs.scores([0, 0, 1, 1], np.log(PROBABILITIES))
    with pytest.warns(
        hs.HowsureWarning, match=r"logarithms of probabilities, it seems, of which that of 0.5 is -0.6931"
    ):
        assert table.at(0.5).counts.tolist() == [[2, 0], [2, 0]]
    assert table.at(np.log(0.5)).counts.tolist() == hs.scores([0, 0, 1, 1], PROBABILITIES).at(0.5).counts.tolist()


@pytest.mark.parametrize("threshold", ["0.5", None, [0.5], float("nan")])
def test_a_threshold_that_is_no_number_is_named(threshold):
    """A threshold that is not a number is refused, and shown."""
    with pytest.raises(hs.HowsureError, match="not a number"):
        hs.scores([0, 1], [0.1, 0.9]).at(threshold)


def test_groups_without_scores_have_no_threshold():
    """A threshold for groups of predictions gives a one-line error that states their kind."""
    with pytest.raises(hs.HowsureError, match="one score per case.*ConfusionTable"):
        hs.confusion([0, 1], [1, 0], by=["a", "b"]).at(0.5)


def test_all_groups_say_whether_scores_are_probabilities():
    """A group whose scores happen to be in [0, 1] has the thresholds of all, in estimates and in a report."""
    true, score, site = [0, 1] * 4, [-2, 2, -1, 3, 0.1, 0.9, 0.2, 0.8], ["a"] * 4 + ["b"] * 4
    tables = hs.scores(true, score, by=site)
    assert tables.at(1.5)["b"].counts.tolist() == [[2, 0], [2, 0]]
    found = hs.evaluate(tables, ["recall", "roc_auc"], threshold=1.5)
    assert (found["a"]["recall"].value, found["b"]["recall"].value) == (1.0, 0.0)
    assert hs.report_of(found).to_html()
    rng = np.random.default_rng(0)
    labelled = rng.normal(size=60)
    calibrator = hs.calibrate(labelled, labelled + rng.normal(size=60) > 0, method="platt", random_state=0)
    assert hs.calibrated(score, by=site, calibrator=calibrator).at(1.5)["b"].counts[:, 1].tolist() == [0, 0]


def test_thresholds_that_are_found_are_thresholds():
    """What curves, the best threshold and a calibrator give as a threshold is one of the table."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, 80)
    score = rng.random(80).round(2)
    table = hs.scores(true, score)
    for curve in (hs.roc_curve(table), hs.precision_recall_curve(table), *hs.threshold_curves(table, "f1").values()):
        for threshold in curve.columns.get("threshold", curve.x):
            assert table.at(threshold).rows == 80
    assert table.at(hs.optimal_threshold(table, n_resamples=39, random_state=0).threshold.value)
    for method in ("platt", "isotonic", "venn_abers", "beta"):
        calibrator = hs.calibrate(score, rng.random(80) < 0.3 + 0.2 * score, method=method, random_state=0)
        unlabelled = hs.calibrated(score, calibrator=calibrator)
        for probability in (0.001, 0.4, 0.999):
            assert unlabelled.at(calibrator.threshold(probability)).rows == 80


def test_bca_of_the_area_and_of_many_rows_stays_small():
    """BCa needs one jackknife value a cell: an area of 400 cases and F1 of 100,000 rows take a moment."""
    true, score, _ = data(6, 400)
    area = hs.roc_auc_score(true, score, method="bootstrap_bca", n_resamples=500, random_state=0)
    assert area.low < area.value < area.high
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 100_000)
    guess = np.where(rng.random(100_000) < 0.9, labels, 1 - labels)
    f1 = hs.f1_score(labels, guess, method="bootstrap_bca", random_state=0)
    wald = hs.f1_score(labels, guess, method="wald")
    assert (f1.low, f1.high) == pytest.approx((wald.low, wald.high), abs=2e-4)


class TestDegenerate:
    """Perfect, constant, missing and one-class scores."""

    def test_perfect_separation(self):
        """At an area of 1 the interval ends there, with positive width."""
        truth = [0] * 12 + [1] * 8
        estimate = hs.roc_auc_score(truth, np.arange(20))
        assert (estimate.value, estimate.high) == (1, 1)
        assert 0.5 < estimate.low < 0.9
        one_sided = hs.roc_auc_score(truth, np.arange(20), method="delong")
        assert one_sided.low == pytest.approx(0.025 ** (1 / 8))
        assert "one-sided" in one_sided.reason

    def test_constant_scores(self):
        """Equal scores give an area of one half and no claim beyond that."""
        estimate = hs.roc_auc_score([0, 1, 0, 1], [0.3] * 4)
        assert estimate.value == 0.5
        assert np.isnan(estimate.low)
        assert estimate.reason

    @pytest.mark.parametrize(
        "true, score, words",
        [
            ([0, 1, 1], [0.1, np.nan, 0.3], "1 missing or infinite values .first at row 1"),
            ([0, 1, 1], [0.1, np.inf, 0.3], "infinite"),
            ([0, 1, 2], [0.1, 0.2, 0.3], "3 classes"),
            ([0, 1], [0.1, 0.2, 0.3], "differ in length"),
            ([0, 1], [[0.1, 0.9], [0.2, 0.8]], r"y_score\[:, 1\]"),
            ([0, 1], ["a", "b"], "not numeric"),
        ],
    )
    def test_bad_input(self, true, score, words):
        """Missing, infinite, one-class and ill-shaped input have clear errors."""
        with pytest.raises(hs.HowsureError, match=words):
            hs.roc_auc_score(true, score)

    def test_unfit_requests(self):
        """Metrics of counts need a threshold, and DeLong is for the area alone."""
        table = hs.scores([0, 1, 1, 0], [0.1, 0.8, 0.6, 0.7])
        with pytest.raises(hs.HowsureError, match=r"no metric 'auuc'\. Did you mean 'auc'"):
            hs.estimate(table, "auuc")
        with pytest.raises(hs.HowsureError, match="DeLong"):
            hs.estimate(table, "average_precision", method="delong")


def test_numbers_of_the_wrong_kind_are_named():
    """Lists for a threshold, words for numbers and distributions without parameters are refused, not crashed on."""
    table = hs.scores([0, 1, 1], [0.1, 0.5, 0.9])
    for call, words in (
        (lambda: table.at([0.5]), "threshold"),
        (lambda: hs.calibrated(stats.beta), "frozen"),
        (lambda: hs.calibrated(stats.beta(2, 3), n="many"), "`n` must be a whole number"),
        (lambda: hs.calibrate([0.1, 0.2, 0.3], [0, 1, 1], n_draws="many"), "`n_draws` must be a whole number"),
        (lambda: hs.calibrated([0.1, 0.2], every=1.5), "`every`"),
        (lambda: hs.methods.Bootstrap(n_resamples="many"), "`n_resamples` must be a whole number"),
    ):
        with pytest.raises(hs.HowsureError, match=words):
            call()

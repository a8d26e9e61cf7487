"""Labels with known or measured error rates."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.errors import HowsureError

# R 4.2.2, epiR 2.0.57: epi.prev(pos, tested, se, sp, method, units = 1, conf.level)$tp, which does not truncate.
EPIR = [
    ("wilson", 0.95, 4, 80, 0.90, 0.98, 0.034090909, -0.000439143, 0.115480411),
    ("wilson", 0.95, 37, 120, 0.85, 0.93, 0.305555556, 0.208624833, 0.417730740),
    ("wilson", 0.90, 150, 200, 0.95, 0.80, 0.733333333, 0.662034840, 0.795733720),
    ("clopper_pearson", 0.95, 37, 120, 0.85, 0.93, 0.305555556, 0.201609128, 0.421970211),
    ("clopper_pearson", 0.90, 150, 200, 0.95, 0.80, 0.733333333, 0.659376858, 0.799769006),
    ("clopper_pearson", 0.95, 1, 90, 0.80, 0.95, -0.051851852, -0.066291641, 0.013809974),
]
TRUE = np.array([[0.65, 0.05], [0.06, 0.24]])
LABELLING = np.array([[0.95, 0.05], [0.12, 0.88]])

REVIEW = [[[9, 1], [1, 2]], [[2, 2], [0, 8]]]


@pytest.mark.parametrize("row", EPIR)
def test_known_rates_give_the_limits_of_epir(row) -> None:
    """With known rates the limits of the apparent prevalence are transformed, and clipped to [0, 1]."""
    method, level, positive, n, sensitivity, specificity, value, low, high = row
    estimate = hs.labels.corrected_prevalence(
        positive, n, sensitivity=sensitivity, specificity=specificity, method=method, confidence_level=level
    )
    assert estimate.value == pytest.approx(max(value, 0), abs=1e-8)
    assert estimate.low == pytest.approx(max(low, 0), abs=1e-8)
    assert estimate.high == pytest.approx(high, abs=1e-8)
    assert bool(estimate.reason) == (value < 0)


@pytest.mark.parametrize(
    "positive, n, sensitivity, specificity, level, low, high",
    [
        # The equations of Lang and Reiczigel (2014), 6, 7, 4 with primes, 16 and 17, written out in R 4.2.2.
        (20, 100, (27, 30), (28, 30), 0.95, 0, 0.287302979),
        (37, 120, (85, 100), (186, 200), 0.95, 0.198698970, 0.428263955),
        (150, 200, (57, 60), (64, 80), 0.90, 0.651368157, 0.832191522),
        (4, 80, (45, 50), (97, 100), 0.95, 0, 0.112836302),
    ],
)
def test_measured_rates_give_lang_and_reiczigels_limits(
    positive, n, sensitivity, specificity, level, low, high
) -> None:
    """Where rates were measured, their own sampling error widens the interval as published."""
    estimate = hs.labels.corrected_prevalence(
        positive, n, sensitivity=sensitivity, specificity=specificity, confidence_level=level
    )
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=1e-8)
    assert estimate.method == "lang_reiczigel"
    known = hs.labels.corrected_prevalence(
        positive,
        n,
        sensitivity=sensitivity[0] / sensitivity[1],
        specificity=specificity[0] / specificity[1],
        confidence_level=level,
    )
    assert known.value == estimate.value
    assert known.standard_error < estimate.standard_error


@pytest.mark.parametrize("positive, sensitivity, specificity", [(10, 1.0, (1, 1)), (0, (1, 1), 1.0), (0, (3, 4), 1.0)])
def test_limits_hold_the_estimate(positive, sensitivity, specificity) -> None:
    """The interval's centre differs from the estimate; if the interval excludes the estimate, it is extended."""
    found = hs.labels.corrected_prevalence(positive, 10, sensitivity=sensitivity, specificity=specificity)
    assert found.value == positive / 10
    assert found.low <= found.value <= found.high


def test_lang_and_reiczigels_interval_covers_as_it_says() -> None:
    """In 2,000 studies with few validated cases, 95 % intervals cover the prevalence in 95 % or slightly more."""
    rng = np.random.default_rng(3)
    share, sensitivity, specificity = 0.15, 0.85, 0.93
    apparent = share * sensitivity + (1 - share) * (1 - specificity)
    hits = 0
    for _ in range(2000):
        estimate = hs.labels.corrected_prevalence(
            int(rng.binomial(150, apparent)),
            150,
            sensitivity=(int(rng.binomial(40, sensitivity)), 40),
            specificity=(int(rng.binomial(60, specificity)), 60),
        )
        hits += estimate.low <= share <= estimate.high
    assert 0.94 < hits / 2000 < 0.985


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"sensitivity": 0.4, "specificity": 0.55}, "add up to no more than 1"),
        ({"sensitivity": 1.2, "specificity": 0.9}, "`sensitivity` is 1.2"),
        ({"sensitivity": (12, 10), "specificity": 0.9}, "`sensitivity` is \\(12, 10\\)"),
        ({"sensitivity": (8, 10), "specificity": 0.9, "method": "wilson"}, "these were measured"),
        ({"sensitivity": 0.9, "specificity": 0.9, "method": "delta"}, "one for a proportion"),
    ],
)
def test_impossible_rates_are_refused(arguments, words) -> None:
    """Impossible or uninformative rates, and inapplicable methods, give a one-line error."""
    with pytest.raises(HowsureError, match=words):
        hs.labels.corrected_prevalence(20, 100, **arguments)


def test_the_corrected_table_solves_the_errors_of_the_labels() -> None:
    """Counts that follow the model exactly are turned back into the true ones, and into their metrics."""
    labelling = np.array([[0.9, 0.08, 0.02], [0.05, 0.9, 0.05], [0.1, 0.02, 0.88]])
    true = np.array([[400.0, 30, 20], [25, 300, 10], [5, 40, 170]])
    recorded = hs.tables.ConfusionTable(counts=labelling.T @ true, labels=np.arange(3))
    table = hs.labels.corrected(recorded, labelling=labelling)
    np.testing.assert_allclose(table.counts, true)
    for metric in ("accuracy", "f1@macro", "mcc"):
        assert hs.estimate(table, metric).value == pytest.approx(hs.estimate(hs.from_counts(true), metric).value)


def test_perfect_labels_change_nothing() -> None:
    """Where labels are known never to err, values and standard errors are those of the plain table."""
    plain = hs.from_counts([[843, 67], [42, 148]])
    table = hs.labels.corrected(plain, sensitivity=1.0, specificity=1.0)
    for metric in ("accuracy", "recall", "f1", "mcc"):
        ours, theirs = hs.estimate(table, metric, method="delta"), hs.estimate(plain, metric, method="delta")
        assert ours.value == pytest.approx(theirs.value)
        assert ours.standard_error == pytest.approx(theirs.standard_error)


@pytest.mark.thorough
@pytest.mark.parametrize("metric", ["accuracy", "recall", "precision", "f1", "mcc"])
def test_delta_resamples_and_posterior_agree(metric) -> None:
    """With much data the standard errors by delta, repetition of the study, resampling and Gibbs agree."""
    rng = np.random.default_rng(0)
    joint = np.einsum("ij,ik->ikj", TRUE, LABELLING)
    values = []
    n, checked = 20_000, 2_000
    for _ in range(1500):
        cells = rng.multinomial(n, joint.ravel()).reshape(2, 2, 2).sum(0)
        measured = np.array([rng.multinomial(checked, row) for row in LABELLING])
        rates = measured / checked
        values.append(_value(metric, rates, cells))
    literal = np.std(values)
    table = hs.labels.corrected(hs.from_counts(np.round(n * joint.sum(0))), labelling=checked * LABELLING)
    for method in ("delta", "bootstrap_percentile", "bayes"):
        assert hs.estimate(table, metric, method=method, random_state=1).standard_error == pytest.approx(
            literal, rel=0.1
        )


def _value(metric: str, rates: np.ndarray, cells: np.ndarray) -> float:
    (tn, fp), (fn, tp) = np.linalg.solve(rates.T, cells)
    return {
        "accuracy": (tp + tn) / (tp + tn + fp + fn),
        "recall": tp / (tp + fn),
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "mcc": (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
    }[metric]


def test_clusters_of_recorded_cases_stay_clusters() -> None:
    """The design of the recorded cases is kept: cases in identical pairs count half."""
    rng = np.random.default_rng(5)
    cells = rng.choice(4, size=600, p=[0.55, 0.12, 0.08, 0.25])
    twice = np.repeat(cells, 2)
    table = hs.confusion(twice // 2, twice % 2, groups=np.repeat(np.arange(600), 2))
    once = hs.confusion(cells // 2, cells % 2)
    tables = [hs.labels.corrected(each, sensitivity=0.9, specificity=0.95) for each in (table, once)]
    for method, tolerance in (("delta", 2e-3), ("bootstrap_percentile", 0.05), ("bayes", 0.05)):  # G / (G - 1)
        errors = [hs.estimate(each, "f1", method=method, random_state=0).standard_error for each in tables]
        assert errors[0] == pytest.approx(errors[1], rel=tolerance), method


def test_negative_counts_are_cut_and_said() -> None:
    """With more expected than observed errors the cell is 0, the estimate has a note, and the interval is in range."""
    table = hs.labels.corrected(hs.from_counts([[180, 9], [2, 60]]), sensitivity=0.9, specificity=0.95)
    assert table.counts[1, 0] == 0
    for method in (None, "delta", "bootstrap_percentile", "bayes"):
        estimate = hs.estimate(table, "recall", method=method, random_state=0)
        assert "set to zero" in estimate.reason
        assert 0 <= estimate.low < estimate.high <= 1


def test_score_intervals_refuse_estimated_counts() -> None:
    """Wilson's interval needs counted cases; the error names an alternative."""
    table = hs.labels.corrected(hs.from_counts([[843, 67], [42, 148]]), sensitivity=0.9, specificity=0.98)
    with pytest.raises(HowsureError, match="counts are estimates"):
        hs.estimate(table, "recall", method="wilson")
    with pytest.raises(HowsureError, match="counts are estimates"):
        hs.estimate(table, "recall@macro", method="mover")


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({}, "Give `sensitivity` and `specificity`"),
        ({"sensitivity": 0.9, "specificity": 0.9, "labelling": np.eye(2)}, "one or the other"),
        ({"labelling": np.eye(3)}, "has shape \\(3, 3\\) for 2 classes"),
        ({"labelling": [[0.5, 0.5], [0.5, 0.5]]}, "cannot be inverted"),
        ({"labelling": [[0.5, 0.6], [0.1, 0.9]]}, "add up to 1"),
        ({"labelling": [[9, 1], [1, 8.5]]}, "or of whole numbers"),
        ({"labelling": [[0, 0], [1, 9]]}, "an empty row"),
        ({"labelling": [[9, -1], [1, 9]]}, "negative"),
    ],
)
def test_impossible_labellings_are_refused(arguments, words) -> None:
    """Matrices that are not shares or counts, or are singular, give a one-line error."""
    with pytest.raises(HowsureError, match=words):
        hs.labels.corrected(hs.from_counts([[50, 3], [5, 42]]), **arguments)


def test_a_corrected_table_is_not_corrected_again() -> None:
    """Correcting twice is refused."""
    table = hs.labels.corrected(hs.from_counts([[50, 3], [5, 42]]), sensitivity=0.99, specificity=0.99)
    with pytest.raises(HowsureError, match="already"):
        hs.labels.corrected(table, sensitivity=0.99, specificity=0.99)


@pytest.mark.thorough
def test_corrected_metrics_cover_where_recorded_ones_fail() -> None:
    """In 250 studies with 7 % wrong labels, corrected 95 % intervals cover; uncorrected ones mostly do not."""
    rng = np.random.default_rng(11)
    joint = np.einsum("ij,ik->ikj", TRUE, LABELLING)
    metrics = ("accuracy", "recall", "f1@macro")
    truth = {metric: hs.estimate(hs.from_counts(TRUE * 100), metric).value for metric in metrics}
    recorded = rng.multinomial(500, joint.ravel(), 250).reshape(-1, 2, 2, 2).sum(1)
    covered = dict.fromkeys(metrics, 0)
    for counts in recorded:
        measured = np.array([rng.multinomial(100, row) for row in LABELLING])
        found = hs.evaluate(hs.labels.corrected(hs.from_counts(counts), labelling=measured), list(metrics))
        for metric, each in found.items():
            covered[metric] += each.low <= truth[metric] <= each.high
    for metric in metrics:
        plain = hs.estimate(hs.from_counts(recorded), metric)
        assert 0.91 < covered[metric] / 250 < 0.995, metric
        assert ((plain.low <= truth[metric]) & (truth[metric] <= plain.high)).mean() < 0.5, metric


@pytest.mark.thorough
def test_credible_intervals_of_estimated_counts_leave_equal_probability_on_both_sides() -> None:
    """For estimated counts highest-density intervals cover too little, so quantiles are the default."""
    recorded = hs.from_counts([[430, 30], [25, 60]])
    table = hs.labels.corrected(recorded, sensitivity=(90, 100), specificity=(95, 100))
    found = hs.estimate(table, "recall", method=hs.methods.Dirichlet(n_draws=2000), random_state=0)
    assert [found.low, found.high] == pytest.approx(np.quantile(found.draws, [0.025, 0.975]))
    shortest = hs.estimate(table, "recall", method=hs.methods.Dirichlet(n_draws=2000, credible="hdi"), random_state=0)
    assert shortest.high - shortest.low < found.high - found.low
    counted = hs.estimate(recorded, "recall", method="bayes", random_state=0)
    assert [counted.low, counted.high] != pytest.approx(np.quantile(counted.draws, [0.025, 0.975]), abs=1e-4)


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda table: hs.labels.corrected(hs.reviewed(table.counts, REVIEW), sensitivity=0.9, specificity=0.9),
            "already",
        ),
        (lambda table: hs.labels.corrected(table.counts, sensitivity=0.9, specificity=0.9), "takes a confusion table"),
        (lambda table: hs.labels.corrected(table, labelling=[[0.1, 0.9], [0.8, 0.2]]), "classes swapped"),
        (lambda table: hs.labels.corrected(table, labelling="x"), "no matrix of numbers"),
        (lambda table: hs.labels.corrected(table, sensitivity="high", specificity=0.9), "`sensitivity` is 'high'"),
        (
            lambda table: hs.labels.corrected_prevalence("3", table.rows, sensitivity=0.9, specificity=0.9),
            "two whole numbers",
        ),
        (lambda table: hs.labels.review_plan(table.counts, "f1", budget=5), "needs a confusion table"),
    ],
)
def test_what_is_no_table_or_no_rate_is_refused(call, words) -> None:
    """Counts for a table, a table that was corrected by a review, words for numbers: one clear line each."""
    with pytest.raises(hs.HowsureError, match=words):
        call(hs.from_counts([[50, 5], [6, 40]]))


@pytest.mark.parametrize("more", [{"sensitivity": 0.9}, {"specificity": 0.8}, {"sensitivity": 0.9, "specificity": 0.8}])
def test_a_labelling_and_its_rates_are_not_given_together(more):
    """Either of the two rates together with the matrix is refused."""
    with pytest.raises(HowsureError, match="Give one or the other"):
        hs.labels.corrected(hs.from_counts([[50, 3], [5, 42]]), labelling=[[0.9, 0.1], [0.2, 0.8]], **more)


@pytest.mark.parametrize("checked", [None, (50, 30)])
def test_corrected_prevalence_has_the_closed_form_and_error(checked):
    """Rogan and Gladen's prevalence, and its error, with a case more of each kind where the rates were measured."""
    sensitivity, specificity, positive, n = 0.8, 0.9, 62, 200
    rates = np.array([[specificity, 1 - specificity], [1 - sensitivity, sensitivity]])
    labelling = rates if checked is None else np.round(rates * np.array(checked)[:, None])
    counts = [[78, 60], [30, 32]]  # recorded × predicted
    found = hs.estimate(hs.labels.corrected(hs.from_counts(counts), labelling=labelling), "prevalence")
    apart, apparent = sensitivity + specificity - 1, positive / n
    prevalence = (apparent + specificity - 1) / apart
    variance = apparent * (1 - apparent) / n
    if checked is not None:
        for weight, cases, right in ((1 - prevalence, 50, 45), (prevalence, 30, 24)):
            share = (right + 1) / (cases + 2)
            variance += weight**2 * share * (1 - share) / (cases + 2)
    assert found.value == pytest.approx(prevalence)
    assert found.standard_error == pytest.approx(np.sqrt(variance) / apart)
    if checked is None:
        same = hs.labels.corrected(hs.from_counts(counts), sensitivity=sensitivity, specificity=specificity)
        assert hs.estimate(same, "prevalence").value == pytest.approx(prevalence)


@pytest.mark.parametrize("positive, formula", [(8, "-0.04"), (80, "1.4")])
def test_a_share_beyond_the_range_is_told_on_either_side(positive, formula):
    """If fewer or more are recorded than errors alone produce, the formula's value is reported, and the end is used."""
    found = hs.labels.corrected_prevalence(positive, 100, sensitivity=0.6, specificity=0.9)
    assert found.value == float(positive > 50)
    assert f"the formula gives {formula}: more errors are expected" in found.reason


def test_a_rate_of_no_checked_case_is_none():
    """Zero right of zero checked is refused, as is a share beyond 1; one of one is a rate."""
    table = hs.from_counts([[50, 3], [5, 42]])
    for rate in ((0, 0), (3, 2), 1.2):
        with pytest.raises(HowsureError, match="`sensitivity` is"):
            hs.labels.corrected(table, sensitivity=rate, specificity=0.9)
    assert np.isfinite(hs.estimate(hs.labels.corrected(table, sensitivity=(1, 1), specificity=0.9), "recall").value)


@pytest.mark.parametrize("checked, is_said", [(40, True), (79, True), (80, False), (None, False)])
def test_error_rates_of_few_cases_are_said(checked, is_said):
    """Rates measured on fewer than 160 cases carry a note that names both numbers; known rates do not."""
    rates = (0.9, 0.95) if checked is None else ((round(0.9 * checked), checked), (round(0.95 * checked), checked))
    table = hs.labels.corrected(hs.from_counts([[180, 20], [30, 70]]), sensitivity=rates[0], specificity=rates[1])
    reason = hs.estimate(table, "accuracy").reason
    assert ("check 160 or more" in reason) is is_said
    assert (f"measured on {2 * (checked or 0)} cases" in reason) is is_said


def test_a_single_case_has_a_prevalence():
    """One case of one has the share 1, corrected within 0 and 1, with known rates and with measured ones."""
    for rates in ({"sensitivity": 0.9, "specificity": 0.8}, {"sensitivity": (9, 10), "specificity": (8, 10)}):
        found = hs.labels.corrected_prevalence(1, 1, **rates)
        assert found.value == 1
        assert 0 <= found.low < found.high <= 1
        with pytest.raises(hs.HowsureError, match="two whole numbers"):
            hs.labels.corrected_prevalence(0, 0, **rates)
    none = hs.labels.corrected_prevalence(0, 1, sensitivity=1.0, specificity=1.0)
    assert (none.value, none.low) == (0, 0)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_rates_at_the_ends_are_rates(rate):
    """A rate of 0 or 1 is one; with no more than chance in both the labels say nothing."""
    if rate:
        assert hs.labels.corrected_prevalence(3, 10, sensitivity=rate, specificity=rate).value == pytest.approx(0.3)
    else:
        with pytest.raises(hs.HowsureError, match="add up to no more than 1"):
            hs.labels.corrected_prevalence(3, 10, sensitivity=rate, specificity=1.0)

"""The same classifier where classes have other shares."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.errors import HowsureError

SOURCE = hs.from_counts([[900, 100], [50, 450]], labels=["ok", "fault"])
TARGET = {"ok": 8600, "fault": 1400}
THREE = np.array([[80, 15, 5], [10, 75, 15], [5, 10, 85]])
# Scores 0 … 4: labelled cases of either class, and cases of the target.
RANGES = np.array([[400, 250, 200, 100, 50], [20, 60, 100, 150, 170]])
SEEN = np.array([700, 450, 400, 250, 200])
Z = 1.959963984540054


def scored(counts=RANGES):
    """Return a table of scores 0 … 4 from counts by class."""
    sizes = counts.sum(1)
    return hs.scores(np.repeat([0, 1], sizes), np.concatenate([np.repeat(np.arange(5.0), row) for row in counts]))


def test_shares_solve_the_equations_of_black_box_shift_estimation():
    """The share is (0.14 − 0.1) / (0.9 − 0.1), as abstention 0.1.3.1's BBSEImbalanceAdapter(soft=False) gives it."""
    there = hs.transported(SOURCE, TARGET)
    assert there.counts.sum(1) / there.counts.sum() == pytest.approx([0.95, 0.05])
    assert there.counts[1] / there.counts[1].sum() == pytest.approx([0.1, 0.9])
    assert there.rows == 10_000
    assert hs.estimate(there, "precision").value == pytest.approx(0.05 * 0.9 / (0.05 * 0.9 + 0.95 * 0.1))


def test_the_prevalence_has_the_error_of_rogan_and_gladen():
    """For two classes, frequency and standard error are those of a prevalence corrected by measured rates."""
    found = hs.estimate(hs.transported(SOURCE, TARGET), "prevalence")
    other = hs.labels.corrected_prevalence(1400, 10_000, sensitivity=(450, 500), specificity=(900, 1000))
    assert (found.value, found.standard_error) == pytest.approx((other.value, other.standard_error))


def test_three_classes_are_solved_for():
    """For a target with known class frequencies, predicted as in the source, the frequencies are recovered."""
    shares = np.array([0.1, 0.3, 0.6])
    seen = 100_000 * shares @ (THREE / THREE.sum(1, keepdims=True))
    there = hs.transported(hs.from_counts(THREE, labels=list("abc"), check=False), dict(zip("abc", seen, strict=True)))
    assert there.counts.sum(1) / there.counts.sum() == pytest.approx(shares)


def test_labels_counts_and_frames_are_the_same_target():
    """Predicted labels, how many there are of each, and a column of a frame give one table."""
    column = np.repeat(["ok", "fault"], [8600, 1400])
    tables = [hs.transported(SOURCE, given) for given in (TARGET, column)]
    tables.append(hs.transported(SOURCE, "said", data={"said": column}))
    for table in tables[1:]:
        assert table.counts.tolist() == tables[0].counts.tolist()


def test_shares_by_scores_are_near_the_most_likely_ones():
    """Least squares differ from the most likely share, 0.1568 by abstention 0.1.3.1's EM, by little of its error."""
    found = hs.estimate(hs.transported(scored(), np.repeat(np.arange(5.0), SEEN)).at(2.5), "prevalence")
    assert found.value == pytest.approx(0.15676, abs=0.1 * found.standard_error)


def test_an_area_is_the_sources():
    """The area under the ROC curve does not depend on shares: estimate and standard error are those of the source."""
    source, there = scored(), hs.transported(scored(), np.repeat(np.arange(5.0), SEEN))
    one, other = hs.estimate(source, "roc_auc"), hs.estimate(there, "roc_auc")
    assert (other.value, other.standard_error) == pytest.approx((one.value, one.standard_error), rel=2e-3)
    assert np.isfinite([other.low, other.high]).all()


@pytest.mark.parametrize("faults", [800, 1080, 3000, 9000, 9800])
def test_rates_within_the_classes_are_as_well_known_as_in_the_source(faults):
    """Recall and odds ratio have the limits of the labelled cases, also for a class with frequency near or at 0."""
    there = hs.transported(SOURCE, {"ok": 10_000 - faults, "fault": faults})
    logit, error = np.log(9), np.sqrt(1 / 450 + 1 / 50)  # 450 of 500 are found
    recall = 1 / (1 + np.exp(-(logit + Z * error * np.array([-1, 1]))))
    odds = np.exp(np.log(81) + Z * np.sqrt(1 / 900 + 1 / 100 + error**2) * np.array([-1, 1]))  # Woolf
    for metric, limits in (("recall", recall), ("dor", odds)):
        found = hs.estimate(there, metric)
        assert (found.low, found.high) == pytest.approx(tuple(limits), rel=1e-6)


@pytest.mark.parametrize("metric", ["specificity", "recall@macro", "informedness", "g_mean", "lr_plus", "log_dor"])
def test_metrics_of_rates_within_the_classes_have_the_sources_interval(metric):
    """Also with scores and clusters: a class frequency near zero does not widen metrics that do not depend on it."""
    rng = np.random.default_rng(4)
    truth, groups = np.arange(600) % 2, np.arange(600) // 3
    source = hs.scores(truth, rng.normal(1.5 * truth), groups=groups)
    there = hs.transported(source, rng.normal(size=500)).at(0.75)
    found, own = hs.estimate(there, metric), hs.estimate(source.at(0.75), metric, method="delta")
    assert (found.value, found.low, found.high) == pytest.approx((own.value, own.low, own.high), rel=1e-3)


def test_equal_rates_do_not_make_accuracy_one_within_the_classes():
    """Where the classes' rates are equal by chance, accuracy still depends on the shares: they may differ."""
    assert hs.estimate(hs.transported(SOURCE, TARGET), "accuracy").method == "least_favourable"


@pytest.mark.parametrize("metric", ["prevalence", "accuracy", "f1", "precision", "recall", "mcc"])
def test_standard_errors_are_those_of_both_samples_drawn_anew(metric):
    """Standard errors equal the deviation over 2,000 repetitions of both samples, within 6 %."""
    rng = np.random.default_rng(0)
    rates, mixture = SOURCE.counts / SOURCE.counts.sum(1, keepdims=True), np.array([0.7, 0.3])
    design_totals = (1000, 500)
    values = []
    for _ in range(2000):
        drawn = np.stack([rng.multinomial(n, row) for n, row in zip(design_totals, rates, strict=True)])
        seen = rng.multinomial(2000, mixture @ rates) / 2000
        own = drawn / drawn.sum(1, keepdims=True)
        share = (seen[1] - own[0, 1]) / (own[1, 1] - own[0, 1])
        (tn, fp), (fn, tp) = np.array([1 - share, share])[:, None] * own
        values.append(
            {
                "prevalence": share,
                "accuracy": tp + tn,
                "f1": 2 * tp / (2 * tp + fp + fn),
                "precision": tp / (tp + fp),
                "recall": tp / (tp + fn),
                "mcc": (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
            }[metric]
        )
    expected = dict(zip(SOURCE.labels.tolist(), 2000 * mixture @ rates, strict=True))
    found = hs.estimate(hs.transported(SOURCE, expected), metric)
    assert found.standard_error == pytest.approx(np.std(values), rel=0.06)


def test_a_share_below_zero_is_set_to_nearly_zero_and_said():
    """If fewer are predicted positive than by errors alone, the frequency is nearly zero, with a note."""
    there = hs.transported(SOURCE, {"ok": 9200, "fault": 800})
    found = hs.evaluate(there, ["prevalence", "f1", "mcc", "recall"])
    assert found["prevalence"].value == pytest.approx(0, abs=1e-8)
    assert found["recall"].value == pytest.approx(0.9)
    for each in found.values():
        assert "below zero" in each.reason
        assert 0 <= each.low <= each.value <= each.high <= 1


@pytest.mark.parametrize("metric", ["precision", "accuracy", "f1", "mcc"])
def test_a_classifier_that_made_no_error_is_not_known_to_make_none(metric, tmp_path):
    """After 30 cases without an error, a share of about 3 / 30 is possible: 1.96 √2 / 30 with two pseudo-cases."""
    there = hs.transported(hs.from_counts([[30, 0], [0, 30]]), {0: 7000, 1: 3000})
    found = hs.estimate(there, metric)
    assert found.low < 0.97 < found.high == found.value == 1
    assert hs.estimate(hs.load(there.save(tmp_path / "there.json")), metric).low == found.low
    # The target's share has 0.3 · 0.7 / 10,000; an error in either class moves the estimate by its share over 30.
    error = np.sqrt(0.3 * 0.7 / 10_000 + 2 * (0.7**2 + 0.3**2) / 30**2)
    assert hs.estimate(there, "prevalence").standard_error == pytest.approx(error, rel=0.05)


def test_ranges_of_scores_without_a_case_of_a_class_are_not_known_to_have_none():
    """Scores that separate the labelled classes wholly leave open that they may not."""
    label = np.arange(200) % 2
    there = hs.transported(hs.scores(label, label + np.linspace(0, 0.5, 200)), np.linspace(0, 1.5, 1000))
    found = hs.estimate(there.at(0.75), "accuracy")
    assert found.low < 0.99 < found.high == 1


@pytest.mark.thorough
def test_label_shift_is_not_rejected_where_it_holds_and_is_where_it_does_not():
    """In 60 targets about 5 % are rejected under label shift, and nearly all if the class distributions differ."""
    rng = np.random.default_rng(1)
    label = np.arange(1000) % 2
    rejected = []
    for spread in (1.0, 1.5):
        p_values = []
        for _ in range(60):
            own = rng.random(2000) < 0.2
            source = hs.scores(label, rng.normal(1.5 * label))
            p_values.append(hs.shift.label_shift_test(source, rng.normal(1.5 * own, spread)).p_value)
        rejected.append(np.mean(np.array(p_values) < 0.05))
    assert rejected[0] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
    assert rejected[1] > 0.95


def test_one_range_more_than_classes_is_enough():
    """Three levels of scores leave one degree of freedom, and shift by classes alone leaves nothing over."""
    label, score = [0] * 60 + [1] * 60, [0.1] * 30 + [0.5] * 20 + [0.9] * 10 + [0.1] * 10 + [0.5] * 20 + [0.9] * 30
    source = hs.scores(label, score)
    found = hs.shift.label_shift_test(source, [0.1] * 80 + [0.5] * 80 + [0.9] * 80)  # equal numbers in both classes
    assert (found.degrees_of_freedom, found.statistic) == (1, pytest.approx(0, abs=1e-12))
    moved = hs.shift.label_shift_test(
        source, [0.1] * 60 + [0.5] * 120 + [0.9] * 60
    )  # a third of either class is in the middle
    assert moved.degrees_of_freedom == 1
    assert moved.p_value == pytest.approx(stats.chi2.sf(moved.statistic, 1), rel=1e-9)
    assert moved.p_value < 0.05


@pytest.mark.thorough
def test_the_interval_holds_the_truth():
    """In 80 studies with frequency 0.05 the intervals of prevalence, F1 and MCC cover in about 95 %."""
    rng = np.random.default_rng(2)
    rates, mixture = np.array([[0.9, 0.1], [0.15, 0.85]]), np.array([0.95, 0.05])
    truth = hs.evaluate(hs.from_counts(np.rint(1e6 * mixture[:, None] * rates)), ["prevalence", "f1", "mcc"])
    held = np.zeros(3)
    for _ in range(80):
        source = hs.from_counts(np.stack([rng.multinomial(500, row) for row in rates]))
        there = hs.transported(source, dict(enumerate(rng.multinomial(2000, mixture @ rates).tolist())))
        for place, (metric, each) in enumerate(truth.items()):
            found = hs.estimate(there, metric)
            held[place] += found.low <= each.value <= found.high
    assert (np.abs(held / 80 - 0.95) < 3.5 * np.sqrt(0.95 * 0.05 / 80)).all()


def sources():
    """Yield tables of every design that a labelled sample can have."""
    rng = np.random.default_rng(3)
    truth = np.arange(400) % 2
    predicted = np.where(rng.random(400) < 0.85, truth, 1 - truth)
    score = rng.normal(1.5 * truth)
    seen, target = rng.integers(0, 2, 300), rng.normal(1.5 * (np.arange(300) % 3 == 0))
    keywords = {
        "plain": {},
        "weights": {"sample_weight": rng.gamma(4, size=400)},
        "groups": {"groups": np.arange(400) // 4},
    }
    for name, each in keywords.items():
        yield f"confusion, {name}", hs.confusion(truth, predicted, **each), seen
        yield f"scores, {name}", hs.scores(truth, score, **each), target
    fixed = hs.confusion(truth, predicted)
    yield "fixed margins", fixed.with_design(hs.designs.FixedMargins()), seen


@pytest.mark.parametrize("name, table, target", list(sources()), ids=lambda each: each if isinstance(each, str) else "")
def test_every_design_method_and_file(name, table, target, tmp_path):
    """Every design of the source gives intervals around the estimate by every method, also when saved and read."""
    there = hs.transported(table, target)
    again = hs.load(there.save(tmp_path / "there.json"))
    views = [(there, again, "roc_auc"), (there, again, "average_precision")] if "scores" in there.data_kinds else []
    flat, read = (each.at(0.75) if "scores" in each.data_kinds else each for each in (there, again))
    views += [(flat, read, metric) for metric in ("prevalence", "f1", "mcc")]
    for one, other, metric in views:
        for method in (
            None,
            "delta",
            hs.methods.Dirichlet(n_draws=60),
            hs.methods.Bootstrap("percentile", n_resamples=60),
        ):
            found = hs.estimate(one, metric, method=method, random_state=0)
            assert found.low <= found.value <= found.high, (name, metric, method)
            same = hs.estimate(other, metric, method=method, random_state=0)
            assert (found.low, found.high) == (same.low, same.high)
    assert "prevalence" in str(hs.evaluate(flat, ["prevalence"]))
    assert hs.report_of(hs.evaluate(flat, ["f1", "mcc"])).to_html()


REFUSED = [
    (lambda: hs.transported(SOURCE, ["ok", "broken"]), "broken"),
    (lambda: hs.transported(SOURCE, []), "empty"),
    (lambda: hs.transported(SOURCE, {"ok": 0, "fault": 0}), "empty"),
    (lambda: hs.transported(SOURCE, {"ok": -1, "fault": 3}), "negative"),
    (lambda: hs.transported(hs.from_counts([[5, 5], [0, 0]]), [0, 1]), "no case of class 1"),
    (lambda: hs.transported(hs.from_counts([[50, 50], [10, 10]]), [0, 1]), "cannot be estimated"),
    (lambda: hs.transported(hs.from_counts([[50, 50, 0], [10, 10, 0], [1, 1, 40]]), [0, 1, 2]), "cannot be estimated"),
    (lambda: hs.transported(hs.transported(SOURCE, TARGET), TARGET), "estimates"),
    (lambda: hs.transported(hs.values([1.0, 2.0]), [1]), "another population"),
    (lambda: hs.transported(scored(), []), "empty"),
    (lambda: hs.transported(scored(), ["ok", "fault"]), "`target` is not numeric"),
    (lambda: hs.transported(scored(), [0.1, np.nan]), "`target` has 1 missing"),
    (lambda: hs.transported(scored(), [[0.1, 0.9]] * 3), r"`target\[:, 1\]`"),
    (lambda: hs.shift.label_shift_test(SOURCE, TARGET), "nothing to"),
    (lambda: hs.shift.label_shift_test(hs.scores([0, 1, 1, 0], [0, 1, 1, 0]), [0, 1]), "nothing to test"),
]


@pytest.mark.parametrize("call, words", REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_carried_over_is_refused(call, words):
    """Unknown and absent classes, empty targets, uninformative predictions, and estimates give a one-line error."""
    with pytest.raises(HowsureError, match=words):
        call()


@pytest.mark.parametrize("positive", [120, 300, 700])
def test_with_known_rates_the_prevalence_has_the_limits_of_the_predicted_share(positive):
    """With practically known rates, the limits are those of (q − fpr) / (tpr − fpr) at Jeffreys' limits of q."""
    rates = np.array([[0.9, 0.1], [0.2, 0.8]])
    found = hs.estimate(hs.transported(hs.from_counts(1e9 * rates), {0: 1000 - positive, 1: positive}), "prevalence")
    limits = stats.beta.ppf([0.025, 0.975], positive + 0.5, 1000.5 - positive)
    assert (found.low, found.high) == pytest.approx(tuple(np.clip((limits - 0.1) / 0.7, 0, 1)), abs=2e-4)


def test_the_table_of_the_same_samples_is_the_same_and_of_others_theirs():
    """The refit gives the table at the observed counts, and for other counts the result of `transported`."""
    refit = hs.transported(SOURCE, TARGET).design.refit
    other = np.array([850.0, 150, 40, 460, 7900, 2100])
    theirs = hs.transported(
        hs.from_counts(other[:4].reshape(2, 2), labels=["ok", "fault"]), {"ok": 7900, "fault": 2100}
    )
    for observed, table in ((refit.observed, hs.transported(SOURCE, TARGET)), (other, theirs)):
        np.testing.assert_allclose(refit.tables(observed), table.cells, rtol=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.05, 0.3])
def test_a_hundred_labelled_cases_miss_on_both_sides(share):
    """With 50 labelled cases of each class 95 % intervals cover at least 92 %, with misses on both sides."""
    rng, studies = np.random.default_rng(100), 400
    rates = np.array([[0.88, 0.12], [0.17, 0.83]])
    mixture = np.array([1 - share, share])
    metrics = ("prevalence", "precision", "mcc")
    exact = hs.from_counts(np.rint(1e9 * mixture[:, None] * rates))
    known = np.array([hs.estimate(exact, metric, method="delta").value for metric in metrics])
    limits = []
    for _ in range(studies):
        source = np.stack([rng.multinomial(50, row) for row in rates])
        seen = rng.multinomial(1500, mixture @ rates)
        found = hs.evaluate(hs.transported(hs.from_counts(source), dict(enumerate(seen.tolist()))), list(metrics))
        limits.append([(each.low, each.high) for each in found.values()])
    below, above = (np.mean(np.array(limits)[..., end] * sign > known * sign, 0) for end, sign in ((0, 1), (1, -1)))
    noise = 3 * np.sqrt(0.08 * 0.92 / studies)
    assert (below + above < 0.08 + noise).all()
    assert (np.maximum(below, above) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / studies)).all()

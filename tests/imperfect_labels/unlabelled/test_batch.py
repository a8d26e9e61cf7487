"""Unlabelled batches under a calibrator."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.curves.thresholds import confusion_along, errors_along, on_counts
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.binding import resolve
from support.examples import CANCER

METHODS = ["isotonic", "platt", "beta", "venn_abers"]
METRICS = ["accuracy", "precision", "recall", "specificity", "f1", "mcc"]


def calibrator(method, seed=0, rows=300, n_draws=400):
    rng = np.random.default_rng(seed)
    score = rng.beta(0.6, 0.9, rows)
    return hs.calibrate(score, rng.random(rows) < score**1.5, method=method, n_draws=n_draws, random_state=seed)


@pytest.mark.parametrize("method", METHODS)
def test_counts_are_expected_over_the_draws(method):
    """Each score's expected positive cases are its cases times the mean of the draws' probabilities."""
    score = np.array([0.2, 0.2, 0.55, 0.9])
    made = calibrator(method, n_draws=1000)
    table = hs.calibrated(score, calibrator=made)
    mean = made.draws(np.unique(score)).mean(0)
    assert table.scores.tolist() == [0.2, 0.55, 0.9]
    np.testing.assert_allclose(table.counts.sum(1), [2, 1, 1])
    np.testing.assert_allclose(table.counts[:, 1], [2, 1, 1] * mean, atol=0.01)
    assert table.at(0.5).counts.sum() == pytest.approx(4)


@pytest.mark.thorough
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("metric", ["accuracy", "recall", "roc_auc"])
def test_the_delta_method_agrees_with_draws(method, metric):
    """Standard errors by the design's variance are those of drawn tables, for counts and for ranks."""
    score = np.random.default_rng(1).random(400)
    table = hs.calibrated(score, calibrator=calibrator(method))
    table = table if metric == "roc_auc" else table.at(0.5)
    bound = resolve(metric, table)
    draws = hs.estimate(table, metric, method=hs.methods.Dirichlet(n_draws=4000), random_state=0).draws
    assert standard_error(bound, table) == pytest.approx(draws.std(), rel=0.1)


@pytest.mark.parametrize("method", ["beta", "isotonic"])
def test_neighbouring_scores_of_a_large_batch_may_be_drawn_together(method):
    """Tables at a threshold from grouped scores have the mean and spread of those from each score."""
    score = np.random.default_rng(2).random(3000)
    made = calibrator(method)
    table = hs.calibrated(score, calibrator=made)
    grouped = table.at(0.4)
    assert len(grouped.design.number) < 600
    assert grouped.design.number.sum() == 3000
    rng = np.random.default_rng(0)
    ours = grouped.design.resample(grouped.cells, 800, rng)
    cells = table.design.resample(table.cells, 800, rng).reshape(800, -1, 2)
    above = table.scores >= 0.4
    literal = np.stack(
        [cells[:, ~above, 0].sum(1), cells[:, above, 0].sum(1), cells[:, ~above, 1].sum(1), cells[:, above, 1].sum(1)],
        1,
    )
    np.testing.assert_allclose(ours.mean(0), grouped.counts.ravel(), atol=5 * literal.std() / np.sqrt(800) + 3)
    np.testing.assert_allclose(np.cov(ours.T), np.cov(literal.T), atol=0.15 * literal.var(0).max())
    assert (ours == np.round(ours)).all()
    assert (ours.sum(1) == 3000).all()


def test_the_calibrated_threshold_decides_by_the_probability():
    """`at(calibrator.threshold(p))` counts as positive exactly the cases of calibrated probability p or more."""
    made = calibrator("beta")
    score = np.random.default_rng(3).random(500)
    table = hs.calibrated(score, calibrator=made).at(made.threshold(0.3))
    assert table.counts[:, 1].sum() == pytest.approx((made.predict(score) >= 0.3).sum())


def test_a_larger_labelled_sample_leaves_the_classes_uncertain_only():
    """With very many labelled cases the interval is that of independent classes given their probabilities."""
    made = calibrator("platt", rows=200_000)
    score = np.random.default_rng(4).random(300)
    share = made.predict(score)
    table = hs.calibrated(score, calibrator=made).at(0.5)
    expected = np.sqrt((share * (1 - share)).sum()) / 300
    assert standard_error(resolve("accuracy", table), table) == pytest.approx(expected, rel=0.05)


def test_an_empty_batch_is_refused():
    """A batch without a case gives an error, and one with a missing score too."""
    made = calibrator("beta")
    with pytest.raises(hs.HowsureError, match="empty"):
        hs.calibrated([], calibrator=made)
    with pytest.raises(hs.HowsureError, match="missing"):
        hs.calibrated([0.3, np.nan], calibrator=made)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [400, 2500])
def test_curves_carry_the_calibrators_uncertainty(method, rows):
    """Standard errors along thresholds are those of the table at each threshold, for few scores and for grouped ones."""
    score = np.random.default_rng(1).random(rows)
    table = hs.calibrated(score, calibrator=calibrator(method))
    _, cells = confusion_along(table)
    index = np.array([rows // 5, rows // 2, 4 * rows // 5])
    for name in ("recall", "f1"):
        along = errors_along(on_counts(name, table), table, cells[index], index)
        single = [table.at(threshold) for threshold in table.scores[::-1][index - 1]]
        expected = [standard_error(resolve(name, each), each) for each in single]
        np.testing.assert_allclose(along, expected, rtol=1e-9 if rows == 400 else 2e-3)


@pytest.mark.thorough
def test_bands_of_a_calibrated_batch_hold_the_hidden_curve():
    """Over many labelled samples, the pointwise ROC band covers the true sensitivity close to its level."""
    rng = np.random.default_rng(5)
    score = rng.random(600)
    truth = rng.random(600) < score**1.5
    true = hs.roc_curve(hs.scores(truth, score), band="none")
    inside = []
    for seed in range(40):
        labelled = rng.random(150)
        made = hs.calibrate(labelled, rng.random(150) < labelled**1.5, n_draws=200, random_state=seed)
        band = hs.roc_curve(hs.calibrated(score, calibrator=made))
        place = np.searchsorted(band["fpr"], [0.1, 0.2, 0.4])
        height = np.interp([0.1, 0.2, 0.4], true["fpr"], true["tpr"])
        inside.append((band.low[place] <= height) & (height <= band.high[place]))
    assert np.mean(inside) > 0.88


@pytest.mark.parametrize("method", ["delong", "newcombe", "hanley_mcneil", "mann_whitney", "wilson", "bootstrap_bca"])
def test_methods_for_labelled_cases_are_refused(method):
    """Methods for counts of labelled cases would be overconfident for a batch; the error names an alternative."""
    table = hs.calibrated(np.linspace(0.1, 0.9, 50), calibrator=calibrator("beta"))
    with pytest.raises(hs.HowsureError, match="bootstrap_percentile"):
        hs.estimate(table, "roc_auc", method=method)


def test_what_needs_labels_is_refused():
    """A batch without labels has no calibration to check, and no simultaneous band of its ranks."""
    table = hs.calibrated(np.linspace(0.1, 0.9, 50), calibrator=calibrator("beta"))
    for function in (hs.calibration_curve, hs.shift.calibration_test):
        with pytest.raises(hs.HowsureError, match="Without labels"):
            function(table)
    for curve in (hs.roc_curve, hs.precision_recall_curve):
        with pytest.raises(hs.HowsureError, match="pointwise"):
            curve(table, band="simultaneous")


@pytest.mark.thorough
def test_a_long_batch_is_estimated_in_seconds():
    """For a hundred thousand scores the default is delta, or draws at a threshold; results are reproducible."""
    table = hs.calibrated(np.random.default_rng(6).random(100_000), calibrator=calibrator("beta"))
    first, second = (hs.evaluate(table, ["roc_auc", "f1"], threshold=0.5, random_state=0) for _ in range(2))
    assert [each.method for each in first.values()] == ["delta", "bayes"]
    assert first.to_dict() == second.to_dict()
    assert all("labelled cases are like them" in each.reason for each in first.values())


def rates(method, column, splits, n_draws):
    """Return the coverage of the metric of the hidden labels, calibrated on a labelled tenth, by metric."""
    data = pd.read_csv(CANCER)
    label, score = (data["label"] == "malignant").to_numpy(), data[column].to_numpy()
    inside = []
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(data))
        tenth, rest = order[: len(data) // 10], order[len(data) // 10 :]
        made = hs.calibrate(score[tenth], label[tenth], method=method, n_draws=n_draws, random_state=seed)
        drawing = hs.methods.Dirichlet(n_draws=2 * n_draws)
        ours = hs.evaluate(
            hs.calibrated(score[rest], calibrator=made).at(0.5), METRICS, method=drawing, random_state=seed
        )
        truth = hs.evaluate(hs.scores(label[rest], score[rest]).at(0.5), METRICS)
        inside.append(
            [each.low <= true.value <= each.high for each, true in zip(ours.values(), truth.values(), strict=True)]
        )
    return np.mean(inside, axis=0)


@pytest.mark.thorough
@pytest.mark.parametrize("column", ["score_logistic", "score_naive_bayes"])
def test_intervals_hold_the_metric_of_hidden_labels(column):
    """Calibrated on 57 labelled cases, 95 % intervals cover the metrics of the other 512 in most splits."""
    assert rates("beta", column, 20, 200).mean() > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 20)


@pytest.mark.slow
@pytest.mark.parametrize("method, lowest", [("beta", 0.94), ("platt", 0.94), ("isotonic", 0.92)])
def test_intervals_hold_the_metric_of_hidden_labels_in_many_splits(method, lowest):
    """The same over 200 splits of each of three models' scores: the rates of the guide's table."""
    found = [rates(method, f"score_{model}", 200, 500) for model in ("logistic", "forest", "naive_bayes")]
    print(method, np.round(found, 3))  # noqa: T201 - the guide's figures
    assert np.mean(found) > lowest


def test_calibrated_takes_a_calibrator():
    """`calibrated(scores, calibrator=…)` is the calibrator's batch, also from a frame, and chunk by chunk."""
    made = calibrator("platt")
    frame = pd.DataFrame({"score": np.linspace(-1, 2, 60), "month": ["May", "June"] * 30})
    whole = hs.calibrated("score", data=frame, calibrator=made)
    np.testing.assert_allclose(whole.counts, hs.calibrated(frame["score"], calibrator=made).counts)
    chunks = hs.calibrated("score", data=frame, by="month", calibrator=made)
    assert list(chunks) == ["June", "May"]
    np.testing.assert_allclose(chunks["May"].counts, hs.calibrated(frame["score"][::2], calibrator=made).counts)
    followed = hs.monitor(chunks, ["recall", "roc_auc"], threshold=0.5, random_state=0)
    assert all(record["low"] < record["value"] < record["high"] for record in followed.records())


def test_a_calibrator_in_the_wrong_place_is_refused():
    """Several score columns, populations and objects that are not calibrators give a clear error."""
    made = calibrator("beta")
    for more, words in (
        ({"calibrator": "beta"}, "comes from `calibrate"),
        ({"calibrator": made, "target": "population"}, "batch at hand"),
        ({"calibrator": made, "y_pred": [0, 1]}, "`y_pred`"),
    ):
        with pytest.raises(hs.HowsureError, match=words):
            hs.calibrated([0.2, 0.4], **more)
    with pytest.raises(hs.HowsureError, match="shape"):
        hs.calibrated([[0.2, 0.8], [0.4, 0.6]], calibrator=made)


def test_draws_at_all_thresholds_are_those_of_the_scores():
    """One stream gives each score the same classes for any threshold and any earlier draws; the stream advances."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 200)
    score = np.round(0.6 * rng.random(200) + 0.3 * truth, 2)
    table = hs.calibrated(score[:60], calibrator=hs.calibrate(score, truth, method="platt", random_state=0))
    other = hs.calibrated(score[60:90], calibrator=hs.calibrate(score, truth, method="beta", random_state=0))
    stream = np.random.default_rng(7)
    by_score = table.design.resample(table.cells, 50, stream).reshape(50, -1, 2)
    assert (by_score.sum(2) == table.counts.sum(1)).all()
    after = stream.random()
    for place in (0, 3, len(table.scores) - 1, len(table.scores)):
        small = table.at(table.scores[place] if place < len(table.scores) else np.inf)
        for _ in range(2):
            stream = np.random.default_rng(7)
            found = small.design.resample(small.cells, 50, stream)
            expected = np.stack([by_score[:, :place].sum(1), by_score[:, place:].sum(1)], -1)  # true × predicted
            np.testing.assert_array_equal(found.reshape(50, 2, 2), expected)
            assert stream.random() == after
            other.design.resample(other.cells, 50, np.random.default_rng(7))
    np.testing.assert_array_equal(
        small.design.resample(small.cells, 50, np.random.Generator(np.random.MT19937(3))),
        small.design.resample(small.cells, 50, np.random.Generator(np.random.MT19937(3))),
    )


@pytest.mark.parametrize("method", ["beta", "isotonic"])
def test_the_variance_is_of_classes_and_of_the_curve(method):
    """It is n p (1 − p) over the scores, and the variance of the form over the calibrator's draws."""
    made = calibrator(method)
    score = np.array([0.1, 0.1, 0.3, 0.55, 0.55, 0.55, 0.9])
    table = hs.calibrated(score, calibrator=made)
    distinct, number = np.unique(score, return_counts=True)
    share, draws = made.mean(distinct), made.draws(distinct)
    slopes = np.random.default_rng(0).normal(size=(4, 2))
    form = slopes[:, 1] - slopes[:, 0]
    expected = (number * share * (1 - share)) @ form**2 + np.var(draws @ (number * form), ddof=1)
    assert table.variance(slopes) == pytest.approx(expected)
    table.design.check((8,))
    table.design.check_sums(table.cells)
    for change in (
        {"calibrator": None},
        {"scores": np.array([0.1, 0.3, 0.55, np.nan])},
        {"number": number[:3] * 1.0},
        {"number": -number * 1.0},
        {"cells": np.full((4, 2), 8)},
        {"cells": np.zeros((3, 2), int)},
    ):
        with pytest.raises(hs.HowsureError):
            replace(table.design, **change).check((8,))
    with pytest.raises(hs.HowsureError):
        table.design.check_sums(table.cells + np.eye(8)[3])


@pytest.mark.parametrize("size", [10, 60])
def test_draws_of_few_and_many_cells_keep_the_cases_of_each_score(size):
    """Each score's cases are drawn binomially at a drawn curve: as many cases, with the design's mean and variance."""
    made = calibrator("beta")
    score = np.repeat(np.linspace(0.05, 0.95, size), 3)
    table = hs.calibrated(score, calibrator=made)
    drawn = table.design.resample(table.cells, 3000, np.random.default_rng(0)).reshape(3000, size, 2)
    assert (drawn.sum(2) == 3).all()
    total = drawn[:, :, 1].sum(1)
    form = np.tile([0.0, 1.0], (size, 1))
    assert total.mean() == pytest.approx(table.counts[:, 1].sum(), abs=5 * total.std() / np.sqrt(3000))
    assert total.var() == pytest.approx(float(table.variance(form)), rel=0.12)
    ((left, number),) = table.design.leave_one_out(table.cells)
    assert len(left) == 2 * size
    assert number == pytest.approx(table.cells)


@pytest.mark.parametrize("number, method", [(5000, "bayes"), (5001, "")])
def test_scores_beyond_a_number_are_not_drawn_by_default(number, method):
    """Up to 5,000 distinct scores are drawn by default; for more the delta method is as good."""
    table = hs.calibrated(np.linspace(0.01, 0.99, number), calibrator=calibrator("platt"))
    assert table.design.traits.default_method == method
    whole = replace(table.design, scores=table.design.scores).collapse_cells(np.arange(2 * number) % 2, 2)
    assert whole.number.sum() == number
    assert len(whole.number) <= 512
    assert whole.scores @ whole.number == pytest.approx(table.scores.sum())

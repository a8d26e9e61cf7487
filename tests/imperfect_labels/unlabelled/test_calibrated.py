"""Scores without labels become tables of expected counts."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn import metrics as sk

import howsure as hs
from howsure.imperfect_labels.unlabelled.chunks import chunks
from howsure.metrics.binding import resolve
from howsure.native.library import running
from support.optional import optional

pl = optional("polars")

SCORE = np.random.default_rng(0).beta(2, 3, 500).round(2)


def test_counts_are_sums_of_scores():
    """At every threshold true positives are the sum of the scores from it up, and so on; ties and ends included."""
    scores = hs.calibrated(SCORE)
    for threshold in (0.0, 0.1, 0.37, SCORE[3], SCORE.max(), 1.0):
        above = threshold <= SCORE
        tp, fn = SCORE[above].sum(), SCORE[~above].sum()
        expected = np.array([[(~above).sum() - fn, above.sum() - tp], [fn, tp]])
        assert scores.at(threshold).counts == pytest.approx(expected, abs=1e-10)
    assert scores.rows == 500
    assert scores.labels.tolist() == [0, 1]


def test_areas_are_those_of_labels_in_proportion():
    """ROC AUC and average precision are scikit-learn's, of each case once as either class with its probability."""
    label = np.repeat([0, 1], len(SCORE))
    weight = np.concatenate([1 - SCORE, SCORE])
    both = np.concatenate([SCORE, SCORE])
    scores = hs.calibrated(SCORE)
    expected = sk.roc_auc_score(label, both, sample_weight=weight)
    assert hs.estimate(scores, "roc_auc").value == pytest.approx(expected, abs=1e-12)
    expected = sk.average_precision_score(label, both, sample_weight=weight)
    assert hs.estimate(scores, "average_precision").value == pytest.approx(expected, abs=1e-12)


def test_probabilities_of_many_classes_give_the_expected_table():
    """Row i, column j sums the probability of i over the cases decided as j, by arg-max or as given."""
    probability = np.random.default_rng(1).dirichlet([1, 2, 3], 200)
    decided = probability.argmax(1)
    expected = np.array([[probability[decided == j, i].sum() for j in range(3)] for i in range(3)])
    assert hs.calibrated(probability).counts == pytest.approx(expected)
    names = np.array(["a", "b", "c"])
    other = np.random.default_rng(2).integers(0, 3, 200)
    table = hs.calibrated(probability, y_pred=names[other], labels=names)
    expected = np.array([[probability[other == j, i].sum() for j in range(3)] for i in range(3)])
    assert table.counts == pytest.approx(expected)
    assert table.labels.tolist() == ["a", "b", "c"]
    two = hs.calibrated(np.stack([1 - SCORE, SCORE], 1), y_pred=(SCORE >= 0.4).astype(int))
    assert two.counts == pytest.approx(hs.calibrated(SCORE).at(0.4).counts)
    ours, theirs = hs.estimate(two, "f1"), hs.estimate(hs.calibrated(SCORE), "f1", threshold=0.4)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))


def test_columns_come_from_anywhere(tmp_path):
    """Arrays, lists, pandas, Polars, mappings and files give the same table."""
    expected = hs.calibrated(SCORE).counts
    frame = pd.DataFrame({"score": SCORE, "part": np.arange(500) % 2})
    frame.to_csv(tmp_path / "scores.csv", index=False)
    for table in (
        hs.calibrated(SCORE.tolist()),
        hs.calibrated(frame["score"]),
        hs.calibrated(pl.Series(SCORE)),
        hs.calibrated("score", data=frame),
        hs.calibrated("score", data=pl.from_pandas(frame).lazy()),
        hs.calibrated("score", data={"score": SCORE}),
        hs.calibrated("score", data=tmp_path / "scores.csv"),
    ):
        assert table.counts == pytest.approx(expected)
    wide = pd.DataFrame({"well": 1 - SCORE, "ill": SCORE})
    for table in (hs.calibrated(["well", "ill"], data=wide), hs.calibrated(wide)):
        assert table.labels.tolist() == ["well", "ill"]
        assert table.counts == pytest.approx(hs.calibrated(np.stack([1 - SCORE, SCORE], 1)).counts)


def test_by_splits_into_tables(tmp_path):
    """With `by` there is a table for each value, period or run of cases, in order."""
    start = dt.datetime(2024, 1, 29, 22, tzinfo=dt.UTC).replace(tzinfo=None)
    times = [start + dt.timedelta(days=i / 10) for i in range(500)]
    tables = hs.calibrated(SCORE, by=np.arange(500) % 3)
    assert list(tables) == [0, 1, 2]
    assert tables[1].counts == pytest.approx(hs.calibrated(SCORE[1::3]).counts)
    months = hs.calibrated(SCORE, by=times, every="month")
    assert list(months) == ["2024-01", "2024-02", "2024-03"]
    assert sum(table.rows for table in months.values()) == 500
    runs = hs.calibrated(SCORE, every=200)
    assert list(runs) == ["0–199", "200–399", "400–499"]
    assert runs["400–499"].counts == pytest.approx(hs.calibrated(SCORE[400:]).counts)
    frame = pd.DataFrame({"score": SCORE, "time": times})
    frame.to_csv(tmp_path / "scores.csv", index=False)
    frame.to_parquet(tmp_path / "scores.parquet")
    for data in (frame, pl.from_pandas(frame), tmp_path / "scores.csv", tmp_path / "scores.parquet"):
        found = hs.calibrated("score", data=data, by="time", every="month")
        assert list(found) == list(months)
        assert found["2024-02"].counts == pytest.approx(months["2024-02"].counts)


@pytest.mark.parametrize(
    "every, names",
    [
        ("hour", ["2024-03-31T23", "2024-04-01T00", "2024-12-31T05"]),
        ("day", ["2024-03-31", "2024-04-01", "2024-12-31"]),
        ("week", ["2024-03-25", "2024-04-01", "2024-12-30"]),  # Mondays
        ("month", ["2024-03", "2024-04", "2024-12"]),
        ("quarter", ["2024-Q1", "2024-Q2", "2024-Q4"]),
        ("year", ["2024"]),
    ],
)
def test_periods_have_their_usual_names(every, names):
    """Hours, days, weeks from Monday, months, quarters and years are named by their start."""
    times = np.array(["2024-12-31T05:00", "2024-03-31T23:59", "2024-04-01T00:00"], dtype="datetime64[ns]")
    found = chunks({"time": times}, {"by": times}, every, 3)
    assert list(found.keys) == names
    assert found.code.tolist() == ([0, 0, 0] if every == "year" else [2, 0, 1])
    assert chunks({"time": times}, {"by": times.astype(str).tolist()}, every, 3).keys == found.keys


@pytest.mark.parametrize(
    "predicted, labels",
    [
        ([False, True, True, False], None),
        ([0.0, 1.0, 1.0, 0.0], None),
        ([-1, 1, 1, -1], [-1, 1]),
        (np.array([-100, 100, 100, -100], dtype=np.int8), [-100, 100]),
        (["0", "1", "1", "0"], None),
        ([0, "1", 1, "0"], None),
        (pd.Categorical(["b", "a", "a", "b"], categories=["a", "c", "b"]), ["b", "a"]),
    ],
)
def test_predictions_of_any_type_sum_the_scores_of_their_cases(predicted, labels):
    """The positive predictions of 0.2 and 0.9 expect 1.1 positive cases, those of 0.7 and 0.4 negative 1.1."""
    table = hs.calibrated([0.7, 0.2, 0.9, 0.4], y_pred=predicted, labels=labels)
    assert table.counts == pytest.approx(np.array([[0.9, 0.9], [1.1, 1.1]]))
    assert table.design.variance(table.counts, np.array([[0.0, 0.0], [0.0, 1.0]])) == pytest.approx(0.16 + 0.09)


@pytest.mark.parametrize("scores", [[0.25, 0.5], [0.0, 0.5], [0.0, 1e-40, 0.5], [1e-40, 0.5], [0.0], [1e-40]])
def test_scores_stay_as_they_are_where_tiny_probabilities_become_zero(scores):
    """Without tiny ones, scores and probabilities are one array."""
    table = hs.calibrated(scores[::-1])
    assert table.scores.tolist() == scores
    assert table.design.cases.second.tolist() == [0.0 if each < 1e-30 else each for each in scores]
    assert np.shares_memory(table.scores, table.counts) == (1e-40 not in scores)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_predictions_of_one_class_leave_the_other_column_empty(share):
    """Expected counts are sums, and tiny probabilities become 0."""
    table = hs.calibrated([0.25, 1e-40, 0.5], y_pred=np.full(3, int(share)))
    expected = np.zeros((2, 2))
    expected[:, int(share)] = [2.25, 0.75]
    assert table.counts == pytest.approx(expected)
    assert table.design.cases.probability.min() == 0


@pytest.mark.parametrize("method", ["bootstrap", "bayes"])
def test_many_distinct_scores_of_a_population_are_drawn(method):
    """The standard error of draws equals the delta method's, at a threshold and with predictions."""
    score = np.random.default_rng(0).beta(0.8, 1.4, 5_000)
    at = hs.calibrated(score, target="population").at(0.5)
    given = hs.calibrated(score, y_pred=(score >= 0.5).astype(int), target="population")
    expected = hs.estimate(at, "f1", method="delta").standard_error
    for table in (at, given):
        found = hs.estimate(table, "f1", method=method, random_state=0).standard_error
        assert found == pytest.approx(expected, rel=4 / np.sqrt(2 * 9_999))  # four standard errors of the draws


@pytest.mark.thorough
def test_a_million_scores_take_about_a_sort():
    """All thresholds of a million scores cost a few sorts, not a pass a threshold."""
    from time import perf_counter

    score = np.random.default_rng(3).random(10**6)

    def fastest(work):
        times = []
        for _ in range(3):
            start = perf_counter()
            work()
            times.append(perf_counter() - start)
        return min(times)

    along = fastest(lambda: hs.threshold_curves(hs.calibrated(score), "f1", band="none"))
    assert along < 10 * fastest(lambda: np.argsort(score))
    predicted = (score >= 0.5).astype(int)
    if running() == "compiled C":  # the counts of predictions cost a few passes, less than half a sort
        assert fastest(lambda: hs.calibrated(score, y_pred=predicted)) < fastest(lambda: np.argsort(score)) / 2


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"y_score": [0.2, 1.2, -0.1]}, "2 values outside [0, 1] (first 1.2, at row 1)"),
        ({"y_score": [0.2, np.nan]}, "1 missing or infinite values (first at row 1)"),
        ({"y_score": []}, "`y_score` is empty"),
        ({"y_score": ["low", "high"]}, "not numeric"),
        ({"y_score": "score"}, "`y_score`"),
        ({"y_score": [0.2, 0.4], "target": "bach"}, "Did you mean 'batch'"),
        ({"y_score": [0.2, 0.4], "n": 10}, "`n` has no meaning for scores"),
        ({"y_score": [0.2, 0.4], "y_pred": [0, 2]}, "no class '2'"),
        ({"y_score": [0.2, 0.4], "labels": ["a", "b", "c"]}, "names 3 classes"),
        ({"y_score": [[0.2, 0.4], [0.5, 0.5]]}, "do not sum to 1 (first at row 0: 0.6)"),
        ({"y_score": np.full((3, 3), 1 / 3), "labels": ["a", "b"]}, "names 2 classes, and `y_score` has 3 columns"),
        ({"y_score": np.full((3, 3), 1 / 3), "y_pred": [0, 1, 5]}, "There is no class '5'"),
        ({"y_score": np.full((3, 3), 1 / 3), "y_pred": [0, 1]}, "differ in length"),
        ({"y_score": [0.2, 0.4], "by": ["a"]}, "differ in length"),
        ({"y_score": [0.2, 0.4], "by": ["a", "b"], "every": "month"}, "holds no times"),
        ({"y_score": [0.2, 0.4], "every": "month"}, "needs one column of times"),
        ({"y_score": [0.2, 0.4], "by": ["2024-01-01"] * 2, "every": "fortnight"}, "There is no period 'fortnight'"),
        ({"y_score": [0.2, 0.4], "every": 0}, "at least 1"),
        ({"y_score": [0.2, 0.4], "by": [1, 2], "every": 5}, "leave out `by`"),
        ({"y_score": 0.3}, "`y_score`"),
    ],
)
def test_what_cannot_be_used_is_named(arguments, words):
    """Each mistake has one line that names it."""
    arguments = dict(arguments)
    with pytest.raises(hs.HowsureError) as error:
        hs.calibrated(arguments.pop("y_score"), **arguments)
    assert words in str(error.value)


def test_arguments_of_a_distribution_are_checked():
    """A distribution has no columns, and a batch of it a whole number of cases."""
    from scipy import stats

    with pytest.raises(hs.HowsureError, match="`by` has no meaning for a distribution"):
        hs.calibrated(stats.uniform(), by="month")
    for wrong in (0, 2.5, True):
        with pytest.raises(hs.HowsureError, match="`n` must be a whole number"):
            hs.calibrated(stats.uniform(), n=wrong)


def test_equal_scores_are_a_coin():
    """Scores that are all equal have ROC AUC one half, without an interval, and a binomial accuracy."""
    scores = hs.calibrated([0.3] * 40)
    estimate = hs.estimate(scores, "roc_auc")
    assert estimate.value == 0.5
    assert np.isnan([estimate.low, estimate.high]).all()
    from scipy import stats

    accuracy = hs.estimate(scores, "accuracy", threshold=0.5)
    assert accuracy.value == pytest.approx(0.7)
    assert (accuracy.low, accuracy.high) == pytest.approx(tuple(stats.binom(40, 0.7).ppf([0.025, 0.975]) / 40))


def test_thresholds_at_the_ends_are_defined():
    """At 0 everything is positive, at 1 only certain cases are; metrics without a denominator have a reason."""
    for target in ("batch", "population"):
        scores = hs.calibrated([0.2, 0.5, 0.9], target=target)
        found = hs.evaluate(scores, ["recall", "specificity", "precision"], threshold=0)
        assert list(found.values()) == pytest.approx([1.0, 0.0, 1.6 / 3])
        assert np.isnan(found["recall"].low)
        assert found["precision"].low < 1.6 / 3 < found["precision"].high
        top = hs.evaluate(scores, ["recall", "precision"], threshold=1)
        assert top["recall"].value == 0
        assert np.isnan(top["precision"].value)
        assert "no prediction of the class" in top["precision"].reason


def test_curves_have_bands_and_simultaneous_ones_where_they_can():
    """ROC and precision–recall curves have pointwise bands around their points; the rest is refused with a reason."""
    for target in ("batch", "population"):
        scores = hs.calibrated(SCORE, target=target)
        for curve in (hs.roc_curve(scores), hs.precision_recall_curve(scores), hs.threshold_curves(scores, "f1")["f1"]):
            known = np.isfinite(curve.low) & np.isfinite(curve.y)
            assert known.sum() > 50
            assert (curve.low[known] <= curve.y[known] + 1e-12).all()
            assert (curve.high[known] >= curve.y[known] - 1e-12).all()
        with pytest.raises(hs.HowsureError, match="need labelled cases"):
            hs.roc_curve(scores, band="simultaneous")
        with pytest.raises(hs.HowsureError, match="Without labels calibration cannot be checked"):
            hs.calibration_curve(scores)
        wide = hs.threshold_curves(scores, "f1", band="simultaneous", n_resamples=199, random_state=0)["f1"]
        narrow = hs.threshold_curves(scores, "f1")["f1"]
        assert (np.nan_to_num(wide.high - wide.low) >= np.nan_to_num(narrow.high - narrow.low) - 1e-12).all()


def test_pointwise_bands_hold_at_their_level():
    """At a fixed false positive rate, and at a threshold, 95 % of realised curves pass through the batch's band."""
    rng = np.random.default_rng(8)
    score = np.sort(rng.beta(2, 3, 800))
    scores = hs.calibrated(score)
    roc, pr = hs.roc_curve(scores), hs.precision_recall_curve(scores)
    at_rate = [np.interp(0.3, roc["fpr"], part) for part in (roc.low, roc.high)]
    place = int(np.searchsorted(pr["recall"], 0.6))  # number of cases that are predicted positive
    hits = np.zeros(2)
    for _ in range(1500):
        label = rng.random(800) < score
        true, false = np.cumsum(label[::-1]), np.cumsum(~label[::-1])
        sensitivity = np.interp(0.3, false / false[-1], true / true[-1])
        precision = true[place - 1] / place
        hits += at_rate[0] <= sensitivity <= at_rate[1], pr.low[place] <= precision <= pr.high[place]
    assert hits / 1500 == pytest.approx([0.95, 0.95], abs=0.02)


@pytest.mark.thorough
@settings(max_examples=60)
@given(
    score=st.lists(st.sampled_from([0.0, 1.0, 0.5, 1e-9, 1 - 1e-9]) | st.floats(0, 1), min_size=1, max_size=12),
    threshold=st.sampled_from([0.0, 0.5, 1.0, 0.3, np.inf]),
    target=st.sampled_from(["batch", "population"]),
)
def test_intervals_keep_to_the_rules(score, threshold, target):
    """For any scores: limits in the range and around the value, positive width; undefined results have a reason."""
    scores = hs.calibrated(score, target=target)
    metrics = ["accuracy", "precision", "recall", "f1", "mcc", "kappa", "npv", "dor", "informedness"]
    for table, names in ((scores.at(threshold), metrics), (scores, ["roc_auc", "average_precision", "brier_score"])):
        for estimate in hs.evaluate(table, names).values():
            lowest, highest = resolve(estimate.metric, table).range
            assert estimate.reason
            if np.isnan(estimate.low):
                continue
            assert lowest <= estimate.low < estimate.high <= highest
            assert estimate.low - 1e-9 <= estimate.value <= estimate.high + 1e-9


def test_no_columns_of_scores_are_refused():
    """An empty list of names is no column, with data or without."""
    with pytest.raises(hs.HowsureError, match="names no column"):
        hs.calibrated([], data={"score": [0.1, 0.9]})
    with pytest.raises(hs.HowsureError, match="is empty"):
        hs.calibrated([])

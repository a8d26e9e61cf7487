"""Chunks compared with a baseline."""

import numpy as np
import pytest

import howsure as hs
from howsure.comparison.runs_of_chunks import fraction, runs_of_chunks


def chunks(**changes):
    """Return three chunks of 400 scores, the last one less certain."""
    rng = np.random.default_rng(0)
    score = np.concatenate([rng.beta(0.5, 0.5, 800), rng.beta(4, 4, 400)])
    return hs.calibrated(score, every=400, **changes)


def test_a_drop_is_an_alert():
    """The chunk whose whole interval is below the first chunk's is flagged, and no other."""
    followed = hs.monitor(chunks(), ["accuracy", "roc_auc"], threshold=0.5)
    assert {(each["chunk"], each["metric"]) for each in followed.alerts} == {
        ("800–1199", "accuracy"),
        ("800–1199", "roc_auc"),
    }
    assert all(each["alert"] == "below" for each in followed.alerts)
    assert "below" in str(followed)


def test_records_are_the_estimates():
    """Each record contains the estimate of its chunk, and the reference's interval as its baseline."""
    pytest.importorskip("polars")
    tables = chunks()
    followed = hs.monitor(tables, "f1", threshold=0.4)
    first = hs.estimate(tables["0–399"], "f1", threshold=0.4)
    for record in followed.records():
        expected = hs.estimate(tables[record["chunk"]], "f1", threshold=0.4)
        assert (record["value"], record["low"], record["high"]) == (expected.value, expected.low, expected.high)
        assert (record["baseline_low"], record["baseline_high"]) == (first.low, first.high)
        assert record["cases"] == 400
    assert followed["400–799"]["f1"].value == hs.estimate(tables["400–799"], "f1", threshold=0.4).value
    assert followed.to_pandas()["metric"].tolist() == ["f1"] * 3
    assert followed.to_polars().shape[0] == 3
    assert followed.to_markdown().count("\n") >= 4


def test_references_and_baselines_may_be_stated():
    """Chunks, a table of its own, one pair of limits or one for each metric make the baseline."""
    tables = chunks()
    both = hs.monitor(tables, "accuracy", threshold=0.5, reference=["0–399", "800–1199"])
    ends = [hs.estimate(tables[chunk], "accuracy", threshold=0.5) for chunk in ("0–399", "800–1199")]
    assert both.baseline["accuracy"] == (min(e.low for e in ends), max(e.high for e in ends))
    assert not both.alerts
    own = hs.monitor(tables, "accuracy", threshold=0.5, reference=tables["800–1199"])
    assert [each["alert"] for each in own.records()] == ["above", "above", ""]
    stated = hs.monitor(tables, ["accuracy", "f1"], threshold=0.5, baseline={"accuracy": (0.1, 0.2), "f1": (0.99, 1.0)})
    assert [each["alert"] for each in stated.records()] == ["above", "below"] * 3
    assert hs.monitor(tables, "accuracy", threshold=0.5, baseline=(0, 1)).alerts == []


def test_labelled_chunks_are_followed_too():
    """Tables of labelled cases by group are chunks like any other."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, 600)
    predicted = np.where(rng.random(600) < 0.8, true, 1 - true)
    followed = hs.monitor(hs.confusion(true, predicted, by=np.arange(600) // 200), "accuracy")
    assert [each["chunk"] for each in followed.records()] == [0, 1, 2]


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"reference": "1200–1599"}, "There is no chunk '1200–1599'"),
        ({"reference": "0–399", "baseline": (0, 1)}, "Give either `reference`"),
        ({"baseline": {"f1": (0, 1)}}, "no limits for 'accuracy'"),
        ({"baseline": (0.9, 0.8)}, "not (low, high)"),
        ({"baseline": 0.8}, "not (low, high)"),
        ({"baseline": ["low", "high"]}, "not (low, high)"),
    ],
)
def test_baselines_that_mean_nothing_are_named(arguments, words):
    """Each mistake has one line that names it."""
    with pytest.raises(hs.HowsureError) as error:
        hs.monitor(chunks(), "accuracy", threshold=0.5, **arguments)
    assert words in str(error.value)


def test_chunks_are_needed():
    """A single table is refused, and an unknown chunk is named."""
    with pytest.raises(hs.HowsureError, match="needs chunks"):
        hs.monitor(hs.calibrated([0.2, 0.8]))
    with pytest.raises(hs.HowsureError, match="There is no chunk"):
        hs.monitor(chunks(), "accuracy", threshold=0.5)["yesterday"]


def test_chunks_that_are_tables_have_an_overall_evaluation_and_draws_of_their_own():
    """All chunks together are evaluated too, and two equal chunks have different draws under one seed."""
    true, predicted = np.tile([0, 1, 1, 0], 100), np.tile([0, 1, 0, 0], 100)
    tables = hs.confusion(true, predicted, by=np.repeat([0, 1], 200))
    followed = hs.monitor(tables, "accuracy", method="bayes", random_state=0)
    assert followed.overall["accuracy"].value == hs.estimate(tables.overall, "accuracy").value
    assert followed[0]["accuracy"].value == followed[1]["accuracy"].value
    correlation = np.corrcoef(followed[0]["accuracy"].draws, followed[1]["accuracy"].draws)[0, 1]
    assert abs(correlation) < 0.05
    alone = hs.monitor({1: tables[1]}, "accuracy", method="bayes", random_state=0)
    assert np.array_equal(alone[1]["accuracy"].draws, followed[1]["accuracy"].draws)
    assert alone.overall is None


def labelled(accuracies, size, seed=0):
    """Return chunks of a given size, by the accuracy of each."""
    rng = np.random.default_rng(seed)
    right = rng.random((len(accuracies), size)) < np.array(accuracies)[:, None]
    chunk = np.repeat(np.arange(len(accuracies)), size)
    return hs.confusion(np.zeros(right.size, int), (~right).ravel() * 1, by=chunk, labels=[0, 1])


def test_a_sequence_follows_all_cases_since_the_reference():
    """With a confidence sequence a chunk is the sum of those since the reference, with half the standard error."""
    tables = labelled([0.9] * 4, 100)
    followed = hs.monitor(tables, "accuracy", method="anytime")
    assert [record["cases"] for record in followed.records()] == [100, 100, 200, 300]
    running = hs.estimate(tables[1] + tables[2], "accuracy", method="anytime", confidence_level=1 - 0.05 / 4)
    assert (followed[2]["accuracy"].low, followed[2]["accuracy"].high) == pytest.approx((running.low, running.high))
    first = hs.estimate(tables[0], "accuracy", confidence_level=0.975)
    assert followed.baseline["accuracy"] == pytest.approx((first.low, first.high))
    stated = hs.monitor(tables, "accuracy", baseline=(0.8, 1), method=hs.methods.Anytime(300))
    assert [record["cases"] for record in stated.records()] == [100, 200, 300, 400]
    whole = hs.estimate(tables.overall, "accuracy", method=hs.methods.Anytime(300), confidence_level=1 - 0.05 / 2)
    assert stated[3]["accuracy"].low == pytest.approx(whole.low)
    assert stated.overall["accuracy"].low == pytest.approx(whole.low)
    own = hs.monitor(dict(tables), "accuracy", reference=tables[0], method="anytime")
    assert own.baseline == followed.baseline
    assert own.overall is None


@pytest.mark.parametrize("stacked", [False, True])
def test_runs_of_chunks_share_one_error(stacked):
    """Every chunk ends runs of all lengths, about twice the number of its digits, which share one error."""
    size = np.arange(64) + 2
    tables = hs.confusion(np.zeros(size.sum()), np.zeros(size.sum()), by=np.repeat(np.arange(64), size), labels=[0, 1])
    seen = {}

    def evaluated(runs, part):
        if isinstance(runs, hs.tables.Tables):
            return {key: (run.rows, part) for key, run in runs.items()}
        return runs.rows, part

    for number, (chunk, found) in enumerate(
        runs_of_chunks(tables if stacked else dict(tables), list(tables), evaluated)
    ):
        runs = list(found)
        assert chunk == number
        assert runs[0][0] == size[: number + 1].sum()
        assert runs[-1][0] == size[number] or number == 0
        assert len(runs) <= 2 * (number + 1).bit_length()
        for rows, part in runs:
            start = next(start for start in range(number + 1) if rows == size[start : number + 1].sum())
            assert seen.setdefault(start, part) == part == fraction(start)
    assert 0.9 < sum(seen.values()) < 1


def test_all_chunks_at_once_are_followed_as_one_by_one():
    """Chunks in one array have the estimates and alerts that they have as separate tables."""
    rng, chunk = np.random.default_rng(2), np.repeat(np.arange(18), 80)
    truth, right = rng.random(len(chunk)) < 0.6, rng.random(len(chunk)) < np.where(chunk < 6, 0.9, 0.97)
    tables = hs.confusion(truth, truth == right, by=chunk)
    found, apart = (
        hs.monitor(each, ["accuracy", "mcc"], method="anytime", baseline=(-1, 0.88)) for each in (tables, dict(tables))
    )
    assert [list(each.values())[:3] for each in found.records()] == [
        list(each.values())[:3] for each in apart.records()
    ]
    for chunk, evaluation in apart.items():
        for name, each in evaluation.items():
            assert (found[chunk][name].low, found[chunk][name].high) == pytest.approx(
                (each.low, each.high), nan_ok=True
            )
    assert len(found.alerts) == len(apart.alerts) > 5


def test_false_alarms_of_a_sequence_do_not_add_up():
    """In chunks without a change some single looks raise an alarm, and no sequence; a drop is found by the chunks since."""
    tables = labelled([0.9] * 30, 100, seed=5)
    assert hs.monitor(tables, "accuracy", baseline=(0.9, 0.9), method="wilson").alerts
    assert not hs.monitor(tables, "accuracy", baseline=(0.9, 0.9), method="anytime").alerts
    dropped = hs.monitor(labelled([0.9] * 20 + [0.7] * 10, 100), "accuracy", baseline=(0.88, 0.92), method="anytime")
    alerts = [record["chunk"] for record in dropped.alerts]
    assert 20 <= alerts[0] <= 24
    assert alerts == list(range(alerts[0], 30))


def test_each_metric_has_a_run_of_its_own():
    """A drop of recall is detected equally fast alone and together with a metric that left its baseline earlier."""
    cells = [[[70, 30], [10, 90]]] * 10 + [[[70, 30], [40, 60]]] * 4
    tables = {chunk: hs.from_counts(counts) for chunk, counts in enumerate(cells)}
    limits = {"recall": (0.88, 0.92), "specificity": (0.88, 0.92)}
    found = {}
    for metrics in (["recall"], ["specificity", "recall"]):
        followed = hs.monitor(tables, metrics, baseline=limits, method="anytime")
        found[len(metrics)] = [each for each in followed.alerts if each["metric"] == "recall"]
    assert found[1] == found[2]
    assert [each["chunk"] for each in found[2]] == [10, 11, 12, 13]
    assert found[2][0]["cases"] == 400  # chunks 9 and 10: 150 of 200
    both = hs.monitor(tables, ["specificity", "recall"], baseline=limits, method="anytime").alerts
    assert {each["cases"] for each in both if each["chunk"] == 10} == {400, 2200}


def test_chunks_named_by_numbers_come_in_their_order():
    """Weeks of the data are followed from the first to the last, week 10 after week 9, also where tables add up."""
    week = np.repeat([f"week {number}" for number in range(1, 13)], 50)
    wrong = np.repeat([0, 1], [450, 150]) * np.tile([0, 1], 300)  # from week 10 on
    tables = hs.confusion(np.zeros(600, int), wrong, labels=[0, 1], by=week)
    names = [f"week {number}" for number in range(1, 13)]
    assert list(tables) == names
    alerts = hs.monitor(tables, "accuracy", baseline=(0.95, 1), method="anytime").alerts
    assert [each["chunk"] for each in alerts] == names[9:]
    halves = [
        hs.confusion(np.zeros(300, int), wrong[some], labels=[0, 1], by=week[some])
        for some in (np.arange(600) % 100 < 50, np.arange(600) % 100 >= 50)
    ]
    assert list(halves[0] + halves[1]) == names


@pytest.mark.parametrize("method", [None, "bayes", "anytime"])
def test_a_stray_prediction_is_no_change(method):
    """A class that a chunk predicts once, and that never occurs there, lowers no average over classes."""
    truth, right = ["a", "b"] * 300, (["a", "b"] * 9 + ["b", "a"]) * 30
    predicted = right[:300] + ["other" if case == 18 else each for case, each in enumerate(right[300:])]
    week = ["week 1"] * 300 + ["week 2"] * 300
    tables = hs.confusion(truth, predicted, by=week)
    found = hs.monitor(tables, ["f1@macro", "precision@macro"], method=method, random_state=0)
    assert found["week 1"]["f1@macro"].value == pytest.approx(0.9)
    of_week_2 = np.mean([2 * 135 / (150 + 150), 2 * 135 / (150 + 149)])
    assert found["week 2"]["f1@macro"].value == pytest.approx(of_week_2)
    assert found["week 2"]["f1@macro"].low > 0.8
    assert not found.alerts


def test_the_usual_metrics_are_followed():
    """Chunks need no metric named."""
    tables = hs.confusion([0, 1] * 40, [0, 1] * 36 + [1, 0] * 4, by=["a"] * 40 + ["b"] * 40)
    assert list(hs.monitor(tables)["a"]) == list(hs.evaluate(tables.overall))


def spelt(first, second):
    """Return two tables of 40 cases, right in three of four, with other names of the two classes."""
    return tuple(
        hs.confusion(
            [names[0]] * 20 + [names[1]] * 20, [*names, names[0], names[0]] * 5 + [*names, names[1], names[1]] * 5
        )
        for names in (first, second)
    )


DOORS = {
    "monitor": hs.monitor,
    "monitor anytime": lambda tables, metric: hs.monitor(tables, metric, method="anytime"),
    "monitor against a reference": lambda tables, metric: hs.monitor({"1": tables["1"]}, metric, reference=tables["2"]),
    "gaps": hs.gaps,
    "pool": hs.pool,
    "compare": lambda tables, metric: hs.compare(tables["1"], tables["2"], metric),
    "compare_all": hs.compare_all,
    "leaderboard": hs.leaderboard,
    "plan": lambda tables, metric: hs.plan(tables["1"], tables["2"], metric, width=0.1),
}


@pytest.mark.parametrize("metric", ["accuracy", "recall"])
@pytest.mark.parametrize("second", [("no", "yes"), (2, 3), ("0", "1")])
@pytest.mark.parametrize("door", DOORS)
def test_tables_without_a_common_class_are_refused(door, second, metric):
    """The classes 0 and 1 of one chunk and "no" and "yes" of another are no table of four classes."""
    tables = dict(zip("12", spelt((0, 1), second), strict=True))
    with pytest.raises(hs.HowsureError, match="`labels=`") as caught:
        DOORS[door](tables, metric)
    said = str(caught.value)
    assert "0, 1" in said
    assert f"{second[0]!r}, {second[1]!r}" in said
    assert "\n" not in said


@pytest.mark.parametrize("door", DOORS)
def test_scores_without_a_common_class_are_refused(door):
    """As predictions are, whose areas would else be compared between different questions."""
    tables = {
        "1": hs.scores([0, 1] * 20, np.linspace(0.1, 0.9, 40)),
        "2": hs.scores(["no", "yes"] * 20, np.linspace(0.2, 0.8, 40)),
    }
    method = "brier" if door.endswith("anytime") else "roc_auc"
    with pytest.raises(hs.HowsureError, match="no class in common: 0, 1 .* and 'no', 'yes'"):
        DOORS[door](tables, method)


def test_classes_that_some_chunks_lack_are_allowed():
    """Common classes connect all chunks, also through others; a mistake in one of many chunks is found."""
    one, two = spelt(("a", "b"), ("b", "c"))
    three, other = spelt(("c", "d"), ("A", "B"))
    found = hs.monitor({"1": one, "2": three, "3": two}, "accuracy")
    assert [each["value"] for each in found.records()] == [0.75] * 3
    with pytest.raises(hs.HowsureError, match=r"'a', 'b' \(1\) and 'A', 'B' \(4\)") as caught:
        hs.monitor({"1": one, "2": two, "3": three, "4": other}, "accuracy")
    assert caught.value.code == "other-classes"


def test_a_metric_of_other_positive_classes_is_no_series():
    """Recall of b in one chunk and of c in another have nothing in common; accuracy has."""
    chunks = dict(zip("12", spelt(("a", "b"), ("b", "c")), strict=True))
    with pytest.raises(hs.HowsureError, match="`recall` is of the class 'c' in the chunk 2, and of 'b' in 1"):
        hs.monitor(chunks, "recall")
    assert len(hs.monitor(chunks, "accuracy")) == 2


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"baseline": (80, 90)}, r"`baseline` of 'accuracy' is outside of its range, 0 to 1\. Did you mean 0\.8\?"),
        ({"baseline": (-2, -1)}, "outside of its range"),
        ({"reference": ([0, 1], [0, 1])}, "a table, such as `hs.confusion"),
    ],
)
def test_baselines_and_references_that_cannot_be(settings, words):
    """A baseline in per cent would be left by every chunk; arrays are no chunk."""
    with pytest.raises(hs.HowsureError, match=words) as caught:
        hs.monitor({"May": hs.from_counts([[50, 3], [5, 42]])}, "accuracy", **settings)
    assert caught.value.code == "invalid-argument"


def test_chunks_need_names():
    """A list of tables has none."""
    with pytest.raises(hs.HowsureError, match="needs chunks by name: .*'May': table"):
        hs.monitor([hs.from_counts([[50, 3], [5, 42]])], "accuracy")

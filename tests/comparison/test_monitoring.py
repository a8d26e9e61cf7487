"""Chunks held against a baseline."""

import numpy as np
import pytest

import howsure as hs


def chunks(**changes):
    """Return three chunks of 400 scores, the last one less certain."""
    rng = np.random.default_rng(0)
    score = np.concatenate([rng.beta(0.5, 0.5, 800), rng.beta(4, 4, 400)])
    return hs.calibrated(score, every=400, **changes)


def test_a_drop_is_an_alert():
    """The chunk whose whole interval lies below the first chunk's is flagged, and no other."""
    followed = hs.monitor(chunks(), ["accuracy", "roc_auc"], threshold=0.5)
    assert {(each["chunk"], each["metric"]) for each in followed.alerts} == {
        ("800–1199", "accuracy"),
        ("800–1199", "roc_auc"),
    }
    assert all(each["alert"] == "below" for each in followed.alerts)
    assert "below" in str(followed)


def test_records_are_the_estimates():
    """Each record holds the estimate of its chunk, and the reference's interval as its baseline."""
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
    """A single table is no chunk, and an unknown chunk is named."""
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

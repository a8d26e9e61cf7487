"""Gaps of groups with unusual names, of many classes, and of other evidence."""

import pickle

import numpy as np
import pytest

import howsure as hs

RNG = np.random.default_rng(0)
HOSTILE = ["<script>alert(1)</script>", "two\nlines", "a, b", " ", "ß 漢字 \u202e", "x" * 5000, "|=1+1", "all"]
TRUTH = RNG.integers(0, 2, 800)
SAID = np.where(RNG.random(800) < 0.8, TRUTH, 1 - TRUTH)
SCORE = np.clip(0.5 * TRUTH + 0.5 * RNG.random(800), 0.01, 0.99)
GROUP = np.array(HOSTILE)[np.arange(800) % len(HOSTILE)]


def test_names_of_groups_may_be_anything():
    """Every format has the names escaped, one row for each pair, and the page has no markup of theirs."""
    found = hs.gaps(hs.confusion(TRUTH, SAID, by=GROUP), "recall", random_state=0)
    assert set(found.groups) == set(HOSTILE)
    assert len(found.differences) == len(HOSTILE) * (len(HOSTILE) - 1) // 2
    for text in (
        found.to_html(),
        found.differences.to_html(),
        found.needed(0.1).to_html(),
        hs.report_of(found).to_html(),
    ):
        assert "<script>alert" not in text
    assert len(found.differences.to_markdown().partition("\n\n")[0].splitlines()) == len(found.differences) + 2
    assert found.differences[HOSTILE[0], HOSTILE[1]].value == pytest.approx(
        found.by_group["recall"][HOSTILE[0]].value - found.by_group["recall"][HOSTILE[1]].value
    )
    again = pickle.loads(pickle.dumps(found))
    assert str(again.differences.records()) == str(found.differences.records())
    assert len(repr(found).splitlines()) <= 30


def test_a_thousand_classes_have_gaps():
    """Accuracy and the average of F1 over classes that groups may lack."""
    truth = RNG.integers(0, 1000, 6000)
    said = np.where(RNG.random(6000) < 0.9, truth, RNG.integers(0, 1000, 6000))
    tables = hs.confusion(truth, said, by=np.arange(6000) % 3)
    found = hs.gaps(tables, ["accuracy", "f1@macro"], random_state=0)
    for name in found.metrics:
        assert 0 <= found.difference(name).low <= found.difference(name).value <= found.difference(name).high
    correct = (truth == said).reshape(-1, 3).mean(0)
    assert found.difference("accuracy").value == pytest.approx(np.ptp(correct))


@pytest.mark.parametrize(
    "design",
    [
        {},
        {"sample_weight": 1 + RNG.random(800)},
        {"groups": np.arange(800) // 4},
        {"groups": np.column_stack([np.arange(800) // 40, np.arange(800) % 40])},
        {"strata": np.array(["u", "v"])[np.arange(800) // 400], "stratum_sizes": {"u": 0.7, "v": 0.3}},
    ],
    ids=["plain", "weights", "clusters", "crossed", "strata"],
)
@pytest.mark.parametrize("kind", ["labels", "scores", "paired"])
def test_designs_have_gaps(kind, design):
    """The groups' values are those of `estimate`, and the largest gap is their range; of paired models each has its own."""
    by = np.array(["a", "b", "c"])[np.arange(800) % 3]
    if kind == "scores":
        tables, metric = hs.scores(TRUTH, SCORE, by=by, **design), "roc_auc"
    elif kind == "labels":
        tables, metric = hs.confusion(TRUTH, SAID, by=by, **design), "recall"
    else:
        tables, metric = hs.paired(TRUTH, {"A": SAID, "B": SAID[::-1]}, by=by, **design), "recall"
    found = hs.gaps(tables, metric, random_state=0)
    model = found["A"] if kind == "paired" else found
    values = [hs.estimate(tables[key].model("A") if kind == "paired" else tables[key], metric).value for key in tables]
    assert [each.value for each in model.by_group[metric].values()] == pytest.approx(values)
    assert model.difference(metric).value == pytest.approx(np.ptp(values))


def test_calibrated_scores_have_gaps_without_labels():
    """The expected recall of each group, and its differences."""
    tables = {name: hs.calibrated(SCORE[start::2]).at(0.5) for start, name in enumerate("ab")}
    found = hs.gaps(tables, "accuracy", random_state=0)
    expected = [np.maximum(SCORE[start::2], 1 - SCORE[start::2]).mean() for start in range(2)]
    assert found.difference("accuracy").value == pytest.approx(np.ptp(expected), abs=1e-9)

"""First calls that everybody tries: published counts and rates, numbers in long form, scores at a threshold."""

import numpy as np
import pytest

import howsure as hs

RNG = np.random.default_rng(5)


def test_the_four_outcomes_by_name():
    """Sensitivity is 42 of 47, whichever order the names come in; arrays are a batch."""
    table = hs.from_counts(tn=50, tp=42, fn=5, fp=3)
    assert table.counts.tolist() == [[50, 3], [5, 42]]
    assert table.labels.tolist() == ["negative", "positive"]
    assert hs.from_counts(tp=42, fp=3, fn=5, tn=50, labels=["well", "ill"]).labels.tolist() == ["well", "ill"]
    batch = hs.from_counts(tp=[42, 30], fp=[3, 3], fn=[5, 6], tn=[50, 50])
    assert [each.counts[1].tolist() for each in batch.values()] == [[5, 42], [6, 30]]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hs.from_counts([42, 3, 5, 50]), "tp=…, fp=…, fn=…, tn=…"),
        (lambda: hs.from_counts(tp=42, fp=3, fn=5), "`tn` missing.*events"),
        (lambda: hs.from_counts(tp=42, fn=5), "`fp`, `tn` missing"),
        (hs.from_counts, "tp=…"),
        (lambda: hs.from_counts([[1, 2], [3, 4]], tp=1, fp=1, fn=1, tn=1), "not both"),
        (lambda: hs.paired_counts(both=3), "`only_a`, `only_b`, `neither` missing"),
        (lambda: hs.paired_counts([[1, 2, 3]]), "has shape"),
        (lambda: hs.paired_counts([[1, 2], [3, -4]]), "hold -4"),
        (lambda: hs.compare(hs.paired_counts([[10, 5], [12, 30]]), "f1"), "needs the classes"),
        (lambda: hs.from_rates(precision=0.9, positives=10, negatives=10), "two of `precision`"),
        (lambda: hs.from_rates(precision=0.123, recall=0.9, positives=10, negatives=10), "No whole numbers"),
        (lambda: hs.scores([0, 1], ["12.5%", "90%"]), "'12.5%' at row 0.*0.125"),
        (lambda: hs.scores([0, 1], ["1,234", "5,678"]), "'1,234' at row 0"),
        (lambda: hs.values("x", model="m", data={"x": [1], "m": ["a"]}), "go together"),
    ],
)
def test_a_refusal_leads_on(call, words):
    """One sentence states the problem, and another the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        call()


def test_joint_counts_are_those_of_the_cases():
    """Ten both, five and twelve alone: as the cases written out, for McNemar's test and the difference."""
    found = hs.paired_counts(both=10, only_a=5, only_b=12, neither=30, a="old", b="new")
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [10, 5, 12, 30], axis=0).T
    cases = hs.paired(np.ones(57, int), {"old": right[0], "new": right[1]}, labels=[0, 1])
    assert hs.mcnemar(found).p_value == pytest.approx(0.0963, abs=5e-5)  # half of the exact tail's last term less
    one, other = hs.compare(found, "accuracy"), hs.compare(cases, "accuracy")
    assert (one.value, one.low, one.high, one.p_value) == (other.value, other.low, other.high, other.p_value)
    assert one.value == pytest.approx((15 - 22) / 57)


def test_counts_by_class_are_those_of_the_cases():
    """K × K × K counts are a paired table for every metric."""
    counts = RNG.integers(0, 20, (3, 3, 3))
    true, a, b = (np.repeat(each, counts.ravel()) for each in np.indices(counts.shape).reshape(3, -1))
    found, right = hs.paired_counts(counts), hs.paired(true, {"A": a, "B": b})
    assert str(hs.compare(found, "f1@macro")) == str(hs.compare(right, "f1@macro"))


@pytest.mark.parametrize("given", [{"recall": 0.894}, {"f1": 0.913}, {"recall": "0.894", "f1": "0.913"}])
def test_precision_and_recall_give_the_counts_back(given):
    """42 of 45 and 42 of 47 are the only whole numbers that give the figures."""
    table = hs.from_rates(precision=0.933, positives=47, negatives=53, **given)
    assert table.counts.tolist() == [[50, 3], [5, 42]]


TRUE = RNG.integers(0, 2, 120)
SCORES = {name: np.round(np.clip(TRUE * 0.3 + RNG.random(120) * 0.7, 0, 1), 2) for name in ("a", "b")}
SAID = {name: (each >= 0.5) * 1 for name, each in SCORES.items()}


@pytest.mark.parametrize("more", [{}, {"groups": np.arange(120) // 3}, {"sample_weight": RNG.integers(1, 4, 120)}])
@pytest.mark.parametrize("metric", ["accuracy", "f1", "specificity"])
def test_scores_at_a_threshold_are_predictions(metric, more):
    """The comparison at 0.5 is that of the predictions that the scores give there."""
    found = hs.compare(hs.paired_scores(TRUE, SCORES, **more), metric, threshold=0.5)
    right = hs.compare(hs.paired(TRUE, SAID, **more), metric)
    expected = (right.value, right.low, right.high)
    assert (found.value, found.low, found.high) == pytest.approx(expected, abs=0.001)
    assert hs.paired_scores(TRUE, SCORES).at(0.5).rows == 120


def test_a_threshold_is_for_scores_and_counts():
    """Other tables, and metrics of all scores, have none; groups and separate test sets have one."""
    with pytest.raises(hs.HowsureError, match="uses all scores"):
        hs.compare(hs.paired_scores(TRUE, SCORES), "roc_auc", threshold=0.5)
    with pytest.raises(hs.HowsureError, match="is for tables of scores"):
        hs.compare(hs.paired(TRUE, SAID), "f1", threshold=0.5)
    by = hs.compare(hs.paired_scores(TRUE, SCORES, by=np.repeat(["x", "y"], 60)), "f1", threshold=0.5)
    alone = hs.compare(
        hs.paired_scores(TRUE[60:], {name: each[60:] for name, each in SCORES.items()}), "f1", threshold=0.5
    )
    assert by["y"].value == alone.value
    apart = hs.compare(hs.scores(TRUE, SCORES["a"]), hs.scores(TRUE, SCORES["b"]), "f1", threshold=0.5)
    assert apart.value == pytest.approx(hs.compare(hs.paired(TRUE, SAID), "f1").value)


def test_groups_of_one_model_each_are_models():
    """The tables of `by=` are ranked as a mapping of the same tables is; groups of paired tables stay groups."""
    tables = hs.confusion(TRUE, SAID["a"], by=np.repeat(["x", "y", "z"], 40))
    found, right = (hs.leaderboard(each, "recall", random_state=0) for each in (tables, dict(tables.items())))
    assert str(found) == str(right)
    assert len(hs.leaderboard(hs.paired(TRUE, SAID, by=np.repeat(["x", "y"], 60)), "recall")) == 2


LONG = {"model": ["a"] * 4 + ["b"] * 4, "item": ["q1", "q2", "q3", "q4", "q4", "q3", "q2", "q1"]}
LONG |= {"grade": [1, 0.5, 1, 0, 0, 0.5, 0, 1], "passage": [1, 1, 2, 2, 2, 2, 1, 1]}


def test_numbers_in_long_form_are_joined_by_case():
    """Rows in any order give the differences 0, 0.5, 0.5 and 0 of the items."""
    table = hs.values("grade", model="model", case="item", data=LONG, groups="passage")
    assert hs.compare(table, "mean").value == pytest.approx(0.25)
    assert type(table.design).__name__ == "Clusters"
    short = {name: column[:-1] for name, column in LONG.items()}
    with pytest.raises(hs.HowsureError, match="incomplete='drop'"):
        hs.values("grade", model="model", case="item", data=short)
    assert hs.values("grade", model="model", case="item", data=short, incomplete="drop").rows == 3


def test_runs_of_a_case_are_a_cluster():
    """Three runs of twenty items are sixty rows in twenty clusters."""
    grade, item, run = RNG.random(120), np.tile(np.repeat(np.arange(20), 3), 2), np.tile(np.arange(3), 40)
    long = {"m": np.repeat(["a", "b"], 60), "i": item, "r": run, "g": grade}
    found = hs.compare(hs.values("g", model="m", case="i", run="r", data=long), "mean")
    right = hs.compare(hs.values({"a": grade[:60], "b": grade[60:]}, groups=item[:60]), "mean")
    assert (found.value, found.low, found.high) == pytest.approx((right.value, right.low, right.high))


@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_rounded_rows_of_probabilities_are_divided_by_their_sums(decimals):
    """Rows that miss 1 by the rounding of their numbers are shares; others are refused with the remedy."""
    rows = np.round(RNG.dirichlet([2] * 6, 80), decimals)
    true = rows.argmax(1)
    right = -np.log((rows / rows.sum(1, keepdims=True))[np.arange(len(true)), true]).mean()
    table = hs.multiclass_scores(true, rows, labels=range(6))
    assert hs.estimate(table, "log_loss").value == pytest.approx(right, abs=0.002)
    with pytest.raises(hs.HowsureError, match="Divide each row"):
        hs.estimate(hs.multiclass_scores(true, 1.3 * rows, labels=range(6)), "log_loss")


def test_numbers_in_odd_dress():
    """Decimal commas are read if they are not thousands separators; single precision may differ slightly from 1."""
    assert hs.scores([0, 1, 1], ["0,5432", "0,1", "1"]).scores.tolist() == [0.1, 0.5432, 1.0]
    assert hs.values({"a": ["0,5", "1"], "b": ["0,25", "0"]}).rows == 2
    assert hs.estimate(hs.scores([0, 1, 1], [0.2, 0.3, 1.0000001]), "brier_score").value == pytest.approx(0.53 / 3)
    with pytest.raises(hs.HowsureError, match="holds 1.000002"):
        hs.estimate(hs.scores([0, 1], [0.2, 1.000002]), "brier_score")


def test_the_remedies_for_counts_of_others_work():
    """Each call is that of the message."""
    for call, words in (
        (
            lambda: hs.leaderboard(k={"A": 85}, n=100),
            r"leaderboard\(hs.proportions\(\{'A': 85, 'B': 80\}, 100\), 'mean'\)",
        ),
        (lambda: hs.trials(task=[1, 2], k=[3, 4], n=[5, 5]), r"counts=\[k, n - k, …\]"),
    ):
        with pytest.raises(hs.HowsureError, match=words):
            call()
    assert hs.leaderboard(hs.proportions({"A": 85, "B": 80}, 100), "mean").places[0].model == "A"
    runs = hs.trials([1, 0, 1, 0], task=["x", "x", "y", "y"], counts=[3, 2, 4, 1])
    assert hs.estimate(runs, "pass@2") == pytest.approx((1 - 1 / 10 + 1) / 2)
    limits = [
        (found.low, found.value, found.high)
        for found in (hs.estimate(hs.from_counts(tp=42, fp=3, fn=5, tn=tn), "f1") for tn in (0, 50))
    ]
    assert limits[0] == pytest.approx(limits[1], rel=1e-6)


def test_a_positive_class_as_text():
    """The class 1 is named by "1" too, as elsewhere."""
    assert hs.f1_score([1, 0] * 5, [1, 1] * 5, pos_label="1") == pytest.approx(2 / 3)

"""Models of a log are joined by item and compared on the same items; mismatches are reported."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.report.evals import report_of_log

LOGS = Path(__file__).parents[1] / "data" / "logs"


def log_of(scores, task="t", cluster=None):
    """Return a log of models' scores, an array of items by runs for each, in an order of its own for each model."""
    rows = []
    for seed, (model, each) in enumerate(scores.items()):
        found = [
            (task, model, f"q{item}", run + 1, "score", value, *(() if cluster is None else (cluster[item],)))
            for item, values in enumerate(np.asarray(each, dtype=float).reshape(len(each), -1))
            for run, value in enumerate(values)
        ]
        rows += [found[place] for place in np.random.default_rng(seed).permutation(len(found))]
    names = ("task", "model", "item", "run", "metric", "score", "cluster")
    return hs.results.Log(dict(zip(names, zip(*rows, strict=True), strict=False)))


RNG = np.random.default_rng(7)
EASE = RNG.normal(size=40)
GRADES = {
    name: np.clip(0.5 + 0.2 * EASE + 0.1 * RNG.normal(size=40) + more, 0, 1) for name, more in (("A", 0.1), ("B", 0))
}
PASSED = {name: RNG.random((40, 5)) < stats.norm.cdf(EASE + more)[:, None] for name, more in (("A", 0.5), ("B", 0.0))}


def test_models_are_joined_by_item():
    """The standard error of a difference is that of the items' differences, for any order of the rows."""
    found = hs.compare(log_of(GRADES).table(), "mean")
    differences = GRADES["A"] - GRADES["B"]
    assert found.value == pytest.approx(differences.mean())
    assert found.standard_error == pytest.approx(stats.sem(differences), abs=1e-12)
    by_hand = hs.compare(hs.values(GRADES, bounds=(0, 1)), "mean")
    assert (found.low, found.high) == pytest.approx((by_hand.low, by_hand.high))


def test_runs_vary_within_items():
    """Passes and failures of several runs make trials: the standard error of a mean is that of the items' shares."""
    table = log_of(PASSED).table()
    found = hs.compare(table, "mean")
    shares = {name: each.mean(1) for name, each in PASSED.items()}
    assert found.standard_error == pytest.approx(stats.sem(shares["A"] - shares["B"]), abs=1e-12)
    columns = [
        [*each]
        for each in zip(*((item, run, PASSED["A"][item, run]) for item in range(40) for run in range(5)), strict=True)
    ]
    by_hand = hs.trials(columns[2], task=columns[0], run=columns[1])
    for metric in ("pass_at+k=5", "pass_all+k=3", "icc"):
        assert hs.estimate(table.model("A"), metric).value == pytest.approx(hs.estimate(by_hand, metric).value)


def test_grades_of_several_runs_are_averaged():
    """Runs with grades other than pass and fail count as their mean, item by item."""
    grades = {name: np.clip(each[:, None] + 0.1 * RNG.normal(size=(40, 3)), 0, 1) for name, each in GRADES.items()}
    found = hs.estimate(log_of({"A": grades["A"]}).table(), "mean")
    assert found.standard_error == pytest.approx(stats.sem(grades["A"].mean(1)), abs=1e-12)


def test_clusters_above_items():
    """With clusters the standard error of a difference is that of the cluster sums, with G / (G - 1)."""
    passage = [f"p{item // 4}" for item in range(40)]
    found = hs.compare(log_of(GRADES, cluster=passage).table(), "mean")
    away = (GRADES["A"] - GRADES["B"]) - (GRADES["A"] - GRADES["B"]).mean()
    sums = away.reshape(10, 4).sum(1)
    assert found.standard_error == pytest.approx(np.sqrt(10 / 9 * (sums**2).sum()) / 40, abs=1e-12)


def test_items_that_a_model_lacks_are_told():
    """They are refused, or left out for all models; the evaluation states which model lacks how many."""
    log = log_of({"A": GRADES["A"], "B": GRADES["B"][:30]})
    with pytest.raises(hs.HowsureError, match="10 of the 40 items of the task 't' lack a score \\('B' lacks 10\\)"):
        log.table()
    assert log.table(incomplete="drop").rows == 30
    found = hs.evaluate_log(log)
    assert found["t", "A"].value == pytest.approx(GRADES["A"][:30].mean())
    assert any(
        "10 of 40 items lack a score and are left out for all models: B lacks 10" in each for each in found.cautions
    )
    nan = log_of({"A": GRADES["A"], "B": np.where(np.arange(40) < 3, np.nan, GRADES["B"])})
    assert nan.joined().lacking == {"A": 0, "B": 3}
    apart = log_of({"A": GRADES["A"]}), log_of({"B": GRADES["B"]})
    apart[1]["item"][:] = [f"other {each}" for each in apart[1]["item"]]
    both = hs.results.Log({name: np.concatenate([each[name] for each in apart]) for name in apart[0]})
    with pytest.raises(hs.HowsureError, match="No item of the task 't'"):
        both.table(incomplete="drop")
    alone = hs.evaluate_log(both)
    assert {model: each.value for (_, model), each in alone.items()} == pytest.approx(
        {name: each.mean() for name, each in GRADES.items()}
    )
    assert not alone.comparisons
    assert any("not compared with A" in each for each in alone.cautions)


def test_items_of_one_name_that_differ_are_told():
    """The same number for another question is not a match, although it looks like one."""
    log = log_of(GRADES)
    content = [f"{model if item == 'q3' else ''} {item}" for model, item in zip(log["model"], log["item"], strict=True)]
    found = hs.evaluate_log(hs.results.Log({**log, "content": content}))
    assert any("1 item asked different things" in each for each in found.cautions)
    same = hs.results.Log({**log, "content": log["item"]})
    assert not any("asked" in each for each in hs.evaluate_log(same).cautions)


def test_one_item_has_one_cluster():
    """Several, or none, are refused."""
    log = log_of(GRADES, cluster=["a", "b"] * 20)
    other = log["cluster"].copy()
    other[0] = "c"
    with pytest.raises(hs.HowsureError, match="is in several clusters"):
        hs.results.Log({**log, "cluster": other}).table()
    other = np.where(log["item"] == "q3", None, log["cluster"])
    with pytest.raises(hs.HowsureError, match="'q3' has no cluster"):
        hs.results.Log({**log, "cluster": other}).table()


def test_p_values_are_adjusted_for_the_pairs_of_all_tasks():
    """By Holm's method: for all pairs if the best is sought, for those with the baseline if there is one."""
    models = {
        name: np.clip(GRADES["B"] + shift + 0.05 * RNG.normal(size=40), 0, 1)
        for name, shift in zip("ABC", (0, 0.01, 0.02), strict=True)
    }
    logs = [log_of(models, task=task) for task in ("one", "two")]
    log = hs.results.Log({name: np.concatenate([each[name] for each in logs]) for name in logs[0]})
    found = hs.evaluate_log(log, baseline="A")
    raw = [hs.compare(log.table(task), "mean", a=model, b="A").p_value for task, model in found.comparisons]
    assert [each.p_value for each in found.comparisons.values()] == pytest.approx(
        hs.comparison.adjusted_p_values(raw).tolist()
    )
    best = hs.evaluate_log(log)
    assert {each.names[1] for each in best.comparisons.values()} == {max(models, key=lambda name: models[name].mean())}
    assert best.pairs == 6
    smallest = min(
        hs.compare(log.table(task), "mean", a=each.names[0], b=each.names[1]).p_value
        for (task, _), each in best.comparisons.items()
    )
    assert min(each.p_value for each in best.comparisons.values()) == pytest.approx(min(1, 6 * smallest))


def test_what_is_not_told_apart():
    """A model is named where its adjusted p-value is above 5 %, and only there."""
    models = {"best": np.ones(40), "near": np.r_[np.ones(39), 0], "far": np.tile([1, 0], 20)}
    found = hs.evaluate_log(log_of(models))
    assert found.not_told_apart("t") == ["near"]
    assert found.sentences() == ["t: not significantly different from best: near."]


def test_cautions_of_easy_and_hard_tasks():
    """A task that all models solve, or none, carries little information."""
    easy = {"A": np.ones(50), "B": np.r_[np.ones(49), 0]}
    assert any("the same score on 49 of 50 items" in each for each in hs.evaluate_log(log_of(easy)).cautions)
    hard = {name: 1 - each for name, each in easy.items()}
    assert any("too hard" in each for each in hs.evaluate_log(log_of(hard)).cautions)
    few = hs.evaluate_log(log_of(GRADES, cluster=[f"p{item % 5}" for item in range(40)]))
    assert any("only 5 clusters" in each for each in few.cautions)


def test_gates_follow_from_intervals():
    """A model is below a value, or worse by a margin, where its whole interval is."""
    found = hs.evaluate_log(log_of(GRADES), baseline="A")
    for key, each in found.items():
        assert key in found.below(each.high + 1e-9)
        assert key not in found.below(each.high)
    high = found.comparisons["t", "B"].high
    assert high < 0
    assert found.worse(-high - 1e-9) == [("t", "B")]
    assert found.worse(-high) == []


def test_rows_and_page():
    """Records have all numbers, and the page the sentences and cautions."""
    found = hs.evaluate_log(hs.read_log(LOGS / "inspect"))
    assert [each["items"] for each in found.records()] == [9, 9]
    assert found.records()[0]["clusters"] == 3
    page = report_of_log(found, command="howsure evals logs").to_html()
    for said in (*found.sentences(), "only 3 clusters"):
        assert said in page
    widths = {len(row) for row in found.grid().rows}
    assert widths == {len(found.grid().headers)}
    assert all(first[0] <= second[0] for first, second in pairwise(found))


def test_three_lines():
    """Two logs to a paired, clustered comparison: read, table, compare."""
    log = hs.read_log([LOGS / "inspect" / "new.eval", LOGS / "inspect" / "old.eval"])
    assert str(hs.compare(log.table(), "mean")).startswith("mean: mockllm/new − mockllm/old = ")
    assert "clusters" in log.table().design.description.sample


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda log: log.table("other"), "There is no task 'other'"),
        (lambda log: log.table(metric="acc"), "There is no metric of the task"),
        (lambda log: hs.evaluate_log(log, baseline="C"), "There is no model 'C'"),
        (lambda log: hs.evaluate_log(log, metric="acc"), "There is no metric 'acc'"),
        (lambda log: hs.evaluate_log(log, statistic="f1"), "f1"),
        (lambda log: hs.evaluate_log(log)["t", "C"], "There is no task and model"),
        (lambda _: hs.read_log(3), "by its path"),
        (lambda _: hs.read_log([LOGS / "inspect" / "new.eval"] * 2), "both hold the task 'sums'"),
        (
            lambda _: hs.read_log(LOGS / "inspect", cluster="passag"),
            "No item has a field 'passag'. Did you mean 'passage'",
        ),
        (lambda _: hs.read_log(LOGS / "lm_eval").table(), "several tasks: 'choice', 'words'"),
    ],
)
def test_refusals(call, said):
    """Impossible requests give a one-line error with the remedy."""
    with pytest.raises(hs.HowsureError, match=said.replace("(", "\\(")):
        call(log_of(GRADES))


def test_several_files_under_one_name_are_runs():
    """Given so on purpose, the second file has further runs of the same items."""
    path = LOGS / "inspect" / "new.eval"
    log = hs.read_log({"twice": [path, path]})
    assert log.joined().runs.tolist() == [[4] * 9]
    assert set(log["run"]) == {1, 2, 3, 4}


def test_columns_make_a_log():
    """All that is needed must be there, of one length; a run that a model has twice would count as two."""
    log = log_of(GRADES)
    for columns, said in (
        ({}, "A log is a mapping with the columns item, metric, model, run, score, task"),
        ({**log, "score": log["score"][1:]}, "differ in length"),
        ({**log, "score": ["high"] * 80}, "`score` holds an entry that is not a number"),
        ({name: column[:0] for name, column in log.items()}, "at least one score"),
    ):
        with pytest.raises(hs.HowsureError, match=said):
            hs.results.Log(columns)
    with pytest.raises(hs.HowsureError, match="run 1 of the item 'q\\d+' twice"):
        hs.results.Log({name: np.concatenate([column, column[:1]]) for name, column in log.items()}).table()
    with pytest.raises(hs.HowsureError, match="from `read_log`, not dict"):
        hs.evaluate_log(dict(log))


def test_a_log_is_data():
    """Its columns go where columns go."""
    log = log_of({"A": PASSED["A"]})
    table = hs.trials("score", task="item", run="run", data=log)
    assert hs.estimate(table, "mean").low == hs.estimate(log.table(), "mean").low


def test_where_lower_is_better_the_lowest_is_best():
    """For a rate of flips the lowest model is the best, and a higher one is worse."""
    steady = np.tile([[1, 1, 1, 1]], (40, 1))
    log = log_of({"A": PASSED["A"][:, :4], "B": steady})
    found = hs.evaluate_log(log, statistic="flip_rate")
    assert found.comparisons["t", "A"].names[1] == "B"
    assert found.worse(0.05) == [("t", "A")]


def test_one_model_has_no_comparison():
    """Its scores alone are shown, on the page too."""
    found = hs.evaluate_log(log_of({"A": GRADES["A"]}))
    assert not found.comparisons
    assert found.sentences() == []
    assert found.grid().headers[-1] == "95 % interval"
    assert "Differences on the same items" not in report_of_log(found).to_html()


@pytest.mark.parametrize("settings", [{}, {"score": "ok"}], ids=["alone", "with a column"])
def test_a_path_is_read_first(settings):
    """`read_log` takes the file, and the names of its columns."""
    with pytest.raises(hs.HowsureError, match=r"hs.evaluate_log\(hs.read_log\("):
        hs.evaluate_log("run.jsonl", **settings)

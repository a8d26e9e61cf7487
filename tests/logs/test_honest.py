"""An evaluated log shows the metric, its direction and the harness's own number, and drops nothing in silence."""

import json
import math

import numpy as np
import pytest

import howsure as hs
from support.shell import run

DATE = "2026-01-01T00-00-00.000001"


def write(folder, task, values, metric="acc", kept="none", date=DATE, **results):
    """Write samples of lm-evaluation-harness, and its results."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"doc_id": item, "doc": {}, "doc_hash": str(item), "target": "x", "filter": kept, "filtered_resps": ["x"]}
        | {"metrics": [metric], metric: value}
        for item, value in enumerate(values)
    ]
    (folder / f"samples_{task}_{date}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = folder / f"results_{date}.json"
    held = json.loads(path.read_text()) if path.exists() else {"model_name": folder.name}
    for name, each in results.items():
        key = name.replace("_samples", "-samples")
        held[key] = held.get(key, {}) | each
    path.write_text(json.dumps(held))
    return folder


def test_models_by_another_filter_are_shown_and_gated(tmp_path):
    """A model whose scores have another filter has its own row, a caution, and fails the gate if it is below."""
    write(tmp_path / "A", "t", [1.0] * 45 + [0.0] * 5, "exact_match", "strict")
    write(tmp_path / "B", "t", [1.0] * 10 + [0.0] * 40, "exact_match", "flexible")
    found = hs.evaluate_log(hs.read_log(tmp_path))
    assert {model: each.value for (_, model), each in found.items()} == {"A": 0.9, "B": 0.2}
    assert [each["metric"] for each in found.records()] == ["exact_match,strict", "exact_match,flexible"]
    assert any("B is not compared with A" in each for each in found.cautions)
    result = run("evals", str(tmp_path), "--fail-below", "0.6")
    assert (result.returncode, result.stderr) == (1, "howsure: B is below 0.6 in t\n")
    assert "exact_match,flexible" in result.stdout


def test_tables_and_leaderboards_drop_no_model(tmp_path):
    """A table of a task is of all its models, or refused; a leaderboard of toxicity has the lowest first."""
    write(tmp_path / "A", "t", [1.0, 0.0] * 20)
    write(tmp_path / "B", "t", [1.0, 0.0] * 20, "f1")
    log = hs.read_log(tmp_path)
    with pytest.raises(hs.HowsureError, match="'B' has no score of the task 't' by 'acc'"):
        log.table()
    with pytest.raises(hs.HowsureError, match="'B' has no score"):
        log.contenders()
    assert log.table(incomplete="drop").rows == 40
    write(tmp_path / "C", "tox", [0.9] * 20 + [0.8] * 20, "toxicity")
    write(tmp_path / "D", "tox", [0.1] * 20 + [0.2] * 20, "toxicity")
    board = run("leaderboard", str(tmp_path / "C"), str(tmp_path / "D"), "--format", "json")
    assert [each["model"] for each in json.loads(board.stdout)] == ["D", "C"], board.stderr


def test_models_without_the_requested_metric_are_named(tmp_path):
    """Models and tasks without the one metric for all are named, and a gate that cannot check them exits with 2."""
    write(tmp_path / "A", "t", [1.0, 0.0] * 20)
    write(tmp_path / "B", "t", [1.0, 0.0] * 20, "f1")
    write(tmp_path / "B", "u", [1.0, 0.0] * 20, "f1")
    found = hs.evaluate_log(hs.read_log(tmp_path), metric="acc")
    assert "t: B has no score by 'acc'." in found.cautions
    assert "Left out, without scores by 'acc': 'u'." in found.cautions
    result = run("evals", str(tmp_path), "--metric", "acc", "--fail-below", "0.1")
    assert result.returncode == 2
    assert "cannot check B in t" in result.stderr


@pytest.mark.parametrize("metric, stated", [("toxicity", None), ("acc", False), ("word_error", None)])
def test_lower_is_better(metric, stated, tmp_path):
    """By the log or by the name of the metric the lowest model is the best, and a higher one is worse."""
    more = {} if stated is None else {"higher_is_better": {"t": {metric: stated}}}
    write(tmp_path / "A", "t", [0.9] * 20 + [0.8] * 20, metric, **more)
    write(tmp_path / "B", "t", [0.1] * 20 + [0.2] * 20, metric, **more)
    found = hs.evaluate_log(hs.read_log(tmp_path))
    assert found.comparisons["t", "A"].names[1] == "B"
    assert found.comparisons["t", "A"].better == "lower"
    assert run("evals", str(tmp_path), "--baseline", "B", "--fail-if-worse", "0.1").returncode == 1
    assert run("evals", str(tmp_path), "--baseline", "A", "--fail-if-worse", "0.1").returncode == 0
    assert run("evals", str(tmp_path), "--fail-above", "0.5").returncode == 1
    assert run("evals", str(tmp_path), "--fail-below", "0.5").returncode == 2  # which checks nothing
    turned = hs.evaluate_log(hs.read_log(tmp_path), better="higher")
    assert turned.comparisons["t", "B"].names[1] == "A"


def test_perplexities_are_those_of_the_harness(tmp_path):
    """They are the exponential of the mean log loss, weighted by words; likelihoods alone are not scores."""
    rng = np.random.default_rng(0)
    loss = rng.gamma(1.5, 1.1, 60)
    words = rng.integers(5, 90, 60)
    plain, by_word = math.exp(loss.mean()), math.exp((loss * words).sum() / words.sum())
    likelihoods = (-loss).tolist()
    write(tmp_path / "A", "last", likelihoods, "perplexity", results={"last": {"perplexity,none": plain}})
    pairs = [[float(-each * number), int(number)] for each, number in zip(loss, words, strict=True)]
    write(tmp_path / "A", "text", pairs, "word_perplexity", results={"text": {"word_perplexity,none": by_word}})
    bits = (loss * words).sum() / words.sum() / math.log(2)
    write(tmp_path / "A", "bits", pairs, "bits_per_byte", results={"bits": {"bits_per_byte,none": bits}})
    found = hs.evaluate_log(hs.read_log(tmp_path))
    assert {task: each.value for (task, _), each in found.items()} == pytest.approx(
        {"last": plain, "text": by_word, "bits": bits}
    )
    assert found["last", "A"].low < plain < found["last", "A"].high
    assert {each["better"] for each in found.records()} == {"lower"}
    assert not any("harness reports" in each for each in found.cautions)


def test_placeholders_are_no_scores(tmp_path):
    """Samples of a run that scored nothing are refused by name."""
    with pytest.raises(hs.HowsureError, match="'bypass'.*predict_only"):
        hs.read_log(write(tmp_path / "A", "code", [999] * 9, "bypass"))


def test_the_harness_and_the_samples_are_compared(tmp_path):
    """Another number than that of the harness, or another count, is a caution; equal ones are none."""
    counted = {"results": {"t": {"acc,none": 0.75}}, "n_samples": {"t": {"original": 100, "effective": 100}}}
    found = hs.evaluate_log(hs.read_log(write(tmp_path / "A", "t", [1.0, 0.0, 0.0], **counted)))
    assert (
        "t: the harness reports acc 0.75 for A, and the samples in the log give 0.333333 (3 of 100 samples)."
        in found.cautions
    )
    record = found.records()[0]
    assert (record["reported"], record["reported_samples"]) == (0.75, 100)
    same = {"results": {"t": {"acc,none": 1 / 3}}, "n_samples": {"t": {"original": 3, "effective": 3}}}
    assert not hs.evaluate_log(hs.read_log(write(tmp_path / "B", "t", [1.0, 0.0, 0.0], **same))).cautions


def test_folders_survive(tmp_path):
    """Unusable, foreign and retried files and results without samples are left out with a caution each."""
    write(tmp_path / "A", "t", [1.0] * 3)
    write(tmp_path / "A", "t", [1.0, 0.0] * 30, date="2026-01-02T00-00-00.000001")
    write(tmp_path / "A", "t", [1.0, 0.0] * 30, results={"u": {"acc,none": 0.5}})
    write(tmp_path / "B", "t", [1.0, 0.0, 0.0] * 20)
    write(tmp_path / "C", "t", [1.0, 0.0])
    (tmp_path / "cut.json").write_text('{"eval": ')
    (tmp_path / "other.json").write_text('{"name": "a package"}')
    found = hs.evaluate_log(hs.read_log(tmp_path), baseline="A")
    assert {model: each.value for (_, model), each in found.items()} == pytest.approx({"A": 0.5, "B": 1 / 3, "C": 0.5})
    assert list(found.comparisons) == [("t", "B")]
    for said in (
        "'cut.json' is left out",
        "no logs that are known: 'other.json'",
        "'u' without samples",
        "the later one counts",
    ):
        assert any(said in each for each in found.cautions), said
    assert any("C is not compared with" in each for each in found.cautions)
    assert run("evals", str(tmp_path), "--baseline", "A", "--fail-if-worse", "0.5").returncode == 2


def test_versions_in_two_folders_are_no_retries(tmp_path):
    """One model and task in two folders may be two versions, of which neither is dropped: they need names."""
    for run_of in ("main", "branch"):
        write(tmp_path / run_of / "A", "t", [1.0, 0.0] * 20)
    for given in (tmp_path, [tmp_path / "main", tmp_path / "branch"]):
        with pytest.raises(hs.HowsureError, match="both hold the task 't' of the model 'A'. Name them"):
            hs.read_log(given)
    assert hs.read_log({"new": tmp_path / "branch", "old": tmp_path / "main"}).models == ("new", "old")


def test_lists_of_early_versions(tmp_path):
    """A file named .jsonl with one JSON list contains the samples; its name has the model's arguments and the task."""
    rows = [{"doc_id": n, "doc": {}, "target": "a", "filtered_resps": ["a"], "acc": float(n % 2)} for n in range(8)]
    (tmp_path / "pretrained=big_model,dtype=float_a_task.jsonl").write_text(json.dumps(rows))
    (tmp_path / "results.json").write_text(json.dumps({"results": {"a_task": {"acc,none": 0.5}}}))
    found = hs.evaluate_log(hs.read_log(tmp_path))
    assert list(found) == [("a_task", "pretrained=big_model,dtype=float")]
    assert found.records()[0]["reported"] == 0.5


def test_groups_of_tasks_have_a_total(tmp_path):
    """It is of all items, so that larger tasks count more, as the harness has it; groups of groups too."""
    groups = {"group_subtasks": {"all": ["some", "c"], "some": ["a", "b"]}}
    parts = {"a": [1.0] * 6 + [0.0] * 2, "b": [1.0, 0.0] * 8, "c": [0.0] * 4 + [1.0]}
    for model in ("A", "B"):
        for task, values in parts.items():
            write(tmp_path / model, task, values, **groups)
    found = hs.evaluate_log(hs.read_log(tmp_path))
    assert found.tasks == ("a", "b", "c", "all", "some")
    assert found["some", "A"].value == pytest.approx(14 / 24)
    assert found["all", "A"].value == pytest.approx(15 / 29)
    only = hs.evaluate_log(hs.read_log(tmp_path), task="all")
    assert only.tasks == ("all",)
    assert only["all", "A"].value == pytest.approx(15 / 29)


def test_tasks_that_the_baseline_lacks(tmp_path):
    """They are shown without a comparison, with a note."""
    write(tmp_path / "A", "t", [1.0, 0.0] * 20)
    write(tmp_path / "B", "t", [1.0, 0.0] * 20)
    write(tmp_path / "B", "u", [1.0, 0.0] * 20)
    found = hs.evaluate_log(hs.read_log(tmp_path), baseline="A")
    assert list(found.comparisons) == [("t", "B")]
    assert "u: A has no scores, and nothing is compared with it." in found.cautions


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_records_of_any_evaluation(suffix, tmp_path):
    """Columns of items, models and scores make a log; several answers to one item are runs."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        [
            {"id": f"q{item}", "who": model, "right": bool((item * 7 + shift + run) % 3), "topic": item % 4}
            for shift, model in enumerate("ab")
            for item in range(30)
            for run in range(2)
        ]
    )
    path = tmp_path / f"runs{suffix}"
    {
        ".csv": lambda: frame.to_csv(path, index=False),
        ".jsonl": lambda: frame.to_json(path, orient="records", lines=True),
        ".parquet": lambda: frame.to_parquet(path),
    }[suffix]()
    log = hs.read_log(path, score="right", item="id", model="who", cluster="topic")
    assert log.joined().runs.tolist() == [[2] * 30] * 2
    assert len(set(log.joined().cluster.tolist())) == 4
    found = hs.evaluate_log(log)
    assert {model: each.value for (_, model), each in found.items()} == pytest.approx(
        frame.groupby("who")["right"].mean().to_dict()
    )


def test_records_that_do_not_fit(tmp_path):
    """Models need items to be joined by, scores are numbers, and columns are named as they are."""
    path = tmp_path / "runs.csv"
    path.write_text("who,right,said\na,1,yes sir\nb,0,no sir\n")
    for columns, said in (
        ({"score": "right", "model": "who"}, "Give `item`"),
        ({"score": "said"}, "holds no number: 'yes sir'"),
        ({"score": "rigt"}, "rigt"),
        ({"item": "who"}, "Give `score`"),
    ):
        with pytest.raises(hs.HowsureError, match=said):
            hs.read_log(path, **columns)
    assert hs.evaluate_log(hs.read_log(path, score="right"))["all", "runs"].value == 0.5


def test_three_items_say_nothing_of_a_task():
    """A note that all models nearly always succeed needs at least thirty items."""
    columns = {"task": ["t"] * 6, "model": ["A", "B"] * 3, "item": [*"aabbcc"], "run": [1] * 6, "metric": ["m"] * 6}
    found = hs.evaluate_log(hs.results.Log(columns | {"score": [1.0] * 6}))
    assert not any("succeed" in each for each in found.cautions)


def test_perplexities_of_samples_are_averaged():
    """Scores that a user's own log names perplexity are not transformed: only harnesses state that they are logs."""
    columns = {"task": ["t"] * 40, "model": ["A"] * 40, "item": list(map(str, range(40))), "run": [1] * 40}
    found = hs.evaluate_log(hs.results.Log(columns | {"metric": ["perplexity"] * 40, "score": np.arange(40) + 1.0}))
    assert found["t", "A"].value == 20.5
    assert found.records()[0]["better"] == "lower"

"""A gate passes only what it checked: models, tasks and differences that it cannot check end it with exit code 2."""

import json

import numpy as np
import pytest

import howsure as hs
from support.shell import run

GRADES = np.arange(40) % 7.0


def table(path, scores):
    """Write a CSV with a column of items, of models and of scores; return it and the options that name them."""
    rows = [f"{item},{model},{value}" for model, values in scores.items() for item, value in enumerate(values)]
    path.write_text("\n".join(["id,model,score", *rows]))
    return ["evals", str(path), "--score", "score", "--item", "id", "--model", "model"]


def inspect(path, model, values, **more):
    """Write a log of Inspect whose samples have a score each, or several by name."""
    scores = [each if isinstance(each, dict) else {"judge": {"value": each}} for each in values]
    samples = [{"id": item, "epoch": 1, "input": f"q{item}", "scores": each} for item, each in enumerate(scores)]
    about = {"task": "t", "model": model} | more
    path.write_text(json.dumps({"eval": about, "status": "success", "results": {"scores": []}, "samples": samples}))


@pytest.mark.parametrize("gate", [["--baseline", "old", "--fail-if-worse", "0.02"], ["--fail-below", "0.1"]])
@pytest.mark.parametrize("harness", ["records", "inspect"])
def test_a_model_without_one_score_is_named(harness, gate, tmp_path):
    """A model all of whose answers lack a score has a caution, and no gate passes it."""
    if harness == "records":
        command = table(tmp_path / "a.csv", {"old": [1, 0] * 20, "new": [""] * 40})
        task = "all"
    else:
        command, task = ["evals", str(tmp_path)], "t"
        inspect(tmp_path / "a.json", "old", "CI" * 20)
        inspect(tmp_path / "b.json", "new", [None] * 40)
    result = run(*command, *gate)
    assert f"{task}: new has no score." in result.stdout
    assert (result.returncode, result.stderr) == (2, f"howsure: The gate cannot check new in {task}.\n")


@pytest.mark.parametrize(
    "new, code, sentence",
    [
        (GRADES - 2, 2, "new − old has no interval"),
        (GRADES, 0, "not significantly different from old: new."),
        (GRADES - 2 - GRADES / 10, 1, "all differ from old."),
    ],
)
def test_a_constant_loss_is_not_passed(new, code, sentence, tmp_path):
    """The same loss on every item has no interval, which is another thing than no difference."""
    command = table(tmp_path / "a.csv", {"new": new, "old": GRADES})
    result = run(*command, "--baseline", "old", "--fail-if-worse", "0.1")
    assert result.returncode == code, result.stderr
    assert f"all: {sentence}" in " ".join(result.stdout.split())


@pytest.mark.parametrize("lacking, other", [("new", "old"), ("old", "new")])
def test_a_task_that_a_model_lacks_is_named(lacking, other):
    """Whether the candidate or the baseline lacks it, the gate cannot check it."""
    rows = [(task, model, item) for task in ("ta", "tb") for model in ("new", "old") for item in range(40)]
    rows = [each for each in rows if each[:2] != ("tb", lacking)]
    names = ("task", "model", "item")
    columns = {name: [each[place] for each in rows] for place, name in enumerate(names)}
    columns |= {"run": [1] * 120, "metric": ["acc"] * 120, "score": [item % 3 > 0 for _, _, item in rows]}
    found = hs.evaluate_log(hs.results.Log(columns), baseline="old")
    assert f"{lacking} lacks 'tb', which another model has." in found.cautions
    assert found.not_compared() == [("tb", "new")]
    assert ("tb", other) in found


def test_a_first_score_without_values_is_not_the_main_one(tmp_path):
    """The main metric is the first by which there are scores; a log without any is refused."""
    inspect(tmp_path / "a.json", "A", [{"judge": {"value": None}, "match": {"value": "C"}}] * 40)
    found = hs.evaluate_log(hs.read_log(tmp_path))
    assert [each["metric"] for each in found.records()] == ["match"]
    inspect(tmp_path / "a.json", "A", [None] * 40)
    with pytest.raises(hs.HowsureError, match="No item of 't' has a score. Look whether"):
        hs.evaluate_log(hs.read_log(tmp_path))


@pytest.mark.parametrize("lacking", ["new", "old"])
def test_a_first_score_that_one_model_lacks(lacking, tmp_path):
    """Another metric counts for both models then, with a caution, and no gate passes the model that lacks the first."""
    for model in ("old", "new"):
        judged = None if model == lacking else "C"
        inspect(tmp_path / f"{model}.json", model, [{"judge": {"value": judged}, "match": {"value": "C"}}] * 40)
    result = run("evals", str(tmp_path), "--baseline", "old", "--fail-if-worse", "0.2")
    assert f"t: {lacking} has no score by 'judge', which comes first" in " ".join(result.stdout.split())
    assert (result.returncode, result.stderr) == (2, "howsure: The gate cannot check new in t.\n")
    chosen = run("evals", str(tmp_path), "--baseline", "old", "--fail-if-worse", "0.2", "--metric", "match")
    assert chosen.returncode == 0, chosen.stderr


def test_few_scores_are_counted(tmp_path):
    """A model with a score of few items is said to have these, and not all of its rows."""
    command = table(tmp_path / "a.csv", {"A": [1, 0] * 20, "B": [1, 0] * 5 + [""] * 30})
    said = " ".join(run(*command).stdout.split())
    assert "all: B is not compared with A: 10 and 40 items have a score, of which too few are the same." in said
    assert "all: 30 of 40 items lack a score of B." in said


def test_a_gate_without_a_candidate(tmp_path):
    """A folder whose other logs are unreadable or without scores has a caution for each, and compares nothing."""
    inspect(tmp_path / "a.json", "old", "CI" * 20)
    (tmp_path / "b.json").write_text('{"eval": ')
    resolved = {"schema_version": 2, "resolved_ids": [], "unresolved_ids": []}
    (tmp_path / "new.run.json").write_text(json.dumps(resolved))
    result = run("evals", str(tmp_path), "--baseline", "old", "--fail-if-worse", "0.02")
    assert "'b.json' is left out" in result.stdout
    assert "'new.run.json' is a log of SWE-bench without a score of any sample." in " ".join(result.stdout.split())
    assert (result.returncode, result.stderr) == (
        2,
        "howsure: The gate compares no model with old: the logs have no other one.\n",
    )


@pytest.mark.parametrize("harness", ["lighteval", "openai", "opencompass"])
def test_harnesses_whose_samples_all_lack_a_score(harness, tmp_path):
    """The model is named, as one whose answers could not be graded."""
    path = tmp_path / "b.jsonl"
    if harness == "openai":
        head = {"spec": {"eval_name": "t", "run_id": "1", "completion_fns": ["new"]}}
        events = [{"sample_id": f"s{n}", "type": "match", "data": {"correct": None}} for n in range(9)]
        path.write_text("\n".join(map(json.dumps, [head, *events])))
    elif harness == "opencompass":
        path.write_text(json.dumps({"accuracy": 0.0, "details": [{"pred": "A", "correct": None}] * 9}))
    else:
        pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        path = tmp_path / "details" / "new" / "details_t_2025-01-01T10-00-00.000001.parquet"
        path.parent.mkdir(parents=True)
        rows = [{"doc": {"id": str(n), "query": "?"}, "metric": str({"em": None})} for n in range(9)]
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    log = hs.read_log(path)
    assert log.without(*log.tasks) == list(log.models)
    assert len(log["score"]) == 9

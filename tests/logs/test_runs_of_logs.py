"""Files of one task and model: which one counts, which are parts, which are runs, and what names them."""

import json
import zipfile

import pytest

import howsure as hs
from howsure.logs.runs import moment
from support.shell import run

DATES = "2025-01-01T10-00-00.000001", "2025-02-01T10-00-00.000001"


def harness(folder, task, right, date=DATES[0], metric="acc", **results):
    """Write 40 samples of lm-evaluation-harness and its results."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"doc_id": n, "doc": {}, "target": "x", "filtered_resps": ["x"], "filter": "none", "metrics": [metric]}
        | {metric: float(n < right)}
        for n in range(40)
    ]
    (folder / f"samples_{task}_{date}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = folder / f"results_{date}.json"
    held = json.loads(path.read_text()) if path.exists() else {"results": {}, "group_subtasks": {}}
    held["results"][task] = {f"{metric},none": right / 40}
    held["group_subtasks"].setdefault(task, [])
    for name, each in results.items():
        held[name.replace("_", "-" if name == "n_shot" else "_")] = each
    path.write_text(json.dumps(held))


def inspect(path, items, value, created, status="success", **more):
    """Write a log of Inspect whose samples have one score."""
    samples = [{"id": n, "epoch": 1, "input": f"q{n}", "scores": {"m": {"value": value}}} for n in items]
    about = {"task": "t", "model": "A", "created": created} | more
    path.write_text(json.dumps({"eval": about, "status": status, "results": {"scores": []}, "samples": samples}))


def values_of(*given, **columns):
    """Return the values of an evaluated log by task and model, and its cautions in one text."""
    found = hs.evaluate_log(hs.read_log(*given, **columns))
    return {key: each.value for key, each in found.items()}, "\n".join(found.cautions)


@pytest.mark.parametrize(
    "first, second, value",
    [
        ("2025-06-01T10:00:00+02:00", "2025-06-01T09:00:00+00:00", 0),
        ("2025-06-01T09:00:00Z", "2025-06-01T10:00:00+02:00", 1),
        ("2025-06-01T09:00:00.25+00:00", "2025-06-01T09:00:00.125Z", 1),
    ],
)
def test_the_later_one_is_that_of_the_later_moment(first, second, value, tmp_path):
    """Times of other zones are compared as moments."""
    inspect(tmp_path / "a.json", range(40), "C", first)
    inspect(tmp_path / "b.json", range(40), "I", second)
    found, said = values_of(tmp_path)
    assert list(found.values()) == [value]
    assert "the later one counts, 'a.json'" in said if value else "the later one counts, 'b.json'" in said


def test_minutes_are_a_time():
    """A time without seconds is one; EvalPlus states such."""
    assert moment("2025-06-01 10:00") == moment("2025-06-01T10:00:00Z") < moment("20250601_1001")


@pytest.mark.parametrize("text", ["", "soon", "2025-13-01T00:00:00", "2025"])
def test_what_is_no_moment(text):
    """A text that is no time is before all times."""
    assert moment(text) == -float("inf")


@pytest.mark.parametrize("dated", [True, False])
def test_a_stated_time_counts_before_the_name(dated, tmp_path):
    """A document of promptfoo states when it was made; without that the note says that the names decide."""
    for name, date, passed in (("a_new", "2025-06-01T00:00:00Z", 30), ("b_old", "2024-06-01T00:00:00Z", 20)):
        rows = [
            {"testIdx": n, "vars": {"q": n}, "success": n < passed, "provider": {"id": "m"}, "prompt": {"raw": "p"}}
            for n in range(40)
        ]
        results = {"results": rows} | ({"timestamp": date} if dated else {})
        (tmp_path / f"{name}.json").write_text(json.dumps({"results": results}))
    found, said = values_of(tmp_path)
    assert list(found.values()) == [0.75 if dated else 0.5]
    assert ("the later one counts, 'a_new.json'" if dated else "for they state no time, 'b_old.json'") in said


def test_a_retried_part_leaves_the_others(tmp_path):
    """A shard that is run again replaces that with its items, and no shard of other items."""
    inspect(tmp_path / "s1.json", range(20), "I", "2025-06-01T10:00:00Z")
    inspect(tmp_path / "s2.json", range(20, 40), "I", "2025-06-01T11:00:00Z")
    inspect(tmp_path / "s1retry.json", range(20), "C", "2025-06-01T12:00:00Z")
    found, said = values_of(tmp_path)
    assert found == {("t", "A"): 0.5}
    assert "'s1.json' and 's1retry.json'" in said
    assert "s2.json" not in said


def test_parts_of_other_settings_are_told(tmp_path):
    """Files that share no item are parts of one evaluation, but the note tells their other arguments."""
    for place, subject in enumerate(("anatomy", "law")):
        items = range(20 * place, 20 * place + 20)
        inspect(tmp_path / f"{subject}.json", items, "C", f"2025-06-0{place + 1}", task_args={"subject": subject})
    found, said = values_of(tmp_path)
    assert found == {("t", "A"): 1}
    assert "'anatomy.json' and 'law.json' count as parts of the task 't' of the model 'A', for they share" in said
    assert "not of the same task_args ({'subject': 'anatomy'} and {'subject': 'law'})" in said


def test_a_rerun_leaves_no_numbers_behind(tmp_path):
    """The harness's numbers of samples that do not count are not compared with those that do."""
    for date, right in zip(DATES, (20, 30), strict=True):
        for task in ("ta", "tb"):
            harness(tmp_path / "m", task, right, date, groups={"G": {}})
    found, said = values_of(tmp_path)
    assert found == {("ta", "m"): 0.75, ("tb", "m"): 0.75}
    assert "the harness reports" not in said


def test_other_settings_are_told(tmp_path):
    """A later run with another number of examples is no retry: the note says what differs, and how to compare."""
    for date, shots in zip(DATES, (0, 25), strict=True):
        harness(tmp_path / "m", "arc", 20, date, n_shot={"arc": shots}, config={"model_args": "pretrained=m"})
    _, said = values_of(tmp_path)
    assert "and they are not of the same n-shot (0 and 25): give them names to compare them." in said


def test_one_that_ended_counts_before_one_that_did_not(tmp_path):
    """A later evaluation that was cancelled does not replace one of all items."""
    inspect(tmp_path / "a.json", range(40), "C", "2025-06-01T10:00:00Z")
    inspect(tmp_path / "b.json", range(3), "I", "2025-06-02T10:00:00Z", "cancelled")
    found, said = values_of(tmp_path)
    assert found == {("t", "A"): 1}
    assert "the one that ended counts, 'a.json'" in said


def test_a_sample_tried_again_in_one_log(tmp_path):
    """The journal of an evaluation that did not end holds both tries, of which the last counts."""
    tries = [[(n, "I") for n in range(30)], [(29, "C"), *((n, "C") for n in range(30, 40))]]
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": {"task": "t", "model": "A"}}))
        for place, rows in enumerate(tries):
            samples = [{"id": n, "epoch": 1, "scores": {"m": {"value": value}}} for n, value in rows]
            archive.writestr(f"_journal/summaries/{place}.json", json.dumps(samples))
    found, said = values_of(tmp_path)
    assert found == {("t", "A"): 11 / 40}
    assert "did not end" in said


def test_an_item_without_the_cluster_of_the_log(tmp_path):
    """It is a cluster of its own, with a caution, where the log itself names the field of clusters."""
    samples = [
        {"id": n, "epoch": 1, "input": f"q{n}", "metadata": {"g": n // 4} if n != 7 else {}}
        | {"scores": {"m": {"value": "CI"[n % 2]}}}
        for n in range(40)
    ]
    scored = [{"name": "m", "scorer": "m", "metrics": {"stderr": {"params": {"cluster": "g"}}}}]
    log = {"eval": {"task": "t", "model": "A"}, "status": "success", "results": {"scores": scored}, "samples": samples}
    (tmp_path / "a.json").write_text(json.dumps(log))
    found = hs.evaluate_log(hs.read_log(tmp_path))
    assert found.records()[0]["clusters"] == 11
    assert "t: 1 item without the log's field of clusters counts as a cluster of its own." in found.cautions
    with pytest.raises(hs.HowsureError, match="'7' has no cluster"):
        hs.evaluate_log(hs.read_log(tmp_path, cluster="g"))


def test_a_total_by_a_metric_that_a_task_lacks(tmp_path):
    """The task that is not in it is named."""
    groups = {"G": ["ta", "tb", "tc"]}
    for task, metric in (("ta", "acc"), ("tb", "exact_match"), ("tc", "acc")):
        harness(tmp_path / "m", task, 20, metric=metric, group_subtasks=groups)
    _, said = values_of(tmp_path)
    assert "G: the total by 'acc' lacks 'tb', without such a score." in said
    for task in ("ta", "tc"):
        harness(tmp_path / "n", task, 20, group_subtasks=groups)
    gate = ["--task", "G", "--metric", "acc", "--baseline", "m", "--fail-if-worse", "0.2"]
    result = run("evals", str(tmp_path), *gate)
    assert (result.returncode, result.stderr) == (2, "howsure: The gate cannot check n in tb.\n")


def test_a_name_is_of_one_model(tmp_path):
    """A folder or a pattern with two models has no name of its own; a list under one name are runs on purpose."""
    for model, right in (("A", 30), ("B", 20)):
        harness(tmp_path / "res" / model, "ta", right)
    for given in (tmp_path / "res", str(tmp_path / "res" / "*")):
        with pytest.raises(hs.HowsureError, match="res.*' holds several models: 'A', 'B'. Give a name to the files"):
            hs.read_log({"new": given})
    runs = hs.read_log({"new": [tmp_path / "res" / "A", tmp_path / "res" / "B"]})
    assert runs.joined().runs.tolist() == [[2] * 40]
    assert "holds several models" in run("evals", f"new={tmp_path / 'res'}").stderr


def test_a_pattern_with_an_equals_sign_is_no_name(tmp_path, monkeypatch):
    """What matches files as a whole is a pattern; the report lists them."""
    monkeypatch.chdir(tmp_path)
    harness(tmp_path / "out" / "pretrained=gpt2", "ta", 30)
    harness(tmp_path / "out" / "pretrained=other", "ta", 20)
    result = run("evals", "out/pretrained=*", "--html", "page.html", "--format", "json")
    assert [each["model"] for each in json.loads(result.stdout)] == ["pretrained=gpt2", "pretrained=other"]
    assert (tmp_path / "page.html").exists()


def test_two_runs_of_lighteval(tmp_path):
    """Folders named for the time of the evaluation are no two versions of a model: the later run counts."""
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for date, right in zip(DATES, (30, 20), strict=True):
        folder = tmp_path / "details" / "org" / "A" / date
        folder.mkdir(parents=True)
        rows = [{"doc": {"id": str(n), "query": f"q{n}"}, "metric": {"em": float(n < right)}} for n in range(40)]
        parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"details_gsm8k|0_{date}.parquet")
        results = tmp_path / "results" / "org" / "A" / f"results_{date}.json"
        results.parent.mkdir(parents=True, exist_ok=True)
        numbers = {"gsm8k|0": {"em": right / 40}, "arc|0": {"acc": 0.5}, "all": {"em": 0.5}}
        results.write_text(json.dumps({"config_general": {"model_name": "org/A"}, "results": numbers}))
    found, said = values_of(tmp_path)
    assert found == {("gsm8k|0", "org/A"): 0.5}
    assert "the later one counts" in said
    assert said.count("has results of 'arc|0' without samples, which are left out: use --save-details.") == 2
    with pytest.raises(hs.HowsureError, match="results of lighteval. Run with --save-details"):
        hs.read_log(results)

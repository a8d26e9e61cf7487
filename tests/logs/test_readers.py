"""Logs of every harness are recognised by their content, and give its own scores and standard errors."""

import contextlib
import gzip
import importlib.util
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import howsure as hs
from howsure.logs import opening
from howsure.logs.opening import opened

LOGS = Path(__file__).parents[1] / "data" / "logs"
INSPECT = [LOGS / "inspect" / "new.eval", LOGS / "inspect" / "old.eval"]
DOCUMENT = LOGS / "inspect_json" / "new.json.gz"
LM_EVAL = LOGS / "lm_eval"


def inspect_results(path):
    """Return Inspect's own results for a log: value and standard error of each scorer."""
    log = opened(path)
    (header,) = log.archive.json(["header.json"]) if log.archive else [log.first]
    found = {}
    for each in header["results"]["scores"]:
        numbers = {name: metric["value"] for name, metric in each["metrics"].items()}
        found[each["name"]] = (numbers.get("accuracy", numbers.get("mean")), numbers["stderr"])
    return found


def harness_results(folder):
    """Return lm-evaluation-harness's own results: value and standard error by task and metric."""
    found = {}
    for path in folder.glob("results_*.json"):
        for task, numbers in json.loads(path.read_text())["results"].items():
            for name, value in numbers.items():
                metric, _, kept = name.partition(",")
                if kept and not metric.endswith("_stderr"):
                    error = numbers[f"{metric}_stderr,{kept}"]
                    found[task, metric if kept == "none" else f"{metric},{kept}"] = (value, error)
    return found


def assert_equal(log, task, results):
    """Check the mean and its standard error of each metric."""
    for metric, (value, error) in results.items():
        found = hs.estimate(log.table(task, metric), "mean")
        assert found.value == pytest.approx(value, abs=1e-12)
        assert found.standard_error == pytest.approx(error, abs=1e-10), metric


@pytest.mark.parametrize("path", [*INSPECT, DOCUMENT])
def test_inspect_agrees(path):
    """Means over two runs and standard errors, with and without clusters, equal those that Inspect wrote."""
    results = inspect_results(path)
    assert set(results) == {"right", "grade"}
    assert 0 < results["right"][1] != results["grade"][1] > 0
    assert_equal(hs.read_log(path), "sums", results)


@pytest.mark.parametrize("name", ["new", "old"])
def test_lm_eval_agrees(name):
    """Means and standard errors equal the harness's, except for equal scores, where it has 0."""
    results = harness_results(LM_EVAL / name)
    log = hs.read_log(LM_EVAL / name)
    assert log.models == (name,)
    assert set(results) == {(task, metric) for task in log.tasks for metric in log.metrics(task)}
    for task in log.tasks:
        assert_equal(log, task, {metric: found for (of, metric), found in results.items() if of == task})
    assert results["words", "exact_match,upper"] == (0.0, 0.0)
    none_right = hs.estimate(log.table("words", "exact_match,upper"), "mean")
    assert none_right.low == 0
    assert none_right.high == pytest.approx(1 - 0.05 ** (1 / 9))  # mid-p: half of (1 - p)^9 is 0.025


def test_scores_of_several_parts_have_a_name_each(tmp_path):
    """If a scorer returns several numbers, each is a metric, with the clusters of its own standard error."""
    samples = [
        {"id": item, "epoch": 1, "input": "?", "target": "", "metadata": {"passage": item // 2}}
        | {"scores": {"judge": {"value": {"style": item / 5, "facts": "C"}}}}
        for item in range(6)
    ]
    result = {"scorer": "judge", "metrics": {"stderr": {"params": {"cluster": "passage"}}}}
    log = {"eval": {"task": "t", "model": "m"}, "status": "success", "samples": samples}
    log["results"] = {"scores": [{"name": "style"} | result, {"name": "facts", "scorer": "judge", "metrics": {}}]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    found = hs.read_log(path)
    assert found.metrics("t") == ("judge/style", "judge/facts")
    assert hs.estimate(found.table(), "mean").value == pytest.approx(0.5)
    assert found.joined().cluster.tolist() == ["0", "0", "1", "1", "2", "2"]
    assert found.joined(metric="judge/facts").cluster is None


def test_metrics_of_whole_data_sets_are_left_out(tmp_path):
    """F1 stores a pair for each item, which is not a score: a note states this."""
    rows = [
        {"doc_id": item, "filtered_resps": [""], "metrics": ["acc", "f1"], "acc": 1.0} | {"f1": [1, 0]}
        for item in range(5)
    ]
    path = tmp_path / "samples_a.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    log = hs.read_log(path)
    assert log.metrics("a") == ("acc",)
    assert "'f1'" in hs.evaluate_log(log).cautions[0]


@pytest.mark.parametrize(
    "name", ["promptfoo/sums.json.gz", "deepeval/small.json", "inspect", "inspect_json", "lm_eval"]
)
def test_the_harness_says_the_same(name):
    """For logs written by the harnesses, their own mean and count equal those of the samples."""
    found = hs.evaluate_log(hs.read_log(LOGS / name))
    for record in found.records():
        assert record["reported"] == pytest.approx(record["value"], abs=1e-12)
        assert record["reported_samples"] == record["runs"]
    assert not any("harness" in each or "samples of" in each for each in found.cautions)


def test_what_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    """Archives and compressed files unpack to a stated limit; the error names it."""
    monkeypatch.setattr(opening, "MOST_BYTES", 2**20)
    document = json.dumps({"eval": {"task": "t", "model": "m"}, "status": "success"}).encode()
    with zipfile.ZipFile(tmp_path / "bomb.eval", "w", zipfile.ZIP_DEFLATED) as whole:
        whole.writestr("header.json", document)
        whole.writestr("summaries.json", b"[" + b" " * 2**21 + b"]")
    (tmp_path / "bomb.json.gz").write_bytes(gzip.compress(b" " * 2**21))
    for name in ("bomb.eval", "bomb.json.gz"):
        with pytest.raises(hs.HowsureError, match=f"{name}' unpacks to more than"):
            hs.read_log(tmp_path / name)


def test_frames_of_zstandard_are_put_together():
    """What is large is compressed in several frames, one after the other."""
    pyarrow = pytest.importorskip("pyarrow")
    parts = [b"a" * 1000, b"b" * 10]
    data = b"".join(pyarrow.compress(part, "zstd", asbytes=True) for part in parts)
    assert opening.DECOMPRESSORS["pyarrow"](pyarrow, data, 2000) == b"".join(parts)


def test_both_formats_of_inspect_are_one_log():
    """The archive and the JSON of one evaluation have the same rows."""
    archive, document = map(hs.read_log, (INSPECT[0], DOCUMENT))
    order = [
        sorted(zip(each["metric"], each["item"], each["run"], each["score"], strict=True))
        for each in (archive, document)
    ]
    assert order[0] == order[1]
    assert set(archive["content"]) == set(document["content"])
    assert archive["target"][0] == "1"


def test_a_log_is_known_by_what_it_holds(tmp_path):
    """Names and suffixes of files do not matter."""
    for path in (*INSPECT, next(LM_EVAL.glob("new/samples_choice*"))):
        plain = shutil.copy(path, tmp_path / "data.bin")
        assert len(hs.read_log(plain)["score"]) == len(hs.read_log(path)["score"])


def test_a_deflated_archive_and_one_cut_short_are_read(tmp_path):
    """Early logs have another compression; an unfinished log has its scores in a journal, with a note."""
    log = opened(INSPECT[0])
    names = list(log.archive.entries)
    early, broken = tmp_path / "early.eval", tmp_path / "broken.eval"
    for path, kept in (
        (early, [name for name in names if name.startswith(("samples/", "header"))]),
        (broken, [name for name in names if name.startswith(("samples/", "_journal"))]),
    ):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, found in zip(kept, log.archive.json(kept), strict=True):
                archive.writestr(name, json.dumps(found))
    assert hs.read_log(early).notes == ()
    assert "did not end" in hs.read_log(broken).notes[0]
    for path in (early, broken):
        assert sorted(hs.read_log(path)["score"]) == sorted(hs.read_log(INSPECT[0])["score"])


def test_without_a_decompressor_the_error_says_what_to_install(monkeypatch):
    """Zstandard is not in Python before 3.14."""
    monkeypatch.setattr(opening, "DECOMPRESSORS", {"no_such_module": lambda *_: b""})
    with pytest.raises(hs.HowsureError, match="pip install zstandard"):
        hs.read_log(INSPECT)


PROMPTFOO = {
    "evalId": "eval-1",
    "config": {"description": "capitals"},
    "results": {
        "version": 3,
        "prompts": [],
        "results": [
            {
                "promptIdx": 0,
                "testIdx": index,
                "provider": {"id": f"openai:{model}", "label": model},
                "prompt": {"raw": "Capital of {{country}}?", "label": "short"},
                "vars": {"country": country},
                "testCase": {"vars": {"country": country}, "metadata": {"continent": continent}},
                "success": passed,
                "score": score,
                "namedScores": {"style": score / 2},
                "failureReason": reason,
            }
            for model, scores in {"new": (1, 1, 0.5), "old": (0, 1, 0)}.items()
            for index, (country, continent, score, passed, reason) in enumerate(
                zip(
                    ("France", "Peru", "Chad"),
                    ("Europe", "America", "Africa"),
                    scores,
                    (bool(each > 0.4) for each in scores),
                    (0, 0, 2 if model == "old" else 1),
                    strict=True,
                )
            )
        ],
    },
}


@pytest.mark.parametrize("lines", [False, True])
def test_promptfoo_agrees(tmp_path, lines):
    """As many tests pass, of each model, as promptfoo itself counts; those of a repetition are runs of the same item."""
    path = LOGS / "promptfoo" / "sums.json.gz"
    results = json.loads(gzip.decompress(path.read_bytes()))["results"]
    counted = {each["provider"]: each["metrics"]["testPassCount"] for each in results["prompts"]}
    if lines:
        path = tmp_path / "sums.jsonl"
        path.write_text("\n".join(map(json.dumps, results["results"])))
    log = hs.read_log(path, cluster="passage")
    passed = log["metric"] == "pass"
    assert {name: log["score"][passed & (log["model"] == name)].sum() for name in log.models} == counted
    assert counted == {"new": 10, "old": 8}  # wrong at multiples of 5, of 3, from 1 to 6, twice
    assert log.joined().runs.tolist() == [[2] * 6] * 2
    assert set(log["cluster"]) == {"p0", "p1", "p2"}


@pytest.mark.parametrize("lines", [False, True])
def test_promptfoo(tmp_path, lines):
    """Tests are identified by their variables; one that ended in an error has no score."""
    path = tmp_path / "output"
    rows = PROMPTFOO["results"]["results"]
    path.write_text("\n".join(map(json.dumps, rows)) if lines else json.dumps(PROMPTFOO))
    log = hs.read_log(path, cluster="continent")
    assert log.tasks == (("promptfoo",) if lines else ("capitals",))
    assert log.models == ("new", "old")
    assert log.metrics(log.tasks[0]) == ("pass", "score", "style")
    assert log.joined(metric="score").lacking == {"new": 0, "old": 1}
    table = log.table(metric="score", incomplete="drop")
    assert hs.compare(table, "mean").value == pytest.approx((1 + 1) / 2 - (0 + 1) / 2)
    assert hs.read_log(path, cluster="country")["item"][0] == '{"country": "France"}'


def test_repeats_of_promptfoo_are_runs(tmp_path):
    """With --repeat a test occurs several times; these are its runs."""
    rows = [row | {"testIdx": index} for index, row in enumerate(PROMPTFOO["results"]["results"][:3] * 2)]
    path = tmp_path / "output.json"
    path.write_text(json.dumps({"results": {"results": rows}}))
    log = hs.read_log(path)
    assert log["run"].tolist() == [1] * 9 + [2] * 9
    assert log.joined().runs.tolist() == [[2, 2, 2]]


DEEPEVAL = {
    "testFile": "test_bot.py",
    "testCases": [
        {
            "name": f"test_case_{place}",
            "input": asked,
            "actualOutput": "…",
            "expectedOutput": "yes",
            "success": score >= 0.5,
            "metricsData": [
                {"name": "Correctness [GEval]", "threshold": 0.5, "success": score >= 0.5, "score": score},
                {"name": "Bias", "threshold": 0.5, "score": None, "error": "timed out"}
                if place == 2
                else {"name": "Bias", "threshold": 0.5, "success": True, "score": 1.0},
            ],
            "metadata": {"topic": asked[0]},
        }
        for place, (asked, score) in enumerate([("a1", 0.9), ("a2", 0.2), ("b1", 0.6)])
    ],
    "conversationalTestCases": [],
    "hyperparameters": {"model": "small", "prompt template": "v2"},
}


def assert_equal_to_deepeval(path):
    """Check the scores of the metric, and the numbers that pass and fail, which the run counts itself."""
    log, run = hs.read_log(path, cluster="passage"), json.loads(path.read_text())
    assert (log.tasks, log.models) == (("DeepEval",), ("small",))
    assert log["score"][log["metric"] == "Length"].tolist() == run["metricsScores"][0]["scores"]
    passed = log["score"][log["metric"] == "pass"]
    assert (int(passed.sum()), len(passed)) == (run["testPassed"], run["testPassed"] + run["testFailed"])
    assert set(log["cluster"]) == {"p0", "p1", "p2"}
    assert log["item"][0] == "0 + 1?"


def test_deepeval_agrees():
    """The scores of the metric equal those of the run, and so does the number of passes."""
    assert_equal_to_deepeval(LOGS / "deepeval" / "small.json")


@pytest.mark.parametrize("wrapped", [False, True])
def test_deepeval(tmp_path, wrapped):
    """Cases named by position are identified by their input; a metric with an error has no score."""
    path = tmp_path / ".latest_test_run.json"
    path.write_text(json.dumps({"testRunData": DEEPEVAL} if wrapped else DEEPEVAL))
    log = hs.read_log(path, cluster="topic")
    assert (log.tasks, log.models) == (("test_bot.py",), ("small",))
    assert log.metrics("test_bot.py") == ("pass", "Correctness [GEval]", "Bias")
    assert set(log["item"]) == {"a1", "a2", "b1"}
    found = hs.estimate(log.table(metric="Correctness [GEval]"), "mean")
    assert found.value == pytest.approx((0.9 + 0.2 + 0.6) / 3)
    assert np.isnan(log["score"][(log["item"] == "b1") & (log["metric"] == "Bias")]).all()
    assert set(log["cluster"]) == {"a", "b"}


@pytest.mark.parametrize(
    "written, said",
    [
        (b"", "cannot be read"),
        (b"{}", "is no log that is known. Known: Inspect, lm-evaluation-harness, promptfoo, DeepEval"),
        (b"[1, 2]", "is no log that is known"),
        (b"model,score\na,1\n", "its first line is no JSON"),
        (b"PK\x03\x04 and no more", "cannot be read"),
        (gzip.compress(b'{"a": 1}', mtime=0)[:-9], "cannot be read"),
        (b'{"lm_eval_version": "0.4.13", "results": {}}', "--log_samples"),
        (b'{"eval": {"task": "a", "model": "b"}, "status": "success"}', "log_samples"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path, written, said):
    """The error names the file and describes a valid one."""
    path = tmp_path / "a.json"
    path.write_bytes(written)
    with pytest.raises(hs.HowsureError, match=said) as error:
        hs.read_log(path)
    assert "a.json" in str(error.value)


def test_in_a_folder_other_files_are_left_alone(tmp_path):
    """A folder may contain results, settings and pictures in addition to logs."""
    shutil.copytree(LM_EVAL / "new", tmp_path / "new")
    (tmp_path / "new" / "notes.json").write_text('{"anything": 1}')
    assert len(hs.read_log(tmp_path)["score"]) == len(hs.read_log(LM_EVAL / "new")["score"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(hs.HowsureError, match="There is no score in"):
        hs.read_log(tmp_path / "empty")
    with pytest.raises(hs.HowsureError, match="There is no file"):
        hs.read_log(tmp_path / "nowhere")


def made(package, folder):
    """Let a package write logs in a process of its own."""
    if importlib.util.find_spec({"inspect": "inspect_ai"}.get(package, package)) is None:
        pytest.skip(f"{package} is not installed")
    subprocess.run([sys.executable, str(LOGS / "make_logs.py"), package, str(folder)], check=True, capture_output=True)


def test_inspect_writes_such_logs(tmp_path):
    """The numbers in logs of the installed Inspect are read correctly."""
    made("inspect", tmp_path)
    for name in ("new.eval", "old.eval", "new.json.gz"):
        assert_equal(hs.read_log(tmp_path / name), "sums", inspect_results(tmp_path / name))


def test_the_harness_writes_such_logs(tmp_path):
    """The numbers in logs of the installed lm-evaluation-harness are read correctly."""
    made("lm_eval", tmp_path)
    log, results = hs.read_log(tmp_path / "new"), harness_results(tmp_path / "new")
    for task in log.tasks:
        assert_equal(log, task, {metric: found for (of, metric), found in results.items() if of == task})


def test_deepeval_writes_such_logs(tmp_path):
    """The scores in test runs of the installed DeepEval are read correctly."""
    made("deepeval", tmp_path)
    assert_equal_to_deepeval(tmp_path / "small.json")


def broken(value, rng):
    """Return JSON in which some values are others, and some fields are gone."""
    if rng.random() < 0.03:
        others = [None, True, -1, 1e9, float("nan"), "", "C", [], {}, [[]], {"a": 1}, "\x1b[31m", "x" * 2000]
        return others[rng.integers(len(others))]
    if isinstance(value, dict):
        return {name: broken(each, rng) for name, each in value.items() if rng.random() > 0.02}
    return [broken(each, rng) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("which", ["inspect", "lm_eval", "promptfoo", "deepeval"])
def test_broken_logs_are_read_or_refused(tmp_path, which):
    """For any fields, a log is read or refused with our error; and a log is evaluated, or refused likewise."""
    rng = np.random.default_rng(len(which))
    lines = next(LM_EVAL.glob("new/samples_words*")).read_text().splitlines()
    sound = {
        "inspect": lambda: [document],
        "lm_eval": lambda: [json.loads(line) for line in lines],
        "promptfoo": lambda: [PROMPTFOO],
        "deepeval": lambda: [DEEPEVAL],
    }
    whole = json.loads(gzip.decompress(DOCUMENT.read_bytes()))
    kept = ("id", "epoch", "input", "target", "metadata", "scores")
    document = whole | {"samples": [{name: each[name] for name in kept} for each in whole["samples"]]}
    read = 0
    for _ in range(50):
        path = tmp_path / "log.json"
        path.write_text("\n".join(json.dumps(broken(each, rng)) for each in sound[which]()))
        with contextlib.suppress(hs.HowsureError):
            log = hs.read_log(path)
            read += 1
            hs.evaluate_log(log)
    assert read > 10

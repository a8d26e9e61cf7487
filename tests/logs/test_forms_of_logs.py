"""Logs of one harness have several names and forms, which give the same models, directions and counts."""

import gzip
import json

import pytest

import howsure as hs
from howsure.logs.metrics import better_by_name

DATE = "2025-01-01T10-00-00.000001"
PASSED = [float(item % 4 > 0) for item in range(40)]


def rows_of(values, metric="acc", **more):
    """Return the samples of lm-evaluation-harness."""
    return [
        {"doc_id": n, "doc": {}, "target": "x", "filtered_resps": ["x"], "filter": "none"}
        | {"metrics": [metric], metric: value, "doc_hash": str(n)}
        | more
        for n, value in enumerate(values)
    ]


def lines(path, rows):
    """Write JSON Lines to a path whose folders are made; return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def packed_by_zstandard(content):
    """Return bytes compressed by Zstandard."""
    return pytest.importorskip("pyarrow").compress(content, "zstd", asbytes=True)


PACKED = {
    "": lambda content: content,
    ".gz": gzip.compress,
    ".zst": packed_by_zstandard,
    "bom": lambda content: b"\xef\xbb\xbf" + content,
}


@pytest.mark.parametrize("suffix", ["jsonl", "json", "jsonl.gz", "jsonl.zst", "JSONL"])
@pytest.mark.parametrize("start", ["results", "llama"])
def test_names_of_the_harness(suffix, start, tmp_path):
    """Samples and results are paired by date, whatever their suffixes, and whether the output path was a file."""
    for date, model in ((DATE, "org/A"), (DATE.replace("-01-01", "-02-01"), "org/B")):
        path = lines(tmp_path / f"samples_arc_{date}.jsonl", rows_of(PASSED))
        content = PACKED[path.with_name(f"a.{suffix}").suffix if "." in suffix else ""](path.read_bytes())
        path.unlink()
        path.with_name(f"samples_arc_{date}.{suffix}").write_bytes(content)
        results = {"results": {"arc": {"acc,none": 0.75}, "other": {}}, "model_name": model, "lm_eval_version": "0.4.9"}
        (tmp_path / f"{start}_{date}.json").write_text(json.dumps(results))
    log = hs.read_log(tmp_path)
    assert (log.tasks, log.models) == (("arc",), ("org/A", "org/B"))
    assert [each.value for each in log.reported] == [0.75, 0.75]
    assert {note.partition("' has ")[2] for note in log.notes} == {
        "results of 'other' without samples, which are left out: use --log_samples."
    }


@pytest.mark.parametrize("packing", list(PACKED))
def test_results_beside_the_samples(packing, tmp_path):
    """They are read compressed or with a byte-order mark, so that the direction is not lost."""
    lines(tmp_path / f"samples_t_{DATE}.jsonl", rows_of(PASSED, "gap"))
    content = json.dumps({"results": {"t": {"gap,none": 0.75}}, "higher_is_better": {"t": {"gap": False}}}).encode()
    suffix = packing if packing.startswith(".") else ""
    (tmp_path / f"results_{DATE}.json{suffix}").write_bytes(PACKED[packing](content))
    log = hs.read_log(tmp_path)
    assert log.better("t", "gap") == "lower"
    assert log.notes == ()


def test_the_direction_in_a_configuration(tmp_path):
    """Without the map of all directions, the one in the task's configuration counts, for totals of the task too."""
    configs = {task: {"metric_list": [{"metric": "share", "higher_is_better": False}]} for task in ("a", "b")}
    results = {"results": {}, "configs": configs, "group_subtasks": {"G": ["a", "b"]}}
    for task in ("a", "b"):
        lines(tmp_path / f"samples_{task}_{DATE}.jsonl", rows_of(PASSED, "share"))
    (tmp_path / f"results_{DATE}.json").write_text(json.dumps(results))
    log = hs.read_log(tmp_path)
    assert {task: log.better(task, "share") for task in log.tasks} == dict.fromkeys(("a", "b", "G"), "lower")


@pytest.mark.parametrize("repeats, known", [(2, ["strict", "flexible"]), (3, [])])
def test_documents_repeated_for_each_filter(repeats, known, tmp_path):
    """Early versions do not name the filter of a sample: the results do, in their order; else other tasks survive."""
    shares = [0.25, 0.75, 0.5][:repeats]
    rows = [row for share in shares for row in rows_of([float(n < 40 * share) for n in range(40)], "exact_match")]
    unnamed = [{name: each for name, each in row.items() if name != "filter"} for row in rows]
    lines(tmp_path / f"samples_gsm_{DATE}.jsonl", unnamed)
    lines(tmp_path / f"samples_arc_{DATE}.jsonl", rows_of(PASSED))
    numbers = {f"exact_match,{kept}": share for kept, share in zip(("strict", "flexible"), shares, strict=False)}
    (tmp_path / f"results_{DATE}.json").write_text(json.dumps({"results": {"gsm": numbers}}))
    log = hs.read_log(tmp_path)
    assert "arc" in log.tasks
    for kept, share in zip(known, shares, strict=False):
        assert log.joined("gsm", f"exact_match,{kept}").means.mean() == share
    if not known:
        assert "documents of the task 'gsm' 3 times without a filter's name" in log.notes[0]


def test_a_repeated_row_names_its_file(tmp_path):
    """A file with one item twice is left out of a folder by name, and the other tasks survive."""
    lines(tmp_path / f"samples_t_{DATE}.jsonl", rows_of(PASSED) * 2)
    lines(tmp_path / f"samples_arc_{DATE}.jsonl", rows_of(PASSED))
    log = hs.read_log(tmp_path)
    assert log.tasks == ("arc",)
    assert f"'samples_t_{DATE}.jsonl' has the item '0' of the task 't' twice as run 1 by 'acc'." in log.notes[0]


def test_a_line_cut_short_is_named(tmp_path):
    """The record and its file are in the message."""
    path = lines(tmp_path / "samples_t.jsonl", rows_of(PASSED))
    path.write_text(path.read_text()[:-20])
    with pytest.raises(hs.HowsureError, match="samples_t.jsonl' cannot be read: record 40 is no JSON, or is cut short"):
        hs.read_log(path)


@pytest.mark.parametrize(
    "name, model", [("gpt-4.1.run1", "gpt-4.1"), ("gpt-4.1", "gpt-4.1"), ("org__m.base", "org__m"), ("m", "m")]
)
@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_models_with_dots_in_their_names(name, model, suffix, tmp_path):
    """The run that SWE-bench appends to the model is no part of it, other dots are; DeepEval appends nothing."""
    ids = [f"a__a-{n}" for n in range(10)]
    tests = [{"input": f"q{n}", "metricsData": [{"name": "Bias", "score": 0.1}]} for n in range(10)]
    for content, wanted in (
        ({"resolved_ids": ids[:4], "unresolved_ids": ids[4:]}, model),
        ({"testCases": tests}, name),
    ):
        data = json.dumps(content).encode()
        path = tmp_path / f"{name}{suffix}"
        path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
        assert hs.read_log(path).models == (wanted,)


def test_instances_without_a_report(tmp_path):
    """An instance that was run and has no report is not resolved, as on the leaderboard, which a caution says."""
    for n in range(10):
        folder = tmp_path / "run" / "m" / f"a__a-{n}"
        folder.mkdir(parents=True)
        if 0 < n < 7:
            content = {folder.name: {"patch_is_None": False, "resolved": n < 4}}
            (folder / "report.json").write_text(json.dumps(content))
    found = hs.evaluate_log(hs.read_log(tmp_path))
    assert (found["SWE-bench", "m"].value, found.records()[0]["items"]) == (0.3, 10)
    assert "m has 4 instances without a report.json, which count as not resolved: 'a__a-0'" in found.cautions[0]


@pytest.mark.parametrize("as_lines", [False, True])
def test_two_configurations_of_one_provider(as_lines, tmp_path):
    """They are two models, told apart by their place among the prompts, and not runs of one."""
    rows = [
        {"promptIdx": place, "testIdx": n, "vars": {"q": n}, "success": n % 4 > place, "score": 1.0}
        | {"provider": {"id": "openai:gpt-4o", "label": ""}, "prompt": {"raw": "p", "label": "p"}}
        for n in range(40)
        for place in (0, 1)
    ]
    passed = [{"testPassCount": 30, "testFailCount": 10}, {"testPassCount": 20, "testFailCount": 20}]
    prompts = [{"provider": "openai:gpt-4o", "label": "p", "metrics": each} for each in passed]
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"results": {"prompts": prompts, "results": rows}}))
    found = hs.evaluate_log(hs.read_log(lines(path, rows) if as_lines else path))
    names = [f"openai:gpt-4o · promptIdx {place}" for place in (0, 1)]
    assert {model: each.value for (_, model), each in found.items()} == dict(zip(names, (0.75, 0.5), strict=True))
    assert any("several configurations of 'openai:gpt-4o'" in each for each in found.cautions)
    assert not any("harness reports" in each for each in found.cautions)


def test_the_latest_run_of_deepeval_is_named_after_its_project(tmp_path):
    """Without a model among its settings; other files keep their names."""
    cases = [{"name": f"c{n}", "input": "x", "success": n > 2, "metricsData": []} for n in range(8)]
    for path, model in ((tmp_path / "bot" / ".deepeval" / ".latest_test_run.json", "bot"), (tmp_path / "a.json", "a")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"testCases": cases}))
        assert hs.read_log(path).models == (model,)


@pytest.mark.parametrize("lower", [True, False])
def test_directions_of_deepeval(lower, tmp_path):
    """Scores are better on that side of the threshold on which samples succeed."""
    scores = [n % 5 / 4 for n in range(40)]
    cases = [
        {"input": f"q{n}", "success": True}
        | {"metricsData": [{"name": "Any", "score": x, "threshold": 0.5, "success": x <= 0.5 if lower else x >= 0.5}]}
        for n, x in enumerate(scores)
    ]
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"testCases": cases}))
    log = hs.read_log(path)
    assert log.better("DeepEval", "Any") == ("lower" if lower else "higher")


@pytest.mark.parametrize(
    "better, names",
    [
        (
            "lower",
            "mse mae rmse ppl MAPE edit_distance loss val_loss wer wer_clean cer.norm perplexity toxicity judge/mse log_loss brier fpr",
        ),
        ("higher", "non_toxic nontoxic error_free no_error hallucination-free neg_mean_squared_error acc glossary f1"),
        ("higher", "closeness promise response terms"),
    ],
)
def test_directions_by_name(better, names):
    """Names of errors, losses and distances are better if lower, unless they name their absence."""
    assert {name: better_by_name(name) for name in names.split()} == dict.fromkeys(names.split(), better)

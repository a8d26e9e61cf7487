"""Logs of HELM, OpenAI evals, SWE-bench and OpenCompass, in the form that their writers have."""

import json

import pytest

import howsure as hs


def only(found):
    """Return the only estimate, and whether the harness's number is the same."""
    ((key, estimate),) = found.items()
    return key, estimate.value, [each for each in found.cautions if "harness reports" in each or "samples of" in each]


def test_reports_of_swe_bench(tmp_path):
    """Instances without a patch, with errors or never run are not resolved; the repository is a field for clusters."""
    groups = {
        "resolved": ["django__django-1", "django__django-2", "sympy__sympy-7"],
        "unresolved": ["django__django-3", "sympy__sympy-8"],
        "empty_patch": ["sympy__sympy-9"],
        "error": ["flask__flask-4"],
        "incomplete": ["flask__flask-5"],
    }
    report = {f"{name}_ids": ids for name, ids in groups.items()}
    report |= {"total_instances": 8, "resolved_instances": 3, "completed_ids": [], "schema_version": 2}
    path = tmp_path / "org__model.run1.json"
    path.write_text(json.dumps(report))
    log = hs.read_log(path, cluster="repository")
    assert only(hs.evaluate_log(log)) == (("SWE-bench", "org__model"), 3 / 8, [])
    assert set(log["cluster"]) == {"django__django", "sympy__sympy", "flask__flask"}
    path.write_text(json.dumps(report | {"total_instances": 500}))
    assert "3 of 500" not in only(hs.evaluate_log(hs.read_log(path)))[2][0]
    assert "(8 of 500 samples)" in only(hs.evaluate_log(hs.read_log(path)))[2][0]


def test_records_of_openai_evals(tmp_path):
    """Events of matches are scores of samples, compared with the final report."""
    spec = {"eval_name": "sums.dev.v0", "completion_fns": ["gpt"], "run_id": "1", "created_at": "2026-01-01"}
    events = [
        {"run_id": "1", "event_id": 2 * n + part, "sample_id": f"sums.dev.{n}", "type": kind, "data": data}
        for n in range(8)
        for part, (kind, data) in enumerate(
            [
                ("sampling", {"prompt": "?", "sampled": ["4"]}),
                ("match", {"correct": n < 6, "expected": "4", "picked": "4"}),
            ]
        )
    ]
    lines = [{"spec": spec}, *events, {"final_report": {"accuracy": 0.75, "boostrap_std": 0.1}}]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    assert only(hs.evaluate_log(hs.read_log(path))) == (("sums.dev.v0", "gpt"), 0.75, [])


def test_runs_of_helm(tmp_path):
    """Statistics of unperturbed answers are scores, those of the run itself are none; trials are runs."""

    def statistic(name, value, **more):
        return {"name": {"name": name, "split": "test"} | more, "count": 1, "sum": value, "mean": value}

    folder = tmp_path / "mmlu:subject=anatomy,model=org_model"
    folder.mkdir()
    rows = [
        {"instance_id": f"id{n}", "train_trial_index": trial}
        | {"stats": [statistic("num_bytes", 30.0), statistic("exact_match", float((n + trial) % 2))]}
        for n in range(6)
        for trial in range(2)
    ]
    rows.append(
        {"instance_id": "id0", "train_trial_index": 0, "perturbation": {"name": "typos"}}
        | {"stats": [statistic("exact_match", 0.0, perturbation={"name": "typos"})]}
    )
    (folder / "per_instance_stats.json").write_text(json.dumps(rows))
    spec = {"name": "mmlu:subject=anatomy,model=org_model", "adapter_spec": {"model": "org/model"}}
    (folder / "run_spec.json").write_text(json.dumps(spec))
    (folder / "stats.json").write_text(json.dumps([statistic("exact_match", 0.5), statistic("num_bytes", 30.0)]))
    log = hs.read_log(tmp_path)
    assert log.metrics("mmlu:subject=anatomy") == ("exact_match",)
    assert log.joined().runs.tolist() == [[2] * 6]
    found = hs.evaluate_log(log)
    assert only(found) == (("mmlu:subject=anatomy", "org/model"), 0.5, [])
    assert not any("left out" in each for each in found.cautions)


@pytest.mark.parametrize("form", [dict, list])
def test_results_of_opencompass(form, tmp_path):
    """Details of samples are scores; the accuracy in the summary is in per cent."""
    details = [{"pred": "A", "answer": "A" if n < 3 else "B", "correct": n < 3} for n in range(4)]
    content = details if form is list else {str(n): each for n, each in enumerate(details)} | {"type": "GEN"}
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "ceval.json").write_text(json.dumps({"accuracy": 75.0, "details": content}))
    assert only(hs.evaluate_log(hs.read_log(tmp_path))) == (("ceval", "model"), 0.75, [])


@pytest.mark.parametrize("as_text", [False, True])
def test_details_of_lighteval(as_text, tmp_path):
    """Each row of the Parquet file has a sample's scores, as a structure or as text; results are in the same folder."""
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    task, date = "leaderboard|mmlu:anatomy|5", "2026-01-01T00-00-00.000001"
    scores = [{"acc": float(n < 3), "extra": None} for n in range(4)]
    rows = [
        {"doc": {"id": str(n), "query": f"q{n}"}, "metric": str(each) if as_text else each}
        for n, each in enumerate(scores)
    ]
    folder = tmp_path / "details" / "org" / "model" / date
    folder.mkdir(parents=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"details_{task}_{date}.parquet")
    results = tmp_path / "results" / "org" / "model"
    results.mkdir(parents=True)
    content = {"config_general": {"model_name": "org/model"}, "results": {task: {"acc": 0.75, "acc_stderr": 0.1}}}
    (results / f"results_{date}.json").write_text(json.dumps(content))
    found = hs.evaluate_log(hs.read_log(tmp_path))
    assert only(found) == ((task, "org/model"), 0.75, [])
    assert found.records()[0]["reported"] == 0.75

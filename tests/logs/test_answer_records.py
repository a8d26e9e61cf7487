"""Logs with a record for each answer: human-eval, LiveCodeBench, tau-bench, terminal-bench, MT-bench, EvalScope and others.

The fields are those of github.com/openai/human-eval (`evaluation.py`), LiveCodeBench/LiveCodeBench (`*_eval_all.json`),
google-research/google-research (`instruction_following_eval`), sierra-research/tau-bench and tau2-bench,
laude-institute/terminal-bench (`results.json`), lm-sys/FastChat (`llm_judge`), LiveBench/LiveBench,
modelscope/evalscope (`reviews`), evaleval/every_eval_ever, and of OpenAI's Evals API. The numbers are made up.
"""

import math
import re

import pytest

import howsure as hs
from support.files import written
from support.shell import run

RIGHT = [n % 3 != 0 for n in range(12)]  # 8 of 12


def evalscope(number, right, **more):
    """Return a review of EvalScope."""
    score = {"value": {"acc": float(right)}, "prediction": "x", "main_score_name": None}
    return {"index": number, "target": "3", "sample_score": {"score": score, "sample_id": number} | more}


def of_evals_api(number, right):
    """Return an output item of OpenAI's Evals API."""
    item = {"object": "eval.run.output_item", "datasource_item_id": number, "eval_id": "headlines"}
    results = [{"name": "check", "passed": right, "score": float(right)}]
    return item | {"status": "pass" if right else "fail", "results": results, "sample": {"model": "gpt-4o"}}


ROWS = {  # file, its content, and the task, model and metric
    "human-eval": (
        "a/gpt.jsonl_results.jsonl",
        [
            {"task_id": f"HumanEval/{n}", "completion": "x", "result": "passed", "passed": r}
            for n, r in enumerate(RIGHT)
        ],
        ("human-eval", "gpt", "passed"),
    ),
    "human-eval in a folder": (
        "gpt/samples.jsonl_results.jsonl",
        [
            {"task_id": f"HumanEval/{n}", "completion": "x", "result": "passed", "passed": r}
            for n, r in enumerate(RIGHT)
        ],
        ("human-eval", "gpt", "passed"),
    ),
    "OpenHands": (
        "a/gpt.swebench_eval.jsonl",
        [{"instance_id": f"a__a-{n}", "test_result": {"report": {"resolved": r}}} for n, r in enumerate(RIGHT)],
        ("OpenHands", "gpt.swebench_eval", "resolved"),
    ),
    "IFEval": (
        "gpt/eval_results_strict.jsonl",
        [
            {"prompt": f"{n}", "follow_all_instructions": r, "follow_instruction_list": [True, r]}
            for n, r in enumerate(RIGHT)
        ],
        ("eval_results_strict", "gpt", "follow_all"),
    ),
    "LiveBench": (
        "a/ground_truth_judgment.jsonl",
        [
            {"question_id": f"{n}", "task": "olympiad", "model": "gpt", "score": int(r), "turn": 1, "category": "math"}
            for n, r in enumerate(RIGHT)
        ],
        ("olympiad", "gpt", "score"),
    ),
    "EvalScope": (
        "reviews/qwen/gsm8k.jsonl",
        [evalscope(*each) for each in enumerate(RIGHT)],
        ("gsm8k", "qwen", "acc"),
    ),
    "Every Eval Ever": (
        "a/x_samples.jsonl",
        [
            {"evaluation_id": "e", "model_id": "org/m", "evaluation_name": "bench", "sample_id": f"{n}"}
            | {"evaluation": {"score": float(r), "is_correct": r}}
            for n, r in enumerate(RIGHT)
        ],
        ("bench", "org/m", "score"),
    ),
    "Evals API": (
        "a/output_items.json",
        {"object": "list", "data": [of_evals_api(*each) for each in enumerate(RIGHT)], "has_more": False},
        ("headlines", "gpt-4o", "pass"),
    ),
    "items of the Evals API": (
        "a/items.jsonl",
        [of_evals_api(*each) for each in enumerate(RIGHT)],
        ("headlines", "gpt-4o", "pass"),
    ),
    "tau2-bench": (
        "a/run.json",
        {
            "info": {"agent_info": {"llm": "gpt-4.1"}, "environment_info": {"domain_name": "airline"}},
            "tasks": [{"id": f"{n}"} for n in range(12)],
            "simulations": [
                {"task_id": f"{n}", "trial": 0, "reward_info": {"reward": float(r)}} for n, r in enumerate(RIGHT)
            ],
        },
        ("airline", "gpt-4.1", "reward"),
    ),
}


@pytest.mark.parametrize("harness", ROWS)
def test_records_are_read_by_their_fields(harness, tmp_path):
    """8 of 12 answers are right; task and model are those of the record, the document, the folder or the file."""
    name, content, (task, model, metric) = ROWS[harness]
    path = written(tmp_path / name, content, lines=name.endswith("l"))
    log = hs.read_log(path)
    assert [set(log[each]) for each in ("task", "model", "metric")] == [{task}, {model}, {metric}]
    found = hs.evaluate_log(log)[task, model]
    right = hs.proportion(8, 12)
    assert (found.value, found.low, found.high) == pytest.approx((right.value, right.low, right.high))


def test_several_answers_to_an_item_are_runs(tmp_path):
    """By the trials of tau-bench, the graded programs of LiveCodeBench and the repeats of EvalScope."""
    trials = [{"task_id": n, "reward": float(n % 2), "traj": [], "trial": k} for k in range(4) for n in range(6)]
    graded = [{"question_id": f"{n}", "graded_list": [n % 2 == 0, True], "pass@1": 0.5} for n in range(6)]
    repeats = [evalscope(4 * n + k, n % 2, group_id=n) for n in range(6) for k in range(4)]
    for rows, runs, value in ((trials, 4, 0.5), (graded, 2, 0.75), (repeats, 4, 0.5)):
        log = hs.read_log(written(tmp_path / "log.json", rows))
        assert (len(set(log["item"])), log["run"].max()) == (6, runs)
        assert next(iter(hs.evaluate_log(log).values())).value == pytest.approx(value)


def test_an_item_without_an_answer_has_no_score(tmp_path):
    """An empty list of graded programs is not left out: the item counts as one that could not be scored."""
    graded = [{"question_id": f"{n}", "graded_list": [n % 2 == 0] if n else []} for n in range(6)]
    log = hs.read_log(written(tmp_path / "log.json", graded))
    assert (len(set(log["item"])), sum(math.isnan(each) for each in log["score"])) == (6, 1)


def test_a_table_in_utf_16_has_its_columns_named(tmp_path):
    """As spreadsheet programs write Unicode text."""
    path = tmp_path / "a.csv"
    path.write_text("question,correct\n1,0\n", encoding="utf-16")
    with pytest.raises(hs.HowsureError, match="a table with the columns 'question', 'correct'"):
        hs.read_log(path)


@pytest.mark.parametrize("attempts", [1, 3])
def test_terminal_bench(attempts, tmp_path):
    """An attempt without a verdict is not resolved, as in the harness's accuracy; lists of tasks repeat over attempts."""
    resolved = {(n, k): None if n == 4 else (n + k) % 3 == 0 for n in range(9) for k in range(attempts)}
    results = [{"task_id": f"t{n}", "trial_name": f"t{n}.{k}", "is_resolved": r} for (n, k), r in resolved.items()]
    ids = {
        name: [each["task_id"] for each in results if bool(each["is_resolved"]) is value]
        for name, value in {"resolved_ids": True, "unresolved_ids": False}.items()
    }
    accuracy = sum(map(bool, resolved.values())) / len(resolved)
    path = written(tmp_path / "2025-09-25" / "results.json", {"results": results, "accuracy": accuracy} | ids)
    found = hs.evaluate_log(hs.read_log(path))
    assert found["terminal-bench", "2025-09-25"].value == pytest.approx(accuracy)
    assert not any("harness reports" in each for each in found.cautions)


def test_an_instance_resolved_and_failed_is_refused(tmp_path):
    """A report of several runs in one has no single outcome of an instance."""
    report = {"resolved_ids": ["a__a-1", "a__a-2"], "unresolved_ids": ["a__a-2"], "completed_ids": []}
    with pytest.raises(hs.HowsureError, match="'a__a-2' as resolved and as failed. Give a report for each run"):
        hs.read_log(written(tmp_path / "report.json", report))


def test_judgments_of_mt_bench(tmp_path):
    """Both turns of a question count, and -1 marks a judgment that could not be parsed."""
    scores = {("a", n, turn): 2 + n + turn for n in range(6) for turn in (1, 2)} | {("a", 0, 1): -1}
    rows = [
        {"question_id": n, "model": model, "judge": ["gpt-4", "single-v1"], "score": score, "turn": turn}
        for (model, n, turn), score in scores.items()
    ]
    found = hs.evaluate_log(hs.read_log(written(tmp_path / "gpt-4_single.jsonl", rows, lines=True)))
    assert found["MT-bench", "a"].value == pytest.approx((4 + sum(3.5 + n for n in range(1, 6))) / 6)


@pytest.mark.parametrize("form", ["early", "later", "BigCodeBench"])
def test_programs_of_problems(form, tmp_path):
    """EvalPlus counts programs that pass both sets of tests: 6 of 12; BigCodeBench has one set."""
    plus = [n % 4 != 0 for n in range(12)]
    words = ("failed", "success") if form == "early" else ("fail", "pass")

    def problem(n):
        base, more = words[RIGHT[n]], words[plus[n]]
        if form == "early":
            return {"nfiles": 1, "base": [[base, [True]]], "plus": [[more, [True]]]}
        later = {"base_status": base, "plus_status": more}
        return [{"solution": "x"} | (later if form == "later" else {"status": base, "details": {}})]

    path = written(tmp_path / "m_eval_results.json", {"eval": {f"HumanEval/{n}": problem(n) for n in range(12)}})
    found = next(iter(hs.evaluate_log(hs.read_log(path)).values()))
    both = sum(a and b for a, b in zip(RIGHT, plus, strict=True))
    assert found.value == pytest.approx((8 if form == "BigCodeBench" else both) / 12)


def test_scores_of_failed_samples_alone_are_refused(tmp_path):
    """BFCL writes a line of counts, and then the failed samples only."""
    rows = [
        {"accuracy": 0.9, "correct_count": 36, "total_count": 40},
        *({"id": f"s{n}", "valid": False} for n in "abcd"),
    ]
    with pytest.raises(hs.HowsureError, match=re.escape("hs.proportion(36, 40)")):
        hs.read_log(written(tmp_path / "BFCL_v3_simple_score.json", rows, lines=True))


def test_fields_with_numbers_are_named(tmp_path):
    """In the columns of a table that is no known log, also in nested ones; words of a verdict come first."""
    rows = [{"doc_id": n, "logit": -1.5, "metrics": {"acc_norm": 1.0}, "text": "x", "acc": "True"} for n in range(9)]
    with pytest.raises(hs.HowsureError, match="Numbers are in 'acc', 'logit', 'metrics.acc_norm'.$"):
        hs.read_log(written(tmp_path / "out.jsonl", rows, lines=True))
    table = tmp_path / "out.csv"
    table.write_text("item,text,faithfulness\nq1,x,0.5\n")
    with pytest.raises(hs.HowsureError, match="Numbers are in 'faithfulness'.$"):
        hs.read_log(table)


def test_printed_tables_are_no_logs(tmp_path):
    """A table that a harness prints has no samples."""
    path = tmp_path / "table.md"
    path.write_text("| Tasks |Metric|Value|\n|-------|------|----:|\n|sums   |acc   |  0.5|\n")
    with pytest.raises(hs.HowsureError, match="is no log: its first line is no JSON. Give JSON, JSON Lines"):
        hs.read_log(path)


def test_the_shell_leaves_names_of_files_as_they_are(tmp_path):
    """A message that names a file with `method=` in it is not about the option --method."""
    path = written(tmp_path / "mmlu:method=joint,model=gpt2" / "some.json", {"loss": 0.4})
    done = run("evals", str(path))
    assert done.returncode == 2
    assert "mmlu:method=joint,model=gpt2" in done.screen.replace("\n", "")

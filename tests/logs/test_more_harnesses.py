"""Results of simple-evals, MTEB, AlpacaEval, EvalPlus, bigcode-evaluation-harness and SWE-bench; files of other kinds.

Their forms are those of github.com/openai/simple-evals (`common.py`, `simple_evals.py`),
github.com/embeddings-benchmark/results, github.com/tatsu-lab/alpaca_eval (`results/*/*/annotations.json`),
github.com/evalplus/evalplus, github.com/bigcode-project/bigcode-evaluation-harness, github.com/SWE-bench/SWE-bench
(`harness/reporting.py`) and github.com/SWE-bench/experiments. The numbers are made up.
"""

import numpy as np
import pytest

import howsure as hs
from support.files import written
from support.shell import run

LM_EVAL = {"doc": {}, "target": "1", "resps": [["x"]], "filtered_resps": ["x"], "filter": "none"}


def of(path, **columns):
    """Return the evaluation of logs: values by task and model, and cautions."""
    found = hs.evaluate_log(hs.read_log(path, **columns))
    return {key: pytest.approx(each.value, abs=1e-9) for key, each in found.items()}, found.cautions


def all_results(scores, *, metadata=None):
    """Return the results of simple-evals with all examples, whose page ends with the score."""
    pages = [
        f"<pre>\n<p>Score: 1.0</p> said the model</pre><h3>Results</h3>\n<p>Correct Answer: B</p>\n"
        f"<p>Extracted Answer: {'B' if score else 'A'}</p>\n<p>Score: {score}</p>\n"
        for score in scores
    ]
    talks = [
        [{"role": "user", "content": f"question {n}"}, {"role": "assistant", "content": "?"}] for n in range(len(pages))
    ]
    mean = float(np.mean([float(score) for score in scores]))
    about = {"example_level_metadata": metadata or [None] * len(pages)}
    return {"score": mean, "metrics": {"chars": 3.0}, "htmls": pages, "convos": talks, "metadata": about}


@pytest.mark.parametrize("kind", [float, bool])
def test_results_of_simple_evals(kind, tmp_path):
    """The score of an example is the last one on its page; examples are joined by their question."""
    name = "gpqa_{}_20250101_120000_allresults.json"
    for model, right in (("gpt-4o", 6), ("o1_high", 9)):
        content = all_results([kind(n < right) for n in range(10)])
        if model == "o1_high":
            for part in ("htmls", "convos"):
                content[part].reverse()
        written(tmp_path / name.format(model), content)
    found, said = of(tmp_path)
    assert found == {("gpqa", "gpt-4o"): 0.6, ("gpqa", "o1_high"): 0.9}
    assert not any("harness reports" in each or "lack" in each for each in said)
    compared = hs.evaluate_log(hs.read_log(tmp_path)).comparisons["gpqa", "gpt-4o"]
    pairs = hs.compare(hs.values({"a": [1] * 6 + [0] * 4, "b": [1] * 9 + [0]}, bounds=(0, 1)), "mean")
    assert (compared.value, compared.low, compared.high) == pytest.approx((pairs.value, pairs.low, pairs.high))
    log = hs.read_log(tmp_path / name.format("gpt-4o"))
    assert (log["answer"][0], log["target"][0]) == ("B", "B")


def test_rubrics_of_simple_evals(tmp_path):
    """HealthBench writes the score of each example next to its page."""
    about = [{"score": n / 10, "prompt_id": f"p{n}"} for n in range(8)]
    content = all_results([1.0] * 8, metadata=about) | {"score": 0.35}
    path = written(tmp_path / "healthbench_hard_gpt-4_20250101_120000_allresults.json", content)
    found, said = of(path)
    assert found == {("healthbench_hard", "gpt-4"): 0.35}
    assert said == ()


def test_questions_asked_several_times_are_runs(tmp_path):
    """Repeats of a question are runs of one item."""
    content = all_results([1.0, 0.0, 1.0, 1.0])
    content["convos"] = content["convos"][:2] * 2
    log = hs.read_log(written(tmp_path / "gpqa_m_20250101_120000_allresults.json", content))
    assert log.joined().runs.tolist() == [[2, 2]]


def mteb(task, scores, split="test"):
    """Return the result of one task, with a score of each subset."""
    rows = [{"hf_subset": str(n), "languages": ["eng-Latn"], "main_score": each} for n, each in enumerate(scores)]
    return {"task_name": task, "mteb_version": "2.1.0", "dataset_revision": "r", "scores": {split: rows}}


def test_results_of_mteb(tmp_path):
    """The items are tasks; a task's value is the mean over its subsets; the caveat names what is unknown."""
    models = {"org__a": (0.5, 0.61, 0.7, 0.82), "org__b": (0.52, 0.6, 0.75, 0.87)}
    for model, values in models.items():
        for place, value in enumerate(values):
            scores = [value - 0.1, value + 0.1] if place == 0 else [value]
            content = mteb(f"Task{place}", scores, "validation" if place == 1 else "test")
            if place == 1:
                content["scores"] = {"test": [{"hf_subset": "default", "main_score": None}]} | content["scores"]
            written(tmp_path / model / "revision" / f"Task{place}.json", content)
        meta = {"name": model.replace("__", "/"), "revision": "revision"}
        written(tmp_path / model / "revision" / "model_meta.json", meta)
    found, said = of(tmp_path)
    assert found == {("MTEB", f"org/{name[-1]}"): float(np.mean(values)) for name, values in models.items()}
    assert sum("nothing can be said of the error of a single task" in each for each in said) == 1
    alone, _ = of(tmp_path / "org__a" / "revision" / "Task2.json")
    assert alone == {("MTEB", "org/a"): 0.7}
    done = run("leaderboard", str(tmp_path))
    assert done.returncode == 0
    assert "population of tasks" in done.stderr


def alpaca(preferences, model="new"):
    """Return annotations of AlpacaEval."""
    return [
        {"instruction": f"do {n}", "output_1": "x", "generator_1": "reference", "output_2": "y", "generator_2": model}
        | {"dataset": "koala", "annotator": "judge", "preference": each}
        for n, each in enumerate(preferences)
    ]


def test_annotations_of_alpaca_eval(tmp_path):
    """The win rate is the mean preference less 1; 0 is an old sign of a draw; an answer without one is left out."""
    path = written(tmp_path / "new" / "annotations.json", alpaca([1, 2, 2, 1.5, 0, 1.75, None]))
    found, said = of(path)
    assert found == {("AlpacaEval, against reference", "new"): (0 + 1 + 1 + 0.5 + 0.5 + 0.75) / 6}
    assert any("1 of 7 items lack a score" in each for each in said)
    written(tmp_path / "old" / "annotations.json", alpaca([1, 1, 2, 1.5, 1, 1.25, 1], "old"))
    assert len(hs.evaluate_log(hs.read_log(tmp_path)).comparisons) == 1


def test_tests_of_programs(tmp_path):
    """EvalPlus counts programs that pass both sets of tests; bigcode-evaluation-harness has runs of each problem."""
    programs = {
        f"HumanEval/{n}": [{"base_status": "pass" if n % 4 else "fail", "plus_status": "pass" if n % 3 else "timeout"}]
        for n in range(12)
    }
    passed = {"base": {"pass@1": 0.75}, "plus": {"pass@1": 0.5}}
    path = written(tmp_path / "org--m_temp_0.0_eval_results.json", {"eval": programs, "hash": "h", "pass_at_k": passed})
    assert of(path) == ({("HumanEval", "org--m_temp_0.0"): 0.5}, ())
    base = hs.evaluate_log(hs.read_log(path), metric="base")
    assert base["HumanEval", "org--m_temp_0.0"].value == pytest.approx(0.75)
    assert base.cautions == ()
    runs = {str(n): [[k, {"task_id": n, "passed": n + k > 3, "result": "passed"}] for k in range(4)] for n in range(5)}
    log = hs.read_log(written(tmp_path / "starcoder" / "logs.json", runs))
    assert log.models == ("starcoder",)
    successes = [sum(n + k > 3 for k in range(4)) for n in range(5)]
    expected = np.mean([1 - (4 - c) * (3 - c) / 12 for c in successes])
    assert float(hs.estimate(log.table(), "pass_at+k=2")) == pytest.approx(expected)


def test_reports_of_single_instances_are_parts_of_one_run(tmp_path):
    """SWE-bench has a file for each instance; together they are one evaluation."""
    for n in range(7):
        content = {f"django__django-{n}": {"patch_is_None": False, "patch_exists": True, "resolved": n < 3}}
        written(tmp_path / "run" / "org__model" / f"django__django-{n}" / "report.json", content)
    assert of(tmp_path, cluster="repository")[0] == {("SWE-bench", "org__model"): 3 / 7}


def test_early_reports_of_swe_bench(tmp_path):
    """A report with all instances is read; one that lists the resolved ones alone is refused, with the remedy."""
    report = {"no_generation": ["a__a-1"], "generated": ["a__a-2", "a__a-3", "a__a-4"], "resolved": ["a__a-3"]}
    path = written(tmp_path / "agent" / "results" / "results.json", report | {"applied": ["a__a-3"]})
    assert of(path) == ({("SWE-bench", "agent"): 0.25}, ())
    written(path, {"no_generation": ["a__a-1"], "no_logs": [], "resolved": ["a__a-2", "a__a-3"]})
    for given in (path, tmp_path):
        with pytest.raises(hs.HowsureError, match=r"lists 2 resolved .* hs\.proportion\(2, 500\)"):
            hs.read_log(given)


def test_files_with_items_in_common_are_tries(tmp_path):
    """Parts have no item in common; of files that have one the later counts, as before."""
    for day, right in (("01", 5), ("02", 2)):
        rows = [LM_EVAL | {"doc_id": n, "metrics": ["acc"], "acc": float(n < right)} for n in range(8)]
        written(tmp_path / f"samples_sums_2026-01-{day}T00-00-00.0.jsonl", rows, lines=True)
    found, said = of(tmp_path)
    assert list(found.values()) == [0.25]
    assert any("the later one counts" in each for each in said)
    rows = [LM_EVAL | {"doc_id": n, "metrics": ["acc"], "acc": 1.0} for n in range(8, 16)]
    (tmp_path / "samples_sums_2026-01-01T00-00-00.0.jsonl").unlink()
    written(tmp_path / "samples_sums_2026-01-03T00-00-00.0.jsonl", rows, lines=True)
    assert list(of(tmp_path)[0].values()) == [10 / 16]


def test_only_one_split_of_helm_is_read(tmp_path):
    """Answers of the validation split are not mixed with those of the test split, nor the harness's numbers."""

    def statistic(value, split):
        return {"name": {"name": "exact_match", "split": split}, "count": 1, "sum": value, "mean": value}

    folder = tmp_path / "boolq:model=org_m"
    splits = ["test"] * 10 + ["valid"] * 6
    rows = [
        {"instance_id": f"id{n}", "train_trial_index": 0, "stats": [statistic(float(split == "valid" or n < 4), split)]}
        for n, split in enumerate(splits)
    ]
    written(folder / "per_instance_stats.json", rows)
    written(folder / "stats.json", [statistic(0.4, "test"), statistic(1.0, "valid")])
    found, said = of(tmp_path)
    assert list(found.values()) == [0.4]
    assert len(said) == 1
    assert "The split 'test' is read, and left out is 'valid'" in said[0]


def test_several_instructions_of_an_item(tmp_path):
    """The instruction-level accuracy of IFEval is the share of all instructions: items are weighted by their number."""
    followed = [[True] * (1 + n % 3) + [n % 2 == 0] for n in range(12)]
    rows = [LM_EVAL | {"doc_id": n, "metrics": ["inst_level"], "inst_level": each} for n, each in enumerate(followed)]
    path = written(tmp_path / "samples_ifeval_2026-01-01T00-00-00.0.jsonl", rows, lines=True)
    share = sum(map(sum, followed)) / sum(map(len, followed))
    written(tmp_path / "results_2026-01-01T00-00-00.0.json", {"results": {"ifeval": {"inst_level,none": share}}})
    log = hs.read_log(path)
    found = hs.evaluate_log(log)
    ((_, estimate),) = found.items()
    assert estimate.value == pytest.approx(share)
    assert 0 <= estimate.low < share < estimate.high <= 1
    assert found.cautions == ()
    all_followed = [row | {"inst_level": [True] * (1 + n % 3)} for n, row in enumerate(rows)]
    ((_, estimate),) = hs.evaluate_log(hs.read_log(written(path, all_followed, lines=True))).items()
    assert (estimate.value, estimate.high) == (1, 1)
    assert 0.5 < estimate.low < 1


def test_answers_that_could_not_be_graded(tmp_path):
    """An event without a score is an item without a score, which a caution counts."""
    events = [
        {"sample_id": f"s{n}", "type": "metrics", "data": {"choice": "A", "score": None if n < 2 else float(n % 2)}}
        for n in range(10)
    ]
    lines = [{"spec": {"eval_name": "fact", "run_id": "1", "completion_fns": ["m"]}}, {"final_report": {"score": 0.5}}]
    found, said = of(written(tmp_path / "run.jsonl", [*lines, *events], lines=True))
    assert list(found.values()) == [0.5]
    assert [each for each in said if "2 of 10 items lack a score" in each]


@pytest.mark.parametrize(
    "reported, is_same", [(0.667, True), (0.6667, True), (0.67, True), (0.668, False), (0.7, False)]
)
def test_reported_numbers_may_be_rounded(reported, is_same, tmp_path):
    """A number with two decimals or more that is the samples' own, rounded, is the same."""
    content = all_results([1.0, 1.0, 0.0] * 4) | {"score": reported}
    _, said = of(written(tmp_path / "mmlu_m_20250101_120000_allresults.json", content))
    assert any("the harness reports" in each for each in said) is not is_same


RAGAS = [{"user_input": f"q{n}", "response": "a", "faithfulness": n / 10, "relevancy": 0.5} for n in range(10)]


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("simple.json", {"chars": 20.2, "chars:std": 18.1, "score": 0.4, "score:std": 0.49}, "_allresults.json beside"),
        ("mmlu.json", {"accuracy": 60.0}, "--dump-eval-details"),
        ("evaluation_results.json", {"humaneval": {"pass@1": 0.3}, "config": {"n_samples": 20}}, "logs.json"),
        (
            "scores.json",
            {"scores": [{"score_dict": {"exact": 0.2}, "number_of_shots": 0}], "task": {"name": "t"}},
            "no scores of single samples. BIG-bench has none",
        ),
        ("old.json", {"mteb_version": "1.0", "test": {"accuracy": 0.8, "main_score": 0.8}}, "MTEB writes from version"),
        ("any.json", {"accuracy": 0.4, "f1": 0.5}, "'accuracy', 'f1'.* Give the file with the samples"),
        ("any.json", {"more": {"accuracy": 0.4}}, "'more/accuracy'.* Give the file with the samples"),
        ("coco.json", {"images": [], "annotations": [], "categories": []}, r"of COCO: hs.detections\('results.json'"),
        (
            "results.json",
            [{"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4], "score": 0.5}] * 3,
            r"of COCO: hs.detections\('results.json'",
        ),
        ("cache.json", {"test_cases_lookup_map": {}}, "Give .latest_test_run.json beside it"),
        ("garak.json", [{"entry_type": "init"}, {"entry_type": "eval", "passed": 3, "total": 9}], "report of garak"),
        ("any.json", {"loss": 0.4, "more": {"auc": 0.9}}, "'loss', 'more/auc'.* no scores of single samples"),
        ("results.json", {"results": [{"task": n, "solved": True} for n in range(9)]}, "is no log that is known"),
        ("battles.json", [{"model_a": "x", "model_b": "y", "winner": "tie"}] * 3, "leaderboard FILE --a model_a"),
        ("pair.json", [{"model_1": "x", "model_2": "y", "g1_winner": "tie"}] * 3, "--winner g1_winner"),
        ("ragas.json", RAGAS, "a table with the columns 'user_input', 'response', 'faithfulness'"),
        ("wandb.table.json", {"columns": ["id", "ok"], "data": [[1, True], [2, False]]}, "columns 'id', 'ok'. Name"),
    ],
)
def test_files_of_other_kinds_are_refused_with_the_way_on(name, content, words, tmp_path):
    """Other files are identified, as totals, battles or a table, with the way to read them."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.read_log(written(tmp_path / name, content))


@pytest.mark.parametrize(
    "text, words",
    [
        (
            "user_input,faithfulness\nq1,0.5\n",
            "a table with the columns 'user_input', 'faithfulness'. Name the columns",
        ),
        (
            "user_input;faithfulness\nq1;0,5\n",
            "a table with the columns 'user_input', 'faithfulness'. Name the columns",
        ),
        ("country,[openai:gpt-4] Capital?\nPeru,[PASS] Lima\n", "promptfoo.*--output results.json"),
        ("", "but a table. Name the columns"),
    ],
)
def test_tables_of_text_are_refused_with_their_columns(text, words, tmp_path):
    """A CSV is read by the names of its columns, which the message has."""
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(hs.HowsureError, match=words):
        hs.read_log(path)


def test_codes_of_failures_and_further_scores_are_named(tmp_path):
    """A lone -1 among grades is a code of failure; scores that the table does not show are named."""
    rows = [{"question": n, "score": -1 if n == 3 else 5 + n % 5, "turn": n % 2} for n in range(20)]
    path = written(tmp_path / "judged.jsonl", rows, lines=True)
    said = hs.read_log(path, score=["score", "turn"], item="question").notes
    assert any("1 of 20 values of 'score' is -1" in each for each in said)
    assert any("'score' comes first; `metric` (--metric) shows 'turn'" in each for each in said)
    signed = [{"score": (-1, 0, 1, -2)[n % 4]} for n in range(20)]
    assert hs.read_log(written(tmp_path / "signed.jsonl", signed, lines=True), score="score").notes == ()


def test_logs_of_lmms_eval(tmp_path):
    """Names start with the date; a metric is an object with a score; answers are not lists in later versions."""
    date = {"org__a": "20250101_120000", "org__b": "20250102_130000_f00d"}
    for model, start in date.items():
        right = 6 if model == "org__a" else 8
        rows = [
            {"doc_id": n, "doc": {}, "target": "x", "filtered_resps": "long" if n % 2 else ["long"], "doc_hash": f"{n}"}
            | {"input": "asked", "mme_score": {"question_id": n, "score": float(n < right)}}
            for n in range(12)
        ]
        written(tmp_path / model / f"{start}_samples_mme.jsonl", rows, lines=True)
        results = {"mme": {"mme_score,none": right / 12, "mme_score_stderr,none": "N/A"}, "other": {"acc,none": 0.5}}
        written(
            tmp_path / model / f"{start}_results.json", {"results": results, "model_name": model.replace("__", "/")}
        )
    found, said = of(tmp_path)
    assert found == {("mme", "org/a"): 0.5, ("mme", "org/b"): 8 / 12}
    assert not any("harness reports" in each for each in said)
    assert sum("'other' without samples" in each for each in said) == 2
    assert set(hs.read_log(tmp_path)["answer"]) == {"long"}


def test_answers_without_a_match_are_items(tmp_path):
    """A sample of OpenAI evals without a verdict is an item without a score."""
    events = [{"sample_id": f"s{n}", "type": "match", "data": {"correct": n > 3} if n else {}} for n in range(8)]
    lines = [{"spec": {"eval_name": "sums", "run_id": "1", "completion_fns": ["m"]}}, *events]
    found, said = of(written(tmp_path / "run.jsonl", lines, lines=True))
    assert list(found.values()) == [4 / 7]
    assert any("1 of 8 items lack a score" in each for each in said)


def test_first_reports_of_swe_bench(tmp_path):
    """A report without the unresolved instances has all completed ones."""
    report = {"total_instances": 6, "completed_instances": 4, "resolved_instances": 2}
    report |= {"completed_ids": ["a__a-1", "a__a-2", "a__a-3", "a__a-4"], "resolved_ids": ["a__a-1", "a__a-3"]}
    found, said = of(written(tmp_path / "model.run.json", report | {"error_ids": ["a__a-5"]}))
    assert found == {("SWE-bench", "model"): 2 / 5}
    assert any("(5 of 6 samples)" in each for each in said)


def test_patterns_name_files(tmp_path):
    """A pattern that the shell does not expand selects the matching files; one without a match is an error."""
    for model in ("a", "b"):
        written(tmp_path / model / "annotations.json", alpaca([1, 2, 2, 1.5], model))
    assert hs.read_log(str(tmp_path / "*" / "annotations.json")).models == ("a", "b")
    assert hs.read_log(str(tmp_path / "[a]")).models == ("a",)
    with pytest.raises(hs.HowsureError, match="There is no file"):
        hs.read_log(str(tmp_path / "*" / "other.json"))

"""Logs of Inspect, lm-evaluation-harness and DeepEval, written by these packages with mock models.

To regenerate the stored logs with inspect-ai 0.3.285, lm-eval 0.4.13 and deepeval 4.3.1: ``python make_logs.py inspect
FOLDER``, ``lm_eval`` and ``deepeval``.
"""

import gzip
import json
import os
import random
import sys
from pathlib import Path

import numpy as np

ITEMS, RUNS, PER_PASSAGE = 9, 2, 3
SHARES = {"new": 0.8, "old": 0.5}  # of the answers that are right


def inspect_logs(folder):
    """Write a log of each model in either format of Inspect: two scorers, two runs, questions about passages."""
    import tiktoken
    from inspect_ai import Task, eval as run, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import Score, accuracy, mean, scorer, stderr
    from inspect_ai.solver import generate

    class Words:
        """Counts words for tokens, so that no vocabulary is fetched."""

        def encode(self, text, **_):
            return text.split()

    tiktoken.get_encoding = lambda _: Words()

    @scorer(metrics=[accuracy(), stderr(cluster="passage")])
    def right():
        async def score(state, target):
            return Score(value="C" if target.text in state.output.completion.split() else "I")

        return score

    @scorer(metrics=[mean(), stderr()])
    def grade():
        async def score(state, _):
            return Score(value=len(state.output.completion) % 5 / 4)

        return score

    @task
    def sums():
        samples = [
            Sample(id=f"q{i}", input=f"{i} + 1?", target=str(i + 1), metadata={"passage": f"p{i // PER_PASSAGE}"})
            for i in range(ITEMS)
        ]
        return Task(dataset=MemoryDataset(samples), solver=[generate()], scorer=[right(), grade()], epochs=RUNS)

    for seed, (name, share) in enumerate(SHARES.items()):
        chance = np.random.default_rng(seed)
        said = [
            f"{i + 1 if chance.random() < share else 0}{' x' * chance.integers(5)}"
            for _ in range(RUNS)
            for i in range(ITEMS)
        ]
        for kind in ("eval", "json")[: 2 if name == "new" else 1]:
            outputs = [ModelOutput.from_content(f"mockllm/{name}", each) for each in said]
            model = get_model(f"mockllm/{name}", custom_outputs=outputs, memoize=False)
            [log] = run(sums(), model=model, log_dir=str(folder), log_format=kind, display="none", max_samples=1)
            written = Path(log.location.removeprefix("file://"))
            if kind == "eval":
                written.rename(folder / f"{name}.eval")
            else:
                (folder / f"{name}.json.gz").write_bytes(gzip.compress(written.read_bytes(), mtime=0))
                written.unlink()


def lm_eval_logs(folder):
    """Write the results and samples of each model: a task by choice with two metrics, and one by words with filters."""
    os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    tasks = folder / "tasks"
    tasks.mkdir(parents=True)
    documents = [
        {"question": f"{i} + 1?", "choices": [str(i + 1), str(i)], "gold": 0, "passage": f"p{i // PER_PASSAGE}"}
        | {"answer": "lol" if i % 3 else str(i + 1)}
        for i in range(ITEMS)
    ]
    source = tasks / "documents.json"
    source.write_text("\n".join(map(json.dumps, documents)))
    common = {
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(source)}},
        "test_split": "test",
        "doc_to_text": "{{question}}",
    }
    mean = {"aggregation": "mean", "higher_is_better": True}
    choice = common | {
        "task": "choice",
        "output_type": "multiple_choice",
        "doc_to_choice": "{{choices}}",
        "doc_to_target": "gold",
        "metric_list": [{"metric": "acc"} | mean, {"metric": "acc_norm"} | mean],
    }
    words = common | {
        "task": "words",
        "output_type": "generate_until",
        "doc_to_target": "answer",
        "metric_list": [{"metric": "exact_match"} | mean],
        "filter_list": [
            {"name": "strict", "filter": [{"function": "take_first"}]},
            {"name": "upper", "filter": [{"function": "uppercase"}, {"function": "take_first"}]},
        ],
    }
    for each in (choice, words):
        (tasks / f"{each['task']}.yaml").write_text(json.dumps(each))  # which is YAML too
    manager = TaskManager(include_path=str(tasks), include_defaults=False)
    for seed, name in enumerate(SHARES):
        random.seed(seed)
        tracker = EvaluationTracker(output_path=str(folder))
        settings = {"task_manager": manager, "evaluation_tracker": tracker, "log_samples": True, "bootstrap_iters": 2}
        found = simple_evaluate("dummy", f"pretrained={name}", tasks=["choice", "words"], **settings)
        samples = found.pop("samples")
        tracker.save_results_aggregated(results=found, samples=samples)
        for task in samples:
            tracker.save_results_samples(task_name=task, samples=samples[task])


def deepeval_logs(folder):
    """Write a test run of a metric that needs no judge."""
    os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", DEEPEVAL_RESULTS_FOLDER=str(folder), OPENAI_API_KEY="none")
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, DisplayConfig
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase

    class Length(BaseMetric):
        threshold, async_mode, evaluation_model = 0.5, False, None

        def measure(self, case, *_, **__):
            self.score = min(1, len(case.actual_output) / 4)
            self.success = self.score >= self.threshold
            return self.score

        def is_successful(self):
            return self.success

        @property
        def __name__(self):
            return "Length"

    cases = [
        LLMTestCase(
            input=f"{i} + 1?",
            actual_output="x" * (i % 5),
            expected_output=str(i + 1),
            additional_metadata={"passage": f"p{i // PER_PASSAGE}"},
        )
        for i in range(ITEMS)
    ]
    quiet = {"async_config": AsyncConfig(run_async=False), "display_config": DisplayConfig(print_results=False)}
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    evaluate(cases, [Length()], hyperparameters={"model": "small"}, **quiet)
    [written] = folder.glob("test_run_*.json")
    written.rename(folder / "small.json")


if __name__ == "__main__":
    which, where = sys.argv[1:]
    {"inspect": inspect_logs, "lm_eval": lm_eval_logs, "deepeval": deepeval_logs}[which](Path(where).resolve())

"""Logs with a record for each answer: harnesses whose logs differ only in the names of their fields."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from howsure.logs.opening import Opened, stem_of
from howsure.logs.records import Reader, Reported, Score, entries, mapping, number

GENERAL = {"output", "result", "results", "samples"}  # names of files that name no model: the folder does


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a harness's records; those of nested objects in dotted notation.

    Parameters
    ----------
    harness : str
        Name of the harness, and of the task if nothing else names it.
    known_by : set of str
        Fields that its records have.
    scores : mapping of str
        Field of each metric; a list holds the score of each run, and an object several metrics.
    item : tuple of str
        Field with the name of the item; the first one that a record has.
    model, task : str
        Fields with the names of model and task, of the record or of the whole document. If there is none, the model is
        the file.
    records : str
        Field of the document with the records; by default, the document or its lines are the records.
    reported : mapping of str
        Field of the document with the harness's own value of each metric.
    is_of_folder : bool
        Whether the file has the name of the task, and its folder that of the model.
    failed : float
        Code of an answer that could not be scored.
    absent : float
        Score of an answer without one: nan, or 0 if it counts as wrong.
    """

    harness: str
    known_by: frozenset[str]
    scores: Mapping[str, str]
    item: tuple[str, ...]
    model: str = ""
    task: str = ""
    records: str = ""
    reported: Mapping[str, str] = field(default_factory=dict)
    is_of_folder: bool = False
    failed: float = math.nan
    absent: float = math.nan

    def reader(self) -> Reader:
        """Return the reader of such logs."""
        return Reader(self.harness, self._recognises, self._scores, reported=self._reported)

    def _records(self, log: Opened) -> list[dict[str, Any]]:
        return entries(log.first.get(self.records) if self.records else list(log.records))

    def _recognises(self, log: Opened) -> bool:
        records = self._records(log)
        return bool(records) and self.known_by <= records[0].keys()

    def _task_and_model(self, log: Opened, record: Mapping[str, Any]) -> tuple[str, str]:
        stem, folder = stem_of(log.path), log.path.resolve().parent.name
        name = stem.removesuffix("_results").removesuffix(".jsonl")  # human-eval adds both to the name of the samples
        task, model = (stem, folder) if self.is_of_folder else (self.harness, folder if name in GENERAL else name)
        return str(_stated(self.task, record, log.first) or task), str(_stated(self.model, record, log.first) or model)

    def _scores(self, log: Opened) -> Iterator[Score]:
        runs: Counter[tuple[str, ...]] = Counter()
        for record in self._records(log):
            task, model = self._task_and_model(log, record)
            item = str(next((each for name in self.item if (each := _value(record, name)) is not None), ""))
            for metric, value in self._values(record):
                runs[task, model, item, metric] += 1
                yield Score(task, model, item, runs[task, model, item, metric], metric, value, record)

    def _values(self, record: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
        """Yield metric and score of a record, one for each run."""
        for metric, name in self.scores.items():
            found = _value(record, name)
            for each, value in found.items() if isinstance(found, dict) else [(metric, found)]:
                for score in (value or [None]) if isinstance(value, list) else [value]:
                    yield each, self.absent if score is None else math.nan if score == self.failed else number(score)

    def _reported(self, log: Opened) -> Iterator[Reported]:
        for metric, name in self.reported.items():
            task, model = self._task_and_model(log, {})
            yield Reported(task, model, metric, number(_value(log.first, name)), None, "higher", "mean")


def _value(record: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field, in dotted notation; None if there is none."""
    first, _, rest = name.partition(".")
    return _value(mapping(record.get(first)), rest) if rest else record.get(first)


def _stated(name: str, record: Mapping[str, Any], document: Mapping[str, Any]) -> Any:
    """Return the value of a field of a record, else of the document."""
    found = _value(record, name)
    return _value(document, name) if found is None else found


def _layout(harness: str, known_by: str, scores: Mapping[str, str], item: str, **more: Any) -> Layout:
    """Return a layout; names of fields are separated by blanks."""
    return Layout(harness, frozenset(known_by.split()), scores, tuple(item.split()), **more)


LAYOUTS = (
    _layout("human-eval", "task_id completion passed", {"passed": "passed"}, "task_id"),
    _layout("LiveCodeBench", "question_id graded_list", {"passed": "graded_list"}, "question_id"),
    _layout(
        "IFEval",
        "follow_all_instructions follow_instruction_list",
        {"follow_all": "follow_all_instructions"},
        "prompt",
        is_of_folder=True,  # strict and loose results of a model
    ),
    _layout("OpenHands", "instance_id test_result", {"resolved": "test_result.report.resolved"}, "instance_id"),
    _layout("tau-bench", "task_id reward traj", {"reward": "reward"}, "task_id"),
    _layout(
        "tau2-bench",
        "task_id trial reward_info",
        {"reward": "reward_info.reward"},
        "task_id",
        model="info.agent_info.llm",
        task="info.environment_info.domain_name",
        records="simulations",
    ),
    _layout(
        "terminal-bench",
        "task_id is_resolved",
        {"resolved": "is_resolved"},
        "task_id",
        records="results",
        reported={"resolved": "accuracy"},
        absent=0.0,
    ),
    _layout(
        "MT-bench",
        "question_id model judge score turn",
        {"score": "score"},
        "question_id",
        model="model",
        failed=-1.0,
    ),
    _layout(
        "LiveBench",
        "question_id task model score category",
        {"score": "score"},
        "question_id",
        model="model",
        task="task",
    ),
    _layout(
        "EvalScope",
        "index sample_score",
        {"score": "sample_score.score.value"},
        "sample_score.group_id index",
        is_of_folder=True,
    ),
    _layout(
        "Every Eval Ever",
        "evaluation_id sample_id evaluation",
        {"score": "evaluation.score"},
        "sample_id",
        model="model_id",
        task="evaluation_name",
    ),
    *(
        _layout(
            "OpenAI's Evals API",
            "datasource_item_id results status",
            {"pass": "status"},
            "datasource_item_id",
            model="sample.model",
            task="eval_id",
            records=records,
        )
        for records in ("data", "")  # a page of the list, or its items
    ),
)
ANSWER_RECORDS = [each.reader() for each in LAYOUTS]

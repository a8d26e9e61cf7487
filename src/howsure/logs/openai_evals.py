"""Records of OpenAI's evals: one JSON line for each event, after a first line with the specification of the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from howsure.logs.opening import Opened, stem_of
from howsure.logs.records import Reader, Reported, Score, mapping, number, text

MATCH, METRICS = "match", "metrics"  # events with scores
ACCURACY = "accuracy"


def _spec(log: Opened) -> dict[str, Any]:
    return mapping(log.first.get("spec"))


def _recognises(log: Opened) -> bool:
    return {"eval_name", "run_id"} <= _spec(log).keys()


def _task_and_model(log: Opened) -> tuple[str, str]:
    spec = _spec(log)
    given = spec.get("completion_fns") or spec.get("model_name") or stem_of(log.path)
    return str(spec["eval_name"]), ", ".join(map(str, given)) if isinstance(given, list) else str(given)


def _found(event: dict[str, Any]) -> dict[str, Any]:
    """Return the scores of a sample from an event, by metric."""
    data, kind = mapping(event.get("data")), event.get("type")
    return {ACCURACY: data.get("correct")} if kind == MATCH else data if kind == METRICS else {}


def _is_score(value: object) -> bool:
    return isinstance(value, bool | int | float)


def _scores(log: Opened) -> Iterator[Score]:
    task, model = _task_and_model(log)
    runs: Counter[tuple[str, str]] = Counter()
    events = [mapping(each) for each in log.records]
    scored = {name for event in events for name, value in _found(event).items() if _is_score(value)}
    for event in events:
        data, item = mapping(event.get("data")), str(event.get("sample_id"))
        for metric, value in _found(event).items():
            is_graded = metric in scored or not scored  # None: an answer that could not be graded
            if _is_score(value) or (value is None and is_graded):
                runs[item, metric] += 1
                answers = text(data.get("expected")), text(data.get("picked"))
                yield Score(task, model, item, runs[item, metric], str(metric), number(value), {}, "", "", *answers)


def _reported(log: Opened) -> Iterator[Reported]:
    task, model = _task_and_model(log)
    for event in map(mapping, log.records):
        for metric, value in mapping(event.get("final_report")).items():
            if isinstance(value, int | float) and metric != "boostrap_std":
                yield Reported(task, model, str(metric), float(value))


def _created(log: Opened) -> str:
    return str(_spec(log).get("created_at") or "")


OPENAI_EVALS = Reader("OpenAI evals", _recognises, _scores, reported=_reported, created=_created)

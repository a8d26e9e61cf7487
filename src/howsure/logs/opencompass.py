"""Results of OpenCompass: one JSON for each model and data set, with the details that `--dump-eval-details` adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from howsure.logs.opening import Opened, stem_of
from howsure.logs.records import Reader, Reported, Score, number, text

CORRECT = ("correct", "is_correct")
ACCURACY = "accuracy"


def _details(log: Opened) -> dict[str, dict[str, Any]]:
    """Return the details of each sample, by its number."""
    found = log.first.get("details")
    pairs = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    return {str(name): each for name, each in pairs if isinstance(each, dict) and any(key in each for key in CORRECT)}


def _correct(detail: dict[str, Any]) -> Any:
    """Return whether a sample is right; a list has one value for each of its runs."""
    return next((detail[name] for name in CORRECT if detail.get(name) is not None), None)


def _recognises(log: Opened) -> bool:
    return bool(_details(log))


def _task_and_model(log: Opened) -> tuple[str, str]:
    return stem_of(log.path), log.path.resolve().parent.name


def _scores(log: Opened) -> Iterator[Score]:
    task, model = _task_and_model(log)
    for item, detail in _details(log).items():
        found = _correct(detail)
        answers = text(detail.get("answer") or detail.get("references")), text(detail.get("pred"))
        for run, value in enumerate(found if isinstance(found, list) else [found]):
            yield Score(task, model, item, run + 1, ACCURACY, number(value), {}, "", "", *answers)


def _reported(log: Opened) -> Iterator[Reported]:
    task, model = _task_and_model(log)
    value = log.first.get(ACCURACY)
    if isinstance(value, int | float):  # in percent
        yield Reported(task, model, ACCURACY, value / 100, None, "higher", "mean")


OPENCOMPASS = Reader("OpenCompass", _recognises, _scores, reported=_reported)

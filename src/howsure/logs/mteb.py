"""Results of MTEB: one JSON for each model and task, with one score of the whole task and no cases."""

from __future__ import annotations

import math
from collections.abc import Iterator

from howsure.logs.opening import Opened, beside
from howsure.logs.records import Reader, Score, entries, mapping, number

TASK, METRIC = "MTEB", "main_score"
NOTE = (
    "MTEB keeps one score of each task and no cases. The items are its tasks: intervals are about a population of "
    "tasks, and nothing can be said of the error of a single task's score."
)
FIRST = ("test", "validation", "dev", "train")  # splits by preference


def _recognises(log: Opened) -> bool:
    about = log.first
    return {"task_name", "scores", "mteb_version"} <= about.keys() and isinstance(about["scores"], dict)


def _model(log: Opened) -> str:
    """Return the model's name from the file in the folder of the results, else from the folder of its revision."""
    if name := mapping(beside(log.path.parent / "model_meta.json")).get("name"):
        return str(name)
    folder = log.path.resolve().parent
    return (folder if "__" in folder.name else folder.parent).name.replace("__", "/")


def _value(log: Opened) -> float:
    """Return the mean of the main score over the subsets of one split, as MTEB averages a task."""
    splits = mapping(log.first["scores"])
    for name in sorted(splits, key=lambda each: FIRST.index(each) if each in FIRST else len(FIRST)):
        found = [number(each.get(METRIC)) for each in entries(splits[name])]
        finite = [each for each in found if not math.isnan(each)]
        if finite:
            return sum(finite) / len(finite) if len(finite) == len(found) else math.nan
    return math.nan


def _scores(log: Opened) -> Iterator[Score]:
    yield Score(TASK, _model(log), str(log.first["task_name"]), 1, METRIC, _value(log), {})


def _notes(_: Opened) -> Iterator[str]:
    yield NOTE


MTEB = Reader("MTEB", _recognises, _scores, _notes)

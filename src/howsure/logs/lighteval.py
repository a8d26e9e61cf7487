"""Details of lighteval: a Parquet file for each task; the results are in a sibling folder of the details."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from howsure.logs.opening import Opened, beside, stem_of
from howsure.logs.records import Reader, Reported, Score, mapping, named_numbers, number, start_of

NAME = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d\-.:]+)\.parquet")
RESULTS = re.compile(r"results_(?P<date>\d{4}-\d\d-\d\dT[\d\-.:]+)")
SCORES = ("metric", "metrics")  # columns with the scores of a sample, in later and earlier versions


def _recognises(log: Opened) -> bool:
    return bool(NAME.fullmatch(log.path.name)) and any(name in log.first for name in SCORES)


def _parsed(value: object) -> dict[str, Any]:
    """Return a mapping, which some versions store as text."""
    if isinstance(value, str):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return mapping(ast.literal_eval(value))
    return mapping(value)


def _task_and_model(path: Path) -> tuple[str, str]:
    found = NAME.fullmatch(path.name)
    parts = path.resolve().parent.parts
    start = len(parts) - 1 - parts[::-1].index("details") if "details" in parts else len(parts) - 2
    stated = mapping(_results(path).get("config_general")).get("model_name")
    return found["task"] if found else path.stem, str(stated or "/".join(parts[start + 1 : -1]) or parts[-1])


def _results(path: Path) -> dict[str, Any]:
    """Return the results of the same run, from the sibling folder `results` of `details`."""
    found = NAME.fullmatch(path.name)
    parts = path.resolve().parent.parts
    if found is None or "details" not in parts:
        return {}
    start = len(parts) - 1 - parts[::-1].index("details")
    return mapping(beside(Path(*parts[:start], "results", *parts[start + 1 : -1], f"results_{found['date']}.json")))


def _scores_of(row: dict[str, Any]) -> dict[str, Any]:
    return next((found for name in SCORES if (found := _parsed(row.get(name)))), {})


def _scores(log: Opened) -> Iterator[Score]:
    task, model = _task_and_model(log.path)
    rows = list(map(mapping, log.records))
    scored = {name for row in rows for name, value in _scores_of(row).items() if value is not None}
    for place, row in enumerate(rows):
        document = _parsed(row.get("doc"))
        item = document.get("id") or row.get("example") or place
        content = start_of(document.get("query") or row.get("full_prompt") or row.get("example"))
        kept = {name: value for name, value in _scores_of(row).items() if name in scored or not scored}
        for name, value in kept.items():  # a metric that no row has is of another task
            for metric, each in named_numbers(str(name), value):
                yield Score(task, model, str(item), 1, metric, each, {}, "", content)


def _reported(log: Opened) -> Iterator[Reported]:
    task, model = _task_and_model(log.path)
    results = mapping(_results(log.path).get("results"))
    own = next(
        (mapping(each) for name, each in results.items() if name.replace(":", "|") == task.replace(":", "|")), {}
    )
    for metric, value in own.items():
        if not str(metric).endswith("_stderr") and isinstance(value, int | float):
            yield Reported(task, model, str(metric), number(value))


def _created(log: Opened) -> str:
    found = NAME.fullmatch(log.path.name)
    return found["date"] if found else ""


def tasks_without_details(log: Opened) -> list[str] | None:
    """Return the tasks of a file of results without details in the sibling folder; None for other files."""
    found, parts = RESULTS.fullmatch(stem_of(log.path)), log.path.resolve().parent.parts
    if found is None or "config_general" not in log.first or "results" not in parts:
        return None
    start = len(parts) - 1 - parts[::-1].index("results")
    folder = Path(*parts[:start], "details", *parts[start + 1 :])
    named = {file.name.replace(":", "|") for file in folder.rglob("details_*.parquet")}
    tasks = [str(task) for task in mapping(log.first.get("results")) if task != "all"]
    return [task for task in tasks if f"details_{task}_{found['date']}.parquet".replace(":", "|") not in named]


LIGHTEVAL = Reader("lighteval", _recognises, _scores, reported=_reported, created=_created)

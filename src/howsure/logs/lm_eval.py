"""Logs of lm-evaluation-harness: `samples_*.jsonl`, with the `results_*.json` beside them, which name the model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from howsure.errors import listed
from howsure.logs.opening import Opened
from howsure.logs.records import Reader, Score, mapping, number, text

NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d\-.:]+)\.jsonl(\.gz)?")
OTHERS = {  # what early versions, which do not name their metrics, write beside them
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}


def _knows(log: Opened) -> bool:
    return {"doc_id", "filtered_resps"} <= log.first.keys()


def _scores(log: Opened) -> Iterator[Score]:
    task, model = _task_and_model(log.path)
    for row in map(mapping, log.records):
        filtered = row.get("filter", "none")
        first, *_ = row.get("filtered_resps") or [None]
        shared = task, model, str(row.get("doc_id")), 1
        for name in _metrics(row):
            if not _is_of_a_whole(row.get(name)):
                metric = name if filtered == "none" else f"{name},{filtered}"
                content = str(row.get("doc_hash") or "")
                answers = text(row.get("target")), text(first)
                yield Score(*shared, metric, number(row.get(name)), mapping(row.get("doc")), "", content, *answers)


def _metrics(row: dict[str, Any]) -> list[str]:
    """Return the names of a row's metrics, which early versions do not list."""
    return list(row.get("metrics") or [name for name in row if name not in OTHERS])


def _is_of_a_whole(value: Any) -> bool:
    """Whether a metric keeps of each item what it needs of it, such as a likelihood and a length, and not a score."""
    return isinstance(value, list | dict)


def _notes(log: Opened) -> Iterator[str]:
    whole = [name for name in _metrics(log.first) if _is_of_a_whole(log.first.get(name))]
    if whole:
        yield f"'{log.path.name}' has no score of single items by {listed(whole)}, which is left out."


def _task_and_model(path: Path) -> tuple[str, str]:
    """Return what the names of files and folders say, and what the results beside the samples say of the model."""
    found = NAME.fullmatch(path.name)
    if found is None:
        return path.name.split(".")[0].removeprefix("samples_"), path.resolve().parent.name
    said: dict[str, Any] = {}
    with suppress(OSError, ValueError):  # without results the folder is named after the model
        said = mapping(json.loads((path.parent / f"results_{found['date']}.json").read_text(encoding="utf-8")))
    return found["task"], str(said.get("model_name") or path.resolve().parent.name)


LM_EVAL = Reader("lm-evaluation-harness", _knows, _scores, _notes)

"""Results of simple-evals: `*_allresults.json`; the HTML page of each example contains its score."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from howsure.logs.opening import Opened, stem_of
from howsure.logs.records import Reader, Reported, Score, entries, mapping, number, start_of

NAME = re.compile(
    r"(?P<task>healthbench_(?:hard|consensus|meta)|[^_]+)_(?P<model>.+?)_(?P<date>\d{8}_\d{6})(_DEBUG)?_allresults\.json"
)
FIELDS = {
    name: re.compile(rf"<p>{name}: (.*?)</p>", re.DOTALL) for name in ("Score", "Correct Answer", "Extracted Answer")
}
METRIC = "score"


def _recognises(log: Opened) -> bool:
    return {"htmls", "convos", "score"} <= log.first.keys()


def _task_and_model(log: Opened) -> tuple[str, str]:
    found = NAME.fullmatch(log.path.name)
    if found is not None:
        return found["task"], found["model"]
    return stem_of(log.path).removesuffix("_allresults"), log.path.resolve().parent.name


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _examples(log: Opened) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield page, question and metadata of each example."""
    pages = [each if isinstance(each, str) else "" for each in _list(log.first["htmls"])]
    talks = _list(log.first["convos"])
    about = _list(mapping(log.first.get("metadata")).get("example_level_metadata"))
    for place, page in enumerate(pages):
        messages = entries(talks[place]) if place < len(talks) else []
        asked = [each.get("content") for each in messages if each.get("role") == "user"]
        question = next((each for each in reversed(asked) if isinstance(each, str)), "")
        yield page, question, mapping(about[place]) if place < len(about) else {}


def _stated(page: str, field: str) -> str | None:
    """Return the last match of a field, because the model's answer above it may contain the same line."""
    found = FIELDS[field].findall(page)
    return found[-1] if found else None


def _scores(log: Opened) -> Iterator[Score]:
    task, model = _task_and_model(log)
    runs: Counter[str] = Counter()
    for place, (page, question, about) in enumerate(_examples(log), 1):
        item = str(about.get("prompt_id") or question or place)
        runs[item] += 1
        value = number(about["score"] if "score" in about else _stated(page, "Score"))
        answers = _stated(page, "Correct Answer"), _stated(page, "Extracted Answer")
        yield Score(task, model, item, runs[item], METRIC, value, about, "", start_of(question), *answers)


def _reported(log: Opened) -> Iterator[Reported]:
    value = number(log.first["score"])
    if not math.isnan(value):
        yield Reported(*_task_and_model(log), METRIC, value, len(_list(log.first["htmls"])), "higher", "mean")


def _created(log: Opened) -> str:
    found = NAME.fullmatch(log.path.name)
    return found["date"] if found else ""


SIMPLE_EVALS = Reader("simple-evals", _recognises, _scores, reported=_reported, created=_created)

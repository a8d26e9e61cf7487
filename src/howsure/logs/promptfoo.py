"""Results of promptfoo: the output of `promptfoo eval --output results.json`, or `.jsonl`."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from howsure.errors import listed
from howsure.logs.opening import Opened
from howsure.logs.records import Reader, Reported, Score, entries, mapping, number, text

ERROR = 2  # reason of a failure that is not the model's: no score


def _recognises(log: Opened) -> bool:
    rows = _rows(log)
    return bool(rows) and "success" in rows[0] and bool({"vars", "testCase", "testIdx"} & rows[0].keys())


def _rows(log: Opened) -> list[dict[str, Any]]:
    """Return the results: nested in one or two objects of a document, or one per line."""
    if log.archive is not None:
        return []
    found = log.first.get("results")
    if isinstance(found, dict):
        found = found.get("results")
    return entries(list(log.records) if found is None else found)


def _scores(log: Opened) -> Iterator[Score]:
    rows = _rows(log)
    task = str(mapping(log.first.get("config")).get("description") or "promptfoo")
    names = _names(rows)
    unlike = _unlike(rows, names)
    runs: Counter[tuple[str, str]] = Counter()
    for row, name in zip(rows, names, strict=True):
        test = mapping(row.get("testCase"))
        model = _placed(name, row.get("promptIdx")) if name in unlike else name
        item = _item(row, test)
        runs[model, item] += 1
        fields = mapping(row.get("vars") or test.get("vars")) | mapping(test.get("metadata"))
        failed = row.get("failureReason") == ERROR
        scored = {"pass": row.get("success"), "score": row.get("score"), **mapping(row.get("namedScores"))}
        answer = text(mapping(row.get("response")).get("output"))
        for metric, value in scored.items():
            found = math.nan if failed else number(value)
            yield Score(task, model, item, runs[model, item], metric, found, fields, answer=answer)


def _names(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the provider of each result, with the prompt if there are several."""
    several = len({_prompt(row) for row in rows}) > 1
    return [" · ".join([_provider(row), *([_prompt(row)] if several else [])]) for row in rows]


def _unlike(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[str]:
    """Return the names that stand for several columns of the results: one provider with several configurations."""
    places: dict[str, set[str]] = {}
    for row, name in zip(rows, names, strict=True):
        places.setdefault(name, set()).add(str(row.get("promptIdx")))
    return [name for name, found in places.items() if len(found) > 1]


def _placed(name: str, place: object) -> str:
    return f"{name} · promptIdx {place}"


def _notes(log: Opened) -> Iterator[str]:
    rows = _rows(log)
    if unlike := _unlike(rows, _names(rows)):
        yield (
            f"'{log.path.name}' has several configurations of {listed(unlike)}, told apart by promptIdx: a `label` of "
            "each provider names them."
        )


def _reported(log: Opened) -> Iterator[Reported]:
    """Yield the proportion of passed tests of each prompt and provider."""
    found = mapping(log.first.get("results"))
    prompts = entries(found.get("prompts"))
    task = str(mapping(log.first.get("config")).get("description") or "promptfoo")
    several = len({_label(each) for each in prompts}) > 1
    rows = _rows(log)
    unlike = _unlike(rows, _names(rows))
    for place, each in enumerate(prompts):
        metrics = mapping(each.get("metrics"))
        passed, failed = metrics.get("testPassCount"), metrics.get("testFailCount")
        if isinstance(passed, int) and isinstance(failed, int) and passed + failed > 0:
            model = " · ".join([str(each.get("provider")), *([_label(each)] if several else [])])
            model = _placed(model, place) if model in unlike else model
            yield Reported(task, model, "pass", passed / (passed + failed), passed + failed, "higher", "mean")


def _label(prompt: dict[str, Any]) -> str:
    return str(prompt.get("label") or prompt.get("raw"))


def _provider(row: dict[str, Any]) -> str:
    found = row.get("provider")
    return str(found.get("label") or found.get("id")) if isinstance(found, dict) else str(found)


def _prompt(row: dict[str, Any]) -> str:
    found = row.get("prompt")
    return _label(found) if isinstance(found, dict) else str(found)


def _item(row: dict[str, Any], test: dict[str, Any]) -> str:
    """Return the test's description and variables as its identity, because positions change when tests are added."""
    given = mapping(row.get("vars") or test.get("vars"))
    said = [str(each) for each in (test.get("description") or row.get("description"),) if each]
    said += [json.dumps(given, sort_keys=True, ensure_ascii=False)] if given else []
    return " ".join(said) or f"test {row.get('testIdx')}"


def _created(log: Opened) -> str:
    stated = mapping(log.first.get("results")).get("timestamp")
    return str(stated or mapping(log.first.get("metadata")).get("evaluationCreatedAt") or "")


PROMPTFOO = Reader("promptfoo", _recognises, _scores, _notes, _reported, created=_created)

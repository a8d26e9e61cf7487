"""Test runs of DeepEval: the JSON file of the latest run, or of a folder of results."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from howsure.logs.opening import Opened, stem_of
from howsure.logs.records import Reader, Reported, Score, entries, mapping, number, text

FOLDER = ".deepeval"
NUMBERED = re.compile(r"(conversational_)?test_case_\d+")  # DeepEval's default names, by position


def _run(log: Opened) -> dict[str, Any]:
    return mapping(log.first.get("testRunData")) or log.first


def _either(found: dict[str, Any], *names: str) -> Any:
    """Return the first spelling of a field that exists."""
    return next((found[name] for name in names if found.get(name) is not None), None)


def _cases(log: Opened) -> list[dict[str, Any]]:
    run = _run(log)
    names = ("testCases", "conversationalTestCases", "test_results")
    return [case for name in names for case in entries(run.get(name))]


def _recognises(log: Opened) -> bool:
    return any(_either(case, "metricsData", "metrics_data") is not None for case in _cases(log))


def _task_and_model(log: Opened) -> tuple[str, str]:
    run = _run(log)
    settings = {str(name).lower(): value for name, value in mapping(run.get("hyperparameters")).items()}
    folder = log.path.resolve().parent  # the latest run is in `.deepeval` of the project
    name = folder.parent.name if folder.name == FOLDER else stem_of(log.path)
    model = str(settings.get("model") or run.get("identifier") or name)
    return str(_either(run, "testFile", "test_file") or "DeepEval"), model


def _reported(log: Opened) -> Iterator[Reported]:
    """Yield the proportion of passed tests, and the mean score of each metric."""
    task, model = _task_and_model(log)
    run = _run(log)
    passed, failed = (_either(run, *names) for names in (("testPassed", "test_passed"), ("testFailed", "test_failed")))
    if isinstance(passed, int) and isinstance(failed, int) and passed + failed > 0:
        yield Reported(task, model, "pass", passed / (passed + failed), passed + failed, "higher", "mean")
    directions = _directions(log)
    for each in entries(_either(run, "metricsScores", "metrics_scores")):
        scores = [score for score in map(number, each.get("scores") or []) if not math.isnan(score)]
        name = str(each.get("metric"))
        if scores:
            better = directions.pop(name, "")
            yield Reported(task, model, name, sum(scores) / len(scores), len(scores), better, "mean")
    for name, better in directions.items():
        yield Reported(task, model, name, better=better, aggregation="mean")


def _directions(log: Opened) -> dict[str, str]:
    """Return which scores of a metric are better: those on the side of its threshold where samples succeed."""
    sides: dict[str, set[str]] = {}
    for each in (each for case in _cases(log) for each in _metrics(case)):
        away = number(each.get("score")) - number(each.get("threshold"))
        success = each.get("success")
        if isinstance(success, bool) and abs(away) > 0:
            sides.setdefault(str(each.get("name")), set()).add("higher" if success == (away > 0) else "lower")
    return {name: next(iter(found)) for name, found in sides.items() if len(found) == 1}


def _metrics(case: dict[str, Any]) -> list[dict[str, Any]]:
    return entries(_either(case, "metricsData", "metrics_data"))


def _scores(log: Opened) -> Iterator[Score]:
    task, model = _task_and_model(log)
    runs: Counter[str] = Counter()
    for case in _cases(log):
        asked = _either(case, "input", "scenario")
        name = str(case.get("name") or "")
        item = name if name and not (asked and NUMBERED.fullmatch(name)) else str(asked)
        runs[item] += 1
        metrics = _metrics(case)
        fields = mapping(_either(case, "metadata", "additionalMetadata", "additional_metadata"))
        target = text(_either(case, "expectedOutput", "expected_output", "expectedOutcome"))
        rest = target, text(_either(case, "actualOutput", "actual_output"))
        content = str(asked)[:200] if asked else ""
        failed = any(each.get("error") for each in metrics)
        scored = {"pass": None if failed else case.get("success")}
        scored |= {str(each.get("name")): None if each.get("error") else each.get("score") for each in metrics}
        for metric, value in scored.items():
            yield Score(task, model, item, runs[item], metric, number(value), fields, "", content, *rest)


DEEPEVAL = Reader("DeepEval", _recognises, _scores, reported=_reported)

"""Logs of lm-evaluation-harness and lmms-eval: `samples_*.jsonl`, with `results_*.json` in the same folder."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from howsure.errors import listed
from howsure.logs.metrics import BITS, PLACEHOLDERS, is_exponential
from howsure.logs.opening import Opened
from howsure.logs.records import Reader, Reported, Score, entries, mapping, number, text

NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d\-.:]+)\.jsonl(\.gz)?")
LMMS = re.compile(r"(?P<date>\d{4,8}_\d{4,6}(_[^_]+)?)_samples_(?P<task>.+)\.jsonl(\.gz)?")  # names of lmms-eval
LMMS_RESULTS = re.compile(r"(?P<date>\d{4,8}_\d{4,6}(_[^_]+)?)_results\.json")
RESULTS = re.compile(r"results(_(?P<date>\d{4}-\d\d-\d\dT[\d\-.:]+))?\.json")
ARGUMENTS = re.compile(r"(?P<model>\w+=.*?[^_])_(?P<task>[^_].*)")  # early names: the model's arguments and the task
OTHERS = {  # other fields of early versions, which do not list their metrics
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash", "input", "submission"),
}
PER_UNIT = {"weighted_perplexity", "word_perplexity", "byte_perplexity", *BITS}  # of a log-likelihood and a length


def _knows(log: Opened) -> bool:
    return {"doc_id", "filtered_resps"} <= log.first.keys()


def _scores(log: Opened) -> Iterator[Score]:
    task, model = _task_and_model(log.path)
    aggregations = _aggregations(_results(log.path), task)
    for row in map(mapping, log.records):
        filtered = row.get("filter", "none")
        answer = row.get("filtered_resps") or [None]
        first = answer if isinstance(answer, str) else next(iter(answer))
        shared = task, model, str(row.get("doc_id")), 1
        for name in _metrics(row):
            found = _score(row.get(name), name, _aggregation(aggregations, name))
            if found is not None:
                metric = name if filtered == "none" else f"{name},{filtered}"
                content = str(row.get("doc_hash") or "")
                answers = text(row.get("target")), text(first)
                yield Score(*shared, metric, found[0], mapping(row.get("doc")), "", content, *answers, found[1])


def _score(value: Any, name: str, aggregation: str) -> tuple[float, float] | None:
    """Return a sample's score and weight; log losses for perplexities. None where the metric is of whole data sets."""
    if name in PLACEHOLDERS:
        return None
    per_unit = {aggregation} & PER_UNIT
    if per_unit and isinstance(value, list | tuple) and len(value) == 2:
        likelihood, length = map(number, value)
        unit = math.log(2) if aggregation in BITS else 1.0
        return (-likelihood / length / unit, length) if length > 0 else (math.nan, 1.0)
    if isinstance(value, list) and value and all(isinstance(each, bool) for each in value):
        return sum(value) / len(value), float(len(value))  # several instructions in one item, as IFEval has them
    if isinstance(value, dict) and not math.isnan(score := number(value.get("score"))):
        return score, 1.0  # metrics of lmms-eval hold more than a score
    if _is_of_a_whole(value):
        return None
    return (-number(value) if is_exponential(aggregation) else number(value)), 1.0


def _metrics(row: dict[str, Any]) -> list[str]:
    """Return the names of a row's metrics, which early versions do not list."""
    named = row.get("metrics")
    if isinstance(named, list):
        return [str(each) for each in named]
    return [name for name, value in row.items() if name not in OTHERS and not isinstance(value, str)]


def _is_of_a_whole(value: Any) -> bool:
    """Whether a metric stores components of each item, such as a likelihood and a length, instead of a score."""
    return isinstance(value, list | dict)


def _notes(log: Opened) -> Iterator[str]:
    task, _ = _task_and_model(log.path)
    aggregations = _aggregations(_results(log.path), task)
    names = _metrics(log.first)
    whole = [
        name
        for name in names
        if name not in PLACEHOLDERS and _score(log.first.get(name), name, _aggregation(aggregations, name)) is None
    ]
    if whole:
        yield f"'{log.path.name}' has no score of single items by {listed(whole)}, which is left out."
    if placed := sorted(PLACEHOLDERS.intersection(names)):
        yield f"'{log.path.name}' has no score by {listed(placed)}, a placeholder: it was run with --predict_only."


def _reported(log: Opened) -> Iterator[Reported]:
    task, model = _task_and_model(log.path)
    results = _results(log.path)
    yield from _numbers(results, task, model)
    aggregations = _aggregations(results, task)
    for name in _metrics(log.first):  # for metrics without a value of the harness
        if aggregation := _aggregation(aggregations, name):
            kept = log.first.get("filter", "none")
            metric = name if kept == "none" else f"{name},{kept}"
            yield Reported(task, model, metric, aggregation=aggregation)
    for group in mapping(results.get("group_subtasks")):
        if group != task:
            yield from _numbers(results, group, model)


def _numbers(results: dict[str, Any], task: str, model: str) -> Iterator[Reported]:
    """Yield the harness's numbers of a task, or of a group of tasks."""
    own = mapping(mapping(results.get("results")).get(task)) or mapping(mapping(results.get("groups")).get(task))
    higher = mapping(mapping(results.get("higher_is_better")).get(task))
    samples = mapping(mapping(results.get("n-samples")).get(task)).get("effective")
    aggregations = _aggregations(results, task)
    seen = set()
    for key, value in own.items():
        name, _, kept = key.partition(",")
        if kept and not name.endswith("_stderr") and isinstance(value, int | float):
            seen.add(name)
            metric = name if kept == "none" else f"{name},{kept}"
            count = samples if isinstance(samples, int) else None
            better = _better(higher.get(name))
            filtered = "" if kept == "none" else kept
            yield Reported(
                task, model, metric, float(value), count, better, _aggregation(aggregations, name), "", filtered
            )
    for name in higher.keys() - seen:
        yield Reported(
            task, model, str(name), better=_better(higher[name]), aggregation=_aggregation(aggregations, str(name))
        )


def _aggregation(stated: dict[str, str], name: str) -> str:
    """Return the aggregation of a metric from its configuration, else by its name."""
    return stated.get(name) or (name if name in PER_UNIT or is_exponential(name) else "")


def _better(is_higher_better: Any) -> str:
    return "higher" if is_higher_better is True else "lower" if is_higher_better is False else ""


def _aggregations(results: dict[str, Any], task: str) -> dict[str, str]:
    """Return the aggregation of each metric of a task that its configuration states."""
    listed_metrics = entries(mapping(mapping(results.get("configs")).get(task)).get("metric_list"))
    named = {str(each.get("metric")): each.get("aggregation") for each in listed_metrics}
    return {name: value for name, value in named.items() if isinstance(value, str)}


def _groups(log: Opened) -> dict[str, list[str]]:
    """Return the tasks of each group, groups of groups resolved."""
    direct = {
        str(name): [str(each) for each in inner]
        for name, inner in mapping(_results(log.path).get("group_subtasks")).items()
        if isinstance(inner, list) and inner
    }

    def leaves(name: str, above: tuple[str, ...]) -> list[str]:
        if name in above:
            return []
        return [leaf for each in direct[name] for leaf in leaves(each, (*above, name))] if name in direct else [name]

    return {name: list(dict.fromkeys(leaves(name, ()))) for name in direct}


def _results(path: Path) -> dict[str, Any]:
    """Return the results in the folder of a file of samples; empty if there are none."""
    if (found := NAME.fullmatch(path.name)) is not None:
        return _read(path.parent / f"results_{found['date']}.json")
    found = LMMS.fullmatch(path.name)
    return _read(path.parent / (f"{found['date']}_results.json" if found else "results.json"))


@lru_cache(maxsize=64)
def _stored(path: Path, _changed: float) -> dict[str, Any]:
    with suppress(OSError, ValueError, RecursionError):
        return mapping(json.loads(path.read_text(encoding="utf-8")))
    return {}


def _read(path: Path) -> dict[str, Any]:
    with suppress(OSError):
        return _stored(path, path.stat().st_mtime)
    return {}


def _task_and_model(path: Path) -> tuple[str, str]:
    """Return task and model from the names of file and folder, and the model from the results of the samples."""
    results = _results(path)
    folder = path.resolve().parent.name
    found = NAME.fullmatch(path.name) or LMMS.fullmatch(path.name)
    if found is not None:
        return found["task"], str(results.get("model_name") or folder)
    stem = re.sub(r"\.jsonl?(\.gz)?$", "", path.name)
    known = sorted(mapping(results.get("results")), key=len, reverse=True)
    task = next((str(each) for each in known if stem.endswith(f"_{each}")), None)
    if task is not None:
        return task, stem.removesuffix(f"_{task}").removeprefix("samples_") or folder
    if (early := ARGUMENTS.fullmatch(stem)) is not None:
        return early["task"], early["model"]
    return stem.removeprefix("samples_"), folder


def _created(log: Opened) -> str:
    found = NAME.fullmatch(log.path.name) or LMMS.fullmatch(log.path.name)
    return found["date"] if found else ""


def tasks_without_samples(log: Opened) -> list[str] | None:
    """Return the tasks of a file of results without a file of samples in its folder; None for other files."""
    lmms = LMMS_RESULTS.fullmatch(log.path.name)
    found = lmms or RESULTS.fullmatch(log.path.name)
    results = mapping(log.first.get("results"))
    is_own = isinstance(log.first.get("results"), dict) and all(isinstance(each, dict) for each in results.values())
    if found is None or not (is_own or found["date"]):  # other programs also write a results.json
        return None
    groups = mapping(log.first.get("group_subtasks"))
    start = f"{found['date']}_samples_" if lmms else ""
    ending = f"_{found['date']}.jsonl" if found["date"] and not lmms else ".jsonl"

    def has_samples(task: str) -> bool:
        name = f"{start or '*'}{glob_free(task)}{glob_free(ending)}*"
        return any(log.path.parent.glob(name))

    return [str(task) for task in results if not groups.get(task) and not has_samples(str(task))]


def glob_free(name: str) -> str:
    """Return a name with escaped wildcards."""
    return re.sub(r"([*?\[])", r"[\1]", name)


LM_EVAL = Reader("lm-evaluation-harness", _knows, _scores, _notes, _reported, _groups, _created)

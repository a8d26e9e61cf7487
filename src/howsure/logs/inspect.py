"""Logs of Inspect: `.eval`, an archive of JSON, and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from howsure.errors import HowsureError
from howsure.logs.opening import Archive, Opened
from howsure.logs.records import (
    Reader,
    Reported,
    Score,
    entries,
    mapping,
    named_numbers,
    number,
    start_of,
    stated,
    text,
)

HEADERS = ("header.json", "_journal/start.json")  # only the second if an evaluation did not finish
SETTINGS = ("task_version", "task_args", "model_args", "model_generate_config", "solver", "solver_args")


def _recognises(log: Opened) -> bool:
    if log.archive is not None:
        return any(name in log.archive for name in HEADERS)
    return {"task", "model"} <= mapping(log.first.get("eval")).keys()


def _header(log: Opened) -> dict[str, Any]:
    if log.archive is None:
        return log.first
    return mapping(log.archive.json([next(name for name in HEADERS if name in log.archive)])[0])


def _samples(archive: Archive) -> list[dict[str, Any]]:
    """Return the small summaries of the samples with their scores; for early logs the samples themselves."""
    if "summaries.json" in archive:
        return entries(archive.json(["summaries.json"])[0])
    parts = archive.named("_journal/summaries/")
    if parts:
        samples = (sample for part in archive.json(parts) for sample in entries(part))
        return list({(str(each.get("id")), _epoch(each)): each for each in samples}.values())  # the last try of each
    return entries(archive.json(archive.named("samples/")))


def _scores(log: Opened) -> Iterator[Score]:
    header = _header(log)
    about = mapping(header.get("eval"))
    results = entries(mapping(header.get("results")).get("scores"))
    clusters = {str(each.get("name")): _cluster(each) for each in results}
    samples = entries(log.first.get("samples")) if log.archive is None else _samples(log.archive)
    names = list(clusters) or list(dict.fromkeys(name for each in samples for name in mapping(each.get("scores"))))
    if not samples:
        raise HowsureError(f"'{log.path}' holds no samples. Run the evaluation with `log_samples`.")
    for sample in samples:
        scored = mapping(sample.get("scores"))
        shared = str(about.get("task")), str(about.get("model")), str(sample.get("id")), _epoch(sample)
        rest = start_of(sample.get("input")), text(sample.get("target"))
        for name in dict.fromkeys([*(each for each in names if each in scored), *scored] or names):
            score = mapping(scored.get(name))
            for metric, found in named_numbers(name, score.get("value")):
                fields = mapping(sample.get("metadata"))
                cluster = clusters.get(name, "") or clusters.get(metric.removeprefix(f"{name}/"), "")
                yield Score(*shared, metric, found, fields, cluster, *rest, text(score.get("answer")))


def _epoch(sample: dict[str, Any]) -> int:
    found = sample.get("epoch")
    return found if isinstance(found, int) and found > 0 else 1


def _cluster(result: dict[str, Any]) -> str:
    """Return the field of the clusters of a score's standard errors."""
    of_metrics = [mapping(mapping(each).get("params")) for each in mapping(result.get("metrics")).values()]
    return next((str(each["cluster"]) for each in of_metrics if each.get("cluster")), "")


def _reported(log: Opened) -> Iterator[Reported]:
    """Yield the numbers of the header: accuracy or mean of each score, over runs that were averaged."""
    header = _header(log)
    about, results = mapping(header.get("eval")), mapping(header.get("results"))
    total = results.get("total_samples")
    for each in entries(results.get("scores")):
        if each.get("reducer") not in {None, "", "mean", "mean_score"}:
            continue
        metrics = {str(name): mapping(found).get("value") for name, found in mapping(each.get("metrics")).items()}
        value = next((metrics[name] for name in ("accuracy", "mean") if metrics.get(name) is not None), None)
        name, scorer = str(each.get("name")), str(each.get("scorer") or "")
        for metric in dict.fromkeys([name, f"{scorer}/{name}"]):
            count = total if isinstance(total, int) else None
            task, model = str(about.get("task")), str(about.get("model"))
            yield Reported(task, model, metric, number(value), count, aggregation="mean", scorer=scorer)


def _created(log: Opened) -> str:
    return str(mapping(_header(log).get("eval")).get("created") or "")


def _settings(log: Opened) -> dict[str, str]:
    return stated(mapping(_header(log).get("eval")), SETTINGS)


def _ended(log: Opened) -> bool:
    return _header(log).get("status") == "success"


def _notes(log: Opened) -> Iterator[str]:
    if not _ended(log):
        status = _header(log).get("status", "started")
        yield f"The evaluation in '{log.path}' did not end ({status}): the items that it lacks may be the harder ones."


INSPECT = Reader("Inspect", _recognises, _scores, _notes, _reported, created=_created, settings=_settings, ended=_ended)

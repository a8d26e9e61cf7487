"""Runs of HELM: `per_instance_stats.json`, with `run_spec.json` and `stats.json` in the same folder."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from howsure.errors import listed
from howsure.logs.metrics import better_by_name
from howsure.logs.opening import Opened, beside
from howsure.logs.records import Reader, Reported, Score, entries, mapping, number

# Statistics of the run itself, not of its answers.
BOOKKEEPING = re.compile(
    r"^(num_|max_num_|finish_reason|training_|inference_|batch_size|prompt_|logprob$|predicted_index|truncated)"
)
TEST = "test"
MAIN = ("exact_match", "quasi_exact_match", "prefix_exact_match", "final_number_exact_match", "f1_score")


def _recognises(log: Opened) -> bool:
    return {"instance_id", "stats"} <= log.first.keys()


def _beside(log: Opened, name: str) -> Any:
    return beside(log.path.parent / name)


def _task_and_model(log: Opened) -> tuple[str, str]:
    spec = mapping(_beside(log, "run_spec.json"))
    name = str(spec.get("name") or log.path.resolve().parent.name)
    stated = re.search(r"(?<![a-z_])model=([^,]+)", name)
    model = mapping(spec.get("adapter_spec")).get("model") or (stated[1] if stated else "model")
    return re.sub(r"[,:]model=[^,]+", "", name) or name, str(model)


def _splits(log: Opened) -> list[str]:
    """Return the splits of the instances, first the split that HELM reports: the test split, else the largest."""
    found = Counter(
        split
        for row in map(mapping, log.records)
        for split in {str(mapping(each.get("name")).get("split")) for each in entries(row.get("stats"))}
    )
    return sorted(found, key=lambda each: (each != TEST, -found[each]))


def _statistics(given: object, split: str) -> Iterator[tuple[str, float]]:
    """Yield name and mean of each statistic of unperturbed answers of a split, main metrics first."""
    found = {}
    for each in entries(given):
        about = mapping(each.get("name"))
        name, count = str(about.get("name")), each.get("count")
        if str(about.get("split")) == split and not about.get("perturbation") and not BOOKKEEPING.match(name) and count:
            mean = each.get("mean")
            total = number(each.get("sum"))
            found[name] = number(mean) if mean is not None else total / number(count)
    yield from ((name, found[name]) for name in MAIN if name in found)
    yield from ((name, value) for name, value in found.items() if name not in MAIN)


def _scores(log: Opened) -> Iterator[Score]:
    task, model = _task_and_model(log)
    split = next(iter(_splits(log)), "")
    for row in map(mapping, log.records):
        if row.get("perturbation"):
            continue
        trial = row.get("train_trial_index")
        run = trial + 1 if isinstance(trial, int) and trial >= 0 else 1
        for metric, value in _statistics(row.get("stats"), split):
            yield Score(task, model, str(row.get("instance_id")), run, metric, value, {})


def _reported(log: Opened) -> Iterator[Reported]:
    task, model = _task_and_model(log)
    split = next(iter(_splits(log)), "")
    for metric, value in _statistics(_beside(log, "stats.json"), split):
        if not math.isnan(value):
            yield Reported(task, model, metric, value, better=better_by_name(metric))


def _notes(log: Opened) -> Iterator[str]:
    used, *others = _splits(log) or [""]
    if others:
        yield f"'{log.path}' has several splits. The split {used!r} is read, and left out is {listed(others)}."


HELM = Reader("HELM", _recognises, _scores, _notes, _reported)

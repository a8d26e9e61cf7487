"""Caveats of an evaluated task: items that do not match, numbers that differ from the harness's, easy tasks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from howsure.designs.clusters import FEW
from howsure.errors import listed
from howsure.logs.joined import Joined
from howsure.logs.log import Log

NEARLY = 0.95  # mean score at which a task hardly discriminates between models
ENOUGH = 30  # smallest number of items for which a mean near 0 or 1 is reported
CLOSE = 1e-4  # relative difference from the harness's number: it may be rounded
TINY = 1e-9  # an error of floating point
FEWEST_DECIMALS = 2  # decimals of a number that counts as rounded


def of_items(found: Joined) -> Iterator[str]:
    """Yield the caveats of a task's items."""
    task, lacking = found.task, {name: number for name, number in found.lacking.items() if number}
    if dropped := found.items - found.shared:
        lacks = ", ".join(f"{name} lacks {number:,}" for name, number in lacking.items())
        many = f"{dropped:,} of {found.items:,} items lack a score"
        every = f"and are left out for all models: {lacks}" if len(found.models) > 1 else f"of {found.models[0]}"
        yield f"{task}: {many} {every}."
    if found.unlike:
        many = f"{found.unlike:,} item{'' if found.unlike == 1 else 's'}"
        yield f"{task}: {many} asked different things of different models: look whether the items are the same."
    if found.cluster is not None and (number := len(set(found.cluster.tolist()))) < FEW:
        yield f"{task}: there are only {number} clusters: so few make the intervals themselves uncertain."
    if found.is_exponential:
        yield (
            f"{task}: {found.metric} is the exponential of the mean log loss; differences are of the mean log loss. "
            "Lower is better."
        )
    if found.bounds is None or found.shared < ENOUGH or found.better == "lower":
        return
    means = found.means
    if means.mean(1).min() > NEARLY:
        equal = f"{int((means == means[0]).all(0).sum()):,} of {found.shared:,} items"
        yield f"{task}: all models nearly always succeed, and have the same score on {equal}."
    if (best := float(means.mean(1).max())) < 1 - NEARLY:
        yield f"{task}: no model scores above {best:.3f}: the task is too hard to compare the models."


def of_group(log: Log, found: Joined) -> Iterator[str]:
    """Yield a caveat for a group's total by a metric that some of its tasks lack."""
    tasks = log.groups.get(found.task, ())
    if lacking := [each for each in tasks if found.metric not in log.metrics(each)]:
        yield f"{found.task}: the total by {found.metric!r} lacks {listed(lacking)}, without such a score."


def of_parts(task: str, parts: Sequence[Joined]) -> Iterator[str]:
    """Yield caveats for models of a task that are reported separately, with the reason."""
    main, *others = parts
    for each in others:
        names = ", ".join(each.models)
        verb = "is" if len(each.models) == 1 else "are"
        words = (
            f"{names} {verb} not compared with {', '.join(main.models)}: "
            f"{each.shared:,} and {main.shared:,} items have a score, of which too few are the same."
            if each.metric == main.metric
            else f"{names} {verb} not compared with {', '.join(main.models)}: "
            f"the scores are by {each.metric!r}, not by {main.metric!r}."
        )
        yield f"{task}: {words}"


def of_absent(task: str, absent: Sequence[str], metric: str | None) -> Iterator[str]:
    """Yield caveats for models of a task without a score, or without one of the requested metric."""
    if absent:
        verb, by = "has" if len(absent) == 1 else "have", "" if metric is None else f" by {metric!r}"
        yield f"{task}: {', '.join(absent)} {verb} no score{by}."


def of_unscored(task: str, unscored: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield a caveat for each model whose first metric has no value, so that another one counts."""
    for model, metric in unscored:
        yield f"{task}: {model} has no score by {metric!r}, which comes first; --metric (`metric`) chooses another one."


def of_lacking(lacking: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield a caveat for each model without samples of tasks that other models have."""
    for model in dict.fromkeys(model for _, model in lacking):
        yield f"{model} lacks {listed(task for task, of in lacking if of == model)}, which another model has."


def of_harness(log: Log, found: Joined) -> Iterator[str]:
    """Yield caveats where the harness's value or count differs from that of the samples in the log."""
    for model in found.models:
        said = log.said(found.task, model, found.metric)
        own, samples = own_number(log, found, model)
        count = f"{samples:,} of {said.samples:,} samples" if said.samples and said.samples != samples else ""
        differs = not math.isnan(said.value) and not _is_same(own, said.value)
        if differs:
            yield (
                f"{found.task}: the harness reports {found.metric} {said.value:.6g} for {model}, and the samples in "
                f"the log give {own:.6g}{f' ({count})' if count else ''}."
            )
        elif count:
            yield f"{found.task}: the log has {count} of {model}."


def _is_same(own: float, reported: float) -> bool:
    """Whether a number equals the reported one, which may be rounded to two or more decimals."""
    if math.isclose(own, reported, rel_tol=CLOSE, abs_tol=CLOSE):
        return True
    decimals = len(f"{reported:.9g}".partition(".")[2])
    return decimals >= FEWEST_DECIMALS and abs(own - reported) <= 0.5 * 10**-decimals + TINY


def own_number(log: Log, found: Joined, model: str) -> tuple[float, int]:
    """Return a model's metric over all its samples, aggregated like the harness, and their number."""
    own = (log["task"] == found.task) & (log["model"] == model) & (log["metric"] == found.metric)
    own &= np.isfinite(log["score"])
    if not own.any():
        return math.nan, 0
    _, item = np.unique(log["item"][own].astype(str), return_inverse=True)
    runs = np.bincount(item)
    weight = log["weight"][own] if "weight" in log else np.ones(len(item))
    each, weights = np.bincount(item, log["score"][own]) / runs, np.bincount(item, weight) / runs
    mean = float(np.average(each, weights=weights))
    return (math.exp(min(mean, 700.0)) if found.is_exponential else mean), len(item)


def of_tasks(absent: Sequence[str], metric: str | None) -> Iterator[str]:
    """Yield caveats for tasks without a score of the requested metric."""
    if absent:
        yield f"Left out, without scores{'' if metric is None else f' by {metric!r}'}: {listed(absent)}."

"""What a study says of its experiments: summaries, differences, aggregates."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.methods.summary import Summary, summarise
from howsure.pooling.pooled import Pooled
from howsure.progress import progress
from howsure.study.collection import Collection
from howsure.study.difference import Difference, Region, difference
from howsure.study.report import Report

Array = NDArray[Any]
RANDOM = "random"


def draws_of(held: Collection, metric: str, name: str, source: str, level: float) -> Array:
    """Return draws of a metric for an experiment, or for the aggregate of a group."""
    if name in held.experiments:
        return held.draws(metric, name, source)
    held.members(name)
    if source != "posterior":
        message = f"'{name}' is a group, and draws of the {source} are of one experiment."
        raise HowsureError(message)
    drawn = held.aggregate(metric, name, "draws", level).draws
    return np.full(held.n_draws, np.nan) if drawn is None else drawn


def summaries(held: Collection, metric: str | None, source: str, level: float) -> Report:
    """Return each experiment's observed value and what its draws say."""
    wanted = held.wanted(metric)
    several = len(wanted) > 1
    found: dict[tuple[str, str], Summary] = {}

    def fill(name: str) -> None:
        for spec in wanted:
            found[spec, name] = summarise(held.draws(spec, name, source), level)

    with progress("summarising", len(held.experiments)) as advance, ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(fill, held.experiments):
            advance()
    objects: dict[Any, Summary] = {}
    records = []
    for spec in wanted:
        for name in held.experiments:
            summary = objects[(spec, name) if several else name] = found[spec, name]
            record = {each: getattr(summary, each) for each in summary.__slots__ if each != "errors"}
            errors = {f"{each}_error": error for each, error in summary.errors.items()}
            observed = held.observed(spec, name)
            records.append({"metric": spec, "experiment": name, "observed": observed} | record | errors)
    shown = ("observed", "median", "mode", "low", "high", "uncertainty", "skewness", "kurtosis")
    first = ("metric", "experiment") if several else ("experiment",)
    caption = f"{held.n_draws:,} draws of the {source}"
    return Report(objects, tuple(records), (*first, *shown), level, caption if several else f"{wanted[0]}, {caption}")


def compared(held: Collection, metric: str, names: tuple[str, str], rope: Region | None, level: float) -> Difference:
    """Return the difference of two experiments or groups, or of one and a classifier that guesses."""
    first, second = names
    if second == RANDOM:
        guess = held.draws(metric, first, "random")
        sides, observed = (held.draws(metric, first, "posterior"), guess), float(np.nanmean(guess))
        values = (held.observed(metric, first), observed)
    else:
        sides = (draws_of(held, metric, first, "posterior", level), draws_of(held, metric, second, "posterior", level))
        values = (_value(held, metric, first, level), _value(held, metric, second, level))
    guesses = None
    if rope is not None and first in held.experiments and second in held.experiments:
        guesses = held.draws(metric, first, "random") - held.draws(metric, second, "random")
    settings: dict[str, Any] = {"rope": rope, "confidence_level": level, "guesses": guesses}
    return difference(metric, names, sides, values[0] - values[1], **settings)


def _value(held: Collection, metric: str, name: str, level: float) -> float:
    if name in held.experiments:
        return held.observed(metric, name)
    return held.aggregate(metric, name, "draws", level).value


def comparisons(
    held: Collection, metric: str, pairs: Sequence[tuple[str, str]], rope: Region | None, level: float
) -> Report:
    """Return the differences of pairs."""
    found = {pair: compared(held, metric, pair, rope, level) for pair in pairs}
    regions = () if rope is None else ("rope_below", "rope_inside", "rope_above")
    shown = ("first", "second", "observed", "median", "low", "high", "probability_greater", *regions)
    caption = metric if rope is None else f"{metric}, region of practical equivalence {rope}"
    return Report(found, tuple(each.record() for each in found.values()), shown, level, caption)


def aggregates(held: Collection, metric: str | None, basis: str, level: float) -> Report:
    """Return the aggregate of each group."""
    wanted = held.wanted(metric)
    several = len(wanted) > 1
    objects: dict[Any, Pooled] = {}
    records = []
    for spec in wanted:
        for group in held.groups:
            pooled = held.aggregate(spec, group, basis, level)
            objects[(spec, group) if several else group] = pooled
            records.append({"metric": spec, "group": group} | pooled.record())
    shown = ("value", "low", "high", "method", "experiments", "i2", "tau2")
    first = ("metric", "group") if several else ("group",)
    notes = dict.fromkeys(f"{each['group']}: {each['reason']}" for each in records if each["reason"])
    caption = "; ".join([*([] if several else wanted), *notes])
    return Report(objects, tuple(records), (*first, *shown), level, caption)

"""Results of a study: summaries, differences, aggregates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.comparison.result import Comparison
from howsure.comparison.rope import UNKNOWN, Region, odds_ratio, region_of, region_shares, share_within
from howsure.errors import HowsureError
from howsure.estimates.draws_mixin import drawn
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.methods.numerics.draw_summaries import Summary, summarise
from howsure.metrics.spec import parse
from howsure.pooling.pooled import Pooled
from howsure.running.progress import progress
from howsure.running.threads import in_threads
from howsure.study.collection import Collection
from howsure.study.records import Records

RANDOM = "random"


def draws_of(held: Collection, metric: str, name: str, source: str, level: float) -> Array:
    """Return draws of a metric for an experiment, or for the aggregate of a group."""
    if name in held.experiments:
        return held.draws(metric, name, source)
    held.members(name)
    if source != "posterior":
        raise HowsureError(f"'{name}' is a group, and draws of the {source} are of one experiment.")
    made = held.aggregate(metric, name, "draws", level).draws
    return np.full(held.n_draws, np.nan) if made is None else made


def summaries(held: Collection, metric: str | None, source: str, level: float) -> Records:
    """Return each experiment's observed value and the summary of its draws."""
    wanted = held.wanted(metric)
    several = len(wanted) > 1
    found: dict[tuple[str, str], Summary] = {}

    def fill(name: str) -> None:
        for spec in wanted:
            found[spec, name] = summarise(held.draws(spec, name, source), level)

    with progress("summarising", len(held.experiments)) as advance:
        for _ in in_threads(fill, list(held.experiments)):
            advance()
    objects: dict[Any, Summary] = {}
    quantities = {key: held.quantity(*key) for key in found}
    records = []
    for spec in wanted:
        for name in held.experiments:
            summary = objects[(spec, name) if several else name] = found[spec, name]
            record = {each: getattr(summary, each) for each in summary.__slots__ if each != "errors"}
            errors = {f"{each}_error": error for each, error in summary.errors.items()}
            observed = held.observed(spec, name)
            names = {"metric": spec, "experiment": name, "positive": quantities[spec, name].positive}
            records.append(names | {"observed": observed} | record | errors)
    shown = ("observed", "median", "mode", "low", "high", "uncertainty", "skewness", "kurtosis")
    first = ("metric", "experiment") if several else ("experiment",)
    notes = positive_notes(quantities.values())
    words = [*([] if several else wanted), f"{held.n_draws:,} draws of the {source}", *notes]
    return Records(
        objects=objects,
        rows=tuple(records),
        shown=(*first, *shown),
        confidence_level=level,
        caption=", ".join(words),
    )


def medians(summaries: Records, metric: str) -> dict[str, Estimate]:
    """Return the median of each experiment's draws of one metric, with its interval.

    Parameters
    ----------
    summaries : Records
        Result of `summaries` for one metric.
    metric : str
        Its spec string.
    """
    positive = {row["experiment"]: row["positive"] for row in summaries.rows}
    return {
        name: Estimate(
            each.median,
            low=each.low,
            high=each.high,
            metric=metric,
            confidence_level=summaries.confidence_level,
            method="bayes",
            positive=positive[name],
            is_positive_stated=False,
        )
        for name, each in summaries.objects.items()
    }


def compared(held: Collection, metric: str, names: tuple[str, str], rope: Region | None, level: float) -> Comparison:
    """Return the difference of two experiments or groups, or of one and a guessing classifier."""
    return _summarised(held, metric, names, rope, level, partial(_side, held, metric, level=level))[0]


def _summarised(
    held: Collection,
    metric: str,
    names: tuple[str, str],
    rope: Region | None,
    level: float,
    side: Callable[[str], Estimate],
) -> tuple[Comparison, Summary]:
    """Return a difference, and the summary of its draws; ``side`` returns the estimate of an experiment or group."""
    region = region_of(rope, 0.0)
    first = side(names[0])
    second = _guess(held, metric, names[0], level) if names[1] == RANDOM else side(names[1])
    difference = drawn(first.draws, first.method) - drawn(second.draws, second.method)
    summary = summarise(difference, level)
    regions = None
    if region is not None:
        factor = UNKNOWN
        if all(name in held.experiments for name in names):
            guesses = held.draws(metric, names[0], "random") - held.draws(metric, names[1], "random")
            factor = odds_ratio(share_within(difference, region), share_within(guesses, region))
        regions = region_shares(region, difference, factor)
    found = Comparison(
        metric=metric,
        contrast="difference",
        a=first,
        b=second,
        names=names,
        value=first.value - second.value,
        low=summary.low,
        high=summary.high,
        p_value=math.nan,
        standard_error=summary.standard_deviation,
        confidence_level=level,
        method="bayes",
        better=parse(metric).definition.better,
        draws=difference,
        rope=regions,
        reason="; ".join(
            f"{name}: {each.reason}" for name, each in zip(names, (first, second), strict=True) if each.reason
        ),
    )
    return found, summary


def _side(held: Collection, metric: str, name: str, level: float) -> Estimate:
    """Return an experiment's observed value, or a group's aggregate, with the draws."""
    if name in held.experiments:
        return _estimate(held, metric, name, held.observed(metric, name), held.draws(metric, name, "posterior"), level)
    held.members(name)
    found, quantity = held.aggregate(metric, name, "draws", level), held.quantity(metric, name)
    draws = np.full(held.n_draws, np.nan) if found.draws is None else found.draws
    return Estimate(
        found.value,
        low=found.low,
        high=found.high,
        metric=metric,
        confidence_level=level,
        method=found.method,
        standard_error=found.standard_error,
        draws=draws,
        positive=quantity.positive,
        is_positive_stated=quantity.is_positive_stated,
        reason=found.reason,
    )


def _guess(held: Collection, metric: str, name: str, level: float) -> Estimate:
    draws = held.draws(metric, name, "random")
    return _estimate(held, metric, name, float(np.nanmean(draws)), draws, level)


def _estimate(held: Collection, metric: str, name: str, value: float, draws: Array, level: float) -> Estimate:
    found, quantity = summarise(draws, level), held.quantity(metric, name)
    return Estimate(
        value,
        low=found.low,
        high=found.high,
        metric=metric,
        confidence_level=level,
        method="bayes",
        standard_error=found.standard_deviation,
        draws=draws,
        positive=quantity.positive,
        is_positive_stated=quantity.is_positive_stated,
    )


def comparisons(
    held: Collection, metric: str, pairs: Sequence[tuple[str, str]], rope: Region | None, level: float
) -> Records:
    """Return the differences of pairs."""
    side = cache(partial(_side, held, metric, level=level))  # of each experiment, for all of its pairs
    found = {pair: _summarised(held, metric, pair, rope, level, side) for pair in pairs}
    objects = {pair: each for pair, (each, _) in found.items()}
    regions = () if rope is None else ("rope_below", "rope_inside", "rope_above")
    shown = ("first", "second", "value", "median", "low", "high", "probability_greater", *regions)
    words = [metric, *([] if rope is None else [f"region of practical equivalence {rope}"])]
    caption = ", ".join([*words, *positive_notes(each.a for each in objects.values())])
    rows = tuple(_record(*each) for each in found.values())
    return Records(objects=objects, rows=rows, shown=shown, confidence_level=level, caption=caption)


def _record(found: Comparison, summary: Summary) -> dict[str, Any]:
    """Return a comparison as one flat record, with the summary of its draws."""
    return found.to_dict() | {
        "median": summary.median,
        "mean": summary.mean,
        "mode": summary.mode,
        "uncertainty": summary.uncertainty,
        "probability_greater_error": found.probability_greater.error,
        "probability_of_direction": found.probability_of_direction.value,
    }


def aggregates(held: Collection, metric: str | None, basis: str, level: float) -> Records:
    """Return the aggregate of each group."""
    wanted = held.wanted(metric)
    several = len(wanted) > 1
    objects: dict[Any, Pooled] = {}
    records = []
    for spec in wanted:
        for group in held.groups:
            pooled = held.aggregate(spec, group, basis, level)
            objects[(spec, group) if several else group] = pooled
            records.append({"metric": spec, "group": group} | pooled.records()[0])
    shown = ("value", "low", "high", "method", "experiments", "i2", "tau2")
    first = ("metric", "group") if several else ("group",)
    notes = dict.fromkeys(f"{each['group']}: {each['reason']}" for each in records if each["reason"])
    caption = "; ".join([*([] if several else wanted), *positive_notes(objects.values()), *notes])
    return Records(
        objects=objects, rows=tuple(records), shown=(*first, *shown), confidence_level=level, caption=caption
    )

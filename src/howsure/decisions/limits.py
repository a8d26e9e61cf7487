"""Intervals of net benefits, and of differences of two strategies, along thresholds, by the default methods."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from howsure.arrays import Floats, Seed
from howsure.curves.bands import binned
from howsure.decisions.sample import Sample
from howsure.estimates.batched_intervals import method_and_table
from howsure.methods.composed.mover import correlation_of, difference_at_levels
from howsure.methods.core.interval import Interval, IntervalAtLevel, stacked
from howsure.methods.core.standard_errors import is_positive_error
from howsure.methods.flow.flow import Flow
from howsure.methods.flow.mean_utilities import are_means, means_at_levels
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Metric, Side
from howsure.tables.paired_scores import PairedScoresTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Limits = Callable[[float], tuple[Floats, Floats]]  # level → lower and upper limits, each (T,)
NONE, ALL = "treat none", "treat all"


def limits_of(table: ScoresTable | PairedScoresTable, sample: Sample, pair: tuple[str, str], seed: Seed) -> Limits:
    """Return the limits of the net benefit of one strategy minus that of another, as a function of the level.

    A net benefit is the difference to treating none. The difference of a model to treating all is w times the net
    interventions avoided, with the odds w of the threshold. That of treating all to treating none is linear in the
    prevalence. That of two models follows from the limits of both and their correlation (MOVER), which at the strict
    levels of simultaneous bands cover more often than the default method of such a difference.

    Parameters
    ----------
    table : ScoresTable or PairedScoresTable
        The risks.
    sample : Sample
        Their cases by threshold.
    pair : tuple of str
        The two strategies, which differ.
    seed : SeedSequence
        Seed of methods that draw, the same at each threshold.
    """
    first, second = pair
    if NONE in pair and ALL in pair:
        found = _of_treating_all(table, sample, seed)
        return found if first == ALL else _turned(found)
    if first in (NONE, ALL):
        return _turned(limits_of(table, sample, (second, first), seed))
    if second in (NONE, ALL):
        at_level = _of_model(table, sample, first, seed, is_against_all=second == ALL)
    else:
        at_level = _of_difference(table, sample, pair, seed)
    factor = sample.weights if second == ALL else np.ones(len(sample.thresholds))

    def limits(level: float) -> tuple[Floats, Floats]:
        found = at_level(level)
        return factor * found.low, factor * found.high

    return limits


def _turned(limits: Limits) -> Limits:
    def turned(level: float) -> tuple[Floats, Floats]:
        low, high = limits(level)
        return -high, -low

    return turned


def _of_treating_all(table: Any, sample: Sample, seed: Seed) -> Limits:
    weights, prevalence = sample.weights, sample.prevalence
    everyone = table.at(-math.inf)
    if hasattr(everyone, "models"):
        everyone = everyone.model(everyone.models[0])
    method, same, small = method_and_table(resolve("prevalence", everyone), everyone, None)
    at = method.at_levels(same, small, seed)

    def limits(level: float) -> tuple[Floats, Floats]:
        found = at(level).to_scalars()
        low, high = (found.low, found.high) if math.isnan(prevalence) else (prevalence, prevalence)
        return low - weights * (1 - low), high - weights * (1 - high)

    return limits


def _spec(name: str, threshold: float, prevalence: float) -> str:
    return f"{name}+threshold={threshold!r}" + ("" if math.isnan(prevalence) else f"+prevalence={prevalence!r}")


def _of_model(table: Any, sample: Sample, model: str, seed: Seed, *, is_against_all: bool = False) -> IntervalAtLevel:
    """Return the intervals of a model's net benefit, or of the interventions that it avoids, at all thresholds."""
    own = table.model(model) if hasattr(table, "models") else table
    starts = np.unique([0, *np.searchsorted(own.scores, sample.thresholds)])
    merged = binned(own, starts[starts < len(own.scores)])  # cases between two thresholds are treated alike
    name = "interventions_avoided" if is_against_all else "net_benefit"
    tables, metrics = [], []
    for threshold in sample.thresholds.tolist():
        tables.append(merged.at(threshold))
        metrics.append(resolve(_spec(name, threshold, sample.prevalence), tables[-1]))
    return _together(metrics, tables, seed)


def _together(metrics: Sequence[Metric], tables: Sequence[Table], seed: Seed) -> IntervalAtLevel:
    """Return the default intervals of metrics, each of its own table, as a function of the level."""
    chosen = [method_and_table(*each, None) for each in zip(metrics, tables, strict=True)]
    methods, same, small = zip(*chosen, strict=True)
    are_alike = len({each.cells.shape for each in small}) == 1
    if are_alike and all(isinstance(each, Flow) for each in methods) and are_means(same, small):
        return means_at_levels(same, small)
    at = [method.at_levels(metric, own, seed) for method, metric, own in chosen]
    return lambda level: stacked([each(level).to_scalars() for each in at])


def _of_difference(table: Any, sample: Sample, pair: tuple[str, str], seed: Seed) -> IntervalAtLevel:
    """Return the intervals of the difference of two models: those of MOVER, or of the default for equal treatments."""
    places = [2 + table.models.index(each) for each in pair]
    first, second, error = (sample.errors(*each) for each in ((places[0], 0), (places[1], 0), places))
    single = [_of_model(table, sample, each, seed) for each in pair]
    share = 1.0 if math.isnan(sample.prevalence) else 1 - sample.prevalence
    most = share * sample.weights + (1.0 if math.isnan(sample.prevalence) else sample.prevalence)
    mover = difference_at_levels(
        [sample.values[each] for each in places],
        single,
        error,
        correlation_of(first, second, error),
        (-most, most),
        pair,
    )
    equal = np.flatnonzero(~is_positive_error(error, 0.0))  # both models treat the same cases
    if not equal.size:
        return mover
    tables, metrics = [], []
    for threshold in sample.thresholds[equal].tolist():
        both = table.at(threshold).pair(*pair)
        spec = _spec("net_benefit", threshold, sample.prevalence)
        sides = [Side(each, resolve(spec, both.model(each)), both.view(each)) for each in pair]
        tables.append(both)
        metrics.append(contrast_metric(EFFECTS["difference"], *sides))
    default = _together(metrics, tables, seed)

    def interval(level: float) -> Interval:
        found, plain = mover(level), default(level)
        low, high = found.low.copy(), found.high.copy()
        low[equal], high[equal] = plain.low, plain.high
        return Interval(low, high, error)

    return interval

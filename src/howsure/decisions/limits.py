"""Intervals of net benefits, and of differences of two strategies, at each threshold, by the default methods."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.arrays import Floats, Seed
from howsure.estimates.batched_intervals import method_and_table
from howsure.methods.composed.mover import Mover
from howsure.methods.core.interval import IntervalAtLevel
from howsure.methods.core.method import Method
from howsure.methods.core.standard_errors import is_positive_error, standard_error
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.decisions import odds
from howsure.metrics.metric import Metric, Side
from howsure.tables.paired_scores import PairedScoresTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Limits = Callable[[float], tuple[Floats, Floats]]  # level → lower and upper limits, each (T,)
NONE, ALL = "treat none", "treat all"


def limits_of(
    table: ScoresTable | PairedScoresTable, thresholds: Floats, prevalence: float, pair: tuple[str, str], seed: Seed
) -> Limits:
    """Return the limits of the net benefit of one strategy minus that of another, as a function of the level.

    A net benefit is the difference to treating none. The difference of a model to treating all is w times the net
    interventions avoided, with the odds w of the threshold. That of treating all to treating none is linear in the
    prevalence. That of two models follows from the limits of both and their correlation (MOVER), which at the strict
    levels of simultaneous bands cover more often than the default method of such a difference.

    Parameters
    ----------
    table : ScoresTable or PairedScoresTable
        The risks.
    thresholds : ndarray of shape (T,)
        The thresholds.
    prevalence : float
        Stated prevalence; nan for that of the sample.
    pair : tuple of str
        The two strategies, which differ.
    seed : SeedSequence
        Seed of methods that draw, the same at each threshold.
    """
    first, second = pair
    if NONE in pair and ALL in pair:
        found = _of_treating_all(table, thresholds, prevalence, seed)
        return found if first == ALL else _turned(found)
    if first in (NONE, ALL):
        return _turned(limits_of(table, thresholds, prevalence, (second, first), seed))
    at = [_at(table, each, prevalence, first, second, seed) for each in thresholds.tolist()]
    factor = np.array([odds(each) if second == ALL else 1.0 for each in thresholds.tolist()])

    def limits(level: float) -> tuple[Floats, Floats]:
        each = [one(level).of_one() for one in at]
        return factor * [one.low for one in each], factor * [one.high for one in each]

    return limits


def _turned(limits: Limits) -> Limits:
    def turned(level: float) -> tuple[Floats, Floats]:
        low, high = limits(level)
        return -high, -low

    return turned


def _of_treating_all(table: Any, thresholds: Floats, prevalence: float, seed: Seed) -> Limits:
    weights = np.array([odds(each) for each in thresholds.tolist()])
    everyone = table.at(-math.inf)
    if hasattr(everyone, "models"):
        everyone = everyone.model(everyone.models[0])
    at = _at_levels(resolve("prevalence", everyone), everyone, seed)

    def limits(level: float) -> tuple[Floats, Floats]:
        found = at(level).of_one()
        low, high = (found.low, found.high) if math.isnan(prevalence) else (prevalence, prevalence)
        return low - weights * (1 - low), high - weights * (1 - high)

    return limits


def _at(table: Any, threshold: float, prevalence: float, model: str, other: str, seed: Seed) -> IntervalAtLevel:
    """Return the interval at a threshold as a function of the level."""
    name = "interventions_avoided" if other == ALL else "net_benefit"
    stated = "" if math.isnan(prevalence) else f"+prevalence={prevalence!r}"
    spec, made = f"{name}+threshold={threshold!r}{stated}", table.at(threshold)
    if not hasattr(made, "models"):
        return _at_levels(resolve(spec, made), made, seed)
    if other in (NONE, ALL):
        own = made.model(model)
        return _at_levels(resolve(spec, own), own, seed)
    both = made.pair(model, other)
    sides = [Side(each, resolve(spec, both.model(each)), both.view(each)) for each in (model, other)]
    metric = contrast_metric(EFFECTS["difference"], sides[0], sides[1])
    differ = is_positive_error(standard_error(metric, both), 0.0)  # in the cases that they treat
    return _at_levels(metric, both, seed, Mover() if differ else None)


def _at_levels(metric: Metric, table: Table, seed: Seed, method: Method | None = None) -> IntervalAtLevel:
    method, same, small = method_and_table(metric, table, method)
    return method.at_levels(same, small, seed)

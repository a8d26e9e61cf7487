"""Two models compared: on the same cases, on different ones, or one of them with chance."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.comparison.limits import ContrastLimits
from howsure.comparison.result import Comparison
from howsure.comparison.rope import UNKNOWN, Region, Rope, odds_ratio, region_of, region_shares, share_within
from howsure.errors import HowsureError, checked_level
from howsure.estimates.estimate import estimate_of
from howsure.estimates.estimation import estimate
from howsure.methods import DeLong, Delta, Dirichlet, DrawingMethod, Method, automatic, named
from howsure.methods.draws import seed_sequence
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, Effect, Side, contrast_metric, pair_of_models
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.confusion import ConfusionTable
from howsure.tables.multilabel import MultilabelTable
from howsure.tables.paired import SeparateTables
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Array = NDArray[Any]
MOST_LISTED = 5  # classes in a message


def compare(
    table: Table,
    *others: Table | str | Spec | Metric,
    a: str | None = None,
    b: str | None = None,
    method: str | Method | None = None,
    contrast: str = "difference",
    confidence_level: float = 0.95,
    rope: Region | None = None,
    random_state: Any = None,
) -> Comparison:
    """Compare a metric of two models.

    Parameters
    ----------
    table, *others
        ``compare(paired_table, metric)`` for models on the same cases; ``compare(table_a, table_b, metric)`` for
        different test sets; ``compare(table, "random", metric)`` for a model against one that predicts at random,
        all shares of the classes being as likely, at the same prevalence (by posterior draws). The metric is a spec
        string such as ``"f1@macro"``.
    a, b
        Names of the two models: of a paired table those to compare, by default its first two; of two tables what to
        call them.
    method
        A method or its name. By default Tango's score interval for a difference of shares of the same cases,
        DeLong's for areas under the curve, MOVER for different test sets, else the delta method.
    contrast
        ``"difference"``, ``"ratio"`` or ``"odds_ratio"``, of the first by the second.
    confidence_level
        Coverage of the interval.
    rope
        Region of practical equivalence: its limits, or the largest difference either way. For methods that draw.
    random_state
        Seed of the methods that draw.

    Returns
    -------
    Comparison

    Raises
    ------
    HowsureError
        If a name, the metric, the method or the level is not valid, or they do not fit each other.

    Examples
    --------
    >>> import howsure as hs
    >>> first, second = hs.from_counts([[50, 3], [5, 42]]), hs.from_counts([[40, 13], [9, 38]])
    >>> print(hs.compare(first, second, "accuracy", a="new", b="old"))
    accuracy: new − old = 0.140 [0.041, 0.239], p = 0.006
    """
    if contrast not in EFFECTS:
        raise HowsureError.unknown("contrast", contrast, EFFECTS)
    level, chosen = checked_level(confidence_level), named(method)
    if len(others) == 2 and isinstance(others[0], str) and others[0] == "random":  # noqa: PLR2004 - "random" and metric
        return _against_random(table, others[1], chosen, EFFECTS[contrast], level, random_state, a=a, b=b, rope=rope)
    joint, sides = _sides(table, others, a, b)
    metric = contrast_metric(EFFECTS[contrast], *sides)
    return compared(joint, metric, chosen, level, random_state, rope)


def _sides(table: Table, others: tuple[Any, ...], a: str | None, b: str | None) -> tuple[Table, tuple[Side, Side]]:
    """Return the joint table and the two models' sides of it."""
    if len(others) == 2 and isinstance(others[0], Table):  # noqa: PLR2004 - table and metric
        return _separate_sides(table, others[0], others[1], a, b)
    if len(others) != 1 or not isinstance(table, Table) or isinstance(others[0], Table):
        message = "Call `compare(paired_table, metric)` or `compare(table_a, table_b, metric)`."
        raise HowsureError(message)
    first, second = pair_of_models(table.models, a, b)
    joint = table.pair(first, second)
    sides = [Side(name, resolve(others[0], joint.model(name)), joint.view(name)) for name in (first, second)]
    return joint, (sides[0], sides[1])


def _separate_sides(
    first: Table, second: Table, metric: str | Spec | Metric, a: str | None, b: str | None
) -> tuple[Table, tuple[Side, Side]]:
    if type(first) is not type(second) or not isinstance(first, ConfusionTable | MultilabelTable | ScoresTable):
        message = f"These are a {first.noun} and a {second.noun}. Give two of one kind, of one model each."
        raise HowsureError(message)
    if not isinstance(first, ScoresTable) and first.labels.tolist() != second.labels.tolist():
        message = (
            f"The tables are of different classes: {_listed(first)} and {_listed(second)}. Count both with the same "
            "`labels=`, in one order."
        )
        raise HowsureError(message)
    joint = SeparateTables.of((first, second))
    names = (a or "first", b or "second")
    sides = [
        Side(name, resolve(metric, table), part)
        for name, table, part in zip(names, (first, second), joint.views, strict=True)
    ]
    return joint, (sides[0], sides[1])


def _listed(table: Table) -> str:
    shown = [repr(label) for label in table.labels.tolist()]
    return ", ".join(shown if len(shown) <= MOST_LISTED else [*shown[:MOST_LISTED], "…"])


def compared(
    joint: Table, metric: Metric, method: Method | None, level: float, random_state: Any = None, rope: Any = None
) -> Comparison:
    """Return the comparison that a contrast is on a joint table."""
    contrast = metric.contrast
    assert contrast is not None  # noqa: S101 - made by `contrast_metric`
    region = region_of(rope, contrast.effect.null)
    seed = seed_sequence(random_state)
    value = float(metric(joint.counted))
    chosen = automatic(metric, joint) if method is None else method
    pair = (contrast.first, contrast.second)
    if isinstance(chosen, DrawingMethod):
        wanted = [metric, *(side.as_metric() for side in pair)]
        interval, *singles = chosen.intervals(wanted, joint, level, seed)
        counts = joint.counted
        a, b = (
            estimate_of(side.metric.name, float(side.value(counts)), each, level, chosen)
            for side, each in zip(pair, singles, strict=True)
        )
    else:
        interval = chosen.interval(metric, joint, level)
        single = chosen if isinstance(chosen, Delta | DeLong) else None
        a, b = (estimate(side.view.table(joint), side.metric, method=single, confidence_level=level) for side in pair)
    limits = ContrastLimits(method=chosen, metric=metric, table=joint, draws=interval.draws, seed=seed)
    reason = interval.reason
    if math.isnan(value):
        undefined = [
            (side.name, each) for side, each in zip(pair, (a, b), strict=True) if not math.isfinite(each.value)
        ]
        reason = "; ".join(f"{name}: {each.reason or 'the metric is undefined'}" for name, each in undefined)
        reason = reason or "undefined: the second model's value is at the end of its range"
    return Comparison(
        metric=contrast.first.metric.name,
        contrast=contrast.effect.name,
        a=a,
        b=b,
        names=(contrast.first.name, contrast.second.name),
        value=value,
        low=float(interval.low),
        high=float(interval.high),
        p_value=limits.p_value(value, contrast.effect.null),
        standard_error=float(interval.standard_error),
        confidence_level=level,
        method=chosen.name,
        better=metric.better,
        draws=interval.draws,
        rope=None if region is None else _rope(region, interval.draws, chosen, metric, joint, seed),
        reason=reason,
        limits=limits,
    )


def _against_random(
    table: Table,
    metric: Any,
    method: Method | None,
    effect: Effect,
    level: float,
    random_state: Any,
    *,
    a: str | None,
    b: str | None,
    rope: Any,
) -> Comparison:
    """Compare a model with one that predicts at random, from independent posterior draws of either."""
    chosen = Dirichlet() if method is None else method
    if not isinstance(chosen, Dirichlet) or not isinstance(table, ConfusionTable):
        message = "The comparison with a random classifier is for one confusion table, with method='bayes'."
        raise HowsureError(message)
    bound, seed = resolve(metric, table), seed_sequence(random_state)
    streams = [np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 2**21 + i)) for i in (0, 1)]
    first = replace(chosen, source="posterior").draws([bound], table, streams[0])[0]
    second = replace(chosen, source="random").draws([bound], table, streams[1])[0]
    effect.check(bound)
    with np.errstate(all="ignore"):
        draws = np.asarray(effect.value(first, second))
    own, chance = (
        estimate_of(bound.name, value, chosen.interval_of(drawn, bound, table, level), level, chosen)
        for value, drawn in ((float(bound(table.counts)), first), (float(np.nanmean(second)), second))
    )
    found = chosen.interval_of(draws, bound, table, level)
    region = region_of(rope, effect.null)
    return Comparison(
        metric=bound.name,
        contrast=effect.name,
        a=own,
        b=chance,
        names=(a or "model", b or "random"),
        value=float(effect.value(np.asarray(own.value), np.asarray(chance.value))),
        low=float(found.low),
        high=float(found.high),
        p_value=math.nan,
        standard_error=found.standard_error,
        confidence_level=level,
        method=chosen.name,
        better=bound.better,
        draws=draws,
        rope=None if region is None else region_shares(region, draws),
        reason=found.reason,
    )


def _rope(
    region: tuple[float, float], draws: Array | None, method: Method, metric: Metric, joint: Table, seed: Any
) -> Rope:
    if draws is None:
        message = f"`rope` needs draws, and `{method.name}` makes none. Use method='bayes'."
        raise HowsureError(message)
    factor = UNKNOWN
    if isinstance(method, Dirichlet):
        prior = replace(method, source="prior").draws([metric], joint, seed)[0]
        factor = odds_ratio(share_within(draws, region), share_within(prior, region))
    return region_shares(region, draws, factor)

"""From a table and a metric to a number with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from howsure.errors import HowsureError, checked_level
from howsure.estimates.estimate import Estimate, estimate_of
from howsure.estimates.evaluation import Evaluation
from howsure.methods import DrawingMethod, Method, automatic, named, refuse_unfit
from howsure.methods.draws import seed_sequence
from howsure.methods.interval import CONSTANT, Interval
from howsure.metrics.binding import labels_to_expand, resolve, undefined_classes
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec, parse
from howsure.tables.confusion import OF_TWO_CLASSES
from howsure.tables.counts import Counts
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Array = NDArray[Any]


def estimate(
    table: Table,
    metric: str | Spec | Metric,
    *,
    method: str | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
    classes: Sequence[int] | None = None,
    threshold: float | None = None,
) -> Estimate:
    """Estimate one metric with its interval.

    Parameters
    ----------
    table
        From `confusion`, `from_counts` or another source.
    metric
        A spec string such as ``"mcc"``, ``"f1@macro"`` or ``"fbeta+beta=2@weighted"``, or a metric.
    method
        A method or its name; by default the one that suits the metric.
    confidence_level
        Coverage of the interval, between 0 and 1.
    random_state
        Seed of the methods that draw.
    classes
        Positions of the classes to average over; all by default.
    threshold
        For a metric of counts on a table of scores: a case is predicted positive when its score is at least that.

    Returns
    -------
    Estimate

    Raises
    ------
    HowsureError
        If the metric, the method or the level is not valid, or they do not fit each other.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> print(hs.estimate(table, "f1", confidence_level=0.9))
    0.913 [0.849, 0.951]
    >>> scores = hs.scores([0, 0, 1, 1, 1], [0.2, 0.6, 0.4, 0.7, 0.9])
    >>> round(hs.estimate(scores, "recall", threshold=0.5).value, 3)
    0.667
    """
    bound = resolve(metric, table, classes=classes, threshold=threshold)
    _check_threshold(threshold, table, [bound])
    return _estimates(table, [bound], named(method), checked_level(confidence_level), random_state)[0]


def _check_threshold(threshold: float | None, table: Table, metrics: Sequence[Metric]) -> None:
    if threshold is None:
        return
    if isinstance(table, ScoresTable):
        if any(metric.definition for metric in metrics):
            return
        names = ", ".join(f"`{metric.name}`" for metric in metrics)
        message = f"`threshold` is for metrics of counts, and {names} look at all scores. Drop it, or name such."
    else:
        message = "`threshold` is for tables of scores, and this one holds predictions: drop it."
    raise HowsureError(message)


def _estimates(
    table: Table, metrics: Sequence[Metric], method: Method | None, level: float, random_state: Any
) -> tuple[Estimate, ...]:
    names = [metric.name for metric in metrics]
    method = named(table.design.method or None) if method is None else method
    refuse_unfit(method, table)
    if len(metrics) == 1 or (isinstance(table, ScoresTable) and all(metric.smaller for metric in metrics)):
        own = [_own_table(table, metric) for metric in metrics]  # whose few cells say all that the many could
        table, metrics = own[0][0] if own else table, [metric for _, metric in own]
    if isinstance(method, DrawingMethod):
        intervals = method.intervals(metrics, table, level, random_state)
        pairs: list[tuple[Method, Interval]] = [(method, interval) for interval in intervals]
    else:
        pairs = [_analytic(table, metric, method, level, random_state) for metric in metrics]
    return tuple(
        finished(name, *_own_table(table, metric), level, *pair)
        for name, metric, pair in zip(names, metrics, pairs, strict=True)
    )


def _own_table(table: Table, metric: Metric) -> tuple[Table, Metric]:
    """Return the smaller table that a metric looks at, where there is one, with the metric of it."""
    return (table, metric) if metric.smaller is None else metric.smaller(table)


def _analytic(
    table: Table, metric: Metric, method: Method | None, level: float, random_state: Any
) -> tuple[Method, Interval]:
    small, same = _smallest(*_own_table(table, metric))
    chosen = automatic(same, small) if method is None else method
    if refusal := chosen.suits(same, small):
        raise HowsureError(refusal)
    return chosen, chosen.interval(same, small, level, random_state)


def finished(name: str, table: Table, metric: Metric, level: float, method: Method, interval: Interval) -> Estimate:
    """Return the estimate that a metric's interval belongs to."""
    counts = table.counted
    value = float(metric(counts))
    reason = (
        undefined_reason(metric, table) if math.isnan(value) else str(interval.reason) or partial_reason(metric, counts)
    )
    return estimate_of(name, value, replace(interval, reason=_explained(table, reason)), level, method)


def _explained(table: Table, reason: str) -> str:
    """Return what to know of an estimate, with what it rests on where its counts are not counted cases."""
    known = table.design.is_exact
    parts = ("" if reason == CONSTANT and known else reason, table.design.note)
    return "; ".join(part for part in parts if part)


def _smallest(table: Table, metric: Metric) -> tuple[Table, Metric]:
    """Return the 2×2 table and its metric, where the metric looks at one of many classes."""
    if metric.positive is None or table.counts.shape == (2, 2) or metric.definition is None:
        return table, metric
    small = table.one_against_rest(metric.positive)
    if small is None:
        return table, metric
    return small, _on_two_classes(metric, small)


def _on_two_classes(metric: Metric, small: Table) -> Metric:
    return resolve(replace(parse(metric.name), average="binary", positive_class=None), small)


def undefined_reason(metric: Metric, table: Table) -> str:
    """Say in words why a metric is undefined on a table."""
    if table.why_undefined:
        return table.why_undefined
    counts = table.counted
    if metric.per_class is not None and (metric.per_class(counts) < 0).any():
        return f"`{metric.name}` is undefined here: the value of a class is negative"
    if metric.positive is None:
        return f"`{metric.name}` is undefined here: a denominator is zero"
    tp, fn, fp, tn = (float(part) for part in counts.outcomes(metric.positive))
    missing = [
        words
        for empty, words in (
            (tp + fn == 0, "no case of the class"),
            (fp + tn == 0, "no case of any other class"),
            (tp + fp == 0, "no prediction of the class"),
            (fn + tn == 0, "no prediction of any other class"),
        )
        if empty
    ]
    if missing:
        return f"undefined: there is {', '.join(missing)}"
    return "undefined: a denominator is zero"


def partial_reason(metric: Metric, counts: Counts) -> str:
    """Say how many classes an average leaves out because the metric is undefined on them."""
    missing, number = undefined_classes(metric, counts)
    what = "pairs of classes" if metric.name.endswith("multi_class=ovo") else "classes"
    return f"averaged without {missing} of {number} {what}, where it is undefined" if missing else ""


def default_metrics(table: Table, threshold: float | None = None) -> tuple[str, ...]:
    """Return the metrics that `evaluate` reports when none are named."""
    return table.default_metrics + (OF_TWO_CLASSES if threshold is not None else ())


def evaluate(
    table: Table,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    method: str | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
    threshold: float | None = None,
) -> Evaluation:
    """Estimate many metrics of one table.

    Parameters
    ----------
    table
        From `confusion`, `from_counts` or another source.
    metrics
        Spec strings or metrics; ``"f1@none"`` gives one estimate per class. By default a usual selection.
    method
        A method or its name; by default the one that suits each metric.
    confidence_level
        Coverage of each interval.
    random_state
        Seed of the methods that draw; all metrics share one stream of draws.
    threshold
        For metrics of counts on a table of scores: a case is predicted positive when its score is at least that.
        Metrics of scores, which look at all thresholds, may stand beside them.

    Returns
    -------
    Evaluation

    Raises
    ------
    HowsureError
        If a metric, the method or the level is not valid, or they do not fit each other.

    Examples
    --------
    >>> import howsure as hs
    >>> evaluation = hs.evaluate(hs.from_counts([[50, 3], [5, 42]]), ["accuracy", "f1"])
    >>> print(evaluation["f1"])
    0.913 [0.834, 0.956]
    >>> scores = hs.scores([0, 0, 1, 1, 1], [0.2, 0.6, 0.4, 0.7, 0.9])
    >>> list(hs.evaluate(scores, ["roc_auc", "f1"], threshold=0.5))
    ['roc_auc', 'f1']
    """
    named_metrics = default_metrics(table, threshold) if metrics is None else metrics
    wanted = [named_metrics] if isinstance(named_metrics, str | Metric) else named_metrics
    level, chosen = checked_level(confidence_level), named(method)
    specs: list[str | Metric] = []
    for spec in wanted:
        specs += labels_to_expand(spec, table) or [spec]
    bound = [resolve(spec, table, threshold=threshold) for spec in specs]
    _check_threshold(threshold, table, bound)
    seed = seed_sequence(random_state) if isinstance(chosen, DrawingMethod) else random_state
    return Evaluation(
        estimates={each.metric: each for each in _estimates(table, bound, chosen, level, seed)},
        table=table,
        method=chosen,
        seed=seed,
        threshold=threshold,
        confidence_level=level,
    )

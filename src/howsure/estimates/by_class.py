"""Metrics of single classes against the rest, for all classes at once: one batch of 2×2 tables for each metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.estimates.estimate import Estimate
from howsure.estimates.reasons import reasons
from howsure.methods.default import checked
from howsure.methods.interval import Method
from howsure.methods.sides import Sides
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec, parse
from howsure.tables.table import Table

Array = NDArray[Any]
Classes = dict[str, tuple[Spec, dict[int, int]]]  # of metrics that differ in their class alone: place → class


def of_two_classes(spec: Spec) -> Spec:
    """Return the spec of a metric of one of many classes on the table of it against the rest."""
    return replace(spec, average="binary", positive_class=None)


def of_classes(
    table: Table, asked: Sequence[str | Spec | Metric], method: Method | None, sides: Sides
) -> dict[int, Estimate]:
    """Return the estimates of metrics of one class, by their place among those asked for, where several share a pass.

    Parameters
    ----------
    table : Table
        A single table.
    asked : sequence of str, Spec or Metric
        Metrics of every kind.
    method : Method, optional
        One that does not draw; by default the one that suits each metric.
    sides : Sides
        The level, and which limits are asked for.
    """
    found: dict[int, Estimate] = {}
    stacks: dict[tuple[int, ...], Table | None] = {}
    for spec, places in _alike(table, asked).values():
        classes = tuple(places.values())
        if len(classes) == 1:
            continue
        if classes not in stacks:
            stacks[classes] = table.each_against_rest(np.array(classes))
        stack = stacks[classes]
        names = [_name(asked[place]) for place in places]
        estimates = None if stack is None else _in_one_pass(stack, of_two_classes(spec), names, method, sides)
        found |= {} if estimates is None else dict(zip(places, estimates, strict=True))
    return found


def _alike(table: Table, asked: Sequence[str | Spec | Metric]) -> Classes:
    """Return the metrics of one of many classes, those together that differ in their class alone."""
    alike: Classes = {}
    if not table.has_rows or table.batch or table.is_binary:
        return alike
    for place, each in enumerate(asked):
        spec = each.spec if isinstance(each, Metric) else each if isinstance(each, Spec) else parse(each)
        if spec is None or spec.definition.form != "outcomes" or spec.positive_class is None:
            continue
        known = each.positive if isinstance(each, Metric) else None
        position = table.position(spec.positive_class) if known is None else known
        alike.setdefault(spec.head, (spec, {}))[1][place] = position
    return alike


def _name(asked: str | Spec | Metric) -> str:
    if isinstance(asked, Metric):
        return asked.name
    return (asked if isinstance(asked, Spec) else parse(asked)).text


def _in_one_pass(
    stack: Table, spec: Spec, names: Sequence[str], method: Method | None, sides: Sides
) -> list[Estimate] | None:
    """Return the estimates of a metric on each table of a batch; None where the method takes one at a time."""
    metric = resolve(spec, stack)
    chosen = checked(method, metric, stack)
    if not chosen.takes_batches:
        return None
    interval = sides.cut(chosen.at_levels(metric, stack)(sides.two_sided), metric)
    with np.errstate(all="ignore"):
        value = np.asarray(metric(stack.counted), dtype=float)
    told = reasons(metric, stack, value, interval.reason)
    parts = (value, interval.low, interval.high, interval.standard_error, told)
    plain = (np.broadcast_to(part, value.shape).tolist() for part in parts)
    return [
        Estimate(
            number,
            low=low,
            high=high,
            metric=name,
            confidence_level=sides.level,
            method=chosen.name,
            standard_error=error,
            reason=reason,
        )
        for name, number, low, high, error, reason in zip(names, *plain, strict=True)
    ]

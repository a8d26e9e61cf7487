"""One-against-rest metrics for many classes at once, as one batch of 2×2 tables per metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice, repeat

import numpy as np

from howsure.estimates.batched_intervals import Answer, batched_intervals
from howsure.estimates.estimate import Estimate, Quantity, estimates_of
from howsure.estimates.reasons import reasons
from howsure.methods.core.interval_spec import IntervalSpec
from howsure.methods.core.method import Method
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec, of_class, of_two_classes, parse
from howsure.tables.protocols import each_against_rest
from howsure.tables.table import Table


@dataclass(slots=True)
class _Alike:
    """Requested metrics that differ only in their class: positions and numbers of requests, classes and names."""

    spec: Spec
    places: list[tuple[int, int]] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    asked: list[Quantity] = field(default_factory=list)

    def add(self, place: int, classes: Iterable[int], asked: Sequence[Quantity]) -> None:
        """Add the classes requested at a position, and the names of their metrics."""
        self.classes += classes
        self.asked += asked
        self.places.append((place, len(asked)))


def of_classes(
    table: Table, asked: Sequence[str | Spec | Metric], method: Method | None, sides: IntervalSpec
) -> dict[int, list[Estimate]]:
    """Return the estimates of one-against-rest metrics by their position, for metrics that share a pass.

    Parameters
    ----------
    table : Table
        A single table.
    asked : sequence of str, Spec or Metric
        Requested metrics of any kind.
    method : Method, optional
        A method that does not draw; by default the default method of each metric.
    sides : Sides
        Confidence level and requested limits.
    """
    found: dict[int, list[Estimate]] = {}
    together: dict[tuple[int, ...], list[_Alike]] = {}
    for each in _alike(table, asked):
        together.setdefault(tuple(each.classes), []).append(each)
    for classes, alike in together.items():
        stack = each_against_rest(table, np.array(classes)) if len(classes) > 1 else None
        if stack is None:
            continue
        metrics = [resolve(of_two_classes(each.spec), stack) for each in alike]
        for index, answer in batched_intervals(stack, metrics, method, sides.two_sided).items():
            estimates = iter(_of_a_batch(stack, metrics[index], alike[index].asked, answer, sides))
            found |= {place: list(islice(estimates, number)) for place, number in alike[index].places}
    return found


def _alike(table: Table, asked: Sequence[str | Spec | Metric]) -> Iterable[_Alike]:
    """Return the one-against-rest metrics, grouped if they differ only in their class."""
    alike: dict[str, _Alike] = {}
    if not table.kind.has_rows or table.batch or table.is_binary:
        return ()
    labels = list(map(str, table.labels.tolist()))
    for place, each in enumerate(asked):
        spec = each.spec if isinstance(each, Metric) else each if isinstance(each, Spec) else parse(each)
        if spec is None or spec.definition.form.name != "outcomes":
            continue
        if spec.is_each_class:
            if len(set(labels)) < len(labels):
                return ()  # some names would be equal: they are refused one by one
            first = of_class(spec, "")
            names = [Quantity(first.text + label, first.label + label) for label in labels]
            alike.setdefault(spec.head, _Alike(spec)).add(place, range(len(names)), names)
        elif spec.positive_class is not None:
            known = each.positive if isinstance(each, Metric) else None
            position = table.position(spec.positive_class) if known is None else known
            name = Quantity.of(each) if isinstance(each, Metric) else Quantity(spec.text, spec.label)
            alike.setdefault(spec.head, _Alike(spec)).add(place, [position], [name])
    return alike.values()


def _of_a_batch(
    stack: Table, metric: Metric, asked: Sequence[Quantity], answer: Answer, sides: IntervalSpec
) -> Iterable[Estimate]:
    """Return the estimates of a metric for each table of a batch."""
    chosen, found = answer
    interval = sides.cut(found, metric)
    with np.errstate(all="ignore"):
        value = np.asarray(metric(stack.counted), dtype=float)
    told = reasons(metric, stack, value, interval.reason)
    parts = (value, interval.low, interval.high, interval.standard_error, told)
    values, low, high, error, reason = (np.broadcast_to(part, value.shape).tolist() for part in parts)
    return estimates_of(
        values,
        low=low,
        high=high,
        metric=[each.metric for each in asked],
        label=[each.label for each in asked],
        confidence_level=repeat(sides.level),
        method=repeat(chosen.name),
        standard_error=error,
        reason=reason,
        bounds=repeat(metric.range),
    )

"""Intervals of the worst and of the best class, from those of all classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.methods.core.interval import CONSTANT, UNDEFINED, Interval, IntervalAtLevel, interval_with_reasons
from howsure.methods.core.method import Method
from howsure.methods.core.standard_errors import standard_error
from howsure.methods.default import default_method
from howsure.methods.numerics.confidence_levels import Level, tail_of
from howsure.metrics.averages import EXTREMES
from howsure.metrics.binding import resolve, smallest
from howsure.metrics.counted import of_one_class
from howsure.metrics.metric import Metric
from howsure.metrics.spec import of_class, of_two_classes
from howsure.tables.protocols import each_against_rest
from howsure.tables.table import Table


@final
@dataclass(frozen=True, slots=True)
class Extremes(Method):
    """Interval of the worst or the best class, from the interval of each class by its default method.

    Notes
    -----
    The smallest of the classes' values is at most the value of each class, so the upper limit of any class is also an
    upper limit of the smallest value. The smallest value is at least the smallest of the lower limits. Its interval is

    ``[min l_i(α), min u_i(α / m)]``

    where m is the number of classes that may be the smallest: those whose lower limit does not exceed the least upper
    limit. Each of them may miss by chance, hence the correction (Bonferroni). If one class is clearly the worst, the
    result is that class's interval. Classes need not be independent. The largest value is the mirror image.

    References
    ----------
    Hsu (1984), Annals of Statistics 12, for the best of several treatments.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[60, 5, 3], [4, 40, 16], [2, 1, 69]])
    >>> print(hs.estimate(table, "recall@min"), hs.estimate(table, "recall@binary+positive_class=1"))
    0.667 [0.541, 0.777] 0.667 [0.541, 0.777]
    """

    name: ClassVar[str] = "extremes"
    takes_batches: ClassVar[bool] = True

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for the smallest or the largest of the classes' values on one test set, else why not."""
        if metric.average in EXTREMES and metric.class_average is not None:
            return ""
        return f"`Extremes` is for the worst or the best of several classes; `{metric.name}` is none. Use `Delta()`."

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        assert metric.per_class is not None  # noqa: S101 - see `unsupported_reason`
        each, mirrored = _known(metric, table), metric.average == "max"
        with np.errstate(all="ignore"):
            value, values = metric.value_at(table.counted), metric.per_class(table.counted)
        error, defined = standard_error(metric, table), np.moveaxis(np.isfinite(values), -1, 0)

        def limits(confidence_level: float) -> tuple[Array, Array, Array]:
            """Return limits and reason of each class; with opposite signs if the largest is requested."""
            found = each(confidence_level)
            return (-found.high, -found.low, found.reason) if mirrored else (found.low, found.high, found.reason)

        def interval(confidence_level: float) -> Interval:
            low, high, reasons = limits(confidence_level)
            least = np.fmin.reduce(high)
            candidates = (low <= least).sum(0)
            for number in np.unique(candidates[candidates > 1]).tolist():
                _, surer, _ = limits(Level(tail_of(confidence_level) / number))
                least = np.where(candidates == number, np.fmin.reduce(surer), least)
            ends = np.stack([np.fmin.reduce(low), least])
            first, last = -ends[::-1] if mirrored else ends
            missing = defined & np.isnan(low)  # classes without an interval
            told_of_them = np.unique(reasons[missing]).tolist()
            refusals = [(np.asarray((missing & (reasons == why)).any(0)), why) for why in told_of_them]
            refusals.append((first == last, CONSTANT))  # a class that cannot vary is certainly the worst or the best
            refusals.append((~np.isfinite(value), UNDEFINED))
            return interval_with_reasons(np.minimum(first, value), np.maximum(last, value), error, *refusals)

        return interval


def _known(metric: Metric, table: Table) -> IntervalAtLevel:
    """Return the intervals of the classes; the whole range for the stated value of a class without cases."""
    assert metric.spec is not None  # noqa: S101 - see `unsupported_reason`
    each = _of_each(metric, table)
    if np.isnan(metric.spec.zero_division):
        constants = _constants(metric, len(table.batch))
        return lambda level: _fixed(each(level), constants)
    return lambda level: _within(each(level), metric.range)


def _constants(metric: Metric, axes: int) -> Array:
    """Return the values of classes whose value cannot vary and nan for others, ahead of the axes of a batch."""
    if metric.class_average is None:
        return np.array(np.nan)
    members = metric.class_average.members
    return members.constants[members.kept].reshape(-1, *(1 for _ in range(axes)))


def _fixed(interval: Interval, constants: Array) -> Interval:
    """Return the interval with the constant values as both limits."""
    varies = np.isnan(constants)
    low, high = (np.where(varies, limit, constants) for limit in (interval.low, interval.high))
    return replace(interval, low=low, high=high, reason=np.where(varies, interval.reason, ""))


def _of_each(metric: Metric, table: Table) -> IntervalAtLevel:
    """Return the intervals of the classes by their default method, by level; classes are the first axis."""
    assert metric.spec is not None and metric.classes is not None  # noqa: S101, PT018 - see `unsupported_reason`
    stack = None if table.batch else each_against_rest(table, metric.classes)
    if stack is not None:
        return _by_default(stack, resolve(of_two_classes(metric.spec), stack))
    places = metric.classes.tolist()
    single = [of_one_class(of_class(metric.spec, table.labels[place]), table, place) for place in places]
    each = [_by_default(*smallest(table, one)) for one in single]
    return lambda level: _beside([at_level(level) for at_level in each])


def _by_default(table: Table, metric: Metric) -> IntervalAtLevel:
    return default_method(metric, table).at_levels(metric, table)


def _beside(intervals: Sequence[Interval]) -> Interval:
    low, high, reason = (np.stack([getattr(each, name) for each in intervals]) for name in ("low", "high", "reason"))
    return Interval(low, high, reason=reason)


def _within(interval: Interval, bounds: tuple[float, float]) -> Interval:
    """Return the interval, or the whole range if there is none."""
    low, high = (
        np.where(np.isnan(limit), end, limit) for limit, end in zip((interval.low, interval.high), bounds, strict=True)
    )
    return replace(interval, low=low, high=high)

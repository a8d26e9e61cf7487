"""What an undefined metric counts: scikit-learn's ``zero_division``, and its warning."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from howsure.arrays import Array
from howsure.compat.keywords import Settings
from howsure.errors import HowsureError, HowsureWarning, warn as warn_caller
from howsure.estimates.estimate import Estimate
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.table import Table

ZeroDivision = Literal["warn"] | float


class UndefinedMetricWarning(HowsureWarning):
    """A metric is undefined, here or on a class, and counts as 0 for scikit-learn's sake."""


def filling(zero_division: ZeroDivision) -> float:
    """Return the value of an undefined metric.

    Raises
    ------
    HowsureError
        If it is neither a number nor "warn".
    """
    try:
        return 0.0 if zero_division == "warn" else float(zero_division)
    except (TypeError, ValueError):
        raise HowsureError(f"`zero_division` is 'warn', a number or nan, not {zero_division!r}.") from None


def estimated(
    settings: Settings, table: Table, zero_division: ZeroDivision, metrics: Callable[[float], Sequence[Metric | Spec]]
) -> list[Estimate]:
    """Return the estimates of metrics, with a value where they are undefined on a class.

    Parameters
    ----------
    settings : Settings
        Method, level and seed.
    table : Table
        What is evaluated.
    zero_division : "warn" or float
        The value for undefined metrics; "warn" means 0 with a warning.
    metrics : callable
        Function from the value (nan for none) to the metrics.
    """
    value, plain = filling(zero_division), metrics(np.nan)
    undefined = _undefined(plain, table)
    if undefined and not np.isnan(value):
        found = settings.estimates(table, metrics(value))
        # If no class has weight, the average equals the value too.
        found = [each.replace(value=value) if math.isnan(each) else each for each in found]
    else:
        found = settings.estimates(table, plain)
    if zero_division == "warn":
        for name, (number, size) in undefined.items():
            words = f"on {number} of {size} classes, and counts as 0 there"
            warn(f"`{name}` is undefined {words} as in scikit-learn. Set `zero_division` to 0, 1 or nan to choose.")
    return found


def _undefined(metrics: Sequence[Metric | Spec], table: Table) -> dict[str, tuple[int, int]]:
    """Return, by name of an undefined metric, the number of classes on which it is undefined, and of all classes."""
    number: dict[str, tuple[int, int]] = {}
    of_each: set[str] = set()
    for each in metrics:
        if isinstance(each, Spec):
            if each.definition.name in of_each:  # an average over the same classes
                continue
            of_each |= {each.definition.name} if each.is_each_class else set()
        absent, spec = _absent(each, table), each.spec if isinstance(each, Metric) else each
        name = spec.definition.name if spec else each.name  # type: ignore[union-attr]  # without a spec a metric
        is_single = isinstance(each, Metric) and each.per_class is None
        before = number.get(name, (0, 0)) if is_single else (0, 0)  # an average has seen all classes
        number[name] = before[0] + int(absent.sum()), before[1] + len(absent)
    return {name: counted for name, counted in number.items() if counted[0]}


def _absent(metric: Metric | Spec, table: Table) -> Array:
    """Return whether a metric is undefined on each class that enters it."""
    counts: Any = table.counted
    with np.errstate(all="ignore"):
        if isinstance(metric, Spec) and metric.is_each_class:
            return np.isnan(metric.definition.evaluate(*counts.outcomes(), **metric.arguments))
        bound = resolve(metric, table)
        found = np.isnan([bound.value_at(counts)] if bound.per_class is None else bound.per_class(counts))
        return found if bound.class_average is None else bound.class_average.members.among_named(found)


def warn(words: str, category: type[Warning] = UndefinedMetricWarning) -> None:
    """Warn of undefined metrics; the warning points to the line that called howsure."""
    warn_caller(words, category)

"""Experiments with values, limits and range, from estimates, comparisons, or tables and a metric."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, checked_level, refuse_results
from howsure.estimates.estimation import estimate
from howsure.metrics.binding import resolve_experiment
from howsure.metrics.spec import named
from howsure.pooling.effects import names_of_experiments
from howsure.pooling.scales import SCALES, ZERO_COUNT
from howsure.tables.labels import refuse_disjoint
from howsure.tables.table import Table, require_table

REMEDY = (
    "Give estimates, tables and a metric, or values and their standard errors. Of counts each experiment is a table "
    "`from_counts([[40, 2], [3, 45]])`, or an estimate `proportion(42, 47)`."
)


@runtime_checkable
class Estimated(Protocol):
    """An estimate or a comparison: a value with its limits, and the range of its metric."""

    metric: str
    confidence_level: float
    standard_error: float
    low: float
    high: float
    reason: str

    @property
    def value(self) -> float:
        """The observed value."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest possible value."""


@dataclass(frozen=True, eq=False)
class Sites:
    """Independent experiments on one metric.

    Parameters
    ----------
    names : tuple of str
        Their names.
    values, lows, highs, standard_errors : ndarray of shape (k,)
        Estimates, limits and standard errors.
    level : float
        Confidence level of the limits.
    metric : str
        What was estimated.
    range : tuple of two float
        Smallest and largest possible value.
    positive : str
        The positive class, where the metric depends on it.
    """

    names: tuple[str, ...]
    values: Array
    lows: Array
    highs: Array
    standard_errors: Array
    level: float
    metric: str
    range: tuple[float, float]
    positive: str = ""

    @property
    def is_bounded(self) -> bool:
        """Whether the range has two finite ends."""
        return math.isfinite(self.range[0]) and math.isfinite(self.range[1])

    @property
    def of_areas(self) -> bool:
        """Whether they are areas under the ROC curve, or contrasts of such."""
        definition = named(self.metric.partition(":")[0])
        return definition is not None and definition.is_area


def sites_of(experiments: Any, metric: object, level: float | None, names: Sequence[str] | None) -> Sites:
    """Return the experiments of estimates, or of tables and a metric; in a list, or in a mapping by name."""
    listed = list(experiments)
    if isinstance(experiments, Mapping):
        listed = [experiments[name] for name in experiments]
        names = [str(name) for name in experiments] if names is None else names
    labels = names_of_experiments(names, len(listed))
    if any(_is_table(each) for each in listed):
        found = _of_tables(dict(zip(labels, listed, strict=True)), metric, 0.95 if level is None else level)
        level = None
    elif metric is not None:
        raise HowsureError(f"`metric` is for tables: estimates have a metric of their own. {REMEDY}")
    else:
        found = list(listed)
    return _checked(found, labels, level)


def is_estimated(experiments: object) -> bool:
    """Whether experiments are tables, estimates or comparisons, and not plain numbers."""
    if isinstance(experiments, Mapping):
        return len(experiments) > 0
    some = experiments if isinstance(experiments, Collection) else ()
    return any(_is_table(each) or isinstance(each, Estimated) for each in some)


def _is_table(experiment: object) -> bool:
    return hasattr(experiment, "design")


def _of_tables(tables: Mapping[str, Any], metric: Any, level: float) -> list[Any]:
    if metric is None:
        raise HowsureError("Tables need the metric that is pooled: `hs.pool(tables, 'recall')`.")
    for name, each in tables.items():
        refuse_results(each, "pool", "tables, or estimates")
        require_table(Table, each, f"Experiment '{name}' is no table, as others are: {each!r}. {REMEDY}")
    refuse_disjoint(tables)
    return [estimate(each, resolve_experiment(metric, each), confidence_level=level) for each in tables.values()]


def _checked(found: Sequence[Any], labels: tuple[str, ...], level: float | None) -> Sites:
    """Return estimates as sites; raise an error for other metrics, levels or ranges, and for undefined estimates."""
    for name, each in zip(labels, found, strict=True):
        if not isinstance(each, Estimated):
            raise HowsureError(f"Experiment '{name}' is no estimate, as others are: {each!r}. {REMEDY}")
    quantity = [_quantity(each) for each in found]
    for fact, given in {
        "metric": quantity,
        "positive class": [positive_of(each) for each in found],
        "confidence level": [each.confidence_level for each in found],
        "range": [tuple(map(float, each.bounds)) for each in found],
    }.items():
        for name, other in zip(labels, given, strict=True):
            if other != given[0]:
                both = f"'{name}' has the {fact} {other}, and '{labels[0]}' {given[0]}"
                raise HowsureError(f"Experiment {both}: pool one {fact}.")
    own = found[0].confidence_level
    if level is not None and checked_level(level) != own:
        raise HowsureError(
            f"The estimates have the confidence level {own:g}. Make them with `confidence_level={level:g}`."
        )
    for name, each in zip(labels, found, strict=True):
        if not math.isfinite(each.value):
            why = f" ({each.reason})" if each.reason else ""
            stated = f"The value of experiment '{name}' is {each.value:g}{why}."
            remedy = "Leave it out, or pool a metric that all of them define, such as a rate."
            raise HowsureError(f"{stated} {ZERO_COUNT if tuple(each.bounds) == SCALES['log'].range else remedy}")
    columns = ("value", "low", "high", "standard_error")
    values, lows, highs, errors = (np.array([float(getattr(each, column)) for each in found]) for column in columns)
    low, high = map(float, found[0].bounds)
    return Sites(labels, values, lows, highs, errors, own, quantity[0], (low, high), positive_of(found[0]))


def positive_of(each: object) -> str:
    """Return the positive class of an estimate, or of the models of a comparison; empty if there is none."""
    return str(getattr(getattr(each, "a", each), "positive", ""))


def _quantity(each: Any) -> str:
    """Return the estimated quantity: the metric, or the contrast of a metric."""
    contrast = getattr(each, "contrast", "")
    return f"{each.metric}: {contrast}" if contrast else str(each.metric)

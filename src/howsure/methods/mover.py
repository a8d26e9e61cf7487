"""MOVER: the interval of a sum of proportions from the score intervals of its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from howsure.designs.counted import Clusters, Simple
from howsure.errors import HowsureError
from howsure.methods import binomial
from howsure.methods.interval import (
    CONSTANT,
    Interval,
    normal_quantile,
    quantile,
    refuse_estimated_counts,
    standard_error,
)
from howsure.metrics.binding import assemble
from howsure.metrics.contrast import Contrast, Side
from howsure.metrics.metric import Metric, Proportion, Ratio, divide
from howsure.tables.table import Counts, Table

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Mover:
    """Method of variance estimates recovery, for averages and differences of proportions.

    Each part's variance near the lower limit is recovered from its own Wilson interval, and likewise near the
    upper one: ``low = value - sqrt(r * sum(w**2 (p - l)**2))``. The factor ``r`` is the delta method's variance
    of the whole over that of its parts taken as independent: 1 for macro recall and macro precision of
    independent cases, and it carries correlated parts (macro F1) and any other design.

    References
    ----------
    Zou, Donner (2008), Statistics in Medicine 27; Newcombe (1998), Statistics in Medicine 17.
    """

    name: ClassVar[str] = "mover"

    def interval(
        self,
        metric: Metric,
        table: Table,
        confidence_level: float,
        rng: Any = None,  # noqa: ARG002 - the protocol's signature
    ) -> Interval:
        """Return the interval; see the class."""
        if metric.contrast is not None:
            return _difference(metric, metric.contrast, table, confidence_level)
        if metric.parts is None:
            message = (
                f"`Mover` needs an average or a sum of proportions, and `{metric.name}` is not one. "
                "Use `Delta()` or `Bootstrap()`."
            )
            raise HowsureError(message)
        refuse_estimated_counts(type(self).__name__, table)
        counts = Counts(table.counts, table.kind)
        value, error = float(metric(counts)), standard_error(metric, table)
        if not np.isfinite(value):
            return Interval(np.nan, np.nan, reason="the metric is undefined")
        if not np.isfinite(error):
            return Interval(np.nan, np.nan, error, reason="a single cluster shows no variation between clusters")
        outcomes = np.stack([part[..., metric.parts.classes] for part in counts.outcomes()])
        below = above = alone = 0.0
        for weight, ratio in metric.parts.terms:
            part = _part(ratio, outcomes, table, metric.parts.classes, confidence_level)
            share = (weight / max(int(part.defined.sum()), 1)) ** 2
            below += share * float(((part.values - part.low)[part.defined] ** 2).sum())
            above += share * float(((part.high - part.values)[part.defined] ** 2).sum())
            alone += share * float(part.variances[part.defined].sum())
        factor = error**2 / alone if alone > 0 else 1.0
        lowest, highest = metric.range
        low = max(value - float(np.sqrt(factor * below)), lowest)
        high = min(value + float(np.sqrt(factor * above)), highest)
        if not low < high:
            return Interval(np.nan, np.nan, error, reason=CONSTANT)
        return Interval(low, high, error)


def _difference(metric: Metric, contrast: Contrast, table: Table, confidence_level: float) -> Interval:
    """Return the interval of a difference from those of the two models, and how these correlate.

    For shares of two independent samples it is Newcombe's hybrid score interval (1998, Statistics in Medicine
    17:873–890, method 10); for shares of the same cases his method 8 for paired data.
    """
    if contrast.effect.name != "difference":
        message = f"`Mover` is for a difference, not for a {contrast.effect.name.replace('_', ' ')}. Use `Delta()`."
        raise HowsureError(message)
    from howsure.methods import automatic

    counts = Counts(table.counts, table.kind)
    value, error = float(metric(counts)), standard_error(metric, table)
    sides = (contrast.first, contrast.second)
    tables = [side.view.table(table) for side in sides]
    single = [
        automatic(side.metric, own).interval(side.metric, own, confidence_level)
        for side, own in zip(sides, tables, strict=True)
    ]
    missing = [f"{side.name}: {each.reason}" for side, each in zip(sides, single, strict=True) if np.isnan(each.low)]
    if missing or not np.isfinite(value):
        return Interval(np.nan, np.nan, error, reason="; ".join(missing) or "the metric is undefined")
    values = [float(side.value(counts)) for side in sides]
    below = [each - interval.low for each, interval in zip(values, single, strict=True)]
    above = [interval.high - each for each, interval in zip(values, single, strict=True)]
    shared = 0.0 if table.kind == "separate" else _correlation(sides, table, error)
    low = value - _reach(below[0], above[1], shared)
    high = value + _reach(above[0], below[1], shared)
    if not low < high:
        return Interval(np.nan, np.nan, error, reason=CONSTANT)
    return Interval(max(low, metric.range[0]), min(high, metric.range[1]), error)


def _reach(first: float, second: float, correlation: float) -> float:
    return float(np.sqrt(max(first**2 + second**2 - 2 * correlation * first * second, 0.0)))


def _correlation(sides: tuple[Side, Side], table: Table, error: float) -> float:
    """Return how the two models' values correlate, from their variances and that of their difference."""
    first, second = (standard_error(side.as_metric(), table) for side in sides)
    if not first * second > 0:
        return 0.0
    return float(np.clip((first**2 + second**2 - error**2) / (2 * first * second), -1.0, 1.0))


@dataclass(frozen=True, slots=True)
class _Part:
    values: Array
    low: Array
    high: Array
    variances: Array
    defined: Array


def _part(ratio: Ratio, outcomes: Array, table: Table, classes: Array | None, confidence_level: float) -> _Part:
    """One proportion of each class: values, limits and design variances."""
    share = ratio.proportion()
    assert share is not None  # noqa: S101 - parts are made of proportions only
    successes, trials = outcomes[share.successes].sum(0), outcomes[share.trials].sum(0)
    shares = divide(successes, trials)
    defined = trials > 0
    shares = np.where(defined, shares, 0.5)
    slopes = (share.successes[:, None] - shares * share.trials[:, None]) / np.where(defined, trials, 1)
    variances = _class_variances(slopes, table, classes)
    worth = _worth(share, shares, trials, variances, table, classes, confidence_level)
    low, high = binomial.wilson(shares * worth, worth, confidence_level)
    metric_slope = _link_slope(share, shares)
    return _Part(share.metric(shares), share.metric(low), share.metric(high), variances * metric_slope**2, defined)


def _link_slope(share: Proportion, shares: Array) -> Array:
    step = 1e-20
    return np.asarray(share.metric(shares + step * 1j).imag / step)


def _class_variances(slopes: Array, table: Table, classes: Array | None) -> Array:
    """Design variance of each class's linear form, given by its slopes for the four outcomes, ``(4, m)``."""
    squares = table.design.squares(table.counts)
    if squares is not None:
        every = np.stack([part[..., classes] for part in Counts(squares, table.kind).outcomes()])
        return np.asarray((every * slopes**2).sum(0))
    size = Counts(table.counts, table.kind).classes
    positions = np.arange(size) if classes is None else np.asarray(classes)
    variances = np.empty(len(positions))
    for index, position in enumerate(positions):
        spread = np.zeros((4, size))
        spread[:, position] = slopes[:, index]
        variances[index] = table.design.variance(table.counts, assemble(spread, table.kind))
    return variances


def _worth(
    share: Proportion,
    shares: Array,
    trials: Array,
    variances: Array,
    table: Table,
    classes: Array | None,
    confidence_level: float,
) -> Array:
    """Effective number of trials of each class."""
    design = table.design
    if isinstance(design, Simple):
        return trials
    size = Counts(table.counts, table.kind).classes
    positions = np.arange(size) if classes is None else np.asarray(classes)
    worth = divide(shares * (1 - shares), variances)
    for index in np.flatnonzero(~(variances > 0) & (trials > 0)):
        marked = np.zeros((4, size))
        marked[:, positions[index]] = share.trials
        worth[index] = design.effective_trials(table.counts, assemble(marked, table.kind) > 0)
    if isinstance(design, Clusters):
        worth = worth * (normal_quantile(confidence_level) / quantile(confidence_level, design)) ** 2
        worth = np.minimum(worth, trials)
    return np.where(trials > 0, worth, 0.0)

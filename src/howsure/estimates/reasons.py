"""Reasons for undefined values, and caveats about estimates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.methods.core.interval import CONSTANT, ONE_CLUSTER
from howsure.metrics.forms import Undefined
from howsure.metrics.metric import Metric
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table

HALF = 0.5  # area under the ROC curve of uninformative scores
MISSING = (
    "no case of the class",
    "no case of any other class",
    "no prediction of the class",
    "no prediction of any other class",
)


def reasons(metric: Metric, table: Table, value: Array, found: Any) -> Array:
    """Return the reason or caveat for each table's value, empty if there is none, in the shape of the batch.

    Parameters
    ----------
    metric : Metric
        The estimated metric.
    table : Table
        A table, or a batch.
    value : ndarray of the shape of the batch
        Values of the metric.
    found : str or ndarray of str
        Reasons from the interval method.
    """
    undefined, note = np.isnan(value), table.design.description.estimate_caveat
    if isinstance(found, str) and not (found or note or metric.per_class or undefined.any()):
        return np.full(value.shape, "", dtype=object)
    text = np.array(np.broadcast_to(found, value.shape), dtype=object)
    if undefined.any():
        text = np.where(undefined, _undefined(metric, table), text)
    if metric.per_class is not None:
        text = np.where((text == "") & ~undefined, _left_out(metric.per_class, metric, table, value), text)
    if table.design.traits.is_exact:  # without sampling no metric varies
        text = np.where(text == CONSTANT, "", text)
    return np.where(text == "", note, text + f"; {note}") if note else text


def without_variation(table: Table) -> str:
    """Return why nothing about one table has an interval: a single cluster; empty otherwise."""
    return ONE_CLUSTER if float(table.design.degrees_of_freedom) < 1 else ""


def with_other_class(reason: Array, metric: Metric, table: Table, value: Array, high: Any) -> Array:
    """Return the reasons, with the area of the other class where an area under the ROC curve is below a half.

    Parameters
    ----------
    reason : ndarray of str of the shape of the batch
        Reasons and caveats.
    metric, table, value
        As of `reasons`.
    high : float or ndarray of the shape of the batch
        Upper limits of the intervals.
    """
    worse = np.asarray(high < HALF)
    if not (metric.is_area and table.kind.has_thresholds and worse.any()):
        return reason
    words = f"of the other class, {table.labels.tolist()[0]}, it is "
    other = np.array([f"{words}{1 - each:.3f}" for each in value.flat], dtype=object).reshape(value.shape)
    return np.where(worse, np.where(reason == "", other, reason + "; " + other), reason)


def _undefined(metric: Metric, table: Table) -> Any:
    """Return the reasons why a metric is undefined, for each table."""
    counts = table.counted
    if isinstance(metric.structure, Undefined):
        return metric.structure.why(counts.cells)
    if table.kind.why_undefined:
        return table.kind.why_undefined
    if metric.positive is not None and isinstance(counts, ClassCounts):
        return _empty_parts(*counts.outcomes(metric.positive))
    text = np.full(table.batch, f"`{metric.name}` is undefined here: a denominator is zero", dtype=object)
    if metric.per_class is not None:
        negative = (metric.per_class(counts) < 0).any(-1)
        text[negative] = f"`{metric.name}` is undefined here: the value of a class is negative"
    return text


def _empty_parts(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Return a text that names the empty denominators of a metric of one class."""
    empty = np.stack([tp + fn == 0, fp + tn == 0, tp + fp == 0, fn + tn == 0], -1)
    text = np.full(tp.shape, "undefined: a denominator is zero", dtype=object)
    for pattern in np.unique(empty.reshape(-1, 4), axis=0):
        words = ", ".join(word for word, is_empty in zip(MISSING, pattern, strict=True) if is_empty)
        if words:
            text[(empty == pattern).all(-1)] = f"undefined: there is {words}"
    return text


def _left_out(per_class: Callable[[Any], Array], metric: Metric, table: Table, value: Array) -> Any:
    """Return a note on the number of classes that an average leaves out as undefined, or includes as constants."""
    undefined, average = np.isnan(per_class(table.counted)), metric.class_average
    members = None if average is None else average.members
    before = 0 if members is None else len(members.named) - len(members.kept)
    missing, number = undefined.sum(-1) + before, undefined.shape[-1] + before
    fixed = [] if members is None else members.fixed.tolist()
    if not (missing.any() or fixed):
        return ""
    what = "pairs of classes" if metric.spec is not None and metric.spec.pairs else "classes"
    text = np.full(table.batch, "", dtype=object)
    for few in np.unique(missing[missing > 0]):
        chosen = missing == few
        text[chosen] = f"averaged without {few} of {number} {what}, where it is undefined"
        if metric.average == "macro" or metric.average is None:
            text[chosen] += _with_them(value[chosen], few / number, metric.range)
    if fixed:
        values = " or ".join(f"{each:g}" for each in sorted(set(fixed)))
        words = f"{len(fixed)} of {number} {what} cannot vary here, counted as {values}"
        text = np.where(text == "", words, text + f"; {words}")
    return text


def _with_them(value: Array, share: float, bounds: tuple[float, float]) -> Any:
    """Return a note on the range of a mean if the left-out classes, a given share of all, were included."""
    if not np.isfinite(bounds).all():
        return ""
    low, high = (np.asarray((1 - share) * value + share * end) for end in bounds)
    ends = zip(low.ravel(), high.ravel(), strict=True)
    return np.array([f" (with them {first:.3f} to {last:.3f})" for first, last in ends], dtype=object)

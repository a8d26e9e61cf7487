"""Averages over classes of a metric of one class against the rest, bound to a table's classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from howsure.metrics.averages import BY_NAME, Average
from howsure.metrics.class_sets import ClassSet, gaps, unseen
from howsure.metrics.class_shares import class_shares
from howsure.metrics.collapsible_cells import lumps_of_shares
from howsure.metrics.forms import Parts, divide
from howsure.metrics.metric import Metric
from howsure.metrics.registry import REGISTRY, Definition
from howsure.metrics.spec import Spec
from howsure.tables.cache import Last
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table

Array = NDArray[Any]


def basics(spec: Spec, classes: int) -> dict[str, Any]:
    """Return the fields that a bound metric has from its spec."""
    bounds = spec.definition.bounds(classes, spec.arguments)
    return {"name": spec.text, "range": bounds, "better": spec.definition.better, "spec": spec}


def filled(values: Array, spec: Spec) -> Array:
    """Return values of classes with ``zero_division`` where they are undefined."""
    return values if np.isnan(spec.zero_division) else np.where(np.isnan(values), spec.zero_division, values)


def averaged(spec: Spec, table: Table, average: Average, chosen: Array | None, without: Array | None = None) -> Metric:
    """Return an average over the classes that the observed tables define; see `ClassSet`.

    Parameters
    ----------
    spec : Spec
        Spec of a metric of outcomes.
    table : Table
        The table with the classes.
    average : Average
        The average over classes.
    chosen : ndarray of int, optional
        Positions of the classes to average over; all by default.
    without : ndarray of bool of shape (K,), optional
        Classes that are left out for another model of the comparison.
    """
    definition, arguments, size = spec.definition, spec.arguments, len(table.labels)
    members = ClassSet.of(spec, table, chosen, without)
    kept = None if chosen is None and len(members.kept) == size else members.kept
    is_constant = ~np.isnan(members.constants)

    def per_class(counts: ClassCounts) -> tuple[Array, Array]:
        values = members.filled(filled(definition.evaluate(*counts.outcomes(), **arguments), spec))
        return (values, counts.rows) if kept is None else (values[..., kept], counts.rows[..., kept])

    last = Last[tuple[Array, Array]]()  # of the metric and not of the counts, which may live much longer

    def of_classes(counts: ClassCounts) -> tuple[Array, Array]:
        return last.at(counts, lambda: per_class(counts))

    def gradient(counts: ClassCounts) -> Array:
        by_value, by_weight = average.slopes(*of_classes(counts))
        if kept is not None:
            by_value, by_weight = (_scatter(part, kept, counts.classes) for part in (by_value, by_weight))
        if not members.varies:
            by_value = np.where(is_constant, 0.0, by_value)
        with np.errstate(invalid="ignore"):
            slopes = definition.slopes(*counts.outcomes(), **arguments) * by_value
        slopes = np.where(by_value == 0, 0.0, slopes)
        slopes[:2] += by_weight  # a class's weight is its true total, tp + fn
        return counts.by_cell(slopes)

    is_of_units = definition.form.name == "events"
    return Metric(
        **basics(spec, size),
        counts_class=table.counts_class,
        value=lambda counts: average.value(*of_classes(counts)),
        gradient=gradient,
        terms=_terms(spec, average, members, kept),
        shares=class_shares(spec, average, members, size),
        lumps=lumps_of_shares(spec, members.kept, table, weighs=average.reads_weights),
        parts=_parts(spec, members) if average.name == "macro" else None,
        per_class=None if is_of_units else lambda counts: of_classes(counts)[0],
        classes=None if is_of_units else members.kept,
        members=None if is_of_units else members,
        takes_batches=not members.differs,
    )


def mean_recall(spec: Spec, table: Table, chosen: Array | None, without: Array | None = None) -> Metric:
    """Return balanced accuracy: the mean recall of the classes that occur, or that beyond a random classifier's."""
    mean = averaged(_of_each_class(spec), table, BY_NAME["macro"], chosen, without)
    named = replace(mean, **basics(spec, len(table.labels)))
    if not spec.arguments.get("adjusted"):
        return named
    chance = 1 / max(len(mean.classes), 2)  # type: ignore[arg-type]  # of an average
    scale = 1 / (1 - chance)

    def value(counts: ClassCounts) -> Array:
        return np.asarray(scale * (mean.value(counts) - chance))

    parts = mean.parts and replace(mean.parts, terms=tuple((scale * w, each) for w, each in mean.parts.terms))
    slopes = mean.gradient
    return replace(
        named, value=value, gradient=lambda counts: scale * slopes(counts), parts=parts, shares=None, terms=None
    )


def gaps_of(spec: Spec, tables: Sequence[Table]) -> Array | None:
    """Return the classes that an average leaves out for all of several models: see `gaps`; None for other metrics."""
    return gaps(_of_each_class(spec), tables) if _is_average(spec, tables) else None


def unseen_of(spec: Spec, table: Table) -> Array | None:
    """Return the classes that an average leaves out on one of several test sets: see `unseen`; None for others."""
    return unseen(_of_each_class(spec), table) if _is_average(spec, [table]) else None


def _is_average(spec: Spec, tables: Sequence[Table]) -> bool:
    is_average = spec.definition.form.name == "outcomes" and spec.average in BY_NAME
    is_mean_recall = spec.definition.terms == ("recall",)
    return (is_average or is_mean_recall) and all(isinstance(each.counted, ClassCounts) for each in tables)


def _of_each_class(spec: Spec) -> Spec:
    """Return the spec of the average that a metric is: balanced accuracy is that of recall."""
    if spec.definition.terms != ("recall",):
        return spec
    return Spec(cast("Definition", REGISTRY.find("recall")), average="macro")


def _terms(spec: Spec, average: Average, members: ClassSet, kept: Array | None) -> Callable[..., Array] | None:
    """Return the summand of each class as a function of its outcomes; None where it depends on other classes."""
    if average.name not in {"macro", "weighted"} or (average.reads_weights and kept is not None):
        return None
    times = np.bincount(members.kept, minlength=len(members.constants)) / len(members.kept)

    def terms(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
        values = members.filled(filled(spec.definition.evaluate(tp, fn, fp, tn, **spec.arguments), spec))
        if average.reads_weights:
            return values * divide(tp + fn, tp + fn + fp + tn)
        return np.where(times > 0, values * times, 0.0)

    return terms if spec.definition.form.name == "outcomes" else None


def _scatter(values: Array, chosen: Array, size: int) -> Array:
    every = np.zeros((*values.shape[:-1], size))
    every[..., chosen] = values
    return every


def _parts(spec: Spec, members: ClassSet) -> Parts | None:
    """Return the proportions of the classes that vary, and their fraction of the averaged classes."""
    varying = members.kept[np.isnan(members.constants[members.kept])]
    if not len(varying):
        return parts_of(spec, members.kept)
    return parts_of(spec, varying, len(varying) / len(members.kept))


def parts_of(spec: Spec, classes: Array, weight: float = 1.0) -> Parts | None:
    """Return an average of a metric of outcomes as a sum of proportions, or None if it is not one."""
    definition = spec.definition
    if definition.terms:
        ratios = [REGISTRY.find(name).outcome_ratio() for name in definition.terms]  # type: ignore[union-attr]
        return Parts(tuple((weight, ratio) for ratio in ratios if ratio is not None), classes)
    share = definition.share_ratio(**spec.arguments)
    return None if share is None else Parts(((weight, share),), classes)

"""Averages over classes of a metric of one class against the rest, bound to a table's classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from howsure.arrays import Array
from howsure.metrics.averages import BY_NAME, Average
from howsure.metrics.class_sets import ClassSet, gaps, unseen
from howsure.metrics.collapsible_cells import codes_of_shares
from howsure.metrics.metric import Metric
from howsure.metrics.registry import REGISTRY, Definition
from howsure.metrics.spec import Spec
from howsure.metrics.structures import ClassAverage
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table


def basics(spec: Spec, classes: int) -> dict[str, Any]:
    """Return the fields that a bound metric has from its spec."""
    bounds = spec.definition.bounds(classes, spec.arguments)
    return {"name": spec.text, "range": bounds, "better": spec.definition.better, "spec": spec}


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
    size = len(table.labels)
    members = ClassSet.of(spec, table, chosen, without)
    kept = None if chosen is None and len(members.kept) == size else members.kept
    codes = codes_of_shares(spec, members.kept, table, weighs=average.reads_weights)
    found = ClassAverage(spec, average, members, kept, codes)
    return Metric(
        **basics(spec, size),
        counts_class=table.counts_class,
        value=found.value,
        gradient=found.gradient,
        structure=found.proportion_sum if spec.definition.form.name == "events" else found,
        takes_batches=not members.differs,
    )


def mean_recall(spec: Spec, table: Table, chosen: Array | None, without: Array | None = None) -> Metric:
    """Return balanced accuracy: the mean recall of the classes that occur, or that beyond a random classifier's."""
    mean = averaged(_of_each_class(spec), table, BY_NAME["macro"], chosen, without)
    named = replace(mean, **basics(spec, len(table.labels)))
    if not spec.arguments.get("adjusted"):
        return named
    average = cast("ClassAverage", mean.structure)
    chance = 1 / max(len(average.members.kept), 2)
    scale = 1 / (1 - chance)
    return replace(
        named,
        value=lambda counts: np.asarray(scale * (average.value(counts) - chance)),
        gradient=lambda counts: scale * average.gradient(counts),
        structure=replace(average, scale=scale),
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

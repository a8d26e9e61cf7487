"""Metrics of predictions, bound to a table's classes, with their value, gradient and structure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from operator import methodcaller
from typing import Any, cast

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics import averages
from howsure.metrics.class_averages import averaged, basics, mean_recall
from howsure.metrics.collapsible_cells import codes_of_outcomes, codes_of_ratio
from howsure.metrics.forms import Ratio, complex_step, divide
from howsure.metrics.metric import Metric
from howsure.metrics.registry import REGISTRY, Definition
from howsure.metrics.spec import Spec
from howsure.metrics.structures import CellSums, filled
from howsure.tables.counts import ClassCounts, ConfusionCounts, Outcomes
from howsure.tables.protocols import cases_per_count
from howsure.tables.table import Table

REMEMBERED = 16  # linear forms of metrics, which may be large


def of_predictions(spec: Spec, table: Table, classes: Sequence[int] | None, without: Array | None = None) -> Metric:
    """Return the metric of a spec for a table of predictions.

    Parameters
    ----------
    spec : Spec
        Spec of a metric of predictions.
    table : ConfusionTable or MultilabelTable
        The table with the classes.
    classes : sequence of int, optional
        Positions of the classes to average over; all by default.
    without : ndarray of bool of shape (K,), optional
        Classes that an average leaves out for another model of the comparison.

    Raises
    ------
    HowsureError
        If the metric is for one class, and the spec names neither a class nor an average.
    """
    if not table.kind.has_negatives and spec.definition.reads_negatives:
        raise _needs_negatives(spec, table)
    if spec.definition.has_outcomes:
        return _of_outcomes(spec, table, classes, without)
    if not table.kind.has_one_label_per_case:
        raise HowsureError(
            f"`{spec.text}` is not defined for multilabel data, where a case has many labels. "
            "Use a metric of one label with an average, such as 'f1@macro', or the functions that compare the cases' "
            "sets of labels: `hs.accuracy_score`, `hs.hamming_loss`, `hs.f1_score(…, average='samples')`."
        )
    if spec.definition.terms == ("recall",):
        chosen = None if classes is None else _positions(classes, len(table.labels))
        return mean_recall(spec, table, chosen, without)
    bind = {"margins": _of_margins, "cells": _of_cells, "coefficients": _of_coefficients}[spec.definition.form.name]
    metric = bind(spec, len(table.labels))
    return metric if spec.definition.disagreement is None else _of_a_sample(metric, spec.definition.disagreement, table)


def _of_a_sample(metric: Metric, disagreement: Callable[[Any], Any], table: Table) -> Metric:
    """Return the metric of samples of as many cases as the table has, whose number its definition contains."""
    factor = disagreement(table.cells.sum(-1) * cases_per_count(table))
    return replace(
        metric,
        value=lambda counts: 1 - (1 - metric.value(counts)) * factor,
        gradient=lambda counts: metric.gradient(counts) * np.asarray(factor)[..., None, None],
        population=metric,
        takes_batches=False,
    )


def _of_outcomes(spec: Spec, table: Table, classes: Sequence[int] | None, without: Array | None) -> Metric:
    chosen = None if classes is None else _positions(classes, len(table.labels))
    if spec.average == "none":
        raise HowsureError(
            f"`{spec.text}` is one value per class: give it to `evaluate`, or name one class, "
            f"'{spec.head}@binary+positive_class=…'."
        )
    if spec.average == "micro":
        return _pooled(spec, table, chosen)
    if spec.average in averages.BY_NAME:
        return averaged(spec, table, averages.BY_NAME[spec.average], chosen, without)
    index = _default_class(table) if spec.positive_class is None else table.position(spec.positive_class)
    if index is None:
        raise needs_average(spec, table)
    return of_one_class(spec, table, index)


def _positions(classes: Sequence[int], size: int) -> Array:
    """Return positions of classes; raise an error for invalid ones."""
    chosen = np.atleast_1d(np.asarray(classes))
    if chosen.dtype.kind not in "iu" or not chosen.size or chosen.min() < 0 or chosen.max() >= size:
        raise HowsureError(f"`classes` has positions of classes, whole numbers from 0 to {size - 1}, not {classes!r}.")
    return chosen


def needs_average(spec: Spec, table: Table) -> HowsureError:
    """Return the error for a metric of one class that meets many, and no average is named."""
    return HowsureError(
        f"`{spec.head}` is a metric of one class, and there are {len(table.labels)} {table.kind.classes_noun}. "
        f"Name an average, '{spec.head}@macro', or a class, '{spec.head}@binary+positive_class={table.labels[-1]}'; "
        f"'{spec.head}@none' gives `evaluate` each class."
    )


def _needs_negatives(spec: Spec, table: Table) -> HowsureError:
    """Return the error for a metric of true negatives, with the metrics that do without them."""
    usable = [each.name for each in REGISTRY.shipped if each.has_outcomes and not each.reads_negatives]
    return HowsureError(
        f"`{spec.text}` uses true negatives, which a {table.kind.noun} does not have. Use one that does not: "
        f"{', '.join(usable)}."
    )


def _default_class(table: Table) -> int | None:
    """Return the position of the second of two classes, or of the only class of events; None if there is none."""
    if not table.kind.has_negatives:
        return 0 if len(table.labels) == 1 else None
    return 1 if table.is_binary and table.kind.has_one_label_per_case else None


def of_one_class(spec: Spec, table: Table, index: int) -> Metric:
    """Return the metric of the class at a position against the rest."""
    form, where = None, np.array([index])
    if spec.definition.linear and table.shape == (2, 2):
        arguments = tuple(spec.arguments.items())
        form = partial(_ratio_of_two_classes, spec.definition, arguments, index)
    return _of_one_table(spec, table, where, methodcaller("outcomes", index), form=form, positive=index)


@lru_cache(REMEMBERED)
def _ratio_of_two_classes(definition: Definition, arguments: tuple[tuple[str, object], ...], index: int) -> Ratio:
    """Return the linear forms in the cells of a 2×2 table that one class against the rest needs."""
    one = ConfusionCounts(np.zeros((2, 2)))
    return _ratio_of_outcomes(definition, dict(arguments), lambda single: one.by_cell_of(single, np.array([index])))


def _ratio_of_outcomes(definition: Definition, arguments: dict[str, Any], by_cell: Callable[[Array], Array]) -> Ratio:
    outcome = definition.outcome_ratio(**arguments)
    assert outcome is not None  # noqa: S101 - of linear definitions only
    return Ratio(by_cell(outcome.numerator), by_cell(outcome.denominator))


def _pooled(spec: Spec, table: Table, chosen: Array | None) -> Metric:
    where: Any = slice(None) if chosen is None else chosen
    classes = len(table.labels) if chosen is None else len(chosen)
    share = 1 / classes if spec.definition.form.name == "events" else 1.0  # all classes have the same units

    def pooled(counts: ClassCounts) -> Outcomes:
        tp, fn, fp, last = (part[..., where].sum(-1) for part in counts.outcomes())
        return tp, fn, fp, share * last

    return _of_one_table(spec, table, where, pooled, last_share=share, classes=chosen)


def _of_one_table(
    spec: Spec,
    table: Table,
    where: object,
    outcomes: Callable[[ClassCounts], Outcomes],
    *,
    last_share: float = 1.0,
    form: Callable[[], Ratio] | None = None,
    positive: int | None = None,
    classes: Array | None = None,
) -> Metric:
    """Return the metric of one 2×2 table, the sum of the outcomes of the classes ``where``.

    The true negatives may be multiplied by a fraction. For other parameters see `CellSums`.
    """
    definition, arguments, size = spec.definition, spec.arguments, len(table.labels)
    own = cast("ClassCounts", table.counted)  # as of all tables with classes

    def by_cell(single: Array, counts: ClassCounts = own) -> Array:
        each = single if last_share == 1.0 else np.stack([*single[:3], last_share * single[3]])
        return counts.by_cell_of(each, where)

    if form is None and definition.linear:
        form = partial(_ratio_of_outcomes, definition, arguments, by_cell)
    codes = partial(codes_of_outcomes, size, where) if table.kind.has_rows else None
    return Metric(
        **basics(spec, size),
        counts_class=type(own),
        value=lambda counts: filled(definition.evaluate(*outcomes(counts), **arguments), spec),
        gradient=lambda counts: by_cell(definition.slopes(*outcomes(counts), **arguments), counts),
        structure=CellSums(codes, form, positive, classes),
    )


def _of_margins(spec: Spec, size: int) -> Metric:
    definition, arguments = spec.definition, spec.arguments

    def gradient(counts: ConfusionCounts) -> Array:
        margins = counts.hits, counts.rows, counts.columns
        if definition.derivative is not None:
            with np.errstate(all="ignore"):
                slopes = definition.derivative(*margins, **arguments)
        else:
            flat = np.concatenate(margins, -1)
            stepped = complex_step(lambda nudged: definition.evaluate(*np.split(nudged, 3, axis=-1), **arguments), flat)
            slopes = np.split(stepped, 3, axis=-1)
        found = counts.by_margins(*slopes)
        if np.isnan(found).any():
            return counts.by_margins(*(np.where(np.isnan(part), 0.0, part) for part in slopes))
        return found

    def ratio() -> Ratio:
        return _ratio_of_margins(definition, tuple(arguments.items()), size)

    def value(counts: ClassCounts) -> Array:
        if definition.linear and counts.has_few_cells:
            return value_of_ratio(ratio(), counts)
        return definition.evaluate(counts.hits, counts.rows, counts.columns, **arguments)

    return Metric(
        **basics(spec, size),
        counts_class=ConfusionCounts,
        value=value,
        gradient=(lambda counts: slopes_of_ratio(ratio(), counts)) if definition.linear else gradient,
        structure=CellSums(lambda: codes_of_ratio(ratio()), ratio) if definition.linear else None,
    )


@lru_cache(REMEMBERED)
def _ratio_of_margins(definition: Definition, arguments: tuple[tuple[str, object], ...], size: int) -> Ratio:
    """Return a linear metric of margins as a ratio of linear forms of the cells."""
    basis = np.eye(3 * size).reshape(-1, 3, size)
    forms = definition.function(*np.moveaxis(basis, 1, 0), **dict(arguments))
    one = ConfusionCounts(np.zeros((size, size)))
    return Ratio(*(one.by_margins(*form.reshape(3, -1)) for form in forms))


def _of_cells(spec: Spec, size: int) -> Metric:
    definition, arguments = spec.definition, spec.arguments

    def stepped(cells: Array) -> Array:
        flat = cells.reshape(*cells.shape[:-2], -1)
        slopes = complex_step(lambda nudged: value(nudged.reshape(*nudged.shape[:-1], *cells.shape[-2:])), flat)
        return slopes.reshape(cells.shape)

    def value(cells: Array) -> Array:
        return definition.evaluate(cells, **arguments)

    given = definition.derivative
    return Metric(
        **basics(spec, size),
        counts_class=ConfusionCounts,
        value=lambda counts: value(counts.cells),
        gradient=lambda counts: stepped(counts.cells) if given is None else given(counts.cells, **arguments),
    )


def _of_coefficients(spec: Spec, size: int) -> Metric:
    ratio = Ratio(*spec.definition.function(size, **spec.arguments))

    return Metric(
        **basics(spec, size),
        counts_class=ConfusionCounts,
        value=lambda counts: value_of_ratio(ratio, counts),
        gradient=lambda counts: slopes_of_ratio(ratio, counts),
        structure=CellSums(lambda: codes_of_ratio(ratio), lambda: ratio),
    )


def value_of_ratio(ratio: Ratio, counts: ClassCounts) -> Array:
    """Return a ratio of linear forms on counts; nan where it is undefined."""
    return divide(_summed(counts, ratio.numerator), _summed(counts, ratio.denominator))


def slopes_of_ratio(ratio: Ratio, counts: ClassCounts) -> Array:
    """Return the derivatives of a ratio of linear forms by each of the counts' cells; 0 where it is undefined."""
    part, whole = counts.at(ratio.numerator), counts.at(ratio.denominator)
    above, below = (_summed(counts, form)[(..., *[None] * part.ndim)] for form in (ratio.numerator, ratio.denominator))
    share = divide(np.ones_like(below), below)
    return np.asarray(np.nan_to_num(part * share - whole * (above * share * share)))


def _summed(counts: ClassCounts, form: Array) -> Array:
    own = counts.at(form)
    return np.asarray((counts.cells * own).sum(tuple(range(-own.ndim, 0))))

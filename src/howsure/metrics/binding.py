"""From a spec to a metric: bound to a table's labels, with its value, its gradient and its parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.metrics import averages
from howsure.metrics.averages import Average
from howsure.metrics.metric import REGISTRY, Metric, Parts, Ratio, complex_step
from howsure.metrics.multiclass import resolve_multiclass
from howsure.metrics.registry import per_table
from howsure.metrics.roc import resolve_scores
from howsure.metrics.spec import Spec, parse
from howsure.tables.counts import ClassCounts, ConfusionCounts, Counts
from howsure.tables.multilabel import MultilabelTable
from howsure.tables.paired import JointTable
from howsure.tables.score_matrix import ScoreMatrixTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Array = NDArray[Any]


def resolve(
    spec: str | Spec | Metric, table: Table, *, classes: Sequence[int] | None = None, threshold: float | None = None
) -> Metric:
    """Return the metric that a spec names on a table.

    Parameters
    ----------
    spec
        A spec string, or a metric, which is returned as it is.
    table
        Its labels give ``positive_class`` a position; two classes without an average mean the second one.
    classes
        Positions of the classes to average over; all by default.
    threshold
        Where a metric of counts reads a table of scores; metrics of scores do not look at it.

    Raises
    ------
    HowsureError
        If a name is unknown, or a metric of one class meets more than two classes and no average is named.
    """
    if isinstance(table, ScoresTable) and threshold is not None and of_counts(spec):
        small = table.at(threshold)
        counted = resolve(spec, small, classes=classes)
        split = int(np.searchsorted(table.scores, threshold))

        def smaller(scored: Table) -> tuple[Table, Metric]:
            return small if scored is table else scored.at(threshold), counted

        return replace(from_split(counted, split), smaller=smaller)
    if isinstance(spec, Metric):
        return spec
    if isinstance(table, JointTable):
        first = table.models[0]
        message = f"The table holds {len(table.models)} models. Use `compare`, or take one: `table.model({first!r})`."
        raise HowsureError(message)
    if isinstance(table, ScoresTable | ScoreMatrixTable):
        text = spec if isinstance(spec, str) else spec.text
        return resolve_scores(text, table) if isinstance(table, ScoresTable) else resolve_multiclass(text, table)
    parsed = spec if isinstance(spec, Spec) else parse(spec)
    builder = {"outcomes": _of_outcomes, "margins": _of_margins, "cells": _of_cells, "coefficients": _of_coefficients}
    if isinstance(table, MultilabelTable) and parsed.definition.form != "outcomes":
        message = (
            f"`{parsed.text}` is not defined for multilabel data, where a case has many labels. "
            "Use a metric of one label with an average, such as 'f1@macro'."
        )
        raise HowsureError(message)
    if parsed.definition.form == "outcomes":
        return _of_outcomes(parsed, table, classes)
    return builder[parsed.definition.form](parsed, table, None)


def of_counts(spec: str | Spec | Metric) -> bool:
    """Whether a spec names a metric of a confusion table."""
    if isinstance(spec, str):
        return REGISTRY.find(re.split(r"[+@]", spec)[0]) is not None
    return isinstance(spec, Spec) or issubclass(spec.counts_class, ClassCounts)


def from_split(metric: Metric, split: int) -> Metric:
    """Return a metric of the confusion table as one of scores, the first ``split`` of which are predicted negative."""

    def divided(cells: Array) -> Counts:
        return ConfusionCounts(np.stack([cells[..., :split, :].sum(-2), cells[..., split:, :].sum(-2)], -1))

    def gradient(counts: Counts) -> Array:
        below, above = np.moveaxis(metric.gradient(divided(counts.cells)), -1, 0)[..., None, :]
        return np.asarray(np.where(np.arange(counts.cells.shape[-2])[:, None] < split, below, above))

    return replace(
        metric,
        counts_class=Counts,
        value=lambda counts: metric.value(divided(counts.cells)),
        gradient=gradient,
        ratio=None,
        parts=None,
        positive=None,
        per_class=None,
    )


def labels_to_expand(spec: str | Metric, table: Table) -> list[str] | None:
    """Return one spec a class where the average is ``none``, else None."""
    if isinstance(spec, Metric) or (isinstance(table, ScoresTable) and not of_counts(spec)):
        return None
    if isinstance(table, ScoreMatrixTable):
        head, _, tail = spec.partition("@")
        every = tail.strip().lower() in averages.PER_CLASS
        return [f"{head}@binary+positive_class={label}" for label in table.labels] if every else None
    parsed = parse(spec)
    if parsed.average != "none":
        return None
    return [replace(parsed, average="binary", positive_class=str(label)).text for label in table.labels]


def _of_outcomes(spec: Spec, table: Table, classes: Sequence[int] | None) -> Metric:
    average = spec.average
    if average is None:
        if len(table.labels) != 2 or isinstance(table, MultilabelTable):  # noqa: PLR2004
            raise HowsureError(_needs_average(spec, table))
        average = "binary"
    if average == "none":
        message = (
            f"`{spec.text}` is one value a class: give it to `evaluate`, or name one class, "
            f"'{spec.definition.name}@binary+positive_class=…'."
        )
        raise HowsureError(message)
    if average == "binary":
        return _single_class(spec, table)
    chosen = None if classes is None else np.asarray(classes)
    if average == "micro":
        return _pooled(spec, table, chosen)
    return _averaged(spec, table, averages.BY_NAME[average], chosen)


def _needs_average(spec: Spec, table: Table) -> str:
    number = len(table.labels)
    what = table.classes_noun
    return (
        f"`{spec.text}` looks at one class, and there are {number} {what}. Name an average, "
        f"'{spec.text}@macro', or a class, '{spec.text}@binary+positive_class={table.labels[-1]}'."
    )


def _basics(spec: Spec, classes: int) -> dict[str, Any]:
    definition = spec.definition
    bounds = definition.bounds(classes, spec.arguments)
    return {"name": spec.text, "range": bounds, "better": definition.better, "definition": definition}


def _filled(values: Array, spec: Spec) -> Array:
    return values if np.isnan(spec.zero_division) else np.where(np.isnan(values), spec.zero_division, values)


def _single_class(spec: Spec, table: Table) -> Metric:
    definition, arguments, of = spec.definition, spec.arguments, _class_counts(table)
    size = len(table.labels)
    if spec.positive_class is None and (size != 2 or isinstance(table, MultilabelTable)):  # noqa: PLR2004
        raise HowsureError(_needs_average(replace(spec, average=None), table))
    index = 1 if spec.positive_class is None else table.position(spec.positive_class)

    def value(counts: Any) -> Array:
        return _filled(definition.evaluate(*counts.outcomes(index), **arguments), spec)

    def spread(single: Array) -> Array:
        every = np.zeros((*single.shape, size))
        every[..., index] = single
        return every

    def gradient(counts: Counts) -> Array:
        return of.by_cell(spread(definition.slopes(*counts.outcomes(index), **arguments)))

    def ratio(_: tuple[int, ...]) -> Ratio:
        outcome = definition.outcome_ratio(**arguments)
        assert outcome is not None  # noqa: S101 - `ratio` is set for linear definitions only
        return Ratio(of.by_cell(spread(outcome.numerator)), of.by_cell(spread(outcome.denominator)))

    return Metric(
        **_basics(spec, size),
        counts_class=of,
        value=value,
        gradient=gradient,
        ratio=ratio if definition.linear else None,
        parts=_parts(spec, np.array([index])),
        positive=index,
    )


def _pooled(spec: Spec, table: Table, chosen: Array | None) -> Metric:
    definition, arguments, of = spec.definition, spec.arguments, _class_counts(table)
    size = len(table.labels)

    def pooled(counts: Counts) -> tuple[Array, ...]:
        where: Any = slice(None) if chosen is None else chosen
        return tuple(part[..., where].sum(-1) for part in counts.outcomes())

    def value(counts: Counts) -> Array:
        return _filled(definition.evaluate(*pooled(counts), **arguments), spec)

    def spread(single: Array) -> Array:
        every = np.zeros((*single.shape, size))
        every[..., slice(None) if chosen is None else chosen] = single[..., None]
        return every

    def gradient(counts: Counts) -> Array:
        return of.by_cell(spread(definition.slopes(*pooled(counts), **arguments)))

    def ratio(_: tuple[int, ...]) -> Ratio:
        outcome = definition.outcome_ratio(**arguments)
        assert outcome is not None  # noqa: S101 - `ratio` is set for linear definitions only
        return Ratio(*(of.by_cell(spread(part)) for part in (outcome.numerator, outcome.denominator)))

    return Metric(
        **_basics(spec, 2),
        counts_class=of,
        value=value,
        gradient=gradient,
        ratio=ratio if definition.linear else None,
    )


def _averaged(spec: Spec, table: Table, average: Average, chosen: Array | None) -> Metric:
    definition, arguments, of = spec.definition, spec.arguments, _class_counts(table)

    def per_class(counts: Counts) -> tuple[Array, Array]:
        values = _filled(definition.evaluate(*counts.outcomes(), **arguments), spec)
        return (values, counts.rows) if chosen is None else (values[..., chosen], counts.rows[..., chosen])

    def gradient(counts: Counts) -> Array:
        by_value, by_weight = average.slopes(*per_class(counts))
        if chosen is not None:
            by_value, by_weight = (_scatter(part, chosen, counts.classes) for part in (by_value, by_weight))
        with np.errstate(invalid="ignore"):
            slopes = definition.slopes(*counts.outcomes(), **arguments) * by_value
        slopes = np.where(by_value == 0, 0.0, slopes)
        slopes[:2] += by_weight  # a class's weight is its true total, tp + fn
        return of.by_cell(slopes)

    classes = np.arange(len(table.labels)) if chosen is None else chosen
    return Metric(
        **_basics(spec, len(table.labels)),
        counts_class=of,
        value=lambda counts: average.value(*per_class(counts)),
        gradient=gradient,
        parts=_parts(spec, classes) if average.name == "macro" and np.isnan(spec.zero_division) else None,
        per_class=lambda counts: per_class(counts)[0],
    )


def _class_counts(table: Table) -> type[ClassCounts]:
    of = table.counts_class
    assert issubclass(of, ClassCounts)  # noqa: S101 - tables of classes alone come here
    return of


def _scatter(values: Array, chosen: Array, size: int) -> Array:
    every = np.zeros((*values.shape[:-1], size))
    every[..., chosen] = values
    return every


def _parts(spec: Spec, classes: Array) -> Parts | None:
    definition = spec.definition
    if definition.terms:
        ratios = [REGISTRY.find(name).outcome_ratio() for name in definition.terms]  # type: ignore[union-attr]
        return Parts(tuple((1.0, ratio) for ratio in ratios if ratio is not None), classes)
    ratio = definition.outcome_ratio(**spec.arguments)
    if ratio is None or ratio.proportion() is None:
        return None
    return Parts(((1.0, ratio),), classes)


def _of_margins(spec: Spec, table: Table, _: object) -> Metric:
    definition, arguments, size = spec.definition, spec.arguments, len(table.labels)

    def value(counts: Counts) -> Array:
        return definition.evaluate(counts.hits, counts.rows, counts.columns, **arguments)

    def gradient(counts: Counts) -> Array:
        parts = (counts.hits, counts.rows, counts.columns)
        return _from_margins(_margin_slopes(lambda *nudged: definition.evaluate(*nudged, **arguments), parts))

    def ratio(shape: tuple[int, ...]) -> Ratio:
        basis = np.eye(3 * shape[0]).reshape(-1, 3, shape[0])
        forms = definition.function(*np.moveaxis(basis, 1, 0), **arguments)
        return Ratio(*(_from_margins(form.reshape(3, -1)) for form in forms))

    scale = 1.0 if not arguments.get("adjusted") else 1 / (1 - 1 / size)
    parts = _parts(spec, np.arange(size)) if definition.terms else None
    return Metric(
        **_basics(spec, size),
        counts_class=ConfusionCounts,
        value=value,
        gradient=gradient,
        ratio=ratio if definition.linear else None,
        parts=None
        if parts is None
        else Parts(tuple((scale * weight, each) for weight, each in parts.terms), parts.classes),
    )


def _margin_slopes(function: Any, parts: tuple[Array, ...]) -> Array:
    """Return the derivatives by each diagonal count, row total and column total, ``(3, ..., K)``."""
    slopes = complex_step(lambda flat: function(*np.split(flat, 3, axis=-1)), np.concatenate(parts, -1))
    return np.stack(np.split(np.nan_to_num(slopes, nan=0.0, posinf=np.inf, neginf=-np.inf), 3, axis=-1))


def _from_margins(slopes: Array) -> Array:
    hits, rows, columns = slopes
    cells: Array = rows[..., :, None] + columns[..., None, :]
    diagonal = np.arange(hits.shape[-1])
    cells[..., diagonal, diagonal] += hits
    return cells


def _of_cells(spec: Spec, table: Table, _: object) -> Metric:
    definition, arguments, size = spec.definition, spec.arguments, len(table.labels)

    def value(counts: Counts) -> Array:
        return definition.evaluate(counts.cells, **arguments)

    def gradient(counts: Counts) -> Array:
        if definition.derivative is not None:
            return per_table(lambda cells: np.asarray(definition.derivative(cells, **arguments)), counts.cells)
        return _cell_slopes(lambda cells: definition.evaluate(cells, **arguments), counts.cells)

    return Metric(**_basics(spec, size), counts_class=ConfusionCounts, value=value, gradient=gradient)


def _cell_slopes(function: Any, cells: Array) -> Array:
    shape = cells.shape[-2:]
    flat = cells.reshape(*cells.shape[:-2], -1)
    slopes = complex_step(lambda nudged: function(nudged.reshape(*nudged.shape[:-1], *shape)), flat)
    return slopes.reshape(cells.shape)


def _of_coefficients(spec: Spec, table: Table, _: object) -> Metric:
    definition, arguments, size = spec.definition, spec.arguments, len(table.labels)
    ratio = Ratio(*definition.function(size, **arguments))

    def value(counts: Counts) -> Array:
        part, whole = ((counts.cells * form).sum((-2, -1)) for form in (ratio.numerator, ratio.denominator))
        return np.where(whole == 0, np.nan, part / np.where(whole == 0, 1, whole))

    def gradient(counts: Counts) -> Array:
        whole = (counts.cells * ratio.denominator).sum((-2, -1))[..., None, None]
        return np.asarray((ratio.numerator - value(counts)[..., None, None] * ratio.denominator) / whole)

    return Metric(
        **_basics(spec, size), counts_class=ConfusionCounts, value=value, gradient=gradient, ratio=lambda _: ratio
    )

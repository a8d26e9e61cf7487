"""From a spec string to a metric: ``name+argument=value@average+argument=value``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import howsure.metrics  # noqa: F401 - fills the registry
from howsure import averages
from howsure.averages import Average
from howsure.errors import HowsureError
from howsure.metric import REGISTRY, STEP, Definition, Metric, Parts, Ratio
from howsure.metrics.multiclass import resolve_multiclass
from howsure.metrics.ranking import resolve_scores
from howsure.table import SCORES, Counts, Kind, Table

Array = NDArray[Any]
BLOCK = 128  # nudged tables evaluated at once in a gradient: bounds its memory


@dataclass(frozen=True, slots=True)
class Spec:
    """A parsed spec string."""

    definition: Definition
    arguments: dict[str, Any] = field(default_factory=dict)
    average: str | None = None
    positive_class: str | None = None
    zero_division: float = np.nan

    @property
    def text(self) -> str:
        """The spec string in its shortest, canonical form."""
        arguments = "".join(f"+{name}={_shown(value)}" for name, value in self.arguments.items())
        if not np.isnan(self.zero_division):
            arguments += f"+zero_division={self.zero_division:g}"
        average = "" if self.average is None else f"@{self.average}"
        positive = "" if self.positive_class is None else f"+positive_class={self.positive_class}"
        return self.definition.name + arguments + average + positive


def parse(text: str) -> Spec:
    """Parse a spec string; unknown names, arguments and averages are refused with the nearest known ones.

    Parameters
    ----------
    text
        ``"mcc"``, ``"f1@macro"``, ``"fbeta+beta=2@weighted"``, ``"dor@binary+positive_class=2"``.

    Examples
    --------
    >>> parse("f_beta + beta=2 @ mean").text
    'fbeta+beta=2@macro'
    """
    if not isinstance(text, str):
        message = f"A metric is named by a spec string such as 'f1@macro', not by {type(text).__name__}."
        raise HowsureError(message)
    head, at, tail = text.partition("@")
    name, *pairs = head.split("+")
    definition = REGISTRY.find(name)
    if definition is None:
        raise HowsureError.unknown("metric", name.strip(), REGISTRY.names)
    given: dict[str, str] = {}
    for key, value in (_pair(each, text) for each in pairs):
        if key in given:
            message = f"'{text}' gives `{key}` twice."
            raise HowsureError(message)
        given[key] = value
    zero_division = _zero_division(definition, given.pop("zero_division", "nan"))
    arguments = {key: _typed(definition, key, value) for key, value in given.items()}
    spec = Spec(definition, _non_default(definition, arguments), zero_division=zero_division)
    return _with_average(spec, tail, text) if at else spec


def _with_average(spec: Spec, tail: str, text: str) -> Spec:
    name, plus, rest = tail.partition("+")  # a class's name may hold a plus: "ER+"
    word = name.strip().lower()
    if spec.definition.form != "outcomes":
        message = f"`{spec.definition.name}` is one number for the whole table and takes no average: drop '@{word}'."
        raise HowsureError(message)
    canonical = averages.canonical_average(word)
    given = dict([_pair(rest, text)]) if plus else {}
    positive = given.pop("positive_class", None)
    if positive is not None and canonical != "binary":
        message = f"`positive_class` goes with the average 'binary', not with '{word}'."
        raise HowsureError(message)
    if given:
        raise HowsureError.unknown("argument of an average", next(iter(given)), ["positive_class"])
    return replace(spec, average=canonical, positive_class=positive)


def _pair(text: str, whole: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        message = f"'{text.strip()}' in '{whole}' is not of the form argument=value."
        raise HowsureError(message)
    return name.strip(), value.strip()


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        message = f"`{name}` takes a number, not '{text}'."
        raise HowsureError(message) from None


def _zero_division(definition: Definition, text: str) -> float:
    value = _number("zero_division", text)
    if np.isnan(value):
        return value
    if definition.form != "outcomes":
        message = f"`{definition.name}` takes no `zero_division`: where its denominator is zero it is nan."
        raise HowsureError(message)
    lowest, highest = definition.bounds(2, {})
    if not (np.isfinite(value) and lowest <= value <= highest):
        message = f"`zero_division` of `{definition.name}` lies in [{lowest:g}, {highest:g}] or is nan, not {text}."
        raise HowsureError(message)
    return value


def _typed(definition: Definition, name: str, text: str) -> Any:
    if name not in definition.parameters:
        known = [*definition.parameters, *(["zero_division"] if definition.form == "outcomes" else [])]
        raise HowsureError.unknown(f"argument of `{definition.name}`", name, known)
    default = definition.parameters[name].default
    if isinstance(default, bool):
        if text.lower() not in {"true", "false", "1", "0"}:
            message = f"`{name}` of `{definition.name}` is true or false, not '{text}'."
            raise HowsureError(message)
        return text.lower() in {"true", "1"}
    if isinstance(default, int | float):
        value = _number(f"{name}` of `{definition.name}", text)
        if not np.isfinite(value):
            message = f"`{name}` of `{definition.name}` takes a finite number, not '{text}'."
            raise HowsureError(message)
        return value
    return text


def _non_default(definition: Definition, arguments: dict[str, Any]) -> dict[str, Any]:
    parameters = definition.parameters
    order = sorted(arguments, key=list(parameters).index)
    return {name: arguments[name] for name in order if arguments[name] != parameters[name].default}


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower()


# --- binding a spec to a table's labels --------------------------------------------------------------------------


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
    if table.kind == "scores" and threshold is not None and of_counts(spec):
        counted = resolve(spec, table.at(threshold), classes=classes)
        split = int(np.searchsorted(table.support[0], threshold))
        return replace(from_split(counted, split), smaller=lambda scored: (scored.at(threshold), counted))
    if isinstance(spec, Metric):
        return spec
    if table.kind in {"paired", "paired_scores"}:
        first = table.models[0]
        message = f"The table holds {len(table.models)} models. Use `compare`, or take one: `table.model({first!r})`."
        raise HowsureError(message)
    if table.kind in SCORES:
        text = spec if isinstance(spec, str) else spec.text
        return resolve_scores(text, table) if table.kind == "scores" else resolve_multiclass(text, table)
    parsed = spec if isinstance(spec, Spec) else parse(spec)
    builder = {"outcomes": _of_outcomes, "margins": _of_margins, "cells": _of_cells, "coefficients": _of_coefficients}
    if table.kind == "multilabel" and parsed.definition.form != "outcomes":
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
    return isinstance(spec, Spec) or spec.kind == "confusion"


def from_split(metric: Metric, split: int) -> Metric:
    """Return a metric of the confusion table as one of scores, the first ``split`` of which are predicted negative."""

    def divided(cells: Array) -> Counts:
        return Counts(np.stack([cells[..., :split, :].sum(-2), cells[..., split:, :].sum(-2)], -1))

    def gradient(counts: Counts) -> Array:
        below, above = metric.gradient(divided(counts.cells)).T
        return np.asarray(np.where(np.arange(counts.cells.shape[-2])[:, None] < split, below, above))

    return replace(
        metric,
        kind="scores",
        value=lambda counts: metric.value(divided(counts.cells)),
        gradient=gradient,
        ratio=None,
        parts=None,
        positive=None,
        per_class=None,
    )


def labels_to_expand(spec: str | Metric, table: Table) -> list[str] | None:
    """Return one spec a class where the average is ``none``, else None."""
    if isinstance(spec, Metric) or (table.kind == "scores" and not of_counts(spec)):
        return None
    if table.kind in SCORES and table.kind != "scores":
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
        if len(table.labels) != 2 or table.kind == "multilabel":  # noqa: PLR2004
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
        return _pooled(spec, table.kind, chosen)
    return _averaged(spec, table, averages.BY_NAME[average], chosen)


def _needs_average(spec: Spec, table: Table) -> str:
    number = len(table.labels)
    what = "labels" if table.kind == "multilabel" else "classes"
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
    definition, arguments, kind = spec.definition, spec.arguments, table.kind
    size = len(table.labels)
    if spec.positive_class is None and (size != 2 or kind == "multilabel"):  # noqa: PLR2004
        raise HowsureError(_needs_average(replace(spec, average=None), table))
    index = 1 if spec.positive_class is None else table.position(spec.positive_class)

    def value(counts: Counts) -> Array:
        return _filled(definition.evaluate(*counts.outcomes(index), **arguments), spec)

    def spread(single: Array) -> Array:
        every = np.zeros((4, size))
        every[:, index] = single
        return every

    def gradient(counts: Counts) -> Array:
        return assemble(spread(definition.slopes(*counts.outcomes(index), **arguments)), kind)

    def ratio(_: tuple[int, ...]) -> Ratio:
        outcome = definition.outcome_ratio(**arguments)
        assert outcome is not None  # noqa: S101 - `ratio` is set for linear definitions only
        return Ratio(assemble(spread(outcome.numerator), kind), assemble(spread(outcome.denominator), kind))

    return Metric(
        **_basics(spec, size),
        kind=kind,
        value=value,
        gradient=gradient,
        ratio=ratio if definition.linear else None,
        parts=_parts(spec, np.array([index])),
        positive=index,
    )


def _pooled(spec: Spec, kind: Kind, chosen: Array | None) -> Metric:
    definition, arguments = spec.definition, spec.arguments

    def pooled(counts: Counts) -> tuple[Array, ...]:
        where: Any = slice(None) if chosen is None else chosen
        return tuple(part[..., where].sum(-1) for part in counts.outcomes())

    def value(counts: Counts) -> Array:
        return _filled(definition.evaluate(*pooled(counts), **arguments), spec)

    def spread(single: Array, size: int) -> Array:
        every = np.zeros((4, size))
        every[:, slice(None) if chosen is None else chosen] = np.asarray(single)[:, None]
        return every

    def gradient(counts: Counts) -> Array:
        return assemble(spread(definition.slopes(*pooled(counts), **arguments), counts.classes), kind)

    def ratio(shape: tuple[int, ...]) -> Ratio:
        outcome = definition.outcome_ratio(**arguments)
        assert outcome is not None  # noqa: S101 - `ratio` is set for linear definitions only
        return Ratio(*(assemble(spread(part, shape[0]), kind) for part in (outcome.numerator, outcome.denominator)))

    return Metric(
        **_basics(spec, 2), kind=kind, value=value, gradient=gradient, ratio=ratio if definition.linear else None
    )


def _averaged(spec: Spec, table: Table, average: Average, chosen: Array | None) -> Metric:
    definition, arguments, kind = spec.definition, spec.arguments, table.kind

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
        return assemble(slopes, kind)

    classes = np.arange(len(table.labels)) if chosen is None else chosen
    return Metric(
        **_basics(spec, len(table.labels)),
        kind=kind,
        value=lambda counts: average.value(*per_class(counts)),
        gradient=gradient,
        parts=_parts(spec, classes) if average.name == "macro" and np.isnan(spec.zero_division) else None,
        per_class=lambda counts: per_class(counts)[0],
    )


def undefined_classes(metric: Metric, counts: Counts) -> tuple[int, int]:
    """How many classes an average leaves out, the metric being undefined on them, and of how many."""
    values = np.empty(0) if metric.per_class is None else metric.per_class(counts)
    return int(np.isnan(values).sum()), len(values)


def _scatter(values: Array, chosen: Array, size: int) -> Array:
    every = np.zeros(size)
    every[chosen] = values
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


def assemble(slopes: Array, kind: Kind) -> Array:
    """Turn derivatives by (tp, fn, fp, tn) of each class, ``(4, K)``, into derivatives by each cell.

    A cell (i, j) off the diagonal is a false negative of class i, a false positive of class j, and a true
    negative of all others; on the diagonal it is a true positive of its class.
    """
    tp, fn, fp, tn = slopes
    if kind == "multilabel":
        return np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
    cells: Array = tn.sum() + (fn - tn)[:, None] + (fp - tn)
    np.fill_diagonal(cells, tn.sum() - tn + tp)
    return cells


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
        kind="confusion",
        value=value,
        gradient=gradient,
        ratio=ratio if definition.linear else None,
        parts=None
        if parts is None
        else Parts(tuple((scale * weight, each) for weight, each in parts.terms), parts.classes),
    )


def _margin_slopes(function: Any, parts: tuple[Array, ...]) -> Array:
    """Return the derivatives by each diagonal count, row total and column total, ``(3, K)``, by complex step."""
    flat = np.concatenate(parts)
    slopes = np.empty(len(flat))
    for start in range(0, len(flat), BLOCK):
        index = np.arange(start, min(start + BLOCK, len(flat)))
        nudged = np.broadcast_to(flat + 0j, (len(index), len(flat))).copy()
        nudged[np.arange(len(index)), index] += STEP * 1j
        with np.errstate(all="ignore"):
            slopes[index] = function(*np.split(nudged, 3, axis=-1)).imag / STEP
    return np.nan_to_num(slopes, nan=0.0, posinf=np.inf, neginf=-np.inf).reshape(3, -1)


def _from_margins(slopes: Array) -> Array:
    hits, rows, columns = slopes
    cells: Array = rows[:, None] + columns
    cells[np.diag_indices(len(hits))] += hits
    return cells


def _of_cells(spec: Spec, table: Table, _: object) -> Metric:
    definition, arguments, size = spec.definition, spec.arguments, len(table.labels)

    def value(counts: Counts) -> Array:
        return definition.evaluate(counts.cells, **arguments)

    def gradient(counts: Counts) -> Array:
        if definition.derivative is not None:
            return np.asarray(definition.derivative(counts.cells, **arguments))
        return _cell_slopes(lambda cells: definition.evaluate(cells, **arguments), counts.cells)

    return Metric(**_basics(spec, size), kind="confusion", value=value, gradient=gradient)


def _cell_slopes(function: Any, cells: Array) -> Array:
    flat = cells.ravel()
    slopes = np.empty(len(flat))
    for start in range(0, len(flat), BLOCK):
        index = np.arange(start, min(start + BLOCK, len(flat)))
        nudged = np.broadcast_to(flat + 0j, (len(index), len(flat))).copy()
        nudged[np.arange(len(index)), index] += STEP * 1j
        with np.errstate(all="ignore"):
            slopes[index] = np.imag(function(nudged.reshape(-1, *cells.shape))) / STEP
    return slopes.reshape(cells.shape)


def _of_coefficients(spec: Spec, table: Table, _: object) -> Metric:
    definition, arguments, size = spec.definition, spec.arguments, len(table.labels)
    ratio = Ratio(*definition.function(size, **arguments))

    def value(counts: Counts) -> Array:
        part, whole = ((counts.cells * form).sum((-2, -1)) for form in (ratio.numerator, ratio.denominator))
        return np.where(whole == 0, np.nan, part / np.where(whole == 0, 1, whole))

    def gradient(counts: Counts) -> Array:
        whole = (counts.cells * ratio.denominator).sum()
        return np.asarray((ratio.numerator - float(value(counts)) * ratio.denominator) / whole)

    return Metric(**_basics(spec, size), kind="confusion", value=value, gradient=gradient, ratio=lambda _: ratio)


def signature(definition: Definition) -> str:
    """Return the arguments that a spec string may give, ``"+beta=1"``."""
    shown = (
        f"+{name}={_shown(parameter.default)}"
        for name, parameter in definition.parameters.items()
        if parameter.default is not inspect.Parameter.empty
    )
    return "".join(shown)

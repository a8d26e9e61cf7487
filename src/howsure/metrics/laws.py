"""Requirements on every metric, checked when a user's metric is registered, and in the tests for howsure's own.

Each check takes a metric and a table that it is bound to, and returns "" or an error text that follows its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.binding import resolve
from howsure.metrics.kinds import all_forms
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.confusion import ConfusionTable
from howsure.tables.events import EACH, EventsTable
from howsure.tables.multilabel import MultilabelTable
from howsure.tables.score_matrix import MulticlassScoresTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Law = Callable[[Metric, Table], str]
SIZES = (2, 3, 5)  # numbers of classes of the generic tables
LARGEST = 32  # number of classes that one's own function of K×K counts may be made for
SCORES = 11
PLACES = ((0, 0), (1, 1), (0, 2))  # indices of tables on leading axes: each row and each column
CLOSE = 1e-9  # relative, of what is equal but for rounding
STEP = 1e-5  # of central differences, relative to the count
SLOPE = 1e-5  # relative error of central differences
ROUGH = "abs, max, rounding and comparisons of counts break it: write them otherwise, or give `gradient=`"


def takes_leading_axes(metric: Metric, table: Table) -> str:
    """Check that tables on leading axes have the values and the gradients of one table at a time."""
    batch = table.counts * _random(table).uniform(0.5, 2.0, (2, 3, *table.counts.shape))
    values = _value(metric, batch)
    if values.shape != (2, 3):
        return f"does not take leading axes: counts of shape {batch.shape} give {values.shape}, not (2, 3)"
    slopes = _gradient(metric, batch)
    if slopes.shape == batch.shape and all(
        _equal(values[place], _value(metric, batch[place])) and _equal(slopes[place], _gradient(metric, batch[place]))
        for place in PLACES
    ):
        return ""
    return "does not take leading axes: tables in a batch have other values than one by one. Sum over the last axes"


def does_not_depend_on_scale(metric: Metric, table: Table) -> str:
    """Check that counts times a constant have the same value."""
    value, scaled = float(_value(metric, table.counts)), float(_value(metric, 37 * table.counts))
    if _equal(value, scaled):
        return ""
    return f"depends on the number of cases: {value:g} becomes {scaled:g} on 37 times the counts. Divide by a total"


def stays_in_range(metric: Metric, table: Table) -> str:
    """Check that values lie in the range, of generic tables and of tables with many empty cells."""
    low, high = metric.range
    kept = _random(table).random((60, *table.counts.shape)) < np.linspace(0.2, 1.0, 60).reshape(
        -1, *[1] * len(table.shape)
    )
    values = _value(metric, table.counts * kept)
    slack = CLOSE * max(1.0, *(abs(end) for end in (low, high) if np.isfinite(end)), 1.0)
    beyond = values[(values < low - slack) | (values > high + slack)]
    return f"is {beyond[0]:g} on some table, beyond its range [{low:g}, {high:g}]" if beyond.size else ""


def is_defined(metric: Metric, table: Table) -> str:
    """Check that a table with cases in every cell has a value."""
    return "" if np.isfinite(_value(metric, table.counts)) else "is undefined on a table with cases in every cell"


def has_the_derivative_as_gradient(metric: Metric, table: Table) -> str:
    """Check that the gradient equals central differences."""
    if metric.spec is not None and metric.spec.definition.is_step:
        return ""
    gradient, counts = _gradient(metric, table.counts), table.counts
    steps = STEP * np.eye(counts.size).reshape(-1, *counts.shape) * counts
    rise = _value(metric, counts + steps) - _value(metric, counts - steps)
    differences = (rise / (2 * STEP * counts.ravel())).reshape(counts.shape)
    scale = max(float(np.abs(differences).max()), 1e-4)
    wrong = np.abs(gradient - differences) > SLOPE * (np.abs(differences) + scale)
    return f"has a gradient that is not the derivative of its value; {ROUGH}" if wrong.any() else ""


def has_a_gradient_at_a_right_angle(metric: Metric, table: Table) -> str:
    """Check that the gradient's sum, weighted by the counts, is zero (Euler)."""
    terms = table.counts * _gradient(metric, table.counts)
    if abs(terms.sum()) <= CLOSE * np.abs(terms).sum() + 1e-15:
        return ""
    return f"has a gradient that is not at a right angle to the counts (Euler); {ROUGH}"


def is_undefined_on_nothing(metric: Metric, table: Table) -> str:
    """Check that a table without a case has no value."""
    value = float(_value(metric, 0 * table.counts))
    return "" if np.isnan(value) else f"is {value:g} on a table without a case, not nan"


def does_not_depend_on_the_order_of_classes(metric: Metric, table: Table) -> str:
    """Check that permuting the classes changes no average over them, and no metric of diagonal and margins."""
    form = "" if metric.spec is None else metric.spec.definition.form.name
    if form not in {"outcomes", "margins"} or metric.positive is not None or not isinstance(table, ConfusionTable):
        return ""
    order = np.roll(np.arange(len(table.labels)), 1)
    turned, slopes = (each(metric, table.counts[np.ix_(order, order)]) for each in (_value, _gradient))
    if _equal(turned, _value(metric, table.counts)) and _equal(
        slopes, _gradient(metric, table.counts)[np.ix_(order, order)]
    ):
        return ""
    return "depends on the order of the classes"


def is_the_ratio_that_it_says(metric: Metric, table: Table) -> str:
    """Check that the ratio or proportion that a metric claims to be gives its value."""
    if metric.ratio is None:
        return ""
    value, ratio = float(_value(metric, table.counts)), metric.ratio
    found = [(ratio.numerator * table.counts).sum() / (ratio.denominator * table.counts).sum()]
    if share := ratio.proportion:
        found += [float(share.metric(table.counts[share.successes].sum() / table.counts[share.trials].sum()))]
    return "" if all(_equal(each, value) for each in found) else "is not the ratio that it says"


NEEDED: tuple[Law, ...] = (  # without which no interval is right
    takes_leading_axes,
    is_defined,
    does_not_depend_on_scale,
    stays_in_range,
    has_the_derivative_as_gradient,
    has_a_gradient_at_a_right_angle,
)
LAWS: tuple[Law, ...] = (
    *NEEDED,
    is_undefined_on_nothing,
    does_not_depend_on_the_order_of_classes,
    is_the_ratio_that_it_says,
)


def violations(spec: Spec, laws: Sequence[Law] = LAWS) -> Iterator[tuple[Law, str]]:
    """Yield the requirements that a metric violates on generic tables, each with the error text.

    Parameters
    ----------
    spec : Spec
        The metric; checked on many classes if it has an average.
    laws : sequence of callable
        The requirements to check.
    """
    for table in generic_tables(spec):
        metric = resolve(spec, table)
        for law in laws:
            if words := law(metric, table):
                yield law, words


def generic_tables(spec: Spec) -> Iterator[Table]:
    """Return tables without an empty cell that a metric can be bound to, better than chance."""
    definition = spec.definition
    read = {definition.form.reads} | ({*definition.also} if spec.average is None else set())
    found: list[Table] = []
    if definition.form.takes_table or definition.also:
        forms = [form for form in all_forms() if form.takes_table]
        found = [table for form in forms for table in form.examples() if not read.isdisjoint(table.data_kinds)]
    yield from found
    if definition.form.takes_table and not definition.of_scores:
        if not found:
            raise HowsureError(
                f"There is no example of '{definition.form.reads}'. See `examples` of `define_evidence`."
            )
        return
    if definition.also and spec.arguments:
        return
    if spec.definition.of_scores:
        if spec.average is None:
            yield _scores()
        if spec.average is not None or spec.definition.rows is not None:
            yield _score_matrix(_labels(spec, 3))
        return
    yield from _of_predictions(spec)


def _of_predictions(spec: Spec) -> Iterator[Table]:
    if not spec.definition.reads_negatives:
        yield _events(_labels(spec, 1 if spec.average is None else 3))
    if spec.definition.form.name == "events":
        return
    if spec.average is not None:
        each = np.random.default_rng(1).integers(1, 20, (3, 2, 2)) + 40.0 * np.eye(2)
        yield MultilabelTable(counts=each, labels=_labels(spec, 3))
    for size in _sizes(spec):
        rng = np.random.default_rng(size)
        counts = rng.integers(1, 20, (size, size)) + np.diag(rng.integers(20, 60, size))
        yield ConfusionTable(counts=counts * 1.0, labels=_labels(spec, size))


def _labels(spec: Spec, size: int) -> Array:
    """Return names of the classes, including the class that the spec names."""
    names = [str(index) for index in range(size)]
    return np.array(names if spec.positive_class in {None, *names} else [*names[:-1], spec.positive_class])


def _sizes(spec: Spec) -> tuple[int, ...]:
    """Return the numbers of classes that a metric is for; of one's own function of K×K counts the first it takes."""
    definition = spec.definition
    if definition.form.name == "outcomes" and spec.average is None:
        return SIZES[:1]
    if definition.form.name != "cells" or not definition.own:
        return SIZES
    for size in range(2, LARGEST + 1):
        try:
            definition.evaluate(np.ones((size, size)) + np.eye(size), **spec.arguments)
        except Exception:  # noqa: BLE001, S112 - whatever a function of somebody else's, for other sizes, raises
            continue
        return (size,)
    return SIZES[:1]


def _events(labels: Array) -> EventsTable:
    counts = np.random.default_rng(0).integers(1, 20, 1 + EACH * len(labels)) * 1.0
    return EventsTable(counts=counts, labels=labels)


def _scores() -> ScoresTable:
    rng = np.random.default_rng(0)
    scores = np.sort(rng.uniform(0.03, 0.97, SCORES))
    counts = rng.integers(1, 20, (SCORES, 2)) + 30 * np.stack([1 - scores, scores], -1)
    return ScoresTable(counts=counts, scores=scores, labels=np.arange(2))


def _score_matrix(labels: Array) -> MulticlassScoresTable:
    rng = np.random.default_rng(0)
    odds = rng.exponential(size=(SCORES, 3)) + 0.1
    scores = odds / odds.sum(1, keepdims=True)
    counts = rng.integers(1, 9, (SCORES, 3)) + 20 * scores
    return MulticlassScoresTable(counts=counts, scores=scores, labels=labels)


def _random(table: Table) -> np.random.Generator:
    return np.random.default_rng(table.counts.size)


def _value(metric: Metric, counts: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(metric(counts))


def _gradient(metric: Metric, counts: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(metric.gradient(metric.counts_class(counts)))


def _equal(one: Any, other: Any) -> bool:
    return np.shape(one) == np.shape(other) and np.allclose(one, other, rtol=CLOSE, atol=1e-12, equal_nan=True)

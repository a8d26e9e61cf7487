"""The sections of the report, one function each."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from howsure.designs.clusters import Clusters
from howsure.estimates.estimate import Estimate
from howsure.grids import interval_text, number, percent, significant_decimals
from howsure.methods import METHODS
from howsure.methods.proportion import row_shares
from howsure.metrics.spec import named, parse
from howsure.metrics.words import metric_words
from howsure.pooling.pooled import Pooled
from howsure.report.charts import charts_of
from howsure.report.content import Bar, Cell, Section, Sheet, Texts, count, value_and_limits, word
from howsure.report.evidence import Measured, Settings, Subject, measured
from howsure.tables.confusion import ConfusionTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

MOST_CLASSES = 20  # of which a matrix is shown whole
MOST_CONFUSIONS = 20  # that are listed where it is not
HEADLINES = ("f1", "f1@macro", "roc_auc")  # of which the first that is there is the headline, if none was asked for


def headline(
    names: Sequence[str], results: Sequence[Sequence[Measured]], asked: bool, tables: Sequence[Table]
) -> tuple[Texts, ...]:
    """Return one sentence per model: the main metric, and what else would be plausible."""
    sentences = []
    for name, found, table in zip(names, results, tables, strict=True):
        by_name = {each.metric: each for each in found}
        chosen = next((by_name[each] for each in HEADLINES if each in by_name and not asked), found[0])
        what = metric_words(chosen.metric)
        subject = f"{what} of {name}" if name else what[:1].upper() + what[1:]
        within = f" in {table.design.number:,} clusters" if isinstance(table.design, Clusters) else ""
        cases = f"these {table.rows:,} cases{within}"
        sentences.append(tuple(plausible(subject, each, cases) for each in chosen.at))
    return tuple(sentences)


def plausible(subject: str, each: Estimate | Pooled, cases: str) -> str:
    """Return a value and what else would be plausible, in a sentence."""
    if math.isnan(each.value):
        return f"{subject} is undefined on {cases}."
    # Two decimals, unless they would not tell the limits apart.
    decimals = 2 if each.high - each.low > 0.02 else significant_decimals(each.low, each.high)  # noqa: PLR2004
    text = f"{subject} is {number(each.value, decimals)}"
    if math.isnan(each.low):
        return f"{text}; how sure that is, {cases} do not tell."
    return (
        f"{text}; with {cases}, anything between {number(each.low, decimals)} and "
        f"{number(each.high, decimals)} is plausible ({percent(each.confidence_level)} interval)."
    )


def what_was_evaluated(subjects: Sequence[Subject], left_out: int, settings: Settings) -> Section:
    """Return cases, classes and their shares."""
    table = subjects[0].any_table
    lines: list[Texts] = [(f"{table.rows:,} cases, {len(table.labels)} {table.classes_noun}.",)]
    missing = "No label is missing: rows with a missing label are refused, not skipped."
    if left_out:
        missing = f"{left_out:,} rows were left out, because their labels are not among the classes named. " + missing
    lines.append((missing,))
    if len(table.labels) == 2:  # noqa: PLR2004 - binary
        lines.append((f"The positive class is “{table.labels[-1]}”.",))
    lines += [
        (f"A case is predicted positive from a score of {each.threshold:g} on{', ' + each.name if each.name else ''}.",)
        for each in subjects
        if each.threshold is not None
    ]
    notes = {each.any_table.design.note: each.name for each in subjects if each.any_table.design.note}
    lines += [
        (f"{name + ': ' if len(subjects) > 1 else ''}{note[:1].upper()}{note[1:]}.",) for note, name in notes.items()
    ]
    different = {tuple(each.class_totals) for each in subjects}
    shown = subjects if len(different) > 1 else subjects[:1]
    if len(shown) > 1:
        lines.append(("The models were not evaluated on the same cases.",))
    return Section(
        "What was evaluated",
        (),
        tuple(lines),
        tuple(_class_sheet(each, settings, each.name if len(shown) > 1 else "") for each in shown),
    )


def _class_sheet(subject: Subject, settings: Settings, model: str) -> Sheet:
    table = subject.any_table
    counted = table.at(-math.inf) if isinstance(table, ScoresTable) else table
    shares = measured(counted, ["prevalence@none"], settings, None)
    rows = [
        (word(label), count(float(total)), _share_cell(share.value, share.limits))
        for label, total, share in zip(table.labels, subject.class_totals, shares, strict=True)
    ]
    title = f"Cases of each class{', ' + model if model else ''}"
    return Sheet(title, ("class", "cases", "share"), tuple(rows))


def _share_cell(share: float, limits: Sequence[tuple[float, ...]], *, shaded: bool = False) -> Cell:
    texts = tuple(interval_text(low, high, 2 if shaded else 3) for low, high in limits)
    return Cell(
        texts, number(share, 2 if shaded else 3), share, shade=share if shaded and not math.isnan(share) else None
    )


# --- sheets of estimates -----------------------------------------------------------------------------------------


def axis_of(results: Sequence[Measured]) -> tuple[float, float]:
    """Return the common axis of some metrics' bars, ends at multiples of a twentieth."""
    ends = [end for each in results if each.is_drawable for pair in each.limits for end in pair]
    if not ends:
        return 0.0, 1.0
    return math.floor(20 * min(ends) + 1e-9) / 20, math.ceil(20 * max(ends) - 1e-9) / 20


def estimate_cell(each: Measured, axis: tuple[float, float], where: str = "") -> Cell:
    """Return a cell with value, interval, and the interval drawn on the axis."""
    own = each.main
    value, texts = value_and_limits(each.value, each.limits, significant_decimals(own.low, own.high))
    bar = None
    if each.is_drawable:
        width = (axis[1] - axis[0]) or 1.0
        position = [(100 * (low - axis[0]) / width, 100 * (high - low) / width) for low, high in each.limits]
        spans = tuple((round(left, 2), round(wide, 2)) for left, wide in position)
        bar = Bar(round(100 * (each.value - axis[0]) / width, 2), spans)
    error = "" if math.isnan(own.standard_error) else f", standard error {own.standard_error:.2g}"
    note = f" ({own.reason})" if own.reason else ""
    tip = f"{where}{metric_words(each.metric)} {value}{error}, method {own.method}{note}"
    return Cell(texts, value, each.value, bar, tip=tip)


def _axis_note(axis: tuple[float, float]) -> str:
    left, right = (f"{end:g}".replace("-", "−") for end in axis)
    return f"Each bar is the interval and its dot the value, from {left} at the left to {right} at the right."


def overview(names: Sequence[str], results: Sequence[Sequence[Measured]]) -> Section:
    """Return all metrics, one column per model."""
    axis = axis_of([each for found in results for each in found])
    metrics = list(dict.fromkeys(each.metric for found in results for each in found))
    rows = []
    for metric in metrics:
        cells = [word(metric_words(metric))]
        for name, found in zip(names, results, strict=True):
            same = next((each for each in found if each.metric == metric), None)
            cells.append(word("–", math.nan) if same is None else estimate_cell(same, axis, _where(name)))
        rows.append(tuple(cells))
    headers = ("metric", *(name or "value and interval" for name in names))
    sheet = Sheet("All metrics", headers, tuple(rows), _axis_note(axis))
    return Section("Metrics", (), (), (sheet,))


def _where(*names: str) -> str:
    joined = ", ".join(name for name in names if name)
    return f"{joined}: " if joined else ""


def per_class(
    subjects: Sequence[Subject], results: Sequence[Mapping[str, Sequence[Measured]]], *, terse: bool
) -> Section:
    """Return precision, recall and F1 of each class; terse: without what is said on hovering."""
    axis = axis_of([each for found in results for column in found.values() for each in column])
    sheets = []
    for subject, found in zip(subjects, results, strict=True):
        if not found:
            continue
        rows = []
        for index, label in enumerate(subject.any_table.labels):
            cells = [estimate_cell(column[index], axis, _where(subject.name)) for column in found.values()]
            shown = [replace(cell, tip="") for cell in cells] if terse else cells
            rows.append((word(label), count(float(subject.class_totals[index])), *shown))
        title = f"Each class{', ' + subject.name if subject.name else ''}"
        sheets.append(Sheet(title, ("class", "cases", *found), tuple(rows), _axis_note(axis)))
    return Section("Classes", sheets=tuple(sheets))


def per_group(subjects: Sequence[Subject], results: Sequence[Mapping[Any, Sequence[Measured]]], by: str) -> Section:
    """Return the metrics of each group, one row per group and model."""
    axis = axis_of([each for found in results for row in found.values() for each in row])
    rows = []
    several = len(subjects) > 1
    metrics = list(dict.fromkeys(each.metric for found in results for row in found.values() for each in row))
    for subject, found in zip(subjects, results, strict=True):
        for value, row in found.items():
            by_metric = {each.metric: each for each in row}
            cells = [
                estimate_cell(by_metric[metric], axis, _where(subject.name, str(value)))
                if metric in by_metric
                else word("–", math.nan)
                for metric in metrics
            ]
            model = [word(subject.name)] if several else []
            rows.append((word(value), *model, count(subject.groups[value].rows), *cells))
    headers = (by, *(["model"] if several else []), "cases", *(metric_words(metric) for metric in metrics))
    note = (
        "Groups whose intervals overlap may still differ, and of many groups some look better or worse by chance. "
        + _axis_note(axis)
    )
    return Section(f"Groups by {by}", sheets=(Sheet(f"Metrics by {by}", headers, tuple(rows), note),))


def matrices(subjects: Sequence[Subject], settings: Settings) -> Section:
    """Return each model's confusion matrix with an interval in each cell, or its largest confusions."""
    sheets = []
    for subject in subjects:
        if subject.table is None or not isinstance(subject.table, ConfusionTable):
            continue
        suffix = f", {subject.name}" if subject.name else ""
        shares = [row_shares(subject.table, level) for level in settings.levels]
        if len(subject.table.labels) <= MOST_CLASSES:
            sheets.append(_matrix(subject.table, shares, suffix))
        if len(subject.table.labels) > 2:  # noqa: PLR2004 - two classes have one confusion each way
            sheets.append(_confusions(subject.table, shares, suffix))
    note = "Each cell: the cases, their share of the true class, and Wilson's interval of that share."
    return Section("Confusion matrix", ((note,),), (), tuple(sheets))


def _matrix(table: Table, shares: Sequence[tuple[Any, Any, Any]], suffix: str) -> Sheet:
    labels = [str(label) for label in table.labels]
    rows = []
    for i, label in enumerate(labels):
        cells = []
        for j in range(len(labels)):
            limits = [(float(low[i, j]), float(high[i, j])) for _, low, high in shares]
            cell = _share_cell(float(shares[0][0][i, j]), limits, shaded=True)
            cases = f"{table.counts[i, j]:,.10g}"
            tip = f"true {label}, predicted {labels[j]}: {cases} cases"
            texts = tuple(f"{cell.value} {text}" for text in cell.texts)
            cells.append(Cell(texts, cases, float(table.counts[i, j]), shade=cell.shade, tip=tip))
        rows.append((word(label), *cells))
    return Sheet(f"Rows true, columns predicted{suffix}", ("true class", *labels), tuple(rows))


def _confusions(table: Table, shares: Sequence[tuple[Any, Any, Any]], suffix: str) -> Sheet:
    off = table.counts.copy()
    np.fill_diagonal(off, 0)
    largest = np.argsort(-off, axis=None, kind="stable")[:MOST_CONFUSIONS]
    rows = []
    for i, j in (divmod(int(flat), len(off)) for flat in largest):
        if off[i, j] > 0:
            limits = [(float(low[i, j]), float(high[i, j])) for _, low, high in shares]
            share = _share_cell(float(shares[0][0][i, j]), limits)
            rows.append((word(table.labels[i]), word(table.labels[j]), count(off[i, j]), share))
    headers = ("true class", "predicted as", "cases", "share of the true class")
    return Sheet(f"Most frequent confusions{suffix}", headers, tuple(rows))


def curves(subjects: Sequence[Subject], settings: Settings) -> Section:
    """Return the curves of the models with scores."""
    scored = {
        each.name: each.scores for each in subjects if each.scores is not None and (each.scores.counts.sum(0) > 0).all()
    }
    note = "The bands hold at each point, not along the whole curve at once."
    return Section("Scores and thresholds", ((note,),), (), (), charts_of(scored, settings.levels) if scored else ())


# --- what else is known ------------------------------------------------------------------------------------------


def methods_used(results: Sequence[tuple[str, Measured]]) -> Section:
    """Return each method and metric that was used, in a sentence, with its source."""
    methods = sorted({each.main.method for _, each in results})
    metrics = dict(_metric(each.metric) for _, each in results)
    headers = ("name", "meaning", "source")
    sheets = (
        Sheet("Interval methods", headers, tuple(_documented(name, _method(name)) for name in methods)),
        Sheet("Metrics", headers, tuple(_documented(*each) for each in metrics.items())),
    )
    meaning = (
        "An interval at 95 % is made so that, if the study were repeated with new cases of the same kind, it would "
        "hold the true value 95 times in 100. It speaks of chance in the choice of cases only, not of wrong labels "
        "or of other kinds of cases."
    )
    return Section("Methods", ((meaning,),), (), sheets)


def _method(name: str) -> Any:
    found = METHODS.get(name)
    return found.func if isinstance(found, partial) else found


def _metric(text: str) -> tuple[str, Any]:
    """Return a metric in words, without its average, and the function behind it; None where it has no definition."""
    if named(text) is None:
        return metric_words(text), None
    spec = parse(text)
    return metric_words(spec.head), spec.definition.function


def _documented(name: str, documented: Any) -> tuple[Cell, Cell, Cell]:
    """Return first line and references of what is documented."""
    text = (inspect.getdoc(documented) or "") if documented is not None else ""
    body = text.partition("References\n----------\n")[2]
    source = " ".join(body.partition("\n\n")[0].split())
    return word(name), word(text.split("\n", 1)[0].replace("`", "")), word(source.replace("`", "") or "–")


def every_number(results: Sequence[tuple[str, Measured]]) -> Section:
    """Return each estimate in a row, folded."""
    rows = []
    for where, each in results:
        own = each.main
        decimals = significant_decimals(own.low, own.high)
        value, texts = value_and_limits(each.value, each.limits, decimals)
        rows.append(
            (
                word(where or "all cases"),
                word(metric_words(each.metric)),
                Cell(texts, value, each.value),
                Cell(value=number(own.standard_error, decimals + 1), order=own.standard_error),
                word(own.method),
                word(own.reason or "–"),
            )
        )
    headers = ("of", "metric", "value and interval", "standard error", "method", "note")
    return Section("Every number", sheets=(Sheet("All estimates", headers, tuple(rows), folded=True),))

"""The sections of the report, one function each."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.errors import whole_number
from howsure.estimates.estimate import Estimate
from howsure.grids import count_text, interval_text, number, percent, significant_decimals
from howsure.methods.default import WHY
from howsure.methods.proportion import row_shares
from howsure.methods.registry import METHODS
from howsure.metrics.binding import resolve
from howsure.metrics.spec import named, parse
from howsure.metrics.words import metric_words
from howsure.planning.narrower import to_halve
from howsure.pooling.pooled import Pooled
from howsure.report.charts import charts_of
from howsure.report.content import Bar, Cell, Section, Sheet, Texts, count, value_and_limits, word
from howsure.report.evidence import Measured, Part, Settings, Shown, measured
from howsure.tables.batch import ALL
from howsure.tables.confusion import ConfusionTable

MOST_CLASSES = 20  # of which a matrix is shown whole
MOST_CONFUSIONS = 20  # that are listed where it is not
UNSEEN = "all numbers are what the scores lead to expect, and hold only as far as these are calibrated."
HEADLINES = ("f1", "f1@macro", "roc_auc")  # of which the first that is there is the headline, if none was asked for


def headline(models: Sequence[Shown]) -> tuple[Texts, ...]:
    """Return one sentence per model: the main metric, and what else would be plausible."""
    sentences: list[Texts] = []
    unseen = [each.part.model for each in models if not each.part.is_labelled]
    if unseen:
        names = f" ({', '.join(unseen)})" if len(models) > 1 else ""
        sentences.append((f"No label of these cases was seen{names}: {UNSEEN}",))
    for each in models:
        chosen = _main(each)
        what = metric_words(chosen.metric)
        subject = f"{what} of {each.part.model}" if each.part.model else what[:1].upper() + what[1:]
        sentences.append(tuple(plausible(subject, one, f"these {each.part.cases}") for one in chosen.at))
    return tuple(sentences)


def _main(shown: Shown) -> Measured:
    """Return the metric that a reader looks for first."""
    by_name = {one.metric: one for one in shown.metrics}
    return next((by_name[name] for name in HEADLINES if name in by_name and shown.part.is_usual), shown.metrics[0])


def plausible(subject: str, each: Estimate | Pooled, cases: str) -> str:
    """Return a value and what else would be plausible, in a sentence."""
    if math.isnan(each.value):
        return f"{subject} is undefined on {cases}."
    # Two decimals, unless they would not tell the limits apart.
    decimals = 2 if each.high - each.low > 0.02 else significant_decimals(each.low, each.high)
    text = f"{subject} is {number(each.value, decimals)}"
    if math.isnan(each.low):
        return f"{text}; how sure that is, {cases} do not tell."
    return (
        f"{text}; with {cases}, anything between {number(each.low, decimals)} and "
        f"{number(each.high, decimals)} is plausible ({percent(each.confidence_level)} interval)."
    )


def what_was_evaluated(models: Sequence[Part], left_out: int, settings: Settings) -> Section:
    """Return cases, classes and their shares."""
    table = models[0].any_table
    lines: list[Texts] = [(f"{table.rows:,} {table.rows_noun}, {len(table.labels)} {table.classes_noun}.",)]
    if whole_number("left_out", left_out, least=0):
        lines.append((f"{left_out:,} rows were left out, because their labels are not among the classes named.",))
    if all(each.any_table.design.has_trials for each in models):
        lines.append(("No label is missing: rows with a missing label are refused, not skipped.",))
    if table.is_binary:
        lines.append((f"The positive class is “{table.labels[-1]}”.",))
    lines += [
        (f"A case is predicted positive from a score of {each.threshold:g} on{', ' * bool(each.model)}{each.model}.",)
        for each in models
        if each.threshold is not None
    ]
    notes = {each.any_table.design.note: each.model for each in models if each.any_table.design.note}
    lines += [
        (f"{name + ': ' if len(models) > 1 else ''}{note[:1].upper()}{note[1:]}.",) for note, name in notes.items()
    ]
    different = {tuple(each.any_table.class_totals) for each in models}
    listed = models if len(different) > 1 else models[:1]
    if len(listed) > 1:
        lines.append(("The models were not evaluated on the same cases.",))
    sheets = tuple(_class_sheet(each, settings, each.model if len(listed) > 1 else "") for each in listed)
    return Section("What was evaluated", items=tuple(lines), sheets=sheets)


def _class_sheet(part: Part, settings: Settings, model: str) -> Sheet:
    table, counted = part.any_table, part.counted
    columns = [[word(label) for label in table.labels], [count(float(total)) for total in table.class_totals]]
    if counted is not None:
        shares = measured(replace(settings, method=None).evaluated(counted, ["prevalence@none"])[ALL], settings)
        columns.append([_share_cell(each.value, each.limits) for each in shares])
    title = f"{part.any_table.counts_noun.capitalize()} of each class{', ' + model if model else ''}"
    return Sheet(title, ("class", part.cases_noun, "share")[: len(columns)], tuple(zip(*columns, strict=True)))


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


def overview(models: Sequence[Shown]) -> Section:
    """Return all metrics, one column per model."""
    axis = axis_of([each for model in models for each in model.metrics])
    metrics = list(dict.fromkeys(each.metric for model in models for each in model.metrics))
    rows = tuple((word(metric_words(metric)), *(_cell_of(each, metric, axis) for each in models)) for metric in metrics)
    headers = ("metric", *(each.part.model or "value and interval" for each in models))
    more = tuple((said,) for each in models if (said := _narrower(each)))
    return Section("Metrics", items=more, sheets=(Sheet("All metrics", headers, rows, scale=_axis_note(axis)),))


def _narrower(shown: Shown) -> str:
    """Return how many more cases halve the interval of a model's main metric; empty where the table does not tell."""
    metric = _main(shown).metric
    for made in shown.part.evaluations:
        if metric in made:
            found = to_halve(resolve(metric, made.table, threshold=made.threshold), made.table)
            return "" if found is None else f"{_where(shown.part)}{metric_words(metric)}. {found.sentence()}"
    return ""


def _cell_of(shown: Shown, metric: str, axis: tuple[float, float]) -> Cell:
    found = next((each for each in shown.metrics if each.metric == metric), None)
    return word("–", math.nan) if found is None else estimate_cell(found, axis, _where(shown.part))


def _where(part: Part) -> str:
    return f"{part.words}: " if part.words else ""


def per_class(models: Sequence[Shown], *, terse: bool) -> Section:
    """Return precision, recall and F1 of each class; terse: without what is said on hovering."""
    axis = axis_of([each for model in models for column in model.classes.values() for each in column])
    return Section("Classes", sheets=tuple(_of_classes(each, axis, terse=terse) for each in models if each.classes))


def _of_classes(shown: Shown, axis: tuple[float, float], *, terse: bool) -> Sheet:
    part, rows = shown.part, []
    for index, (label, total) in enumerate(zip(part.any_table.labels, part.any_table.class_totals, strict=True)):
        cells = [estimate_cell(column[index], axis, _where(part)) for column in shown.classes.values()]
        rows.append((word(label), count(float(total)), *(replace(cell, tip="") if terse else cell for cell in cells)))
    title = f"Each class{', ' + part.model if part.model else ''}"
    return Sheet(title, ("class", part.cases_noun, *shown.classes), tuple(rows), scale=_axis_note(axis))


def per_group(shown: Sequence[Shown]) -> Section:
    """Return the metrics of all cases and of each group, one row per group and model."""
    columns = list(dict.fromkeys(column for each in shown for column in each.part.group))
    if not columns:
        return Section("Groups")
    axis = axis_of([each for one in shown for each in one.metrics])
    metrics = list(dict.fromkeys(each.metric for one in shown for each in one.metrics))
    several = len({each.part.model for each in shown}) > 1
    order = {group: place for place, group in enumerate(dict.fromkeys(tuple(each.part.group_words) for each in shown))}
    rows = []
    for each in sorted(shown, key=lambda each: order[tuple(each.part.group_words)]):
        part = each.part
        named = [word(text, text if part.is_group else "") for text in part.group_words]
        model = [word(part.model)] if several else []
        rows.append((*named, *model, count(part.any_table.rows), *(_cell_of(each, metric, axis) for metric in metrics)))
    headers = (*columns, *(["model"] if several else []), "cases", *(metric_words(metric) for metric in metrics))
    note = "Groups whose intervals overlap may still differ, and of many groups some look better or worse by chance."
    by = " and ".join(columns)
    return Section(
        f"Groups by {by}", sheets=(Sheet(f"Metrics by {by}", headers, tuple(rows), note, scale=_axis_note(axis)),)
    )


def matrices(models: Sequence[Part], settings: Settings) -> Section:
    """Return each model's confusion matrix with an interval in each cell, or its largest confusions."""
    sheets = []
    for each in models:
        table = each.matrix
        if table is None:
            continue
        suffix = f", {each.model}" if each.model else ""
        shares = [row_shares(table, level) for level in settings.levels]
        if len(table.labels) <= MOST_CLASSES:
            sheets.append(_matrix(table, shares, suffix))
        if not table.is_binary:  # two classes have one confusion each way
            sheets.append(_confusions(table, shares, suffix))
    nouns = " or ".join(sorted({each.cases_noun for each in models}))
    note = f"Each cell: the {nouns}, their share of the true class, and Wilson's interval of that share."
    return Section("Confusion matrix", ((note,),), sheets=tuple(sheets))


def _matrix(table: ConfusionTable, shares: Sequence[tuple[Any, Any, Any]], suffix: str) -> Sheet:
    labels = [str(label) for label in table.labels]
    rows = []
    for i, label in enumerate(labels):
        cells = []
        for j in range(len(labels)):
            limits = [(float(low[i, j]), float(high[i, j])) for _, low, high in shares]
            cell = _share_cell(float(shares[0][0][i, j]), limits, shaded=True)
            cases = count_text(table.counts[i, j])
            tip = f"true {label}, predicted {labels[j]}: {cases} cases"
            texts = tuple(f"{cell.value} {text}" for text in cell.texts)
            cells.append(Cell(texts, cases, float(table.counts[i, j]), shade=cell.shade, tip=tip))
        rows.append((word(label), *cells))
    return Sheet(f"Rows true, columns predicted{suffix}", ("true class", *labels), tuple(rows))


def _confusions(table: ConfusionTable, shares: Sequence[tuple[Any, Any, Any]], suffix: str) -> Sheet:
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


def curves(models: Sequence[Part], settings: Settings) -> Section:
    """Return the curves of the models with scores of two classes."""
    ranked = {each.model: each.ranked for each in models}
    scored = {name: table for name, table in ranked.items() if table is not None and (table.class_totals > 0).all()}
    note = "The bands hold at each point, not along the whole curve at once."
    charts = charts_of(scored, settings.levels) if scored else ()
    return Section("Scores and thresholds", ((note,),), charts=charts)


# --- what else is known ------------------------------------------------------------------------------------------


def methods_used(results: Sequence[tuple[str, Measured]], models: Sequence[Part]) -> Section:
    """Return each method and metric that was used, in a sentence, with its source."""
    methods = sorted({each.main.method for _, each in results})
    metrics = dict(_metric(each.metric) for _, each in results)
    headers = ("name", "meaning", "source")
    taken = tuple((*_documented(name, _method(name)), word(WHY.get(name, "–"))) for name in methods)
    sheets = (
        Sheet("Interval methods", (*headers, "why by default"), taken),
        Sheet("Metrics", headers, tuple(_documented(*each) for each in metrics.items())),
    )
    meaning = (
        "An interval at 95 % is made so that, if the study were repeated with new cases of the same kind, it would "
        "hold the true value 95 times in 100. It speaks of chance in the choice of cases only, not of wrong labels "
        "or of other kinds of cases."
    )
    if not all(each.is_labelled for each in models):
        meaning += " Where no label was seen, it takes the calibration of the scores for granted."
    return Section("Methods", ((meaning,),), sheets=sheets)


def _method(name: str) -> Any:
    found = METHODS.get(name)
    return None if found is None else found.kind


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

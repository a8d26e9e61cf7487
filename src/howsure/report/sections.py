"""The sections of the report, one function each."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from howsure.comparison.result import Comparison
from howsure.errors import whole_number
from howsure.estimates.levels import estimates_at
from howsure.methods.core.registry import find
from howsure.methods.default import WHY
from howsure.metrics.binding import resolve
from howsure.metrics.descriptions import metric_words
from howsure.metrics.spec import named, parse
from howsure.numbers import number, significant_decimals, value_text
from howsure.planning.halve_width import to_halve
from howsure.report.answers import MOST_MODELS, main_metric
from howsure.report.bars import IN_PANELS, STEPS, Ruler
from howsure.report.charts import can_be_checked, charts_of
from howsure.report.content import Cell, Section, Sheet, Texts, count, share_cell, value_and_limits, word
from howsure.report.evidence import Measured, Part, Settings, Shown, measured
from howsure.tables.batch import ALL
from howsure.tables.scores import ScoresTable

CALIBRATION = {  # words of a sentence → metric
    "observed over expected cases": "observed_expected",
    "slope": "calibration_slope",
    "intercept (slope fixed at 1)": "calibration_intercept",
}
MOST_LISTED = 10  # classes in an open list; longer lists are folded
MOST_PANELS = 3  # metrics of groups in open panels; further ones are folded


def in_short(models: Sequence[Part]) -> str:
    """Return numbers of cases, models and classes as a short text."""
    table, first = models[0].any_table, models[0]
    size = f"{first.cases} · {len(models)} models" if len(models) > 1 else first.cases
    share = float(table.class_totals[-1] / total) if (total := float(sum(table.class_totals))) else math.nan
    if not table.is_binary:
        return f"{size} · {len(table.labels)} {table.kind.classes_noun}"
    return f"{size} · “{table.labels[-1]}” {100 * share:.3g} %"


def what_was_evaluated(models: Sequence[Part], left_out: int, settings: Settings) -> Section:
    """Return the section on the evaluated cases, with the class frequencies."""
    table = models[0].any_table
    lines: list[Texts] = [(f"{table.rows:,} {table.kind.rows_noun}, {len(table.labels)} {table.kind.classes_noun}.",)]
    if whole_number("left_out", left_out, least=0):
        lines.append((f"{left_out:,} rows were left out, because their labels are not among the classes named.",))
    if is_complete(models):
        lines.append(("No label is missing: rows with a missing label are refused, not skipped.",))
    if table.is_binary:
        lines.append((f"The positive class is “{table.labels[-1]}”.",))
    thresholds: dict[float, list[str]] = {}
    for each in models:
        if each.threshold is not None:
            thresholds.setdefault(each.threshold, []).append(each.model)
    for threshold, of in thresholds.items():
        named_first = f"{', '.join(of)}: a" if len(of) < len(models) else "A"
        lines.append((f"{named_first} case is predicted positive if its score is at least {threshold:g}.",))
    notes = {
        each.any_table.design.description.estimate_caveat: each.model
        for each in models
        if each.any_table.design.description.estimate_caveat
    }
    lines += [
        (f"{name + ': ' if len(models) > 1 else ''}{note[:1].upper()}{note[1:]}.",) for note, name in notes.items()
    ]
    different = {tuple(each.any_table.class_totals) for each in models}
    listed = models if len(different) > 1 else models[:1]
    if len(listed) > 1:
        lines.append(("The models were not evaluated on the same cases.",))
    sheets = tuple(_class_sheet(each, settings, each.model if len(listed) > 1 else "") for each in listed)
    return Section("What was evaluated", items=tuple(lines), sheets=sheets)


def is_complete(parts: Sequence[Part]) -> bool:
    """Return whether every case has a label and a prediction, because rows without one are refused."""
    return all(each.any_table.design.traits.has_binomial_proportions for each in parts)


def _class_sheet(part: Part, settings: Settings, model: str) -> Sheet:
    table, counted = part.any_table, part.counted
    columns = [[word(label) for label in table.labels], [count(float(total)) for total in table.class_totals]]
    if counted is not None:
        shares = measured(replace(settings, method=None).evaluated(counted, ["prevalence@none"])[ALL], settings)
        columns.append([share_cell(each.value, each.limits) for each in shares])
    title = f"{part.any_table.kind.counts_noun.capitalize()} of each class{', ' + model if model else ''}"
    headers, rows = ("class", part.cases_noun, "share")[: len(columns)], tuple(zip(*columns, strict=True))
    return Sheet(title, headers, rows, folded=len(rows) > MOST_LISTED)


# --- sheets of estimates -----------------------------------------------------------------------------------------


def ruler_of(results: Iterable[Measured], steps: int = STEPS) -> Ruler:
    """Return a common axis for metrics; only metrics within [-1, 1] are drawn."""
    return Ruler.over((end for each in results if each.is_drawable for pair in each.limits for end in pair), steps)


def estimate_cell(each: Measured, ruler: Ruler, where: str = "", series: int = 0) -> Cell:
    """Return a cell with value and interval, which is also drawn on the axis."""
    own = each.main
    value, texts = value_and_limits(each.value, each.limits, significant_decimals(own.low, own.high))
    bar = ruler.bar(each.value, each.limits, series) if each.is_drawable else None
    error = "" if math.isnan(own.standard_error) else f", standard error {own.standard_error:.2g}"
    note = f" ({own.reason})" if own.reason else ""
    tip = f"{where}{metric_words(each.label)} {value}{error}, method {own.method}{note}"
    return Cell(texts, value, each.value, bar, tip=tip)


def overview(models: Sequence[Shown]) -> Section:
    """Return the section of all metrics on one axis, with one column per model."""
    ruler = ruler_of(each for model in models for each in model.metrics)
    metrics = list(dict.fromkeys(each.label for model in models for each in model.metrics))
    rows = tuple(
        (word(metric_words(metric)), *(_cell_of(each, metric, ruler, place) for place, each in enumerate(models)))
        for metric in metrics
    )
    headers = ("metric", *(each.part.model or "value and interval" for each in models))
    more = _narrower(models)
    axis = ruler.axis("All metrics", range(1, len(headers)))
    return Section("Metrics", items=more, sheets=(Sheet("All metrics", headers, rows, axes=(axis,)),))


def _narrower(models: Sequence[Shown]) -> tuple[Texts, ...]:
    """Return the number of further cases that would halve each model's main interval; once if it is equal for all."""
    about: dict[str, list[str]] = {}
    for each in models:
        metric = main_metric(each).label
        made = next((one for one in each.part.evaluations if metric in one), None)
        more = None if made is None else to_halve(resolve(metric, made.table, threshold=made.threshold), made.table)
        if more is not None:
            about.setdefault(more.sentence(metric_words(metric)), []).append(each.part.words)
    return tuple(
        (said if len(of) == len(models) else f"{', '.join(of)}: {said[:1].lower()}{said[1:]}",)
        for said, of in about.items()
    )


def to_quote(models: Sequence[Shown], comparisons: Iterable[object]) -> Section:
    """Return the metrics of a few models and the comparisons as sentences of a paper, at each level."""
    found = [_sentences(model) for model in models[:MOST_MODELS] if model.metrics]
    found += [(each.sentence("clinical"),) for each in comparisons if isinstance(each, Comparison)]
    return Section("Sentences to quote", items=tuple(found))


def _sentences(model: Shown) -> Texts:
    levels = zip(*(each.at for each in model.metrics), strict=True)
    return tuple(_where(model.part) + " ".join(one.sentence("clinical") for one in level) for level in levels)


def _cell_of(shown: Shown, metric: str, ruler: Ruler, series: int = 0) -> Cell:
    found = next((each for each in shown.metrics if each.label == metric), None)
    return word("–", math.nan) if found is None else estimate_cell(found, ruler, _where(shown.part), series)


def _where(part: Part) -> str:
    return f"{part.words}: " if part.words else ""


def per_class(models: Sequence[Shown], *, terse: bool) -> Section:
    """Return the section with precision, recall and F1 for each class, one axis each; without tooltips if terse."""
    models = [each for each in models if each.classes]
    if not models:
        return Section("Classes")
    every = (each for model in models for column in model.classes.values() for each in column)
    ruler = ruler_of(every, IN_PANELS)
    metrics = list(dict.fromkeys(name for each in models for name in each.classes))
    tables = [each.part.any_table for each in models]
    known = [{str(label): index for index, label in enumerate(table.labels)} for table in tables]
    totals = [table.class_totals.tolist() for table in tables]
    rows = []
    for label in dict.fromkeys(label for own in known for label in own):
        for place, each in enumerate(models):
            if (index := known[place].get(label)) is None:
                continue
            made = [estimate_cell(each.classes[name][index], ruler, _where(each.part), place) for name in metrics]
            cells = [replace(cell, tip="") for cell in made] if terse else made
            rows.append((word(label), *_model(each, place, models), count(float(totals[place][index])), *cells))
    headers = ("class", *(["model"] if len(models) > 1 else []), models[0].part.cases_noun, *metrics)
    first = len(headers) - len(metrics)
    axes = tuple(ruler.axis(name, [first + place]) for place, name in enumerate(metrics))
    return Section("Classes", sheets=(Sheet("Each class", headers, tuple(rows), axes=axes),))


def _model(shown: Shown, series: int, models: Sequence[object]) -> list[Cell]:
    """Return the cell with a model's name, if there are several models."""
    return [replace(word(shown.part.model), series=series)] if len(models) > 1 else []


def per_group(shown: Sequence[Shown]) -> Section:
    """Return the section of metrics by group, with one row per group and model, and one axis per metric."""
    columns = list(dict.fromkeys(column for each in shown for column in each.part.group))
    if not columns:
        return Section("Groups")
    by = " and ".join(columns)
    main = main_metric(shown[0]).label
    metrics = list(dict.fromkeys([main, *(each.label for one in shown for each in one.metrics)]))
    first = _group_sheet(f"Metrics by {by}", shown, columns, metrics[:MOST_PANELS])
    rest = _group_sheet(f"Further metrics by {by}", shown, columns, metrics[MOST_PANELS:])
    note = "Groups whose intervals overlap may still differ, and of many groups some look better or worse by chance."
    sheets = (replace(first, note=note), *([replace(rest, folded=True)] if rest.axes else []))
    return Section(f"Groups by {by}", sheets=sheets)


def _group_sheet(title: str, shown: Sequence[Shown], columns: Sequence[str], metrics: Sequence[str]) -> Sheet:
    rulers = [
        ruler_of((each for one in shown for each in one.metrics if each.label == metric), IN_PANELS)
        for metric in metrics
    ]
    models = list(dict.fromkeys(each.part.model for each in shown))
    order = {group: place for place, group in enumerate(dict.fromkeys(tuple(each.part.group_words) for each in shown))}
    rows = []
    for each in sorted(shown, key=lambda each: order[tuple(each.part.group_words)]):
        part, place = each.part, models.index(each.part.model)
        named = [word(text, text if part.is_group else "") for text in part.group_words]
        cells = [_cell_of(each, metric, ruler, place) for metric, ruler in zip(metrics, rulers, strict=True)]
        rows.append((*named, *_model(each, place, models), count(part.any_table.rows), *cells))
    headers = (
        *columns,
        *(["model"] if len(models) > 1 else []),
        "cases",
        *(metric_words(metric) for metric in metrics),
    )
    first = len(headers) - len(metrics)
    axes = tuple(
        ruler.axis(metric_words(metric), [first + place], *_of_all_cases(shown, metric, models))
        for place, (metric, ruler) in enumerate(zip(metrics, rulers, strict=True))
    )
    return Sheet(title, headers, tuple(rows), axes=axes)


def _of_all_cases(shown: Sequence[Shown], metric: str, models: Sequence[str]) -> tuple[float, str]:
    """Return the value of a metric on all cases as a reference line, if there is one model."""
    wholes = [each for one in shown if not one.part.is_group for each in one.metrics if each.label == metric]
    drawn = len(models) == 1 and len(wholes) == 1 and wholes[0].is_drawable
    return (wholes[0].value, "all cases") if drawn else (math.nan, "")


def curves(models: Sequence[Part], settings: Settings) -> Section:
    """Return the section of curves, for models with scores of two classes."""
    ranked = {each.model: each.ranked for each in models}
    scored = {name: table for name, table in ranked.items() if table is not None and (table.class_totals > 0).all()}
    note = "The bands hold at each point, not along the whole curve at once."
    charts = charts_of(scored, settings.levels) if scored else ()
    checked = {name: table for name, table in scored.items() if can_be_checked(table)}
    items = tuple(_calibration(name, table, settings.levels) for name, table in checked.items())
    return Section("Scores and thresholds", ((note,),), items=items, charts=charts)


def _calibration(name: str, table: ScoresTable, levels: Sequence[float]) -> Texts:
    """Return a sentence with the three numbers of calibration of a model, for each level."""
    found = {words: estimates_at(table, metric, levels) for words, metric in CALIBRATION.items()}
    start = f"Calibration of {name}" if name else "Calibration"

    def sentence(place: int) -> str:
        each = {words: estimates[place] for words, estimates in found.items()}
        shown = {
            words: found.reason if math.isnan(found.value) else value_text(found.value, found.low, found.high)
            for words, found in each.items()
        }
        parts = (f"{words} {text}" for words, text in shown.items())
        return f"{start}: {'; '.join(parts)}. Calibrated scores have 1, 1 and 0."

    return tuple(map(sentence, range(len(levels))))


# --- methods and numbers ------------------------------------------------------------------------------------------


def methods_used(results: Sequence[tuple[str, Measured]], models: Sequence[Part]) -> Section:
    """Return the section on the used methods and metrics, each with a sentence and its source."""
    methods = sorted({each.main.method for _, each in results})
    metrics = dict(_metric(each.label) for _, each in results)
    headers = ("name", "meaning", "source")
    taken = tuple((*_documented(name, _method(name)), word(WHY.get(name, "–"))) for name in methods)
    sheets = (
        Sheet("Interval methods", (*headers, "why by default"), taken, folded=True),
        Sheet("Metrics", headers, tuple(_documented(*each) for each in metrics.items()), folded=True),
    )
    meaning = (
        "An interval at 95 % is made so that, if the study were repeated with new cases of the same kind, it would "
        "hold the true value 95 times in 100. It covers chance in the choice of cases only, not wrong labels "
        "or other kinds of cases."
    )
    if not all(each.is_labelled for each in models):
        meaning += " Where no label was seen, it assumes that the scores are calibrated."
    return Section("Methods", ((meaning,),), sheets=sheets)


def _method(name: str) -> Any:
    found = find(name)
    return None if found is None else found.kind


def _metric(text: str) -> tuple[str, Any]:
    """Return a metric in words, without its average, and its function; None if it is not registered."""
    if named(text) is None:
        return metric_words(text), None
    spec = parse(text)
    return metric_words(spec.head), spec.definition.function


def _documented(name: str, documented: object) -> tuple[Cell, Cell, Cell]:
    """Return cells with a name, and the first line and references of its docstring."""
    text = (inspect.getdoc(documented) or "") if documented is not None else ""
    body = text.partition("References\n----------\n")[2]
    source = " ".join(body.partition("\n\n")[0].split())
    return word(name), word(text.split("\n", 1)[0].replace("`", "")), word(source.replace("`", "") or "–")


def every_number(results: Sequence[tuple[str, Measured]]) -> Section:
    """Return the folded section with all estimates, one per row."""
    rows = []
    for where, each in results:
        own = each.main
        decimals = significant_decimals(own.low, own.high)
        value, texts = value_and_limits(each.value, each.limits, decimals)
        rows.append(
            (
                word(where or "all cases"),
                word(metric_words(each.label)),
                Cell(texts, value, each.value),
                Cell(value=number(own.standard_error, decimals + 1), order=own.standard_error),
                word(own.method),
                word(own.reason or "–"),
            )
        )
    headers = ("model or group", "metric", "value and interval", "standard error", "method", "note")
    return Section("Every number", sheets=(Sheet("All estimates", headers, tuple(rows), folded=True),))

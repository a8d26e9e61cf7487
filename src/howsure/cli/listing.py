"""Listings of metrics, averages and methods from their declarations."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace

import numpy as np

from howsure.errors import HowsureError
from howsure.grids import Grid
from howsure.methods.core.registry import find
from howsure.methods.library import METHODS, suitable_methods
from howsure.metrics.averages import AVERAGES
from howsure.metrics.laws import generic_tables
from howsure.metrics.registry import REGISTRY, Definition
from howsure.metrics.spec import Spec, named, parse, signature
from howsure.names import canonical
from howsure.sources.detections import detections
from howsure.sources.events import events
from howsure.tables.confusion import ConfusionTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

FAMILIES = {  # the usual metrics; the others are listed on demand
    "Predicted labels": (
        "accuracy balanced_accuracy precision recall specificity npv f1 fbeta jaccard mcc kappa informedness fpr fnr "
        "plr nlr dor ppv_at npv_at net_benefit expected_cost"
    ),
    "Scores and probabilities": (
        "roc_auc average_precision sensitivity_at specificity_at recall_at precision_at brier_score log_loss ece"
    ),
    "One number per case": "mean median quantile std mae rmse r2 pass_at pass_all",
    "Judges and raters": "percent_agreement fleiss_kappa gwet_ac1 krippendorff_alpha weighted_kappa",
    "Detection and battles": "map froc bradley_terry win_rate",
}
MOST_RUNS = 1000  # runs of the tasks of an example, enough for any k
CHOICE = "Mid-p for proportions, DeLong and Wilson for areas, a score test for means, else flow or delta."


def metric_grid() -> Grid:
    """Return each metric with its type of data, arguments, aliases, range and meaning."""
    rows = [
        (
            definition.name + signature(definition),
            definition.reads,
            _range(definition),
            ", ".join(definition.aliases),
            _meaning(definition),
        )
        for definition in REGISTRY
    ]
    return Grid(("metric", "reads", "range", "also called", "meaning"), tuple(rows))


def metric_families() -> dict[str, Grid]:
    """Return the usual metrics by type of data, one line each, after user-defined metrics."""
    families = {"Your own": [each.name for each in REGISTRY if each.own]}
    families |= {title: names.split() for title, names in FAMILIES.items()}
    found: dict[str, Grid] = {}
    for title, names in families.items():
        rows = [(each.name, _meaning(each)) for each in map(named, names) if each is not None]
        found |= {title: Grid(("metric", "meaning"), tuple(rows))} if rows else {}
    more = len(REGISTRY) - sum(map(len, families.values()))
    said = f"{more} more: howsure metrics --all. Search: howsure metrics WORD. All about one: howsure metrics NAME."
    return found | {title: replace(grid, caption=said) for title, grid in [list(found.items())[-1]]}


def metrics_with(word: str) -> Grid:
    """Return the metrics whose names or meaning contain a word.

    Raises
    ------
    HowsureError
        If there is none.
    """
    found = tuple((each.name, _meaning(each)) for each in _with(word))
    if not found:
        parse(word)  # the error lists the nearest names
    return Grid(("metric", "meaning"), found, f"{len(found)} with {word!r}. All about one: howsure metrics NAME.")


def _meaning(definition: Definition) -> str:
    return definition.summary.replace("``", "")


def _with(word: str) -> list[Definition]:
    wanted = word.strip().lower().replace("_", " ")
    return [
        each
        for each in REGISTRY
        if any(wanted in text.lower().replace("_", " ") for text in (each.name, *each.aliases, each.summary))
    ]


def metric_page(metric: str) -> Grid:
    """Return the description of one metric.

    Parameters
    ----------
    metric : str
        A spec string.
    """
    found = named(metric)
    needs_more = found is not None and bool(found.required) and "+" not in metric
    asked = Spec(found, asked=canonical(metric)) if found is not None and needs_more else parse(metric)
    definition = asked.definition
    methods = [] if needs_more else suitable_methods(_example(metric), metric)
    said = {
        "meaning": _meaning(definition),
        "also called": ", ".join(definition.aliases),
        "reads": definition.reads,
        "range": _range(definition),
        "better": definition.better,
        "of random predictions": "" if definition.random is None else f"{definition.random:g}",
        "arguments": signature(definition).lstrip("+"),
        "averages": ", ".join(each.name for each in AVERAGES) if definition.has_outcomes else "",
        "scikit-learn": definition.sklearn or "",
        "interval by default": ", ".join(methods[:1]),
        "other intervals": ", ".join(methods[1:]),
        "see also": ", ".join(each.name for each in _with(asked.asked) if each is not definition),
    }
    return _page("metric", asked.text, said)


def method_page(name: str) -> Grid:
    """Return the description of one interval method: settings, summary, notes and references.

    Parameters
    ----------
    name : str
        A method, or a synonym of one.

    Raises
    ------
    HowsureError
        If no method has this name.
    """
    entry = find(name)
    if entry is None:
        raise HowsureError.unknown("method or metric", name, [*METHODS, *REGISTRY.names])
    chosen = ", ".join(f"{key}={value!r}" for key, value in entry.variant.settings.items())
    said = {
        "meaning": entry.variant.meaning.replace("``", ""),
        "also called": ", ".join(entry.variant.synonyms),
        "in Python": f"hs.methods.{entry.kind.__name__}({chosen})",
        "settings": str(inspect.signature(entry.kind)).partition(" ->")[0].strip("()"),
        "how it works": _section(entry.kind, "Notes"),
        "source": _section(entry.kind, "References"),
    }
    return _page("method", entry.variant.name, said)


def _section(kind: type, title: str) -> str:
    """Return the whole sentences of the first paragraph of a section of a class's docstring; empty if absent."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", inspect.getdoc(kind) or "", re.MULTILINE | re.DOTALL)
    text = " ".join(found[1].partition("\n\n")[0].split()).replace("``", "") if found else ""
    return text[: text.rfind(".") + 1]  # a formula may follow the last words


def _page(kind: str, name: str, said: dict[str, str]) -> Grid:
    return Grid((kind, name), tuple((key, value) for key, value in said.items() if value))


def _range(definition: Definition) -> str:
    if definition.required:
        return "as the arguments imply"
    low, high = definition.bounds(2, {})
    shown = {float("inf"): "∞", float("-inf"): "−∞"}
    ends = [shown.get(end, f"{end:g}") for end in (low, high)]
    return f"{ends[0]} … {'K-dependent' if callable(definition.range) and low == 0 and high != 1 else ends[1]}"


def average_grid() -> Grid:
    """Return the averages over classes."""
    rows = [(each.name, ", ".join(each.aliases), each.summary) for each in AVERAGES]
    rows += [
        ("micro", "", "outcomes of all classes added up (not a mean of the classes)"),
        ("binary+positive_class=…", "select_positive", "one class against all others; of two, the last by default"),
        ("none", "", "one estimate for each class"),
    ]
    return Grid(("average", "also called", "meaning"), tuple(rows))


def method_grid(metric: str | None = None) -> Grid:
    """Return each method with its synonyms and meaning; for a metric only the applicable ones, best first.

    Parameters
    ----------
    metric : str, optional
        A spec string, of counts or of scores.
    """
    names = list(METHODS) if metric is None else suitable_methods(_example(metric), metric)
    rows = [] if metric else [("auto", "", CHOICE)]
    for name in names:
        known = METHODS[name].variant
        rows.append((name, ", ".join(known.synonyms), known.meaning.replace("``", "")))
    return Grid(("method", "also called", "meaning"), tuple(rows))


def _example(metric: str) -> Table:
    """Return a small table on which a metric can be evaluated."""
    asked = parse(metric)
    if asked.definition.of_predictions:
        return ConfusionTable(counts=np.array([[50.0, 3.0], [5.0, 42.0]]), labels=np.arange(2))
    if asked.definition.of_scores:
        counts = np.array([[6.0, 1.0], [4.0, 3.0], [2.0, 8.0]])
        return ScoresTable(counts=counts, scores=np.array([0.1, 0.4, 0.8]), labels=np.arange(2))
    if asked.definition.form.reads == "events":
        return events([8, 5], [1, 0], [2, 3])
    if asked.definition.form.reads == "detections":
        return detections(
            [{"scores": [0.9, 0.4], "hits": [1, 0]}, {"scores": [0.7, 0.6], "hits": [1, 1]}], [1, 3], iou=0.5
        )
    return next(generic_tables(asked))

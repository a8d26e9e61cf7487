"""What there is: metrics, averages and methods, read off their declarations."""

from __future__ import annotations

import numpy as np

from howsure.grids import Grid
from howsure.methods.library import suitable_methods
from howsure.methods.registry import METHODS
from howsure.metrics.averages import AVERAGES
from howsure.metrics.laws import generic_tables
from howsure.metrics.registry import REGISTRY, Definition
from howsure.metrics.spec import parse, signature
from howsure.sources.detections import detections
from howsure.sources.events import events
from howsure.tables.confusion import ConfusionTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

MOST_RUNS = 1000  # of the tasks of an example, whatever number of them is asked for
CHOICE = "Mid-p for proportions, DeLong for areas, Hall for means, else the flow or the delta method."


def metric_grid() -> Grid:
    """Return each metric with what it reads, its arguments, aliases, range and meaning."""
    rows = [
        (
            definition.name + signature(definition),
            definition.reads,
            _range(definition),
            ", ".join(definition.aliases),
            definition.summary,
        )
        for definition in REGISTRY
    ]
    return Grid(("metric", "reads", "range", "also called", "meaning"), tuple(rows))


def _range(definition: Definition) -> str:
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
    """Return each method with its synonyms and meaning; those that suit a metric of counted cases, best first.

    Parameters
    ----------
    metric : str, optional
        A spec string, of counts or of scores.
    """
    names = list(METHODS) if metric is None else suitable_methods(_example(metric), metric)
    rows = [] if metric else [("auto", "", CHOICE)]
    for name in names:
        known = METHODS[name].variant
        rows.append((name, ", ".join(known.synonyms), known.meaning))
    return Grid(("method", "also called", "meaning"), tuple(rows))


def _example(metric: str) -> Table:
    """Return a small table that a metric can be read from."""
    asked = parse(metric)
    if asked.definition.of_predictions:
        return ConfusionTable(counts=np.array([[50.0, 3.0], [5.0, 42.0]]), labels=np.arange(2))
    if asked.definition.of_scores:
        counts = np.array([[6.0, 1.0], [4.0, 3.0], [2.0, 8.0]])
        return ScoresTable(counts=counts, scores=np.array([0.1, 0.4, 0.8]), labels=np.arange(2))
    if asked.definition.looks_at == "events":
        return events([8, 5], [1, 0], [2, 3])
    if asked.definition.looks_at == "detections":
        return detections(
            [{"scores": [0.9, 0.4], "hits": [1, 0]}, {"scores": [0.7, 0.6], "hits": [1, 1]}], [1, 3], iou=0.5
        )
    return next(generic_tables(asked))

"""What there is: metrics, averages and methods, read off their declarations."""

from __future__ import annotations

import inspect
from functools import partial

from howsure.grids import Grid
from howsure.methods import METHODS, SYNONYMS
from howsure.metrics.averages import AVERAGES
from howsure.metrics.registry import REGISTRY, Definition
from howsure.metrics.spec import signature


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


def method_grid() -> Grid:
    """Return each method with its synonyms and meaning."""
    rows = [("auto", "", "Wilson for proportions, MOVER for their averages, else the delta method.")]
    for name, method in METHODS.items():
        synonyms = ", ".join(word for word, meant in SYNONYMS.items() if meant == name)
        declared = method.func if isinstance(method, partial) else method
        rows.append((name, synonyms, (inspect.getdoc(declared) or "").split("\n", 1)[0]))
    return Grid(("method", "also called", "meaning"), tuple(rows))

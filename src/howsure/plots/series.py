"""What is drawn side by side: models, groups, or the groups of each model."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from howsure.estimates.estimation import evaluate
from howsure.estimates.evaluation import Evaluation
from howsure.tables.table import Table

ALL_CASES = "all cases"


def by_series(given: Any) -> dict[str, Any]:
    """Return what is drawn by its name in the legend: of groups all cases first, of one thing alone no name."""
    if hasattr(given, "overall"):
        return {ALL_CASES: given.overall} | {_words(key): given[key] for key in given}
    if isinstance(given, Mapping) and not isinstance(given, Evaluation):
        return {
            joined(str(name), group): each for name, inner in given.items() for group, each in by_series(inner).items()
        }
    return {"": given}


def joined(*names: str) -> str:
    """Return names in one; empty ones say nothing."""
    return ", ".join(filter(None, names))


def evaluated(tables: Any, metrics: Any = None, **settings: Any) -> dict[str, Any]:
    """Return the evaluation of each table by its name; what is no table stays as it is."""
    return {
        name: evaluate(each, metrics, **settings) if isinstance(each, Table) else each
        for name, each in by_series(tables).items()
    }


def _words(key: Hashable) -> str:
    return joined(*map(str, key)) if isinstance(key, tuple) else str(key)

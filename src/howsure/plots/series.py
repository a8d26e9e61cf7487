"""What is drawn side by side: models, groups, or the groups of each model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from howsure.errors import HowsureError
from howsure.estimates.estimation import evaluate
from howsure.estimates.evaluation import Evaluation
from howsure.tables.batch import Tables
from howsure.tables.table import Table

ALL_CASES = "all cases"


def made_by(functions: str, given: Any, *kinds: type[Any]) -> Any:
    """Return what is to be drawn; refuse what is of another kind, with the functions that make it."""
    if isinstance(given, kinds):
        return given
    message = f"This draws what {functions} returns, not {type(given).__name__}."
    raise HowsureError(message)


def by_series(given: Any, made: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """Return what is drawn by its name in the legend: of groups all cases first, of one thing alone no name.

    Parameters
    ----------
    given : object, or mapping of names to objects
        Where it has an ``overall``, it is by groups.
    made : callable, optional
        What to make of tables before they are drawn.
    """
    if made is not None and isinstance(given, Table | Tables):
        given = made(given)
    if hasattr(given, "overall"):
        return {ALL_CASES: given.overall} | {_words(key): given[key] for key in given}
    if isinstance(given, Mapping) and not isinstance(given, Evaluation):
        return {
            joined(str(name), group): each
            for name, inner in given.items()
            for group, each in by_series(inner, made).items()
        }
    return {"": given}


def joined(*names: str) -> str:
    """Return names in one; empty ones say nothing."""
    return ", ".join(filter(None, names))


def evaluated(tables: Any, metrics: Any = None, **settings: Any) -> dict[str, Any]:
    """Return the evaluation of each table by its name; what is no table stays as it is."""
    return by_series(tables, lambda each: evaluate(each, metrics, **settings))


def _words(key: Hashable) -> str:
    return joined(*map(str, key)) if isinstance(key, tuple) else str(key)

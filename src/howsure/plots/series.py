"""Series of a plot by name: models, groups, or the groups of each model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from howsure.errors import HowsureError
from howsure.estimates.estimation import evaluate
from howsure.estimates.evaluation import Evaluation
from howsure.tables.batch import Tables
from howsure.tables.table import Table

ALL_CASES = "all cases"


def made_by(functions: str, given: object, *kinds: type[object]) -> Any:
    """Return the object to draw; refuse objects of another kind, and name the functions that make it."""
    if isinstance(given, kinds):
        return given
    raise HowsureError(f"This draws what {functions} returns, not {type(given).__name__}.")


def by_series(given: Any, made: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """Return the objects to draw by their name in the legend.

    All cases come before groups. The name of a single object is empty.

    Parameters
    ----------
    given : object, or mapping of names to objects
        Objects to draw; an object with an attribute ``overall`` contains groups.
    made : callable, optional
        Function applied to tables before they are drawn.
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
    """Return non-empty names joined by commas."""
    return ", ".join(filter(None, names))


def evaluated(tables: Any, metrics: Any = None, **settings: Any) -> dict[str, Any]:
    """Return the evaluation of each table by name; other objects are unchanged."""
    return by_series(tables, lambda each: evaluate(each, metrics, **settings))


def _words(key: Hashable) -> str:
    return joined(*map(str, key)) if isinstance(key, tuple) else str(key)

"""Decorator for functions of a table of scores: they also accept true classes and scores instead of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

from howsure.calls import refuse_unknown

Function = TypeVar("Function", bound=Callable[..., Any])


def takes_cases(
    source: Callable[..., Any], arguments: Mapping[str, object] | None = None
) -> Callable[[Function], Function]:
    """Return a decorator for functions that accept a table, or true classes and scores with arguments of ``source``.

    The decorated function raises an error for unknown arguments. With ``by=``, ``source`` makes the tables of the
    groups and passes them to the function; otherwise the function makes its own table.

    Parameters
    ----------
    source : callable
        Function that makes the table from true classes and scores.
    arguments : mapping of str to object, optional
        Its arguments by name; by default those of its signature.
    """
    known = signature(source).parameters if arguments is None else arguments

    def decorated(function: Function) -> Function:
        own = signature(function).parameters

        @wraps(function)
        def taken(table: object, *args: object, **settings: object) -> Any:
            cases = {name: value for name, value in settings.items() if name not in own}
            refuse_unknown(function.__name__, cases, {**own, **known})
            y_score = args[0] if args else settings.get("y_score")
            if y_score is None or cases.get("by") is None:
                return function(table, *args, **settings)
            rest = {name: value for name, value in settings.items() if name in own and name != "y_score"}
            return function(source(table, y_score, **cases), **rest)

        return cast("Function", taken)

    return decorated

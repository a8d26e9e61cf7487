"""Labels by case and rater in several columns: a matrix, a mapping, a frame, or named columns of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from howsure.errors import HowsureError, several
from howsure.sources.frames import columns, opened


def named_columns(
    argument_name: str, given: object, others: Mapping[str, object], data: object, *, check: bool
) -> tuple[dict[Any, Any], dict[str, Any]]:
    """Return the raters' columns by their names, and the other columns by role.

    Parameters
    ----------
    argument_name : str
        Name of the columns in errors.
    given : array-like of shape (n, R), mapping, frame or list of str
        Labels by case and rater; with ``data`` the names of the columns.
    others : mapping of str
        Further columns by role, or None.
    data : frame, mapping, path or None
        The data with the named columns.
    check : bool
        Whether to refuse a column compared with itself, and Series whose indices differ.
    """
    if data is None:
        by_name = by_rater(argument_name, given)
    else:
        names = [given] if isinstance(given, str) else several(argument_name, given, "column names")
        refuse_repeated(argument_name, names)
        by_name = {str(name): name for name in names}
    roles = {name: f"{argument_name}[{name!r}]" for name in by_name}
    asked = {**others, **{roles[name]: column for name, column in by_name.items()}}
    found = columns(data, {name: each for name, each in asked.items() if each is not None}, check=check)
    return {name: found[roles[name]] for name in by_name}, found


def by_rater(argument_name: str, given: Any) -> dict[Any, Any]:
    """Return the columns of a matrix, a mapping or a frame by their names or positions.

    Parameters
    ----------
    argument_name : str
        Its name in errors.
    given : array-like of shape (n, R), mapping or frame
        Labels by case and rater.

    Raises
    ------
    HowsureError
        If it is not a table.
    """
    if isinstance(given, Mapping):
        refuse_repeated(argument_name, list(given))
        return dict(given)
    if hasattr(given, "iloc"):  # pandas: names of any type
        names = list(getattr(given, "columns", ()))
        refuse_repeated(argument_name, names)
        return {name: given[name] for name in names}
    if any(hasattr(type(given), each) for each in ("columns", "column_names")):
        names = opened(given).collect_schema().names()
        return columns(given, {name: name for name in names})
    if isinstance(given, np.ndarray) and given.ndim > 1:
        return dict(enumerate(given.T))
    try:
        rows = list(given)
        listed = [list(row) for row in rows if not isinstance(row, str)]
    except TypeError:
        rows, listed = [given], []
    if len(listed) < len(rows):
        raise HowsureError(
            f"`{argument_name}` is no table of cases × raters. To name columns of a frame or file, give `data=`."
        )
    if not listed:
        raise HowsureError(f"`{argument_name}` is empty: there is no case.")
    if len({len(row) for row in listed}) != 1:
        raise HowsureError(
            f"`{argument_name}` is ragged. Give one row per case and one column per rater, None where missing."
        )
    return {column: list(each) for column, each in enumerate(zip(*listed, strict=True))}


def refuse_repeated(argument_name: str, names: Sequence[object]) -> None:
    """Refuse duplicate column names."""
    said = list(map(str, names))
    if len(set(said)) < len(said):
        other = next(name for name in said if said.count(name) > 1)
        raise HowsureError(
            f"`{argument_name}` has the column {other!r} more than once. Give each rater one column, of a name of "
            "its own."
        )

"""Labels by case and rater in several columns: of a matrix, a mapping, a frame, or columns of the data by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from howsure.errors import HowsureError, several
from howsure.sources.frames import columns, opened


def named_columns(
    role: str, given: Any, others: Mapping[str, Any], data: Any, *, check: bool
) -> tuple[dict[Any, Any], dict[str, Any]]:
    """Return the raters' columns by their names, and the other columns by role.

    Parameters
    ----------
    role : str
        What the columns are called in errors.
    given : array-like of shape (n, R), mapping, frame or list of str
        Labels by case and rater; with ``data`` the names of the columns.
    others : mapping of str
        Further columns by role; None for none.
    data : frame, mapping, path or None
        Where named columns are.
    check : bool
        Whether to refuse a column that is judged by itself, and Series whose indices differ.
    """
    if data is None:
        by_name = by_rater(role, given)
    else:
        names = [given] if isinstance(given, str) else several(role, given, "column names")
        by_name = {str(name): name for name in names}
    roles = {name: f"{role}[{name!r}]" for name in by_name}
    asked = {**others, **{roles[name]: column for name, column in by_name.items()}}
    found = columns(data, {name: each for name, each in asked.items() if each is not None}, check=check)
    return {name: found[roles[name]] for name in by_name}, found


def by_rater(role: str, given: Any) -> dict[Any, Any]:
    """Return the columns of a matrix, a mapping or a frame by their names, or their places.

    Parameters
    ----------
    role : str
        What it is called in errors.
    given : array-like of shape (n, R), mapping or frame
        Labels by case and rater.

    Raises
    ------
    HowsureError
        If it is no table.
    """
    if isinstance(given, Mapping):
        return dict(given)
    if hasattr(given, "iloc"):  # pandas: names of any type
        return {name: given[name] for name in getattr(given, "columns", ())}
    if any(hasattr(type(given), each) for each in ("columns", "column_names")):
        names = opened(given).collect_schema().names()
        return columns(given, {name: name for name in names})
    if isinstance(given, np.ndarray) and given.ndim > 1:
        return dict(enumerate(given.T))
    try:
        listed = [list(row) for row in given]
    except TypeError:
        message = f"`{role}` is no table of cases × raters. To name columns of a frame or file, give `data=`."
        raise HowsureError(message) from None
    if len({len(row) for row in listed}) != 1:
        message = f"`{role}` is ragged. Give one row per case and one column per rater, None where missing."
        raise HowsureError(message)
    return {column: list(each) for column, each in enumerate(zip(*listed, strict=True))}

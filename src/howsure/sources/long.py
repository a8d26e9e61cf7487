"""Long data: one row per model and case, joined by case and never by position."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from howsure.arrays import Array
from howsure.designs.crossed import Combinations
from howsure.errors import HowsureError, one_of
from howsure.sources.columns import same_length
from howsure.sources.encoding import Column, encoded
from howsure.sources.frames import columns
from howsure.sources.groups import Groups, groups_of_columns

Incomplete: TypeAlias = Literal["refuse", "drop"]
Read: TypeAlias = Callable[[str, Any], Column]


def refuse_incomplete(incomplete: Incomplete) -> None:
    """Refuse to drop incomplete cases of data with a column for each model, whose rows the caller can drop."""
    if one_of("`incomplete`", incomplete, get_args(Incomplete)) != "refuse":
        raise HowsureError(
            "`incomplete` is for rows of one model each, with `model` and `case`. With a column for each model drop "
            "the rows with a missing one first, such as by `data.dropna()`."
        )


def by_model(
    data: object,
    y_true: object,
    said: object,
    model: object,
    case: object,
    others: Mapping[str, object],
    incomplete: Incomplete,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return one row per case, with a column for each model.

    Parameters
    ----------
    data : frame, mapping, path or None
        The data with the named columns.
    y_true, said, model, case : array-like of shape (n,) or str
        True label (None for numbers without one), prediction, model name and case identifier of each row.
    others : mapping of str
        Further columns by role; each case has a single value.
    incomplete : {"refuse", "drop"}
        How to handle cases that a model lacks.

    Returns
    -------
    tuple of dict and dict
        Columns by role (by name for the models), and a mapping from each model to its column.

    Raises
    ------
    HowsureError
        If a model has a case twice, or a case has several labels, or lacks a model and ``incomplete`` is "refuse".
    """
    one_of("`incomplete`", incomplete, get_args(Incomplete))
    if model is None or case is None:
        raise HowsureError(
            "`model` and `case` go together: the columns that say which model a row is of, and which case."
        )
    asked = {"said": said, "model": model, "case": case} | ({} if y_true is None else {"y_true": y_true})
    given = columns(data, asked | {role: column for role, column in others.items() if column is not None})
    coded = {role: encoded(role, values) for role, values in given.items()}
    same_length([*coded.values()], None)
    models, cases = (groups_of_columns([role], [coded[role]]) for role in ("model", "case"))
    row = _rows(cases, models)
    complete = (row >= 0).all(1)
    if not complete.all():
        _refuse_alike(cases.keys)
    if incomplete == "refuse" and not complete.all():
        at = np.argwhere(row < 0)[0]
        raise HowsureError(
            f"{int((~complete).sum()):,} of {len(cases.keys):,} cases lack a model, such as case {cases.keys[at[0]]!r} "
            f"of {models.keys[at[1]]!r}. Add them, or leave such cases out: incomplete='drop'."
        )
    if not complete.any():
        raise HowsureError(
            f"No case has all {len(models.keys):,} models. Check the column of the cases, or leave out a model."
        )
    one = {role: column for role, column in coded.items() if role not in {"said", "model", "case"}}
    for role, column in one.items():
        _refuse_several(role, column, row, cases, models)
    kept = row[complete]
    found: dict[str, Any] = {role: _of_rows(column, kept[:, 0]) for role, column in one.items()}
    names = {str(name): f"said by {name}" for name in models.keys}
    said_by = coded["said"]
    values = {column: _of_rows(said_by, kept[:, at]) for at, column in enumerate(names.values())}
    return found | values, names


def _refuse_alike(cases: Sequence[object]) -> None:
    """Refuse identifiers of cases that are one as text and another as a number."""
    numbers = {float(case): case for case in cases if isinstance(case, int | float)}
    texts = [case for case in cases if isinstance(case, str)] if numbers else []
    for text, number in zip(texts, map(_number, texts), strict=True):
        if number in numbers:
            raise HowsureError(
                f"`case` holds {numbers[number]!r}, a number, and {text!r}, a text, which are two cases. Give "
                "all identifiers as text, or all as numbers."
            )


def _number(text: str) -> float | None:
    with suppress(ValueError):
        return float(text)
    return None


def _of_rows(column: Column, rows: Array) -> Any:
    """Return the values of some rows; ordered categories and combinations of factors stay a column."""
    if column.rank is not None or isinstance(column.levels, Combinations):
        return replace(column, codes=column.codes[rows])
    return column.levels[column.codes[rows] - column.offset]


def _rows(cases: Groups, models: Groups) -> Array:
    """Return the row of each case and model, -1 where there is none; refuse several."""
    cell = cases.code * len(models.keys) + models.code
    number = np.bincount(cell, minlength=len(cases.keys) * len(models.keys))
    if (number > 1).any():
        at, which = divmod(int(np.argmax(number > 1)), len(models.keys))
        raise HowsureError(
            f"{int((number > 1).sum()):,} times a model has a case more than once, such as {cases.keys[at]!r} of "
            f"{models.keys[which]!r}. Give one row for each model and case."
        )
    row = np.full(len(number), -1, dtype=np.intp)
    row[cell] = np.arange(len(cell))
    return row.reshape(len(cases.keys), len(models.keys))


def _refuse_several(argument_name: str, column: Column, row: Array, cases: Groups, models: Groups) -> None:
    """Refuse a column that has several values for one case."""
    code = np.where(row >= 0, column.codes[row] - np.int64(column.offset), -1)
    first = code[np.arange(len(code)), np.argmax(row >= 0, axis=1)]
    other = (row >= 0) & (code != first[:, None])
    if other.any():
        at, which = (int(index) for index in np.argwhere(other)[0])
        values = column.levels.tolist()
        raise HowsureError(
            f"{int(other.any(1).sum()):,} of {len(cases.keys):,} cases have several values of `{argument_name}`, "
            "such as "
            f"{cases.keys[at]!r}: "
            f"{values[first[at]]!r}, and {values[code[at, which]]!r} of {models.keys[which]!r}. Give each case one."
        )

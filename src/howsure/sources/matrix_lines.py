"""Frames of one line per combination of classes: true class, predicted class and number of cases."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from howsure.errors import HowsureError, by_index
from howsure.sources.layout import names_of
from howsure.sources.matrix_words import FREQUENCIES, axis_kind

ROLES = ("true", "predicted", "n")
NUMBERS = FREQUENCIES | {"len", "size"}  # names of the column of numbers, also of Polars and pandas


def roles_of_lines(frame: Any) -> tuple[str, str, str] | None:
    """Return the columns of true class, predicted class and number of a frame of one line per combination of classes.

    None unless there are these three columns, and their names state which is which.
    """
    names = names_of(frame)
    if names is None or len(names) != len(ROLES) or _names_rows(names, frame):
        return None
    places = places_of_roles(list(map(str, names)), NUMBERS)
    return None if places is None else (names[places[0]], names[places[1]], names[places[2]])


def places_of_roles(names: Sequence[str], numbers: Collection[str] = FREQUENCIES) -> list[int] | None:
    """Return the positions of the columns of true class, predicted class and number; None unless each occurs once."""
    roles = ["n" if name.casefold() in numbers else axis_kind(name) for name in names]
    return [roles.index(each) for each in ROLES] if all(roles.count(each) == 1 for each in ROLES) else None


def refuse_lines(frame: Any) -> None:
    """Refuse a frame of one line per combination of classes, of which it is not stated which class is the true one."""
    if getattr(frame, "ndim", None) == 1 and isinstance(by_index(frame), Mapping):
        raise HowsureError(
            "`counts` is one column of numbers. Count pairs of classes by "
            "`confusion(true, predicted, counts=numbers)`, or name the numbers tp, fp, fn and tn."
        )
    found = names_of(frame)
    names = [] if found is None else list(map(str, found))
    outcomes = {name.casefold(): name for name in names}
    if {"tp", "fp", "fn", "tn"} <= outcomes.keys() and not _names_rows(names, frame):
        given = ", ".join(f"{each}=data[{outcomes[each]!r}]" for each in ("tp", "fp", "fn", "tn"))
        raise HowsureError(f"`counts` has one line per matrix. Give its columns by name: from_counts({given}).")
    kinds = [getattr(dtype, "kind", "O") for dtype in getattr(frame, "dtypes", ())]
    is_named = len(names) == len(ROLES) and names[2].casefold() in NUMBERS and not _names_rows(names, frame)
    if (len(kinds) >= 3 and [kind in "biuf" for kind in kinds].count(True) == 1) or is_named:
        number = names[2] if is_named else names[[kind in "biuf" for kind in kinds].index(True)]
        raise HowsureError(
            "`counts` has one line per combination of classes. Count these, the true classes first: "
            f"confusion(true, predicted, data=frame, counts={number!r})."
        )


def _names_rows(names: Any, frame: Any) -> bool:
    """Whether a column has the name of a row, as the classes of a matrix do."""
    return not {*map(str, names)}.isdisjoint(map(str, getattr(frame, "index", ())))

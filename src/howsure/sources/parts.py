"""Checks that the parts of one data set have the same columns, with values of the same kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from howsure.errors import HowsureError, listed
from howsure.sources.locations import Location

KINDS = {  # kinds of values by engines' names of types
    "numbers": re.compile(r"u?(tiny|small|big|huge)?int(eger)?\d*|double|float\d*|halffloat|real|decimal.*"),
    "text": re.compile(
        r"varchar|(large_)?str(ing)?(_view)?|enum.*|categorical.*|uuid|dictionary<values=(large_)?string.*"
    ),
    "truth values": re.compile("bool(ean)?"),
    "dates or times": re.compile("(date|time).*"),
}


def kind_of(type_: object) -> str:
    """Return the kind of values of a type in words; all nested types are one kind.

    Examples
    --------
    >>> kind_of("BIGINT"), kind_of("large_string"), kind_of("struct<a: int64>")
    ('numbers', 'text', 'nested values')
    """
    name = str(type_).lower()
    return next((kind for kind, pattern in KINDS.items() if pattern.fullmatch(name)), "nested values")


def kind_of_values(values: Sequence[object]) -> str:
    """Return the kind of values of a list in words; empty if all are missing."""
    kinds = {kind_of(type(value).__name__) for value in values if value is not None}
    return kinds.pop() if len(kinds) == 1 else "values of several types" if kinds else ""


def refuse_header(file: Location, names: Sequence[str]) -> None:
    """Refuse a file that gives several columns the same name, or starts with Excel's line for the separator."""
    if names and names[0].casefold().startswith("sep="):
        raise HowsureError(f"'{file}' starts with the line {names[0]!r}, which names no columns. Delete it.")
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise HowsureError(
            f"'{file}' has several columns named {twice!r}. Rename or drop them; if its first line is a case, put the "
            "names of the columns above it."
        )


def refuse_different(
    files: Sequence[Location], schemas: Sequence[Mapping[str, str]], is_empty: Callable[[int, str], bool]
) -> None:
    """Refuse parts that differ in their columns or in the kind of values of a column.

    Parameters
    ----------
    files : sequence of str or Path
        The parts.
    schemas : sequence of mapping of str to str
        The kind of each column of each part.
    is_empty : callable
        Whether a column has no values in a part (given by position), and so no kind.
    """
    known: dict[str, int] = {}  # the part that determines the kind of a column
    for place, (file, schema) in enumerate(zip(files, schemas, strict=True)):
        for one, other, lacking in ((0, place, schema), (place, 0, schemas[0])):
            missing = [name for name in schemas[one] if name not in lacking]
            if missing:
                raise HowsureError(
                    f"'{files[other]}' lacks the column {listed(missing)}, which '{files[one]}' has. "
                    "Give parts with the same columns."
                )
        for name, kind in schema.items():
            first = known.setdefault(name, place)
            if kind == schemas[first][name] or is_empty(place, name):
                continue
            if not is_empty(first, name):
                raise HowsureError(
                    f"The column '{name}' holds {kind} in '{file}' and {schemas[first][name]} in '{files[first]}'. "
                    "Give it one type in all parts."
                )
            known[name] = place

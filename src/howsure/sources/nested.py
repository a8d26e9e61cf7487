"""Names of columns, and of fields of nested ones: ``doc.passage_id`` is the field ``passage_id`` of ``doc``."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from howsure.errors import HowsureError

DOT = "·"  # replaces the dot in names of new columns, because engines interpret dots


def column_names(frame: Any) -> list[str]:
    """Return the names of the columns of a frame, a stream, or a mapping of columns."""
    return list(frame) if isinstance(frame, Mapping) else frame.collect_schema().names()


def with_fields(frame: Any, names: Iterable[object]) -> tuple[Any, Callable[[Any], Any]]:
    """Return a frame, or a mapping of columns, with named fields as columns, and a function from names to columns.

    A column whose name contains a dot takes precedence over a field.

    Parameters
    ----------
    frame : frame or mapping of columns
        The data, of any library, lazy ones included.
    names : iterable of str
        Names of columns and fields; values other than strings are ignored.

    Returns
    -------
    tuple of frame and callable
        The frame, and a function that returns the column of a name.

    Raises
    ------
    HowsureError
        If a nested column has no such field; the message names the nearest ones.
    """
    known = column_names(frame)
    found: dict[str, str] = {}
    for name in dict.fromkeys(each for each in names if isinstance(each, str) and "." in each):
        parts = name.split(".")
        starts = (".".join(parts[:size]) for size in range(len(parts), 0, -1))
        column = next((start for start in starts if start in known), None)
        if column is not None:
            path = name[len(column) + 1 :].split(".") if column != name else []
            frame, found[name] = _with_field(frame, name, column, path)
    return frame, lambda name: found.get(name, name) if isinstance(name, str) else name


def fields_named(frame: Any, name: str) -> list[str]:
    """Return the named fields of nested columns, each with its column before the dot."""
    if isinstance(frame, Mapping):
        return [f"{column}.{name}" for column, values in frame.items() if _has_field(values, name)]
    import narwhals as nw

    return [
        f"{column}.{name}"
        for column, dtype in frame.collect_schema().items()
        if name in {each.name for each in getattr(dtype, "fields", [])}
        or (dtype == nw.Object and _has_field(frame[column].to_list(), name))
    ]


def _has_field(values: Iterable[object], name: str) -> bool:
    if not isinstance(values, Iterable):  # refused later, when it is read as a column
        return False
    first = next((each for each in values if each is not None), None)
    return isinstance(first, Mapping) and name in first


def _with_field(frame: Any, name: str, column: str, path: list[str]) -> tuple[Any, str]:
    own = name.replace(".", DOT)
    if isinstance(frame, Mapping):
        return ({**frame, own: _of_rows(frame[column], name, path)}, own) if path else (frame, name)
    import narwhals as nw

    if not path and not frame.implementation.is_duckdb():
        return frame, name
    dtype, expression = frame.collect_schema()[column], nw.col(column)
    if dtype == nw.Object:  # dictionaries in a frame of pandas
        values = _of_rows(frame[column].to_list(), name, path)
        return frame.with_columns(nw.new_series(own, values, backend=frame.implementation)), own
    parents, rest = [column], path
    while rest:
        fields = {each.name: each.dtype for each in getattr(dtype, "fields", [])}
        field, after = _first_of(rest, fields)
        if field not in fields:
            raise HowsureError.unknown("field", name, [".".join([*parents, each]) for each in fields])
        parents, rest = [*parents, field], after
        dtype, expression = fields[field], expression.struct.field(field)
    if frame.implementation.is_duckdb():  # narwhals parses their dotted names as tables and columns
        quoted = ".".join(f'"{each.replace(chr(34), chr(34) * 2)}"' for each in parents)
        return nw.from_native(frame.to_native().project(f'*, {quoted} as "{own}"')), own
    return frame.with_columns(expression.alias(own)), own


def _of_rows(values: Iterable[object], name: str, path: list[str]) -> list[Any]:
    """Return a field of dictionaries; None if it or a parent is missing."""
    found = [_field(value, path) for value in values]
    if found and all(value is None for value in found):
        raise HowsureError(f"No case has the field '{name}'. Check its name.")
    return found


def _field(value: object, path: list[str]) -> Any:
    """Return a field of nested dictionaries; None if it or a parent is missing."""
    while path and isinstance(value, Mapping):
        name, path = _first_of(path, value)
        value = value.get(name)
    return None if path else value


def _first_of(path: list[str], fields: Container[str]) -> tuple[str, list[str]]:
    """Return the field that a path starts with, whose name may hold dots, and the rest of the path."""
    starts = ((".".join(path[:size]), path[size:]) for size in range(len(path), 0, -1))
    return next((each for each in starts if each[0] in fields), (path[0], path[1:]))

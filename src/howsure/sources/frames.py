"""Frames of any library, lazy relations and files: the columns, or the counts, that an evaluation needs.

Frames in memory give their columns; lazy frames and relations count by ``GROUP BY`` where the data are.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError, NoCaseError, boolean, one_of
from howsure.sources.columns import Grouped, group, ordinary_scale
from howsure.sources.doubts import refuse_confused
from howsure.sources.locations import is_located
from howsure.sources.nested import with_fields
from howsure.sources.plain import plain

Array = NDArray[Any]
AS_ARRAYS = {"BIGINT", "BOOLEAN", "DOUBLE", "INTEGER", "VARCHAR"}  # of DuckDB's types: arrays hold them exactly


def grouped(data: Any, keys: Mapping[str, Any], weight: Any = None, *, check: bool = False) -> Grouped:
    """Count the combinations of key columns.

    Parameters
    ----------
    data
        None (the columns themselves are given), a frame, a lazy frame or relation, a mapping of columns, or a path.
    keys
        Role → column, or its name in ``data``.
    weight
        Weights, or the name of their column.
    check
        Whether to refuse a column that is judged by itself, and Series whose indices differ.
    """
    if boolean("check", check):
        refuse_confused({**keys, "sample_weight": weight})
    if data is None:
        return group(keys, weight)
    frame, named = with_fields(opened(data), [*keys.values(), weight])
    names = {role: checked_name(role, named(name), frame) for role, name in keys.items()}
    weight_name = None if weight is None else checked_name("sample_weight", named(weight), frame)
    if _is_lazy(frame):
        return _pushed_down(frame, names, weight_name)
    columns = {role: column_of(frame, name) for role, name in names.items()}
    if check:
        refuse_confused(columns)
    return group(columns, None if weight_name is None else column_of(frame, weight_name))


def columns(data: Any, names: Mapping[str, Any], *, check: bool = False) -> dict[str, Any]:
    """Return the named columns of the data; of a lazy frame only these are collected.

    With ``check`` a column that is judged by itself, and Series whose indices differ, are refused.
    """
    if boolean("check", check):
        refuse_confused(names)
    if data is None:
        return {role: plain(role, values) for role, values in names.items()}
    frame, named = with_fields(opened(data), names.values())
    checked = {role: checked_name(role, named(name), frame) for role, name in names.items()}
    if _is_lazy(frame):
        frame = _collected(frame.select(*dict.fromkeys(checked.values())))
    found = {role: column_of(frame, name) for role, name in checked.items()}
    if check:
        refuse_confused(found)
    return found


def opened(data: Any) -> Any:
    """Return data as a narwhals frame; a mapping of columns stays as it is, a path is read."""
    if isinstance(data, Mapping):
        return data
    if isinstance(data, list | tuple) and data and all(isinstance(row, Mapping) for row in data):
        return {name: [row.get(name) for row in data] for name in dict.fromkeys(name for row in data for name in row)}
    if is_located(data):
        from howsure.sources.files import read

        data = read(data)
    if isinstance(data, Mapping):
        return data
    import narwhals as nw

    try:
        frame = nw.from_native(data)
        frame.collect_schema()  # pandas allows two columns of one name until they are looked at
    except nw.exceptions.DuplicateError:
        message = "`data` has several columns of one name. Rename or drop them."
        raise HowsureError(message) from None
    except TypeError:
        message = (
            f"`data` is a {type(data).__name__}, not a frame. Give a pandas, Polars or Arrow frame, a DuckDB relation, "
            "a mapping of columns, or the path of a file."
        )
        raise HowsureError(message) from None
    return frame


def checked_name(role: str, name: Any, frame: Any) -> str:
    """Return a column's name; refuse one that the frame does not have, with the nearest names."""
    if not isinstance(name, str):
        message = f"With `data`, `{role}` is the name of a column, not {type(name).__name__}."
        raise HowsureError(message)
    known = list(frame) if isinstance(frame, Mapping) else frame.collect_schema().names()
    one_of("column", name, known)
    return name


def column_of(frame: Any, name: str) -> Any:
    """Return one column of a frame in memory, in its library's own type."""
    return frame[name] if isinstance(frame, Mapping) else frame[name].to_native()


def _is_lazy(frame: Any) -> bool:
    return not isinstance(frame, Mapping) and not hasattr(frame, "to_dict")


def _pushed_down(frame: Any, names: Mapping[str, str], weight: str | None, scale: float = 1.0) -> Grouped:
    import narwhals as nw

    totals = [nw.len().alias("howsure_n")]
    if weight is not None:
        each = _weights(frame, weight) * scale
        totals += [
            each.sum().alias("howsure_weight"),
            (each * each).sum().alias("howsure_square"),
            each.min().alias("howsure_smallest"),
            each.max().alias("howsure_largest"),
            each.is_null().sum().alias("howsure_absent"),
        ]
    keys = list(dict.fromkeys(names.values()))
    with _told(frame):  # DuckDB looks for a relation's files again
        lazy = frame.group_by(*keys).agg(*totals)
    counted = _collected(lazy)
    n = _floats(column_of(counted, "howsure_n"))
    if not len(n):
        message = "The data have no rows: there is no case to evaluate."
        raise NoCaseError(message)
    coded = [_complete(role, column_of(counted, name), n) for role, name in names.items()]
    total, squared = n, n
    if weight is not None:
        absent, smallest, largest, total, squared = (
            _floats(column_of(counted, f"howsure_{what}"))
            for what in ("absent", "smallest", "largest", "weight", "square")
        )
        if scale == 1 and np.isfinite(largest).all() and largest.any() and ordinary_scale(largest) != 1:
            return _pushed_down(frame, names, weight, ordinary_scale(largest))
        if absent.any() or not np.isfinite(total).all() or (smallest < 0).any() or not total.any():
            message = f"`sample_weight` (column '{weight}') has missing, infinite or negative values, or is all zeros."
            raise HowsureError(message)
    columns = dict(zip(names, coded, strict=True))
    rows, weights, squares = (group(columns, values) for values in (n, total, squared))
    return Grouped(rows.levels, rows.codes, rows.weight, weights.weight, squares.weight)


def _told(frame: Any) -> Any:
    """Return what turns DuckDB's errors into ours, of a frame of another engine nothing."""
    if not frame.implementation.is_duckdb():
        return nullcontext()
    from howsure.sources.duckdb_files import reading

    return reading("`data`")


def _weights(frame: Any, name: str) -> Any:
    """Return the weights as an expression of floats: squares of small integers would overflow their type."""
    import narwhals as nw

    dtype = frame.collect_schema()[name]
    if not (dtype.is_numeric() or dtype == nw.Boolean):
        message = f"`sample_weight` (column '{name}') is not numeric. Give one non-negative number a case."
        raise HowsureError(message)
    return nw.col(name).cast(nw.Float64)


def _complete(role: str, values: Any, n: Array) -> list[Any]:
    """Return the key's values; refuse missing ones, with the number of rows that they stand for."""
    listed = _listed(values)
    missing = np.array([value is None or value != value for value in listed])  # noqa: PLR0124 - nan alone differs
    if missing.any():
        number = int(n[missing].sum())
        message = f"`{role}` has {number} missing {'value' if number == 1 else 'values'}. Drop or fill them first."
        raise HowsureError(message)
    return listed


def _listed(values: Any) -> list[Any]:
    """Return a column of whichever library as a list."""
    return list(next(getattr(values, name) for name in ("to_list", "to_pylist", "tolist") if hasattr(values, name))())


def _floats(values: Any) -> Array:
    listed = _listed(values)
    return np.array([np.nan if value is None else float(value) for value in listed])


def _collected(frame: Any) -> Any:
    """Collect a small lazy result; DuckDB's without needing PyArrow."""
    if not frame.implementation.is_duckdb():
        return frame.collect()
    from howsure.sources.duckdb_files import reading

    native = frame.to_native()
    with reading("`data`"):
        if {str(each) for each in native.types} <= AS_ARRAYS:
            return {name: plain(name, column) for name, column in native.fetchnumpy().items()}
        rows = native.fetchall()
    return {name: _Plain([row[i] for row in rows]) for i, name in enumerate(native.columns)}


class _Plain(list[Any]):
    """A list that answers as a column does."""

    def to_list(self) -> list[Any]:
        return list(self)

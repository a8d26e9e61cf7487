"""Storage of tables and their designs in files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MethodType
from typing import Any, TypeVar

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.invariants import ANY, refuse
from howsure.errors import HowsureError
from howsure.tables.parquet import MOST_BYTES, read, write
from howsure.writing import checked_path, written

Kind = TypeVar("Kind", bound=type)
Keep = Callable[[Array], dict[str, Any]]
SCHEMA = 1
PARQUET = (".parquet", ".pq")
SUFFIXES = (".json", *PARQUET)
# Labels without a JSON type: conversion to and from JSON.
TEXTS: dict[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    date: ("date", date.isoformat, date.fromisoformat),
    datetime: ("datetime", datetime.isoformat, datetime.fromisoformat),
    time: ("time", time.isoformat, time.fromisoformat),
    timedelta: ("microseconds", lambda span: span // timedelta(microseconds=1), lambda n: timedelta(microseconds=n)),
    Decimal: ("decimal", str, Decimal),
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    float: ("float", repr, float),  # nan and infinity
}
TABLES: dict[str, type] = {}  # by name; a class of tables registers itself when it is defined
PARTS = {  # kinds of designs and of other parts of tables → modules
    **dict.fromkeys(("Independent", "Weighted"), "designs.independent"),
    **dict.fromkeys(("Linearised", "MergedDraws", "Sample"), "designs.linearised"),
    **dict.fromkeys(("Batch", "Population"), "designs.expected"),
    "Cases": "designs.cases",
    "Clusters": "designs.clusters",
    "Crossed": "designs.crossed",
    "FixedMargins": "designs.fixed_margins",
    "Known": "designs.known",
    "Separate": "designs.separate",
    "StratifiedClusters": "designs.stratified_clusters",
    "StratifiedSample": "designs.stratified",
    **dict.fromkeys(("Beta", "Isotonic", "Platt", "VennAbers"), "imperfect_labels.calibration.calibrators"),
    "Steps": "imperfect_labels.calibration.isotonic",
    "Votes": "imperfect_labels.noisy.dawid_skene",
    "TwoPhase": "imperfect_labels.partial.two_phase",
    "Cells": "imperfect_labels.review.prior",
    "Reviewed": "imperfect_labels.review.design",
    **dict.fromkeys(("LowRank", "ShiftRefit"), "imperfect_labels.dataset_shift.shares"),
    "CalibratedBatch": "imperfect_labels.unlabelled.batch",
    "csr_array": "tables.serialization",
    "SeparateTables": "tables.separate",  # the one table without a public name
}
OBJECTS = "Of"  # kinds of arrays that are kept element by element
METHODS = ("draws",)  # that a design may hold of one of its parts
MOST_PADDING = 256  # bytes of a text in an array, for each character that the longest has
READ = {name: read for name, _, read in TEXTS.values()}


def registered(kind: Kind) -> Kind:
    """Register a class of tables, which files then name; return it.

    Raises
    ------
    HowsureError
        If another class has the name.
    """
    name = kind.__name__
    known = TABLES.get(name, kind)
    is_ours = name in PARTS or name in import_module("howsure.tables").__all__
    if known.__module__ != kind.__module__ or (is_ours and not kind.__module__.startswith("howsure.")):
        raise HowsureError(f"A class of tables cannot be called `{name}`: another one is. Choose another name.")
    TABLES[name] = kind
    return kind


def save(table: object, path: str | Path) -> Path:
    """Write tables to a file atomically.

    Parameters
    ----------
    table : Table or Tables
        The tables to write, with their designs.
    path : str or Path
        Path of a JSON (``.json``) or Parquet (``.parquet``) file; Parquet needs PyArrow.

    Returns
    -------
    Path

    Raises
    ------
    HowsureError
        If the suffix is not supported, the table contains objects that are not data, or the file cannot be written.
    """
    where = checked_path(path)
    is_parquet = _is_parquet(where, "write")
    from importlib.metadata import version

    head = {"howsure": version("howsure"), "schema": SCHEMA}
    if not is_parquet:
        return written(where, json.dumps(head | {"table": _node(table, _inline)}, separators=(",", ":")))
    arrays: list[Array] = []
    document = head | {"table": _node(table, partial(_aside, arrays))}
    return written(where, partial(write, document, arrays))


def load(path: str | Path) -> Any:
    """Read the table, or the tables by group, written by ``table.save(path)``.

    Parameters
    ----------
    path : str or Path
        The file, in JSON or Parquet.

    Returns
    -------
    Table or Tables
        Equal in counts, labels, design and identity; draws with the same seed are also equal.

    Raises
    ------
    HowsureError
        If the file is missing, is damaged, holds no saved table, was saved by a later version, or holds a table
        of another package that was not imported.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import howsure as hs
    >>> table = hs.confusion(["cat", "dog", "dog"], ["cat", "dog", "cat"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = table.save(Path(folder) / "monday.json")
    ...     again = hs.load(path)
    >>> again.labels.tolist(), again.counts.tolist()
    (['cat', 'dog'], [[1.0, 0.0], [1.0, 1.0]])
    """
    where = checked_path(path)
    document, arrays = _document(where)
    try:
        found = _value(document["table"], arrays)
        if type(found).__name__ not in TABLES:
            refuse("It holds no table.")
    except _UnknownKindError as error:
        raise HowsureError(
            f"'{where}' is damaged, or holds a `{error}` of another package. Import that package first."
        ) from None
    except HowsureError as error:  # of an invariant
        raise HowsureError(f"'{where}' is damaged: {error} Save it again.") from None
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        raise HowsureError(
            f"'{where}' is damaged: its table is not complete ({type(error).__name__}). Save it again."
        ) from None
    return found


def _document(where: Path) -> tuple[dict[str, Any], list[Array]]:
    """Return the contents of a file that `save` wrote, and the arrays outside of the JSON text."""
    arrays: list[Array] = []
    try:
        if _is_parquet(where, "read"):
            document, arrays = read(where)
        else:
            document = json.loads(where.read_text(encoding="utf-8"))
    except OSError as error:
        raise HowsureError(f"'{where}' cannot be read: {error.strerror or error}.") from None
    except HowsureError:  # of its size
        raise
    except (ValueError, RecursionError) as error:  # of JSON and of its encoding
        raise HowsureError.unreadable(f"'{where}'", error) from None
    if not isinstance(document, dict) or not {"howsure", "schema", "table"} <= document.keys():
        raise HowsureError(
            f"'{where}' holds no table that howsure saved. To count a file of cases, give it as `data=`."
        )
    if document["schema"] != SCHEMA:
        raise HowsureError(
            f"'{where}' was saved by howsure {document['howsure']}, and this version cannot read it. "
            "Update: pip install -U howsure"
        )
    return document, arrays


def _is_parquet(path: Path, verb: str) -> bool:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise HowsureError(f"'{path}' has no suffix that says how to {verb} it. Known: {', '.join(SUFFIXES)}.")
    return suffix in PARQUET


def _aside(arrays: list[Array], array: Array) -> dict[str, Any]:
    """Append an array to the others, and return a reference to it."""
    arrays.append(array.ravel())
    return {"column": len(arrays) - 1, "shape": list(array.shape)}


def _inline(array: Array) -> dict[str, Any]:
    return {"values": array.ravel().tolist(), "shape": list(array.shape)}


def _node(value: object, keep: Keep) -> Any:
    """Return the JSON representation of a value."""
    if isinstance(value, np.ndarray):
        return _array_node(value, keep)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str) or (type(value) is float and math.isfinite(value)):
        return value
    if isinstance(value, tuple | list | range):
        return [_node(each, keep) for each in value]
    if type(value) in TEXTS:
        name, write, _ = TEXTS[type(value)]
        return {name: write(value)}
    if isinstance(value, MethodType):
        return {"method": value.__name__, "of": _node(value.__self__, keep)}
    parts = _parts(value)
    if parts is None:
        what = getattr(value, "__qualname__", type(value).__qualname__)
        raise HowsureError(
            f"The table cannot be saved: it holds `{what}`, which is not data. Save the underlying data instead."
        )
    return {"kind": type(value).__name__} | {name: _node(part, keep) for name, part in parts.items()}


def _parts(value: object) -> dict[str, Any] | None:
    """Return the parts of a table or design by the names of its constructor's arguments; None for other types."""
    kind = type(value)
    is_part = kind.__name__ in PARTS and kind.__module__.startswith(("howsure.", "scipy.sparse."))
    if not (is_part or TABLES.get(kind.__name__) is kind):
        return None
    if hasattr(value, "indptr"):  # of a sparse array
        return {name: getattr(value, name) for name in ("data", "indices", "indptr", "shape")}
    if is_dataclass(value):
        every = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        return {name: part for name, part in every.items() if part is not None}
    return dict(value.parts()) if hasattr(value, "parts") else None


class _UnknownKindError(HowsureError):
    """A file names a class that nothing has defined."""


def kind_of(name: Any) -> Any:
    """Return the class of a table, of a design or of a part, by its name in a file."""
    if name in PARTS:
        return getattr(import_module(f"howsure.{PARTS[name]}"), name)
    if name not in TABLES:
        public = import_module("howsure.tables")  # which imports the module of a name when it is used
        getattr(public, name if name in public.__all__ else "Tables")
    if name not in TABLES:
        raise _UnknownKindError(name)
    return TABLES[name]


def csr_array(data: Any, indices: Any, indptr: Any, shape: Any) -> Any:
    """Return a sparse array of its parts, which SciPy does not check."""
    from scipy import sparse

    invariants.array("data", data, (None,))
    invariants.parts("shape", shape, int, 2)
    rows, columns = shape
    invariants.positions("indices", indices, data.shape, columns)
    invariants.positions("indptr", indptr, (rows + 1,), len(data) + 1)
    if indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        invariants.refuse("`indptr` must ascend from 0 to the number of entries.")
    return sparse.csr_array((data, indices, indptr), shape=shape)


def _array_node(array: Array, keep: Keep) -> dict[str, Any]:
    kind, name = array.dtype.kind, array.dtype.str
    if kind == "O" or (kind == "f" and not np.isfinite(array).all()):
        return {"dtype": name, "shape": list(array.shape), "objects": [_node(each, keep) for each in array.flat]}
    return {"dtype": name} | keep(array.view(np.int64) if kind in "Mm" else array)


def _value(node: object, arrays: list[Array]) -> Any:
    """Return the value of a JSON node."""
    if isinstance(node, list):
        return tuple(_value(each, arrays) for each in node)
    if not isinstance(node, dict):
        return 0.0 if type(node) is float and node == 0 else node  # never -0.0, which NumPy's gamma draws refuse
    if "dtype" in node:
        return _array_of(node, arrays)
    if "kind" in node:
        found = kind_of(node["kind"])(**{name: _value(part, arrays) for name, part in node.items() if name != "kind"})
        if node["kind"] in TABLES and hasattr(found, "cells"):
            found.design.check_sums(found.cells)
        return found
    if "method" in node:
        if node["method"] not in METHODS:
            refuse(f"It names the method {node['method']!r}.")
        return getattr(_value(node["of"], arrays), node["method"])
    ((name, text),) = node.items()
    return READ[name](text)


def _array_of(node: dict[str, Any], arrays: list[Array]) -> Array:
    dtype = np.dtype(node["dtype"])
    if dtype.kind not in (OBJECTS if "objects" in node else ANY):
        refuse(f"It has an array of the type {dtype}.")
    if "objects" in node:
        values = np.empty(len(node["objects"]), dtype=object if dtype.kind == "O" else float)
        values[:] = [_value(each, arrays) for each in node["objects"]]
    else:
        found = arrays[node["column"]] if "column" in node else node["values"]
        if dtype.kind == "U" and dtype.itemsize > MOST_PADDING * (1 + max(map(len, found), default=0)):
            refuse(f"It has texts of the type {dtype}, which is far longer than they are.")
        if dtype.kind == "U" and dtype.itemsize * len(found) > MOST_BYTES:
            refuse(f"It has {len(found):,} texts of the type {dtype}, more than {MOST_BYTES >> 30} GiB.")
        values = np.asarray(found, dtype=np.int64 if dtype.kind in "Mm" else dtype).view(dtype)
    values = values.astype(dtype, copy=False).reshape(node["shape"])
    return values + 0.0 if dtype.kind == "f" else values  # no -0.0, as above

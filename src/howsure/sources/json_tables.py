"""The rows of a JSON value: of a list of records, or of the objects in which other programs wrap a table."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from howsure.names import squeezed, word_set
from howsure.sources.file_checks import chunks
from howsure.sources.label_studio import are_tasks, rows_of_tasks

Kind = TypeVar("Kind")
HEAD = 256  # bytes in which a file has its first character
OF_WHOLES = word_set("acc accuracy auc aucroc f1 f1score macroavg macrof1 mcc n ntotal precision recall rocauc support")


def records_of(found: object) -> list[Any]:
    """Return the records of a JSON value.

    Parameters
    ----------
    found : list or dict
        A list of records, or of Label Studio's tasks; or an object with

        - ``columns`` and ``data``, names and rows of values (Weights & Biases, pandas ``orient="split"``),
        - one list of records, beside anything else (``{"model": …, "results": […]}``),
        - columns of equal length, as lists, or as objects with the same keys (pandas ``orient="columns"``),
        - records by their identifiers, with names that are no numbers (pandas ``orient="index"``).

        Any other object is a single record, such as metrics by model (``{"a": {"accuracy": 0.9, "f1": 0.8}, …}``).

    Examples
    --------
    >>> records_of({"columns": ["label", "score"], "data": [["a", 0.9], ["b", 0.2]]})
    [{'label': 'a', 'score': 0.9}, {'label': 'b', 'score': 0.2}]
    >>> records_of({"label": ["a", "b"], "score": [0.9, 0.2]}) == records_of({"model": 7, "rows": _})
    True
    >>> records_of({"a": {"label": 1}, "b": {"label": 0}})
    [{'label': 1}, {'label': 0}]
    """
    if not isinstance(found, dict):
        return rows_of_tasks(found) if are_tasks(found) else found if isinstance(found, list) else [found]
    names, data = found.get("columns"), found.get("data")
    if _is_list_of(names, str) and _is_list_of(data, list) and {len(row) for row in data} == {len(names)}:
        return [dict(zip(names, row, strict=True)) for row in data]
    wrapped = [each for each in found.values() if _is_list_of(each, dict)]
    if len(wrapped) == 1:
        return list(wrapped[0])
    columns = list(found.values())
    if _is_list_of(columns, list) and len({len(each) for each in columns}) == 1:
        return [dict(zip(found, row, strict=True)) for row in zip(*columns, strict=True)]
    if _is_list_of(columns, dict) and all(each.keys() == columns[0].keys() for each in columns):
        are_records = len(columns) > len(columns[0]) and not all(map(str.isdecimal, columns[0]))
        by_key = ({name: column[key] for name, column in found.items()} for key in columns[0])
        if are_records or OF_WHOLES.isdisjoint(map(squeezed, columns[0])):  # else numbers of wholes, and no cases
            return columns if are_records else list(by_key)
    return [found]


def is_object(file: Path) -> bool:
    """Whether a JSON file holds one object, rather than a list or an object in each line."""
    start = bytearray()
    for chunk in chunks(file):
        start += chunk
        if _text(start[:HEAD])[:1] not in {b"", b"{"}:
            return False
        if b"\n" in chunk and _text(start).partition(b"\n")[2].strip():
            break
    first, _, rest = _text(start).partition(b"\n")
    return first.startswith(b"{") and not (rest.strip() and _is_json(first))


def _text(start: bytearray) -> bytes:
    return bytes(start).removeprefix(codecs.BOM_UTF8).lstrip()


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_list_of(found: object, kind: type[Kind]) -> TypeGuard[list[Kind]]:
    return isinstance(found, list) and bool(found) and all(isinstance(each, kind) for each in found)

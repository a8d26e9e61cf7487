"""Cells of a confusion matrix in JSON: nested lists, tables with columns and data, records, and named matrices."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from howsure.errors import HowsureError, listed
from howsure.sources.matrix_text import OUTCOMES, outcome_of

DEEPEST = 4  # nested objects in which a matrix is looked for
TABLES = (("columns", "data"), ("columns", "rows"), ("header", "rows"))  # keys of a header and of its rows
NAMES = ("displayName", "name", "label", "id")  # keys of the name in an object that describes a class


def cells_of_json(text: str) -> list[list[str]] | None:
    """Return the cells of a matrix in JSON; None for a text that is no JSON object or list of objects.

    The rows of a matrix are the true classes, as in the files of scikit-learn, Azure and Vertex AI.

    Raises
    ------
    HowsureError
        If the JSON holds no matrix of counts, holds several, or maps names to names.

    Examples
    --------
    >>> cells_of_json('{"class_labels": ["no", "yes"], "matrix": [[50, 3], [5, 42]]}')
    [['', 'no', 'yes'], ['no', '50', '3'], ['yes', '5', '42']]
    """
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return _of_lines(text)
    except RecursionError:
        return None
    if isinstance(found, list):
        return _of_records(found)
    return _of_object(found) if isinstance(found, dict) else None


def _of_lines(text: str) -> list[list[str]] | None:
    try:
        return _of_records([json.loads(line) for line in text.splitlines() if line.strip()])
    except (json.JSONDecodeError, RecursionError):
        return None


def _of_records(records: list[Any]) -> list[list[str]] | None:
    if not records or not all(isinstance(each, dict) for each in records):
        return None
    header = list(dict.fromkeys(name for each in records for name in each))
    return [header, *([_text(each.get(name)) for name in header] for each in records)]


def _of_object(found: dict[str, Any]) -> list[list[str]]:
    if table := _of_table(found):
        return table
    matrices, outcomes = list(_matrices(found, DEEPEST)), list(_outcomes(found, DEEPEST))
    if outcomes:  # beside limits of metrics, or of each class
        matrices = [each for each in matrices if _are_counts(each[0])]
    if len(matrices) == 1:
        matrix, names = matrices[0]
        cells = [list(map(_text, row)) for row in matrix]
        if names is None:
            return cells
        return [["", *names], *([name, *row] for name, row in zip(names, cells, strict=True))]
    if matrices:
        raise HowsureError(f"it holds {len(matrices)} matrices. Keep one.")
    if len(outcomes) == 1:
        return [list(outcomes[0]), list(map(_text, outcomes[0].values()))]
    if outcomes:
        raise HowsureError(f"it holds {len(outcomes)} matrices, as true and false positives and negatives. Keep one.")
    if any(isinstance(each, dict) for each in found.values()):
        raise HowsureError(
            f"it maps {listed(found)} to further names, and which are the true classes is not said. Give a list of "
            "lists, a row for each true class, or `from_counts({true: {predicted: count}})`."
        )
    raise HowsureError(
        f"it holds {listed(found)}, and no matrix of counts. Give a list of lists, a row for each true class."
    )


def _of_table(found: Mapping[str, Any]) -> list[list[str]] | None:
    """Return the cells of a header and rows in an object, with the names of the rows if they are stated."""
    for header, rows in TABLES:
        if isinstance(found.get(header), list) and _is_table(found.get(rows), len(found[header])):
            cells = [list(map(str, found[header])), *([_text(cell) for cell in row] for row in found[rows])]
            names = found.get("index")  # of the rows, as pandas writes them
            if isinstance(names, list) and len(names) == len(found[rows]) and names != [*range(len(names))]:
                return [[str(name), *row] for name, row in zip(["", *names], cells, strict=True)]
            return cells
    return None


def _outcomes(found: Mapping[str, Any], depth: int) -> Iterator[dict[str, Any]]:
    """Yield the numbers of true and false positives and negatives in an object."""
    named = {name: value for name, value in found.items() if outcome_of(name) and not isinstance(value, dict | list)}
    if {*map(outcome_of, named)} == {*OUTCOMES}:
        yield named
    elif depth > 1:
        for value in found.values():
            if isinstance(value, dict):
                yield from _outcomes(value, depth - 1)


def _matrices(found: Mapping[str, Any], depth: int) -> Iterator[tuple[list[list[Any]], list[str] | None]]:
    """Yield the square matrices in an object, with the names of the classes if a list beside them has these."""
    for value in found.values():
        if isinstance(value, dict) and depth > 1:
            yield from _matrices(value, depth - 1)
        elif isinstance(value, list) and len(value) > 1 and _is_table(value, len(value)):
            yield value, next(filter(None, (_names(each, len(value)) for each in found.values())), None)


def _names(values: object, size: int) -> list[str] | None:
    """Return the names of the classes: a list of texts or whole numbers, or of objects that hold a name."""
    if not isinstance(values, list) or len(values) != size:
        return None
    named = [
        next((each[key] for key in NAMES if key in each), None) if isinstance(each, dict) else each for each in values
    ]
    return list(map(str, named)) if all(isinstance(each, str | int) for each in named) else None


def _is_table(rows: object, width: int) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == width and not any(isinstance(cell, dict | list) for cell in row)
        for row in rows
    )


def _are_counts(matrix: list[list[Any]]) -> bool:
    return all(isinstance(cell, int | float) and float(cell).is_integer() for row in matrix for cell in row)


def _text(cell: object) -> str:
    if cell is None:
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)

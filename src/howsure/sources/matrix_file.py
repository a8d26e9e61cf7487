"""Confusion matrices in CSV and TSV files, with labels or without."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.escapes import is_number
from howsure.sources.locations import is_file, nearby

Array = NDArray[Any]


def read_matrix(path: str | Path) -> tuple[list[Any] | None, Array]:
    """Return the labels (None where there are none) and counts of a confusion matrix in a CSV or TSV file.

    Rows are the true classes, columns the predicted ones. A header row, a first column of labels, both or
    neither may be there; where both are, they are the same labels in the same order.

    Raises
    ------
    HowsureError
        If the file is missing or holds something else than a square matrix of counts.
    """
    path = Path(path)
    if not is_file(path):
        message = f"There is no file '{path}'.{nearby(path)}"
        raise HowsureError(message)
    rows = _cells(path)
    if not rows:
        message = f"'{path}' is empty."
        raise HowsureError(message)
    labels, body = _split(path, rows)
    if not body:
        message = f"'{path}' holds labels and no counts."
        raise HowsureError(message)
    return labels, _numbers(path, body)


def _cells(path: Path) -> list[list[str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        first = text.lstrip().partition("\n")[0]
        delimiter = (
            "\t" if path.suffix.lower() in {".tsv", ".tab"} else ";" if ";" in first and "," not in first else ","
        )
        return [
            [cell.strip() for cell in row] for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(row)
        ]
    except (UnicodeDecodeError, csv.Error) as error:
        raise HowsureError.unreadable(f"'{path}'", error) from None


def _split(path: Path, rows: list[list[str]]) -> tuple[list[Any] | None, list[list[str]]]:
    """Part labels from counts: the counts are square, so the shape says which labels are there."""
    if len(rows[0]) + 1 == len(rows) == len(rows[-1]) and not _are_numbers(rows[0]):
        rows = [["", *rows[0]], *rows[1:]]  # R's write.table leaves out the corner
    height, width = len(rows), len(rows[0])
    first = [row[0] for row in rows]
    if height == width and not is_number(rows[0][0]):
        if first[1:] != rows[0][1:]:
            message = (
                f"'{path}' names its rows {', '.join(first[1:])} and its columns {', '.join(rows[0][1:])}. "
                "Give both the same labels, in the same order."
            )
            raise HowsureError(message)
        return first[1:], [row[1:] for row in rows[1:]]
    if height == width + 1 and not _are_numbers(rows[0]):
        return rows[0], rows[1:]
    if width == height + 1 and not _are_numbers(first) and any(map(is_number, rows[0][1:])):
        return first, [row[1:] for row in rows]
    return None, rows


def _are_numbers(cells: list[str]) -> bool:
    return all(map(is_number, cells))


def _numbers(path: Path, body: list[list[str]]) -> Array:
    size = len(body)
    matrix = np.zeros((size, size))
    for i, row in enumerate(body):
        if len(row) != size:
            message = f"'{path}' is not a square matrix: {size} rows of counts, but row {i + 1} has {len(row)} columns."
            raise HowsureError(message)
        for j, cell in enumerate(row):
            try:
                matrix[i, j] = float(cell)
            except ValueError:
                matrix[i, j] = np.nan
            value = matrix[i, j]
            if not np.isfinite(value) or value < 0 or value != np.floor(value):
                shown = f"'{cell}'" if cell else "nothing"
                message = f"'{path}', row {i + 1}, column {j + 1}: {shown} is not a count (0, 1, 2, …)."
                raise HowsureError(message)
    return matrix

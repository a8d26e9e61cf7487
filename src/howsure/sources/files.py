"""Files: predictions in CSV, TSV, JSON lines, Parquet, Arrow and Feather, and confusion matrices in CSV."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError

Array = NDArray[Any]
READERS = {
    ".csv": "read_csv({path}, header=true)",
    ".tsv": "read_csv({path}, header=true, delim='\t')",
    ".tab": "read_csv({path}, header=true, delim='\t')",
    ".txt": "read_csv({path}, header=true)",
    ".jsonl": "read_json({path}, format='newline_delimited')",
    ".ndjson": "read_json({path}, format='newline_delimited')",
    ".json": "read_json({path})",
    ".parquet": "read_parquet({path})",
    ".pq": "read_parquet({path})",
}
ARROW = (".arrow", ".feather", ".ipc")
COMPRESSED = (".gz", ".zst")


def read(path: str | Path) -> Any:
    """Return a file's rows as a DuckDB relation (Arrow and Feather: as an Arrow table).

    The format follows from the suffix; CSV, TSV and JSON may be compressed (``.gz``, ``.zst``). Types are
    inferred from the values: a column of whole numbers holds integers, and is not text.

    Raises
    ------
    HowsureError
        If the file is missing, is empty, cannot be read, or has an unknown suffix.
    """
    path = Path(path)
    suffix = _suffix(path)
    if not path.exists():
        message = f"There is no file '{path}'.{_nearby(path)}"
        raise HowsureError(message)
    if path.is_dir():
        message = f"'{path}' is a folder; give a file."
        raise HowsureError(message)
    if path.stat().st_size == 0:
        message = f"'{path}' is empty."
        raise HowsureError(message)
    return _arrow(path) if suffix in ARROW else _relation(path, suffix)


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in READERS and suffix not in ARROW:
        known = ", ".join([*READERS, *ARROW])
        message = f"'{path}' has a suffix that says nothing of its format. Known: {known}."
        raise HowsureError(message)
    return suffix


def _nearby(path: Path) -> str:
    from howsure.errors import did_you_mean

    folder = path.parent
    return did_you_mean(path.name, [each.name for each in folder.iterdir()]) if folder.is_dir() else ""


def _relation(path: Path, suffix: str) -> Any:
    duckdb = _needed("duckdb", path)
    quoted = "'" + str(path).replace("'", "''") + "'"
    try:
        return duckdb.connect().sql(f"select * from {READERS[suffix].format(path=quoted)}")  # noqa: S608 - quoted
    except duckdb.Error as error:
        raise _unreadable(path, error) from None


def _arrow(path: Path) -> Any:
    _needed("pyarrow", path)
    from pyarrow import ArrowInvalid, feather

    try:
        return feather.read_table(str(path))
    except (ArrowInvalid, OSError) as error:
        raise _unreadable(path, error) from None


def _needed(package: str, path: Path) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        message = f"Reading '{path}' needs the package '{package}'. Install it: pip install {package}"
        raise HowsureError(message) from None


def _unreadable(path: Path, error: Exception) -> HowsureError:
    first = str(error).strip().splitlines()[0]
    return HowsureError(f"'{path}' cannot be read: {first}")


def read_matrix(path: str | Path) -> tuple[list[Any] | None, Array]:
    """Return the labels (None where there are none) and counts of a confusion matrix in a CSV or TSV file.

    Rows are the true classes, columns the predicted ones. A header row, a first column of labels, both or
    neither may be there.

    Raises
    ------
    HowsureError
        If the file is missing or holds something else than a square matrix of counts.
    """
    path = Path(path)
    if not path.is_file():
        message = f"There is no file '{path}'.{_nearby(path)}"
        raise HowsureError(message)
    delimiter = "\t" if path.suffix.lower() in {".tsv", ".tab"} else ","
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [[cell.strip() for cell in row] for row in csv.reader(file, delimiter=delimiter) if any(row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(path, error) from None
    if not rows:
        message = f"'{path}' is empty."
        raise HowsureError(message)
    labels, body = _split(rows)
    return labels, _numbers(path, body)


def _split(rows: list[list[str]]) -> tuple[list[Any] | None, list[list[str]]]:
    """Part labels from counts: labels are what is not a number, or what stands beside an empty corner."""
    corner = rows[0][0] == ""
    header = corner or not all(_is_number(cell) for cell in rows[0][1:])
    body = rows[1:] if header else rows
    first = corner or not all(_is_number(row[0]) for row in body)
    labels: list[Any] | None = None
    if header:
        labels = rows[0][1:] if first else rows[0]
    elif first:
        labels = [row[0] for row in body]
    return labels, [row[1:] for row in body] if first else body


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


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

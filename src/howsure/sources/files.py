"""Files: predictions in CSV, TSV, JSON lines, Parquet, Arrow and Feather, and confusion matrices in CSV."""

from __future__ import annotations

import csv
import glob
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError

Array = NDArray[Any]
READERS = {
    ".csv": "read_csv({path}, header=true, {types})",
    ".tsv": "read_csv({path}, header=true, delim='\t', {types})",
    ".tab": "read_csv({path}, header=true, delim='\t', {types})",
    ".txt": "read_csv({path}, header=true, {types})",
    ".jsonl": "read_json({path}, format='newline_delimited', sample_size=-1)",
    ".ndjson": "read_json({path}, format='newline_delimited', sample_size=-1)",
    ".json": "read_json({path}, sample_size=-1)",
    ".parquet": "read_parquet({path})",
    ".pq": "read_parquet({path})",
}
# Of all rows; without booleans, as which DuckDB takes "yes" and "no", and "t" and "f" too: labels stay as written.
TYPES = "sample_size=-1, auto_type_candidates=['BIGINT', 'DOUBLE', 'TIME', 'DATE', 'TIMESTAMP', 'VARCHAR']"
JSON = (".json", ".jsonl", ".ndjson")
ARROW = (".arrow", ".feather", ".ipc")
COMPRESSED = (".gz", ".zst")
EXTRAS = {"duckdb": "howsure[cli]"}  # where the versions of a package that work are stated
CHUNK = 2**20  # bytes looked at at once
DEEPEST = 1000  # brackets within each other; at some ten thousand DuckDB's reader of JSON ends the process
NESTING = np.zeros(256, dtype=np.int8)
NESTING[list(b"[{")], NESTING[list(b"]}")] = 1, -1


def read(path: str | Path) -> Any:
    """Return a file's rows as a DuckDB relation (Arrow and Feather: as an Arrow table).

    The format follows from the suffix; CSV, TSV and JSON may be compressed (``.gz``, ``.zst``). A column's type
    follows from all its rows: of whole numbers alone it holds integers, and is not text; numbers with leading zeros
    are text. Labels such as yes and no, or true and false, are text.

    Raises
    ------
    HowsureError
        If the file is missing, is empty, is cut short, cannot be read, or has an unknown suffix.
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
    _refuse_unsound(path, suffix)
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


def _refuse_unsound(path: Path, suffix: str) -> None:
    """Refuse what DuckDB would not: files cut short, of which it takes what it finds, and JSON nested without end."""
    if suffix not in JSON and path.suffix.lower() not in COMPRESSED:
        return
    depth = quotes = size = 0
    rest = b""
    try:
        for chunk in _chunks(path):
            size += len(chunk)
            if suffix not in JSON:
                continue
            whole = rest + chunk
            bare = whole.rstrip(b"\\")  # a backslash stays with the character that it escapes
            rest = whole[len(bare) :]
            codes = np.frombuffer(bare.replace(rb"\\", b"").replace(rb"\"", b""), dtype=np.uint8)
            quoted = np.cumsum(codes == ord('"')) + quotes
            depths = depth + np.cumsum(np.where(quoted % 2, 0, NESTING[codes]))
            if depths.max(initial=0) > DEEPEST:
                message = f"'{path}' nests brackets more than {DEEPEST} deep. Give flat records, one per case."
                raise HowsureError(message)
            if len(codes):
                depth, quotes = int(depths[-1]), int(quoted[-1])
    except (EOFError, OSError, zlib.error) as error:
        raise HowsureError.unreadable(f"'{path}'", error) from None
    if not size and path.suffix.lower() == ".gz":
        message = f"'{path}' is empty."
        raise HowsureError(message)


def _chunks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed."""
    compression = path.suffix.lower()
    if compression == ".zst":
        yield from _zstandard(path)
        return
    with gzip.open(path) if compression == ".gz" else path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _zstandard(path: Path) -> Iterator[bytes]:
    """Yield what PyArrow decompresses; nothing without it: before 3.14 Python itself has no Zstandard."""
    try:
        import pyarrow as pa
    except ImportError:
        return
    with pa.OSFile(str(path)) as raw, pa.CompressedInputStream(raw, "zstd") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _relation(path: Path, suffix: str) -> Any:
    _needed("duckdb", path)
    # Brackets and stars of a file's name are no pattern: DuckDB would read other files in its stead.
    quoted = "'" + glob.escape(str(path)).replace("'", "''") + "'"
    import duckdb

    with reading(f"'{path}'"):
        found = duckdb.connect().sql(f"select * from {READERS[suffix].format(path=quoted, types=TYPES)}")  # noqa: S608 - quoted
        _refuse_repeated_header(path, found)
    return found


def _refuse_repeated_header(path: Path, found: Any) -> None:
    """Refuse rows that repeat the columns' names, as files put together with `cat` have: they make all columns text."""
    if all(str(each) == "VARCHAR" for each in found.types):
        names = [(each.replace('"', '""'), each.replace("'", "''")) for each in found.columns]
        if found.filter(" and ".join(f"\"{column}\" = '{text}'" for column, text in names)).limit(1).fetchall():
            message = f"'{path}' has a row that repeats the header. Leave out such rows."
            raise HowsureError(message)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn DuckDB's errors into ours; it raises some of them only when rows are fetched."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise HowsureError.unreadable(what, error) from None


def _arrow(path: Path) -> Any:
    _needed("pyarrow", path)
    from pyarrow import ArrowException, feather, ipc, memory_map

    try:
        return _sound(feather.read_table(str(path)))
    except (ArrowException, OSError) as error:
        refusal = HowsureError.unreadable(f"'{path}'", error)
    try:  # the other layout of Arrow files, as `datasets` writes them
        with memory_map(str(path)) as file:
            return _sound(ipc.open_stream(file).read_all())
    except (ArrowException, OSError):
        raise refusal from None


def _sound(table: Any) -> Any:
    """Return an Arrow table whose offsets and codes stay within their buffers; looking at others ends the process."""
    table.validate(full=True)
    return table


def _needed(package: str, path: Path) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        install = f"pip install '{EXTRAS.get(package, package)}'"
        message = f"Reading '{path}' needs the package '{package}'. Install it: {install}"
        raise HowsureError(message) from None


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
    if not path.is_file():
        message = f"There is no file '{path}'.{_nearby(path)}"
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
    if height == width and not _is_number(rows[0][0]):
        if first[1:] != rows[0][1:]:
            message = (
                f"'{path}' names its rows {', '.join(first[1:])} and its columns {', '.join(rows[0][1:])}. "
                "Give both the same labels, in the same order."
            )
            raise HowsureError(message)
        return first[1:], [row[1:] for row in rows[1:]]
    if height == width + 1 and not _are_numbers(rows[0]):
        return rows[0], rows[1:]
    if width == height + 1 and not _are_numbers(first) and any(map(_is_number, rows[0][1:])):
        return first, [row[1:] for row in rows]
    return None, rows


def _are_numbers(cells: list[str]) -> bool:
    return all(map(_is_number, cells))


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


def write_parquet(table: Any, path: str | Path) -> None:
    """Write an Arrow table to a Parquet file."""
    from pyarrow import parquet

    parquet.write_table(table, str(path))

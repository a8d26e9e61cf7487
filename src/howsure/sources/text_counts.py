"""Distinct rows of large text files, counted by DuckDB as they are written, before their types are inferred."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from howsure.errors import HowsureError
from howsure.running.progress import followed
from howsure.sources import duckdb_files
from howsure.sources.engines import Columns, N, collected
from howsure.sources.file_checks import refuse_unsound
from howsure.sources.locations import LINES, NOT_OF_ENGINES, Location, format_of, is_address, is_file, partition_of

FORMATS = (".csv", ".tsv", *LINES)
Result = TypeVar("Result")
MOST_ROWS = 2**20  # distinct rows; with more of them the types are found before the rows are counted


def distinct_texts(data: Location | Sequence[Location], names: Iterable[str]) -> Columns | None:
    """Return the distinct rows of columns of a large CSV or JSON Lines file, and the number of cases of each, `N`.

    DuckDB counts the texts in one pass, and infers the types from a small file of the distinct rows. Each text of the
    large file is also in the small one, so that the types are those of all rows.

    Returns None for all other data, and if the general reader must decide: if there are very many distinct rows, if a
    text has quotes that may belong to the format, or if there is an error to report.
    """
    file = large_text(data)
    return None if file is None else unless_doubtful(file, partial(_counted, file, list(dict.fromkeys(names))))


def large_text(data: Location | Sequence[Location]) -> Path | None:
    """Return the path of one large CSV or JSON Lines file on this machine that DuckDB can read; None for other data."""
    files = [data] if isinstance(data, str | Path) else list(data)
    if len(files) > 1 or is_address(files[0]) or partition_of(files[0]) or not is_file(Path(files[0])):
        return None
    file = Path(files[0])
    if file.stat().st_size <= duckdb_files.LARGE or importlib.util.find_spec("duckdb") is None:
        return None
    return file if format_of(file) in FORMATS and file.suffix.lower() not in NOT_OF_ENGINES else None


def unless_doubtful(file: Path, read: Callable[[Path], Result | None]) -> Result | None:
    """Return the result of reading a file with a temporary folder; None if the general reader reports an error."""
    import duckdb  # imported only if there is such a file

    refuse_unsound(file)
    try:
        with tempfile.TemporaryDirectory() as folder:
            return read(Path(folder))
    except (duckdb.Error, HowsureError):  # reported by the general reader
        return None


def as_texts(connection: object, file: Path, names: Sequence[str]) -> Callable[[Path], str]:
    """Return the call that reads columns of this CSV or JSON Lines file, or of one like it, without types."""
    if format_of(file) in LINES:
        return partial(duckdb_files.lines_as_texts, names=names)
    return duckdb_files.csv_as_texts(connection, file)


def typed(connection: Any, table: str, names: Sequence[str], folder: Path, *, lines: bool) -> Columns | None:
    """Return a DuckDB table of distinct texts with the types of all its rows; None if they are in doubt.

    Parameters
    ----------
    connection : DuckDBPyConnection
        The connection with the table.
    table : str
        Name of the table.
    names : sequence of str
        Its columns of texts.
    folder : Path
        Folder for the small file from which the types are inferred.
    lines : bool
        Whether the texts are those of JSON Lines.
    """
    import narwhals as nw

    quoted = [duckdb_files.identifier(name) for name in names]
    found = connection.table(table)
    if len(found) > MOST_ROWS or not all(found.aggregate(", ".join(f"count({name})" for name in quoted)).fetchone()):
        return None
    if not lines and found.filter(_doubts(names, quoted)).limit(1).fetchall():
        return None
    small = folder / f"distinct{'.jsonl' if lines else '.csv'}"
    connection.execute(f"copy {table} to '{small}' ({'format json' if lines else 'header'})")
    return collected(nw.from_native(duckdb_files.relation([small])))


def _counted(file: Path, names: Sequence[str], folder: Path) -> Columns | None:
    connection = duckdb_files.connected()
    quoted = [duckdb_files.identifier(name) for name in names]
    query = f"from {as_texts(connection, file, names)(file)} select {', '.join(quoted)}, count(*) as {N} group by all"
    with followed("counting", duckdb_files.percent_read):
        connection.execute(f"create temp table texts as {query}")
    return typed(connection, "texts", names, folder, lines=format_of(file) in LINES)


def _doubts(names: Sequence[str], quoted: Sequence[str]) -> str:
    """Return the condition for rows with quotes within a text, and for rows that repeat the header."""
    quotes = [f"contains({name}, chr({code}))" for name in quoted for code in (34, 39)]
    pairs = zip(quoted, map(duckdb_files.literal, names), strict=True)
    return " or ".join([*quotes, f"({' and '.join(f'{column} = {name}' for column, name in pairs)})"])

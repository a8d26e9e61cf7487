"""Files as DuckDB relations, which are read only when they are counted."""

from __future__ import annotations

import base64
import csv
import glob
import io
import re
import tempfile
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakSet

from howsure.errors import HowsureError, reading
from howsure.sources.file_checks import chunks
from howsure.sources.layout import stated_order
from howsure.sources.locations import PARQUET, Location, format_of, is_address, partition_of
from howsure.sources.parts import kind_of, refuse_different, refuse_header

# Types are inferred from all rows; without booleans, because DuckDB parses "yes", "no", "t" and "f" as such.
TYPES = "sample_size={rows}, auto_type_candidates=['BIGINT', 'DOUBLE', 'TIME', 'DATE', 'TIMESTAMP', 'VARCHAR']"
READERS = {
    ".csv": f"read_csv({{files}}, header=true, {TYPES}{{more}})",
    ".tsv": f"read_csv({{files}}, header=true, delim='\t', {TYPES}{{more}})",
    ".jsonl": "read_json({files}, format='newline_delimited', sample_size=-1, maximum_sample_files={number}{more})",
    ".ndjson": "read_json({files}, format='newline_delimited', sample_size=-1, maximum_sample_files={number}{more})",
    ".json": "read_json({files}, sample_size=-1, maximum_sample_files={number}{more})",
    ".parquet": "read_parquet({files}{more})",
}
QUOTES = ", quote='\"'"  # of CSV
APOSTROPHE = re.compile(rb"(^|[,;\t|]) *'", re.MULTILINE)  # at the start of a cell
FIRST = 20_480  # rows of a large file that suggest its format and types; they are then compared with all rows
LARGE = 2**22  # bytes
# Values of later rows that may change the format, or the type that DuckDB infers for the column.
DOUBTFUL = {
    "BIGINT": "{0} is distinct from try_cast({0} as BIGINT)::VARCHAR",
    "DOUBLE": "({0} is not null and try_cast({0} as DOUBLE) is null) or contains({0}, '_') or {0} like '+%'"
    " or {0} like ' %' or {0} like '% ' or ({0} like '0%' and {0} <> '0' and {0} not like '0.%')"
    " or ({0} like '-0%' and {0} not like '-0.%')",
    "VARCHAR": "contains({0}, chr(34)) or contains({0}, chr(39))",  # quotes
}
ORDERED = (b'"ordered": true', b"ENUM_VALUES")  # in the metadata of files by pandas and Polars
LACKING = re.compile(r"install the required extension '(\w+)'")


OPENED: WeakSet[Any] = WeakSet()  # connections that read files


def percent_read() -> float:
    """Return the percentage read of the files being read; may be called from another thread."""
    return max((float(each.query_progress()) for each in list(OPENED)), default=0.0)


def connected() -> Any:
    """Return a connection of its own, whose progress `percent_read` returns."""
    import duckdb

    # Data that exceed memory go to the system's temporary folder, separate from those of other processes.
    connection = duckdb.connect(config={"temp_directory": f"{tempfile.gettempdir()}/howsure-{uuid.uuid4().hex}"})
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")
    OPENED.add(connection)
    return connection


def relation(files: Sequence[Location], wanted: Collection[str] | None = None) -> Any:
    """Return the rows of files of one format as a DuckDB relation.

    Parameters
    ----------
    files : sequence of str or Path
        The files.
    wanted : collection of str, optional
        Columns that will be read. The types of the others follow from the first rows of a large CSV file alone.

    Raises
    ------
    HowsureError
        If a file cannot be read, one lacks a column or has values of another kind in it, or repeats the header.
    """
    connection = connected()
    format_ = format_of(files[0])

    def returned(call: str) -> Any:
        return connection.sql(f"select * from {call}")  # noqa: S608 - its names are quoted

    def rows(some: Sequence[Location], more: str = "") -> Any:
        names = ", ".join(_quoted(file) for file in some)
        return returned(READERS[format_].format(files=f"[{names}]", number=len(some), rows=-1, more=more))

    def found_once(file: Location) -> Any:
        """Return the rows of a file; its format and types are detected once rather than for each query."""
        if "read_csv" not in READERS[format_]:
            found = rows([file], ", hive_partitioning=false")
            mixed = [name for name, type_ in zip(found.columns, found.types, strict=True) if str(type_) == "JSON"]
            return found.project(f"* replace ({', '.join(map(_as_text, mixed))})") if mixed else found
        is_large = not is_address(file) and Path(file).stat().st_size > LARGE
        dialect = _sniffed(connection, file, FIRST) if is_large else ()
        if not dialect or not _fits_all_rows(connection, file, dialect, wanted if len(files) == 1 else None):
            dialect = _sniffed(connection, file, -1)
        _refuse_numbered_names(file, dialect[0], [each["name"] for each in dialect[7]])
        quotes.append(dialect[1].replace("(empty)", ""))
        return returned(f"read_csv({_quoted(file)}, {_dialect(*dialect)})")

    parts: list[Any] = []
    quotes: list[str] = []
    for file in files:
        with reading(f"'{file}'"), _extended(file):
            parts.append(found_once(file))
            _refuse_repeated_header(file, parts[-1])
    schemas = [
        {name: kind_of(type_) for name, type_ in zip(part.columns, part.types, strict=True)}
        | dict.fromkeys(partition_of(file), "text")
        for part, file in zip(parts, files, strict=True)
    ]

    def is_empty(place: int, name: str) -> bool:
        with reading(f"'{files[place]}'"):
            return name in parts[place].columns and not parts[place].count(identifier(name)).fetchall()[0][0]

    refuse_different(files, schemas, is_empty)
    more = ", union_by_name=true" if len(files) > 1 else ""
    more += ", hive_partitioning=true, hive_types_autocast=0" if partition_of(files[0]) else ""
    if len(files) > 1 and "read_csv" in READERS[format_]:
        more += f", types={{{', '.join(_types(parts, schemas))}}}"
        more += f", quote={literal(quotes[0])}" if len({*quotes}) == 1 else ""
    with reading(f"'{files[0]}'" if len(files) == 1 else f"One of {len(files)} files, '{files[0]}' the first,"):
        found = rows(files, more) if more else parts[0]
        return _in_stated_order(connection, files[0], found) if format_ in PARQUET else found


def _in_stated_order(connection: Any, file: Location, found: Any) -> Any:
    """Return the rows of Parquet files with ordered categories as enums; DuckDB reads them as text."""
    if is_address(file):
        return found
    kept = connection.sql(f"from parquet_kv_metadata({_quoted(file)})").filter("key = 'ARROW:schema'")
    schemas = [base64.b64decode(value) for (value,) in kept.select("value").fetchall()]
    if not any(mark in schema for mark in ORDERED for schema in schemas):
        return found
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        return found
    with ParquetFile(str(file)) as held:
        names = [each.name for each in held.schema_arrow if getattr(each.type, "ordered", False)]
        first = held.read_row_groups(range(min(1, held.num_row_groups)), names)
    orders = {name: stated_order(first[name]) or () for name in names}
    enums = ", ".join(
        f"{identifier(name)}::ENUM({', '.join(map(literal, order))}) as {identifier(name)}"
        for name, order in orders.items()
        if order and all(isinstance(each, str) for each in order)
    )
    return found.project(f"* replace ({enums})") if enums else found


@contextmanager
def _extended(file: Location) -> Iterator[None]:
    """Raise an error with installation instructions if DuckDB could not fetch an extension."""
    try:
        yield
    except Exception as error:
        lacking = LACKING.search(str(error))
        if lacking is None:
            raise
        raise HowsureError(
            f"Reading '{file}' needs DuckDB's extension '{lacking[1]}', which could not be fetched. Install it "
            f"with a network, python -c \"import duckdb; duckdb.sql('INSTALL {lacking[1]}')\", or download the file."
        ) from error


def _sniffed(connection: Any, file: Location, rows: int) -> tuple[Any, ...]:
    """Return the format and the types of a CSV file, detected from its first rows (all of them for -1).

    Quotes are double ones, unless DuckDB finds single ones that join no lines, or no format with double ones fits.
    DuckDB alone takes the apostrophes in texts as quotes in some files, and joins the lines between them.
    """
    import duckdb

    def found(more: str) -> tuple[Any, ...]:
        call = READERS[format_of(file)].replace("read_csv", "sniff_csv")
        return tuple(
            connection.sql(f"from {call.format(files=_quoted(file), rows=rows, more=more)}").fetchall()[0][:10]
        )

    if Path(file).is_file() and APOSTROPHE.search(next(chunks(Path(file)), b"")):
        free = found("")
        if free[1] == "'" and not _joins_lines(connection, file, free):
            return free
    try:
        return found(QUOTES)
    except duckdb.InvalidInputException:
        return found("")


def _joins_lines(connection: Any, file: Location, dialect: Sequence[Any]) -> bool:
    """Whether the end of a line is within quotes, or rows have other numbers of cells."""
    import duckdb

    rows = f"from {_as_texts(file, dialect)} as row"
    try:
        return bool(connection.sql(f"select bool_or(contains(row::varchar, chr(10))) {rows}").fetchall()[0][0])
    except duckdb.InvalidInputException:
        return True


def csv_as_texts(connection: object, file: Location) -> Callable[[Location], str]:
    """Return the call that reads this CSV file, or one like it, without types; its first rows suggest the format."""
    dialect = _sniffed(connection, file, FIRST)
    _refuse_numbered_names(file, dialect[0], [each["name"] for each in dialect[7]])
    return lambda other: _as_texts(other, dialect)


def lines_as_texts(file: Location, names: Sequence[str]) -> str:
    """Return the call that reads the named fields of JSON Lines as they are written, texts within their quotes."""
    columns = ", ".join(f"{literal(name)}: 'JSON'" for name in names)
    return f"read_json({_quoted(file)}, format='newline_delimited', hive_partitioning=false, columns={{{columns}}})"


def _as_texts(file: Location, dialect: Sequence[Any]) -> str:
    """Return the call that reads a CSV file of a known format without types."""
    texts = [{**each, "type": "VARCHAR"} for each in dialect[7]]
    return f"read_csv({_quoted(file)}, {_dialect(*dialect[:7], texts, *dialect[8:])})"


def _fits_all_rows(connection: Any, file: Location, dialect: Sequence[Any], wanted: Collection[str] | None) -> bool:
    """Whether all rows of a CSV file have the format and the types of its first rows."""
    import duckdb

    types = {each["name"]: each["type"] for each in dialect[7]}
    types = {name: type_ for name, type_ in types.items() if wanted is None or name in wanted}
    if not types or not set(types.values()) <= set(DOUBTFUL):
        return False
    texts = [name for name, type_ in types.items() if type_ == "VARCHAR"]
    doubts = [DOUBTFUL[type_].format(identifier(name)) for name, type_ in types.items()]
    call = _as_texts(file, dialect)
    try:
        if texts:  # without a value among the first rows, any type is possible
            seen = connection.sql(f"select * from {call} limit {FIRST}")  # noqa: S608 - its names are quoted
            if not all(seen.aggregate(", ".join(f"count({identifier(name)})" for name in texts)).fetchall()[0]):
                return False
        found = connection.sql(f"select bool_or({' or '.join(doubts)}) from {call}")  # noqa: S608
        return not found.fetchall()[0][0]
    except duckdb.Error:  # the inference from all rows raises the error, or finds another format
        return False


def _dialect(  # as DuckDB's sniffer returns it
    delimiter: str, quote: str, escape: str, newline: str, comment: str, *further: Any
) -> str:
    """Return reader arguments that fix the file's format, so that nothing is detected again."""
    skipped, _, columns, date, timestamp = further
    texts = {"delim": delimiter, "quote": quote, "escape": escape, "new_line": newline, "comment": comment}
    texts = {name: "" if value == "(empty)" else value for name, value in texts.items()}
    texts |= {name: value for name, value in (("dateformat", date), ("timestampformat", timestamp)) if value}
    types = ", ".join(f"{literal(each['name'])}: {literal(each['type'])}" for each in columns)
    given = ", ".join(f"{name}={literal(value)}" for name, value in texts.items())
    return f"auto_detect=false, header=true, hive_partitioning=false, skip={skipped}, {given}, columns={{{types}}}"


def _types(parts: Sequence[Any], schemas: Sequence[dict[str, str]]) -> Iterator[str]:
    """Yield the type of each column with a common type in all parts; DOUBLE for mixed numeric types."""
    for name in parts[0].columns:
        types = {str(part.types[part.columns.index(name)]) for part, schema in zip(parts, schemas, strict=True)}
        if len(types) == 1:
            yield f"{literal(name)}: '{types.pop()}'"
        elif {schema[name] for schema in schemas} == {"numbers"}:
            yield f"{literal(name)}: 'DOUBLE'"


def _quoted(file: Location) -> str:
    """Return a file name as an SQL string; brackets and stars are escaped, because DuckDB reads them as a pattern."""
    return literal(str(file) if is_address(file) else glob.escape(str(file)))


def literal(value: str) -> str:
    """Return a text as SQL."""
    return "'" + value.replace("'", "''") + "'"


def _as_text(column: str) -> str:
    """Return the expression for a column of text and numbers, which DuckDB keeps as JSON with its quotes."""
    return f"{identifier(column)} ->> '$' as {identifier(column)}"


def identifier(column: str) -> str:
    """Return the name of a column as SQL."""
    return '"' + column.replace('"', '""') + '"'


def _refuse_numbered_names(file: Location, delimiter: str, names: Sequence[str]) -> None:
    """Refuse a header with the same name twice, where DuckDB adds a number to the second one."""
    refuse_header(file, names)
    if not is_address(file) and any(re.sub(r"_\d+$", "", name) in names for name in names if name[-1:].isdigit()):
        text = io.TextIOWrapper(io.BytesIO(next(chunks(Path(file)), b"")), "utf-8-sig", "replace")
        refuse_header(file, next(csv.reader(text, delimiter=delimiter), []))


def _refuse_repeated_header(file: Location, found: Any) -> None:
    """Refuse repeated header rows, as in files joined with `cat`: they turn all columns into text."""
    if all(str(each) == "VARCHAR" for each in found.types):
        same = " and ".join(f"{identifier(column)} = {literal(column)}" for column in found.columns)
        if found.filter(same).limit(1).fetchall():
            raise HowsureError(f"'{file}' has a row that repeats the header. Leave out such rows.")

"""Files: predictions in CSV, TSV, JSON lines, Parquet, Arrow, Feather, spreadsheets and iMRMC's, one or many."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError
from howsure.sources.blanks import rows_between_blanks
from howsure.sources.file_checks import refuse_unsound
from howsure.sources.imrmc import columns_of_imrmc, is_imrmc
from howsure.sources.json_tables import is_object
from howsure.sources.label_studio import may_be_tasks
from howsure.sources.locations import (
    ARROW,
    JSON,
    NOT_OF_ENGINES,
    PARQUET,
    SHEETS,
    Location,
    format_of,
    is_address,
    is_file,
    located,
    partition_of,
    suffix_of,
)
from howsure.sources.parts import kind_of, kind_of_values, refuse_different
from howsure.sources.text_encoding import stated_encoding
from howsure.sources.texts import read_plain, read_text

INSTALLS = {"duckdb": "pip install 'howsure[cli]'", "pyarrow": "pip install pyarrow"}


def read(data: Location | Sequence[Location], wanted: Collection[str] | None = None) -> Any:
    """Return the rows of files: as a DuckDB relation if DuckDB is installed, else as columns in memory.

    The format follows from the suffix; CSV, TSV and JSON may be compressed (``.gz``, ``.zst``, ``.bz2``, ``.xz``). A
    column's type follows from all its rows: integers if all values are whole numbers, but text if numbers have leading
    zeros. Labels such as yes and no, or true and false, are text. A reader study in iMRMC's format has the columns
    readerID, caseID, modalityID, score and truth. A folder named ``site=A`` adds the text column ``site`` to its cases.

    Parameters
    ----------
    data : str, Path, or sequence of them
        Files, folders of them, patterns such as ``"parts/*.parquet"``, or addresses. They are read as one data set.
        ``"book.xlsx#Sheet 2"`` is a sheet of a spreadsheet file.
    wanted : collection of str, optional
        Names of the columns that will be read; of a large CSV file only their types are checked in all rows.

    Raises
    ------
    HowsureError
        If a file is missing, empty, truncated or unreadable, or has an unknown suffix; if the files differ in their
        columns or in the type of a column; or if the required reader is not installed.
    """
    files = located(data)
    for file in files:
        if not is_address(file):
            refuse_unsound(Path(file))
    format_ = format_of(files[0])
    if format_ in SHEETS or any(map(is_imrmc, files)) or any(map(rows_between_blanks, files)):
        return _columns(files)
    if format_ == ".json" and any(not is_address(file) and _is_nested(Path(file)) for file in files):
        return _columns(files)
    if format_ not in (*ARROW, *PARQUET) and any(map(_is_read_in_memory, files)):
        return _columns(files)
    if format_ not in ARROW and _is_there("duckdb"):
        from howsure.sources.duckdb_files import relation

        return relation(files, wanted)
    remote = next(filter(is_address, files), None)
    if remote is not None:
        raise HowsureError(_needed(remote, "duckdb"))
    paths = [Path(file) for file in files]
    if format_ in ARROW or format_ in PARQUET:
        return _frame(paths)
    return _columns(paths)


def plain_columns(data: Location | Sequence[Location]) -> dict[str, list[Any]] | None:
    """Return the columns of one small text file that all readers parse the same way; None for other data."""
    files = [data] if isinstance(data, str | Path) else list(data)
    if len(files) > 1 or is_address(files[0]) or partition_of(files[0]) or not is_file(Path(files[0])):
        return None
    with suppress(OSError):  # the general reader raises the error
        return read_plain(Path(files[0]))
    return None


def _is_read_in_memory(file: Location) -> bool:
    """Whether DuckDB cannot read a text file: in UTF-16, JSON with a byte order mark, or in some compressions."""
    if is_address(file) or not is_file(Path(file)):
        return False
    encoding = stated_encoding(Path(file))
    is_marked_json = encoding != "" and suffix_of(file) in JSON
    return Path(file).suffix.lower() in NOT_OF_ENGINES or encoding == "utf-16" or is_marked_json


def _is_nested(file: Path) -> bool:
    """Whether a JSON file is no list of records: an object, or an export of Label Studio."""
    return is_object(file) or may_be_tasks(file)


def _is_there(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _columns(files: Sequence[Location]) -> dict[str, list[Any]]:
    """Return the columns of files of text, or of sheets."""
    parts = []
    for file in files:
        own, folders = _read_columns(file), partition_of(file)
        rows = max(map(len, own.values()), default=0)
        parts.append(own | {name: [value] * rows for name, value in folders.items()})
    schemas = [{name: kind_of_values(values) for name, values in part.items()} for part in parts]
    refuse_different(files, schemas, lambda place, name: not schemas[place][name])
    return {name: [value for part in parts for value in part[name]] for name in parts[0]}


def _read_columns(file: Location) -> dict[str, list[Any]]:
    if is_imrmc(file):
        return columns_of_imrmc(file)
    if format_of(file) not in SHEETS:
        return read_text(Path(file))
    if is_address(file):
        raise HowsureError(f"'{file}' is a spreadsheet elsewhere. Download it first.")
    from howsure.sources.sheets import columns_of_sheet

    return columns_of_sheet(file)


def _frame(files: Sequence[Path]) -> Any:
    """Return the rows of Parquet or Arrow files as a frame of PyArrow, Polars or pandas."""
    import narwhals as nw

    parts = [_of_folders(nw.from_native(_native(file)), partition_of(file)) for file in files]
    schemas = [{name: kind_of(type_) for name, type_ in part.collect_schema().items()} for part in parts]
    refuse_different(files, schemas, lambda place, name: parts[place][name].null_count() == len(parts[place]))
    types = [part.collect_schema() for part in parts]
    common = []
    for name in types[0]:
        several = len({str(each[name]) for each in types}) > 1
        numbers = several and "numbers" in {schema[name] for schema in schemas}
        common.append(nw.col(name).cast(nw.Float64 if numbers else nw.String) if several else nw.col(name))
    return nw.concat([part.select(*common) for part in parts]).to_native()


def _of_folders(part: Any, partition: Mapping[str, str | None]) -> Any:
    """Return a frame with the columns from folder names."""
    import narwhals as nw

    return part.with_columns(**{name: nw.lit(value, nw.String) for name, value in partition.items()})


def _native(file: Path) -> Any:
    """Return a Parquet or Arrow file as a frame."""
    if format_of(file) in ARROW:
        return _arrow(file)
    import narwhals as nw

    engine: Any = next(filter(_is_there, ("pyarrow", "polars", "pandas")), None)
    if engine is None:
        raise HowsureError(_needed(file, "duckdb"))
    try:
        # PyArrow would add columns for folder names; `_of_folders` does this in the same way for all readers.
        more: Any = {"partitioning": None} if engine == "pyarrow" else {}
        return nw.read_parquet(str(file), backend=engine, **more).to_native()
    except Exception as error:  # noqa: BLE001 - each library has its own
        raise HowsureError.unreadable(f"'{file}'", error) from None


def _arrow(file: Path) -> Any:
    if not _is_there("pyarrow"):
        raise HowsureError(_needed(file, "pyarrow"))
    from pyarrow import ArrowException, feather, ipc, memory_map

    try:
        return _sound(feather.read_table(str(file)))
    except (ArrowException, OSError) as error:
        refusal = HowsureError.unreadable(f"'{file}'", error)
    try:  # the other layout of Arrow files, as `datasets` writes them
        with memory_map(str(file)) as held:
            return _sound(ipc.open_stream(held).read_all())
    except (ArrowException, OSError):
        raise refusal from None


def _sound(table: Any) -> Any:
    """Return an Arrow table with checked offsets and codes: ones outside their buffers crash the process."""
    table.validate(full=True)
    return table


def _needed(file: Location, package: str) -> str:
    return f"Reading '{file}' needs the package '{package}'. Install it: {INSTALLS[package]}"


def write_parquet(table: object, path: str | Path) -> None:
    """Write an Arrow table to a Parquet file."""
    from pyarrow import parquet

    parquet.write_table(table, str(path))

"""Locations of data: files, folders, glob patterns and URLs; and columns from folder names."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias, TypeGuard
from urllib.parse import unquote, urlsplit

from howsure.errors import HowsureError, did_you_mean, listed
from howsure.escapes import shortened

Location: TypeAlias = str | Path
PLAIN = (".csv", ".tsv", ".tab", ".txt")
LINES = (".jsonl", ".ndjson")
JSON = (".json", *LINES)
PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
SHEETS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
IMRMC = (".imrmc",)  # reader studies
FORMATS = (*PLAIN, *JSON, *PARQUET, *ARROW, *SHEETS, *IMRMC)
NOT_OF_ENGINES = (".bz2", ".xz")  # compressions that engines cannot read
COMPRESSED = (".gz", ".zst", *NOT_OF_ENGINES)
ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".tgz")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # of a folder for cases without a value


def is_located(data: object) -> bool:
    """Whether data are given by location: a path, a URL, or several of them."""
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(each, str | Path) for each in data)
    return isinstance(data, str | Path)


def located(data: Location | Sequence[Location]) -> list[Location]:
    """Return the sorted unique files of a path, a folder, a pattern, a URL, or several of them.

    Raises
    ------
    HowsureError
        If there is no such file, a folder or a pattern holds none, or the files are of several formats.
    """
    given = [data] if isinstance(data, str | Path) else list(data)
    try:
        found = list(dict.fromkeys(file for each in given for file in _files(each)))
    except OSError as error:  # too long a name, or a folder without read permission
        raise HowsureError.unreadable("`data`", error) from None
    formats: dict[str, Location] = {}
    for file in found:
        formats.setdefault(format_of(file), file)
    if len(formats) > 1:
        raise HowsureError(
            f"The files are of several formats: {listed(map(str, formats.values()))}. Give files of one format."
        )
    return found


def _files(given: Location) -> list[Location]:
    if is_address(given):
        return [given]
    path = Path(given)
    if path.is_file():  # also one whose name could be a pattern
        return [path]
    if sheet_of(path)[1]:
        return [given]
    if path.is_dir():
        found = [each for each in sorted(path.rglob("*")) if each.is_file() and _is_data(each.relative_to(path))]
        if not found:
            raise HowsureError(f"The folder '{path}' holds no file of data. Known: {', '.join(FORMATS)}.")
        return [*found]
    if glob.has_magic(str(path)):
        found = [file for file in matching(path) if not file.name.startswith("_")]
        if not found:
            raise HowsureError(f"No file matches '{path}'.")
        return [file for each in found for file in _files(each)]
    if path.exists():
        return [path]  # for example a pipe
    raise missing(path)


def missing(path: Path) -> HowsureError:
    """Return the error for a path that is not a file: a folder, a broken link, an invalid name, or nothing."""
    try:
        if path.is_dir():
            return HowsureError(f"'{path}' is a folder. Name a file.")
        if path.is_symlink():
            return HowsureError(f"'{path}' is a link to itself or to a file that does not exist.")
        with suppress(FileNotFoundError, NotADirectoryError, ValueError):  # an invalid name is a ValueError
            path.stat()  # Python 3.14 answers all else with False
        return HowsureError(f"There is no file '{path}'.{nearby(path)}")
    except OSError as error:  # too long a name, or in a folder without read permission
        return HowsureError.unreadable(f"'{shortened(str(path), 60)}'", error)


def matching(pattern: str | Path) -> list[Path]:
    """Return the files and folders that match a pattern, sorted by name; empty if it is not a pattern."""
    if not glob.has_magic(str(pattern)):
        return []
    return [Path(name) for name in sorted(glob.glob(str(pattern), recursive=True))]  # noqa: PTH207 - it may be absolute


def _is_data(path: Path) -> bool:
    """Whether a file in a folder is a data file; engines store hidden files next to their data."""
    return suffix_of(path) in FORMATS and not any(part.startswith((".", "_")) for part in path.parts)


def is_address(given: Location) -> bool:
    """Whether data are at a URL, such as ``https://…`` or ``s3://…``."""
    return isinstance(given, str) and "://" in given


def suffix_of(file: Location) -> str:
    """Return the suffix of the format in lower case; empty if there is none."""
    path = Path(urlsplit(str(file)).path) if is_address(file) else sheet_of(file)[0]
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def format_of(file: Location) -> str:
    """Return the canonical suffix of a file's format; refuse an unknown one."""
    suffix = suffix_of(file)
    for formats in (JSON, PARQUET, ARROW, SHEETS, IMRMC):
        if suffix in formats:
            return formats[0] if formats is not JSON else suffix
    if suffix in ARCHIVES:
        raise HowsureError(
            f"'{file}' is an archive. Unpack it, and give its file; {', '.join(COMPRESSED)} are read as they are."
        )
    if suffix not in PLAIN:
        raise HowsureError(f"'{file}' has a suffix that says nothing of its format. Known: {', '.join(FORMATS)}.")
    return PLAIN[0] if suffix in {".csv", ".txt"} else ".tsv"


def sheet_of(file: Location) -> tuple[Path, str]:
    """Return a file and the name of its sheet, as in ``book.xlsx#Sheet 2``; an empty name by default.

    Examples
    --------
    >>> str(sheet_of("results.csv")[0]), sheet_of("results.csv")[1]
    ('results.csv', '')
    """
    path = Path(file)
    name, sign, sheet = str(file).partition("#")
    while sign and not is_file(path):  # the name of a file may also contain this sign
        if is_file(Path(name)) and Path(name).suffix.lower() in SHEETS:
            return Path(name), sheet
        more, sign, sheet = sheet.partition("#")
        name = f"{name}#{more}"
    return path, ""


def partition_of(file: Location) -> dict[str, str | None]:
    """Return columns from the folder names of a file: ``site=A/part-0.parquet`` has the site A.

    Examples
    --------
    >>> partition_of("data/site=A/day=2026-01-01/part-0.parquet")
    {'site': 'A', 'day': '2026-01-01'}
    """
    pairs = (part.partition("=") for part in Path(file).parts[:-1])
    return {name: None if value == NO_VALUE else unquote(value) for name, sign, value in pairs if sign and name}


def is_file(path: Path) -> bool:
    """Whether the file exists; False for an invalid name."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_pipe(path: Path) -> bool:
    """Whether the path is a pipe, as a shell makes it for ``<(command)``; False for an invalid name."""
    try:
        return path.is_fifo()
    except OSError:
        return False


def is_folder(given: object) -> TypeGuard[str | Path]:
    """Whether a path of a folder is given; False for an invalid name."""
    try:
        return isinstance(given, str | Path) and str(given) != "" and Path(given).is_dir()
    except (OSError, ValueError):
        return False


def nearby(path: Path) -> str:
    """Return a hint with the files that have a similar name."""
    folder = path.parent
    return did_you_mean(path.name, [each.name for each in folder.iterdir()]) if folder.is_dir() else ""

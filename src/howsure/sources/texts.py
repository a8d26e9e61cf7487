"""CSV, TSV and JSON files read without an engine, with the column types that DuckDB infers."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError
from howsure.sources.blanks import rows_between_blanks
from howsure.sources.encoding import EXACT
from howsure.sources.file_checks import chunks
from howsure.sources.json_tables import records_of
from howsure.sources.locations import JSON, format_of
from howsure.sources.parts import refuse_header
from howsure.sources.text_encoding import stated_encoding

Values = list[Any]
EXAMPLE = '[{"y_true": 1, "y_pred": 0}, …]'
WHOLE = r" *-?(0|[1-9]\d{0,17}) *"  # with leading zeros it is a name, and not a number
NUMBER = r" *-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)? *|nan|NaN"
DAY, CLOCK = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d:\d\d(\.\d{1,6})?"
TYPES: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(WHOLE), int),
    (re.compile(NUMBER), float),
    (re.compile(CLOCK), time.fromisoformat),
    (re.compile(DAY), date.fromisoformat),
    (re.compile(f"{DAY}[ T]{CLOCK}"), datetime.fromisoformat),
)
DATES = TYPES[2:]
SMALL = 2**18  # bytes
PLAIN = re.compile(rb"(?:[\w.-]+(?:,[\w.-]+)+(?:\r?\n|\Z))+")  # at least two columns, no missing value
WORD = re.compile(r"(?!(?:nan|inf|infinity|epoch)$)[a-z]\w+", re.IGNORECASE | re.ASCII)


def read_text(file: Path) -> dict[str, Values]:
    """Return the columns of a CSV, TSV or JSON file, a missing value as None.

    A CSV column gets the first type that fits all its values: integers, numbers, times or dates, else text.

    Raises
    ------
    HowsureError
        If rows are of different lengths, or the text cannot be read.
    """
    try:
        encoding = stated_encoding(file) or "utf-8"
        lines = io.TextIOWrapper(io.BytesIO(b"".join(chunks(file))), encoding=encoding, newline="")
        if format_of(file) in JSON:
            return {name: _typed(values, DATES) for name, values in _of_records(file, _records(file, lines)).items()}
        found = rows_between_blanks(file)
        columns = _columns(file, found) if found else _of_rows(file, lines)
        return {name: _typed(values, TYPES) for name, values in columns.items()}
    except (UnicodeDecodeError, csv.Error, json.JSONDecodeError, RecursionError) as error:
        raise HowsureError.unreadable(f"'{file}'", error) from None


def read_plain(file: Path) -> dict[str, Values] | None:
    """Return the columns of a small CSV file that all readers parse the same way; None for any other file.

    Such a file has rows of integers, numbers and words, separated by commas, without missing values and special
    characters. Reading it is faster than importing an engine.
    """
    if file.suffix.lower() != ".csv" or file.stat().st_size > SMALL:
        return None
    text = file.read_bytes()
    if not PLAIN.fullmatch(text):
        return None
    names, *rows = (line.split(",") for line in text.decode("ascii").splitlines())
    if len({name.casefold() for name in names}) < len(names) or {len(row) for row in rows} != {len(names)}:
        return None
    if names in rows:  # refused
        return None
    columns = {name: _typed(list(values), TYPES) for name, values in zip(names, zip(*rows, strict=True), strict=True)}
    return columns if all(map(_is_beyond_doubt, columns.values())) else None


def _is_beyond_doubt(values: Values) -> bool:
    """Whether the type is unambiguous: all numbers are exact in floating point, or a word makes the column text."""
    if isinstance(values[0], str):
        return any(WORD.fullmatch(value) for value in values)
    return isinstance(values[0], int | float) and all(abs(value) < EXACT for value in values)


def _columns(file: Path, found: list[list[str]]) -> dict[str, Values]:
    header, *rows = found
    refuse_header(file, header)
    return {name: [row[place] or None for row in rows] for place, name in enumerate(header)}


def _of_rows(file: Path, lines: Iterable[str]) -> dict[str, Values]:
    text = iter(lines)
    first = next(text, "")
    delimiter = "\t" if format_of(file) == ".tsv" else max(",;\t|", key=first.count)
    header = next(csv.reader([first], delimiter=delimiter), [])
    refuse_header(file, header)
    names = [name or f"column{place}" for place, name in enumerate(header)]  # DuckDB's name
    columns: dict[str, Values] = {name: [] for name in names}
    for number, row in enumerate(csv.reader(text, delimiter=delimiter), start=2):
        if not row:
            continue
        if len(row) != len(names):
            counts = f"row {number} has {len(row)} values, and there are {len(names)} columns"
            remedy = "" if len(names) > 1 else " Leave out a title above the names of the columns."
            raise HowsureError(f"'{file}' cannot be read: {counts}.{remedy}")
        for values, value in zip(columns.values(), row, strict=True):
            values.append(value or None)
    return columns


def _records(file: Path, lines: io.TextIOWrapper) -> Iterator[Any]:
    if format_of(file) == ".json":
        yield from records_of(json.load(lines))
    else:
        yield from (json.loads(line) for line in lines if line.strip())


def _of_records(file: Path, records: Iterable[Any]) -> dict[str, Values]:
    rows = list(records)
    if not all(isinstance(row, dict) for row in rows):
        raise HowsureError(f"'{file}' is no table: give a list of objects, one for each case, such as {EXAMPLE}.")
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _typed(values: Values, types: Iterable[tuple[re.Pattern[str], Callable[[str], Any]]]) -> Values:
    """Return a column of strings as the first type that fits all of them; other columns unchanged."""
    if not all(value is None or isinstance(value, str) for value in values):
        return values
    distinct = [value for value in dict.fromkeys(values) if value is not None]
    for pattern, convert in types:
        if distinct and all(map(pattern.fullmatch, distinct)):
            try:
                known = {value: convert(value) for value in distinct}
            except ValueError:  # for example 31 February
                continue
            return [None if value is None else known[value] for value in values]
    return values

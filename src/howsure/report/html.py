"""The report as one self-contained HTML page: all text escaped, own style and script inline, nothing external."""

from __future__ import annotations

import base64
import functools
import hashlib
import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from howsure.errors import HowsureError
from howsure.escapes import json_escaped, printable_lines
from howsure.numbers import percent
from howsure.report import charts
from howsure.report.content import Axis, Bar, Cell, Chart, Document, Section, Sheet, at

NARROW = 3  # columns of a table, or of all matrices, that fit in half the width
HALF = 50  # letters of a row of a table without bars that fit in half the width
SHORT = 3  # panels, and rows of panels, that fit in half the width
# Escaped in JSON, these characters have the same meaning, and an HTML parser does not end the block at them.
HIDDEN = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}
HEBREW_OR_ARABIC = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+"
RIGHT_TO_LEFT = re.compile(rf"{HEBREW_OR_ARABIC}(?:\s+{HEBREW_OR_ARABIC})*")
LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"  # after such a name the numbers of a sentence keep their order


def page(report: Document) -> str:
    """Return the HTML page of a report.

    Raises
    ------
    HowsureError
        If Jinja2 is not installed.
    """
    environment = templates()
    from markupsafe import Markup

    script, style = (environment.loader.get_source(environment, name)[0] for name in ("report.js", "report.css"))
    return str(
        environment.get_template("report.html").render(
            report=report,
            at=at,
            charts=charts,
            tables_of=tables_of,
            models_of=models_of,
            rows_of=rows_of,
            is_narrow=is_narrow,
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            fingerprint=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            results=Markup(as_json(report.results)),  # noqa: S704 - contains no markup characters
        )
    )


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: cells before the axis, bars on it, and columns after it, with one cell per model."""

    ahead: tuple[Cell, ...]
    bars: tuple[Bar, ...]
    behind: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Laid:
    """A table in the layout of the page, with at most one axis; labels are unique."""

    label: str
    title: str
    ahead: tuple[str, ...]
    axis: Axis | None
    behind: tuple[str, ...]
    rows: tuple[Row, ...]
    is_prose: bool = False


def tables_of(sheet: Sheet) -> list[Laid]:
    """Return a sheet as one table, or as one panel per axis if it has several."""
    if len(sheet.axes) > 1:
        return [_panel(sheet, axis) for axis in sheet.axes]
    axis = sheet.axes[0] if sheet.axes else None
    first, drawn = (len(sheet.headers), ()) if axis is None else (axis.columns[0], axis.columns)
    rows = tuple(Row(row[:first], _bars(row, drawn), tuple((cell,) for cell in row[first:])) for row in sheet.rows)
    return [Laid(sheet.title, sheet.title, sheet.headers[:first], axis, sheet.headers[first:], rows, sheet.is_prose)]


def _panel(sheet: Sheet, axis: Axis) -> Laid:
    """Return the table of one axis; the models of a class or group share a row, and its names share a cell."""
    ahead = range(sheet.axes[0].columns[0])
    models = [place for place in ahead if any(row[place].series is not None for row in sheet.rows)]
    names = [place for place in ahead[:-1] if place not in models]
    rows = []
    for words, found in itertools.groupby(sheet.rows, key=lambda row: tuple(row[place].value for place in names)):
        of_models = list(found)
        name = Cell(value=" · ".join(filter(None, words)), order=of_models[0][0].order)
        bars = tuple(bar for row in of_models for bar in _bars(row, axis.columns))
        behind = tuple(tuple(row[place] for row in of_models) for place in axis.columns)
        rows.append(Row((name, of_models[0][ahead[-1]]), bars, behind))
    headers = (" · ".join(sheet.headers[place] for place in names), sheet.headers[ahead[-1]])
    metrics = tuple(sheet.headers[place] for place in axis.columns)
    return Laid(f"{sheet.title}: {axis.title}", axis.title, headers, axis, metrics, tuple(rows))


def _bars(row: Sequence[Cell], columns: Sequence[int]) -> tuple[Bar, ...]:
    return tuple(bar for place in columns if (bar := row[place].bar) is not None)


def models_of(sheet: Sheet) -> dict[str, int]:
    """Return the models in the rows of panels, with their marks."""
    return {cell.value: cell.series for row in sheet.rows for cell in row if cell.series is not None}


def rows_of(charts: Sequence[Chart]) -> list[tuple[str, list[Chart]]]:
    """Return the charts by model; those of one model form a row."""
    return [(model, list(found)) for model, found in itertools.groupby(charts, key=lambda chart: chart.model)]


def is_narrow(section: Section) -> bool:
    """Return whether a section has only text and small tables, so that two of them fit in a row."""
    sized = [sheet for sheet in section.sheets if sheet.folded or sheet.is_prose]
    if section.charts or any(len(sheet.headers) > NARROW for sheet in sized):
        return False
    if any(_width(sheet) > HALF for sheet in section.sheets if not sheet.axes):
        return False
    short = all(1 < len(sheet.axes) <= SHORT and len(sheet.rows) <= SHORT for sheet in section.sheets if sheet.axes)
    return short and sum(len(sheet.headers) for sheet in section.matrices) <= NARROW


def _width(sheet: Sheet) -> int:
    """Return the number of letters in a row of a table: of the longest cell of each column, or word of its header."""
    words = (max((len(word) for word in header.split()), default=0) for header in sheet.headers)
    cells = (max((len(row[place].text(0)) for row in sheet.rows), default=0) for place in range(len(sheet.headers)))
    return sum(max(each) for each in zip(words, cells, strict=True))


@functools.cache
def templates() -> Any:
    """Return the Jinja environment of the templates, which are compiled once per process."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup, escape
    except ImportError:
        raise HowsureError('The HTML report needs Jinja2: pip install "howsure[report]".') from None
    environment = Environment(
        loader=PackageLoader("howsure.report", "templates"),
        autoescape=True,
        finalize=lambda value: printable_lines(value) if type(value) is str else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = percent
    environment.filters["steady"] = lambda text: RIGHT_TO_LEFT.sub(lambda found: found[0] + LEFT_TO_RIGHT, text)
    # Long names may be broken after underscores.
    environment.filters["breakable"] = lambda text: escape(printable_lines(text)).replace("_", Markup("_<wbr>"))
    environment.filters["sortable"] = lambda order: order if isinstance(order, str) else f"{order:.7g}"
    return environment


def as_json(results: object) -> str:
    """Return JSON without characters that HTML would interpret as markup."""
    text = json.dumps(results, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return json_escaped(text).translate(HIDDEN)

"""Tables of numbers as text, Markdown, HTML and LaTeX, and as data frames for further computations.

All output uses a `Grid` of strings, so that each format has one writer, which escapes the labels in the data. `Tabular`
adds these formats to every result; this module does not depend on any result.
"""

from __future__ import annotations

import csv
import html
import importlib
import io
import json
import math
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast, get_args, overload

from howsure.attributes import AdvisedAttributes
from howsure.errors import HowsureError
from howsure.escapes import (
    cell_text,
    csv_cell,
    json_escaped,
    latex_text,
    markdown_text,
    printable_lines,
    shortened as text_within,
)
from howsure.flat import flat_of
from howsure.numbers import interval_text, number, percent, significant_decimals

MOST_LINES = 30  # lines of a repr
MOST_ROWS = 60  # rows of a table in a notebook
MOST_COLUMNS = 20  # columns of a shortened table
MOST_IN_CELL = 200  # characters there
MOST_NOTES = 8  # lines below it
ALL_ROWS = "All rows: to_pandas(), to_polars(), to_markdown()."
WITHOUT_UNIT = frozenset(  # columns that are not in the units of their row's interval
    {"skewness", "kurtosis", "p_value", "probability_greater", "rope_below", "rope_inside", "rope_above", "i2"}
)


@dataclass(frozen=True, slots=True, eq=False)
class MadeRows(Sequence[tuple[str, ...]]):
    """Rows that are made when they are read, since few rows of a long table are shown.

    Parameters
    ----------
    number : int
        How many there are.
    made : callable
        Position → the cells of the row.
    """

    number: int
    made: Callable[[int], tuple[str, ...]]

    def __len__(self) -> int:
        return self.number

    @overload
    def __getitem__(self, place: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[tuple[str, ...], ...]: ...

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return tuple(map(self.__getitem__, range(self.number)[place]))
        return tuple(map(cell_text, self.made(range(self.number)[place])))


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of strings: the first column left-aligned, the others right-aligned, or all left-aligned if it is prose.

    Control characters in cells are shown as escapes, and very long text is cut.
    """

    headers: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = ""
    is_prose: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "headers", tuple(map(cell_text, self.headers)))
        if not isinstance(self.rows, MadeRows):
            object.__setattr__(self, "rows", tuple(tuple(map(cell_text, row)) for row in self.rows))
        object.__setattr__(self, "caption", printable_lines(self.caption))

    def text(self) -> str:
        """Return aligned plain text."""
        columns = list(zip(*([self.headers, *self.rows]), strict=True))
        widths = [max(_width(cell) for cell in column) for column in columns]
        lines = ["  ".join(_padded(cell, widths[i], i) for i, cell in enumerate(row)).rstrip() for row in self._all()]
        lines.insert(1, "─" * (sum(widths) + 2 * (len(widths) - 1)))
        return "\n".join([*lines, *([self.caption] if self.caption else [])])

    def markdown(self) -> str:
        """Return a Markdown table."""
        rule = tuple(":---" if i == 0 or self.is_prose else "---:" for i in range(len(self.headers)))
        rows = [tuple(markdown_text(cell) for cell in row) for row in self._all()]
        lines = ["| " + " | ".join(row) + " |" for row in (rows[0], rule, *rows[1:])]
        return "\n".join([*lines, *(["", markdown_text(self.caption)] if self.caption else [])])

    def html(self) -> str:
        """Return an HTML table."""
        head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in self.headers)
        body = "".join(
            "<tr>"
            f'<th scope="row">{html.escape(row[0])}</th>'
            + "".join(f"<td>{html.escape(c)}</td>" for c in row[1:])
            + "</tr>"
            for row in self.rows
        )
        notes = "<br/>".join(map(html.escape, self.caption.split("\n")))
        caption = f"<caption>{notes}</caption>" if notes else ""
        return f'<table class="howsure">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'

    def latex(self) -> str:
        """Return a LaTeX tabular with booktabs rules."""
        rows = [" & ".join(latex_text(cell) for cell in row) + r" \\" for row in self._all()]
        # After a rule or the end of a row LaTeX takes a bracket or a star for an argument.
        rows = [f"{{}}{row}" if row.lstrip().startswith(("[", "*")) else row for row in rows]
        lines = [
            r"\begin{tabular}{l" + self._latex_column() * (len(self.headers) - 1) + "}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
        return "\n".join(lines)

    def shortened(self, most_rows: int) -> Grid:
        """Return the grid with at most this many rows; a longer one is cut in the middle, which says by how many."""
        cut = len(self.rows) - most_rows + 1
        if cut <= 1:
            return self
        start = most_rows // 2
        said = (f"… {cut:,} more rows", *[""] * (len(self.headers) - 1))
        return replace(self, rows=(*self.rows[:start], said, *self.rows[start + cut :]))

    def narrowed(self, most_columns: int = MOST_COLUMNS) -> Grid:
        """Return the grid with at most this many columns; a wider one is cut in the middle, which says by how many."""
        cut = len(self.headers) - most_columns + 1
        if cut <= 1:
            return self
        start = most_columns // 2
        head, *rows = ((*row[:start], "…", *row[start + cut :]) for row in self._all())
        said = (*head[:start], f"… {cut:,} more columns", *head[start + 1 :])
        return replace(self, headers=said, rows=tuple(rows))

    def brief(self, most_rows: int) -> Grid:
        """Return so much of the grid as can be looked at: of many rows and columns, long cells and notes the ends."""
        cut = self.narrowed().shortened(most_rows)
        rows = tuple(tuple(text_within(cell, MOST_IN_CELL) for cell in row) for row in cut.rows)
        headers = tuple(text_within(cell, MOST_IN_CELL) for cell in cut.headers)
        notes = [ALL_ROWS] * (cut is not self) + self.caption.split("\n") * bool(self.caption)
        notes = notes if len(notes) <= MOST_NOTES else [*notes[: MOST_NOTES - 1], "…"]
        return replace(self, headers=headers, rows=rows, caption="\n".join(map(text_within, notes)))

    def for_terminal(self) -> str:
        """Return text, cut to the number of lines of a terminal."""
        around = 3 + min(MOST_NOTES, 1 + self.caption.count("\n") if self.caption else 0)
        return self.brief(MOST_LINES - around).text()

    def for_notebook(self) -> str:
        """Return HTML, cut to the number of rows of a notebook cell."""
        return self.brief(MOST_ROWS).html()

    def _latex_column(self) -> str:
        """Return the type of the columns after the first: paragraphs of equal width for prose."""
        return rf"p{{{0.85 / (len(self.headers) - 1):.2f}\linewidth}}" if self.is_prose else "r"

    def _all(self) -> tuple[tuple[str, ...], ...]:
        return (self.headers, *self.rows)


def _width(text: str) -> int:
    """Return the width of a text in terminal columns: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _padded(text: str, width: int, column: int) -> str:
    blank = " " * (width - _width(text))
    return text + blank if column == 0 else blank + text


WRITERS: Mapping[str, Callable[[Grid], str]] = {
    "text": Grid.text,
    "markdown": Grid.markdown,
    "html": Grid.html,
    "latex": Grid.latex,
}


def plain(value: object) -> Any:
    """Return a value for JSON: None for undefined or infinite numbers, text for unsupported types."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float) else str(value)


def json_text(content: object) -> str:
    """Return content as JSON, with all digits of its numbers."""
    text = json.dumps(plain(content), indent=2, ensure_ascii=False, allow_nan=False)
    return "\n".join(map(json_escaped, text.split("\n"))) + "\n"


def csv_text(records: Sequence[Mapping[str, object]]) -> str:
    """Return flat records as CSV, with all digits of their numbers; undefined values are empty.

    Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe.
    """
    text = io.StringIO()
    writer, columns = csv.writer(text, lineterminator="\n"), columns_of(records)
    writer.writerow(map(csv_cell, columns))
    writer.writerows(zip(*(map(csv_cell, column) for column in columns.values()), strict=True))
    return text.getvalue()


def columns_of(records: Sequence[Mapping[str, object]]) -> dict[str, list[Any]]:
    """Return records as columns; None where a record lacks one."""
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}


def grid_of(
    records: Sequence[Mapping[str, object]],
    shown: Collection[str] = (),
    *,
    level: float | None = None,
    caption: str = "",
) -> Grid:
    """Return records as strings, ``low`` and ``high`` as one interval.

    Parameters
    ----------
    records : sequence of mapping
        One flat mapping per row.
    shown : collection of str
        The columns to show; by default all but the level and the reasons.
    level : float, optional
        Confidence level of the intervals, for the header.
    caption : str
        Caption of the table; the reasons by default.

    Examples
    --------
    >>> print(grid_of([{"name": "a", "value": 0.5, "low": 0.4, "high": 0.6}]).text())
    name  value        interval
    ───────────────────────────
    a     0.500  [0.400, 0.600]
    """
    names = [name for name in shown or columns_of(records) if name not in ({"high"} if shown else {"high", *SAID})]
    headers = tuple(
        name.replace("_", " ") if name != "low" else "interval" if level is None else f"{percent(level)} interval"
        for name in names
    )
    reasons = dict.fromkeys(str(record["reason"]) for record in records if record.get("reason"))
    rows = tuple(tuple(_cell(record, name) for name in names) for record in records)
    return Grid(headers, rows, caption or "; ".join(reasons))


SAID = frozenset({"confidence_level", "reason"})  # above and below a table, not in it


def _cell(record: Mapping[str, Any], name: str) -> str:
    value: Any = record.get(name)
    low, high = record.get("low", math.nan), record.get("high", math.nan)
    decimals = significant_decimals(low, high)
    if name == "low":
        return interval_text(value, high, decimals)
    if isinstance(value, float):
        return number(value, 3 if name in WITHOUT_UNIT else decimals)
    return "" if value is None else str(value)


Backend = Literal["pandas", "polars", "pyarrow"]


def to_frame(columns: Mapping[str, Any], backend: Backend) -> Any:
    """Return columns as a frame of pandas, Polars or PyArrow.

    Raises
    ------
    HowsureError
        If that package is not installed.
    """
    import narwhals as nw

    try:
        importlib.import_module(backend)
    except ImportError:
        raise HowsureError(f"This needs the package '{backend}'. Install it, or use `to_dict`.") from None
    frame = nw.from_dict(columns, backend=backend).to_native()
    if backend == "pandas":  # whole numbers beside a missing one would be floats
        for name, column in columns.items():
            if any(each is None for each in column) and all(type(each) is int for each in column if each is not None):
                frame[name] = frame[name].astype("Int64")
    return frame


def any_frame(columns: Mapping[str, object]) -> Any:
    """Return columns as a frame of whatever package there is.

    Raises
    ------
    HowsureError
        If there is none.
    """
    for backend in get_args(Backend):
        with suppress(HowsureError):
            return to_frame(columns, backend)
    raise HowsureError(f"This needs a package of frames. Install one of {', '.join(get_args(Backend))}.")


class Tabular(AdvisedAttributes, ABC):
    """What every result can be turned into: records, frames, and tables in several formats."""

    __slots__ = ()

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict of plain values per row."""

    def to_dict(self) -> dict[Any, Any]:
        """Return the columns as lists."""
        return columns_of(self.records())

    def flat(self) -> dict[str, float]:
        """Return its numbers as one flat dict, as MLflow, Weights & Biases and other loggers of experiments take them.

        Names are ASCII letters, digits and underscores: ``"f1@macro"`` is ``"f1_macro"``, with its limits
        ``"f1_macro_low"`` and ``"f1_macro_high"``. Levels and standard errors are left out.

        Raises
        ------
        HowsureError
            If rows have no names, as the points of a curve.

        Examples
        --------
        >>> import howsure as hs
        >>> flat = hs.evaluate(hs.from_counts([[50, 3], [5, 42]]), ["f1@macro"]).flat()
        >>> {name: round(value, 3) for name, value in flat.items()}
        {'f1_macro': 0.919, 'f1_macro_low': 0.854, 'f1_macro_high': 0.962}
        """
        return flat_of(self.records())

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame, one row per record."""
        return to_frame(self._columns(), "pandas")

    def to_polars(self) -> Any:
        """Return a Polars DataFrame, one row per record."""
        return to_frame(self._columns(), "polars")

    def to_arrow(self) -> Any:
        """Return a PyArrow Table, one row per record."""
        return to_frame(self._columns(), "pyarrow")

    def grid(self) -> Grid:
        """Return a table of strings."""
        records = self.records()
        levels = {record.get("confidence_level") for record in records}
        return grid_of(records, level=levels.pop() if len(levels) == 1 else None)

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        return self.grid().markdown()

    def to_latex(self) -> str:
        """Return a LaTeX tabular with booktabs rules."""
        return self.grid().latex()

    def to_html(self) -> str:
        """Return an HTML table; the whole page is ``report_of(result).to_html()``."""
        return self.grid().html()

    def to_gt(self) -> Any:
        """Return a table of the package great-tables, cells as they are printed, to be styled further.

        Raises
        ------
        HowsureError
            If great-tables, or a package of frames, is not installed.
        """
        try:
            great_tables = importlib.import_module("great_tables")
        except ImportError:
            raise HowsureError(
                "`to_gt` needs the package 'great_tables'. Install it: pip install great_tables"
            ) from None
        grid = self.grid()
        table = great_tables.GT(any_frame(dict(zip(grid.headers, zip(*grid.rows, strict=True), strict=True))))
        return table.tab_source_note(grid.caption) if grid.caption else table

    def _columns(self) -> Mapping[str, Any]:
        return columns_of(self.records())

    def __str__(self) -> str:
        return self.grid().for_terminal()

    def __repr__(self) -> str:
        return self.grid().for_terminal()

    def _repr_html_(self) -> str:
        return self.grid().for_notebook()


class OneRecord(Tabular):
    """A result that is one row: shown with its fields one below the other."""

    __slots__ = ()

    def to_dict(self) -> dict[Any, Any]:
        """Return the fields as plain values."""
        return asdict(cast("Any", self))  # results are dataclasses, or override this

    def records(self) -> list[dict[str, Any]]:
        """Return the fields as the one record of a list."""
        return [self.to_dict()]

    def grid(self) -> Grid:
        """Return a table of strings, one row per field."""
        (record,) = self.records()
        rows = tuple((name.replace("_", " "), _plain_text(value)) for name, value in record.items())
        return Grid(("", "value"), rows)


def _plain_text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)

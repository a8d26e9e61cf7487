"""Content of a report as data: sections of paragraphs, sheets and charts, independent of the output format."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from howsure.attributes import AdvisedAttributes
from howsure.grids import Grid
from howsure.numbers import count_text, interval_text, number

SENTENCE = 40  # characters, above which words are prose
Texts = tuple[str, ...]  # one text for all confidence levels, or one for each level


def at(texts: Texts, level: int) -> str:
    """Return the text for the level with this position."""
    return texts[level] if len(texts) > 1 else texts[0]


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval drawn to scale: positions in per cent of its axis."""

    dot: float
    spans: tuple[tuple[float, float], ...]  # left end and width at each level, or one pair for all levels
    series: int = 0  # selects mark and colour if several series share an axis


@dataclass(frozen=True, slots=True)
class Axis:
    """Common axis of the bars in some columns of a sheet.

    Parameters
    ----------
    title
        Title of the axis.
    columns
        Positions of the columns.
    ticks
        Labels at equal steps, the first at the left end and the last at the right end.
    line
        Position of a reference line, such as no difference.
    about
        Label of the reference line.
    """

    title: str
    columns: tuple[int, ...]
    ticks: tuple[str, ...]
    line: float | None = None
    about: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a sheet.

    Parameters
    ----------
    texts
        Text for each level.
    value
        Text before ``texts`` that is the same for all levels.
    order
        Sort key; nan comes last.
    bar
        Interval drawn on the axis of the column.
    shade
        Intensity of the shading, between 0 and 1.
    tip
        Tooltip.
    series
        Mark and colour, for a cell with a model's name.
    """

    texts: Texts = ("",)
    value: str = ""
    order: float | str = ""
    bar: Bar | None = None
    shade: float | None = None
    tip: str = ""
    series: int | None = None

    def text(self, level: int) -> str:
        """Return the cell as plain text."""
        return " ".join(part for part in (self.value, at(self.texts, level)) if part)


def word(text: object, order: float | str | None = None) -> Cell:
    """Return a cell with the same text for every level."""
    return Cell(value=str(text), order=str(text) if order is None else order)


def count(value: float) -> Cell:
    """Return a cell with a number of cases (or a sum of weights)."""
    return Cell(value=count_text(value), order=float(value))


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table whose first column names the rows. A sheet with several axes is shown as panels, one per axis."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    folded: bool = False
    axes: tuple[Axis, ...] = ()

    def grid(self, level: int) -> Grid:
        """Return the sheet as a table of strings for one level."""
        rows = tuple(tuple(cell.text(level) for cell in row) for row in self.rows)
        return Grid(self.headers, rows, self.note, self.is_prose)

    @property
    def is_prose(self) -> bool:
        """Whether all cells are words, some of them sentences."""
        is_long = any(len(cell.text(0)) > SENTENCE for row in self.rows for cell in row)
        return is_long and all(isinstance(cell.order, str) for row in self.rows for cell in row)


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a curve with a tooltip: its position, and the text for each level."""

    x: float
    y: float
    tip: str
    texts: Texts


@dataclass(frozen=True, slots=True)
class Line:
    """A curve in the units of the chart, with the outline of its band at each level."""

    name: str
    path: str
    bands: tuple[str, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves with one pair of axes in their final layout; ticks are pairs of position and label."""

    title: str
    words: str  # text alternative for screen readers
    across: str
    up: str
    across_ticks: tuple[tuple[float, str], ...]
    up_ticks: tuple[tuple[float, str], ...]
    lines: tuple[Line, ...]
    reference: str = ""
    has_whiskers: bool = False  # instead of bands
    model: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under one heading."""

    title: str
    paragraphs: tuple[Texts, ...] = ()
    items: tuple[Texts, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    matrices: tuple[Sheet, ...] = ()  # square matrices, which readers cannot sort
    charts: tuple[Chart, ...] = ()
    code: str = ""
    warns: bool = False

    @property
    def tables(self) -> tuple[Sheet, ...]:
        """All matrices and sheets."""
        return (*self.matrices, *self.sheets)


def careful(items: Sequence[Texts]) -> Section:
    """Return the section of cautions."""
    return Section("What to be careful about", items=tuple(items), warns=True)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Document(AdvisedAttributes, Mapping[str, Section]):
    """Input of the writers: title, headline, sections, and confidence levels."""

    title: str
    about: str = ""
    headline: tuple[Texts, ...]
    sections: tuple[Section, ...] = field(repr=False)
    levels: tuple[float, ...]
    level: int
    results: Mapping[str, Any] = field(default_factory=dict, repr=False)


def value_and_limits(value: float, limits: Sequence[tuple[float, float]], decimals: int) -> tuple[str, Texts]:
    """Return a value, and its interval at each level, as strings."""
    if math.isnan(value):
        return "undefined", ("",)
    return number(value, decimals), tuple(interval_text(low, high, decimals) for low, high in limits)


def share_cell(share: float, limits: Sequence[tuple[float, ...]]) -> Cell:
    """Return a cell with a share and its interval."""
    return Cell(tuple(interval_text(low, high, 3) for low, high in limits), number(share, 3), share)

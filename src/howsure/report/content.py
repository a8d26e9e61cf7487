"""What a report consists of: sections of paragraphs, sheets and charts. Data only; the writers know the formats."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from howsure.grids import Grid, count_text, interval_text, number

Texts = tuple[str, ...]  # one for all confidence levels, or one for each of the report's levels


def at(texts: Texts, level: int) -> str:
    """Return the text at the level with this position."""
    return texts[level] if len(texts) > 1 else texts[0]


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval drawn to scale: positions in per cent of its axis."""

    dot: float
    spans: tuple[tuple[float, float], ...]  # left end and width at each level, or one for all
    series: int = 0  # of several on one axis: which mark and colour


@dataclass(frozen=True, slots=True)
class Axis:
    """On what the bars of some of a sheet's columns are drawn together.

    Parameters
    ----------
    title
        What is drawn.
    columns
        Positions of the columns.
    ticks
        Labels at even steps, the first at the left end and the last at the right one.
    line
        Position of what the values are set against, such as no difference.
    about
        What that line is.
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
        What it says, at each level.
    value
        What it says whatever the level, in front of the texts.
    order
        By what it is sorted; nan comes last.
    bar
        Interval drawn on the axis of its column.
    shade
        Share between 0 and 1 by which the cell is shaded.
    tip
        What is said on hovering.
    series
        Of a model's name: its mark and colour.
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
    """Return a cell that says the same at every level."""
    return Cell(value=str(text), order=str(text) if order is None else order)


def count(value: float) -> Cell:
    """Return a cell with a number of cases (or a sum of weights)."""
    return Cell(value=count_text(value), order=float(value))


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: the first column names the rows. With several axes the page shows it in panels, one for each."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    folded: bool = False
    axes: tuple[Axis, ...] = ()

    def grid(self, level: int) -> Grid:
        """Return the sheet as strings at one level."""
        return Grid(self.headers, tuple(tuple(cell.text(level) for cell in row) for row in self.rows), self.note)


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a curve that answers to hovering: where it is, and what it says at each level."""

    x: float
    y: float
    tip: str
    texts: Texts


@dataclass(frozen=True, slots=True)
class Line:
    """A curve in the chart's units, with the outline of its band at each level."""

    name: str
    path: str
    bands: tuple[str, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves on one pair of axes, laid out; ticks are positions with their labels."""

    title: str
    words: str  # what is to be seen, for those who do not see it
    across: str
    up: str
    across_ticks: tuple[tuple[float, str], ...]
    up_ticks: tuple[tuple[float, str], ...]
    lines: tuple[Line, ...]
    reference: str = ""
    has_whiskers: bool = False  # in place of bands
    model: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under one heading."""

    title: str
    paragraphs: tuple[Texts, ...] = ()
    items: tuple[Texts, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    matrices: tuple[Sheet, ...] = ()  # square, in an order that means something: they are not sorted
    charts: tuple[Chart, ...] = ()
    code: str = ""
    warns: bool = False

    @property
    def tables(self) -> tuple[Sheet, ...]:
        """All that is a table."""
        return (*self.matrices, *self.sheets)


def careful(items: Sequence[Texts]) -> Section:
    """Return the section on what to be careful about."""
    return Section("What to be careful about", items=tuple(items), warns=True)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Document(Mapping[str, Section]):
    """What the writers are given: a title, the answer, sections, and the confidence levels at which they speak."""

    title: str
    about: str = ""
    headline: tuple[Texts, ...]
    sections: tuple[Section, ...] = field(repr=False)
    levels: tuple[float, ...]
    level: int
    results: Mapping[str, Any] = field(default_factory=dict, repr=False)


def value_and_limits(value: float, limits: Sequence[tuple[float, float]], decimals: int) -> tuple[str, Texts]:
    """Return a value and its interval at each level as strings."""
    if math.isnan(value):
        return "undefined", ("",)
    return number(value, decimals), tuple(interval_text(low, high, decimals) for low, high in limits)


def share_cell(share: float, limits: Sequence[tuple[float, ...]]) -> Cell:
    """Return a cell with a share and its interval."""
    return Cell(tuple(interval_text(low, high, 3) for low, high in limits), number(share, 3), share)

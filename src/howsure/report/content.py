"""What a report consists of: sections of paragraphs, sheets and charts. Data only; the writers know the formats."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError, UnknownKeyError
from howsure.grids import Grid, interval_text, number

Texts = tuple[str, ...]  # one for all confidence levels, or one for each of the report's levels


def at(texts: Texts, level: int) -> str:
    """Return the text at the level with this position."""
    return texts[level] if len(texts) > 1 else texts[0]


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval drawn to scale: positions in per cent of the sheet's axis."""

    dot: float
    spans: tuple[tuple[float, float], ...]  # left end and width at each level, or one for all
    line: float | None = None  # what the value is set against, such as no difference


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
        Interval drawn below the text.
    shade
        Share between 0 and 1 by which the cell is shaded.
    tip
        What is said on hovering.
    """

    texts: Texts = ("",)
    value: str = ""
    order: float | str = ""
    bar: Bar | None = None
    shade: float | None = None
    tip: str = ""

    def text(self, level: int) -> str:
        """Return the cell as plain text."""
        return " ".join(part for part in (self.value, at(self.texts, level)) if part)


def word(text: object, order: float | str | None = None) -> Cell:
    """Return a cell that says the same at every level."""
    return Cell(value=str(text), order=str(text) if order is None else order)


def count(value: float) -> Cell:
    """Return a cell with a number of cases (or a sum of weights)."""
    return Cell(value=f"{value:,.10g}", order=float(value))


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: the first column names the rows."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    folded: bool = False

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


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under one heading."""

    title: str
    paragraphs: tuple[Texts, ...] = ()
    items: tuple[Texts, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    charts: tuple[Chart, ...] = ()
    code: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Report(Mapping[str, Section]):
    """A report as data, at several confidence levels; ``to_html``, ``to_markdown``, ``to_latex`` and ``save`` write it.

    A mapping of titles to sections: ``report["Metrics"]``.

    Parameters
    ----------
    title : str
        What was evaluated.
    headline : tuple of tuple of str
        The main result in plain words, a sentence per model.
    sections : tuple of Section
        The rest.
    levels : tuple of float
        The confidence levels.
    level : int
        The position of the one that is shown first.
    results : mapping
        Everything for machines: what `to_dict` gives.
    """

    title: str
    headline: tuple[Texts, ...]
    sections: tuple[Section, ...] = field(repr=False)
    levels: tuple[float, ...]
    level: int
    results: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __getitem__(self, title: str) -> Section:
        found = {each.title: each for each in self.sections}
        if title not in found:
            raise UnknownKeyError.unknown("section of this report", str(title), found)
        return found[title]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(each.title for each in self.sections))

    def __len__(self) -> int:
        return len(set(self))

    def to_dict(self) -> dict[str, Any]:
        """Return tables, estimates at all levels and settings, in types that JSON has; undefined is None."""
        return dict(self.results)

    def to_html(self) -> str:
        """Return one page that needs nothing else: no server, no other file.

        Raises
        ------
        HowsureError
            If Jinja2 is not installed.
        """
        from howsure.report.html import page

        return page(self)

    def to_markdown(self) -> str:
        """Return the report as Markdown, at its own level."""
        from howsure.report.text import markdown

        return markdown(self)

    def to_latex(self) -> str:
        """Return the report's tables as LaTeX (package ``booktabs``), at its own level."""
        from howsure.report.text import latex

        return latex(self)

    def save(self, path: str | Path) -> Path:
        """Write the report in the format that the suffix names: ``.html``, ``.md`` or ``.tex``.

        Raises
        ------
        HowsureError
            If the suffix names no format, or the file cannot be written.
        """
        path = Path(path)
        writers = {".html": self.to_html, ".htm": self.to_html, ".md": self.to_markdown, ".tex": self.to_latex}
        if path.suffix.lower() not in writers:
            raise HowsureError.unknown("suffix of a report", path.suffix or path.name, writers)
        text = writers[path.suffix.lower()]()
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            message = f"'{path}' cannot be written: {error.strerror}."
            raise HowsureError(message) from None
        return path

    def _repr_html_(self) -> str:
        import html

        # A frame keeps the page's style and script apart from those of the notebook.
        style = "width:100%;height:80vh;border:0"
        return f'<iframe title="howsure" srcdoc="{html.escape(self.to_html())}" style="{style}"></iframe>'


def value_and_limits(value: float, limits: Sequence[tuple[float, float]], decimals: int) -> tuple[str, Texts]:
    """Return a value and its interval at each level as strings."""
    if math.isnan(value):
        return "undefined", ("",)
    return number(value, decimals), tuple(interval_text(low, high, decimals) for low, high in limits)

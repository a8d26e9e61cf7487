"""Output of results on the terminal, or in a machine-readable format."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from howsure.cli.remedies import shell_words
from howsure.escapes import printable, printable_lines
from howsure.grids import WRITERS, Grid, csv_text, json_text

BAR = 24  # characters of the picture of an interval
NUMBER = re.compile(r"-?[\d.]+")
INTERVAL = re.compile(r"\[(-?[\d.]+), (-?[\d.]+)\]")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Block:
    """The output for all cases, one group, or one model.

    Parameters
    ----------
    about : mapping of str to object
        The group's values by column, and the model if each model has its own block; None for all cases.
    grid : Grid
        The printed grid.
    records : list of dict
        The machine-readable rows.
    note : str
        Description of the data.
    tables : list of dict
        The machine-readable tables.
    """

    about: Mapping[str, Any]
    grid: Grid
    records: list[dict[str, Any]]
    note: str = ""
    tables: list[dict[str, Any]] = field(default_factory=list)

    @property
    def heading(self) -> str:
        """The group and model of the block in words; empty for a single block."""
        said = [f"{column} = {value}" for column, value in self.about.items() if value is not None]
        return ", ".join(said) or ("all cases" if self.about else "")


def write(blocks: Sequence[Block], title: str, how: str) -> None:
    """Write blocks one by one on a terminal; in other formats as one table with columns for group and model."""
    records = list(chain.from_iterable(each.records for each in blocks))
    if how == "json":
        tables = list(chain.from_iterable(each.tables for each in blocks))
        from importlib.metadata import version

        sys.stdout.write(json_text({"howsure": version("howsure"), "tables": tables, "estimates": records}))
    elif how == "csv":
        sys.stdout.write(csv_text(records))
    elif how == "table":
        for each in blocks:
            heading = f"{title} · {each.heading}" if each.heading else title
            write_grid(each.grid, how=how, title=heading, note=each.note)
    else:
        write_grid(_joined(blocks), how=how)


def _joined(blocks: Sequence[Block]) -> Grid:
    """Return the blocks as one grid, with a column for each name that identifies a block."""
    columns = tuple(dict.fromkeys(column for each in blocks for column in each.about))
    rows = [(*_words(each, columns), *row) for each in blocks for row in each.grid.rows]
    return Grid((*columns, *blocks[0].grid.headers), tuple(rows), "; ".join(_notes(blocks)))


def _words(block: Block, columns: Sequence[str]) -> list[str]:
    """Return the values that identify a block; "all cases" is in the first column without a group."""
    values = [block.about.get(column) for column in columns]
    first = values.index(None) if None in values else -1
    return [
        "all cases" if place == first else "" if value is None else str(value) for place, value in enumerate(values)
    ]


def _notes(blocks: Sequence[Block]) -> list[str]:
    """Return the blocks' captions with their headings; a common caption is returned once."""
    captions = dict.fromkeys(each.grid.caption for each in blocks)
    if len(captions) == 1:
        return list(captions)
    return [f"{each.heading}: {each.grid.caption}" for each in blocks if each.grid.caption]


def write_records(records: list[dict[str, Any]], how: str) -> None:
    """Write flat records as ``"json"`` or ``"csv"``, with all their digits."""
    sys.stdout.write(csv_text(records) if how == "csv" else json_text(records))


def say(notes: Iterable[str]) -> None:
    """Write caveats to stderr, one per line."""
    sys.stdout.flush()
    sys.stderr.write("".join(f"{shell_words(printable(each))}\n" for each in notes))


def say_written(path: Path | None) -> None:
    """Print the path of a written file, if any, after all other output."""
    if path is not None:
        sys.stdout.flush()
        sys.stderr.write(f"Written: {printable(str(path))}\n")


def command_line() -> str:
    """Return the command that runs."""
    return shlex.join(["howsure", *sys.argv[1:]])


def write_grid(grid: Grid, *, how: str, title: str = "", note: str = "") -> None:
    """Write one grid of strings; its caption and note name options in place of arguments of Python."""
    grid, note = replace(grid, caption=shell_words(grid.caption)), shell_words(note)
    if how == "table":
        _rich(grid, title, note)
    elif how in {"json", "csv"}:
        write_records([dict(zip(grid.headers, row, strict=True)) for row in grid.rows], how)
    else:
        sys.stdout.write(WRITERS[how](grid) + "\n")


def interval_bars(grid: Grid) -> list[str]:
    """Return a header with the ends of a scale, and a picture of each row's value and interval; empty without any.

    The scale is from the lowest to the highest limit.

    Examples
    --------
    >>> interval_bars(Grid(("metric", "value", "95 % interval"), (("f1", "0.5", "[0.250, 0.750]"), ("mcc", "", ""))))
    ['0.25                0.75', '────────────●───────────', '']
    """
    found = [next((each for each in map(INTERVAL.fullmatch, row) if each), None) for row in grid.rows]
    limits = [(float(each[1]), float(each[2])) for each in found if each]
    place = next((grid.headers.index(name) for name in ("value", "mean") if name in grid.headers), None)
    if not limits or place is None:
        return []
    low, high = min(each for each, _ in limits), max(each for _, each in limits)
    bars = []
    for row, each in zip(grid.rows, found, strict=True):
        if each is None or not high > low or not NUMBER.fullmatch(row[place]):
            bars.append("")
            continue
        first, last, middle = (
            round((float(text) - low) / (high - low) * (BAR - 1)) for text in (each[1], each[2], row[place])
        )
        cells = [" "] * BAR
        cells[first : last + 1] = "─" * (last + 1 - first)
        cells[min(max(middle, 0), BAR - 1)] = "●"
        bars.append("".join(cells))
    return [f"{low:g}{high:>{BAR - len(f'{low:g}')}g}", *bars]


def _rich(grid: Grid, title: str, note: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(
        box=box.SIMPLE_HEAD,
        title=Text(printable(title), style="bold"),
        title_justify="left",
        caption_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    footnotes = [line for line in (printable_lines(note), grid.caption) if line]
    table.caption = Text("\n".join(footnotes)) if footnotes else None
    console = Console()
    if not console.is_terminal:
        console = Console(width=max(console.width, 120))
    bars = interval_bars(grid) if console.is_terminal else []
    width = sum(max(map(len, column)) + 2 for column in zip(grid.headers, *grid.rows, strict=True))
    if width + BAR > console.width:
        bars = []
    for i, header in enumerate(grid.headers):
        justify: Any = "left" if i == 0 or max((len(row[i]) for row in grid.rows), default=0) > 40 else "right"
        table.add_column(Text(header), justify=justify, overflow="fold", no_wrap=i == 0)
    for each in bars[:1]:
        table.add_column(Text(each))
    for place, row in enumerate(grid.rows):
        table.add_row(
            *(Text(cell) for cell in row), *(Text(each, style="cyan") for each in bars[place + 1 : place + 2])
        )
    with console.capture() as printed:
        console.print(table)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in (*printed.get().splitlines(), "")))

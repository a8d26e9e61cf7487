"""Results on the terminal, or in a format for machines."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from howsure.grids import Grid, Tabular
    from howsure.tables.table import Table


WIDE = 100  # columns of a terminal in which the per-class report has room for three decimals


def write(results: Mapping[Any, Any], tables: Mapping[Any, Table], by: str | None, title: str, how: str) -> None:
    """Write evaluations or reports, one for each value of ``by``.

    Parameters
    ----------
    results
        Value → `Evaluation` or `ClassificationReport`; the key is "" where there is no split.
    tables
        The tables that they come from.
    by
        Name of the column that was split by, or None.
    title
        What was evaluated.
    how
        ``"table"``, ``"json"``, ``"csv"``, ``"markdown"``, ``"html"`` or ``"latex"``.
    """
    if how in {"json", "csv"}:
        records = [
            ({by: value} if by else {}) | record for value, result in results.items() for record in result.records()
        ]
        sys.stdout.write(_json(records, tables, by) if how == "json" else _csv(records))
        return
    for value, result in results.items():
        heading = f"{title} · {by} = {value}" if by else title
        write_grid(_grid(result, how), how=how, title=heading, note=_about(tables[value]))


def _grid(result: Tabular, how: str) -> Grid:
    from howsure.compat.classification import ClassificationReport

    narrow = how == "table" and shutil.get_terminal_size().columns < WIDE
    return result.grid(2) if narrow and isinstance(result, ClassificationReport) else result.grid()


def _about(table: Table) -> str:
    """Say in one line what a table holds."""
    from howsure.designs.clusters import Clusters
    from howsure.designs.counted import Weighted

    classes = table.labels.tolist()
    parts = [f"{table.rows:,} cases", f"{len(classes)} classes"]
    if len(classes) == 2:  # noqa: PLR2004 - binary
        share = table.counts[1].sum() / table.counts.sum()
        parts[1] = f"positive class {classes[1]} ({100 * share:.1f} %)"
    if isinstance(table.design, Clusters):
        parts.append(f"{table.design.number:,} clusters")
    if isinstance(table.design, Weighted):
        parts.append("weighted")
    return ", ".join(parts)


def write_records(records: list[dict[str, Any]], how: str) -> None:
    """Write flat records as ``"json"`` or ``"csv"``, with all their digits."""
    if how == "csv":
        sys.stdout.write(_csv(records))
        return
    plain = [{name: _plain(value) for name, value in record.items()} for record in records]
    sys.stdout.write(json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def write_grid(grid: Grid, *, how: str, title: str = "", note: str = "") -> None:
    """Write one grid of strings."""
    if how == "table":
        _rich(grid, title, note)
    elif how == "json":
        records = [dict(zip(grid.headers, row, strict=True)) for row in grid.rows]
        sys.stdout.write(json.dumps(records, indent=2, ensure_ascii=False) + "\n")
    elif how == "csv":
        sys.stdout.write(_csv([dict(zip(grid.headers, row, strict=True)) for row in grid.rows]))
    else:
        from howsure.grids import WRITERS

        sys.stdout.write(WRITERS[how](grid) + "\n")


def _rich(grid: Grid, title: str, note: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(
        box=box.SIMPLE_HEAD,
        title=Text(title, style="bold"),
        title_justify="left",
        caption_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    footnotes = [line for line in (note, grid.caption) if line]
    table.caption = Text("\n".join(footnotes)) if footnotes else None
    for i, header in enumerate(grid.headers):
        justify: Any = "left" if i == 0 or max((len(row[i]) for row in grid.rows), default=0) > 40 else "right"  # noqa: PLR2004
        table.add_column(Text(header), justify=justify, overflow="fold", no_wrap=i == 0)
    for row in grid.rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console()
    if not console.is_terminal:
        console = Console(width=max(console.width, 120))
    console.print(table)
    console.print()


def _json(records: list[dict[str, Any]], tables: Mapping[Any, Table], by: str | None) -> str:
    from importlib.metadata import version

    content = {
        "howsure": version("howsure"),
        "tables": [
            ({by: _plain(value)} if by else {})
            | {
                "cases": table.rows,
                "labels": [_plain(label) for label in table.labels.tolist()],
                "counts": table.counts.tolist(),
            }
            for value, table in tables.items()
        ],
        "estimates": [{name: _plain(value) for name, value in record.items()} for record in records],
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Return a value that JSON has; what is undefined or infinite is null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _csv(records: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: "" if isinstance(value, float) and math.isnan(value) else value for name, value in record.items()}
        for record in records
    )
    return text.getvalue()

"""Tables of reports in the formats of ``prob_conf_mat``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from howsure.errors import HowsureError
from howsure.grids import Grid, to_frame

FORMATS: Mapping[str, Callable[[Grid], str]] = {
    **dict.fromkeys(("html", "unsafehtml"), Grid.html),
    **dict.fromkeys(("github", "pipe", "markdown", "orgtbl"), Grid.markdown),
    **dict.fromkeys(("latex", "latex_booktabs", "latex_raw", "latex_longtable"), Grid.latex),
    **dict.fromkeys(("simple", "plain", "text", "grid", "outline", "pretty", "psql", "rst", "tsv"), Grid.text),
}


def table(rows: Sequence[Sequence[object]], headers: Sequence[str], table_fmt: str, precision: int) -> Any:
    """Return rows as a pandas frame, or as text in a format, with a number of decimals."""
    if table_fmt in {"pd", "pandas"}:
        columns = zip(*rows, strict=True) if rows else ([] for _ in headers)
        return to_frame({name: list(column) for name, column in zip(headers, columns, strict=True)}, "pandas")
    if table_fmt not in FORMATS:
        raise HowsureError.unknown("format of a table (`table_fmt`)", str(table_fmt), ["records", "pandas", *FORMATS])
    cells = tuple(tuple(_text(cell, precision) for cell in row) for row in rows)
    return FORMATS[table_fmt](Grid(tuple(headers), cells))


def limits(low: float, high: float, precision: int) -> str:
    """Return an interval in text; a narrow one with powers of ten."""
    form = "f" if not high - low <= 1e-4 else "e"
    return f"[{low:.{precision}{form}}, {high:.{precision}{form}}]"


def _text(cell: object, precision: int) -> str:
    if cell is None:
        return ""
    return f"{cell:.{precision}f}" if isinstance(cell, float | np.floating) else str(cell)

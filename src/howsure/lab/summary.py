"""Summary of simulation results: deviation of the coverage from its level, worst cells, and relative widths."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.grids import Grid
from howsure.metrics.averages import EXTREMES
from howsure.numbers import number

WORDS = ("truth", "metric", "asked", "method")
NUMBERS = (
    "confidence_level",
    "draws",
    "coverage",
    "coverage_error",
    "missed_below",
    "missed_above",
    "width",
    "interval_score",
    "beyond",
    "undefined",
    "rarest_cases",
    "errors",
    "classes",
    "n",
)
POOR = 0.92
ENOUGH = 5.0  # expected cases, and expected errors
EXTREME = "smallest or largest of the classes"
Cells = Mapping[str, Array]  # columns of the cells of a grid: truth × metric × method
KINDS: dict[str, Callable[[Cells], Array]] = {
    "rarest ≥ 5 cases, ≥ 5 errors": lambda at: _smooth(at) & (at["rarest_cases"] >= ENOUGH) & (at["errors"] >= ENOUGH),
    "rarest ≥ 5 cases, fewer errors": lambda at: _smooth(at) & (at["rarest_cases"] >= ENOUGH) & (at["errors"] < ENOUGH),
    "rarest 1–5 cases": lambda at: _smooth(at) & (at["rarest_cases"] < ENOUGH),
    EXTREME: lambda at: ~_smooth(at),
}


def _smooth(at: Cells) -> Array:
    return ~np.isin(at["average"], EXTREMES)


def results(folder: str | Path) -> dict[str, Array]:
    """Return the results in a folder as columns, with widths relative to the narrowest method that covers.

    Cells in which at most a tenth of the studies has an interval are left out.

    Parameters
    ----------
    folder : str or Path
        Folder written by `grid.run`.

    Raises
    ------
    HowsureError
        If there are no results.
    """
    rows = list(_rows(Path(folder)))
    if not rows:
        raise HowsureError(f"'{folder}' holds no results: make some with `python -m howsure.lab run --out {folder}`.")
    columns = zip(*rows, strict=True)
    found: dict[str, Array] = {name: np.array(next(columns)) for name in WORDS}
    found |= {name: np.array(next(columns), dtype=float) for name in NUMBERS}
    excess = beyond_noise(found["coverage"], found["confidence_level"], found["draws"] * (1 - found["undefined"]))
    made = {"average": average_of(found["metric"]), "relative_width": _relative_width(found), "excess": excess}
    return found | made


def _rows(folder: Path) -> Iterator[tuple[Any, ...]]:
    for path in sorted(folder.glob("*/*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            record = json.loads(line)
            if record["undefined"] < 0.9:
                yield tuple(record[name] for name in (*WORDS, *NUMBERS))


def _relative_width(at: Cells) -> Array:
    """Return widths relative to the narrowest method of the cell that covers within two Monte Carlo errors."""
    _, cell = np.unique(np.char.add(np.char.add(at["truth"], " "), at["metric"]), return_inverse=True)
    covers = (at["coverage"] + 2 * at["coverage_error"] >= at["confidence_level"]) & np.isfinite(at["width"])
    narrowest = np.full(cell.max() + 1, np.inf)
    np.minimum.at(narrowest, cell[covers], at["width"][covers])
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = at["width"] / narrowest[cell]
    return np.where(np.isfinite(ratio) & (ratio > 0), ratio, np.nan)


def beyond_noise(coverage: Any, level: Any, draws: Any) -> Array:
    """Return the distance of a coverage from its level minus the expected distance by simulation noise."""
    noise = np.sqrt(2 / np.pi * level * (1 - level) / draws)
    return np.asarray(np.abs(coverage - level) - noise)


def picked(at: Cells, chosen: Array) -> dict[str, Array]:
    """Return a selection of the cells."""
    return {name: column[chosen] for name, column in at.items()}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Summary of a method over many cells of the grid.

    Parameters
    ----------
    cells : int
        Number of cells: population × metric.
    error : float
        Mean distance of the coverage from its level, beyond simulation noise.
    worst, where : float, str
        Lowest coverage, and the cell with this coverage.
    poor : float
        Share of the cells with coverage below 92 %.
    below, above : float
        Mean share of intervals that miss a true value below them, and above them.
    width : float
        Geometric mean of the width relative to the narrowest method that covers.
    beyond : float
        Mean share of intervals that exceed the range of the metric.
    """

    cells: int
    error: float
    worst: float
    where: str
    poor: float
    below: float
    above: float
    width: float
    beyond: float

    @classmethod
    def of(cls, at: Cells) -> Figures:
        """Return the summary of these cells."""
        lowest = int(at["coverage"].argmin())
        widths = at["relative_width"][np.isfinite(at["relative_width"])]
        return cls(
            cells=len(at["coverage"]),
            error=float(at["excess"].mean()),
            worst=float(at["coverage"][lowest]),
            where=f"{at['metric'][lowest]}, {at['truth'][lowest]}",
            poor=float((at["coverage"] < POOR).mean()),
            below=float(at["missed_below"].mean()),
            above=float(at["missed_above"].mean()),
            width=float(np.exp(np.log(widths).mean())) if widths.size else np.nan,
            beyond=float(at["beyond"].mean()),
        )

    def texts(self) -> tuple[str, ...]:
        """Return the figures as text, with shares in per cent."""
        return (
            f"{self.cells:,}",
            number(100 * self.error, 2),
            number(100 * self.poor, 1),
            number(100 * self.below, 2),
            number(100 * self.above, 2),
            number(100 * self.beyond, 2),
            number(self.width, 3),
            number(100 * self.worst, 1),
            self.where,
        )


HEADERS = (
    "method",
    "cells",
    "mean error, points",
    "below 92 %, %",
    "missed below, %",
    "missed above, %",
    "beyond range, %",
    "width, relative",
    "worst, %",
    "worst cell",
)


def by_column(at: Cells, name: str, headers: tuple[str, ...]) -> Grid:
    """Return a table with one row for each value of a column."""
    rows = []
    for value in np.unique(at[name]):
        said = f"{value:g}" if at[name].dtype.kind == "f" else str(value)
        rows.append((said, *Figures.of(picked(at, at[name] == value)).texts()))
    return Grid(headers, tuple(rows))


def by_kind(at: Cells, column: str = "asked") -> dict[str, Grid]:
    """Return for each kind of cell a table with one row for each value of a column, by default for each method."""
    headers = ("method" if column == "asked" else column, *HEADERS[1:])
    kinds = ((name, rule(at)) for name, rule in KINDS.items())
    return {name: by_column(picked(at, chosen), column, headers) for name, chosen in kinds if chosen.any()}


def average_of(metrics: Array) -> Array:
    """Return the average of each metric: its name, ``binary``, or ``whole table``."""
    known = {
        metric: "whole table" if "@" not in metric else metric.partition("@")[2].partition("+")[0]
        for metric in np.unique(metrics).tolist()
    }
    return np.array([known[metric] for metric in metrics.tolist()])

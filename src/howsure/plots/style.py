"""What all plots share: colours, markers, axes, whiskers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.escapes import cell_text, shortened

Array = NDArray[Any]

# After Okabe and Ito's colours for all kinds of sight, moved to a contrast of 3 and more against both white and black.
PALETTE = ("#2A80C4", "#D55E00", "#009E73", "#B5679A")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":")
BAND = 0.3  # opacity of a band: light enough for two to overlap
FILL = 0.6  # opacity of the fullest cell: text in the ground's own colour stays legible on it
SIZE = (6.0, 4.0)  # inches: as wide as the text of a notebook or of a page, and 3:2
SQUARE = (4.8, 4.8)  # of two shares against each other
ROW = 0.36  # inches per row of a plot with rows
CELL = (0.95, 2 * ROW)  # inches of a cell that holds a share, its interval and a count
ROOM = 5.0  # inches for the whiskers of rows and for the words below them
TITLE = 3.6  # inches for the words above cells
LETTER = 0.078  # inches, on average, in Matplotlib's usual type
TURNED = 30  # degrees by which names below cells are turned
LONG = 11  # letters of a name from which on it is: no more stand below a cell
MOST_LETTERS = 60  # of a name; a longer one is cut in its middle


def axes(ax: Axes | None, size: tuple[float, float] = SIZE) -> Axes:
    """Return the axes, or new ones of this size in inches, unless Matplotlib's settings have a size of their own."""
    if ax is not None:
        return ax
    chosen = tuple(mpl.rcParams["figure.figsize"])
    is_usual = chosen == tuple(mpl.rcParamsDefault["figure.figsize"])
    return plt.subplots(figsize=size if is_usual else chosen, layout="constrained")[1]


def of_rows(rows: int, names: Iterable[str] = ()) -> tuple[float, float]:
    """Return the size of a plot with this many rows and these names beside them."""
    return max(SIZE[0], ROOM + _width(names)), ROW * rows + 1.3


def of_cells(rows: int, columns: int, names: tuple[Sequence[str], Sequence[str]]) -> tuple[float, float]:
    """Return the size of a plot with cells, by the names beside and below them."""
    below = _width(names[1]) * math.sin(math.radians(TURNED)) if are_long(names[1]) else 0.0
    return max(TITLE, CELL[0] * columns) + _width(names[0]) + 1.0, CELL[1] * rows + below + 1.1


def are_long(names: Iterable[str]) -> bool:
    """Whether names are too long to stand side by side below cells."""
    return max(map(len, names), default=0) > LONG


def _width(names: Iterable[str]) -> float:
    return LETTER * min(MOST_LETTERS, max(map(len, names), default=0))


def saved_svg(ax: Axes, path: Path) -> None:
    """Write the axes' figure as SVG, the same bytes each time, and close it."""
    figure = ax.figure
    assert isinstance(figure, Figure)  # noqa: S101 - `axes` has made it, and no subfigures
    with mpl.rc_context({"svg.hashsalt": "howsure", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None})
    plt.close(figure)


def ink() -> str:
    """Colour of text: dark on a light ground, light on a dark one."""
    return str(mpl.rcParams["text.color"])


def colour(index: int) -> str:
    """Colour of the series at this position."""
    return PALETTE[index % len(PALETTE)]


def marker(index: int) -> str:
    """Marker of the series at this position: it differs where the colour repeats, and in print."""
    return MARKERS[index % len(MARKERS)]


def dashes(index: int) -> str:
    """Line style of the series at this position."""
    return DASHES[(index // len(PALETTE) + index) % len(DASHES)]


def whiskers(
    ax: Axes, positions: Sequence[float] | Array, estimates: Sequence[Any], index: int = 0, **style: Any
) -> Any:
    """Draw values with their limits along x, one per row; say so where one is undefined.

    Parameters
    ----------
    ax
        Where to draw.
    positions
        Heights of the rows.
    estimates
        Objects with ``value``, ``low`` and ``high``.
    index
        Position of the series, which gives colour and marker.
    **style
        Overrides what is given to Matplotlib's `errorbar`.
    """
    values, lows, highs = (
        np.array([getattr(each, name) for each in estimates], float) for name in ("value", "low", "high")
    )
    rows = np.asarray(positions, float)
    known = np.isfinite(values)
    finite = np.concatenate([part[np.isfinite(part)] for part in (values, lows, highs)])
    start, stop = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    # An arrow says that an interval goes on; where it is unknown there is no whisker at all.
    ends = np.where(np.isneginf(lows), start, lows), np.where(np.isposinf(highs), stop, highs)
    spans = np.abs(np.stack([values - ends[0], ends[1] - values]))
    settings: dict[str, Any] = {
        "fmt": marker(index),
        "color": colour(index),
        "capsize": 3,
        "markersize": 6,
        "linewidth": 1.8,
    } | style
    drawn = ax.errorbar(values[known], rows[known], xerr=spans[:, known], **settings)
    for endless, place, arrow in ((np.isneginf(lows), start, "<"), (np.isposinf(highs), stop, ">")):
        if (known & endless).any():
            where = rows[known & endless]
            ax.plot(np.full(len(where), place), where, arrow, color=settings["color"], linestyle="none")
    for row in rows[~known]:
        ax.text(0.5, row, "undefined", transform=ax.get_yaxis_transform(), ha="center", va="center", style="italic")
    return drawn


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Name the rows of a plot, the first on top."""
    ax.set_yticks(range(len(names)), [plain(name) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(visible=True, axis="x", alpha=0.25)
    ax.set_axisbelow(True)


def legend_above(ax: Axes, columns: int = 1) -> None:
    """Put the legend above the axes, where it hides nothing."""
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, frameon=False, fontsize="small")


def plain(text: object) -> str:
    """Return text that Matplotlib shows as it is: a dollar sign starts no formula."""
    return shortened(cell_text(str(text)), MOST_LETTERS).replace("$", r"\$")


def finite_draws(draws: Any, what: str) -> Array:
    """Return the draws that are finite numbers; refuse too few of them."""
    kept = np.asarray([] if draws is None else draws, float).ravel()
    kept = kept[np.isfinite(kept)]
    if kept.size < 2:
        message = f"`{what}` has no draws to show. Use method 'bayes' or a bootstrap."
        raise HowsureError(message)
    return np.asarray(kept)

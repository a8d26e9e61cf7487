"""Common parts of all plots: colours, markers, axes, whiskers."""

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

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.escapes import cell_text, shortened

# Based on the colour-blind safe palette of Okabe and Ito, changed to a contrast of at least 3 to both white and black.
PALETTE = ("#2A80C4", "#D55E00", "#009E73", "#B5679A")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":")
BAND = 0.3  # opacity of a band; two bands can overlap
FILL = 0.6  # opacity of a cell with share 1; text stays legible on it
SIZE = (6.0, 4.0)  # inches: the text width of a notebook or a page, with aspect ratio 3:2
SQUARE = (4.8, 4.8)  # inches, for plots with shares on both axes
ROW = 0.36  # inches per row of a plot with rows
CELL = (0.95, 2 * ROW)  # inches of a cell with a share, its interval and a count
ROOM = 5.0  # inches for the whiskers of rows and the text below them
TITLE = 3.6  # inches for the text above cells
LETTER = 0.078  # inches per letter, on average, in Matplotlib's default font
TURNED = 30  # degrees of rotation of names below cells
LONG = 11  # longest name, in letters, that fits below a cell without rotation
MOST_LETTERS = 60  # longest name that is printed in full; longer ones are cut in the middle


def axes(ax: Axes | None, size: tuple[float, float] = SIZE) -> Axes:
    """Return the given axes, or new ones of this size in inches, or of the size in Matplotlib's settings if changed."""
    if ax is not None:
        return ax
    chosen = tuple(mpl.rcParams["figure.figsize"])
    is_usual = chosen == tuple(mpl.rcParamsDefault["figure.figsize"])
    return plt.subplots(figsize=size if is_usual else chosen, layout="constrained")[1]


def of_rows(rows: int, names: Iterable[str] = ()) -> tuple[float, float]:
    """Return the size of a plot with a number of rows and their names."""
    return max(SIZE[0], ROOM + _width(names)), ROW * rows + 1.3


def of_cells(rows: int, columns: int, names: tuple[Sequence[str], Sequence[str]]) -> tuple[float, float]:
    """Return the size of a plot with cells, for given names of rows and columns."""
    below = _width(names[1]) * math.sin(math.radians(TURNED)) if are_long(names[1]) else 0.0
    return max(TITLE, CELL[0] * columns) + _width(names[0]) + 1.0, CELL[1] * rows + below + 1.1


def are_long(names: Iterable[str]) -> bool:
    """Return whether names are too long to fit below cells without rotation."""
    return max(map(len, names), default=0) > LONG


def _width(names: Iterable[str]) -> float:
    return LETTER * min(MOST_LETTERS, max(map(len, names), default=0))


def saved_svg(ax: Axes, path: Path) -> None:
    """Write the figure of the axes as SVG with reproducible bytes, and close it."""
    figure = ax.figure
    assert isinstance(figure, Figure)  # noqa: S101 - made by `axes`, without subfigures
    with mpl.rc_context({"svg.hashsalt": "howsure", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None})
    plt.close(figure)


def ink() -> str:
    """Return the text colour in Matplotlib's settings, which contrasts with the background."""
    return str(mpl.rcParams["text.color"])


def colour(index: int) -> str:
    """Return the colour of the series at this position."""
    return PALETTE[index % len(PALETTE)]


def marker(index: int) -> str:
    """Return the marker of the series at this position; markers differ if colours repeat, and in print."""
    return MARKERS[index % len(MARKERS)]


def dashes(index: int) -> str:
    """Return the line style of the series at this position."""
    return DASHES[(index // len(PALETTE) + index) % len(DASHES)]


def whiskers(
    ax: Axes, positions: Sequence[float] | Array, estimates: Sequence[object], index: int = 0, **style: object
) -> Any:
    """Draw values with their limits along x, one per row; undefined values are labelled.

    Parameters
    ----------
    ax
        Axes to draw on.
    positions
        Heights of the rows.
    estimates
        Objects with ``value``, ``low`` and ``high``.
    index
        Position of the series, which determines colour and marker.
    **style
        Arguments of Matplotlib's `errorbar` that replace the defaults.
    """
    values, lows, highs = (
        np.array([getattr(each, name) for each in estimates], float) for name in ("value", "low", "high")
    )
    rows = np.asarray(positions, float)
    known = np.isfinite(values)
    finite = np.concatenate([part[np.isfinite(part)] for part in (values, lows, highs)])
    start, stop = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    # Infinite limits are drawn as arrows; unknown limits have no whisker.
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
    """Label the rows of a plot, with the first on top."""
    ax.set_yticks(range(len(names)), [plain(name) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(visible=True, axis="x", alpha=0.25)
    ax.set_axisbelow(True)


def legend_above(ax: Axes, columns: int = 1) -> None:
    """Put the legend above the axes."""
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, frameon=False, fontsize="small")


def plain(text: object) -> str:
    """Return text that Matplotlib prints literally, with escaped dollar signs."""
    return shortened(cell_text(str(text)), MOST_LETTERS).replace("$", r"\$")


def finite_draws(draws: object, what: str) -> Array:
    """Return the finite draws; raise an error if there are fewer than two."""
    kept = np.asarray([] if draws is None else draws, float).ravel()
    kept = kept[np.isfinite(kept)]
    if kept.size < 2:
        raise HowsureError(f"`{what}` has no draws to show. Use method 'bayes' or a bootstrap.")
    return np.asarray(kept)

"""Shaded tables of shares: confusion matrices and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgba

from howsure.arrays import Array
from howsure.comparison.ranks import Ranks
from howsure.errors import HowsureError, checked_level
from howsure.estimates.coercion import coerce_table
from howsure.estimates.estimate import positive_notes
from howsure.methods.proportions.proportion import row_shares
from howsure.numbers import count_text, percent
from howsure.plots.series import by_series, made_by
from howsure.plots.style import FILL, PALETTE, TURNED, are_long, axes, ink, of_cells, plain
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.table import Table, require_table

MOST_COLUMNS = 3  # of panels
MOST_TEXTS = 15  # classes: with more there is no room for text in the cells


@overload
def confusion_matrix(table: Table, *, confidence_level: float = ..., ax: Axes | None = ...) -> Axes: ...


@overload
def confusion_matrix(
    table: Tables[Any] | Mapping[str, Any], *, confidence_level: float = ..., ax: Mapping[str, Axes] | None = ...
) -> dict[str, Axes]: ...


def confusion_matrix(
    table: Table | Tables[Any] | Mapping[str, Any],
    *,
    confidence_level: float = 0.95,
    ax: Axes | Mapping[str, Axes] | None = None,
) -> Axes | dict[str, Axes]:
    """Draw confusion matrices: each cell shows the share of its true class with Wilson's interval, and the count.

    Parameters
    ----------
    table : Table, Tables or mapping of str to one of these
        Confusion tables of two or more classes. Several tables are drawn as panels of one figure; for groups, all cases
        come first.
    confidence_level : float
        Confidence level of the interval in each cell.
    ax : matplotlib Axes or mapping of str to Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes, or dict of str to Axes
        The axes; for several tables by name, such as ``"all cases"`` and the groups.

    Raises
    ------
    HowsureError
        If a table is not a confusion table.

    Examples
    --------
    >>> import howsure as hs
    >>> ax = hs.plots.confusion_matrix(hs.from_counts([[50, 3], [5, 42]], labels=["healthy", "ill"]))
    >>> print(ax.texts[0].get_text())
    0.94
    [0.85, 0.98]
    50
    """
    named: dict[str, Any] = {
        name: coerce_table(each, "plots.confusion_matrix") for name, each in by_series(table).items()
    }
    if list(named) == [""]:
        return _matrix(named[""], confidence_level, ax)
    panels: Any = ax or _panels(named)
    return {name: _matrix(each, confidence_level, panels[name], name) for name, each in named.items()}


def _panels(named: Mapping[str, Table]) -> dict[str, Axes]:
    """Return new axes by name, with at most three in a row."""
    size = max(len(each.labels) for each in named.values())
    columns = min(MOST_COLUMNS, len(named))
    rows = -(-len(named) // columns)
    names = [str(label) for each in named.values() for label in each.labels.tolist()]
    wide, high = of_cells(size, size, (names, names))
    shape = (columns * wide, rows * high)
    grid = plt.subplots(rows, columns, figsize=shape, layout="constrained", squeeze=False)[1].ravel()
    for spare in grid[len(named) :]:
        spare.set_visible(False)
    return dict(zip(named, grid, strict=False))


def _matrix(given_table: Table, confidence_level: float, given: Any, name: str = "") -> Axes:
    message = f"A confusion matrix needs a confusion table, not a {given_table.kind.noun}; see `table.at(threshold)`."
    table = require_table(ConfusionTable, given_table, message)
    level = checked_level(confidence_level)
    share, low, high = row_shares(table, level)
    labels = [str(label) for label in table.labels]
    texts = [
        [_cell(share[i, j], low[i, j], high[i, j], table.counts[i, j]) for j in range(len(labels))]
        for i in range(len(labels))
    ]
    ax = _shaded(share, texts, (labels, labels), given)
    ax.set_ylabel("true class")
    ax.set_xlabel(f"predicted class\ncells: share of the true class, {percent(level)} interval, cases")
    if name:  # of one panel among others
        ax.set_title(plain(name), loc="left", fontsize="medium")
    return ax


def _cell(share: float, low: float, high: float, count: float) -> str:
    if np.isnan(share):
        return f"–\n{count_text(count)}"
    return f"{share:.2f}\n[{low:.2f}, {high:.2f}]\n{count_text(count)}"


def ranks(probabilities: Ranks | Mapping[str, Sequence[float]], *, ax: Axes | None = None) -> Axes:
    """Draw the probability of each rank for each model, with the best rank on the left.

    Parameters
    ----------
    probabilities : Ranks or mapping of str to sequence of float
        The result of `howsure.ranks`; or a mapping from model to the probabilities of rank 1, 2, …
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If there is no model, or the models have different numbers of ranks.

    Examples
    --------
    >>> import howsure as hs
    >>> ax = hs.plots.ranks({"forest": [0.8, 0.2], "logistic": [0.2, 0.8]})
    >>> [text.get_text() for text in ax.texts]
    ['0.80', '0.20', '0.20', '0.80']
    """
    given = [*made_by("`ranks`", probabilities, Mapping).values()]
    rows = [np.asarray([*row.values()] if isinstance(row, Mapping) else row, float) for row in given]
    if not rows or len({len(row) for row in rows}) > 1:
        raise HowsureError(
            "`probabilities` has no models, or rows of unequal length. Give each model one probability per rank."
        )
    matrix = np.stack(rows)
    texts = [[_probability(each) for each in row] for row in matrix]
    ax = _shaded(matrix, texts, (list(probabilities), [str(rank + 1) for rank in range(matrix.shape[1])]), ax)
    words = ["rank (1 is best); cells: probability", *map(plain, positive_notes([probabilities]))]
    ax.set_xlabel("\n".join(words))
    return ax


def _probability(value: float) -> str:
    if 0 < value < 0.005:
        return "<0.01"
    if 0.995 <= value < 1:
        return ">0.99"
    return f"{value:.2f}"


def _shaded(
    shares: Array, texts: Sequence[Sequence[str]], names: tuple[Sequence[str], Sequence[str]], ax: Axes | None
) -> Axes:
    rows, columns = shares.shape
    ax = axes(ax, of_cells(rows, columns, names))
    full = to_rgba(PALETTE[0])
    # From transparent to a tint of one colour, so that light and dark backgrounds show through.
    shades = LinearSegmentedColormap.from_list("share", [(*full[:3], 0.0), (*full[:3], FILL)])
    ax.imshow(np.nan_to_num(shares), cmap=shades, vmin=0, vmax=1, aspect="auto")
    if max(rows, columns) <= MOST_TEXTS:
        for i, j in np.ndindex(rows, columns):
            ax.text(j, i, texts[i][j], ha="center", va="center", color=ink(), fontsize=8)
    turned: dict[str, Any] = {"rotation": TURNED, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(range(columns), [plain(name) for name in names[1]], **(turned if are_long(names[1]) else {}))
    ax.set_yticks(range(rows), [plain(name) for name in names[0]])
    ax.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    ax.grid(visible=True, which="minor", alpha=0.25)
    ax.tick_params(which="minor", length=0)
    return ax

"""Plot of a leaderboard: the rank of each model, and its confidence set of ranks."""

from __future__ import annotations

from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from howsure.comparison.board import Leaderboard, Place
from howsure.metrics.descriptions import metric_words
from howsure.numbers import percent
from howsure.plots.dots import with_positive
from howsure.plots.series import made_by
from howsure.plots.style import axes, legend_above, name_rows, of_rows, whiskers


class Range(NamedTuple):
    """A rank with its confidence limits."""

    value: float
    low: float
    high: float


def leaderboard(board: Leaderboard, *, ax: Axes | None = None) -> Axes:
    """Draw the rank of each model as a dot, with its confidence set of ranks as a whisker; the best are on top.

    Parameters
    ----------
    board : Leaderboard
        The result of `leaderboard`.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If the argument is not a leaderboard.

    Examples
    --------
    >>> import howsure as hs
    >>> right = {"new": [1] * 36 + [0] * 4, "old": [1] * 35 + [0] * 5, "tiny": [0, 0, 0, 1] * 10}
    >>> ax = hs.plots.leaderboard(hs.leaderboard(hs.values(right, bounds=(0, 1)), "mean", random_state=0))
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.get_xlabel()
    (['new', 'old', 'tiny'], 'rank by mean, ranks that hold together with 95 % confidence')
    """
    places = made_by("`leaderboard`", board, Leaderboard).places
    ax = axes(ax, of_rows(len(places), [each.model for each in places]))
    for index, (words, best) in enumerate((("may be the best", True), ("is not", False))):
        rows = [row for row, each in enumerate(places) if each.may_be_best is best]
        if rows:
            whiskers(ax, rows, [_range(places[row]) for row in rows], index, label=words)
    name_rows(ax, [each.model for each in places])
    ax.set_xlim(0.5, len(places) + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    level = percent(board.confidence_level)
    words = f"rank by {metric_words(board.label)}, ranks that hold together with {level} confidence"
    ax.set_xlabel(with_positive(words, [each.estimate for each in places]))
    legend_above(ax, columns=2)
    return ax


def _range(place: Place) -> Range:
    rank = float("nan") if place.rank is None else place.rank
    return Range(rank, place.rank_low, place.rank_high)

"""`report_of_leaderboard`: report on a leaderboard."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from howsure.comparison.board import NOT_DISTINGUISHED, Leaderboard, Place
from howsure.grids import plain
from howsure.metrics.descriptions import metric_words
from howsure.numbers import number
from howsure.report import comparisons
from howsure.report.bars import Ruler
from howsure.report.content import Cell, Section, Sheet, word
from howsure.report.report import Report
from howsure.report.reproduction import origin, reproduction

MEANING = (
    "The sets of possible ranks contain the true ranks of all models simultaneously at the confidence level. "
    "Models that are not distinguished from each other may be in either order. "
    "A model that may be the best is not significantly worse than any other."
)
HEADERS = ("model", "rank", "possible ranks", "value and interval", "may be best", "P(best)")


def report_of_leaderboard(
    board: Leaderboard, *, title: str = "Leaderboard", command: str = "", files: Sequence[str | Path] = ()
) -> Report:
    """Return the report on a leaderboard: the rank of each model, and the models it cannot be distinguished from.

    Parameters
    ----------
    board
        The result of `leaderboard`.
    title
        Title: the evaluated data.
    command
        Command that makes this report; by default the running one.
    files
        Input files, whose fingerprints are reported.
    """
    ruler = comparisons.ruler_of(each.estimate for each in board.places)
    rows = tuple(_row(each, ruler) for each in board.places)
    axis = ruler.axis(metric_words(board.label), [HEADERS.index("value and interval")])
    sheet = Sheet(f"Models by {metric_words(board.label)}", (*HEADERS, NOT_DISTINGUISHED), rows, axes=(axis,))
    return Report(
        title=title,
        about=f"{len(board)} models by {metric_words(board.label)}",
        headline=((board.sentence(),),),
        sections=(
            Section("Models", ((MEANING,),), sheets=(sheet,)),
            reproduction(command or shlex.join(["howsure", *sys.argv[1:]]), "", files),
        ),
        levels=(board.confidence_level,),
        level=0,
        results=plain(
            {
                **origin(title),
                "places": board.records(),
                "winner": board.winner.to_dict(),
                "differences": board.differences.records(),
            }
        ),
    )


def _row(place: Place, ruler: Ruler) -> tuple[Cell, ...]:
    rank, low, high = place.rank, place.rank_low, place.rank_high
    chance = place.probability_best
    return (
        word(place.model),
        word("–" if rank is None else rank, math.inf if rank is None else rank),
        word(low if low == high else f"{low}–{high}", low + high / 1e6),
        comparisons.interval_cell(place.estimate, ruler, f"{place.model}: "),
        word("maybe" if place.may_be_best else "no"),
        word(number(chance, 2), chance),
        word(", ".join(place.not_told_apart) or "–", len(place.not_told_apart)),
    )

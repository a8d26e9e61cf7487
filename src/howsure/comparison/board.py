"""Result of a leaderboard: models in order, each with its possible ranks, and the winner's corrected value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from howsure.comparison.multiplicity import Differences
from howsure.comparison.ranks import Ranks
from howsure.errors import looked_up, one_of
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.estimates.named import Named
from howsure.estimates.sentences import Style, capitalized, in_percent, quoted_numbers, subject
from howsure.grids import Grid, OneRecord, Tabular
from howsure.metrics.forms import Better
from howsure.numbers import interval_text, number, percent, significant_decimals

SHOWN = 3  # names of models in a sentence or a cell
NOT_DISTINGUISHED = "not distinguished from"  # header of the last column


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Place(OneRecord):
    """A model's place on a leaderboard.

    Parameters
    ----------
    model : str
        Its name.
    rank : int or None
        1 plus the number of models with a better value; None if its value is undefined.
    rank_low, rank_high : int
        Limits of the confidence set of its rank; the sets of all models cover simultaneously.
    alone_low, alone_high : int
        Limits of the confidence set of this rank alone, without correction for the other models.
    may_be_best : bool
        Whether the set for this rank alone includes 1: no model is significantly better in a two-sided test.
    probability_best : float
        Probability that it is the best, with Student t errors and a flat prior; tied models share it.
    estimate : Estimate
        Its value with its interval.
    not_told_apart : tuple of str
        The models whose difference from it is not significant, best first.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1] * 40, {"A": [1] * 30 + [0] * 10, "B": [0] * 36 + [1] * 4, "C": [0, 1, 1, 1] * 10})
    >>> place = hs.leaderboard(table, "accuracy", random_state=0)["B"]
    >>> place.rank, place.rank_low, place.rank_high, place.may_be_best
    (3, 3, 3, False)
    """

    model: str
    rank: int | None
    rank_low: int
    rank_high: int
    alone_low: int
    alone_high: int
    may_be_best: bool
    probability_best: float
    estimate: Estimate
    not_told_apart: tuple[str, ...]

    @property
    def value(self) -> float:
        """Its value."""
        return self.estimate.value

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {
            "model": self.model,
            "rank": self.rank,
            "rank_low": self.rank_low,
            "rank_high": self.rank_high,
            "alone_low": self.alone_low,
            "alone_high": self.alone_high,
            "may_be_best": self.may_be_best,
            "probability_best": self.probability_best,
            **self.estimate.to_dict(),
            "not_told_apart": ", ".join(self.not_told_apart),
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Leaderboard(Tabular, Named, Mapping[str, Place]):
    """Ranked models: a mapping of names to places, best first, undefined values last.

    Parameters
    ----------
    places : tuple of Place
        In order.
    winner : Estimate
        The first model's value, corrected for selection.
    probabilities : Ranks
        Probability of each rank for each model.
    differences : Differences
        All pairwise differences, with simultaneous intervals.
    metric : str
        The metric.
    better : {"higher", "lower"}
        Which values are better.
    confidence_level : float
        Probability that all sets of ranks cover simultaneously.

    Examples
    --------
    >>> import howsure as hs
    >>> right = {"new": [1] * 36 + [0] * 4, "old": [1] * 35 + [0] * 5, "tiny": [0, 0, 0, 1] * 10}
    >>> board = hs.leaderboard(hs.values(right, bounds=(0, 1)), "mean", random_state=0)
    >>> {name: (each.rank_low, each.rank_high) for name, each in board.items()}
    {'new': (1, 2), 'old': (1, 2), 'tiny': (3, 3)}
    >>> board.tied, board["new"].not_told_apart
    (['new', 'old'], ('old',))
    """

    places: tuple[Place, ...]
    winner: Estimate
    probabilities: Ranks
    differences: Differences
    metric: str
    better: Better
    confidence_level: float

    def __getitem__(self, model: str) -> Place:
        return looked_up("model", model, self.by_name())

    def __iter__(self) -> Iterator[str]:
        return iter(each.model for each in self.places)

    def __len__(self) -> int:
        return len(self.places)

    def by_name(self) -> dict[str, Place]:
        """Return the places by model."""
        return {each.model: each for each in self.places}

    @property
    def label(self) -> str:
        """Name of the metric as requested, for printing."""
        return self.places[0].estimate.label

    @property
    def tied(self) -> list[str]:
        """The models that may be the best; the set contains the best one with the confidence level."""
        return [each.model for each in self.places if each.may_be_best]

    def sentence(self, style: Style = "card") -> str:
        """Return the models that may be the best, and the winner's value corrected for selection, in one text.

        Parameters
        ----------
        style : {"card", "clinical", "ml"}
            Plain words for an evaluation card; or the form of a clinical paper; or of a machine-learning paper.

        Raises
        ------
        HowsureError
            If there is no such style.

        Examples
        --------
        >>> import howsure as hs
        >>> right = {"new": [1] * 36 + [0] * 4, "old": [1] * 35 + [0] * 5, "tiny": [0, 0, 0, 1] * 10}
        >>> board = hs.leaderboard(hs.values(right, bounds=(0, 1)), "mean", random_state=0)
        >>> print(board.sentence("ml").partition(" (")[0])
        Mean: new ranks first of 3 models, not distinguished from old
        """
        return leaderboard_sentence(self, style)

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per model."""
        return [each.to_dict() for each in self.places]

    def grid(self) -> Grid:
        """Return a table of strings, one row per model."""
        level = percent(self.confidence_level)
        headers = ("model", "rank", "ranks", self.label, f"{level} interval", "best", "P(best)", NOT_DISTINGUISHED)
        rows = []
        for each in self.places:
            own = each.estimate
            decimals = significant_decimals(own.low, own.high)
            rows.append(
                (
                    each.model,
                    "–" if each.rank is None else str(each.rank),
                    str(each.rank_low) if each.rank_low == each.rank_high else f"{each.rank_low}–{each.rank_high}",
                    number(own.value, decimals),
                    interval_text(own.low, own.high, decimals),
                    "maybe" if each.may_be_best else "no",
                    number(each.probability_best, 2),
                    listed_models(each.not_told_apart),
                )
            )
        reasons = [f"{each.model}: {each.estimate.reason}." for each in self.places if each.estimate.reason]
        said = (
            f"With {level} confidence, “ranks” contains the true ranks of all models simultaneously, and “best” refers "
            "to each model alone (two-sided)."
        )
        reasons += [f"P{note[1:]}." for note in positive_notes(each.estimate for each in self.places)]
        return Grid(headers, tuple(rows), " ".join([self.sentence(), said, *reasons]))


def leaderboard_sentence(board: Leaderboard, style: Style) -> str:
    """Return which models may be the best and the winner's value, see `Leaderboard.sentence`."""
    one_of("style", style, get_args(Style))
    first = board.places[0]
    if first.rank is None:
        return f"No model has a rank: {board.label} is undefined for all."
    others = listed_models([name for name in board.tied if name != first.model])
    what, cases = capitalized(subject(board.label, first.estimate.positive)), first.estimate.cases
    won = _corrected(board, style)
    if style == "card":
        return f"{first.model} comes first, and {others or 'no other'} may be the best{' too' * bool(others)}. {won}."
    if style == "clinical":
        size = f"; {cases:,} cases" if cases else ""
        rest = f"; {others} could not be excluded as the best" if others else ""
        order = "lowest" if board.better == "lower" else "highest"
        return f"{what} was {order} for {first.model} among {len(board)} models ({won}{size}){rest}."
    size = f", n = {cases:,}" if cases else ""
    rest = f", not distinguished from {others}" if others else ""
    return f"{what}: {first.model} ranks first of {len(board)} models{rest} ({won}{size})."


def _corrected(board: Leaderboard, style: Style) -> str:
    """Return the winner's value corrected for selection, with its interval, or the reason that it has none."""
    won, level = board.winner, percent(board.confidence_level)
    as_percent = style == "ml" and in_percent(won)
    value, low, high = quoted_numbers(won, 100.0 if as_percent else 1.0)
    if not low:
        missing = f"not corrected for selection: {won.reason}"
        return capitalized(missing) if style == "card" else missing
    unit = " %" if as_percent else ""
    return {
        "card": f"Corrected for selection: {value}, {level} interval [{low}, {high}]",
        "clinical": f"selection-corrected {value}, {level.replace(' %', '%')} CI {low} to {high}",
        "ml": f"selection-corrected {value}{unit}, {level} CI {low}–{high}{unit}",
    }[style]


def listed_models(names: Collection[str]) -> str:
    """Return a few names, and the number of further ones."""
    shown = list(names)[:SHOWN]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")

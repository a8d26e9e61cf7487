"""One rater against the others: whether a model, as one more annotator, agrees with people as they do with each other.

Both metrics look at one rater by name, by default the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.forms import Ratio, divide
from howsure.metrics.rating_weights import IDENTITY, weights_of
from howsure.metrics.ratings import agreement_of_items, of_totals, ratings_metric
from howsure.metrics.registry import Scored
from howsure.tables.ratings import FEWEST, RatingsTable

FEWEST_OTHERS = 2  # raters, who agree with each other or not
ROUNDING = 1e-9  # tolerance for equal sums of weights


@dataclass(frozen=True, slots=True, eq=False)
class Contests:
    """One rater against another, item by item: which of them agrees more with all the rest.

    Parameters
    ----------
    held : ndarray of shape (cells,)
        Whether both rated the items of a cell, and a third did.
    wins, loses : ndarray of shape (cells,)
        Whether the first agrees with the rest at least as well as the second, and the second as the first: both, where
        they agree equally well.
    """

    held: Array
    wins: Array
    loses: Array


def contests(table: RatingsTable, rater: int, other: int, weights: Array) -> Contests:
    """Return how one rater does against another, by pattern.

    Parameters
    ----------
    table : RatingsTable
        The ratings.
    rater, other : int
        Their positions.
    weights : ndarray of shape (K, K)
        Weights of agreement.
    """
    rest = np.delete(table.codes, [rater, other], axis=1)
    present = rest >= 0
    agreeing = [
        np.where(present, weights[table.codes[:, each, None], rest], 0.0).sum(1) for each in (rater, other)
    ]  # a missing rating, −1, reads some weight, and is not held
    held = (table.codes[:, rater] >= 0) & (table.codes[:, other] >= 0) & present.any(1)
    ahead = agreeing[0] - agreeing[1]
    return Contests(held, held & (ahead >= -ROUNDING), held & (ahead <= ROUNDING))


def chosen(metric: str, table: RatingsTable, rater: str) -> int:
    """Return the position of the rater that a metric is of, by default the last.

    Parameters
    ----------
    metric : str
        Its name.
    table : RatingsTable
        The ratings.
    rater : str
        The rater's name; empty for the last.

    Raises
    ------
    HowsureError
        If there is no such rater, or there are not two others.
    """
    if len(table.raters) <= FEWEST_OTHERS:
        raise HowsureError(
            f"`{metric}` needs two raters besides the one it is of, and there are {len(table.raters)} in all."
        )
    return table.rater(rater) if rater else len(table.raters) - 1


@ratings_metric(aliases=("average_advantage_probability",))
def advantage_probability(
    table: RatingsTable, *, rater: str = "", against: str = "", weights: str = IDENTITY
) -> Scored:
    """Chance that a rater agrees with the others at least as well as one of them, averaged over these."""
    matrix, own = weights_of(weights, table), chosen("advantage_probability", table, rater)
    others = [table.rater(against)] if against else [each for each in range(len(table.raters)) if each != own]
    if own in others:
        raise HowsureError(f"`rater` and `against` are both {against!r}. Name two raters.")
    return average_advantage([contests(table, own, other, matrix) for other in others])


def average_advantage(met: Sequence[Contests]) -> Scored:
    """Return how often a rater is at least as good as each of several others, averaged over these."""
    wins, held = (np.column_stack([getattr(one, what) for one in met]) * 1.0 for what in ("wins", "held"))

    def value(totals: Array) -> Array:
        won, both = totals[..., : len(met)], totals[..., len(met) :]
        some = both.real > 0
        share = np.where(some, won / np.where(some, both, 1.0), 0.0)
        return divide(share.sum(-1), some.sum(-1))

    found = of_totals(np.hstack([wins, held]), value, (0.0, 1.0))
    if len(met) > 1:
        return found
    return Scored(found.value, found.gradient, range=(0.0, 1.0), structure=Ratio(wins[:, 0], held[:, 0]))


@ratings_metric(range=(-1.0, 1.0), random=0.0)
def agreement_gap(table: RatingsTable, *, rater: str = "", weights: str = IDENTITY) -> Scored:
    """Agreement of a rater with the others less theirs with each other, on items that they and two of them rated."""
    matrix, own = weights_of(weights, table), chosen("agreement_gap", table, rater)
    others = table.without(own)
    number = others.tallies.sum(1)
    among, _ = agreement_of_items(others.tallies, matrix)
    both = (table.codes[:, own] >= 0) & (number >= FEWEST)
    with_others = (others.tallies * matrix[table.codes[:, own]]).sum(1) / np.where(both, number, 1.0)
    gap = np.where(both, with_others - among, 0.0)
    return of_totals(np.column_stack([gap, both]), lambda t: divide(t[..., 0], t[..., 1]), (-1.0, 1.0))

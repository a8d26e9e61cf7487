"""Agreement of three or more raters, beyond what chance alone would bring.

Counts have shape ``(..., cells)``, the number of items with each pattern of ratings. What an item adds to a coefficient
depends on few sums over the items, ``totals = counts @ features``, so that a coefficient is a function of these, and
its derivative by the counts follows from that by the totals. Items with fewer than two ratings say nothing of
agreement, and count for the shares of the categories alone, as in irrCAC; in Krippendorff's alpha they do not count.

Where weights come from distances of negative type a coefficient whose chance agreement is that of the pooled shares is
at least −1: the ratings of an item, twice over, cannot be further apart than all ratings are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, one_of
from howsure.metrics.forms import complex_step, divide
from howsure.metrics.kinds import Form
from howsure.metrics.rating_weights import IDENTITY, KEEPS_BOUND, distances_of, ordered, weights_of
from howsure.metrics.registry import Bounds, Scored, declare
from howsure.tables.protocols import cases_per_count
from howsure.tables.ratings import FEWEST, RatingsTable

INFINITY = float("inf")
WITHIN: Bounds = (-1.0, 1.0)
LEVELS = ("nominal", "ordinal", "interval", "ratio")


def _examples() -> Iterator[RatingsTable]:
    codes = np.array([each for each in np.ndindex(4, 4, 4) if sum(each) < 9]) - 1  # with items rated once, or never
    labels, raters = np.array([1, 2, 4]), np.array(["first", "second", "third"])
    empty = RatingsTable.of_patterns(codes, labels, raters, is_ordered=True)
    alike = (empty.tallies.max(1) == empty.tallies.sum(1)) * 40
    counts = np.random.default_rng(0).integers(1, 20, len(empty.codes)) + alike * 1.0
    yield replace(empty, counts=counts, rows=int(counts.sum()))


ratings_metric = declare(  # (table of items by the ratings of each rater, arguments) → Scored
    Form(
        name="ratings",
        maker="a table of ratings: `ratings(items_by_raters)`",
        examples=_examples,
        tried=("percent_agreement", "fleiss_kappa", "gwet_ac1"),
        counterparts={
            "kappa": "conger_kappa",
            "weighted_kappa": "conger_kappa+weights=linear",
            "quadratic_weighted_kappa": "conger_kappa+weights=quadratic",
            "accuracy": "percent_agreement",
            "icc": "krippendorff_alpha+level=interval",
        },
        flow=True,
    )
)


def of_totals(features: Array, function: Callable[[Array], Array], bounds: Bounds) -> Scored:
    """Return the metric that is a function of sums over the items.

    Parameters
    ----------
    features : ndarray of shape (cells, J)
        What an item of each cell adds to each sum.
    function : callable
        Sums ``(..., J)`` → values ``(...)``; it must take complex numbers.
    bounds : tuple of float
        Smallest and largest value.
    """

    def gradient(cells: Array) -> Array:
        return np.asarray(complex_step(function, cells @ features) @ features.T)

    return Scored(lambda cells: function(cells @ features), gradient, range=bounds)


def agreement_of_items(tallies: Array, weights: Array) -> tuple[Array, Array]:
    """Return the agreement of each pair of an item's ratings, averaged, and 1 for items that have a pair, else 0.

    Parameters
    ----------
    tallies : ndarray of shape (cells, K)
        Ratings of each category.
    weights : ndarray of shape (K, K)
        Weights of agreement.
    """
    number = tallies.sum(1)
    paired = number >= FEWEST
    pairs = np.where(paired, number * (number - 1), 1.0)
    agreeing = (tallies * (tallies @ weights - 1)).sum(1)
    return np.where(paired, agreeing / pairs, 0.0), paired * 1.0


def _beyond_chance(agreement: Array, chance: Array) -> Array:
    return 1 - divide(1 - agreement, 1 - chance)


def _with_shares(table: RatingsTable, weights: Array, chance: Callable[[Array], Array], bounds: Bounds) -> Scored:
    """Return the coefficient with chance agreement from the category frequencies, averaged over items."""
    number = table.tallies.sum(1, keepdims=True)
    shares = np.divide(table.tallies, number, out=np.zeros(table.tallies.shape), where=number > 0)
    agreeing, paired = agreement_of_items(table.tallies, weights)

    def value(totals: Array) -> Array:
        of_categories = totals[..., 2:]
        share = divide(of_categories, of_categories.sum(-1)[..., None])
        return _beyond_chance(divide(totals[..., 0], totals[..., 1]), chance(share))

    return of_totals(np.column_stack([agreeing, paired, shares]), value, bounds)


def _bounds(table: RatingsTable, weights: str) -> Bounds:
    """Return the range of a coefficient with the pooled shares' chance agreement; see the module."""
    several = (table.tallies.sum(1) >= FEWEST).all()
    return WITHIN if several and weights in KEEPS_BOUND else (-INFINITY, 1.0)


def _fixed_bounds(matrix: Array) -> Bounds:
    """Return the range of a coefficient whose chance agreement is at most the average weight."""
    most = float(matrix.mean())
    return (min(-1.0, -most / (1 - most)) if most < 1 else -1.0, 1.0)


@ratings_metric(aliases=("observed_agreement",))
def percent_agreement(table: RatingsTable, *, weights: str = IDENTITY) -> Scored:
    """Share of the pairs of an item's ratings that agree, averaged over the items that have a pair."""
    agreeing, paired = agreement_of_items(table.tallies, weights_of(weights, table))
    return of_totals(np.column_stack([agreeing, paired]), lambda t: divide(t[..., 0], t[..., 1]), (0.0, 1.0))


@ratings_metric(aliases=("fleiss",), range=WITHIN, random=0.0)
def fleiss_kappa(table: RatingsTable, *, weights: str = IDENTITY) -> Scored:
    """Fleiss' kappa: agreement beyond chance, chance from the shares of the categories among all ratings."""
    matrix = weights_of(weights, table)

    def chance(share: Array) -> Array:
        return np.asarray(((share @ matrix) * share).sum(-1))

    return _with_shares(table, matrix, chance, _bounds(table, weights))


@ratings_metric(aliases=("conger",), range=WITHIN, random=0.0)
def conger_kappa(table: RatingsTable, *, weights: str = IDENTITY) -> Scored:
    """Conger's kappa: agreement beyond chance, chance from each rater's own shares (of two raters Cohen's kappa)."""
    if not table.names_raters:
        raise HowsureError(
            "`conger_kappa` needs the rater of each rating, and these are numbers of ratings by category. "
            "Use fleiss_kappa, gwet_ac1 or krippendorff_alpha."
        )
    matrix, size, raters = weights_of(weights, table), len(table.labels), len(table.raters)
    said = (table.codes[..., None] == np.arange(size)).reshape(len(table.codes), raters * size) * 1.0
    agreeing, paired = agreement_of_items(table.tallies, matrix)

    def value(totals: Array) -> Array:
        given = totals[..., 2:].reshape(*totals.shape[:-1], raters, size)
        number = given.sum(-1)
        rates = number.real > 0
        share = given / np.where(rates, number, 1.0)[..., None]
        pooled, several = share.sum(-2), rates.sum(-1)
        # All pairs of raters, minus each one with itself.
        among = ((pooled @ matrix) * pooled).sum(-1) - ((share @ matrix) * share).sum((-2, -1))
        chance = divide(among, several * (several - 1))
        return _beyond_chance(divide(totals[..., 0], totals[..., 1]), chance)

    bounds = WITHIN if table.is_complete and weights == IDENTITY else (-INFINITY, 1.0)
    return of_totals(np.column_stack([agreeing, paired, said]), value, bounds)


def _gwet(table: RatingsTable, matrix: Array) -> Scored:
    size = len(table.labels)

    def chance(share: Array) -> Array:
        spread = divide((share * (1 - share)).sum(-1), np.asarray(size * (size - 1.0)))
        return np.asarray(matrix.sum() * spread)

    return _with_shares(table, matrix, chance, _fixed_bounds(matrix))


def gwet_ac1_of_ratings(table: RatingsTable) -> Scored:
    """Gwet's AC1 of ratings."""
    return _gwet(table, np.eye(len(table.labels)))


@ratings_metric(aliases=("ac2",), range=WITHIN, random=0.0)
def gwet_ac2(table: RatingsTable, *, weights: str = "quadratic") -> Scored:
    """Gwet's AC2: AC1 with weights for categories that are near each other."""
    return _gwet(table, weights_of(weights, table))


@ratings_metric(aliases=("bennett_s", "bp"), range=WITHIN, random=0.0)
def brennan_prediger(table: RatingsTable, *, weights: str = IDENTITY) -> Scored:
    """Brennan and Prediger's coefficient: agreement beyond that of raters who choose any category equally often."""
    matrix = weights_of(weights, table)
    agreeing, paired = agreement_of_items(table.tallies, matrix)
    chance = np.asarray(matrix.mean())

    def value(totals: Array) -> Array:
        return _beyond_chance(divide(totals[..., 0], totals[..., 1]), chance)

    return of_totals(np.column_stack([agreeing, paired]), value, _fixed_bounds(matrix))


def krippendorff_alpha_of_ratings(table: RatingsTable, *, level: str = "nominal") -> Scored:
    """Krippendorff's alpha of ratings.

    ``1 − α`` is the observed over the expected disagreement, ``O N / E`` with N the number of ratings of items that
    have two or more, times ``(N − 1) / N``, since the expected disagreement is over pairs of different ratings.

    Parameters
    ----------
    table : RatingsTable
        The ratings.
    level : {"nominal", "ordinal", "interval", "ratio"}
        The level of measurement.
    """
    one_of("level of measurement", level, LEVELS)
    number = table.tallies.sum(1)
    paired = number >= FEWEST
    tallies, others = np.where(paired[:, None], table.tallies, 0.0), np.where(paired, number - 1, 1.0)
    sums = _Ordinal(tallies, others) if level == "ordinal" else _Fixed(tallies, others, distances_of(level, table))
    if level == "ordinal":
        ordered("level=ordinal", table)
    ratings = table.cells @ np.where(paired, number, 0.0) * cases_per_count(table)
    population = _alpha(sums, tallies.sum(1), np.ones(np.shape(ratings)))
    factor = 1 - divide(np.asarray(1.0), ratings)
    return replace(_alpha(sums, tallies.sum(1), factor), population=population, takes_batches=False)


def _alpha(sums: _Fixed | _Ordinal, numbers: Array, factor: Array) -> Scored:
    """Return Krippendorff's alpha from sums of disagreement, the numbers of paired ratings, and what corrects them."""

    def value(cells: Array) -> Array:
        observed, expected, total = sums.of(cells)
        return 1 - factor * divide(observed * total, expected)

    def gradient(cells: Array) -> Array:
        observed, expected, total = (each[..., None] for each in sums.of(cells))
        by_observed, by_expected = sums.slopes(cells)
        share = divide(total, expected)
        moved = by_observed * share + divide(observed, expected) * (numbers - share * by_expected)
        return np.asarray(-np.asarray(factor)[..., None] * moved)

    return Scored(value, gradient, range=WITHIN)


class _Fixed:
    """Observed and expected disagreement for distances that are given."""

    def __init__(self, tallies: Array, others: Array, distances: Array) -> None:
        self.tallies, self.distances = tallies, distances
        self.each = (tallies * (tallies @ distances)).sum(1) / others

    def of(self, cells: Array) -> tuple[Array, Array, Array]:
        totals = cells @ self.tallies
        return cells @ self.each, ((totals @ self.distances) * totals).sum(-1), totals.sum(-1)

    def slopes(self, cells: Array) -> tuple[Array, Array]:
        return self.each, 2 * (cells @ self.tallies @ self.distances) @ self.tallies.T


class _Ordinal:
    """Observed and expected disagreement for squared differences of the categories' mean ranks among all ratings."""

    def __init__(self, tallies: Array, others: Array) -> None:
        self.tallies, self.others, self.number = tallies, others, tallies.sum(1)

    def _ranked(self, cells: Array) -> tuple[Array, Array, Array]:
        """Return the totals of the categories, their mean ranks, and the sum of each item's ranks."""
        totals = cells @ self.tallies
        ranks = np.cumsum(totals, -1) - totals / 2
        return totals, ranks, ranks @ self.tallies.T

    def _each(self, ranks: Array, sums: Array) -> Array:
        return np.asarray(2 * (self.number * (ranks**2 @ self.tallies.T) - sums**2) / self.others)

    def of(self, cells: Array) -> tuple[Array, Array, Array]:
        totals, ranks, sums = self._ranked(cells)
        total = totals.sum(-1)
        expected = 2 * (total * (totals * ranks**2).sum(-1) - (totals * ranks).sum(-1) ** 2)
        return (cells * self._each(ranks, sums)).sum(-1), expected, total

    def slopes(self, cells: Array) -> tuple[Array, Array]:
        totals, ranks, sums = self._ranked(cells)
        total, share = totals.sum(-1)[..., None], cells / self.others
        by_rank = 4 * (ranks * ((share * self.number) @ self.tallies) - (share * sums) @ self.tallies)
        observed = self._each(ranks, sums) + _through_ranks(by_rank) @ self.tallies.T
        first, second = (totals * ranks).sum(-1)[..., None], (totals * ranks**2).sum(-1)[..., None]
        direct = 2 * (second + total * ranks**2 - 2 * first * ranks)
        expected = direct + _through_ranks(4 * totals * (total * ranks - first))
        return observed, expected @ self.tallies.T


def _through_ranks(by_rank: Array) -> Array:
    """Return derivatives by the mean ranks as derivatives by the totals: a rating moves its own rank by one half."""
    above = np.cumsum(by_rank[..., ::-1], -1)[..., ::-1] - by_rank
    return np.asarray(above + by_rank / 2)

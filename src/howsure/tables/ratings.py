"""Table of items by the ratings of several raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.errors import HowsureError, listed
from howsure.tables.kind import Kind
from howsure.tables.labels import other_classes, union_of_labels
from howsure.tables.prior_tuples import MOST_PSEUDO_CELLS, pseudo_tuples
from howsure.tables.priors import Priors
from howsure.tables.protocols import tables_in_block
from howsure.tables.table import Table
from howsure.tables.union import distinct_rows, places_of_names, places_of_rows, shares_of_rows

NO_AGREEMENT = (
    "undefined: no item has two ratings, or chance alone would make all agree, as where they are of one category"
)
MOST_PSEUDO_CATEGORIES = (
    6  # over which a prior's pseudo-items are spread: of more, over the medians of as many groups of them
)
MOST_CATEGORIES = 4096  # whose distances fit into memory
PARTS = (0.5, 0.25, 0.25)  # of the pseudo-items: all agree, one alone differs, halves differ
NOBODY = ""  # name of a rater of whom it is not known which ratings are theirs
FEWEST = 2  # ratings of an item, between which there is agreement


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RatingsTable(Table):
    """Counts of items by the pattern of their ratings.

    Parameters
    ----------
    counts : ndarray of shape (..., M)
        Items with each pattern.
    labels : ndarray of shape (K,)
        The categories.
    raters : ndarray of shape (R,)
        The raters' names.
    codes : ndarray of shape (M, R)
        The patterns, as positions among the categories; −1 where a rater has not rated.
    pseudo : ndarray of shape (M,)
        Distribution of a prior's mass over the patterns; sums to 1.
    is_ordered : bool
        Whether the order of the categories is known: they are numbers, or the caller stated it.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.ratings([["yes", "yes", "no"], ["no", "no", None], ["yes", "yes", "yes"]])
    <RatingsTable: 3 items, 3 raters, 2 categories>
    """

    raters: Array
    codes: Array
    pseudo: Array = field(default_factory=lambda: np.empty(0))
    is_ordered: bool = True
    _axes: ClassVar[int] = 1
    data_kinds: ClassVar[tuple[str, ...]] = ("ratings",)
    kind: ClassVar[Kind] = Kind(
        noun="table of ratings",
        classes_noun="categories",
        why_undefined=NO_AGREEMENT,
        has_sample_variance=True,
    )

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.names("raters", self.raters, are_distinct=self.names_raters)
        invariants.positions("codes", self.codes, (*self.shape, len(self.raters)), len(self.labels), -1)
        invariants.numbers("pseudo", self.pseudo, self.shape)
        invariants.instance("is_ordered", self.is_ordered, bool)
        if len(self.labels) > MOST_CATEGORIES:
            invariants.refuse(f"{len(self.labels):,} distinct ratings are too many: round them to a scale of fewer.")

    @classmethod
    def of_patterns(
        cls, codes: Array, labels: Array, raters: Array, *, is_ordered: bool, items: Array | None = None
    ) -> RatingsTable:
        """Return a table, of no item, of the patterns that occur and those of a prior.

        Parameters
        ----------
        codes : ndarray of shape (n, R)
            Patterns, repeated or not.
        labels, raters : ndarray
            The categories and the raters.
        is_ordered : bool
            Whether the order of the categories is known.
        items : ndarray of shape (n,), optional
            Number of items of each pattern, by default equal; the pseudo-items of the prior have as many ratings as the
            median item.
        """
        if len(labels) > MOST_CATEGORIES:
            raise HowsureError(f"{len(labels):,} distinct ratings are too many: round them to a scale of fewer.")
        rates = (codes >= 0).any(axis=0)
        possible = []
        usual = median_ratings(codes, np.ones(len(codes)) if items is None else items)
        for among in possible_patterns(len(labels), int(rates.sum()), usual):
            possible.append(np.full((len(among), len(raters)), -1))
            possible[-1][:, rates] = among
        every = distinct_rows(*possible, codes)
        return cls(
            counts=np.zeros(len(every)),
            labels=labels,
            raters=raters,
            codes=every,
            pseudo=np.sum(
                [part * shares_of_rows(each, every) for part, each in zip(PARTS, possible, strict=True)], axis=0
            ),
            is_ordered=is_ordered,
            rows=0,
        )

    @property
    def names_raters(self) -> bool:
        """Whether the rater of each rating is known, and not only the number of ratings per category."""
        return NOBODY not in self.raters.tolist()

    @property
    def true_class(self) -> Array:
        """Zeros: items have no true category."""
        return np.zeros(self.shape[-1], dtype=np.intp)

    @property
    def block_size(self) -> int:
        """Number of tables to draw at once, which is small for few cells too."""
        return tables_in_block(self.shape, 4)

    @property
    def priors(self) -> Priors:
        """Pseudo-counts of patterns of ratings."""
        return Priors(self.pseudo, order=self._ordered_cells)

    def _ordered_cells(self) -> Array:
        """Return the cells over which a prior is spread, those whose raters agree least first."""
        places = np.flatnonzero(self.pseudo)
        agreeing = (self.tallies[places] ** 2).sum(1)
        return places[np.argsort(agreeing, kind="stable")]

    @cached_property
    def tallies(self) -> Array:
        """How many raters gave each category to the items of each cell, ``(M, K)``."""
        found = np.zeros((len(self.codes), len(self.labels)))
        cell, rater = np.nonzero(self.codes >= 0)
        np.add.at(found, (cell, self.codes[cell, rater]), 1.0)
        return found

    @cached_property
    def is_complete(self) -> bool:
        """Whether every rater who rates rated every item."""
        return bool((self.codes[:, self.rates] >= 0).all())

    @cached_property
    def rates(self) -> Array:
        """Whether each rater has rated anything, ``(R,)``."""
        return np.asarray((self.codes >= 0).any(axis=0))

    @property
    def numbers(self) -> Array | None:
        """The categories as numbers, if they are numeric."""
        kind = self.labels.dtype.kind
        return self.labels.astype(float) if kind in "iufb" else None

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        if self.labels.dtype.kind == "f":
            return ("krippendorff_alpha+level=interval",)
        return ("percent_agreement", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha")

    def rater(self, name: object) -> int:
        """Return the position of a rater.

        Raises
        ------
        HowsureError
            If there is no such rater; the message names the nearest.
        """
        names = [str(each) for each in self.raters.tolist()]
        if str(name) not in names:
            raise HowsureError.unknown("rater", str(name), names)
        return names.index(str(name))

    def without(self, rater: int) -> RatingsTable:
        """Return the table of the other raters, over the same cells; items without one of their ratings have count 0.

        Parameters
        ----------
        rater : int
            Position of the rater to leave out.
        """
        keep = np.arange(len(self.raters)) != rater
        return replace(self, codes=self.codes[:, keep], raters=self.raters[keep])

    def with_all_classes(self, others: Sequence[RatingsTable]) -> RatingsTable:
        """Return a table, of no item, of the categories and patterns of this and other tables of the same raters."""
        for each in others:
            if each.raters.tolist() != self.raters.tolist():
                raise HowsureError(
                    f"The tables are of different raters: {listed(self.raters.tolist())} and "
                    f"{listed(each.raters.tolist())}. Count all parts with the same raters, in one order."
                )
        parts = [self, *others]
        labels = union_of_labels(parts)
        codes = np.concatenate([each.codes_among(labels) for each in parts])
        ordered = all(each.is_ordered for each in parts)
        items = np.concatenate([each.counts.reshape(-1, each.shape[-1]).sum(0) for each in parts])
        return RatingsTable.of_patterns(codes, labels, self.raters, is_ordered=ordered, items=items)

    def codes_among(self, labels: Array) -> Array:
        """Return the patterns as positions among other categories, which include those of the table."""
        places = places_of_names(self.labels.tolist(), labels.tolist())
        return np.append(places, -1)[self.codes]

    def cell_positions(self, whole: RatingsTable) -> Array:
        """Return the position of each pattern in a table that has it."""
        return places_of_rows(self.codes_among(whole.labels), whole.codes)

    def incompatibility(self, other: Table) -> str:
        """Return an empty text for another table of ratings with the same categories, else why they do not compare."""
        return other_classes(self, other)

    def _contents(self) -> str:
        return f"{int(np.sum(self.rows)):,} items, {len(self.raters)} raters, {len(self.labels)} categories"


def median_ratings(codes: Array, items: Array) -> int:
    """Return the median number of ratings of the items that have two or more, the upper one of two.

    Parameters
    ----------
    codes : ndarray of shape (n, R)
        Patterns; −1 where a rater has not rated.
    items : ndarray of shape (n,)
        Number of items of each.
    """
    ratings = (codes >= 0).sum(1)
    several = ratings >= FEWEST
    number = np.bincount(ratings[several], items[several] if items[several].any() else None)
    return int(np.searchsorted(np.cumsum(number), number.sum() / 2, side="right")) if number.any() else FEWEST


def possible_patterns(categories: int, raters: int, ratings: int) -> tuple[Array, Array, Array]:
    """Return patterns over which a prior's pseudo-items are spread: half, a quarter and a quarter of them.

    All raters agree on one of the two pseudo-items. The other has two kinds of patterns in equal parts. The first kind
    has a single rater who differs from all others, so that results of single raters vary too. The second kind has pairs
    of raters who agree half of the time (see `pseudo_tuples`).

    Parameters
    ----------
    categories, raters : int
        How many there are.
    ratings : int
        How many raters rate a pseudo-item: others on each, so that each rater differs alone as often as any other.

    Examples
    --------
    >>> alike, alone, halves = possible_patterns(2, 3, 3)
    >>> alike.tolist(), alone.tolist()
    ([[0, 0, 0], [1, 1, 1]], [[1, 0, 0], [0, 1, 1], [0, 1, 0], [1, 0, 1], [0, 0, 1], [1, 1, 0]])
    >>> possible_patterns(2, 4, 2)[0].tolist()
    [[0, 0, -1, -1], [1, 1, -1, -1], [-1, -1, 0, 0], [-1, -1, 1, 1]]
    """
    few = min(categories, MOST_PSEUDO_CATEGORIES)
    chosen = (2 * np.arange(few) + 1) * categories // (2 * few)
    ratings = min(ratings, raters)
    places = (np.arange(raters)[:, None] + np.arange(ratings)) % raters  # of the raters of an item, the first at each

    def by_raters(patterns: Array, some: Array) -> Array:
        found = np.full((len(some), len(patterns), raters), -1)
        np.put_along_axis(found, np.broadcast_to(some[:, None], (*found.shape[:2], ratings)), patterns[None], -1)
        return found.reshape(-1, raters)

    alike = np.repeat(chosen[:, None], ratings, axis=1)
    if categories < 2:
        return (by_raters(alike, places[::ratings]),) * 3
    differing = [np.append(other, alike[0, 1:] * 0 + each) for each in chosen for other in chosen if other != each]
    halves = chosen[pseudo_tuples(len(chosen), ratings - 1)]
    step = ratings * max(1, -(-raters * len(halves) // (ratings * MOST_PSEUDO_CELLS)))
    return (
        by_raters(alike, places[::ratings]),
        by_raters(np.array(differing), places),
        by_raters(halves, places[::step]),
    )

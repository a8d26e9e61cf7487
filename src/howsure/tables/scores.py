"""Table of scores of two classes: distinct score × true class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.known import KnownProbabilities
from howsure.errors import INVALID_ARGUMENT, HowsureError, listed, of_per_cent, real_number, warn
from howsure.tables.cache import LastValueCache
from howsure.tables.cautions import of_bins, of_scores
from howsure.tables.confusion import ConfusionTable
from howsure.tables.kind import Kind
from howsure.tables.labels import disjoint_classes
from howsure.tables.protocols import smallest_block, tables_in_block
from howsure.tables.table import Table, view_identity

PER_CENT, FEW_FRACTIONS = 100.0, 0.05  # scores in per cent; the share of distinct ones between 0 and 1


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ScoresTable(Table):
    """Counts of cases by distinct score and true class, so that ties are exact.

    Parameters
    ----------
    counts : ndarray of shape (..., S, 2)
        Negative and positive cases with each score.
    scores : ndarray of shape (S,)
        Distinct scores, ascending.
    labels : ndarray of shape (2,)
        The negative and the positive class.
    limits : tuple of two float, optional
        Smallest and largest score of all groups, where these are the cases of one; by default those of the table.
    spread : ndarray of shape (S,), optional
        Width of the bins, if an engine counted the scores in bins.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.scores([0, 1, 1], [0.2, 0.4, 0.9])
    <ScoresTable: 3 cases: 1 of class 0, 2 of class 1>
    """

    scores: Array
    limits: tuple[float, float] | None = None
    spread: Array | None = None
    kind: ClassVar[Kind] = Kind(
        noun="table of scores", has_thresholds=True, why_undefined="undefined: one of the classes has no case"
    )
    data_kinds: ClassVar[tuple[str, ...]] = ("scores",)

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.names("labels", self.labels, 2)
        invariants.ascending("scores", self.scores)
        invariants.array("counts", self.counts, (*self.batch, len(self.scores), 2))
        invariants.limits("limits", self.limits)
        if self.spread is not None:
            invariants.numbers("spread", self.spread, self.scores.shape)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences about the design and unusual scores for readers of the numbers."""
        if self.batch or not self.design.traits.has_labels:
            return super().cautions
        binned = () if self.spread is None else of_bins(self.counts, self.spread)
        return (*super().cautions, *of_scores(self.scores, self.rows), *binned)

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        return ("roc_auc", "average_precision")

    def incompatibility(self, other: Table) -> str:
        """Return why two tables of scores cannot be compared: they have no class in common."""
        return disjoint_classes({"first": self, "second": other})

    @property
    def true_class(self) -> Array:
        """Position of the true class of each cell."""
        return np.arange(2 * len(self.scores)) & 1

    def with_all_classes(self, others: Sequence[ScoresTable]) -> ScoresTable:
        """Return a table, of no case, of the scores of this and other tables."""
        parts = [self, *others]
        scores = np.unique(np.concatenate([each.scores for each in parts]))
        ends = np.array([each.ends for each in parts])
        limits = float(ends[:, 0].min()), float(ends[:, 1].max())
        own: dict[str, Any] = {"labels": two_of_scores(parts), "is_ordered": self.is_ordered}
        return ScoresTable(counts=np.zeros((len(scores), 2)), scores=scores, limits=limits, **own)

    def cell_positions(self, whole: ScoresTable) -> Array:
        """Return the flat cell of each score and class in a table that has the scores."""
        return (2 * np.searchsorted(whole.scores, self.scores)[:, None] + np.arange(2)).ravel()

    def with_limits_of(self, whole: ScoresTable) -> ScoresTable:
        """Return the table with the smallest and the largest score of all groups."""
        return replace(self, limits=whole.ends)

    @property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest score, over all groups if the table is one of them."""
        return self.limits or (float(self.scores[0]), float(self.scores[-1]))

    @property
    def block_size(self) -> int:
        """Number of tables to draw at once: a few, or one that has millions of cells."""
        return tables_in_block(self.shape, smallest_block(self.shape))

    def at(self, threshold: float) -> ConfusionTable:
        """Return the confusion table at a threshold: predicted positive when the score is at least it.

        Parameters
        ----------
        threshold : float
            Threshold in the units of the scores; infinity predicts no case positive, minus infinity all of them.

        Raises
        ------
        HowsureError
            If the threshold is not a number, or is outside [0, 1] while all scores are inside.
        """
        threshold = self._checked(threshold)
        return self._thresholds.at(threshold, lambda: self._at(threshold))

    @cached_property
    def _thresholds(self) -> LastValueCache[ConfusionTable]:
        """Cache of the most recent confusion table, because several metrics use one threshold."""
        return LastValueCache()

    @cached_property
    def of_last_curve(self) -> LastValueCache[list[ConfusionTable]]:
        """The confusion tables along the last curve, by the thresholds that it has."""
        return LastValueCache()

    def _at(self, threshold: float) -> ConfusionTable:
        row = int(np.searchsorted(self.scores, threshold))
        exact = KnownProbabilities.of(self.design).known_cells_at(threshold)
        if exact is None:
            sides = slice(row), slice(row, None)  # a sum for each class takes a fifth of the time of one of rows
            each = [[self.counts[..., side, place].sum(-1) for side in sides] for place in range(2)]
            counts = np.moveaxis(np.array(each), (0, 1), (-2, -1))
        else:
            counts = exact * self.counts.sum()
        design = Algebra.of(Algebra.of(self.design).at_threshold(row, len(self.scores))).with_true_classes(
            np.repeat([0, 1], 2)
        )  # no score may lie on one side
        own = {"rows": self.rows, "identity": view_identity(self, threshold), "is_ordered": self.is_ordered}
        return ConfusionTable(counts=counts, labels=self.labels, design=design, **own)

    def _checked(self, threshold: object) -> float:
        if isinstance(threshold, str) and threshold.isalpha():
            raise HowsureError(
                f"`threshold` is {threshold!r}, not a number. For one chosen on the same cases, with intervals that "
                "account for the choice: `hs.optimal_threshold(table, 'youden')`.",
                INVALID_ARGUMENT,
            )
        number = real_number("threshold", threshold)
        if math.isnan(number):
            raise HowsureError(
                f"`threshold` is {threshold!r}, not a number: a case is positive when its score is at least that."
            )
        low, high = self.ends
        if 0 <= low <= high <= 1 and math.isfinite(number) and not 0 <= number <= 1:
            remedy = of_per_cent(number) or (
                " Give a threshold there, or inf to predict no case positive, -inf to predict all so."
            )
            raise HowsureError(f"`threshold` is {number:g}, and all scores lie from 0 to 1.{remedy}")
        if 0 < number < 1 and low < high <= 0:
            logarithm = f"logarithms of probabilities, it seems, of which that of {number:g} is {math.log(number):.4g}."
            warn(f"`threshold` is {number:g}, and the scores run from {low:g} to {high:g}: {logarithm}")
        if 0 < number < 1 and low >= 0 and PER_CENT / 5 <= high <= PER_CENT:
            fractions = np.mean((self.scores > 0) & (self.scores < 1))
            if fractions < FEW_FRACTIONS:
                per_cent = f"In per cent it is {PER_CENT * number:g}."
                warn(f"`threshold` is {number:g}, and the scores run from {low:g} to {high:g}. {per_cent}")
        return number


def two_of_scores(tables: Sequence[Table]) -> Array:
    """Return the negative and positive class of tables of scores, some of which can have a single class.

    A part without negative cases names its negative class "not" the positive one; the name from parts with negative
    cases is used instead.

    Raises
    ------
    HowsureError
        If the classes differ.
    """
    first = next((each for each in tables if each.class_totals[0] > 0), tables[0])
    known = first.labels.tolist()
    for each in tables:
        own = each.labels.tolist()
        if own != known and (own[1] != known[1] or each.class_totals[0] > 0):
            raise HowsureError(
                f"The tables are of different classes: {listed(known)} and {listed(own)}. "
                "Name the positive class of all parts, `pos_label=`."
            )
    return first.labels


def widest_spread(scores: Array, parts: Sequence[tuple[Array, Array | None]]) -> Array | None:
    """Return the largest bin width of the scores among several parts; None if all scores are exact.

    Parameters
    ----------
    scores : ndarray of shape (S,)
        The scores of all parts, ascending.
    parts : sequence of tuple of two ndarray
        The scores of each part, and the width of their bins.
    """
    if all(spread is None for _, spread in parts):
        return None
    widest = np.zeros(len(scores))
    for own, spread in parts:
        if spread is not None:
            np.maximum.at(widest, np.searchsorted(scores, own), spread)
    return widest

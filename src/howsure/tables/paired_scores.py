"""Table of the scores of several models on the same cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.cell_sums import added_up
from howsure.tables.joint import JointTable
from howsure.tables.kind import Kind
from howsure.tables.marginals import Marginal
from howsure.tables.paired import PairedTable
from howsure.tables.prior_tuples import pseudo_tuples
from howsure.tables.protocols import smallest_block, tables_in_block
from howsure.tables.scores import ScoresTable, two_of_scores, widest_spread
from howsure.tables.table import require_table, view_identity
from howsure.tables.union import distinct_and_places, distinct_rows, places_of_rows


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PairedScoresTable(JointTable):
    """Counts of the tuples of several models' scores that occur, by true class.

    Parameters
    ----------
    counts : ndarray of shape (..., M, 2)
        Negative and positive cases with each tuple.
    labels : ndarray of shape (2,)
        The negative and the positive class.
    names : tuple of str
        The models.
    codes : ndarray of shape (M, models)
        The tuples, as positions among each model's distinct scores.
    scores : tuple of ndarray of shape (scores of a model,)
        Each model's distinct scores, ascending.
    limits : tuple of tuple of two float
        Smallest and largest score of each model in all groups, where these are the cases of one; by default those of
        the table.
    spreads : tuple of ndarray of shape (scores of a model,), or None
        Width of the bins of each model's scores, if an engine counted the scores in bins.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.paired_scores([1, 0, 1], {"A": [0.7, 0.2, 0.4], "B": [0.6, 0.5, 0.9]})
    <PairedScoresTable: 3 cases: 1 of class 0, 2 of class 1; models: A, B>
    """

    codes: Array
    scores: tuple[Array, ...]
    limits: tuple[tuple[float, float], ...] = ()
    spreads: tuple[Array | None, ...] = ()
    data_kinds: ClassVar[tuple[str, ...]] = ("scores",)
    kind: ClassVar[Kind] = Kind(
        noun="paired table of scores", why_undefined="undefined: one of the classes has no case"
    )

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.names("labels", self.labels, 2)
        invariants.parts("scores", self.scores, np.ndarray, len(self.names))
        invariants.array("counts", self.counts, (*self.batch, len(self.codes), 2))
        invariants.array("codes", self.codes, (None, len(self.names)), invariants.WHOLE)
        for index, known in enumerate(self.scores):
            invariants.ascending("scores", known)
            invariants.positions("codes", self.codes[:, index], (None,), len(known))
        invariants.parts("limits", self.limits or ((),), tuple, len(self.names) if self.limits else 1)
        for ends in self.limits:
            invariants.limits("limits", ends)
        invariants.parts("spreads", self.spreads or (None,), object, len(self.names) if self.spreads else 1)
        for spread, known in zip(self.spreads, self.scores, strict=False):
            if spread is not None:
                invariants.numbers("spreads", spread, known.shape)

    @property
    def true_class(self) -> Array:
        """Position of the true class of each cell."""
        return np.tile([0, 1], len(self.codes))

    @property
    def block_size(self) -> int:
        """Number of tables to draw at once: a few, or one that has millions of cells."""
        return tables_in_block(self.shape, smallest_block(self.shape))

    def with_all_classes(self, others: Sequence[PairedScoresTable]) -> PairedScoresTable:
        """Return a table, of no case, of the scores and tuples of this and other tables."""
        self.refuse_other_models(others)
        parts = [self, *others]
        scores = tuple(np.unique(np.concatenate(each)) for each in zip(*(part.scores for part in parts), strict=True))
        codes = distinct_rows(*(each.codes_among(scores) for each in parts))
        ends = np.array([each.ends for each in parts])
        limits = tuple(zip(ends[..., 0].min(0).tolist(), ends[..., 1].max(0).tolist(), strict=True))
        return PairedScoresTable(
            counts=np.zeros((len(codes), 2)),
            labels=two_of_scores(parts),
            is_ordered=self.is_ordered,
            names=self.names,
            codes=codes,
            scores=scores,
            limits=limits,
            spreads=tuple(
                widest_spread(known, [(part.scores[at], part.spreads[at] if part.spreads else None) for part in parts])
                for at, known in enumerate(scores)
            ),
        )

    def codes_among(self, scores: tuple[Array, ...]) -> Array:
        """Return the tuples as positions among other scores of each model, which include those of the table."""
        columns = zip(scores, self.scores, self.codes.T, strict=True)
        return np.stack([np.searchsorted(known, own)[code] for known, own, code in columns], 1)

    def cell_positions(self, whole: PairedScoresTable) -> Array:
        """Return the flat cell of each tuple and class in a table that has the tuples."""
        rows = places_of_rows(self.codes_among(whole.scores), whole.codes)
        return (2 * rows[:, None] + np.arange(2)).ravel()

    def with_limits_of(self, whole: PairedScoresTable) -> PairedScoresTable:
        """Return the table with each model's smallest and largest score of all groups."""
        return replace(self, limits=whole.ends)

    @property
    def ends(self) -> tuple[tuple[float, float], ...]:
        """Smallest and largest score of each model, over all groups if the table is one of them."""
        return self.limits or tuple((float(each[0]), float(each[-1])) for each in self.scores)

    def _scores_of(self, name: str) -> ScoresTable:
        return require_table(ScoresTable, self.model(name), "This is no table of scores.")

    def at(self, threshold: float) -> PairedTable:
        """Return the paired table of the predictions at a threshold: positive when the score is at least it.

        Parameters
        ----------
        threshold : float
            Threshold in the units of the scores; the same for all models.

        Raises
        ------
        HowsureError
            If the threshold is not a number, or is outside [0, 1] while all scores are inside.

        Examples
        --------
        >>> import howsure as hs
        >>> table = hs.paired_scores([1, 0, 1], {"A": [0.7, 0.2, 0.4], "B": [0.6, 0.5, 0.9]})
        >>> hs.estimate(table.at(0.5).model("B"), "recall").value
        1.0
        """
        for name in self.models:
            self._scores_of(name).at(threshold)  # refuses a threshold that is none of its scores
        number = float(threshold)
        said = np.stack([each[code] >= number for each, code in zip(self.scores, self.codes.T, strict=True)], 1) * 1
        rows = np.stack([np.column_stack([np.full(len(said), true), said]) for true in range(2)], 1)
        possible = pseudo_tuples(2, len(self.names))
        every = np.vstack([rows.reshape(-1, rows.shape[-1]), possible])
        tuples, place = distinct_and_places(every)
        cell, pseudo = np.split(place, [rows.shape[0] * 2])
        return PairedTable(
            counts=added_up(self.cells, cell, len(tuples)),
            labels=self.labels,
            names=self.names,
            codes=tuples,
            pseudo=np.bincount(pseudo, minlength=len(tuples)) / len(pseudo),
            design=Algebra.of(self.design.collapse_cells(cell, len(tuples))).with_true_classes(tuples[:, 0]),
            rows=self.rows,
            identity=view_identity(self, number),
            is_ordered=self.is_ordered,
        )

    def _view(self, index: int) -> Marginal:
        score = self.scores[index]
        limits = self.limits[index] if self.limits else None
        spread = self.spreads[index] if self.spreads else None
        counts = np.zeros((len(score), 2))
        own: dict[str, Any] = {"labels": self.labels, "is_ordered": self.is_ordered}
        empty = ScoresTable(counts=counts, scores=score, limits=limits, spread=spread, **own)
        return Marginal(empty, 2 * self.codes[:, index, None] + np.arange(2))

"""Tables of scores with one column per class, or per label."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.designs.base import PSEUDO_COUNT, Design
from howsure.designs.clusters import Clusters
from howsure.designs.crossed import Crossed
from howsure.errors import HowsureError, UndefinedDesignError
from howsure.tables.cautions import of_scores
from howsure.tables.kind import Kind
from howsure.tables.labels import other_classes
from howsure.tables.priors import Priors
from howsure.tables.protocols import smallest_block, tables_in_block
from howsure.tables.rankings import Ranking, Rankings
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table, view_identity
from howsure.tables.union import distinct_rows, places_of_rows


@final
@dataclass(frozen=True, slots=True, eq=False)
class OneAgainstRest:
    """Counts of one class against the rest, for each case and column; or slopes by these counts.

    Parameters
    ----------
    present : ndarray of shape (..., n, K)
        Cases with the class.
    any : ndarray of shape (..., n, K) or (..., n, 1)
        Cases with or without the class; one column if that is the same for all.
    """

    present: Array
    any: Array

    def of_any(self, index: int) -> Array:
        """Return the cases with one class or without, ``(..., n)``; a view."""
        return np.asarray(self.any[..., index % self.any.shape[-1]])

    def blank(self) -> OneAgainstRest:
        """Return slopes of zero."""
        return OneAgainstRest(np.zeros(self.present.shape), np.zeros(self.any.shape))


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ScoreMatrixTable(Table, abc.ABC):
    """Scores with one column per class (`MulticlassScoresTable`) or per label (`MultilabelScoresTable`).

    Parameters
    ----------
    counts : ndarray of shape (n, K) or (n, K, 2)
        How often each row of scores occurs with each true class, or without and with each label.
    scores : ndarray of shape (n, K)
        The rows of scores.
    labels : ndarray of shape (K,)
        The classes or labels of the columns.
    rows : int
        Number of cases.
    """

    scores: Array
    kind: ClassVar[Kind] = Kind(
        noun="table of scores with one column per class", why_undefined="undefined: one of the classes has no case"
    )
    data_kinds: ClassVar[tuple[str, ...]] = ("scores",)

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.numbers("scores", self.scores, (None, len(self.labels)), -invariants.LARGEST)
        invariants.array("counts", self.counts, (*self.batch, *self.scores.shape, *(2,) * (self._axes - 2)))

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences about the design and unusual scores for readers of the numbers."""
        return (*super().cautions, *of_scores(np.unique(self.scores), self.rows))

    def with_all_classes(self, others: Sequence[Self]) -> Self:
        """Return a table, of no case, of the distinct rows of scores of this and other tables, in order."""
        for other in others:
            if differing := other_classes(self, other):
                raise HowsureError(differing)
        scores = distinct_rows(self.scores, *(each.scores for each in others))
        counts = np.zeros((len(scores), *self.shape[1:]))
        return type(self)(counts=counts, scores=scores, labels=self.labels, is_ordered=self.is_ordered)

    def cell_positions(self, whole: Self) -> Array:
        """Return the flat cell of each row of scores, and what follows it, in a table that has the rows."""
        each = int(np.prod(self.shape[1:]))
        return (each * places_of_rows(self.scores, whole.scores)[:, None] + np.arange(each)).ravel()

    @property
    def block_size(self) -> int:
        """Number of tables to draw at once: a few, or one that has millions of cells."""
        return tables_in_block(self.shape, smallest_block(self.shape))

    @cached_property
    def rankings(self) -> Rankings:
        """The columns of scores in ascending order, each sorted once for all metrics."""
        return Rankings(self.scores)

    def against_rest(self, label: object) -> ScoresTable:
        """Return the table of scores of one class, or label, against the rest.

        Curves, thresholds and metrics of two classes take it.

        Parameters
        ----------
        label : object
            The class, or its name.

        Raises
        ------
        HowsureError
            If there is no such class, or the design is not defined for one class.

        Examples
        --------
        >>> import howsure as hs
        >>> scores = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]]
        >>> hs.multiclass_scores(["ant", "bee", "cat"], scores).against_rest("cat")
        <ScoresTable: 3 cases: 2 not cat, 1 cat>
        """
        index = self.position(label)
        ranking, whole = self.rankings.column(index), self.sides(self.counts)
        design = self.class_design(index, ranking)
        if design is None:
            raise UndefinedDesignError(type(self.design).__name__, "one class against the rest")
        present = whole.present[..., index]
        cells = [ranking.collected(side) for side in (whole.of_any(index) - present, present)]
        name = str(self.labels[index])
        return ScoresTable(
            counts=np.stack(cells, -1),
            scores=ranking.scores,
            labels=np.array([f"not {name}", name], dtype=object),
            design=design,
            rows=self.rows,
            identity=view_identity(self, [index]),
        )

    @abc.abstractmethod
    def sides(self, cells: Array) -> OneAgainstRest:
        """Return cells as the counts of each score with its class, and with any."""

    @abc.abstractmethod
    def from_sides(self, gradient: OneAgainstRest) -> Array:
        """Return slopes by the counts of `sides` as slopes by the cells."""

    @abc.abstractmethod
    def class_cells(self, index: int, ranking: Ranking) -> Array:
        """Return, for each flat cell, that of the table of one class against the rest, by its ranking; -1 if none."""

    @abc.abstractmethod
    def class_design(self, index: int, ranking: Ranking) -> Design | None:
        """Return the design of one class against the rest, by its ranking; None if it is not defined for it."""


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MulticlassScoresTable(ScoreMatrixTable):
    """Counts of case × true class, for scores with one column per class.

    Parameters
    ----------
    counts : ndarray of shape (n, K)
        How often each row of scores occurs with each true class.
    scores : ndarray of shape (n, K)
        The rows of scores.
    labels : ndarray of shape (K,)
        The classes of the columns.
    rows : int
        Number of cases.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.multiclass_scores([0, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]])
    <MulticlassScoresTable: 3 cases: 1 of class 0, 1 of class 1, 1 of class 2>
    """

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        return ("roc_auc@macro", "roc_auc@macro+multi_class=ovo", "average_precision@macro")

    @property
    def true_class(self) -> Array:
        """Position of the true class of each cell."""
        return np.tile(np.arange(len(self.labels)), len(self.scores))

    def sides(self, cells: Array) -> OneAgainstRest:
        """Return cells as the counts of each score with its class, and with any: all cases, whichever the score."""
        return OneAgainstRest(cells, cells.sum(-1, keepdims=True))

    def from_sides(self, gradient: OneAgainstRest) -> Array:
        """Return slopes by the counts of `sides` as slopes by the cells."""
        return gradient.present + gradient.any

    def class_cells(self, index: int, ranking: Ranking) -> Array:
        """Return the cell of each row's score, without or with the class."""
        return np.ravel(2 * ranking.row[:, None] + (np.arange(len(self.labels)) == index))

    def class_design(self, index: int, ranking: Ranking) -> Design | None:
        """Return the design of one class against the rest; None if it is not defined for it."""
        try:
            return self.design.collapse_cells(self.class_cells(index, ranking), 2 * len(ranking.scores))
        except UndefinedDesignError:
            return None


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MultilabelScoresTable(ScoreMatrixTable):
    """Counts of case × label × truth, for scores with one column per label; each case is a cluster of its labels.

    Parameters
    ----------
    counts : ndarray of shape (n, K, 2)
        How often each row of scores occurs without and with each label.
    scores : ndarray of shape (n, K)
        The rows of scores.
    labels : ndarray of shape (K,)
        The labels of the columns.
    rows : int
        Number of cases.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.multiclass_scores([[0, 1], [1, 1]], [[0.2, 0.9], [0.6, 0.7]])
    <MultilabelScoresTable: 2 cases, 2 labels; design: clusters>
    """

    _axes: ClassVar[int] = 3
    kind: ClassVar[Kind] = replace(
        ScoreMatrixTable.kind, classes_noun="labels", has_one_cell_per_case=False, has_one_label_per_case=False
    )

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        return ("roc_auc@macro", "roc_auc@micro", "average_precision@macro", "average_precision@micro")

    @property
    def priors(self) -> Priors:
        """Pseudo-counts, evenly spread: two for each label in the default prior."""
        return replace(super().priors, total=PSEUDO_COUNT * len(self.labels))

    @property
    def class_totals(self) -> Array:
        """Cases with each label, ``(..., L)``."""
        return np.asarray(self.counts[..., 1].sum(-2))

    @property
    def true_class(self) -> Array:
        """Whether the cell's cases have the label."""
        return np.tile([0, 1], self.scores.size)

    def sides(self, cells: Array) -> OneAgainstRest:
        """Return cells as the counts of each score with its label, and with or without."""
        return OneAgainstRest(cells[..., 1], cells.sum(-1))

    def from_sides(self, gradient: OneAgainstRest) -> Array:
        """Return slopes by the counts of `sides` as slopes by the cells."""
        return np.stack([gradient.any, gradient.present + gradient.any], -1)

    def class_cells(self, index: int, ranking: Ranking) -> Array:
        """Return the cell of each row's score of the label, without or with it; -1 for other labels."""
        case, column, truth = np.unravel_index(np.arange(self.counts.size), self.shape)
        return np.where(column == index, 2 * ranking.row[case] + truth, -1)

    def class_design(self, index: int, ranking: Ranking) -> Design | None:
        """Return the design of one label; None where the cases are not clusters of their labels."""
        if not isinstance(self.design, Clusters | Crossed):
            return None
        cells = self.class_cells(index, ranking)
        return self.design.keep_cells(cells >= 0, cells)

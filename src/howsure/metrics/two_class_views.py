"""Scores of two classes in a table of many: each class against the rest, each pair of classes, all classes pooled.

A view is a table of scores of two classes that is linear in the cells of the whole table. Gradients with respect to its
cells are mapped back to the whole table, so that the variance includes the covariance of the views.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import Design
from howsure.tables.rankings import Ranking
from howsure.tables.score_matrix import OneAgainstRest, ScoreMatrixTable as Table
from howsure.tables.scores import ScoresTable
from howsure.tables.table import view_identity


@dataclass(frozen=True, slots=True, eq=False)
class TwoClassView(ABC):
    """Scores of two classes in a table of many; the parts are those of its kind.

    Parameters
    ----------
    ranking : Ranking
        The scores that are read.
    """

    ranking: Ranking

    @property
    @abstractmethod
    def classes(self) -> list[int]:
        """The classes whose true cases give the view its weight; the first is the class of the scores."""

    @abstractmethod
    def sides(self, whole: OneAgainstRest) -> tuple[Array, Array]:
        """Return the negative and the positive cases of each score that is read, ``(..., m)``."""

    @abstractmethod
    def add(self, negative: Array, positive: Array, total: OneAgainstRest) -> None:
        """Add slopes by the two sides, ``(..., m)``, to those by the whole."""

    def cells(self, whole: OneAgainstRest) -> Array:
        """Return the counts of two classes at each distinct score, ``(..., S, 2)``."""
        sides = np.stack([self.ranking.collected(side) for side in self.sides(whole)])
        return np.moveaxis(sides, 0, -1)  # either class lies together

    def add_slopes(self, by_cell: Array, total: OneAgainstRest) -> None:
        """Add slopes by the view's cells, ``(..., S, 2)``, to those by the whole."""
        negative, positive = (self.ranking.spread(by_cell[..., side]) for side in (0, 1))
        self.add(negative, positive, total)

    def table(self, whole: Table, counts: Array, design: Design) -> ScoresTable:
        """Return the table of scores of two classes, of its counts."""
        label = whole.labels[self.classes[0]]
        names = np.array([f"not {label}", str(label)], dtype=object)
        own = {"rows": whole.rows, "identity": view_identity(whole, self.classes)}
        return ScoresTable(counts=counts, scores=self.ranking.scores, labels=names, design=design, **own)


@final
@dataclass(frozen=True, slots=True, eq=False)
class AgainstRest(TwoClassView):
    """One class against all others."""

    index: int

    @property
    def classes(self) -> list[int]:
        """The class."""
        return [self.index]

    def sides(self, whole: OneAgainstRest) -> tuple[Array, Array]:
        """Return the cases without and with the class."""
        present = whole.present[..., self.index]
        return whole.of_any(self.index) - present, present

    def add(self, negative: Array, positive: Array, total: OneAgainstRest) -> None:
        """Add slopes by the cases without and with the class."""
        total.present[..., self.index] += positive - negative
        total.of_any(self.index)[...] += negative


@final
@dataclass(frozen=True, slots=True, eq=False)
class Pair(TwoClassView):
    """One class against one other, by the scores of the first (Hand and Till 2001)."""

    first: int
    second: int

    @property
    def classes(self) -> list[int]:
        """The two classes."""
        return [self.first, self.second]

    def sides(self, whole: OneAgainstRest) -> tuple[Array, Array]:
        """Return the cases of the second and of the first class."""
        return whole.present[..., self.second], whole.present[..., self.first]

    def add(self, negative: Array, positive: Array, total: OneAgainstRest) -> None:
        """Add slopes by the cases of the second and of the first class."""
        total.present[..., self.second] += negative
        total.present[..., self.first] += positive


@final
@dataclass(frozen=True, slots=True, eq=False)
class Pooled(TwoClassView):
    """All scores of all classes together."""

    number: int

    @property
    def classes(self) -> list[int]:
        """All classes."""
        return list(range(self.number))

    def sides(self, whole: OneAgainstRest) -> tuple[Array, Array]:
        """Return the cases without and with the class of each score."""
        present = whole.present
        absent = whole.any - present
        return absent.reshape(*present.shape[:-2], -1), present.reshape(*present.shape[:-2], -1)

    def add(self, negative: Array, positive: Array, total: OneAgainstRest) -> None:
        """Add slopes by the cases without and with the class of each score."""
        by_score = total.present.shape
        total.present[...] += (positive - negative).reshape(by_score)
        spread = negative.reshape(by_score)
        total.any[...] += spread if total.any.shape == by_score else spread.sum(-1, keepdims=True)

"""Tables of battles between two models at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.tables.joint import JointTable
from howsure.tables.kind import Kind
from howsure.tables.marginals import Marginal
from howsure.tables.union import distinct_rows, in_order, places_of_names, places_of_rows
from howsure.tables.values import WithoutClasses

OUTCOMES = 3  # of each pair: the first wins, the second wins, a tie
ORDER = "Use the same names of models in all parts."


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BattlesTable(WithoutClasses):
    """Counts of battles by pair and outcome, from the perspective of one model.

    Parameters
    ----------
    counts : ndarray of shape (..., 3 pairs)
        Battles that the first of a pair wins, that the second wins, and ties.
    pairs : ndarray of shape (pairs, 2)
        Positions of the two models of each pair.
    names : tuple of str
        The models.
    model : int
        Position of that model.
    labels : ndarray of shape (1,)
        One name for all battles, which have no classes.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.preferences(["A", "A", "B"], ["B", "B", "A"], ["A", "A", "tie"])
    >>> table.model("A")
    <BattlesTable: 3 battles, 2 models, seen from 'A'>
    """

    pairs: Array
    names: tuple[str, ...]
    model: int
    data_kinds: ClassVar[tuple[str, ...]] = ("battles",)

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        _check_pairs("pairs", self.pairs, self.names, self.counts, self.batch)
        invariants.instance("model", self.model, int)
        invariants.number("model", self.model, 0, len(self.names) - 1)

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        return ("win_rate", "bradley_terry")

    @property
    def kind(self) -> Kind:
        """Facts about such a table, with the reason for a missing strength of the model."""
        return Kind("table of battles", why_undefined=self._why_undefined())

    def _why_undefined(self) -> str:
        every = self.cells.reshape(-1, len(self.pairs), OUTCOMES).sum(0)
        first, second = (self.pairs == self.model).T
        won = every[first, 0].sum() + every[second, 1].sum()
        lost = every[first, 1].sum() + every[second, 0].sum()
        name = repr(self.names[self.model])
        if not every[first | second].any():
            return f"undefined: {name} has no battle"
        if not lost and not every[first | second, 2].any():
            return f"undefined: {name} won all its battles, and its strength is infinite"
        if not won and not every[first | second, 2].any():
            return f"undefined: {name} lost all its battles, and its strength is minus infinity"
        return f"undefined: no wins lead both from {name} to the other models and back"

    def _contents(self) -> str:
        seen = f"{len(self.names)} models, seen from {self.names[self.model]!r}"
        return f"{int(np.sum(self.rows)):,} battles, {seen}"


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PreferencesTable(WithoutClasses, JointTable):
    """Counts of battles between two models at a time, by pair and outcome.

    Parameters
    ----------
    counts : ndarray of shape (..., 3 pairs)
        Battles that the first of a pair wins, that the second wins, and ties.
    names : tuple of str
        The models.
    codes : ndarray of shape (pairs, 2)
        Positions of the two models of each pair that met, the first one's being smaller.
    labels : ndarray of shape (1,)
        One name for all battles, which have no classes.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.preferences(["A", "A", "B"], ["B", "B", "A"], ["A", "A", "tie"])
    <PreferencesTable: 3 battles, 2 models>
    """

    codes: Array
    data_kinds: ClassVar[tuple[str, ...]] = ("battles",)
    kind: ClassVar[Kind] = Kind(noun="table of preferences")

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        _check_pairs("codes", self.codes, self.names, self.counts, self.batch)

    def with_all_classes(self, others: Sequence[PreferencesTable]) -> PreferencesTable:
        """Return a table, of no battle, of the models and pairs of this and other tables."""
        parts = [self, *others]
        names = tuple(in_order([each.names for each in parts], "models", ORDER))
        codes = distinct_rows(*(np.sort(each.codes_among(names), axis=1) for each in parts))
        return PreferencesTable(counts=np.zeros(OUTCOMES * len(codes)), names=names, codes=codes, rows=0)

    def codes_among(self, names: tuple[str, ...]) -> Array:
        """Return the pairs as positions among other names, which include those of the table."""
        return places_of_names(self.names, names)[self.codes]

    def cell_positions(self, whole: PreferencesTable) -> Array:
        """Return the position of each cell in a table that has its pair; where the models' order turns, wins do."""
        codes = self.codes_among(whole.names)
        turned = codes[:, 0] > codes[:, 1]
        outcome = np.where(turned[:, None], [1, 0, 2], [0, 1, 2])
        rows = places_of_rows(np.sort(codes, axis=1), whole.codes)
        return np.asarray((OUTCOMES * rows[:, None] + outcome).ravel())

    def _view(self, index: int) -> Marginal:
        size = self.shape[-1]
        empty = BattlesTable(counts=np.zeros(size), pairs=self.codes, names=self.names, model=index, rows=0)
        return Marginal(empty, np.arange(size))

    def _contents(self) -> str:
        return f"{int(np.sum(self.rows)):,} battles, {len(self.names)} models"


def _check_pairs(name: str, pairs: Array, models: tuple[str, ...], counts: Array, batch: tuple[int, ...]) -> None:
    """Check the positions of two models in each pair, and that each pair has a count of each outcome."""
    invariants.texts("names", models)
    invariants.positions(name, pairs, (None, 2), len(models))
    if not (pairs[:, 0] < pairs[:, 1]).all():
        invariants.refuse(f"`{name}` must have two different models in each pair, in order.")
    invariants.array("counts", counts, (*batch, OUTCOMES * len(pairs)))

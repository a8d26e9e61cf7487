"""Table of numbers of several models on the same cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.tables.joint import JointTable
from howsure.tables.kind import Kind
from howsure.tables.marginals import Marginal
from howsure.tables.prior_tuples import pseudo_tuples
from howsure.tables.priors import Priors
from howsure.tables.protocols import cell_positions, span
from howsure.tables.table import Table
from howsure.tables.union import distinct_rows, places_of_rows, shares_of_rows
from howsure.tables.values import WithoutClasses


def extremes(own: Sequence[Table]) -> Array:
    """Return the tuples of each model's cells, such as its smallest and largest value, that receive the prior.

    The possible cells of each model are in order. The first cell is paired with the first and the last of another
    model, the second with the second and the last but one, and so on.
    """
    places = [each.priors.ordered_cells for each in own]
    most = max(map(len, places))
    even = [each[np.linspace(0, len(each) - 1, most).round().astype(np.intp)] for each in places]
    pattern = pseudo_tuples(2, len(own))[:, 1:].T
    ends = (np.stack([[each[at], each[-1 - at]] for each in even]) for at in range((most + 1) // 2))
    return np.concatenate([np.take_along_axis(each, pattern, 1).T for each in ends])


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PairedValuesTable(WithoutClasses, JointTable):
    """Counts of the tuples of several models' values or trials, or several sets of raters' ratings, of the same cases.

    Parameters
    ----------
    counts : ndarray of shape (..., M)
        Cases with each tuple.
    names : tuple of str
        The models.
    codes : ndarray of shape (M, models)
        The tuples, as cells of each model's own table.
    own : tuple of Table
        A table of each model's cells, whatever its counts.
    pseudo : ndarray of shape (M,)
        Distribution of a prior's mass over the tuples; sums to 1.
    labels : ndarray of shape (1,)
        One name for all cases, which have no classes.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.values({"A": [0.2, 0.9, 0.9], "B": [0.1, 0.8, 0.9]})
    <PairedValuesTable: 3 cases, 2 models>
    """

    own: tuple[Table, ...]
    codes: Array
    pseudo: Array

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.parts("own", self.own, Table, len(self.names))
        invariants.array("codes", self.codes, (*self.shape, len(self.names)), invariants.WHOLE)
        for index, own in enumerate(self.own):
            if len(own.shape) != 1 or type(own) is not type(self.own[0]) or isinstance(own, JointTable):
                invariants.refuse("`own` must be tables of one kind.")
            invariants.positions("codes", self.codes[:, index], (None,), *own.shape)
        invariants.numbers("pseudo", self.pseudo, self.shape)

    @property
    def data_kinds(self) -> tuple[str, ...]:  # type: ignore[override]  # what the models' tables do
        """Kinds of data of each model that metrics can use."""
        return self.own[0].data_kinds

    @property
    def kind(self) -> Kind:
        """Facts about the models' tables."""
        own = self.own[0].kind
        return Kind(
            f"paired {own.noun}", has_values="values" in self.data_kinds, has_sample_variance=own.has_sample_variance
        )

    @property
    def priors(self) -> Priors:
        """Pseudo-counts of tuples of extreme values; none in the default prior where values have no bounds."""
        return Priors(self.pseudo, total=float(self.own[0].priors.default.sum()))

    def with_all_classes(self, others: Sequence[PairedValuesTable]) -> PairedValuesTable:
        """Return a table, of no case, of the values and tuples of this and other tables."""
        self.refuse_other_models(others)
        parts = [self, *others]
        own = tuple(span(first, more) for first, *more in zip(*(each.own for each in parts), strict=True))
        possible = extremes(own)
        codes = distinct_rows(possible, *(each.codes_among(own) for each in parts))
        pseudo = shares_of_rows(possible, codes)
        return PairedValuesTable(
            counts=np.zeros(len(codes)), names=self.names, codes=codes, own=own, pseudo=pseudo, rows=0
        )

    def codes_among(self, own: tuple[Table, ...]) -> Array:
        """Return the tuples as cells of other tables of the models, which include their own cells."""
        columns = zip(self.own, own, self.codes.T, strict=True)
        return np.stack([cell_positions(known, whole)[code] for known, whole, code in columns], 1)

    def cell_positions(self, whole: PairedValuesTable) -> Array:
        """Return the position of each tuple in a table that has it."""
        return places_of_rows(self.codes_among(whole.own), whole.codes)

    def _view(self, index: int) -> Marginal:
        return Marginal(self.own[index], self.codes[:, index])

    def _contents(self) -> str:
        return f"{int(np.sum(self.rows)):,} cases, {len(self.names)} models"

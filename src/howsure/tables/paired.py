"""Table of the predictions of several models on the same cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import safe_divide
from howsure.designs.cell_sums import added_up
from howsure.tables.confusion import ConfusionTable
from howsure.tables.joint import JointTable
from howsure.tables.kind import Kind
from howsure.tables.labels import union_of_labels
from howsure.tables.marginals import Marginal
from howsure.tables.pairwise_tables import each_added_up, merged_pairs, triples
from howsure.tables.prior_tuples import pseudo_tuples
from howsure.tables.priors import Priors
from howsure.tables.protocols import BLOCK_CELLS, LONG_TABLE
from howsure.tables.union import distinct_rows, places_of_names, places_of_rows, shares_of_rows

FEW_TRIPLES = 2**10  # number of triples of labels up to which joint tables of pairs of models use all triples


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PairedTable(JointTable):
    """Counts of the tuples of true label and the models' predictions that occur.

    Parameters
    ----------
    counts : ndarray of shape (..., M)
        Cases with each tuple.
    labels : ndarray of shape (K,)
        The classes.
    names : tuple of str
        The models.
    codes : ndarray of shape (M, 1 + models)
        The tuples, as positions among the labels.
    pseudo : ndarray of shape (M,)
        Distribution of a prior's mass over the tuples; sums to 1.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.paired([1, 0, 1], {"A": [1, 0, 0], "B": [1, 1, 1]})
    <PairedTable: 3 cases: 1 of class 0, 2 of class 1; models: A, B>
    """

    codes: Array
    pseudo: Array
    _axes: ClassVar[int] = 1
    kind: ClassVar[Kind] = Kind(noun="paired table")

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        cells = self.shape
        invariants.positions("codes", self.codes, (*cells, 1 + len(self.names)), len(self.labels))
        invariants.numbers("pseudo", self.pseudo, cells)

    @property
    def true_class(self) -> Array:
        """Position of the true class of each cell."""
        return np.asarray(self.codes[:, 0])

    @property
    def priors(self) -> Priors:
        """Pseudo-counts of tuples of predictions; users give one number, for each cell of each model's own table."""
        cells = len(self.labels) ** 2
        return Priors(
            self.pseudo,
            occurring=self._shares_of_occurring,
            given_shape=(),
            spread=lambda given: self.pseudo * given * cells,
        )

    def _shares_of_occurring(self) -> Array:
        """Return the distribution over tuples of classes with true cases."""
        occurs = self.class_totals > 0
        shares = self.pseudo * occurs[..., self.codes].all(-1)
        total = shares.sum(-1, keepdims=True)
        return np.where(occurs.sum(-1, keepdims=True) > 1, safe_divide(shares, total), self.pseudo)

    @property
    def block_size(self) -> int:
        """Number of tables to draw at once; each model's own table must fit in memory too."""
        cells = max(self.codes.shape[0], len(self.labels) ** 2)
        return int(max(min(32, max(1, LONG_TABLE // cells)), BLOCK_CELLS // cells))

    def pair(self, first: str, second: str) -> PairedTable:
        """Return the joint table of two of the models.

        Parameters
        ----------
        first, second : str
            Names of the models.
        """
        columns = [0, *(self.models.index(name) + 1 for name in (first, second))]
        if len(self.names) == 2:
            return self
        chosen, size = self.codes[:, columns], len(self.labels)
        flat = (chosen[:, 0] * size + chosen[:, 1]) * size + chosen[:, 2]
        _, first_of, cell = np.unique(flat, return_index=True, return_inverse=True)
        joint = self.design.collapse_cells(cell, len(first_of))
        counts = added_up(self.counts, cell, len(first_of))
        pseudo = np.bincount(cell, self.pseudo, len(first_of))
        return replace(self, counts=counts, names=(first, second), codes=chosen[first_of], pseudo=pseudo, design=joint)

    def batches_of_pairs(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[Array, PairedTable]]:
        """Yield batches of pairs over all triples of labels if these are few; see the base class."""
        size = len(self.labels)
        if size**3 > FEW_TRIPLES or self.batch or not self.design.supports(Algebra.collapse_cells_per_table):
            return
        columns = np.array([[self.names.index(name) for name in pair] for pair in pairs])
        for places, cells, shares in merged_pairs(self.codes, columns, size, self.pseudo):
            yield (
                places,
                replace(
                    self,
                    counts=each_added_up(self.counts, cells, size**3),
                    names=("first", "second"),
                    codes=triples(size),
                    pseudo=shares,
                    design=Algebra.of(self.design).collapse_cells_per_table(cells, size**3),
                ),
            )

    def with_all_classes(self, others: Sequence[PairedTable]) -> PairedTable:
        """Return a table, of no case, of the classes and tuples of this and other tables."""
        self.refuse_other_models(others)
        labels = union_of_labels([self, *others])
        possible = pseudo_tuples(len(labels), len(self.names))
        codes = distinct_rows(possible, *(each.codes_among(labels) for each in (self, *others)))
        shares = shares_of_rows(possible, codes)
        own: dict[str, Any] = {"labels": labels, "is_ordered": all(each.is_ordered for each in (self, *others))}
        return PairedTable(counts=np.zeros(len(codes)), names=self.names, codes=codes, pseudo=shares, **own)

    def codes_among(self, labels: Array) -> Array:
        """Return the tuples as positions among other labels, which include those of the table."""
        return places_of_names(self.labels.tolist(), labels.tolist())[self.codes]

    def cell_positions(self, whole: PairedTable) -> Array:
        """Return the position of each tuple in a table that has it."""
        return places_of_rows(self.codes_among(whole.labels), whole.codes)

    def _view(self, index: int) -> Marginal:
        size = len(self.labels)
        empty = ConfusionTable(counts=np.zeros((size, size)), labels=self.labels, is_ordered=self.is_ordered)
        return Marginal(empty, self.codes[:, 0] * size + self.codes[:, index + 1])

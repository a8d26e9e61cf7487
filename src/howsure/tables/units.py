"""Tables of several models on the same units, with separate counts because cases cannot be matched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.tables.joint import JointTable
from howsure.tables.kind import Kind
from howsure.tables.marginals import SharedPart
from howsure.tables.priors import Priors
from howsure.tables.protocols import cell_positions, span, unit_weights
from howsure.tables.table import Table


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PairedUnitsTable(JointTable):
    """Counts of several models on the same units; the counts of all models in one unit are correlated.

    Parameters
    ----------
    counts : ndarray of shape (M,)
        The cells of all models' tables.
    labels : ndarray of shape (K,)
        The classes.
    names : tuple of str
        The models.
    own : tuple of EventsTable or of ConfusionTable
        A table of each model's cells, whatever its counts, with its number of units or cases.
    design : Clusters
        Each unit, or each group of units, is a cluster.
    rows : int
        Number of units, or of cases of all models.

    Examples
    --------
    >>> import howsure as hs
    >>> images = [1, 2, 1, 2]
    >>> hs.events([8, 5, 7, 6], [1, 0, 0, 1], [2, 3, 3, 2], unit=images, model=["A", "A", "B", "B"])
    <PairedUnitsTable: 2 models of <EventsTable: 2 units, 1 class; design: clusters>>
    """

    own: tuple[Table, ...]
    _axes: ClassVar[int] = 1

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.parts("own", self.own, Table, len(self.names))
        invariants.array("counts", self.counts, (*self.batch, sum(int(np.prod(each.shape)) for each in self.own)))

    @property
    def data_kinds(self) -> tuple[str, ...]:  # type: ignore[override]  # what the models' tables do
        """Kinds of data of each model that metrics can use."""
        return self.own[0].data_kinds

    @property
    def kind(self) -> Kind:
        """Facts about the models' tables."""
        return Kind(f"paired {self.own[0].kind.noun}", has_one_cell_per_case=False)

    @property
    def true_class(self) -> Array:
        """Position of the true class of each cell."""
        return np.concatenate([each.true_class for each in self.own])

    @cached_property
    def priors(self) -> Priors:
        """Pseudo-counts in each model's own way; none in the default prior: the joint counts of a unit are unknown."""
        own = [view.table(self).priors.shares.ravel() for view in self._views]
        return Priors(np.concatenate(own) / len(own), total=0.0)

    def unit_weights(self, cells: Array) -> Array | None:
        """Return the weight of each unit, from its cells."""
        return unit_weights(self.own[0], self._views[0].counts(cells).cells)

    def with_all_classes(self, others: Sequence[PairedUnitsTable]) -> PairedUnitsTable:
        """Return a table, of no unit, of the classes of this and other tables of the same models."""
        self.refuse_other_models(others)
        columns = zip(self.own, *(each.own for each in others), strict=True)
        own = tuple(
            replace(span(first, more), rows=first.rows + sum(each.rows for each in more)) for first, *more in columns
        )
        counts = np.zeros(sum(each.counts.size for each in own))
        return PairedUnitsTable(counts=counts, labels=own[0].labels, names=self.names, own=own, rows=0)

    def cell_positions(self, whole: PairedUnitsTable) -> Array:
        """Return the position of each cell in a table that has its class."""
        own = zip(self.own, whole.own, whole.starts, strict=True)
        return np.concatenate([start + cell_positions(mine, theirs) for mine, theirs, start in own])

    @property
    def starts(self) -> list[int]:
        """Start of each model's cells."""
        sizes = [int(np.prod(each.shape)) for each in self.own]
        return [sum(sizes[:index]) for index in range(len(sizes))]

    def _view(self, index: int) -> SharedPart:
        return SharedPart(self.own[index], self.starts[index])

    def __repr__(self) -> str:
        return f"<PairedUnitsTable: {len(self.names)} models of {self._views[0].table(self)!r}>"

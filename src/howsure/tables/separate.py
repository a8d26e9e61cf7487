"""Independent tables combined into one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.designs.separate import Separate
from howsure.tables.kind import Kind
from howsure.tables.marginals import Part
from howsure.tables.priors import Priors
from howsure.tables.table import Table


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SeparateTables(Table):
    """Independent tables as one table, with concatenated cells.

    Parameters
    ----------
    counts : ndarray of shape (..., cells)
        The cells of all tables.
    tables : tuple of Table
        The tables.
    """

    tables: tuple[Table, ...]
    _axes: ClassVar[int] = 1

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.parts("tables", self.tables, Table)
        invariants.array("counts", self.counts, (*self.batch, sum(int(np.prod(each.shape)) for each in self.tables)))

    @classmethod
    def of(cls, tables: tuple[Table, ...]) -> SeparateTables:
        """Return independent tables as one."""
        sizes = tuple(int(np.prod(each.shape)) for each in tables)
        counts = np.concatenate([each.cells.astype(float) for each in tables], -1)
        design = Separate(tuple(each.design for each in tables), sizes)
        labels = np.array([str(index) for index in range(len(tables))])
        rows = sum(each.rows for each in tables)
        return cls(counts=counts, labels=labels, design=design, rows=rows, tables=tables)

    @property
    def kind(self) -> Kind:
        """Facts about such a pair; it has values, or a sample variance, if both tables do."""
        own = [each.kind for each in self.tables]
        return Kind(
            "pair of separate tables",
            has_one_cell_per_case=False,
            has_values=all(each.has_values for each in own),
            has_sample_variance=all(each.has_sample_variance for each in own),
        )

    @property
    def true_class(self) -> Array:
        """Position of the true class of each cell in its table."""
        return np.concatenate([each.true_class for each in self.tables])

    @property
    def are_of_one_size(self) -> bool:
        """Whether all tables have as many cases of each true class, as tables of the same cases have."""
        first, *others = (np.bincount(each.true_class, each.cells.ravel()) for each in self.tables)
        return all(np.array_equal(first, each) for each in others)

    @property
    def priors(self) -> Priors:
        """Pseudo-counts of each table's own; the shares sum to 1 for each of the tables."""
        own = [each.priors for each in self.tables]

        def draws(size: int, rng: np.random.Generator) -> Array:
            drawn = [each.drawn(size, rng) for each in own]
            return np.concatenate([np.broadcast_to(each, (size, each.shape[-1])) for each in drawn], -1)

        return Priors(
            np.concatenate([each.shares.ravel() for each in own]),
            mean=np.concatenate([each.default.ravel() for each in own]),
            draws=draws,
            occurring=self._shares_of_occurring,
        )

    def _shares_of_occurring(self) -> Array:
        """Return the distribution for an average over classes, in each table's own way."""
        tables = [view.table(self) for view in self.views]
        shape = [(*self.batch, *each.shape) for each in tables]
        own = [np.broadcast_to(each.priors.of_occurring, size) for each, size in zip(tables, shape, strict=True)]
        return np.concatenate([each.reshape(*self.batch, -1) for each in own], -1)

    @cached_property
    def views(self) -> tuple[Part, ...]:
        """Views of the tables."""
        starts = np.cumsum([0, *(int(np.prod(each.shape)) for each in self.tables)])
        return tuple(Part(each, int(start)) for each, start in zip(self.tables, starts[:-1], strict=True))

"""Views: linear maps from a joint table to the table of one model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final
from zlib import crc32

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs.algebra import Algebra
from howsure.designs.clustering import Clustering
from howsure.tables.counts import Counts
from howsure.tables.table import Table, view_identity

DENSE = 2**14  # entries of the matrix that adds up joint cells, up to which it is dense
PIECE = 2**18  # multiplications, up to which NumPy's library for matrices does not wake other threads


@final
@dataclass(frozen=True, eq=False)
class Marginal:
    """One model of a joint table of the same cases: joint cell c falls in the model's cell ``cells[c]``.

    Parameters
    ----------
    empty : Table
        A table of the model's cells, whatever its counts.
    cells : ndarray of the shape of the joint cells
        The model's flat cell of each joint cell.
    """

    empty: Table
    cells: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the model's cells."""
        return self.empty.shape

    def counts(self, cells: Array) -> Counts:
        """Add up the joint cells of each of the model's cells."""
        size, joint = self.empty.counts.size, self.cells.size
        leading = cells.shape[: cells.ndim - self.cells.ndim]
        if not leading:
            return self.empty.make_counts(np.bincount(self.cells.ravel(), cells.ravel(), size))
        flat = cells.reshape(-1, joint)
        added = _product(flat, self._adding) if size * joint <= DENSE else (self._adding @ flat.T).T
        return self.empty.make_counts(np.asarray(added).reshape(*leading, size))

    @cached_property
    def _adding(self) -> Any:
        """The matrix that adds up joint cells: dense, ``(joint, size)``, or sparse, ``(size, joint)``."""
        size, joint = self.empty.counts.size, self.cells.size
        if size * joint <= DENSE:
            return (self.cells.reshape(-1, 1) == np.arange(size)).astype(float)
        from scipy import sparse

        return sparse.csr_array((np.ones(joint), (self.cells.ravel(), np.arange(joint))), (size, joint))

    def table(self, joint: Table) -> Table:
        """Return the model's table, with its design."""
        design = Algebra.of(joint.design.collapse_cells(self.cells.ravel(), self.empty.counts.size)).with_true_classes(
            self.empty.true_class
        )
        own = {"rows": joint.rows, "identity": view_identity(joint, crc32(self.cells.tobytes()))}
        return replace(self.empty, counts=self.counts(joint.counts).cells, design=design, **own)

    def pulled_back(self, gradient: Array, size: int) -> Array:
        """Return a derivative by the model's cells as one by the joint cells, ``(..., size)``."""
        leading = gradient.shape[: gradient.ndim - len(self.empty.shape)]
        return np.take(gradient.reshape(*leading, -1), self.cells.ravel(), axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One of several independent tables with concatenated cells."""

    own: Table
    start: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the table's cells."""
        return self.own.shape

    @property
    def cells(self) -> slice:
        """Slice of the table's cells."""
        return slice(self.start, self.start + int(np.prod(self.own.shape)))

    def counts(self, cells: Array) -> Counts:
        """Take the table's cells."""
        return self.own.make_counts(cells[..., self.cells])

    def table(self, joint: Table) -> Table:
        """Return the table, with the counts that it has in the joint one."""
        return replace(self.own, counts=self.counts(joint.counts).cells)

    def pulled_back(self, gradient: Array, size: int) -> Array:
        """Return a derivative by the table's cells as one by all cells, ``(..., size)``."""
        leading = gradient.shape[: gradient.ndim - len(self.own.shape)]
        every = np.zeros((*leading, size))
        every[..., self.cells] = gradient.reshape(*leading, -1)
        return every


@final
@dataclass(frozen=True, slots=True, eq=False)
class SharedPart(Part):
    """One of several tables of the same units with concatenated cells."""

    def table(self, joint: Table) -> Table:
        """Return the model's table, with the joint design restricted to its cells."""
        counts = self.counts(joint.counts).cells
        place = np.arange(joint.counts.size) - self.start
        design = Clustering.of(joint.design).keep_cells((place >= 0) & (place < counts.size), place)
        return replace(self.own, counts=counts, design=design, identity=view_identity(joint, self.start))


def _product(tables: Array, matrix: Array) -> Array:
    """Return the product with a small matrix in one thread; other threads would use processor time for waiting."""
    step = max(1, PIECE // matrix.size)
    found = np.empty((len(tables), matrix.shape[1]))
    for start in range(0, len(tables), step):
        np.matmul(tables[start : start + step], matrix, out=found[start : start + step])
    return found

"""Confusion tables with collapsed cells: draws of the sums that metrics use, without single cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count, takewhile
from typing import Any, ClassVar, final
from zlib import crc32

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs.cell_sums import added_up
from howsure.tables.counts import ROUNDING, ClassCounts, Outcomes
from howsure.tables.kind import Kind
from howsure.tables.priors import Priors
from howsure.tables.protocols import BLOCK_CELLS, SMALLEST_BLOCK
from howsure.tables.table import Table, view_identity

Rounds = list[tuple[Array, Array]]
REMEMBERED = 8  # numbers of classes
MOST_PRODUCTS = 2**17  # products of cells and groups up to which sums are a matrix product, in a third of the time
MARGINS = 8  # factor between the entries and the cells that are in memory at once


@final
@dataclass(frozen=True, eq=False)
class CollapsedCells:
    """Groups of the cells of a square table. Each group is represented by one of its cells.

    A metric of the sums of the groups has the same value for the table in which that cell contains all cases of the
    group.

    Parameters
    ----------
    codes : ndarray of shape (cells,)
        The group of each cell, 0 … B−1.
    classes : int
        Number of classes.
    """

    codes: Array
    classes: int

    @cached_property
    def places(self) -> tuple[Array, Array]:
        """True and predicted class of the cell that represents each group."""
        backwards = _from_last_diagonal(self.classes)
        first = np.empty(int(self.codes.max()) + 1, dtype=np.intp)
        first[self.codes[backwards]] = backwards  # the last one written is the first one in order
        true, predicted = np.divmod(first, self.classes)
        return true, predicted

    @property
    def size(self) -> int:
        """Number of groups."""
        return len(self.places[0])

    def added(self, values: Array) -> Array:
        """Return the sums of finite values by cell, ``(cells,)``, over each group, ``(B,)``."""
        few = self.size * len(self.codes) <= MOST_PRODUCTS
        return np.asarray(self._members @ values) if few else added_up(values, self.codes, self.size)

    @cached_property
    def _members(self) -> Array:
        """Whether each group has each cell, ``(B, cells)``, as numbers."""
        return np.asarray((self.codes == np.arange(self.size)[:, None]) * 1.0)

    @cached_property
    def diagonal(self) -> Rounds:
        """Class and group of the right predictions."""
        rows, columns = self.places
        return rounds(rows, rows == columns)

    @cached_property
    def off_diagonal(self) -> tuple[Rounds, Rounds]:
        """Class and group of the wrong predictions: by true class, and by predicted class."""
        rows, columns = self.places
        return rounds(rows, rows != columns), rounds(columns, rows != columns)


@lru_cache(REMEMBERED)
def _from_last_diagonal(classes: int) -> Array:
    """Return the cells of a square table by diagonals, backwards, so that few of the last cells share a column."""
    steps, rows = np.divmod(np.arange(classes**2)[::-1], classes)
    return np.asarray(classes * rows + (rows + steps) % classes)


def rounds(targets: Array, chosen: Array) -> Rounds:
    """Return the additions as pairs of targets and sources; no target occurs twice in a pair.

    Examples
    --------
    >>> [(to.tolist(), source.tolist()) for to, source in rounds(np.array([0, 1, 0]), np.array([True, True, True]))]
    [([0, 1], [0, 1]), ([0], [2])]
    """
    sources = np.flatnonzero(chosen)
    sources = sources[np.argsort(targets[sources], kind="stable")]
    own = targets[sources]
    rank = np.arange(len(own)) - np.searchsorted(own, own)
    every = ((own[rank == turn], sources[rank == turn]) for turn in count())
    return list(takewhile(lambda pair: len(pair[0]), every))


@final
class CollapsedCounts(ClassCounts):
    """Counts of groups of cells, ``(..., B)``, with margins as if each group were in its representing cell."""

    has_few_cells: ClassVar[bool] = True

    def __init__(self, cells: Array, partition: CollapsedCells) -> None:
        super().__init__(cells)
        self.partition = partition

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.cells, self.partition)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.partition.classes

    @cached_property
    def hits(self) -> Array:
        """Right predictions of each class, ``(..., K)``."""
        return self._sums(self.partition.diagonal)

    @cached_property
    def rows(self) -> Array:
        """Cases of each true class, ``(..., K)``."""
        return np.asarray(self.hits + self._sums(self.partition.off_diagonal[0]))

    @cached_property
    def columns(self) -> Array:
        """Cases predicted as each class, ``(..., K)``."""
        return np.asarray(self.hits + self._sums(self.partition.off_diagonal[1]))

    def _sums(self, parts: Rounds) -> Array:
        cells = np.moveaxis(self.cells, -1, 0)  # draws of one group are contiguous
        sums = np.zeros((self.classes, *cells.shape[1:]))
        for targets, sources in parts:
            sums[targets] += cells[sources]
        return np.moveaxis(sums, 0, -1)

    def _outcomes(self, index: int | None) -> Outcomes:
        if index is not None:
            rows, columns = self.partition.places
            true, said = rows == index, columns == index
            marks = true & said, true & ~said, ~true & said, ~true & ~said
            tp, fn, fp, tn = (self._sum_of(np.flatnonzero(each)) for each in marks)
            return tp, fn, fp, tn
        fn, fp = (self._sums(each) for each in self.partition.off_diagonal)
        total = self.cells.sum(-1)[..., None]
        tn = total - self.hits - fn - fp
        tn[np.abs(tn) <= ROUNDING * self.classes * total] = 0.0
        return self.hits, fn, fp, tn

    def _sum_of(self, groups: Array) -> Array:
        return self.cells[..., groups[0]] if len(groups) == 1 else self.cells[..., groups].sum(-1)

    def by_cell(self, gradient: Array) -> Array:
        """Turn derivatives by (tp, fn, fp, tn) of each class, ``(4, ..., K)``, into derivatives by each group."""
        (tp, fn, fp, tn), (rows, columns) = gradient, self.partition.places
        every = tn.sum(-1)[..., None]
        wrong = every + (fn - tn)[..., rows] + (fp - tn)[..., columns]
        return np.asarray(np.where(rows == columns, every + (tp - tn)[..., rows], wrong))

    def by_cell_of(self, gradient: Array, where: Any) -> Array:
        """Return `by_cell` of derivatives, ``(4, ...)``, of the classes at ``where`` only."""
        if np.size(where) > 1 or isinstance(where, slice):
            return super().by_cell_of(gradient, where)
        true, said = (place == where for place in self.partition.places)
        outcome = np.where(true, np.where(said, 0, 1), np.where(said, 2, 3))
        return np.moveaxis(gradient[outcome], 0, -1)

    def at(self, form: Array) -> Array:
        """Return the coefficient of a linear form of the cells, ``(K, K)``, for each group."""
        return np.asarray(form[self.partition.places])


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CollapsedTable(Table):
    """Confusion table with collapsed cells; draws of its sums have the same distribution as for the whole table.

    Parameters
    ----------
    whole : ConfusionTable
        The table.
    partition : CollapsedCells
        Partition of its cells.
    """

    whole: Table = field()
    partition: CollapsedCells = field()
    _axes: ClassVar[int] = 1
    kind: ClassVar[Kind] = Kind(has_rows=True)

    @property
    def true_class(self) -> Array:
        """Position of the true class of the cell that represents each group."""
        return self.partition.places[0]

    @cached_property
    def counted(self) -> CollapsedCounts:
        """The counts as metrics take them."""
        return self.make_counts(self.counts)

    def make_counts(self, cells: Array) -> CollapsedCounts:
        """Return other tables over the same groups, ``(..., B)``, as metrics take them."""
        return CollapsedCounts(cells, self.partition)

    def added(self, cells: Array) -> Array:
        """Return the sums of the groups, ``(..., B)``, of values by the whole table's cells in their shape."""
        return self.partition.added(np.ravel(cells))

    @cached_property
    def priors(self) -> Priors:
        """Pseudo-counts of the whole table, summed by group."""
        whole = self.whole.priors
        cells = whole.cells
        return Priors(
            self.added(whole.shares),
            mean=self.added(whole.default),
            cells=None if cells is None else lambda size, rng: self.partition.codes[cells(size, rng)],
            occurring=lambda: self.added(whole.of_occurring),
            given_shape=whole.shape,
            spread=lambda given: self.added(whole.by_cell(given)),
        )

    @property
    def half_hits(self) -> Array:
        """Those of the whole table, added up."""
        return self.added(self.whole.half_hits)  # type: ignore[attr-defined]  # a confusion table

    @property
    def block_size(self) -> int:
        """Number of tables to draw at once: they fit in the processor's cache, and their margins in a shared one."""
        few = min(BLOCK_CELLS // self.partition.size, MARGINS * BLOCK_CELLS // self.partition.classes)
        return max(SMALLEST_BLOCK, few)


def collapsed_table(whole: Table, codes: Array) -> CollapsedTable:
    """Return a confusion table after collapsing the cells with the same code.

    Parameters
    ----------
    whole : ConfusionTable
        The table.
    codes : ndarray of shape (cells,)
        The group of each cell, 0 … B−1.

    Raises
    ------
    UndefinedDesignError
        If the design is not defined for the merged table.
    """
    partition = CollapsedCells(codes, len(whole.labels))
    short = codes.astype(np.min_scalar_type(partition.size))
    return CollapsedTable(
        counts=partition.added(whole.cells),
        labels=whole.labels,
        design=whole.design.collapse_cells(codes, partition.size),
        rows=whole.rows,
        identity=view_identity(whole, crc32(short.tobytes())),
        whole=whole,
        partition=partition,
    )

"""Counts, with any leading axes: the part of a table that a metric can use."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, ClassVar, Protocol, Self, TypeVar, final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.native.outcomes import MOST_CLASSES, margins, outcomes, summed

Outcomes = tuple[Array, Array, Array, Array]
Found = TypeVar("Found")
ROUNDING = 4e-16  # rounding error of a difference, relative to all cases, for each class


class View(Protocol):
    """Linear map from joint cells to the counts of one model."""

    def counts(self, cells: Array) -> Counts:
        """Return the model's counts from joint cells, with any leading axes."""

    def pulled_back(self, gradient: Array, size: int) -> Array:
        """Return the derivative by the joint cells, ``(..., size)``, from one by the model's cells."""


class Counts:
    """Tables with leading axes, such as resamples, posterior draws and groups.

    Parameters
    ----------
    cells : array-like of shape (..., *cells)
        Counts, or sums of weights.
    """

    def __init__(self, cells: ArrayLike) -> None:
        self.cells: Array = np.asarray(cells)
        self._found: dict[object, Any] = {}
        self._found_for: WeakKeyDictionary[object, dict[Hashable, Any]] | None = None

    def through(self, view: View) -> Counts:
        """Return one model's counts from joint counts; the sums are cached for all metrics."""
        if view not in self._found:
            self._found[view] = view.counts(self.cells)
        found: Counts = self._found[view]
        return found

    def moved(self, nudges: Array, chosen: Array) -> Counts:
        """Return tables with more in a cell, tables with less, and these tables, ``(2 chosen + 1, tables, *cells)``.

        Parameters
        ----------
        nudges : ndarray of shape (chosen, tables)
            The changes.
        chosen : ndarray of shape (chosen,)
            Which flat cell is changed.
        """
        flat = self.cells.reshape(len(self.cells), -1)
        kind, (_, *facts) = self.__reduce__()
        moved: Counts = kind(with_moves(flat, nudges, chosen).reshape(-1, *self.cells.shape), *facts)
        return moved

    def once(self, function: Callable[[Self], Found]) -> Found:
        """Return the cached result of a function of the counts."""
        if function not in self._found:
            self._found[function] = function(self)
        found: Found = self._found[function]
        return found

    def once_for(self, owner: object, name: Hashable, function: Callable[[Any], Found]) -> Found:
        """Return the cached result of a function of the counts, by name; it is released with its owner, a metric."""
        known = self._found_for
        if known is None:
            known = self._found_for = WeakKeyDictionary()
        own = known.get(owner)
        if own is None:
            own = known[owner] = {}
        if name not in own:
            own[name] = function(self)
        found: Found = own[name]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.cells,)  # cached results are recomputed


def with_moves(values: Array, nudges: Array, places: Array) -> Array:
    """Return values with a change added at one place, subtracted there, and themselves, ``(2 m + 1, tables, n)``.

    Parameters
    ----------
    values : ndarray of shape (tables, n)
        The values.
    nudges : ndarray of shape (m, tables)
        The changes.
    places : ndarray of shape (m,)
        The place of each.
    """
    number, moved = np.arange(len(places)), np.repeat(values.T[:, None], 2 * len(places) + 1, 1)
    moved[places, number] += nudges
    moved[places, len(places) + number] -= nudges
    return np.moveaxis(moved, 0, -1)  # sums over few places are faster if those of one place are contiguous


class ClassCounts(Counts):
    """Counts by class for metrics of one class against the rest, with cached margins.

    Abstract base of `ConfusionCounts` (one label per case) and `MultilabelCounts` (many labels per case).

    Attributes
    ----------
    has_few_cells : bool
        Whether there may be fewer cells than classes.
    """

    has_few_cells: ClassVar[bool] = False

    @property
    def classes(self) -> int:
        """Number of classes, or of labels."""
        raise NotImplementedError

    @property
    def hits(self) -> Array:
        """Correctly predicted cases of each class, ``(..., K)``."""
        raise NotImplementedError

    @property
    def rows(self) -> Array:
        """Cases of each true class, ``(..., K)``."""
        raise NotImplementedError

    @property
    def columns(self) -> Array:
        """Cases predicted as each class, ``(..., K)``."""
        raise NotImplementedError

    def outcomes(self, index: int | None = None) -> Outcomes:
        """Return true positives, false negatives, false positives and true negatives of each class against the rest.

        Shapes ``(..., K)``, or ``(...)`` for the one class at ``index``.
        """
        return self._every if index is None else self._outcomes(index)

    @cached_property
    def _every(self) -> Outcomes:
        return self._outcomes(None)

    def _outcomes(self, index: int | None) -> Outcomes:
        raise NotImplementedError

    def by_cell(self, gradient: Array) -> Array:
        """Turn derivatives by (tp, fn, fp, tn) of each class, ``(4, ..., K)``, into derivatives by each cell."""
        raise NotImplementedError

    def by_margins(self, hits: Array, rows: Array, columns: Array) -> Array:
        """Turn derivatives by hits, row and column totals of each class into derivatives by each cell."""
        hits, rows, columns = np.broadcast_arrays(hits, rows, columns)
        return self.by_cell(np.stack([rows + columns + hits, rows, columns, np.zeros_like(rows)]))

    def by_cell_of(self, gradient: Array, where: Any) -> Array:
        """Return `by_cell` of derivatives, ``(4, ...)``, of the classes at ``where`` only."""
        every = np.zeros((*gradient.shape, self.classes))
        every[..., where] = gradient[..., None]
        return self.by_cell(every)

    def at(self, form: Array) -> Array:
        """Return the coefficient of a linear form for each cell, in the shape of one table's cells."""
        raise NotImplementedError


def occurring(rows: Array, columns: Array) -> tuple[Array, Array]:
    """Return masks of the true and predicted classes with pseudo-counts in an average over classes, ``(..., K)``.

    They are the classes with true cases; if there is a single true class, all predicted classes. An unused label or a
    stray prediction then changes no pseudo-count. All classes have pseudo-counts if none has cases.

    Examples
    --------
    >>> true, predicted = occurring(np.array([5.0, 4.0, 0.0]), np.array([6.0, 2.0, 1.0]))
    >>> true.tolist(), predicted.tolist()
    ([True, True, False], [True, True, False])
    """
    true = rows > 0
    true = true | ~true.any(-1, keepdims=True)
    single = true.sum(-1, keepdims=True) == 1
    predicted = np.where(single, true | (columns > 0), true)
    alone = predicted.sum(-1, keepdims=True) == 1
    return true, predicted | alone


class ConfusionCounts(ClassCounts):
    """Confusion tables, ``(..., K, K)``: rows are the true class, columns the predicted class."""

    def at(self, form: Array) -> Array:
        """Return the coefficients of a linear form of the cells, ``(K, K)``, unchanged."""
        return form

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.cells.shape[-1])

    @cached_property
    def hits(self) -> Array:
        """Correctly predicted cases of each class, ``(..., K)``."""
        return np.diagonal(self.cells, axis1=-2, axis2=-1)

    @cached_property
    def rows(self) -> Array:
        """Cases of each true class, ``(..., K)``."""
        return self._margins[0]

    @cached_property
    def columns(self) -> Array:
        """Cases predicted as each class, ``(..., K)``."""
        return self._margins[1]

    @cached_property
    def _margins(self) -> tuple[Array, Array]:
        return margins(self.cells)

    @cached_property
    def total(self) -> Array:
        """All cases, ``(...)``."""
        return summed(self.rows, -1)

    def _outcomes(self, index: int | None) -> Outcomes:
        if index is not None and self.cells.shape[-1] == 2:
            own, other = self.cells[..., index, :], self.cells[..., 1 - index, :]
            return own[..., index], own[..., 1 - index], other[..., index], other[..., 1 - index]
        if index is not None:
            tp, fn, fp, tn = (part[..., index] for part in self.outcomes())
            return tp, fn, fp, tn
        if self.cells.shape[-1] <= MOST_CLASSES:
            return outcomes(self.cells)
        tp, rows, columns, total = self.hits, self.rows, self.columns, self.total[..., None]
        tn = total - rows - columns + tp
        # Sums of weights do not cancel exactly: rounding errors around zero are set to zero.
        dust = ROUNDING * self.classes * total
        fn, fp, tn = wrong = np.array((rows - tp, columns - tp, tn))
        wrong[np.abs(wrong) <= dust] = 0.0
        return tp, fn, fp, tn

    def moved(self, nudges: Array, chosen: Array) -> Counts:
        """Return tables with one cell changed; see `Counts.moved`."""
        return MovedConfusionCounts(self, nudges, chosen)

    def by_cell(self, gradient: Array) -> Array:
        """Turn derivatives by (tp, fn, fp, tn) of each class, ``(4, ..., K)``, into derivatives by each cell.

        A cell (i, j) off the diagonal is a false negative of class i, a false positive of class j, and a true negative
        of all others. A cell on the diagonal is a true positive of its class and a true negative of all others.
        """
        tp, fn, fp, tn = gradient
        every = tn.sum(-1)
        cells: Array = every[..., None, None] + (fn - tn)[..., :, None] + (fp - tn)[..., None, :]
        diagonal = np.arange(tp.shape[-1])
        cells[..., diagonal, diagonal] = every[..., None] - tn + tp
        return cells

    def by_cell_of(self, gradient: Array, where: Any) -> Array:
        """Return `by_cell` of derivatives, ``(4, ...)``, of the classes at ``where`` only."""
        if np.size(where) != 1 or isinstance(where, slice):
            return super().by_cell_of(gradient, where)
        (own,) = np.ravel(where)
        tp, fn, fp, tn = gradient
        cells = np.repeat(tn[..., None], self.classes**2, -1).reshape(*tn.shape, self.classes, self.classes)
        cells[..., own, :], cells[..., :, own], cells[..., own, own] = fn[..., None], fp[..., None], tp
        return cells

    def by_margins(self, hits: Array, rows: Array, columns: Array) -> Array:
        """Turn derivatives by hits, row and column totals of each class into derivatives by each cell."""
        size = self.classes
        cells = np.empty((*np.broadcast_shapes(rows.shape, columns.shape)[:-1], size, size))
        np.add(rows[..., :, None], columns[..., None, :], out=cells)
        diagonal = np.arange(size)
        cells[..., diagonal, diagonal] += hits
        return cells


@final
class MovedConfusionCounts(ConfusionCounts):
    """Confusion tables with one cell changed, whose margins follow from the others'; see `Counts.moved`.

    For the parameters see there.
    """

    def __init__(self, start: ConfusionCounts, nudges: Array, chosen: Array) -> None:
        self.start, self.nudges, self.chosen = start, nudges, chosen
        super().__init__(np.empty(0))
        del self.cells

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.start.classes

    @cached_property
    def cells(self) -> Array:  # type: ignore[override]  # made for metrics that need more than margins
        """All cells."""
        return super(ConfusionCounts, self.start).moved(self.nudges, self.chosen).cells

    @cached_property
    def hits(self) -> Array:
        """Correctly predicted cases of each class, ``(..., K)``."""
        true, predicted = np.divmod(self.chosen, self.classes)
        return with_moves(self.start.hits, self.nudges * (true == predicted)[:, None], true)

    @cached_property
    def _margins(self) -> tuple[Array, Array]:
        true, predicted = np.divmod(self.chosen, self.classes)
        rows, columns = self.start.rows, self.start.columns
        return with_moves(rows, self.nudges, true), with_moves(columns, self.nudges, predicted)


@final
class MultilabelCounts(ClassCounts):
    """One 2×2 table for each label, ``(..., L, 2, 2)``, for cases that have many labels."""

    @property
    def classes(self) -> int:
        """Number of labels."""
        return int(self.cells.shape[-3])

    @cached_property
    def hits(self) -> Array:
        """Cases that have each label and are given it, ``(..., L)``."""
        return np.asarray(self.cells[..., 1, 1])

    @cached_property
    def rows(self) -> Array:
        """Cases that have each label, ``(..., L)``."""
        return np.asarray(self.cells[..., 1, :].sum(-1))

    @cached_property
    def columns(self) -> Array:
        """Cases that are given each label, ``(..., L)``."""
        return np.asarray(self.cells[..., :, 1].sum(-1))

    def _outcomes(self, index: int | None) -> Outcomes:
        where: Any = slice(None) if index is None else index
        tp, rows, columns = self.hits[..., where], self.rows[..., where], self.columns[..., where]
        return tp, rows - tp, columns - tp, self.cells[..., where, 0, 0]

    def by_cell(self, gradient: Array) -> Array:
        """Turn derivatives by (tp, fn, fp, tn) of each label, ``(4, ..., L)``, into derivatives by each cell."""
        tp, fn, fp, tn = gradient
        return np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)

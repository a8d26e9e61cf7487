"""Tables of one number per case, and of repeated runs per task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import ClassVar, Self, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.designs.base import PSEUDO_COUNT
from howsure.designs.independent import Independent
from howsure.errors import HowsureError
from howsure.tables.kind import Kind
from howsure.tables.priors import Priors
from howsure.tables.protocols import tables_in_block
from howsure.tables.table import Table
from howsure.tables.union import distinct_rows, places_of_rows

NO_CLASSES = np.array(["all"])  # cases have no classes: all have the same one
MOST_RUNS = 2**31  # of one task


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class WithoutClasses(Table):
    """Table of cases with numbers and without classes."""

    labels: Array = field(default_factory=NO_CLASSES.copy)
    _axes: ClassVar[int] = 1

    @property
    def true_class(self) -> Array:
        """Zeros: cases have no classes."""
        return np.zeros(self.shape[-1], dtype=np.intp)

    def _held(self) -> dict[str, str]:
        return {}

    @property
    def block_size(self) -> int:
        """Number of tables to draw at once, which is small for few cells too."""
        return tables_in_block(self.shape, 4)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CasesTable(WithoutClasses):
    """Counts of cases by the distinct combinations of one or several numbers: the base class for other evidence.

    A subclass is a frozen dataclass. It has a field for each number, an array of shape ``(cells,)`` without a default,
    and names the kind of evidence in ``data_kinds``; see `define_evidence`. `count_cases` makes its tables. Their
    default prior is zero, so that Bayesian intervals use the observed combinations only.

    Parameters
    ----------
    counts : ndarray of shape (..., cells)
        Cases with each combination.
    labels : ndarray of shape (1,)
        One name for all cases, which have no classes.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.values([2.5, 0.0, 2.5], truth=[3.0, -0.5, 3.0])
    >>> isinstance(table, CasesTable), table.columns, table.combinations.tolist()
    (True, ('predicted', 'actual'), [[2.5, 3.0], [0.0, -0.5]])
    """

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        for name in self.columns:
            invariants.numbers(name, getattr(self, name), self.shape, -invariants.LARGEST)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the numbers that a cell has: the fields of the class that have no default."""
        own = (each for each in fields(self) if each.default is MISSING and each.default_factory is MISSING)
        return tuple(each.name for each in own if each.name != "counts")

    @property
    def combinations(self) -> Array:
        """The numbers of each cell, ``(cells, columns)``."""
        return np.stack([getattr(self, name) for name in self.columns], 1)

    def with_all_classes(self, others: Sequence[Self]) -> Self:
        """Return a table, of no case, of the combinations of this and other tables."""
        rows = distinct_rows(*(each.combinations for each in (self, *others)))
        parts = dict(zip(self.columns, np.ascontiguousarray(rows.T), strict=True))
        return replace(self, counts=np.zeros(len(rows)), design=Independent(), rows=0, **parts)

    def cell_positions(self, whole: Self) -> Array:
        """Return the position of each combination in a table that has it."""
        return places_of_rows(self.combinations, whole.combinations)

    @property
    def observed_shares(self) -> Array:
        """Proportion of each cell among all cases of a batch; equal for all cells without cases."""
        every = self.cells.reshape(-1, self.shape[-1]).sum(0)
        return np.asarray(every / every.sum() if every.any() else np.full(len(every), 1 / len(every)))

    @property
    def priors(self) -> Priors:
        """Pseudo-counts as the cases are; none in the default prior."""
        return Priors(self.observed_shares, total=0.0)

    def incompatibility(self, other: Table) -> str:
        """Return an empty text for another table of the kind, else why the two cannot be compared."""
        return ""

    def _contents(self) -> str:
        return f"{int(np.sum(self.rows)):,} cases"


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ValuesTable(CasesTable):
    """Counts of cases by distinct value.

    Parameters
    ----------
    counts : ndarray of shape (..., S)
        Cases with each value.
    values : ndarray of shape (S,)
        Distinct values, ascending, the bounds among them.
    bounds : tuple of two float, optional
        Smallest and largest value that a case can have, if known; either can be infinite.
    labels : ndarray of shape (1,)
        One name for all cases, which have no classes.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.values([0.2, 0.9, 0.9], bounds=(0, 1))
    <ValuesTable: 3 cases, 2 distinct values in [0, 1]>
    """

    values: Array
    bounds: tuple[float, float] | None = None
    data_kinds: ClassVar[tuple[str, ...]] = ("values",)
    kind: ClassVar[Kind] = Kind(noun="table of values", has_values=True, has_sample_variance=True)

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.limits("bounds", self.bounds)
        invariants.ascending("values", self.values, *self.shape, *(self.bounds or ()))

    def with_all_classes(self, others: Sequence[ValuesTable]) -> ValuesTable:
        """Return a table, of no case, of the values of this and other tables, with the same bounds."""
        for other in others:
            refuse_other_bounds(self.bounds, other.bounds)
        values = np.unique(np.concatenate([self.values, *(each.values for each in others)]))
        return ValuesTable(counts=np.zeros(len(values)), values=values, bounds=self.bounds, rows=0)

    def cell_positions(self, whole: ValuesTable) -> Array:
        """Return the position of each value in a table that has it."""
        return np.searchsorted(whole.values, self.values)

    @property
    def is_bounded(self) -> bool:
        """Whether there is a smallest and a largest value that a case can have."""
        return self.bounds is not None and bool(np.isfinite(self.bounds).all())

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        return ("mean", "median", "std")

    @property
    def priors(self) -> Priors:
        """Pseudo-counts: one at either bound; without two bounds as the cases are, and none in the default prior."""
        if self.bounds is None or not self.is_bounded:
            return Priors(self.observed_shares, total=PSEUDO_COUNT if self.is_bounded else 0.0)
        return Priors(np.isin(self.values, self.bounds) / 2)

    def _contents(self) -> str:
        within = "" if self.bounds is None else f" in [{self.bounds[0]:g}, {self.bounds[1]:g}]"
        distinct = int((self.cells > 0).reshape(-1, len(self.values)).any(0).sum())
        many = f"{distinct:,} distinct value{'' if distinct == 1 else 's'}{within}"
        return f"{int(np.sum(self.rows)):,} cases, {many}"


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TrialsTable(CasesTable):
    """Counts of tasks by their number of runs and of successes.

    The value of a task is its proportion of successes.

    Parameters
    ----------
    counts : ndarray of shape (..., M)
        Tasks with each number of runs and successes.
    runs, successes : ndarray of shape (M,)
        Those numbers, in the order of the shares.
    labels : ndarray of shape (1,)
        One name for all tasks, which have no classes.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.trials([1, 0, 1, 1], task=["a", "a", "b", "b"])
    <TrialsTable: 2 tasks of 2 runs each>
    """

    runs: Array
    successes: Array
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    data_kinds: ClassVar[tuple[str, ...]] = ("values", "trials")
    kind: ClassVar[Kind] = Kind(noun="table of trials", has_values=True, has_sample_variance=True)

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.positions("runs", self.runs, self.shape, MOST_RUNS, 1)
        invariants.positions("successes", self.successes, self.shape, MOST_RUNS)
        if (self.successes > self.runs).any() or (by_share(self.combinations) != np.arange(len(self.runs))).any():
            invariants.refuse("`successes` must be at most `runs`, and ascend by their share.")

    @classmethod
    def of_pairs(cls, pairs: Array) -> TrialsTable:
        """Return a table, of no task, of distinct numbers of runs and successes, ``(M, 2)``, by share."""
        runs, successes = pairs[by_share(pairs)].T
        return cls(counts=np.zeros(len(pairs)), runs=runs, successes=successes, rows=0)

    def with_all_classes(self, others: Sequence[TrialsTable]) -> TrialsTable:
        """Return a table, of no task, of the numbers of runs and successes of this and other tables."""
        return TrialsTable.of_pairs(distinct_rows(*(each.combinations for each in (self, *others))))

    @cached_property
    def values(self) -> Array:
        """The proportion of successes of each cell, ascending."""
        return np.asarray(self.successes / self.runs)

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        many = int(self.runs.min())
        return ("mean",) if many < 2 else ("mean", f"pass_at+k={many}", f"pass_all+k={many}", "flip_rate")

    @cached_property
    def priors(self) -> Priors:
        """Pseudo-counts: evenly over proportions of successes, by number of runs."""
        shares = np.zeros(self.shape[-1])
        for runs in np.unique(self.runs):
            own = np.flatnonzero(self.runs == runs)
            np.add.at(
                shares,
                own[np.minimum(np.searchsorted(self.successes[own], spread_successes(int(runs))), len(own) - 1)],
                1.0,
            )
        return Priors(shares / shares.sum())

    def _contents(self) -> str:
        fewest, most = int(self.runs.min()), int(self.runs.max())
        runs = f"{fewest:,} run{'' if fewest == 1 else 's'} each" if fewest == most else f"{fewest:,} to {most:,} runs"
        return f"{int(np.sum(self.rows)):,} tasks of {runs}"


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ErrorsTable(CasesTable):
    """Counts of cases by the pair of a predicted number and the true one.

    The value of a case is its error, the prediction minus the true value.

    Parameters
    ----------
    counts : ndarray of shape (..., M)
        Cases with each pair.
    predicted, actual : ndarray of shape (M,)
        The pairs, in the order of their errors.
    limits : tuple of two float, optional
        Smallest and largest number that a case can have, if known; either can be infinite.
    labels : ndarray of shape (1,)
        One name for all cases, which have no classes.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.values([2.5, 0.0, 2.1], truth=[3.0, -0.5, 2.0])
    <ErrorsTable: 3 cases>
    """

    predicted: Array
    actual: Array
    limits: tuple[float, float] | None = None
    data_kinds: ClassVar[tuple[str, ...]] = ("values", "errors")
    kind: ClassVar[Kind] = Kind(noun="table of errors", has_values=True, has_sample_variance=True)

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.limits("limits", self.limits)
        if self.limits is not None:
            for name in self.columns:
                invariants.numbers(name, getattr(self, name), self.shape, *self.limits)
        if (by_error(self.combinations) != np.arange(len(self.actual))).any():
            invariants.refuse("`predicted` and `actual` must ascend by their difference.")

    @classmethod
    def of_pairs(cls, pairs: Array, limits: tuple[float, float] | None) -> ErrorsTable:
        """Return a table, of no case, of distinct pairs of prediction and truth, ``(M, 2)``, by error."""
        predicted, actual = np.ascontiguousarray(pairs[by_error(pairs)].T)  # sums are of one order, saved or not
        return cls(counts=np.zeros(len(pairs)), predicted=predicted, actual=actual, limits=limits, rows=0)

    def with_all_classes(self, others: Sequence[ErrorsTable]) -> ErrorsTable:
        """Return a table, of no case, of the pairs of this and other tables, with the same limits."""
        for other in others:
            refuse_other_bounds(self.limits, other.limits)
        return ErrorsTable.of_pairs(distinct_rows(*(each.combinations for each in (self, *others))), self.limits)

    @cached_property
    def values(self) -> Array:
        """The error of each cell, ascending."""
        return np.asarray(self.predicted - self.actual)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Smallest and largest error that a case can have."""
        return None if self.limits is None else (self.limits[0] - self.limits[1], self.limits[1] - self.limits[0])

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        return ("mae", "rmse", "r2")


def refuse_other_bounds(one: tuple[float, float] | None, other: tuple[float, float] | None) -> None:
    """Refuse parts of one table whose numbers are in different bounds."""
    if one != other:
        raise HowsureError(f"The values are in {one} and in {other}. Count all parts with the same `bounds=`.")


def by_error(pairs: Array) -> Array:
    """Return the order of pairs of prediction and truth, ``(M, 2)``, by the error, then by the prediction."""
    return np.lexsort((pairs[:, 0], pairs[:, 0] - pairs[:, 1]))


def by_share(pairs: Array) -> Array:
    """Return the order of numbers of runs and successes, ``(M, 2)``, by proportion of successes, then by runs."""
    return np.lexsort((pairs[:, 0], pairs[:, 1] / pairs[:, 0]))


def spread_successes(runs: int) -> Array:
    """Return evenly spaced numbers of successes, from none to all, for the pseudo-counts of a prior.

    Examples
    --------
    >>> spread_successes(1).tolist(), spread_successes(8).tolist()
    ([0, 0, 1, 1], [0, 3, 5, 8])
    """
    return np.rint(np.linspace(0, runs, 4)).astype(int)

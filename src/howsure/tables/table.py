"""Base class of tables: counts over cells, their sampling design, and properties of the kind of data."""

from __future__ import annotations

import abc
import math
import os
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import PSEUDO_COUNT, Design
from howsure.designs.cell_sums import added_up
from howsure.designs.independent import Independent, smoothed
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError
from howsure.tables import cautions
from howsure.tables.addition import add_tables
from howsure.tables.counts import Counts
from howsure.tables.display import Displayed
from howsure.tables.frequencies import at_shares, class_shares, share_covariance
from howsure.tables.labels import is_plain_order
from howsure.tables.priors import Priors
from howsure.tables.protocols import effective_sample_size
from howsure.tables.serialization import registered, save

Found = TypeVar("Found", bound="Table")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Table(Displayed, abc.ABC):
    """Counts over cells and their sampling design: all data that a metric can use.

    Tables are created by `confusion`, `from_counts`, `scores`, `paired` and the other sources. Each kind of data has
    its own class, with its labels, default metrics and views. Counts can have leading axes: the tables of a batch,
    which methods evaluate in one pass.

    Parameters
    ----------
    counts : ndarray of shape (..., cells)
        Non-negative counts, or sums of weights.
    labels : ndarray of shape (K,)
        The classes, in the order of the table's axes.
    design : Design
        Sampling design of the counts.
    rows : int or ndarray of shape (...)
        Number of cases behind the counts; by default the counts' sum.
    identity : str
        Identifier that distinguishes the cases from those of other tables with equal counts; by default new. Copies
        keep it, also in other processes, and views derive theirs from it.
    is_ordered : bool
        Whether the order of the classes is stated and not alphabetical; for two classes, whether the positive one was
        named. The default is True for classes that are numbers (0 and 1, or False and True, for two).

    Examples
    --------
    >>> import howsure as hs
    >>> isinstance(hs.from_counts([[50, 3], [5, 42]]), hs.Table)
    True
    """

    counts: Array
    labels: Array
    design: Design = field(default_factory=Independent)
    rows: Any = -1
    identity: str = field(default_factory=lambda: os.urandom(16).hex())
    is_ordered: bool = None  # type: ignore[assignment]  # until it is derived

    _axes: ClassVar[int] = 2  # of the cells
    counts_class: ClassVar[type[Counts]] = Counts
    data_kinds: ClassVar[tuple[str, ...]] = (
        "predictions",
    )  # or "scores", "values", "trials", "errors", "ratings": what metrics can read

    def __init_subclass__(cls, **settings: object) -> None:
        """Register the class, so that files can name it."""
        super().__init_subclass__(**settings)
        registered(cls)

    def __post_init__(self) -> None:
        if self.is_ordered is None:
            object.__setattr__(self, "is_ordered", is_plain_order(self.labels.tolist()))
        invariants.array("counts", self.counts, (None,) * max(np.ndim(self.counts), self._axes))
        invariants.numbers("counts", self.counts, self.counts.shape)
        if np.ndim(self.rows) == 0 and self.rows == -1:
            sums = invariants.whole_numbers_of_cases(self._totals)
            object.__setattr__(self, "rows", sums if self.batch else int(sums))
        self._check()

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        invariants.rows(self.rows, self.batch)
        invariants.names("labels", self.labels)
        invariants.instance("identity", self.identity, str)
        invariants.instance("design", self.design, Design)
        if self.design.traits.is_independent:
            invariants.numbers("counts", self._totals, self.batch, 0.0, invariants.MOST_CASES)
        self.design.check((*self.batch, math.prod(self.shape)))

    @property
    def _totals(self) -> Array:
        """Sum of the counts of each table, of any memory layout; infinite where it overflows."""
        with np.errstate(over="ignore"):
            return np.asarray(self.counts.sum(tuple(range(-self._axes, 0))))

    @property
    @abc.abstractmethod
    def true_class(self) -> Array:
        """Position of the true class of each cell, shape ``(cells,)``."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences about the design and unusual counts for readers of the numbers."""
        said = (*self.design.description.caveats, *cautions.of_labels(self.labels, self.kind.classes_noun))
        said += cautions.positive_doubts(self.labels.tolist(), self.positive, is_ordered=self.is_ordered)
        if (
            self.batch
            or not self.design.traits.is_counted
            or VarianceDetails.of(self.design).squared_weights(self.cells) is None
        ):
            return said
        n_effective = float(effective_sample_size(self, np.ones(self.shape, dtype=bool)))
        labels_per_case = 1 if self.kind.has_one_label_per_case else len(self.labels)
        return (*said, *cautions.of_weights(n_effective, self.rows * labels_per_case))

    @cached_property
    def batch(self) -> tuple[int, ...]:
        """Shape of the leading axes: () of a single table."""
        return self.counts.shape[: self.counts.ndim - self._axes]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Shape of the cells of one table."""
        return self.counts.shape[self.counts.ndim - self._axes :]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy, without cached results."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def cells(self) -> Array:
        """The counts with the cells along one axis, ``(..., cells)``, as designs take them."""
        return self.counts.reshape(*self.batch, -1)

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes, of which the last is the positive one."""
        return len(self.labels) == 2

    @property
    def positive(self) -> str:
        """The positive class of two named classes; empty for 0 and 1, and without a positive class."""
        if not (self.is_binary and self.kind.has_one_label_per_case) or is_plain_order(self.labels.tolist()):
            return ""
        return str(self.labels.tolist()[-1])

    @property
    def class_totals(self) -> Array:
        """Cases of each true class, or with each label, ``(..., K)``."""
        return added_up(self.cells, self.true_class, len(self.labels))

    @cached_property
    def counted(self) -> Counts:
        """The counts as metrics take them."""
        return self.counts_class(self.counts)

    def make_counts(self, cells: Array) -> Counts:
        """Return other tables over the same cells, ``(..., cells)``, as metrics take them."""
        return self.counts_class(cells.reshape(*cells.shape[:-1], *self.shape))

    @property
    def priors(self) -> Priors:
        """Pseudo-counts of the table: by default spread evenly over its cells."""
        return Priors(np.full(self.shape, 1 / np.prod(self.shape)))

    def variance(self, gradient: Array) -> Array:
        """Return the design's variance of a smooth function of the counts, from its gradient by the cells.

        Squares are divided by the number of cases minus 1 for tables of values, as in a sample variance.
        """
        slopes = gradient.reshape(*self.batch, -1)
        if self.kind.has_sample_variance:
            return VarianceDetails.of(self.design).placement_variance(self.cells, self.true_class, slopes)
        counts = self.counts if self.design.traits.has_all_cases else self.cells  # of large scores a copy
        return self.design.variance(counts, slopes)

    def with_design(self, design: Design) -> Self:
        """Return the same counts under another design, such as ``FixedMargins()``.

        Parameters
        ----------
        design : Design
            Sampling design of independent, unweighted cases.

        Raises
        ------
        HowsureError
            If the counts are weighted, clustered or estimated: their design is determined by their data.
        """
        if not (self.design.traits.is_independent or self.design.traits.has_fixed_class_totals):
            what = "have weights or clusters" if self.design.traits.is_counted else "are estimates"
            raise HowsureError(
                f"These counts {what}, and vary as their evidence does (`{type(self.design).__name__}`). "
                "Another design is for counted cases without weights or clusters."
            )
        return replace(self, design=Algebra.of(design).with_true_classes(self.true_class))

    def at_prevalence(self, prevalence: object, *, covariance: object = None) -> Self:
        """Return the same cases at other class frequencies, such as those of a target population.

        The distribution of predictions within each class is estimated from its cases; the class frequencies are taken
        as stated.

        Parameters
        ----------
        prevalence : array-like of shape (K,), or mapping
            Frequency of each class, in the order of the labels or by label, or a pandas series with labels as index.
            They sum to 1. For two classes also a number, the frequency of the positive class.
        covariance : array-like of shape (K, K), optional
            Covariance of the frequencies, in the order of the labels, if they are estimates; by default they are exact.

        Returns
        -------
        Table
            Of the same kind, for any metric and method.

        Raises
        ------
        HowsureError
            If the frequencies or their covariance are not valid, a class without cases has a positive frequency, or
            cases were not counted or have many labels.

        Examples
        --------
        >>> import howsure as hs
        >>> table = hs.from_counts([[180, 20], [10, 90]], labels=["well", "ill"])
        >>> print(hs.estimate(table, "precision"))
        0.818 [0.738, 0.882] (positive: ill)
        >>> print(hs.estimate(table.at_prevalence({"well": 0.99, "ill": 0.01}), "precision"))
        0.083 [0.058, 0.125] (positive: ill)
        """
        if not (self.kind.has_one_label_per_case and self.design.traits.is_counted and self.design.traits.has_labels):
            raise HowsureError(
                f"`at_prevalence` is for counted cases with one label each: not for this {self.kind.noun}."
            )
        share = class_shares(prevalence, self.labels, self.position, self.class_totals)
        spread = share_covariance(covariance, len(share))
        design = at_shares(self.cells, self.true_class, self.labels.tolist(), share, self.design, spread)
        counts, identity = design.table_from_observed(self.cells), view_identity(self, tuple(share.tolist()))
        return replace(self, counts=counts.reshape(self.counts.shape), design=design, identity=identity)

    def position(self, label: object) -> int:
        """Return the index of a class label, also given as text.

        Raises
        ------
        HowsureError
            If there is no such class; the message names the nearest labels.
        """
        places = self._places.get(str(label), [])
        if len(places) > 1:
            raise HowsureError(f"{len(places)} classes read '{label}', as text and as a number. Rename one of them.")
        if places:
            return places[0]
        if label in (known := self.labels.tolist()):
            return int(known.index(label))
        raise HowsureError.unknown("class", str(label), map(str, known))

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Positions of the labels by their text."""
        places: dict[str, list[int]] = {}
        for place, label in enumerate(self.labels.tolist()):
            places.setdefault(str(label), []).append(place)
        return places

    def __add__(self, other: object) -> Self:
        """Return the table of the cases of both: parts of the same data, counted separately.

        Classes, scores and tuples absent from one part have zero counts there. Clusters with the same name are one
        cluster; weights, reviews and strata are combined.

        Parameters
        ----------
        other : Table
            A table of the same kind and design, from other cases.

        Raises
        ------
        HowsureError
            If the tables are of different kinds, designs or orders of classes, or of the same cases; or if such
            tables do not add up.

        Examples
        --------
        >>> import howsure as hs
        >>> monday = hs.confusion(["cat", "dog"], ["cat", "cat"])
        >>> tuesday = hs.confusion(["dog", "emu"], ["dog", "emu"])
        >>> (monday + tuesday).labels.tolist(), sum([monday, tuesday]).rows
        (['cat', 'dog', 'emu'], 4)
        """
        if not isinstance(other, Table):
            return NotImplemented
        return add_tables(self, [other])

    def __radd__(self, other: object) -> Self:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # `sum` starts from 0

    def save(self, path: str | Path) -> Path:
        """Write the table to a file atomically; `howsure.load` reads it again.

        Parameters
        ----------
        path : str or Path
            Path of a JSON (``.json``) or Parquet (``.parquet``) file; Parquet needs PyArrow.

        Returns
        -------
        Path

        Raises
        ------
        HowsureError
            If the suffix is not supported, the table contains objects that are not data, or the file cannot be written.
        """
        return save(self, path)


def require_table(kind: type[Found], given: object, otherwise: str) -> Found:
    """Return the argument if it is a table of this kind, else raise an error that names the expected kind."""
    if not isinstance(given, kind):
        raise HowsureError(otherwise)
    return given


def view_identity(table: Table, view: object) -> str:
    """Return the identity of a view of a table: the same each time that the view is taken."""
    return f"{table.identity}/{view}"


def select_table(batch: Found, index: int) -> Found:
    """Return one table of a batch."""
    rows = batch.rows if np.ndim(batch.rows) == 0 else int(batch.rows[index])
    counts, design = batch.counts[index], Algebra.of(batch.design).select_table(index)
    return replace(batch, counts=counts, design=design, rows=rows, identity=view_identity(batch, index))


def with_pseudo_counts(table: Found) -> Found:
    """Return a table with two pseudo-counts, of mean sampling unit size, distributed over its cells."""
    counts, design = smoothed(table.design, table.cells, PSEUDO_COUNT * table.priors.shares.ravel())
    return replace(table, counts=counts.reshape(table.counts.shape), design=design)

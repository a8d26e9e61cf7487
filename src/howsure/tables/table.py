"""Base class of tables: counts over cells, their sampling design, and properties of the kind of data."""

from __future__ import annotations

import abc
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import PSEUDO_CASES, Design, quotient
from howsure.designs.clustering import Clustering
from howsure.designs.counted import Independent, smoothed
from howsure.designs.sampling import counts_of_draws
from howsure.designs.sums import added_up
from howsure.designs.two_level import TwoLevel
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError, UndefinedDesignError
from howsure.grids import Grid
from howsure.numbers import count_text
from howsure.tables import cautions
from howsure.tables.counts import Counts
from howsure.tables.frequencies import at_shares, class_shares, share_covariance
from howsure.tables.labels import is_plain_order
from howsure.tables.stored import registered, save
from howsure.tables.union import identity_of_sum

Array = NDArray[Any]
BLOCK_CELLS = 2**17  # of the tables drawn at once: 1 MiB
MOST_SHOWN = 20  # classes that a notebook names
MOST_COUNTED = 5  # classes whose cases a line counts
CALLED = frozenset(  # what users call, besides the fields
    ("at", "at_prevalence", "cautions", "is_binary", "model", "models", "pair", "position", "positive", "rater", "save")
) | {"shape", "truth", "variance", "with_design"}
LONG_TABLE = 2**22  # cells, from which on a block is one table


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Table(abc.ABC):
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
    identity: str = field(default_factory=lambda: uuid4().hex)
    is_ordered: bool = None  # type: ignore[assignment]  # until it is derived

    axes: ClassVar[int] = 2  # of the cells
    noun: ClassVar[str] = "table"
    classes_noun: ClassVar[str] = "classes"
    rows_noun: ClassVar[str] = "cases"
    counts_noun: ClassVar[str] = "cases"
    counts_class: ClassVar[type[Counts]] = Counts
    why_undefined: ClassVar[str] = ""  # where it does not depend on the metric
    has_one_cell_per_case: ClassVar[bool] = True
    has_one_label_per_case: ClassVar[bool] = True
    holds: ClassVar[tuple[str, ...]] = (
        "predictions",
    )  # or "scores", "values", "trials", "errors", "ratings": what metrics can read
    has_thresholds: ClassVar[bool] = False  # of one score a case, each of which makes predictions
    has_rows: ClassVar[bool] = False  # of one model's predictions, one for each true class
    adds_up: ClassVar[bool] = False  # cell by cell, with tables of the same labels
    has_negatives: ClassVar[bool] = True  # cases that rightly are not predicted as a class

    def __init_subclass__(cls, **settings: Any) -> None:
        """Register the class, so that files can name it."""
        super().__init_subclass__(**settings)
        registered(cls)

    def __post_init__(self) -> None:
        if self.is_ordered is None:
            object.__setattr__(self, "is_ordered", is_plain_order(self.labels.tolist()))
        invariants.array("counts", self.counts, (None,) * max(np.ndim(self.counts), self.axes))
        invariants.numbers("counts", self.counts, self.counts.shape)
        if np.ndim(self.rows) == 0 and self.rows == -1:
            sums = invariants.whole_numbers_of_cases(self.cells)
            object.__setattr__(self, "rows", sums if self.batch else int(sums))
        self._check()

    def __dir__(self) -> list[str]:
        """Return the names that users need; the other public ones serve metrics and methods."""
        shown = CALLED | {each.name for each in fields(self)}
        return [name for name in super().__dir__() if name.startswith("_") or name in shown]

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        invariants.rows(self.rows, self.batch)
        invariants.names("labels", self.labels)
        invariants.instance("identity", self.identity, str)
        invariants.instance("design", self.design, Design)
        if self.design.traits.is_independent:
            invariants.numbers("counts", np.asarray(self.cells.sum(-1)), self.batch, 0.0, invariants.MOST_CASES)
        self.design.check(self.cells.shape)

    def check_sums(self) -> None:
        """Check that the entries of the design add up to the counts, which only a saved table can break."""
        self.design.check_sums(self.cells)

    @classmethod
    def required(cls, given: object, otherwise: str) -> Self:
        """Return the argument if it is a table of this kind, else raise an error that names the expected kind."""
        if not isinstance(given, cls):
            raise HowsureError(otherwise)
        return given

    @property
    def has_scores(self) -> bool:
        """Whether the table contains scores, not predictions."""
        return "scores" in self.holds

    @property
    def has_values(self) -> bool:
        """Whether each cell has a number, whose variance between cases is a sample's."""
        return "values" in self.holds

    @property
    def has_sample_variance(self) -> bool:
        """Whether squares are divided by the number of cases minus 1, as of a sample's variance."""
        return self.has_values

    @property
    @abc.abstractmethod
    def truth(self) -> Array:
        """Position of the true class of each cell, shape ``(cells,)``."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences about the design and unusual counts for readers of the numbers."""
        said = (*self.design.description.caveats, *cautions.of_labels(self.labels, self.classes_noun))
        said += self.positive_doubts
        if (
            self.batch
            or not self.design.traits.is_counted
            or VarianceDetails.of(self.design).squared_weights(self.cells) is None
        ):
            return said
        worth = float(self.effective_trials(np.ones(self.shape, dtype=bool)))
        return (*said, *cautions.of_weights(worth, self.rows * self.labels_per_case))

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        return ()

    @property
    def smallest_block(self) -> int:
        """Smallest number of tables to draw at once."""
        return 32

    @cached_property
    def batch(self) -> tuple[int, ...]:
        """Shape of the leading axes: () of a single table."""
        return self.counts.shape[: self.counts.ndim - self.axes]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Shape of the cells of one table."""
        return self.counts.shape[self.counts.ndim - self.axes :]

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
        if not (self.is_binary and self.has_one_label_per_case) or is_plain_order(self.labels.tolist()):
            return ""
        return str(self.labels.tolist()[-1])

    @property
    def positive_doubts(self) -> tuple[str, ...]:
        """A caution where nobody named the positive class and the words suggest the other one."""
        return tuple(cautions.of_positive(*self.labels.tolist())) if self.positive and not self.is_ordered else ()

    @property
    def default_class(self) -> int | None:
        """Position of the default class of metrics of one class; None if it must be named."""
        return 1 if self.is_binary and self.has_one_label_per_case else None

    @property
    def class_totals(self) -> Array:
        """Cases of each true class, or with each label, ``(..., K)``."""
        return added_up(self.cells, self.truth, len(self.labels))

    @cached_property
    def counted(self) -> Counts:
        """The counts as metrics take them."""
        return self.counts_class(self.counts)

    def wrap(self, cells: Array) -> Counts:
        """Return other tables over the same cells, ``(..., cells)``, as metrics take them."""
        return self.counts_class(cells.reshape(*cells.shape[:-1], *self.shape))

    @property
    def prior_shares(self) -> Array:
        """Distribution of a prior's mass over the cells; sums to 1."""
        return np.full(self.shape, 1 / np.prod(self.shape))

    @property
    def shares_of_occurring(self) -> Array:
        """Distribution of pseudo-counts for an average over classes: over the classes that occur, ``(..., *cells)``."""
        return self.prior_shares

    @property
    def pseudo_places(self) -> Array:
        """Two cells or more, in an order, over which a prior of several models' tuples is spread."""
        return np.array([0, self.shape[-1] - 1])

    @property
    def default_prior(self) -> Array:
        """Pseudo-counts of the default prior by cell: two in all."""
        return PSEUDO_CASES * self.prior_shares

    def pseudo_cells(self, size: int, rng: np.random.Generator) -> Array | None:
        """Return the cells of whole pseudo-counts of the default prior, ``(size, 2)``; None if they are fractional.

        Parameters
        ----------
        size : int
            Number of draws.
        rng : Generator
            Source of randomness.
        """
        return None

    def pseudo_cases(self, size: int, rng: np.random.Generator) -> Array:
        """Return the pseudo-counts of the default prior: one set, ``(cells,)``, or one per draw, ``(size, cells)``."""
        drawn = self.pseudo_cells(size, rng)
        return self.default_prior.ravel() if drawn is None else counts_of_draws(drawn, int(np.prod(self.shape)))

    def lumped(self, codes: Array) -> Table:
        """Return the table after summing cells with the same code, for metrics that use these sums only.

        Parameters
        ----------
        codes : ndarray of shape (cells,)
            0 … B−1.

        Raises
        ------
        UndefinedDesignError
            If there is no such table of this kind, or its design is not defined for it.
        """
        raise UndefinedDesignError(type(self.design).__name__, "cells put together")

    @property
    def prior_shape(self) -> tuple[int, ...]:
        """Shape of the pseudo-counts of a prior."""
        return self.shape

    def spread_prior(self, prior: Array) -> Array:
        """Return the pseudo-counts by cell from a prior of shape `prior_shape`."""
        return prior

    @property
    def draws_at_once(self) -> int:
        """Number of tables to draw at once, so that they fit in the processor's cache."""
        return max(self.smallest_block, BLOCK_CELLS // int(np.prod(self.shape)))

    def variance(self, gradient: Array) -> Array:
        """Return the design's variance of a smooth function of the counts, from its gradient by the cells."""
        return self.variance_at(self.cells, gradient.reshape(*self.batch, -1))

    def variance_at(self, cells: Array, slopes: Array) -> Array:
        """Return the variance of a linear form in other tables, ``(..., cells)``, over the same cells.

        Squares are divided by the number of cases minus 1 for tables of values, as in a sample variance.
        """
        if self.has_sample_variance:
            return VarianceDetails.of(self.design).placement_variance(cells, self.truth, slopes)
        return self.design.variance(cells, slopes)

    def small_sample(self, gradient: Array) -> tuple[Any, Any]:
        """Return the small-sample inflation factor of `variance`, and its degrees of freedom; see `Design`."""
        return VarianceDetails.of(self.design).small_sample_correction(self.cells, gradient.reshape(*self.batch, -1))

    def unseen(self, gradient: Array) -> Any:
        """Return the factor of `variance` for a unit absent from the sample; see `Design`.

        A class without cases is taken to be absent from such a unit too.
        """
        occurs = added_up(self.cells, self.truth, int(self.truth.max()) + 1)[..., self.truth] > 0
        return Clustering.of(self.design).missed_cluster_inflation(
            self.cells, np.where(occurs, gradient.reshape(*self.batch, -1), 0.0)
        )

    def effective_trials(self, trials: Array) -> Array:
        """Return the Kish effective sample size of the marked cells."""
        return self.design.effective_sample_size(self.cells, np.asarray(trials).reshape(-1))

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
            message = (
                f"These counts {what}, and vary as their evidence does (`{type(self.design).__name__}`). "
                "Another design is for counted cases without weights or clusters."
            )
            raise HowsureError(message)
        return replace(self, design=Algebra.of(design).with_true_classes(self.truth))

    def at_prevalence(self, prevalence: Any, *, covariance: Any = None) -> Self:
        """Return the same cases at other class frequencies, such as those of a target population.

        The distribution of predictions within each class is estimated from its cases; the class frequencies are taken
        as stated.

        Parameters
        ----------
        prevalence : array-like of shape (K,), or mapping
            Frequency of each class, in the order of the labels or by label, or a pandas series with labels as index.
            They sum to 1.
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
        if not (self.has_one_label_per_case and self.design.traits.is_counted and self.design.traits.has_labels):
            message = f"`at_prevalence` is for cases that were counted, with one label each: not for this {self.noun}."
            raise HowsureError(message)
        share = class_shares(prevalence, self.labels, self.position, self.class_totals)
        spread = share_covariance(covariance, len(share))
        design = at_shares(self.cells, self.truth, self.labels.tolist(), share, self.design, spread)
        counts, identity = design.table_from_observed(self.cells), self.identity_of(tuple(share.tolist()))
        return replace(self, counts=counts.reshape(self.counts.shape), design=design, identity=identity)

    @property
    def labels_per_case(self) -> int:
        """Number of cells in which each case is counted: once per label for multilabel data, else once."""
        return 1 if self.has_one_label_per_case else len(self.labels)

    @property
    def cases_per_count(self) -> Array:
        """Number of cases per sampled count of 1, ``(...)``: 1 divided by the mean weight."""
        sampled = TwoLevel.of(self.design).observed_cells(self.cells) * TwoLevel.of(self.design).expand_to_observed(
            np.ones(self.cells.shape[-1])
        )
        return quotient(self.labels_per_case * np.asarray(self.rows), sampled.sum(-1))

    def unit_weights(self, cells: Array) -> Array | None:
        """Return the weight of each unit, from its cells, ``(units, cells)``; None if all weights are equal."""
        return None

    def smoothed(self) -> Self:
        """Return the table with two pseudo-counts, of mean sampling unit size, distributed over its cells."""
        counts, design = smoothed(self.design, self.cells, PSEUDO_CASES * self.prior_shares.ravel())
        return replace(self, counts=counts.reshape(self.counts.shape), design=design)

    def picked(self, index: int) -> Self:
        """Return one table of a batch."""
        rows = self.rows if np.ndim(self.rows) == 0 else int(self.rows[index])
        counts, design = self.counts[index], Algebra.of(self.design).select_table(index)
        return replace(self, counts=counts, design=design, rows=rows, identity=self.identity_of(index))

    def identity_of(self, view: object) -> str:
        """Return the identity of a view: the same each time that the view is taken."""
        return f"{self.identity}/{view}"

    def position(self, label: object) -> int:
        """Return the index of a class label, also given as text.

        Raises
        ------
        HowsureError
            If there is no such class; the message names the nearest labels.
        """
        places = self._places.get(str(label), [])
        if len(places) > 1:
            message = f"{len(places)} classes read '{label}', as text and as a number. Rename one of them."
            raise HowsureError(message)
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

    def one_against_rest(self, index: int) -> Table | None:
        """Return the 2×2 table of one class against all others, or None if it is not defined."""
        return None

    def each_against_rest(self, indices: Array) -> Table | None:
        """Return the 2×2 tables of several classes against all others as a batch, or None if they are not defined."""
        return None

    def refusal_beside(self, other: Table) -> str:
        """Return why this table and one of another test set cannot be compared, and what to do; empty where they can.

        Parameters
        ----------
        other : Table
            The table of the other test set.
        """
        return f"These are a {self.noun} and a {other.noun}. Give two of one kind, of one model each."

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
        return self.plus([other])

    def __radd__(self, other: object) -> Self:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # `sum` starts from 0

    def plus(self, others: Sequence[Table]) -> Self:
        """Return the sum of this table and others: see ``+``.

        Parameters
        ----------
        others : sequence of Table
            Tables of the same kind and design, from other cases.
        """
        parts: list[Self] = [self]
        for other in others:
            if type(other) is not type(self):
                message = f"A {self.noun} and a {other.noun} do not add up. Add parts counted in the same way."
                raise HowsureError(message)
            if type(other.design) is not type(self.design):
                message = (
                    f"Tables of the designs `{type(self.design).__name__}` and `{type(other.design).__name__}` do not "
                    "add up. Give all parts weights, groups and methods alike, or none."
                )
                raise HowsureError(message)
            if other.identity in {each.identity for each in parts}:
                message = "The tables are of the same cases, which would count twice. Add tables of other cases."
                raise HowsureError(message)
            parts.append(other)
        return self.spanning(parts[1:]).holding(parts)

    def spanning(self, others: Sequence[Self]) -> Self:
        """Return a table without cases over the cells of this and other tables of its kind.

        Parameters
        ----------
        others : sequence of Table
            The other tables.

        Raises
        ------
        HowsureError
            If such tables do not add up.
        """
        message = f"A {self.noun} does not add up with another. Add its parts, or count all cases at once."
        raise HowsureError(message)

    def places_in(self, whole: Self) -> Array:
        """Return the position of each flat cell in a table from `spanning`, ``(cells,)``.

        Parameters
        ----------
        whole : Table
            A table that has all cells of this one.
        """
        return np.arange(int(np.prod(self.shape)))

    def within(self, whole: Self) -> Self:
        """Return the table as that of a group, with the properties of the table of all cases.

        Parameters
        ----------
        whole : Table
            The table of all cases.
        """
        return self

    def holding(self, parts: Sequence[Self]) -> Self:
        """Return the sum of tables over the cells of this table, which is empty.

        Parameters
        ----------
        parts : sequence of Table
            Tables whose cells this one has; without leading axes.
        """
        if any(each.batch for each in parts):
            message = "Tables with leading axes add up by their groups' keys: add the `Tables` that they come in."
            raise HowsureError(message)
        size = int(np.prod(self.shape))
        places = [each.places_in(self) for each in parts]
        counts = np.sum([added_up(each.cells, place, size) for each, place in zip(parts, places, strict=True)], axis=0)
        try:
            collapsed = [each.design.collapse_cells(place, size) for each, place in zip(parts, places, strict=True)]
            first, *others = (Algebra.of(Algebra.of(each).with_true_classes(self.truth)) for each in collapsed)
            design = first.add_tables(others)
        except UndefinedDesignError:
            message = (
                f"Tables with the design `{type(parts[0].design).__name__}` do not add up. Make one table of all "
                "cases, or pool the estimates with `pool`."
            )
            raise HowsureError(message) from None
        rows, identity = sum(each.rows for each in parts), identity_of_sum([each.identity for each in parts])
        return replace(self, counts=counts.reshape(self.shape), design=design, rows=rows, identity=identity)

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

    def stacked(self, others: Sequence[Self]) -> Self:
        """Return a batch of this table and others over the same cells.

        Raises
        ------
        UndefinedDesignError
            If their design is not defined for a batch.
        """
        tables = [self, *others]
        design = Algebra.of(self.design).stack_tables(
            [Algebra.of(each.design) for each in others], int(np.prod(self.shape))
        )
        rows = np.array([each.rows for each in tables])
        identity = identity_of_sum([each.identity for each in tables])
        counts = np.stack([each.counts for each in tables])
        return replace(self, counts=counts, design=design, rows=rows, identity=identity)

    def _repr_html_(self) -> str:
        return self._overview().for_notebook()

    def _overview(self) -> Grid:
        """Return the display of the table in notebooks: contents and caveats."""
        what, _, held = repr(self).strip("<>").partition(": ")
        return Grid((what, ""), (("holds", held), *self._held().items()), "\n".join(self.cautions))

    def _held(self) -> dict[str, str]:
        """Return texts on the other contents of the table, by name."""
        if self.batch:
            return {}
        shown = zip(self.labels[:MOST_SHOWN].tolist(), self.class_totals[:MOST_SHOWN].tolist(), strict=True)
        more = ["…"] if len(self.labels) > MOST_SHOWN else []
        return {self.classes_noun: ", ".join([*(f"{label}: {count_text(total)}" for label, total in shown), *more])}

    def __repr__(self) -> str:
        many = f"{int(np.prod(self.batch)):,} tables, " if self.batch else ""
        return f"<{type(self).__name__}: {many}{self._contents()}{self._design_text}>"

    @property
    def _design_text(self) -> str:
        """The design as text, printed after the contents; empty for independent cases."""
        words = re.sub(r"(?<=[a-z])([A-Z])", r" \1", type(self.design).__name__).lower()
        return "" if self.design.traits.is_independent else f"; design: {words}"

    def _contents(self) -> str:
        """Return the contents as text, with the number of cases of each class if there are few classes."""
        cases, positive = f"{int(np.sum(self.rows)):,} cases", f"; positive: {self.positive}" if self.positive else ""
        if self.batch or len(self.labels) > MOST_COUNTED or not self.has_one_label_per_case:
            return f"{cases}, {len(self.labels):,} {self.classes_noun}{positive}"
        totals = zip(map(count_text, self.class_totals.tolist()), self.labels.tolist(), strict=True)
        each = (
            f"{total} {label}" if isinstance(label, str) else f"{total} of class {label}" for total, label in totals
        )
        return f"{cases}: {', '.join(each)}{positive}"

    def __str__(self) -> str:
        return repr(self)

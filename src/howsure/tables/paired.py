"""Tables of several models on the same cases, and independent tables combined into one."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.designs.base import quotient
from howsure.designs.separate import Separate
from howsure.designs.sums import added_up
from howsure.errors import HowsureError, listed
from howsure.tables.confusion import ConfusionTable
from howsure.tables.labels import union_of_labels
from howsure.tables.pseudo import pseudo_tuples
from howsure.tables.scores import ScoresTable, two_of_scores, widest_spread
from howsure.tables.table import BLOCK_CELLS, LONG_TABLE, Table
from howsure.tables.triples import each_added_up, merged_pairs, triples
from howsure.tables.union import distinct_rows, places_of_names, places_of_rows, shares_of_rows
from howsure.tables.views import Marginal, Part, SharedPart

Array = NDArray[Any]
FEW_TRIPLES = 2**10  # number of triples of labels up to which joint tables of pairs of models use all triples


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class JointTable(Table, abc.ABC):
    """Table of several models on the same cases, from `paired` or `paired_scores`."""

    names: tuple[str, ...]

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.texts("names", self.names)

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return list(self.names)

    def _held(self) -> dict[str, str]:
        return super()._held() | {"models": ", ".join(self.names)}

    def _contents(self) -> str:
        few = 5
        named = f"models: {', '.join(self.names)}" if len(self.names) <= few else f"{len(self.names)} models"
        return f"{super()._contents()}; {named}"

    @property
    def needs_one_model(self) -> str:
        """Message that a metric needs one model, with the remedy."""
        return (
            f"The table holds {len(self.names)} models. Use `compare`, or take one: `table.model({self.names[0]!r})`."
        )

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """Raise an error, because metrics need one model.

        Raises
        ------
        HowsureError
            Always; the message explains how to select one.
        """
        raise HowsureError(self.needs_one_model)

    def view(self, model: str) -> Marginal | SharedPart:
        """Return the view of one model's table.

        Raises
        ------
        HowsureError
            If there is no such model.
        """
        if str(model) not in self.names:
            raise HowsureError.unknown("model", str(model), self.names)
        return self._views[self.names.index(str(model))]

    def model(self, name: str) -> Table:
        """Return the table of one of the models.

        Parameters
        ----------
        name : str
            Name of the model.
        """
        return self.view(name).table(self)

    def chosen(self, a: str | None, b: str | None) -> tuple[str, str]:
        """Return the names of the two models to compare: the arguments, or the only two models.

        Parameters
        ----------
        a, b : str or None
            Names of the first and the second model.

        Returns
        -------
        tuple of two str

        Raises
        ------
        HowsureError
            If a name is unknown, both are the same, or neither is given for more than two models.
        """
        for name in (a, b):
            if name is not None:
                self.view(name)
        if a is None and b is None and len(self.names) > 2:
            message = (
                f"There are {len(self.names)} models: {listed(self.names)}. "
                "Name two with `a=` and `b=`, or take all pairs with `compare_all`."
            )
            raise HowsureError(message)
        first = a if a is not None else next(name for name in self.names if name != b)
        second = b if b is not None else next(name for name in self.names if name != first)
        if first == second:
            message = f"`a` and `b` are both '{first}'. Name two models: {listed(self.names)}."
            raise HowsureError(message)
        return first, second

    def pair(self, first: str, second: str) -> Self:
        """Return the joint table of two of the models; the table itself if its tuples apply to any two.

        Parameters
        ----------
        first, second : str
            Names of the models.
        """
        for name in (first, second):
            self.view(name)
        return self

    def batches_of_pairs(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[Array, JointTable]]:
        """Yield positions of pairs of models, and their joint tables as one batch of two models.

        Pairs whose joint tables do not share a small set of cells are in no batch; by default these are all pairs.

        Parameters
        ----------
        pairs : sequence of tuple of two str
            Names of the models.
        """
        yield from ()

    def refuse_other_models(self, others: Sequence[Self]) -> None:
        """Refuse tables of other models, or of these in another order."""
        for other in others:
            if other.names != self.names:
                message = (
                    f"The tables are of different models: {listed(self.names)} and {listed(other.names)}. "
                    "Count all parts with the same models, in one order."
                )
                raise HowsureError(message)

    @cached_property
    def _views(self) -> tuple[Marginal | SharedPart, ...]:
        return tuple(self._view(index) for index in range(len(self.names)))

    @abc.abstractmethod
    def _view(self, index: int) -> Marginal | SharedPart: ...


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
    design : Design
        Sampling design of the counts.
    rows : int or ndarray of shape (...)
        Number of cases.
    identity : str
        Identifier that distinguishes its cases from others with equal counts; see `Table`.
    is_ordered : bool, optional
        Whether the order of the classes is stated; see `Table`.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.paired([1, 0, 1], {"A": [1, 0, 0], "B": [1, 1, 1]})
    <PairedTable: 3 cases: 1 of class 0, 2 of class 1; models: A, B>
    """

    codes: Array
    pseudo: Array
    axes: ClassVar[int] = 1
    noun: ClassVar[str] = "paired table"

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        cells = self.shape
        invariants.positions("codes", self.codes, (*cells, 1 + len(self.names)), len(self.labels))
        invariants.numbers("pseudo", self.pseudo, cells)

    @property
    def truth(self) -> Array:
        """Position of the true class of each cell."""
        return np.asarray(self.codes[:, 0])

    @property
    def prior_shares(self) -> Array:
        """Distribution of a prior's mass over the cells; sums to 1."""
        return self.pseudo

    @property
    def shares_of_occurring(self) -> Array:
        """Distribution of pseudo-counts for an average over classes: over tuples of classes with true cases."""
        occurs = self.class_totals > 0
        shares = self.pseudo * occurs[..., self.codes].all(-1)
        total = shares.sum(-1, keepdims=True)
        return np.where(occurs.sum(-1, keepdims=True) > 1, quotient(shares, total), self.pseudo)

    @property
    def prior_shape(self) -> tuple[int, ...]:
        """Shape of one number: the pseudo-count for each cell of each model's own table."""
        return ()

    def spread_prior(self, prior: Array) -> Array:
        """Return the pseudo-counts by cell."""
        return self.pseudo * prior * len(self.labels) ** 2

    @property
    def draws_at_once(self) -> int:
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
        joint = self.design.merged(cell, len(first_of))
        counts = added_up(self.counts, cell, len(first_of))
        pseudo = np.bincount(cell, self.pseudo, len(first_of))
        return replace(self, counts=counts, names=(first, second), codes=chosen[first_of], pseudo=pseudo, design=joint)

    def batches_of_pairs(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[Array, PairedTable]]:
        """Yield batches of pairs over all triples of labels if these are few; see the base class."""
        size = len(self.labels)
        if size**3 > FEW_TRIPLES or self.batch or not self.design.offers("merged_each"):
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
                    design=self.design.merged_each(cells, size**3),
                ),
            )

    def spanning(self, others: Sequence[PairedTable]) -> PairedTable:
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

    def places_in(self, whole: PairedTable) -> Array:
        """Return the position of each tuple in a table that has it."""
        return places_of_rows(self.codes_among(whole.labels), whole.codes)

    def _view(self, index: int) -> Marginal:
        size = len(self.labels)
        empty = ConfusionTable(counts=np.zeros((size, size)), labels=self.labels, is_ordered=self.is_ordered)
        return Marginal(empty, self.codes[:, 0] * size + self.codes[:, index + 1])


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PairedScoresTable(JointTable):
    """Counts of the tuples of several models' scores that occur, by true class.

    Parameters
    ----------
    counts : ndarray of shape (..., M, 2)
        Negative and positive cases with each tuple.
    labels : ndarray of shape (2,)
        The negative and the positive class.
    names : tuple of str
        The models.
    codes : ndarray of shape (M, models)
        The tuples, as positions among each model's distinct scores.
    scores : tuple of ndarray of shape (scores of a model,)
        Each model's distinct scores, ascending.
    limits : tuple of tuple of two float
        Smallest and largest score of each model in all groups, where these are the cases of one; by default those of
        the table.
    spreads : tuple of ndarray of shape (scores of a model,), or None
        Width of the bins of each model's scores, if an engine counted the scores in bins.
    design : Design
        Sampling design of the counts.
    rows : int or ndarray of shape (...)
        Number of cases.
    identity : str
        Identifier that distinguishes its cases from others with equal counts; see `Table`.
    is_ordered : bool, optional
        Whether the order of the classes is stated; see `Table`.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.paired_scores([1, 0, 1], {"A": [0.7, 0.2, 0.4], "B": [0.6, 0.5, 0.9]})
    <PairedScoresTable: 3 cases: 1 of class 0, 2 of class 1; models: A, B>
    """

    codes: Array
    scores: tuple[Array, ...]
    limits: tuple[tuple[float, float], ...] = ()
    spreads: tuple[Array | None, ...] = ()
    holds: ClassVar[tuple[str, ...]] = ("scores",)
    noun: ClassVar[str] = "paired table of scores"
    why_undefined: ClassVar[str] = "undefined: one of the classes has no case"

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.names("labels", self.labels, 2)
        invariants.parts("scores", self.scores, np.ndarray, len(self.names))
        invariants.array("counts", self.counts, (*self.batch, len(self.codes), 2))
        invariants.array("codes", self.codes, (None, len(self.names)), invariants.WHOLE)
        for index, known in enumerate(self.scores):
            invariants.ascending("scores", known)
            invariants.positions("codes", self.codes[:, index], (None,), len(known))
        invariants.parts("limits", self.limits or ((),), tuple, len(self.names) if self.limits else 1)
        for ends in self.limits:
            invariants.limits("limits", ends)
        invariants.parts("spreads", self.spreads or (None,), object, len(self.names) if self.spreads else 1)
        for spread, known in zip(self.spreads, self.scores, strict=False):
            if spread is not None:
                invariants.numbers("spreads", spread, known.shape)

    @property
    def truth(self) -> Array:
        """Position of the true class of each cell."""
        return np.tile([0, 1], len(self.codes))

    @property
    def smallest_block(self) -> int:
        """Smallest number of tables to draw at once."""
        return 4 if np.prod(self.shape) < LONG_TABLE else 1

    def spanning(self, others: Sequence[PairedScoresTable]) -> PairedScoresTable:
        """Return a table, of no case, of the scores and tuples of this and other tables."""
        self.refuse_other_models(others)
        parts = [self, *others]
        scores = tuple(np.unique(np.concatenate(each)) for each in zip(*(part.scores for part in parts), strict=True))
        codes = distinct_rows(*(each.codes_among(scores) for each in parts))
        ends = np.array([each.ends for each in parts])
        limits = tuple(zip(ends[..., 0].min(0).tolist(), ends[..., 1].max(0).tolist(), strict=True))
        return PairedScoresTable(
            counts=np.zeros((len(codes), 2)),
            labels=two_of_scores(parts),
            is_ordered=self.is_ordered,
            names=self.names,
            codes=codes,
            scores=scores,
            limits=limits,
            spreads=tuple(
                widest_spread(known, [(part.scores[at], part.spreads[at] if part.spreads else None) for part in parts])
                for at, known in enumerate(scores)
            ),
        )

    def codes_among(self, scores: tuple[Array, ...]) -> Array:
        """Return the tuples as positions among other scores of each model, which include those of the table."""
        columns = zip(scores, self.scores, self.codes.T, strict=True)
        return np.stack([np.searchsorted(known, own)[code] for known, own, code in columns], 1)

    def places_in(self, whole: PairedScoresTable) -> Array:
        """Return the flat cell of each tuple and class in a table that has the tuples."""
        rows = places_of_rows(self.codes_among(whole.scores), whole.codes)
        return (2 * rows[:, None] + np.arange(2)).ravel()

    def within(self, whole: PairedScoresTable) -> PairedScoresTable:
        """Return the table with each model's smallest and largest score of all groups."""
        return replace(self, limits=whole.ends)

    @property
    def ends(self) -> tuple[tuple[float, float], ...]:
        """Smallest and largest score of each model, over all groups if the table is one of them."""
        return self.limits or tuple((float(each[0]), float(each[-1])) for each in self.scores)

    def _scores_of(self, name: str) -> ScoresTable:
        return ScoresTable.required(self.model(name), "This is no table of scores.")

    def at(self, threshold: float) -> PairedTable:
        """Return the paired table of the predictions at a threshold: positive when the score is at least it.

        Parameters
        ----------
        threshold : float
            Threshold in the units of the scores; the same for all models.

        Raises
        ------
        HowsureError
            If the threshold is not a number, or is outside [0, 1] while all scores are inside.

        Examples
        --------
        >>> import howsure as hs
        >>> table = hs.paired_scores([1, 0, 1], {"A": [0.7, 0.2, 0.4], "B": [0.6, 0.5, 0.9]})
        >>> hs.estimate(table.at(0.5).model("B"), "recall").value
        1.0
        """
        for name in self.models:
            self._scores_of(name).at(threshold)  # refuses a threshold that is none of its scores
        number = float(threshold)
        said = np.stack([each[code] >= number for each, code in zip(self.scores, self.codes.T, strict=True)], 1) * 1
        rows = np.stack([np.column_stack([np.full(len(said), true), said]) for true in range(2)], 1)
        possible = pseudo_tuples(2, len(self.names))
        every = np.vstack([rows.reshape(-1, rows.shape[-1]), possible])
        tuples, place = np.unique(every, axis=0, return_inverse=True)
        cell, pseudo = np.split(place.ravel(), [rows.shape[0] * 2])
        return PairedTable(
            counts=added_up(self.cells, cell, len(tuples)),
            labels=self.labels,
            names=self.names,
            codes=tuples,
            pseudo=np.bincount(pseudo, minlength=len(tuples)) / len(pseudo),
            design=self.design.merged(cell, len(tuples)).bound(tuples[:, 0]),
            rows=self.rows,
            identity=self.identity_of(number),
            is_ordered=self.is_ordered,
        )

    def _view(self, index: int) -> Marginal:
        score = self.scores[index]
        limits = self.limits[index] if self.limits else None
        spread = self.spreads[index] if self.spreads else None
        counts = np.zeros((len(score), 2))
        own: dict[str, Any] = {"labels": self.labels, "is_ordered": self.is_ordered}
        empty = ScoresTable(counts=counts, scores=score, limits=limits, spread=spread, **own)
        return Marginal(empty, 2 * self.codes[:, index, None] + np.arange(2))


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
    axes: ClassVar[int] = 1
    noun: ClassVar[str] = "pair of separate tables"
    has_one_cell_per_case: ClassVar[bool] = False

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
    def has_values(self) -> bool:
        """Whether each cell has a number, that is, whether all tables are tables of values."""
        return all(each.has_values for each in self.tables)

    @property
    def has_sample_variance(self) -> bool:
        """Whether squares are divided by the number of cases minus 1, which requires it of all tables."""
        return all(each.has_sample_variance for each in self.tables)

    @property
    def truth(self) -> Array:
        """Position of the true class of each cell in its table."""
        return np.concatenate([each.truth for each in self.tables])

    @property
    def prior_shares(self) -> Array:
        """Distribution of a prior's mass over the cells: sums to 1 for each of the tables."""
        return np.concatenate([each.prior_shares.ravel() for each in self.tables])

    @property
    def shares_of_occurring(self) -> Array:
        """Distribution of pseudo-counts for an average over classes: in each table's own way."""
        tables = [view.table(self) for view in self.views]
        shape = [(*self.batch, *each.shape) for each in tables]
        own = [np.broadcast_to(each.shares_of_occurring, size) for each, size in zip(tables, shape, strict=True)]
        return np.concatenate([each.reshape(*self.batch, -1) for each in own], -1)

    @property
    def default_prior(self) -> Array:
        """Pseudo-cases of each table's own default prior."""
        return np.concatenate([each.default_prior.ravel() for each in self.tables])

    def pseudo_cases(self, size: int, rng: np.random.Generator) -> Array:
        """Return the pseudo-counts of each table for each draw."""
        drawn = [each.pseudo_cases(size, rng) for each in self.tables]
        return np.concatenate([np.broadcast_to(each, (size, each.shape[-1])) for each in drawn], -1)

    @cached_property
    def views(self) -> tuple[Part, ...]:
        """Views of the tables."""
        starts = np.cumsum([0, *(int(np.prod(each.shape)) for each in self.tables)])
        return tuple(Part(each, int(start)) for each, start in zip(self.tables, starts[:-1], strict=True))


def paired_table(table: object, verb: str) -> JointTable:
    """Return a table of several models unchanged; refuse other tables.

    Parameters
    ----------
    table : Table
        Table from `paired` or `paired_scores`.
    verb : str
        The function that needs it.

    Raises
    ------
    HowsureError
        If the table has one model, or the argument is not a table.
    """
    if isinstance(table, JointTable):
        return table
    message = (
        f"Only a paired table has several models, as `{verb}` needs them: make one with "
        "`paired(y_true, {'A': …, 'B': …})`."
    )
    raise HowsureError(message)

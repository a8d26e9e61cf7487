"""Base class of tables of several models on the same cases."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.errors import HowsureError, listed, refuse_results
from howsure.tables.marginals import Marginal, SharedPart
from howsure.tables.table import Table


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
            f"The table holds {len(self.names)} models. Use `compare`, `leaderboard` or `evaluate_models`, or take "
            f"one: `table.model({self.names[0]!r})`."
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
            raise HowsureError(
                f"There are {len(self.names)} models: {listed(self.names)}. "
                "Name two with `a=` and `b=`, or take all pairs with `compare_all`."
            )
        first = a if a is not None else next(name for name in self.names if name != b)
        second = b if b is not None else next(name for name in self.names if name != first)
        if first == second:
            raise HowsureError(f"`a` and `b` are both '{first}'. Name two models: {listed(self.names)}.")
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
                raise HowsureError(
                    f"The tables are of different models: {listed(self.names)} and {listed(other.names)}. "
                    "Count all parts with the same models, in one order."
                )

    @cached_property
    def _views(self) -> tuple[Marginal | SharedPart, ...]:
        return tuple(self._view(index) for index in range(len(self.names)))

    @abc.abstractmethod
    def _view(self, index: int) -> Marginal | SharedPart: ...


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
    refuse_results(table, verb, "a table of several models")
    raise HowsureError(
        f"Only a paired table has several models, as `{verb}` needs them: make one with "
        "`paired(y_true, {'A': …, 'B': …})`, or from published counts with `paired_counts([[both, only_a], [only_b, "
        "neither]])`."
    )

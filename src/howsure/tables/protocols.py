"""Optional members of tables, each in a protocol of one subject, and their defaults for tables without it.

A kind of table defines the members that apply to it, without inheriting anything. Callers use the functions, never the
class of a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import safe_divide
from howsure.designs.two_level import TwoLevel
from howsure.errors import HowsureError, UndefinedDesignError

Some = TypeVar("Some", bound=Any)  # a table
BLOCK_CELLS = 2**17  # of the tables drawn at once: 1 MiB
SMALLEST_BLOCK = 32
LONG_TABLE = 2**22  # cells, from which on a block is one table


@runtime_checkable
class Listed(Protocol):
    """Protocol of tables that `evaluate` takes without a list of metrics."""

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""


@runtime_checkable
class Blocked(Protocol):
    """Protocol of tables with another number of tables in a block than their number of cells implies."""

    @property
    def block_size(self) -> int:
        """Number of tables to draw at once."""


@runtime_checkable
class Weighed(Protocol):
    """Protocol of tables whose cells do not count their cases."""

    @property
    def cases_per_count(self) -> Array:
        """Number of cases per sampled count of 1, ``(...)``."""


@runtime_checkable
class Spanning(Protocol):
    """Protocol of tables that add up."""

    def with_all_classes(self, others: object) -> Any:
        """Return a table without cases over the cells of this and other tables of its kind."""


@runtime_checkable
class Positioned(Protocol):
    """Protocol of tables whose cells have another position in a table with more classes, scores or tuples."""

    def cell_positions(self, whole: object) -> Array:
        """Return the position of each flat cell in a table from `with_all_classes`, ``(cells,)``."""


@runtime_checkable
class Limited(Protocol):
    """Protocol of tables with limits, such as those of scores, that parts take from the table of all cases."""

    def with_limits_of(self, whole: object) -> Any:
        """Return the table with the limits of the table of all cases."""


@runtime_checkable
class Collapsible(Protocol):
    """Protocol of tables with a table of sums of their cells, for metrics that use these sums only."""

    def collapse_cells(self, codes: Array) -> Any:
        """Return the table after summing cells with the same code, 0 … B−1; see `collapse_cells`."""


@runtime_checkable
class AgainstRest(Protocol):
    """Protocol of tables with a 2×2 table of one class against all others."""

    def one_against_rest(self, index: int) -> Any:
        """Return the 2×2 table of one class against all others, or None if it is not defined."""


@runtime_checkable
class EachAgainstRest(Protocol):
    """Protocol of tables with the 2×2 tables of several classes as a batch."""

    def each_against_rest(self, indices: Array) -> Any:
        """Return the tables of several classes against all others as a batch, or None if they are not defined."""


@runtime_checkable
class ScoresByClass(Protocol):
    """Protocol of scores of many classes, with a table of scores of one class against the rest."""

    labels: Array

    def against_rest(self, label: object) -> Any:
        """Return the table of scores of one class against the rest."""


@runtime_checkable
class Units(Protocol):
    """Protocol of tables that count weighted units, such as images, in a cell of their own."""

    def unit_weights(self, cells: Array) -> Array | None:
        """Return the weight of each unit, from its cells, ``(units, cells)``; None if all weights are equal."""


@runtime_checkable
class Comparable(Protocol):
    """Protocol of tables that can be compared with the table of another test set."""

    def incompatibility(self, other: object) -> str:
        """Return why a table of the same kind cannot be compared, and what to do; empty if it can."""


def default_metrics(table: object) -> tuple[str, ...]:
    """Return the metrics that `evaluate` reports when none are named; none by default."""
    return table.default_metrics if isinstance(table, Listed) else ()


def block_size(table: Any) -> int:
    """Return how many tables to draw at once, so that they fit in the processor's cache."""
    return table.block_size if isinstance(table, Blocked) else tables_in_block(table.shape, SMALLEST_BLOCK)


def tables_in_block(shape: tuple[int, ...], smallest: int) -> int:
    """Return how many tables to draw at once, so that they fit in the processor's cache; at least the smallest."""
    return max(smallest, BLOCK_CELLS // int(np.prod(shape)))


def smallest_block(shape: tuple[int, ...]) -> int:
    """Return the smallest number of tables of scores to draw at once: one, if it has millions of cells."""
    return 4 if np.prod(shape) < LONG_TABLE else 1


def cases_per_count(table: Any) -> Array:
    """Return the number of cases per sampled count of 1, ``(...)``: 1 divided by the mean weight."""
    if isinstance(table, Weighed):
        return table.cases_per_count
    levels = TwoLevel.of(table.design)
    observed = levels.observed_cells(table.cells) * levels.expand_to_observed(np.ones(table.cells.shape[-1]))
    labels_per_case = 1 if table.kind.has_one_label_per_case else len(table.labels)
    return safe_divide(labels_per_case * np.asarray(table.rows), observed.sum(-1))


def effective_sample_size(table: Any, trials: Array) -> Array:
    """Return the Kish effective sample size of the selected cells of a table."""
    return np.asarray(table.design.effective_sample_size(table.cells, np.asarray(trials).reshape(-1)))


def span(first: Some, others: Sequence[Some]) -> Some:
    """Return a table without cases over the cells of several tables of one kind.

    Raises
    ------
    HowsureError
        If such tables do not add up.
    """
    if isinstance(first, Spanning):
        spanning: Some = first.with_all_classes(others)
        return spanning
    raise HowsureError(f"A {first.kind.noun} does not add up with another. Add its parts, or count all cases at once.")


def cell_positions(part: Any, whole: Any) -> Array:
    """Return the position of each flat cell of a table in one from `span`; by default the same."""
    return part.cell_positions(whole) if isinstance(part, Positioned) else np.arange(int(np.prod(part.shape)))


def with_limits_of(part: Some, whole: Some) -> Some:
    """Return the table of a group with the limits of the table of all cases, if it has limits."""
    limited: Some = part.with_limits_of(whole) if isinstance(part, Limited) else part
    return limited


def collapse_cells(table: Any, codes: Array) -> Any:
    """Return the table after summing cells with the same code.

    Raises
    ------
    UndefinedDesignError
        If there is no such table of this kind, or its design is not defined for it.
    """
    if isinstance(table, Collapsible):
        return table.collapse_cells(codes)
    raise UndefinedDesignError(type(table.design).__name__, "cells put together")


def one_against_rest(table: object, index: int) -> Any:
    """Return the 2×2 table of one class against all others, or None if it is not defined."""
    return table.one_against_rest(index) if isinstance(table, AgainstRest) else None


def each_against_rest(table: object, indices: Array) -> Any:
    """Return the 2×2 tables of several classes as a batch, or None if they are not defined."""
    return table.each_against_rest(indices) if isinstance(table, EachAgainstRest) else None


def unit_weights(table: object, cells: Array) -> Array | None:
    """Return the weight of each unit, from its cells, ``(units, cells)``; None if all weights are equal."""
    return table.unit_weights(cells) if isinstance(table, Units) else None


def incompatibility(first: Any, second: Any) -> str:
    """Return why tables of two test sets cannot be compared, and what to do; empty if they can."""
    if type(first) is type(second) and isinstance(first, Comparable):
        return first.incompatibility(second)
    if type(first) is type(second):
        return (
            f"A comparison of two test sets takes no {first.kind.noun}. Make tables of predictions, `confusion(y_true, "
            "y_pred)`, or of the scores of one class, `scores(y_true == 'a', score)`."
        )
    return f"These are a {first.kind.noun} and a {second.kind.noun}. Give two tables of one kind, each of one model."

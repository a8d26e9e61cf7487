"""The sum of tables: all experiments as one test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from howsure.designs.clustering import Clustering
from howsure.errors import HowsureError, several
from howsure.tables.addition import add_tables
from howsure.tables.table import Table, require_table

Added = TypeVar("Added", bound=Table)


def pool_tables(tables: Sequence[Added] | Mapping[Any, Added]) -> Added:
    """Return the sum of tables of the same classes and design: their cases as one test set.

    The sum is valid for the folds of one cross-validation, where each case is tested once. If each experiment has its
    own true value, the sum ignores the variation between them; use `pool` instead.

    Parameters
    ----------
    tables : sequence of Table, or mapping to Table
        Confusion tables or multilabel tables with the same classes in the same order. Cases and clusters of different
        tables are treated as distinct, even if clusters have the same name; ``+`` treats equal names as one cluster.

    Returns
    -------
    Table
        Of the same kind, with the design of the sum.

    Raises
    ------
    HowsureError
        If there is no table, if their kinds, classes or designs differ, or if the design is not defined for sums.

    Examples
    --------
    >>> import howsure as hs
    >>> folds = [hs.from_counts([[9, 1], [2, 8]]), hs.from_counts([[10, 0], [1, 9]])]
    >>> hs.pool_tables(folds).counts.tolist()
    [[19.0, 1.0], [3.0, 17.0]]
    """
    message = "`pool_tables` takes tables, as `confusion` and `from_counts` make them, in a list or by name."
    listed = list(tables.values()) if isinstance(tables, Mapping) else several("tables", tables, "tables")
    for each in listed:
        require_table(Table, each, message)
    if not listed:
        raise HowsureError("There is no table to pool. Give at least one.")
    for number, table in enumerate(listed, start=1):
        _refuse_different(number, table, listed[0])
    first, *others = (replace(table, design=Clustering.of(table.design).with_unshared_units()) for table in listed)
    return add_tables(first, others)


def _refuse_different(number: int, table: Table, first: Table) -> None:
    if not table.kind.adds_up:
        raise HowsureError(
            f"Table {number} is a {table.kind.noun}: only tables of predicted classes add up cell by cell."
        )
    if type(table) is not type(first) or table.labels.tolist() != first.labels.tolist():
        raise HowsureError(
            f"Table {number} has the classes {_listed(table)}, the first has {_listed(first)}. "
            "Give all the same `labels=`."
        )
    if type(table.design) is not type(first.design):
        raise HowsureError(
            f"Table {number} has the design {type(table.design).__name__}, the first {type(first.design).__name__}. "
            "Pool tables of one design."
        )


def _listed(table: Table) -> str:
    return ", ".join(map(str, table.labels.tolist()))

"""Cases counted by the distinct combinations of one or several numbers, for any kind of evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.sources.beside import Beside
from howsure.sources.counted_values import counted_units
from howsure.sources.crossed import drawn_anew
from howsure.sources.frames import columns as columns_of, expanded, weight_or_counts
from howsure.sources.groups import by_columns, roles
from howsure.sources.values import finite_numbers, number_column
from howsure.tables.union import distinct_rows, places_of_rows
from howsure.tables.values import CasesTable

Kind = TypeVar("Kind", bound=CasesTable)


def count_cases(
    kind: type[CasesTable],
    columns: Mapping[str, Any],
    *,
    data: object = None,
    sample_weight: object = None,
    counts: object = None,
    groups: object = None,
    fixed: str | None = None,
    by: object = None,
    check: bool = True,
) -> Any:
    """Count cases by the distinct combinations of numbers, as a table of a kind of evidence of your own.

    Parameters
    ----------
    kind : type of CasesTable
        The class of the tables.
    columns : mapping of str to array-like of shape (n,) or str
        The column of each number of the class; or, with ``data``, its name. For several models on the same cases, a
        mapping from model name to column in place of the columns that differ between models.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row; 1 by default.
    groups : array-like of shape (n,), str, or two of them, optional
        Cluster of each case: cases of one cluster may be correlated. Two crossed factors are a list of two columns or a
        mapping of them by name.
    fixed : str, optional
        One of two factors, whose levels a new study would keep: only those of the other are drawn anew.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    CasesTable, PairedValuesTable or Tables
        The table of the class; for several models a joint table, where ``table.model("A")`` is the table of one. If
        ``by`` is given, a mapping of the group tables, where ``overall`` is the table of all cases.

    Raises
    ------
    HowsureError
        If columns differ in length, are empty, or hold a number that is missing or not finite; or if the models of two
        columns differ.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.kinds.count_cases(hs.tables.ValuesTable, {"values": [2.5, 0.5, 2.5]})
    >>> table.columns, table.combinations.tolist(), table.counts.tolist()
    (('values',), [[0.5], [2.5]], [1.0, 2.0])
    """
    if not (isinstance(kind, type) and issubclass(kind, CasesTable)):
        raise HowsureError(f"`kind` is {kind!r}. Give a class of tables that is a subclass of `hs.kinds.CasesTable`.")
    if not isinstance(columns, Mapping):
        raise HowsureError(f"`columns` is a {type(columns).__name__}. Give a mapping from name to column.")
    groups = drawn_anew(groups, fixed, data)
    models = _models(columns)
    asked = {
        role: column[model] if isinstance(column, Mapping) else column
        for model in models
        for name, column in columns.items()
        for role in [_role(name, column, model)]
    }
    named = by_columns(by, data)
    weight_or_counts(sample_weight, counts)
    others = {"sample_weight": sample_weight, "counts": counts, "groups": groups} | roles(named)
    given = columns_of(data, asked | {role: each for role, each in others.items() if each is not None}, check=check)
    given = expanded(given)
    numbers = {role: number_column(role, given[role]) for role in asked}
    beside = Beside.of(given, list(named), numbers)
    numbers = {role: finite_numbers(role, column, None) for role, column in numbers.items()}

    def table(some: Any) -> Any:
        own, cells = zip(
            *(
                _cells(kind, {name: numbers[_role(name, column, model)][some] for name, column in columns.items()})
                for model in models
            ),
            strict=True,
        )
        weight, cluster, clusters_named = beside.of_rows(some)
        names = tuple(map(str, models)) if models != (None,) else ()
        return counted_units(names, own, cells, weight, cluster, clusters_named=clusters_named)

    return beside.tables(list(named), table)


def _models(columns: Mapping[str, object]) -> tuple[Any, ...]:
    """Return the models, the same in every column that differs between models; ``(None,)`` for a single model."""
    found = {name: tuple(column) for name, column in columns.items() if isinstance(column, Mapping)}
    if not found:
        return (None,)
    models = next(iter(found.values()))
    for name, each in found.items():
        if each != models or len(models) < 2:
            raise HowsureError(
                f"`{name}` is of the models {list(each)}. Give two models or more, the same in every column."
            )
    return models


def _role(name: str, column: object, model: object) -> str:
    """Return the name of a model's column in messages."""
    return f"{name}[{str(model)!r}]" if isinstance(column, Mapping) else name


def _cells(kind: type[Kind], columns: Mapping[str, Array]) -> tuple[Kind, Array]:
    """Return an empty table of the combinations that occur, and the cell of each case."""
    rows = np.stack(list(columns.values()), 1)
    cells = distinct_rows(rows)
    parts = dict(zip(columns, np.ascontiguousarray(cells.T), strict=True))
    return kind(counts=np.zeros(len(cells)), rows=0, **parts), places_of_rows(rows, cells)

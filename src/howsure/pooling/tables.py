"""The sum of tables: all experiments as one test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from howsure.designs.base import Design
from howsure.designs.clusters import Clusters
from howsure.designs.counted import Weighted
from howsure.errors import HowsureError
from howsure.tables.confusion import ConfusionTable
from howsure.tables.multilabel import MultilabelTable
from howsure.tables.table import Table

Array = NDArray[Any]
Pooled = TypeVar("Pooled", bound=Table)


def pool_tables(tables: Sequence[Pooled]) -> Pooled:
    """Return the sum of tables of the same classes and design: their cases as one test set.

    Right for the folds of one cross-validation, where each case is tested once. Where each experiment has a true
    value of its own the sum takes the scatter between them for none: then use `pool`.

    Parameters
    ----------
    tables
        Tables of one kind with the same classes in the same order. Clusters are taken to be distinct from table to
        table.

    Raises
    ------
    HowsureError
        If there is no table, or their kinds, classes or designs differ.

    Examples
    --------
    >>> import howsure as hs
    >>> folds = [hs.from_counts([[9, 1], [2, 8]]), hs.from_counts([[10, 0], [1, 9]])]
    >>> hs.pool_tables(folds).counts.tolist()
    [[19.0, 1.0], [3.0, 17.0]]
    """
    if not tables:
        message = "There is no table to pool. Give at least one."
        raise HowsureError(message)
    first = tables[0]
    for number, table in enumerate(tables, start=1):
        if not isinstance(table, ConfusionTable | MultilabelTable):
            message = f"Table {number} is a {table.noun}: only confusion tables add up cell by cell."
            raise HowsureError(message)
        if type(table) is not type(first) or table.labels.tolist() != first.labels.tolist():
            message = (
                f"Table {number} has the classes {_listed(table)}, the first has {_listed(first)}. "
                "Give all the same `labels=`."
            )
            raise HowsureError(message)
        if type(table.design) is not type(first.design):
            message = (
                f"Table {number} has the design {type(table.design).__name__}, the first "
                f"{type(first.design).__name__}. Pool tables of one design."
            )
            raise HowsureError(message)
    counts = np.sum([table.counts for table in tables], axis=0)
    return replace(first, counts=counts, design=_design(tables), rows=sum(table.rows for table in tables))


def _listed(table: Table) -> str:
    return ", ".join(map(str, table.labels.tolist()))


def _design(tables: Sequence[Table]) -> Design:
    designs = [table.design for table in tables]
    weighted = [each for each in designs if isinstance(each, Weighted)]
    if weighted:
        atoms = [each.atoms for each in weighted if each.atoms is not None]
        joined = tuple(np.concatenate(part) for part in zip(*atoms, strict=True))
        squared = np.sum([each.weight_squared for each in weighted], axis=0)
        return Weighted(squared, (joined[0], joined[1], joined[2]) if len(atoms) == len(weighted) else None)
    clustered = [each for each in designs if isinstance(each, Clusters)]
    if clustered:
        starts = np.cumsum([0, *(len(each.multiplicity) for each in clustered[:-1])])
        return Clusters(
            np.concatenate([each.cluster + start for each, start in zip(clustered, starts, strict=True)]),
            np.concatenate([each.cell for each in clustered]),
            np.concatenate([each.count for each in clustered]),
            np.concatenate([each.multiplicity for each in clustered]),
        )
    return designs[0]

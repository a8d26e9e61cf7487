"""Conversion of arguments to tables: matrices of counts are accepted, other objects give a helpful error."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError, real_numbers, refuse_results
from howsure.estimates.estimate import Estimate
from howsure.sources.matrices import from_counts
from howsure.tables.batch import Tables
from howsure.tables.table import Table


def coerce_table(counts_or_table: Any, verb: str) -> Table | Tables[Any]:
    """Return a table or the tables of groups unchanged, or the table made from a matrix of counts.

    Raises
    ------
    HowsureError
        If the argument is something else; the message states how to make a table from it.
    """
    if isinstance(counts_or_table, Table | Tables):
        return counts_or_table
    if (
        isinstance(counts_or_table, Mapping)
        and counts_or_table
        and all(isinstance(each, Table) for each in counts_or_table.values())
    ):
        raise HowsureError(
            f"`{verb}` takes one table, or the tables of groups that `by=` gives. Make them with "
            f"`confusion(y_true, y_pred, by=…)`, or call `{verb}` on each of these {len(counts_or_table)}."
        )
    if (
        isinstance(counts_or_table, str | Path)
        or hasattr(counts_or_table, "columns")
        or isinstance(counts_or_table, Mapping)
    ):
        raise HowsureError(
            f"`{verb}` takes a table of counts. Make one from the columns: "
            f"`hs.{verb}(hs.confusion('label', 'prediction', data=…), …)`."
        )
    refuse_results(counts_or_table, verb)
    if _is_matrix(counts_or_table):
        table: Table | Tables[Any] = from_counts(counts_or_table)
        return table
    if isinstance(counts_or_table, Estimate):
        raise HowsureError(
            f"`{verb}` takes a table of counts, and an Estimate is a result. Give `method` and other arguments "
            "to the function that made it, such as `hs.proportion(81, 263, method='wilson')`."
        )
    raise HowsureError(
        f"`{verb}` takes a table of counts. Make one first: `hs.{verb}(hs.confusion(y_true, y_pred), …)`."
    )


def _is_matrix(counts_or_table: object) -> bool:
    """Return whether the argument has the shape of a confusion matrix, or of a stack of them."""
    try:
        array = real_numbers("counts", counts_or_table)
    except HowsureError:
        return False
    return array.ndim in {2, 3} and array.shape[-1] == array.shape[-2]

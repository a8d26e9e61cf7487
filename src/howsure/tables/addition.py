"""Sums and batches of tables: parts of the same data that were counted separately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from howsure.designs.algebra import Algebra
from howsure.designs.cell_sums import added_up
from howsure.errors import HowsureError, UndefinedDesignError
from howsure.tables.protocols import cell_positions, span
from howsure.tables.union import identity_of_sum

Some = TypeVar("Some", bound=Any)  # a table


def add_tables(first: Some, others: Sequence[Any]) -> Some:
    """Return the sum of tables: see ``+``.

    Parameters
    ----------
    first : Table
        The first table.
    others : sequence of Table
        Tables of the same kind and design, from other cases.
    """
    parts = [first]
    for other in others:
        if type(other) is not type(first):
            raise HowsureError(
                f"A {first.kind.noun} and a {other.kind.noun} do not add up. Add parts counted in the same way."
            )
        if type(other.design) is not type(first.design):
            raise HowsureError(
                f"Tables of the designs `{type(first.design).__name__}` and `{type(other.design).__name__}` do not "
                "add up. Give all parts weights, groups and methods alike, or none."
            )
        if other.identity in {each.identity for each in parts}:
            raise HowsureError("The tables are of the same cases, which would count twice. Add tables of other cases.")
        parts.append(other)
    return sum_over(span(first, parts[1:]), parts)


def sum_over(empty: Some, parts: Sequence[Some]) -> Some:
    """Return the sum of tables over the cells of an empty table.

    Parameters
    ----------
    empty : Table
        A table without cases, from `span`.
    parts : sequence of Table
        Tables whose cells it has; without leading axes.
    """
    if any(each.batch for each in parts):
        raise HowsureError("Tables with leading axes add up by their groups' keys: add the `Tables` that they come in.")
    size = int(np.prod(empty.shape))
    codes = [cell_positions(each, empty) for each in parts]
    pairs = list(zip(parts, codes, strict=True))
    counts = np.sum([added_up(each.cells, code, size) for each, code in pairs], axis=0)
    try:
        collapsed = [each.design.collapse_cells(code, size) for each, code in pairs]
        first, *others = (Algebra.of(Algebra.of(each).with_true_classes(empty.true_class)) for each in collapsed)
        design = first.add_tables(others)
    except UndefinedDesignError:
        raise HowsureError(
            f"Tables with the design `{type(parts[0].design).__name__}` do not add up. Make one table of all "
            "cases, or pool the estimates with `pool`."
        ) from None
    rows, identity = sum(each.rows for each in parts), identity_of_sum([each.identity for each in parts])
    return replace(empty, counts=counts.reshape(empty.shape), design=design, rows=rows, identity=identity)


def stack_tables(tables: Sequence[Some]) -> Some:
    """Return a batch of tables over the same cells.

    Raises
    ------
    UndefinedDesignError
        If their design is not defined for a batch.
    """
    first, *others = (Algebra.of(each.design) for each in tables)
    design = first.stack_tables(others, int(np.prod(tables[0].shape)))
    rows = np.array([each.rows for each in tables])
    identity = identity_of_sum([each.identity for each in tables])
    counts = np.stack([each.counts for each in tables])
    return replace(tables[0], counts=counts, design=design, rows=rows, identity=identity)

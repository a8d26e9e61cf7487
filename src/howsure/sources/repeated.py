"""Values that are constant within a unit with several rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.sources.encoding import Column


def first_rows(argument_name: str, unit: Array, names: Array, columns: Mapping[str, Array | None]) -> Array:
    """Return the first row of each unit; refuse units with several values of a unit-level column.

    Parameters
    ----------
    argument_name : str
        Name of a unit in errors.
    unit : ndarray of shape (n,)
        Position of the unit of each row; every unit occurs.
    names : ndarray
        Names of the units.
    columns : mapping of str to ndarray of shape (n,)
        The unit-level columns by role; None if absent.
    """
    first = np.empty(len(names), dtype=np.intp)
    first[unit[::-1]] = np.arange(len(unit))[::-1]
    for what, each in columns.items():
        if each is not None and (each != each[first][unit]).any():
            other = names.tolist()[unit[np.flatnonzero(each != each[first][unit])[0]]]
            raise HowsureError(
                f"The {argument_name} {other!r} has several values of `{what}`. Give all its rows the same."
            )
    return first


def as_met(column: Column) -> tuple[Array, Array]:
    """Return each row's model index, and the models in order of first appearance."""
    codes = np.asarray(column.codes, dtype=np.int64) - column.offset
    used, place = np.unique(codes, return_inverse=True)
    return place.ravel(), column.levels[used]


def names_of_models(models: Array) -> tuple[str, ...]:
    """Return the models' names; refuse a single one."""
    names = tuple(str(each) for each in models.tolist())
    if len(names) == 1:
        raise HowsureError(
            f"`model` names one model only, {names[0]!r}. Leave `model` out, or add the rows of another."
        )
    return names

"""Two crossed factors in ``groups``, such as readers and cases, as one column of their combinations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from howsure.arrays import Array
from howsure.designs.crossed import FACTORS, Combinations
from howsure.errors import HowsureError, one_of
from howsure.sources.columns import refuse_other_lengths
from howsure.sources.encoding import Column, encoded

GROUPS = "groups"
AXES = 2  # of an array with a column for each factor


def drawn_anew(groups: object, fixed: str | None, data: object) -> Any:
    """Return ``groups`` without a factor whose levels a new study would keep.

    Parameters
    ----------
    groups : object
        One column or two.
    fixed : str, optional
        Name of a factor.
    data : object, optional
        The data with the named columns.

    Raises
    ------
    HowsureError
        If there are not two factors, or none of this name.
    """
    if fixed is None:
        return groups
    factors = _factors(groups, data)
    if factors is None:
        raise HowsureError(
            f"`fixed` is {fixed!r}, and `groups` has not two columns. Name both, of which a new study would keep one."
        )
    kept = one_of("factor", fixed, factors)
    return next(column for name, column in factors.items() if name != kept)


def split_factors(names: Mapping[str, object], data: object) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the columns by role, with a role for each of two crossed factors, and the names of the factors.

    Parameters
    ----------
    names : mapping of str
        Role → column, or its name in ``data``; the role ``groups`` may have two of them.
    data : object, optional
        The data with the named columns.

    Raises
    ------
    HowsureError
        If ``groups`` has more than two columns, or names one column twice.
    """
    factors = _factors(names.get(GROUPS), data)
    if factors is None:
        return dict(names), ()
    found: dict[str, Any] = {}
    for role, column in names.items():
        found |= {_role(name): each for name, each in factors.items()} if role == GROUPS else {role: column}
    return found, tuple(factors)


def joined_factors(columns: Mapping[str, object], factors: tuple[str, ...]) -> dict[str, Any]:
    """Return the columns by role, with one column ``groups`` of the combinations of the factors.

    Parameters
    ----------
    columns : mapping of str
        Role → column, with a role for each factor.
    factors : tuple of str
        Names of the factors; none if there is nothing to join.
    """
    if not factors:
        return dict(columns)
    roles = [_role(name) for name in factors]
    coded = [encoded(role, columns[role]) for role in roles]
    refuse_other_lengths({each.name: each for each in coded})
    (first, names), (second, others) = (each.used() for each in coded)
    present, code = np.unique(first * np.int64(len(others)) + second, return_inverse=True)
    levels = np.stack(np.divmod(present, max(len(others), 1)))
    # The levels of a column are indexed, counted and sorted; `Combinations` has what these need of an array.
    pairs = cast("Array", Combinations(levels, (names, others), (factors[0], factors[1])))
    found: dict[str, Any] = {}
    for role, column in columns.items():
        if role not in roles:
            found[role] = column
        elif role == roles[0]:
            found[GROUPS] = Column(GROUPS, pairs, code.ravel())
    return found


def one_column(groups: object) -> Any:
    """Return the column of the combinations of two factors; other columns unchanged."""
    names, factors = split_factors({GROUPS: groups}, None)
    return joined_factors(names, factors)[GROUPS]


def refuse_crossed(names: Array | None, what: str) -> None:
    """Refuse two crossed factors where one column of clusters is supported.

    Parameters
    ----------
    names : ndarray, optional
        Names of the clusters.
    what : str
        Plural noun of what takes one column, which starts the error message.
    """
    if isinstance(names, Combinations):
        raise HowsureError(
            f"{what} take one column of `groups`, not two crossed factors. Name the one with fewer levels."
        )


def _role(factor: str) -> str:
    return f"{GROUPS}[{factor!r}]"


def is_factor(role: str) -> bool:
    """Whether a role of a column is that of one of two crossed factors."""
    return role.startswith(f"{GROUPS}[")


def _factors(groups: object, data: object) -> dict[str, Any] | None:
    """Return the columns of the factors by name; None for one column."""
    found = _named(groups, data)
    if found is None:
        return None
    if len(found) != FACTORS:
        raise HowsureError(
            f"`groups` has {len(found)} columns. Give one, or two whose levels both vary, such as readers and cases."
        )
    return found


def _named(groups: Any, data: object) -> dict[str, Any] | None:
    if isinstance(groups, Mapping):
        return {str(name): column for name, column in groups.items()}
    if isinstance(groups, list | tuple) and data is not None and all(isinstance(each, str) for each in groups):
        if len(set(groups)) < len(groups):
            raise HowsureError(f"`groups` names the column {groups[0]!r} twice. Name it once, or two columns.")
        return {each: each for each in groups}
    if isinstance(groups, list | tuple) and data is None and _are_columns(groups):
        return {str(getattr(each, "name", None) or f"factor {at}"): each for at, each in enumerate(groups, 1)}
    shape: tuple[int, ...] = np.shape(groups) if getattr(groups, "ndim", 1) == AXES else ()
    if len(shape) != AXES or shape[1] < FACTORS:
        return None
    if hasattr(groups, "columns"):
        return {str(name): groups[name] for name in groups.columns}
    return {f"factor {at + 1}": groups[:, at] for at in range(shape[1])}


def _are_columns(groups: list[object] | tuple[object, ...]) -> bool:
    """Whether these are two columns, or more than two arrays, which are refused; others are labels of cases."""
    if len(groups) == FACTORS:
        return all(map(_is_column, groups))
    return len(groups) > FACTORS and all(map(_is_array, groups))


def _is_array(each: object) -> bool:
    """Whether this is an array or a Series, which are no labels of cases."""
    return hasattr(each, "dtype") and len(np.shape(cast("Array", each))) == 1


def _is_column(each: object) -> bool:
    return hasattr(each, "__len__") and not isinstance(each, str | bytes) and not isinstance(each, Mapping)

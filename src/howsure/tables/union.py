"""Union of parts of the same data: classes and groups in one order, and distinct rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, listed

Key = Callable[[Any], Any]
COUNTED = 2**20  # keys below which rows are counted, not sorted
WHOLE_NUMBER = re.compile(r"(?<![.0-9])([0-9]+)")


def in_order(parts: Sequence[Sequence[object]], what: str, remedy: str, key: Key | None = None) -> list[Any]:
    """Return the distinct names of several parts: ascending where all parts are, else in the order of the first.

    Parameters
    ----------
    parts : sequence of sequence
        The names of each part, in its order.
    what, remedy : str
        Noun for the names, and the remedy if parts have them in different orders; used in the error message.
    key : callable, optional
        Sort key; by default the names themselves.

    Raises
    ------
    HowsureError
        If two names are in one order in one part and in the other order in another.

    Examples
    --------
    >>> in_order([["a", "c"], ["b", "c"]], "classes", "")
    ['a', 'b', 'c']
    >>> in_order([["low", "high"], ["low", "high", "huge"]], "classes", "")
    ['low', 'high', 'huge']
    """
    every = list(dict.fromkeys(chain(*parts)))
    if all(list(part) == _ascending(part, key) for part in parts):
        return _ascending(every, key)
    place = {name: position for position, name in enumerate(every)}
    for part in parts:
        if any(place[first] > place[second] for first, second in pairwise(part)):
            raise HowsureError(f"The {what} are in different orders: {listed(parts[0])} and {listed(part)}. {remedy}")
    return every


def _ascending(names: Sequence[object], key: Key | None) -> list[Any]:
    """Return names in order."""
    return [names[place] for place in ascending(names, key)]


def ascending(names: Sequence[Any], key: Key | None = None) -> list[int]:
    """Return the places of names in their order: ascending, or by type and text where they do not compare."""
    keys = names if key is None else [key(name) for name in names]
    try:
        return sorted(range(len(names)), key=keys.__getitem__)
    except TypeError:
        return sorted(range(len(names)), key=lambda place: (type(names[place]).__name__, str(names[place])))


def natural(name: object) -> Any:
    """Return a sort key that orders text by the integers in it, so that chunks of data keep their order in time.

    Digits after a point are decimals and stay text.

    Examples
    --------
    >>> sorted(["week 10", "week 9", "0.5", "0.25"], key=natural)
    ['0.25', '0.5', 'week 9', 'week 10']
    """
    if isinstance(name, tuple):
        return tuple(map(natural, name))
    if not isinstance(name, str):
        return name
    parts: list[Any] = WHOLE_NUMBER.split(name)
    parts[1::2] = [(len(digits), digits) for digits in (each.lstrip("0") for each in parts[1::2])]
    return parts, name


def distinct_and_places(rows: Array) -> tuple[Array, Array]:
    """Return the distinct rows of a matrix, in order, and the position of each row among them.

    Examples
    --------
    >>> rows, places = distinct_and_places(np.array([[1, 0], [0, 1], [1, 0]]))
    >>> rows.tolist(), places.tolist()
    ([[0, 1], [1, 0]], [1, 0, 1])
    """
    keys = _keys(rows)
    if keys.dtype.kind == "i" and keys.size and keys.max() < COUNTED:
        occurs = np.zeros(keys.max() + 1, dtype=bool)
        occurs[keys] = True
        places = (np.cumsum(occurs) - 1)[keys]
        some = np.empty(np.count_nonzero(occurs), dtype=np.intp)
        some[places] = np.arange(len(keys))
        return rows[some], places
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], places.ravel()


def distinct_rows(*parts: Array) -> Array:
    """Return the rows of several matrices, each once and in order."""
    rows = np.concatenate(parts)
    return np.asarray(rows[np.unique(_keys(rows), return_index=True)[1]])


def places_of_rows(rows: Array, whole: Array) -> Array:
    """Return the position of each row in a matrix of distinct rows, among which all are."""
    code = np.unique(_keys(np.concatenate([whole, rows])), return_inverse=True)[1].ravel()
    places = np.argsort(code[: len(whole)])  # from the places of the rows in order
    return np.asarray(places[code[len(whole) :]])


def _keys(rows: Array) -> Array:
    """Return a whole number for each row, or a string of bytes, in the order of the rows: these are compared fast."""
    if rows.dtype.kind == "f":  # bits of floats ascend with them, once those of negative ones are turned
        bits = (rows + 0.0).astype(float).view(np.uint64)
        places = np.where(bits >> 63, ~bits, bits | np.uint64(1 << 63))
    else:
        places = rows - (rows.min() if rows.size else 0)
    most = int(places.max()) if rows.size else 0
    columns = rows.shape[1]
    if (most + 1) ** columns <= np.iinfo(np.int64).max:
        return np.asarray(places.astype(np.int64) @ (most + 1) ** np.arange(columns)[::-1])
    kind = next(each for each in (">u1", ">u2", ">u4", ">u8") if most <= np.iinfo(each).max)
    return places.astype(kind).view(np.dtype((np.void, np.dtype(kind).itemsize * columns))).ravel()


def shares_of_rows(rows: Array, whole: Array) -> Array:
    """Return how often each row of a matrix of distinct rows in order occurs among others, as a proportion of these."""
    return np.bincount(places_of_rows(rows, whole), minlength=len(whole)) / len(rows)


def identity_of_sum(parts: Sequence[str]) -> str:
    """Return the identity of a sum, which does not depend on the order of its parts."""
    from hashlib import blake2b

    return blake2b("+".join(sorted(parts)).encode(), digest_size=16).hexdigest()


def places_of_names(names: Sequence[Hashable], whole: Sequence[Hashable]) -> Array:
    """Return the position of each name in a list of names, among which all are."""
    place = {name: position for position, name in enumerate(whole)}
    return np.array([place[name] for name in names], dtype=np.intp)

"""Class labels: conversion to arrays, comparison and union."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError, listed
from howsure.tables.union import in_order

TWO = 2
OUTCOMES = ("answered wrongly", "answered rightly")  # class of counts without further information on the cases
START_OF_NUMBER = frozenset("+-.0123456789")
PLAIN_PAIRS = frozenset(
    {("0", "1"), ("-1", "1"), ("0.0", "1.0"), ("false", "true"), ("negative", "positive"), OUTCOMES}
)
SCALARS = (np.bool_, np.integer, np.floating, np.str_)


class Labelled(Protocol):
    """Protocol of objects with ordered classes."""

    @property
    def labels(self) -> Array:
        """The classes."""


def plain_labels(values: list[Any]) -> list[Any]:
    """Return labels with Python's scalars in place of NumPy's."""
    return [value.item() if isinstance(value, SCALARS) else value for value in values]


def as_labels(values: list[Any]) -> Array:
    """Return labels as an array, with dtype object unless all have one plain type; NumPy scalars become Python's."""
    values = plain_labels(values)
    kinds = {type(value) for value in values}
    if len(kinds) == 1 and next(iter(kinds)) in {int, float, bool, str}:
        return np.asarray(values)
    labels = np.empty(len(values), dtype=object)
    labels[:] = values
    return labels


def numbers_in_text(labels: Sequence[Any]) -> list[float] | None:
    """Return the numbers that all of several distinct texts are written as; None if one is not a number.

    Examples
    --------
    >>> numbers_in_text(["1", "2", "10"]), numbers_in_text(["1", "2", "ten"])
    ([1.0, 2.0, 10.0], None)
    """
    if not labels or not all(isinstance(label, str) and label.strip()[:1] in START_OF_NUMBER for label in labels):
        return None
    try:
        found = [float(label) for label in labels]
    except ValueError:
        return None
    return found if len(set(found)) == len(found) and all(map(math.isfinite, found)) else None


def is_plain_order(labels: Sequence[object]) -> bool:
    """Whether the order of classes needs no statement: numbers, and for two classes 0 and 1 or False and True.

    Examples
    --------
    >>> is_plain_order([1, 2, 10]), is_plain_order(["Hi", "Lo", "Med"]), is_plain_order(["ill", "well"])
    (True, False, False)
    """
    if len(labels) == TWO:
        first, second = str(labels[0]).strip().casefold(), str(labels[1]).strip().casefold()
        return (first, second) in PLAIN_PAIRS or first == f"not {second}"
    kinds = set(map(type, labels))
    return numbers_in_text(labels) is not None or not any(issubclass(kind, str | bytes) for kind in kinds)


def other_classes(first: Labelled, second: Labelled) -> str:
    """Return why two tables of classes cannot be compared: other classes, or in another order; empty where they can."""
    if first.labels.tolist() == second.labels.tolist():
        return ""
    return (
        f"The tables are of different classes: {listed(first.labels.tolist())} and {listed(second.labels.tolist())}. "
        "Count both with the same `labels=`, in one order."
    )


def disjoint_classes(tables: Mapping[Any, Any]) -> str:
    """Return why tables side by side are not of the same question; empty if classes in common connect them all.

    Other names for the same classes, such as 0 and 1 beside "no" and "yes", would count as more classes. Classes that
    only some tables have are allowed. Tables without labels have no names of their own.

    Examples
    --------
    >>> import howsure as hs
    >>> disjoint_classes({"May": hs.from_counts([[9, 1], [2, 8]]), "June": hs.from_counts([[9, 1], [2, 8]])})
    ''
    """
    named = [(name, each.labels.tolist()) for name, each in tables.items() if each.design.traits.has_labels]
    if not named:
        return ""
    reached, waiting = set(named[0][1]), named[1:]
    while joined := [each for each in waiting if not reached.isdisjoint(each[1])]:
        reached.update(*(labels for _, labels in joined))
        waiting = [each for each in waiting if each not in joined]
    if not waiting:
        return ""
    (first, ours), (second, theirs) = named[0], waiting[0]
    return (
        f"The tables have no class in common: {listed(ours)} ({first}) and {listed(theirs)} ({second}). If these mean "
        "the same, write them alike in all data, and count with the same `labels=`."
    )


def refuse_disjoint(tables: Mapping[Any, Any]) -> None:
    """Refuse tables side by side that have no class in common; see `disjoint_classes`.

    Raises
    ------
    HowsureError
        With the code ``"other-classes"``.
    """
    if reason := disjoint_classes(tables):
        raise HowsureError(reason, "other-classes")


def union_of_labels(tables: Sequence[Labelled]) -> Array:
    """Return the classes of several tables in their order; refuse different orders."""
    remedy = "Count all parts with the same `labels=`, in one order."
    return label_array(in_order([each.labels.tolist() for each in tables], "classes", remedy))


def label_array(labels: ArrayLike) -> Array:
    """Return class labels as an array; refuse other types than lists of names, empty lists, and repeated names."""
    names = labels.tolist() if isinstance(labels, np.ndarray) else labels
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise HowsureError(f"`labels` is a list with one label per class, not {labels!r}.")
    if isinstance(names, set | frozenset | dict):
        remedy = "A set has no order" if not isinstance(names, dict) else "Give its keys or its values"
        raise HowsureError(
            f"`labels` is a list with one label per class, in order, and not a {type(names).__name__}. {remedy}."
        )
    names = list(names)
    if not names:
        raise HowsureError("`labels` is empty: name the classes, or leave it out for all.")
    unnamed = [label for label in names if not isinstance(label, Hashable)]
    if unnamed:
        raise HowsureError(f"`labels` holds {unnamed[0]!r}, which names no class. Give texts or numbers.")
    repeated = {label for label in names if names.count(label) > 1} if len(set(names)) < len(names) else set()
    if repeated:
        raise HowsureError(f"`labels` names {sorted(map(str, repeated))} more than once. Give each class once.")
    return as_labels(names)

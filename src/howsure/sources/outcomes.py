"""Matrices of two classes from the four numbers of outcomes by name: tp, fp, fn and tn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, by_index, real_numbers
from howsure.sources.layout import in_one_order

NOT_WHOLE = "is not a whole number"


def matrix_of_outcomes(cells: Mapping[str, object], counts: object, labels: object) -> tuple[Any, Any]:
    """Return the matrix and labels from the counts of the four outcomes, if these are given instead of a matrix.

    Parameters
    ----------
    cells : mapping of str
        The arguments tp, fp, fn and tn.
    counts, labels : object
        The matrix, or a mapping or column of the four numbers, and the names of the classes.

    Raises
    ------
    HowsureError
        If one of the four is missing or no count, or a matrix is given too.
    """
    is_column = isinstance(counts, Mapping) or getattr(counts, "ndim", None) == 1
    named = by_index(counts) if is_column else None
    if isinstance(named, Mapping) and set(map(str, named)) == set(cells) and not any(map(np.ndim, named.values())):
        counts, cells = None, {str(name): number for name, number in named.items()}
    absent = [name for name, number in cells.items() if number is None]
    if len(absent) == len(cells):
        if counts is None or isinstance(counts, int | float):
            message = (
                "Give a square matrix, [[tn, fp], [fn, tp]] (rows true, columns predicted), or name the four numbers: "
                "from_counts(tp=…, fp=…, fn=…, tn=…)."
            )
            raise HowsureError(message)
        return counts, labels
    if counts is not None:
        message = "Give `counts`, a matrix, or `tp`, `fp`, `fn` and `tn`, and not both."
        raise HowsureError(message)
    if absent:
        hint = ""
        if absent == ["tn"]:
            hint = (
                " If nobody counts true negatives, tn=0 leaves precision, recall and F1 as they are; counts of each "
                "image are events(tp=[…], fp=[…], fn=[…])."
            )
        message = f"{', '.join(f'`{name}`' for name in absent)} missing: all of tp, fp, fn and tn are needed.{hint}"
        raise HowsureError(message)
    tp, fp, fn, tn = (_checked_outcome(name, number) for name, number in in_one_order(cells).items())
    if len({each.shape for each in (tp, fp, fn, tn)}) > 1 or tp.ndim > 1:
        message = "`tp`, `fp`, `fn` and `tn` are one number each, or columns of one length."
        raise HowsureError(message)
    matrix = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
    return matrix, ["negative", "positive"] if labels is None else labels


def _checked_outcome(name: str, numbers: object) -> Array:
    """Return the numbers of one outcome; refuse numbers that are no counts, with the name of the outcome."""
    found = real_numbers(name, numbers)
    for bad, words in ((found < 0, "is negative: a count is 0 or more"), (found != np.floor(found), NOT_WHOLE)):
        if bad.any():
            message = f"`{name}` = {found[bad].flat[0]:.12g} {words}. Give the numbers of cases."
            raise HowsureError(message)
    return found

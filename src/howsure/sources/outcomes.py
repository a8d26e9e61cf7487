"""Matrices of two classes from the four numbers of outcomes by name: tp, fp, fn and tn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError, HowsureError, by_index, real_numbers, warn
from howsure.escapes import is_number
from howsure.sources.layout import in_one_order

NOT_WHOLE = "is not a whole number"
SAME_CASES = re.compile(
    r"thresh|cut.?off|model|classifier|algorithm|method|epoch|confidence|marker|modality|device|assay|reader|radiologist"
    r"|observer|\btest\b",
    re.IGNORECASE,
)
OF_CLASSES = re.compile(
    r"clas[se](?!room)|klasse|label|\btags?\b|categor|species|topic|attribute|finding", re.IGNORECASE
)


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
            raise HowsureError(
                "Give a square matrix, [[tn, fp], [fn, tp]] (rows true, columns predicted), or name the four numbers: "
                "from_counts(tp=…, fp=…, fn=…, tn=…)."
            )
        return counts, labels
    if counts is not None:
        raise HowsureError("Give `counts`, a matrix, or `tp`, `fp`, `fn` and `tn`, and not both.")
    if absent:
        hint = ""
        if absent == ["tn"]:
            hint = (
                " If nobody counts true negatives, tn=0 leaves precision, recall and F1 as they are; counts of each "
                "image are events(tp=[…], fp=[…], fn=[…])."
            )
        raise HowsureError(
            f"{', '.join(f'`{name}`' for name in absent)} missing: all of tp, fp, fn and tn are needed.{hint}"
        )
    tp, fp, fn, tn = (_checked_outcome(name, number) for name, number in in_one_order(cells).items())
    if len({each.shape for each in (tp, fp, fn, tn)}) > 1 or tp.ndim > 1:
        raise HowsureError("`tp`, `fp`, `fn` and `tn` are one number each, or columns of one length.")
    matrix = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
    return matrix, ["negative", "positive"] if labels is None else labels


def _checked_outcome(name: str, numbers: object) -> Array:
    """Return the numbers of one outcome; refuse numbers that are no counts, with the name of the outcome."""
    found = real_numbers(name, numbers)
    for bad, words in ((found < 0, "is negative: a count is 0 or more"), (found != np.floor(found), NOT_WHOLE)):
        if bad.any():
            raise HowsureError(f"`{name}` = {found[bad].flat[0]:.12g} {words}. Give the numbers of cases.")
    return found


def refuse_same_cases(path: Path, rows: list[list[str]], positives: Array, negatives: Array) -> None:
    """Refuse rows of several thresholds, models or classes of the same cases, whose sum counts a case several times.

    Parameters
    ----------
    path : Path
        The file, for the error.
    rows : list of list of str
        Its header, and the cells of each row.
    positives, negatives : ndarray of shape (rows,)
        Numbers of cases of either class in each row.
    """
    header, totals = rows[0], positives + negatives
    by = next((name for name in header if SAME_CASES.search(name)), None)
    by_class = next((name for name in header if OF_CLASSES.search(name)), None)
    if by and not (np.ptp(positives) or np.ptp(negatives)):
        of = f"{positives[0]:,.0f} positive and {negatives[0]:,.0f} negative cases"
    elif by_class and not np.ptp(totals):
        by, of = by_class, f"{totals[0]:,.0f} cases, a class against the rest"
    else:
        if not np.ptp(totals) and all(map(is_number, rows[1])):
            warn(
                f"Each row of '{path}' has {totals[0]:,.0f} cases. If these are the same cases, a class or a model "
                "each, keep one row: their sum counts a case several times."
            )
        return
    raise DoubtfulDataError(
        f"'{path}' has {len(totals)} rows by {by!r}, each of {of}: the same cases, it seems. Keep one row."
    )

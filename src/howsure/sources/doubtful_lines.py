"""Lines that seem to be totals, or a table of frequencies whose numbers of cases are not read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError
from howsure.sources.columns import Grouped
from howsure.sources.frames import opened
from howsure.sources.input_checks import (
    FEW_LINES,
    are_frequencies,
    refuse_counted_lines,
    refuse_counted_numbers,
    refuse_other_codes,
    refuse_second_header,
    refuse_total_row,
    refuse_unlabelled,
)
from howsure.sources.matrix_words import FREQUENCIES
from howsure.sources.nested import column_names

LIST = re.compile(r"\[\s*(['\"]).*\1\s*,?\s*(['\"]).*\2\s*\]", re.DOTALL)  # of two texts or more


def refuse_doubtful_lines(
    lines: Grouped,
    columns: int,
    data: object,
    keys: Mapping[str, object],
    *,
    labels: object,
    weight: object,
    counts: object,
) -> None:
    """Refuse lines that seem to be totals, frequencies that are not read, or one class under two codes.

    Parameters
    ----------
    lines : Grouped
        The combinations of labels, and their numbers of lines.
    columns : int
        Number of columns with labels: the true ones and those of each model.
    data : object
        The data that the caller passed.
    keys : mapping of str
        Role → name of the column.
    labels, weight, counts : object, optional
        Arguments of the call; a stated one needs no check.
    """
    if labels is None:
        refuse_total_row(lines, columns)
        refuse_other_codes(lines, columns)
        refuse_unlabelled(lines, columns)
        refuse_second_header(lines, columns)
        _refuse_lists(lines, columns)
    if weight is not None:
        refuse_counted_lines(lines.n, lines.weight)
    elif data is not None and counts is None and len(lines.n) >= FEW_LINES and (lines.n == 1).all():
        _refuse_unread_counts(data, keys)


def _refuse_lists(lines: Grouped, columns: int) -> None:
    """Refuse labels of which some are lists of several in text, as a file of a multilabel classifier has them."""
    for role, names in zip(("y_true", *["y_pred"] * (columns - 1)), lines.levels[:columns], strict=True):
        found = next((name for name in names.tolist() if isinstance(name, str) and LIST.fullmatch(name)), None)
        if found is not None:
            raise DoubtfulDataError(
                f"`{role}` holds lists of labels, such as {found}: each list would be a class of its own. Give a "
                "column of 0 and 1 for each label, `confusion(true_columns, predicted_columns)`."
            )


def refuse_doubtful_numbers(
    numbers: Array,
    classes: Array | None,
    data: object,
    keys: Mapping[str, object],
    *,
    weight: Array | None,
    counts: object,
) -> None:
    """Refuse lines of numbers that seem to be a table of frequencies which are not read, or read as weights.

    Parameters
    ----------
    numbers : ndarray of shape (n,)
        The number of each line, such as a score or a grade.
    classes : ndarray of shape (n,), optional
        The class of each line, for scores.
    data : object
        The data that the caller passed.
    keys : mapping of str
        Role → name of the column.
    weight : ndarray of shape (n,), optional
        The weight of each line.
    counts : object, optional
        Argument of the call; a stated one needs no check.
    """
    if weight is not None:
        refuse_counted_numbers(numbers, weight, classes)
    elif data is not None and counts is None and are_frequencies(numbers, classes):
        _refuse_unread_counts(data, keys)


def _refuse_unread_counts(data: object, keys: Mapping[str, object]) -> None:
    """Refuse data without equal lines if an unused column has a name such as "count"."""
    frame = opened(data)
    known = column_names(frame)
    spare = [name for name in known if str(name).casefold() in FREQUENCIES and name not in keys.values()]
    if spare:
        raise DoubtfulDataError(
            f"No two lines are equal, and the column '{spare[0]}' seems to hold numbers of cases. Count "
            f"them: counts={spare[0]!r}."
        )

"""The axes of a confusion matrix as named in the input: orientation, classes and totals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError, HowsureError, listed, warn
from howsure.sources.layout import as_written, class_order, last_level
from howsure.sources.matrix_words import LABEL_WORDS, axis_kind, names_axis_only, names_statistic, names_total
from howsure.tables.cautions import NEGATIVE_WORDS, POSITIVE_WORDS
from howsure.tables.labels import numbers_in_text

SEPARATORS = re.compile(r"\s*(?:[/\\|,;]|\bvs\.?\b|\bby\b|×|(?<=[→↓])\s+(?=\w))\s*")  # of the parts of a corner cell
ROW_MARKS = re.compile(r"↓|\brows?\b|\bzeilen?\b", re.IGNORECASE)
NUMBERED = re.compile(r"_\d+")  # the names that BigQuery gives to columns of numbers
PERCENT = 100
TWO = ("negative", "positive")
SIGNS = frozenset(["+", "-", "−", "positive", "negative", "pos", "neg", "positiv", "negativ", "positivo", "negativo"])
COLUMN_MARKS = re.compile(r"→|\bcol(umn)?s?\b|\bspalten?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a matrix: its classes, and whether they are true or predicted, if this is stated.

    Parameters
    ----------
    labels : list, optional
        The classes; None where they are not named.
    kind : str
        "true", "predicted", or empty.
    name : str
        Its name, if that has neither meaning.
    """

    labels: list[Any] | None
    kind: str = ""
    name: str = ""

    @classmethod
    def of(cls, labels: Sequence[object] | None, name: object = None) -> Axis:
        """Return the axis with these labels and name; either may contain its kind, as in ``Predicted healthy``."""
        kind = "" if name is None else axis_kind(name)
        unknown = "" if name is None or kind else str(name)
        if labels is None:
            return cls(None, kind, unknown)
        if all(NUMBERED.fullmatch(str(label)) for label in labels):
            labels = [str(label)[1:] for label in labels]
        stated, bare = _common_word([" ".join(map(str, each)) if isinstance(each, tuple) else each for each in labels])
        if stated and kind in {"", stated}:
            return cls(bare, stated)
        return cls([last_level(each) for each in labels], kind, unknown)


def _common_word(labels: Sequence[object]) -> tuple[str, list[Any]]:
    """Return the kind given by a word before or after each label of a class, and the labels without that word."""
    for pattern in (
        r"(?P<word>[A-Za-z]+)(?:[\s_]+(?:label|result|standard|status)|[\s_.]+(?:as|to[\s_.]be))?[\s_:.=\-]+(?P<label>.+)",
        r"(?P<word>[A-Za-z]+)(?P<label>[+\-−])",
        r"(?P<label>.+?)[\s_:.=(\-]+(?P<word>[A-Za-z]+)(?:[\s_]+label)?\)?",
    ):
        found = [re.fullmatch(pattern, str(label).strip()) for label in labels]
        are_others = [names_total(label) or names_statistic(label) for label in labels]
        found = [None if is_other else each for each, is_other in zip(found, are_others, strict=True)]
        words = {each["word"].casefold() for each in found if each}
        are_classes = all(each or is_other for each, is_other in zip(found, are_others, strict=True))
        if are_classes and len(words) == 1 and words <= LABEL_WORDS:
            bare = [each["label"] if each else label for each, label in zip(found, labels, strict=True)]
            return axis_kind(next(iter(words))), bare
    return "", list(labels)


def corner_names(corner: str) -> tuple[str | None, str | None]:
    r"""Return the names of the row and the column axis from a corner cell or a title: ``true\pred``, ``rows = true``.

    The row axis is named first, unless words or arrows for rows and columns say which part is which.

    Raises
    ------
    HowsureError
        If it holds only a word for predictions, which may refer to the rows or to the columns.

    Examples
    --------
    >>> corner_names("true/pred"), corner_names("pred → true ↓"), corner_names("rows = pred")
    (('true', 'pred'), ('true ↓', 'pred →'), ('rows = pred', None))
    """
    first, second = ([part for part in SEPARATORS.split(corner.strip()) if part] + ["", ""])[:2]
    if COLUMN_MARKS.search(first) or (second and ROW_MARKS.search(second)):
        return second or None, first
    if axis_kind(corner) == "predicted" and not second and not ROW_MARKS.search(first):
        raise HowsureError(
            f"The first cell is {corner!r}, which may name the rows or the columns. Write 'predicted/true' where rows "
            "are the predicted classes, 'true/predicted' where they are the true ones."
        )
    return first or None, second or None


def states_both(corner: str) -> bool:
    """Whether a corner cell names both axes, one as the true and one as the predicted classes."""
    return {axis_kind(part) for part in SEPARATORS.split(corner)} == {"true", "predicted"}


def title_names(title: str, *, is_above: bool) -> tuple[str | None, str | None]:
    """Return the names of the axes from a line above a matrix: that of the columns, unless it speaks of rows.

    A line that does not start above the columns may be a caption, and names them if it has no other words.
    """
    if ROW_MARKS.search(title) or COLUMN_MARKS.search(title):
        return corner_names(title)
    return None, title if axis_kind(title) and (is_above or names_axis_only(title)) else None


def are_turned(rows: Axis, columns: Axis) -> bool:
    """Whether the rows are the predicted classes.

    Raises
    ------
    HowsureError
        If both axes have the same kind.
    """
    if rows.kind and rows.kind == columns.kind:
        raise HowsureError(
            f"Rows and columns are both named as the {rows.kind} classes. Name one axis 'true', one 'predicted'."
        )
    if rows.name and columns.name and not (rows.kind or columns.kind) and not rows.name.startswith("row_"):
        warn(
            f"The axes of the matrix are named {rows.name!r} and {columns.name!r}: rows were taken as the true "
            "classes. Name the axes 'true' and 'predicted'."
        )
    return rows.kind == "predicted" or columns.kind == "true"


def laid_out(
    counts: Array, rows: Axis, columns: Axis, labels: Sequence[object] | None = None, *, check: bool = True
) -> tuple[Array, list[Any] | None]:
    """Return a matrix without totals, with the true classes in rows and identical classes on both axes.

    Parameters
    ----------
    counts : ndarray of shape (..., R, C)
        As it was given.
    rows, columns : Axis
        Its axes.
    labels : sequence, optional
        The classes passed by the caller, in order.
    check : bool
        Whether to refuse a last row and column that are the sums of the others, where they have no name.

    Returns
    -------
    tuple of ndarray and list
        The matrix, and its classes; None if they are not named.
    """
    size = None if labels is None else len(labels)
    counts, rows = _total_last(counts, rows, columns, -2)
    counts, columns = _total_last(counts, columns, rows, -1)
    counts, rows, columns = _without_totals(counts, rows, columns, size, check=check)
    for axis, other, place in ((rows, columns, -2), (columns, rows, -1)):
        _refuse_statistics(axis, other)
        if check:
            _refuse_percentages(counts, axis, other, place)
    counts, rows, columns = _with_signs(counts, rows, columns)
    if are_turned(rows, columns):
        counts, rows, columns = np.swapaxes(counts, -1, -2), columns, rows
    if rows.labels is None or columns.labels is None:
        named = rows.labels or columns.labels
        return (counts, list(labels)) if labels is not None else _numbers_ascending(counts, named)
    found, names = _by_name(counts, rows.labels, columns.labels, labels)
    return (found, names) if labels is not None else _numbers_ascending(found, names)


def _with_signs(counts: Array, rows: Axis, columns: Axis) -> tuple[Array, Axis, Axis]:
    """Return a 2×2 table whose axes name the same classes in two ways, such as T+ and D+, as negative and positive.

    The axes share no label, each has a label for either class, and one of them is known to be true or predicted.
    """
    axes = (rows, columns)
    if any(axis.labels is None or len(axis.labels) != 2 for axis in axes):
        return counts, rows, columns
    if {*(rows.labels or ())} & {*(columns.labels or ())}:
        return _negative_first(counts, rows, columns)
    found = [_signs(list(map(str, axis.labels or ()))) for axis in axes]
    prefixes = [prefix for prefix, _, _ in found]
    of_letters = {"T": "predicted", "D": "true"} if {*prefixes} == {"T", "D"} else {}  # test and disease
    kinds = [
        axis.kind or of_letters.get(prefix) or axis_kind(prefix) for axis, prefix in zip(axes, prefixes, strict=True)
    ]
    is_certain = any(is_plain for *_, is_plain in found) and any(kinds)
    if not is_certain or any({*signs} != {False, True} for _, signs, _ in found):
        return counts, rows, columns
    places = [[signs.index(False), signs.index(True)] for _, signs, _ in found]
    counts = counts[..., places[0], :][..., places[1]]
    first, second = (replace(axis, labels=[*TWO], kind=kind) for axis, kind in zip(axes, kinds, strict=True))
    return counts, first, second


def _negative_first(counts: Array, rows: Axis, columns: Axis) -> tuple[Array, Axis, Axis]:
    """Return a 2×2 table of the classes positive and negative, or + and -, with the negative class first."""
    names = [list(axis.labels or ()) for axis in (rows, columns)]
    if {*names[0]} != {*names[1]} or not all(str(name).strip().casefold() in SIGNS for name in names[0]):
        return counts, rows, columns
    places = [
        [signs.index(False), signs.index(True)] for _, signs, _ in (_signs(list(map(str, each))) for each in names)
    ]
    first, second = (
        replace(axis, labels=[each[place] for place in order])
        for axis, each, order in zip((rows, columns), names, places, strict=True)
    )
    return counts[..., places[0], :][..., places[1]], first, second


def _signs(labels: list[str]) -> tuple[str, list[bool | None], bool]:
    """Return the common beginning of two labels, which of them means the positive class, and whether in plain words.

    Examples
    --------
    >>> _signs(["Rapid test positive", "Rapid test negative"])
    ('Rapid test', [True, False], True)
    """
    same = [one == other for one, other in zip(*labels, strict=False)]
    prefix = labels[0][: [*same, False].index(False)]
    if not all(label[len(prefix) :] in SIGNS for label in labels):  # T+ and T-
        prefix = re.sub(r"[^\s_]*$", "", prefix)
    bare = [label[len(prefix) :].strip(" _().").casefold() for label in labels]
    signs = [True if each in POSITIVE_WORDS else False if each in NEGATIVE_WORDS else None for each in bare]
    return prefix.strip(" _"), signs, all(each in SIGNS for each in bare)


def _numbers_ascending(counts: Array, names: list[Any] | None) -> tuple[Array, list[Any] | None]:
    """Return a matrix with classes that are numbers in ascending order, as those of cases are."""
    are_numbers = names is not None and all(isinstance(name, int | float) for name in names)
    if names is None or not (are_numbers or numbers_in_text(names)) or counts.shape[-2:] != (len(names),) * 2:
        return counts, names
    order = [names.index(name) for name in class_order(names).tolist()]
    return counts[..., order, :][..., order], [names[place] for place in order]


def _total_last(counts: Array, axis: Axis, other: Axis, place: int) -> tuple[Array, Axis]:
    """Return the matrix with a row or column of totals at the end: a sum of the others that is named so or no class."""
    labels = axis.labels or []
    classes = set(map(as_written, other.labels or labels))
    for position in [at for at, label in enumerate(labels) if names_total(label) or as_written(label) not in classes]:
        order = [*(at for at in range(len(labels)) if at != position), position]
        if len(order) == counts.shape[place]:
            moved = np.moveaxis(np.take(counts, order, place), place, 0)
            if _are_sums(moved[-1], moved[:-1].sum(0)):
                return np.moveaxis(moved, 0, place), replace(axis, labels=[labels[at] for at in order])
    return counts, axis


def _refuse_statistics(axis: Axis, other: Axis) -> None:
    """Refuse a metric or a number among the labels that the other axis lacks, or as all labels if that has none."""
    named = [label for label in axis.labels or [] if names_statistic(label)]
    if other.labels is None:
        unknown = named if len(named) > 1 and named == axis.labels else []
    else:
        classes = set(map(as_written, other.labels))
        unknown = [label for label in named if as_written(label) not in classes]
    if unknown:
        raise HowsureError(f"{unknown[0]!r} names no class, and the matrix has a row or column of it. Leave it out.")


def _refuse_percentages(counts: Array, axis: Axis, other: Axis, place: int) -> None:
    """Refuse a row or column that the other axis lacks if the others add up to 100: their numbers of cases."""
    labels = axis.labels or []
    for position in [at for at, label in enumerate(labels) if other.labels and label not in other.labels]:
        if len(labels) == counts.shape[place] > 2 and _add_up_to_100(np.delete(counts, position, place), place):
            raise DoubtfulDataError(
                f"{labels[position]!r} seems to hold the numbers of cases of percentages, which add up to 100. Give "
                "the cases of each cell, `(percentages / 100 * n).round()`."
            )


def _add_up_to_100(counts: Array, place: int) -> bool:
    """Whether all sums along an axis are 100, or the next number because of rounding."""
    sums = counts.sum(place)
    return bool(np.all(np.abs(sums - PERCENT) <= 1) and np.any(sums == PERCENT))


def _without_totals(
    counts: Array, rows: Axis, columns: Axis, size: int | None, *, check: bool
) -> tuple[Array, Axis, Axis]:
    """Drop a last row and column of totals if named so, or if they cannot be a class; refuse other sums."""
    named_row, named_column = (names_total((each.labels or [""])[-1]) for each in (rows, columns))
    last_row = counts.shape[-2] > 2 - named_row and _are_sums(counts[..., -1, :], counts[..., :-1, :].sum(-2))
    last_column = counts.shape[-1] > 2 - named_column and _are_sums(counts[..., :, -1], counts[..., :, :-1].sum(-1))
    surplus = counts.shape[-2] - counts.shape[-1]
    is_square = surplus == 0 and size != counts.shape[-1] - 1 and rows.labels == columns.labels
    if is_square and not (named_row and named_column):
        if check:
            _refuse_sums(counts, last=last_row and last_column)
        if last_row and last_column:
            return counts, rows, columns
    class_row, class_column = _ends_in_class(rows, columns), _ends_in_class(columns, rows)
    drop_row = last_row and (named_row or (not class_row and (last_column if surplus == 0 else surplus == 1)))
    drop_column = last_column and (named_column or (not class_column and (last_row if surplus == 0 else surplus == -1)))
    for axis, is_dropped, is_named, what in (
        (rows, drop_row, named_row, "row"),
        (columns, drop_column, named_column, "column"),
    ):
        if is_named and not is_dropped and (axis.labels or [""])[-1] != "all":
            name = (axis.labels or [None])[-1]
            raise HowsureError(f"The last {what} is named {name!r}, and is not the sum of the others. Leave it out.")
    if drop_row or drop_column:
        which = " and ".join(word for word, is_dropped in (("row", drop_row), ("column", drop_column)) if is_dropped)
        warn(f"The last {which} of the matrix: the sums of the others. Totals are no class and were left out.")
    if drop_row:
        counts, rows = counts[..., :-1, :], replace(rows, labels=rows.labels and rows.labels[:-1])
    if drop_column:
        counts, columns = counts[..., :, :-1], replace(columns, labels=columns.labels and columns.labels[:-1])
    return counts, rows, columns


def _refuse_sums(counts: Array, *, last: bool) -> None:
    """Refuse a square matrix whose last, or first, row and column are the sums of the others."""
    first = counts.shape[-1] > 2 and all(
        _are_sums(each[..., 0, :], each[..., 1:, :].sum(-2)) for each in (counts, np.swapaxes(counts, -1, -2))
    )
    if first or last:
        which, kept = ("last", ":-1") if last else ("first", "1:")
        raise DoubtfulDataError(
            f"The {which} row and the {which} column are the sums of the others: totals, it seems, and no class. Leave "
            f"them out: `counts[{kept}, {kept}]`, {counts.shape[-1] - 1} classes."
        )


def warn_of_percentages(counts: Array) -> None:
    """Warn of a matrix whose rows, or columns, add up to 100: shares of a class that were rounded look like counts."""
    for axis, what in ((-1, "row"), (-2, "column")):
        if counts.shape[-1] > 1 and _add_up_to_100(counts, axis):
            warn(
                f"Each {what} of the matrix adds up to 100. If these are percentages, the intervals are those of 100 "
                "cases a class: give the numbers of cases."
            )
            return


def _are_sums(last: Array, others: Array) -> bool:
    return bool(np.array_equal(last, others) and np.any(others))


def _ends_in_class(axis: Axis, other: Axis) -> bool:
    """Whether the last label of an axis is one of the other axis, or a number."""
    last = (axis.labels or [""])[-1]
    return last in (other.labels or []) or isinstance(last, int | float)


def _by_name(
    counts: Array, rows: Sequence[object], columns: Sequence[object], labels: Sequence[object] | None
) -> tuple[Array, list[Any]]:
    """Return the matrix of the classes of both axes, in the same order on both."""
    keys, more = ([as_written(label) for label in axis] for axis in (rows, columns))
    both = dict(zip(more + keys, [*columns, *rows], strict=True))
    for axis in (keys, more):
        if len(set(axis)) < len(axis):
            raise HowsureError(
                f"An axis of the matrix names {max(axis, key=axis.count)!r} more than once. Give each class once."
            )
    if not set(keys) & set(more):
        raise HowsureError(
            f"The matrix's rows are labelled {listed(rows)} and its columns {listed(columns)}. Give both the same, and "
            "name the axes 'true' and 'predicted'."
        )
    if keys == more or len(set(keys) | set(more)) == len(keys):
        order = keys
    elif len(set(keys) | set(more)) == len(more):
        order = more
    else:
        order = list(map(as_written, class_order(list(both.values())).tolist()))
    names = [both[key] for key in order]
    if labels is not None:
        order, names = _renamed(order, names, list(labels))
    whole = np.zeros((*counts.shape[:-2], len(order), len(order)))
    place = {key: position for position, key in enumerate(order)}
    cells = np.ix_([place[key] for key in keys], [place[key] for key in more])
    whole[..., cells[0], cells[1]] = counts
    return whole, names


def _renamed(order: list[str], names: list[Any], labels: list[Any]) -> tuple[list[str], list[Any]]:
    """Return the classes of a matrix in the order of ``labels=``; labels that are other words rename them."""
    wanted = list(map(as_written, labels))
    if set(wanted) == set(order):
        return wanted, labels
    if set(wanted) & set(order) or len(wanted) != len(order):
        raise HowsureError(
            f"`labels` are {listed(labels)}, and the matrix names its classes {listed(names)}. Give `labels` of these, "
            "in the order that you want, or leave it out."
        )
    return order, labels

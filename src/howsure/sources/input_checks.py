"""Checks for implausible input, which is refused unless the caller passes ``check=False``.

Each check costs time in the number of distinct labels, not of cases. Sources run them if ``check`` is true.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations, compress
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError, listed
from howsure.sources.columns import Grouped
from howsure.sources.matrix_words import names_total
from howsure.sources.rating_names import names_item
from howsure.sources.spellings import plain_spelling, shown_apart
from howsure.tables.cautions import MANY_CASES, MOST_CLASSES, marks_of_missing

MISSING = frozenset({"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "NaT", "NULL", "null"}) | {
    "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!",  # errors of formulas in spreadsheets
}  # fmt: skip
JUDGES = ("y_true", "y_made", "y_reviewed", "annotations")
MANY_ROWS = 8  # with this many ratings on a scale some value repeats
FEW_LINES = 4  # smallest number of distinct lines that may be a table of frequencies
MOST_LINES = 50  # of a table of frequencies of numbers
IN_BOTH = 1.7  # lines per score, if most scores occur in both classes
NUMERAL = re.compile(r"[+-]?\d{1,15}(\.\d{0,15})?")
PARTS = re.compile(r"[^\s,;|]\s*[,;|]\s*[^\s,;|]")  # of a label that holds several
COUNTED = (
    "`sample_weight` holds whole numbers, and no two lines are equal: they look like numbers of identical cases, not "
    "weights. Give them as `counts`."
)
MOST_LABELS = 20  # of a column with few classes
FEW_ROWS = 3  # with more cases, a label equal to the number of the others is suspicious
JUDGED = ("y_pred", "y_score")
JOINTS = re.compile(r"(?<=[^\W\d_])[ _\-]+(?=[^\W\d_])")  # between letters
MARKS_AROUND = " =.,;:!\"'`()[]{}"
MARKS = MISSING | {-1, -9, -99, -999, -100, "-1", "-9", "-99", "?", "-", "unlabeled", "unlabelled", "pending"}
CONSENSUS = frozenset({"adjudicated", "adjudication", "agreed", "aggregated", "consensus", "final", "gold", "majority"})
CODES = tuple(  # of the same two classes
    map(frozenset, (("0", "1"), ("-1", "1"), ("false", "true"), ("no", "yes"), ("n", "y"), ("negative", "positive")))
)


def refuse_confused(given: Mapping[str, Any]) -> None:
    """Refuse a column compared with itself, and pandas Series whose indices differ.

    Parameters
    ----------
    given : mapping of str
        Role → column, or the column's name.
    """
    judges = {_identity(values): role for role, values in given.items() if role.startswith(JUDGES)}
    for role, values in given.items():
        if role.startswith(JUDGED) and _identity(values) in judges:
            other = judges[_identity(values)]
            raise DoubtfulDataError(
                f"`{other}` and `{role}` are the same column: it would be judged by itself. Give each its own."
            )
    series = [(role, values.index) for role, values in given.items() if _has_index(values)]
    for (role, index), (other, more) in combinations(series, 2):
        if len(index) == len(more) and not _are_aligned(index, more):
            raise DoubtfulDataError(
                f"`{role}` and `{other}` have different indices, and cases are matched by position. Align "
                f"them, `{other}.loc[{role}.index]`, or give arrays, `.to_numpy()`."
            )


def _identity(values: Any) -> Hashable:
    """Return an identity of a column: its name, its memory address, or the object."""
    if isinstance(values, str):
        return values
    array = values.to_numpy() if _is_series(values) and isinstance(values.dtype, np.dtype) else values
    if not isinstance(array, np.ndarray) or not array.size:
        return id(values)
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str


def _has_index(values: Any) -> bool:
    return type(values).__module__.startswith("pandas") and hasattr(values, "index") and np.ndim(values) in {1, 2}


def _is_series(values: Any) -> bool:
    return _has_index(values) and np.ndim(values) == 1


def _are_aligned(index: Any, other: Any) -> bool:
    """Whether indices are equal, or one is a plain row count and the other holds different members."""
    if index is other or index.equals(other):
        return True
    counts = np.arange(len(index))
    by_position = any(each.dtype.kind in "iu" and (each.to_numpy() == counts).all() for each in (index, other))
    return by_position and not index.sort_values().equals(other.sort_values())


def refuse_unshared(true: Array, predicted: Array, name: str, said: str) -> None:
    """Refuse labels of two columns that cannot agree, such as scores instead of predictions, blanks, or other codes.

    Parameters
    ----------
    true, predicted : ndarray
        Distinct labels of each column.
    name, said : str
        Names of the columns.
    """
    refuse_similar_labels([*true.tolist(), *predicted.tolist()])
    fraction, other = _fraction(predicted), _fraction(true)
    if (fraction is None) != (other is None):
        one, two = (said, name) if other is None else (name, said)
        shown = fraction if other is None else other
        raise DoubtfulDataError(
            f"`{one}` holds fractions, such as {shown:.4g}, and `{two}` has none: scores are no labels. Give them to "
            f"`scores` or `multiclass_scores`, or cut them at a threshold, `{one} >= 0.5`."
        )
    if len(true) > 1 and len(predicted) and not set(true.tolist()) & set(predicted.tolist()):
        raise DoubtfulDataError(
            f"`{name}` ({listed(true.tolist())}) and `{said}` ({listed(predicted.tolist())}) share no label: no case "
            "could be right. Give both in the same codes."
        )


def _fraction(labels: Array) -> float | None:
    """Return the first fractional label."""
    return next((value for value in labels.tolist() if isinstance(value, float) and not value.is_integer()), None)


def refuse_similar_labels(labels: list[Any]) -> None:
    """Refuse labels that differ only in blanks, in capitals, in marks around them, or in type (text or number).

    Single letters may differ in capitals, because the classes may be characters. Two pairs of words for the same two
    classes, such as 0 and 1 together with "no" and "yes", are refused too.
    """
    known: dict[str, Any] = {}
    folded: dict[str, str] = {}
    parts: dict[tuple[str, ...], str] = {}
    numbers: dict[float, Any] = {}
    if set(map(type, labels)) == {int}:  # integers have one spelling
        return
    for label in labels:
        if isinstance(label, str | bytes | bool | int | float):
            written = plain_spelling(label)
            first = known.setdefault(written, label)
            if first != label:
                one, two = shown_apart(first, label)
                raise DoubtfulDataError(
                    f"The labels {one} and {two} are written alike and would never agree. Strip the blanks, or convert "
                    "one of them."
                )
            same = numbers.setdefault(float(written), label) if NUMERAL.fullmatch(written) else label
            if same != label:
                raise DoubtfulDataError(
                    f"The labels {plain_spelling(same)!r} and {written!r} are one number, and would never agree. Write "
                    "them alike, such as without zeros at the ends."
                )
            core = _without_marks(written)
            other = folded.setdefault(core.casefold() if len(core) > 1 else core, written)
            if other != written:
                what = "capitals" if other.casefold() == written.casefold() else "marks and blanks"
                raise DoubtfulDataError(
                    f"The labels {other!r} and {written!r} differ in {what} alone and would never agree. Write both "
                    "alike, such as in lower case and without marks."
                )
            several = tuple(sorted(_parts(written))) if PARTS.search(written) else ()
            if several and (first := parts.setdefault(several, written)) != written:
                raise DoubtfulDataError(
                    f"The labels {first!r} and {written!r} have the same parts in another order, and would never "
                    "agree. Write them in one order, or give an indicator array of the parts."
                )
    _refuse_two_codes(known)


def _without_marks(label: str) -> str:
    """Return a label without marks at its ends, and with a blank for marks that join words: "big cell" for big_cell."""
    joined = JOINTS.sub(" ", label)
    return joined.strip(MARKS_AROUND) or label


def _parts(label: str) -> list[str]:
    """Return the parts of a label that holds several, such as ``a;b`` or ``['a', 'b']``."""
    return [part.strip(" '\"") for part in re.split(r"[,;|]", label.strip(" [](){}"))]


def _refuse_two_codes(labels: Mapping[str, Any]) -> None:
    """Refuse four labels that are two pairs of words for two classes, as where files in different codes are joined."""
    written = {name.casefold() for name in labels}
    pairs = [pair for pair in CODES if pair <= written]
    if len(labels) == len({*labels.values()}) == 4 and len(pairs) == 2 and not pairs[0] & pairs[1]:
        one, other = ([labels[name] for name in labels if name.casefold() in pair] for pair in pairs)
        raise DoubtfulDataError(
            f"The labels {listed(one)} and {listed(other)} are two codes of the same classes, it seems, and count as "
            "four classes. Write them alike."
        )


def refuse_marks(some: tuple[Array, Array], every: tuple[Array, Array], name: str, said: str) -> None:
    """Refuse a mark for missing labels, such as −1, in a column where a missing label is given as None.

    Parameters
    ----------
    some : tuple of two ndarray
        The levels of the column that may have gaps, and each row's code, −1 in gaps.
    every : tuple of two ndarray
        Those of a column without gaps.
    name, said : str
        Names of the columns.
    """
    labels, complete = (levels[np.unique(codes[codes >= 0])].tolist() for levels, codes in (some, every))
    marks = [label for label in labels if label in MARKS and label not in complete]
    rest = [label for label in (*labels, *complete) if label not in marks]
    is_scale = any(isinstance(label, int | float) and label < 0 for label in rest)
    if len(marks) == 1 and len(labels) > 2 and not (is_scale and marks[0] not in MISSING):
        raise DoubtfulDataError(
            f"`{name}` holds {marks[0]!r}, and `{said}` does not: a mark for a missing label, it seems, and it counts "
            "as a class. Give None in these rows."
        )


def refuse_unlabelled(counted: Grouped, columns: int = 2) -> None:
    """Refuse a mark for a missing label, such as 999 or "?", among the true labels if it is never predicted.

    Parameters
    ----------
    counted : Grouped
        The combinations of labels, and their numbers of cases.
    columns : int, default 2
        Number of columns with labels; the first holds the true ones.
    """
    true, *others = (
        names[np.bincount(codes, minlength=len(names)) > 0].tolist()
        for codes, names in zip(counted.codes[:columns], counted.levels[:columns], strict=True)
    )
    predicted = list(dict.fromkeys(label for each in others for label in each))
    absent = [label for label in true if label not in {*predicted}]
    if not absent:
        return
    marks = marks_of_missing([*absent, *predicted], absent, int(counted.n.sum()))
    if marks:
        raise DoubtfulDataError(
            f"`y_true` holds {marks[0]!r}, which is never predicted: a mark for a missing label, it seems, whose cases "
            f"would count as errors. Leave them out, `y_true != {marks[0]!r}`, or give `confusion` the `labels=`."
        )


def refuse_second_header(counted: Grouped, columns: int = 2) -> None:
    """Refuse a row whose labels are text, all different, and in no other row: another line of names or of units.

    Parameters
    ----------
    counted : Grouped
        The combinations of labels, and their numbers of cases.
    columns : int, default 2
        Number of columns with labels.
    """
    if counted.n.sum() < MANY_CASES or any(each.dtype.kind in "biuf" for each in counted.levels[:columns]):
        return
    codes, levels = counted.codes[:columns], [each.tolist() for each in counted.levels[:columns]]
    uses = [np.bincount(each, minlength=len(names)) for each, names in zip(codes, levels, strict=True)]
    known = Counter(label for names, of in zip(levels, uses, strict=True) for label in compress(names, of))
    if len(known) > MOST_LABELS:
        return
    is_alone = (counted.n == 1) & np.all([of[each] == 1 for each, of in zip(codes, uses, strict=True)], axis=0)
    for place in np.flatnonzero(is_alone):
        row = [names[each[place]] for each, names in zip(codes, levels, strict=True)]
        if all(isinstance(label, str) and known[label] == 1 for label in row):  # in one column, and once there
            raise DoubtfulDataError(
                f"One row holds {listed(row)}, which occur in no other: a second header, it seems. Leave it out."
            )


def refuse_identifiers(argument_name: str, given: Mapping[Any, tuple[Array, Array]]) -> None:
    """Refuse a column that names the items: all its values are different, and its name or the other columns say so.

    Parameters
    ----------
    argument_name : str
        Name of the columns in errors.
    given : mapping of tuple of two ndarray
        Rater → the distinct values of its column, and each row's code.
    """
    differing = [name for name, (levels, codes) in given.items() if 1 < len(codes) == len(levels)]
    for name in differing if len(given) > 1 else ():
        others = [levels for rater, (levels, _) in given.items() if rater != name]
        if names_item(name) or _are_identifiers(given[name][0], others):
            raise DoubtfulDataError(
                f"`{argument_name}[{name!r}]` has another value in each row: it names the rows, and is no rater's. "
                "Leave it out."
            )


def refuse_consensus(argument_name: str, raters: Sequence[object]) -> None:
    """Refuse a column that is made from the other raters', such as their majority, next to two or more raters."""
    made = [rater for rater in raters if {*re.findall("[a-z]+", str(rater).casefold())[:1]} & CONSENSUS]
    if made and len(raters) - len(made) > 1:
        raise DoubtfulDataError(
            f"`{argument_name}[{made[0]!r}]` is named as what the raters agreed on, and is no rater's. Leave it out."
        )


def _are_identifiers(levels: Array, others: list[Array]) -> bool:
    """Whether values are many, more than twice as many as those of any other column, and mostly not among these."""
    if len(levels) < MANY_ROWS or 2 * max(map(len, others)) >= len(levels) or _fraction(levels) is not None:
        return False
    known = {value for each in others for value in each.tolist()}
    return 2 * sum(value in known for value in levels.tolist()) < len(levels)


def refuse_total_row(counted: Grouped, columns: int = 2) -> None:
    """Refuse rows of totals: those named so, and a single case whose label is the number of the other cases.

    Parameters
    ----------
    counted : Grouped
        The combinations of labels, and their numbers of cases.
    columns : int, default 2
        Number of columns with labels.
    """
    total = float(counted.n.sum())
    for codes, names in zip(counted.codes[:columns], counted.levels[:columns], strict=True):
        if names.dtype.kind not in "OU":
            continue
        number = np.bincount(codes, counted.n, len(names))
        for label, cases in zip(names.tolist(), number.tolist(), strict=True):
            is_number = (
                cases == 1 and total > FEW_ROWS and str(label).strip() in {f"{total - 1:.0f}", f"{total - 1:.1f}"}
            )
            if is_number or (cases in {1, total / 2} and names_total(label)):
                raise DoubtfulDataError(
                    f"The label {label!r} seems to name a row of totals, and no class. Leave out such rows."
                )


def refuse_other_codes(counted: Grouped, columns: int = 2) -> None:
    """Refuse predictions of two numbers that share only one with the true labels, such as −1 and 1 next to 0 and 1.

    Parameters
    ----------
    counted : Grouped
        The combinations of labels, and their numbers of cases.
    columns : int, default 2
        Number of columns with labels; the first holds the true ones.
    """
    true, *others = (
        set(names[np.bincount(codes, minlength=len(names)) > 0].tolist())
        for codes, names in zip(counted.codes[:columns], counted.levels[:columns], strict=True)
    )
    for predicted in others:
        are_numbers = all(isinstance(label, int | float) for label in true | predicted)
        are_two = len(true) == len(predicted) == 2 and len(true & predicted) == 1
        if are_numbers and are_two and counted.n.sum() >= MANY_CASES:
            raise DoubtfulDataError(
                f"One column holds {listed(sorted(true))} and the other {listed(sorted(predicted))}: the same "
                "classes in other codes, it seems. Give both the same."
            )


def refuse_counted_lines(n: Array, weight: Array) -> None:
    """Refuse whole-number weights if no two lines are equal: they look like numbers of identical cases.

    Parameters
    ----------
    n, weight : ndarray of shape (combinations,)
        Number of lines of each combination of labels, and the sum of their weights.
    """
    if len(n) >= FEW_LINES and (n == 1).all() and _are_counts(weight) and weight.min() > 0:
        raise DoubtfulDataError(COUNTED)


def refuse_counted_numbers(numbers: Array, weight: Array, classes: Array | None = None) -> None:
    """Refuse whole-number weights of few numbers that occur once each, as in a table of frequencies.

    Parameters
    ----------
    numbers : ndarray of shape (n,)
        The number of each line.
    weight : ndarray of shape (n,)
        The weight of each line.
    classes : ndarray of shape (n,), optional
        The class of each line, for scores.
    """
    if _are_counts(weight) and are_frequencies(numbers, classes):
        raise DoubtfulDataError(COUNTED)


def are_frequencies(numbers: Array, classes: Array | None = None) -> bool:
    """Whether few numbers occur once each: successive grades, or scores of which most occur in both classes.

    Parameters
    ----------
    numbers : ndarray of shape (n,)
        The number of each line.
    classes : ndarray of shape (n,), optional
        The class of each line, for scores.
    """
    if not 1 < len(numbers) <= MOST_LINES:
        return False
    distinct, kinds = len(np.unique(numbers)), np.zeros(len(numbers)) if classes is None else classes
    if len({*zip(numbers.tolist(), kinds.tolist(), strict=True)}) < len(numbers):
        return False
    is_scale = distinct > 1 and np.ptp(numbers * 1.0) == distinct - 1 and bool((numbers == np.floor(numbers)).all())
    return is_scale if classes is None else len(numbers) >= max(FEW_LINES, IN_BOTH * distinct)


def _are_counts(weight: Array) -> bool:
    return bool(weight.max() >= FEW_LINES and weight.min() >= 0 and (weight == np.floor(weight)).all())


def refuse_odd_classes(labels: list[Any], remedy: str = "Drop such cases") -> None:
    """Refuse inferred classes that are words for missing values, or so many that they look like identifiers."""
    if len(labels) > MOST_CLASSES:
        raise DoubtfulDataError(
            f"There are {len(labels):,} classes ({listed(labels)}): identifiers or free text, it seems. Give class "
            "labels, or name the classes with `labels=`."
        )
    absent = next((label for label in labels if isinstance(label, str) and label.strip() in MISSING), None)
    if absent is not None:
        raise DoubtfulDataError(
            f"The label {absent!r} stands for a missing value. {remedy}, or name it with `labels=`."
        )

"""The source of confusion tables: predictions and true labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sized
from dataclasses import replace
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.designs.base import Design
from howsure.designs.independent import MOST_ATOMS
from howsure.errors import DoubtfulDataError, HowsureError, NoCaseError, OneClassError, boolean, warn
from howsure.sources.columns import Grouped, checked_weight, indicator, same_length
from howsure.sources.crossed import drawn_anew, one_column
from howsure.sources.doubtful_lines import refuse_doubtful_lines
from howsure.sources.encoding import Column, encoded
from howsure.sources.frames import columns, expanded, grouped, weight_or_counts
from howsure.sources.groups import MOST_CELLS, Cells, Groups, by_columns, clusters, groups_of_columns, roles
from howsure.sources.input_checks import (
    refuse_odd_classes,
    refuse_unshared,
)
from howsure.sources.keywords import Classes, Sampled
from howsure.sources.layout import Rank, aligned_columns, class_order, covers, is_stated
from howsure.sources.positive import positive_last
from howsure.sources.strata import counted_roles, refuse_strata
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.labels import label_array
from howsure.tables.multilabel import MultilabelTable

ALIKE, SHORT = 0.7, 2  # similarity of a misspelt label to the right one; labels with so few letters are not compared
MOST_LABELS = 20  # of a single case: a longer row is a vector
NUMBERS = (bool, int, float, np.number, np.bool_)


class _Keywords(Sampled, Classes, total=False):
    """Keyword arguments that do not decide the type of the result."""


@overload
def confusion(
    y_true: object, y_pred: object, *, by: None = None, **keywords: Unpack[_Keywords]
) -> ConfusionTable | MultilabelTable: ...


@overload
def confusion(
    y_true: object, y_pred: object, *, by: Sized, **keywords: Unpack[_Keywords]
) -> Tables[ConfusionTable] | Tables[MultilabelTable]: ...


def confusion(
    y_true: object,
    y_pred: object,
    *,
    data: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    sample_weight: object = None,
    counts: object = None,
    groups: object = None,
    fixed: str | None = None,
    strata: object = None,
    stratum_sizes: Mapping[Any, float] | None = None,
    by: Sized | None = None,
    check: bool = True,
) -> ConfusionTable | MultilabelTable | Tables[ConfusionTable] | Tables[MultilabelTable]:
    """Count predictions into a confusion table.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, L), or str
        True and predicted label of each case, of any type; or indicator arrays of L labels (multilabel); or, with
        ``data``, the names of their columns.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    labels : array-like of shape (K,), optional
        The classes, in order. Cases whose true or predicted label is not among them are left out, as in scikit-learn's
        `confusion_matrix`. The default is all labels that occur, sorted.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    groups : array-like of shape (n,), str, or two of them, optional
        Cluster of each case (patient, document, user): cases of one cluster may be correlated. Two crossed factors,
        such as readers and cases or models and items, are a list of two columns or a mapping of them by name.
    fixed : str, optional
        One of two factors, whose levels a new study would keep: only those of the other are drawn anew.
    strata : array-like of shape (n,) or str, optional
        Stratum of each case, for samples whose cases, or ``groups``, were drawn stratum by stratum.
    stratum_sizes : mapping, optional
        Number of cases of each stratum in a finite population; or, for a large population, the proportion of each
        stratum (they sum to 1). Without it the sizes are unknown, and cases count by ``sample_weight``.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    ConfusionTable, MultilabelTable or Tables
        The table; with ``by`` a mapping of the tables of the groups, where ``overall`` is the table of all cases.

    Raises
    ------
    HowsureError
        If columns differ in length, are empty, have missing values, or do not exist; if one holds text labels
        and the other numbers.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.confusion(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"])
    >>> table.labels.tolist(), table.counts.astype(int).tolist()
    (['cat', 'dog'], [[2, 0], [1, 1]])
    """
    groups, check = drawn_anew(groups, fixed, data), boolean("check", check)
    if data is None and _is_indicator(y_true) and _is_indicator(y_pred):
        if check and labels is None:
            refuse_row(y_true, y_pred)
        refuse_strata(strata, "cases with one label each")
        if pos_label is not None:
            raise HowsureError("`pos_label` is for cases of two classes; of several labels a case each is had or not.")
        weight_or_counts(sample_weight, counts)
        named = by_columns(by, None)
        beside = {"groups": one_column(groups), "counts": counts} | roles(named)
        given = {role: each for role, each in beside.items() if each is not None}
        given = expanded({"y_true": y_true, "y_pred": y_pred} | given)
        split = {name: given[role] for name, role in zip(named, roles(named), strict=True)} or None
        facts: dict[str, Any] = {"labels": labels, "sample_weight": sample_weight, "check": check}
        return multilabel(given["y_true"], given["y_pred"], groups=given.get("groups"), by=split, **facts)
    keys = {"y_true": y_true, "y_pred": y_pred} | ({} if groups is None else {"groups": groups})
    keys |= counted_roles(strata, stratum_sizes, groups, sample_weight)
    named = by_columns(by, data)
    counted = grouped(data, keys | roles(named), sample_weight, check=check, counts=counts)
    if check:
        refuse_doubtful_lines(counted, 2, data, keys, labels=labels, weight=sample_weight, counts=counts)
    ranks = counted.ranks[:2]
    axis = class_labels(counted.levels[0], counted.levels[1], labels, *ranks, pos_label=pos_label, check=check)
    stated = is_stated(axis.tolist(), labels, pos_label, ranked=covers(ranks, axis.tolist()))
    cell, kept = _cells(counted, axis)
    if not kept.any():
        raise NoCaseError("No case has both its true and its predicted label among `labels`.")
    warn_of_left_out(counted, axis, check=check)
    plain = sample_weight is not None and data is None and all(each is None for each in (groups, strata, by))
    cells = Cells(
        cell,
        len(axis) ** 2,
        counted.n,
        counted.weight,
        counted.weight_squared,
        is_weighted=sample_weight is not None,
        cluster=None if groups is None else counted.codes[2],
        names=None if groups is None or counted.multiplicity is not None else counted.levels[2],
        atoms=_atoms(keys, sample_weight, axis) if plain else None,
        multiplicity=counted.multiplicity,
    )
    if strata is not None:
        classes = np.stack(np.divmod(np.arange(len(axis) ** 2), len(axis)), 1)
        own = counted.codes[len(keys) - 1], counted.levels[len(keys) - 1]
        cells = replace(cells, classes=classes).drawn_from(*own, stratum_sizes)
    cells = cells.of(kept)

    def table(counts: Array, design: Design, rows: object) -> ConfusionTable:
        shape = (*counts.shape[:-1], len(axis), len(axis))
        own: dict[str, Any] = {"labels": axis, "is_ordered": stated}
        return ConfusionTable(counts=counts.reshape(shape), design=design, rows=rows, **own)

    if not named:
        return cells.table(table)
    first = len(keys)
    codes = [code[kept] for code in counted.codes[first:]]
    groups_of = Groups.of(list(named), counted.levels[first:], codes, counted.ranks[first:])
    return cells.tables(groups_of, table)


def class_labels(
    true: Array,
    predicted: Array,
    labels: ArrayLike | None,
    *ranks: Rank,
    pos_label: object = None,
    check: bool = True,
) -> Array:
    """Return the classes of a table: those given, or all that occur in the order of `class_order`.

    The positive one of two classes is the last.

    Raises
    ------
    HowsureError
        If true labels are text and predicted labels numbers (or the reverse), or if fewer than two classes remain or
        more than a table can hold. If ``check`` is true, also if the labels do not look like classes.
    """
    refuse_mixed(true, predicted, check=check and not are_named(labels, true, predicted))
    if labels is not None:
        axis = label_array(labels)
        known = {*true.tolist(), *predicted.tolist()}
        _refuse_other_labels(axis.tolist(), known, check=check)
    else:
        every = list(dict.fromkeys([*true.tolist(), *predicted.tolist()]))
        if check:
            refuse_odd_classes(every)
        axis = class_order(every, *ranks)
    axis = positive_last(axis, pos_label)
    if len(axis) == 1:
        raise OneClassError(axis.tolist()[0])
    if len(axis) ** 2 > MOST_CELLS:
        raise HowsureError(
            f"A table of {len(axis):,} classes does not fit into memory. Merge classes, or name some, `labels=`."
        )
    return axis


def _refuse_other_labels(labels: list[Any], known: set[Any], *, check: bool) -> None:
    """Refuse classes of which none occurs, and one that never occurs and is nearly a label that does."""
    from difflib import get_close_matches

    absent, left_out = ([str(each) for each in some] for some in (set(labels) - known, known - set(labels)))
    if not known & set(labels):
        if set(absent) & set(left_out):
            raise HowsureError(
                f"`labels` holds {labels[0]!r}, and the columns {next(iter(known))!r}: text and numbers never agree. "
                "Give `labels` of the columns' type."
            )
        raise HowsureError.unknown("label", str(labels[0]), sorted(left_out))
    for label in absent if check else ():
        others = [each for each in left_out if re.sub(r"\d", "", each) != re.sub(r"\d", "", label)]  # class 1, class 2
        near = [each for each in get_close_matches(label, others, cutoff=ALIKE) if len(label) > SHORT]
        if near:
            raise DoubtfulDataError(
                f"`labels` holds {label!r}, which never occurs, and lacks {near[0]!r}, whose cases would be left out. "
                "Correct `labels`."
            )


def are_named(labels: ArrayLike | None, *columns: Array) -> bool:
    """Whether ``labels=`` names the classes and includes every label, so that the codes need no check."""
    return labels is not None and {value for each in columns for value in each.tolist()} <= {
        *label_array(labels).tolist()
    }


def refuse_mixed(
    true: Array, predicted: Array, name: str = "y_true", said: str = "y_pred", *, check: bool = True
) -> None:
    """Refuse a text column paired with a number column, and with ``check`` other labels that can never agree."""
    kinds = [{_kind(each) for each in set(map(type, axis.tolist()))} for axis in (true, predicted)]
    if {"text", "numbers"} == kinds[0] | kinds[1] and len(kinds[0]) == len(kinds[1]) == 1:
        first, second = (
            (next(iter(kind)), min(axis.tolist(), key=_is_digits))
            for kind, axis in zip(kinds, (true, predicted), strict=True)
        )
        raise HowsureError(
            f"`{name}` holds {first[0]} ({first[1]!r}) and `{said}` holds {second[0]} ({second[1]!r}): "
            "they would never agree. Convert one of them."
        )
    if check:
        refuse_unshared(true, predicted, name, said)


def _is_digits(label: object) -> bool:
    """Whether a text label is written like a number."""
    return str(label).strip().lstrip("+-").replace(".", "", 1).isdigit()


def _kind(of: type) -> str:
    return "text" if issubclass(of, str) else "numbers" if issubclass(of, NUMBERS) else "other"


def _cells(counted: Grouped, axis: Array) -> tuple[Array, Array]:
    """Return each combination's flat cell, and whether both its labels are among the classes."""
    position = {label: index for index, label in enumerate(axis.tolist())}
    true, predicted = (
        np.array([position.get(label, -1) for label in counted.levels[i].tolist()])[counted.codes[i]] for i in (0, 1)
    )
    return true * len(axis) + predicted, (true >= 0) & (predicted >= 0)


def warn_of_left_out(counted: Grouped, axis: Array, models: int = 1, *, check: bool) -> None:
    """Warn of cases of the classes that are left out because a prediction is no class, such as no answer."""
    classes = {*axis.tolist()}
    known = classes.union(counted.levels[0].tolist())
    among = [
        np.array([label in wanted for label in levels.tolist()])[codes]
        for levels, codes, wanted in zip(counted.levels, counted.codes, [classes, *[known] * models], strict=False)
    ]
    of_classes, *predicted = among
    if (lost := int(counted.n[of_classes & ~np.logical_and.reduce(predicted)].sum())) and check:
        warn(
            f"{lost:,} of {int(counted.n[of_classes].sum()):,} cases of the classes in `labels` have a prediction that "
            "is no class, and were left out. To count them as errors, add it to `labels`; else pass `check=False`."
        )


def grouped_by_weight(keys: dict[str, Any], weight: object) -> Grouped | None:
    """Count the combinations of the columns' values and the weight (the last key); None if there are too many."""
    weights = checked_weight(weight)
    head = weights[: 2**16]
    if len(np.unique(head)) > len(head) // 10 + 100:
        return None
    counted = grouped(None, {**keys, "weight": weights})
    return counted if len(counted.n) <= MOST_ATOMS else None


def _atoms(keys: dict[str, Any], weight: object, axis: Array) -> tuple[Array, Array, Array] | None:
    """Return the distinct weights of each cell and how often each occurs; None if there are too many."""
    counted = grouped_by_weight(keys, weight)
    if counted is None:
        return None
    cell, kept = _cells(counted, axis)
    return cell[kept], counted.levels[2][counted.codes[2]][kept].astype(float), counted.n[kept]


def refuse_row(*columns: object) -> None:
    """Refuse arrays of one long row, as MATLAB's files hold vectors."""
    shapes: list[tuple[int, ...]] = [getattr(each, "shape", ()) for each in columns]
    if all(len(shape) == 2 and shape[0] == 1 and shape[1] > MOST_LABELS for shape in shapes):
        raise DoubtfulDataError(
            f"`y_true` and `y_pred` have the shape {shapes[0]}: one case with {shapes[0][1]} labels. For "
            f"{shapes[0][1]} cases give columns: y_true.ravel(), y_pred.ravel(); for one case "
            "name its labels with `labels=`."
        )


def _is_indicator(values: object) -> bool:
    """Whether values have a second axis, longer than 1: an array of shape (n, 1) is a column."""
    if isinstance(values, list | tuple):
        first = values[0] if values else None
        return isinstance(first, list | tuple | np.ndarray) and np.ndim(first) > 0 and len(first) != 1
    return getattr(values, "ndim", 1) == 2 and getattr(values, "shape", (0, 1))[1] != 1


def multilabel(
    y_true: object,
    y_pred: object,
    *,
    labels: ArrayLike | None = None,
    sample_weight: object = None,
    groups: object = None,
    by: Sized | None = None,
    check: bool = True,
) -> MultilabelTable | Tables[MultilabelTable]:
    """Count multilabel indicator arrays into one 2×2 table for each label; each row is a cluster of its labels.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, L)
        Arrays of 0 and 1.
    labels : array-like of shape (L,), optional
        Names of the labels; 0 … L−1 by default.
    sample_weight : array-like of shape (n,), optional
        Weight of each row.
    groups : array-like of shape (n,), optional
        Cluster of each row, if rows are correlated.
    by : array-like of shape (n,), mapping or frame, optional
        One column, or several, to split by.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.
    """
    y_true, y_pred, found = aligned_columns(y_true, y_pred, "y_true", "y_pred")
    labels = found if labels is None else labels
    given = columns(None, {"y_true": y_true, "y_pred": y_pred}, check=check)
    true, predicted = (_indicator(name, values) for name, values in given.items())
    if true.shape != predicted.shape:
        raise HowsureError(f"`y_true` has shape {true.shape} and `y_pred` {predicted.shape}; both are cases × labels.")
    rows, size = true.shape
    axis = np.arange(size) if labels is None else label_array(labels)
    if len(axis) != size:
        raise HowsureError(f"`labels` names {len(axis)} labels, and the arrays have {size} columns.")
    weights = None if sample_weight is None else checked_weight(sample_weight)
    cluster, names = (None, None) if groups is None else _cluster_codes("groups", groups, rows)
    codes = (2 * true + predicted).astype(np.uint8)

    def table(some: Any) -> MultilabelTable:
        parts = (None if part is None else part[some] for part in (weights, cluster))
        return _multilabel(codes[some], axis, *parts, names=names)

    named = by_columns(by, None)
    if not named:
        return table(slice(None))
    split = [encoded(role, column) for role, column in roles(named).items()]
    same_length([Column("y_true", axis, codes[:, 0]), *split], None)
    return groups_of_columns(list(named), split).each(table)


def _multilabel(
    codes: Array, axis: Array, weights: Array | None, cluster: Array | None, *, names: Array | None
) -> MultilabelTable:
    rows, size = codes.shape
    multiplicity: Array | None = None
    if cluster is None and weights is None:
        codes, number = np.unique(codes, axis=0, return_counts=True)
        multiplicity = number.astype(float)
    cluster = np.arange(len(codes)) if cluster is None else cluster
    weights = np.ones(len(codes)) if weights is None else weights
    flat = cluster[:, None] * (4 * size) + 4 * np.arange(size) + codes
    filled, inverse = np.unique(flat, return_inverse=True)
    count, squared = (np.bincount(inverse.ravel(), np.repeat(each, size)) for each in (weights, weights**2))
    entries = filled // (4 * size), filled % (4 * size), count, squared
    design = clusters(*entries, multiplicity=multiplicity, names=names, labels_per_case=size)
    design = design.with_unshared_units() if names is None else design
    times = 1.0 if multiplicity is None else multiplicity[entries[0]]
    counts = np.bincount(entries[1], count * times, 4 * size).reshape(size, 2, 2)
    return MultilabelTable(counts=counts, labels=axis, design=design, rows=rows)


def _cluster_codes(name: str, values: object, rows: int) -> tuple[Array, Array]:
    column = encoded(name, values)
    if len(column) != rows:
        raise HowsureError(f"`{name}` has {len(column)} entries for {rows} rows.")
    return column.used()


def _indicator(name: str, values: object) -> Array:
    array = indicator(name, values)
    if not array.size:
        raise NoCaseError(f"`{name}` is empty: there is no case to evaluate.")
    return array

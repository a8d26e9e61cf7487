"""The source of tables from confusion matrices or stacks of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError, HowsureError, boolean, listed, real_numbers, warn
from howsure.sources.encoding import Column, encoded
from howsure.sources.layout import (
    are_numbered,
    as_written,
    in_own_order,
    is_stated,
    names_of,
    with_names,
)
from howsure.sources.matrix_axes import Axis, laid_out, warn_of_percentages
from howsure.sources.matrix_lines import refuse_lines, roles_of_lines
from howsure.sources.matrix_words import axis_kind
from howsure.sources.outcomes import NOT_WHOLE, matrix_of_outcomes
from howsure.sources.positive import positive_order
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.labels import label_array
from howsure.tables.units import PairedUnitsTable

FAR_FROM_ONE = 20.0  # times the variance of independent cases; sites of a study seldom reach 10
FEWEST_UNITS = 5  # matrices from which on their variance says something
ROUNDING = 1e-9  # relative error of counts that were divided and multiplied


@overload
def from_counts(  # type: ignore[overload-overlap]  # a nested list is array-like too: the narrower comes first
    counts: Sequence[Sequence[Sequence[float]]],
    labels: ArrayLike | None = None,
    *,
    pos_label: object = None,
    groups: None = None,
    check: bool = ...,
) -> Tables[ConfusionTable]: ...


@overload
def from_counts(
    counts: Mapping[str, ArrayLike],
    labels: ArrayLike | None = None,
    *,
    pos_label: object = None,
    groups: ArrayLike,
    check: bool = ...,
) -> PairedUnitsTable: ...


@overload
def from_counts(
    counts: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    *,
    tp: ArrayLike | None = ...,
    fp: ArrayLike | None = ...,
    fn: ArrayLike | None = ...,
    tn: ArrayLike | None = ...,
    pos_label: object = None,
    groups: ArrayLike | None = None,
    check: bool = ...,
) -> ConfusionTable: ...


def from_counts(
    counts: ArrayLike | Mapping[str, ArrayLike] | None = None,
    labels: ArrayLike | None = None,
    *,
    tp: ArrayLike | None = None,
    fp: ArrayLike | None = None,
    fn: ArrayLike | None = None,
    tn: ArrayLike | None = None,
    pos_label: object = None,
    groups: ArrayLike | None = None,
    check: bool = True,
) -> ConfusionTable | PairedUnitsTable | Tables[ConfusionTable]:
    """Return the table of a confusion matrix: rows are the true class, columns the predicted class.

    Parameters
    ----------
    counts : array-like of shape (K, K) or (G, K, K), mapping of classes to counts, or mapping of str to stacks
        Whole, non-negative numbers. If a frame has labels on both axes, classes are matched by name, the names of the
        axes (``true``, ``predicted``) determine the orientation, and named totals are ignored. A mapping of each true
        class to a mapping of predicted classes to counts is such a matrix, as in PyCM, and so is a frame with columns
        of true class, predicted class and number (``true``, ``predicted``, ``n``). A stack is a batch: one
        table for each image, patient or site. For several models on the same images, a mapping from model name to
        stack.
    labels : array-like of shape (K,), optional
        The class labels; 0 … K−1 by default (or the frame's).
    tp, fp, fn, tn : int or array-like of shape (G,), optional
        The numbers of true and false positives, false and true negatives, instead of a matrix. `labels` names the
        classes, the negative one first; the default is "negative" and "positive". Arrays give a batch.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    groups : array-like of shape (G,), optional
        Cluster of each matrix of a stack: its image, or the patient if several images belong to one patient. The stack
        is then one table of all cases, and the sampling unit is the cluster; `per_unit` uses the single matrices.
    check : bool
        Whether to refuse a last row and column that are the sums of the others; False takes them as a class.

    Returns
    -------
    ConfusionTable, PairedUnitsTable or Tables
        The table. For a stack without ``groups``, a mapping of the tables by position, where ``overall`` is their sum.
        For several models, a joint table.

    Raises
    ------
    HowsureError
        If the matrix is not square, is empty, includes totals, or holds a negative, fractional, infinite or missing
        count; or if stacks of several models differ in length or lack ``groups``.

    Examples
    --------
    >>> table = from_counts([[50, 3], [5, 42]], labels=["benign", "malignant"])
    >>> table.rows
    100
    >>> stack = [[[50, 3], [5, 42]], [[40, 13], [9, 38]], [[61, 2], [8, 30]]]
    >>> len(from_counts(stack))
    3
    >>> from_counts(stack, groups=["image 1", "image 2", "image 3"])
    <ConfusionTable: 301 cases: 169 of class 0, 132 of class 1; design: clusters>
    """
    checked, given_as = boolean("check", check), counts
    if (lines := roles_of_lines(counts)) and groups is None:
        from howsure.sources.confusion import confusion  # which loads the readers of files

        true, said, number = lines
        found = confusion(true, said, data=counts, counts=number, labels=labels, pos_label=pos_label, check=check)
        return cast("ConfusionTable", found)
    counts, labels = matrix_of_outcomes({"tp": tp, "fp": fp, "fn": fn, "tn": tn}, counts, labels)
    counts, labels = _of_report(counts, labels)
    checked &= counts is given_as  # else the four numbers are named
    if isinstance(counts, Mapping):
        counts, labels = _of_names(counts, labels, check=checked)
    stacks = counts if isinstance(counts, Mapping) else None
    if stacks is not None:
        _refuse_no_stacks(stacks, groups)
    given = None if labels is None else label_array(labels).tolist()
    read = [_read(each, given, check=checked) for each in ([counts] if stacks is None else stacks.values())]
    matrices = [matrix for matrix, _ in read]
    size, names = matrices[0].shape[-1], read[0][1] if given is None else given
    _refuse_other_classes("The models' matrices", [each for _, each in read])
    values = np.arange(size) if names is None else label_array(names)
    if len(values) != size:
        raise HowsureError(f"`labels` has {len(values)} entries for a {size}×{size} matrix. Give one label per class.")
    if pos_label is not None:
        order = positive_order(values, pos_label)
        matrices, values = [each[..., order, :][..., order] for each in matrices], values[order]
    stated = names is None or is_stated(values.tolist(), in_own_order(names) if given is None else given, pos_label)
    if groups is not None:
        return _of_units(
            [str(name) for name in stacks or ()], matrices, values, encoded("groups", groups), stated=stated
        )
    table = ConfusionTable(counts=matrices[0], labels=values, is_ordered=stated)
    if not table.batch:
        return table
    if check:
        _refuse_one_against_rest(table.counts)
        _warn_of_units(table.counts)
    whole = ConfusionTable(counts=table.counts.sum(0), labels=values, is_ordered=stated)
    return Tables(range(len(table.counts)), table, whole)


def matrix_table(
    path: str | Path, labels: Sequence[object] | None = None, *, pos_label: object = None, check: bool = True
) -> Any:
    """Return the table of a confusion matrix in a file; see `read_matrix` for the arguments.

    Parameters
    ----------
    path : str or Path
        The file.
    labels : sequence, optional
        The classes, in order.
    pos_label : object, optional
        Which of two classes is the positive one.
    check : bool
        Whether to refuse a last row and column that are the sums of the others, where they have no name.
    """
    from howsure.sources.matrix_file import read_matrix

    found, counts = read_matrix(path, labels, check=check)
    table = from_counts(counts, found, pos_label=pos_label, check=check)
    if labels is None and found is not None and counts.ndim == 2:  # not several rows of TP, FP, FN and TN
        return replace(table, is_ordered=is_stated(table.labels.tolist(), in_own_order(found), pos_label))
    return table


def _of_report(counts: Any, labels: ArrayLike | None) -> tuple[Any, ArrayLike | None]:
    """Return the matrix and classes of scikit-learn's report of two classes; other input unchanged."""
    from howsure.sources.rate_reports import matrix_of_report, report_of

    report = report_of(counts)
    return (matrix_of_report(report), list(report) if labels is None else labels) if report else (counts, labels)


def _refuse_no_stacks(stacks: Mapping[Any, Any], groups: object) -> None:
    """Refuse a mapping that is not one of several models' stacks of matrices."""
    nested = [each for each in stacks.values() if isinstance(each, Mapping)]
    if nested:
        others = [said for each in nested for said in each if said not in stacks]
        if others and all(isinstance(number, int | np.integer) for each in nested for number in each.values()):
            raise HowsureError(
                f"`counts` has {others[0]!r} among the predicted classes, and no true class of that name. Add it "
                f"without cases: `from_counts({{**counts, {others[0]!r}: {{}}}})`."
            )
        raise HowsureError(
            f"`counts` maps {listed(stacks)} to further names, as a report does. For published rates: "
            "from_rates(precision=…, recall=…, positives=…, negatives=…)."
        )
    if all(isinstance(pair, tuple) and len(pair) == 2 for pair in stacks):
        raise HowsureError(
            "`counts` maps pairs of classes to numbers, and which of a pair is the true one is not said. Say it: "
            "confusion([true for true, _ in counts], [said for _, said in counts], counts=list(counts.values()))."
        )
    if not any(map(np.ndim, stacks.values())):
        raise HowsureError(
            f"`counts` maps {listed(stacks)} to numbers. Give them by name, from_counts(tp=…, fp=…, fn=…, tn=…), or "
            "the matrix [[tn, fp], [fn, tp]]."
        )
    if len(stacks) < 2 or groups is None:
        raise HowsureError(
            "Several models are a mapping of two names or more to stacks, with the `groups` of their matrices."
        )


def _of_names(counts: Mapping[Any, Any], labels: ArrayLike | None, *, check: bool) -> tuple[Any, ArrayLike | None]:
    """Return the matrix and classes of a mapping: true class → predicted class → count; others unchanged."""
    rows = [each for each in counts.values() if isinstance(each, Mapping)]
    if len(rows) < len(counts) or not all(each.keys() <= counts.keys() for each in rows):
        return counts, labels
    known = list(counts) if labels is None else label_array(labels).tolist()
    if len(known) != len(counts) or set(known) != set(counts):
        raise HowsureError(f"`labels` {listed(known)} are not the classes of `counts`, {listed(list(counts))}.")
    matrix = [[counts[true].get(said, 0) for said in known] for true in known]
    is_full = all(len(each) == len(known) for each in rows)  # as DataFrame.to_dict() gives it, column by column
    if check and is_full and matrix != [list(each) for each in zip(*matrix, strict=True)]:
        warn(
            f"`counts` maps {listed(known)} to further names: the outer ones were taken as the true classes, and "
            "`DataFrame.to_dict()` has the columns there. If the frame's rows are the true classes, give the frame."
        )
    return matrix, known


def _read(counts: Any, labels: Sequence[object] | None, *, check: bool) -> tuple[Array, list[Any] | None]:
    """Return a checked matrix or stack with the true classes in rows, and its classes if they are named."""
    counts = with_names(counts)
    if isinstance(counts, list | tuple) and counts and all(hasattr(each, "columns") for each in counts):
        parts = [_read(each, labels, check=check) for each in counts]
        _refuse_other_classes("The matrices", [each for _, each in parts])
        return np.stack([matrix for matrix, _ in parts]), parts[0][1]
    names = getattr(getattr(counts, "index", None), "names", ())
    if getattr(counts, "ndim", None) == 1 and {axis_kind(name) for name in names} == {"true", "predicted"}:
        counts = counts.unstack(fill_value=0)  # numbers of cases by two columns, as pandas counts them
    refuse_lines(counts)
    counts, first = _without_label_column(counts)
    matrix, found = laid_out(_checked(counts), *_axes(counts, first), labels, check=check)
    if check and matrix.ndim == 2 < len(matrix):  # two classes of 100 cases each are ordinary
        warn_of_percentages(matrix)
    if matrix.shape[-2] != matrix.shape[-1] or matrix.shape[-1] < 2:
        raise HowsureError(
            f"`counts` has shape {np.shape(counts)}; a confusion matrix is square, K×K with K ≥ 2: "
            "rows true, columns predicted."
        )
    return matrix, found


def _refuse_other_classes(what: str, classes: Sequence[list[Any] | None]) -> None:
    if any(each != classes[0] for each in classes):
        raise HowsureError(f"{what} name their classes differently. Give all the same labels, in one order.")


def _refuse_one_against_rest(stack: Array) -> None:
    """Refuse matrices of each class against the rest, which are of the same cases."""
    totals, positives = stack.sum((-2, -1)), stack[:, -1, :].sum(-1)
    if stack.shape[-1] == 2 and len(stack) > 2 and (totals == totals[0]).all() and positives.sum() == totals[0]:
        raise DoubtfulDataError(
            f"The {len(stack)} matrices seem to be of one class each against the rest, of the same {totals[0]:,.0f} "
            "cases. Give the matrix of all classes, or `confusion(true, predicted)`."
        )


def _warn_of_units(stack: Array) -> None:
    """Warn about matrices whose accuracies vary far more than those of independent cases, such as pixels of images."""
    hits, cases = np.trace(stack, axis1=-2, axis2=-1)[stack.sum((-2, -1)) > 0], stack.sum((-2, -1))
    cases = cases[cases > 0]
    share = hits.sum() / cases.sum() if len(cases) else 0.0
    if len(cases) < FEWEST_UNITS or not 0 < share < 1:
        return
    spread = float(((hits - cases * share) ** 2 / cases).sum() / (share * (1 - share) * (len(cases) - 1)))
    if spread >= FAR_FROM_ONE:
        warn(
            f"The accuracies of the {len(stack):,} matrices vary {spread:,.0f} times as much as those of independent "
            "cases. If they are of images, patients or sites, name these as `groups=`: without them all intervals are "
            "far too narrow."
        )


def _without_label_column(counts: object) -> tuple[Any, tuple[list[Any], str] | None]:
    """Return a frame without a first column of row labels, as in a file, and these labels with the column's name."""
    if not hasattr(counts, "columns"):
        return counts, None
    import narwhals as nw

    frame = nw.from_native(counts, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or frame.shape[1] != frame.shape[0] + 1:
        return counts, None
    name, *others = frame.columns
    is_text = not frame.schema[name].is_numeric()
    if not is_text or not all(frame.schema[each].is_numeric() for each in others):
        return counts, None
    return frame[:, 1:].to_native(), (frame[name].to_list(), name)


def _axes(counts: object, first: tuple[list[Any], str] | None) -> tuple[Axis, Axis]:
    """Return the axes of a frame, where default labels name no classes; for an array, axes without names."""
    names = names_of(counts)
    if names is None:
        return Axis(None), Axis(None)
    index = getattr(counts, "index", ())
    rows, columns = first or (index, _axis_name(index)), (names, _axis_name(names))
    return _axis(*rows, beside=names), _axis(*columns, beside=rows[0])


def _axis(labels: Sequence[object], name: object, *, beside: Sequence[object]) -> Axis:
    """Return an axis; without labels if these are default numbers.

    Numbers are default if two of three are true: they are pandas' default index, the axis has no name, and the other
    axis has other labels.
    """
    is_range, is_unnamed = type(labels).__name__ == "RangeIndex", name is None
    is_other = set(map(as_written, labels)).isdisjoint(map(as_written, beside))
    is_default = are_numbered(labels) and is_range + is_unnamed + is_other >= 2
    return Axis.of(None if is_default or not len(labels) else list(labels), name)


def _axis_name(axis: object) -> Any:
    """Return the name of a frame's axis; for several levels, the name that means true or predicted."""
    names = [name for name in getattr(axis, "names", None) or [getattr(axis, "name", None)] if name is not None]
    return next((name for name in names if axis_kind(name)), names[-1] if names else None)


def _of_units(
    names: list[str], matrices: Sequence[Array], labels: Array, groups: Column, *, stated: bool
) -> ConfusionTable | PairedUnitsTable:
    """Return the clustered table of a stack of matrices, or the joint table of several stacks."""
    from howsure.sources.units import UnitRows

    shapes = {each.shape for each in matrices}
    if len(shapes) > 1 or len(next(iter(shapes))) != 3 or len(groups) != len(matrices[0]):
        raise HowsureError(
            f"`groups` has {len(groups)} entries, for matrices of the shape {listed(shapes)}. "
            "Give stacks of one shape, (G, K, K), and the group of each of the G matrices."
        )
    flat = [each.reshape(len(groups), -1) for each in matrices]
    size = flat[0].shape[1]
    found = [np.nonzero(each) for each in flat]
    counts, design = UnitRows.of(len(groups), None, groups, None).counted(
        np.concatenate([unit for unit, _ in found]),
        np.concatenate([cell + size * model for model, (_, cell) in enumerate(found)]),
        np.concatenate([each[place] for each, place in zip(flat, found, strict=True)]),
        size * len(flat),
    )
    shape = matrices[0].shape[1:]
    if not names:
        return ConfusionTable(counts=counts.reshape(shape), labels=labels, design=design, is_ordered=stated)
    own = tuple(
        ConfusionTable(counts=np.zeros(shape), labels=labels, rows=round(each.sum()), is_ordered=stated)
        for each in flat
    )
    rows = max(each.rows for each in own)
    return PairedUnitsTable(counts=counts, labels=labels, names=tuple(names), own=own, design=design, rows=rows)


def _where_from(matrix: Array) -> str:
    """Return a hint for numbers that are not counts: their likely meaning, and the input to use instead."""
    axes: dict[int | tuple[int, int], str] = {
        -1: "each row by its number of cases",
        -2: "each column by its number of cases",
        (-2, -1): "by the number of all cases",
    }
    for total, what, over in ((1.0, "shares", ""), (100.0, "percentages", " / 100")):
        for axis, by in axes.items():
            if np.allclose(matrix.sum(axis), total, rtol=0.02):
                return f": these are {what}. Multiply {by}{over} and round; for two classes see `from_rates`"
    return "; for weighted cases give `sample_weight` to `confusion`"


def _checked(counts: object) -> Array:
    try:
        matrix = real_numbers("counts", counts)
    except HowsureError:
        remedy = "Give K rows of K counts, rows true, columns predicted."
        if isinstance(counts, str | Path):
            remedy = "For a file: `howsure matrix FILE`, or from_counts(pandas.read_csv(file, index_col=0))."
        elif hasattr(counts, "toarray"):
            remedy = "For a sparse matrix: counts.toarray()."
        raise HowsureError(f"`counts` is not a matrix of numbers. {remedy}") from None
    if matrix.shape == (4,):
        raise HowsureError(
            "Four numbers in a row have no agreed order. Name them, from_counts(tp=…, fp=…, fn=…, tn=…), or give the "
            "square matrix [[tn, fp], [fn, tp]]: rows true, columns predicted."
        )
    if matrix.ndim not in {2, 3} or not matrix.size:
        raise HowsureError(
            f"`counts` has shape {matrix.shape}; a confusion matrix is square, K×K with K ≥ 2: "
            "rows true, columns predicted."
        )
    whole = np.rint(matrix)
    matrix = np.where(np.isclose(matrix, whole, rtol=ROUNDING, atol=0), whole, matrix)
    for bad, words in (
        (~np.isfinite(matrix), "is not finite"),
        (matrix < 0, "is negative: a count is 0 or more"),
        (matrix != np.floor(matrix), NOT_WHOLE),
    ):
        if bad.any():
            place = tuple(int(i) for i in np.argwhere(bad)[0])
            remedy = _where_from(matrix) if words is NOT_WHOLE else ""
            raise HowsureError(f"`counts{''.join(f'[{i}]' for i in place)}` = {matrix[place]:.12g} {words}{remedy}.")
    if not matrix.any((-2, -1)).all():
        which, remedy = "", "Give the counts of some"
        if matrix.ndim == 3:
            which, remedy = f"[{int(np.argmin(matrix.any((-2, -1))))}]", "Leave it out, and its group"
        raise HowsureError(f"`counts{which}` is all zeros: there is no case to evaluate. {remedy}.")
    return matrix

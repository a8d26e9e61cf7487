"""From confusion matrices, one or a stack of them, to tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.errors import HowsureError, listed, real_numbers
from howsure.sources.encoding import Column, encoded
from howsure.sources.positive import positive_order
from howsure.sources.units import UnitRows
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.labels import label_array
from howsure.tables.units import PairedUnitsTable

Array = NDArray[Any]
NOT_WHOLE = "is not a whole number"


@overload
def from_counts(  # type: ignore[overload-overlap]  # a nested list is array-like too: the narrower comes first
    counts: Sequence[Sequence[Sequence[float]]],
    labels: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    groups: None = None,
) -> Tables[ConfusionTable]: ...


@overload
def from_counts(
    counts: Mapping[str, ArrayLike], labels: ArrayLike | None = None, *, pos_label: Any = None, groups: ArrayLike
) -> PairedUnitsTable: ...


@overload
def from_counts(
    counts: ArrayLike, labels: ArrayLike | None = None, *, pos_label: Any = None, groups: ArrayLike | None = None
) -> ConfusionTable: ...


def from_counts(
    counts: ArrayLike | Mapping[str, ArrayLike],
    labels: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    groups: ArrayLike | None = None,
) -> ConfusionTable | PairedUnitsTable | Tables[ConfusionTable]:
    """Return the table of a confusion matrix: rows are the true class, columns the predicted class.

    Parameters
    ----------
    counts : array-like of shape (K, K) or (G, K, K), or mapping of str to those of a stack
        Whole, non-negative numbers; a frame with labels on both axes is understood. A stack is a batch: one table for
        each image, patient or site. Of several models on the same images the name of each → its stack.
    labels : array-like of shape (K,), optional
        The class labels; 0 … K−1 by default (or the frame's).
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    groups : array-like of shape (G,), optional
        Cluster of each matrix of a stack: its image or, where several are of one patient, the patient. The stack is
        then one table of all cases, in which clusters are what varies; `per_unit` knows each matrix.

    Returns
    -------
    ConfusionTable, PairedUnitsTable or Tables
        The table; of a stack without ``groups`` its tables by position, and all of them together as ``overall``. Of
        several models their tables side by side.

    Raises
    ------
    HowsureError
        If the matrix is not square, is empty, or holds a negative, fractional, infinite or missing count; if stacks
        differ in length, or come without ``groups``.

    Examples
    --------
    >>> table = from_counts([[50, 3], [5, 42]], labels=["benign", "malignant"])
    >>> table.rows
    100
    >>> stack = [[[50, 3], [5, 42]], [[40, 13], [9, 38]], [[61, 2], [8, 30]]]
    >>> len(from_counts(stack))
    3
    >>> from_counts(stack, groups=["image 1", "image 2", "image 3"])
    <ConfusionTable: 301 cases, 2 classes, Clusters design>
    """
    stacks = counts if isinstance(counts, Mapping) else None
    first = counts if stacks is None else next(iter(stacks.values()), None)
    if labels is None and hasattr(first, "columns"):
        labels = _labels_of(first)
    if stacks is not None and not any(map(np.ndim, stacks.values())):
        message = f"`counts` maps {listed(stacks)} to numbers. Give the matrix, [[tn, fp], [fn, tp]]: rows true."
        raise HowsureError(message)
    matrices = [_checked(each) for each in ([counts] if stacks is None else stacks.values())]
    if stacks is not None and (len(stacks) < 2 or groups is None):
        message = "Several models are a mapping of two names or more to stacks, with the `groups` of their matrices."
        raise HowsureError(message)
    size = matrices[0].shape[-1]
    values = np.arange(size) if labels is None else label_array(labels)
    if len(values) != size:
        message = f"`labels` has {len(values)} entries for a {size}×{size} matrix. Give one label per class."
        raise HowsureError(message)
    if pos_label is not None:
        order = positive_order(values, pos_label)
        matrices, values = [each[..., order, :][..., order] for each in matrices], values[order]
    if groups is not None:
        return _of_units([str(name) for name in stacks or ()], matrices, values, encoded("groups", groups))
    table = ConfusionTable(counts=matrices[0], labels=values)
    if not table.batch:
        return table
    return Tables(range(len(table.counts)), table, ConfusionTable(counts=table.counts.sum(0), labels=values))


def _labels_of(frame: Any) -> list[Any]:
    labels = list(frame.columns)
    index = list(getattr(frame, "index", labels))
    if index != labels and index != list(range(len(index))):
        message = f"The matrix's rows are labelled {index} and its columns {labels}. Give both the same labels."
        raise HowsureError(message)
    return labels


def _of_units(
    names: list[str], matrices: Sequence[Array], labels: Array, groups: Column
) -> ConfusionTable | PairedUnitsTable:
    """Return the table of stacks of matrices, side by side where there are several, in which clusters vary."""
    shapes = {each.shape for each in matrices}
    if len(shapes) > 1 or len(next(iter(shapes))) != 3 or len(groups) != len(matrices[0]):
        message = (
            f"`groups` has {len(groups)} entries, for matrices of the shape {listed(shapes)}. "
            "Give stacks of one shape, (G, K, K), and the group of each of the G matrices."
        )
        raise HowsureError(message)
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
        return ConfusionTable(counts=counts.reshape(shape), labels=labels, design=design)
    own = tuple(ConfusionTable(counts=np.zeros(shape), labels=labels, rows=round(each.sum())) for each in flat)
    rows = max(each.rows for each in own)
    return PairedUnitsTable(counts=counts, labels=labels, names=tuple(names), own=own, design=design, rows=rows)


def _where_from(matrix: Array) -> str:
    """Return what numbers that are no counts may be, and what to give instead."""
    for total, what in ((1.0, "shares"), (100.0, "percentages")):
        if any(np.allclose(matrix.sum(axis), total, rtol=0.02) for axis in (-1, -2, (-2, -1))):
            return f": these are {what}. Give the numbers of cases; from rates and totals `from_rates` makes a table"
    return "; for weighted cases give `sample_weight` to `confusion`"


def _checked(counts: Any) -> Array:
    try:
        matrix = real_numbers("counts", counts)
    except HowsureError:
        message = "`counts` is not a matrix of numbers. Give K rows of K counts, rows true, columns predicted."
        raise HowsureError(message) from None
    if matrix.ndim not in {2, 3} or matrix.shape[-2] != matrix.shape[-1] or matrix.shape[-1] < 2:
        message = (
            f"`counts` has shape {matrix.shape}; a confusion matrix is square, K×K with K ≥ 2: "
            "rows true, columns predicted."
        )
        raise HowsureError(message)
    for bad, words in (
        (~np.isfinite(matrix), "is not finite"),
        (matrix < 0, "is negative: a count is 0 or more"),
        (matrix != np.floor(matrix), NOT_WHOLE),
    ):
        if bad.any():
            place = tuple(int(i) for i in np.argwhere(bad)[0])
            remedy = _where_from(matrix) if words is NOT_WHOLE else ""
            message = f"`counts{''.join(f'[{i}]' for i in place)}` = {matrix[place]:g} {words}{remedy}."
            raise HowsureError(message)
    if not matrix.any((-2, -1)).all():
        which, remedy = "", "Give the counts of some"
        if matrix.ndim == 3:
            which, remedy = f"[{int(np.argmin(matrix.any((-2, -1))))}]", "Leave it out, and its group"
        message = f"`counts{which}` is all zeros: there is no case to evaluate. {remedy}."
        raise HowsureError(message)
    return matrix

"""The table of counts: all the data that a metric may see."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.designs import Clusters, Design, FixedMargins, Simple
from howsure.errors import HowsureError

Array = NDArray[Any]
Kind = Literal["confusion", "multilabel", "scores", "paired"]


class Counts:
    """Tables on leading axes, with their diagonal and margins computed once.

    Parameters
    ----------
    cells
        Counts, shape ``(..., K, K)``: rows are the true class, columns the predicted class; or
        ``(..., L, 2, 2)``, one 2×2 table a label, for multilabel data (``kind="multilabel"``).

    Notes
    -----
    Resamples, posterior draws and plain tables all are ``Counts``: a metric is written once for all of them,
    and many metrics of the same draws share the margins.
    """

    def __init__(self, cells: ArrayLike, kind: Kind = "confusion") -> None:
        self.cells: Array = np.asarray(cells)
        self.kind: Kind = kind

    @property
    def classes(self) -> int:
        """Number of classes, or of labels."""
        return int(self.cells.shape[-3 if self.kind == "multilabel" else -1])

    @cached_property
    def hits(self) -> Array:
        """Correctly predicted cases of each class, ``(..., K)``."""
        if self.kind == "multilabel":
            return np.asarray(self.cells[..., 1, 1])
        return np.diagonal(self.cells, axis1=-2, axis2=-1)

    @cached_property
    def rows(self) -> Array:
        """Cases of each true class, ``(..., K)``."""
        return np.asarray(self.cells[..., 1, :].sum(-1) if self.kind == "multilabel" else self.cells.sum(-1))

    @cached_property
    def columns(self) -> Array:
        """Cases predicted as each class, ``(..., K)``."""
        return np.asarray(self.cells[..., :, 1].sum(-1) if self.kind == "multilabel" else self.cells.sum(-2))

    @cached_property
    def total(self) -> Array:
        """All cases, ``(...)`` (for multilabel data ``(..., L)``)."""
        return np.asarray(self.cells.sum((-2, -1)) if self.kind == "multilabel" else self.rows.sum(-1))

    def outcomes(self, index: int | None = None) -> tuple[Array, Array, Array, Array]:
        """Return true positives, false negatives, false positives, true negatives: each class against the rest.

        Shapes ``(..., K)``, or ``(...)`` for the one class at ``index``.
        """
        return self._every if index is None else self._outcomes(index)

    @cached_property
    def _every(self) -> tuple[Array, Array, Array, Array]:
        return self._outcomes(None)

    def _outcomes(self, index: int | None) -> tuple[Array, Array, Array, Array]:
        where: Any = slice(None) if index is None else index
        tp, rows, columns = self.hits[..., where], self.rows[..., where], self.columns[..., where]
        if self.kind == "multilabel":
            return tp, rows - tp, columns - tp, self.cells[..., where, 0, 0]
        total = self.total[..., None] if index is None else self.total
        tn = total - rows - columns + tp
        # Sums of weights do not cancel exactly: what is left of nothing must be nothing.
        dust = 4e-16 * self.classes * total
        fn, fp, tn = (np.where(np.abs(part) <= dust, 0.0, part) for part in (rows - tp, columns - tp, tn))
        return tp, fn, fp, tn


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Counts over cells, the values along each axis, and the design that produced them.

    Parameters
    ----------
    kind
        ``"confusion"`` (true × predicted), ``"multilabel"`` (label × true × predicted), ``"scores"``
        (score × truth) or ``"paired"`` (true × prediction A × prediction B …).
    counts
        Non-negative counts, or sums of weights.
    support
        The labels or scores along each axis.
    design
        How the counts would vary if the study were repeated.
    rows
        Number of cases behind the counts.
    """

    kind: Kind
    counts: Array
    support: tuple[Array, ...]
    design: Design = field(default_factory=Simple)
    rows: int = -1

    def __post_init__(self) -> None:
        if self.rows < 0:
            object.__setattr__(self, "rows", round(float(self.counts.sum())))

    def with_design(self, design: Design) -> Table:
        """Return the same counts under another design, such as ``FixedMargins()``."""
        if self.kind == "scores" and isinstance(design, FixedMargins):
            design = FixedMargins(axis=1)  # the classes' totals are fixed, not the scores'
        return replace(self, design=design)

    @property
    def labels(self) -> Array:
        """The class labels, in the order of the table's axes."""
        return self.support[1] if self.kind == "scores" else self.support[0]

    def at(self, threshold: float) -> Table:
        """Return the confusion table of scores at a threshold: predicted positive when the score is at least it.

        Raises
        ------
        HowsureError
            If the table is not one of scores, or the threshold is not a number.
        """
        if self.kind != "scores":
            message = "Only a table of scores has thresholds: make one with `scores(y_true, y_score)`."
            raise HowsureError(message)
        if isinstance(threshold, str) or threshold != threshold:  # noqa: PLR0124 - nan alone differs
            message = f"`threshold` is {threshold!r}, not a number: a case is positive when its score is at least that."
            raise HowsureError(message)
        positive = (self.support[0] >= threshold).astype(np.intp)
        # Cells of the confusion table: true class × predicted class.
        cells = 2 * np.arange(2) + positive[:, None]
        counts = np.bincount(cells.ravel(), self.counts.ravel(), 4).reshape(2, 2)
        fixed = isinstance(self.design, FixedMargins)
        design = FixedMargins() if fixed else self.design.collapsed(cells, (2, 2)) or Simple()
        classes = self.support[1]
        return Table("confusion", counts, (classes, classes), design, self.rows)

    def position(self, label: object) -> int:
        """Index of a class label, also given as text; an error names the nearest labels."""
        known = self.labels.tolist()
        names = [str(each) for each in known]
        if names.count(str(label)) > 1:
            message = f"{names.count(str(label))} classes read '{label}', as text and as a number. Rename one of them."
            raise HowsureError(message)
        if label in known:
            return int(known.index(label))
        if str(label) in names:
            return names.index(str(label))
        raise HowsureError.unknown("class", str(label), names)

    def one_against_rest(self, index: int) -> Table | None:
        """Return the 2×2 table of one class against all others; None if the design does not survive it."""
        size = len(self.labels)
        if self.kind == "multilabel":
            return self._single_label(index)
        member = (np.arange(size) == index).astype(np.intp)
        design = self.design.collapsed(2 * member[:, None] + member, (2, 2))
        if design is None:
            return None
        tp, fn, fp, tn = (float(part) for part in Counts(self.counts).outcomes(index))
        labels = np.array([f"not {self.labels[index]}", str(self.labels[index])], dtype=object)
        return Table("confusion", np.array([[tn, fp], [fn, tp]]), (labels, labels), design, self.rows)

    def _single_label(self, index: int) -> Table | None:
        if not isinstance(self.design, Clusters):
            return None
        chosen = self.design.cell // 4 == index
        design = Clusters(
            self.design.cluster[chosen],
            self.design.cell[chosen] % 4,
            self.design.count[chosen],
            self.design.multiplicity,
        )
        labels = np.array([f"not {self.labels[index]}", str(self.labels[index])], dtype=object)
        return Table("confusion", self.counts[index], (labels, labels), design, self.rows)


def from_counts(counts: ArrayLike, labels: ArrayLike | None = None) -> Table:
    """Return the table of a confusion matrix: rows are the true class, columns the predicted class.

    Parameters
    ----------
    counts
        K×K whole, non-negative numbers; a frame with labels on both axes is understood.
    labels
        The K class labels; 0 … K−1 by default (or the frame's).

    Raises
    ------
    HowsureError
        If the matrix is not square, is empty, or holds a negative, fractional, infinite or missing count.

    Examples
    --------
    >>> table = from_counts([[50, 3], [5, 42]], labels=["benign", "malignant"])
    >>> table.rows
    100
    """
    if labels is None and hasattr(counts, "columns"):
        labels = list(counts.columns)
        index = list(getattr(counts, "index", labels))
        if index != labels and index != list(range(len(index))):
            message = f"The matrix's rows are labelled {index} and its columns {labels}. Give both the same labels."
            raise HowsureError(message)
    matrix = _checked(counts)
    size = len(matrix)
    values = np.arange(size) if labels is None else label_array(labels)
    if len(values) != size:
        message = f"`labels` has {len(values)} entries for a {size}×{size} matrix. Give one label a class."
        raise HowsureError(message)
    return Table("confusion", matrix, (values, values))


def _checked(counts: ArrayLike) -> Array:
    try:
        matrix = np.asarray(counts, dtype=float)
    except (TypeError, ValueError):
        message = "`counts` is not a matrix of numbers. Give K rows of K counts, rows true, columns predicted."
        raise HowsureError(message) from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:  # noqa: PLR2004
        message = (
            f"`counts` has shape {matrix.shape}; a confusion matrix is square, K×K with K ≥ 2: "
            "rows true, columns predicted."
        )
        raise HowsureError(message)
    for bad, words in (
        (~np.isfinite(matrix), "is not finite"),
        (matrix < 0, "is negative"),
        (matrix != np.floor(matrix), "is not a whole number; for weighted cases give `sample_weight` to `confusion`"),
    ):
        if bad.any():
            row, column = (int(i) for i in np.argwhere(bad)[0])
            message = f"`counts[{row}][{column}]` = {matrix[row, column]:g} {words}."
            raise HowsureError(message)
    if not matrix.any():
        message = "`counts` is all zeros: there is no case to evaluate."
        raise HowsureError(message)
    return matrix


def label_array(labels: ArrayLike) -> Array:
    """Return class labels as an array; refuse repeated ones."""
    listed = list(labels) if not isinstance(labels, np.ndarray) else labels.tolist()  # type: ignore[arg-type]
    repeated = {label for label in listed if listed.count(label) > 1} if len(set(listed)) < len(listed) else set()
    if repeated:
        message = f"`labels` names {sorted(map(str, repeated))} more than once. Give each class once."
        raise HowsureError(message)
    kinds = {type(label) for label in listed}
    if len(kinds) == 1 and kinds <= {int, float, bool, str}:
        return np.asarray(listed)
    values = np.empty(len(listed), dtype=object)
    values[:] = listed
    return values

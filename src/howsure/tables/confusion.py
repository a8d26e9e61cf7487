"""Tables of classes: true × predicted, or one 2×2 table for each label of multilabel data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.designs.base import PSEUDO_CASES, Design
from howsure.errors import HowsureError, UndefinedDesignError, real_numbers
from howsure.tables.batch import Tables
from howsure.tables.cautions import of_classes
from howsure.tables.counts import ConfusionCounts, Counts
from howsure.tables.labels import label_array, other_classes, union_of_labels
from howsure.tables.table import Table
from howsure.tables.union import places_of_names

Array = NDArray[Any]
OF_TWO_CLASSES = (
    *("accuracy", "balanced_accuracy", "precision", "recall", "specificity", "npv", "f1", "mcc", "kappa"),
)
OF_MANY_CLASSES = (
    *("accuracy", "balanced_accuracy", "precision@macro", "recall@macro", "f1@macro", "f1@weighted", "mcc", "kappa"),
)


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ConfusionTable(Table):
    """Counts of true × predicted class: rows are the true class, columns the predicted one.

    Parameters
    ----------
    counts : ndarray of shape (..., K, K)
        Non-negative counts, or sums of weights.
    labels : ndarray of shape (K,)
        The classes, in the order of both axes.
    design : Design
        How the counts would vary if the study were repeated.
    rows : int or ndarray of shape (...)
        Number of cases.
    identity : str
        Tells its cases apart from others with equal counts; see `Table`.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.from_counts([[50, 3], [5, 42]], labels=["benign", "malignant"])
    <ConfusionTable: 100 cases, 2 classes, Independent design>
    """

    noun: ClassVar[str] = "confusion table"
    adds_up: ClassVar[bool] = True
    counts_class: ClassVar[type[Counts]] = ConfusionCounts

    def refusal_beside(self, other: Table) -> str:
        """Return an empty text for another table of the same classes, else why the two cannot be compared."""
        return other_classes(self, other) if type(other) is type(self) else super().refusal_beside(other)

    @property
    def truth(self) -> Array:
        """Position of the true class of each cell."""
        return np.repeat(np.arange(len(self.labels)), len(self.labels))

    def spanning(self, others: Sequence[ConfusionTable]) -> ConfusionTable:
        """Return a table, of no case, of the classes of this and other tables."""
        labels = union_of_labels([self, *others])
        return ConfusionTable(counts=np.zeros((len(labels), len(labels))), labels=labels)

    def places_in(self, whole: ConfusionTable) -> Array:
        """Return the flat cell of each pair of classes in a table that has them."""
        place = places_of_names(self.labels.tolist(), whole.labels.tolist())
        return (len(whole.labels) * place[:, None] + place).ravel()

    @property
    def default_prior(self) -> Array:
        """Pseudo-cases of the default prior by cell, on average over its draws: as many right as wrong."""
        size = len(self.labels)
        if size == 1:
            return super().default_prior
        right = np.eye(size)
        return PSEUDO_CASES / (2 * size) * (right + (1 - right) / (size - 1))

    def pseudo_cases(self, size: int, rng: np.random.Generator) -> Array:
        """Return two whole pseudo-cases for each draw: each of a class at random, as likely right as wrong.

        Counts that are estimated from other counts take their average in all draws.
        """
        classes = len(self.labels)
        if classes == 1 or not self.design.is_counted:
            return super().pseudo_cases(size, rng)
        drawn = np.zeros((size, classes**2))
        for _ in range(int(PSEUDO_CASES)):
            true = rng.integers(classes, size=size)
            another = (true + rng.integers(1, classes, size=size)) % classes
            predicted = np.where(rng.random(size) < 0.5, true, another)
            drawn[np.arange(size), classes * true + predicted] += 1.0
        return drawn

    @property
    def cautions(self) -> tuple[str, ...]:
        """What a reader of the numbers should know of the design and of odd counts, in sentences."""
        if self.batch or not self.design.is_counted:
            return super().cautions
        return (*super().cautions, *of_classes(ConfusionCounts(self.counts), self.labels))

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        return OF_TWO_CLASSES if len(self.labels) == 2 else OF_MANY_CLASSES

    def one_against_rest(self, index: int) -> ConfusionTable | None:
        """Return the 2×2 table of one class against all others; None if the design is not defined for it."""
        member = (np.arange(len(self.labels)) == index).astype(np.intp)
        try:
            design = self.design.merged((2 * member[:, None] + member).ravel(), 4)
        except UndefinedDesignError:
            return None
        tp, fn, fp, tn = ConfusionCounts(self.counts).outcomes(index)
        counts = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2).astype(float)
        return two_classes(self.labels[index], counts, design, self.rows, self.identity_of(index))

    def each_against_rest(self, indices: Array) -> ConfusionTable | None:
        """Return the 2×2 tables of several classes against all others as a batch; None as in `one_against_rest`.

        Parameters
        ----------
        indices : ndarray of shape (B,)
            Positions of the classes.
        """
        member = (indices[:, None] == np.arange(len(self.labels))).astype(np.intp)
        cells = 2 * member[:, :, None] + member[:, None, :]
        try:
            design = self.design.merged_each(cells.reshape(len(indices), -1), 4)
        except UndefinedDesignError:
            return None
        outcomes = (np.asarray(part)[indices] for part in ConfusionCounts(self.counts).outcomes())
        tp, fn, fp, tn = (part.astype(float) for part in outcomes)
        counts = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
        rows = np.full(len(indices), self.rows)
        return two_classes("class", counts, design, rows, self.identity_of("classes"))


def two_classes(label: Any, counts: Array, design: Design, rows: Any, identity: str) -> ConfusionTable:
    """Return the table of one label against all others."""
    labels = np.array([f"not {label}", str(label)], dtype=object)
    return ConfusionTable(counts=counts, labels=labels, design=design, rows=rows, identity=identity)


@overload
def from_counts(  # type: ignore[overload-overlap]  # a nested list is array-like too: the narrower comes first
    counts: Sequence[Sequence[Sequence[float]]], labels: ArrayLike | None = None
) -> Tables[ConfusionTable]: ...


@overload
def from_counts(counts: ArrayLike, labels: ArrayLike | None = None) -> ConfusionTable: ...


def from_counts(counts: ArrayLike, labels: ArrayLike | None = None) -> ConfusionTable | Tables[ConfusionTable]:
    """Return the table of a confusion matrix: rows are the true class, columns the predicted class.

    Parameters
    ----------
    counts : array-like of shape (K, K) or (G, K, K)
        Whole, non-negative numbers; a frame with labels on both axes is understood. A stack is a batch: one table for
        each image, patient or site.
    labels : array-like of shape (K,), optional
        The class labels; 0 … K−1 by default (or the frame's).

    Returns
    -------
    ConfusionTable or Tables
        The table; of a stack its tables by position, and all of them together as ``overall``.

    Raises
    ------
    HowsureError
        If the matrix is not square, is empty, or holds a negative, fractional, infinite or missing count.

    Examples
    --------
    >>> table = from_counts([[50, 3], [5, 42]], labels=["benign", "malignant"])
    >>> table.rows
    100
    >>> len(from_counts([[[50, 3], [5, 42]], [[40, 13], [9, 38]]]))
    2
    """
    if labels is None and hasattr(counts, "columns"):
        labels = list(counts.columns)
        index = list(getattr(counts, "index", labels))
        if index != labels and index != list(range(len(index))):
            message = f"The matrix's rows are labelled {index} and its columns {labels}. Give both the same labels."
            raise HowsureError(message)
    matrix = _checked(counts)
    size = matrix.shape[-1]
    values = np.arange(size) if labels is None else label_array(labels)
    if len(values) != size:
        message = f"`labels` has {len(values)} entries for a {size}×{size} matrix. Give one label per class."
        raise HowsureError(message)
    table = ConfusionTable(counts=matrix, labels=values)
    if not table.batch:
        return table
    return Tables(range(len(matrix)), table, ConfusionTable(counts=matrix.sum(0), labels=values))


def _checked(counts: ArrayLike) -> Array:
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
        (matrix < 0, "is negative"),
        (matrix != np.floor(matrix), "is not a whole number; for weighted cases give `sample_weight` to `confusion`"),
    ):
        if bad.any():
            place = tuple(int(i) for i in np.argwhere(bad)[0])
            message = f"`counts{''.join(f'[{i}]' for i in place)}` = {matrix[place]:g} {words}."
            raise HowsureError(message)
    if not matrix.any((-2, -1)).all():
        which = "" if matrix.ndim == 2 else f"[{int(np.argmin(matrix.any((-2, -1))))}]"
        message = f"`counts{which}` is all zeros: there is no case to evaluate."
        raise HowsureError(message)
    return matrix

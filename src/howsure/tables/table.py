"""The table of counts: all the data that a metric may see."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.designs.counted import Clusters, CountedCases, Design, FixedMargins, Separate, Simple, Strata
from howsure.designs.expected import Known
from howsure.errors import HowsureError

Array = NDArray[Any]
Kind = Literal[
    "confusion", "multilabel", "scores", "multiclass_scores", "multilabel_scores", "paired", "paired_scores", "separate"
]
SCORES: tuple[Kind, ...] = ("scores", "multiclass_scores", "multilabel_scores")  # as long as the data
DENSE = 2**14  # entries of the matrix that adds up joint cells, up to which it is dense


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
        self._seen: dict[int, Counts] = {}

    def through(self, view: View) -> Counts:
        """Return one model's counts out of joint ones; added up once for all metrics."""
        key = id(view)
        if key not in self._seen:
            self._seen[key] = Counts(view.counts(self.cells), view.kind)
        return self._seen[key]

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
        return np.asarray(self.cells[..., 1, :].sum(-1) if self.kind == "multilabel" else summed(self.cells, -1))

    @cached_property
    def columns(self) -> Array:
        """Cases predicted as each class, ``(..., K)``."""
        return np.asarray(self.cells[..., :, 1].sum(-1) if self.kind == "multilabel" else summed(self.cells, -2))

    @cached_property
    def total(self) -> Array:
        """All cases, ``(...)`` (for multilabel data ``(..., L)``)."""
        return np.asarray(self.cells.sum((-2, -1)) if self.kind == "multilabel" else summed(self.rows, -1))

    def outcomes(self, index: int | None = None) -> tuple[Array, Array, Array, Array]:
        """Return true positives, false negatives, false positives, true negatives: each class against the rest.

        Shapes ``(..., K)``, or ``(...)`` for the one class at ``index``.
        """
        return self._every if index is None else self._outcomes(index)

    @cached_property
    def _every(self) -> tuple[Array, Array, Array, Array]:
        return self._outcomes(None)

    def _outcomes(self, index: int | None) -> tuple[Array, Array, Array, Array]:
        if index is not None and self.cells.shape[-1] == 2 and self.kind == "confusion":  # noqa: PLR2004 - as they are
            own, other = self.cells[..., index, :], self.cells[..., 1 - index, :]
            return own[..., index], own[..., 1 - index], other[..., index], other[..., 1 - index]
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


def summed(array: Array, axis: int) -> Array:
    """Return the sum over an axis; two parts are added at once, which on many tables is much faster."""
    if array.shape[axis] != 2:  # noqa: PLR2004 - two parts
        return np.asarray(array.sum(axis))
    return np.asarray(np.take(array, 0, axis) + np.take(array, 1, axis))


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Counts over cells, the values along each axis, and the design that produced them.

    Parameters
    ----------
    kind
        ``"confusion"`` (true × predicted), ``"multilabel"`` (label × true × predicted), ``"scores"``
        (score × truth), ``"multiclass_scores"`` (case × truth), ``"multilabel_scores"`` (case × label × truth),
        ``"paired"`` (the tuples of true label, prediction A, prediction B … that occur), ``"paired_scores"`` (the
        tuples of scores that occur × truth) or ``"separate"`` (two tables side by side).
    counts
        Non-negative counts, or sums of weights.
    support
        The labels or scores along each axis; of paired tables the labels, the models' names, the tuples as
        codes, and the pseudo-cases that a prior of one spreads over them (or the scores that the codes stand for).
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
        """Return the same counts under another design, such as ``FixedMargins()``.

        Raises
        ------
        HowsureError
            If the counts are not counted cases but estimates, which vary as their evidence does.
        """
        if not isinstance(self.design, CountedCases):
            message = (
                f"These counts are estimates, which vary as their evidence does (`{type(self.design).__name__}`). "
                "Another design is for counted cases."
            )
            raise HowsureError(message)
        if self.kind in {*SCORES, "paired_scores"} and isinstance(design, FixedMargins):
            design = FixedMargins(axis=1)  # the classes' totals are fixed, not the scores'
        if self.kind == "paired" and isinstance(design, FixedMargins):
            design = Strata(self.support[2][:, 0])
        return replace(self, design=design)

    @property
    def labels(self) -> Array:
        """The class labels, in the order of the table's axes."""
        return self.support[1] if self.kind in SCORES else self.support[0]

    @property
    def models(self) -> list[str]:
        """The names of the models of a paired table."""
        if self.kind not in {"paired", "paired_scores"}:
            message = "Only a paired table has several models: make one with `paired(y_true, {'A': …, 'B': …})`."
            raise HowsureError(message)
        return [str(name) for name in self.support[1]]

    @property
    def shares(self) -> Array:
        """Where pseudo-cases go: shares of the cells that sum to 1, even except in a paired table."""
        if self.kind == "paired":
            return self.support[3]
        if isinstance(self.design, Separate):
            sizes = [int(np.prod(shape)) for shape in self.design.shapes]
            return np.repeat(1.0 / np.array(sizes), sizes)  # as many for each of the tables
        return np.full(self.counts.shape, 1 / self.counts.size)

    def view(self, model: str) -> View:
        """Return how one model's table follows from this paired one.

        Raises
        ------
        HowsureError
            If the table is not paired, or has no such model.
        """
        if str(model) not in self.models:
            raise HowsureError.unknown("model", str(model), self.models)
        index = self.models.index(str(model))
        codes = self.support[2]
        if self.kind == "paired":
            size = len(self.labels)
            cells = codes[:, 0] * size + codes[:, index + 1]
            return Marginal("confusion", (size, size), (self.labels, self.labels), cells)
        score = self.support[3 + index]
        cells = 2 * codes[:, index, None] + np.arange(2)
        return Marginal("scores", (len(score), 2), (score, self.labels), cells)

    def model(self, name: str) -> Table:
        """Return the table of one of the models of a paired table."""
        return self.view(name).table(self)

    def pair(self, first: str, second: str) -> Table:
        """Return the paired table of two of its models."""
        columns = [0, *(self.models.index(name) + 1 for name in (first, second))]
        if self.kind == "paired_scores" or len(self.models) == 2:  # noqa: PLR2004 - there is no other
            return self
        chosen, size = self.support[2][:, columns], len(self.labels)
        flat = (chosen[:, 0] * size + chosen[:, 1]) * size + chosen[:, 2]
        _, first_of, cell = np.unique(flat, return_index=True, return_inverse=True)
        codes = chosen[first_of]
        counts, shares = (np.bincount(cell, part, len(codes)) for part in (self.counts, self.shares))
        fixed = isinstance(self.design, Strata)
        design = Strata(codes[:, 0]) if fixed else self.design.collapsed(cell, (len(codes),)) or Simple()
        names = np.array([first, second], dtype=object)
        return replace(self, counts=counts, support=(self.labels, names, codes, shares), design=design)

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
        if isinstance(threshold, str) or np.ndim(threshold) or threshold != threshold:  # noqa: PLR0124 - nan alone differs
            message = f"`threshold` is {threshold!r}, not a number: a case is positive when its score is at least that."
            raise HowsureError(message)
        classes = self.support[1]
        if isinstance(self.design, Known) and self.design.distribution is not None:
            counts = self.design.distribution.cells(np.array(float(threshold))) * self.counts.sum()
            return Table("confusion", counts, (classes, classes), Known(None, self.design.n), self.rows)
        positive = (self.support[0] >= threshold).astype(np.intp)
        # Cells of the confusion table: true class × predicted class.
        cells = 2 * np.arange(2) + positive[:, None]
        counts = np.bincount(cells.ravel(), self.counts.ravel(), 4).reshape(2, 2)
        fixed = isinstance(self.design, FixedMargins)
        design = FixedMargins() if fixed else self.design.collapsed(cells, (2, 2)) or Simple()
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


class View(Protocol):
    """How the table of one model follows from joint cells, linearly."""

    @property
    def kind(self) -> Kind:
        """Kind of the model's table."""
        ...

    def counts(self, cells: Array) -> Array:
        """Return the model's counts from joint cells, with any leading axes."""
        ...

    def table(self, joint: Table) -> Table:
        """Return the model's table, with its design."""
        ...

    def spread(self, gradient: Array, size: int) -> Array:
        """Return a derivative by the model's cells as one by the joint cells."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Marginal:
    """One model of a paired table: joint cell c falls in the model's cell ``cells[c]``."""

    kind: Kind
    shape: tuple[int, ...]
    support: tuple[Array, ...]
    cells: Array

    def counts(self, cells: Array) -> Array:
        """Add up the joint cells of each of the model's cells."""
        size, joint = int(np.prod(self.shape)), self.cells.size
        leading = cells.shape[: cells.ndim - self.cells.ndim]
        if not leading:
            return np.bincount(self.cells.ravel(), cells.ravel(), size).reshape(self.shape)
        flat = cells.reshape(-1, joint)
        if size * joint <= DENSE:
            added = flat @ (self.cells.reshape(-1, 1) == np.arange(size)).astype(float)
        else:
            from scipy import sparse

            adding = sparse.csr_array((np.ones(joint), (self.cells.ravel(), np.arange(joint))), (size, joint))
            added = (adding @ flat.T).T
        return np.asarray(added).reshape(*leading, *self.shape)

    def table(self, joint: Table) -> Table:
        """Return the model's table, with its design."""
        counts = self.counts(joint.counts)
        if isinstance(joint.design, Strata | FixedMargins):
            design: Design = FixedMargins(axis=self.kind == "scores")
        else:
            design = joint.design.collapsed(self.cells, self.shape) or Simple()
        return Table(self.kind, counts, self.support, design, joint.rows)

    def spread(self, gradient: Array, size: int) -> Array:  # noqa: ARG002 - the protocol's signature
        """Return a derivative by the model's cells as one by the joint cells."""
        return np.asarray(gradient.ravel()[self.cells])


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One of several separate tables whose cells lie side by side."""

    own: Table
    start: int

    @property
    def kind(self) -> Kind:
        """Kind of the table."""
        return self.own.kind

    def counts(self, cells: Array) -> Array:
        """Take the table's cells."""
        chosen = cells[..., self.start : self.start + self.own.counts.size]
        return chosen.reshape(*cells.shape[:-1], *self.own.counts.shape)

    def table(self, joint: Table) -> Table:
        """Return the table, with the counts that it has in the joint one."""
        return replace(self.own, counts=self.counts(joint.counts))

    def spread(self, gradient: Array, size: int) -> Array:
        """Return a derivative by the table's cells as one by all cells."""
        every = np.zeros(size)
        every[self.start : self.start + self.own.counts.size] = gradient.ravel()
        return every


def side_by_side(tables: tuple[Table, ...]) -> tuple[Table, tuple[Part, ...]]:
    """Return independent tables as one, and how each follows from it."""
    starts = np.cumsum([0, *(each.counts.size for each in tables)])
    counts = np.concatenate([each.counts.ravel().astype(float) for each in tables])
    design = Separate(tuple(each.design for each in tables), tuple(each.counts.shape for each in tables))
    labels = np.array([str(index) for index in range(len(tables))])
    joint = Table("separate", counts, (labels,), design, sum(each.rows for each in tables))
    return joint, tuple(Part(each, int(start)) for each, start in zip(tables, starts[:-1], strict=True))


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

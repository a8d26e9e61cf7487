"""Confusion tables, true × predicted class, and the 2×2 tables of one class against the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import PSEUDO_COUNT, Design, safe_divide
from howsure.errors import UndefinedDesignError
from howsure.grids import Grid
from howsure.numbers import count_text, percent
from howsure.tables.cautions import of_classes, of_tags
from howsure.tables.collapsed import CollapsedTable, collapsed_table
from howsure.tables.counts import ConfusionCounts, Counts, occurring
from howsure.tables.kind import Kind
from howsure.tables.labels import other_classes, union_of_labels
from howsure.tables.priors import Priors
from howsure.tables.table import Table, view_identity
from howsure.tables.union import places_of_names

HALF = 0.5
MOST_PRINTED = 12  # classes of a matrix
# Metrics that `evaluate` reports by default.
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

    Examples
    --------
    >>> import howsure as hs
    >>> hs.from_counts([[50, 3], [5, 42]], labels=["benign", "malignant"])
    <ConfusionTable: 100 cases: 53 benign, 47 malignant; positive: malignant>
    """

    kind: ClassVar[Kind] = Kind(noun="confusion table", adds_up=True, has_rows=True)
    counts_class: ClassVar[type[Counts]] = ConfusionCounts

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.array("counts", self.counts, (*self.batch, len(self.labels), len(self.labels)))

    def incompatibility(self, other: Table) -> str:
        """Return an empty text for another table of the same classes, else why the two cannot be compared."""
        return other_classes(self, other)

    @property
    def true_class(self) -> Array:
        """Position of the true class of each cell."""
        return np.repeat(np.arange(len(self.labels)), len(self.labels))

    def with_all_classes(self, others: Sequence[ConfusionTable]) -> ConfusionTable:
        """Return a table without cases, with the classes of this and other tables."""
        labels = union_of_labels([self, *others])
        is_ordered = all(each.is_ordered for each in (self, *others))
        return ConfusionTable(counts=np.zeros((len(labels), len(labels))), labels=labels, is_ordered=is_ordered)

    def cell_positions(self, whole: ConfusionTable) -> Array:
        """Return, for each cell of this table, its flat position in a table that has these and other classes."""
        place = places_of_names(self.labels.tolist(), whole.labels.tolist())
        return (len(whole.labels) * place[:, None] + place).ravel()

    @property
    def priors(self) -> Priors:
        """Pseudo-counts: random classes, correct with probability 1/2; for averages over classes, those that occur."""
        right, size = np.eye(len(self.labels)), len(self.labels)
        shares = np.full(self.shape, 1 / size**2)
        if size == 1:
            return Priors(shares, occurring=self._shares_of_occurring)
        mean = PSEUDO_COUNT / (2 * size) * (right + (1 - right) / (size - 1))
        # Estimated counts use the average pseudo-counts in all draws.
        cells = self._pseudo_cells if self.design.traits.is_counted else None
        return Priors(shares, mean=mean, cells=cells, occurring=self._shares_of_occurring)

    def _shares_of_occurring(self) -> Array:
        cells = self._cells_of_occurring * 1.0
        return np.asarray(cells / cells.sum((-2, -1), keepdims=True))

    @property
    def half_hits(self) -> Array:
        """Pseudo-counts for geometric and harmonic means: half a correct case per class, half a wrong one in total.

        The logarithm of a count of hits then has almost no bias.
        """
        cells, right = self._cells_of_occurring, np.eye(len(self.labels), dtype=bool)
        wrong = cells & ~right
        return HALF * np.asarray((cells & right) + safe_divide(wrong, wrong.sum((-2, -1), keepdims=True)))

    @property
    def _cells_of_occurring(self) -> Array:
        """Mask of the cells that can have pseudo-counts in an average over classes."""
        counts = ConfusionCounts(self.counts)
        true, predicted = occurring(counts.rows, counts.columns)
        return np.asarray(true[..., :, None] & predicted[..., None, :])

    def _pseudo_cells(self, size: int, rng: np.random.Generator) -> Array:
        """Return the cells of two whole pseudo-counts for each draw: random classes, correct with probability 1/2."""
        classes = len(self.labels)
        drawn = []
        for _ in range(int(PSEUDO_COUNT)):
            true = rng.integers(classes, size=size)
            another = (true + rng.integers(1, classes, size=size)) % classes
            predicted = np.where(rng.random(size) < 0.5, true, another)
            drawn.append(classes * true + predicted)
        return np.stack(drawn, -1)

    def collapse_cells(self, codes: Array) -> CollapsedTable:
        """Return the table after summing the cells with the same code."""
        return collapsed_table(self, codes)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences about the design and unusual counts for readers of the numbers."""
        if self.batch or not self.design.traits.is_counted:
            return super().cautions
        return (*super().cautions, *of_tags(self.labels), *of_classes(ConfusionCounts(self.counts), self.labels))

    def _overview(self) -> Grid:
        """Return the matrix, if there is one."""
        if self.batch:
            return super()._overview()
        names = [*map(str, self.labels.tolist()), "total"]
        counts = np.column_stack([self.counts, self.counts.sum(1)])
        rows = [map(count_text, row) for row in [*counts.tolist(), counts.sum(0).tolist()]]
        cells = tuple((name, *row) for name, row in zip(names, rows, strict=True))
        return Grid(("true \\ predicted", *names), cells, "\n".join([self._footer, *self.cautions]))

    @property
    def _footer(self) -> str:
        total = float(self.class_totals[-1])
        share = f"{count_text(total)}, {percent(round(total / self.counts.sum(), 3))}" if self.positive else ""
        positive = f"; positive class: {self.positive} ({share})" if share else ""
        return f"{int(self.rows):,} cases{positive}{self._design_text}"

    def __str__(self) -> str:
        return repr(self) if self.batch or len(self.labels) > MOST_PRINTED else self._overview().for_terminal()

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        return OF_TWO_CLASSES if len(self.labels) == 2 else OF_MANY_CLASSES

    def one_against_rest(self, index: int) -> ConfusionTable | None:
        """Return the 2×2 table of one class against all others; None if the design is not defined for it."""
        member = (np.arange(len(self.labels)) == index).astype(np.intp)
        try:
            design = self.design.collapse_cells((2 * member[:, None] + member).ravel(), 4)
        except UndefinedDesignError:
            return None
        tp, fn, fp, tn = ConfusionCounts(self.counts).outcomes(index)
        counts = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2).astype(float)
        return two_classes(self.labels[index], counts, design, self.rows, view_identity(self, index))

    def each_against_rest(self, indices: Array) -> ConfusionTable | None:
        """Return the 2×2 tables of several classes against all others as a batch; None as in `one_against_rest`.

        Parameters
        ----------
        indices : ndarray of shape (B,)
            Positions of the classes.
        """
        design = self.design
        if not design.traits.is_independent:
            member = (indices[:, None] == np.arange(len(self.labels))).astype(np.intp)
            cells = 2 * member[:, :, None] + member[:, None, :]
            try:
                design = Algebra.of(design).collapse_cells_per_table(cells.reshape(len(indices), -1), 4)
            except UndefinedDesignError:
                return None
        outcomes = (np.asarray(part)[indices] for part in ConfusionCounts(self.counts).outcomes())
        tp, fn, fp, tn = (part.astype(float) for part in outcomes)
        counts = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
        rows = np.full(len(indices), self.rows)
        return two_classes("class", counts, design, rows, view_identity(self, "classes"))


def two_classes(label: Any, counts: Array, design: Design, rows: Any, identity: str) -> ConfusionTable:
    """Return the table of one label against all others."""
    labels = np.array([f"not {label}", str(label)], dtype=object)
    own = {"design": design, "rows": rows, "identity": identity, "is_ordered": True}
    return ConfusionTable(counts=counts, labels=labels, **own)

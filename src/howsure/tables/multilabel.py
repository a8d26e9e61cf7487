"""The table of multilabel predictions: a 2×2 table for each label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.base import PSEUDO_COUNT
from howsure.designs.clusters import Clusters
from howsure.designs.crossed import Crossed
from howsure.errors import HowsureError
from howsure.tables.cautions import of_classes
from howsure.tables.confusion import ConfusionTable, two_classes
from howsure.tables.counts import Counts, MultilabelCounts
from howsure.tables.kind import Kind
from howsure.tables.labels import other_classes
from howsure.tables.priors import Priors
from howsure.tables.table import Table, view_identity

DEFAULTS = (
    *("precision@micro", "recall@micro", "f1@micro", "precision@macro", "recall@macro", "f1@macro"),
    *("f1@weighted", "jaccard@macro"),
)


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MultilabelTable(Table):
    """Counts of label × truth × prediction, for cases that have any number of labels.

    Parameters
    ----------
    counts : ndarray of shape (..., L, 2, 2)
        Cases without and with each label, by whether it was predicted.
    labels : ndarray of shape (L,)
        The labels.
    design : Clusters
        Each case is a cluster of its labels.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.confusion([[0, 1], [1, 1]], [[0, 1], [1, 0]])
    <MultilabelTable: 2 cases, 2 labels; design: clusters>
    """

    _axes: ClassVar[int] = 3
    kind: ClassVar[Kind] = Kind(
        noun="multilabel table",
        adds_up=True,
        classes_noun="labels",
        has_one_cell_per_case=False,
        has_one_label_per_case=False,
    )
    counts_class: ClassVar[type[Counts]] = MultilabelCounts

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.array("counts", self.counts, (*self.batch, len(self.labels), 2, 2))

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences about the design and unusual counts for readers of the numbers."""
        if self.batch or not self.design.traits.is_counted:
            return super().cautions
        return (*super().cautions, *of_classes(MultilabelCounts(self.counts), self.labels))

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        return DEFAULTS

    def incompatibility(self, other: Table) -> str:
        """Return an empty text for another table of the same classes, else why the two cannot be compared."""
        return other_classes(self, other)

    def with_all_classes(self, others: Sequence[MultilabelTable]) -> MultilabelTable:
        """Return a table without cases, with the same labels: a label that was not annotated is not absent."""
        for other in others:
            if differing := other_classes(self, other):
                raise HowsureError(differing)
        return MultilabelTable(counts=np.zeros(self.shape), labels=self.labels)

    @property
    def class_totals(self) -> Array:
        """Cases with each label, ``(..., L)``."""
        return np.asarray(self.counts[..., 1, :].sum(-1))

    @property
    def true_class(self) -> Array:
        """Whether the cell's cases have the label."""
        return np.tile([0, 0, 1, 1], len(self.labels))

    @property
    def priors(self) -> Priors:
        """Pseudo-counts, evenly spread: two for each label in the default prior."""
        return replace(super().priors, total=PSEUDO_COUNT * len(self.labels))

    def one_against_rest(self, index: int) -> ConfusionTable | None:
        """Return the 2×2 table of one label; None for a batch, and for designs without clusters."""
        if self.batch or not isinstance(self.design, Clusters | Crossed):
            return None
        cells = np.arange(self.counts.size)
        design = self.design.keep_cells(cells // 4 == index, cells % 4)
        return two_classes(self.labels[index], self.counts[index], design, self.rows, view_identity(self, index))

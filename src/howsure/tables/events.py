"""Table of true positives, false negatives and false positives, for data without true negatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.designs.base import safe_divide
from howsure.designs.clusters import Clusters
from howsure.tables.cautions import of_classes
from howsure.tables.counts import ClassCounts, Counts, Outcomes
from howsure.tables.kind import Kind
from howsure.tables.labels import other_classes, union_of_labels
from howsure.tables.priors import Priors
from howsure.tables.table import Table, view_identity
from howsure.tables.union import places_of_names

OF_ONE_CLASS = ("precision", "recall", "f1", "jaccard", "fp_per_unit")
OF_CLASSES = ("precision@micro", "recall@micro", "f1@micro", "f1@macro", "fp_per_unit@micro")
EACH = 3  # cells of a class: true positives, false negatives, false positives


@final
class EventCounts(ClassCounts):
    """Numbers of units, and of each class's true positives, false negatives and false positives, ``(..., 1 + 3 L)``.

    Metrics of events use the number of units in place of the true negatives, which do not exist.
    """

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.cells.shape[-1]) // EACH

    @cached_property
    def _by_class(self) -> Array:
        return self.cells[..., 1:].reshape(*self.cells.shape[:-1], self.classes, EACH)

    @property
    def hits(self) -> Array:
        """True positives of each class, ``(..., L)``."""
        return np.asarray(self._by_class[..., 0])

    @property
    def rows(self) -> Array:
        """Events of each class, ``(..., L)``."""
        return np.asarray(self._by_class[..., 0] + self._by_class[..., 1])

    @property
    def columns(self) -> Array:
        """Predictions of each class, ``(..., L)``."""
        return np.asarray(self._by_class[..., 0] + self._by_class[..., 2])

    def _outcomes(self, index: int | None) -> Outcomes:
        where: Any = slice(None) if index is None else index
        tp, fn, fp = (self._by_class[..., where, which] for which in range(EACH))
        units = self.cells[..., :1] if index is None else self.cells[..., 0]
        return tp, fn, fp, np.broadcast_to(units, tp.shape)

    def by_cell(self, gradient: Array) -> Array:
        """Turn derivatives by (tp, fn, fp, units) of each class, ``(4, ..., L)``, into derivatives by each cell."""
        each = np.moveaxis(gradient[:EACH], 0, -1)
        flat = each.reshape(*each.shape[:-2], -1)
        return np.concatenate([gradient[EACH].sum(-1)[..., None], flat], -1)


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class EventsTable(Table):
    """Counts of true positives, false negatives and false positives by class, over units such as images.

    Parameters
    ----------
    counts : ndarray of shape (..., 1 + 3 L)
        Number of units; then the true positives, false negatives and false positives of each class.
    labels : ndarray of shape (L,)
        The classes.
    design : Clusters
        Each unit, or each group of units, is a cluster of its events.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.events([8, 5], [1, 0], [2, 3])
    <EventsTable: 2 units, 1 class; design: clusters>
    """

    _axes: ClassVar[int] = 1
    kind: ClassVar[Kind] = Kind(
        noun="table of events",
        rows_noun="units",
        counts_noun="events",
        adds_up=True,
        has_one_cell_per_case=False,
        has_negatives=False,
    )
    counts_class: ClassVar[type[Counts]] = EventCounts
    data_kinds: ClassVar[tuple[str, ...]] = ("predictions", "events")

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.array("counts", self.counts, (*self.batch, 1 + EACH * len(self.labels)))

    @property
    def true_class(self) -> Array:
        """Position of the class of each cell; 0 for the cell of the units."""
        return np.concatenate([[0], np.repeat(np.arange(len(self.labels)), EACH)])

    @property
    def class_totals(self) -> Array:
        """Events of each class, ``(..., L)``."""
        return EventCounts(self.counts).rows

    @property
    def is_binary(self) -> bool:
        """False: two classes of events are not alternatives."""
        return False

    @property
    def cases_per_count(self) -> Array:
        """Number of units per weight of 1, ``(...)``."""
        return safe_divide(np.asarray(self.rows), self.counts[..., 0])

    @property
    def priors(self) -> Priors:
        """Pseudo-counts as average units of one event at least, evenly spread."""
        units, *events = self.counts.reshape(-1, self.shape[-1]).sum(0)
        share = 1 / (1 + max(float(safe_divide(np.sum(events), units)), 1.0))
        return Priors(np.append(share, np.full(len(events), (1 - share) / len(events))))

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences about the design and unusual counts for readers of the numbers."""
        if self.batch:
            return super().cautions
        return (*super().cautions, *of_classes(EventCounts(self.counts), self.labels))

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        return OF_ONE_CLASS if len(self.labels) == 1 else OF_CLASSES

    def incompatibility(self, other: Table) -> str:
        """Return an empty text for another table of the same classes, else why the two cannot be compared."""
        return other_classes(self, other)

    def unit_weights(self, cells: Array) -> Array:
        """Return the weight of each unit, from its cells."""
        return np.asarray(cells[..., 0])

    def with_all_classes(self, others: Sequence[EventsTable]) -> EventsTable:
        """Return a table without units, with the classes of this and other tables."""
        labels = union_of_labels([self, *others])
        return EventsTable(counts=np.zeros(1 + EACH * len(labels)), labels=labels, rows=0)

    def cell_positions(self, whole: EventsTable) -> Array:
        """Return the position of each cell in a table that has its class."""
        place = places_of_names(self.labels.tolist(), whole.labels.tolist())
        return np.concatenate([[0], (1 + EACH * place[:, None] + np.arange(EACH)).ravel()])

    def one_against_rest(self, index: int) -> EventsTable | None:
        """Return the table of one class; None for a batch, and for designs without clusters."""
        if self.batch or not isinstance(self.design, Clusters):
            return None
        cells = np.concatenate([[0], 1 + EACH * index + np.arange(EACH)])
        place = np.full(self.shape[-1], -1)
        place[cells] = np.arange(len(cells))
        return replace(
            self,
            counts=self.counts[cells],
            labels=self.labels[index : index + 1],
            design=self.design.keep_cells(place >= 0, place),
            identity=view_identity(self, index),
        )

    def _contents(self) -> str:
        return f"{int(np.sum(self.rows)):,} units, {len(self.labels):,} class{'' if len(self.labels) == 1 else 'es'}"

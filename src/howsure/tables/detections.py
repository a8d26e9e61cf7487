"""Table of scored detections: hits and false alarms by score, and undetected objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.designs.base import safe_divide
from howsure.designs.clustering import Clustering
from howsure.errors import HowsureError, listed
from howsure.tables.events import EACH, EventsTable
from howsure.tables.kind import Kind
from howsure.tables.labels import other_classes, union_of_labels
from howsure.tables.priors import Priors
from howsure.tables.table import Table, view_identity
from howsure.tables.union import places_of_names


class Slice(NamedTuple):
    """Positions of the cells of one class at one threshold: by score (false alarm, hit), then the misses."""

    label: int
    threshold: int
    start: int
    scores: int

    @property
    def stop(self) -> int:
        """Cell of the undetected objects, the last one."""
        return self.start + 2 * self.scores

    def by_score(self, cells: Array) -> Array:
        """Return the counts by score, ascending, ``(..., S, 2)``."""
        return np.asarray(cells[..., self.start : self.stop].reshape(*cells.shape[:-1], self.scores, 2))


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class DetectionsTable(Table):
    """Counts of detections by class, overlap and score, over units such as images.

    Parameters
    ----------
    counts : ndarray of shape (..., cells)
        Number of units; then, for each class and threshold, the false alarms and hits at each score, and the undetected
        objects.
    labels : ndarray of shape (K,)
        The classes.
    scores : tuple of ndarray of shape (scores of a class,)
        The distinct scores of each class, ascending.
    iou : ndarray of shape (T,)
        Overlap thresholds; a detection is a hit at or above the threshold.
    design : Clusters
        Each unit, or each group of units, is a cluster of its detections.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.detections([{"scores": [0.9, 0.4], "hits": [1, 0]}, {"scores": [0.7], "hits": [1]}], [1, 2], iou=0.5)
    <DetectionsTable: 2 units, 1 class, 3 distinct scores; design: clusters>
    """

    scores: tuple[Array, ...]
    iou: Array
    _axes: ClassVar[int] = 1
    kind: ClassVar[Kind] = Kind(
        noun="table of detections",
        rows_noun="units",
        counts_noun="truths",
        adds_up=True,
        has_one_cell_per_case=False,
        has_negatives=False,
        why_undefined="undefined: there is nothing to detect",
    )
    data_kinds: ClassVar[tuple[str, ...]] = ("detections",)

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.parts("scores", self.scores, np.ndarray, len(self.labels))
        for each in self.scores:
            invariants.ascending("scores", each)
        invariants.ascending("iou", self.iou, None, 0.0, 1.0)
        if not len(self.iou):
            invariants.refuse("`iou` is empty, and must have at least one overlap.")
        size = 1 + sum(2 * len(each) + 1 for each in self.scores) * len(self.iou)
        invariants.array("counts", self.counts, (*self.batch, size))

    @cached_property
    def slices(self) -> tuple[Slice, ...]:
        """Positions of the cells of each class and threshold."""
        return slices_of([len(each) for each in self.scores], len(self.iou))

    @property
    def true_class(self) -> Array:
        """Position of the class of each cell; 0 for the cell of the units."""
        return np.concatenate([[0], *(np.full(2 * each.scores + 1, each.label) for each in self.slices)])

    @property
    def is_binary(self) -> bool:
        """False: two classes of detections are not alternatives."""
        return False

    @property
    def class_totals(self) -> Array:
        """Number of objects of each class, ``(..., K)``."""
        first = [each for each in self.slices if each.threshold == 0]
        totals = [each.by_score(self.counts)[..., 1].sum(-1) + self.counts[..., each.stop] for each in first]
        return np.stack(totals, -1)

    @property
    def cases_per_count(self) -> Array:
        """Number of units per weight of 1, ``(...)``."""
        return safe_divide(np.asarray(self.rows), self.counts[..., 0])

    @property
    def priors(self) -> Priors:
        """Pseudo-counts as units of average size, with as many hits as misses; none in the default prior."""
        units, *others = self.counts.reshape(-1, self.shape[-1]).sum(0)
        share = 1 / (1 + max(float(safe_divide(np.sum(others), units)), 1.0))
        each = [np.append(np.full(2 * part.scores, 1 / max(part.scores, 1)), 1.0) for part in self.slices]
        spread = np.concatenate(each)  # of each class and overlap a third: false alarms, hits, misses
        return Priors(np.append(share, (1 - share) * spread / spread.sum()), total=0.0)

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """The metrics that `evaluate` reports when none are named."""
        some = tuple(f"map+iou={each:g}" for each in self.iou.tolist() if each in {0.5, 0.75} and len(self.iou) > 1)
        return ("map", *some)

    def at(self, score: float, *, iou: float | None = None) -> EventsTable:
        """Return the hits, misses and false alarms of the detections with a score or a higher one.

        Boxes are matched in descending order of their scores, so that boxes below the score do not change the matches.

        Parameters
        ----------
        score : float
            Least score of a detection that counts.
        iou : float, optional
            Overlap from which on a detection is a hit, one of the table's: its only one, or 0.5 by default.

        Raises
        ------
        HowsureError
            If the table was not counted at this overlap.

        Examples
        --------
        >>> import howsure as hs
        >>> boxes = [{"scores": [0.9, 0.4], "hits": [1, 0]}, {"scores": [0.7], "hits": [1]}]
        >>> table = hs.detections(boxes, [1, 2], iou=0.5).at(0.5)
        >>> [round(each.value, 2) for each in hs.evaluate(table, ["precision", "recall"]).values()]
        [1.0, 0.67]
        """
        overlap = iou if iou is not None else self.iou[0] if len(self.iou) == 1 else 0.5
        threshold = np.flatnonzero(np.isclose(self.iou, overlap))
        if not len(threshold):
            raise HowsureError(
                f"`iou` = {overlap:g} is none of the table's overlaps, {listed(self.iou.tolist())}. Count the "
                "detections with `iou=`."
            )
        place = np.full(self.shape[-1], -1)  # of each cell, that of the units first; −1 is left out
        place[0] = 0
        for part in (each for each in self.slices if each.threshold == threshold[0]):
            hit, missed, false = 1 + EACH * part.label + np.arange(EACH)
            above = self.scores[part.label] >= score
            by_score = np.where(above, false, -1), np.where(above, hit, missed)
            place[part.start : part.stop] = np.stack(by_score, -1).ravel()
            place[part.stop] = missed
        kept = place >= 0
        return EventsTable(
            counts=np.bincount(place[kept], self.counts[kept], 1 + EACH * len(self.labels)),
            labels=self.labels,
            design=Clustering.of(self.design).keep_cells(kept, place),
            rows=self.rows,
            identity=view_identity(self, (score, overlap)),
        )

    def incompatibility(self, other: Table) -> str:
        """Return an empty text for another table of the same classes, else why the two cannot be compared."""
        return other_classes(self, other)

    def unit_weights(self, cells: Array) -> Array:
        """Return the weight of each unit, from its cells."""
        return np.asarray(cells[..., 0])

    def with_all_classes(self, others: Sequence[DetectionsTable]) -> DetectionsTable:
        """Return a table without units, with the classes and scores of this and other tables."""
        labels, parts = union_of_labels([self, *others]), [self, *others]
        if any(not np.array_equal(each.iou, self.iou) for each in others):
            raise HowsureError("The tables have other thresholds of the overlap. Count all parts with the same `iou=`.")
        known = [dict(zip(each.labels.tolist(), each.scores, strict=True)) for each in parts]
        none = np.empty(0)
        scores = tuple(np.unique(np.concatenate([each.get(name, none) for each in known])) for name in labels.tolist())
        size = 1 + sum(2 * each.scores + 1 for each in slices_of([len(each) for each in scores], len(self.iou)))
        return DetectionsTable(counts=np.zeros(size), labels=labels, scores=scores, iou=self.iou, rows=0)

    def cell_positions(self, whole: DetectionsTable) -> Array:
        """Return the position of each cell in a table that has its class and score."""
        place = places_of_names(self.labels.tolist(), whole.labels.tolist())
        theirs = {(each.label, each.threshold): each for each in whole.slices}
        cells = [np.zeros(1, dtype=np.intp)]
        for each in self.slices:
            other = theirs[int(place[each.label]), each.threshold]
            at = np.searchsorted(whole.scores[other.label], self.scores[each.label])
            cells.append(np.append((other.start + 2 * at[:, None] + np.arange(2)).ravel(), other.stop))
        return np.concatenate(cells)

    def _contents(self) -> str:
        classes = f"{len(self.labels):,} class{'' if len(self.labels) == 1 else 'es'}"
        distinct = f"{sum(map(len, self.scores)):,} distinct scores"
        units = f"{int(np.sum(self.rows)):,} units"
        return f"{units}, {classes}, {distinct}"


def slices_of(sizes: Sequence[int], thresholds: int) -> tuple[Slice, ...]:
    """Return the positions of the cells, by class and then by threshold, from the number of scores of each class."""
    found, start = [], 1
    for label, scores in enumerate(sizes):
        for threshold in range(thresholds):
            found.append(Slice(label, threshold, start, scores))
            start += 2 * scores + 1
    return tuple(found)

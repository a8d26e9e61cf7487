"""Allocation of further reviews to cells, so that the interval for a metric narrows most."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, checked_level, whole_number
from howsure.grids import Grid, Tabular
from howsure.imperfect_labels.review.design import Reviewed
from howsure.imperfect_labels.review.reviewed import reviewed
from howsure.methods.core.standard_errors import normal_quantile
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.confusion import ConfusionTable
from howsure.tables.table import Table

BISECTIONS = 200
SMALLEST_SHARE = 1e-12  # of the total variance; smaller contributions are rounding errors


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ReviewPlan(Tabular):
    """Allocation of a number of reviews to the cells of a table, for one metric; made by `review_plan`.

    Parameters
    ----------
    metric : str
        Spec string of the metric.
    labels : ndarray of shape (n_classes,)
        Class labels along the axes of the matrices.
    reviews : ndarray of shape (n_classes, n_classes)
        Recommended number of further reviews by recorded × predicted label, as integers.
    narrowing : ndarray of shape (n_classes, n_classes)
        Expected reduction of the interval's width by one more review in each cell.
    recorded, unreviewed : ndarray of shape (n_classes, n_classes)
        Number of cases of each cell, and of those not yet reviewed.
    width, planned_width, even_width : float
        Width of the normal interval, ``2 z`` standard errors: now, as expected after the recommended reviews, and
        as expected after equal numbers of reviews in all cells.
    confidence_level : float
        Confidence level of the interval.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.reviewed([[900, 20], [30, 50]], [[[0, 0], [3, 2]], [[0, 0], [0, 5]]])
    >>> plan = hs.labels.review_plan(table, "precision", budget=20)
    >>> plan.planned_width < plan.even_width < plan.width
    True
    """

    metric: str
    labels: Array
    reviews: Array
    narrowing: Array
    recorded: Array
    unreviewed: Array
    width: float
    planned_width: float
    even_width: float
    confidence_level: float

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict for each non-empty cell, sorted by the number of recommended reviews."""
        cells = sorted(zip(*np.nonzero(self.recorded), strict=True), key=lambda at: (-self.reviews[at], at))
        return [
            {
                "recorded": self.labels.tolist()[at[0]],
                "predicted": self.labels.tolist()[at[1]],
                "cases": int(self.recorded[at]),
                "unreviewed": int(self.unreviewed[at]),
                "narrowing": float(self.narrowing[at]),
                "reviews": int(self.reviews[at]),
            }
            for at in cells
        ]

    def grid(self) -> Grid:
        """Return the plan as a table of strings."""
        rows = [
            (
                f"{each['recorded']}, {each['predicted']}",
                f"{each['cases']:,}",
                f"{each['unreviewed']:,}",
                f"{each['narrowing']:.1e}",
                f"{each['reviews']:,}",
            )
            for each in self.records()
        ]
        caption = (
            f"{self.metric}: width of the {100 * self.confidence_level:g} % interval {self.width:.4f} now, "
            f"{self.planned_width:.4f} expected with this plan, {self.even_width:.4f} with equal numbers per cell."
        )
        headers = ("recorded, predicted", "cases", "unreviewed", "narrowing per review", "review")
        return Grid(headers, tuple(rows), caption)


def review_plan(
    table: Table, metric: str | Spec | Metric, *, budget: int, confidence_level: float = 0.95
) -> ReviewPlan:
    """Return the numbers of cases to review next in each cell, so that the interval for a metric narrows most.

    Parameters
    ----------
    table : ConfusionTable
        Table made by `reviewed`, or a table of independent cases without any review.
    metric : str or Metric
        The metric whose interval should be narrow.
    budget : int
        Number of further reviews. Reviews that would not narrow the interval are not allocated.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    ReviewPlan
        The recommended number of reviews in each cell, and the expected widths.

    Raises
    ------
    HowsureError
        If the budget is not a positive integer, the metric is undefined on the table, or the table is neither
        reviewed nor one of independent cases.

    Notes
    -----
    Consider a cell with ``A`` reviews and pseudo-reviews and ``m`` unreviewed cases, and let ``s`` be the variance of
    the metric's gradient over the corrected labels. The expected remaining variance after t more reviews is
    ``(m - t) (A + m) / (A + t) * s A / (A + 1)``. It is convex in t, so one multiplier for all cells gives the optimal
    allocation. Reviews are proportional to cases times standard deviation (Neyman 1934), minus the reviews already
    made, and at most all cases of the cell. Information that a cell provides about other cells is ignored.

    Before any review, the variances are unknown. The plan is then a first sample with equal numbers in all cells that
    the metric depends on. Plan again after these reviews.

    References
    ----------
    Neyman (1934), Journal of the Royal Statistical Society 97.

    Examples
    --------
    >>> import howsure as hs
    >>> counts = [[900, 20], [30, 50]]
    >>> first = review_plan(hs.from_counts(counts), "precision", budget=10)
    >>> first.reviews.tolist()
    [[0, 5], [0, 5]]
    >>> table = hs.reviewed(counts, [[[0, 0], [3, 2]], [[0, 0], [0, 5]]])
    >>> review_plan(table, "precision", budget=20).reviews.tolist()
    [[0, 11], [0, 9]]
    """
    level = checked_level(confidence_level)
    budget = whole_number("budget", budget)
    table, design = _with_review(table)
    bound = resolve(metric, table)
    counts = table.counted
    if not math.isfinite(float(bound(counts))):
        raise HowsureError(f"`{bound.name}` is undefined on this table, so no review can narrow its interval.")
    gradient = np.nan_to_num(bound.gradient(counts), posinf=0.0, neginf=0.0)
    cells = _Variances.of(design, gradient)
    now = float(table.variance(gradient))
    looked = any(each.reviews.any() for each in design.cells)
    reviews = cells.best(budget) if looked else cells.even(budget, cells.useful)
    twice = 2 * normal_quantile(level)
    width, planned, even = (
        twice * math.sqrt(max(now - float(cells.saved(further).sum()), 0.0))
        for further in (0 * cells.room, reviews, cells.even(budget, cells.room))
    )
    narrowing = twice * cells.slope / (2 * math.sqrt(now)) if now > 0 else 0 * cells.room
    recorded = np.concatenate([each.recorded for each in design.cells]).astype(int)
    size = len(design.labels)
    return ReviewPlan(
        metric=bound.name,
        labels=design.labels,
        reviews=cells.matrix(reviews, size),
        narrowing=cells.matrix(narrowing, size),
        recorded=cells.matrix(recorded, size),
        unreviewed=cells.matrix(cells.room.astype(int), size),
        width=width,
        planned_width=planned,
        even_width=even,
        confidence_level=level,
    )


def _with_review(table: Table) -> tuple[Table, Reviewed]:
    if isinstance(table, ConfusionTable) and table.design.traits.is_independent:
        size = len(table.labels)
        table = reviewed(table.counts, np.zeros((size, size, size)), labels=table.labels)
    design = getattr(table, "design", None)
    if not isinstance(design, Reviewed):
        raise HowsureError(
            "A review plan needs a confusion table of independent cases, from `confusion` or `reviewed`."
        )
    cells = np.concatenate([each.index for each in design.cells])
    if len(np.unique(cells)) < len(cells):
        raise HowsureError("These are several reviews, added up. Plan the further reviews of each part by itself.")
    return table, design


@dataclass(frozen=True, slots=True, eq=False)
class _Variances:
    """Contributions of the recorded cells to the variance of the metric, as functions of further reviews."""

    index: Array
    room: Array  # unreviewed cases
    evidence: Array  # reviews and expected pseudo-reviews
    variance: Array  # before further reviews

    @classmethod
    def of(cls, design: Reviewed, gradient: Array) -> _Variances:
        return cls(
            index=np.concatenate([each.index for each in design.cells]),
            room=np.concatenate([each.unreviewed for each in design.cells]),
            evidence=np.concatenate([each.weights @ each.evidence for each in design.cells]),
            variance=np.concatenate([each.cell_variances(gradient.ravel()) for each in design.cells]),
        )

    @property
    def useful(self) -> Array:
        """Unreviewed cases of the cells that contribute to the variance; 0 for other cells."""
        return np.where(self.variance > SMALLEST_SHARE * self.variance.sum(), self.room, 0.0)

    def saved(self, reviews: Array) -> Array:
        """Return the expected reduction of the variance by further reviews."""
        left = (self.room - reviews) * self.evidence / (np.maximum(self.room, 1.0) * (self.evidence + reviews))
        return np.asarray(self.variance * (1 - left))

    @property
    def slope(self) -> Array:
        """Expected reduction of the variance by one more review, as a derivative."""
        room = np.maximum(self.room, 1.0)
        return np.asarray(self.variance * (self.evidence + room) / (room * self.evidence))

    def best(self, budget: int) -> Array:
        """Return the integer numbers of reviews that minimise the remaining variance."""
        room = self.useful
        budget = min(budget, int(room.sum()))
        root = np.sqrt(self.variance * self.evidence * (self.evidence + room) / np.maximum(room, 1.0))
        low, high = 0.0, float((room + self.evidence)[room > 0].max(initial=0.0) / root[room > 0].min(initial=np.inf))
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            spent = np.clip(middle * root - self.evidence, 0, room).sum()
            low, high = (middle, high) if spent < budget else (low, middle)
        reviews = np.floor(np.clip(low * root - self.evidence, 0, room))
        while reviews.sum() < budget:
            gain = self.saved(np.minimum(reviews + 1, room)) - self.saved(reviews)
            reviews[np.argmax(np.where(reviews < room, gain, -1.0))] += 1
        return np.asarray(reviews.astype(int))

    def even(self, budget: int, room: Array) -> Array:
        """Return equal numbers in all cells, at most ``room`` in each."""
        budget = min(budget, int(room.sum()))
        rounds = bisect_right(range(budget + 1), budget, key=lambda each: np.minimum(room, each).sum()) - 1
        reviews = np.minimum(room, rounds).astype(int)
        reviews[np.flatnonzero(reviews < room)[: budget - reviews.sum()]] += 1
        return reviews

    def matrix(self, values: Array, size: int) -> Array:
        """Return the values of the cells as a matrix, recorded × predicted label."""
        full = np.zeros(size**2, dtype=values.dtype)
        full[self.index] = values
        return full.reshape(size, size)

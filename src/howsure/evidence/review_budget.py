"""Which cells to review next, so that a metric's interval narrows most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.estimation import checked_level
from howsure.evidence.reviewed import Reviewed, reviewed
from howsure.methods.interval import normal_quantile
from howsure.metric import Metric
from howsure.render import Grid, to_frame
from howsure.spec import Spec, resolve
from howsure.table import Counts, Table

Array = NDArray[Any]
BISECTIONS = 200


@dataclass(frozen=True, slots=True, eq=False)
class ReviewPlan:
    """How to spend a number of reviews on the cells of a table, for one metric.

    Parameters
    ----------
    metric
        Its spec string.
    labels
        The class labels along the axes of the matrices.
    reviews
        Recommended number of further reviews by recorded × predicted label, whole, summing to the budget.
    narrowing
        By how much the interval narrows with one more review in each cell.
    recorded, unreviewed
        Cases of each cell, and those of them not yet reviewed.
    width, planned_width, even_width
        Width of the interval now, expected after the recommended reviews, and after as many in each cell.
    confidence_level
        Of the interval.
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
        """Return one flat record for each cell that holds cases, the most to be reviewed first."""
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

    def to_pandas(self) -> Any:
        """Return a pandas frame, one row a cell."""
        return to_frame(self.records(), "pandas")

    def to_polars(self) -> Any:
        """Return a Polars frame, one row a cell."""
        return to_frame(self.records(), "polars")

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
            f"{self.planned_width:.4f} expected with this plan, {self.even_width:.4f} with as many in each cell."
        )
        headers = ("recorded, predicted", "cases", "unreviewed", "narrowing a review", "review")
        return Grid(headers, tuple(rows), caption)

    def __str__(self) -> str:
        return self.grid().text()

    def _repr_html_(self) -> str:
        return self.grid().html()


def review_plan(
    table: Table, metric: str | Spec | Metric, *, budget: int, confidence_level: float = 0.95
) -> ReviewPlan:
    """Recommend which cells to review next, to narrow a metric's interval most.

    Parameters
    ----------
    table
        From `reviewed` or `review`; or a confusion table of which nothing was reviewed yet.
    metric
        The metric whose interval is to be narrow.
    budget
        Number of further reviews; what exceeds the unreviewed cases is not spent.
    confidence_level
        Of the interval.

    Returns
    -------
    ReviewPlan

    Raises
    ------
    HowsureError
        If the budget is not a positive whole number, or the metric is undefined on the table.

    Notes
    -----
    With ``A`` reviews and pseudo-reviews in a cell, ``m`` unreviewed cases and spread ``s`` of the metric's gradient
    over their corrected labels, t more reviews are expected to leave the variance
    ``(m - t) (A + m) / (A + t) * s A / (A + 1)``. It is convex in t, so the best split follows from one multiplier
    for all cells: reviews in proportion to cases times spread (Neyman 1934), less those made, none beyond the
    cell. What a cell of one kind teaches of another is not counted.

    References
    ----------
    Neyman (1934), Journal of the Royal Statistical Society 97.

    Examples
    --------
    >>> import howsure as hs
    >>> plan = review_plan(hs.from_counts([[900, 20], [30, 50]]), "precision", budget=40)
    >>> plan.reviews.tolist()
    [[0, 11], [0, 29]]
    """
    level = checked_level(confidence_level)
    if isinstance(budget, bool) or not isinstance(budget, int | np.integer) or budget < 1:
        message = f"`budget` is a whole number of at least 1, not {budget!r}."
        raise HowsureError(message)
    table = _with_review(table)
    bound = resolve(metric, table)
    counts = Counts(table.counts, table.kind)
    if not math.isfinite(float(bound(counts))):
        message = f"`{bound.name}` is undefined on this table, so no review can narrow its interval."
        raise HowsureError(message)
    gradient = np.nan_to_num(bound.gradient(counts), posinf=0.0, neginf=0.0)
    design = table.design
    assert isinstance(design, Reviewed)  # noqa: S101 - `_with_review` makes it one
    now = design.variance(table.counts, gradient)
    cells = _Variances.of(design, gradient)
    allocation = cells.best(budget)
    twice = 2 * normal_quantile(level)

    def width(reviews: Array) -> float:
        return twice * math.sqrt(max(now - float(cells.saved(reviews).sum()), 0.0))

    narrowing = twice * cells.slope(np.zeros(len(cells.room))) / (2 * math.sqrt(now)) if now > 0 else 0 * cells.room

    def matrix(values: Array) -> Array:
        full = np.zeros(table.counts.size)
        full[cells.index] = values
        return full.reshape(table.counts.shape)

    return ReviewPlan(
        bound.name,
        table.labels,
        matrix(allocation).astype(int),
        matrix(narrowing),
        matrix(cells.recorded).astype(int),
        matrix(cells.room).astype(int),
        width(np.zeros(len(cells.room))),
        width(allocation),
        width(cells.even(budget)),
        level,
    )


def _with_review(table: Table) -> Table:
    if isinstance(table.design, Reviewed):
        return table
    if table.kind != "confusion":
        message = f"A review plan needs a confusion table, and this is one of kind '{table.kind}'."
        raise HowsureError(message)
    size = len(table.labels)
    return reviewed(table.counts, np.zeros((size, size, size)), labels=table.labels)


@dataclass(frozen=True, slots=True, eq=False)
class _Variances:
    """What each recorded cell adds to the metric's variance, as a function of further reviews in it."""

    index: Array
    recorded: Array
    room: Array  # unreviewed cases
    evidence: Array  # reviews and expected pseudo-reviews
    variance: Array  # now

    @classmethod
    def of(cls, design: Reviewed, gradient: Array) -> _Variances:
        parts = [
            (each.index, each.recorded, each.unreviewed, each.weights @ each.evidence, each.cell_variances(gradient))
            for each in design.cells
        ]
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def saved(self, reviews: Array) -> Array:
        """Return the variance that so many further reviews are expected to take away."""
        share = (
            (self.room - reviews) * self.evidence / np.where(self.room > 0, self.room * (self.evidence + reviews), 1)
        )
        return np.asarray(self.variance * (1 - np.where(self.room > 0, share, 0.0)))

    def slope(self, reviews: Array) -> Array:
        """Return the variance that one more review is expected to take away."""
        room = np.where(self.room > 0, self.room, 1.0)
        steep = self.variance * self.evidence * (self.evidence + room) / (room * (self.evidence + reviews) ** 2)
        return np.asarray(np.where(self.room > reviews, steep, 0.0))

    def best(self, budget: int) -> Array:
        """Return the whole numbers of reviews that leave the least variance."""
        budget = min(budget, int(self.room.sum()))
        root = np.sqrt(
            self.variance * self.evidence * (self.evidence + self.room) / np.where(self.room > 0, self.room, 1)
        )
        low, high = 0.0, float((budget + self.evidence.max() + 1) / max(root[self.room > 0].max(initial=0.0), 1e-300))
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            spent = np.clip(middle * root - self.evidence, 0, self.room).sum()
            low, high = (middle, high) if spent < budget else (low, middle)
        reviews = np.floor(np.clip(low * root - self.evidence, 0, self.room))
        while reviews.sum() < budget:
            gain = np.where(
                reviews < self.room, self.saved(np.minimum(reviews + 1, self.room)) - self.saved(reviews), -1
            )
            reviews[np.argmax(gain)] += 1
        return np.asarray(reviews)

    def even(self, budget: int) -> Array:
        """Return the same number in each cell, as far as it has room."""
        reviews, left = np.zeros(len(self.room)), min(budget, int(self.room.sum()))
        while left > 0:
            free = np.flatnonzero(reviews < self.room)
            each = np.full(len(free), left // len(free))
            each[: left % len(free)] += 1
            given = np.minimum(each, (self.room - reviews)[free])
            reviews[free] += given
            left -= int(given.sum())
        return reviews

"""Plot of a review plan."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from howsure.errors import HowsureError
from howsure.evidence.review.budget import ReviewPlan
from howsure.plots.series import made_by
from howsure.plots.style import axes, colour, ink, name_rows, of_rows


def review_plan(plan: ReviewPlan, *, ax: Axes | None = None) -> Axes:
    """Draw the number of cases to review in each cell, in descending order.

    Parameters
    ----------
    plan : ReviewPlan
        The result of `howsure.review_plan`.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If the plan contains no reviews.

    Examples
    --------
    >>> import howsure as hs
    >>> ax = hs.plots.review_plan(hs.review_plan(hs.from_counts([[50, 3], [5, 42]]), "f1", budget=20))
    >>> ax.get_xlabel()
    'cases to review next'
    """
    reviews = np.asarray(made_by("`review_plan`", plan, ReviewPlan).reviews, float)
    cells = [(float(reviews[i, j]), i, j) for i, j in np.ndindex(*reviews.shape) if reviews[i, j] > 0]
    if not cells:
        message = "The plan reviews no case. Give it a budget."
        raise HowsureError(message)
    cells.sort(key=lambda cell: -cell[0])
    names = [f"recorded {plan.labels[i]}, predicted {plan.labels[j]}" for _, i, j in cells]
    ax = axes(ax, of_rows(len(cells), names))
    ax.barh(range(len(cells)), [number for number, _, _ in cells], color=colour(0), height=0.7)
    for row, (number, _, _) in enumerate(cells):
        ax.annotate(f"{number:g}", (number, row), (4, 0), textcoords="offset points", va="center", color=ink())
    name_rows(ax, names)
    ax.set_xlim(0, 1.12 * cells[0][0])
    ax.set_xlabel("cases to review next")
    return ax

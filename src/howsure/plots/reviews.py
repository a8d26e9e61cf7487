"""Plots of reviews: what to review next, and the rates of mislabelled cases."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from howsure.errors import HowsureError
from howsure.imperfect_labels.review.precision import ReviewedPrecision
from howsure.imperfect_labels.review.review_plan import ReviewPlan
from howsure.plots.series import made_by
from howsure.plots.style import BAND, axes, colour, ink, legend_above, name_rows, of_rows

POINTS = 200  # of a density, at equal steps of probability


def review_plan(plan: ReviewPlan, *, ax: Axes | None = None) -> Axes:
    """Draw the number of cases to review in each cell, in descending order.

    Parameters
    ----------
    plan : ReviewPlan
        The result of `howsure.labels.review_plan`.
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
    >>> ax = hs.plots.review_plan(hs.labels.review_plan(hs.from_counts([[50, 3], [5, 42]]), "f1", budget=20))
    >>> ax.get_xlabel()
    'cases to review next'
    """
    reviews = np.asarray(made_by("`review_plan`", plan, ReviewPlan).reviews, float)
    cells = [(float(reviews[i, j]), i, j) for i, j in np.ndindex(*reviews.shape) if reviews[i, j] > 0]
    if not cells:
        raise HowsureError("The plan reviews no case. Give it a budget.")
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


def mislabelling_rates(model: ReviewedPrecision, *, ax: Axes | None = None) -> Axes:
    """Draw the prior and the posterior density of the rates of mislabelled true and false positives.

    Parameters
    ----------
    model : ReviewedPrecision
        Counts, reviews and priors; before a review, with numbers of reviews of 0, the two densities are equal.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes. Priors are dotted, posteriors are filled.

    Raises
    ------
    HowsureError
        If the argument is no `ReviewedPrecision`.

    Examples
    --------
    >>> import howsure as hs
    >>> prior = hs.labels.beta_prior(below=0.2, sure=0.9)
    >>> model = hs.results.ReviewedPrecision(
    ...     tp=900, fp=120, reviewed_tp=50, mislabelled_tp=2, reviewed_fp=40, mislabelled_fp=15, prior_tp=prior
    ... )
    >>> ax = hs.plots.mislabelling_rates(model)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['true positives, prior', 'true positives', 'false positives, prior', 'false positives']
    """
    if not isinstance(model, ReviewedPrecision):
        raise HowsureError(f"`mislabelling_rates` draws a `ReviewedPrecision`, not {type(model).__name__}.")
    ax = axes(ax)
    for index, (kind, name) in enumerate({"tp": "true positives", "fp": "false positives"}.items()):
        prior, posterior = model.prior_rates[kind], model.rates[kind]
        x = np.unique(np.concatenate([each.ppf(np.linspace(0.001, 0.999, POINTS)) for each in (prior, posterior)]))
        ax.plot(x, prior.pdf(x), color=colour(index), linestyle=":", label=f"{name}, prior")
        ax.plot(x, posterior.pdf(x), color=colour(index), label=name)
        ax.fill_between(x, posterior.pdf(x), color=colour(index), alpha=BAND, linewidth=0)
    ax.set_xlim(0, None)
    ax.set_ylim(0, None)
    ax.set_xlabel("rate of mislabelled cases")
    ax.set_ylabel("density")
    legend_above(ax, columns=2)
    return ax

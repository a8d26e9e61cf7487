"""Plot of a plan: expected result by number of cases."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from howsure.estimates.sentences import subject
from howsure.numbers import percent
from howsure.planning.result import Plan
from howsure.plots.series import made_by
from howsure.plots.style import BAND, axes, colour, ink, legend_above, plain

WORDS = {"width": "width of the {} interval", "power": "power", "support": "chance of enough cases of each class"}


def plan(plan: Plan, *, ax: Axes | None = None) -> Axes:
    """Draw the expected width or power by the number of cases, with a band for the uncertainty of the pilot.

    Parameters
    ----------
    plan : Plan
        The result of `howsure.plan`.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If the argument is not a plan.

    Examples
    --------
    >>> import howsure as hs
    >>> ax = hs.plots.plan(hs.plan(hs.from_counts([[50, 3], [5, 42]]), "f1", width=0.06))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('cases', 'width of the 95 % interval of F1')
    """
    made = made_by("`plan`", plan, Plan)
    n, reached, low, high = made.curve
    ax = axes(ax)
    if np.isfinite(low).all():
        words = f"pilots like this one, {percent(made.confidence_level)}"
        ax.fill_between(n, low, high, color=colour(0), alpha=BAND, linewidth=0, label=words)
    ax.plot(n, reached, color=colour(0), linewidth=1.8, label="expected")
    at = {"width": made.width, "power": made.power, "support": made.support}[made.goal]
    ax.plot([made.n], [at], "o", color=colour(1), label=f"{made.n:,} cases")
    ax.axhline(made.target, color=ink(), linewidth=0.8, linestyle=":")
    ax.set_xscale("log")
    ax.set_xlabel("cases")
    what = WORDS[made.goal].format(percent(made.confidence_level))
    metric = plain(subject(made.metric, made.positive))
    ax.set_ylabel(f"{what} of {metric}" if made.goal == "width" else f"{what}, {metric}")
    if made.goal == "width":
        ax.set_ylim(0, None)
    else:
        ax.set_ylim(0, 1.02)
    legend_above(ax, columns=3)
    return ax

"""Plot of the density of draws."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from howsure.comparison.result import Comparison
from howsure.estimates.estimate import Estimate
from howsure.methods.numerics.draw_summaries import density
from howsure.metrics.descriptions import metric_words
from howsure.numbers import percent
from howsure.plots.dots import with_positive
from howsure.plots.style import BAND, PALETTE, axes, finite_draws, ink, legend_above, plain
from howsure.pooling.pooled import Pooled


def posterior(
    estimate: Estimate | Comparison | Pooled,
    *,
    rope: tuple[float, float] | None = None,
    metric: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the density of the draws, with the median, the interval, and a region of practical equivalence.

    Parameters
    ----------
    estimate : Estimate, Comparison or Pooled
        An estimate, a comparison or a pooled value with draws, from a method that draws, such as ``"bayes"``.
    rope : tuple of two float, optional
        Region of practical equivalence; the legend states the share of the draws in it. By default that of the
        comparison.
    metric : str
        Metric in the label of the axis; by default that of the estimate.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If the estimate has no draws.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> ax = hs.plots.posterior(hs.estimate(table, "recall", method="bayes", random_state=0))
    >>> ax.get_xlabel()
    'recall'
    """
    draws = finite_draws(estimate.draws, "estimate")
    words = metric_words(metric or getattr(estimate, "metric", "")) or "value"
    if isinstance(estimate, Comparison):
        words = f"{estimate.contrast.replace('_', ' ')} in {words}: {plain(next(iter(estimate.by_name())))}"
        if rope is None and estimate.rope is not None:
            rope = (estimate.rope.low, estimate.rope.high)
    grid, heights = density(draws)
    low, high = estimate.low, estimate.high
    median = float(np.median(draws))
    ax = axes(ax)
    if rope is not None:
        inside = float(((draws >= rope[0]) & (draws <= rope[1])).mean())
        share = f"no practical difference [{rope[0]:g}, {rope[1]:g}]: {100 * inside:.1f} % of draws"
        ax.axvspan(*rope, color=PALETTE[2], alpha=BAND, label=share)
    ax.plot(grid, heights, color=PALETTE[0])
    within = (grid >= low) & (grid <= high)
    label = f"{percent(estimate.confidence_level)} interval [{low:.3f}, {high:.3f}]"
    ax.fill_between(grid[within], heights[within], color=PALETTE[0], alpha=BAND, linewidth=0, label=label)
    ax.axvline(median, color=ink(), linestyle="--", linewidth=1.2, label=f"median {median:.3f}")
    ax.set_ylim(bottom=0)
    ax.set_yticks([])
    if isinstance(estimate, Comparison):
        ax.axvline(estimate.null, color=ink(), linewidth=1, linestyle=":")
    ax.set_xlabel(with_positive(words, [getattr(estimate, "a", estimate)]))
    ax.set_ylabel("density of the draws")
    legend_above(ax)
    return ax

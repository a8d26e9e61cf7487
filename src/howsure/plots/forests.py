"""Forest plot: estimates of many experiments, what they say together, and how far they differ."""

from __future__ import annotations

import math

from matplotlib.axes import Axes

from howsure.grids import percent
from howsure.metrics.words import metric_words
from howsure.plots.series import made_by
from howsure.plots.style import axes, colour, ink, name_rows, whiskers
from howsure.pooling.pooled import Pooled


def forest(pooled: Pooled, *, metric: str = "", ax: Axes | None = None) -> Axes:
    """Draw one row per experiment, and below them the pooled value as a diamond, with the heterogeneity in words.

    Parameters
    ----------
    pooled : Pooled
        From `pool`, `pool_folds`, `conflate`, or a study's `aggregate` of a group.
    metric : str
        Metric, to name the axis.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import howsure as hs
    >>> pooled = hs.pool([0.91, 0.88, 0.93], [0.01, 0.02, 0.015], names=["Ulm", "Bern", "Graz"])
    >>> ax = hs.plots.forest(pooled, metric="f1@macro")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Ulm', 'Bern', 'Graz', 'together']
    """
    single = made_by("`pool`, `pool_folds`, `pool_tables` or `conflate`", pooled, Pooled).experiments
    ax = axes(ax, rows=len(single) + 1)
    whiskers(ax, range(len(single)), list(single.values()))
    _diamond(ax, pooled, len(single))
    name_rows(ax, [*single, "together"])
    ax.set_xlabel(f"{metric_words(metric) or 'value'} with {percent(pooled.confidence_level)} interval")
    return ax


def _diamond(ax: Axes, pooled: Pooled, row: int) -> None:
    tall = 0.22
    ax.axhline(row - 0.5, color=ink(), linewidth=0.8, alpha=0.4)
    ax.axvline(pooled.value, color=ink(), linewidth=0.8, linestyle=":")
    corners = ([pooled.low, pooled.value, pooled.high, pooled.value], [row, row - tall, row, row + tall])
    ax.fill(*corners, color=colour(1), label="together")
    low, high = pooled.prediction_interval
    if not math.isnan(low):
        ax.plot([low, high], [row, row], color=colour(1), linewidth=1.6, linestyle="--", label="a further experiment")
    ax.set_title(", ".join(pooled.facts[:2]), loc="left", fontsize="medium")

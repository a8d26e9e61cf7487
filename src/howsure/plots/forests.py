"""Forest plots: estimates of many experiments, their pooled value, and their heterogeneity."""

from __future__ import annotations

import math

from matplotlib.axes import Axes

from howsure.errors import HowsureError
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.metrics.descriptions import metric_words
from howsure.numbers import percent
from howsure.plots.series import made_by
from howsure.plots.style import axes, colour, ink, name_rows, of_rows, plain, whiskers
from howsure.pooling.pooled import Pooled
from howsure.study.findings import medians
from howsure.study.study import Study


def forest(pooled: Pooled, *, metric: str = "", ax: Axes | None = None) -> Axes:
    """Draw one row per experiment, the pooled value as a diamond below them, and the heterogeneity as text.

    Parameters
    ----------
    pooled : Pooled
        The result of `pool`, `pool_folds`, `conflate`, or a study's `aggregate` for a group.
    metric : str
        Metric in the label of the axis.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If the argument is not a pooled value.

    Examples
    --------
    >>> import howsure as hs
    >>> pooled = hs.pool([0.91, 0.88, 0.93], [0.01, 0.02, 0.015], names=["Ulm", "Bern", "Graz"])
    >>> ax = hs.plots.forest(pooled, metric="f1@macro")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Ulm', 'Bern', 'Graz', 'pooled']
    """
    single = made_by("`pool`, `pool_folds`, `pool_tables` or `conflate`", pooled, Pooled).experiments
    ax = axes(ax, of_rows(len(single) + 1, single))
    whiskers(ax, range(len(single)), list(single.values()))
    ax.axhline(len(single) - 0.5, color=ink(), linewidth=0.8, alpha=0.4)
    ax.axvline(pooled.value, color=ink(), linewidth=0.8, linestyle=":")
    _diamond(ax, pooled, len(single))
    name_rows(ax, [*single, "pooled"])
    words = metric_words(metric or pooled.metric) or "value"
    label = f"{words} with {percent(pooled.confidence_level)} interval"
    ax.set_xlabel("\n".join([label, ", ".join(pooled.facts[:2]), *map(plain, positive_notes([pooled]))]))
    return ax


def experiments(study: Study, metric: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw a metric of a whole study: one row per experiment, and the aggregate of each group as a diamond below.

    Parameters
    ----------
    study : Study
        The study.
    metric : str, optional
        A spec string; by default the first metric of the study.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes. The rows of experiments show the median and the interval of their draws.

    Raises
    ------
    HowsureError
        If the study has no experiment, or neither the study nor the call has a metric.

    Examples
    --------
    >>> import howsure as hs
    >>> study = hs.Study(n_draws=500)
    >>> study.add("mlp/1", [[50, 3], [5, 42]])
    >>> study.add("mlp/2", [[47, 6], [4, 43]])
    >>> study.add("tree", [[44, 9], [8, 39]])
    >>> ax = hs.plots.experiments(study, "f1")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['mlp/1', 'mlp/2', 'mlp', 'tree']
    """
    if not study.experiments or not (metric or study.metrics):
        raise HowsureError("There is nothing to draw: the study needs an experiment, `study.add(…)`, and a metric.")
    spec = metric or study.wanted()[0]
    single, together = medians(study.summaries(spec), spec), study.aggregate(spec)
    rows: list[tuple[str, Estimate | Pooled]] = []
    edges = []
    for name, members in study.groups.items():
        rows += [(each.name, single[each.name]) for each in members]
        rows += [(name, together[name])] if len(members) > 1 else []
        edges.append(len(rows))
    ax = axes(ax, of_rows(len(rows), [name for name, _ in rows]))
    alone = [place for place, (_, each) in enumerate(rows) if not isinstance(each, Pooled)]
    whiskers(ax, alone, [rows[place][1] for place in alone])
    for place, (_, each) in enumerate(rows):
        if isinstance(each, Pooled):
            _diamond(ax, each, place)
    for place in edges[:-1]:
        ax.axhline(place - 0.5, color=ink(), linewidth=0.8, alpha=0.4)
    name_rows(ax, [name for name, _ in rows])
    ax.set_xlabel(f"{metric_words(spec)} with {percent(study.confidence_level)} interval")
    return ax


def _diamond(ax: Axes, pooled: Pooled, row: int) -> None:
    tall = 0.22
    corners = ([pooled.low, pooled.value, pooled.high, pooled.value], [row, row - tall, row, row + tall])
    ax.fill(*corners, color=colour(1), label="pooled")
    low, high = pooled.prediction_interval
    if not math.isnan(low):
        ax.plot([low, high], [row, row], color=colour(1), linewidth=1.6, linestyle="--", label="a further experiment")

"""Dots and whiskers: metrics with their intervals, and differences of models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes

from howsure.estimation import Estimate
from howsure.plots.style import PALETTE, axes, ink, legend_above, name_rows, percent, plain, whiskers
from howsure.render import metric_words


class Limits(Protocol):
    """Anything with a value and its limits."""

    @property
    def value(self) -> float:
        """The observed value."""
        ...

    @property
    def low(self) -> float:
        """Lower limit."""
        ...

    @property
    def high(self) -> float:
        """Upper limit."""
        ...


def intervals(evaluations: Iterable[Estimate] | Mapping[str, Iterable[Estimate]], *, ax: Axes | None = None) -> Axes:
    """Draw metrics as dots with their intervals as whiskers, one row a metric.

    Parameters
    ----------
    evaluations
        An `Evaluation` (or estimates), or several by name: models or groups side by side.
    ax
        Where to draw; new axes by default.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> ax = hs.plots.intervals(hs.evaluate(table, ["accuracy", "f1"]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['accuracy', 'F1']
    """
    series = evaluations if isinstance(evaluations, Mapping) else {"": evaluations}
    listed = {name: list(each) for name, each in series.items()}
    metrics = list(dict.fromkeys(each.metric for estimates in listed.values() for each in estimates))
    ax = axes(ax, rows=len(metrics) * max(1, (len(listed) + 1) // 2))
    for index, (name, estimates) in enumerate(listed.items()):
        shift = (index - (len(listed) - 1) / 2) * 0.7 / max(len(listed), 1)
        rows = [metrics.index(each.metric) + shift for each in estimates]
        whiskers(ax, rows, estimates, index, label=plain(name) or None)
    name_rows(ax, [metric_words(each) for each in metrics])
    levels = {each.confidence_level for estimates in listed.values() for each in estimates}
    ax.set_xlabel(f"value with {' and '.join(percent(level) for level in sorted(levels))} interval")
    if len(listed) > 1:
        legend_above(ax, columns=3)
    return ax


def differences(
    comparisons: Mapping[str, Limits],
    *,
    rope: tuple[float, float] | None = None,
    metric: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw differences with their intervals, a line at no difference, and the range that counts as none.

    Parameters
    ----------
    comparisons
        What is compared, such as ``"A − B"``, → its difference with ``value``, ``low`` and ``high``.
    rope
        Differences in this range make no practical difference (region of practical equivalence).
    metric
        Metric, to name the axis.
    ax
        Where to draw; new axes by default.
    """
    ax = axes(ax, rows=len(comparisons))
    if rope is not None:
        ax.axvspan(*rope, color=PALETTE[2], alpha=0.2, label=f"no practical difference [{rope[0]:g}, {rope[1]:g}]")
    ax.axvline(0, color=ink(), linewidth=1, linestyle=":")
    whiskers(ax, np.arange(len(comparisons)), list(comparisons.values()))
    name_rows(ax, list(comparisons))
    ax.set_xlabel(f"difference in {metric_words(metric)}" if metric else "difference")
    if rope is not None:
        legend_above(ax)
    return ax


def level_of(each: Any) -> str:
    """Return an object's confidence level in words, with a space after it, or nothing."""
    level = getattr(each, "confidence_level", None)
    return "" if level is None else f"{percent(level)} "

"""Forest plot: estimates of many studies, what they say together, and how far they differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from matplotlib.axes import Axes

from howsure.plots.dots import Limits, level_of
from howsure.plots.style import axes, colour, ink, name_rows, whiskers
from howsure.render import metric_words


class Pooled(Limits, Protocol):
    """A pooled estimate with its heterogeneity."""

    @property
    def i2(self) -> float:
        """Share of the scatter that is not chance, between 0 and 1."""
        ...

    @property
    def tau2(self) -> float:
        """Variance between studies."""
        ...

    @property
    def prediction_interval(self) -> tuple[float, float] | None:
        """Where the value of a further study is expected."""
        ...


def forest(
    estimates: Mapping[str, Limits], pooled: Pooled | None = None, *, metric: str = "", ax: Axes | None = None
) -> Axes:
    """Draw one row a study, and below them the pooled value as a diamond, with the heterogeneity in words.

    Parameters
    ----------
    estimates
        Study → its estimate with ``value``, ``low`` and ``high``.
    pooled
        Pooled estimate with ``value``, ``low``, ``high``, ``i2``, ``tau2`` and ``prediction_interval``.
    metric
        Metric, to name the axis.
    ax
        Where to draw; new axes by default.
    """
    names = [*estimates, *(["together"] if pooled is not None else [])]
    ax = axes(ax, rows=len(names))
    whiskers(ax, range(len(estimates)), list(estimates.values()))
    if pooled is not None:
        _diamond(ax, pooled, len(estimates))
    name_rows(ax, names)
    examples = [pooled, *estimates.values()]
    level = next((found for each in examples if (found := level_of(each))), "")
    ax.set_xlabel(f"{metric_words(metric) or 'value'} with {level}interval")
    return ax


def _diamond(ax: Axes, pooled: Pooled, row: int) -> None:
    tall = 0.22
    ax.axhline(row - 0.5, color=ink(), linewidth=0.8, alpha=0.4)
    ax.axvline(pooled.value, color=ink(), linewidth=0.8, linestyle=":")
    corners = ([pooled.low, pooled.value, pooled.high, pooled.value], [row, row - tall, row, row + tall])
    ax.fill(*corners, color=colour(1), label="together")
    if pooled.prediction_interval is not None:
        low, high = pooled.prediction_interval
        ax.plot([low, high], [row, row], color=colour(1), linewidth=1.6, linestyle="--", label="a further study")
    ax.set_title(f"heterogeneity: I² = {100 * pooled.i2:.0f} %, τ² = {pooled.tau2:.2g}", loc="left", fontsize="medium")

"""Dots with whiskers: metrics with their intervals, and differences between models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes

from howsure.estimates.coercion import coerce_table
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.estimates.estimation import evaluate
from howsure.estimates.named import Named, by_name
from howsure.metrics.contrast import EFFECTS
from howsure.metrics.descriptions import metric_words
from howsure.numbers import percent
from howsure.plots.series import evaluated
from howsure.plots.style import BAND, PALETTE, axes, ink, legend_above, name_rows, of_rows, plain, whiskers
from howsure.tables.batch import Tables
from howsure.tables.table import Table

Series = Estimate | Mapping[str, Estimate] | Iterable[Estimate] | Table


class Limits(Protocol):
    """An object with a value and limits."""

    @property
    def value(self) -> float:
        """The observed value."""

    @property
    def low(self) -> float:
        """Lower limit."""

    @property
    def high(self) -> float:
        """Upper limit."""


def intervals(
    evaluations: Series | Tables[Any] | Mapping[str, Series | Tables[Any]], *, ax: Axes | None = None
) -> Axes:
    """Draw metrics as dots with their intervals as whiskers, one row per metric.

    Parameters
    ----------
    evaluations : Evaluation, Estimate, iterable of Estimate, Table, Tables, or mapping of str to one of these
        The estimates to draw. Several by name are models or groups, drawn in the same rows; for groups, all cases come
        first. Tables are evaluated with their default metrics.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If a table has no default metrics, such as a table of several models.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> ax = hs.plots.intervals(hs.evaluate(table, ["accuracy", "f1"]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['accuracy', 'F1']
    """
    listed = {name: _listed(each) for name, each in evaluated(evaluations).items()}
    metrics = list(dict.fromkeys(each.label for estimates in listed.values() for each in estimates))
    names = [metric_words(each) for each in metrics]
    ax = axes(ax, of_rows(len(metrics) * max(1, (len(listed) + 1) // 2), names))
    for index, (name, estimates) in enumerate(listed.items()):
        shift = (index - (len(listed) - 1) / 2) * 0.7 / max(len(listed), 1)
        rows = [metrics.index(each.label) + shift for each in estimates]
        whiskers(ax, rows, estimates, index, label=plain(name) or None)
    name_rows(ax, names)
    every = [each for estimates in listed.values() for each in estimates]
    levels = {each.confidence_level for each in every}
    ax.set_xlabel(with_positive(f"value with {' and '.join(map(percent, sorted(levels)))} interval", every))
    if len(listed) > 1:
        legend_above(ax, columns=4)
    return ax


def _listed(series: object) -> list[Estimate]:
    if isinstance(series, Estimate):
        return [series]
    listed = list(series.values() if isinstance(series, Mapping) else series) if isinstance(series, Iterable) else []
    if listed and all(hasattr(each, "low") for each in listed):
        return listed
    found: Any = evaluate(coerce_table(series, "plots.intervals"))
    return list(found.values())


def differences(
    comparisons: Named | Mapping[str, Limits],
    *,
    rope: tuple[float, float] | None = None,
    metric: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw differences with their intervals, a line at no difference, and the region of practical equivalence.

    Parameters
    ----------
    comparisons : Comparison, Comparisons, Records or mapping
        The result of `compare`, `compare_all`, `simultaneous_differences`, or a study's `compare` and `comparisons`; or
        a mapping from name, such as ``"A − B"``, to an object with ``value``, ``low`` and ``high``.
    rope : tuple of two float, optional
        Region of practical equivalence; by default that of the comparisons.
    metric : str
        Metric in the label of the axis; by default that of the comparisons.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If the argument does not contain comparisons.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1, 0], {"A": [1, 1, 0, 1, 1, 0], "B": [1, 0, 0, 1, 0, 1]})
    >>> ax = hs.plots.differences(hs.compare(table, "accuracy"))
    >>> ax.get_xlabel()
    'difference in accuracy with 95 % interval'
    """
    named = by_name(comparisons)
    ax = axes(ax, of_rows(len(named), named))
    region = rope or _only({(each.low, each.high) for each in _known(named, "rope")})
    if region is not None:
        words = f"no practical difference [{region[0]:g}, {region[1]:g}]"
        ax.axvspan(*region, color=PALETTE[2], alpha=BAND, label=words)
    contrast = _only(_known(named, "contrast")) or "difference"
    ax.axvline(EFFECTS[contrast].null, color=ink(), linewidth=1, linestyle=":")
    whiskers(ax, np.arange(len(named)), list(named.values()))
    name_rows(ax, list(named))
    words = metric_words(metric or _only(_known(named, "metric")) or "")
    what = f"{contrast.replace('_', ' ')}{' in ' + words if words else ''}"
    level = _only(_known(named, "confidence_level"))
    kind = "simultaneous " if any("max_t" in method for method in _known(named, "method")) else ""
    what = what if level is None else f"{what} with {kind}{percent(level)} interval"
    ax.set_xlabel(with_positive(what, (getattr(each, "a", None) for each in named.values())))
    if region is not None:
        legend_above(ax)
    return ax


def with_positive(label: str, estimates: Iterable[object]) -> str:
    """Return the label of an axis, followed by the positive class if estimates depend on one that was not stated."""
    unnamed = [each for each in estimates if not getattr(each, "is_positive_stated", True)]
    return "\n".join([label, *map(plain, positive_notes(unnamed))])


def _known(named: Mapping[str, object], field: str) -> set[Any]:
    """Return the values of a field of the objects, without None."""
    found = (getattr(each, field, None) for each in named.values())
    return {each for each in found if each is not None}


def _only(found: set[Any]) -> Any:
    """Return the single element, or None if there is not exactly one."""
    return next(iter(found)) if len(found) == 1 else None

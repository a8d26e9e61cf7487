"""Curves of scores with their bands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from howsure.curves.axes import DIAGONALS
from howsure.curves.curves import Curve
from howsure.estimates.estimate import positive_notes
from howsure.metrics.descriptions import metric_words
from howsure.numbers import percent
from howsure.plots.series import by_series, joined, made_by
from howsure.plots.style import BAND, SIZE, SQUARE, axes, colour, dashes, ink, marker, plain

MAKERS = "`roc_curve`, `det_curve`, `precision_recall_curve`, `calibration_curve` or `threshold_curves`"


def curve(curve: Curve | Mapping[Any, Curve], *, name: str = "", ax: Axes | None = None) -> Axes:
    """Draw ROC, DET, precision–recall, calibration or metric-versus-threshold curves with their bands.

    Parameters
    ----------
    curve : Curve or mapping to Curve
        The result of `roc_curve`, `det_curve`, `precision_recall_curve`, `calibration_curve` or `threshold_curves`.
        Several curves by name are drawn on the same axes; for groups, all cases come first.
    name : str
        Name in the legend.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes. A further curve gets the next colour and line style.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If the argument is not a curve.

    Examples
    --------
    >>> import howsure as hs
    >>> ax = hs.plots.curve(hs.roc_curve(hs.scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])), name="model")
    >>> ax.get_xlabel().splitlines(), ax.get_ylabel()
    (['false positive rate', 'band: 95 %, at each point'], 'true positive rate')
    """
    series = {group: made_by(MAKERS, each, Curve) for group, each in by_series(curve).items()}
    ax = axes(ax, SIZE if any(each.is_along_thresholds for each in series.values()) else SQUARE)
    for group, each in series.items():
        _draw(each, joined(name, group), ax)
    return ax


def _draw(curve: Curve, name: str, ax: Axes) -> None:
    index = sum(line.get_gid() == "howsure" for line in ax.lines)
    if not index:
        _reference(ax, curve)
    known = np.isfinite(curve.x) & np.isfinite(curve.y)
    if curve.name == "precision_recall":
        known &= curve.x > 0  # the precision is unknown if no positive case is found
    order = np.flatnonzero(known)
    along = curve.is_along_thresholds
    if along:
        order = order[::-1]
    x, y = curve.x[order], curve.y[order]
    label = plain(metric_words(curve.name) if along and name in {"", curve.name} else name)
    shape: dict[str, Any] = {"drawstyle": "steps-pre"} if along else {}
    if curve.name == "calibration":
        shape = {"marker": marker(index)}
    (line,) = ax.plot(x, y, color=colour(index), linestyle=dashes(index), label=label or None, **shape)
    line.set_gid("howsure")
    if "low" in curve:
        low, high = curve.low[order], curve.high[order]
        if curve.name == "calibration":
            ax.vlines(x, low, high, color=colour(index), linewidth=1.2)
        else:
            ax.fill_between(x, low, high, color=colour(index), alpha=BAND, linewidth=0, step="pre" if along else None)
    if label:
        ax.legend(loc="best", fontsize="small")


def _reference(ax: Axes, curve: Curve) -> None:
    """Label the axes, and draw the line of an uninformative, or of a perfectly calibrated, classifier."""
    words = {"pointwise": "at each point", "simultaneous": "along the whole curve"}.get(curve.band)
    notes = [f"band: {percent(curve.confidence_level)}, {words}"] if words else []
    notes += map(plain, positive_notes([curve]))
    ax.set_xlabel("\n".join(filter(None, (curve.x_name, "; ".join(notes)))))
    ax.set_ylabel(curve.y_name)
    if not curve.is_along_thresholds:
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        ax.set_aspect("equal")
    thin: dict[str, Any] = {"color": ink(), "linewidth": 1, "linestyle": ":", "zorder": 1}
    if curve.name == "precision_recall":
        ax.axhline(curve.y[-1], **thin)
    elif curve.name in DIAGONALS:
        start, end = DIAGONALS[curve.name]
        ax.axline((0, start), (1, end), **thin)

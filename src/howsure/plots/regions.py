"""Joint confidence regions of two metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from howsure.estimates.estimate import positive_notes
from howsure.metrics.descriptions import metric_words
from howsure.numbers import percent
from howsure.plots.series import by_series, joined, made_by
from howsure.plots.style import BAND, SQUARE, axes, colour, marker, plain
from howsure.requirements.region import JointRegion

OWN = "howsure region"


def joint_region(region: object, *, name: str = "", ax: Axes | None = None) -> Axes:
    """Draw the joint confidence region of two metrics with their values, also on a ROC or precision–recall curve.

    Parameters
    ----------
    region : JointRegion or mapping to JointRegion
        The result of `joint_region`. Several regions by name are drawn on the same axes; for groups, all cases come
        first.
    name : str
        Name in the legend.
    ax : matplotlib Axes, optional
        Axes to draw on, such as those of a curve; by default new axes. The horizontal axis is that of the first metric:
        on a ROC curve ``"fpr"``, on a precision–recall curve ``"recall"``.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If the argument is not such a region.

    Examples
    --------
    >>> import howsure as hs
    >>> scores = hs.scores([0, 0, 1, 0, 1, 1] * 20, [0.1, 0.4, 0.35, 0.6, 0.8, 0.9] * 20)
    >>> ax = hs.plots.curve(hs.roc_curve(scores))
    >>> ax = hs.plots.joint_region(hs.joint_region(scores, "fpr", "recall", threshold=0.5), name="at 0.5", ax=ax)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['at 0.5']
    """
    series = {group: made_by("`joint_region`", each, JointRegion) for group, each in by_series(region).items()}
    ax = axes(ax, SQUARE)
    for group, each in series.items():
        _draw(each, joined(name, group), ax)
    return ax


def _draw(region: JointRegion, name: str, ax: Axes) -> None:
    index = sum(line.get_gid() in {OWN, "howsure"} for line in ax.lines)
    if not index:
        note = f"region: {percent(region.confidence_level)}, both together"
        notes = [note, *map(plain, positive_notes([region.x, region.y]))]
        ax.set_xlabel("\n".join((metric_words(region.x.label), "; ".join(dict.fromkeys(notes)))))
        ax.set_ylabel(metric_words(region.y.label))
    if not region.reason:
        x, y = (np.append(each, each[0]) for each in (region.boundary_x, region.boundary_y))
        ax.fill(x, y, facecolor=colour(index), alpha=BAND, linewidth=0)
        ax.plot(x, y, color=colour(index), linewidth=1)
    label = plain(name) or None
    shape: dict[str, Any] = {"marker": marker(index), "linestyle": "none", "color": colour(index)}
    (point,) = ax.plot([region.x.value], [region.y.value], label=label, **shape)
    point.set_gid(OWN)
    if label:
        ax.legend(loc="best", fontsize="small")

"""Decision curves: the net benefit of strategies along the thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from howsure.decisions.limits import ALL, NONE
from howsure.decisions.result import DecisionCurve
from howsure.errors import one_of
from howsure.estimates.estimate import positive_notes
from howsure.numbers import percent
from howsure.plots.series import made_by
from howsure.plots.style import BAND, SIZE, axes, colour, dashes, ink, plain

BANDS = {"pointwise": "at each threshold", "simultaneous": "along the whole curve", "none": ""}
BELOW, ABOVE = 0.3, 1.15  # of the largest net benefit: how much of the plot lies below 0, and above


def decision_curve(curve: DecisionCurve, *, band: str = "pointwise", ax: Axes | None = None) -> Axes:
    """Draw the net benefit of models, of treating all and of treating none against the threshold, with bands.

    The plot ends a little below 0, as is usual: the net benefit of treating all falls far below it.

    Parameters
    ----------
    curve : DecisionCurve
        The result of `decision_curve`.
    band : {"pointwise", "simultaneous", "none"}
        Kind of the bands: they cover at each threshold, or the whole curve.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If the argument is not a decision curve, or the band is unknown.

    Examples
    --------
    >>> import howsure as hs
    >>> curve = hs.decision_curve([0, 0, 1, 1] * 9, [0.1, 0.4, 0.35, 0.8] * 9, thresholds=[0.1, 0.2, 0.3])
    >>> ax = hs.plots.decision_curve(curve)
    >>> ax.get_xlabel().splitlines(), ax.get_ylabel()
    (['threshold: treated from this risk on', 'band: 95 %, at each threshold'], 'net benefit')
    """
    one_of("band", band, BANDS)
    found = made_by("`decision_curve`", curve, DecisionCurve)
    ax = axes(ax, SIZE)
    thin: dict[str, Any] = {"color": ink(), "linewidth": 1, "zorder": 1}
    ax.axhline(0.0, linestyle=":", label=NONE, **thin)
    ax.plot(found.thresholds, found[ALL].value, linestyle="--", label=ALL, **thin)
    prefix = "simultaneous_" if band == "simultaneous" else ""
    for index, name in enumerate(found.models):
        own = found[name]
        ax.plot(found.thresholds, own.value, color=colour(index), linestyle=dashes(index), label=plain(name))
        if band != "none":
            low, high = (getattr(own, f"{prefix}{end}") for end in ("low", "high"))
            ax.fill_between(found.thresholds, low, high, color=colour(index), alpha=BAND, linewidth=0)
    highest = max(0.01, *(float(np.fmax(found[name].high, found[name].value).max()) for name in found.strategies))
    ax.set_ylim(-BELOW * highest, ABOVE * highest)
    words = f"band: {percent(found.confidence_level)}, {BANDS[band]}" if band != "none" else ""
    notes = "; ".join([*filter(None, [words]), *map(plain, positive_notes([found]))])
    ax.set_xlabel("\n".join(filter(None, ("threshold: treated from this risk on", notes))))
    ax.set_ylabel("net benefit")
    ax.legend(loc="best", fontsize="small")
    return ax

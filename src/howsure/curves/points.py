"""Some points of a curve, with limits at several confidence levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.curves.along import limits_along, roc_limits
from howsure.curves.bands import limits_of_band
from howsure.curves.curves import Curve
from howsure.designs.cell_sums import confusion_from_top
from howsure.tables.scores import ScoresTable as Table


def roc_points(curve: Curve, table: Table, places: Array, levels: Sequence[float]) -> list[Curve]:
    """Return some points of a ROC curve without band, with the pointwise limits at each level.

    Parameters
    ----------
    curve : Curve
        The ROC curve of the table.
    table : ScoresTable
        The table of scores.
    places : ndarray of int
        Positions of the points, ascending.
    levels : sequence of float
        The confidence levels.
    """
    return [
        _chosen(curve, table, places, level, roc_limits(table, curve.x, curve.y, level, places)) for level in levels
    ]


def threshold_points(
    curves: Sequence[Curve], metrics: Sequence[str], table: Table, places: Sequence[Array], levels: Sequence[float]
) -> list[list[Curve]]:
    """Return some points of curves along the thresholds without bands, with the pointwise limits at each level.

    Parameters
    ----------
    curves : sequence of Curve
        Curves of metrics of counts at all thresholds.
    metrics : sequence of str
        The metric of each curve.
    table : ScoresTable
        The table of scores.
    places : sequence of ndarray of int
        Positions of the points of each curve, ascending.
    levels : sequence of float
        The confidence levels.
    """
    cells, every = confusion_from_top(table.counts), np.unique(np.concatenate(places))
    values, own = [curve.y for curve in curves], [np.searchsorted(every, some) for some in places]
    found: list[list[Curve]] = [[] for _ in curves]
    for level in levels:
        limits = limits_along(metrics, table, cells, values, level, every)
        for known, curve, some, inside, (low, high) in zip(found, curves, places, own, limits, strict=True):
            known.append(_chosen(curve, table, some, level, (low[inside], high[inside])))
    return found


def _chosen(curve: Curve, table: Table, places: Array, level: float, limits: tuple[Array, Array]) -> Curve:
    columns = {name: column[places] for name, column in curve.columns.items()}
    band, reason = limits_of_band(table, "pointwise", len(places), {"pointwise": lambda: limits})
    facts: dict[str, Any] = {"confidence_level": level, "band": "pointwise", "reason": reason}
    return replace(curve, columns=columns | band, unpacked=(), **facts)

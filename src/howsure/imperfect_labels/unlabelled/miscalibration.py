"""Sensitivity of a metric to miscalibration of the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, real_number
from howsure.grids import OneRecord
from howsure.metrics.binding import requested, resolve, threshold_for
from howsure.metrics.metric import Metric
from howsure.tables.scores import ScoresTable
from howsure.tables.table import require_table

STEPS = 11  # grid points for shift and for slope; odd, so that the grid contains perfect calibration
MANY = 2**15  # with more distinct scores at a threshold, neighbouring scores are merged
CORNERS = 9  # grid points for the possible true positives, and for the possible false negatives


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Miscalibration(OneRecord):
    """Smallest and largest value of a metric over the allowed miscalibrations; made by `miscalibration`.

    Parameters
    ----------
    metric : str
        Spec string of the metric.
    value : float
        The metric if the scores are calibrated.
    low, high : float
        Smallest and largest value of the metric.
    low_at, high_at : tuple of two float
        The (shift, slope) of the smallest and of the largest value.

    Examples
    --------
    >>> import howsure as hs
    >>> found = hs.shift.miscalibration(hs.calibrated([0.1, 0.35, 0.6, 0.9]), "recall", threshold=0.5, shift=0.4)
    >>> found.low_at, found.high_at
    ((0.4, 1.0), (-0.4, 1.0))
    """

    metric: str
    value: float
    low: float
    high: float
    low_at: tuple[float, float]
    high_at: tuple[float, float]

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f} under the stated miscalibration)"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, with shifts and slopes as separate entries."""
        found = {"metric": self.metric, "value": self.value, "low": self.low, "high": self.high}
        for end, (shift, slope) in (("low", self.low_at), ("high", self.high_at)):
            found |= {f"{end}_at_shift": shift, f"{end}_at_slope": slope}
        return found


def miscalibration(
    table: ScoresTable,
    metric: str | Metric,
    *,
    threshold: float | None = None,
    shift: float = 0.0,
    slope: float = 1.0,
    distance: float = 0.0,
) -> Miscalibration:
    """Return the range of a metric if scores without labels are miscalibrated by up to a given amount.

    Parameters
    ----------
    table : ScoresTable
        Table made by `calibrated` from one score per case.
    metric : str or Metric
        A metric of counts, with a threshold, or of scores.
    threshold : float, optional
        Threshold of the confusion table; the predictions are the same for all miscalibrations.
    shift, slope : float
        The true log odds are ``a + b * logit(score)`` with ``|a| <= shift`` and b between ``1 / slope`` and ``slope``.
        A shift of 0.4 moves a score of 0.5 to between 0.4 and 0.6; a slope of 1.5 makes scores over- or underconfident.
    distance : float
        Largest further error of each true probability, in [0, 1], in the worst direction; needs a threshold.

    Returns
    -------
    Miscalibration
        The metric if the scores are calibrated, and its extremes over the allowed miscalibrations.

    Raises
    ------
    HowsureError
        If the table was not made from scores without labels, or an amount is invalid.

    Notes
    -----
    Shift and slope are searched on a grid of 11 values each, including the ends. With ``distance``, true positives and
    false negatives are in a rectangle whose corners are sums in closed form. A ratio of linear forms has its extremes
    at the corners; other metrics are also evaluated on a grid of the rectangle.

    Examples
    --------
    >>> import howsure as hs
    >>> scores = hs.calibrated([0.1, 0.3, 0.35, 0.6, 0.8, 0.9])
    >>> print(hs.shift.miscalibration(scores, "precision", threshold=0.5, distance=0.05))
    0.767 (0.717 to 0.817 under the stated miscalibration)
    """
    threshold = threshold_for(requested(metric), threshold)
    _checked(table, threshold, shift, slope, distance)
    mass = table.counts.sum(1)
    score = table.counts[:, 1] / mass
    odds = _log_odds(score)
    shifts = np.linspace(-shift, shift, STEPS) if shift else np.zeros(1)
    slopes = np.exp(np.linspace(-np.log(slope), np.log(slope), STEPS)) if slope != 1 else np.ones(1)
    at_threshold = table if threshold is None else table.at(threshold)
    above = None if threshold is None else table.scores >= threshold
    if above is not None and len(score) > MANY:
        mass, score, above = _together(mass, score, above)
        odds = _log_odds(score)
    bound = resolve(metric, at_threshold)
    extremes: list[tuple[float, tuple[float, float]]] = []
    for a in shifts:
        for b in slopes:
            true = score if (a, b) == (0, 1) else 1 / (1 + np.exp(-np.clip(a + b * odds, -700, 700)))
            tables = _of_scores(mass, true) if above is None else _at_threshold(mass, true, above, distance)
            with np.errstate(all="ignore"):
                values = np.asarray(bound(tables), dtype=float).ravel()
            extremes += [(float(value), (float(a), float(b))) for value in values[np.isfinite(values)]]
    value = float(bound(at_threshold.counted))
    low, high = (min(extremes), max(extremes)) if extremes else ((np.nan, (np.nan, np.nan)),) * 2
    return Miscalibration(
        metric=bound.name,
        value=value,
        low=min(low[0], value),
        high=max(high[0], value),
        low_at=low[1],
        high_at=high[1],
    )


def _checked(table: ScoresTable, threshold: float | None, shift: float, slope: float, distance: float) -> None:
    message = "`miscalibration` is of scores without labels, one per case: give `calibrated(y_score)`."
    if not require_table(ScoresTable, table, message).design.traits.assumes_calibrated_scores:
        raise HowsureError(message)
    if threshold is not None:
        real_number("threshold", threshold)
    shift, slope, distance = map(real_number, ("shift", "slope", "distance"), (shift, slope, distance))
    if not (shift >= 0 and slope >= 1 and 0 <= distance <= 1 and np.isfinite(shift + slope)):
        raise HowsureError(
            f"`shift` is at least 0, `slope` at least 1 and `distance` between 0 and 1, not {shift:g}, {slope:g} "
            f"and {distance:g}: they say how far calibration may be off."
        )
    if distance and threshold is None:
        raise HowsureError("`distance` bounds metrics of counts: give a `threshold`, or use `shift` and `slope`.")


def _log_odds(score: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(score) - np.log1p(-score))


def _together(mass: Array, score: Array, above: Array) -> tuple[Array, Array, Array]:
    """Merge nearly equal scores on the same side of the threshold, at their mean."""
    place = 2 * (score * (MANY // 2)).astype(np.intp) + above
    number = np.bincount(place, mass)
    filled = np.flatnonzero(number)
    return number[filled], np.minimum(np.bincount(place, mass * score)[filled] / number[filled], 1.0), filled % 2 == 1


def _of_scores(mass: Array, true: Array) -> Array:
    return np.stack([mass * (1 - true), mass * true], -1)[None]


def _at_threshold(mass: Array, true: Array, above: Array, distance: float) -> Array:
    """Return the possible confusion tables if true probabilities are wrong by up to ``distance``."""
    sides = []
    for side in (above, ~above):
        lowest = float(mass[side] @ np.maximum(true[side] - distance, 0.0))
        highest = float(mass[side] @ np.minimum(true[side] + distance, 1.0))
        sides.append(np.linspace(lowest, highest, CORNERS) if distance else np.array([lowest]))
    hits, misses = (grid.ravel() for grid in np.meshgrid(*sides))
    called, others = float(mass[above].sum()), float(mass[~above].sum())
    return np.stack([np.stack([others - misses, called - hits], -1), np.stack([misses, hits], -1)], -2)

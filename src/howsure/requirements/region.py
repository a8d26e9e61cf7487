"""Result of `joint_region`: two estimates with the boundary of their joint confidence region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError, real_numbers
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.grids import Grid, OneRecord
from howsure.numbers import interval_text, number, percent, significant_decimals

BLOCK = 4_096  # points at once, which bounds the memory
ROUNDING = 1e-9  # distance from the boundary that still counts as inside, relative to the size of the region


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class JointRegion(OneRecord):
    """Joint confidence region of two metrics; made by `joint_region`.

    Parameters
    ----------
    x, y : Estimate
        The metrics, each with its own interval at the confidence level.
    boundary_x, boundary_y : ndarray of shape (P,)
        Points of the boundary, in order, as a polygon without its closing edge; empty if the region is undefined.
    confidence_level : float
        Probability that the region contains both true values.
    method : str
        ``"joint_intervals"`` or ``"profile_likelihood"``.
    correlation : float
        Correlation of the two estimates.
    reason : str
        Why the region is undefined; empty if it is defined.

    Examples
    --------
    >>> import howsure as hs
    >>> region = hs.joint_region(hs.from_counts([[50, 3], [5, 42]]), "recall", "precision")
    >>> print(region.x, region.y, round(region.correlation, 2))
    0.894 [0.780, 0.960] 0.933 [0.829, 0.983] 0.08
    """

    x: Estimate
    y: Estimate
    boundary_x: Array
    boundary_y: Array
    confidence_level: float
    method: str
    correlation: float
    reason: str = ""

    @property
    def x_limits(self) -> Array:
        """Smallest and largest x of the region: a simultaneous interval, wider than that of `x`; nan if undefined."""
        return _ends(self.boundary_x)

    @property
    def y_limits(self) -> Array:
        """Smallest and largest y of the region: a simultaneous interval, wider than that of `y`; nan if undefined."""
        return _ends(self.boundary_y)

    @property
    def area(self) -> float:
        """Area of the region, in the units of both metrics; nan if it is undefined."""
        if self.reason:
            return float("nan")
        x, y = self.boundary_x - self.x.value, self.boundary_y - self.y.value
        return float(abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2)

    def contains(self, point: ArrayLike) -> Any:
        """Return whether the region contains a point, or each of several points.

        Parameters
        ----------
        point : array-like of shape (2,) or (..., 2)
            Values of x and y.

        Returns
        -------
        bool or ndarray of bool of shape (...)

        Raises
        ------
        HowsureError
            If the region is undefined, or a point does not have two numbers.

        Examples
        --------
        >>> import howsure as hs
        >>> region = hs.joint_region(hs.from_counts([[50, 3], [5, 42]]), "recall", "precision")
        >>> region.contains([(0.9, 0.9), (0.7, 0.9)]).tolist()
        [True, False]
        """
        points = real_numbers("point", point)
        if not points.shape or points.shape[-1] != 2:
            raise HowsureError(f"A point is a pair (x, y), not {point!r}.")
        if self.reason:
            raise HowsureError(f"The region is undefined: {self.reason}.")
        found = _within(points.reshape(-1, 2), np.stack([self.boundary_x, self.boundary_y], 1))
        return found.reshape(points.shape[:-1]) if points.ndim > 1 else bool(found[0])

    def sentence(self) -> str:
        """Return the ranges of the region as a sentence.

        Examples
        --------
        >>> import howsure as hs
        >>> print(hs.joint_region(hs.from_counts([[50, 3], [5, 42]]), "recall", "precision").sentence())
        Together with 95 % confidence: recall from 0.747 to 0.971 and precision from 0.797 to 0.989 (joint region).
        """
        if self.reason:
            return f"The joint region of {self.x.label} and {self.y.label} is undefined: {self.reason}."
        parts = []
        for each, (low, high) in ((self.x, self.x_limits.tolist()), (self.y, self.y_limits.tolist())):
            decimals = significant_decimals(low, high)
            parts.append(f"{each.label} from {number(low, decimals)} to {number(high, decimals)}")
        return f"Together with {percent(self.confidence_level)} confidence: {' and '.join(parts)} (joint region)."

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, without the boundary."""
        (x_low, x_high), (y_low, y_high) = self.x_limits.tolist(), self.y_limits.tolist()
        return {
            "x": self.x.label,
            "x_value": self.x.value,
            "x_low": x_low,
            "x_high": x_high,
            "y": self.y.label,
            "y_value": self.y.value,
            "y_low": y_low,
            "y_high": y_high,
            "area": self.area,
            "correlation": self.correlation,
            "confidence_level": self.confidence_level,
            "method": self.method,
            "positive": self.x.positive or self.y.positive,
            "reason": self.reason,
        }

    def grid(self) -> Grid:
        """Return a table of strings with one row per metric: its own interval, and its range within the region."""
        level = percent(self.confidence_level)
        rows = []
        for each, (low, high) in ((self.x, self.x_limits.tolist()), (self.y, self.y_limits.tolist())):
            decimals = significant_decimals(each.low, each.high)
            own, joint = interval_text(each.low, each.high, decimals), interval_text(low, high, decimals)
            rows.append((each.label, number(each.value, decimals), own, joint))
        caption = self.reason or f"area {self.area:.4g}, correlation {number(self.correlation, 2)}; {self.method}"
        caption = "; ".join([caption, *positive_notes([self.x, self.y])])
        return Grid(("metric", "value", f"{level} interval", "range of the joint region"), tuple(rows), caption)


def _ends(values: Array) -> Array:
    return np.array([values.min(), values.max()] if len(values) else [np.nan, np.nan])


def _within(points: Array, corners: Array) -> Array:
    """Return which points are in a polygon or on its boundary: the winding number is not 0 (Hormann, Agathos 2001)."""
    spans = np.ptp(corners, axis=0)
    scale = np.where(spans > 0, spans, 1.0)
    found = np.zeros(len(points), dtype=bool)
    for start in range(0, len(points), BLOCK):
        block = slice(start, start + BLOCK)
        ends = (corners[None] - points[block, None]) / scale
        (x, y), (next_x, next_y) = np.moveaxis(ends, -1, 0), np.moveaxis(np.roll(ends, -1, 1), -1, 0)
        side = x * next_y - y * next_x
        winding = ((y <= 0) & (next_y > 0) & (side > 0)).sum(1) - ((y > 0) & (next_y <= 0) & (side < 0)).sum(1)
        length = np.hypot(next_x - x, next_y - y)
        along = np.clip(-(x * (next_x - x) + y * (next_y - y)) / np.where(length > 0, length**2, 1.0), 0.0, 1.0)
        apart = np.hypot(x + along * (next_x - x), y + along * (next_y - y))
        found[block] = (winding != 0) | (apart <= ROUNDING).any(1)
    return found

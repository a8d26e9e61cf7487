"""Score test and score interval of a mean under empirical likelihood: of values, or of paired differences.

Notation. Unit g (a case or a cluster) has the size m_g (its sum of weights) and the total y_g; there are G units. The
parameter is θ = Y / M, with Y and M the sums of y and m. Each unit has e_g = y_g − θ m_g, whose expectation is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs.base import safe_divide
from howsure.methods.core.standard_errors import normal_quantile, quantile

CLOSE = 1e-12  # relative difference of equal values
PRECISE = 1e-12  # last step to a root, relative
STEPS = 100  # of Newton's method at most; 5 are usual
BELOW_TOP = 1 - 1e-12  # of the largest multiplier, at which a weight would be infinite
REFERENCE = 0.95  # level at which the support makes an interval of normal values as wide as Student's


@final
@dataclass(frozen=True, eq=False)
class Units:
    """Sampled units of a mean.

    Parameters
    ----------
    totals, sizes : ndarray of shape (kinds,)
        The total and the size of each kind of unit.
    number : ndarray of shape (kinds,)
        Number of units of each kind.
    """

    totals: Array
    sizes: Array
    number: Array

    @classmethod
    def of(cls, totals: Array, sizes: Array, number: Array) -> Units:
        """Return units without those of size 0, by ascending mean; units of one size and total are one kind."""
        sized = sizes > 0
        if not sized.all():
            totals, sizes, number = totals[sized], sizes[sized], number[sized]
        if len(sizes) and np.ptp(sizes) <= CLOSE * sizes.max():
            if (totals[1:] > totals[:-1]).all():
                return cls(totals, sizes, number)
            distinct, kind = np.unique(totals, return_inverse=True)
            return cls(distinct, np.full(len(distinct), sizes[0]), np.bincount(kind.ravel(), number, len(distinct)))
        order = np.argsort(totals / sizes, kind="stable")
        return cls(totals[order], sizes[order], number[order])

    def sum(self, values: Array) -> Any:
        """Return the sum of a number over all units, ``(..., kinds)`` → ``(...)``."""
        return values @ self.number

    @cached_property
    def count(self) -> float:
        """G, the number of units."""
        return float(self.number.sum())

    @cached_property
    def size(self) -> float:
        """M, the sum of the sizes."""
        return float(self.sum(self.sizes))

    @cached_property
    def mean(self) -> float:
        """θ at the sample."""
        return float(self.sum(self.totals)) / self.size

    @cached_property
    def values(self) -> Array:
        """The mean of each kind of unit."""
        return np.asarray(self.totals / self.sizes)

    @cached_property
    def typical_size(self) -> float:
        """Size of an unobserved unit: Σ m² / Σ m."""
        return float(self.sum(self.sizes**2)) / self.size

    @cached_property
    def effective(self) -> float:
        """Kish's effective number of units: M² / Σ m²."""
        return self.size / self.typical_size

    @cached_property
    def error(self) -> float:
        """Standard error of θ, by the deviations of the units."""
        squares = float(self.sum(self.standardised(self.mean) ** 2))
        return float(np.sqrt(squares * self.count / max(self.count - 1, 1.0))) / self.effective

    @cached_property
    def tolerance(self) -> float:
        """Largest distance of two equal values."""
        return CLOSE * float(np.abs(self.values).max())

    @property
    def are_of_one_size(self) -> bool:
        """Whether all units have the same size."""
        return bool(np.ptp(self.sizes) <= CLOSE * self.sizes.max())

    @property
    def are_equal(self) -> bool:
        """Whether all units have the same mean."""
        return bool(self.values[-1] - self.values[0] <= self.tolerance)

    def have_one_scale(self, *, is_difference: bool) -> bool:
        """Return whether the values are two, or the differences −d, 0 and d: one sample then shows their scale."""
        if is_difference:
            away = np.abs(self.values)
            return bool(((away <= self.tolerance) | (away >= away.max() - self.tolerance)).all())
        inner = (self.values > self.values[0] + self.tolerance) & (self.values < self.values[-1] - self.tolerance)
        return not inner.any()

    def standardised(self, centre: float) -> Array:
        """Return the deviations of the units from a value, as if of units of the typical size."""
        return np.asarray((self.totals - centre * self.sizes) / self.typical_size)

    def medians(self) -> tuple[float, float]:
        """Return the lower and the upper median of the units' means."""
        upto = np.cumsum(self.number)
        last = len(upto) - 1
        slack = CLOSE * self.count
        low = int(np.searchsorted(upto, self.count / 2 - slack))
        high = int(np.searchsorted(upto, self.count / 2 + slack, side="right"))
        return float(self.values[min(low, last)]), float(self.values[min(high, last)])


def reaches(units: Units) -> tuple[float, float]:
    """Return how far below and above the observed values the support extends, for many units.

    It is the larger of two distances: the root mean square deviation from the median of the units that differ from it;
    and the standard deviation plus the third central moment over the variance, where that points outwards.
    """
    spread = 0.0
    for centre in set(units.medians()):
        away = units.number * (np.abs(units.values - centre) > units.tolerance)
        if away.any():
            spread = max(spread, float(np.sqrt(np.square(units.standardised(centre)) @ away / away.sum())))
    off = units.standardised(units.mean)
    square = off * off
    second, third = float(units.sum(square)) / units.count, float(units.sum(square * off)) / units.count
    tail = third / second if second > units.tolerance**2 else 0.0
    return max(spread, np.sqrt(second) + max(-tail, 0.0)), max(spread, np.sqrt(second) + max(tail, 0.0))


def support_of(units: Units, bounds: tuple[float, float], *, is_difference: bool) -> tuple[float, float]:
    """Return the ends of the support: the values of one unobserved unit of the typical size at either end.

    Parameters
    ----------
    units : Units
        The sample.
    bounds : tuple of float
        Smallest and largest possible value; infinite if unknown.
    is_difference : bool
        Whether values are differences of two models on the same units. Exchanging the models changes all signs, so the
        support ends at the largest observed magnitude in the direction of 0; and in both where that occurs twice.
    """
    off = units.standardised(units.mean)
    low, high = units.mean + off.min(), units.mean + off.max()
    if units.are_equal:
        ends = [-np.inf, np.inf]
    else:
        degrees_of_freedom = max(units.effective - 1, 1.0)
        factor = float(quantile(REFERENCE, degrees_of_freedom) / normal_quantile(REFERENCE)) ** 2
        down, up = reaches(units)
        ends = [low - factor * down, high + factor * up]
        if is_difference:
            magnitude = np.abs(units.totals) / units.typical_size
            largest = float(magnitude.max())
            is_repeated = units.number[magnitude >= largest * (1 - CLOSE)].sum() > 1
            if is_repeated or units.mean > units.tolerance:
                ends[0] = max(ends[0], -largest)
            if is_repeated or units.mean < -units.tolerance:
                ends[1] = min(ends[1], largest)
    return min(max(ends[0], bounds[0]), low), max(min(ends[1], bounds[1]), high)


def score_statistic(units: Units, support: tuple[float, float], null: float) -> float:
    """Return the absolute score statistic |T| of a null value θ.

    The weights q maximise Σ log q_g subject to Σ q_g = 1 and Σ q_g e_g = 0, on the observed units and one unobserved
    unit at each end of the support: q_g = 1 / (G (1 + λ e_g)), with 1 + λ e ≥ 0 at both ends; where that binds, the end
    has the remaining probability. With the variance under the null, V = Σ q_g e_g², the statistic
    T² = (Σ e)² / (G V) simplifies to λ Σ e.

    Parameters
    ----------
    units : Units
        The sample.
    support : tuple of float
        Its ends; see `support_of`.
    null : float
        The hypothetical mean.
    """
    e = units.totals - null * units.sizes
    total = float(units.sum(e))
    if abs(total) <= CLOSE * float(units.sum(np.abs(units.totals) + abs(null) * units.sizes)):
        return 0.0
    away = -np.sign(total) * e  # its sum is negative, so that q grows with it
    end = units.typical_size * (support[1] - null if total < 0 else null - support[0])
    furthest = max(end, float(away.max()))
    if furthest <= 0:
        return np.inf  # the null is outside the support

    def excess(multiplier: Array) -> tuple[Array, Array]:
        """Return G (Σ q_g − 1) on the observed units, and its derivative."""
        ratio = 1 / (1 - multiplier[..., None] * away)
        return multiplier * units.sum(away * ratio), units.sum(away * ratio * ratio)

    found = _convex_root(excess, np.array(2 * abs(total) / units.sum(e * e)), np.array(1 / furthest))
    return float(np.sqrt(abs(total) * found))


def score_limits(units: Units, support: tuple[float, float], z: float) -> tuple[float, float]:
    """Return the means whose score statistic is z, below and above the sample's.

    At a limit λ = z² / Σ e is known, so that each limit is one root of Σ 1 / (1 + λ e_g) = G. It lies at least as far
    out as the mean of the sample with z² more units at the end u of the support, (Y + z² m u) / (M + z² m).

    Parameters
    ----------
    units : Units
        The sample.
    support : tuple of float
        Its ends; see `support_of`.
    z : float
        Positive and finite.
    """
    size, sizes, square = units.typical_size, units.sizes, z * z
    e = units.totals - units.mean * sizes
    outwards, share = np.stack([-e, e]), square / units.size
    ends = np.array([units.mean - support[0], support[1] - units.mean])
    seen = (share * outwards / (1 + share * sizes)).max(1)
    furthest = np.maximum(seen, share * size * ends / (1 + share * size))

    def excess(inverse: Array) -> tuple[Array, Array]:
        """Return Σ 1 / (1 + λ e_g) − G at a limit whose distance from the mean has this inverse; its derivative."""
        rest = sizes - outwards * inverse[..., None]
        ratio = 1 / (1 + share * rest)
        return -share * units.sum(rest * ratio), share * units.sum(outwards * ratio * ratio)

    variance = float(units.sum(e * e)) / units.size**2
    top = safe_divide(np.ones(2), furthest)
    start = np.full(2, 1 / np.sqrt(square * variance)) if variance > 0 else top
    distance = np.where(furthest > 0, safe_divide(np.ones(2), _convex_root(excess, start, top)), 0.0)
    return units.mean - float(distance[0]), units.mean + float(distance[1])


def _convex_root(function: Callable[[Array], tuple[Array, Array]], start: Array, top: Array) -> Array:
    """Return the roots of convex functions that are negative below them, by Newton's method; elementwise.

    From above a root the steps fall to it and never pass it; from below one step leads above, or towards the top.

    Parameters
    ----------
    function : callable
        ndarray of shape (...) → the values and the derivatives of these shapes.
    start : ndarray of shape (...)
        Where to start.
    top : ndarray of shape (...)
        The end of the search, which is returned where the function is not positive there.
    """
    with np.errstate(all="ignore"):
        highest = top * BELOW_TOP
        binds = ~(function(highest)[0] > 0)
        point = np.where(binds, top, np.minimum(start, (start + highest) / 2))
        point = np.where(point < highest, point, highest / 2)
        for _ in range(STEPS):
            value, slope = function(point)
            step = point - value / slope
            step = np.where((slope > 0) & (step < highest), step, (point + highest) / 2)
            is_close = np.abs(step - point) <= PRECISE * point
            point = step
            if (binds | is_close).all():
                break
    return np.where(binds, top, point)

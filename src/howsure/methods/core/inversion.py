"""Tests by interval inversion: p is 1 minus the confidence level at which a limit equals the null value."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.methods.core.standard_errors import tail_beyond
from howsure.methods.numerics.bisection import root
from howsure.methods.numerics.confidence_levels import Level, Levels, share_beyond

Limits = Callable[[float], tuple[float, float]]
LimitsOfEach = Callable[[Levels], tuple[Any, Any]]
SMALLEST_Z = 1e-6  # below it some quantiles round to nothing (Student's t with 4 degrees of freedom)
KNOWN = 0.5  # level at which there are limits, where there are any
LARGEST_Z = 30.0  # tail probability 1e-197; quantiles of Student's t cannot be computed beyond it
FARTHEST = 1e150  # quantile whose square is a float
REACHES = (2.0, 4.0, 8.0, 16.0, LARGEST_Z)  # looked at in turn: the way to a far limit is long


def p_value(limits: Limits, value: float, null: float) -> float:
    """Return the two-sided p-value of a hypothesis: 1 minus the level at which a limit of the interval equals it.

    Parameters
    ----------
    limits
        The interval's limits as a function of its level.
    value, null
        The observed value and the hypothetical one.
    """

    def of_one(levels: Levels) -> tuple[Array, Array]:
        low, high = limits(Level(float(levels.tail)))
        return np.asarray(low), np.asarray(high)

    return float(p_values(of_one, np.asarray(value), null))


def p_values(limits: LimitsOfEach, value: Array, null: float) -> Array:
    """Return the two-sided p-value of a hypothesis on each table of a batch: see `p_value`.

    Parameters
    ----------
    limits
        The limits of each table's interval as a function of their levels.
    value : ndarray of the shape of the batch
        The observed values.
    null : float
        The hypothetical one.
    """
    shape, beyond = value.shape, np.abs(value - null) > 0
    sign = np.where(value > null, 1.0, -1.0)

    def gap(z: Array) -> Array:
        """Return the distance of the hypothesis outside the interval; negative inside, and if a limit equals it."""
        tail = share_beyond(z)
        low, high = limits(Levels(tail))
        found = sign * (np.asarray(np.where(value > null, low, high)) - null)
        # An interval too narrow for a float, or so wide that nothing is known of it.
        unknown = np.where((tail > 1 - KNOWN) & beyond, 1.0, -1.0)
        return np.asarray(np.where(np.isnan(found), unknown, np.where(found == 0, -1.0, found)))

    low, high = limits(Levels(np.full(shape, 1 - KNOWN)))
    defined = ~(np.isnan(value) | np.isnan(low) | np.isnan(high))
    near: Array = np.full(shape, SMALLEST_Z)
    far = near
    outside = gap(far) > 0
    for reach in REACHES:
        if not (outside & defined).any():
            break
        near, far = np.where(outside, far, near), np.where(outside, reach, far)
        outside = outside & (gap(far) > 0)
    found = share_beyond(root(gap, near, far, relative=1e-10, tiniest=1e-3))
    found = np.where(far == SMALLEST_Z, 1.0, found)
    return np.where(defined, found, np.nan)


def p_values_at(quantiles: Array, degrees_of_freedom: object) -> Array:
    """Return the two-sided p-values for limits that equal the null value at given quantiles of Student's t.

    The smallest p-value, and the one next to 1, are those of an inversion.

    Parameters
    ----------
    quantiles : ndarray of the shape of the batch
        The quantiles; 0 or less if the interval contains the null value at every level.
    degrees_of_freedom : float or ndarray of the shape of the batch
        Infinite for normal quantiles.
    """
    tail = tail_beyond(np.clip(quantiles, 0.0, FARTHEST), degrees_of_freedom)
    found = np.maximum(tail, share_beyond(LARGEST_Z))
    return np.where(found < share_beyond(SMALLEST_Z), found, 1.0)


def resolved(limits: Limits, draws: int) -> Limits:
    """Return the limits at the levels that a number of draws resolves: both tails together contain at least one draw.

    The smallest p-value of a bootstrap is then ``2 / (draws + 1)``, as for counting the draws beyond the hypothesis.
    """
    highest = 1 - 2 / (draws + 1)
    return lambda level: limits(level) if level <= highest else (-math.inf, math.inf)

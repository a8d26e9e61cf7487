"""Tests by inverting intervals: p is 1 minus the confidence level at which the interval just touches the null value."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from howsure.methods.halving import edge
from howsure.methods.levels import Level

Limits = Callable[[float], tuple[float, float]]
SMALLEST_Z = 1e-6  # below it some quantiles round to nothing (Student's t with 4 degrees of freedom)
KNOWN = 0.5  # level at which there are limits, where there are any
LARGEST_Z = 30.0  # beyond it what a level leaves, 1e-197, is too little for quantiles of Student's t


def p_value(limits: Limits, value: float, null: float) -> float:
    """Return the two-sided p-value of a hypothesis: 1 minus the level at which the interval just touches it.

    Parameters
    ----------
    limits
        The interval's limits as a function of its level.
    value, null
        The observed value and the hypothetical one.
    """
    low, high = limits(KNOWN)
    if math.isnan(value) or math.isnan(low) or math.isnan(high):
        return math.nan
    end = 0 if value > null else 1
    sign = 1.0 if value > null else -1.0

    def excludes(z: Any) -> Any:
        level = Level(math.erfc(z / math.sqrt(2)))
        limit = limits(level)[end]
        if math.isnan(limit):  # an interval too narrow for a float, or so wide that nothing is known of it
            return level < KNOWN and sign * (value - null) > 0
        return sign * (limit - null) > 0

    if not excludes(SMALLEST_Z):
        return 1.0
    if excludes(LARGEST_Z):
        return math.erfc(LARGEST_Z / math.sqrt(2))
    return math.erfc(float(edge(excludes, SMALLEST_Z, LARGEST_Z, relative=1e-10, tiniest=1e-3)) / math.sqrt(2))


def resolved(limits: Limits, draws: int) -> Limits:
    """Return the limits that this many draws tell: none at levels whose tails hold less than one draw in all.

    The smallest p-value of a bootstrap is then ``2 / (draws + 1)``, as that of counting draws beyond the hypothesis.
    """
    highest = 1 - 2 / (draws + 1)
    return lambda level: limits(level) if level <= highest else (-math.inf, math.inf)

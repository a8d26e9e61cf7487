"""Features of a score's logit: a straight line, or a restricted cubic spline (Harrell 2015, section 2.4.5)."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array

KNOTS = 4  # by default
QUANTILES = {  # of the logits, for the knots (Harrell 2015, table 2.3)
    3: (0.1, 0.5, 0.9),
    4: (0.05, 0.35, 0.65, 0.95),
    5: (0.05, 0.275, 0.5, 0.725, 0.95),
}
ROUNDING = 1e-12


def knots_of(logits: Array, mass: Array, number: int) -> Array:
    """Return the distinct knots: the smallest logits with at least these proportions of the cases at or below."""
    reached = np.cumsum(mass) / mass.sum()
    return np.unique(logits[np.searchsorted(reached, np.array(QUANTILES[number]) - ROUNDING)])


def spline(logits: Array, knots: Array | None = None) -> Array:
    """Return the logit, the terms of the restricted cubic spline, and 1."""
    columns = [logits]
    if knots is not None:
        last, before = knots[-1], knots[-2]

        def cubed(knot: float) -> Array:
            return np.maximum(logits - knot, 0.0) ** 3

        for knot in knots[:-2]:
            tail = (last - knot) * cubed(before) - (before - knot) * cubed(last)
            columns.append((cubed(knot) - tail / (last - before)) / (last - knots[0]) ** 2)
    return np.column_stack([*columns, np.ones(len(logits))])

"""Elementwise search for the place where a condition ends or a continuous function falls to zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.arrays import Array

HALVINGS = 200  # at most; far fewer suffice but near zero
TINIEST = 2.0**-1000  # smaller numbers are treated as equal
PRECISION = 2.0**-53  # of a float
NARROWEST = 2.0**-50  # relative width of a bracket that still can be divided


def edge(
    holds: Callable[[Array], Array], near: object, far: Any, *, relative: float = PRECISION, tiniest: float = TINIEST
) -> Array:
    """Return where a condition that holds at ``near`` stops holding on the way to ``far``; elementwise.

    Parameters
    ----------
    holds : callable
        ndarray of shape (...) → ndarray of bool of shape (...).
    near, far : float or ndarray of shape (...)
        Ends of the search. Where the condition holds at ``far`` too, that is returned.
    relative : float
        Width at which the search ends, relative to the value.
    tiniest : float
        Values below it count as this large.

    Examples
    --------
    >>> edge(lambda x: x**2 < np.array([4.0, 9.0, 200.0]), 0.0, 10.0)
    array([ 2.,  3., 10.])
    """
    inside, outside = (np.asarray(each, dtype=float) for each in (near, far))
    whole = holds(outside)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        within = holds(middle)
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
        largest = np.maximum(np.maximum(np.abs(inside), np.abs(outside)), tiniest)
        if not (np.abs(outside - inside) > relative * largest).any():
            break
    return np.asarray(np.where(whole, far, (inside + outside) / 2))


def root(
    function: Callable[[Array], Array], near: object, far: Any, *, relative: float = NARROWEST, tiniest: float = TINIEST
) -> Array:
    """Return where a continuous function, positive at ``near``, falls to zero on the way to ``far``; elementwise.

    Inverse quadratic interpolation if three points are suitable, otherwise bisection; nan counts as negative.
    Source: Chandrupatla (1997), Advances in Engineering Software 28, 145.

    Parameters
    ----------
    function : callable
        ndarray of shape (...) → ndarray of float of shape (...).
    near, far : float or ndarray of shape (...)
        Ends of the search. Where the function is not negative at ``far``, that is returned.
    relative : float
        Width at which the search ends, relative to the value.
    tiniest : float
        Values below it count as this large.

    Examples
    --------
    >>> root(lambda x: np.array([4.0, 9.0, 200.0]) - x**2, 0.0, 10.0).round(12)
    array([ 2.,  3., 10.])
    """
    with np.errstate(all="ignore"):
        start, end = function(np.asarray(near, dtype=float)), function(np.asarray(far, dtype=float))
        whole = end >= 0
        here, other = np.broadcast_arrays(np.asarray(far, dtype=float), np.asarray(near, dtype=float))
        at_here, at_other = np.where(end < 0, end, -np.inf), np.where(start > 0, start, np.inf)
        step: Any = 0.5
        for _ in range(HALVINGS):
            point = here + step * (other - here)
            value = function(point)
            value = np.where(np.isnan(value), -np.inf, value)
            same = (value > 0) == (at_here > 0)
            third, at_third = np.where(same, here, other), np.where(same, at_here, at_other)
            other, at_other = np.where(same, other, here), np.where(same, at_other, at_here)
            here, at_here = point, value
            other = np.where(value == 0, here, other)
            width = np.abs(other - here)
            enough = relative * np.maximum(np.maximum(np.abs(here), np.abs(other)), tiniest)
            if not (width > enough).any():
                break
            least = np.minimum(enough / (2 * width), 0.5)
            step = np.clip(_interpolated((here, other, third), (at_here, at_other, at_third)), least, 1 - least)
        best = np.where(np.abs(at_here) < np.abs(at_other), here, other)
    return np.asarray(np.where(whole, far, best))


def _interpolated(points: tuple[Array, Array, Array], values: tuple[Array, Array, Array]) -> Array:
    """Return how far on the way from the first point to the second the parabola through all three is zero, or half."""
    (a, b, c), (at_a, at_b, at_c) = points, values
    along, up = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
    smooth = (up**2 < along) & ((1 - up) ** 2 < 1 - along)
    zero = at_a / (at_b - at_a) * at_c / (at_b - at_c) + (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
    return np.where(smooth, zero, 0.5)

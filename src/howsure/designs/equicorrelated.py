"""Small-sample correction of the variance between clusters whose cases are equally correlated."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import RELATIVE_TOLERANCE, safe_divide

LEAST = 4.0  # smallest degrees of freedom for which the approximation is reliable (Tipton 2015)


def correction(
    powers: tuple[Array, Array, Array, Array], one_case: Array, effect: Array, number: Any, most: Any
) -> tuple[Any, Any]:
    """Return the inflation factor of the variance, and Satterthwaite's degrees of freedom.

    Both assume that any two cases of a cluster have the same correlation (Imbens and Kolesár 2016), estimated from the
    variance by moments. Clusters of equal size give a factor of 1 and their number minus 1. A giant cluster pulls the
    average towards itself: its deviation is too small, although it carries most of the information on the variance.

    Parameters
    ----------
    powers : tuple of four ndarray of shape (...)
        Sums over clusters of h², h³, h⁴ and h⁵, where h is a cluster's fraction of the cases in the linear form.
    one_case : ndarray of shape (...)
        Fraction of a single case.
    effect : ndarray of shape (...)
        The design effect.
    number : int or ndarray of shape (...)
        Number of clusters.
    most : float or ndarray of shape (...)
        Largest degrees of freedom.
    """
    h2, h3, h4, h5 = powers
    # Expected variance estimate for independent cases, and for clusters whose cases all agree.
    within, between = one_case * (1 - h2), h2 - 2 * h3 + h2**2
    correlated = np.clip(safe_divide(effect * one_case - within, between - within), 0.0, 1.0)
    a, b = one_case * (1 - correlated), correlated  # the variance of a cluster is a h + b h²
    whole, first, second = a + b * h2, a * h2 + b * h3, a * h3 + b * h4
    square, cube = a**2 * h2 + 2 * a * b * h3 + b**2 * h4, a**2 * h3 + 2 * a * b * h4 + b**2 * h5
    trace = whole - 2 * first + h2 * whole
    spread = square * (1 + 2 * h2) - 4 * cube + (h2 * whole) ** 2 + 2 * whole * second + 2 * first**2
    spread -= 4 * h2 * whole * first
    is_estimated = trace > RELATIVE_TOLERANCE * whole
    degrees_of_freedom = np.minimum(np.maximum(safe_divide(trace**2, spread), LEAST), most)
    inflation = np.maximum(safe_divide(whole, trace) * safe_divide(number - 1.0, number), 1.0)
    return np.where(is_estimated, inflation, 1.0), np.where(is_estimated, degrees_of_freedom, most)

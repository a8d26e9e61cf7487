"""One quantile of Student's t, for one interval: SciPy takes a hundred times as long to import as this to find it."""

from __future__ import annotations

import math
from statistics import NormalDist

FEWEST = 2.0  # degrees of freedom; of fewer Newton's steps are many
MANY = 100.0  # for each of the square of the normal quantile, or of 4: of more the expansion is exact to 1e-13
LEAST_TAIL = 1e-9  # of smaller ones the steps are many too
ENOUGH = 1e-15  # relative change at which fractions end
LARGE_HALF = 50.0  # from here on the series is exact to rounding, and a difference of logarithms is not
CLOSE = 1e-8  # relative step that leaves an error of its square


def is_ordinary(tail: float, degrees_of_freedom: float) -> bool:
    """Return whether `upper_quantile` finds the quantile in a few steps."""
    return LEAST_TAIL <= tail < 0.5 and FEWEST <= degrees_of_freedom < math.inf


def upper_quantile(tail: float, degrees_of_freedom: float) -> float:
    """Return the t that is exceeded with a probability, by Newton's steps from Cornish and Fisher's expansion.

    The probability is convex in t, so that steps from below never pass the root, and a step from above leads below it.

    Parameters
    ----------
    tail : float
        The probability.
    degrees_of_freedom : float
        Degrees of freedom; see `is_ordinary`.

    Examples
    --------
    >>> round(upper_quantile(0.025, 10), 4)  # as in any table
    2.2281
    """
    z = -NormalDist().inv_cdf(tail)
    if degrees_of_freedom > MANY * max(z * z, 4.0):
        return _expanded(z, degrees_of_freedom)
    half = degrees_of_freedom / 2
    logarithm = _log_density(half)
    t = z + (z**3 + z) / (8 * half) + (5 * z**5 + 16 * z**3 + 3 * z) / (384 * half**2)  # Abramowitz and Stegun 26.7.5
    while True:
        density = math.exp(logarithm - (half + 0.5) * math.log1p(t * t / (2 * half)))
        step = (_exceeded(t, half, density) - tail) / density
        t += step
        if abs(step) <= CLOSE * t:
            return t


def share_beyond(t: float, degrees_of_freedom: float) -> float:
    """Return the probability that Student's t is at least as far from 0 as a positive t.

    Examples
    --------
    >>> round(share_beyond(2.2281, 10), 4)  # the inverse of `upper_quantile`
    0.05
    """
    half = degrees_of_freedom / 2
    density = math.exp(_log_density(half) - (half + 0.5) * math.log1p(t * t / (2 * half)))
    return 2 * _exceeded(t, half, density)


def _log_density(half: float) -> float:
    """Return the logarithm of the density at 0, for twice as many degrees of freedom (series: DLMF 5.11.13)."""
    if half < LARGE_HALF:
        return math.lgamma(half + 0.5) - math.lgamma(half) - math.log(2 * math.pi * half) / 2
    square = half * half
    return -(1 / 8 - (1 / 192 - (1 / 640 - 17 / 14336 / square) / square) / square) / half - math.log(2 * math.pi) / 2


def _expanded(z: float, number: float) -> float:
    """Return the quantile from that of the normal distribution, for many degrees of freedom, with two terms more."""
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * number**3)
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * number**4)
    return z + (z**3 + z) / (4 * number) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * number**2) + third + fourth


def _exceeded(t: float, half: float, density: float) -> float:
    """Return P(T > t), half an incomplete beta function, by its continued fraction (Lentz; DLMF 8.17.22)."""
    share = t * t / (2 * half + t * t)
    power = density * t / 2  # x**a (1 - x)**b / B(a, b), halved
    if share * (half + 2.5) < 1.5:
        return 0.5 - 2 * power * _fraction(0.5, half, share)
    return power * _fraction(half, 0.5, 1 - share) / half


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's algorithm."""
    top, bottom = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value, k, change = bottom, 0, 0.0
    while abs(change - 1) > ENOUGH:
        k += 1
        change = 1.0
        for term in (
            k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)),
            -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1)),
        ):
            top, bottom = 1 + term / top, 1 / (1 + term * bottom)
            change *= top * bottom
        value *= change
    return value

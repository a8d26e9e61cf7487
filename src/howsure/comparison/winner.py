"""The winner's value without the luck that made it win: conditional inference, held within a simultaneous interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.comparison.rank_sets import Estimated
from howsure.designs.base import quotient
from howsure.methods.halving import root

Array = NDArray[Any]
SHARE = 0.1  # of the error probability that the simultaneous interval takes


def corrected(given: Estimated, deviations: Array, level: float) -> tuple[float, float, float]:
    """Return the winner's value and limits, given that it won: by how many standard errors they are above its estimate.

    Given that it is the largest, and what the others differ from it by, the winner's estimate is a truncated normal.
    The value is the mean at which the observed one is its median; the limits leave equal tails. Both stay in an
    interval that holds whichever model wins, so that a narrow win does not push them far away.

    Parameters
    ----------
    given : Estimated
        The estimates.
    deviations : ndarray of shape (P, draws)
        Draws of their errors.
    level : float
        Coverage of the limits.

    Returns
    -------
    value, low, high : float
        In standard errors of the winner's estimate; nan where this does not vary.

    Notes
    -----
    Estimates go in steps, and of those equal to the winner's half would have won: a tie counts as a quarter of a step
    ahead, a step being what one case changes.

    References
    ----------
    Andrews, Kitagawa, McCloskey (2024), Quarterly Journal of Economics 139:305–358.

    Examples
    --------
    >>> values, covariance = np.array([2.0, -9.0]), np.eye(2)
    >>> alone = Estimated(values, covariance, np.full((2, 2), np.inf))
    >>> found = corrected(alone, alone.deviations(np.random.default_rng(0)), 0.95)
    >>> [round(each, 1) for each in found]
    [0.0, -2.0, 2.0]
    """
    first = int(np.argmax(given.values))
    own = given.covariance[first]
    error = math.sqrt(max(own[first], 0.0))
    if not error > 0:
        return math.nan, math.nan, math.nan
    others = np.arange(len(own)) != first
    step = given.spread[first] / np.sqrt(given.cases[first])
    ahead = given.differences[first]
    lead = np.where(ahead > 0, ahead, step / 4)[others]
    slope = 1 - own[others] / own[first]  # of the lead, by the winner's own estimate
    reach = quotient(lead, np.abs(slope))
    lowest = -float(np.min(reach[slope > 0], initial=np.inf)) / error
    highest = float(np.min(reach[slope < 0], initial=np.inf)) / error
    tail = 1 - level
    far = np.max(np.abs(deviations) * quotient(np.ones(len(own)), np.sqrt(np.diag(given.covariance)))[:, None], 0)
    most = float(np.quantile(far, 1 - SHARE * tail))
    left = (tail - SHARE * tail) / (1 - SHARE * tail) / 2
    wanted = np.array([0.5, 1 - left, left])

    def short(mean: Array) -> Array:
        """Return by how much the chance to be below the observed value is beyond the wanted one, at a mean."""
        return np.asarray(
            _share_below(mean, np.maximum(lowest, mean - most), np.minimum(highest, mean + most)) - wanted
        )

    found = root(short, np.full(3, -most), np.full(3, most))
    return float(found[0]), float(found[1]), float(found[2])


def _share_below(mean: Array, low: Array, high: Array) -> Array:
    """Return the chance of a normal variable about the mean to be below 0, given that it is between two ends."""
    from scipy.special import log_ndtr

    def between(start: Array, end: Array) -> Array:
        """Return the logarithm of the probability of an interval, computed in the tail that it lies in."""
        flip = start + end > 0
        start, end = np.where(flip, -end, start), np.where(flip, -start, end)
        upper = log_ndtr(end)
        return np.asarray(upper + np.log1p(-np.exp(np.minimum(log_ndtr(start) - upper, 0.0))))

    with np.errstate(all="ignore"):
        share = np.exp(between(low - mean, -mean) - between(low - mean, high - mean))
    return np.where(low >= 0, 0.0, np.where(high <= 0, 1.0, share))

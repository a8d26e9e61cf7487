"""The winner's estimate, corrected for selection: the largest of several estimates is too large on average."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.comparison.rank_sets import Estimated
from howsure.designs.base import safe_divide

CLOSER = (0.0, 1.0, 2.0)  # standard errors by which the models may be closer together than they seem


@dataclass(frozen=True, slots=True)
class SelectionError:
    """The error of an estimate that was selected for being the largest, in its standard errors.

    Parameters
    ----------
    median : float
        The median error; 0 for a clear winner.
    largest : float
        The error that is exceeded with half the probability that the level leaves.
    """

    median: float
    largest: float


def selection_error(estimated: Estimated, deviations: Array, level: float) -> SelectionError | None:
    """Return the distribution of the winner's error; None where its estimate does not vary.

    The error depends on the true distances of the models from the best. These are estimated by the observed distances
    d with d − s² / d in the place of d (at least 0; s is the standard error of d), which gives the median. The largest
    error is the maximum over distances that are 0, 1 and 2 standard errors smaller than observed: the closer the other
    models, the larger is the error of the first.

    Parameters
    ----------
    estimated : Estimated
        The estimates.
    deviations : ndarray of shape (P, draws)
        Draws of their errors.
    level : float
        Confidence level of the two-sided interval.

    References
    ----------
    Andrews, Kitagawa, McCloskey (2024), Quarterly Journal of Economics 139:305–358; Zrnic, Fithian (2024), A flexible
    defense against the winner's curse (arXiv).

    Examples
    --------
    >>> values, covariance = np.array([2.0, -9.0]), np.eye(2)
    >>> alone = Estimated(values, covariance, np.full((2, 2), np.inf))
    >>> found = selection_error(alone, alone.deviations(np.random.default_rng(0)), 0.95)
    >>> round(abs(found.median), 1), round(found.largest, 1)
    (0.0, 2.0)
    """
    first = int(np.argmax(estimated.values))
    errors = np.sqrt(np.maximum(np.diag(estimated.covariance), 0.0))
    if not (errors[first] > 0 and np.isfinite(estimated.covariance).all()):
        return None
    distance, spread = estimated.differences[first], estimated.spread[first]
    shrunk = np.maximum(distance - safe_divide(spread**2, distance), 0.0)
    median = float(np.median(_errors_of_the_first(shrunk, deviations, errors)))
    place = (1 + level) / 2
    largest = [
        np.quantile(_errors_of_the_first(np.maximum(distance - closer * spread, 0.0), deviations, errors), place)
        for closer in CLOSER
    ]
    return SelectionError(max(median, 0.0), float(max(largest)))


def _errors_of_the_first(distance: Array, deviations: Array, errors: Array) -> Array:
    """Return the error of the model that comes first in each draw, in its standard errors."""
    first = (deviations - distance[:, None].astype(deviations.dtype)).argmax(0)
    return safe_divide(deviations[first, np.arange(deviations.shape[1])], errors[first])


def level_of(largest: float, level: float) -> float:
    """Return the level of an interval that reaches as many standard errors as an error, at least the given one."""
    return max(level, math.erf(largest / math.sqrt(2)))

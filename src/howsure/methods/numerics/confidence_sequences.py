"""Bounds that are valid at every look: mixtures over the distance of the hypothetical value from the true one.

Each bound excludes the values for which a mixture of likelihood ratios, or its normal approximation, is too large. If
the value is true, such a mixture has expectation 1. The probability that it ever reaches ``1 / α``, at any of
arbitrarily many looks, is at most ``α`` (Ville 1939). Below, ``ρ²`` is the variance of the mixture relative to the
variance of one case.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.designs.base import safe_divide
from howsure.methods.numerics.bisection import root

TUNED = 0.05  # the error at which the mixture is best after `n_optimal` cases
BEST = 8.211968062068253  # ρ² n there: x - log(1 + x) = 2 log(1 / TUNED)
FARTHEST = 30.0  # largest half width, in standard errors
STAKE = 3.0  # best stake for a value at this distance, in standard errors
STAKE_OF_PAIRS = 6.0  # on the difference of two models, which agree on most cases: half of an outcome's range varies


def mixture_variance(n_optimal: float) -> float:
    """Return the variance ρ² of the mixture with the narrowest interval after n_optimal cases.

    The half width ``sqrt((1 + 1/x) (log(1 + x) + 2 log(1/α)))`` with ``x = ρ² n`` is smallest at the x that solves
    ``x - log(1 + x) = 2 log(1/α)``.
    """
    return BEST / n_optimal


def reach(cases: ArrayLike, tail: float, n_optimal: float) -> Array:
    """Return the half width, in standard errors, of a normal-mixture interval that is valid at every look.

    ``sqrt((1 + 1/x) (log(1 + x) - 2 log(tail)))`` with ``x = ρ² n``.
    Source: Robbins (1970), Annals of Mathematical Statistics 41, 1397; Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
    (2024), Annals of Statistics 52, 2613, equation 2.

    Parameters
    ----------
    cases : array-like
        Number of cases at each look.
    tail : float
        1 minus the level.
    n_optimal : float
        Number of cases after which the half width is smallest.

    Examples
    --------
    >>> reach([50, 500, 5000], 0.05, 500).round(2).tolist()
    [3.82, 3.04, 3.25]
    """
    x = mixture_variance(n_optimal) * np.asarray(cases, dtype=float)
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(np.minimum(np.sqrt((1 + 1 / x) * (np.log1p(x) - 2 * np.log(tail))), FARTHEST))


def beta_binomial(successes: ArrayLike, trials: ArrayLike, tail: float, n_optimal: float) -> tuple[Array, Array]:
    """Return the limits of a proportion that are valid at every look: exact for every proportion.

    Let the mixture be the probability of the outcomes in their order if the true proportion is drawn from
    ``Beta(r p, r (1 - p))``. The interval contains the p for which the mixture is less than ``1 / tail`` times the
    probability at p itself. The variance of that distribution is that of the normal mixture,
    ``p (1 - p) / (r + 1) = ρ² p (1 - p)``. The log ratio of the two is convex in p, as it is a sum of
    ``log(r + i/p)`` and ``log(r + i/(1 - p))``.
    Source: Howard, Ramdas, McAuliffe and Sekhon (2021), Annals of Statistics 49, 1055, section 3.1.

    Parameters
    ----------
    successes, trials : array-like
        Counts.
    tail : float
        1 minus the level.
    n_optimal : float
        Number of trials after which the interval is narrowest.

    Examples
    --------
    >>> low, high = beta_binomial(81, 263, 0.05, 500)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2254, 0.399)
    """
    x, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(trials, dtype=float))
    return _least_share(x, n - x, tail, n_optimal), 1 - _least_share(n - x, x, tail, n_optimal)


def _least_share(successes: Array, failures: Array, tail: float, n_optimal: float) -> Array:
    """Return the smallest proportion that the mixture does not exclude."""
    observed = safe_divide(successes, successes + failures)

    def spare(share: Array) -> Array:
        return np.asarray(-np.log(tail) - log_beta_binomial(successes, failures, share, n_optimal))

    return np.where(successes > 0, root(spare, observed, np.zeros(observed.shape)), 0.0)


def log_beta_binomial(successes: Array, failures: Array, share: Array, n_optimal: float) -> Array:
    """Return the log of the mixture of likelihood ratios against a proportion, which is an e-value."""
    from scipy.special import gammaln, xlogy

    mass = 1 / mixture_variance(n_optimal) - 1

    def ahead(number: Array, part: Array) -> Array:
        start = mass * part
        return np.asarray(np.where(number > 0, gammaln(start + number) - gammaln(start) - xlogy(number, part), 0.0))

    with np.errstate(all="ignore"):
        total = gammaln(mass) - gammaln(mass + successes + failures)
        return np.asarray(ahead(successes, share) + ahead(failures, 1 - share) + total)


def stakes(n_optimal: float, winning: float = STAKE) -> tuple[Array, Array]:
    """Return bets that are fixed in advance, as fractions of the largest one, and the fraction of capital on each.

    Powers of two times the stake that wins most after `n_optimal` cases, ``winning / sqrt(n_optimal)``, whose parts
    fall with the square of their distance from it: as they never end, the limits close in on the mean however long
    one looks.
    """
    octaves = np.arange(-30.0, 31.0)
    parts = (1 + np.abs(octaves)) ** -2.0
    bets = winning * n_optimal**-0.5 * 2.0**octaves
    possible = bets <= 1
    return bets[possible], parts[possible] / parts[possible].sum()


def normal_mixture(quantile: float, cases: float, n_optimal: float) -> float:
    """Return the mixture of normal likelihood ratios against a value at a distance in standard errors: an e-value.

    ``exp(z² x / (2 (1 + x))) / sqrt(1 + x)`` with ``x = ρ² n``: 1 / α where z is the reach at level 1 - α.

    Examples
    --------
    >>> round(normal_mixture(float(reach(500, 0.05, 500)), 500, 500), 9)
    20.0
    """
    x = mixture_variance(n_optimal) * cases
    with np.errstate(over="ignore"):
        return float(np.exp(quantile**2 * x / (2 * (1 + x))) / np.sqrt(1 + x))

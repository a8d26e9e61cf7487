"""Logistic regression on a few features of a score: fit by Newton's method, and posterior draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
MOST_STEPS = 200
FREEDOM = 4.0  # of the multivariate t from which coefficients are proposed
PROPOSALS = 10  # for each draw that is kept
ROUNDS = 3  # of proposals, each shaped after the one before
BLOCK = 2**21  # probabilities held at once


def probability(logits: Array) -> Array:
    """Return the logistic function."""
    from scipy import special

    return np.asarray(special.expit(logits))


def log_likelihood(coefficients: Array, features: Array, weights: Array) -> Array:
    """Return the log-likelihood of coefficients ``(..., k)``; weights of the negative and positive cases ``(S, 2)``."""
    logits = coefficients @ features.T
    # log(1 + exp(x)), the one transcendental function that it needs
    softplus = np.logaddexp(0.0, logits)
    return np.asarray(logits @ weights[:, 1] - softplus @ weights.sum(1))


def information(coefficients: Array, features: Array, weights: Array) -> Array:
    """Return Fisher's information, ``(k, k)``."""
    share = probability(features @ coefficients)
    return np.asarray((features.T * (weights.sum(1) * share * (1 - share))) @ features)


def fitted(features: Array, weights: Array, offset: Array | float = 0.0) -> Array:
    """Return the coefficients of largest likelihood, by Newton's method with halved steps.

    Parameters
    ----------
    features
        Shape ``(S, k)``, a column of ones included.
    weights
        Weight of the negative and of the positive cases at each row, ``(S, 2)``.
    offset
        Part of the logit whose coefficient is 1.
    """
    total = weights.sum(1)

    def value(coefficients: Array) -> float:
        logits = features @ coefficients + offset
        return float(logits @ weights[:, 1] - np.logaddexp(0.0, logits) @ total)

    coefficients = np.zeros(features.shape[1])
    best = value(coefficients)
    for _ in range(MOST_STEPS):
        share = probability(features @ coefficients + offset)
        slope = features.T @ (weights[:, 1] - total * share)
        curvature = (features.T * (total * share * (1 - share))) @ features
        step = np.linalg.lstsq(curvature, slope, rcond=None)[0]
        factor = 1.0
        while (found := value(coefficients + factor * step)) < best and factor > 1e-10:  # noqa: PLR2004 - rounding
            factor /= 2
        if found < best:
            break
        coefficients, best = coefficients + factor * step, found
        if np.abs(slope @ step) < 1e-14 * max(1.0, abs(best)):
            break
    return coefficients


def fitted_increasing(features: Array, weights: Array) -> Array:
    """Return the coefficients of largest likelihood among those whose slopes are not negative; the last is free.

    The best of the fits that leave out some slopes and are feasible: the likelihood is concave, so that the optimum
    is one of them.
    """
    slopes = features.shape[1] - 1
    candidates = []
    for chosen in range(2**slopes):
        kept = np.array([*(bool(chosen >> index & 1) for index in range(slopes)), True])
        coefficients = np.zeros(slopes + 1)
        coefficients[kept] = fitted(features[:, kept], weights)
        if (coefficients[:-1] >= 0).all():
            candidates.append((float(log_likelihood(coefficients, features, weights)), chosen, coefficients))
    return max(candidates, key=lambda each: each[:2])[2]


def posterior(
    centre: Array, features: Array, weights: Array, size: int, rng: np.random.Generator, *, increasing: bool
) -> Array:
    """Return draws of the coefficients in proportion to their likelihood, ``(size, k)``.

    Proposals from a multivariate t are weighed by the likelihood over their own density and resampled; each round
    of proposals takes mean and covariance from the one before, since few cases make the likelihood skewed.

    References
    ----------
    Rubin (1988), Using the SIR algorithm to simulate posterior distributions, Bayesian Statistics 3.
    """
    from scipy import special

    covariance = np.linalg.pinv(information(centre, features, weights), hermitian=True)
    drawn, share = np.empty((0, len(centre))), np.empty(0)
    for _ in range(ROUNDS):
        root = _square_root(covariance)
        normal = rng.standard_normal((PROPOSALS * size, len(centre)))
        chi = rng.chisquare(FREEDOM, len(normal)) / FREEDOM
        drawn = centre + (normal @ root.T) / np.sqrt(chi)[:, None]
        distance = (normal**2).sum(1) / chi
        step = max(1, BLOCK // len(features))
        height = np.concatenate(
            [log_likelihood(drawn[at : at + step], features, weights) for at in range(0, len(drawn), step)]
        )
        height += (FREEDOM + len(centre)) / 2 * np.log1p(distance / FREEDOM)
        if increasing:
            height[(drawn[:, :-1] < 0).any(1)] = -np.inf
        share = np.exp(height - special.logsumexp(height))
        centre = share @ drawn
        covariance = ((drawn - centre).T * share) @ (drawn - centre)
    return np.asarray(drawn[rng.choice(len(drawn), size, p=share)])


def _square_root(covariance: Array) -> Array:
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))

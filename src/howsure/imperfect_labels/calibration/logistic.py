"""Logistic regression on a few features of a score: the posterior mode under Jeffreys' prior, and draws."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.logistic import most_likely, probability

MOST_STEPS = 200
CHANGE = 1e-12  # largest change of the logits at which the penalised fit stops
FREEDOM = 4.0  # degrees of freedom of the multivariate t from which coefficients are proposed
PROPOSALS = (1, 1, 5)  # proposals per kept draw, by round; each round uses the moments of the one before
BLOCK = 2**21  # probabilities kept in memory at once


def information(coefficients: Array, features: Array, weights: Array) -> Array:
    """Return the Fisher information at coefficients ``(..., k)``, shape ``(..., k, k)``."""
    share = probability(coefficients @ features.T)
    size = features.shape[1]
    products = (features[:, :, None] * features[:, None, :]).reshape(-1, size**2)
    return np.asarray((share * (1 - share) * weights.sum(1)) @ products).reshape(*coefficients.shape, size)


def log_likelihood(coefficients: Array, features: Array, weights: Array) -> Array:
    """Return the log-likelihood at coefficients ``(..., k)``."""
    logits = coefficients @ features.T
    softplus = np.maximum(logits, 0.0) + np.log1p(np.exp(-np.abs(logits)))
    return np.asarray(logits @ weights[:, 1] - softplus @ weights.sum(1))


def log_posterior(coefficients: Array, features: Array, weights: Array) -> Array:
    """Return the log-likelihood plus the logarithm of Jeffreys' prior, half the log-determinant of the information."""
    determinant = np.linalg.slogdet(information(coefficients, features, weights))[1]
    return np.asarray(log_likelihood(coefficients, features, weights) + determinant / 2)


def most_probable(features: Array, weights: Array) -> Array:
    """Return the posterior mode of the coefficients under Jeffreys' prior (Firth's penalised likelihood).

    The penalty is equivalent to adding half a case of each class per unit of leverage, so the maximum exists even if
    the classes are separated.

    References
    ----------
    Firth (1993), Biometrika 80; Heinze, Schemper (2002), Statistics in Medicine 21.
    """
    coefficients = np.zeros(features.shape[1])
    for _ in range(MOST_STEPS):
        share = probability(features @ coefficients)
        inverse = np.linalg.pinv(information(coefficients, features, weights), hermitian=True)
        leverage = weights.sum(1) * share * (1 - share) * ((features @ inverse) * features).sum(1)
        found = most_likely(features, weights + leverage[:, None] / 2, start=coefficients)
        change, coefficients = np.abs(features @ (found - coefficients)).max(), found
        if change < CHANGE:
            break
    return coefficients


def most_probable_increasing(features: Array, weights: Array) -> Array:
    """Return the posterior mode with non-negative slopes; the last coefficient is unrestricted.

    If the unrestricted fit has a negative slope, return the best fit, without negative slopes, on a subset of the
    features.
    """
    free = most_probable(features, weights)
    if (free[:-1] >= 0).all():
        return free
    slopes = features.shape[1] - 1
    candidates = []
    for chosen in range(2**slopes - 1):
        kept = np.array([*(bool(chosen >> index & 1) for index in range(slopes)), True])
        coefficients = np.zeros(slopes + 1)
        coefficients[kept] = most_probable(features[:, kept], weights)
        if (coefficients[:-1] >= 0).all():
            candidates.append((float(log_likelihood(coefficients, features, weights)), chosen, coefficients))
    return max(candidates, key=lambda each: each[:2])[2]


def posterior(
    centre: Array, features: Array, weights: Array, size: int, rng: np.random.Generator, *, increasing: bool
) -> Array:
    """Return draws of the coefficients from the posterior under Jeffreys' prior, ``(size, k)``.

    Sampling importance resampling: proposals from a multivariate t are weighted by posterior over proposal density and
    resampled. Each round of proposals uses the mean and covariance of the round before, because the likelihood of few
    cases is skewed.

    References
    ----------
    Rubin (1988), Using the SIR algorithm to simulate posterior distributions, Bayesian Statistics 3.
    """
    from scipy import special

    covariance = np.linalg.pinv(information(centre, features, weights), hermitian=True)
    drawn, share = np.empty((0, len(centre))), np.empty(0)
    for proposals in PROPOSALS:
        root = _square_root(covariance)
        normal = rng.standard_normal((proposals * size, len(centre)))
        chi = rng.chisquare(FREEDOM, len(normal)) / FREEDOM
        drawn = centre + (normal @ root.T) / np.sqrt(chi)[:, None]
        distance = (normal**2).sum(1) / chi
        step = max(1, BLOCK // len(features))
        parts = (drawn[at : at + step] for at in range(0, len(drawn), step))
        height = np.concatenate([log_posterior(part, features, weights) for part in parts])
        height += (FREEDOM + len(centre)) / 2 * np.log1p(distance / FREEDOM)
        if increasing:
            height[(drawn[:, :-1] < 0).any(1)] = -np.inf
        total = special.logsumexp(height)
        if not np.isfinite(total):
            raise HowsureError(
                "The labelled scores separate the classes, so that a logistic curve has no largest slope. Label more "
                "cases with scores near the border, or use method='isotonic' or 'venn_abers'."
            )
        share = np.exp(height - total)
        centre = share @ drawn
        covariance = ((drawn - centre).T * share) @ (drawn - centre)
    return np.asarray(drawn[rng.choice(len(drawn), size, p=share)])


def _square_root(covariance: Array) -> Array:
    """Return the symmetric square root, which does not depend on the signs of the eigenvectors."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)

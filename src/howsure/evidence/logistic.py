"""Logistic regression on a few features of a score: fit by Newton's method, and posterior draws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
MOST_STEPS = 200
SHORTEST = 1e-10  # step that is tried
ROUNDING = 1e-14  # gain, relative to the height, at which Newton's method stops
FREEDOM = 4.0  # of the multivariate t from which coefficients are proposed
PROPOSALS = 10  # for each draw that is kept
ROUNDS = 3  # of proposals, each shaped after the one before
BLOCK = 2**21  # probabilities held at once


def probability(logits: Array) -> Array:
    """Return the logistic function."""
    from scipy import special

    return np.asarray(special.expit(logits))


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What bears on the coefficients: labelled cases, and a normal prior.

    Parameters
    ----------
    features
        Shape ``(S, k)``, a column of ones included.
    weights
        Weight of the negative and of the positive cases at each row, ``(S, 2)``.
    mean, precision
        Of the prior of each coefficient, independently; a precision of 0 is a flat prior.
    offset
        Part of the logit whose coefficient is 1.
    """

    features: Array
    weights: Array
    mean: Array | float = 0.0
    precision: Array | float = 0.0
    offset: Array | float = 0.0

    def height(self, coefficients: Array) -> Array:
        """Return the logarithm of likelihood times prior at coefficients ``(..., k)``."""
        logits = coefficients @ self.features.T + self.offset
        likelihood = logits @ self.weights[:, 1] - np.logaddexp(0.0, logits) @ self.weights.sum(1)
        return np.asarray(likelihood - (self.precision * (coefficients - self.mean) ** 2).sum(-1) / 2)

    def slope(self, coefficients: Array) -> Array:
        """Return the derivative of the height, ``(k,)``."""
        share = probability(self.features @ coefficients + self.offset)
        residual = self.weights[:, 1] - self.weights.sum(1) * share
        return np.asarray(self.features.T @ residual - self.precision * (coefficients - self.mean))

    def curvature(self, coefficients: Array) -> Array:
        """Return the negative second derivative of the height, ``(k, k)``."""
        share = probability(self.features @ coefficients + self.offset)
        spread = self.weights.sum(1) * share * (1 - share)
        return np.asarray((self.features.T * spread) @ self.features + np.diag(self._precisions))

    def without(self, kept: Array) -> Evidence:
        """Return the evidence on the kept coefficients where the others are 0."""
        mean = np.broadcast_to(self.mean, kept.shape)[kept]
        return replace(self, features=self.features[:, kept], mean=mean, precision=self._precisions[kept])

    @property
    def _precisions(self) -> Array:
        return np.broadcast_to(self.precision, self.features.shape[1:])


def fitted(evidence: Evidence) -> Array:
    """Return the coefficients of largest height, by Newton's method with halved steps."""
    coefficients = np.zeros(evidence.features.shape[1])
    best = float(evidence.height(coefficients))
    for _ in range(MOST_STEPS):
        slope = evidence.slope(coefficients)
        step = np.linalg.lstsq(evidence.curvature(coefficients), slope, rcond=None)[0]
        factor = 1.0
        while (found := float(evidence.height(coefficients + factor * step))) < best and factor > SHORTEST:
            factor /= 2
        if found < best:
            break
        coefficients, best = coefficients + factor * step, found
        if np.abs(slope @ step) < ROUNDING * max(1.0, abs(best)):
            break
    return coefficients


def fitted_increasing(evidence: Evidence) -> Array:
    """Return the coefficients of largest height among those whose slopes are not negative; the last is free.

    The best of the fits that leave out some slopes and are feasible: the height is concave, so that the optimum is
    one of them.
    """
    slopes = evidence.features.shape[1] - 1
    candidates = []
    for chosen in range(2**slopes):
        kept = np.array([*(bool(chosen >> index & 1) for index in range(slopes)), True])
        coefficients = np.zeros(slopes + 1)
        coefficients[kept] = fitted(evidence.without(kept))
        if (coefficients[:-1] >= 0).all():
            candidates.append((float(evidence.height(coefficients)), chosen, coefficients))
    return max(candidates, key=lambda each: each[:2])[2]


def posterior(centre: Array, evidence: Evidence, size: int, rng: np.random.Generator, *, increasing: bool) -> Array:
    """Return draws of the coefficients in proportion to likelihood times prior, ``(size, k)``.

    Proposals from a multivariate t are weighed by the posterior over their own density and resampled; each round
    of proposals takes mean and covariance from the one before, since few cases make the likelihood skewed.

    References
    ----------
    Rubin (1988), Using the SIR algorithm to simulate posterior distributions, Bayesian Statistics 3.
    """
    from scipy import special

    covariance = np.linalg.pinv(evidence.curvature(centre), hermitian=True)
    drawn, share = np.empty((0, len(centre))), np.empty(0)
    for _ in range(ROUNDS):
        root = _square_root(covariance)
        normal = rng.standard_normal((PROPOSALS * size, len(centre)))
        chi = rng.chisquare(FREEDOM, len(normal)) / FREEDOM
        drawn = centre + (normal @ root.T) / np.sqrt(chi)[:, None]
        distance = (normal**2).sum(1) / chi
        step = max(1, BLOCK // len(evidence.features))
        height = np.concatenate([evidence.height(drawn[at : at + step]) for at in range(0, len(drawn), step)])
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

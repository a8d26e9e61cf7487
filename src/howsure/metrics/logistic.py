"""Logistic regression of the class on features of the scores, for many tables of counts at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.arrays import Array

MOST_STEPS = 100
SHORTEST = 2.0**-40  # smallest fraction of a Newton step that is tried
LEAST_GAIN = 1e-15  # relative to the log-likelihood, at which Newton's method stops
ROUNDING = 1e-12  # of a log-likelihood, relative
LEAST_INFORMATION = 1e-8  # relative to that of shares of 1/2, below which the likelihood is taken to have no maximum


def most_likely(features: Array, cells: Array, offset: Array | float = 0.0, start: Array | None = None) -> Array:
    """Return the maximum-likelihood coefficients, by Newton's method with step halving.

    Parameters
    ----------
    features : ndarray of shape (S, k)
        Features of each distinct score.
    cells : ndarray of shape (..., S, 2)
        Weights of the negative and the positive cases; the maximum must exist.
    offset : float or ndarray of shape (S,)
        Part of the logit with coefficient 1.
    start : ndarray of shape (k,), optional
        Where the search starts; 0 by default.

    Returns
    -------
    ndarray of shape (..., k)
    """
    mass, hits = cells[..., 0] + cells[..., 1], np.ascontiguousarray(cells[..., 1])
    products = _products(features)
    coefficients = np.zeros((*cells.shape[:-2], features.shape[1])) + (0.0 if start is None else start)
    best = _log_likelihood(coefficients, features, mass, hits, offset)
    for _ in range(MOST_STEPS):
        share = probability(coefficients @ features.T + offset)
        slope = (hits - mass * share) @ features
        curvature = _information(products, mass, share)
        step = (np.linalg.pinv(curvature, hermitian=True) @ slope[..., None])[..., 0]
        coefficients, found = _climb(coefficients, step, best, (features, mass, hits, offset))
        done = np.abs((slope * step).sum(-1)) <= LEAST_GAIN * np.maximum(1.0, np.abs(best))
        best = found
        if done.all():
            break
    return coefficients


def fitted(features: Array, cells: Array) -> Array | None:
    """Return the maximum-likelihood coefficients for one table ``(S, 2)``; None if the likelihood has no maximum."""
    try:
        coefficients = most_likely(features, cells)
        share = probability(features @ coefficients)
        most, found = (_information(_products(features), cells.sum(-1), each) for each in (0.0 * share + 0.5, share))
        least = np.linalg.eigvals(np.linalg.solve(most, found)).real.min()
    except np.linalg.LinAlgError:
        return None
    occurring = np.count_nonzero(cells.sum(-1))
    return None if least < LEAST_INFORMATION or occurring < features.shape[1] else coefficients


def probability(logits: Array) -> Array:
    """Return the logistic function."""
    from scipy import special

    return np.asarray(special.expit(logits))


def _products(features: Array) -> Array:
    """Return the products of each two features, ``(S, k, k)``."""
    return np.asarray(features[:, :, None] * features[:, None, :])


def _information(products: Array, mass: Array, share: Array) -> Array:
    """Return the Fisher information of the coefficients, ``(..., k, k)``."""
    flat = products.reshape(len(products), -1)
    return np.asarray((mass * share * (1 - share)) @ flat).reshape(*mass.shape[:-1], *products.shape[1:])


def influence(features: Array, cells: Array, coefficients: Array, offset: Array | float = 0.0) -> Array:
    """Return the derivative of each coefficient by each cell, ``(..., k, S, 2)``.

    The score equations ``sum(c * x * (y - p)) = 0`` hold on every table. Their derivative by the count c of a cell with
    features x and class y is ``inverse(information) @ x * (y - p)``.
    """
    share = probability(coefficients @ features.T + offset)
    inverse = np.linalg.inv(_information(_products(features), cells.sum(-1), share))
    each = inverse @ features.T
    return np.stack([-each * share[..., None, :], each * (1 - share[..., None, :])], -1)


def _climb(coefficients: Array, step: Array, best: Array, fit: tuple[Array, Array, Array, Any]) -> tuple[Array, Array]:
    """Return the coefficients after a step that is halved until no table's likelihood decreases, and the likelihood."""
    factor, least = np.ones(best.shape), best - ROUNDING * np.maximum(1.0, np.abs(best))
    while True:
        moved = coefficients + factor[..., None] * step
        found = _log_likelihood(moved, *fit)
        worse = ~(found >= least) & (factor > 0)
        if not worse.any():
            return moved, found
        factor = np.where(worse, np.where(factor > SHORTEST, factor / 2, 0.0), factor)


def _log_likelihood(coefficients: Array, features: Array, mass: Array, hits: Array, offset: Array | float) -> Array:
    logits = coefficients @ features.T + offset
    softplus = np.maximum(logits, 0.0) + np.log1p(np.exp(-np.abs(logits)))
    return np.asarray((logits * hits - softplus * mass).sum(-1))

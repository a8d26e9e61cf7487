"""Profile likelihood of two ratios of linear forms in the counts of independent cases.

A ratio r = sum(a * p) / sum(b * p) equals x where the cell probabilities p satisfy sum((a - x * b) * p) = 0. The two
ratios are thus two linear constraints, and the largest multinomial likelihood under them follows from two multipliers,
as in empirical likelihood (Owen 2001).
"""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.metrics.forms import Ratio

STEPS = 80  # Newton steps; about 10 suffice inside the region
ABSENT = 1e-9  # count of a cell without cases, which may still have a positive probability
CLOSE = 1e-10  # decrement at which the steps end


def deviance(counts: Array, first: Ratio, second: Ratio, x: Array, y: Array) -> Array:
    r"""Return twice the loss of log likelihood if two ratios have stated values.

    Parameters
    ----------
    counts : ndarray
        Cases of each cell.
    first, second : Ratio
        The ratios, with coefficients in the shape of the cells.
    x, y : ndarray of shape (P,)
        Hypothetical values of the two.

    Returns
    -------
    ndarray of shape (P,)
        :math:`2 \max_\lambda \sum_i n_i \log(1 + \lambda_1 (a_i - x b_i) + \lambda_2 (c_i - y d_i))`, with the counts
        n, and the coefficients a, b of the first and c, d of the second ratio. It is large where no probabilities have
        these ratios.

    References
    ----------
    Owen (2001), Empirical Likelihood, chapter 3.

    Examples
    --------
    Sensitivity and specificity depend on different cases, so the deviance is the sum of two binomial deviances.

    >>> sensitivity = Ratio(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
    >>> specificity = Ratio(np.array([1, 0, 0, 0]), np.array([1, 1, 0, 0]))
    >>> counts = np.array([50, 3, 5, 42])
    >>> round(float(deviance(counts, sensitivity, specificity, np.array([0.8]), np.array([0.9]))[0]), 4)
    4.2778
    >>> binomials = [50, 3, 5, 42] * np.log(counts / [53 * 0.9, 53 * 0.1, 47 * 0.2, 47 * 0.8])
    >>> round(2 * float(binomials.sum()), 4)
    4.2778
    """
    forms, place = np.unique(_coefficients(first, second), axis=1, return_inverse=True)
    cases = np.bincount(place.ravel(), np.asarray(counts, dtype=float).ravel(), forms.shape[1])
    cases = np.maximum(cases, ABSENT)
    a, b, c, d = forms
    terms = np.stack([a - x[:, None] * b, c - y[:, None] * d], 1)
    multipliers, height = np.zeros((len(x), 2)), np.zeros(len(x))
    for _ in range(STEPS):
        share = 1 + np.einsum("pk,pki->pi", multipliers, terms)
        slope = (cases / share)[:, None] * terms
        gradient = slope.sum(-1)
        curvature = np.einsum("pki,pli->pkl", slope / share[:, None], terms)
        curvature[:, [0, 1], [0, 1]] *= 1 + 1e-12
        curvature[:, [0, 1], [0, 1]] += 1e-300
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        decrement = (step * gradient).sum(-1)
        moved, height = _increased(multipliers, step, decrement, terms, cases, height)
        if not (decrement > CLOSE).any() or (moved == multipliers).all():
            break
        multipliers = moved
    return np.asarray(2 * height)


def _coefficients(first: Ratio, second: Ratio) -> Array:
    parts = (first.numerator, first.denominator, second.numerator, second.denominator)
    return np.stack([np.asarray(each, dtype=float).ravel() for each in parts])


def _increased(
    start: Array, step: Array, decrement: Array, terms: Array, cases: Array, height: Array
) -> tuple[Array, Array]:
    """Return the multipliers after steps that are halved until the likelihood grows enough, and its logarithm."""
    size, found, reached = np.ones(len(start)), start.copy(), height.copy()
    for _ in range(60):
        tried = start + size[:, None] * step
        share = 1 + np.einsum("pk,pki->pi", tried, terms)
        with np.errstate(all="ignore"):
            there = np.where((share > 0).all(-1), (cases * np.log(share)).sum(-1), -np.inf)
        grown = there >= height + 0.1 * size * decrement
        waiting = size > 0
        found[grown & waiting], reached[grown & waiting] = tried[grown & waiting], there[grown & waiting]
        size = np.where(grown, 0.0, size / 2)
        if grown.all():
            break
    return found, reached

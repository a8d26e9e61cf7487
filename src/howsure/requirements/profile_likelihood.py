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
HALF = 0.5  # cases added to each cell in Bartlett's factor, so that it is finite
ABSENT = 1e-9  # count of a cell without cases, which may still have a positive probability
CLOSE = 1e-8  # decrement at which the steps end; above `ABSENT`, the least of a point without a maximum


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
    (a, b, c, d), cases = _merged(counts, first, second)
    cases = np.maximum(cases, ABSENT)
    terms = np.stack([a - x[:, None] * b, c - y[:, None] * d], 1)
    multipliers, height, moving = np.zeros((len(x), 2)), np.zeros(len(x)), np.arange(len(x))
    for _ in range(STEPS):
        before, there = multipliers[moving], terms[moving]
        share = 1 + np.einsum("pk,pki->pi", before, there)
        slope = (cases / share)[:, None] * there
        gradient = slope.sum(-1)
        curvature = np.einsum("pki,pli->pkl", slope / share[:, None], there)
        curvature[:, [0, 1], [0, 1]] *= 1 + 1e-12
        curvature[:, [0, 1], [0, 1]] += 1e-300
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        decrement = (step * gradient).sum(-1)
        multipliers[moving], height[moving] = _increased(before, step, decrement, there, cases, height[moving])
        moving = moving[(decrement > CLOSE) & (multipliers[moving] != before).any(-1)]
        if not moving.size:
            break
    return np.asarray(2 * height)


def bartlett_factor(counts: Array, first: Ratio, second: Ratio) -> float:
    r"""Return the factor by which the quantile of χ² grows in small samples.

    Parameters
    ----------
    counts : ndarray
        Cases of each cell.
    first, second : Ratio
        The ratios.

    Returns
    -------
    float
        :math:`1 + \sum_i (n_i + 1/2)^{-1} / 12`, over the counts n of the cells that enter either ratio.

    Notes
    -----
    The deviance of a multinomial distribution of N cases with probabilities p and m free parameters has the mean
    :math:`m + (\sum_i 1 / (N p_i) - 1/N) / 6`. Here m is 2. The terms of the totals are omitted, since they are small.

    References
    ----------
    Williams (1976), Biometrika 63:33–37.

    Examples
    --------
    >>> sensitivity = Ratio(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
    >>> specificity = Ratio(np.array([1, 0, 0, 0]), np.array([1, 1, 0, 0]))
    >>> round(bartlett_factor(np.array([50, 3, 0, 42]), sensitivity, specificity), 4)
    1.1941
    """
    forms, cases = _merged(counts, first, second)
    return 1 + float((1 / (cases[forms.any(0)] + HALF)).sum()) / 12


def _merged(counts: Array, first: Ratio, second: Ratio) -> tuple[Array, Array]:
    """Return the distinct coefficients of cells, ``(4, C)``, and the cases of each."""
    parts = (first.numerator, first.denominator, second.numerator, second.denominator)
    coefficients = np.stack([np.asarray(each, dtype=float).ravel() for each in parts])
    forms, place = np.unique(coefficients, axis=1, return_inverse=True)
    return forms, np.bincount(place.ravel(), np.asarray(counts, dtype=float).ravel(), forms.shape[1])


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

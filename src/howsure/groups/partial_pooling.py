"""Shrunken estimates: each group's value is moved towards the mean of all groups, the more the less certain it is."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array

STEPS = 200  # standard deviations between groups at which the posterior is evaluated
FEWEST = 3  # groups, below which a flat prior of that standard deviation has no posterior


def shrunken(values: Array, errors: Array) -> tuple[Array, Array]:
    r"""Return posterior means and standard deviations of groups that are drawn from one normal distribution.

    Parameters
    ----------
    values, errors : ndarray of shape (K,)
        Value and standard error of at least three groups.

    Returns
    -------
    tuple of ndarray
        Means and standard deviations, each ``(K,)``.

    Notes
    -----
    The model is :math:`\hat\theta_k \sim N(\theta_k, s_k^2)`, :math:`\theta_k \sim N(\mu, \tau^2)`, with flat priors of
    μ and τ. Given τ the posterior of θ is normal; τ is integrated numerically.

    References
    ----------
    Gelman et al. (2013), Bayesian Data Analysis, third edition, section 5.4.

    Examples
    --------
    The example of eight schools in that book: between 5 and 10 points each, not 28 and −3.

    >>> effects, errors = [28, 8, -3, 7, -1, 1, 18, 12], [15, 10, 16, 11, 9, 11, 10, 18]
    >>> means, deviations = shrunken(np.array(effects), np.array(errors))
    >>> means.round().tolist(), deviations.round().tolist()
    ([11.0, 8.0, 6.0, 8.0, 5.0, 6.0, 11.0, 8.0], [8.0, 6.0, 8.0, 7.0, 6.0, 7.0, 7.0, 8.0])
    """
    values, errors = np.asarray(values, dtype=float), np.maximum(np.asarray(errors, dtype=float), 1e-12)
    most = 3 * max(float(np.ptp(values)), float(errors.max()))
    between = (np.arange(STEPS) + 0.5) / STEPS * most
    variance = errors**2 + between[:, None] ** 2
    precision = (1 / variance).sum(1)
    centre = (values / variance).sum(1) / precision
    log_density = -0.5 * (np.log(variance) + (values - centre[:, None]) ** 2 / variance).sum(1) - 0.5 * np.log(
        precision
    )
    weight = np.exp(log_density - log_density.max())
    weight /= weight.sum()
    kept = between[:, None] ** 2 / variance  # the share of a group's own value
    means = kept * values + (1 - kept) * centre[:, None]
    variances = kept * errors**2 + (1 - kept) ** 2 / precision[:, None]
    mean = weight @ means
    return mean, np.sqrt(weight @ (variances + (means - mean) ** 2))

"""The likelihood of the binomial-normal model: sites whose proportions have normal logits."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property

NODES = 15  # of the Gauss-Hermite rule about the mode of each site
SMALLEST_TAU = 1e-5  # stands for 0
LONGEST_STEP = 4.0  # of Newton's method, in logits
STEPS, TOLERANCE = 25, 1e-3  # until the step to the mode is below that part of the integrand's width
BLOCK = 1 << 17  # integrals at once, which keeps temporary arrays in the cache


class Likelihood:
    """Log-likelihood of mean and standard deviation of the logits, relative to one parameter for each site.

    Site i has the proportion p_i with logit(p_i) ~ Normal(mu, tau²), and a binomial likelihood with n_i cases. If the
    equivalent sizes below and above the value differ, n_i is the one on the side of p_i.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Observed proportions.
    below, above : ndarray of shape (k,)
        Sizes of the sites, below and above their values.
    """

    def __init__(self, values: Array, below: Array, above: Array) -> None:
        from scipy import special

        self.values, self.below, self.above = values, below, above
        self._even = bool((below == above).all())
        self._entropy = special.xlogy(values, values) + special.xlogy(1 - values, 1 - values)
        size = (below + above) / 2
        middle = (size * values + 0.5) / (size + 1)
        self._start, self._information = np.log(middle / (1 - middle)), size * middle * (1 - middle)

    def __call__(self, mu: Array, tau: Array, nodes: int = NODES) -> Array:
        """Return the log-likelihood at each pair of mu and tau, in their common shape."""
        mu, tau = np.broadcast_arrays(mu, tau)
        flat = mu.ravel(), np.maximum(tau.ravel(), SMALLEST_TAU)
        rule = _rule(nodes)
        step = max(1, BLOCK // len(self.values))
        parts = [self._block(flat[0][at : at + step], flat[1][at : at + step], rule) for at in range(0, mu.size, step)]
        return np.concatenate(parts).reshape(mu.shape)

    @property
    def standard_error(self) -> float:
        """Standard error of the logit of an ordinary site, one that is not quite at an end of the range."""
        return 1 / math.sqrt(float(np.median(self._information)))

    def information(self, mu: float) -> Array:
        """Return the information of each site about its logit at mu."""
        p = 1 / (1 + math.exp(-mu))
        return self._sizes(p) * p * (1 - p)

    @cached_property
    def common(self) -> tuple[float, float]:
        """The maximum-likelihood proportion that is common to all sites, and its log-likelihood."""
        low, high = float(self.values.min()), float(self.values.max())
        for _ in range(60):
            middle = (low + high) / 2
            rises = float((self._sizes(middle) * (self.values - middle)).sum()) > 0
            low, high = (middle, high) if rises else (low, middle)
        p = (low + high) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            kept = np.where(self.values > 0, self.values * np.log(p), 0.0)
            lost = np.where(self.values < 1, (1 - self.values) * np.log1p(-p), 0.0)
        return p, float((self._sizes(p) * (kept + lost - self._entropy)).sum())

    def _sizes(self, p: object) -> Array:
        return self.above if self._even else np.asarray(np.where(p < self.values, self.below, self.above))

    def _of_sites(self, eta: Array, p: Array) -> Array:
        """Return the log-likelihood of each site at its own logit."""
        softplus = np.log1p(np.exp(-np.abs(eta))) + np.maximum(eta, 0.0)
        return np.asarray(self._sizes(p) * (self.values * eta - softplus - self._entropy))

    def _block(self, mu: Array, tau: Array, rule: tuple[Array, Array]) -> Array:
        """Integrate over the logit of each site by the adaptive Gauss-Hermite rule; the last axis runs over sites."""
        m, precision = mu[:, None], 1 / np.square(tau)[:, None]
        eta = (self._information * self._start + precision * m) / (self._information + precision)
        for _ in range(STEPS):
            p = 1 / (1 + np.exp(-eta))
            size = self._sizes(p)
            information = size * p * (1 - p) + precision
            step = (size * (self.values - p) - (eta - m) * precision) / information
            eta += np.clip(step, -LONGEST_STEP, LONGEST_STEP)
            if (step * step * information).max() < TOLERANCE**2:
                break
        p = 1 / (1 + np.exp(-eta))
        sd = 1 / np.sqrt(self._sizes(p) * p * (1 - p) + precision)
        peak = self._of_sites(eta, p) - np.square(eta - m) * precision / 2
        total = np.zeros_like(eta)
        for node, weight in zip(*rule, strict=True):
            at = eta + sd * node
            height = self._of_sites(at, at if self._even else 1 / (1 + np.exp(-at)))
            total += weight * np.exp(height - np.square(at - m) * precision / 2 - peak + node * node / 2)
        return np.asarray((np.log(total * sd) + peak + np.log(precision) / 2).sum(-1))


@cache
def _rule(nodes: int) -> tuple[Array, Array]:
    """Return points and weights of the Gauss-Hermite rule for a standard normal variable."""
    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    return points, weights / weights.sum()

"""Fit of the binomial-normal model: the value of a typical site or the mean of all sites, with its limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.pooling.likelihood import Likelihood
from howsure.pooling.rows import FARTHEST, LARGEST_TAU, Rows, rows_about_the_maximum

DEPTH = 25.0  # twice the drop of the log-likelihood within which a new site is predicted
DENSE = 81  # values of mu in each row, by interpolation
FARTHEST_SITE = 60.0  # logits
NORMAL_NODES = 41  # for the mean of expit(mu + tau Z)
NEWTON_STEPS, STENCIL, CLOSE = 20, 0.002, 1e-6  # of the maximum; parts of a standard error
RIDGE = 1e-4  # determinant of the curvature below which mu and tau are not distinguished


@dataclass(frozen=True, eq=False)
class BinomialNormal:
    """The binomial-normal model fitted to sites with values in 0 … 1.

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood of the sites, of which there are at least two.
    level : float
        Confidence level.
    of_mean : bool
        Whether the estimand is the mean over the population of sites, E[expit(mu + tau Z)]. Otherwise it is expit(mu),
        the value of a typical site.
    """

    likelihood: Likelihood
    level: float
    of_mean: bool = False

    @cached_property
    def at_an_end(self) -> bool:
        """Whether all sites are at the same end of the range."""
        return self.likelihood.common[0] in {0.0, 1.0}

    def critical(self, level: object) -> Array:
        """Return the largest likelihood ratio statistic inside the interval at a confidence level.

        k log(1 + t² / (k - 1)) is exact for equal and large sites. The value at an end of the range is at least -2
        log(alpha), which gives the mid-p limit for a binomial without errors.
        """
        from scipy import special

        size, alpha = len(self.likelihood.values), 1 - np.asarray(level)
        critical = size * np.log1p(np.square(special.stdtrit(size - 1, alpha / 2)) / (size - 1))
        return np.asarray(np.maximum(critical, -2 * np.log(alpha)) if self.at_an_end else critical)

    @cached_property
    def rows(self) -> Rows:
        """The penalised log-likelihood about its maximum."""
        return rows_about_the_maximum(self.likelihood, max(DEPTH, float(self.critical(self.level)) + 1))

    @cached_property
    def maximum(self) -> tuple[float, float]:
        """The maximum-likelihood mu and tau, without the penalty; an infinite mu for sites at an end of the range.

        Sites at both ends and none between have no maximum at a finite tau: then it is the maximum with the penalty.
        """
        if self.at_an_end:
            return math.copysign(math.inf, self.likelihood.values[0] - 0.5), 0.0
        mu, heights = self.rows.dense(DENSE)
        row, column = divmod(int(heights.argmax()), heights.shape[1])
        gap = float(np.diff(self.rows.tau)[max(row - 1, 0)])
        penalised = float(mu[row, column]), float(self.rows.tau[row])
        return self._climbed(np.array(penalised), gap) or penalised

    def _climbed(self, at: Array, gap: float) -> tuple[float, float] | None:
        """Return the maximum near a pair by Newton's method; the likelihood is an even function of tau."""
        scale = np.array([self.likelihood.standard_error, gap])
        for _ in range(NEWTON_STEPS):
            slope, curvature = self._derivatives(at, scale)
            if curvature[1, 1] > RIDGE * abs(curvature[0, 0]):  # between two maxima at tau and -tau
                at = at + np.array([0.0, gap / 2])
                continue
            if abs(at[0]) > FARTHEST or at[1] > LARGEST_TAU or not _is_peak(curvature):
                return None
            step = np.clip(-np.linalg.solve(curvature, slope), -2 * scale, 2 * scale)
            at = np.array([at[0] + step[0], abs(at[1] + step[1])])
            if (np.abs(step) < CLOSE * scale).all():
                break
        return float(at[0]), float(at[1])

    def _derivatives(self, at: Array, scale: Array) -> tuple[Array, Array]:
        """Return slope and curvature of the log-likelihood by differences on a stencil of three by three."""
        a, b = STENCIL * scale
        steps = np.array([-1.0, 0.0, 1.0])
        f = self.likelihood(at[0] + a * steps[:, None], np.abs(at[1] + b * steps))
        slope = np.array([(f[2, 1] - f[0, 1]) / (2 * a), (f[1, 2] - f[1, 0]) / (2 * b)])
        crossed = (f[2, 2] - f[2, 0] - f[0, 2] + f[0, 0]) / (4 * a * b)
        by_mu, by_tau = (f[2, 1] - 2 * f[1, 1] + f[0, 1]) / a**2, (f[1, 2] - 2 * f[1, 1] + f[1, 0]) / b**2
        return slope, np.array([[by_mu, crossed], [crossed, by_tau]])

    @property
    def value(self) -> float:
        """The estimand at the maximum, 0 … 1."""
        mu, tau = self.maximum
        return float(self._estimand(np.array(mu), np.array(tau)))

    @property
    def standard_error(self) -> float:
        """Standard error of the value by the curvature at the maximum; 0 at an end of the range, where it has none."""
        mu, tau = self.maximum
        if self.at_an_end:
            return 0.0
        scale = np.array([self.likelihood.standard_error, max(tau, self.likelihood.standard_error) / 4])
        _, curvature = self._derivatives(np.array([mu, tau]), scale)
        steps = STENCIL * scale
        ahead = self._estimand(mu + np.array([steps[0], 0.0]), np.abs(tau + np.array([0.0, steps[1]])))
        behind = self._estimand(mu - np.array([steps[0], 0.0]), np.abs(tau - np.array([0.0, steps[1]])))
        slope = (ahead - behind) / (2 * steps)
        return math.sqrt(float(slope @ np.linalg.solve(-curvature, slope))) if _is_peak(curvature) else math.nan

    def limits(self, level: object) -> tuple[Array, Array]:
        """Return the smallest and the largest estimand in the region where the likelihood ratio statistic is small."""
        critical = np.atleast_1d(self.critical(level))
        mu, heights = self.rows.dense(DENSE)
        highest = heights.max(1)
        root = np.sqrt(2 * np.maximum(_vertex(highest) - heights, 0.0))
        found, nearest = [], int(highest.argmax())
        for way in (-1, 1):
            ends = np.full((len(mu), len(critical)), math.nan)
            for row, (at, each) in enumerate(zip(mu, root, strict=True)):
                best = int(each.argmin())
                side = slice(best, None, -1) if way < 0 else slice(best, None)
                outside = at[best] if row == nearest else math.nan
                ends[row] = np.interp(np.sqrt(critical), each[side], at[side], left=outside)
            values = self._estimand(ends, self.rows.tau[:, None])
            extreme = np.array([way * _vertex(way * column) for column in values.T])
            beyond = (np.abs(ends) >= FARTHEST * (1 - 1e-9)) & (np.sign(ends) == way)
            found.append(np.where(beyond.any(0), (1 + way) / 2, np.clip(extreme, 0.0, 1.0)))
        return found[0], found[1]

    def _estimand(self, mu: Array, tau: Array) -> Array:
        """Return the estimand on 0 … 1 at each pair of mu and tau."""
        from scipy import special

        if not self.of_mean:
            return np.asarray(special.expit(mu + 0 * tau))
        nodes, weights = np.polynomial.hermite_e.hermegauss(NORMAL_NODES)
        return np.asarray(special.expit(mu[..., None] + tau[..., None] * nodes) @ (weights / weights.sum()))

    @property
    def weights(self) -> Array:
        """Weight of each site in the value."""
        mu, tau = self.maximum
        weight = 1 / (1 / self.likelihood.information(float(np.clip(mu, -FARTHEST, FARTHEST))) + tau**2)
        return np.asarray(weight / weight.sum())

    @cached_property
    def tau_limits(self) -> tuple[float, float]:
        """Limits of tau by its profile likelihood, against the chi-square quantile."""
        from scipy import interpolate, special

        places = np.linspace(self.rows.places[0], self.rows.places[-1], 10 * DENSE)
        height = interpolate.CubicSpline(self.rows.places, self.rows.dense(DENSE)[1].max(1))(places)
        inside = places[2 * (height.max() - height) <= special.chdtri(1, 1 - self.level)]
        low, high = (float(self.rows.unit * math.sinh(each)) for each in (inside[0], inside[-1]))
        return low, high

    def predicted(self) -> tuple[float, float]:
        """Return quantiles of the value of a new site, under the posterior density of mu and tau.

        The density is the penalised likelihood times sqrt(p (1 - p)), p = expit(mu), on the scale of mu and tau.
        """
        from scipy import optimize, special

        mu, heights = self.rows.dense(DENSE)
        steps = np.cosh(self.rows.places) * (self.rows.windows[1] - self.rows.windows[0])
        steps[[0, -1]] /= 2
        density = heights - (np.logaddexp(0, mu) + np.logaddexp(0, -mu)) / 2
        weight = np.exp(density - density.max()) * steps[:, None]
        weight /= weight.sum()
        tau = np.maximum(self.rows.tau, 1e-9)[:, None]

        def excess(eta: float, tail: float) -> float:
            return float((weight * special.ndtr((eta - mu) / tau)).sum()) - tail

        tails = (1 - self.level) / 2, (1 + self.level) / 2
        low, high = (optimize.brentq(excess, -FARTHEST_SITE, FARTHEST_SITE, args=(each,)) for each in tails)
        return float(special.expit(low)), float(special.expit(high))


def _is_peak(curvature: Array) -> bool:
    """Whether a function with this second derivative has a peak; not a ridge, as for sites of one case each."""
    product = curvature[0, 0] * curvature[1, 1]
    return bool(curvature[0, 0] < 0 and (1 - RIDGE) * product > curvature[0, 1] ** 2)


def _vertex(heights: Array) -> float:
    """Return the maximum of a function from equidistant values: the vertex of the parabola through the largest."""
    best = int(np.nanargmax(heights))
    if best in {0, len(heights) - 1}:
        return float(heights[best])
    before, middle, after = heights[best - 1 : best + 2]
    bend = before - 2 * middle + after
    return float(middle if not bend < 0 else middle - (after - before) ** 2 / (8 * bend))

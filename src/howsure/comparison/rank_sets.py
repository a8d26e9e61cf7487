"""Simultaneous confidence sets of ranks, from estimates and their covariance.

Every model is compared with every other, in both directions. Deviations are normal with the covariance of the
estimates. Their maximum over all undecided pairs gives the critical value. Pairs whose statistic exceeds it are decided
and removed, which lowers the critical value (stepdown). The variance of a statistic is that under equality of the two
models: it includes the squared difference, so that a few cases cannot decide a pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs.base import safe_divide
from howsure.methods.core.standard_errors import normal_quantile, quantile
from howsure.methods.numerics.confidence_levels import Level, share_beyond
from howsure.native.differences import largest_differences

DRAWS = 10_000
MANY = 1000  # cases, from which on Student's t is normal
NOISE = 1e-12  # rounding error of zero, relative to the variances, or to values and their standard errors


@dataclass(frozen=True, eq=False)
class Estimated:
    """Estimates of one number for several models, higher being better, with their covariance.

    Parameters
    ----------
    values : ndarray of shape (P,)
        The estimates.
    covariance : ndarray of shape (P, P)
        Their covariance.
    cases : ndarray of shape (P, P)
        Number of cases on which each difference depends; infinite for estimates that are exactly normal.
    degrees_of_freedom : float or ndarray of shape (P, P)
        Degrees of freedom of each difference; finite if the covariance comes from few levels of crossed factors.
    """

    values: Array
    covariance: Array
    cases: Array
    degrees_of_freedom: Any = np.inf

    @cached_property
    def differences(self) -> Array:
        """Differences of the models' values; 0 within rounding, so that equal values tie."""
        difference = self.values[:, None] - self.values
        variance = np.nan_to_num(np.diag(self.covariance), posinf=0.0, neginf=0.0).clip(0)
        size = np.sqrt(variance) + np.abs(self.values)
        return np.where(np.abs(difference) > NOISE * np.maximum(size[:, None], size), difference, 0.0)

    @cached_property
    def spread(self) -> Array:
        """Standard error of each difference: 0 within rounding, infinite if unknown."""
        each = np.diag(self.covariance)
        variance = each[:, None] + each - 2 * self.covariance
        above_noise = np.where(variance > NOISE * np.maximum(each[:, None], each), variance, 0.0)
        return np.asarray(np.sqrt(np.where(np.isfinite(variance), above_noise, np.inf)))

    @cached_property
    def null_spread(self) -> Array:
        """Standard error of each difference under equality of the models; `spread` if degrees of freedom are given."""
        squared = safe_divide(self.differences**2, self.cases)
        has_own = np.isfinite(self.degrees_of_freedom) & (self.spread > 0)
        return np.asarray(np.sqrt(self.spread**2 + np.where(has_own, 0.0, squared)))

    @cached_property
    def has_no_variance(self) -> Array:
        """Whether all cases show the same difference, so that the sample variance is zero."""
        return np.asarray((self.spread == 0) & (self.null_spread > 0))

    @cached_property
    def statistic(self) -> Array:
        """Each difference over its standard error, as a normal variable; 0 if two models never differ.

        With finite degrees of freedom the ratio is a quantile of Student's t, which is converted to the normal quantile
        of the same probability. If all cases show the same difference, the ratio is the root of their number.
        """
        from scipy.special import ndtri, stdtr

        ratio = safe_divide(self.differences, self.null_spread)
        degrees_of_freedom = np.where(
            self.has_no_variance, np.where(self.cases < MANY, self.cases - 1, np.inf), self.degrees_of_freedom
        )
        few = np.isfinite(degrees_of_freedom)
        tail = np.where(
            degrees_of_freedom > 0,
            stdtr(np.where(few, np.maximum(degrees_of_freedom, NOISE), 1.0), -np.abs(ratio)),
            0.5,
        )
        return np.where(few, -np.sign(ratio) * ndtri(tail), ratio)

    def reach(self, critical: float) -> Array:
        """Return the half-width of the intervals of differences, ``(P, P)``; infinite for a single case.

        It is the critical value, or the quantile of Student's t with the same probability, times the standard error.
        """
        size = np.abs(self.statistic)
        implied = np.where(size > 0, safe_divide(np.abs(self.differences), size), np.inf)
        error = np.where(self.has_no_variance, implied, self.null_spread)
        students = np.isfinite(self.degrees_of_freedom) & ~self.has_no_variance
        factor = np.where(students, quantile(Level(float(share_beyond(critical))), self.degrees_of_freedom), critical)
        return np.where(np.isfinite(error), factor * np.where(np.isfinite(error), error, 0.0), np.inf)

    def deviations(self, rng: np.random.Generator) -> Array:
        """Return draws of the estimates' errors, ``(P, draws)``; equal for models that never differ.

        They use the symmetric root of the covariance, which, unlike eigenvectors, is stable under rounding.
        """
        if not len(self.values):
            return np.zeros((0, DRAWS), dtype=np.float32)
        values, vectors = np.linalg.eigh(np.where(np.isfinite(self.covariance), self.covariance, 0.0))
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        drawn = root @ rng.standard_normal((len(root), DRAWS))
        first = np.argmax((self.spread == 0) & (self.differences == 0), axis=1)
        return np.asarray(drawn[first], dtype=np.float32)


@dataclass(frozen=True, eq=False)
class RankSets:
    """Confidence sets of the models' ranks.

    Parameters
    ----------
    above : ndarray of shape (P, P)
        Whether the first model is better than the second, simultaneously for all pairs.
    marginal : ndarray of shape (P, 2)
        First and last rank of each model, without correction for the other models.
    largest : ndarray of shape (draws,)
        Largest deviation of all pairs, ascending.
    critical : float
        The critical value for all pairs, before stepdown.
    """

    above: Array
    marginal: Array
    largest: Array
    critical: float

    @property
    def simultaneous(self) -> Array:
        """First and last rank of each model, with simultaneous coverage, ``(P, 2)``."""
        return _ranks(self.above.sum(0), self.above.sum(1))

    @property
    def best(self) -> Array:
        """Whether each model may be the best: its marginal set includes rank 1, ``(P,)``."""
        return np.asarray(self.marginal[:, 0] == 1)

    def p_values(self, estimated: Estimated) -> Array:
        """Return p-values adjusted for all pairs: the proportion of draws with a larger deviation.

        If the sample variance is zero, they are at least those of a normal variable, like the critical value.
        """
        from scipy.special import ndtr

        size = np.abs(estimated.statistic)
        exceeding = len(self.largest) - np.searchsorted(self.largest, size)
        share = (1 + exceeding) / (1 + len(self.largest))
        return np.maximum(share, 2 * ndtr(-size)) if estimated.has_no_variance.any() else np.asarray(share)


def rank_sets(estimated: Estimated, deviations: Array, level: float) -> RankSets:
    """Return the confidence sets of the models' ranks.

    Parameters
    ----------
    estimated : Estimated
        The estimates.
    deviations : ndarray of shape (P, draws)
        Draws of their errors.
    level : float
        Coverage probability: of all sets simultaneously, and of each marginal set.

    Returns
    -------
    RankSets

    References
    ----------
    Mogstad, Romano, Shaikh, Wilhelm (2024), Review of Economic Studies 91; Romano, Wolf (2005), Econometrica 73.

    Examples
    --------
    >>> values, alone = np.array([3.0, 1.0, 0.9]), np.full((3, 3), np.inf)
    >>> given = Estimated(values, np.diag([0.2, 0.2, 0.2]) ** 2, alone)
    >>> found = rank_sets(given, given.deviations(np.random.default_rng(0)), 0.95)
    >>> found.simultaneous.tolist(), found.best.tolist()
    ([[1, 1], [2, 3], [2, 3]], [True, False, False])
    """
    size = len(estimated.values)
    scale = safe_divide(np.ones_like(estimated.spread), estimated.spread).astype(np.float32)
    undecided = ~np.eye(size, dtype=bool)
    above = np.zeros_like(undecided)
    first: Array | None = None
    while undecided.any():
        largest = _largest(deviations, scale, undecided)
        first = largest if first is None else first
        decided = undecided & (
            estimated.statistic > _critical(largest, level, (estimated.has_no_variance & undecided).any())
        )
        if not decided.any():
            break
        above |= decided
        undecided &= ~decided
    largest = np.zeros(deviations.shape[1]) if first is None else np.sort(first)
    return RankSets(
        above=above,
        marginal=_marginal(estimated, deviations, scale, level),
        largest=largest,
        critical=float(_critical(largest, level, estimated.has_no_variance.any())),
    )


def _critical(largest: Array, level: float, has_no_variance: Any) -> Array:
    """Return the quantile of the largest deviations; at least a normal one if a sample variance is zero."""
    least = np.where(has_no_variance, normal_quantile(level), 0.0)
    return np.asarray(np.maximum(np.quantile(largest, level, axis=-1), least))


def _largest(deviations: Array, scale: Array, undecided: Array) -> Array:
    """Return the largest deviation over the undecided pairs, for each draw."""
    models, both = np.arange(len(undecided)), undecided & undecided.T
    sides = np.where(both, np.triu(3 * both), undecided)
    return np.asarray(largest_differences(deviations, scale, sides, models, np.zeros_like(models))[0])


def _marginal(estimated: Estimated, deviations: Array, scale: Array, level: float) -> Array:
    """Return first and last rank of each model, with coverage of that set alone, ``(P, 2)``."""
    size = len(estimated.values)
    undecided = np.stack([~np.eye(size, dtype=bool)] * 2)  # pairs of a model above, and below, another
    statistic, found = np.stack([estimated.statistic, estimated.statistic.T]), np.zeros_like(undecided)
    models = np.flatnonzero(undecided.any((0, 2)))
    while len(models):
        most = largest_differences(deviations, scale, undecided[0] + 2 * undecided[1], models, np.arange(len(models)))
        own = undecided[:, models]
        critical = _critical(most, level, (estimated.has_no_variance[models] & own).any((0, 2)))
        decided = own & (statistic[:, models] > critical[:, None])
        found[:, models] |= decided
        undecided[:, models] &= ~decided
        models = models[decided.any((0, 2)) & undecided[:, models].any((0, 2))]
    return _ranks(found[1].sum(1), found[0].sum(1))


def _ranks(worse_than: Array, better_than: Array) -> Array:
    """Return first and last rank from the numbers of models above and below."""
    return np.stack([1 + worse_than, len(worse_than) - better_than], -1)

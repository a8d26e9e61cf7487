"""Limits of a metric of an estimated table, from the limits of the samples that the table is estimated from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import safe_divide
from howsure.designs.refit import Refit
from howsure.methods.core.standard_errors import normal_quantile
from howsure.methods.numerics import binomial
from howsure.metrics.metric import Metric
from howsure.tables.table import Table

STEPS = np.linspace(0.0, 1.0, 33)  # of the way from the observed counts to those at a limit
ROUNDS = 3  # of gradients: the first at the observed counts, each further one its mean with that at the last limit
PSEUDO = 1.0  # cases of each sample, for the gradient and for variances alone
DIFFERENCE_STEP = 1e-4  # of a sample's total: central differences
CLOSE = 1e-6  # of a sample's span: outcomes that are as bad, or as good


@final
@dataclass(frozen=True, slots=True, eq=False)
class Refitted:
    """The metric as a function of the observed counts, with its limits.

    To first order the metric changes by ``Σ g p`` when the proportions p of a sample change, with g its gradient. The
    mean of g in a sample is a proportion of the range between its least and its greatest value, and has binomial
    limits. By the method of variance estimates recovery, the samples move jointly towards these limits, each by the
    fraction ``reach / sqrt(Σ reach²)`` of the distance. The limit is the metric of the table estimated there. The
    gradients at the two ends differ if the metric is nonlinear. Their mean gives other fractions; the farthest limit is
    used. If the observed counts are outside the range of possible tables, for example with a negative proportion,
    the gradient is taken just inside the range and at its border, and the farther limit is used.

    Parameters
    ----------
    metric : Metric
        The metric, bound to the table.
    table : Table
        The estimated table.
    refit : Refit
        The function from the observed counts to the table.
    """

    metric: Metric
    table: Table
    refit: Refit
    row: Array  # the sample of each observed cell
    rows: Array  # (R, observed cells): 1 where a cell is in a sample
    effect: float  # how many times the variance is that of independent cases

    @classmethod
    def of(cls, metric: Metric, table: Table, refit: Refit, slopes: Array) -> Self:
        """Return the function; ``slopes`` is the metric's gradient by the table's cells."""
        row = refit.row
        rows = (row == np.arange(row.max() + 1)[:, None]).astype(float)
        found = cls(metric, table, refit, row, rows, 1.0)
        if refit.is_independent:
            return found
        gradient = found.gradients(refit.observed)[0]
        own = float((refit.observed * (gradient - found._means(refit.observed, gradient)) ** 2).sum())
        effect = float(safe_divide(np.asarray(table.variance(slopes)), np.asarray(own)))
        return cls(metric, table, refit, row, rows, max(effect, 1.0))

    def values(self, observed: Array) -> Array:
        """Return the metric of the tables estimated from other counts, ``(..., observed cells)`` → ``(...)``."""
        with np.errstate(all="ignore"):
            return np.asarray(self.metric(self.table.make_counts(self.refit.tables(observed))))

    def gradients(self, observed: Array) -> list[Array]:
        """Return the gradient inside the range of possible tables; for counts outside, that at them too."""
        smooth = observed + self._pseudo
        inside = self.refit.interior(smooth)
        return [self._gradient(each) for each in ((inside,) if inside is smooth else (inside, smooth))]

    def _gradient(self, smooth: Array) -> Array:
        step = DIFFERENCE_STEP * self._totals(smooth)
        up, down = self.values(smooth + np.multiply.outer([1.0, -1.0], np.diag(step)))
        found = (up - down) / (2 * step)
        return np.where(np.isfinite(found), found, 0.0)

    def limits(self, value: float, starts: Sequence[Array], z: float, confidence_level: float) -> tuple[float, float]:
        """Return the limits.

        Parameters
        ----------
        value : float
            The metric of the table.
        starts : sequence of ndarray of shape (observed cells,)
            Its gradients at the observed counts.
        z : float
            Quantile of the level, of Student's t if variances are uncertain.
        confidence_level : float
            Coverage of the interval.
        """
        n_effective = (normal_quantile(confidence_level) / z) ** 2 / self.effect
        low = min(self._limit(value, start, -1.0, n_effective, confidence_level) for start in starts)
        return low, max(self._limit(value, start, 1.0, n_effective, confidence_level) for start in starts)

    def _limit(self, value: float, start: Array, sign: float, n_effective: float, level: float) -> float:
        observed, farthest, gradient = self.refit.observed, value, start
        for left in reversed(range(ROUNDS)):
            ahead = self._moved(sign * gradient, n_effective, level) - observed
            path = observed + STEPS[:, None] * ahead
            found = self.values(path)
            farthest = sign * float(np.nanmax(np.append(sign * found, sign * farthest)))
            if left:
                gradient = (start + self.gradients(path[-1])[0]) / 2
        return farthest

    def _moved(self, gradient: Array, n_effective: float, level: float) -> Array:
        """Return the observed counts at the upper limit of a linear form."""
        observed = self.refit.observed
        inside = self.rows > 0
        lowest, highest = (
            extreme(np.where(inside, gradient, fill), 1) for extreme, fill in ((np.min, np.inf), (np.max, -np.inf))
        )
        span = highest - lowest
        place = safe_divide(gradient - lowest[self.row], span[self.row])
        number = self.rows @ observed
        share = safe_divide(self.rows @ (observed * place), number)
        share = np.where(share < CLOSE, 0.0, np.where(share > 1 - CLOSE, 1.0, share))
        smooth = observed + self._pseudo
        mean = safe_divide(self.rows @ (smooth * place), number + PSEUDO)
        away = smooth * (place - mean[self.row])
        spread = self.rows @ (away * place)
        # Outcomes between the ends vary less than a share of the same mean.
        fewer = np.where((share > 0) & (share < 1), safe_divide((number + PSEUDO) * share * (1 - share), spread), 1.0)
        trials = number * n_effective * np.maximum(fewer, 1.0)
        _, limit = binomial.jeffreys_or_mid_p(share, trials, level)
        reach = number * span * (limit - share)
        shift = safe_divide(reach, np.sqrt((reach**2).sum())) * safe_divide((limit - share) * number, spread)
        return np.asarray(np.maximum(observed + shift[self.row] * away, 0.0))

    @property
    def _pseudo(self) -> Array:
        return np.asarray(PSEUDO / self.rows.sum(1)[self.row])

    def _totals(self, observed: Array) -> Array:
        return np.asarray((self.rows @ observed)[self.row])

    def _means(self, observed: Array, form: Array) -> Array:
        return np.asarray(safe_divide(self.rows @ (observed * form), self.rows @ observed)[self.row])


def limits_at_levels(
    metric: Metric, table: Table, refit: Refit, value: float, gradient: Array
) -> Callable[[float, float], tuple[float, float]]:
    """Return the limits as a function of the quantile and of the level.

    Parameters
    ----------
    metric : Metric
        The metric, bound to the table.
    table : Table
        One table of estimated counts.
    refit : Refit
        The function from the observed counts to the table.
    value : float
        The metric of the table.
    gradient : ndarray of shape (cells,)
        The metric's gradient by the table's cells.
    """
    fitted = Refitted.of(metric, table, refit, gradient)
    starts = fitted.gradients(refit.observed)
    return lambda z, level: fitted.limits(value, starts, z, level)

"""Prediction intervals for cases that are not labelled yet, from the distribution of the labels given the scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.cases import Cases
from howsure.designs.expected import Batch
from howsure.methods.core.draws import checked_resamples
from howsure.methods.core.interval import CONSTANT, UNDEFINED, Interval, IntervalAtLevel
from howsure.methods.core.method import Method
from howsure.methods.core.standard_errors import NOISE
from howsure.methods.drawn.bootstrap import Bootstrap
from howsure.metrics.metric import Metric
from howsure.native.ends import ends
from howsure.tables.counts import ConfusionCounts
from howsure.tables.table import Table

MOST_TABLES = 2**16  # of the joint distribution; beyond it neighbouring counts are taken together
MOST_COUNTS = 2**8  # of each sum, in that case: a sixteenth of its standard deviation apart
FEW_CASES = 1_000  # of a table of scores: normal intervals of areas cover too little, and draws are quick
NEGLIGIBLE = 1e-13  # mass in each tail of a sum that no interval would notice
BINS = 2**10  # of values, to find the one at a share of the mass without sorting all
MANY = 4 * BINS  # values, from which on that saves time


@final
@dataclass(frozen=True, slots=True)
class Predictive(Method):
    """Prediction interval of a metric for cases that are not labelled yet, from its predictive distribution.

    Given the scores, the numbers of positive cases among the predicted positives (TP) and among the predicted negatives
    (FN) are independent Poisson-binomial variables. The metric is evaluated on every possible table. The limits are
    quantiles of its distribution: each tail has a probability of at most (1 − level) / 2. Beyond 2×2 tables labels are
    drawn instead, with a fixed seed unless `random_state` is given. Tables on which the metric is undefined are left
    out, and the estimate's `reason` reports their number.

    Parameters
    ----------
    n_draws : int
        Number of draws of the labels, at least 39, for tables that need draws.

    References
    ----------
    Hong (2013), Computational Statistics & Data Analysis 59.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.calibrated([0.2, 0.4, 0.7, 0.9] * 25).at(0.5), "accuracy", method=Predictive()))
    0.750 [0.670, 0.830] (prediction for these cases; assumes calibrated scores)
    """

    n_draws: int = 9999
    name: ClassVar[str] = "predictive"

    def __post_init__(self) -> None:
        checked_resamples("n_draws", self.n_draws)

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for cases that are not labelled yet, otherwise the reason why not."""
        if table.design.traits.has_known_probabilities:
            return ""
        return (
            "`Predictive` needs scores without labels that are probabilities, `calibrated(y_score)`, and predicts the "
            "metric of their batch. Use 'delta' or 'bootstrap_percentile'."
        )

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        if table.design.traits.is_exact:
            return lambda _: Interval(np.nan, np.nan, 0.0, reason=CONSTANT)
        if has_joint_distribution(table):
            return _levels(metric, table, _outcomes(table))
        quantiles = Bootstrap("percentile", self.n_draws).at_levels(metric, table, 0 if rng is None else rng)
        return _around_expectation(quantiles, float(metric(table.counted)))

    def intervals(
        self, metrics: Sequence[Metric], table: Table, confidence_level: float, rng: Seed = None
    ) -> list[Interval]:
        """Return the interval of each metric, all from one joint distribution if it can be computed."""
        if table.batch or table.design.traits.is_exact or not (has_joint_distribution(table) or table.is_binary):
            return [self.interval(metric, table, confidence_level, rng) for metric in metrics]
        if not has_joint_distribution(table):
            drawn = Bootstrap("percentile", self.n_draws).each_at_levels(metrics, table, 0 if rng is None else rng)
            around = (_around_expectation(*each) for each in zip(drawn, _values(metrics, table), strict=True))
            return [each(confidence_level).to_scalars() for each in around]
        outcomes = _outcomes(table)
        return [_levels(metric, table, outcomes)(confidence_level).to_scalars() for metric in metrics]

    def levels_of(self, draws: Array, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval from draws of a metric, as a function of its level.

        Parameters
        ----------
        draws : ndarray of shape (draws,)
            The metric on each drawn table; nan where it is undefined.
        metric : Metric
            The metric, bound to the table.
        table : Table
            The table.
        rng : seed, optional
            Seed of the draws.
        """
        quantiles = Bootstrap("percentile", self.n_draws).levels_of(draws, metric, table, rng)
        return _around_expectation(quantiles, float(metric(table.counted)))


def _values(metrics: Sequence[Metric], table: Table) -> list[float]:
    return [float(metric(table.counted)) for metric in metrics]


def _around_expectation(quantiles: IntervalAtLevel, value: float) -> IntervalAtLevel:
    """Return intervals extended to contain the metric's value on the expected table."""

    def interval(confidence_level: float) -> Interval:
        found = quantiles(confidence_level)
        if not np.isfinite(value):
            return found
        # Where one outcome has nearly all the probability, the expectation may lie beside it.
        low, high = min(found.low, value), max(found.high, value)
        if not low < high or found.standard_error <= NOISE * max(1.0, abs(value)):
            words = "; ".join(dict.fromkeys(part for part in (CONSTANT, found.reason) if part))
            return replace(found, low=np.nan, high=np.nan, reason=words)
        return replace(found, low=low, high=high)

    return interval


def _levels(metric: Metric, table: Table, outcomes: tuple[Array, Array]) -> IntervalAtLevel:
    """Return quantiles of the metric's distribution over the possible tables of a batch, by level."""
    return _around_expectation(_quantiles(metric, *outcomes), float(metric(table.counted)))


def _quantiles(metric: Metric, tables: Array, mass: Array) -> IntervalAtLevel:
    with np.errstate(all="ignore"):
        values = np.asarray(metric(ConfusionCounts(tables)), dtype=float)
    low, high = ends(values)
    if math.isnan(low):
        defined = ~np.isnan(values)
        values, mass = values[defined], mass[defined]
        low, high = ends(values) if len(values) else (low, high)
    known = float(mass.sum())
    if not known > 0:
        return lambda _: Interval(np.nan, np.nan, reason=UNDEFINED)
    mass = mass / known
    with np.errstate(invalid="ignore"):
        spread = math.sqrt(mass @ (values - mass @ values) ** 2)
    error = spread if math.isfinite(spread) else math.nan
    reason = f"undefined with probability {1 - known:.2g}" if 1 - known > NEGLIGIBLE else ""
    quantile = _quantile(values, mass, low, high)

    def interval(confidence_level: float) -> Interval:
        tail = (1 - confidence_level) / 2
        return Interval(quantile(tail + NEGLIGIBLE), quantile(1 - tail - NEGLIGIBLE), error, reason=reason)

    return interval


def _quantile(values: Array, mass: Array, low: float, high: float) -> Callable[[float], float]:
    """Return the quantile function of a distribution: the smallest value whose cumulative mass reaches a probability.

    Many values, from ``low`` to ``high``, are counted in bins, and only the values of the relevant bin are sorted.
    """
    scale = BINS / (high - low) if low < high else 0.0
    if len(values) < MANY or not 0 < scale < math.inf:
        order = np.argsort(values)
        return partial(_reached, values[order], np.cumsum(mass[order]))
    bin_of = ((values - low) * scale).astype(np.int16)
    up_to = np.cumsum(np.bincount(bin_of, mass, BINS + 1))

    def quantile(share: float) -> float:
        place = min(int(np.searchsorted(up_to, share)), BINS)
        some = np.flatnonzero(bin_of == place)
        some = some[np.argsort(values[some])]
        before = up_to[place - 1] if place else 0.0
        return _reached(values[some], before + np.cumsum(mass[some]), share)

    return quantile


def _reached(values: Array, up_to: Array, share: float) -> float:
    """Return the first of the ascending values whose cumulative mass reaches ``share``."""
    return float(values[min(int(np.searchsorted(up_to, share)), len(values) - 1)])


def is_predictable(table: Table) -> bool:
    """Return whether the predictive distribution is the best method for a table, and fast to compute."""
    design = table.design
    if isinstance(design, Batch):
        few = (table.kind.has_thresholds or table.shape == (2, 2)) and table.rows <= FEW_CASES
        return few or has_joint_distribution(table)
    return design.traits.has_known_probabilities and not design.traits.is_exact and table.shape == (2, 2)


def has_joint_distribution(table: Table) -> bool:
    """Return whether the predictive distribution is computed exactly; otherwise labels are drawn."""
    return isinstance(table.design, Batch) and table.shape == (2, 2) and table.design.cases.is_binary


def _outcomes(table: Table) -> tuple[Array, Array]:
    assert isinstance(table.design, Batch)  # noqa: S101 - the one with a joint distribution
    return joint_distribution(table.design.cases, table.shape)


def joint_distribution(cases: Cases, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Return the possible tables of a batch, ``(tables, *shape)``, and their probabilities."""
    sums = [_trimmed(*each) for each in cases.sums]
    if np.prod([float(len(mass)) for _, mass in sums]) > MOST_TABLES:
        sums = [_thinned(*each) for each in sums]
    sizes = [len(mass) for _, mass in sums]
    weights, tables = np.ones(1), np.zeros((math.prod(shape), *sizes))
    for axis, (cell, whole, (counts, mass)) in enumerate(zip(cases.targets, cases.group_totals, sums, strict=True)):
        weights = np.multiply.outer(weights, mass)
        along = counts.reshape([-1 if each == axis else 1 for each in range(len(sizes))])
        tables[cell[1]] += along
        tables[cell[0]] += whole - along
    return tables.reshape(len(tables), -1).T.reshape(-1, *shape), weights.ravel()


def _trimmed(start: int, mass: Array) -> tuple[Array, Array]:
    """Return the counts and probabilities without negligible tails."""
    first = int(np.searchsorted(np.cumsum(mass), NEGLIGIBLE))
    last = len(mass) - int(np.searchsorted(np.cumsum(mass[::-1]), NEGLIGIBLE))
    return start + np.arange(first, last, dtype=float), mass[first:last] / mass[first:last].sum()


def _thinned(counts: Array, mass: Array) -> tuple[Array, Array]:
    """Return fewer counts: neighbouring ones are merged at their mean."""
    if len(counts) <= MOST_COUNTS:
        return counts, mass
    index = np.arange(len(counts)) * MOST_COUNTS // len(counts)
    together = np.bincount(index, mass)
    weight = np.where(together[index] > 0, mass, 1.0)  # counts of no probability have their plain mean
    return np.bincount(index, weight * counts) / np.bincount(index, weight), together

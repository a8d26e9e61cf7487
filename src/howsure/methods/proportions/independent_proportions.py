"""Score intervals for two proportions of independent samples: their difference, ratio and odds ratio."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.methods.core.interval import CONSTANT, ONE_CLUSTER, UNDEFINED, Interval, IntervalAtLevel
from howsure.methods.core.method import Method, needs_counted_cases
from howsure.methods.core.standard_errors import effective_counts, normal_quantile, standard_error
from howsure.methods.numerics.bisection import root
from howsure.metrics.forms import Proportion
from howsure.metrics.metric import Contrast, Metric
from howsure.tables.table import Table

LEVEL = 0.95  # arbitrary: effective counts with infinite degrees of freedom do not depend on it


@final
@dataclass(frozen=True, slots=True)
class MiettinenNurminen(Method):
    """Miettinen and Nurminen's score interval (1985) for two proportions of independent samples.

    The interval contains the differences, ratios or odds ratios that the score test does not reject. Its variance is
    evaluated at the maximum likelihood estimates under the hypothesis, times ``N / (N − 1)``. Weighted and clustered
    cases are counted by their effective number.

    References
    ----------
    Miettinen, Nurminen (1985), Statistics in Medicine 4:213–226.

    Examples
    --------
    >>> import howsure as hs
    >>> first, second = hs.from_counts([[50, 3], [5, 42]]), hs.from_counts([[41, 13], [9, 38]])
    >>> print(hs.compare(first, second, "recall", contrast="ratio", method="miettinen_nurminen"))
    recall: first / second = 1.105 [0.926, 1.347], p = 0.249
    """

    name: ClassVar[str] = "miettinen_nurminen"
    takes_batches: ClassVar[bool] = True

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for a contrast of two proportions of separate test sets of counted cases, else why not."""
        if metric.contrast is None or len(table.design.test_sets) == 1 or _shares(metric.contrast) is None:
            return (
                f"`MiettinenNurminen` needs two shares of different cases (accuracy, recall, specificity, precision), "
                f"and `{metric.name}` is no contrast of such. Use `Tango()`, `Mover()`, `Delta()` or `Bootstrap()`."
            )
        return needs_counted_cases(self, table)

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        contrast, counts_at = _counts(metric, table)
        value, error = np.asarray(metric(table.counted), dtype=float), standard_error(metric, table)
        score, to_unit, from_unit = SCORES[contrast.effect.name]

        def interval(confidence_level: float) -> Interval:
            counts = counts_at(confidence_level)
            usable = np.isfinite(value) & np.isfinite(counts).all(0)
            counts, z = np.where(usable, counts, 1.0), normal_quantile(confidence_level)
            near = to_unit(np.where(usable, value, 0.5))

            def reserve(place: Array) -> Array:
                with np.errstate(all="ignore"):
                    return np.asarray(z - np.abs(score(*counts, from_unit(place))))

            near, far = np.stack([near, near]), np.stack([np.zeros(near.shape), np.ones(near.shape)])
            with np.errstate(divide="ignore"):
                ends = from_unit(root(reserve, near, far, tiniest=2.0**-60))
            reason = np.where(np.isfinite(value), ONE_CLUSTER, UNDEFINED)
            reason = np.where(usable, np.where(ends[0] < ends[1], "", CONSTANT), reason)
            low, high = (np.where(reason == "", end, np.nan) for end in ends)
            return Interval(np.minimum(low, value), np.maximum(high, value), error, reason=reason)

        return interval

    def p_value(
        self, metric: Metric, table: Table, null: float, *, draws: Array | None = None, rng: Seed = None
    ) -> float:
        """Return the p-value of the score test."""
        if not np.isposinf(table.design.degrees_of_freedom):  # effective counts of clusters depend on the level
            return Method.p_value(self, metric, table, null, draws=draws, rng=rng)
        contrast, counts_at = _counts(metric, table)
        counts = counts_at(LEVEL)
        if not np.isfinite([*counts, metric(table.counted)]).all():
            return math.nan
        with np.errstate(all="ignore"):
            score = SCORES[contrast.effect.name][0](*counts, np.asarray(null, dtype=float))
        return math.erfc(abs(float(score)) / math.sqrt(2))


def _counts(metric: Metric, table: Table) -> tuple[Contrast, Callable[[float], Array]]:
    """Return the contrast, and the effective successes and trials of both sides by level, ``(4, ...)``."""
    contrast = metric.contrast
    assert contrast is not None  # noqa: S101 - see `unsupported_reason`
    shares = _shares(contrast)
    assert shares is not None  # noqa: S101 - see `unsupported_reason`
    parts = [
        (share, side.view.table(table)) for share, side in zip(shares, (contrast.first, contrast.second), strict=True)
    ]

    def at_level(confidence_level: float) -> Array:
        return np.stack([each for part in parts for each in effective_counts(*part, confidence_level)])

    return contrast, at_level


def _shares(contrast: Contrast) -> tuple[Proportion, Proportion] | None:
    """Return the two plain proportions of a contrast; None if either metric is something else."""
    first, second = (side.metric.proportion for side in (contrast.first, contrast.second))
    if first is None or second is None:
        return None
    plain = ((1, 1), (0, 1))
    if any((each.success_coefficients, each.failure_coefficients) != plain for each in (first, second)):
        return None
    return first, second


def _deviation(gap: Array, variance: Array, total: Array) -> Array:
    """Return a deviation over its standard error; infinite for a deviation with zero variance."""
    certain = np.where(gap == 0, 0.0, np.sign(gap) * np.inf)
    inflation = np.where(total > 1, total / (total - 1), np.inf)  # the effective number of few clusters may be below 1
    return np.where(variance > 0, gap / np.sqrt(variance * inflation), certain)


def _binomial(share: Array, trials: Array) -> Array:
    return np.asarray(share * (1 - share) / trials)


def score_of_difference(x1: Array, n1: Array, x0: Array, n0: Array, d: Array) -> Array:
    """Return the score statistic at a difference, elementwise: the restricted estimates are the root of a cubic."""
    total, hits = n1 + n0, x1 + x0
    cubic = (total, (n1 + 2 * n0) * d - total - hits, (n0 * d - total - 2 * x0) * d + hits, x0 * d * (1 - d))
    a, b, c = (part / (3 * total) for part in cubic[1:])
    turn = a**3 - 1.5 * a * b + 1.5 * c
    reach = np.where(turn < 0, -1.0, 1.0) * np.sqrt(np.maximum(a**2 - b, 0.0))
    cosine = np.divide(turn, reach**3, out=np.zeros(np.shape(turn)), where=reach != 0)
    angle = (np.pi + np.arccos(np.clip(cosine, -1.0, 1.0))) / 3
    second = np.clip(2 * reach * np.cos(angle) - a, np.maximum(0.0, -d), np.minimum(1.0, 1 - d))
    first = np.clip(second + d, 0.0, 1.0)
    return _deviation(x1 / n1 - x0 / n0 - d, _binomial(first, n1) + _binomial(second, n0), total)


def score_of_ratio(x1: Array, n1: Array, x0: Array, n0: Array, ratio: Array) -> Array:
    """Return the score statistic at a ratio, elementwise."""
    total, hits = n1 + n0, x1 + x0
    middle = n1 * ratio + x1 + n0 + x0 * ratio
    second = 2 * hits / (middle + np.sqrt(np.maximum(middle**2 - 4 * total * ratio * hits, 0.0)))
    first = np.clip(ratio * second, 0.0, 1.0)
    variance = _binomial(first, n1) + ratio**2 * _binomial(np.clip(second, 0.0, 1.0), n0)
    return np.where(np.isinf(ratio), -np.inf, _deviation(x1 / n1 - ratio * x0 / n0, variance, total))


def score_of_odds_ratio(x1: Array, n1: Array, x0: Array, n0: Array, odds: Array) -> Array:
    """Return the score statistic at an odds ratio, elementwise."""
    total, hits = n1 + n0, x1 + x0
    middle = n1 * odds + n0 - hits * (odds - 1)
    second = 2 * hits / (middle + np.sqrt(np.maximum(middle**2 + 4 * n0 * (odds - 1) * hits, 0.0)))
    first = second * odds / (1 + second * (odds - 1))
    information = 1 / (1 / (n1 * first * (1 - first)) + 1 / (n0 * second * (1 - second)))
    gap = x1 - n1 * first
    return np.where(np.isinf(odds), -np.inf, _deviation(gap, information, total))


def _ratio(place: Array) -> Array:
    return np.asarray(place / (1 - place))


def _place(ratio: Array) -> Array:
    return np.asarray(ratio / (1 + ratio))


Score = Callable[..., Array]  # (successes, trials) of either sample, and the value of the contrast
Scale = Callable[[Array], Array]
SCORES: Mapping[str, tuple[Score, Scale, Scale]] = {  # with the way to the unit interval and back
    "difference": (score_of_difference, lambda d: (d + 1) / 2, lambda place: 2 * place - 1),
    "ratio": (score_of_ratio, _place, _ratio),
    "odds_ratio": (score_of_odds_ratio, _place, _ratio),
}

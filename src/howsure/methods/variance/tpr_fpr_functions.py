"""Intervals of functions of two rates, such as likelihood and odds ratios, from the intervals of the rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.base import safe_divide
from howsure.methods.core.interval import (
    CONSTANT,
    ONE_CLUSTER,
    UNDEFINED,
    Interval,
    IntervalAtLevel,
    interval_with_reasons,
)
from howsure.methods.core.method import Method, needs_counted_cases
from howsure.methods.core.scales import automatic_scale, inside, on_scale, scaled
from howsure.methods.core.standard_errors import effective_counts, is_positive_error, standard_error
from howsure.methods.numerics import binomial
from howsure.metrics.forms import Proportion
from howsure.metrics.metric import Metric
from howsure.tables.counts import ConfusionCounts
from howsure.tables.table import Table, with_pseudo_counts

SAME_RATES = np.array([[[8.0, 3.0], [5.0, 11.0]], [[80.0, 30.0], [5.0, 11.0]]])  # tables, in other class shares
POSITIVE = np.array([False, True, False, True])  # cells that are predicted as the second class
RATES = tuple(Proportion(POSITIVE & row, row, (1.0, 1.0), (0.0, 1.0)) for row in np.eye(2, dtype=bool).repeat(2, 1))


@final
@dataclass(frozen=True, slots=True)
class TwoRates(Method):
    """Interval of a function of recall and false positive rate, combined from the mid-p intervals of the two.

    Notes
    -----
    A likelihood ratio, an odds ratio, or precision at a stated prevalence is a function of two independent rates p₀ and
    p₁: the proportions of the negative and of the positive class that are predicted positive. Let g be the scale of
    the metric's range, the logarithm or the logit. One rate at a time is moved to its own limit, and the squared
    changes of g(θ) are added:

    ``low = g⁻¹(g(θ) − sqrt(r Σᵢ (g(θ) − g(θ with pᵢ at its limit))²))``

    with the limit of pᵢ that lowers θ; likewise for the upper limit. The limits of a rate with one or two errors are
    far from symmetric, and so is the result. The factor r is the design-based variance over that of independent rates,
    1 for independent cases. If the value is at an end of the range, g(θ) is that of the table with two cases spread
    over its cells.

    References
    ----------
    Zou, Donner (2008), Statistics in Medicine 27; Donner, Zou (2012), Statistical Methods in Medical Research 21, for
    ratios.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[98, 2], [5, 42]])
    >>> print(hs.estimate(table, "plr", method=TwoRates()))
    44.681 [13.745, 265.791]
    """

    name: ClassVar[str] = "two_rates"
    takes_batches: ClassVar[bool] = True

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for functions of the two rates of a 2×2 table of counted cases, otherwise the reason why not."""
        if metric.contrast is None and table.counts_class is ConfusionCounts and table.shape == (2, 2):
            with np.errstate(all="ignore"):
                value, same = metric(ConfusionCounts(SAME_RATES))
            if np.isclose(value, same, rtol=1e-9):
                return needs_counted_cases(self, table)
        return (
            "`TwoRates` is for what follows from recall and false positive rate of one class, and "
            f"`{metric.name}` here does not. Use `Delta()`."
        )

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        scale = automatic_scale(metric.range)
        with np.errstate(all="ignore"):
            value = metric.value_at(table.counted)
            rates = np.where(inside(value, metric.range), _rates(table), _rates(with_pseudo_counts(table)))
            centre = metric(_counts(rates))
            place, slope = scaled(scale, centre, metric.range)
        error, factor = standard_error(metric, table), _factor(metric, table, value)

        def interval(confidence_level: float) -> Interval:
            limits, known = _limits(rates, table, confidence_level)
            with np.errstate(all="ignore"):
                moves = np.array([[_moved(metric, rates, row, end) for end in limits[:, row]] for row in (0, 1)])
                reach = scaled(scale, moves, metric.range)[0] - place
                below, above = (_length(factor, side) for side in (-reach, reach))
                low, _ = on_scale(scale, centre, below / slope, metric.range)
                _, high = on_scale(scale, centre, above / slope, metric.range)
            low, high = np.minimum(low, value), np.maximum(high, value)
            refusals = (~(low < high), CONSTANT), (~known, ONE_CLUSTER), (~np.isfinite(value), UNDEFINED)
            return interval_with_reasons(low, high, error, *refusals)

        return interval


def _rates(table: Table) -> Array:
    """Return the proportion of each class that is predicted as the second one, ``(2, ...)``."""
    cells = table.cells
    return np.stack([cells[..., place + 1] / (cells[..., place] + cells[..., place + 1]) for place in (0, 2)])


def _counts(rates: Array) -> ConfusionCounts:
    """Return the table of rates ``(2, ...)``, with one case of each class."""
    return ConfusionCounts(np.moveaxis(np.stack([1 - rates, rates]), (1, 0), (-2, -1)))


def _moved(metric: Metric, rates: Array, row: int, end: Array) -> Array:
    """Return the metric with the rate of one class at a limit; nan if an average loses a class there."""
    moved = rates.copy()
    moved[row] = end
    value = metric(_counts(moved))
    if metric.per_class is None:
        return value
    before, after = (np.isnan(metric.per_class(_counts(each))) for each in (rates, moved))
    return np.where((after & ~before).any(-1), np.nan, value)


def _limits(rates: Array, table: Table, confidence_level: float) -> tuple[Array, Array]:
    """Return the mid-p limits of the rates, lower and upper, ``(2, 2, ...)``, and whether they exist."""
    successes, trials = np.stack([effective_counts(rate, table, confidence_level) for rate in RATES], 1)
    fixed, known = np.isinf(trials), ~np.isnan(trials)
    counted = known & ~fixed
    successes, trials = (np.where(counted, each, 0.0) for each in (successes, trials))
    limits = np.stack(binomial.mid_p(successes, trials, confidence_level))
    return np.where(fixed, rates, limits), known.all(0)


def _length(factor: Array, reach: Array) -> Array:
    """Return the combined distance to one side, from ``(rates, limits, ...)``; nan is infinite."""
    each = np.maximum(np.where(np.isnan(reach), np.inf, reach), 0.0).max(1)
    return np.asarray(np.sqrt(factor * (each**2).sum(0)))


def _factor(metric: Metric, table: Table, value: Array) -> Array:
    """Return the design-based variance of the metric over that of independent rates."""
    if table.design.traits.is_independent:
        return np.ones(value.shape)
    gradient = metric.finite_gradient(table.counted).reshape(table.cells.shape)
    parts = [table.variance(np.where(rate.trials, gradient, 0.0)) for rate in RATES]
    whole, alone = table.variance(gradient), np.asarray(sum(parts))
    return np.where(is_positive_error(np.sqrt(alone), value), safe_divide(whole, alone), 1.0)

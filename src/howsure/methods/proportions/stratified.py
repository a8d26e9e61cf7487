"""Intervals for partially labelled tables, stratum by stratum."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.base import safe_divide
from howsure.designs.strata import PartialLabels, Strata
from howsure.methods.core.interval import CONSTANT, ONE_CLUSTER, UNDEFINED, Interval, IntervalAtLevel
from howsure.methods.core.method import Method
from howsure.methods.core.standard_errors import (
    NOISE,
    critical_value,
    is_positive_error,
    normal_quantile,
    small_sample,
    standard_error,
)
from howsure.methods.flow.path_extremes import PathExtremes
from howsure.methods.numerics import binomial
from howsure.methods.numerics.confidence_levels import tail_of
from howsure.metrics.forms import Rank
from howsure.metrics.metric import Metric
from howsure.tables.table import Table

STEPS = (np.arange(65) / 64) ** 3  # of a stratum's way to its end, closest where it begins
MOST_MOVED = 2**22  # numbers of the tables with one stratum moved each; of more the tangent has to do


@final
@dataclass(frozen=True, slots=True)
class Stratified(Method):
    """Interval of a sum over strata, combined from intervals of the strata: for partially labelled cases.

    Notes
    -----
    To first order, a metric is a sum over the strata: the verdicts of a judge, or ranges of its grades. The
    contribution of a stratum lies between those of its worst and its best outcome for the metric. Its place between the
    two is a proportion p, estimated from the labelled cases of the stratum. The limits of the proportions are combined
    by the method of variance estimates recovery, with the variance of the stratum sizes:
    ``low = value - sqrt(sum(w**2 (p - l)**2) + z**2 between)``.
    Here ``w (p - l)`` is the largest decrease of the metric itself while that stratum moves to its limit l.

    The limits of a proportion are Jeffreys', or mid-p limits if all labels of a stratum agree; without labels they are
    0 and 1. Several strata whose labels all agree have one joint limit for the outcomes absent from all of them. If
    several strata have few cases of an outcome each, the distances are widened to those of a single proportion of all
    strata. For weighted or clustered cases the number of labels is the effective one, and z a Student t quantile.

    References
    ----------
    Zou, Donner (2008), Statistics in Medicine 27; Cochran (1977), Sampling Techniques, chapter 12; Buehler (1957),
    Journal of the American Statistical Association 52.

    Examples
    --------
    >>> import howsure as hs
    >>> judge = ["pass"] * 80 + ["fail"] * 20
    >>> human = ["pass"] * 19 + ["fail"] + [None] * 60 + ["fail"] * 4 + ["pass"] + [None] * 15
    >>> print(hs.estimate(hs.judged(human, judge), "pass_rate", method=hs.methods.Stratified()))
    0.800 [0.654, 0.910] (positive: pass)
    """

    name: ClassVar[str] = "stratified"

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for smooth metrics of partially labelled cases, otherwise the reason why not."""
        if len(table.design.test_sets) > 1 or not table.design.supports(PartialLabels.stratum_contributions):
            return "`Stratified` is for cases of which some are labelled, from `judged`. Use `Delta()`."
        if isinstance(metric.structure, Rank):
            return f"`Stratified` is for metrics that move with each case, and `{metric.name}` is none. Use `Delta()`."
        return ""

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        with np.errstate(all="ignore"):
            value, error = float(metric(table.counted)), float(standard_error(metric, table))
        slopes = metric.finite_gradient(table.counted).ravel()
        seen = np.abs(slopes) * table.cells.sum() > NOISE * max(1.0, abs(value))  # more than rounding leaves of zero
        slopes = np.where(seen, slopes, 0.0)
        parts = PartialLabels.of(table.design).stratum_contributions(table.cells, slopes)
        known = small_sample(metric, table)

        moves = _moves(metric, table, slopes, parts)

        def interval(confidence_level: float) -> Interval:
            z = float(critical_value(confidence_level, *known))
            if not (np.isfinite(value) and np.isfinite(z)):
                reason = ONE_CLUSTER if np.isfinite(value) else UNDEFINED
                return Interval(np.nan, np.nan, error, reason=reason)
            below, above = reaches(parts, z, confidence_level, moves)
            low, high = max(value - below, metric.range[0]), min(value + above, metric.range[1])
            if not is_positive_error(high - low, value):
                return Interval(np.nan, np.nan, error, reason=CONSTANT)
            return Interval(low, high, error)

        return interval


def reaches(
    parts: Strata, z: float, confidence_level: float, moves: Callable[[Array, Array], tuple[Array, Array]] | None = None
) -> tuple[float, float]:
    """Return the distances of the limits of a sum over strata below and above its value.

    Parameters
    ----------
    parts : Strata
        The contributions of the strata.
    z : float
        Quantile of the level, of Student's t if variances are uncertain.
    confidence_level : float
        Coverage of the interval.
    moves : callable, optional
        Decrease and increase of the value with each stratum; by default in proportion to its reach.
    """
    trials = parts.trials * (normal_quantile(confidence_level) / z) ** 2
    low, high = binomial.jeffreys_or_mid_p(parts.value, trials, confidence_level)

    def moved(low: Array, high: Array) -> tuple[Array, Array]:
        if moves is None:
            return parts.reach * (low - parts.value), parts.reach * (high - parts.value)
        return moves(low, high)

    known = trials > 0
    best, worst = (known & end for end in (parts.value >= 1, parts.value <= 0))
    unseen = [_unseen(parts.reach * silent, trials, confidence_level) for silent in (best, worst)]
    squares = []
    for each, one, together, silent in zip(
        moved(low, high),
        moved(*_as_one_proportion(parts, trials, confidence_level)),
        moved(parts.value - unseen[0], parts.value + unseen[1]),
        (best, worst),
        strict=True,
    ):
        farthest = max(float(np.abs(each[silent]).max(initial=0.0)), abs(float(together[silent].sum())))
        varied = max(float((each[~silent & known] ** 2).sum()), float(one.sum()) ** 2)
        squares.append(varied + float((each[~known] ** 2).sum() + farthest**2 + z**2 * parts.between))
    below, above = squares
    return math.sqrt(below), math.sqrt(above)


def _as_one_proportion(parts: Strata, trials: Array, confidence_level: float) -> tuple[Array, Array]:
    """Return limits of the strata that move their sum as far as the limits of one proportion of all strata.

    The method of variance estimates recovery evaluates the variance of each stratum at the stratum's own limit. If
    several strata have one or two cases of an outcome each, all these limits are near 0, and the variances are too
    small; the joint limit moves each of them by less. The sum of the strata is also a proportion, of the sum of the
    reaches R. Its number of cases is the one that gives its variance: ``v (1 - v) R² / Σ r² p (1 - p) / n``. Jeffreys'
    limits of that proportion are reached here by strata that all go the same part of their way to 0 or to 1. The sum is
    at least that far from its limits. For one stratum, and for many cases, this changes nothing.
    """
    known = np.where(trials > 0, parts.reach, 0.0)
    varied = float((known**2 * safe_divide(parts.value * (1 - parts.value), trials)).sum())
    span = float(known.sum())
    if not varied > 0:
        return parts.value, parts.value
    share = float((known * parts.value).sum()) / span
    cases = share * (1 - share) * span**2 / varied
    inside = (known > 0) & (parts.value > 0) & (parts.value < 1)
    found = []
    for limit, end in zip(binomial.jeffreys(share * cases, cases, confidence_level), (0.0, 1.0), strict=True):
        ways = np.where(inside, end - parts.value, 0.0)
        part = abs(float(limit) - share) * span / abs(float((known * ways).sum()))
        found.append(parts.value + ways * min(part, 1.0))
    return found[0], found[1]


def _unseen(gains: Array, trials: Array, confidence_level: float) -> Array:
    """Return the proportions, in strata whose cases all agree, that jointly move a sum farthest.

    The probability that no case of any stratum differs is ``Π (1 - p)**m``. Subject to this being equal to the tail
    probability, the sum of the gains ``g p`` is largest at ``1 - p = λ m / g``, with p = 0 if that exceeds 1. For one
    stratum the result is its own limit.
    Source: Buehler (1957), Journal of the American Statistical Association 52, 482, for the case of no event.

    Parameters
    ----------
    gains : ndarray of shape (strata,)
        Change of the sum for a proportion of 1 in each stratum; 0 for strata that are left out.
    trials : ndarray of shape (strata,)
        Number of cases of each.
    confidence_level : float
        Coverage of the two-sided interval.
    """
    order = np.argsort(-safe_divide(gains, trials), kind="stable")[: np.count_nonzero(gains)]
    shares = np.zeros(gains.shape)
    if order.size:
        worth, number = np.log(gains[order] / trials[order]), trials[order]
        least = (np.cumsum(number * worth) + math.log(tail_of(confidence_level))) / np.cumsum(number)
        last = np.flatnonzero(worth > least).max(
            initial=0
        )  # the first is above, unless rounding of many cases hides it
        shares[order] = -np.expm1(-np.maximum(worth - least[last], 0.0))
    return shares


def _moves(
    metric: Metric, table: Table, slopes: Array, parts: Strata
) -> Callable[[Array, Array], tuple[Array, Array]] | None:
    """Return the change of the metric itself when one stratum changes: it may be nonlinear, and not monotone."""
    ends = PartialLabels.of(table.design).extreme_tables(table.cells, slopes)
    if len(STEPS) * ends.size > MOST_MOVED:
        return None
    with np.errstate(all="ignore"):
        tables = table.cells + STEPS[:, None, None, None, None] * (ends - table.cells)
        found = metric(table.make_counts(tables)) - metric(table.make_counts(table.cells))
    straight = parts.reach * STEPS[:, None, None] * np.stack([-parts.value, 1 - parts.value])
    found = np.where(np.isfinite(found), found, straight[:, :, None])
    down, up = PathExtremes(STEPS, found[:, 0].min(1)), PathExtremes(STEPS, found[:, 1].max(1))

    def moves(low: Array, high: Array) -> tuple[Array, Array]:
        value = parts.value
        return down.lowest(safe_divide(value - low, value)), up.highest(safe_divide(high - value, 1 - value))

    return moves

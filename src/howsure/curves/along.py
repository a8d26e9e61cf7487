"""Default intervals of metrics of counts at the thresholds of scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from howsure.arrays import Array
from howsure.curves.bands import thresholds_from_top
from howsure.designs.cell_sums import confusion_from_top
from howsure.estimates.batched_intervals import batched_intervals
from howsure.methods.drawn.predictive import has_joint_distribution
from howsure.methods.proportions.threshold_limits import ThresholdLimits, cumulated, rate_reaches
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.confusion import ConfusionTable
from howsure.tables.scores import ScoresTable as Table

LONG = 4_000  # with more thresholds, limits are computed at about this number of them and interpolated
MOST_ESTIMATES = 200  # the same, if thresholds are estimated one by one
FEW_ESTIMATES = 40  # the same, for a large table
MOST_DRAWN = 40  # the same, if labels are drawn for each threshold
ENDS = 20  # thresholds at each end, all of which are estimated
KEPT = 2**18  # largest number of scores for which the confusion tables along a curve are cached


def on_counts(metric: str | Spec | Metric, table: Table) -> Metric:
    """Return the metric bound to the confusion tables of a table of scores."""
    return resolve(metric, ConfusionTable(counts=np.ones((2, 2)), labels=table.labels))


def confusion_along(table: Table) -> tuple[Array, Array]:
    """Return thresholds in descending order and the confusion table at each, ``(S + 1, 2, 2)``."""
    return thresholds_from_top(table), confusion_from_top(table.counts)


def limits_along(
    metrics: Sequence[str | Metric],
    table: Table,
    cells: Array,
    values: Sequence[Array],
    level: float,
    places: Array | None = None,
) -> list[tuple[Array, Array]]:
    """Return for each metric the limits of its default interval at each threshold, the same as from `estimate`.

    For independent cases, all thresholds are estimated at once; for other designs, one by one. With very many
    thresholds, the distances between limits and values are interpolated between some thresholds, including those at
    both ends.

    Parameters
    ----------
    metrics : sequence of str or Metric
        Metrics of a confusion table.
    table : ScoresTable
        The table of scores.
    cells : ndarray of shape (T, 2, 2)
        The confusion tables along the thresholds.
    values : sequence of ndarray of shape (T,)
        Values of each metric at the thresholds.
    level : float
        The confidence level.
    places : ndarray of int, optional
        Positions of the thresholds to return limits for, ascending; by default all.
    """
    first, found = table.at(np.inf), {}
    bound = [resolve(metric, first) for metric in metrics]
    if table.design.traits.is_independent:
        chosen = _spread(len(cells), LONG) if places is None or len(places) > LONG else places
        batch = replace(first, counts=cells[chosen], rows=np.full(len(chosen), table.rows))
        answers = batched_intervals(batch, bound, None, level)
        found = {place: (chosen, np.stack([each.low, each.high])) for place, (_, each) in answers.items()}
    if rest := [place for place in range(len(metrics)) if place not in found]:
        draws = table.design.traits.has_known_probabilities and not has_joint_distribution(first)
        chosen = _spread(len(cells), MOST_DRAWN if draws else MOST_ESTIMATES)
        own = _one_by_one([metrics[place] for place in rest], table, chosen, level)
        found |= {place: (chosen, limits) for place, limits in zip(rest, own, strict=True)}
    return [
        _everywhere(value, *found[place], metric.range, places)
        for place, (value, metric) in enumerate(zip(values, bound, strict=True))
    ]


def roc_limits(
    table: Table, false: Array, true: Array, level: float, places: Array | slice = slice(None)
) -> tuple[Array, Array]:
    """Return the limits of the true positive rate at each false positive rate, as from `ThresholdLimits`.

    At rates of 0 and 1 the distances of the limits are those at a rate one case away. If several true positive rates
    have the same false positive rate, the estimate is the highest one. For independent cases, limits are computed at
    all points. For other designs, they are computed at one false positive rate after the other, and their distances
    are interpolated if there are many.

    Parameters
    ----------
    table : ScoresTable
        The table of scores.
    false, true : ndarray of shape (S + 1,)
        Rates at each threshold, in descending order of thresholds.
    level : float
        The confidence level.
    places : slice or ndarray of int
        Positions of the thresholds to return limits for; by default all.
    """
    rates, shares = false[places], true[places]
    if table.design.traits.is_independent:
        errors, hits = cumulated(table.counts)
        least = 1 / (errors[-1] + 2)
        rate = np.where(rates <= 0, least, np.where(rates >= 1, 1 - least, rates))
        below, above = rate_reaches(errors, hits, rate, shares, (errors[-1], hits[-1]), level)
    else:
        below, above = (each[places] for each in _roc_reaches(table, false, true, level))
    low, high = np.maximum(shares - below, 0.0), np.minimum(shares + above, 1.0)
    return np.where(rates <= 0, 0.0, low), np.where(rates >= 1, 1.0, high)


def _roc_reaches(table: Table, false: Array, true: Array, level: float) -> tuple[Array, Array]:
    """Return the distances of the limits below and above ``recall_at+fpr=``, at each false positive rate."""
    rates = np.unique(false[(false > 0) & (false < 1)])
    rates = rates if rates.size else np.array([0.5])
    rates = rates[_spread(len(rates), MOST_ESTIMATES if len(table.counts) <= LONG else FEW_ESTIMATES)]
    metrics = [resolve(f"recall_at+fpr={float(rate)!r}", table) for rate in rates]
    answers = batched_intervals(table, metrics, ThresholdLimits(), level)
    highest = true[np.searchsorted(false, rates, side="right") - 1]
    limits = np.array([(answers[place][1].low, answers[place][1].high) for place in range(len(rates))])
    if not table.design.traits.has_labels:  # a metric without variation is certain
        limits = np.where(np.isnan(limits), highest[:, None], limits)
    return np.interp(false, rates, highest - limits[:, 0]), np.interp(false, rates, limits[:, 1] - highest)


def _spread(size: int, most: int) -> Array:
    """Return evenly spread positions of thresholds, and all positions near both ends; all if they are few."""
    if size <= most:
        return np.arange(size)
    even = np.linspace(0, size - 1, min(size, most)).round().astype(np.intp)
    return np.unique(np.concatenate([even, np.arange(min(size, ENDS)), np.arange(max(size - ENDS, 0), size)]))


def _everywhere(
    value: Array, chosen: Array, limits: Array, ends: tuple[float, float], places: Array | None
) -> tuple[Array, Array]:
    """Return limits at the places, by interpolating the distances between limits and values."""
    wanted = np.arange(len(value)) if places is None else places
    if np.array_equal(chosen, wanted):
        return limits[0], limits[1]
    low, high = (value[wanted] + np.interp(wanted, chosen, each - value[chosen]) for each in limits)
    return np.maximum(low, ends[0]), np.minimum(high, ends[1])


def _one_by_one(metrics: Sequence[str | Metric], table: Table, chosen: Array, level: float) -> Array:
    """Return the limits of each metric, threshold by threshold, ``(metrics, 2, thresholds)``.

    Methods that draw use the same random stream at all thresholds, so bands are smooth and reproducible.
    """
    seed = np.random.SeedSequence(0)
    limits = np.empty((len(metrics), 2, len(chosen)))
    for column, small in enumerate(_tables_at(table, chosen)):
        answers = batched_intervals(small, [resolve(each, small) for each in metrics], None, level, seed)
        limits[:, :, column] = [(answers[place][1].low, answers[place][1].high) for place in range(len(metrics))]
    return limits


def _tables_at(table: Table, chosen: Array) -> Iterable[ConfusionTable]:
    """Return the confusion tables at some thresholds; those of the last curve are cached if they are few.

    The curves of a report at different levels have the same thresholds, and tables cache their intermediate results.
    """

    def tables() -> Iterable[ConfusionTable]:
        return (table.at(threshold) for threshold in thresholds_from_top(table)[chosen])

    if len(chosen) * len(table.counts) > KEPT:
        return tables()
    return table.of_last_curve.at(chosen.tobytes(), lambda: list(tables()))

"""Metrics of counts as functions of the threshold, with bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.arrays import Array, Seed
from howsure.curves.along import confusion_along, limits_along, on_counts
from howsure.curves.curves import Curve, checked_band, score_table
from howsure.curves.signatures import Band
from howsure.designs.base import PSEUDO_COUNT
from howsure.designs.resampling import Resampling
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import checked_level
from howsure.estimates.grouped import Results, apply_by_group
from howsure.estimates.reasons import without_variation
from howsure.methods.core.draws import seed_sequence, values_of_draws
from howsure.methods.core.scales import automatic_scale, on_scale
from howsure.methods.core.standard_errors import NOISE, quantile
from howsure.methods.drawn.bootstrap import Bootstrap
from howsure.methods.numerics.binomial import wilson
from howsure.metrics.binding import from_split, listed_metrics
from howsure.metrics.forms import STEP
from howsure.metrics.metric import Metric
from howsure.tables.counts import ConfusionCounts
from howsure.tables.scores import ScoresTable as Table

GRID = 100  # thresholds at which resampled curves are compared; more of them hardly change the band
ROUNDING = 1e-12  # rounding error, relative to terms that cancel


@apply_by_group
def threshold_curves(
    table: Table,
    metrics: str | Metric | Sequence[str | Metric],
    *,
    band: Band = "pointwise",
    confidence_level: float = 0.95,
    n_resamples: int = 999,
    random_state: Seed = None,
) -> Results[Curve]:
    """Return metrics of counts at all thresholds, in one pass over the sorted scores.

    Parameters
    ----------
    table : ScoresTable or Tables
        Table made by `scores`, also by group.
    metrics : str, Metric or sequence of them
        Metrics of a confusion table, such as ``"f1"``, ``"mcc"``.
    band : {"pointwise", "simultaneous", "none"}
        Kind of the band: it covers at each threshold, or the whole curve.
    confidence_level : float
        Confidence level of the band, between 0 and 1.
    n_resamples : int
        Number of resamples for simultaneous bands, at least 39.
    random_state : int, Generator or SeedSequence, optional
        Seed of the resamples; each group has its own stream.

    Returns
    -------
    Results of Curve
        Curves by metric, with columns ``threshold`` (descending, infinity first), ``value``, ``low``, ``high``. For
        `Tables`, a `Grouped` of such results.

    Raises
    ------
    HowsureError
        If the table does not contain scores, or a metric, the band or the level is invalid. If the design of the table
        does not define the variance of the confusion table at a threshold.

    Notes
    -----
    Pointwise limits are those of ``estimate(table, metric, threshold=...)``, by the default method of the metric. With
    more than 200 thresholds of clustered, weighted, stratified or unlabelled cases (4,000 of independent ones, 40 of
    weighted unlabelled ones), limits are interpolated between as many thresholds and the 20 at each end. Simultaneous
    limits contain the pointwise ones. They are those of Wilson or of the delta method, widened by a sup-t factor: the
    quantile of the largest deviation along the resampled curves, in standard errors. Their coverage is asymptotic.

    References
    ----------
    Montiel Olea, Plagborg-Møller (2019), Journal of Applied Econometrics 34, for sup-t bands.

    Examples
    --------
    >>> import howsure as hs
    >>> curves = threshold_curves(hs.scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), ["recall", "f1"])
    >>> curves["recall"]["value"].tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    table, level = score_table(table), checked_level(confidence_level)
    checked_band(band)
    wanted = listed_metrics(metrics)
    bound = [on_counts(metric, table) for metric in wanted]
    thresholds, cells = confusion_along(table)
    shared = ConfusionCounts(cells)
    with np.errstate(all="ignore"):
        values = [np.asarray(metric(shared), dtype=float) for metric in bound]
    reason = "" if band == "none" else without_variation(table)
    limits = [] if band == "none" else limits_along(wanted, table, cells, values, level)
    if band == "simultaneous" and not reason:
        size = Bootstrap("percentile", n_resamples).n_resamples
        factors = _widening(table, bound, level, size, random_state)
        parts = zip(bound, values, factors, limits, strict=True)
        limits = [
            _wider(each, pointwise_limits(metric, table, cells, value, level, factor))
            for metric, value, factor, each in parts
        ]
    curves = {}
    for place, (metric, value) in enumerate(zip(bound, values, strict=True)):
        columns = {"threshold": thresholds, "value": value}
        if limits:
            columns["low"], columns["high"] = limits[place]
        curves[metric.name] = Curve(
            name=metric.name,
            columns=columns,
            unpacked=(thresholds, value),
            confidence_level=level,
            band=band,
            positive=table.positive,
            reason=reason,
        )
    return Results(results=curves, column="metric")


def _wider(one: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the smaller of two lower limits and the larger of two upper limits."""
    return np.fmin(one[0], other[0]), np.fmax(one[1], other[1])


def pointwise_limits(
    metric: Metric,
    table: Table,
    cells: Array,
    value: Array,
    level: float,
    factor: float = 1.0,
    index: Array | None = None,
) -> tuple[Array, Array]:
    """Return limits of a metric at each threshold; the quantile is multiplied by ``factor``.

    Parameters
    ----------
    metric
        A metric of a confusion table.
    table
        The table of scores, whose design defines the variance.
    cells, value
        The confusion tables at the thresholds, and the values of the metric.
    level, factor
        Confidence level, and factor of the quantile.
    index
        Positions of the thresholds in descending order; by default all.
    """
    z = factor * quantile(level, table.design.degrees_of_freedom)
    share = metric.proportion
    if share is not None and table.design.traits.is_independent:
        from scipy import special

        hits, trials = ((cells * mask).sum((-2, -1)) for mask in (share.successes, share.trials))
        low, high = wilson(hits, trials, float(2 * special.ndtr(z) - 1))
        return share.metric(low), share.metric(high)
    with np.errstate(all="ignore"):
        error = errors_along(metric, table, cells, index)
        centre = value.copy()
        flat = ~(error > NOISE) | (value <= metric.range[0]) | (value >= metric.range[1])
        centre[flat], error[flat] = _smoothed(
            metric, cells[flat], VarianceDetails.of(table.design).mean_unit_size(table.cells)
        )
        low, high = on_scale(automatic_scale(metric.range), centre, z * error, metric.range)
    known = np.isfinite(error)
    return np.where(known, np.fmin(low, value), np.nan), np.where(known, np.fmax(high, value), np.nan)


def _smoothed(metric: Metric, cells: Array, size: Any) -> tuple[Array, Array]:
    """Return value and standard error for tables without variation, after adding two pseudo-cases as in `Delta`.

    The standard error is nan if a metric without variation is certain.
    """
    filled = cells + size * PSEUDO_COUNT / 4
    variance = size * (filled * slopes_along(metric, filled) ** 2).sum((-2, -1))
    return np.asarray(metric(filled)), np.sqrt(np.where(variance > 0, variance, np.nan))


def slopes_along(metric: Metric, cells: Array) -> Array:
    """Return the derivatives with respect to the four cells of many tables, by complex steps."""
    slopes = np.empty(cells.shape)
    for cell in np.ndindex(2, 2):
        nudged = cells.astype(complex)
        nudged[(..., *cell)] += STEP * 1j
        slopes[(..., *cell)] = np.imag(metric(ConfusionCounts(nudged))) / STEP
    return slopes


def errors_along(metric: Metric, table: Table, cells: Array, index: Array | None = None) -> Array:
    """Return the delta-method standard error at each threshold, under the design of the table of scores.

    Parameters
    ----------
    metric : Metric
        A metric of a confusion table.
    table : ScoresTable
        The table, whose design defines the variance.
    cells : ndarray of shape (T, 2, 2)
        The confusion tables at the thresholds.
    index : ndarray of shape (T,), optional
        Positions of the thresholds in descending order; by default all.

    Returns
    -------
    ndarray of shape (T,)
    """
    return np.sqrt(
        VarianceDetails.of(table.design).threshold_variances(table.counts, slopes_along(metric, cells), index)
    )


def coarse(table: Table, size: int = GRID) -> Table:
    """Return the table merged to at most ``size`` bins of equal mass; counts above each edge are exact."""
    mass = table.counts.sum(1)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    _, index = np.unique((middle * size).astype(np.intp), return_inverse=True)
    shape = (int(index[-1]) + 1, 2)
    cell = (2 * index[:, None] + np.arange(2)).ravel()
    design = table.design.collapse_cells(cell, 2 * shape[0])
    counts = np.bincount(cell, table.cells, shape[0] * 2).reshape(shape)
    starts = np.flatnonzero(np.diff(index, prepend=-1))
    return replace(table, counts=counts, scores=table.scores[starts], design=design)


def _widening(table: Table, metrics: Sequence[Metric], level: float, size: int, random_state: Seed) -> list[float]:
    """Return the factor of the quantile for a simultaneous band, for each metric, from resamples of a coarse table."""
    small = coarse(table)
    _, cells = confusion_along(small)
    at_thresholds: list[Metric] = []  # each metric at each threshold, as a function of the counts of the scores
    for metric in metrics:
        at_thresholds += [from_split(metric, len(small.counts) - index) for index in range(1, len(cells))]
    draws = values_of_draws(
        at_thresholds,
        small,
        lambda number, rng: Resampling.of(small.design).resample(small.cells, number, rng),
        size,
        seed_sequence(random_state),
    ).reshape(len(metrics), len(cells) - 1, size)
    base = quantile(level, table.design.degrees_of_freedom)
    return [
        max(1.0, _supremum(metric, small, cells, each, level) / base)
        for metric, each in zip(metrics, draws, strict=True)
    ]


def _supremum(metric: Metric, small: Table, cells: Array, draws: Array, level: float) -> float:
    """Return the quantile of the largest deviation of resampled curves, in standard errors on the metric's scale."""
    value = np.asarray(metric(cells))[1:]
    low, high = pointwise_limits(metric, small, cells, np.asarray(metric(cells)), level)
    with np.errstate(all="ignore"):
        centre, drawn, ends = (_scaled(each, metric.range) for each in (value[:, None], draws, np.stack([low, high])))
        error = (ends[1] - ends[0])[1:] / (2 * quantile(level, small.design.degrees_of_freedom))
        distance = np.abs(drawn - centre) / error[:, None]
    known = np.isfinite(distance) & (value > metric.range[0])[:, None] & (value < metric.range[1])[:, None]
    largest = np.where(known, distance, 0.0).max(0)
    return float(np.quantile(largest, level))


def _scaled(value: Array, bounds: tuple[float, float]) -> Array:
    """Return values on the log or logit scale of a bounded metric."""
    lowest, highest = bounds
    low = np.log(value - lowest) if np.isfinite(lowest) else 0.0
    high = np.log(highest - value) if np.isfinite(highest) else 0.0
    return np.asarray(low - high if np.isfinite(lowest) or np.isfinite(highest) else value)

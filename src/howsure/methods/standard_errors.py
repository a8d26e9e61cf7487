"""How precisely a sample tells a metric: standard errors, what is known of them, quantiles, effective numbers."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.designs.base import quotient
from howsure.methods.levels import Levels, tail_of
from howsure.methods.student import is_ordinary, upper_quantile
from howsure.metrics.forms import Proportion
from howsure.metrics.metric import Metric
from howsure.tables.counts import Counts
from howsure.tables.table import Table

Array = NDArray[Any]
NOISE = 1e-12  # relative to the value: a standard error below it is rounding
FAR = 1e6  # of the square root of the degrees of freedom: a power to twelve digits
LEAST_WORTH = 1e-100  # of trials, at levels whose quantile of Student's t has a square beyond all bounds


def normal_quantile(confidence_level: float | Levels) -> Any:
    """Two-sided standard normal quantile, of each level; infinite at one that leaves nothing."""
    place = tail_of(confidence_level) / 2
    if np.ndim(place):
        from scipy import special

        return -special.ndtri(place)
    return -NormalDist().inv_cdf(place) if place > 0 else np.inf


def quantile(confidence_level: float | Levels, degrees_of_freedom: Any) -> Any:
    """Two-sided quantile of Student's t: normal for infinite degrees of freedom, nan for none."""
    normal = normal_quantile(confidence_level)
    if np.equal(degrees_of_freedom, np.inf).all():
        return normal
    tail = tail_of(confidence_level) / 2
    if np.ndim(tail) == 0 and np.size(degrees_of_freedom) == 1:
        alone = np.asarray(degrees_of_freedom, dtype=float).item()
        if is_ordinary(tail, alone):
            return np.full(np.shape(degrees_of_freedom), upper_quantile(tail, alone))[()]
    from scipy import special

    known = np.where(np.greater(degrees_of_freedom, 0), degrees_of_freedom, np.nan)
    with np.errstate(all="ignore"):
        # Far out the tail is a power of t; there SciPy's inverse may be off, or nan.
        power = np.exp(np.log(known) / 2 - (np.log(known * tail) + special.betaln(known / 2, 0.5)) / known)
        student = np.where(power > FAR * np.sqrt(known), power, -special.stdtrit(known, tail))
    return np.where(np.isposinf(degrees_of_freedom), normal, student)[()]


def shows_variation(error: Any, value: Any) -> Any:
    """Whether a standard error is more than what rounding leaves of zero."""
    return error > NOISE * np.maximum(1.0, np.abs(value))


def standard_error(metric: Metric, table: Table) -> Array:
    """Delta-method standard error of the metric; nan where the metric or its gradient is."""
    return _errors(metric, table, table.counted, table.variance)


def small_sample(metric: Metric, table: Table) -> tuple[Any, Any]:
    """Return by how much the variance of the metric is too small on average, and its degrees of freedom.

    Where a metric looks at scores, a few cases can make up most of its variance: it has Satterthwaite's degrees of
    freedom. Where the sample shows no variation the cells that count are those of the smoothed table.
    """
    if not (metric.of_one_model.of_scores or table.has_sample_variance):
        return design_sample(metric, table)
    heard = _heard_slopes(metric, table)
    inflation, freedom = _by_design(metric, table, heard)
    return inflation, np.minimum(freedom, table.design.satterthwaite(table.cells, table.truth, heard[0]))


def design_sample(metric: Metric, table: Table) -> tuple[Any, Any]:
    """Return by how much the variance of the metric is too small on average, and its degrees of freedom, by the design.

    Of an average over the classes each class has its own; they are put together as Welch and Satterthwaite do. Where
    the variance is a sample's there are no more degrees of freedom than cases less one.
    """
    offered = table.design.offers("small_sample")
    inflation, freedom = (
        _by_design(metric, table, _heard_slopes(metric, table)) if offered else large_sample(metric, table)
    )
    if table.has_sample_variance:
        freedom = np.minimum(freedom, table.effective_trials(np.ones(table.shape)) - 1)
    return inflation, freedom


def sample_with_unseen(metric: Metric, table: Table) -> tuple[Any, Any]:
    """Return the small sample by the design, with a part of a unit that the sample may have missed.

    In differences of models good and bad units are missed alike, and nothing is added.
    """
    inflation, freedom = design_sample(metric, table)
    if metric.contrast is None and table.design.offers("unseen"):
        slopes, silent = _heard_slopes(metric, table)
        inflation = inflation * np.where(silent, 1.0, table.unseen(slopes))
    return inflation, freedom


def _by_design(metric: Metric, table: Table, heard: tuple[Array, Array]) -> tuple[Any, Any]:
    if not table.design.offers("small_sample"):
        return large_sample(metric, table)
    slopes, silent = heard
    one = metric.of_one_model
    if one.of_scores or one.per_class is None:
        inflation, freedom = table.small_sample(slopes)
    else:
        inflation, freedom = _put_together(table, slopes)
    return np.where(silent, 1.0, inflation), freedom


def _heard_slopes(metric: Metric, table: Table) -> tuple[Array, Array]:
    """Return the gradient by flat cells, that of the smoothed table where the sample shows no variation; and where."""
    with np.errstate(all="ignore"):
        gradient = metric.gradient_at(table.counted).reshape(table.cells.shape)
        heard = gradient * table.cells
        silent = ~(np.maximum(heard.max(-1, keepdims=True), -heard.min(-1, keepdims=True)) > NOISE)
        if silent.any():
            smoothed = np.asarray(metric.gradient(table.smoothed().counted)).reshape(table.cells.shape)
            gradient = np.where(silent, smoothed, gradient)
    return _finite(gradient), silent[..., 0]


def _finite(values: Array) -> Array:
    """Return numbers, 0 for those that are none; where all are numbers, themselves."""
    finite = np.isfinite(values)
    return values if finite.all() else np.where(finite, values, 0.0)


def _put_together(table: Table, slopes: Array) -> tuple[Array, Array]:
    """Return the small sample of an average from those of what each true class adds to it."""
    number = len(table.labels)
    each = [np.where(table.truth == index, slopes, 0.0) for index in range(number)]
    designs = table.design.parted(table.truth, number)
    variances = np.stack([design.variance(table.cells, part) for design, part in zip(designs, each, strict=True)])
    samples = [design.small_sample(table.cells, part) for design, part in zip(designs, each, strict=True)]
    inflations, freedoms = (
        np.stack([np.broadcast_to(part, variances.shape[1:]) for part in parts]) for parts in zip(*samples, strict=True)
    )
    least = np.stack([NOISE * np.abs(table.cells * part).sum(-1) for part in each]) ** 2  # rounding
    seen = np.where(variances > least, variances, 0.0)
    whole = seen.sum(0)
    inflation = np.where(whole > 0, quotient((seen * inflations).sum(0), whole), inflations.max(0))
    spread = quotient(seen**2, freedoms).sum(0)
    return inflation, np.where(spread > 0, quotient(whole**2, spread), freedoms.min(0))


def large_sample(metric: Metric, table: Table) -> tuple[Any, Any]:
    """Return that a variance is right on average, with the design's degrees of freedom."""
    return 1.0, table.design.degrees_of_freedom


def critical_value(confidence_level: float | Levels, inflation: Any, degrees_of_freedom: Any) -> Any:
    """Return how many standard errors an interval reaches: the quantile of Student's t, for what is too small wider."""
    return np.sqrt(inflation) * quantile(confidence_level, degrees_of_freedom)


def standard_errors(metric: Metric, table: Table, cells: Array) -> Array:
    """Return the standard errors that the table's design gives to other tables, ``(size, cells)``, over its cells."""
    design = table.design

    def variance(gradient: Array) -> Array:
        slopes = gradient.reshape(cells.shape)
        if design.is_independent:
            return table.variance_at(cells, slopes)
        return np.array([table.variance_at(*each) for each in zip(cells, slopes, strict=True)])  # not all take batches

    return _errors(metric, table, table.wrap(cells), variance)


def _errors(metric: Metric, table: Table, counts: Counts, variance: Callable[[Array], Array]) -> Array:
    with np.errstate(all="ignore"):
        value, gradient = metric.value_at(counts), metric.gradient_at(counts)
    known, slopes = np.isfinite(value), _finite(gradient)
    if slopes is not gradient:
        # An empty cell has no cases that vary, unless its count is an estimate cut off at zero.
        axes = tuple(range(-table.axes, 0))
        known = known & (np.isfinite(gradient) | ~(counts.cells > 0)).all(axes)
    square = variance(slopes)
    least = -np.square(NOISE * np.maximum(1.0, np.abs(value)))  # which rounding leaves of zero
    return np.sqrt(np.where(known & (square >= least), np.maximum(square, 0.0), np.nan))


def effective_counts(share: Proportion, table: Table, confidence_level: float) -> tuple[Array, Array]:
    """Successes and trials of the simple random sample that the design's data are worth.

    For independent cases these are the counts. Otherwise trials are scaled so that the binomial variance equals
    the design's (Korn and Graubard 1998), also for the heavier tail of Student's t, and never beyond the cases seen,
    over the part of their population that was not: their effective number (Kish) where each has a weight of its own.
    """
    marked, met = share.trials.ravel(), share.successes.ravel()
    places = slice(None) if marked.all() else np.flatnonzero(marked)
    tried = table.cells[..., places]
    trials, successes = tried.sum(-1), (tried * met[places]).sum(-1)  # where all are met they are the same number
    design = table.design
    if design.is_independent:
        return successes, trials
    observed = quotient(successes, trials)
    slopes = share.successes.ravel() - observed[..., None] * marked
    variance = design.variance(table.cells, quotient(slopes, trials[..., None]))
    worth = design.effective_trials(table.cells, marked)
    with np.errstate(invalid="ignore", divide="ignore"):
        shows = shows_variation(np.sqrt(variance), observed)
        worth = np.where(shows, quotient(observed * (1 - observed), variance), np.where(worth > 0, worth, np.inf))
        # Where all agree, the marked cells are those that count.
        counted = np.where(shows[..., None], slopes, marked)
        inflation, freedom = table.small_sample(counted)
        inflation = inflation * table.unseen(counted)
        reach = critical_value(confidence_level, np.where(shows, inflation, 1.0), freedom)
        worth = worth * (normal_quantile(confidence_level) / reach) ** 2
        if np.isfinite(freedom).any():
            seen = design.sampled(table.cells) * design.lifted(marked * 1.0)  # of a finite population they tell more
            most = np.where(seen > 0, seen / design.remaining, 0.0).sum(-1) * table.cases_per_count
            worth = np.where(np.isnan(worth), np.nan, np.minimum(np.maximum(worth, LEAST_WORTH), most))
        settled = ~shows & (observed > 0) & (observed < 1) & design.settles(slopes)  # a share of fixed totals
        worth = np.where(settled, np.inf, worth)
    worth = np.where(trials == 0, 0.0, worth)
    found = np.multiply(observed, worth, out=np.zeros_like(worth), where=observed > 0)  # 0 of infinitely many are 0
    return np.where(trials == 0, successes, found), worth

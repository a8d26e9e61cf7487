"""Standard errors, their small-sample corrections and degrees of freedom, quantiles, and effective counts."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import safe_divide
from howsure.designs.clustering import Clustering
from howsure.designs.two_level import TwoLevel
from howsure.designs.variance_details import VarianceDetails
from howsure.methods.numerics import student_t
from howsure.methods.numerics.confidence_levels import Levels, share_beyond, tail_of
from howsure.metrics.forms import Proportion
from howsure.metrics.metric import Metric
from howsure.native.ends import ends
from howsure.tables.counts import Counts
from howsure.tables.protocols import cases_per_count, effective_sample_size
from howsure.tables.table import Table, with_pseudo_counts
from howsure.tables.variances import missed_cluster_inflation, small_sample_correction, variance_at

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
    """Return the two-sided quantile of Student's t: normal for infinite degrees of freedom, nan for 0."""
    normal = normal_quantile(confidence_level)
    if np.equal(degrees_of_freedom, np.inf).all():
        return normal
    tail = tail_of(confidence_level) / 2
    if np.ndim(tail) == 0 and np.size(degrees_of_freedom) == 1:
        alone = np.asarray(degrees_of_freedom, dtype=float).item()
        if student_t.is_ordinary(tail, alone):
            return np.full(np.shape(degrees_of_freedom), student_t.upper_quantile(tail, alone))[()]
    from scipy import special

    known = np.where(np.greater(degrees_of_freedom, 0), degrees_of_freedom, np.nan)
    with np.errstate(all="ignore"):
        # Far out the tail is a power of t; there SciPy's inverse may be off, or nan.
        power = np.exp(np.log(known) / 2 - (np.log(known * tail) + special.betaln(known / 2, 0.5)) / known)
        found = np.where(power > FAR * np.sqrt(known), power, -special.stdtrit(known, tail))
    return np.where(np.isposinf(degrees_of_freedom), normal, found)[()]


def tail_beyond(reach: Any, degrees_of_freedom: Any) -> Any:
    """Return the level's complement at which `quantile` is the given one: the two-sided tail of Student's t."""
    if np.equal(degrees_of_freedom, np.inf).all():
        return share_beyond(reach)
    alone = np.asarray(degrees_of_freedom, dtype=float)
    if np.size(reach) == alone.size == 1:
        found = student_t.share_beyond(np.asarray(reach).item(), alone.item()) if alone > 0 else np.nan
        return np.full(np.shape(reach), found)
    from scipy import special

    return np.where(np.isposinf(alone), share_beyond(reach), 2 * special.stdtr(alone, -np.asarray(reach)))


def is_positive_error(error: Any, value: Any) -> Any:
    """Whether a standard error is more than what rounding leaves of zero."""
    return error > NOISE * np.maximum(1.0, np.abs(value))


def standard_error(metric: Metric, table: Table) -> Array:
    """Delta-method standard error of the metric; nan where the metric or its gradient is."""
    return _errors(metric, table, table.counted, table.variance)


def small_sample(metric: Metric, table: Table) -> tuple[Any, Any]:
    """Return the small-sample factor of the variance (its inverse relative bias), and the degrees of freedom.

    For metrics of scores, a few cases can make up most of the variance, so the degrees of freedom are Satterthwaite's.
    If the sample shows no variation, the gradient of the smoothed table is used.
    """
    if not (metric.single_model.of_scores or table.kind.has_sample_variance):
        return design_sample(metric, table)
    supports = table.design.supports
    if not (supports(VarianceDetails.small_sample_correction) or supports(VarianceDetails.satterthwaite_df)):
        return large_sample(metric, table)
    heard = _heard_slopes(metric, table)
    inflation, degrees_of_freedom = _by_design(metric, table, heard)
    return inflation, np.minimum(
        degrees_of_freedom, VarianceDetails.of(table.design).satterthwaite_df(table.cells, table.true_class, heard[0])
    )


def design_sample(metric: Metric, table: Table) -> tuple[Any, Any]:
    """Return the small-sample factor of the variance and the degrees of freedom, from the design.

    An average over the classes combines the values of the classes, as Welch and Satterthwaite do. If the metric uses
    the sample variance, the degrees of freedom are at most the number of cases minus 1.
    """
    offered = table.design.supports(VarianceDetails.small_sample_correction)
    inflation, degrees_of_freedom = (
        _by_design(metric, table, _heard_slopes(metric, table)) if offered else large_sample(metric, table)
    )
    if table.kind.has_sample_variance:
        degrees_of_freedom = np.minimum(degrees_of_freedom, effective_sample_size(table, np.ones(table.shape)) - 1)
    return inflation, degrees_of_freedom


def small_sample_with_missed_clusters(metric: Metric, table: Table) -> tuple[Any, Any]:
    """Return `design_sample`, with the variance factor increased for units that the sample may have missed.

    For differences of models nothing is added, since good and bad units are equally likely to be missed.
    """
    inflation, degrees_of_freedom = design_sample(metric, table)
    if metric.contrast is None and table.design.supports(Clustering.missed_cluster_inflation):
        gradient, silent = _heard_slopes(metric, table)
        inflation = inflation * np.where(silent, 1.0, missed_cluster_inflation(table, gradient))
    return inflation, degrees_of_freedom


def _by_design(metric: Metric, table: Table, heard: tuple[Array, Array]) -> tuple[Any, Any]:
    if not table.design.supports(VarianceDetails.small_sample_correction):
        return large_sample(metric, table)
    gradient, silent = heard
    one = metric.single_model
    if one.of_scores or one.per_class is None:
        inflation, degrees_of_freedom = small_sample_correction(table, gradient)
    else:
        inflation, degrees_of_freedom = _put_together(table, gradient)
    return np.where(silent, 1.0, inflation), degrees_of_freedom


def _heard_slopes(metric: Metric, table: Table) -> tuple[Array, Array]:
    """Return the gradient by flat cells, and where it is that of the smoothed table: samples without variation."""
    with np.errstate(all="ignore"):
        gradient = metric.gradient_at(table.counted).reshape(table.cells.shape)
        heard = gradient * table.cells
        silent = ~(np.maximum(heard.max(-1, keepdims=True), -heard.min(-1, keepdims=True)) > NOISE)
        if silent.any():
            smoothed = np.asarray(metric.gradient(with_pseudo_counts(table).counted)).reshape(table.cells.shape)
            gradient = np.where(silent, smoothed, gradient)
    return _finite(gradient), silent[..., 0]


def _finite(values: Array) -> Array:
    """Return values with 0 in place of infinities and NaN."""
    if values.size and np.isfinite(ends(values)).all():
        return values
    finite = np.isfinite(values)
    return values if finite.all() else np.where(finite, values, 0.0)


def _put_together(table: Table, gradient: Array) -> tuple[Array, Array]:
    """Return variance factor and degrees of freedom of an average, combined from the terms of the true classes."""
    number = len(table.labels)
    each = [np.where(table.true_class == index, gradient, 0.0) for index in range(number)]
    designs = Clustering.of(table.design).split_by_class(table.true_class, number)
    variances = np.stack([design.variance(table.cells, part) for design, part in zip(designs, each, strict=True)])
    samples = [
        VarianceDetails.of(design).small_sample_correction(table.cells, part)
        for design, part in zip(designs, each, strict=True)
    ]
    inflations, freedoms = (
        np.stack([np.broadcast_to(part, variances.shape[1:]) for part in parts]) for parts in zip(*samples, strict=True)
    )
    least = np.stack([NOISE * np.abs(table.cells * part).sum(-1) for part in each]) ** 2  # rounding
    seen = np.where(variances > least, variances, 0.0)
    whole = seen.sum(0)
    inflation = np.where(whole > 0, safe_divide((seen * inflations).sum(0), whole), inflations.max(0))
    spread = safe_divide(seen**2, freedoms).sum(0)
    return inflation, np.where(spread > 0, safe_divide(whole**2, spread), freedoms.min(0))


def large_sample(metric: Metric, table: Table) -> tuple[Any, Any]:
    """Return a variance factor of 1, and the design's degrees of freedom."""
    return 1.0, table.design.degrees_of_freedom


def critical_value(confidence_level: float | Levels, inflation: Any, degrees_of_freedom: Any) -> Any:
    """Return the half width in standard errors: Student's quantile times the root of the variance factor."""
    return np.sqrt(inflation) * quantile(confidence_level, degrees_of_freedom)


def standard_errors(metric: Metric, table: Table, cells: Array) -> Array:
    """Return the standard errors of other tables, ``(size, cells)``, under the table's design."""
    design = table.design

    def variance(gradient: Array) -> Array:
        slopes = gradient.reshape(cells.shape)
        if design.traits.is_independent:
            return variance_at(table, cells, slopes)
        return np.array([variance_at(table, *each) for each in zip(cells, slopes, strict=True)])  # not all take batches

    return _errors(metric, table, table.make_counts(cells), variance)


def _errors(metric: Metric, table: Table, counts: Counts, variance: Callable[[Array], Array]) -> Array:
    with np.errstate(all="ignore"):
        value, gradient = metric.value_at(counts), metric.gradient_at(counts)
    known, slopes = np.isfinite(value), _finite(gradient)
    if slopes is not gradient:
        # An empty cell has no cases that vary, unless its count is an estimate cut off at zero.
        axes = tuple(range(-len(table.shape), 0))
        known = known & (np.isfinite(gradient) | ~(counts.cells > 0)).all(axes)
    square = variance(slopes)
    least = -np.square(NOISE * np.maximum(1.0, np.abs(value)))  # which rounding leaves of zero
    return np.sqrt(np.where(known & (square >= least), np.maximum(square, 0.0), np.nan))


def effective_counts(share: Proportion, table: Table, confidence_level: float) -> tuple[Array, Array]:
    """Return the successes and trials of a simple random sample with the same precision: the effective counts.

    For independent cases these are the counts. Otherwise trials are scaled so that the binomial variance equals the
    design's (Korn and Graubard 1998), and reduced for the heavier tails of Student's t. They never exceed the number of
    observed cases (Kish's effective number, for unequal weights) over the proportion of their population that was not
    sampled.
    """
    selected, met = share.trials.ravel(), share.successes.ravel()
    places = slice(None) if selected.all() else np.flatnonzero(selected)
    tried = table.cells[..., places]
    trials, successes = tried.sum(-1), (tried * met[places]).sum(-1)  # where all are met they are the same number
    design = table.design
    if design.traits.is_independent:
        return successes, trials
    levels = TwoLevel.of(design)
    observed = safe_divide(successes, trials)
    gradient = share.successes.ravel() - observed[..., None] * selected
    variance = design.variance(table.cells, safe_divide(gradient, trials[..., None]))
    n_effective = design.effective_sample_size(table.cells, selected)
    with np.errstate(invalid="ignore", divide="ignore"):
        shows = is_positive_error(np.sqrt(variance), observed)
        n_effective = np.where(
            shows, safe_divide(observed * (1 - observed), variance), np.where(n_effective > 0, n_effective, np.inf)
        )
        # Where all agree, the marked cells are those that count.
        counted = np.where(shows[..., None], gradient, selected)
        inflation, degrees_of_freedom = small_sample_correction(table, counted)
        inflation = inflation * missed_cluster_inflation(table, counted)
        reach = critical_value(confidence_level, np.where(shows, inflation, 1.0), degrees_of_freedom)
        n_effective = n_effective * (normal_quantile(confidence_level) / reach) ** 2
        if np.isfinite(degrees_of_freedom).any():
            seen = levels.observed_cells(table.cells) * levels.expand_to_observed(selected * 1.0)
            # The finite population correction follows.
            most = np.where(seen > 0, seen / levels.unsampled_fraction, 0.0).sum(-1) * cases_per_count(table)
            n_effective = np.where(
                np.isnan(n_effective), np.nan, np.minimum(np.maximum(n_effective, LEAST_WORTH), most)
            )
        # A proportion of totals that the design fixes is known.
        settled = ~shows & (observed > 0) & (observed < 1) & levels.is_fixed_total(gradient)
        n_effective = np.where(settled, np.inf, n_effective)
    n_effective = np.where(trials == 0, 0.0, n_effective)
    found = np.multiply(observed, n_effective, out=np.zeros_like(n_effective), where=observed > 0)  # 0 · inf is 0 here
    return np.where(trials == 0, successes, found), n_effective

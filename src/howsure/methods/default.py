"""Choice of the default method for a metric and a table: the first applicable one of an ordered list.

A method's module is imported only when the method is a candidate, so that a first estimate does not import all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from howsure.designs.refit import Refittable
from howsure.designs.strata import PartialLabels
from howsure.designs.two_level import TwoLevel
from howsure.errors import HowsureError
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.core.registry import METHODS
from howsure.methods.variance.within_classes import is_within_classes
from howsure.metrics.averages import EXTREMES
from howsure.metrics.forms import Distance, OperatingPoint, Rank
from howsure.metrics.kinds import has_flow
from howsure.metrics.metric import Contrast, Metric
from howsure.metrics.structures import ViewAverage
from howsure.native.resampling import Ranked
from howsure.tables.table import Table

MOST_LOSSES = 2**16  # distinct losses; with more the mean is normal, and the path takes long
SMOOTH = (None, "binary", "micro", "macro", "weighted")  # averages
SINGLE_CLASS = (None, "binary")
STEEP = ("geometric", "harmonic")  # averages that are smooth if no class's value is near zero
TAME = {  # metrics with an infinite range whose averages stay far from its end → averages that the flow also covers
    "lift": ("micro", "weighted", "harmonic"),
    "nlr": ("macro",),
    "precision_gain": ("macro", "weighted"),
    "standardized_net_benefit": SINGLE_CLASS,
}


def _candidates(metric: Metric, table: Table) -> Iterator[str]:
    """Yield the names of methods for a metric and a table, in order of preference; each may still not be applicable."""
    design = table.design
    if design.supports(PartialLabels.stratum_contributions):
        yield "stratified"
    yield from _for_one_model(metric, table) if metric.contrast is None else _for_two_models(metric, metric.contrast)
    if table.kind.has_values:
        yield from ("empirical_likelihood_score", "hall")
    if metric.contrast is None and metric.average in EXTREMES:
        yield "extremes"
    if _is_smooth_and_bounded(metric, table):
        yield "flow"
    if metric.contrast is None or metric.is_distance or _is_of_separate_tables(metric.contrast, table):
        yield "mover"
    if Refittable.of(design).refit is not None and not is_within_classes(metric, table):
        yield "least_favourable"
    if design.traits.has_labels and not design.traits.has_binomial_proportions and not is_within_classes(metric, table):
        yield "fieller"
    if metric.average in SINGLE_CLASS:
        yield "two_rates"
    yield "delta"


def _for_two_models(metric: Metric, contrast: Contrast) -> Iterator[str]:
    yield from ("tango", "nam_blackwelder")
    if contrast.is_of_areas and contrast.effect.name == "difference":
        yield "delong"
    if metric.is_distance:
        yield "gap_test"


def _for_one_model(metric: Metric, table: Table) -> Iterator[str]:
    traits, share = table.design.traits, metric.proportion
    if metric.is_area:
        yield from ("delong_score", "delong")
    if metric.structure is Ranked.PRECISION or isinstance(metric.structure, ViewAverage):
        yield "effective_wilson"
    if isinstance(metric.structure, OperatingPoint) and (traits.has_labels or not traits.has_known_probabilities):
        yield "threshold_limits"
    if metric.is_distance:
        yield "gap_test"
    if traits.has_known_probabilities and _is_predictable(table):
        yield "predictive"
    if share is not None and (
        traits.is_independent or TwoLevel.of(table.design).has_equal_weights(share.trials.ravel())
    ):
        yield "mid_p"
    if isinstance(metric.structure, Rank):
        yield "order_statistics"


def _is_of_separate_tables(contrast: Contrast, table: Table) -> bool:
    """Return whether two models have different test sets, and no metric of ranks, for which `delta` is narrower."""
    by_ranks = contrast.is_of_areas or contrast.first.metric.structure is Ranked.PRECISION
    return len(table.design.test_sets) > 1 and not by_ranks


def _is_smooth_and_bounded(metric: Metric, table: Table) -> bool:
    """Return whether simulations showed that the flow covers; the exceptions are on the page on coverage."""
    one = metric.single_model
    stated = one.spec is not None and one.spec.arguments.get("prevalence") is not None  # far from that of the sample
    covered = has_flow(table)
    of_a_sample = one.spec is not None and one.spec.definition.disagreement is not None  # rebuilt for each table
    smooth = one.average in SMOOTH or _is_mean_of_rates(one)
    is_distance = isinstance(one.structure, Distance)
    plain = (one.takes_batches or covered or of_a_sample) and not is_distance and smooth and not stated
    shown = metric.contrast is None or metric.contrast.effect.name != "odds_ratio"
    few_losses = one.is_mean_loss and math.prod(table.shape) <= MOST_LOSSES
    bounded = few_losses or covered or _has_bounds(one)
    return plain and shown and bounded


def _is_mean_of_rates(metric: Metric) -> bool:
    """Return whether the metric is a geometric or harmonic mean of rates for which higher is better.

    Error rates and proportions of all cases are excluded. Such proportions have the same sum in every sample, and their
    mean is largest if they are equal.
    """
    if metric.average not in STEEP or metric.better != "higher" or metric.spec is None:
        return False
    ratio = metric.spec.definition.outcome_ratio(**metric.spec.arguments)
    return ratio is None or not (ratio.denominator == 1).all()


def _has_bounds(metric: Metric) -> bool:
    """Return whether the metric is bounded: by its range, or in practice (`TAME`)."""
    if math.isfinite(metric.range[0]) and math.isfinite(metric.range[1]):
        return True
    return metric.spec is not None and metric.average in TAME.get(metric.spec.definition.name, ())


def _is_predictable(table: Table) -> bool:
    from howsure.methods.drawn.predictive import is_predictable

    return is_predictable(table)


# In order of preference: method → its module below `howsure.methods`, and why; the page on coverage has measurements.
DEFAULTS = {
    "stratified": ("proportions.stratified", "partially labelled cases: it combines the intervals of their strata"),
    "tango": (
        "proportions.paired_proportions",
        "paired proportions: its error rates are right even if the models rarely disagree",
    ),
    "nam_blackwelder": (
        "proportions.paired_proportions",
        "a ratio of paired proportions: its error rates are right even if the models rarely disagree",
    ),
    "delong_score": (
        "areas.delong_score",
        "an area under the ROC curve: it allows for errors that are absent from a small sample",
    ),
    "delong": ("areas.delong", "areas under the ROC curve: their variance is known in closed form"),
    "effective_wilson": (
        "variance.effective_wilson",
        "average precision: it allows for errors that are absent from a small sample",
    ),
    "threshold_limits": (
        "proportions.threshold_limits",
        "a rate at a stated rate: it includes the uncertainty of the threshold, also where scores are sparse",
    ),
    "gap_test": ("variance.gap_test", "a distance from calibration: it allows for the upward bias that noise causes"),
    "predictive": ("drawn.predictive", "scores without labels: the distribution of the metric follows from them"),
    "mid_p": (
        "proportions.proportion",
        "a proportion of cases with equal weights: its coverage is near the nominal level, also near 0 and 1",
    ),
    "order_statistics": ("means.order_statistics", "a quantile: the ranks of its limits are binomial quantiles"),
    "empirical_likelihood_score": (
        "means.empirical_likelihood_score",
        "a mean of values, or a difference of two: a score test, with the variance that the hypothetical mean implies",
    ),
    "hall": ("means.hall", "another metric of values: Student's t, corrected for skewness"),
    "extremes": (
        "composed.extremes",
        "the worst or the best class: its limits follow from the intervals of all classes",
    ),
    "flow": ("flow.flow", "a smooth metric: its coverage is near the nominal level in small samples too"),
    "mover": ("composed.mover", "a sum of parts: it combines the intervals of the parts"),
    "least_favourable": (
        "flow.least_favourable",
        "an estimate from several samples: it combines their limits, also if a sample is small or a class rare",
    ),
    "fieller": ("variance.fieller", "a ratio of estimated counts: it follows from their joint variance"),
    "two_rates": (
        "variance.tpr_fpr_functions",
        "a metric of one class: it combines the limits of two rates, also with few errors",
    ),
    "delta": ("variance.delta", "no other method is applicable: it needs many cases in each denominator"),
}
WHY = {name: why for name, (_, why) in DEFAULTS.items()}


@cache
def _method(name: str) -> Method:
    """Return a method with its default settings, from its module; settings cannot be changed."""
    import_module(f"howsure.methods.{DEFAULTS[name][0]}")
    found: Method = METHODS[name].method()
    return found


def default_method(metric: Metric, table: Table) -> Method:
    """Return the default method for a metric: the design's own, or the first applicable one in order of preference."""
    if metric.contrast is None and (own := named(table.design.traits.default_method or None)):
        return own
    for method in map(_method, _candidates(metric, table)):
        if not method.unsupported_reason(metric, table):
            return method
    raise NotImplementedError  # the last candidate, `delta`, is for all metrics


def checked(method: Method | None, metric: Metric, table: Table) -> Method:
    """Return the requested method if it is applicable, or the default method for None.

    Parameters
    ----------
    method : Method, optional
        The requested method.
    metric : Metric
        The metric, bound to the table.
    table : Table
        One table, or a batch.

    Raises
    ------
    HowsureError
        If the method is not applicable; the message names alternatives.
    """
    if method is None:
        return default_method(metric, table)
    if refusal := method.unsupported_reason(metric, table):
        raise HowsureError(refusal, "unsupported-method")
    return method

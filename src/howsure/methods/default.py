"""Choice of the default method for a metric and a table: the first applicable one of an ordered list.

A method's module is imported only when its condition is true, so that a first estimate does not import all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from howsure.designs.refit import Refittable
from howsure.designs.strata import PartialLabels
from howsure.designs.two_level import TwoLevel
from howsure.errors import HowsureError
from howsure.methods.method import Method
from howsure.methods.naming import named
from howsure.methods.registry import Entry, find
from howsure.methods.within_classes import is_within_classes
from howsure.metrics.averages import EXTREMES
from howsure.metrics.kinds import has_flow
from howsure.metrics.metric import Metric
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
}


def _always(metric: Metric, table: Table) -> bool:
    return True


def _is_labelled_in_part(metric: Metric, table: Table) -> bool:
    return table.design.supports(PartialLabels.stratum_contributions)


def _compares(metric: Metric, table: Table) -> bool:
    return metric.contrast is not None


def _is_area(metric: Metric, table: Table) -> bool:
    return metric.contrast is None and metric.is_area


def _is_average_precision(metric: Metric, table: Table) -> bool:
    return metric.contrast is None and metric.ranked is Ranked.PRECISION


def _is_of_areas(metric: Metric, table: Table) -> bool:
    if metric.contrast is None:
        return metric.is_area
    return metric.contrast.is_of_areas and metric.contrast.effect.name == "difference"


def _is_at_a_stated_rate(metric: Metric, table: Table) -> bool:
    return (
        metric.contrast is None
        and metric.operating is not None
        and (table.design.traits.has_labels or not table.design.traits.has_known_probabilities)
    )


def _is_distance(metric: Metric, table: Table) -> bool:
    return metric.is_distance


def _is_quantile(metric: Metric, table: Table) -> bool:
    return metric.rank is not None


def _is_of_values(metric: Metric, table: Table) -> bool:
    return table.has_values


def _is_one_table_or_separate(metric: Metric, table: Table) -> bool:
    if metric.contrast is None or metric.is_distance:
        return True
    by_ranks = metric.contrast.is_of_areas or metric.of_one_model.ranked is Ranked.PRECISION  # `delta` is narrower
    return len(table.design.test_sets) > 1 and not by_ranks


def _is_smooth_and_bounded(metric: Metric, table: Table) -> bool:
    """Return whether simulations showed that the flow covers; the exceptions are on the page on coverage."""
    one = metric.of_one_model
    stated = one.spec is not None and one.spec.arguments.get("prevalence") is not None  # far from that of the sample
    covered = has_flow(table)
    of_a_sample = one.spec is not None and one.spec.definition.disagreement is not None  # rebuilt for each table
    smooth = one.average in SMOOTH or _is_mean_of_rates(one)
    plain = (one.takes_batches or covered or of_a_sample) and one.distance is None and smooth and not stated
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


def _is_of_one_class(metric: Metric, table: Table) -> bool:
    return metric.average in SINGLE_CLASS


def _is_extreme(metric: Metric, table: Table) -> bool:
    return metric.contrast is None and metric.average in EXTREMES


def _weighs_alike(metric: Metric, table: Table) -> bool:
    share = metric.proportion
    return share is not None and TwoLevel.of(table.design).has_equal_weights(share.trials.ravel())


def _is_estimated(metric: Metric, table: Table) -> bool:
    return (
        table.design.traits.has_labels
        and not table.design.traits.has_binomial_proportions
        and not is_within_classes(metric, table)
    )


def _is_refitted(metric: Metric, table: Table) -> bool:
    return Refittable.of(table.design).refit is not None and not is_within_classes(metric, table)


def _is_predictable(metric: Metric, table: Table) -> bool:
    if metric.contrast is not None or not table.design.traits.has_known_probabilities:
        return False
    from howsure.methods.predictive import is_predictable

    return is_predictable(table)


@dataclass(frozen=True, slots=True)
class Preference:
    """A method, the condition under which it is the default, and why; the page on coverage has the measurements."""

    name: str
    condition: Callable[[Metric, Table], bool]
    why: str
    module: str = ""  # module of the method, if not of the same name; imported when the condition is true

    def method(self) -> Method:
        """Return the method with its default settings."""
        import_module(f"howsure.methods.{self.module or self.name}")
        found: Method = cast("Entry", find(self.name)).method()
        return found


PREFERENCE = (
    Preference(
        "stratified",
        _is_labelled_in_part,
        "partially labelled cases: it combines the intervals of their strata",
    ),
    Preference(
        "tango", _compares, "paired proportions: its error rates are right even if the models rarely disagree", "pairs"
    ),
    Preference(
        "nam_blackwelder",
        _compares,
        "a ratio of paired proportions: its error rates are right even if the models rarely disagree",
        "pairs",
    ),
    Preference(
        "delong_score",
        _is_area,
        "an area under the ROC curve: it allows for errors that are absent from a small sample",
    ),
    Preference("delong", _is_of_areas, "areas under the ROC curve: their variance is known in closed form"),
    Preference(
        "effective_wilson",
        _is_average_precision,
        "average precision: it allows for errors that are absent from a small sample",
    ),
    Preference(
        "threshold_limits",
        _is_at_a_stated_rate,
        "a rate at a stated rate: it includes the uncertainty of the threshold, also where scores are sparse",
    ),
    Preference(
        "gap_test", _is_distance, "a distance from calibration: it allows for the upward bias that noise causes"
    ),
    Preference(
        "predictive", _is_predictable, "scores without labels: the distribution of the metric follows from them"
    ),
    Preference(
        "mid_p",
        _weighs_alike,
        "a proportion of cases with equal weights: its coverage is near the nominal level, also near 0 and 1",
        "proportion",
    ),
    Preference("order_statistics", _is_quantile, "a quantile: the ranks of its limits are binomial quantiles"),
    Preference(
        "empirical_likelihood_score",
        _is_of_values,
        "a mean of values, or a difference of two: a score test, with the variance that the hypothetical mean implies",
    ),
    Preference("hall", _is_of_values, "another metric of values: Student's t, corrected for skewness"),
    Preference(
        "extremes", _is_extreme, "the worst or the best class: its limits follow from the intervals of all classes"
    ),
    Preference(
        "flow", _is_smooth_and_bounded, "a smooth metric: its coverage is near the nominal level in small samples too"
    ),
    Preference("mover", _is_one_table_or_separate, "a sum of parts: it combines the intervals of the parts"),
    Preference(
        "least_favourable",
        _is_refitted,
        "an estimate from several samples: it combines their limits, also if a sample is small or a class rare",
    ),
    Preference("fieller", _is_estimated, "a ratio of estimated counts: it follows from their joint variance"),
    Preference(
        "two_rates",
        _is_of_one_class,
        "a metric of one class: it combines the limits of two rates, also with few errors",
    ),
    Preference("delta", _always, "no other method is applicable: it needs many cases in each denominator"),
)
WHY = {each.name: each.why for each in PREFERENCE}


def default_method(metric: Metric, table: Table) -> Method:
    """Return the default method for a metric: the design's own, or the first applicable one in order of preference.

    Parameters
    ----------
    metric : Metric
        The metric, bound to the table.
    table : Table
        One table, or a batch.
    """
    own = named(table.design.traits.default_method or None)
    if own is not None and metric.contrast is None:
        return own
    preferred = (each.method() for each in PREFERENCE if each.condition(metric, table))
    return next(method for method in preferred if not method.suits(metric, table))


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
    if refusal := method.suits(metric, table):
        raise HowsureError(refusal, "unsupported-method")
    return method

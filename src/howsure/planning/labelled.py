"""Plans for tables with a judge and human labels, or with reviews: the number of labels."""

from __future__ import annotations

import math

import numpy as np

from howsure.designs.strata import PartialLabels
from howsure.errors import HowsureError
from howsure.estimates.estimate import positive_class
from howsure.imperfect_labels.partial.label_plan import label_plan
from howsure.imperfect_labels.review.review_plan import ReviewPlan, review_plan
from howsure.methods.core.interval_spec import IntervalSpec
from howsure.metrics.binding import resolve
from howsure.planning.pilots import Asked
from howsure.planning.result import Plan, curve_of
from howsure.planning.splits import Share
from howsure.planning.validation import checked_width
from howsure.tables.table import Table

MOST_REVIEWS = 2**31
NO_REVIEW = "A review plan needs"  # start of the message for tables without reviews
UNCHECKED = "Labels are planned in all, those that are there included, by the normal distribution"


def plan_of_labels(table: Table, metric: Asked, width: float, sides: IntervalSpec) -> Plan | None:
    """Return the number of cases for people to label or review, and which; None if labels are not a sample.

    Parameters
    ----------
    table : Table
        Table from `judged`, `judged_values` or `reviewed`.
    metric : str, Spec or Metric
        The metric.
    width : float
        Target width of the interval.
    sides : Sides
        The level of it.
    """
    width = checked_width(width, sides, math.inf)
    if table.design.supports(PartialLabels.stratum_contributions):
        return _of_judged(table, metric, width, sides)
    try:
        whole = review_plan(table, metric, budget=MOST_REVIEWS, confidence_level=sides.level)
    except HowsureError as refusal:
        if str(refusal).startswith(NO_REVIEW):
            return None
        raise
    return _of_reviewed(table, metric, width, whole, sides)


def _of_judged(table: Table, metric: Asked, width: float, sides: IntervalSpec) -> Plan:
    found = label_plan(table, metric, width=width, confidence_level=sides.level)
    rows = zip(found.strata, found.cases, found.labelled + found.labels, strict=True)
    shares = tuple(Share(f"verdict {name}", int(own), int(own)) for name, cases, own in rows if cases > 0)
    return _plan(table, metric, (found.current_width, width), (int(found.labelled.sum()), shares), sides)


def _of_reviewed(table: Table, metric: Asked, width: float, whole: ReviewPlan, sides: IntervalSpec) -> Plan:
    """Return the fewest further reviews for which the expected interval is narrow enough, by bisection."""
    if whole.planned_width > width:
        raise HowsureError(
            f"Reviews of all cases would make the interval {whole.planned_width:.3g} wide, more than {width:g}. "
            "Collect more cases, or ask for a wider one."
        )
    low, high, found = 0, int(whole.reviews.sum()), whole
    while high - low > 1:
        middle = (low + high) // 2
        tried = review_plan(table, metric, budget=middle, confidence_level=sides.level)
        low, high, found = (low, middle, tried) if tried.planned_width <= width else (middle, high, found)
    made = found.recorded - found.unreviewed
    names = [str(label) for label in found.labels]
    planned = made + found.reviews
    shares = tuple(
        Share(f"recorded {names[i]}, predicted {names[j]}", int(planned[i, j]), int(planned[i, j]))
        for i, j in np.argwhere(found.recorded > 0)
    )
    return _plan(table, metric, (found.width, width), (int(made.sum()), shares), sides)


def _plan(
    table: Table, metric: Asked, widths: tuple[float, float], labels: tuple[int, tuple[Share, ...]], sides: IntervalSpec
) -> Plan:
    """Return a plan of labels: current number and width, and planned number of each kind and width."""
    bound = resolve(metric, table)
    known, shares = labels
    n = sum(each.cases for each in shares)
    return Plan(
        metric=bound.label,
        goal="width",
        target=widths[1],
        n=n,
        asymptotic=float(n),
        low=math.nan,
        high=math.nan,
        units=n,
        width=widths[1],
        power=math.nan,
        support=math.nan,
        true_value=float(bound(table.counted)),
        regions=(),
        confidence_level=sides.level,
        alternative=sides.alternative,
        method="normal",
        studies=0,
        pilot=known,
        curve=curve_of(np.array([known, n], dtype=float), np.array(widths), None, sides.level),
        splits=shares,
        note=UNCHECKED,
        positive=positive_class(bound, table),
    )

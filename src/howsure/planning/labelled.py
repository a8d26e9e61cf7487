"""Plans of human labels beside a judge, and of reviews, as a number of labels."""

from __future__ import annotations

import math

import numpy as np

from howsure.errors import HowsureError
from howsure.evidence.labels.label_plan import label_plan
from howsure.evidence.review.budget import ReviewPlan, review_plan
from howsure.methods.sides import Sides
from howsure.planning.pilots import Asked
from howsure.planning.questions import checked_width
from howsure.planning.result import Plan, curve_of
from howsure.planning.splits import Share
from howsure.tables.table import Table

MOST_REVIEWS = 2**31
NO_REVIEW = "A review plan needs"  # what is said of tables that are none of reviews
UNCHECKED = "Labels are planned in all, those that are there included, by the normal distribution"


def plan_of_labels(table: Table, metric: Asked, width: float, sides: Sides) -> Plan | None:
    """Return how many cases people should label or review in all, and which; None where labels are no sample.

    Parameters
    ----------
    table : Table
        From `judged`, `judged_values` or `reviewed`.
    metric : str, Spec or Metric
        The metric.
    width : float
        Of its interval.
    sides : Sides
        The level of it.
    """
    width = checked_width(width, sides, math.inf)
    if table.design.offers("strata"):
        return _of_judged(table, metric, width, sides)
    try:
        whole = review_plan(table, metric, budget=MOST_REVIEWS, confidence_level=sides.level)
    except HowsureError as refusal:
        if str(refusal).startswith(NO_REVIEW):
            return None
        raise
    return _of_reviewed(table, metric, width, whole, sides)


def _of_judged(table: Table, metric: Asked, width: float, sides: Sides) -> Plan:
    found = label_plan(table, metric, width=width, confidence_level=sides.level)
    known, others = int(found.labelled.sum()), found.cases - found.labelled
    more = others if found.at_random is None else found.at_random * others / max(float(others.sum()), 1.0)
    rows = zip(found.strata, found.cases, found.labelled + more, found.labelled + found.labels, strict=True)
    shares = tuple(Share(f"verdict {name}", round(plain), int(best)) for name, cases, plain, best in rows if cases > 0)
    n = known + int(found.labels.sum())
    return _plan(found.metric, known, n, (found.current_width, width), shares, sides)


def _of_reviewed(table: Table, metric: Asked, width: float, whole: ReviewPlan, sides: Sides) -> Plan:
    """Return the fewest further reviews with which the interval is expected to be as narrow, by halving."""
    if whole.planned_width > width:
        message = (
            f"Reviews of all cases would make the interval {whole.planned_width:.3g} wide, more than {width:g}. "
            "Collect more cases, or ask for a wider one."
        )
        raise HowsureError(message)
    low, high, found = 0, int(whole.reviews.sum()), whole
    while high - low > 1:
        middle = (low + high) // 2
        tried = review_plan(table, metric, budget=middle, confidence_level=sides.level)
        low, high, found = (low, middle, tried) if tried.planned_width <= width else (middle, high, found)
    made = found.recorded - found.unreviewed
    names = [str(label) for label in found.labels]
    shares = tuple(
        Share(f"recorded {names[i]}, predicted {names[j]}", int(made[i, j] + high / found.recorded.size), more)
        for i, j in np.argwhere(found.recorded > 0)
        if (more := int(made[i, j] + found.reviews[i, j])) >= 0
    )
    known = int(made.sum())
    return _plan(found.metric, known, known + int(found.reviews.sum()), (found.width, width), shares, sides)


def _plan(
    metric: str, known: int, n: int, widths: tuple[float, float], shares: tuple[Share, ...], sides: Sides
) -> Plan:
    """Return a plan of labels, n in all, of which some are known."""
    return Plan(
        metric=metric,
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
        true_value=math.nan,
        regions=(),
        confidence_level=sides.level,
        alternative=sides.alternative,
        method="normal",
        studies=0,
        pilot=known,
        curve=curve_of(np.array([known, n], dtype=float), np.array(widths), None, sides.level),
        splits=shares,
        note=UNCHECKED,
    )

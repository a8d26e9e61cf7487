"""Settings of the analysis of a reader study, checked against each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, one_of, real_number
from howsure.metrics.binding import of_counts, resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import parse
from howsure.sources.scores import scores_table
from howsure.tables.confusion import ConfusionTable
from howsure.tables.labels import is_plain_order

Method = Literal["obuchowski_rockette", "one_shot"]
Covariance = Literal["delong", "jackknife", "unbiased"]
Fixed = Literal["reader", "case"]
Scale = Literal["auto", "identity"]
COVARIANCES: tuple[Covariance, ...] = get_args(Covariance)
METHODS: tuple[Method, ...] = get_args(Method)
CALL = 0.5  # threshold of calls, which are 0 or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The settings of an analysis, checked.

    Parameters
    ----------
    metric : Metric
        The metric.
    threshold : float
        Smallest rating that is a positive call; nan for an area.
    method : {"obuchowski_rockette", "one_shot"}
        The method.
    covariance : {"delong", "jackknife", "unbiased"}
        Covariance of the readers' metrics over samples of cases.
    fixed : {"", "reader", "case"}
        The factor that is not sampled.
    scale : {"auto", "identity"}
        Scale of the means' intervals: logit if the metric has a finite range, or the identity.
    level : float
        Coverage of the intervals.
    positive : str
        Name of the positive class; empty for 0 and 1.
    is_positive_stated : bool
        Whether the caller named it.
    """

    metric: Metric
    threshold: float
    method: str
    covariance: str
    fixed: str
    scale: str
    level: float
    positive: str
    is_positive_stated: bool


def question_of(
    metric: str | None,
    *,
    threshold: float | None,
    is_called: bool,
    method: Method,
    covariance: Covariance | None,
    fixed: Fixed | None,
    scale: Scale,
    level: float,
    classes: Array,
    stated: bool,
) -> Question:
    """Return the checked settings; see `reader_study` and `Question`."""
    if metric is None and is_called:
        raise HowsureError("Calls have no area: name a metric of a 2×2 table, such as metric='sensitivity'.")
    bound = _bound("roc_auc" if metric is None else metric, classes)
    if bound.is_area and (is_called or threshold is not None):
        what = "calls" if is_called else "`threshold`"
        raise HowsureError(
            f"`roc_auc` is of ratings at all thresholds, so {what} do not apply. Use metric='sensitivity'."
        )
    if not bound.is_area and not is_called and threshold is None:
        raise HowsureError(f"`{bound.label}` needs `threshold=`: ratings of at least the threshold are positive calls.")
    if not is_called and bound.spec is not None and bound.spec.definition.cuts_scores:
        raise HowsureError(
            f"`{bound.label}` is of decisions at a risk, and ratings are no risks. Give the decisions, `call=`."
        )
    one_of("method", method, METHODS)
    if fixed is not None:
        one_of("fixed factor", fixed, get_args(Fixed))
    one_shot = method == "one_shot"
    usual = "unbiased" if one_shot else "delong" if bound.is_area else "jackknife"
    chosen = usual if covariance is None else one_of("covariance", covariance, COVARIANCES)
    if not bound.is_area and (one_shot or chosen != "jackknife"):
        what = "method='one_shot'" if one_shot else f"covariance='{chosen}'"
        raise HowsureError(f"{what} is for `roc_auc`, not for `{bound.label}`. Use covariance='jackknife'.")
    if one_shot and (fixed is not None or chosen != "unbiased"):
        raise HowsureError(
            "method='one_shot' takes readers and cases as random, with unbiased covariances. Use "
            "method='obuchowski_rockette' with `fixed` or another `covariance`."
        )
    both = classes.tolist()
    return Question(
        metric=bound,
        threshold=CALL if is_called else math.nan if threshold is None else real_number("threshold", threshold),
        method=method,
        covariance=chosen,
        fixed=fixed or "",
        scale=one_of("scale", scale, get_args(Scale)),
        level=level,
        positive="" if is_plain_order(both) else str(both[1]),
        is_positive_stated=stated,
    )


def _bound(metric: str, classes: Array) -> Metric:
    """Return the metric on two classes: the area of ratings, or a metric of a 2×2 table."""
    spec = parse(metric) if isinstance(metric, str) else metric
    if of_counts(spec):
        return resolve(spec, ConfusionTable(counts=np.ones((2, 2)), labels=classes))
    found = resolve(spec, scores_table(np.array([False, True]), np.array([0.0, 1.0]), classes))
    if not found.is_area:
        raise HowsureError(
            f"`{found.label}` is not available for reader studies. Use 'roc_auc' or a metric of a 2×2 table."
        )
    return found

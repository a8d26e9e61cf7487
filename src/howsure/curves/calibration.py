"""Calibration curves: the share of positive cases against the score, with bands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, cast

import numpy as np

from howsure.curves.bands import bin_limits, limits_of_band
from howsure.curves.by_class import apply_by_class
from howsure.curves.curves import Curve, checked_band, score_table
from howsure.curves.from_cases import takes_cases
from howsure.curves.recalibration import smooth_curve
from howsure.curves.signatures import Band, OfCalibration
from howsure.errors import HowsureError, checked_level, one_of
from howsure.estimates.grouped import apply_by_group
from howsure.methods.numerics.binomial import clopper_pearson, wilson
from howsure.metrics.calibration import bin_starts, bin_sums
from howsure.metrics.forms import divide
from howsure.metrics.probability import probabilities
from howsure.metrics.splines import KNOTS
from howsure.sources.scores import scores

METHODS = ("bins", "spline", "logistic")
BINS = 10  # by default


def _of_calibration(function: Callable[..., Any]) -> OfCalibration[Curve]:
    """Return the function, with the type of its result by its input."""
    return cast("OfCalibration[Curve]", function)


@_of_calibration
@takes_cases(scores)
@apply_by_group
@apply_by_class
def calibration_curve(
    table: object,
    /,
    y_score: object = None,
    *,
    method: Literal["bins", "spline", "logistic"] = "bins",
    bins: int | None = None,
    strategy: Literal["uniform", "quantile"] | None = None,
    knots: int | None = None,
    band: Band = "pointwise",
    confidence_level: float = 0.95,
    **cases: object,
) -> Curve:
    """Return the share of positive cases against the score: in bins (reliability diagram), or a smooth curve.

    Parameters
    ----------
    table : ScoresTable, ScoreMatrixTable or Tables, or array-like of shape (n,) or str
        A table made by `scores`, also by group; or the true classes. For scores of many classes, made by
        `multiclass_scores`, the result is a `Results` with the curve of each class against the rest.
    y_score : array-like of shape (n,) or str, optional
        The scores, which must be probabilities, if ``table`` contains true classes.
    method : {"bins", "spline", "logistic"}
        ``"bins"``: the share in bins of the scores. ``"spline"``: a logistic regression of the class on a restricted
        cubic spline of the score's logit. ``"logistic"``: on the logit itself, whose slope is `calibration_slope`.
    bins : int, optional
        Number of bins, by default 10; empty bins are left out.
    strategy : {"uniform", "quantile"}, optional
        Bins of equal width, by default, or of equal mass.
    knots : int, optional
        Number of knots of the spline, 3 to 5; by default 4.
    band : {"pointwise", "simultaneous", "none"}
        Kind of the band: it covers at each point, or the whole curve.
    confidence_level : float
        Confidence level of the band, between 0 and 1.
    **cases
        Further arguments of `scores`, for true classes and scores: ``pos_label``, ``sample_weight``, ``groups``,
        ``data``, and ``by`` for the curves of groups.

    Returns
    -------
    Curve
        Curve with columns ``mean_predicted``, ``share_positive``, ``cases`` (or sum of weights), ``low``, ``high``. For
        `Tables`, a `Grouped` of curves. Smooth curves have the columns ``predicted`` (at most 200 of the scores),
        ``share_positive``, ``low``, ``high``.

    Raises
    ------
    HowsureError
        If the table does not contain scores, or the band or the level is invalid. If a score is outside [0, 1], or
        there are no labels. If ``bins``, ``strategy`` or ``knots`` belongs to another method. For smooth curves, if a
        case of score exactly 0 or 1 is of the other class, or the scores separate the classes.

    Notes
    -----
    Smooth curves are maximum-likelihood fits. Their knots are quantiles of the logits (Harrell 2015, table 2.3). The
    band is on the logit scale, with the design-based robust variance of the coefficients and Student's t. It ends at
    the smallest and largest score between 0 and 1; cases of score 0 or 1 have no influence. The simultaneous band is
    widened by the sup-t factor, from 20,000 draws of the coefficients with a fixed seed. Both describe the best curve
    of this form, so that they miss bends between the knots.

    For bins, pointwise limits are Wilson's, with effective sample sizes for weights or clusters. Simultaneous limits
    are those of Clopper and Pearson at ``level ** (1 / bins)``, because the bins are independent given the scores.

    References
    ----------
    Bröcker, Smith (2007), Weather and Forecasting 22; Austin, Steyerberg (2014), Statistics in Medicine 33; Harrell
    (2015), Regression Modeling Strategies.

    Examples
    --------
    >>> import howsure as hs
    >>> curve = calibration_curve(hs.scores([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8]), bins=2)
    >>> curve["mean_predicted"].round(3).tolist(), curve["share_positive"].tolist()
    ([0.15, 0.75], [0.0, 1.0])
    >>> smooth = calibration_curve([0, 1, 0, 0, 1, 1], [0.1, 0.3, 0.4, 0.5, 0.6, 0.9], method="logistic")
    >>> smooth["predicted"].tolist(), smooth["share_positive"].round(2).tolist()
    ([0.1, 0.3, 0.4, 0.5, 0.6, 0.9], [0.08, 0.31, 0.43, 0.56, 0.68, 0.95])
    """
    table, level = score_table(table, y_score, cases), checked_level(confidence_level)
    checked_band(band)
    if not table.design.traits.has_labels:
        raise HowsureError("Without labels calibration cannot be checked: these counts assume it.")
    probability = probabilities(table, "calibration_curve")
    facts: dict[str, Any] = {"confidence_level": level, "band": band, "positive": table.positive}
    one_of("method of `calibration_curve`", method, METHODS)
    _refuse_of_other_methods(method, bins=bins, strategy=strategy, knots=knots)
    if method != "bins":
        fitted = smooth_curve(table, probability, None if method == "logistic" else KNOTS if knots is None else knots)
        each = {kind: partial(fitted.limits, table, kind, level) for kind in ("pointwise", "simultaneous")}
        limits, reason = limits_of_band(table, band, len(fitted.scores), each)
        columns = {"predicted": fitted.scores, "share_positive": fitted.shares, **limits}
        shown = (fitted.shares, fitted.scores)
        return Curve(name="smooth_calibration", columns=columns, unpacked=shown, reason=reason, **facts)
    starts = bin_starts(table, BINS if bins is None else bins, "uniform" if strategy is None else strategy)
    mass, hits, sums = bin_sums(table.counts, probability, starts)
    if not mass.all():  # cases may have weight 0
        starts = np.append(0, starts[mass > 0][1:])
        mass, hits, sums = bin_sums(table.counts, probability, starts)
    columns = {"mean_predicted": divide(sums, mass), "share_positive": divide(hits, mass), "cases": mass}
    each = {
        "pointwise": partial(bin_limits, table, starts, level, wilson),
        "simultaneous": partial(bin_limits, table, starts, level ** (1 / len(starts)), clopper_pearson),
    }
    limits, reason = limits_of_band(table, band, len(starts), each)
    shown = (columns["share_positive"], columns["mean_predicted"])
    return Curve(name="calibration", columns=columns | limits, unpacked=shown, reason=reason, **facts)


def _refuse_of_other_methods(method: str, **settings: object) -> None:
    """Refuse settings of bins for smooth curves, and of splines for other curves."""
    for name, value in settings.items():
        owner = "spline" if name == "knots" else "bins"
        if value is not None and method != owner:
            raise HowsureError(
                f"`{name}` belongs to method='{owner}', and the method is '{method}'. Drop it, or say that method."
            )

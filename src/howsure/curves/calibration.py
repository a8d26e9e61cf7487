"""Calibration curves: the share of positive cases against the score, with bands."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from howsure.curves.bands import bin_limits
from howsure.curves.by_class import apply_by_class
from howsure.curves.curves import Band, Curve, checked_band, score_table
from howsure.errors import HowsureError, checked_level
from howsure.estimates.grouped import apply_by_group
from howsure.methods.numerics.binomial import clopper_pearson, wilson
from howsure.metrics.calibration import bin_starts, bin_sums
from howsure.metrics.forms import divide
from howsure.metrics.probability import probabilities


@apply_by_group
@apply_by_class
def calibration_curve(
    table: Any,
    /,
    y_score: Any = None,
    *,
    bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    band: Band = "pointwise",
    confidence_level: float = 0.95,
    **cases: Any,
) -> Curve:
    """Return the share of positive cases against the mean probability in bins of the scores (reliability diagram).

    Parameters
    ----------
    table : ScoresTable, ScoreMatrixTable or Tables, or array-like of shape (n,) or str
        A table made by `scores`, also by group; or the true classes. For scores of many classes, made by
        `multiclass_scores`, the result is a `Results` with the curve of each class against the rest.
    y_score : array-like of shape (n,) or str, optional
        The scores, which must be probabilities, if ``table`` contains true classes.
    bins : int
        Number of bins; empty bins are left out.
    strategy : {"uniform", "quantile"}
        Bins of equal width, or of equal mass.
    band : {"pointwise", "simultaneous", "none"}
        Kind of the band: it covers at each point, or the whole curve.
    confidence_level : float
        Confidence level of the band, between 0 and 1.
    **cases
        Further arguments of `scores`, for true classes and scores: ``pos_label``, ``sample_weight``, ``groups``,
        ``data``.

    Returns
    -------
    Curve
        Curve with columns ``mean_predicted``, ``share_positive``, ``cases`` (or sum of weights), ``low``, ``high``. For
        `Tables`, a `Grouped` of curves.

    Raises
    ------
    HowsureError
        If the table does not contain scores, or the band or the level is invalid. If a score is outside [0, 1], or
        there are no labels.

    Notes
    -----
    Pointwise limits are Wilson's, with effective sample sizes for weights or clusters. Simultaneous limits are those of
    Clopper and Pearson at ``level ** (1 / bins)``, because the bins are independent given the scores.

    References
    ----------
    Bröcker, Smith (2007), Weather and Forecasting 22.

    Examples
    --------
    >>> import howsure as hs
    >>> curve = calibration_curve(hs.scores([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8]), bins=2)
    >>> curve["mean_predicted"].round(3).tolist(), curve["share_positive"].tolist()
    ([0.15, 0.75], [0.0, 1.0])
    """
    table, level = score_table(table, y_score, cases), checked_level(confidence_level)
    checked_band(band)
    if not table.design.traits.has_labels:
        message = "Without labels calibration cannot be checked: these counts assume it."
        raise HowsureError(message)
    probability = probabilities(table, "calibration_curve")
    starts = bin_starts(table, bins, strategy)
    mass, hits, sums = bin_sums(table.counts, probability, starts)
    if not mass.all():  # cases may have weight 0
        starts = np.append(0, starts[mass > 0][1:])
        mass, hits, sums = bin_sums(table.counts, probability, starts)
    columns = {"mean_predicted": divide(sums, mass), "share_positive": divide(hits, mass), "cases": mass}
    if band == "pointwise":
        columns["low"], columns["high"] = bin_limits(table, starts, level, wilson)
    elif band == "simultaneous":
        columns["low"], columns["high"] = bin_limits(table, starts, level ** (1 / len(starts)), clopper_pearson)
    shown = (columns["share_positive"], columns["mean_predicted"])
    facts: dict[str, Any] = {"confidence_level": level, "band": band, "positive": table.positive}
    return Curve(name="calibration", columns=columns, unpacked=shown, **facts)

"""Interval for a published area under the ROC curve, from the sizes of both classes."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, checked_level, of_per_cent, one_of, whole_number
from howsure.estimates.estimate import Estimate
from howsure.methods.areas.delong import newcombe_limits, newcombe_variance

AreaMethod = Literal["halfway", "newcombe"]
UNKNOWN = "the ROC curve is unknown: wider than with the scores"
ASSUMED = "the ROC curve is unknown: too narrow where the classes spread very differently"


def from_auc(
    auc: float | str,
    *,
    positives: int,
    negatives: int,
    method: AreaMethod = "halfway",
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate an area under the ROC curve from its published value and the sizes of both classes.

    The variance of an area depends on the ROC curve, which the published value does not determine. If the scores are
    available, use `scores` and DeLong's interval instead.

    Parameters
    ----------
    auc : float or str
        The published area, between 0 and 1.
    positives, negatives : int
        Number of cases of each class, at least 1.
    method : {"halfway", "newcombe"}
        Variance as a function of the area A, from which the limits are computed. ``"newcombe"`` is Newcombe's method 5,
        which is valid if the score distributions of both classes have similar shapes. ``"halfway"``, the default, is
        the mean of this variance and of the largest one for any curve with this area,
        ``A(1-A) / min(positives, negatives)``.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    Estimate
        Estimate of the metric ``"roc_auc"``; its `reason` states that the curve is unknown.

    Raises
    ------
    HowsureError
        If the area is not between 0 and 1, or a number of cases is not an integer.

    Notes
    -----
    We simulated 2,000 studies in each of 252 settings (normal, exponential and mixed scores with areas 0.6 to 0.98, and
    20 to 500 cases of each class). The 95 % intervals of ``"halfway"`` covered in at least 94 % of the studies of each
    setting. Those of ``"newcombe"`` covered in at least 80 %, and in at least 94 % for normal scores with equal
    variances.

    References
    ----------
    Newcombe (2006), Statistics in Medicine 25:559–573. Birnbaum, Klose (1957), Annals of Mathematical Statistics
    28:933–945, for the largest variance.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.from_auc(0.87, positives=40, negatives=100))
    0.870 [0.757, 0.934] (the ROC curve is unknown: wider than with the scores)
    """
    area = _area(auc)
    one_of("method", method, get_args(AreaMethod))
    level = checked_level(confidence_level)
    ill, well = whole_number("positives", positives), whole_number("negatives", negatives)

    def variance(areas: Array) -> Array:
        found = np.asarray(newcombe_variance(areas, ill, well))
        return found if method == "newcombe" else (found + areas * (1 - areas) / min(ill, well)) / 2

    value = np.asarray(area)
    low, high = newcombe_limits(value, variance, level)
    return Estimate(
        area,
        low=float(low),
        high=float(high),
        metric="roc_auc",
        confidence_level=level,
        method=method,
        standard_error=float(np.sqrt(variance(value))),
        reason=ASSUMED if method == "newcombe" else UNKNOWN,
    )


def _area(given: Any) -> float:
    try:
        area = float(given)
    except (TypeError, ValueError):
        raise HowsureError(f"`auc` = {given!r} is no number. Give the published area, such as 0.87.") from None
    if not 0 <= area <= 1:
        raise HowsureError(f"`auc` = {area:g} is no area: it lies between 0 and 1.{of_per_cent(area)}")
    return area

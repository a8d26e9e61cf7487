"""A published area under the ROC curve with the sizes of both classes."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError, checked_level, one_of, whole_number
from howsure.estimates.estimate import Estimate
from howsure.methods.delong import newcombe_limits, newcombe_variance

Array = NDArray[Any]
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

    The variance of an area depends on the curve, which a published value does not tell. With the scores at hand,
    `scores` and DeLong's interval are better.

    Parameters
    ----------
    auc : float or str
        The published area, between 0 and 1.
    positives, negatives : int
        Numbers of cases of either class, at least 1.
    method : {"halfway", "newcombe"}
        Variance that the limits are inverted from. ``"newcombe"`` is his method 5, right if the scores of both classes
        have distributions of similar shape. ``"halfway"``, the default, is the mean of that and of the largest
        variance that any curve of the area has, ``A(1-A) / min(positives, negatives)``.
    confidence_level : float
        Coverage of the interval, between 0 and 1.

    Returns
    -------
    Estimate
        Of the metric ``"roc_auc"``; its `reason` says that the curve is unknown.

    Raises
    ------
    HowsureError
        If the area is not between 0 and 1, or a number of cases is not whole.

    Notes
    -----
    In 2,000 simulated studies of each of 252 settings (normal, exponential and mixed scores of areas 0.6 to 0.98, with
    20 to 500 cases of either class) ``"halfway"`` held the truth at 95 % in at least 94 % of the studies, and
    ``"newcombe"`` in at least 80 %; of normal scores with equal spread in at least 94 %.

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
        message = f"`auc` = {given!r} is no number. Give the published area, such as 0.87."
        raise HowsureError(message) from None
    if not 0 <= area <= 1:
        remedy = f" For per cent give {area / 100:g}." if 1 < area <= 100 else ""
        message = f"`auc` = {area:g} is no area: it lies between 0 and 1.{remedy}"
        raise HowsureError(message)
    return area

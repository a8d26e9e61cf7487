"""The mean over folds of cross-validation, which share training data."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from howsure.errors import HowsureError, checked_level, of_per_cent
from howsure.estimates.estimate import Estimate
from howsure.pooling.effects import checked_experiments
from howsure.pooling.scales import scale_named


def pool_folds(
    values: ArrayLike,
    *,
    test_share: float | None = None,
    scale: str | None = None,
    confidence_level: float = 0.95,
) -> Estimate:
    """Return the mean over folds or repeated splits, with the interval that Nadeau and Bengio corrected.

    Folds share training data, so that their values are correlated, and the usual ``s² / k`` is too small. The variance
    of the mean is taken as ``(1 / k + n_test / n_train) s²``, with Student's t on ``k - 1`` degrees of freedom.

    Parameters
    ----------
    values : array-like of shape (k,)
        One value per fold (or per fold and repetition).
    test_share : float, optional
        Fraction of the cases in the test part of each split, between 0 and 1; 1 / k by default. The fraction is 0.2 for
        ten repetitions of five folds.
    scale : str, optional
        Scale on which the mean is taken, as in `pool`.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    Estimate
        The mean; for one fold, or folds with equal values, there is a reason instead of an interval.

    Raises
    ------
    HowsureError
        If a value is not finite or outside the scale's range, or the fraction is not between 0 and 1.

    References
    ----------
    Nadeau, Bengio (2003), Machine Learning 52; Bouckaert, Frank (2004), PAKDD (repeated cross-validation).

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.pool_folds([0.91, 0.88, 0.93, 0.90, 0.89]))
    0.902 [0.866, 0.938]
    """
    from scipy import special

    chosen = scale_named(scale)
    natural, _, _ = checked_experiments(values, np.ones(np.shape(values)), None, chosen)
    size, level = len(natural), checked_level(confidence_level)
    share = 1 / size if test_share is None else checked_test_share(test_share)
    y = chosen.forward(natural)
    centre = float(y.mean())
    value = float(chosen.back(np.array(centre)))
    found = Estimate(value, low=math.nan, high=math.nan, metric="", confidence_level=level, method="nadeau_bengio")
    if size == 1:
        return found.replace(reason="one fold shows no scatter to take an interval from")
    if not np.ptp(y) > 0:
        return found.replace(reason="all folds have the same value: they show no scatter to take an interval from")
    error = float(y.std(ddof=1)) * math.sqrt(1 / size + share / (1 - share))
    half = float(special.stdtrit(size - 1, (1 + level) / 2)) * error
    low, high = chosen.back(np.array([centre - half, centre + half]))
    natural_error = error / float(chosen.slope(np.array(value)))
    beyond = natural.min() >= 0 and natural.max() <= 1 and not 0 <= low <= high <= 1
    reason = "a limit is outside 0 to 1, in which all folds lie: `scale='logit'` keeps limits of a share inside"
    return found.replace(low=low, high=high, standard_error=natural_error, reason=reason if beyond else "")


def checked_test_share(share: object) -> float:
    """Return the test fraction of a fold; raise an error unless it is between 0 and 1."""
    if isinstance(share, bool) or not isinstance(share, int | float | np.number) or not 0 < share < 1:
        hint = of_per_cent(share)
        raise HowsureError(
            f"`test_share` is the share of the cases that a fold tests on, between 0 and 1, not {share!r}.{hint}"
        )
    return float(share)

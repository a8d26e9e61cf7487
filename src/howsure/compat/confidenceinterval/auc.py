"""The area under the ROC curve, called as in the package ``confidenceinterval``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from howsure.arrays import Seed
from howsure.compat import of_scores
from howsure.compat.confidenceinterval.bootstrap import bootstrap_methods
from howsure.compat.confidenceinterval.results import Limits, scored
from howsure.errors import one_of
from howsure.estimates.estimate import Estimate

PLAIN = "delong_wald"  # DeLong's standard error, normal on the area itself, as in that package


def roc_auc_score(
    y_true: object,
    y_pred: object,
    confidence_level: float = 0.95,
    method: str = "delong",
    n_resamples: int = 9999,
    random_state: Seed = None,
    average: str = "macro",
    **kwargs: object,
) -> tuple[Estimate, Limits]:
    """Return the area under the ROC curve, with its interval.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    y_pred : array-like of shape (n,) or (n, K)
        Scores of the positive class, or of each class.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    method : {"delong", "bootstrap_bca", "bootstrap_percentile", "bootstrap_basic"}
        DeLong's standard error, or a bootstrap.
    n_resamples, random_state : int, seed
        Settings of a bootstrap.
    average : str
        Average over several classes.
    **kwargs
        ``multi_class``, ``labels`` and other arguments of `howsure.roc_auc_score`.
    """
    known = ["delong", *bootstrap_methods]
    one_of("method", method, known)
    call: Callable[..., Any] = partial(of_scores.roc_auc_score, y_true, y_pred, average=average)
    settings: dict[str, Any] = {"n_resamples": n_resamples, "random_state": random_state, **kwargs}
    chosen = PLAIN if method == "delong" else method
    found = scored(call, chosen, [PLAIN, *bootstrap_methods], confidence_level=confidence_level, **settings)
    return found, (found.low, found.high)

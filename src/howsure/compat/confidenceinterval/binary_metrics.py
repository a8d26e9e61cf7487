"""Accuracy and the rates of two classes, called as in the package ``confidenceinterval``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from howsure.compat import per_class, whole_table
from howsure.compat.confidenceinterval.bootstrap import bootstrap_methods
from howsure.compat.confidenceinterval.results import Result, result, scored

proportion_conf_methods = ["wilson", "normal", "agresti_coull", "beta", "jeffreys", "binom_test"]
METHODS = [*proportion_conf_methods, *bootstrap_methods]


def _function(score: Callable[..., Any], words: str) -> Callable[..., Result]:
    """Return howsure's function of a proportion with the signature of that package."""

    def named(
        y_true: object,
        y_pred: object,
        confidence_level: float = 0.95,
        method: str = "wilson",
        compute_ci: bool = True,  # noqa: FBT002 - the signature is the other package's
        **kwargs: object,
    ) -> Result:
        call = partial(score, y_true, y_pred)
        return result(scored(call, method, METHODS, confidence_level=confidence_level, **kwargs), compute_ci)

    named.__name__ = named.__qualname__ = score.__name__
    named.__doc__ = f"""Return {words}, with its interval.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    method : str
        One of {", ".join(METHODS)}.
    compute_ci : bool
        Whether the limits are returned beside the value.
    **kwargs
        ``n_resamples`` and ``random_state`` of a bootstrap; ``pos_label``, ``sample_weight``, ``groups`` and what else
        `howsure.{score.__name__}` takes.
    """
    return named


accuracy_score = _function(whole_table.accuracy_score, "the share of cases whose prediction is right")
ppv_score = _function(per_class.ppv_score, "the share of the predictions of class 1 that is right")
npv_score = _function(per_class.npv_score, "the share of the predictions of class 0 that is right")
tpr_score = _function(per_class.tpr_score, "the share of class 1 that is predicted as it")
fpr_score = _function(per_class.fpr_score, "the share of class 0 that is predicted as class 1")
tnr_score = _function(per_class.tnr_score, "the share of class 0 that is predicted as it")

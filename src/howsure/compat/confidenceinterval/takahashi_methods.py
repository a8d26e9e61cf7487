"""Precision, recall and F1 over classes, called as in the package ``confidenceinterval``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from howsure.compat import per_class
from howsure.compat.confidenceinterval.binary_metrics import METHODS
from howsure.compat.confidenceinterval.bootstrap import bootstrap_methods
from howsure.compat.confidenceinterval.results import Result, result, scored
from howsure.compat.differences import say_once
from howsure.errors import one_of

AVERAGES = ("micro", "macro", "binary")
TAKAHASHI = "takahashi"
VARIANCE = (
    "confidenceinterval 1.0.5 takes a wrong variance for macro averages and for F1 of one class; these limits are of "
    "the right one. Its micro averages are right, and equal these."
)


def _function(score: Callable[..., Any], words: str, *, is_proportion: bool) -> Callable[..., Result]:
    """Return howsure's function of classes with the signature and the default average of that package."""

    def named(
        y_true: object,
        y_pred: object,
        confidence_level: float = 0.95,
        average: str = "micro",
        method: str = TAKAHASHI,
        compute_ci: bool = True,  # noqa: FBT002 - the signature is the other package's
        **kwargs: object,
    ) -> Result:
        one_of("average", average, AVERAGES)
        of_class = is_proportion and average == "binary"
        if of_class and method == TAKAHASHI:
            method = "wilson"  # this default fails in that package
        if method == TAKAHASHI and average != "micro" and compute_ci:
            say_once(VARIANCE)
        known = METHODS if of_class else [TAKAHASHI, *bootstrap_methods]
        call = partial(score, y_true, y_pred, average=average)
        return result(scored(call, method, known, confidence_level=confidence_level, **kwargs), compute_ci)

    named.__name__ = named.__qualname__ = score.__name__
    named.__doc__ = f"""Return {words}, with its interval.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels, of any number of classes.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    average : {{"micro", "macro", "binary"}}
        Over all cases, over classes, or of class 1.
    method : str
        ``"takahashi"``, value ± z · standard error by the delta method, or a bootstrap.
    compute_ci : bool
        Whether the limits are returned beside the value.
    **kwargs
        ``n_resamples`` and ``random_state`` of a bootstrap; ``pos_label``, ``sample_weight``, ``groups`` and what else
        `howsure.{score.__name__}` takes.
    """
    return named


precision_score = _function(per_class.precision_score, "the precision", is_proportion=True)
recall_score = _function(per_class.recall_score, "the recall", is_proportion=True)
f1_score = _function(per_class.f1_score, "the F1 score", is_proportion=False)

"""scikit-learn's metrics of scores: areas under curves, log loss and the Brier score."""

from __future__ import annotations

from typing import Any, Literal, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.compat.keywords import SAMPLES, Keywords, MeanName, Settings, listed, with_keywords
from howsure.compat.whole_table import refuse_sums
from howsure.errors import HowsureError
from howsure.estimates.estimate import Estimate
from howsure.metrics.binding import labels_to_expand
from howsure.sources.score_matrix import multiclass_scores
from howsure.sources.scores import scores
from howsure.tables.score_matrix import MulticlassScoresTable, ScoreMatrixTable
from howsure.tables.scores import ScoresTable

PARAMETERS = """
y_true : array-like of shape (n,) or (n, K), or str
    True class of each case, two or more; or an indicator array (multilabel); or, with ``data``, the column's name.
y_score : array-like of shape (n,) or (n, K), or str or list of str
    Score of each case, higher for the positive class; of more classes a score for each; or the columns' names.
y_pred, y_proba : array-like, optional
    Synonyms of ``y_score``.
labels : array-like of shape (K,), optional
    Classes of the columns of ``y_score``, where not all occur.
pos_label : object, optional
    The positive one of two classes; by default 1 where the classes are 0 and 1 or −1 and 1, else the last in order.
"""
RETURNS = """
Estimate or list of Estimate
    The value with its interval; with ``average=None`` and a score for each class a list with one per class.
"""
Scored = ScoresTable | ScoreMatrixTable
Result = Estimate | list[Estimate]


@overload
def roc_auc_score(
    y_true: Any,
    y_score: Any = ...,
    *,
    average: None,
    multi_class: Literal["raise", "ovr", "ovo"] = ...,
    max_fpr: float | None = ...,
    y_pred: Any = ...,
    y_proba: Any = ...,
    labels: ArrayLike | None = ...,
    pos_label: Any = ...,
    **keywords: Unpack[Keywords],
) -> Estimate | list[Estimate]: ...


@overload
def roc_auc_score(
    y_true: Any,
    y_score: Any = ...,
    *,
    average: MeanName = ...,
    multi_class: Literal["raise", "ovr", "ovo"] = ...,
    max_fpr: float | None = ...,
    y_pred: Any = ...,
    y_proba: Any = ...,
    labels: ArrayLike | None = ...,
    pos_label: Any = ...,
    **keywords: Unpack[Keywords],
) -> Estimate: ...


@with_keywords(PARAMETERS, RETURNS)
def roc_auc_score(
    y_true: Any,
    y_score: Any = None,
    *,
    average: MeanName | None = "macro",
    multi_class: Literal["raise", "ovr", "ovo"] = "raise",
    max_fpr: float | None = None,
    y_pred: Any = None,
    y_proba: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    **keywords: Unpack[Keywords],
) -> Result:
    """Area under the ROC curve, of two classes or averaged over more.

    The chance that a positive case scores above a negative one, ties counting half; in [0, 1], higher is better, ½
    for guessing.

    Parameters
    ----------
    average : {"macro", "weighted", "micro", "geometric", "harmonic", "min", "max"} or None
        How to average over more than two classes.
    multi_class : {"raise", "ovr", "ovo"}
        Of more than two classes, ``"ovr"`` (each class against the rest) or ``"ovo"`` (pairs) must be chosen.
    max_fpr : float, optional
        Gives the standardised partial area up to this false positive rate.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.roc_auc_score([0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.3, 0.7, 0.8, 0.4]))
    0.889 [0.261, 0.995]
    """
    settings = Settings(**keywords)
    table = _table(settings, y_true, _given(y_score, y_pred, y_proba), labels, pos_label)
    if multi_class not in {"raise", "ovr", "ovo"}:
        raise HowsureError.unknown("scheme (`multi_class`)", multi_class, ("ovr", "ovo"))
    pairs = ""
    if isinstance(table, MulticlassScoresTable):
        if multi_class == "raise":
            message = (
                "There is a score for each class: choose multi_class='ovr' (against the rest) or 'ovo' (pairs). "
                "Of two classes give the positive one's column, `y_score[:, 1]`."
            )
            raise HowsureError(message)
        pairs = "+multi_class=ovo" if multi_class == "ovo" else ""
    area = "roc_auc" if max_fpr is None else f"roc_auc+max_fpr={max_fpr}"
    return _averaged(settings, table, area, average, pairs)


@overload
def average_precision_score(
    y_true: Any,
    y_score: Any = ...,
    *,
    average: None,
    y_pred: Any = ...,
    y_proba: Any = ...,
    labels: ArrayLike | None = ...,
    pos_label: Any = ...,
    **keywords: Unpack[Keywords],
) -> Estimate | list[Estimate]: ...


@overload
def average_precision_score(
    y_true: Any,
    y_score: Any = ...,
    *,
    average: MeanName = ...,
    y_pred: Any = ...,
    y_proba: Any = ...,
    labels: ArrayLike | None = ...,
    pos_label: Any = ...,
    **keywords: Unpack[Keywords],
) -> Estimate: ...


@with_keywords(PARAMETERS, RETURNS)
def average_precision_score(
    y_true: Any,
    y_score: Any = None,
    *,
    average: MeanName | None = "macro",
    y_pred: Any = None,
    y_proba: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    **keywords: Unpack[Keywords],
) -> Result:
    """Average precision by the step rule, of two classes or averaged over more.

    Σ (Rₖ − Rₖ₋₁) Pₖ over the distinct scores, with precision P and recall R; in [0, 1], higher is better, the
    prevalence for guessing.

    Parameters
    ----------
    average : {"macro", "weighted", "micro", "geometric", "harmonic", "min", "max"} or None
        How to average over more than two classes.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.average_precision_score([0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.3, 0.7, 0.8, 0.4]))
    0.917 [0.463, 0.993]
    """
    settings = Settings(**keywords)
    table = _table(settings, y_true, _given(y_score, y_pred, y_proba), labels, pos_label)
    return _averaged(settings, table, "average_precision", average)


@with_keywords(PARAMETERS)
def brier_score_loss(
    y_true: Any,
    y_score: Any = None,
    *,
    scale_by_half: bool | Literal["auto"] = "auto",
    y_pred: Any = None,
    y_proba: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Brier score, the mean squared difference of probability and truth.

    In [0, 1] of two classes; summed over the classes and in [0, 2] where there are more. Lower is better.

    Parameters
    ----------
    scale_by_half : bool or "auto"
        As scikit-learn's ``"auto"``: half the sum over the classes where there are two, else the sum.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.brier_score_loss([0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.3, 0.7, 0.8, 0.4]))
    0.167 [0.063, 0.372]
    """
    settings = Settings(**keywords)
    table = _table(settings, y_true, _given(y_score, y_pred, y_proba), labels, pos_label)
    if scale_by_half not in ("auto", table.has_thresholds):
        message = "`scale_by_half` is as scikit-learn's 'auto': half for two classes, not for more. Scale it yourself."
        raise HowsureError(message)
    return settings.estimates(table, ["brier_score"])[0]


@with_keywords(PARAMETERS)
def log_loss(
    y_true: Any,
    y_score: Any = None,
    *,
    normalize: bool = True,
    y_pred: Any = None,
    y_proba: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Log loss, the mean negative logarithm of the probability given to the true class; 0 or more, lower is better.

    Parameters
    ----------
    normalize : bool
        True; scikit-learn's False asks for the sum over the cases instead of their mean.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.log_loss([0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.3, 0.7, 0.8, 0.4]))
    0.485 [0.241, 0.976]
    """
    refuse_sums(normalize=normalize)
    settings = Settings(**keywords)
    table = _table(settings, y_true, _given(y_score, y_pred, y_proba), labels, pos_label)
    return settings.estimates(table, ["log_loss"])[0]


def _given(*synonyms: Any) -> Any:
    return next((each for each in synonyms if each is not None), None)


def _table(settings: Settings, y_true: Any, score: Any, labels: ArrayLike | None, pos_label: Any) -> Scored:
    data, weight, groups, check = settings.data, settings.sample_weight, settings.groups, settings.check
    if _is_matrix(score, data):
        if pos_label not in (None, 1):
            message = (
                "`pos_label` is for two classes with one score per case; with a score for each class leave it out."
            )
            raise HowsureError(message)
        return multiclass_scores(
            y_true, score, labels=labels, data=data, sample_weight=weight, groups=groups, check=check
        )
    positive = listed(labels)[-1] if pos_label is None and labels is not None else pos_label
    return scores(y_true, score, pos_label=positive, data=data, sample_weight=weight, groups=groups, check=check)


def _is_matrix(score: Any, data: Any) -> bool:
    """Whether there is a score for each class."""
    if data is not None:
        return isinstance(score, list | tuple)
    return np.ndim(score) == 2


def _averaged(settings: Settings, table: Scored, metric: str, average: str | None, pairs: str = "") -> Result:
    """Return the estimate, or the list of one per class."""
    if isinstance(table, ScoresTable):
        return settings.estimates(table, [metric])[0]
    if average == "samples":
        raise HowsureError(SAMPLES)
    spec = f"{metric}@{'none' if average is None else average}{pairs}"
    specs = labels_to_expand(spec, table)
    return settings.estimates(table, [spec])[0] if specs is None else settings.estimates(table, specs)

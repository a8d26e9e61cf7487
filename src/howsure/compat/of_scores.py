"""scikit-learn's metrics of rankings by score: areas under curves, and top-k accuracy."""

from __future__ import annotations

from typing import Any, Literal, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.compat.cases import mean_of_cases
from howsure.compat.keywords import Keywords, Settings, checked_average, with_keywords
from howsure.compat.score_tables import (
    PARAMETERS,
    Scored,
    given,
    is_matrix_of_scores,
    refuse_text,
    scores_of,
    table_of,
)
from howsure.compat.targets import MATRIX
from howsure.compat.undefined import warn
from howsure.errors import HowsureError, OneClassError, one_of, whole_number
from howsure.estimates.estimate import Estimate
from howsure.metrics.binding import labels_to_expand, resolve
from howsure.metrics.rows import SUM_TOLERANCE, how_to_sum_to_1, is_rounded
from howsure.sources.columns import indicator
from howsure.sources.encoding import encoded
from howsure.sources.scores import score_values, scores_table

RETURNS = """
Estimate or list of Estimate
    The value with its interval; with ``average=None`` and a score for each class a list with one per class.
"""
Result = Estimate | list[Estimate]
RankedAverage = Literal["macro", "micro", "weighted", "samples", "geometric", "harmonic", "min", "max"]


class _Scored(Keywords, total=False):
    """Keyword arguments that do not decide the type of the result."""

    y_pred: object
    y_proba: object
    labels: ArrayLike | None
    pos_label: object


class _Ranked(_Scored, total=False):
    """As `_Scored`, with those of the area under the ROC curve."""

    multi_class: Literal["raise", "ovr", "ovo"]
    max_fpr: float | None


@overload
def roc_auc_score(
    y_true: object, y_score: object = ..., *, average: None, **keywords: Unpack[_Ranked]
) -> Estimate | list[Estimate]: ...


@overload
def roc_auc_score(
    y_true: object, y_score: object = ..., *, average: RankedAverage = ..., **keywords: Unpack[_Ranked]
) -> Estimate: ...


@with_keywords(PARAMETERS, RETURNS)
def roc_auc_score(
    y_true: object,
    y_score: object = None,
    *,
    average: RankedAverage | None = "macro",
    multi_class: Literal["raise", "ovr", "ovo"] = "raise",
    max_fpr: float | None = None,
    y_pred: object = None,
    y_proba: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    **keywords: Unpack[Keywords],
) -> Result:
    """Area under the ROC curve, of two classes or averaged over more.

    The probability that a positive case has a higher score than a negative one, where ties count half; in [0, 1],
    higher is better, ½ for guessing.

    Parameters
    ----------
    average : {"macro", "weighted", "micro", "samples", "geometric", "harmonic", "min", "max"} or None
        How to average over more than two classes; ``"samples"`` averages over the cases of multilabel data.
    multi_class : {"raise", "ovr", "ovo"}
        Required for more than two classes: ``"ovr"`` (each class against the rest) or ``"ovo"`` (pairs).
    max_fpr : float, optional
        Gives the standardised partial area up to this false positive rate.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.roc_auc_score([0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.3, 0.7, 0.8, 0.4]))
    0.889 [0.408, 0.988]
    """
    one_of("scheme (`multi_class`)", multi_class, ("ovr", "ovo", "raise"))
    settings, score = Settings(**keywords), given(y_score=y_score, y_pred=y_pred, y_proba=y_proba)
    area = "roc_auc" if max_fpr is None else f"roc_auc+max_fpr={max_fpr}"
    y_true, score = scores_of(settings, y_true, score)
    checked_average(average)
    if average == "samples" and is_matrix_of_scores(score, settings.data):
        return _over_samples(settings, y_true, score, area)
    try:
        table = table_of(settings, y_true, score, labels, pos_label)
    except OneClassError as error:  # for which the area is undefined, and not refused
        table = table_of(settings, y_true, score, labels, error.label)
    pairs = ""
    if table.kind.has_one_label_per_case and not table.kind.has_thresholds:
        if multi_class == "raise":
            raise HowsureError(
                "There is a score for each class: choose multi_class='ovr' (against the rest) or 'ovo' (pairs). "
                "Of two classes give the positive one's column, `y_score[:, 1]`."
            )
        sums = table.scores.sum(1)
        if np.abs(sums - 1).max() > SUM_TOLERANCE and not is_rounded(table.scores, sums):
            raise HowsureError(
                f"`y_score` needs rows of probabilities; they sum to {sums.min():g} … {sums.max():g}, not to 1. "
                f"{how_to_sum_to_1(table.scores)}"
            )
        pairs = "+multi_class=ovo" if multi_class == "ovo" else ""
    return _averaged(settings, table, area, average, pairs)


@overload
def average_precision_score(
    y_true: object, y_score: object = ..., *, average: None, **keywords: Unpack[_Scored]
) -> Estimate | list[Estimate]: ...


@overload
def average_precision_score(
    y_true: object, y_score: object = ..., *, average: RankedAverage = ..., **keywords: Unpack[_Scored]
) -> Estimate: ...


@with_keywords(PARAMETERS, RETURNS)
def average_precision_score(
    y_true: Any,
    y_score: object = None,
    *,
    average: RankedAverage | None = "macro",
    y_pred: object = None,
    y_proba: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    **keywords: Unpack[Keywords],
) -> Result:
    """Average precision by the step rule, of two classes or averaged over more.

    Σ (Rₖ − Rₖ₋₁) Pₖ over the distinct scores, with precision P and recall R; in [0, 1], higher is better, the
    prevalence for guessing.

    Parameters
    ----------
    average : {"macro", "weighted", "micro", "samples", "geometric", "harmonic", "min", "max"} or None
        How to average over more than two classes; ``"samples"`` averages over the cases of multilabel data.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.average_precision_score([0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.3, 0.7, 0.8, 0.4]))
    0.917 [0.321, 0.989]
    """
    settings, score = Settings(**keywords), given(y_score=y_score, y_pred=y_pred, y_proba=y_proba)
    y_true, score = scores_of(settings, y_true, score)
    checked_average(average)
    if average == "samples" and is_matrix_of_scores(score, settings.data):
        if np.ndim(y_true) != MATRIX:  # a true class per case: the one label that it has
            classes = encoded("y_true", y_true)
            y_true = np.arange(len(classes.levels)) == (np.asarray(classes.codes) - classes.offset)[:, None]
        return _over_samples(settings, y_true, score, "average_precision")
    refuse_text(settings, y_true, score, pos_label)
    positive = 1 if pos_label is None and labels is None else pos_label
    return _averaged(settings, table_of(settings, y_true, score, labels, positive), "average_precision", average)


@with_keywords(PARAMETERS)
def top_k_accuracy_score(
    y_true: object,
    y_score: object = None,
    *,
    k: int = 2,
    normalize: bool = True,
    y_pred: object = None,
    y_proba: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Top-k accuracy, the proportion of cases whose true class is among the k with the highest scores.

    In [0, 1], higher is better; of tied classes the later ones come first, as in scikit-learn.

    Parameters
    ----------
    k : int
        Number of classes with the highest scores.
    normalize : bool
        Whether to return the proportion of the cases; else their number, or the sum of their weights.

    Examples
    --------
    >>> import howsure as hs
    >>> scores = [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]
    >>> print(hs.top_k_accuracy_score([0, 1, 2, 2], scores, k=2))
    0.750 [0.242, 0.987]
    """
    settings, score = Settings(**keywords), given(y_score=y_score, y_pred=y_pred, y_proba=y_proba)
    size = whole_number("k", k)
    table = table_of(settings, y_true, score, labels, pos_label)
    if size >= len(table.labels):
        warn(f"The {size} highest of {len(table.labels)} scores contain every class: top-{size} accuracy is always 1.")
    return settings.estimated(table, f"top_{size}_accuracy", normalize=normalize)


def _over_samples(settings: Settings, y_true: object, y_score: object, spec: str) -> Estimate:
    """Return the mean over the cases of a metric of each case's labels and their scores."""
    truth, score = indicator("y_true", y_true), np.asarray(y_score, dtype=float)
    if truth.ndim != MATRIX or truth.shape != score.shape:
        raise HowsureError(
            f"average='samples' is for multilabel data: `y_true` has shape {truth.shape}, `y_score` {score.shape}."
        )
    values = np.empty(len(truth))
    for place, (labels, row) in enumerate(zip(truth == 1, score, strict=True)):
        table = scores_table(labels, score_values(row), np.array([0, 1]))
        values[place] = resolve(spec, table)(table.counted)
    return mean_of_cases(settings, f"{spec}@samples", values)


def _averaged(settings: Settings, table: Scored, metric: str, average: str | None, pairs: str = "") -> Result:
    """Return the estimate, or the list of one per class."""
    spec = metric if table.kind.has_thresholds else f"{metric}@{'none' if average is None else average}{pairs}"
    specs = labels_to_expand(spec, table)
    if specs is not None:
        return settings.estimates(table, specs)
    found = settings.estimated(table, spec)
    if np.isnan(found):
        warn(f"`{spec}` is {found.reason or 'undefined'}.")
    return found

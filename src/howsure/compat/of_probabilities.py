"""scikit-learn's losses of probabilities, and skill scores relative to constant probabilities."""

from __future__ import annotations

from typing import Any, Literal, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from howsure.compat.keywords import Keywords, Settings, scaled, with_keywords
from howsure.compat.score_tables import PARAMETERS, Scored, given, refuse_text, table_of
from howsure.compat.undefined import warn
from howsure.errors import OneClassError, boolean
from howsure.estimates.estimate import Estimate
from howsure.metrics.metric import Metric
from howsure.metrics.rows import of_rows
from howsure.metrics.spec import parse
from howsure.tables.score_matrix import ScoreMatrixTable


@with_keywords(PARAMETERS)
def brier_score_loss(
    y_true: object,
    y_score: object = None,
    *,
    scale_by_half: bool | Literal["auto"] = "auto",
    y_pred: object = None,
    y_proba: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Brier score, the mean squared difference of probability and truth.

    In [0, 1] for two classes; summed over the classes and in [0, 2] for more. Lower is better.

    Parameters
    ----------
    scale_by_half : bool or "auto"
        Whether to halve the sum over the classes; by default only for two classes.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.brier_score_loss([0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.3, 0.7, 0.8, 0.4]))
    0.167 [0.061, 0.383]
    """
    settings, probabilities = Settings(**keywords), given(y_score=y_score, y_pred=y_pred, y_proba=y_proba)
    refuse_text(settings, y_true, probabilities, pos_label)
    table = _of_one_or_two(settings, y_true, probabilities, labels, pos_label)
    found = settings.estimated(table, _whole("brier_score", table))
    columns = 1 if table.kind.has_thresholds else table.scores.shape[1]
    halved = columns < 3 if str(scale_by_half) == "auto" else boolean("scale_by_half", scale_by_half)
    factor = (0.5 if halved else 1.0) * (2.0 if columns == 1 else 1.0)
    return found if factor == 1 else scaled(found, factor)


@with_keywords(PARAMETERS)
def log_loss(
    y_true: object,
    y_score: object = None,
    *,
    normalize: bool = True,
    y_pred: object = None,
    y_proba: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Log loss, the mean negative logarithm of the probability given to the true class; 0 or more, lower is better.

    Parameters
    ----------
    normalize : bool
        Whether to return the mean over the cases; else the sum.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.log_loss([0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.3, 0.7, 0.8, 0.4]))
    0.485 [0.245, 1.018]
    """
    settings, probabilities = Settings(**keywords), given(y_score=y_score, y_pred=y_pred, y_proba=y_proba)
    table = table_of(settings, y_true, probabilities, labels, pos_label)
    return settings.estimated(table, _whole("log_loss", table), normalize=normalize)


@with_keywords(PARAMETERS)
def d2_brier_score(
    y_true: object,
    y_score: object = None,
    *,
    y_pred: object = None,
    y_proba: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Brier skill score, the share of the Brier score of always predicting the prevalence that is saved.

    1 − Brier / Brier of the prevalence; at most 1, higher is better, 0 for the prevalence.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.d2_brier_score([0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.3, 0.7, 0.8, 0.4]))
    0.333 [-1.491, 0.822]
    """
    settings, probabilities = Settings(**keywords), given(y_score=y_score, y_pred=y_pred, y_proba=y_proba)
    refuse_text(settings, y_true, probabilities, pos_label)
    if _is_single(y_true):
        return _undefined("brier_skill", settings)
    return _skill("brier_skill", settings, _of_one_or_two(settings, y_true, probabilities, labels, pos_label))


@with_keywords(PARAMETERS)
def d2_log_loss_score(
    y_true: object,
    y_score: object = None,
    *,
    y_pred: object = None,
    y_proba: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """D², the share of the log loss of always predicting the prevalence that is saved.

    1 − log loss / log loss of the prevalence; at most 1, higher is better, 0 for the prevalence.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.d2_log_loss_score([0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.3, 0.7, 0.8, 0.4]))
    0.300 [-0.934, 0.747]
    """
    settings, probabilities = Settings(**keywords), given(y_score=y_score, y_pred=y_pred, y_proba=y_proba)
    if _is_single(y_true):
        return _undefined("log_loss_skill", settings)
    return _skill("log_loss_skill", settings, table_of(settings, y_true, probabilities, labels, pos_label))


def _of_one_or_two(
    settings: Settings, y_true: object, score: object, labels: ArrayLike | None, pos_label: object
) -> Scored:
    """Return the table of scores, where the only true class may be 0, 1 or −1."""
    try:
        return table_of(settings, y_true, score, labels, pos_label)
    except OneClassError as error:
        if error.label not in {0, 1, -1}:
            raise
        return table_of(settings, y_true, score, labels, 1)


def _is_single(y_true: Any) -> bool:
    return np.ndim(y_true) == 1 and len(y_true) == 1


def _undefined(spec: str, settings: Settings) -> Estimate:
    """Return the undefined skill score of a single case."""
    reason = "undefined: a single case leaves nothing to save"
    warn(f"`{spec}` is {reason}.")
    return Estimate(np.nan, low=np.nan, high=np.nan, metric=spec, confidence_level=settings.level, reason=reason)


def _skill(spec: str, settings: Settings, table: Scored) -> Estimate:
    found = settings.estimated(table, _whole(spec, table))
    if np.isnan(found):
        warn(f"`{spec}` is undefined: {found.reason or 'the prevalence leaves nothing to save'}.")
    return found


def _whole(spec: str, table: Scored) -> Metric | str:
    """Return the metric of whole rows of labels, which has a name only of classes."""
    if table.kind.has_one_label_per_case:
        return spec
    return of_rows(parse(spec), cast("ScoreMatrixTable", table))

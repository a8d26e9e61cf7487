"""scikit-learn's matrices of counts, as arrays."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.compat.keywords import Settings, listed
from howsure.compat.targets import indicators, is_matrix
from howsure.compat.undefined import warn
from howsure.errors import HowsureError, HowsureWarning, OneClassError, boolean, one_of, without
from howsure.sources.columns import checked_weight
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table

SUMMED: dict[str, tuple[int, ...]] = {"true": (1,), "pred": (0,), "all": (0, 1)}  # axes whose sum becomes 1


@without(counts="Give them to a source: hs.confusion(y_true, y_pred, counts=…).counts.")
def confusion_matrix(
    y_true: object,
    y_pred: object,
    *,
    labels: ArrayLike | None = None,
    sample_weight: Any = None,
    normalize: Literal["true", "pred", "all"] | None = None,
    data: Any = None,
) -> Array:
    """Return the counts of true (rows) by predicted class (columns); for intervals make a table with `confusion`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,), or str
        True and predicted label of each case, of any type; or, with ``data``, the names of their columns.
    labels : array-like of shape (K,), optional
        The classes, in order; cases with another true or predicted label are left out. All that occur by default.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    normalize : {"true", "pred", "all"}, optional
        Whether rows, columns or all cells sum to 1; those without a case are nan.
    data : frame, mapping, path or None
        A frame or file with the columns, which are then given by name.

    Returns
    -------
    ndarray of shape (K, K)
        Whole numbers, unless there are weights or proportions.

    Raises
    ------
    HowsureError
        If the labels, the weights or `normalize` are not valid.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.confusion_matrix(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"]).tolist()
    [[2, 0], [1, 1]]
    """
    if normalize is not None:
        one_of("value of `normalize`", normalize, SUMMED)
    settings = Settings(sample_weight=sample_weight, data=data)
    counts = _counted(settings, y_true, y_pred, labels)
    if normalize is None:
        return _whole(counts, sample_weight)
    sums = counts.sum(SUMMED[normalize], keepdims=True)
    return np.asarray(counts / np.where(sums == 0, np.nan, sums))


def _counted(settings: Settings, y_true: object, y_pred: object, labels: ArrayLike | None) -> Array:
    try:
        table = settings.counted(y_true, y_pred) if labels is None else settings.table(y_true, y_pred, also=labels)
    except OneClassError as error:
        warn(f"Only the class {error.label!r} occurs: give all classes with `labels=`.", HowsureWarning)
        return np.asarray(settings.table(y_true, y_pred).counts.sum(keepdims=True))
    if not table.kind.has_one_label_per_case:
        raise HowsureError(
            "A confusion matrix is of one label per case; for multilabel data use `multilabel_confusion_matrix`."
        )
    if labels is None:
        return table.counts
    places = [table.position(label) for label in listed(labels)]
    return table.counts[np.ix_(places, places)]


def _whole(counts: Array, weight: object) -> Array:
    """Return counts as whole numbers, unless the weights are floats."""
    is_whole = weight is None or np.asarray(weight).dtype.kind in "biu"
    return counts.astype(np.int64) if is_whole else counts


@without(counts="Give them to a source: hs.confusion(y_true, y_pred, counts=…).counts.")
def multilabel_confusion_matrix(
    y_true: object,
    y_pred: object,
    *,
    sample_weight: Any = None,
    labels: ArrayLike | None = None,
    samplewise: bool = False,
) -> Array:
    """Return the 2×2 matrix of each class or label against the rest, ``[[tn, fp], [fn, tp]]``.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, L)
        True and predicted label of each case, or indicator arrays (multilabel).
    sample_weight : array-like of shape (n,), optional
        Non-negative weight of each case.
    labels : array-like of shape (K,), optional
        Classes to return, in order; all that occur by default.
    samplewise : bool
        Whether to return the matrix of each case, over its labels, instead.

    Returns
    -------
    ndarray of shape (K, 2, 2) or (n, 2, 2)
        Whole numbers, unless there are weights.

    Raises
    ------
    HowsureError
        If the labels or weights are not valid, or `samplewise` is requested for one label per case.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.multilabel_confusion_matrix(["cat", "dog", "dog"], ["cat", "dog", "cat"])[1].tolist()
    [[1, 0], [1, 1]]
    """
    settings = Settings(sample_weight=sample_weight)
    if boolean("samplewise", samplewise):
        return _of_samples(*settings.labels(y_true, y_pred), labels, sample_weight)
    table = settings.table(y_true, y_pred, also=labels)
    tp, fn, fp, tn = outcomes(table)
    matrices = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
    if labels is not None:
        matrices = matrices[[table.position(label) for label in listed(labels)]]
    return _whole(matrices, sample_weight)


def outcomes(table: Table) -> tuple[Array, Array, Array, Array]:
    """Return the outcomes of each class against the rest, each ``(K,)``."""
    counts = table.counted
    assert isinstance(counts, ClassCounts)  # noqa: S101 - the table is of labels
    return counts.outcomes()


def _of_samples(y_true: object, y_pred: object, labels: ArrayLike | None, weight: object) -> Array:
    if not (is_matrix(y_true) and is_matrix(y_pred)):
        raise HowsureError("`samplewise` is for multilabel data: give indicator arrays.")
    true, predicted = indicators(y_true, y_pred)
    chosen = slice(None) if labels is None else listed(labels)
    true, predicted = true[:, chosen], predicted[:, chosen]
    cells = 2 * true + predicted
    counts = np.stack([(cells == cell).sum(1) for cell in range(4)], -1).reshape(-1, 2, 2)
    return counts if weight is None else counts * _weights(weight, len(true))[:, None, None]


def _weights(weight: object, size: int) -> Array:
    weights = checked_weight(weight)
    if len(weights) != size:
        raise HowsureError(f"`sample_weight` has {len(weights)} entries for {size} cases.")
    return weights

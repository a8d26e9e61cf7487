"""Confusion matrices from files and from labels, as functions named as in ``prob_conf_mat``."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from howsure.arrays import Array
from howsure.errors import HowsureError, HowsureWarning
from howsure.sources.confusion import confusion
from howsure.sources.matrices import from_counts
from howsure.sources.matrix_file import read_matrix


class ConfMatIOError(HowsureError):
    """A matrix that cannot be read, or does not hold counts."""


class ConfMatIOWarning(HowsureWarning):
    """A suspicious matrix."""


def load_csv(location: str | Path, dtype: DTypeLike = np.int64, **_: object) -> Array:
    """Return the counts in a CSV file, with or without labels on its axes.

    Raises
    ------
    ConfMatIOError
        If it is not a square matrix of counts.
    """
    if not Path(location).is_file():
        raise FileNotFoundError(f"There is no file '{location}'.")
    try:
        return from_counts(read_matrix(location)[1]).counts.astype(dtype)
    except HowsureError as error:
        raise ConfMatIOError(str(error)) from None


def validate_confusion_matrix(confusion_matrix: object, dtype: DTypeLike = np.float64) -> Array:  # noqa: ARG001 - as there
    """Return a matrix of whole counts as an array; refuse a class that is never true, and warn of one never predicted.

    Raises
    ------
    ConfMatIOError
        If it is not a square matrix of counts.
    """
    array = np.asarray(confusion_matrix)
    if array.dtype.kind not in "buif":
        raise ConfMatIOError(f"A confusion matrix holds whole numbers, and this one {array.dtype}.")
    try:
        table = from_counts(array)
    except HowsureError as error:
        raise ConfMatIOError(str(error)) from None
    if array.ndim != 2:
        raise ConfMatIOError(f"One confusion matrix has two axes, and this array {array.ndim}.")
    empty = np.flatnonzero(table.counts.sum(1) == 0).tolist()
    if empty:
        raise ConfMatIOError(f"Row {empty[0]} is empty: no case is of this class. Leave the class out.")
    never = np.flatnonzero(table.counts.sum(0) == 0).tolist()
    if never:
        warnings.warn(f"Column {never[0]} is empty: this class is never predicted.", ConfMatIOWarning, stacklevel=2)
    return array


def compute_confusion_matrix(y_true: object, y_pred: object) -> Array:
    """Return the confusion matrix of true and predicted labels, rows true."""
    return validate_confusion_matrix(confusion(y_true, y_pred).counts.astype(int))


def pred_cond_to_confusion_matrix(pred_cond: object, *, pred_first: bool = True) -> Array:
    """Return the confusion matrix of pairs of a predicted and a true label; true ones first on request."""
    predicted, true = np.asarray(pred_cond).T[:: 1 if pred_first else -1]
    return confusion(true, predicted).counts.astype(int)


def confusion_matrix_to_pred_cond(confusion_matrix: object, *, pred_first: bool = True) -> Array:
    """Return one pair of a predicted and a true label for each case of a confusion matrix."""
    counts = np.asarray(confusion_matrix).astype(int)
    true, predicted = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), len(counts))
    return np.stack([predicted, true] if pred_first else [true, predicted], axis=1)

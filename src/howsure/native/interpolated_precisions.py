"""Average precisions of detections as COCO has them: means over recalls of the largest precision from there on."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel

RECALLS = np.linspace(0.0, 1.0, 101)  # at which COCO reads the precision
EPSILON = float(np.spacing(1))  # added to the number of detections, as in COCO
CLOSE = 1e-9  # relative; up to which counts are whole
WAYS = 4  # tables that the kernel reads at once


def interpolated_precisions(cells: Array, first: int, scores: int) -> Array:
    """Return each table's mean over 101 recalls of the largest precision at this recall or above; nan without truths.

    Whole counts reach a recall as they do in COCO; sums of weights and pseudo-counts, which round, when they nearly do.

    Parameters
    ----------
    cells : ndarray of shape (draws, cells)
        Tables of detections.
    first : int
        The cell from which on there are false alarms and hits of each score, scores ascending, and then the misses.
    scores : int
        Number of scores.

    Examples
    --------
    >>> interpolated_precisions(np.array([[1.0, 1, 0, 0, 1, 0], [1.0, 0, 1, 1, 0, 1]]), 1, 2).round(3).tolist()
    [1.0, 0.252]
    """
    compiled = kernel("interpolated_precisions")
    if compiled is None:
        return _by_numpy(cells, first, scores)
    cells, found = np.ascontiguousarray(cells, dtype=float), np.empty(len(cells))
    sizes = (*cells.shape, first, scores, len(RECALLS))
    compiled(*sizes, cells, RECALLS, np.empty((2, scores, WAYS)), found)
    return found


def from_top(by_score: Array) -> tuple[Array, Array]:
    """Return false alarms and hits at or above each score, descending, ``(..., S)``, from counts ``(..., S, 2)``."""
    false, hits = (np.cumsum(by_score[..., ::-1, side], -1) for side in (0, 1))  # each contiguous
    return false, hits


def envelope(false: Array, hits: Array) -> tuple[Array, Array]:
    """Return the precision from each score on down, ``(..., S)``, and the largest from there on."""
    precision = hits / (hits + false + EPSILON)
    return precision, np.maximum.accumulate(precision[..., ::-1], -1)[..., ::-1]


def _by_numpy(cells: Array, first: int, scores: int) -> Array:
    stop = first + 2 * scores
    false, hits = from_top(cells[:, first:stop].reshape(len(cells), scores, 2))
    truths = _whole(hits[:, -1:].sum(-1) + cells[:, stop])
    false, hits = _whole(false), _whole(hits)
    is_whole = (hits == np.rint(hits)).all(-1) & (truths == np.rint(truths))
    recall = hits / np.where(truths > 0, truths, 1.0)[:, None] + np.where(is_whole, 0.0, CLOSE)[:, None]
    largest = np.append(envelope(false, hits)[1], np.zeros((len(cells), 1)), -1)
    rows = zip(recall, largest, strict=True)
    found = np.array([own[np.searchsorted(reached, RECALLS)].sum() for reached, own in rows])
    return np.where(truths > 0, found / len(RECALLS), np.nan)


def _whole(numbers: Array) -> Array:
    """Return numbers, those whole that are so up to rounding."""
    near = np.rint(numbers)
    if (near == numbers).all():
        return numbers
    return np.where(np.abs(numbers - near) <= CLOSE * near, near, numbers)

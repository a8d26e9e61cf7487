"""Areas under the ROC curve and average precisions of many tables of scores, such as drawn ones."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel


def drawn_areas(cells: Array) -> Array:
    """Return the area under the ROC curve of each table; nan where a class has no case.

    Parameters
    ----------
    cells : ndarray of float of shape (draws, S, 2)
        Negative and positive cases with each score, scores ascending.

    Examples
    --------
    >>> drawn_areas(np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]])).tolist()
    [0.625, 0.0]
    """
    found = _compiled("drawn_areas", cells)
    if found is not None:
        return found
    negatives, positives = cells[..., 0], cells[..., 1]
    up_to = np.cumsum(negatives, -1)
    wins = np.einsum("...s,...s->...", positives, up_to) - np.einsum("...s,...s->...", positives, negatives) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(wins / (negatives.sum(-1) * positives.sum(-1)))


def drawn_precisions(cells: Array) -> Array:
    """Return the average precision of each table; nan where there is no positive case.

    Parameters
    ----------
    cells : ndarray of float of shape (draws, S, 2)
        Negative and positive cases with each score, scores ascending.

    Examples
    --------
    >>> drawn_precisions(np.array([[[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [[0, 1], [1, 0], [0, 0]]])).tolist()
    [1.0, 0.5]
    """
    found = _compiled("drawn_precisions", cells)
    if found is not None:
        return found
    positives = cells[..., 1]
    upper, called = (np.cumsum(part[..., ::-1], -1)[..., ::-1] for part in (positives, cells.sum(-1)))
    precision = np.divide(upper, called, out=np.zeros(called.shape, np.result_type(called, float)), where=called > 0)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.einsum("...s,...s->...", positives, precision) / positives.sum(-1))


def _compiled(name: str, cells: Array) -> Array | None:
    """Return the result of a kernel; None if it is missing, or the tables are not contiguous floats."""
    compiled = kernel(name) if cells.flags.c_contiguous and cells.dtype == float else None
    if compiled is None:
        return None
    found = np.empty(len(cells))
    compiled(*cells.shape[:2], cells, found)
    return found

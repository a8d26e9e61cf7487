"""True and false positives and negatives of each class, of one confusion table or of many that were drawn.

They are added up and never the rest of a difference, so that the smallest weights are told from none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.native.library import kernel

Array = NDArray[Any]
MOST_CLASSES = 20  # up to which so many sums cost less than what goes on around them
MANY = 64  # tables, from which on the kernel is worth its call


def outcomes(cells: Array) -> tuple[Array, Array, Array, Array]:
    """Return true positives, false negatives, false positives and true negatives of each class, ``(..., K)``.

    Parameters
    ----------
    cells : ndarray of shape (..., K, K)
        Tables: rows are the true class.

    Examples
    --------
    >>> [each.tolist() for each in outcomes(np.array([[5.0, 1.0, 0.0], [2.0, 3.0, 1.0], [0.0, 0.0, 4.0]]))]
    [[5.0, 3.0, 4.0], [1.0, 3.0, 0.0], [2.0, 1.0, 1.0], [8.0, 9.0, 11.0]]
    """
    hits = np.diagonal(cells, axis1=-2, axis2=-1)
    if cells.shape[-1] == 2:
        misses = np.moveaxis(np.stack([cells[..., 0, 1], cells[..., 1, 0]]), 0, -1)
        return hits, misses, misses[..., ::-1], hits[..., ::-1]
    compiled = kernel("outcomes") if _are_many(cells) else None
    return (hits, *_by_products(cells)) if compiled is None else (hits, *_by_draws(cells, compiled))


def _are_many(cells: Array) -> bool:
    return cells.ndim == 3 and len(cells) >= MANY and cells.shape[-1] <= MOST_CLASSES and cells.dtype == float


def _by_draws(cells: Array, compiled: Any) -> tuple[Array, Array, Array]:
    draws, classes, _ = cells.shape
    together = np.ascontiguousarray(np.moveaxis(cells, 0, -1))  # draws of one cell
    found = np.empty((3, classes, draws))
    compiled(classes, draws, together, found)
    misses, alarms, rejections = np.moveaxis(found, -1, 1)
    return misses, alarms, rejections


def _by_products(cells: Array) -> tuple[Array, Array, Array]:
    size = cells.shape[-1]
    rest = 1.0 - np.eye(size)
    others = (cells.reshape(-1, size) @ rest).reshape(cells.shape)  # of a row, all but one column
    alarms, rejections = (np.einsum("...ik,ik->...k", each, rest) for each in (cells, others))
    return np.diagonal(others, axis1=-2, axis2=-1), alarms, rejections

"""Sums of squared differences of rows of probabilities from each class, in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.native.library import kernel

Array = NDArray[Any]
IN_CACHE = 2**17  # numbers that several passes in a row find there


def square_losses(rows: Array) -> Array:
    """Return the sum of squared differences of each row from that of each class, ``Σ p² + 1 − 2 p``.

    Parameters
    ----------
    rows : ndarray of shape (n, K)
        Probabilities of each class.

    Examples
    --------
    >>> square_losses(np.array([[0.5, 0.25, 0.25]])).tolist()
    [[0.375, 0.875, 0.875]]
    """
    losses = np.empty(rows.shape)
    compiled = kernel("square_losses")
    if compiled is not None:
        compiled(*rows.shape, np.ascontiguousarray(rows, dtype=float), losses)
        return losses
    step = max(1, IN_CACHE // rows.shape[1])
    for start in range(0, len(rows), step):
        some, found = rows[start : start + step], losses[start : start + step]
        np.multiply(some, -2.0, out=found)
        found += (np.vecdot(some, some) + 1.0)[:, None]
        np.maximum(found, 0.0, out=found)  # which rounding may leave below
    return losses

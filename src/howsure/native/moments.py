"""Moments by class, in one pass over the cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.native.library import kernel

Array = NDArray[Any]


def class_moments(counts: Array, squares: Array, truth: Array, slopes: Array) -> Array:
    """Return sums over the cells of each class, ``(classes, 4)``: see below; cells without counts add nothing.

    Of counts ``c``, squares ``s`` and slopes ``g`` these are the sums of ``c``, ``s``, ``s g²`` and ``s³ / c² · g⁴``.

    Parameters
    ----------
    counts, squares : ndarray of shape (cells,)
        Sums of the weights and of their squares: of cases without weights both are the counts.
    truth : ndarray of shape (cells,)
        Position of the true class of each cell.
    slopes : ndarray of shape (cells,)
        What is summed.

    Examples
    --------
    >>> counts, truth = np.array([2.0, 1.0, 0.0, 3.0]), np.array([0, 1, 0, 1])
    >>> class_moments(counts, counts, truth, np.array([1.0, 2.0, 9.0, 1.0])).tolist()
    [[2.0, 2.0, 2.0, 2.0], [4.0, 4.0, 7.0, 19.0]]
    """
    classes = int(truth.max()) + 1
    compiled = kernel("class_moments")
    if compiled is not None:
        found = np.zeros((classes, 4))
        numbers = [np.ascontiguousarray(each, dtype=float) for each in (counts, squares, slopes)]
        compiled(len(truth), classes, np.ascontiguousarray(truth, dtype=np.int64), *numbers, found)
        return found
    filled = np.flatnonzero(counts)
    counts, squares, truth, slopes = (each[filled] for each in (counts, squares, truth, slopes))
    second = squares * slopes**2
    fourth = np.where(counts > 0, (squares / counts) ** 2 * second * slopes**2, 0.0)
    return np.stack([np.bincount(truth, each, classes) for each in (counts, squares, second, fourth)], -1)

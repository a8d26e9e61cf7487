"""Moments by bin and by class, in one pass over the cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.native.library import kernel

Array = NDArray[Any]
ORDERS, ORDERS_OF_CELLS = 6, 4  # from the zeroth


def bin_moments(numbers: Array, counts: Array, ends: tuple[float, float], bins: int) -> tuple[Array, Array]:
    """Return moments about the middle of each bin, with its width as the unit: of cases, and of cells, fewer.

    From them follow sums over the numbers of whatever bends little within a bin. Shape ``(bins, 6)`` and ``(bins, 4)``.

    Parameters
    ----------
    numbers : ndarray of shape (cells,)
        The number of each cell, between the ends.
    counts : ndarray of shape (cells,)
        How many cases have it.
    ends : tuple of float
        Where the first bin starts and the last one ends.
    bins : int
        How many there are, of equal widths.

    Examples
    --------
    >>> of_cases, of_cells = bin_moments(np.array([0.0, 1.0, 4.0]), np.array([2.0, 0.0, 5.0]), (0.0, 4.0), 2)
    >>> of_cases[:, :3].tolist(), of_cells[:, :3].tolist()
    ([[2.0, -1.0, 0.5], [5.0, 2.5, 1.25]], [[2.0, -0.5, 0.25], [1.0, 0.5, 0.25]])
    """
    scale = bins / (ends[1] - ends[0])
    compiled = kernel("bin_moments")
    if compiled is not None:
        of_counts, of_cells = np.zeros((bins, ORDERS)), np.zeros((bins, ORDERS_OF_CELLS))
        numbers, counts = (np.ascontiguousarray(each, dtype=float) for each in (numbers, counts))
        compiled(len(numbers), bins, numbers, counts, np.array([ends[0], scale]), of_counts, of_cells)
        return of_counts, of_cells
    place = (numbers - ends[0]) * scale
    bin_of = np.minimum(place.astype(np.intp), bins - 1)
    from_middle = place - bin_of - 0.5
    powers = from_middle ** np.arange(ORDERS)[:, None]
    of_cells = np.stack([np.bincount(bin_of, power, bins) for power in powers[:ORDERS_OF_CELLS]], -1)
    return np.stack([np.bincount(bin_of, counts * power, bins) for power in powers], -1), of_cells


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

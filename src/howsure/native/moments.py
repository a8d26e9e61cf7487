"""Moments of numbers by bin, from which follow sums over them of whatever bends little within a bin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.native.library import kernel

Array = NDArray[Any]
ORDERS = 6  # from the zeroth


def bin_moments(numbers: Array, counts: Array, ends: tuple[float, float], bins: int) -> tuple[Array, Array]:
    """Return moments about the middle of each bin, with its width as the unit: of cases, and of cells, ``(bins, 6)``.

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
        of_counts, of_cells = np.zeros((2, bins, ORDERS))
        numbers, counts = (np.ascontiguousarray(each, dtype=float) for each in (numbers, counts))
        compiled(len(numbers), bins, numbers, counts, np.array([ends[0], scale]), of_counts, of_cells)
        return of_counts, of_cells
    place = (numbers - ends[0]) * scale
    bin_of = np.minimum(place.astype(np.intp), bins - 1)
    from_middle = place - bin_of - 0.5
    powers = from_middle ** np.arange(ORDERS)[:, None]
    of_cells = np.stack([np.bincount(bin_of, power, bins) for power in powers], -1)
    return np.stack([np.bincount(bin_of, counts * power, bins) for power in powers], -1), of_cells

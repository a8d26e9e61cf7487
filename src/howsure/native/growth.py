"""Multiplication of cells by exponentials."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array, Floats
from howsure.native.library import kernel, require_equal


def grown(cells: Array, slopes: Array, pace: Array, bound: float) -> Floats:
    """Return ``cells * exp(slopes * pace)``, with exponents limited to the bound.

    Parameters
    ----------
    cells, slopes : ndarray of shape (..., n)
        Cells and their growth rates. The first axis of either can have length 1, for all values of ``pace``.
    pace : ndarray of shape (...)
        Factor of the slopes for each row.
    bound : float
        At most 700.

    Examples
    --------
    >>> paces = np.array([[1.0], [-2.0]])
    >>> grown(np.array([[[1.0, 3.0]]]), np.array([[[np.log(2.0), 300.0]]]), paces, np.log(5.0)).round(9).tolist()
    [[[2.0, 15.0]], [[0.25, 0.6]]]
    """
    compiled = kernel("grown")
    if compiled is None:
        factors: Array = np.exp(np.clip(pace[..., None] * slopes, -bound, bound))
        factors *= cells
        return factors
    require_equal("grown", cells.shape[-1], slopes.shape[-1])
    given = [np.ascontiguousarray(each, dtype=float) for each in (cells, slopes, pace)]
    width = cells.shape[-1]
    found = np.empty((*pace.shape, width))
    compiled(pace.size, width, cells.size // width, slopes.size // width, *given, np.array([bound]), found)
    return found

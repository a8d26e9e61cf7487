"""Sums of columns over resampled cases, directly from the weights of the cases."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.native.library import kernel, require_equal
from howsure.native.resampling import LANES, MOST_OF_BLOCK, Resamples, block_weights, blocks_of

Array = NDArray[Any]


def weighted_sums(resamples: Resamples, columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each column over the cases of 64 resamples, ``(columns, 64)``.

    Parameters
    ----------
    resamples : Resamples
        `LANES` resamples.
    columns : ndarray of shape (columns, cases)
        Finite numbers.

    Examples
    --------
    >>> resamples = Resamples.drawn(1000, LANES, np.random.default_rng(0))
    >>> number, ones = weighted_sums(resamples, np.stack([np.arange(1000.0), np.ones(1000)]))
    >>> set(ones.tolist()), bool(abs(number.mean() / 499.5e3 - 1) < 0.01)
    ({1000.0}, True)
    """
    compiled, columns = kernel("weighted_sums"), np.ascontiguousarray(columns, dtype=float)
    if compiled is None:
        return _by_numpy(resamples, columns)
    require_equal("weighted_sums", columns.shape, (len(columns), resamples.cases))
    require_equal("weighted_sums", resamples.totals.shape, (len(resamples.totals), LANES))
    one, sums = resamples.poisson, np.empty((len(columns), LANES))
    scratch = np.empty((min(resamples.cases, MOST_OF_BLOCK), LANES), dtype=np.uint8)
    drawing = (one.levels, one.atoms, one.guide, resamples.keys, resamples.totals)
    compiled(resamples.cases, len(resamples.totals), len(columns), columns, *drawing, sums, scratch)
    return sums


def _by_numpy(resamples: Resamples, columns: Array) -> Array:
    sums = np.zeros((len(columns), LANES))
    for block, (first, last) in enumerate(blocks_of(resamples.cases)):
        weights = block_weights(resamples.cases, block, resamples.keys, resamples.totals[block])
        for index, column in enumerate(columns):
            sums[index] += (column[first:last, None] * weights).sum(0)
    return sums

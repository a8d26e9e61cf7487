"""Equivalent binomial sizes: the number of cases of a proportion that has the value and the limits of an estimate."""

from __future__ import annotations

import math

import numpy as np

from howsure.arrays import Array

SMALLEST, LARGEST = 0.1, 1e15  # sizes between which a limit is sought
LARGEST_RATIO = 100.0  # of the two sizes of a proportion; a limit beside the value would give any
STEPS = 60  # of bisection on the logarithm of the size: 1e-16 of it


def equivalent_sizes(values: Array, lows: Array, highs: Array, confidence_level: float) -> tuple[Array, Array]:
    """Return for each proportion the binomial sizes below and above it.

    The size below is the n for which a binomial proportion of the same value has the same lower mid-p limit; the size
    above has the same upper one. A proportion with a mid-p interval gets its own number of cases back. A limit at an
    end of 0 … 1, or on the wrong side of the value, takes the other size; both are nan where neither limit serves.
    Neither size exceeds the other by more than a factor of 100.
    """
    from_below, from_above = (lows > 0) & (lows < values), (highs < 1) & (highs > values)
    below, above = np.full(values.shape, math.nan), np.full(values.shape, math.nan)
    below[from_below] = _sizes(values[from_below], lows[from_below], confidence_level)
    above[from_above] = _sizes(1 - values[from_above], 1 - highs[from_above], confidence_level)
    below, above = np.where(np.isnan(below), above, below), np.where(np.isnan(above), below, above)
    return np.minimum(below, LARGEST_RATIO * above), np.minimum(above, LARGEST_RATIO * below)


def _sizes(values: Array, limits: Array, level: float) -> Array:
    """Solve P(X > n value) + P(X = n value) / 2 = (1 - level) / 2 for n, X of n cases with the limit as probability."""
    from scipy import special

    left, right = np.full(values.shape, math.log(SMALLEST)), np.full(values.shape, math.log(LARGEST))
    for _ in range(STEPS):
        middle = (left + right) / 2
        size = np.exp(middle)
        hits, misses = size * values, size * (1 - values)
        perfect = misses < 1e-9  # no more than all cases can be hits
        more = np.where(perfect, 0.0, special.betainc(hits + 1, np.where(perfect, 1.0, misses), limits))
        small = (special.betainc(hits, misses + 1, limits) + more) / 2 < (1 - level) / 2
        left, right = np.where(small, left, middle), np.where(small, middle, right)
    return np.asarray(np.exp((left + right) / 2))

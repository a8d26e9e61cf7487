"""Gamma draws of many shapes, each from its own stream of random words of 64 bits.

A draw of a small integer shape is minus the logarithm of a product of uniform numbers. All others use the rejection
method of Marsaglia and Tsang: with a normal draw x, d = shape − 1/3 and c = 1 / √(9 d), the draw is d (1 + c x)³. A
squeeze, a sufficient condition that is cheap to test, accepts nearly all of them; the exact test decides the others.
For shapes below 1, the draw for the shape plus 1 is multiplied by u^(1 / shape) with a uniform number u.

The words come from `random_words.py`. Logarithms, exponentials, sines and cosines are fdlibm's polynomials. A draw is
therefore determined to the last bit by its key, shape and position, in compiled code and in NumPy, on every processor.

References
----------
Marsaglia, Tsang (2000), A simple method for generating gamma variables, ACM TOMS 26. Box, Muller (1958), A note on the
generation of random normal deviates, Annals of Mathematical Statistics 29.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.arrays import Array, Words
from howsure.native.arithmetic import ONE, SIGN, exp, log, polynomial, uniform
from howsure.native.library import kernel
from howsure.native.random_words import streams_of, words_at

LANES = 64  # draws of a block, whose words are consecutive
PAIRS = LANES // 2  # pairs of normal draws of a block, from two words each
FEW = 4  # largest number of uniform numbers whose product costs less than a normal draw
AT_ONCE = 2**13  # draws by NumPy that fit in the processor's cache
SINE = (  # coefficients of fdlibm, as those of the cosine
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (  # coefficients of fdlibm, as those of the cosine
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def gammas(shapes: Array, draws: int, key: np.uint64) -> Array:
    """Return independent gamma draws of scale 1, ``(shapes, draws)``; draws of shape zero are zero.

    Parameters
    ----------
    shapes : ndarray of shape (shapes,)
        Non-negative shapes.
    draws : int
        Number of draws of each shape.
    key : uint64
        Key of the stream of words.

    Examples
    --------
    >>> drawn = gammas(np.array([0.0, 0.5, 40.0]), 100_000, np.uint64(1))
    >>> drawn.mean(1).round(1).tolist(), drawn[2].var().round().item()
    ([0.0, 0.5, 40.0], 40.0)
    """
    shapes, found = np.ascontiguousarray(shapes, dtype=float), np.empty((len(shapes), draws))
    compiled = kernel("gammas")
    if compiled is not None:
        compiled(len(shapes), draws, shapes, np.array([key], dtype=np.uint64), found)
        return found
    found[shapes == 0] = 0.0
    keys, step = words_at(key, np.arange(len(shapes), dtype=np.uint64)), max(1, AT_ONCE // max(draws, 1))
    small_integer = np.where(np.isin(shapes, np.arange(1, FEW + 1)), shapes, 0)
    for number in range(FEW + 1):
        rows = np.flatnonzero((small_integer == number) & (shapes > 0))
        for some in (rows[start : start + step] for start in range(0, len(rows), step)):
            if number:
                found[some] = _small_integer_shape(number, draws, keys[some])
            else:
                found[some] = _other_shapes(shapes[some], draws, keys[some])
    return found


def _small_integer_shape(shape: int, draws: int, keys: Words) -> Array:
    """Return draws of an integer shape: a sum of exponential draws, by one logarithm."""
    block, lane = np.divmod(np.arange(draws), LANES)
    product: Any = 1.0
    for turn in range(shape):
        product = product * uniform(words_at(keys[:, None], LANES * (shape * block + turn) + lane))
    return np.asarray(-log(product))


def _other_shapes(shapes: Array, draws: int, keys: Words) -> Array:
    """Return draws of any positive shapes, by Marsaglia and Tsang."""
    rejected, boosts = streams_of(keys)  # further streams: after a rejection, and for shapes below 1
    d = (np.where(shapes < 1, shapes + 1, shapes) - 1.0 / 3)[:, None]
    c = 1 / np.sqrt(9 * d)
    blocks = -(-draws // LANES)
    start = 3 * PAIRS * np.arange(blocks)[:, None] + np.arange(PAIRS)
    first, second, third = (words_at(keys[:, None, None], start + turn * PAIRS) for turn in range(3))
    x, u = (
        np.stack(parts, 2).reshape(len(shapes), blocks * LANES)[:, :draws]
        for parts in (_normals(first, second), (_coarse_uniform(third), _coarse_uniform(third << np.uint64(32))))
    )
    square, t = x * x, c * x
    v = 1 + t
    drawn: Array = d * (v * v * v)
    passes_squeeze = (np.abs(t) <= 0.5) & (u + c * c / 6 * (square * square) < 1)
    row, lane = np.nonzero(~passes_squeeze)
    drawn[row, lane] = _decided(d[row, 0], c[row, 0], t[row, lane], u[row, lane], words_at(rejected[row], lane))
    below = np.flatnonzero(shapes < 1)
    if below.size:
        with np.errstate(over="ignore"):
            power = log(uniform(words_at(boosts[below, None], np.arange(draws)))) * (1 / shapes[below, None])
        drawn[below] *= exp(power)
    return drawn


def _decided(d: Array, c: Array, t: Array, u: Array, keys: Words) -> Array:
    """Apply the exact test to draws that fail the squeeze, and repeat the rejected ones from their own streams."""
    t, left, index = t.copy(), np.arange(len(t)), 0
    while (left := left[~_is_accepted(d[left], t[left], u)]).size:
        first, second, third = (words_at(keys[left], np.uint64(index + turn)) for turn in range(3))
        t[left], u, index = c[left] * _normals(first, second)[0], uniform(third), index + 3
    t += 1
    return np.asarray(d * (t * t * t))


def _is_accepted(d: Array, t: Array, u: Array) -> Array:
    """Marsaglia and Tsang's test, ``log u < x²/2 + d - dv + d log v``, for ``t = c x`` and ``v = (1 + t)³``.

    The right side is 3d times log(1 + t) minus the first three terms of its series. For small t the rest of the series
    is summed instead, which avoids cancellation.
    """
    inside = t > -1
    t = np.where(inside, t, 0.0)
    series: Any = 0.0
    for power in range(16, 3, -1):
        series = (1.0 if power % 2 else -1.0) / power + t * series
    series = series * (t * t * t * t)
    rest = np.where(np.abs(t) < 0.125, series, log(1 + t) - t + t * t / 2 - t * t * t / 3)
    return np.asarray(inside & (log(u) < 3 * d * rest))


def _coarse_uniform(words: Words) -> Array:
    """Return numbers between 0 and 1 from the upper 32 bits of words."""
    return (words >> np.uint64(32) << np.uint64(20) | ONE).view(float) - (1 - 2.0**-33)


def _normals(first: Words, second: Words) -> tuple[Array, Array]:
    """Return two normal draws from two words (Box and Muller).

    The second word gives an angle within ±45°, and two bits that change the sign and exchange sine and cosine.
    """
    radius = np.sqrt(-2 * log(uniform(first)))
    angle = (uniform(second << np.uint64(2)) - 0.5) * 1.57079632679489661923
    z = angle * angle
    sine = (angle + angle * z * polynomial(SINE, z)).view(np.uint64)
    cosine = (1 - 0.5 * z + z * z * polynomial(COSINE, z)).view(np.uint64)
    sign, swap = second << np.uint64(1) & SIGN, np.uint64(0) - (second >> np.uint64(63))
    changed = (sine ^ cosine) & swap
    return radius * (cosine ^ changed ^ sign).view(float), radius * (sine ^ changed ^ sign).view(float)

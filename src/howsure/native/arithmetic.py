"""Uniform numbers, logarithms and exponentials with platform-independent bits, by fdlibm's polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.arrays import Array, Words

ONE, TWO_52, SIGN = np.uint64(0x3FF0 << 48), np.uint64(0x4330 << 48), np.uint64(1 << 63)
FRACTION, ROOT_HALF = np.uint64(2**52 - 1), np.uint64(0x3FE6A09E << 32)
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
LOG_EVEN = (3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01)
LOG_ODD = (6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01, 1.479819860511658591e-01)
EXP = (
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
    -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
)


def uniform(words: Words) -> Array:
    """Return numbers between 0 and 1 from the upper 52 bits of words."""
    return (words >> np.uint64(12) | ONE).view(float) - (1 - 2.0**-53)


def log(x: Array) -> Array:
    """Return the logarithm of positive normal numbers."""
    bits = x.view(np.uint64) + (ONE - ROOT_HALF)
    power = (bits >> np.uint64(52) | TWO_52).view(float) - (2.0**52 + 1023)
    f = ((bits & FRACTION) + ROOT_HALF).view(float) - 1
    half, s = 0.5 * f * f, f / (2 + f)
    z = s * s
    w = z * z
    rest = z * polynomial(LOG_ODD, w) + w * polynomial(LOG_EVEN, w)
    return np.asarray(s * (half + rest) + power * LN2_LOW - half + f + power * LN2_HIGH)


def exp(x: Array) -> Array:
    """Return the exponential of numbers of at most 0."""
    x = np.maximum(x, -750.0)
    power = (x * 1.44269504088896338700 + 1.5 * 2.0**52) - 1.5 * 2.0**52
    high, low = x - power * LN2_HIGH, power * LN2_LOW
    r = high - low
    z = r * r
    c = r - z * polynomial(EXP, z)
    y = 1 + (r * c / (2 - c) - low + high)
    some = np.maximum(power, -1000.0)  # a double has no power of two below 2^-1022 in its exponent
    return np.asarray(y * _power_of_two(some) * _power_of_two(power - some))


def _power_of_two(exponent: Array) -> Array:
    return (((exponent + (2.0**52 + 1023)).view(np.uint64) & FRACTION) << np.uint64(52)).view(float)


def polynomial(coefficients: tuple[float, ...], x: Array) -> Any:
    """Return a polynomial of these coefficients, the constant first."""
    found: Any = coefficients[-1]
    for each in coefficients[-2::-1]:
        found = each + x * found
    return found

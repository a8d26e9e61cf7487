"""Counter-based random words by SplitMix64; any word is computed without those before it."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Words

STEP = np.uint64(0x9E3779B97F4A7C15)
FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def words_at(key: object, index: object) -> Words:
    """Return words of 64 random bits from the streams of keys.

    Parameters
    ----------
    key, index : int or ndarray of uint64
        The streams, and the numbers of the words in them; they broadcast, to one axis at least.

    References
    ----------
    Steele, Lea, Flood (2014), Fast splittable pseudorandom number generators, OOPSLA.

    Examples
    --------
    >>> [hex(word) for word in words_at(1234567, np.arange(2)).tolist()]
    ['0x599ed017fb08fc85', '0x2c73f08458540fa5']
    """
    x = (np.array(index, dtype=np.uint64, ndmin=1) + np.uint64(1)) * STEP + np.asarray(key, dtype=np.uint64)
    x ^= x >> np.uint64(30)
    x *= FACTORS[0]
    x ^= x >> np.uint64(27)
    x *= FACTORS[1]
    x ^= x >> np.uint64(31)
    return x


def streams_of(key: object) -> tuple[Words, Words]:
    """Return the keys of two further streams of a key: its second and third words from the end."""
    return words_at(key, np.uint64(2**64 - 2)), words_at(key, np.uint64(2**64 - 3))

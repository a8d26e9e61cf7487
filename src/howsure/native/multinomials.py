"""Multinomial draws by recursive binomial splits of the cases over two halves of the cells.

A binomial draw with a mean below `FEW` sums probabilities until they reach a uniform number (inversion). All others use
Hörmann's transformed rejection, where two uniform numbers usually decide at once. The test of the remaining draws uses
the logarithm of the probability in a form without cancellation, with X = k + 1/2, Y = n - k + 1/2 and S = n + 1:

    log P(k) = -X log(X / pS) - Y log(Y / qS) - log(2π S p q) / 2 + the remainder of Stirling's series.

The words come from `words.py` and the functions from `arithmetic.py`. A draw is therefore determined to the last bit by
its key and number, in compiled code and in NumPy. Uniform numbers have 52 bits, and probabilities are rounded to
doubles.

References
----------
Hörmann (1993), The generation of binomial random variates, Journal of Statistical Computation and Simulation 46.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from howsure.arrays import Array, Bytes, Integers, Words
from howsure.native.arithmetic import exp, log, polynomial, uniform
from howsure.native.library import kernel
from howsure.native.random_words import words_at

FEW = 10.0  # the mean from which on Hörmann's hat is above the binomial distribution
MOST = 64  # largest draw for a smaller mean; the probability beyond is 1e-30
AT_ONCE = 2**13  # draws by NumPy that fit in the processor's cache
GAP = tuple((-1.0) ** power / (power * (power - 1)) for power in range(2, 17))
WHOLE = (1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680)
TAIL = (-1.0 / 24, 7.0 / 2880, -31.0 / 40320, 127.0 / 215040, -511.0 / 608256)
REST = np.array(
    [
        *(0.37066656260680547, 9.95281578325499e-06, 5.440677764157082e-08, 1.5831229190135015e-09),
        *(1.0808923500992886e-10, 1.2430959306320903e-11, 2.0334379126346562e-12, 4.288120504660531e-13),
        *(1.0954179265147779e-13, 3.250657135183691e-14, 1.0879481261312644e-14, 4.018883481641379e-15),
        *(1.6121034845082557e-15, 6.934473875634056e-16, 3.1671423617835447e-16, 1.523728918214902e-16),
        0.0,
    ]
)


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """Binary splits of the cases of consecutive cells; each split comes before the splits of its parts.

    Parameters
    ----------
    total : float
        Number of all cases.
    starts, middles : ndarray of shape (splits,)
        The first cell of either part.
    shares : ndarray of shape (splits,)
        Fraction of the cases in the smaller part.
    logs : ndarray of shape (splits,)
        Logarithm of the other fraction.
    turned : ndarray of shape (splits,)
        Whether the smaller part is the second.
    levels : tuple of slice
        Groups of splits in which none is part of another.
    """

    total: float
    starts: Integers
    middles: Integers
    shares: Array
    logs: Array
    turned: Bytes
    levels: tuple[slice, ...]


def multinomials(counts: Array, draws: int, key: np.uint64) -> Array:
    """Return multinomial draws, ``(cells, draws)``, with the total and the proportions of the counts.

    Parameters
    ----------
    counts : ndarray of shape (cells,)
        Non-negative integers.
    draws : int
        Number of tables.
    key : uint64
        Key of the stream of words.

    Examples
    --------
    >>> drawn = multinomials(np.array([30, 0, 70]), 100_000, np.uint64(1))
    >>> drawn.mean(1).round(1).tolist(), drawn[0].var().round().item()
    ([30.0, 0.0, 70.0], 21.0)
    """
    counts = np.ascontiguousarray(counts, dtype=float).reshape(-1)
    splits, found = splits_of(counts.tobytes()), np.empty((len(counts), draws))
    compiled = kernel("multinomials")
    if compiled is not None:
        arrays = (splits.starts, splits.middles, splits.shares, splits.logs, splits.turned, np.array([splits.total]))
        compiled(len(counts), draws, len(splits.starts), *arrays, np.array([key], dtype=np.uint64), found)
        return found
    found[:1], keys = splits.total, words_at(key, splits.middles)
    for level in splits.levels:
        starts, middles, turned = splits.starts[level], splits.middles[level], splits.turned[level, None] == 1
        totals = found[starts]
        part = _parts(totals, splits.shares[level], splits.logs[level], keys[level])
        found[starts] = np.where(turned, totals - part, part)
        found[middles] = np.where(turned, part, totals - part)
    return found


@lru_cache(16)
def splits_of(counts: bytes) -> Splits:
    """Return the splits of counts, given as bytes; the result is cached for all blocks of a table's draws."""
    numbers = np.frombuffer(counts)
    starts, middles, sums = [], [], []
    for level in range(max(len(numbers) - 1, 0).bit_length()):
        ends = np.arange(2 ** (level + 1) + 1) * len(numbers) >> (level + 1)
        split = (ends[:-1:2] < ends[1::2]) & (ends[1::2] < ends[2::2])
        starts.append(ends[:-1:2][split])
        middles.append(ends[1::2][split])
        sums.append(np.add.reduceat(numbers, ends[:-1]).reshape(-1, 2)[split])
    ends = np.cumsum([0, *map(len, starts)]).tolist()
    first, other = np.concatenate([np.empty((0, 2)), *sums]).T
    smaller = np.minimum(first, other)
    p = np.divide(smaller, first + other, out=np.zeros(len(smaller)), where=smaller > 0)
    q = 1 - p
    with np.errstate(invalid="ignore"):
        logs = np.where(q < 1, log(q) * (p / (1 - q)), -p)  # of 1 - p, also where that is rounded
    return Splits(
        float(round(float(numbers.sum()))),
        np.concatenate([np.empty(0, dtype=np.int64), *starts]),
        np.concatenate([np.empty(0, dtype=np.int64), *middles]),
        p,
        logs,
        (other < first).view(np.uint8),
        tuple(slice(*each) for each in pairwise(ends)),
    )


def _parts(totals: Array, p: Array, log_q: Array, keys: Words) -> Array:
    """Return binomial draws with the fractions of the totals, ``(splits, draws)``."""
    drawn, few = np.zeros(totals.shape), totals * p[:, None] < FEW
    for chosen, of in ((few & (totals * p[:, None] > 0), _inverted), (~few, _rejected)):
        places = np.flatnonzero(chosen)
        for some in (places[start : start + AT_ONCE] for start in range(0, len(places), AT_ONCE)):
            row, draw = np.divmod(some, totals.shape[1])
            drawn.ravel()[some] = of(totals.ravel()[some], p[row], log_q[row], keys[row], 2 * draw)
    return drawn


def _inverted(n: Array, p: Array, log_q: Array, keys: Words, place: Array) -> Array:
    """Return binomial draws with small means, by inversion."""
    odds, chance = p / (1 - p), exp(n * log_q)
    left, drawn = uniform(words_at(words_at(keys, 0), place)) - chance, np.zeros(len(n))
    for k in range(MOST):
        above = left > 0
        if not above.any():
            break
        drawn += above
        chance *= (n - k) * (odds / (k + 1))
        left -= chance
    return np.minimum(drawn, n)


def _rejected(n: Array, p: Array, _: Array, keys: Words, place: Array) -> Array:
    """Return binomial draws with larger means, by rejection."""
    drawn, left, turn = np.empty(len(n)), np.arange(len(n)), 0
    while left.size:
        stream = words_at(keys, turn)
        u, v = uniform(words_at(stream, place)) - 0.5, uniform(words_at(stream, place + 1))
        mean = n * p
        b = 1.15 + 2.53 * np.sqrt(mean * (1 - p))
        a, end = -0.0873 + 0.0248 * b + 0.01 * p, 0.5 - np.abs(u)
        k = np.floor((2 * a / end + b) * u + (mean + 0.5))
        drawn[left] = k
        open_ = np.flatnonzero(~((end >= 0.07) & (v <= 0.92 - 4.2 / b)))
        again = open_[~_is_taken(k[open_], v[open_], end[open_], n[open_], p[open_], b[open_], a[open_])]
        left, n, p, keys, place, turn = left[again], n[again], p[again], keys[again], place[again], turn + 1
    return drawn


def _is_taken(k: Array, v: Array, end: Array, n: Array, p: Array, b: Array, a: Array) -> Array:
    """Whether the probability of k is above the hat times a uniform number."""
    hat = (2.83 + 5.1 / b) * np.sqrt(n * p * (1 - p)) / (a / (end * end) + b)
    some, s = np.clip(k, 0, n), n + 1
    ps, qs, x = p * s, (1 - p) * s, 1 / s
    d = some + 0.5 - ps
    whole = x * polynomial(WHOLE, x * x)
    rest, tails = _rest(some) + _rest(n - some), _tail(some) + _tail(n - some)
    fits = whole - rest - tails - (ps * _gap(d / ps) + qs * _gap(-d / qs))
    return np.asarray((some == k) & (log(v * hat) <= fits))


def _gap(t: Array) -> Array:
    """Return ``(1 + t) log(1 + t) - t``, without cancellation for small t."""
    return np.where(np.abs(t) < 0.125, t * t * polynomial(GAP, t), (1 + t) * log(1 + t) - t)


def _tail(k: Array) -> Array:
    """Return log k! minus ``(k + 1/2) log(k + 1/2) - (k + 1/2) + log(2 pi) / 2``, for all but small k."""
    x = 1 / (k + 0.5)
    return np.asarray(x * polynomial(TAIL, x * x))


def _rest(k: Array) -> Array:
    """Return the remainder of this for small k."""
    return REST[np.minimum(k, len(REST) - 1).astype(np.intp)]

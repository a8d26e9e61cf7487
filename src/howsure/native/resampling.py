"""Resampling of cases by weights, and rank sums of resampled scores.

A resample of n cases gives each case a weight; the weights are one multinomial draw of n over n equal cells. Cases are
in blocks of a few thousand. NumPy first draws the totals of the blocks. Each weight in a block is then a Poisson draw
from a random byte. Single cases are added, or removed at random, until the block has its total. Poisson weights with a
given sum are a multinomial draw, and random additions and removals preserve this. The weights are therefore exactly
multinomial.

A byte determines a weight only up to multiples of probability 1/256. The remaining probability is about one byte in a
hundred; for these a word of 64 bits decides.

Eight resamples share a key. Word i of its stream has a byte for case i in each of them. Two more streams are derived
from the key: one for undecided bytes, one for added or removed cases. A resample is therefore determined by its key and
totals. It does not depend on other resamples, on the number of threads, on the processor, or on whether compiled code
or NumPy computes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from functools import lru_cache
from itertools import pairwise
from typing import Any, Self

import numpy as np

from howsure.arrays import Array, Bytes, Words
from howsure.native.library import kernel, require_equal
from howsure.native.random_words import streams_of, words_at

EIGHT = 8  # resamples of one key
LANES = 64  # resamples whose ranks are added up at once
MOST_OF_BLOCK = 4096  # cases: 64 bytes of each fit the second cache of a core
SPARED = 2.5  # standard deviations by which Poisson weights stay below a block's total
MOST_WEIGHT = 15  # of a Poisson draw of mean 1; beyond lies 2e-14
EXACT = 5  # weights that a byte alone may decide: 0 to 4
OPEN = 128


class Ranked(IntFlag):
    """Kinds of rank sums."""

    AREA = 1
    PRECISION = 2


class Case(IntFlag):
    """Kind of a case in the order of the scores."""

    POSITIVE = 1
    MIXED = 2  # of a score that cases of both classes have
    ENDS = 4  # the last of its score from the top, if positive cases have that score


@dataclass(frozen=True, slots=True, eq=False)
class Poisson:
    """Tables for the conversion of a byte to a Poisson weight.

    Parameters
    ----------
    levels : ndarray of shape (5,)
        Smallest bytes for weights of 1 to 4, and the smallest undecided byte.
    atoms : ndarray of shape (15,)
        Smallest words for weights of 1 to 15 if the byte is undecided.
    guide : ndarray of shape (256,)
        The weight that the first byte of such a word decides, or `OPEN`.
    """

    levels: Bytes
    atoms: Words
    guide: Bytes


@lru_cache(64)
def poisson(size: int) -> Poisson:
    """Return the Poisson tables for a block size, with a mean so low that few blocks exceed their total."""
    mean = max(1.0 - SPARED * (2.0 / size) ** 0.5, 0.25)
    each = np.cumprod(np.concatenate([[np.exp(-mean)], mean / np.arange(1.0, MOST_WEIGHT + 1)]))
    whole = np.floor(256 * each).astype(int)
    whole[EXACT:] = 0
    left = 256 * each - whole
    ends = np.cumsum(left)[:-1] / left.sum()
    atoms = np.array([min(int(end * 2.0**53), 2**53 - 1) << 11 for end in ends], dtype=np.uint64)
    firsts = np.arange(256, dtype=np.uint64) << np.uint64(56)
    guide = np.searchsorted(atoms, firsts, "right").astype(np.uint8)
    guide[(atoms >> np.uint64(56)).astype(np.intp)] = OPEN
    return Poisson(np.cumsum(whole)[:EXACT].astype(np.uint8), atoms, guide)


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """Resamples of equally likely cases, stored as the parameters of their weights.

    Parameters
    ----------
    cases : int
        How many there are.
    keys : ndarray of shape (eights,)
        One for every eight resamples.
    totals : ndarray of shape (blocks, 8 * eights)
        Number of cases drawn from each block in each resample.
    """

    cases: int
    keys: Words
    totals: Array

    @classmethod
    def drawn(cls, cases: int, size: int, rng: np.random.Generator, draws: int | None = None) -> Self:
        """Return resamples, a multiple of eight of them, from keys and totals that NumPy draws.

        Parameters
        ----------
        cases : int
            Number of cases.
        size : int
            Number of resamples.
        rng : Generator
            Source of randomness.
        draws : int, optional
            Number of cases of a resample; by default as many as there are.
        """
        eights = -(-size // EIGHT)
        keys = rng.integers(2**64 - 1, size=eights, dtype=np.uint64, endpoint=True)
        shares = np.diff(starts_of(cases)) / cases
        totals = rng.multinomial(cases if draws is None else draws, shares, EIGHT * eights).astype(np.uint32)
        return cls(cases, keys, np.ascontiguousarray(totals.T))

    def weights(self, eight: int, number: int = 1) -> Bytes:
        """Return the weight of each case in ``number`` groups of eight resamples, ``(cases, 8 * number)``."""
        keys = self.keys[eight : eight + number]
        totals = self.totals[:, EIGHT * eight : EIGHT * (eight + number)]
        if number == LANES // EIGHT and (compiled := kernel("lane_weights")) is not None:
            return self._of_lanes(compiled, keys, np.ascontiguousarray(totals))
        compiled, weights = kernel("case_weights"), np.empty((self.cases, EIGHT * len(keys)), dtype=np.uint8)
        if compiled is None:
            for block, (first, last) in enumerate(blocks_of(self.cases)):
                weights[first:last] = block_weights(self.cases, block, keys, totals[block])
            return weights
        require_equal("case_weights", totals.shape[1], EIGHT * len(keys))
        one = self.poisson
        for index in range(len(keys)):
            some, found = slice(EIGHT * index, EIGHT * (index + 1)), np.empty((self.cases, EIGHT), dtype=np.uint8)
            drawing = (keys[index : index + 1], np.ascontiguousarray(totals[:, some]))
            compiled(self.cases, len(totals), one.levels, one.atoms, one.guide, *drawing, found)
            weights[:, some] = found
        return weights

    def _of_lanes(self, compiled: Any, keys: Array, totals: Array) -> Bytes:
        require_equal("lane_weights", (totals.shape[1], EIGHT * len(keys)), (LANES, LANES))
        one, weights = self.poisson, np.empty((self.cases, LANES), dtype=np.uint8)
        compiled(self.cases, len(totals), one.levels, one.atoms, one.guide, keys, totals, weights)
        return weights

    def some(self, first: int) -> Resamples:
        """Return the `LANES` resamples, or fewer, from one on."""
        keys = self.keys[first // EIGHT : (first + LANES) // EIGHT]
        return Resamples(self.cases, keys, np.ascontiguousarray(self.totals[:, first : first + LANES]))

    @property
    def poisson(self) -> Poisson:
        """Conversion of bytes to weights, the same for all blocks."""
        return poisson(-(-self.cases // len(self.totals)))


def starts_of(cases: int) -> Array:
    """Return the first case of each block, and the number of cases; block sizes differ by at most one case."""
    blocks = -(-cases // MOST_OF_BLOCK)
    index = np.arange(blocks + 1)
    return np.asarray(index * (cases // blocks) + np.minimum(index, cases % blocks))


def blocks_of(cases: int) -> list[tuple[int, int]]:
    """Return the first case of each block and the one after its last."""
    starts = starts_of(cases).tolist()
    return list(pairwise(starts))


def block_weights(cases: int, block: int, keys: Words, totals: Array) -> Array:
    """Return the weights of a block's cases by NumPy, ``(cases of the block, resamples)``."""
    starts = starts_of(cases)
    first, size, one = int(starts[block]), int(np.diff(starts)[block]), poisson(-(-cases // (len(starts) - 1)))
    rare, single = streams_of(keys)
    words = words_at(keys, np.arange(first, first + size, dtype=np.uint64)[:, None])
    byte = words.astype("<u8", copy=False).view(np.uint8)
    weights: Array = (byte >= one.levels[0]).view(np.uint8)
    reached = np.empty(byte.shape, dtype=bool)
    for level in one.levels[1 : EXACT - 1]:
        weights += np.greater_equal(byte, level, out=reached).view(np.uint8)
    unclear = np.flatnonzero(np.greater_equal(byte, one.levels[-1], out=reached))
    row, lane = np.divmod(unclear, weights.shape[1])
    flat, words = weights.reshape(-1), words_at(rare[lane // EIGHT], EIGHT * (first + row) + lane % EIGHT)
    flat[unclear] = np.searchsorted(one.atoms, words, "right")
    missing = totals.astype(np.int64) - _sums(weights)
    lanes = np.arange(weights.shape[1])
    streams = words_at(single[lanes // EIGHT], EIGHT * block + lanes % EIGHT)
    more = np.maximum(missing, 0)
    lane = np.repeat(lanes, more)
    words = words_at(np.repeat(streams, more), np.arange(len(lane)) - np.repeat(np.cumsum(more) - more, more))
    np.add.at(flat, _case_of(words, size) * weights.shape[1] + lane, np.uint8(1))
    for each in np.flatnonzero(missing < 0):
        weights[:, each] = _without(weights[:, each], -int(missing[each]), streams[each])
    return weights


def _sums(weights: Array) -> Array:
    """Return the sums of the rows: sixteen weights of at most 15 fit a byte, and eight bytes are added as a word."""
    most = len(weights) // 16 * 16
    words = weights[:most].view(np.uint64).reshape(16, -1)
    sums = np.add.reduce(words, 0).view(np.uint8).reshape(-1, weights.shape[1]).sum(0, dtype=np.int64)
    return np.asarray(sums + weights[most:].sum(0, dtype=np.int64))


def _case_of(word: Array, size: int) -> Array:
    """Return a random case below a number of cases, from the upper 52 bits of a word."""
    return (((word >> np.uint64(12)) * np.uint64(size)) >> np.uint64(52)).astype(np.intp)


def _without(weights: Array, number: int, stream: object) -> Array:
    """Remove a number of cases at random; a picked case is removed with probability proportional to its weight."""
    left, start, step = weights.copy(), 0, 24 * number
    while number:
        words = words_at(stream, np.arange(start, start + step))
        case, sixteenth = _case_of(words, len(left)), words & np.uint64(MOST_WEIGHT)
        for each in np.flatnonzero(sixteenth < left[case]).tolist():  # weights only fall: no other can be taken
            if number and sixteenth[each] < left[case[each]]:
                left[case[each]] -= 1
                number -= 1
        start += step
    return left

"""Areas under the ROC curve and average precisions of resampled scores, directly from the weights of the cases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array, Bytes
from howsure.native.library import kernel, require_equal
from howsure.native.resampling import LANES, MOST_OF_BLOCK, Case, Ranked, Resamples, block_weights, blocks_of

AT_ONCE = 256  # rows whose products are computed at once, so that they stay in the first caches
RUN = 16  # rows that are added up one after the other, in all runs of a block at once


@dataclass(frozen=True, slots=True, eq=False)
class RankSums:
    """Sums over the cases of resamples.

    Parameters
    ----------
    cases : int or ndarray of shape (resamples,)
        Cases of each resample.
    positives : ndarray of shape (resamples,)
        Number of positive cases among them.
    wins : ndarray of shape (resamples,)
        Sum over pairs: 2 if the positive case has the higher score, 1 for equal scores.
    precision : ndarray of shape (resamples,)
        Sum of the precision at each positive case's score.
    """

    cases: int | Array
    positives: Array
    wins: Array
    precision: Array

    def value(self, what: Ranked) -> Array:
        """Return each resample's area, or its average precision; nan where it lacks a class."""
        positives = self.positives.astype(float)
        with np.errstate(invalid="ignore"):
            if what is Ranked.PRECISION:
                return np.asarray(self.precision / positives)
            return np.asarray(self.wins / 2 / ((self.cases - positives) * positives))


def cases_of(counts: Array) -> Bytes:
    """Return the kind of each case, in the order of the flat cells of a table of scores, ``(S, 2)``.

    Examples
    --------
    >>> cases_of(np.array([[1, 0], [1, 2]])).tolist()
    [0, 6, 3, 3]
    """
    number: Array = counts.astype(np.intp)
    mixed, has_positives = np.asarray((number > 0).all(-1)), number[:, 1] > 0
    kind = np.array([0, Case.POSITIVE]) + int(Case.MIXED) * mixed[:, None]
    found = np.repeat(kind.ravel(), number.ravel()).astype(np.uint8)
    each = number.sum(-1)
    found[(np.cumsum(each) - each)[has_positives]] |= int(Case.ENDS)
    return found


def rank_sums(resamples: Resamples, cases: Bytes, what: Ranked) -> RankSums:
    """Return the rank sums of 64 resamples.

    Parameters
    ----------
    resamples : Resamples
        `LANES` resamples.
    cases : ndarray of shape (cases,)
        Kind of each case; see `cases_of`.
    what : Ranked
        Requested sums.
    """
    compiled = kernel("rank_sums")
    if compiled is None:
        blocks = list(enumerate(blocks_of(len(cases))))[::-1]
        drawn = (block_weights(len(cases), block, resamples.keys, resamples.totals[block]) for block, _ in blocks)
        kinds = (cases[first:last] for _, (first, last) in blocks)
        return _by_numpy(zip(drawn, kinds, strict=True), len(cases), what)
    require_equal("rank_sums", len(cases), resamples.cases)
    require_equal("rank_sums", resamples.totals.shape, (len(resamples.totals), LANES))
    positives, wins = np.empty(LANES, dtype=np.uint64), np.empty(LANES, dtype=np.uint64)
    precision = np.empty(LANES)
    one, scratch = resamples.poisson, np.empty((min(len(cases), MOST_OF_BLOCK), LANES), dtype=np.uint8)
    keys, totals = resamples.keys, resamples.totals
    drawing = (one.levels, one.atoms, one.guide, keys, totals)
    compiled(len(cases), len(totals), cases, *drawing, int(what), positives, wins, precision, scratch)
    return RankSums(len(cases), positives, wins, precision)


def ranked_units(weights: Bytes, unit: Array, cases: Bytes, what: Ranked) -> RankSums:
    """Return the rank sums of 64 resamples of units, such as clusters of the cases.

    Parameters
    ----------
    weights : ndarray of shape (units, 64)
        How often each unit occurs in each resample.
    unit : ndarray of shape (cases,)
        Unit of each case, in the order of the scores.
    cases : ndarray of shape (cases,)
        Kind of each case; see `cases_of`.
    what : Ranked
        Requested sums.
    """
    compiled, units = kernel("ranked_units"), len(weights)
    number = np.bincount(unit, minlength=units) @ weights.astype(float)
    if compiled is None:
        starts = range(0, len(cases), MOST_OF_BLOCK)
        parts = (
            (weights[unit[first : first + MOST_OF_BLOCK]], cases[first : first + MOST_OF_BLOCK])
            for first in starts[::-1]
        )
        return _by_numpy(parts, number, what)
    require_equal("ranked_units", unit.shape, cases.shape)
    require_equal("ranked_units", weights.shape, (units, LANES))
    positives, wins = np.empty(LANES, dtype=np.uint64), np.empty(LANES, dtype=np.uint64)
    precision, rows = np.empty(LANES), np.ascontiguousarray(unit, dtype=np.int64)
    own = np.ascontiguousarray(weights, dtype=np.uint8)
    compiled(len(cases), units, cases, rows, own, int(what), positives, wins, precision)
    return RankSums(number, positives, wins, precision)


def _by_numpy(parts: Iterable[tuple[Array, Array]], number: int | Array, what: Ranked) -> RankSums:
    """Return rank sums from the weights and kinds of blocks of cases, the block of the highest scores first."""
    area, precision = _Area(), _Precision()
    for upwards, kinds in parts:
        weights, kind = upwards[::-1], kinds[::-1]
        above = _added_up(weights[np.flatnonzero(kind & Case.POSITIVE)])
        if Ranked.AREA in what:
            area.add(weights, kind, above, weights.sum(0, dtype=np.uint32))
        if Ranked.PRECISION in what:
            precision.add(weights, kind, above)
    return RankSums(number, area.above if Ranked.AREA in what else precision.positives, area.wins, precision.sum)


class _Area:
    """Wins of the blocks so far, from the top, and the state for the next block."""

    def __init__(self) -> None:
        self.wins, self.above, self.waiting = (np.zeros(LANES, dtype=np.uint64) for _ in range(3))

    def add(self, weights: Array, kind: Array, positives: Array, total: Array) -> None:
        """Add a block.

        Parameters
        ----------
        weights, kind
            Of its cases, from the top.
        positives
            Its positive cases from the top, from none to all of them.
        total
            Number of its cases.
        """
        upto, is_negative = np.cumsum(kind & Case.POSITIVE, dtype=np.intp), kind & Case.POSITIVE == 0
        negative, is_mixed = np.flatnonzero(is_negative), kind & Case.MIXED > 0
        higher = upto[negative]
        if not is_mixed.any():
            self._add_wins(weights, negative, positives, higher)
            self._close(positives, total)
            return
        closed = np.where((kind & Case.ENDS > 0) | ~is_mixed, np.arange(1, len(kind) + 1), 0)
        start = np.concatenate([[0], np.maximum.accumulate(closed)])  # of the score of each case, in the block
        before = np.concatenate([[0], upto])[start]
        strictly = np.where(is_mixed[negative], before[negative], higher)
        self._add_wins(weights, negative, positives, higher, strictly)
        of_above = negative[is_mixed[negative] & (start[negative] == 0)]  # of the score that the block above ended in
        self.wins -= self.waiting * weights[of_above].sum(0, dtype=np.uint64)
        self._close(positives, total)
        is_open = start[-1] < len(kind)
        tied = (positives[-1] - positives[before[-1]]).astype(np.uint64)
        self.waiting = (tied + (self.waiting if start[-1] == 0 else np.uint64(0))) * np.uint64(is_open)

    def _add_wins(self, weights: Array, negative: Array, positives: Array, *higher: Array) -> None:
        """Add wins of negative cases against the positive ones among so many from the top: two, or one each of two."""
        for at in range(0, len(negative), AT_ONCE):
            some = slice(at, at + AT_ONCE)
            own = weights[negative[some]].astype(np.uint32)
            won = [np.einsum("ij,ij->j", own, positives[index[some]]).astype(np.uint64) for index in higher]
            self.wins += sum(won) * np.uint64(2 // len(won))

    def _close(self, positives: Array, total: Array) -> None:
        """Count the block's negative cases as below the positive ones of the blocks before."""
        self.wins += 2 * self.above * (total - positives[-1])
        self.above += positives[-1].astype(np.uint64)


class _Precision:
    """Precisions of the blocks so far, from the top."""

    def __init__(self) -> None:
        self.sum, self.positives, self.all, self.waiting = np.zeros((4, LANES))

    def add(self, weights: Array, kind: Array, positives: Array) -> None:
        """Add a block; see `_Area.add`."""
        ends = np.flatnonzero(kind & Case.ENDS)
        every = _added_up(weights)
        if len(ends):
            higher = positives[np.cumsum(kind & Case.POSITIVE, dtype=np.intp)[ends]]
            tied = np.diff(higher, axis=0, prepend=np.uint32(0)).astype(float)
            tied[0] += self.waiting
            precision = (higher + self.positives) / np.maximum(every[ends + 1] + self.all, 1.0)
            self.sum += np.einsum("ij,ij->j", tied, precision)
        self.waiting = positives[-1] - higher[-1] if len(ends) else self.waiting + positives[-1]
        self.positives = self.positives + positives[-1]
        self.all = self.all + every[-1]


def _added_up(rows: Array) -> Array:
    """Return the sums of the first rows, from none to all of them: along runs first, then along the ends of these."""
    number, width = rows.shape
    runs = -(-number // RUN)
    sums = np.zeros((1 + runs * RUN, width), dtype=np.uint32)
    sums[1 : number + 1] = rows
    parts = sums[1:].reshape(runs, RUN, width)
    for row in range(1, RUN):
        parts[:, row] += parts[:, row - 1]
    parts[1:] += np.cumsum(parts[:-1, -1], 0, dtype=np.uint32)[:, None]
    return sums[: number + 1]

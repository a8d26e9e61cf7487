"""Sums over pairs of a positive and a negative case of the products of two groups' wins, in linear memory.

The sum over pairs (i, j) of ``w_g(i, j) w_h(i, j)`` would take a matrix of cases by cases for each group. With the sign
``s = 2 w − 1`` it is ``(pairs + Σ s_g + Σ s_h + Σ s_g s_h) / 4``, and ``Σ s_g s_h`` counts concordant minus discordant
pairs: by the joint counts of two ratings if these have few values, else by a wavelet tree of the ranks.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from howsure.readers.reads import Reads

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
MOST_CELLS = 2**16  # joint counts of two ratings, at least
CELLS_PER_CASE = 8


def products_of_wins(reads: Reads) -> Array:
    """Return the sum of products of wins of each two groups over the pairs of cases that both hold, ``(G, G)``.

    Parameters
    ----------
    reads : Reads
        The ratings.
    """
    groups = reads.values.shape[1]
    is_read, positive = reads.is_read, reads.positive
    codes = np.zeros(reads.values.shape, dtype=np.intp)
    for group, read in enumerate(is_read.T):
        codes[read, group] = np.unique(reads.values[read, group], return_inverse=True)[1].ravel()
    found = np.zeros((groups, groups))
    for one, other in combinations_with_replacement(range(groups), 2):
        both = is_read[:, one] & is_read[:, other]
        first, second, side = codes[both, one], codes[both, other], positive[both]
        found[one, other] = found[other, one] = product_of_wins(first, second, side)
    return found


def product_of_wins(first: Codes, second: Codes, positive: NDArray[np.bool_]) -> float:
    """Return the sum of products of the wins by two ratings over pairs of a positive and a negative case.

    Parameters
    ----------
    first, second : ndarray of int of shape (n,)
        Ranks of the ratings from 0; equal for ties.
    positive : ndarray of bool of shape (n,)
        Which cases are positive.

    Examples
    --------
    >>> ratings, positive = np.array([0, 1, 1, 2]), np.array([False, False, True, True])
    >>> product_of_wins(ratings, ratings, positive)  # wins 1, 1/2, 1 and 1
    3.25
    """
    if not positive.any() or positive.all():
        return 0.0
    pairs = float(positive.sum()) * float((~positive).sum())
    cells = (int(first.max()) + 1) * (int(second.max()) + 1)
    signs = _by_counts if cells <= max(MOST_CELLS, CELLS_PER_CASE * len(first)) else _by_ranks
    single = sum(float(_signs(each, positive).sum()) for each in (first, second))
    return (pairs + single + signs(first, second, positive)) / 4


def _signs(codes: Codes, positive: NDArray[np.bool_]) -> Array:
    """Return for each positive case the number of negative cases with lower ratings, minus those with higher ones."""
    counts = np.bincount(codes[~positive], minlength=int(codes.max()) + 1)
    upto = np.cumsum(counts)
    return np.asarray((2 * upto - counts - upto[-1])[codes[positive]], dtype=float)


def _by_counts(first: Codes, second: Codes, positive: NDArray[np.bool_]) -> float:
    """Return the sum of products of signs, from the joint counts of two ratings with few values."""
    shape = int(first.max()) + 1, int(second.max()) + 1
    flat = first * shape[1] + second
    of_positive, of_negative = (
        np.bincount(flat[side], minlength=shape[0] * shape[1]).reshape(shape).astype(float)
        for side in (positive, ~positive)
    )
    for axis in (0, 1):  # the sum of signs along an axis: counts below minus counts above
        upto = np.cumsum(of_negative, axis)
        total = np.take(upto, [-1], axis)
        of_negative = 2 * upto - of_negative - total
    return float((of_positive * of_negative).sum())


def _by_ranks(first: Codes, second: Codes, positive: NDArray[np.bool_]) -> float:
    """Return the sum of products of signs, from ranks, in O(n log n).

    A sign is ``[below] + [not above] − 1``, so the product consists of four counts of negative cases that are lower by
    both ratings, strictly or not, and of counts by one rating.
    """
    own, other = first[~positive], second[~positive]
    tree = _Tree(other[np.argsort(own, kind="stable")].astype(np.int32))
    lower, others = _bounds(own, first[positive]), _bounds(other, second[positive])
    product = float(len(own)) * float(positive.sum()) - float(np.sum(lower)) - float(np.sum(others))
    for bounds in _weighted(lower):
        for place in _weighted([second[positive], second[positive] + 1] if _differ(others) else [second[positive]] * 2):
            product += bounds[1] * place[1] * float(tree.below(bounds[0], place[0]).sum())
    return product


def _bounds(codes: Codes, at: Codes) -> list[Codes]:
    """Return how many codes are below each value, and how many are not above it."""
    upto = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=int(at.max()) + 1))])
    return [upto[at], upto[at + 1]]


def _differ(pair: list[Codes]) -> bool:
    return bool((pair[0] != pair[1]).any())


def _weighted(pair: list[Codes]) -> list[tuple[Codes, int]]:
    """Return the arrays of a pair with the number of times that each occurs."""
    return [(pair[0], 1), (pair[1], 1)] if _differ(pair) else [(pair[0], 2)]


class _Tree:
    """A wavelet tree: how many of the first values of a sequence are below a bound."""

    def __init__(self, values: Codes) -> None:
        self.bits = max(int(values.max()).bit_length(), 1)
        self.levels = []
        for bit in reversed(range(self.bits)):
            is_one = (values >> bit) & 1 == 1
            zeros = np.concatenate([[0], np.cumsum(~is_one)])
            self.levels.append(zeros)
            values = np.concatenate([values[~is_one], values[is_one]])

    def below(self, first: Codes, bound: Codes) -> Codes:
        """Return how many of the first so many values are below each bound."""
        everything = bound >> self.bits > 0
        low, high = np.zeros_like(first), first
        found = np.zeros_like(first)
        for bit, zeros in zip(reversed(range(self.bits)), self.levels, strict=True):
            is_one = (bound >> bit) & 1 == 1
            start, stop = zeros[low], zeros[high]
            found += np.where(is_one, stop - start, 0)
            low = np.where(is_one, zeros[-1] + low - start, start)
            high = np.where(is_one, zeros[-1] + high - stop, stop)
        return np.where(everything, first, found)

"""Sums over pairs of a positive and a negative case of the products of two groups' wins, in linear memory.

The sum over pairs (i, j) of ``w_g(i, j) w_h(i, j)`` would take a matrix of cases by cases for each group. A win w is 1
if the positive case has the higher rating, and 1/2 for a tie. The sum therefore follows from the number of negative
cases that are lower by both ratings: by the joint counts of two ratings if these have few values, else by a wavelet
tree of the ranks.
"""

from __future__ import annotations

import numpy as np

from howsure.arrays import Booleans, Floats, Positions
from howsure.readers.reads import Reads

MOST_CELLS = 2**16  # joint counts of two ratings, at least
CELLS_PER_CASE = 8


def products_of_wins(reads: Reads) -> Floats:
    """Return the sum of products of wins of each two groups over the pairs of cases that both hold, ``(G, G)``."""
    groups = reads.values.shape[1]
    is_read = np.ascontiguousarray(reads.is_read.T)
    codes = np.zeros(is_read.shape, dtype=np.intp)
    for own, values, read in zip(codes, reads.values.T, is_read, strict=True):
        own[read] = np.unique(values[read], return_inverse=True)[1].ravel()
    found = np.zeros((groups, groups))
    for one in range(groups):
        order = np.argsort(codes[one], kind="stable")  # later sorts of these ratings are fast
        for other in range(one, groups):
            both = order[(is_read[one] & is_read[other])[order]]
            first, second, side = codes[one][both], codes[other][both], reads.positive[both]
            found[one, other] = found[other, one] = product_of_wins(first, second, side)
    return found


def product_of_wins(first: Positions, second: Positions, positive: Booleans) -> float:
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
    cells = (int(first.max()) + 1) * (int(second.max()) + 1)
    products = _by_counts if cells <= max(MOST_CELLS, CELLS_PER_CASE * len(first)) else _by_ranks
    return products(first, second, positive)


def _by_counts(first: Positions, second: Positions, positive: Booleans) -> float:
    """Return the sum of products of wins, from the joint counts of two ratings with few values."""
    shape = int(first.max()) + 1, int(second.max()) + 1
    flat = first * shape[1] + second
    of_positive, of_negative = (
        np.bincount(flat[side], minlength=shape[0] * shape[1]).reshape(shape).astype(float)
        for side in (positive, ~positive)
    )
    for axis in (0, 1):
        of_negative = np.cumsum(of_negative, axis) - of_negative / 2
    return float((of_positive * of_negative).sum())


def _by_ranks(first: Positions, second: Positions, positive: Booleans) -> float:
    """Return the sum of products of wins, from ranks, in O(n log n).

    Twice a win is ``[below] + [not above]``, so four times the product is the sum of four numbers of negative cases
    that are lower by both ratings, strictly or not.
    """
    own, other = first[~positive], second[~positive]
    tree = _Tree(other[np.argsort(own, kind="stable")].astype(np.int32))
    lower, others = _bounds(own, first[positive]), _bounds(other, second[positive])
    product = 0.0
    for bounds in _weighted(lower):
        for place in _weighted([second[positive], second[positive] + 1] if _differ(others) else [second[positive]] * 2):
            product += bounds[1] * place[1] * float(tree.below(bounds[0], place[0]).sum())
    return product / 4


def _bounds(codes: Positions, at: Positions) -> list[Positions]:
    """Return how many codes are below each value, and how many are not above it."""
    upto = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=int(at.max()) + 1))])
    return [upto[at], upto[at + 1]]


def _differ(pair: list[Positions]) -> bool:
    return bool((pair[0] != pair[1]).any())


def _weighted(pair: list[Positions]) -> list[tuple[Positions, int]]:
    """Return the arrays of a pair with the number of times that each occurs."""
    return [(pair[0], 1), (pair[1], 1)] if _differ(pair) else [(pair[0], 2)]


class _Tree:
    """A wavelet tree: how many of the first values of a sequence are below a bound."""

    def __init__(self, values: Positions) -> None:
        self.bits = max(int(values.max()).bit_length(), 1)
        self.levels = []
        for bit in reversed(range(self.bits)):
            is_zero = (values >> bit) & 1 == 0
            zeros = np.zeros(len(values) + 1, dtype=np.int32)
            np.cumsum(is_zero, out=zeros[1:])
            self.levels.append(zeros)
            parts = np.compress(is_zero, values), np.compress(~is_zero, values)  # faster than by index
            values = np.concatenate(parts)

    def below(self, first: Positions, bound: Positions) -> Positions:
        """Return how many of the first so many values are below each bound."""
        everything = bound >> self.bits > 0
        first, bound = first.astype(np.int32), bound.astype(np.int32)
        low, high = np.zeros_like(first), first
        found = np.zeros_like(first)
        for bit, zeros in zip(reversed(range(self.bits)), self.levels, strict=True):
            is_one = (bound >> bit) & 1 == 1
            start, stop = zeros[low], zeros[high]
            found += np.where(is_one, stop - start, 0)
            low = np.where(is_one, zeros[-1] + low - start, start)
            high = np.where(is_one, zeros[-1] + high - stop, stop)
        return np.where(everything, first, found)

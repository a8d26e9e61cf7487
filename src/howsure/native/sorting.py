"""Counting of cases by distinct score and class."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from howsure.arrays import Array, Floats
from howsure.native.library import kernel, require_equal


def count_scores(positive: Array, score: Array) -> tuple[Floats, Floats]:
    """Return the distinct scores, ascending, and the numbers of negative and positive cases, ``(S, 2)``.

    The compiled kernel converts the scores to integers and sorts them by their highest digits (radix sort), then by
    insertion.

    Parameters
    ----------
    positive : ndarray of bool of shape (n,)
        Mask of the positive cases.
    score : ndarray of shape (n,)
        Finite scores.

    Examples
    --------
    >>> scores, counts = count_scores(np.array([True, False, True]), np.array([0.5, 0.2, 0.2]))
    >>> scores.tolist(), counts.tolist()
    ([0.2, 0.5], [[1.0, 1.0], [0.0, 1.0]])
    """
    compiled = kernel("count_scores")
    found = None if compiled is None else _compiled(compiled, positive, score)
    if found is not None:
        return found
    # Taking by positions is ten times as fast as by a mask.
    scores, counts = _merged(*(np.sort(score[np.flatnonzero(side)]) for side in (~positive, positive)))
    return scores + 0.0, counts  # zero has no sign


def count_numbers(numbers: Array) -> tuple[Array, Array]:
    """Return the distinct numbers, ascending, and how often each occurs; a broadcast one if none is repeated.

    NumPy sorts numbers without their class by the processor's vector instructions, in two thirds of the time.

    Parameters
    ----------
    numbers : ndarray of shape (n,)
        At least one finite number.

    Examples
    --------
    >>> [each.tolist() for each in count_numbers(np.array([0.5, 0.2, 0.5]))]
    [[0.2, 0.5], [1.0, 2.0]]
    """
    distinct = np.sort(numbers)
    distinct[slice(*(np.searchsorted(distinct, 0.0, side) for side in ("left", "right")))] = 0.0  # zero has no sign
    is_new = distinct[1:] != distinct[:-1]
    if is_new.all():
        return distinct, np.broadcast_to(1.0, len(distinct))
    starts = np.concatenate([[0], np.flatnonzero(is_new) + 1])
    return distinct[starts], np.diff(starts, append=len(distinct)).astype(float)


def _compiled(compiled: Callable[..., None], positive: Array, score: Array) -> tuple[Array, Array] | None:
    """Return `count_scores`; None if the largest score is 2**1024 times the smallest non-zero one, or more."""
    require_equal("count_scores", len(score), len(positive))
    cases, number = len(score), np.empty(1, dtype=np.int64)
    scores, counts = np.empty(cases), np.empty((2, cases))
    score, positive = np.ascontiguousarray(score, dtype=float), np.ascontiguousarray(positive, dtype=bool)
    compiled(cases, score, positive, scores, counts, number)
    distinct = int(number[0])
    if not distinct:
        return None
    if 2 * distinct < cases:  # give back what is not used
        return scores[:distinct].copy(), counts[:, :distinct].copy().T
    return scores[:distinct], counts[:, :distinct].T


def _merged(negative: Array, positive: Array) -> tuple[Array, Array]:
    """Merge two sorted arrays; return the distinct values and their counts in either, ``(S, 2)``."""
    both = np.concatenate([negative, positive])
    order = np.argsort(both, kind="stable")  # two ascending runs: one linear merge
    merged = both[order]
    starts = np.flatnonzero(np.concatenate([[True], merged[1:] != merged[:-1]]))
    is_positive = order >= len(negative)
    counts = np.empty((2, len(starts))).T  # each class lies together: what reads them goes along one
    if len(starts) == len(merged):
        counts[:, 1] = is_positive
        counts[:, 0] = ~is_positive
    else:
        counts[:, 1] = np.add.reduceat(is_positive, starts, dtype=float)
        counts[:, 0] = np.diff(starts, append=len(merged)) - counts[:, 1]
    return merged[starts], counts

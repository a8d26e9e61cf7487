"""Shares that rise with the score: isotonic regression, and the pairs of Venn–Abers prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def rising_shares(counts: Array) -> Array:
    """Return the share of positive cases at each score, pooled where it would fall, ``(S,)``.

    Parameters
    ----------
    counts
        Negative and positive cases, or weights, at ascending scores, ``(S, 2)``; scores without weight take the
        value of the one before (the first ones: of the one after).
    """
    from scipy import optimize

    mass = counts.sum(1)
    filled = np.flatnonzero(mass > 0)
    shares = optimize.isotonic_regression(counts[filled, 1] / mass[filled], weights=mass[filled]).x
    if len(filled) == len(counts):
        return np.asarray(shares)
    before = np.searchsorted(filled, np.arange(len(counts)), side="right") - 1
    return np.asarray(shares[np.maximum(before, 0)])


def shares_if_positive(counts: Array) -> Array:
    """Return, at each score, its pooled share after one more positive case of that score.

    The share is the slope of the common tangent from below of the cumulated counts to the left and to the right of
    the added case. From score to score the tangent only turns upwards, so that every point enters and leaves the
    right hull once, and all shares together cost a time linear in the number of scores.

    References
    ----------
    Vovk, Petej, Fedorova (2015), Large-scale probabilistic predictors with and without guarantees of validity, NIPS 28.
    """
    cases = np.concatenate([[0.0], np.cumsum(counts.sum(1))]).tolist()
    positives = np.concatenate([[0.0], np.cumsum(counts[:, 1])]).tolist()
    points = list(zip(cases, positives, strict=True))
    hull: list[tuple[float, float]] = []  # lower hull of the points to come, the leftmost on top
    for point in reversed(points[1:]):
        _put_left(hull, point)
    _put_left(hull, (-1.0, -1.0))
    shares = np.empty(len(counts))
    for index in range(1, len(points)):
        (x, y), (right, top) = hull[-1], hull[-2]
        shares[index - 1] = (top - y) / (right - x)
        passed = (points[index][0] - 1, points[index][1] - 1)
        if index < len(counts) and _turn((x, y), (right, top), passed) < 0:  # below the tangent
            hull.pop()
            _put_left(hull, passed)
    return shares


def shares_if_negative(counts: Array) -> Array:
    """Return, at each score, its pooled share after one more negative case of that score."""
    return np.asarray(1 - shares_if_positive(counts[::-1, ::-1])[::-1])


def _put_left(hull: list[tuple[float, float]], point: tuple[float, float]) -> None:
    while len(hull) > 1 and _turn(point, hull[-1], hull[-2]) <= 0:
        hull.pop()
    hull.append(point)


def _turn(first: tuple[float, float], second: tuple[float, float], third: tuple[float, float]) -> float:
    """Return twice the area of a triangle, positive where the path turns left."""
    return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (third[0] - first[0])

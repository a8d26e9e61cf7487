"""Shares that increase with the score: draws of isotonic regression, and the pairs of Venn–Abers prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.resampling import Resampling
from howsure.native.interpolation import interpolated
from howsure.native.isotonic import rising_shares
from howsure.tables.scores import ScoresTable

LABELLED_WEIGHT = 0.75  # weight of a labelled case in draws, chosen by measured coverage: see the guide to calibration
PSEUDO_COUNT = 0.5  # Jeffreys' prior at the ends: positive at the lowest labelled score, negative at the highest
MOST_SCORES = 512  # groups of neighbouring scores in draws, if there are more distinct scores


def grouped_scores(number: Array) -> Array:
    """Return the first positions of groups of about equal numbers of cases, for ascending scores, ``(groups,)``."""
    if len(number) <= MOST_SCORES:
        return np.arange(len(number))
    middle = np.cumsum(number) - number / 2
    return np.flatnonzero(np.diff(np.floor(middle / number.sum() * MOST_SCORES), prepend=-1))


def shares_if_positive(counts: Array) -> Array:
    """Return the isotonic share at each score after one positive case is added at that score.

    The share is the slope of the common lower tangent of the cumulated counts left and right of the added case. The
    tangent only turns upwards from one score to the next, so every point enters and leaves the right hull once. The
    total time is linear in the number of scores.

    References
    ----------
    Vovk, Petej, Fedorova (2015), Large-scale probabilistic predictors with and without guarantees of validity, NIPS 28.
    """
    cases = np.concatenate([[0.0], np.cumsum(counts.sum(1))]).tolist()
    positives = np.concatenate([[0.0], np.cumsum(counts[:, 1])]).tolist()
    points = list(zip(cases, positives, strict=True))
    hull: list[tuple[float, float]] = []  # lower hull of the remaining points, the leftmost on top
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
    """Return the isotonic share at each score after one negative case is added at that score."""
    return np.asarray(1 - shares_if_positive(counts[::-1, ::-1])[::-1])


def _put_left(hull: list[tuple[float, float]], point: tuple[float, float]) -> None:
    while len(hull) > 1 and _turn(point, hull[-1], hull[-2]) <= 0:
        hull.pop()
    hull.append(point)


def _turn(first: tuple[float, float], second: tuple[float, float], third: tuple[float, float]) -> float:
    """Return twice the signed area of a triangle, positive if the path turns left."""
    return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (third[0] - first[0])


@final
@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Draws of an increasing step function: shares at the labelled scores, and places of the jumps between them.

    The labelled cases do not determine the curve between two scores. A jump at a uniformly drawn place follows the
    straight line on average, and has the largest variance that an increasing curve can have.

    Parameters
    ----------
    scores : ndarray of shape (S,)
        Labelled scores, ascending.
    shares : ndarray of shape (draws, S)
        Increasing shares of positive cases at the scores.
    places : ndarray of shape (draws, max(S - 1, 1))
        Relative position of each curve's jump between two neighbouring scores, in [0, 1].
    """

    scores: Array
    shares: Array
    places: Array

    def check(self) -> None:
        """Check the scores, and the shares and places of each draw."""
        invariants.ascending("scores", self.scores)
        size = len(self.scores)
        invariants.numbers("shares", self.shares, (None, size), 0.0, 1.0)
        invariants.numbers("places", self.places, (len(self.shares), max(size - 1, 1)), 0.0, 1.0)
        if not self.shares.size:
            invariants.refuse("`shares` is empty, and must have at least one draw.")

    @classmethod
    def of(cls, table: ScoresTable, size: int, rng: np.random.Generator) -> Steps:
        """Return Bayesian bootstraps of the labelled cases and half a pseudo-case of the other class at either end."""
        scores, counts, design = table.scores, table.counts, table.design
        starts = grouped_scores(counts.sum(1))
        if len(starts) < len(scores):  # the groups are far finer than the blocks of a fit to that many cases
            group = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(scores)))
            mass = counts.sum(1)
            counts = np.add.reduceat(counts, starts)
            scores = np.add.reduceat(scores * mass, starts) / counts.sum(1)
            design = design.collapse_cells((2 * group[:, None] + np.arange(2)).ravel(), counts.size)
        extra = np.zeros(counts.shape)
        extra[0, 1] = extra[-1, 0] = PSEUDO_COUNT
        drawn = Resampling.of(design).posterior((counts * LABELLED_WEIGHT).ravel(), extra.ravel(), size, rng)
        shares = rising_shares(drawn.reshape(size, *counts.shape))
        return cls(scores, shares, rng.random((size, max(len(scores) - 1, 1))))

    def __len__(self) -> int:
        return len(self.shares)

    def mean(self, scores: Array) -> Array:
        """Return the mean of the curves."""
        return interpolated(scores, self.scores, self.shares.mean(0))

    def at(self, scores: Array, chosen: Array | slice) -> Array:
        """Return the chosen curves at the given scores, ``(draws, scores)``."""
        known = self.scores
        if len(known) == 1:
            return np.repeat(self.shares[chosen], len(scores), axis=1)
        left = np.clip(np.searchsorted(known, scores, side="right") - 1, 0, len(known) - 2)
        place = (scores - known[left]) / (known[left + 1] - known[left])
        jumped = place > self.places[chosen][:, left]
        return np.asarray(np.where(jumped, self.shares[chosen][:, left + 1], self.shares[chosen][:, left]))

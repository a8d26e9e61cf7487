"""Logistic regression on a score's logit: a straight line, or a restricted cubic spline (Harrell 2015, section 2.4.5).

A score of exactly 0 or 1 has an infinite logit. The curve is 0 or 1 there, the limit of scores that approach 0 or 1,
if its cases are of the predicted class and the curve rises towards it. Such cases have no influence on the fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.metrics.logistic import fitted, influence, probability

KNOTS = 4  # the default number
QUANTILES = {  # number of knots → the quantiles of the logits at which they lie (Harrell 2015, table 2.3)
    3: (0.1, 0.5, 0.9),
    4: (0.05, 0.35, 0.65, 0.95),
    5: (0.05, 0.275, 0.5, 0.725, 0.95),
}
ROUNDING = 1e-12


def knots_of(logits: Array, mass: Array, number: int) -> Array:
    """Return the distinct knots: the smallest logits with at least these proportions of the cases at or below."""
    reached = np.cumsum(mass) / mass.sum()
    return np.unique(logits[np.searchsorted(reached, np.array(QUANTILES[number]) - ROUNDING)])


def spline(logits: Array, knots: Array | None = None) -> Array:
    """Return the features of a regression, ``(scores, k)``: the logit, the terms of a spline with knots, and 1."""
    columns = [logits]
    if knots is not None:
        last, before = knots[-1], knots[-2]

        def cubed(knot: float) -> Array:
            return np.maximum(logits - knot, 0.0) ** 3

        for knot in knots[:-2]:
            tail = (last - knot) * cubed(before) - (before - knot) * cubed(last)
            columns.append((cubed(knot) - tail / (last - before)) / (last - knots[0]) ** 2)
    return np.column_stack([*columns, np.ones(len(logits))])


@dataclass(frozen=True, slots=True, eq=False)
class LogitCurve:
    """Features for a logistic regression of the class on the logit of the score, for the scores of a table.

    Parameters
    ----------
    scores : ndarray of shape (S,)
        The scores, ascending, from 0 to 1.
    inside : ndarray of shape (S,)
        Which scores are between 0 and 1.
    features : ndarray of shape (S, k)
        Features of the scores, with zeros for scores of 0 and 1.
    ends : ndarray of shape (2, k)
        Derivative of the features with respect to the logit, below the first and above the last knot.
    """

    scores: Array
    inside: Array
    features: Array
    ends: Array

    @classmethod
    def of(cls, scores: Array, knots: Array | None = None) -> LogitCurve:
        """Return the features of a spline with the given knots, or of a straight line.

        Parameters
        ----------
        scores : ndarray of shape (S,)
            The scores, ascending, from 0 to 1.
        knots : ndarray of shape (knots,), optional
            Logits of the knots.
        """
        inside = (scores > 0) & (scores < 1)
        logits = logit(scores[inside])
        rows = spline(logits, knots)
        features = np.zeros((len(scores), rows.shape[1]))
        features[inside] = rows
        beyond = np.zeros(1) if knots is None else knots[[0, -1]]
        outside = np.array([beyond[0] - 1, beyond[0], beyond[-1], beyond[-1] + 1])
        return cls(scores, inside, features, np.diff(spline(outside, knots), axis=0)[::2])

    def fitted(self, cells: Array) -> Array | None:
        """Return the maximum-likelihood coefficients for counts ``(S, 2)``; None if the likelihood has no maximum."""
        if self.contradicts(cells) or not self.inside.any():
            return None
        found = fitted(self.features[self.inside], cells[self.inside])
        is_certain = np.array([cells[self.scores <= 0].any(), cells[self.scores >= 1].any()])
        return None if found is None or (is_certain & (self.ends @ found <= 0)).any() else found

    def contradicts(self, cells: Array) -> bool:
        """Return whether a case with score exactly 0 is positive, or one with score exactly 1 is negative."""
        return bool(cells[self.scores <= 0, 1].any() or cells[self.scores >= 1, 0].any())

    def shares(self, coefficients: Array) -> Array:
        """Return the fitted proportion of positive cases at each score."""
        return np.where(self.inside, probability(self.features @ coefficients), self.scores)

    def influence(self, cells: Array, coefficients: Array) -> Array:
        """Return the derivative of each coefficient with respect to each cell count, ``(k, S, 2)``."""
        found = np.zeros((len(coefficients), *cells.shape))
        found[:, self.inside] = influence(self.features[self.inside], cells[self.inside], coefficients)
        return found


def logit(shares: Array) -> Array:
    """Return the logits of numbers between 0 and 1."""
    return np.asarray(np.log(shares) - np.log1p(-shares))

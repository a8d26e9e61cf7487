"""Smooth calibration curves: logistic regression of the class on a spline of the score's logit, with bands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, whole_number
from howsure.methods.core.standard_errors import quantile
from howsure.methods.numerics.confidence_levels import tail_of
from howsure.metrics.logistic import probability
from howsure.metrics.splines import QUANTILES, LogitCurve, knots_of, logit
from howsure.tables.scores import ScoresTable as Table

POINTS = 200  # of the curve
DRAWS = 20_000  # of the coefficients, for the largest deviation along the curve


@dataclass(frozen=True, slots=True, eq=False)
class SmoothCurve:
    """A fitted curve at some of the scores.

    Parameters
    ----------
    scores : ndarray of shape (P,)
        The scores.
    at : ndarray of shape (P, K)
        Features of the regression at the scores.
    coefficients : ndarray of shape (K,)
        Its coefficients.
    slopes : ndarray of shape (K, S, 2)
        Derivatives of the coefficients by the counts of the table.
    """

    scores: Array
    at: Array
    coefficients: Array
    slopes: Array

    @property
    def shares(self) -> Array:
        """Shares of positive cases along the curve."""
        return np.asarray(probability(self.at @ self.coefficients))

    def limits(self, table: Table, band: str, level: float) -> tuple[Array, Array]:
        """Return the lower and upper limits along the curve."""
        forms = self.at @ _root(_covariance(table, self.slopes))
        error = np.sqrt((forms**2).sum(1))
        reach = quantile(level, table.design.degrees_of_freedom)
        if band == "simultaneous":
            reach = reach * _largest(forms, error, level) / quantile(level, np.inf)
        centre = self.at @ self.coefficients
        low, high = (probability(centre + side * reach * error) for side in (-1, 1))
        return low, high


def smooth_curve(table: Table, scores: Array, knots: int | None) -> SmoothCurve:
    """Return the fitted curve of the share of positive cases against the score.

    Parameters
    ----------
    table : ScoresTable
        The cases.
    scores : ndarray of shape (S,)
        Its scores as probabilities.
    knots : int, optional
        Number of knots, 3 to 5; None for a straight line.

    Raises
    ------
    HowsureError
        If a case of score 0 or 1 is of the other class, too few scores differ, or the scores separate the classes.
    """
    mass = table.counts.sum(1)
    shown = np.flatnonzero((mass > 0) & (scores > 0) & (scores < 1))
    places = None if knots is None else _knots(logit(scores[shown]), mass[shown], knots)
    curve = LogitCurve.of(scores, places)
    if curve.contradicts(table.counts):
        raise HowsureError(
            "A case of score exactly 0 or 1 is of the other class: no smooth calibration curve has such an infinite "
            "logit. Clip the scores, as with np.clip(y_score, 1e-6, 1 - 1e-6), or use method='bins'."
        )
    coefficients = curve.fitted(table.counts)
    if coefficients is None:
        raise HowsureError(
            "The scores between 0 and 1 separate the classes, do not vary, have only one class, or do not rise towards "
            "scores of exactly 0 or 1: no calibration curve can be fitted. Use method='bins'."
        )
    chosen = shown[np.unique(np.linspace(0, len(shown) - 1, min(len(shown), POINTS)).round().astype(np.intp))]
    slopes = curve.influence(table.counts, coefficients)
    return SmoothCurve(scores[chosen], curve.features[chosen], coefficients, slopes)


def _knots(logits: Array, mass: Array, number: int) -> Array:
    number = whole_number("knots", number)
    if number not in QUANTILES:
        raise HowsureError(f"`knots` is 3, 4 or 5, not {number}.")
    places = knots_of(logits, mass, number) if len(logits) else logits
    if len(places) < min(QUANTILES):
        raise HowsureError(
            "A spline needs three distinct knots, and the scores have too few values. Use method='logistic'."
        )
    return places


def _covariance(table: Table, slopes: Array) -> Array:
    """Return the covariance of linear forms of the counts, from the design's variances of their sums."""
    size = len(slopes)
    alone = np.array([float(table.variance(each)) for each in slopes])
    found = np.diag(alone)
    for first in range(size):
        for second in range(first):
            both = float(table.variance(slopes[first] + slopes[second]))
            found[first, second] = found[second, first] = (both - alone[first] - alone[second]) / 2
    return found


def _root(covariance: Array) -> Array:
    scale = np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    return np.asarray(scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0)))


def _largest(forms: Array, error: Array, level: float) -> float:
    """Return the quantile of the largest deviation along the curve, in standard errors (sup-t)."""
    normal = np.random.default_rng(0).standard_normal((forms.shape[1], DRAWS))
    unit = forms / np.where(error > 0, error, 1.0)[:, None]
    return float(np.quantile(np.abs(unit @ normal).max(0), 1 - tail_of(level)))

"""Distances of a fitted calibration curve from the scores: their mean (ICI), median (E50), 90th percentile, maximum.

Counts have shape ``(..., S, 2)`` over the distinct scores, which must lie between 0 and 1. The curve is a logistic
regression of the class on a restricted cubic spline of the score's logit, with the knots of the observed table. At
scores of exactly 0 and 1 of the predicted class the gap is 0; see `splines`.

With the fitted logit ``x @ (start + d)``, where ``x @ start`` is the score's own, each gap is ``w * x @ d`` with the
slope w of the logistic function between the two. The score equations give ``d = inverse(sum(w x x')) @ sum(x r)`` for
the residuals r of the scores. The gaps are therefore sums of residuals with a kernel, as `Distance` needs them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, one_of
from howsure.metrics.forms import Distance, Undefined, divide, per_table
from howsure.metrics.probability import probabilities
from howsure.metrics.registry import Scored, score_metric
from howsure.metrics.splines import KNOTS, LogitCurve, knots_of, logit
from howsure.tables.scores import ScoresTable as Table

Weights = Callable[[Array, Array], Array]  # gaps (..., S) and masses (S,) → weight of each gap in the distance (..., S)
ROUNDING = 1e-12
MOST_RUNS = 60  # of scores, for the interval
CERTAIN = "undefined: a case of score exactly 0 or 1 is of the other class; `+clip=1e-6` moves such scores inwards"
FEW = "undefined: a spline needs three distinct knots, and the scores have too few values; `+curve=logistic` has none"
NO_FIT = (
    "undefined: the scores between 0 and 1 separate the classes, do not vary or have only one class, or the curve does "
    "not rise towards scores of exactly 0 or 1"
)


def _mean(gaps: Array, mass: Array) -> Array:
    return np.broadcast_to(divide(mass, mass.sum()), gaps.shape)


def _largest(gaps: Array, mass: Array) -> Array:
    place = np.where(mass > 0, gaps, -1.0).argmax(-1)
    return np.asarray((np.arange(len(mass)) == place[..., None]) * 1.0)


@dataclass(frozen=True, slots=True)
class _AtShare:
    """The weights of a quantile: 1 for the smallest gap with this share of the cases at or below it."""

    share: float

    def __call__(self, gaps: Array, mass: Array, shares: Array | None = None) -> Array:
        """Return the weights, or those of many gaps with a share each."""
        share = np.asarray(self.share if shares is None else shares)[..., None]
        order = np.argsort(gaps, axis=-1)
        reached = np.cumsum(mass[order], -1) >= share * mass.sum() * (1 - ROUNDING)
        place = np.take_along_axis(order, reached.argmax(-1)[..., None], -1)
        return np.asarray((np.arange(len(mass)) == place) * 1.0)


@score_metric(name="ici", aliases=("integrated_calibration_index", "eavg"), better="lower")
def _ici(table: Table, *, curve: str = "spline", clip: float = 0.0) -> Scored:
    """Integrated calibration index: mean distance between the score and a smooth calibration curve.

    The curve is that of ``calibration_curve(method=...)``: ``curve=spline`` (four knots) or ``curve=logistic``.
    Austin and Steyerberg (2019) fit loess, ``rms::val.prob`` (`Eavg`) lowess, so that their values differ a little.
    Scores of 0 and 1, and ``clip``: as for `calibration_slope`; the distance at such scores is 0.
    """
    return _of_gaps(table, "ici", curve, clip, _mean)


@score_metric(name="e50", better="lower")
def _e50(table: Table, *, curve: str = "spline", clip: float = 0.0) -> Scored:
    """Median distance between the score and a smooth calibration curve; see `ici`.

    Its interval varies the curve, and the share of the cases that lie below the median.
    """
    return _of_gaps(table, "e50", curve, clip, _AtShare(0.5))


@score_metric(name="e90", better="lower")
def _e90(table: Table, *, curve: str = "spline", clip: float = 0.0) -> Scored:
    """90th percentile of the distance between the score and a smooth calibration curve; see `ici` and `e50`."""
    return _of_gaps(table, "e90", curve, clip, _AtShare(0.9))


@score_metric(name="e_max", aliases=("emax",), better="lower")
def _e_max(table: Table, *, curve: str = "spline", clip: float = 0.0) -> Scored:
    """Largest distance between an observed score and a smooth calibration curve; see `ici`."""
    return _of_gaps(table, "e_max", curve, clip, _largest)


def _of_gaps(table: Table, name: str, curve: str, clip: float, weights: Weights) -> Scored:
    """Return a weighted mean of the absolute gaps between curve and score as a function of the counts."""
    if not 0 <= clip < 1 / 2:
        raise HowsureError(f"`clip` of `{name}` lies in [0, 0.5), not {clip:g}.")
    is_spline = one_of(f"curve of `{name}`", curve, ("spline", "logistic")) == "spline"
    scores = np.clip(probabilities(table, name), clip, 1 - clip)
    totals = table.counts.reshape(-1, *table.shape).sum(0)
    curve_of, why = _curve(scores, totals, is_spline)

    def fit(cells: Array) -> tuple[Array, Array] | None:
        """Return gaps and coefficients; None if there is no fit."""
        found = curve_of.fitted(cells) if not why else None
        return None if found is None else (curve_of.shares(found) - scores, found)

    observed = fit(totals)

    def gaps(cells: Array) -> tuple[Array, Array] | None:
        return observed if np.array_equal(cells, totals) else fit(cells)

    def value(cells: Array) -> Array:
        every = []
        for each in cells.reshape(-1, *cells.shape[-2:]):
            found = gaps(each)
            size = np.full(len(scores), np.nan) if found is None else np.abs(found[0])
            every.append((weights(size, each.sum(-1)) * size).sum())
        return np.array(every).reshape(cells.shape[:-2])

    @per_table
    def slopes(cells: Array) -> Array:
        found = gaps(cells)
        if found is None:
            return np.zeros(cells.shape)
        gap, coefficients = found
        size, mass, share = np.abs(gap), cells.sum(-1), gap + scores
        chosen = weights(size, mass)
        by_coefficient = (chosen * np.sign(gap) * share * (1 - share)) @ curve_of.features
        moved = np.tensordot(by_coefficient, curve_of.influence(cells, coefficients), 1)
        return moved + ((size - chosen @ size) / mass.sum())[:, None] if weights is _mean else moved

    if observed is None:
        reason = why or NO_FIT
        return Scored(value, slopes, takes_batches=False, structure=Undefined(lambda _: reason))
    structure = _distance(curve_of, totals.sum(-1), observed, weights)
    return Scored(value, slopes, takes_batches=False, structure=structure)


def _curve(scores: Array, counts: Array, is_spline: bool) -> tuple[LogitCurve, str]:
    """Return the curve without its fit, and why it is undefined."""
    line = LogitCurve.of(scores)
    mass = counts.sum(-1)[line.inside]
    if line.contradicts(counts):
        return line, CERTAIN
    if not mass.any():
        return line, NO_FIT
    if not is_spline:
        return line, ""
    places = knots_of(logit(scores[line.inside]), mass, KNOTS)
    return (LogitCurve.of(scores, places), "") if len(places) > 2 else (line, FEW)


def _distance(curve: LogitCurve, mass: Array, observed: tuple[Array, Array], weights: Weights) -> Distance:
    """Return the distance as a norm of sums of residuals, of at most `MOST_RUNS` runs of scores."""
    gap, coefficients = observed
    scores, features = curve.scores, curve.features
    start = np.eye(features.shape[1])[0]  # the logit's own coefficient, 1
    size = len(scores)
    starts = np.unique(np.r_[0, 1, np.linspace(1, size - 1, MOST_RUNS).astype(np.intp), size - 1] % size)
    apart = features @ (coefficients - start)
    slope = np.where(np.abs(apart) > 1e-9, divide(gap, apart), scores * (1 - scores))  # 0 for scores of 0 and 1
    curvature = (features.T * (mass * slope)) @ features / mass.sum()
    runs = [np.add.reduceat(mass * part, starts) for part in (slope, *features.T)]
    cases = np.add.reduceat(mass, starts)
    at = np.stack([np.where(cases > 0, divide(each, cases), 0.0) for each in runs])
    kernel = (at[0][:, None] * at[1:].T) @ np.linalg.solve(curvature, at[1:])

    def norm(sums: Array, shares: Array, of_quantile: Array | None = None) -> Array:
        sizes = np.abs(sums)
        if weights is _mean:  # directly, for there are many draws
            return np.asarray(sizes @ divide(shares, shares.sum()))
        if weights is _largest:
            return np.asarray(np.where(shares > 0, sizes, 0.0).max(-1))
        chosen = weights(sizes, shares, of_quantile) if isinstance(weights, _AtShare) else weights(sizes, shares)
        return np.asarray((chosen * sizes).sum(-1))

    quantile = weights.share if isinstance(weights, _AtShare) else None
    return Distance(scores, starts, kernel, norm, quantile=quantile)

"""Metrics of calibration: distances of the proportions of positive cases from the scores.

Counts have shape ``(..., S, 2)`` over the distinct scores. Scores must lie in [0, 1]. Metrics of bins keep the bins
that the observed table gives, and the smooth one its bandwidth, for resamples and draws too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, one_of, whole_number
from howsure.metrics.forms import STEP, Distance, divide, per_table
from howsure.metrics.probability import probabilities
from howsure.metrics.registry import Scored, score_metric
from howsure.tables.protocols import effective_sample_size
from howsure.tables.scores import ScoresTable as Table

MOST_BINS = 1_000_000
ROUNDING = 1e-14  # rounding error of the difference of two equal proportions


def bin_starts(table: Table, bins: int, strategy: str) -> Array:
    """Return the index at which each non-empty bin of the distinct scores starts.

    ``"uniform"`` bins have equal width and are open below, as in scikit-learn's ``calibration_curve``. ``"quantile"``
    bins have equal mass, as far as ties allow.
    """
    bins = whole_number("bins", bins, most=MOST_BINS)
    scores = table.scores
    if one_of("strategy of bins", strategy, ("uniform", "quantile")) == "uniform":
        first = np.searchsorted(scores, np.linspace(0.0, 1.0, bins + 1)[:-1], side="right")  # beyond the lower edge
        first[0] = 0
        return first[first < np.append(first[1:], len(scores))]
    mass = table.counts.reshape(-1, *table.shape).sum((0, 2))
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    index = np.minimum((middle * bins).astype(np.intp), bins - 1)
    return np.flatnonzero(np.diff(index, prepend=-1))


def bin_sums(cells: Array, scores: Array, starts: Array) -> tuple[Array, Array, Array]:
    """Return cases, positive cases and sum of scores of each bin, each ``(..., bins)``."""
    mass = cells.sum(-1)
    return tuple(np.add.reduceat(part, starts, axis=-1) for part in (mass, cells[..., 1], mass * scores))  # type: ignore[return-value]


def binned_metric(
    table: Table, bins: int, strategy: str, function: Callable[[Array, Array, Array], Array], name: str = "ece"
) -> Scored:
    """Return the metric that is a function of the bins' cases, positive cases and sums of scores.

    The slopes by the bins' sums are complex-step derivatives, those by the cells follow by the chain rule.
    """
    scores, starts = probabilities(table, name), bin_starts(table, bins, strategy)
    sizes = np.diff(starts, append=len(scores))

    def value(cells: Array) -> Array:
        mass, hits, sums = bin_sums(cells, scores, starts)
        return np.where(mass.sum(-1) != 0, function(mass, hits, sums), np.nan)

    @per_table
    def slopes(cells: Array) -> Array:
        flat = np.stack(bin_sums(cells, scores, starts)).ravel()
        nudged = flat + STEP * 1j * np.eye(len(flat))
        parts = nudged.reshape(len(flat), 3, -1)
        with np.errstate(all="ignore"):
            by_bin = function(parts[:, 0], parts[:, 1], parts[:, 2]).imag / STEP
        by_mass, by_hit, by_score = np.repeat(by_bin.reshape(3, -1), sizes, axis=1)
        return np.stack([by_mass + scores * by_score, by_mass + scores * by_score + by_hit], -1)

    return Scored(value, slopes, takes_batches=strategy == "uniform")


def _magnitude(part: Array) -> Array:
    """Absolute value of the real part, in a form that the complex step differentiates; 0 of what rounding leaves."""
    return np.asarray(part * np.sign(np.where(np.abs(np.real(part)) > ROUNDING, np.real(part), 0.0)))


def _l1(sums: Array, shares: Array) -> Array:
    return np.asarray(np.abs(sums).sum(-1))


def _l2(sums: Array, shares: Array) -> Array:
    return np.asarray(np.sqrt(np.nan_to_num(divide(sums**2, shares)).sum(-1)))


def _largest(sums: Array, shares: Array) -> Array:
    return np.asarray(np.nan_to_num(divide(np.abs(sums), shares)).max(-1))


NORMS = {"l1": _l1, "l2": _l2, "max": _largest}  # of the bins' gaps, weighted by the proportion of cases


def _of_bins(table: Table, bins: int, strategy: str, norm: Callable[[Array, Array], Array], power: int = 1) -> Distance:
    """Return the distance of the bins' proportions of positive cases from their mean scores."""
    starts = bin_starts(table, bins, strategy)
    return Distance(table.scores, starts, np.eye(len(starts)), norm, power)


@score_metric(name="ece", aliases=("expected_calibration_error", "calibration_error"), better="lower")
def _ece(
    table: Table, *, bins: int = 10, strategy: str = "uniform", norm: str = "l1", debiased: bool = False
) -> Scored:
    """Mean distance between predicted probability and observed share over bins of the scores.

    ``norm`` is ``l1`` (ECE), ``l2`` (root mean square) or ``max``; ``strategy`` is ``uniform`` (equal width) or
    ``quantile`` (equal mass). ``debiased`` subtracts what chance alone adds, of which a perfectly calibrated
    classifier has plenty: for ``l2`` the binomial variance of each bin (Kumar, Liang, Ma 2019), for ``l1`` the excess
    of the mean of a folded normal over the distance.
    """
    one_of("norm of `ece`", norm, NORMS)
    if debiased and norm == "max":
        raise HowsureError("`ece+norm=max` has no debiased form. Use 'l1' or 'l2'.")
    cases = effective_sample_size(table, np.ones(table.shape))

    def distance(mass: Array, hits: Array, sums: Array) -> Array:
        total = mass.sum(-1, keepdims=True)
        gap, share = divide(hits - sums, mass), divide(mass, total)
        filled = np.real(mass) > 0
        if norm == "max":
            largest = np.argmax(np.where(filled, np.abs(np.real(gap)), -1.0), -1)[..., None]
            return np.take_along_axis(_magnitude(gap), largest, -1)[..., 0]
        rate = divide(hits, mass)
        noise = divide(rate * (1 - rate), share * cases - (norm == "l2")) if debiased else 0.0 * rate
        if norm == "l2":
            square = np.where(filled & (np.real(noise) >= 0), share * (gap**2 - noise), 0.0).sum(-1)
            return np.sqrt(np.where(np.real(square) > 0, square, 0.0))
        size = _magnitude(gap)
        each = size - (_folded(size, noise) - size) if debiased else size
        total_gap = np.where(filled, share * each, 0.0).sum(-1)
        return np.where(np.real(total_gap) > 0, total_gap, 0.0)

    binned = binned_metric(table, bins, strategy, distance)
    from_zero = _of_bins(table, bins, strategy, NORMS[norm])
    return replace(binned, takes_batches=binned.takes_batches and not debiased, structure=from_zero)


def _folded(mean: Array, variance: Array) -> Array:
    """Mean of the absolute value of a normal variable, ``mean >= 0``; analytic, for the complex step."""
    from scipy import special

    safe = np.where(np.real(variance) > 0, variance, 1.0)
    scale = np.sqrt(safe)
    ratio = mean / scale
    folded = scale * np.sqrt(2 / np.pi) * np.exp(-(ratio**2) / 2) + mean * special.erf(ratio / np.sqrt(2))
    return np.asarray(np.where(np.real(variance) > 0, folded, mean))


def _rate(mass: Array, part: Array) -> Array:
    """Return a bin's sum per case; 0 of an empty bin."""
    return np.where(np.real(mass) > 0, divide(part, mass), 0.0)


@score_metric(name="brier_reliability", better="lower")
def _reliability(table: Table, *, bins: int = 10, strategy: str = "uniform") -> Scored:
    """Part of the Brier score that calibration would remove (Murphy 1973), over bins of the scores."""

    def value(mass: Array, hits: Array, sums: Array) -> Array:
        share = divide(mass, mass.sum(-1, keepdims=True))
        return np.asarray((share * (_rate(mass, hits) - _rate(mass, sums)) ** 2).sum(-1))

    binned = binned_metric(table, bins, strategy, value, "brier_reliability")
    return replace(binned, structure=_of_bins(table, bins, strategy, _l2, power=2))


@score_metric(name="brier_resolution", range=(0.0, 0.25))
def _resolution(table: Table, *, bins: int = 10, strategy: str = "uniform") -> Scored:
    """Part of the Brier score that telling cases apart saves (Murphy 1973), over bins of the scores."""

    def value(mass: Array, hits: Array, sums: Array) -> Array:
        total = mass.sum(-1, keepdims=True)
        overall = divide(hits.sum(-1, keepdims=True), total)
        return np.asarray((divide(mass, total) * (_rate(mass, hits) - overall) ** 2).sum(-1))

    binned = binned_metric(table, bins, strategy, value, "brier_resolution")
    return replace(binned, structure=_from_overall(table, bin_starts(table, bins, strategy)))


def _from_overall(table: Table, starts: Array) -> Distance:
    """Return the distance of the bins' proportions of positive cases from the overall one, an estimate too."""
    totals = table.counts.reshape(-1, *table.shape).sum(0)
    overall = np.nan_to_num(divide(totals[:, 1].sum(), totals.sum()))
    shares = divide(np.add.reduceat(totals.sum(1), starts), totals.sum())
    kernel = np.eye(len(starts)) - np.nan_to_num(shares)[:, None]
    return Distance(np.full(len(totals), overall), starts, kernel, _l2, power=2)


@score_metric(name="brier_uncertainty", range=(0.0, 0.25), better="neither")
def _uncertainty(table: Table, *, bins: int = 10, strategy: str = "uniform") -> Scored:
    """Brier score of always predicting the prevalence."""

    def value(mass: Array, hits: Array, sums: Array) -> Array:
        overall = divide(hits.sum(-1), mass.sum(-1))
        return np.asarray(overall * (1 - overall))

    return binned_metric(table, bins, strategy, value, "brier_uncertainty")


# --- calibration without bins -------------------------------------------------------------------------------------

MOST_RUNS = 1000  # largest number of distinct scores
POINTS = (40, 400)  # smallest and largest number of smoothed residuals
LEAST_BANDWIDTH = 1e-3
HALVINGS = 24


@score_metric(name="smooth_ece", aliases=("smece", "smooth_calibration_error"), better="lower")
def _smooth_ece(table: Table) -> Scored:
    """Smooth calibration error (Błasiok, Nakkiran 2024): distance from calibration by kernel smoothing, without bins.

    The residuals are smoothed by a reflected Gaussian kernel, whose bandwidth is the one that equals the error; it
    has no bins to choose, and moves little when scores move little.
    """
    scores = probabilities(table, "smooth_ece")
    starts = np.flatnonzero(np.diff(np.minimum((scores * MOST_RUNS).astype(np.intp), MOST_RUNS - 1), prepend=-1))
    totals = table.counts.reshape(-1, *table.shape).sum(0)

    def smoothed(bandwidth: float) -> Distance:
        return Distance(scores, starts, _kernel(_middles(scores, totals.sum(1), starts), bandwidth), _mean_size)

    low, high = LEAST_BANDWIDTH, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        distance = smoothed(middle)
        low, high = (middle, high) if distance.norm(*distance.sums(totals)) > middle else (low, middle)
    distance = smoothed(high)

    def value(cells: Array) -> Array:
        return distance.norm(*distance.sums(cells))

    def slopes(cells: Array) -> Array:
        sums, _ = distance.sums(cells)
        sizes = np.diff(starts, append=len(scores))
        signs = np.sign(np.where(np.abs(sums) > ROUNDING * distance.kernel.max(), sums, 0.0))
        by_residual = np.repeat(signs @ distance.kernel / len(distance.kernel), sizes, axis=-1)
        by_cell = by_residual[..., None] * np.stack([-scores, 1 - scores], -1)
        return np.asarray((by_cell - value(cells)[..., None, None]) / cells.sum((-2, -1))[..., None, None])

    return Scored(value, slopes, takes_batches=False, structure=distance)


def _mean_size(sums: Array, shares: Array) -> Array:
    return np.asarray(np.abs(sums).mean(-1))


def _middles(scores: Array, mass: Array, starts: Array) -> Array:
    """Return the mean score of each run."""
    weight = mass + np.finfo(float).tiny
    return np.asarray(np.add.reduceat(weight * scores, starts) / np.add.reduceat(weight, starts))


def _kernel(middles: Array, bandwidth: float) -> Array:
    """Return a Gaussian kernel reflected at 0 and 1, at evenly spaced points: ``(points, runs)``, of mean 1 each."""
    points = int(np.clip(np.ceil(2 / bandwidth), *POINTS))
    at = (np.arange(points) + 0.5)[:, None] / points
    images = (2 * turn + sign * middles for turn in (-1, 0, 1) for sign in (-1, 1))
    kernel = np.asarray(sum(np.exp(-(((at - image) / bandwidth) ** 2) / 2) for image in images))
    return np.asarray(kernel / kernel.mean(0))

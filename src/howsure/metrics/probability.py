"""Metrics of how well scores serve as probabilities of the positive class: accuracy and calibration.

Counts have shape ``(..., S, 2)`` over the distinct scores. Scores must lie in [0, 1]. Binned metrics keep the bins
that the observed table gives, for resamples and draws too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.metrics.forms import STEP, divide, per_table
from howsure.metrics.registry import RowLoss, Scored, score_metric
from howsure.tables.scores import ScoresTable as Table

Array = NDArray[Any]
SMALLEST = float(np.finfo(float).eps)  # scikit-learn's clip of probabilities in the logarithm


def probabilities(table: Table, metric: str) -> Array:
    """Return the table's scores; refuse scores that are no probabilities."""
    scores = table.scores
    if scores[0] < 0 or scores[-1] > 1:
        worst = scores[0] if scores[0] < 0 else scores[-1]
        message = f"`{metric}` needs probabilities, and `y_score` holds {worst:g}. Calibrate the scores first."
        raise HowsureError(message)
    return scores


def mean_loss(losses: Array) -> Scored:
    """Return the mean of a loss that each cell has, ``(S, 2)``."""

    def value(cells: Array) -> Array:
        return divide(np.einsum("...sc,sc->...", cells, losses), cells.sum((-2, -1)))

    def slopes(cells: Array) -> Array:
        return np.asarray((losses - value(cells)[..., None, None]) / cells.sum((-2, -1))[..., None, None])

    return Scored(value, slopes)


def _squares(scores: Array) -> Array:
    return np.stack([scores**2, (1 - scores) ** 2], -1)


def _surprises(scores: Array) -> Array:
    return np.asarray(-np.log(np.clip(np.stack([1 - scores, scores], -1), SMALLEST, 1 - SMALLEST)))


def _surprises_of_rows(scores: Array) -> Array:
    return np.asarray(_surprises(scores) * np.array([0.0, 1.0]))  # only the probability of the true class counts


def gini(shares: Array) -> tuple[Array, Array]:
    """Return the Brier score of always predicting these shares of the classes, and its derivatives."""
    return np.asarray((shares * (1 - shares)).sum(-1)), 1 - 2 * shares


def entropy(shares: Array) -> tuple[Array, Array]:
    """Return the log loss of always predicting these shares of the classes, and its derivatives."""
    logs = np.log(np.where(shares == 0, 1.0, shares))
    return np.asarray(-(shares * logs).sum(-1)), -logs - (shares != 0)


def skill(losses: Array, null: Callable[[Array], tuple[Array, Array]]) -> Scored:
    """Return the share of the loss of always predicting the prevalence that the scores save.

    Parameters
    ----------
    losses : ndarray of shape (S, 2)
        The loss of each cell.
    null : callable
        As of `RowLoss`, for the shares of both classes.
    """
    mean = mean_loss(losses)

    def value(cells: Array) -> Array:
        return 1 - divide(mean.value(cells), null(shares(cells))[0])

    def shares(cells: Array) -> Array:
        return np.asarray(cells.sum(-2) / cells.sum((-2, -1))[..., None])

    def slopes(cells: Array) -> Array:
        share = shares(cells)
        worst, by_share = null(share)
        by_class = (by_share - (by_share * share).sum(-1, keepdims=True)) / cells.sum((-2, -1))[..., None]
        worst, loss = worst[..., None, None], mean.value(cells)[..., None, None]
        return np.asarray((loss * by_class[..., None, :] / worst - mean.gradient(cells)) / worst)

    return Scored(value, slopes)


@score_metric(
    name="brier_score",
    aliases=("brier", "brier_score_loss"),
    better="lower",
    rows=RowLoss(_squares, (0.0, 2.0)),
    sklearn="brier_score_loss",
)
def _brier_score(table: Table) -> Scored:
    """Mean squared difference between the probability and the truth (0 or 1)."""
    return mean_loss(_squares(probabilities(table, "brier_score")))


@score_metric(
    name="brier_skill",
    aliases=("brier_skill_score", "d2_brier", "d2_brier_score"),
    range=(-np.inf, 1.0),
    rows=RowLoss(_squares, (-np.inf, 1.0), gini),
    sklearn="d2_brier_score",
)
def _brier_skill(table: Table) -> Scored:
    """Share of the Brier score of always predicting the prevalence that the scores save."""
    return skill(2 * _squares(probabilities(table, "brier_skill")), gini)  # both classes count, as in the null's


@score_metric(
    name="log_loss",
    aliases=("cross_entropy", "logarithmic_loss", "log_loss_score"),
    range=(0.0, np.inf),
    better="lower",
    rows=RowLoss(_surprises_of_rows, (0.0, np.inf)),
    sklearn="log_loss",
)
def _log_loss(table: Table) -> Scored:
    """Mean negative logarithm of the probability given to the true class."""
    return mean_loss(_surprises(probabilities(table, "log_loss")))


@score_metric(
    name="log_loss_skill",
    aliases=("d2_log_loss", "d2_log_loss_score"),
    range=(-np.inf, 1.0),
    rows=RowLoss(_surprises_of_rows, (-np.inf, 1.0), entropy),
    sklearn="d2_log_loss_score",
)
def _log_loss_skill(table: Table) -> Scored:
    """Share of the log loss of always predicting the prevalence that the scores save."""
    return skill(_surprises(probabilities(table, "log_loss_skill")), entropy)


# --- calibration: metrics of bins ---------------------------------------------------------------------------------


def bin_starts(table: Table, bins: int, strategy: str) -> Array:
    """Return where each non-empty bin of the distinct scores starts.

    ``"uniform"`` bins have equal width, open below like scikit-learn's ``calibration_curve``'s; ``"quantile"`` bins
    have equal mass, as far as ties allow.
    """
    if bins < 1:
        message = f"`bins` must be at least 1, not {bins}."
        raise HowsureError(message)
    scores = table.scores
    if strategy == "uniform":
        index = np.searchsorted(np.linspace(0.0, 1.0, bins + 1)[1:-1], scores)
    elif strategy == "quantile":
        mass = table.counts.reshape(-1, *table.shape).sum((0, 2))
        middle = (np.cumsum(mass) - mass / 2) / mass.sum()
        index = np.minimum((middle * bins).astype(np.intp), bins - 1)
    else:
        raise HowsureError.unknown("strategy of bins", strategy, ("uniform", "quantile"))
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
    """Absolute value of the real part, in a form that the complex step differentiates."""
    return np.asarray(part * np.sign(np.real(part)))


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
    if norm not in {"l1", "l2", "max"}:
        raise HowsureError.unknown("norm of `ece`", norm, ("l1", "l2", "max"))
    if debiased and norm == "max":
        message = "`ece+norm=max` has no debiased form. Use 'l1' or 'l2'."
        raise HowsureError(message)
    cases = table.effective_trials(np.ones(table.counts.size))

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
    return replace(binned, takes_batches=binned.takes_batches and not debiased)


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

    return binned_metric(table, bins, strategy, value, "brier_reliability")


@score_metric(name="brier_resolution", range=(0.0, 0.25))
def _resolution(table: Table, *, bins: int = 10, strategy: str = "uniform") -> Scored:
    """Part of the Brier score that telling cases apart saves (Murphy 1973), over bins of the scores."""

    def value(mass: Array, hits: Array, sums: Array) -> Array:
        total = mass.sum(-1, keepdims=True)
        overall = divide(hits.sum(-1, keepdims=True), total)
        return np.asarray((divide(mass, total) * (_rate(mass, hits) - overall) ** 2).sum(-1))

    return binned_metric(table, bins, strategy, value, "brier_resolution")


@score_metric(name="brier_uncertainty", range=(0.0, 0.25), better="neither")
def _uncertainty(table: Table, *, bins: int = 10, strategy: str = "uniform") -> Scored:
    """Brier score of always predicting the prevalence."""

    def value(mass: Array, hits: Array, sums: Array) -> Array:
        overall = divide(hits.sum(-1), mass.sum(-1))
        return np.asarray(overall * (1 - overall))

    return binned_metric(table, bins, strategy, value, "brier_uncertainty")

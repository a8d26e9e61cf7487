"""Mean losses of scores that are probabilities of the positive class, and skill scores.

Counts have shape ``(..., S, 2)``: negative and positive cases of each distinct score. Scores must lie in [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.forms import divide
from howsure.metrics.registry import MeanLoss, RowLoss, Scored, score_metric
from howsure.native.losses import CellLosses, square_losses
from howsure.tables.scores import ScoresTable as Table

ROUNDING = 1e-14  # smaller mean losses are rounding errors
SINGLE = 1e-6  # distance by which probabilities in single precision may lie outside [0, 1]
TO_PROBABILITIES = "For logits give `scipy.special.expit(y_score)`; calibrate other scores."
SMALLEST = float(np.finfo(float).eps)  # scikit-learn's clip of probabilities in the logarithm


def probabilities(table: Table, metric: str) -> Array:
    """Return the table's scores; raise an error unless they are probabilities."""
    scores = table.scores
    if scores[0] < 0 or scores[-1] > 1:
        if scores[0] >= -SINGLE and scores[-1] <= 1 + SINGLE:  # rounding of sums in single precision
            return np.clip(scores, 0.0, 1.0)
        worst = float(scores[0] if scores[0] < 0 else scores[-1])
        shown = repr(worst) if 0 <= float(f"{worst:g}") <= 1 else f"{worst:g}"
        percentages = "Divide the scores by 100 if they are percentages. Else calibrate them first."
        remedy = percentages if 2 < worst <= 100 else TO_PROBABILITIES
        raise HowsureError(f"`{metric}` needs probabilities, and `y_score` holds {shown}. {remedy}")
    return scores


def mean_loss(losses: CellLosses) -> Scored:
    """Return the mean over the cases of the loss of their cell; cells have the shape ``(S, 2)`` or ``(cells,)``."""
    number = losses.given.ndim
    axes, letters = tuple(range(-number, 0)), "sc"[:number]
    sums, on_cells = f"...{letters},{letters}->...", (..., *(None for _ in axes))

    def value(cells: Array) -> Array:
        if cells.ndim > number:
            return divide(np.einsum(sums, cells, losses.every), cells.sum(axes))
        found = losses.sums(cells)
        return divide(np.asarray(found.losses), np.asarray(found.cases))

    def slopes(cells: Array) -> Array:
        return np.asarray((losses.every - value(cells)[on_cells]) / cells.sum(axes)[on_cells])

    return Scored(value, slopes, structure=MeanLoss(lambda some: mean_loss(CellLosses(losses.every[some])), losses))


def _squares(scores: Array) -> Array:
    found = _of_classes(scores, 1 - scores)
    return np.square(found, out=found)


def _log_losses_by_class(rows: Array) -> CellLosses:
    return CellLosses(_negative_log(rows))


def _log_losses(scores: Array) -> Array:
    return _of_classes(_negative_log(1 - scores), _negative_log(scores))


def _log_losses_of_labels(scores: Array) -> Array:
    return _of_classes(np.zeros_like(scores), _negative_log(scores))  # only the probability of the true class counts


def _negative_log(probability: Array) -> Array:
    found = np.maximum(probability, SMALLEST)
    np.log(np.minimum(found, 1 - SMALLEST, out=found), out=found)
    return np.asarray(np.negative(found, out=found))


def _of_classes(absent: Array, present: Array) -> Array:
    """Return the losses of each score for cases outside the class and in it, each contiguous."""
    found = np.stack([absent, present])
    return found.transpose(*range(1, found.ndim), 0)


def gini(shares: Array) -> tuple[Array, Array]:
    """Return the Brier score of always predicting these class frequencies, Σ p (1 − p), and its derivatives."""
    return _without_rounding((shares * (1 - shares)).sum(-1)), 1 - 2 * shares


def entropy(shares: Array) -> tuple[Array, Array]:
    """Return the log loss of always predicting these class frequencies, −Σ p log p, and its derivatives."""
    logs = np.log(np.where(shares == 0, 1.0, shares))
    return _without_rounding(-(shares * logs).sum(-1)), -logs - (shares != 0)


def _without_rounding(loss: Array) -> Array:
    """Return a mean loss, exactly 0 where all cases are of one class."""
    return np.where(loss > ROUNDING, loss, 0.0)


def skill(losses: Array, null: Callable[[Array], tuple[Array, Array]]) -> Scored:
    """Return the skill score: the fraction by which the scores reduce the loss of always predicting the prevalence.

    Parameters
    ----------
    losses : ndarray of shape (S, 2)
        The loss of each cell.
    null : callable
        `gini` or `entropy`: frequencies of both classes → the loss of always predicting these, and its derivatives.
    """
    mean = mean_loss(CellLosses(losses))

    def value(cells: Array) -> Array:
        totals = cells.sum(-2)
        return 1 - divide(mean.value(cells), null(divide(totals, totals.sum(-1)[..., None]))[0])

    def slopes(cells: Array) -> Array:
        totals = cells.sum(-2)
        total, loss = totals.sum(-1), mean.value(cells)[..., None]
        share = divide(totals, total[..., None])
        worst, by_share = null(share)
        by_class = (by_share - (by_share * share).sum(-1, keepdims=True)) / worst[..., None]
        found = (loss * (1 + by_class))[..., None, :] - losses
        return np.asarray(np.multiply(found, (1 / (worst * total))[..., None, None], out=found))

    return Scored(value, slopes)


@score_metric(
    name="brier_score",
    aliases=("brier", "brier_score_loss"),
    better="lower",
    rows=RowLoss(_squares, square_losses, (0.0, 2.0)),
    sklearn="brier_score_loss",
)
def _brier_score(table: Table) -> Scored:
    """Mean squared difference between the probability and the truth (0 or 1)."""
    return mean_loss(CellLosses(_squares(probabilities(table, "brier_score"))))


@score_metric(
    name="brier_skill",
    aliases=("brier_skill_score", "d2_brier", "d2_brier_score"),
    range=(-np.inf, 1.0),
    rows=RowLoss(_squares, square_losses, (-np.inf, 1.0), gini),
    sklearn="d2_brier_score",
)
def _brier_skill(table: Table) -> Scored:
    """Fraction by which the scores reduce the Brier score of always predicting the prevalence."""
    return skill(2 * _squares(probabilities(table, "brier_skill")), gini)  # `gini` has a term for each class


@score_metric(
    name="log_loss",
    aliases=("cross_entropy", "mn_log_loss", "logarithmic_loss", "log_loss_score"),
    range=(0.0, np.inf),
    better="lower",
    rows=RowLoss(_log_losses_of_labels, _log_losses_by_class, (0.0, np.inf)),
    sklearn="log_loss",
)
def _log_loss(table: Table) -> Scored:
    """Mean negative logarithm of the probability given to the true class."""
    return mean_loss(CellLosses(_log_losses(probabilities(table, "log_loss"))))


@score_metric(
    name="log_loss_skill",
    aliases=("d2_log_loss", "d2_log_loss_score"),
    range=(-np.inf, 1.0),
    rows=RowLoss(_log_losses_of_labels, _log_losses_by_class, (-np.inf, 1.0), entropy),
    sklearn="d2_log_loss_score",
)
def _log_loss_skill(table: Table) -> Scored:
    """Fraction by which the scores reduce the log loss of always predicting the prevalence."""
    return skill(_log_losses(probabilities(table, "log_loss_skill")), entropy)

"""Metrics of how well scores serve as probabilities of the positive class.

Counts have shape ``(..., S, 2)`` over the distinct scores. Scores must lie in [0, 1].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.metrics.forms import divide
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


def _brier_of_rows(scores: Array) -> Array:
    return np.asarray((scores**2).sum(1, keepdims=True) + 1 - 2 * scores)


def _log_loss_of_rows(scores: Array) -> Array:
    return np.asarray(-np.log(np.clip(scores, SMALLEST, 1 - SMALLEST)))


@score_metric(
    name="brier_score",
    aliases=("brier", "brier_score_loss"),
    better="lower",
    rows=RowLoss(_brier_of_rows, (0.0, 2.0)),
    sklearn="brier_score_loss",
)
def _brier_score(table: Table) -> Scored:
    """Mean squared difference between the probability and the truth (0 or 1)."""
    return mean_loss(_squares(probabilities(table, "brier_score")))


@score_metric(name="brier_skill", aliases=("brier_skill_score",), range=(-np.inf, 1.0))
def _brier_skill(table: Table) -> Scored:
    """Share of the Brier score of always predicting the prevalence that the scores save."""
    losses = _squares(probabilities(table, "brier_skill"))
    brier = mean_loss(losses)

    def spread(cells: Array) -> tuple[Array, Array, Array]:
        total = cells.sum((-2, -1))
        share = divide(cells[..., 1].sum(-1), total)
        return total, share, share * (1 - share)

    def value(cells: Array) -> Array:
        return 1 - divide(brier.value(cells), spread(cells)[2])

    def slopes(cells: Array) -> Array:
        total, share, variance, loss = (each[..., None, None] for each in (*spread(cells), brier.value(cells)))
        by_share = (np.array([0.0, 1.0]) - share) * (1 - 2 * share)
        return np.asarray((loss * by_share / variance - (losses - loss)) / (variance * total))

    return Scored(value, slopes)


@score_metric(
    name="log_loss",
    aliases=("cross_entropy", "logarithmic_loss", "log_loss_score"),
    range=(0.0, np.inf),
    better="lower",
    rows=RowLoss(_log_loss_of_rows, (0.0, np.inf)),
    sklearn="log_loss",
)
def _log_loss(table: Table) -> Scored:
    """Mean negative logarithm of the probability given to the true class."""
    scores = probabilities(table, "log_loss")
    return mean_loss(_log_loss_of_rows(np.stack([1 - scores, scores], -1)))

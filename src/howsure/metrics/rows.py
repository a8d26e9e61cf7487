"""Losses of whole rows of probabilities, one for each class or label, and the share that they save of the null's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.metrics.forms import divide
from howsure.metrics.metric import Metric
from howsure.metrics.probability import mean_loss
from howsure.metrics.registry import RowLoss, Scored
from howsure.metrics.scored import of_cells
from howsure.metrics.spec import Spec
from howsure.tables.score_matrix import ScoreMatrixTable as Table

Array = NDArray[Any]
SUM_TOLERANCE = 1e-3  # of a row of probabilities: float32 and rounding to three digits


def of_rows(spec: Spec, table: Table) -> Metric:
    """Return the metric of rows of probabilities: a mean loss, or what they save of the loss of constant shares.

    Parameters
    ----------
    spec : Spec
        Of a metric that has a form for rows, without an average.
    table : ScoreMatrixTable
        The probabilities; those of classes sum to 1 in each row, those of labels need not.

    Raises
    ------
    HowsureError
        If a score is no probability, or the rows of classes do not sum to 1.
    """
    loss = spec.definition.rows
    assert loss is not None  # noqa: S101 - the caller has looked
    probabilities = _checked(spec, table)
    mean = _mean(loss, probabilities, table)
    if loss.null is not None:
        return of_cells(spec, _saved(mean, loss, table), loss.range)
    low, high = loss.range
    most = high if table.has_one_label_per_case or not np.isfinite(high) else 1.0 * len(table.labels)
    return of_cells(spec, mean, (low, most))


def _checked(spec: Spec, table: Table) -> Array:
    scores = table.scores
    if table.has_one_label_per_case:
        sums = scores.sum(1)
        if scores.min() < 0 or np.abs(sums - 1).max() > SUM_TOLERANCE:
            message = (
                f"`{spec.text}` needs rows of probabilities; they sum to {sums.min():g} … {sums.max():g}, not to 1."
            )
            raise HowsureError(message)
    elif scores.min() < 0 or scores.max() > 1:
        worst = scores.min() if scores.min() < 0 else scores.max()
        message = f"`{spec.text}` needs probabilities, and `y_score` holds {worst:g}. Calibrate the scores first."
        raise HowsureError(message)
    return scores


def _mean(loss: RowLoss, probabilities: Array, table: Table) -> Scored:
    """Return the mean over the rows of the sum of their losses, by the cells of the table."""
    if table.has_one_label_per_case:
        return mean_loss(loss.by_class(probabilities))
    size = probabilities.shape[1]  # a case has one cell of each label
    flat = mean_loss(size * loss.losses(probabilities).reshape(-1, 2))

    def gradient(cells: Array) -> Array:
        return flat.gradient(cells.reshape(*cells.shape[:-3], -1, 2)).reshape(cells.shape)

    return Scored(lambda cells: flat.value(cells.reshape(*cells.shape[:-3], -1, 2)), gradient)


def _saved(mean: Scored, loss: RowLoss, table: Table) -> Scored:
    """Return the share of the loss of always predicting the classes' shares that the rows save."""
    null, has_labels = loss.null, not table.has_one_label_per_case
    assert null is not None  # noqa: S101 - the caller has looked

    def shares(cells: Array) -> tuple[Array, Array]:
        """Return the shares of the classes, ``(..., K)``, and the number of cases."""
        totals = cells[..., 1].sum(-2) if has_labels else cells.sum(-2)
        cases = cells.sum((-3, -2, -1)) / cells.shape[-2] if has_labels else totals.sum(-1)
        return divide(totals, cases[..., None]), cases

    def value(cells: Array) -> Array:
        worst = null(shares(cells)[0])[0]
        return np.asarray(1 - mean.value(cells) / np.where(worst == 0, np.nan, worst))

    def gradient(cells: Array) -> Array:
        share, cases = shares(cells)
        worst, by_share = null(share)
        common = (by_share * share).sum(-1, keepdims=True)
        if has_labels:
            by_cell = np.stack([0 * by_share, by_share], -1) - common[..., None] / cells.shape[-2]
            by_cell = by_cell[..., None, :, :]
        else:
            by_cell = (by_share - common)[..., None, :]
        worst, observed, number = (
            each.reshape(each.shape + (1,) * (3 if has_labels else 2)) for each in (worst, mean.value(cells), cases)
        )
        return np.asarray((observed * by_cell / number / worst - mean.gradient(cells)) / worst)

    return Scored(value, gradient)

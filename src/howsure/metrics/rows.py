"""Losses of whole rows of probabilities, one for each class or label, and the share that they save of the null's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from howsure.arrays import Array
from howsure.designs.cell_sums import added_up
from howsure.errors import HowsureError, UndefinedDesignError
from howsure.metrics.counted import of_predictions
from howsure.metrics.forms import divide
from howsure.metrics.metric import Metric
from howsure.metrics.probability import TO_PROBABILITIES, mean_loss
from howsure.metrics.registry import MeanLoss, RowLoss, RowShare, Scored
from howsure.metrics.scored import marked_share, of_cells
from howsure.metrics.spec import Spec, parse
from howsure.native.losses import CellLosses
from howsure.tables.confusion import ConfusionTable
from howsure.tables.score_matrix import ScoreMatrixTable as Table

Null = Callable[[Array], tuple[Array, Array]]
ROWS = np.array(["marked", "others"])
DECIMALS = range(2, 7)  # with which probabilities are printed
HALF = 0.5  # rounding error, in units of the last decimal
LOGARITHM_TOLERANCE = 1e-2  # of the sum of the exponentials of a row of rounded logarithms
SUM_TOLERANCE = 1e-3  # of a row of probabilities: float32 and rounding to three digits


def of_rows(spec: Spec, table: Table) -> Metric:
    """Return the metric of rows of probabilities: a mean loss, or its skill relative to constant probabilities.

    Parameters
    ----------
    spec : Spec
        Spec of a metric that has a form for rows, without an average.
    table : ScoreMatrixTable
        The probabilities; those of classes sum to 1 in each row, those of labels need not.

    Raises
    ------
    HowsureError
        If a score is no probability, or the rows of classes do not sum to 1.
    """
    loss = spec.definition.rows
    assert isinstance(loss, RowLoss)  # noqa: S101 - the caller has looked
    probabilities = _checked(spec, table)
    mean = _mean(loss, probabilities, table)
    if loss.null is not None:
        return of_cells(spec, _saved_by(mean, loss.null, table), loss.range)
    low, high = loss.range
    most = high if table.kind.has_one_label_per_case or not np.isfinite(high) else 1.0 * len(table.labels)
    return of_cells(spec, mean, (low, most))


def share_of_rows(spec: Spec, form: RowShare, table: Table) -> Metric:
    """Return the metric that is a proportion of rows; its intervals are those of the table of hits and misses."""
    marks = form.marks(table, **spec.arguments)
    metric = of_cells(spec, marked_share(marks, as_ratio=False), (0.0, 1.0))
    if marks.all():
        return metric
    try:
        design = table.design.collapse_cells((~marks).ravel().astype(np.intp), 4)
    except UndefinedDesignError:
        return of_cells(spec, marked_share(marks), (0.0, 1.0))
    hits, misses = (np.einsum("ij,ij", table.counts, each) for each in (marks, ~marks))
    counts = np.array([[hits, misses], [0.0, 0.0]])
    small = ConfusionTable(counts=counts, labels=ROWS, design=design, rows=table.rows)
    accuracy = replace(of_predictions(parse("accuracy"), small, None), name=spec.text, spec=spec)
    return replace(metric, reduced_to=lambda _: (small, accuracy))


def _checked(spec: Spec, table: Table) -> Array:
    scores = table.scores
    if table.kind.has_one_label_per_case:
        sums = np.einsum("ij->i", scores)
        if scores.min() >= 0 and is_rounded(scores, sums):
            return np.asarray(scores / sums[:, None])
        if scores.min() < 0 or np.abs(sums - 1).max() > SUM_TOLERANCE:
            raise HowsureError(
                f"`{spec.text}` needs rows of probabilities; they sum to {sums.min():g} … {sums.max():g}, not to 1. "
                f"{how_to_sum_to_1(scores)}"
            )
    elif scores.min() < 0 or scores.max() > 1:
        worst = scores.min() if scores.min() < 0 else scores.max()
        raise HowsureError(f"`{spec.text}` needs probabilities, and `y_score` holds {worst:g}. {TO_PROBABILITIES}")
    return scores


def how_to_sum_to_1(scores: Array) -> str:
    """Return the remedy for rows of numbers that are no probabilities: shares, logits, or logarithms.

    Examples
    --------
    >>> how_to_sum_to_1(np.array([[3.0, 1.0]]))
    'Divide each row by its sum if these are shares, or calibrate the scores.'
    >>> how_to_sum_to_1(np.array([[3.0, -1.0]]))
    'For logits give scipy.special.softmax(y_score, axis=1).'
    """
    if scores.min() >= 0:
        return "Divide each row by its sum if these are shares, or calibrate the scores."
    if scores.max() <= 0 and np.abs(np.exp(scores).sum(1) - 1).max() < LOGARITHM_TOLERANCE:
        return "For logarithms of probabilities give numpy.exp(y_score)."
    return "For logits give scipy.special.softmax(y_score, axis=1)."


def is_rounded(scores: Array, sums: Array) -> bool:
    """Whether rows miss a sum of 1 by no more than the rounding of their numbers to 2, 3 … 6 decimals.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
        The rows.
    sums : ndarray of shape (n,)
        Their sums.
    """
    worst = float(np.abs(sums - 1).max())
    if worst <= SUM_TOLERANCE:
        return False
    for decimals in DECIMALS:
        if np.abs(np.round(scores, decimals) - scores).max() < SUM_TOLERANCE:
            return bool(worst <= HALF * scores.shape[1] * 10.0**-decimals + SUM_TOLERANCE)
    return False


def _mean(loss: RowLoss, probabilities: Array, table: Table) -> Scored:
    """Return the mean over the rows of the sum of their losses, by the cells of the table."""
    if table.kind.has_one_label_per_case:
        return mean_loss(loss.by_class(probabilities))
    size = probabilities.shape[1]  # a case has one cell of each label
    flat = mean_loss(CellLosses(size * loss.losses(probabilities).reshape(-1, 2)))

    def gradient(cells: Array) -> Array:
        return flat.gradient(cells.reshape(*cells.shape[:-3], -1, 2)).reshape(cells.shape)

    return Scored(lambda cells: flat.value(cells.reshape(*cells.shape[:-3], -1, 2)), gradient)


def _saved_by(mean: Scored, null: Null, table: Table) -> Scored:
    """Return the fraction by which the rows of a table reduce the loss of a null model."""
    found = _saved(mean, null, _layout(table))
    loss = mean.structure
    if not isinstance(loss, MeanLoss) or not table.kind.has_one_label_per_case:
        return found

    def on_subset(some: tuple[Array, ...]) -> Scored:
        return _saved(loss.on_subset(some), null, _layout_of_some(some[-1], len(table.labels)))

    return replace(found, structure=MeanLoss(on_subset))


@dataclass(frozen=True, slots=True)
class _Layout:
    """How classes, or labels, lie in counts of some axes: their totals ``(..., K)``, and a number of each by cell."""

    totals: Callable[[Array], Array]
    by_cell: Callable[[Array], Array]
    axes: int
    cells_per_case: int = 1


def _layout(table: Table) -> _Layout:
    """Return the layout of all cells of a table."""
    if table.kind.has_one_label_per_case:
        return _Layout(lambda cells: cells.sum(-2), lambda each: each[..., None, :], 2)
    return _Layout(
        lambda cells: cells[..., 1].sum(-2),
        lambda each: np.stack([0 * each, each], -1)[..., None, :, :],
        3,
        len(table.labels),
    )


def _layout_of_some(truth: Array, classes: int) -> _Layout:
    """Return the layout of cells of these true classes."""
    return _Layout(lambda cells: added_up(cells, truth, classes), lambda each: each[..., truth], 1)


def _saved(mean: Scored, null: Null, layout: _Layout) -> Scored:
    """Return the fraction by which the rows reduce the loss of always predicting the class frequencies."""
    axes, added = tuple(range(-layout.axes, 0)), (1,) * layout.axes

    def shares(cells: Array) -> tuple[Array, Array]:
        """Return the class frequencies, ``(..., K)``, and the number of cases."""
        cases = cells.sum(axes) / layout.cells_per_case
        return divide(layout.totals(cells), cases[..., None]), cases

    def value(cells: Array) -> Array:
        worst = null(shares(cells)[0])[0]
        return np.asarray(1 - mean.value(cells) / np.where(worst == 0, np.nan, worst))

    def gradient(cells: Array) -> Array:
        share, cases = shares(cells)
        worst, by_share = null(share)
        common = (by_share * share).sum(-1, keepdims=True)
        every = (each.reshape(each.shape + added) for each in (worst, mean.value(cells), cases, common[..., 0]))
        worst, observed, number, common = every
        by_cell = layout.by_cell(by_share) - common / layout.cells_per_case
        return np.asarray((observed * by_cell / number / worst - mean.gradient(cells)) / worst)

    return Scored(value, gradient)

"""Metrics of how well scores rank the positive cases above the others.

Counts have shape ``(..., S, 2)``: the S distinct scores in ascending order, and the negative and positive cases
that have each. Ties are exact, and resampled tables are just more counts. Every gradient is a closed form, so
that the delta method serves any design in linear time.
"""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, of_per_cent
from howsure.metrics.forms import divide, per_table
from howsure.metrics.registry import Scored, score_metric
from howsure.native.drawn_areas import drawn_areas, drawn_precisions
from howsure.native.placements import area as area_of_table, area_slopes
from howsure.native.resampling import Ranked
from howsure.tables.scores import ScoresTable as Table


def below(counts: Array) -> Array:
    """Return the cases with a lower score than each, and half of those with it; counts ``(..., S)``, ascending.

    Examples
    --------
    >>> below(np.array([1.0, 2.0, 1.0])).tolist()
    [0.5, 2.0, 3.5]
    """
    return np.asarray(np.cumsum(counts, -1) - counts / 2)


def roc_auc(cells: Array) -> Array:
    """Probability that a positive case has the higher score than a negative one, ties counting half.

    Parameters
    ----------
    cells
        Counts, shape ``(..., S, 2)``, scores ascending.

    Notes
    -----
    ``sum_s pos_s * (neg below s + neg_s / 2) / (n_pos * n_neg)``: the Mann–Whitney statistic, equal to the area
    under the trapezoids. nan where a class has no case.

    References
    ----------
    Hanley, McNeil (1982), Radiology 143.

    Examples
    --------
    >>> float(roc_auc(np.array([[1, 0], [0, 1], [1, 0], [0, 1]])))
    0.75
    """
    if cells.ndim == 2 and cells.dtype == float:
        return _at_most_one(area_of_table(cells))
    if cells.ndim == 3:
        return _at_most_one(drawn_areas(cells))
    negatives, positives = cells[..., 0], cells[..., 1]
    up_to = np.cumsum(negatives, -1)
    wins = np.einsum("...s,...s->...", positives, up_to) - np.einsum("...s,...s->...", positives, negatives) / 2
    return _at_most_one(divide(wins, up_to[..., -1] * positives.sum(-1)))


def _at_most_one(values: Array) -> Array:
    """Return values cut at 1, which rounding of sums of weights may exceed."""
    return np.asarray(np.minimum(values, 1.0))


def roc_auc_slopes(cells: Array) -> Array:
    """Return the derivative of the area by each count: DeLong's placements, less the area, over the class totals."""
    if cells.ndim == 2:
        return area_slopes(cells)
    negatives, positives = (cells[..., each].astype(float) for each in (0, 1))
    below, above = np.cumsum(negatives, -1), np.cumsum(positives, -1)
    others, number = below[..., -1:].copy(), above[..., -1:].copy()
    negatives *= 0.5
    positives *= 0.5
    below -= negatives
    above -= positives
    area = 2 * np.einsum("...s,...s->...", positives, below)[..., None] / (number * others)
    slopes = np.moveaxis(np.empty((2, *cells.shape[:-1])), 0, -1)  # either class lies together
    np.multiply(above, -1 / (number * others), out=slopes[..., 0])
    np.multiply(below, 1 / (number * others), out=slopes[..., 1])
    slopes[..., 0] += (1 - area) / others
    slopes[..., 1] -= area / number
    return slopes


def partial_auc(cells: Array, max_fpr: float = 1.0) -> Array:
    """Area under the ROC curve up to a false positive rate, standardised to 0.5 … 1 (McClish).

    Parameters
    ----------
    cells
        Counts, shape ``(..., S, 2)``, scores ascending.
    max_fpr
        Largest false positive rate, in (0, 1].

    Notes
    -----
    Let ``A`` be the area up to ``e``. The result is ``(1 + (A - e**2/2) / (e - e**2/2)) / 2``: 0.5 for a useless and 1
    for a perfect score, as in scikit-learn's ``roc_auc_score(max_fpr=)``.

    References
    ----------
    McClish (1989), Medical Decision Making 9.

    Examples
    --------
    >>> round(float(partial_auc(np.array([[1, 0], [0, 1], [1, 0], [0, 1]]), max_fpr=0.5)), 4)
    0.6667
    """
    area = _area_up_to(cells, max_fpr)
    lowest = max_fpr**2 / 2
    return _at_most_one((1 + (area - lowest) / (max_fpr - lowest)) / 2)


def _area_up_to(cells: Array, max_fpr: float) -> Array:
    negatives, positives = cells[..., ::-1, 0], cells[..., ::-1, 1]
    others, number = negatives.sum(-1), positives.sum(-1)
    right = np.minimum(np.cumsum(negatives, -1), max_fpr * others[..., None])
    width = np.diff(right, axis=-1, prepend=0.0)
    risen = np.cumsum(positives, -1) - positives
    slope = np.nan_to_num(divide(positives, negatives))
    return divide((width * (risen + width * slope / 2)).sum(-1), others * number)


def partial_auc_slopes(cells: Array, max_fpr: float = 1.0) -> Array:
    """Return the derivative of the standardised partial area by each count, in closed form.

    A case above the limit moves the area by its placement, and moves the limit itself: the curve's height at the
    limit enters for every negative case.
    """
    negatives, positives = cells[::-1, 0], cells[::-1, 1]
    others, number = negatives.sum(), positives.sum()
    before, risen = np.cumsum(negatives) - negatives, np.cumsum(positives) - positives
    limit = max_fpr * others
    width = np.clip(limit - before, 0.0, negatives)  # width of each step, up to the limit
    last = int(np.searchsorted(before, limit, side="left")) - 1  # the step that the limit falls in
    slope = positives[last] / negatives[last]
    height = risen[last] + width[last] * slope
    by_positive = np.maximum(limit - before - width, 0.0)
    by_positive += np.where(negatives > 0, width**2 / (2 * np.maximum(negatives, 1e-300)), 0.0)
    by_negative = np.full(len(negatives), max_fpr * height)
    by_negative[:last] += risen[:last] + positives[:last] / 2 - height
    by_negative[last] -= width[last] ** 2 * slope / (2 * negatives[last])
    area = float(_area_up_to(cells, max_fpr))
    slopes = np.stack(
        [by_negative / (others * number) - area / others, by_positive / (others * number) - area / number]
    )
    scale = 2 * (max_fpr - max_fpr**2 / 2)
    return np.asarray(slopes.T[::-1] / scale)


def average_precision(cells: Array) -> Array:
    """Mean of the precision at each positive case's score, scikit-learn's step rule.

    Parameters
    ----------
    cells
        Counts, shape ``(..., S, 2)``, scores ascending.

    Notes
    -----
    ``AP = sum_k (recall_k - recall_{k-1}) * precision_k`` over the distinct scores from the top.

    References
    ----------
    Boyd, Eng, Page (2013), ECML PKDD; Su, Yuan, Zhu (2015), ICTIR.

    Examples
    --------
    >>> round(float(average_precision(np.array([[1, 0], [0, 1], [1, 0], [0, 1]]))), 4)
    0.8333
    """
    if cells.ndim == 3:
        return _at_most_one(drawn_precisions(cells))
    own = cells[..., 1]
    precision, _ = _precision(cells)
    return _at_most_one(divide(np.einsum("...s,...s->...", own, precision), own.sum(-1)))


def _precision(cells: Array) -> tuple[Array, Array]:
    """Return the precision at each score, 0 above all cases, and the cases at or above it."""
    positives, called = (_from_top(part) for part in (cells[..., 1], cells[..., 0] + cells[..., 1]))
    none = np.zeros(called.shape, dtype=np.result_type(called, float))
    return np.divide(positives, called, out=none, where=called > 0), called


def _from_top(counts: Array) -> Array:
    return np.asarray(np.cumsum(counts[..., ::-1], -1)[..., ::-1])


def average_precision_slopes(cells: Array) -> Array:
    """Return the derivative of average precision by each count, in closed form.

    A positive case brings its own precision, and like a negative one changes the precision at every score below:
    ``d P_k / d pos = neg_k / all_k**2`` and ``d P_k / d neg = -pos_k / all_k**2`` with sums from the top.
    """
    own = cells[..., 1]
    number = own.sum(-1)[..., None]
    precision, called = _precision(cells)
    area = np.einsum("...s,...s->...", own, precision)[..., None] / number
    each = np.divide(own, called, out=np.zeros(called.shape), where=called > 0)
    slopes = np.moveaxis(np.empty((2, *cells.shape[:-1])), 0, -1)  # either class lies together
    by_negative = -np.cumsum(each * precision, -1)
    by_positive = np.cumsum(each, -1) + by_negative
    by_positive += precision
    by_positive -= area
    np.divide(by_negative, number, out=slopes[..., 0])
    np.divide(by_positive, number, out=slopes[..., 1])
    return slopes


def _area_range(
    _: int, *, max_fpr: float = 1.0, min_tpr: float = 0.0, standardized: bool = True
) -> tuple[float, float]:
    # The area of a curve that rises only after the limit is 0.
    limit = min(max_fpr, 1 - min_tpr)
    if limit == 1:
        return 0.0, 1.0
    return (0.5 - limit / (4 - 2 * limit), 1.0) if standardized else (0.0, limit)


@score_metric(
    name="roc_auc",
    aliases=("auc", "auroc", "roc", "roc_auc_score", "c_statistic", "c_index"),
    range=_area_range,
    is_area=True,
    random=0.5,
    sklearn="roc_auc_score",
)
def _roc_auc(table: Table, *, max_fpr: float = 1.0, min_tpr: float = 0.0, standardized: bool = True) -> Scored:
    """Probability that a positive case scores higher than a negative one (area under the ROC curve).

    ``max_fpr`` gives the partial area up to a false positive rate, ``min_tpr`` the one between the curve and its right
    edge from a true positive rate upwards. Both are standardised to 0.5 … 1 (McClish); ``standardized=false`` gives the
    plain area.
    """
    if not 0 < max_fpr <= 1:
        raise HowsureError(f"`max_fpr` of `roc_auc` lies in (0, 1], not {max_fpr:g}.{of_per_cent(max_fpr)}")
    if not 0 <= min_tpr < 1:
        raise HowsureError(f"`min_tpr` of `roc_auc` lies in [0, 1), not {min_tpr:g}.{of_per_cent(min_tpr)}")
    if min_tpr == 0:
        return _partial(max_fpr, standardized=standardized)
    if max_fpr < 1:
        raise HowsureError("`roc_auc` takes either `max_fpr` or `min_tpr`: the area within both is not defined here.")
    other = _partial(1 - min_tpr, standardized=standardized)  # of the classes and the ranks in reverse
    return Scored(
        lambda cells: other.value(cells[..., ::-1, ::-1]),
        lambda cells: other.gradient(cells[..., ::-1, ::-1])[..., ::-1, ::-1],
    )


def _partial(limit: float, *, standardized: bool) -> Scored:
    """Return the area up to a false positive rate as a metric."""
    if limit == 1:
        return Scored(roc_auc, roc_auc_slopes, structure=Ranked.AREA)
    if standardized:
        return Scored(
            lambda cells: partial_auc(cells, limit), per_table(lambda cells: partial_auc_slopes(cells, limit))
        )
    scale = 2 * (limit - limit**2 / 2)
    return Scored(
        lambda cells: _area_up_to(cells, limit), per_table(lambda cells: scale * partial_auc_slopes(cells, limit))
    )


@score_metric(
    name="average_precision",
    aliases=("ap", "pr_auc", "auprc", "average_precision_score"),
    sklearn="average_precision_score",
)
def _average_precision(table: Table) -> Scored:
    """Mean precision over the positive cases, each at its own score (area under the precision–recall curve)."""
    return Scored(average_precision, average_precision_slopes, structure=Ranked.PRECISION)

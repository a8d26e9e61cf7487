"""Metrics at an operating point that the data choose: sensitivity at a given specificity, precision at a given recall.

The threshold is estimated too. `ThresholdLimits` moves it. In the delta method its uncertainty enters through the ratio
of the two classes' densities there, the slope of the ROC curve, estimated from the share of positive cases along the
ranks.
"""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, of_per_cent
from howsure.metrics.forms import OperatingPoint, divide, per_table
from howsure.metrics.registry import Scored, score_metric
from howsure.tables.scores import ScoresTable as Table

RANKS = 512  # bins of the ranks
BANDWIDTH = 0.3  # bandwidth over ranks, times n**-0.2: about Silverman's for a uniform variable
ROUNDING = 1e-9  # a rate that misses the wanted one by less has reached it


def roc_slope(counts: Array, cases: int) -> Array:
    """Return a smoothed estimate of the slope of the ROC curve at each distinct score: the ratio of the densities.

    Parameters
    ----------
    counts
        One table, ``(S, 2)``.
    cases
        Number of cases, which determines the smoothing.

    Notes
    -----
    A ratio of densities does not change if the scores are replaced by their ranks, whose pooled density is constant.
    The proportion p of positive cases along the ranks is therefore smoothed, by a normal kernel reflected at the ends.
    The slope is ``p / (1 - p) * n_neg / n_pos``.
    """
    mass = counts[:, 0] + counts[:, 1]  # a sum along an axis of two takes several times as long
    total = mass.sum()
    if not total > 0:  # a resample of cases without weight
        return np.full(len(mass), np.nan)
    middle = (np.cumsum(mass) - mass / 2) / total
    index = np.minimum((middle * RANKS + ROUNDING).astype(np.intp), RANKS - 1)
    width = BANDWIDTH * max(cases, 1) ** -0.2  # a known distribution has no cases
    kernel = np.exp(-2 * (np.pi * np.fft.rfftfreq(2 * RANKS, 1 / RANKS) * width) ** 2)

    def smooth(values: Array) -> Array:
        heights = np.bincount(index, values, RANKS)
        mirrored = np.fft.rfft(np.concatenate([heights, heights[::-1]]))
        return np.maximum(np.fft.irfft(mirrored * kernel, 2 * RANKS)[:RANKS], 0.0)

    # A thousandth of each class, spread evenly over the ranks, keeps the ratio finite.
    prevalence = counts[:, 1].sum() / total
    positives = smooth(counts[:, 1]) + prevalence * total / RANKS * 1e-3
    negatives = smooth(counts[:, 0]) + (1 - prevalence) * total / RANKS * 1e-3
    ratio = divide(positives, negatives) * divide(counts[:, 0].sum(), counts[:, 1].sum())
    return np.asarray(ratio[index])


def _from_top(cells: Array) -> tuple[Array, Array]:
    """Return the cases at or above each distinct score of either class, scores descending."""
    above = np.cumsum(cells[..., ::-1, :], -2)
    return above[..., 0], above[..., 1]


def _last_within(reached: Array, limit: Array) -> Array:
    """Return the index of the last step whose cumulative count is within the limit, −1 if none."""
    return np.asarray((np.real(reached) <= np.real(limit)[..., None] * (1 + ROUNDING)).sum(-1) - 1)


def _first_beyond(reached: Array, limit: Array) -> Array:
    """Index of the first step whose cumulative count reaches the limit."""
    short = (np.real(reached) < np.real(limit)[..., None] * (1 - ROUNDING)).sum(-1)
    return np.asarray(np.minimum(short, reached.shape[-1] - 1))


def _at(values: Array, index: Array) -> Array:
    """Take one entry a table; 0 before the first."""
    taken = np.take_along_axis(values, np.maximum(index, 0)[..., None], -1)[..., 0]
    return np.where(index >= 0, taken, 0.0)


def _rate(name: str, argument: str, value: float) -> float:
    if not 0 < value < 1:
        raise HowsureError(f"`{argument}` of `{name}` lies between 0 and 1, not {value:g}.{of_per_cent(value)}")
    return value


def _rate_at_rate(table: Table, chosen: int, limit: float) -> Scored:
    """Return the metric for the largest correct rate of one class while the error rate of the other is limited.

    ``chosen`` = 1: sensitivity with the false positive rate within the limit, thresholds from the top;
    ``chosen`` = 0: specificity with the false negative rate within the limit, thresholds from the bottom.
    """

    def turned(cells: Array) -> Array:
        return cells if chosen else cells[..., ::-1, ::-1]

    def value(cells: Array) -> Array:
        errors, hits = _from_top(turned(cells))
        index = _last_within(errors, limit * errors[..., -1])
        rate = divide(_at(hits, index), hits[..., -1])
        return np.where(np.real(errors[..., -1]) > 0, rate, np.nan)

    @per_table
    def slopes(cells: Array) -> Array:
        ahead = turned(cells)
        errors, hits = _from_top(ahead)
        index = int(_last_within(errors, np.asarray(limit * errors[-1])))
        above = (np.arange(len(ahead))[::-1] <= index).astype(float)
        number, others = hits[-1], errors[-1]
        # The threshold moves with the errors: the ratio of densities there turns that into hits.
        ratio = roc_slope(ahead, table.rows)[::-1][max(index, 0)]
        rate, false = (float(_at(part, np.asarray(index))) / part[-1] for part in (hits, errors))
        by_cell = np.stack([-ratio * (above - false) / others, (above - rate) / number], -1)
        return turned(by_cell)

    return Scored(value, slopes, structure=OperatingPoint(limit, turned=not chosen))


@score_metric(
    name="sensitivity_at",
    is_step=True,
    always_stated=("specificity",),
    aliases=("sensitivity_at_specificity", "recall_at_specificity", "tpr_at"),
)
def _sensitivity_at(table: Table, *, specificity: float = 0.9) -> Scored:
    """Largest sensitivity of the thresholds whose specificity is at least the given one."""
    return _rate_at_rate(table, 1, 1 - _rate("sensitivity_at", "specificity", specificity))


@score_metric(
    name="specificity_at",
    is_step=True,
    always_stated=("sensitivity",),
    aliases=("specificity_at_sensitivity", "tnr_at"),
)
def _specificity_at(table: Table, *, sensitivity: float = 0.9) -> Scored:
    """Largest specificity of the thresholds whose sensitivity is at least the given one."""
    return _rate_at_rate(table, 0, 1 - _rate("specificity_at", "sensitivity", sensitivity))


@score_metric(name="recall_at", is_step=True, always_stated=("fpr",), aliases=("recall_at_fpr", "tpr_at_fpr"))
def _recall_at(table: Table, *, fpr: float = 0.1) -> Scored:
    """Largest recall of the thresholds whose false positive rate is at most the given one."""
    return _rate_at_rate(table, 1, _rate("recall_at", "fpr", fpr))


@score_metric(name="precision_at", is_step=True, always_stated=("recall",), aliases=("precision_at_recall",))
def _precision_at(table: Table, *, recall: float = 0.9) -> Scored:
    """Precision at the highest threshold whose recall is at least the given one."""
    wanted = _rate("precision_at", "recall", recall)

    def value(cells: Array) -> Array:
        false, true = _from_top(cells)
        index = _first_beyond(true, wanted * true[..., -1])
        hits = _at(true, index)
        return np.where(np.real(true[..., -1]) > 0, divide(hits, hits + _at(false, index)), np.nan)

    @per_table
    def slopes(cells: Array) -> Array:
        false, true = _from_top(cells)
        index = int(_first_beyond(true, np.asarray(wanted * true[-1])))
        above = (np.arange(len(cells))[::-1] <= index).astype(float)
        hits, errors, number = true[index], false[index], true[-1]
        if errors == 0:
            return np.zeros(cells.shape)
        inverse = false[-1] / (roc_slope(cells, table.rows)[::-1][index] * errors)
        precision = hits / (hits + errors)
        by_positive = (1 + inverse * (above - hits / number)) / number
        return np.asarray(precision * (1 - precision) * np.stack([-above / errors, by_positive], -1))

    return Scored(value, slopes, structure=OperatingPoint(wanted, is_precision=True))

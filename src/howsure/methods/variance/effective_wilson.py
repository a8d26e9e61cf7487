"""Wilson's interval for average precision, with an effective sample size from its variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.variance_details import VarianceDetails
from howsure.methods.core.interval import UNDEFINED, Interval, IntervalAtLevel
from howsure.methods.core.method import Method, needs_labels
from howsure.methods.core.standard_errors import normal_quantile, standard_error
from howsure.metrics.metric import Metric
from howsure.metrics.roc import average_precision, average_precision_slopes
from howsure.metrics.structures import ViewAverage
from howsure.native.resampling import Ranked
from howsure.tables.score_matrix import ScoreMatrixTable
from howsure.tables.table import Table

AT_EACH_END = 1 / 8  # pseudo-count of each class above all scores, and as much below
MEANS = ("macro", "weighted")
TINY = 1e-300  # denominator in place of 0


@final
@dataclass(frozen=True, slots=True)
class EffectiveWilson(Method):
    """Wilson's interval for average precision, with the effective sample size that matches its variance.

    It also serves macro and weighted means over classes.

    Notes
    -----
    The interval contains the values ``A`` with ``(A - a)² <= z² v A (1 - A) / (a (1 - a))``. This is Wilson's interval
    for a proportion ``a`` of ``a (1 - a) / v`` cases. Here ``a`` is average precision and ``v`` its delta-method
    variance, both after adding a quarter of a case to each class, half of it above all other scores and half below. The
    reason is that a single negative case with a high score reduces precision, and many samples contain none. As the
    pseudo-counts reduce ``a``, the upper limit is at least that of the observed table. For weighted data the number of
    cases is Kish's effective one, and the quarter of a case has the average weight.

    With few cases, average precision is biased upwards, since each positive case is among those at or above its own
    score. With pos positive, neg negative and all = pos + neg cases at or above that score, the precision without the
    case itself would be ``(pos - 1) / (all - 1)`` instead of ``pos / all``. As the number of positive cases is fixed,
    another one replaces it with probability ``recall``. The bias is therefore the mean of
    ``(1 - recall) neg / (all (all - 1))``, and ``a`` is multiplied by ``1 - bias / value``.

    A mean over classes, each against the rest, has the mean of the values and of the biases. Its ``v`` is its variance
    plus what the added cases add to the variance of each class; the covariances of the classes are unchanged. A mean
    weighted by the numbers of cases is also biased by the covariance of a class's weight and its average precision: a
    class with more cases in the sample has higher precision there.

    A single case can reduce average precision by about ``log(n) / n`` for n positive cases. If the classes are almost
    separated, the interval is therefore several times as wide as the observed scores alone would justify.

    References
    ----------
    Wilson (1927), JASA 22; effective numbers of cases: Kish (1965), Survey Sampling; Korn and Graubard (1998), Survey
    Methodology 24. The quarter of a case is howsure's own choice, by simulation.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.3, 0.6])
    >>> print(hs.estimate(table, "average_precision", method=EffectiveWilson()))
    0.917 [0.321, 0.989]
    """

    name: ClassVar[str] = "effective_wilson"
    takes_batches: ClassVar[bool] = True
    ignores_empty_cells: ClassVar[bool] = True

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for average precision of labelled scores, or a mean over classes, of independently drawn cases."""
        if refusal := needs_labels(self, table):
            return refusal
        is_one = metric.contrast is None and metric.structure is Ranked.PRECISION
        if not (is_one or is_mean_precision(metric)):
            return f"`EffectiveWilson` is for `average_precision`, not for `{metric.name}`. Use `Delta()`."
        if VarianceDetails.of(table.design).squared_weights(table.cells) is None:
            return "`EffectiveWilson` is for cases drawn one by one, not for clusters or strata. Use `Delta()`."
        return ""

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        value, error = metric.value_at(table.counted), standard_error(metric, table)
        with np.errstate(all="ignore"):
            if is_mean_precision(metric):
                centre, variance, lost = _of_classes(metric, cast("ScoreMatrixTable", table), error**2)
            else:
                squares = squares_of(table)
                (centre, variance), lost = with_ends(table.counts, squares), bias(table.counts, squares)
            kept = 1 - lost / value
        reason = np.where(np.isnan(value), UNDEFINED, "")

        def interval(confidence_level: float) -> Interval:
            square = normal_quantile(confidence_level) ** 2
            with np.errstate(all="ignore"):
                low, high = wilson_limits(kept * centre, square * variance)
                own = np.where(value < 1, wilson_limits(kept * value, square * error**2)[1], 1.0)
            low = np.where(reason == "", np.minimum(low, value), np.nan)
            high = np.where(reason == "", np.fmax(np.maximum(high, value), own), np.nan)
            return Interval(low, high, error, reason=reason)

        return interval


def wilson_limits(share: Array, square: Array) -> tuple[Array, Array]:
    """Return Wilson's limits of a proportion, from ``z² v`` with v its variance."""
    wide = square / (share * (1 - share))
    middle = (share + wide / 2) / (1 + wide)
    half = np.sqrt(square + wide**2 / 4) / (1 + wide)
    return middle - half, middle + half


def with_ends(counts: Array, squares: Array) -> tuple[Array, Array]:
    """Return value and variance after adding a part of a case of each class above all others, and as much below."""
    weight = (squares.sum((-1, -2)) / counts.sum((-1, -2)))[..., None, None]  # average weight of a case
    filled = _between(counts, AT_EACH_END * weight)
    return average_precision(filled), _variance(filled, _between(squares, AT_EACH_END * weight**2))


def _variance(counts: Array, squares: Array) -> Array:
    slopes = average_precision_slopes(counts)
    return np.asarray(np.einsum("...sc,...sc,...sc->...", squares, slopes, slopes))


def is_mean_precision(metric: Metric) -> bool:
    """Return whether a metric is a mean, weighted or not, of the average precision of each class against the rest."""
    views = metric.structure.ranked if isinstance(metric.structure, ViewAverage) else None
    return metric.average in MEANS and views is not None and views.kind is Ranked.PRECISION


def _of_classes(metric: Metric, table: ScoreMatrixTable, variance: Array) -> tuple[Array, Array, Array]:
    """Return a mean over classes and its variance with a part of a case at either end of each class, and the bias."""
    totals = table.sides(table.counts).present.sum(-2)
    is_weighted = metric.average == "weighted"
    shares = totals if is_weighted else np.where(totals > 0, 1.0, 0.0)
    shares = shares / shares.sum(-1, keepdims=True)
    centre, added, lost = np.zeros((3, *table.batch))
    for index, label in enumerate(table.labels):
        share, one = shares[..., index], table.against_rest(label)
        counts, squares, occurs = one.counts, squares_of(one), share > 0
        value, filled = with_ends(counts, squares)
        centre += share * value
        added += np.where(occurs, share**2 * (filled - _variance(counts, squares)), 0.0)
        lost += np.where(occurs, share * bias(counts, squares), 0.0)
        if is_weighted:
            moves = squares * average_precision_slopes(counts)
            covariance = (moves[..., 1].sum(-1) - share * moves.sum((-1, -2))) / totals.sum(-1)
            lost += np.where(occurs, covariance, 0.0)
    return centre, np.maximum(variance + added, variance), lost


def squares_of(table: Table) -> Array:
    """Return the sum of squared weights by score and class."""
    squares = VarianceDetails.of(table.design).squared_weights(table.cells)
    assert squares is not None  # noqa: S101 - see `unsupported_reason`
    return squares.reshape(table.counts.shape)


def bias(counts: Array, squares: Array) -> Array:
    """Return the bias of average precision: each positive case counts in the precision at its own score.

    The bias is less than the value, since the precision without the case is at least 0.

    Parameters
    ----------
    counts, squares : ndarray of shape (..., S, 2)
        Cases by score, ascending, and class; sums of their squared weights.

    Returns
    -------
    ndarray of shape (...)
        The mean, over the positive cases, of ``w (1 - recall) neg / (all (all - w))``.
    """
    cases, weights = counts[..., ::-1, 1], squares[..., ::-1, 1]  # from the top
    positive, negative = np.cumsum(cases, -1), np.cumsum(counts[..., ::-1, 0], -1)
    number = positive[..., -1:]
    lost = (number - positive) * negative
    lost *= weights
    others = positive - weights / np.maximum(cases, TINY)  # without one average case of this score
    np.maximum(others, 0.0, out=others)
    others += negative
    others *= positive + negative
    lost /= np.maximum(others, TINY, out=others)
    return np.asarray(lost.sum(-1) / number[..., 0] ** 2)


def _between(cells: Array, end: Array) -> Array:
    """Return cells by score and class, with an additional row at either end."""
    row = np.broadcast_to(end, (*cells.shape[:-2], 1, 2))
    return np.concatenate([row, cells, row], axis=-2)

"""Wilson's interval of average precision, with the number of cases that its variance is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from howsure.methods.interval import UNDEFINED, AtLevels, Interval, Method, needs_labels
from howsure.methods.standard_errors import normal_quantile, standard_error
from howsure.metrics.metric import Metric
from howsure.native.resampling import Ranked
from howsure.tables.counts import Counts
from howsure.tables.table import Table

Array = NDArray[Any]
AT_EACH_END = 1 / 8  # of a case of each class


@final
@dataclass(frozen=True, slots=True)
class EffectiveWilson(Method):
    """Wilson's interval of average precision, as of a share of so many cases as the variance is worth.

    Notes
    -----
    The values ``A`` with ``(A - a)² <= z² v A (1 - A) / (a (1 - a))``: Wilson's interval of a share ``a`` of
    ``a (1 - a) / v`` cases. ``a`` and ``v``, average precision less its bias and its variance by the delta method, are
    of the table with a quarter of a case more in each class, half of it above all others and half below: a single
    negative case with a high score costs more precision than many samples show. As that pulls ``a`` down, the upper
    limit is no lower than that of the table itself, less its own bias. The quarter of a case has the average weight.

    Average precision of few cases is too high on average, as each positive case is among those at or above its own
    score. Without itself the precision there would be ``(pos - 1) / (all - 1)`` instead of ``pos / all``, and of so
    many positive cases as before ``pos - 1 + recall``: the bias is the mean of ``(1 - recall) neg / (all (all - 1))``.

    What a single case can cost is ``log(n) / n`` or so of n positive cases: of classes that are all but separated the
    interval is several times as wide as the scores alone would need, were none of the unseen ones out of place.

    References
    ----------
    Wilson (1927), JASA 22; effective numbers of cases: Kish (1965), Survey Sampling; Korn and Graubard (1998), Survey
    Methodology 24. The quarter of a case is howsure's own choice, by simulation.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.3, 0.6])
    >>> print(hs.estimate(table, "average_precision", method=EffectiveWilson()))
    0.917 [0.311, 0.989]
    """

    name: ClassVar[str] = "effective_wilson"
    takes_batches: ClassVar[bool] = True

    def suits(self, metric: Metric, table: Table) -> str:
        """Return an empty text for average precision of two classes' labelled scores, of cases drawn one by one."""
        if refusal := needs_labels(self, table):
            return refusal
        if metric.contrast is not None or metric.ranked is not Ranked.PRECISION:
            return f"`EffectiveWilson` is for `average_precision`, not for `{metric.name}`. Use `Delta()`."
        if table.design.squares(table.cells) is None:
            return "`EffectiveWilson` is for cases drawn one by one, not for clusters or strata. Use `Delta()`."
        return ""

    def at_levels(self, metric: Metric, table: Table, rng: Any = None) -> AtLevels:
        """Return the interval as a function of its level; see the class."""
        value, error = metric.value_at(table.counted), standard_error(metric, table)
        squares = squares_of(table)
        with np.errstate(all="ignore"):
            centre, variance = with_ends(metric, table)
            unbiased = value - bias(table.counts, squares)
        reason = np.where(np.isnan(value), UNDEFINED, "")

        def interval(confidence_level: float) -> Interval:
            square = normal_quantile(confidence_level) ** 2
            with np.errstate(all="ignore"):
                low, high = wilson_limits(centre, square * variance)
                own = np.where(value < 1, wilson_limits(unbiased, square * error**2)[1], 1.0)
            low = np.where(reason == "", np.minimum(low, value), np.nan)
            high = np.where(reason == "", np.fmax(np.maximum(high, value), own), np.nan)
            return Interval(low, high, error, reason=reason)

        return interval


def wilson_limits(share: Array, square: Array) -> tuple[Array, Array]:
    """Return Wilson's limits of a share, from the square of its distance in normal terms, ``t² v``."""
    wide = square / (share * (1 - share))
    middle = (share + wide / 2) / (1 + wide)
    half = np.sqrt(square + wide**2 / 4) / (1 + wide)
    return middle - half, middle + half


def with_ends(metric: Metric, table: Table) -> tuple[Array, Array]:
    """Return the value less its bias, and the variance, with a part of a case of each class at either end."""
    squares = squares_of(table)
    weight = (squares.sum((-1, -2)) / table.counts.sum((-1, -2)))[..., None, None]  # of an average case
    counts = _between(table.counts, AT_EACH_END * weight)
    gradient = metric.gradient(Counts(counts))
    varying = _between(squares, AT_EACH_END * weight**2)
    value = metric.value(Counts(counts)) - bias(counts, _between(squares, np.zeros_like(weight)))
    return value, np.einsum("...sc,...sc,...sc->...", varying, gradient, gradient)


def squares_of(table: Table) -> Array:
    """Return the sum of squared weights by score and class."""
    squares = table.design.squares(table.cells)
    assert squares is not None  # noqa: S101 - see `suits`
    return squares.reshape(table.counts.shape)


def bias(counts: Array, squares: Array) -> Array:
    """Return by how much average precision is too high, as each positive case counts in the precision at its own score.

    Parameters
    ----------
    counts : ndarray of shape (..., S, 2)
        Cases by score, ascending, and class.
    squares : ndarray of shape (..., S, 2)
        Sums of their squared weights; 0 of what is no case.

    Returns
    -------
    ndarray of shape (...)
        The mean, over the positive cases, of ``w (1 - recall) neg / (all (all - w))``.
    """
    cases, weights = counts[..., 1], squares[..., 1]
    above = np.cumsum(counts[..., ::-1, :], -2)[..., ::-1, :]
    negative, everyone = above[..., 0], above.sum(-1)
    number = cases.sum(-1)
    own = np.divide(weights, cases, out=np.zeros(weights.shape), where=cases > 0)  # weight of an average one here
    counted = weights * negative * (1 - above[..., 1] / number[..., None])
    each = np.divide(counted, everyone * (everyone - own), out=np.zeros(counted.shape), where=counted > 0)
    return np.asarray(each.sum(-1) / number)


def _between(cells: Array, end: Array) -> Array:
    """Return cells by score and class with a row more at either end."""
    row = np.broadcast_to(end, (*cells.shape[:-2], 1, 2))
    return np.concatenate([row, cells, row], axis=-2)

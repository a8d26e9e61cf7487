"""Wilson's interval of average precision, with the number of cases that its variance is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from howsure.methods.interval import UNDEFINED, AtLevels, Interval
from howsure.methods.method import Method, needs_labels
from howsure.methods.standard_errors import normal_quantile, standard_error
from howsure.metrics.metric import Metric
from howsure.native.resampling import Ranked
from howsure.tables.counts import Counts
from howsure.tables.table import Table

Array = NDArray[Any]
AT_EACH_END = 1 / 8  # of a case of each class
TINY = 1e-300  # in place of no case, which brings nothing


@final
@dataclass(frozen=True, slots=True)
class EffectiveWilson(Method):
    """Wilson's interval of average precision, as of a share of so many cases as the variance is worth.

    Notes
    -----
    The values ``A`` with ``(A - a)² <= z² v A (1 - A) / (a (1 - a))``: Wilson's interval of a share ``a`` of
    ``a (1 - a) / v`` cases. ``a`` and ``v``, average precision and its variance by the delta method, are of the table
    with a quarter of a case more in each class, half of it above all others and half below: a single negative case
    with a high score costs more precision than many samples show. As that pulls ``a`` down, the upper limit is no
    lower than that of the table itself. With weights the cases are Kish's effective number, and the quarter of one
    has the average weight.

    Average precision of few cases is too high on average, as each positive case is among those at or above its own
    score. Without itself the precision there would be ``(pos - 1) / (all - 1)`` instead of ``pos / all``; as there
    would be as many positive cases as before, ``recall`` of it comes back. The mean of ``(1 - recall) neg / (all (all
    - 1))`` is the bias, and ``a`` is multiplied by what it leaves of the value.

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
    0.917 [0.321, 0.989]
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
        with np.errstate(all="ignore"):
            centre, variance = with_ends(metric, table)
            kept = 1 - bias(table.counts, squares_of(table)) / value
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
    """Return Wilson's limits of a share, from the square of its distance in normal terms, ``z² v``."""
    wide = square / (share * (1 - share))
    middle = (share + wide / 2) / (1 + wide)
    half = np.sqrt(square + wide**2 / 4) / (1 + wide)
    return middle - half, middle + half


def with_ends(metric: Metric, table: Table) -> tuple[Array, Array]:
    """Return value and variance with a part of a case of each class above all others, and as much below."""
    squares = squares_of(table)
    weight = (squares.sum((-1, -2)) / table.counts.sum((-1, -2)))[..., None, None]  # of an average case
    counts = _between(table.counts, AT_EACH_END * weight)
    gradient = metric.gradient(Counts(counts))
    varying = _between(squares, AT_EACH_END * weight**2)
    return metric.value(Counts(counts)), np.einsum("...sc,...sc,...sc->...", varying, gradient, gradient)


def squares_of(table: Table) -> Array:
    """Return the sum of squared weights by score and class."""
    squares = table.design.squares(table.cells)
    assert squares is not None  # noqa: S101 - see `suits`
    return squares.reshape(table.counts.shape)


def bias(counts: Array, squares: Array) -> Array:
    """Return by how much average precision is too high, as each positive case counts in the precision at its own score.

    It is less than the value: the precision without the case is not below 0, and a part of the case comes back.

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
    others = positive - weights / np.maximum(cases, TINY)  # without an average case of this score
    np.maximum(others, 0.0, out=others)
    others += negative
    others *= positive + negative
    lost /= np.maximum(others, TINY, out=others)
    return np.asarray(lost.sum(-1) / number[..., 0] ** 2)


def _between(cells: Array, end: Array) -> Array:
    """Return cells by score and class with a row more at either end."""
    row = np.broadcast_to(end, (*cells.shape[:-2], 1, 2))
    return np.concatenate([row, cells, row], axis=-2)

"""The `Interval` class, and the reasons for undefined limits."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from howsure.arrays import Array

CONSTANT = "the metric does not vary between samples of this design"
UNDEFINED = "the metric is undefined"
NO_ERROR = "the metric has no standard error here, as it has no derivative: use 'delta' or 'bayes'"
NO_TRIALS = "its denominator is zero"
ONE_CASE = "a single case, or cluster, shows no variation"
BIASED = "the estimated bias of {bias} exceeds half the interval's width: the classes have too few cases"
SPARSE = "many classes have fewer than 4 cases on average: the interval allows for the range of their bias"
ONE_CLUSTER = "a single cluster shows no variation between clusters"


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence or credible interval for each table of a batch; nan limits come with a reason.

    Parameters
    ----------
    low, high, standard_error : float or ndarray of the shape of the batch
        Limits and standard error.
    draws : ndarray of shape (draws,), optional
        Draws of the metric, for methods that simulate.
    reason : str, or ndarray of the shape of the batch
        Why the limits are undefined, or a caveat about them. Empty if there is neither.
    stream : hashable, optional
        Identifier of the joint stream of tables behind `draws` (see `stream_of`); None without draws.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> hs.methods.Interval(0.1, 0.2).low
    0.1
    """

    low: Any
    high: Any
    standard_error: Any = np.nan
    draws: Array | None = None
    reason: Any = ""
    stream: Hashable = None

    def each(self) -> list[Interval]:
        """Return the interval of each table of a batch, with Python floats and strings."""
        parts = (self.low, self.high, self.standard_error, self.reason)
        low, high, error, reason = (np.broadcast_to(part, np.shape(self.low)).tolist() for part in parts)
        return Interval(low, high, error, reason=reason).parts()

    def parts(self) -> list[Interval]:
        """Return the intervals along the first axis, such as those of several metrics of a batch."""
        return list(map(Interval, self.low, self.high, self.standard_error, repeat(None), self.reason))

    def to_scalars(self) -> Interval:
        """Return the interval of a single table, with Python floats and strings."""
        reason = np.asarray(self.reason).item()
        return Interval(float(self.low), float(self.high), float(self.standard_error), self.draws, reason, self.stream)


def interval_with_reasons(low: Any, high: Any, error: Any, *refusals: tuple[Any, str]) -> Interval:
    """Return the interval, with nan limits and a reason wherever an exception applies.

    Parameters
    ----------
    low, high, error : ndarray of the shape of the batch
        Limits and standard error. The standard error becomes nan if the metric is undefined.
    *refusals : tuple of ndarray and str
        Tables without an interval, and the reason. The last exception that applies to a table sets its reason.
    """
    reason: Array = np.zeros(np.shape(low), "<U1")
    none = reason
    for where, why in refusals:
        if where.any():
            reason = np.where(where, why, reason)
    if reason is none:
        return Interval(low, high, error, reason=reason)
    low, high = (np.where(reason == "", limit, np.nan) for limit in (low, high))
    return Interval(low, high, np.where(reason == UNDEFINED, np.nan, error), reason=reason)


IntervalAtLevel = Callable[[float], Interval]
AllAtLevels = Callable[[float], list[Interval]]


def stacked(intervals: Sequence[Interval]) -> Interval:
    """Return the intervals of single tables as one batch."""
    low, high, error, reason = (
        np.array([getattr(each, name) for each in intervals]) for name in ("low", "high", "standard_error", "reason")
    )
    if any(each.draws is None for each in intervals):
        return Interval(low, high, error, reason=reason)
    draws = np.stack([each.draws for each in intervals])  # type: ignore[misc]  # none of them is None
    return Interval(low, high, error, draws, reason, tuple(each.stream for each in intervals))

"""What every method is given and gives back."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from howsure.designs.base import quotient
from howsure.designs.counted import dot
from howsure.metrics.metric import Metric, Proportion
from howsure.tables.table import Table

Array = NDArray[Any]


NOISE = 1e-12  # relative to the value: a standard error below it is rounding
CONSTANT = "the metric does not vary between samples of this design"
UNDEFINED = "the metric is undefined"
NO_TRIALS = "its denominator is zero"
ONE_CLUSTER = "a single cluster shows no variation between clusters"


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence or credible interval for each table of a batch; nan limits come with a reason.

    Parameters
    ----------
    low, high, standard_error : float or ndarray of the shape of the batch
        Limits, and the standard error.
    draws : ndarray of shape (draws,), optional
        Draws of the metric, where the method makes some.
    reason : str or ndarray of str
        Why limits are undefined, or what to know of them.
    """

    low: Any
    high: Any
    standard_error: Any = np.nan
    draws: Array | None = None
    reason: Any = ""

    def picked(self, index: int) -> Interval:
        """Return the interval of one table of a batch."""
        low, high, error, reason = (
            np.broadcast_to(part, np.shape(self.low))[index]
            for part in (self.low, self.high, self.standard_error, self.reason)
        )
        return Interval(low, high, error, reason=reason).of_one()

    def of_one(self) -> Interval:
        """Return the interval of a single table, in plain numbers and words."""
        low, high, error = (float(each) for each in (self.low, self.high, self.standard_error))
        return Interval(low, high, error, self.draws, str(self.reason))


AtLevels = Callable[[float], Interval]


class Method(abc.ABC):
    """A frozen dataclass of settings that turns a metric and a table into an interval.

    A subclass needs a `name` and `at_levels`. It says what it suits, and takes all tables of a batch in one pass where
    `takes_batches` is set; elsewhere it is given one table at a time.
    """

    __slots__ = ()
    name: ClassVar[str]
    takes_batches: ClassVar[bool] = False

    def suits(self, metric: Metric, table: Table) -> str:  # noqa: ARG002 - of methods that are choosy
        """Return an empty text, or why the method does not suit, and what to use instead."""
        return ""

    @abc.abstractmethod
    def at_levels(self, metric: Metric, table: Table) -> AtLevels:
        """Return the interval as a function of its level; what does not depend on the level is worked out once."""

    def interval(
        self,
        metric: Metric,
        table: Table,
        confidence_level: float,
        rng: Any = None,  # noqa: ARG002 - of methods that draw
    ) -> Interval:
        """Return the interval of the metric on the table; ``rng`` seeds the methods that draw."""
        found = self.at_levels(metric, table)(confidence_level)
        return found if table.batch else found.of_one()


class DrawingMethod(Method):
    """A method that draws tables: many metrics share one stream of them."""

    __slots__ = ()

    @abc.abstractmethod
    def intervals(
        self, metrics: Sequence[Metric], table: Table, confidence_level: float, rng: Any = None
    ) -> list[Interval]:
        """Return the interval of each metric, from the same draws."""

    def interval(self, metric: Metric, table: Table, confidence_level: float, rng: Any = None) -> Interval:
        """Return the interval; see the class."""
        return self.intervals([metric], table, confidence_level, rng)[0]

    def at_levels(self, metric: Metric, table: Table) -> AtLevels:
        """Return the interval as a function of its level, drawn anew for each."""
        return lambda level: self.interval(metric, table, level)


def normal_quantile(confidence_level: float) -> float:
    """Two-sided standard normal quantile."""
    from scipy import special

    return float(special.ndtri((1 + confidence_level) / 2))


def quantile(confidence_level: float, degrees_of_freedom: Any) -> Any:
    """Two-sided quantile of Student's t: normal for infinite degrees of freedom, nan for none."""
    normal = normal_quantile(confidence_level)
    if np.isposinf(degrees_of_freedom).all():
        return normal
    from scipy import special

    known = np.where(np.greater(degrees_of_freedom, 0), degrees_of_freedom, np.nan)
    student = special.stdtrit(known, (1 + confidence_level) / 2)
    return np.where(np.isposinf(degrees_of_freedom), normal, student)[()]


def shows_variation(error: Any, value: Any) -> Any:
    """Whether a standard error is more than what rounding leaves of zero."""
    return error > NOISE * np.maximum(1.0, np.abs(value))


def standard_error(metric: Metric, table: Table) -> Array:
    """Delta-method standard error of the metric; nan where the metric or its gradient is."""
    counts = table.counted
    with np.errstate(all="ignore"):
        value, gradient = np.asarray(metric(counts)), metric.gradient(counts)
    finite = np.isfinite(gradient)
    # An empty cell has no cases that vary, unless its count is an estimate cut off at zero.
    axes = tuple(range(-table.axes, 0))
    known = np.isfinite(value) & (finite | ~(table.counts > 0)).all(axes)
    variance = table.variance(np.where(finite, gradient, 0.0))
    return np.sqrt(np.where(known & (variance >= 0), variance, np.nan))


def refuses_estimated_counts(method: str, table: Table) -> str:
    """Return why a method does not suit counts that are estimates: no number of trials has their noise near 0 and 1."""
    if table.design.has_trials:
        return ""
    if not table.design.has_labels:
        return (
            f"`{method}` is for labelled cases, and these counts are expected from scores. "
            "Use 'predictive', 'delta', 'fieller' or 'bootstrap_percentile'."
        )
    return f"`{method}` needs cases that were counted, and these counts are estimates. Use `Fieller()` or `Delta()`."


def effective_counts(share: Proportion, table: Table, confidence_level: float) -> tuple[Array, Array]:
    """Successes and trials of the simple random sample that the design's data are worth.

    For independent cases these are the counts. Otherwise trials are scaled so that the binomial variance equals
    the design's (Korn and Graubard 1998), also for the heavier tail of Student's t, and never beyond the cases seen.
    """
    marked = share.trials.ravel()
    trials, successes = dot(table.cells, marked * 1.0), dot(table.cells, share.successes.ravel() * 1.0)
    design = table.design
    if design.is_independent:
        return successes, trials
    observed = quotient(successes, trials)
    slopes = share.successes.ravel() - observed[..., None] * marked
    variance = design.variance(table.cells, quotient(slopes, trials[..., None]))
    worth = design.effective_trials(table.cells, marked)
    with np.errstate(invalid="ignore"):
        shows = shows_variation(np.sqrt(variance), observed)
        worth = np.where(shows, quotient(observed * (1 - observed), variance), worth)
        if design.fixes_margins:  # a share of the margins, which the design fixes
            worth = np.where(~shows & (observed > 0) & (observed < 1), np.inf, worth)
        freedom = design.degrees_of_freedom
        if np.isfinite(freedom).any():
            ratio = normal_quantile(confidence_level) / quantile(confidence_level, freedom)
            worth = np.where(np.isnan(ratio), np.nan, np.minimum(worth * ratio**2, trials))
    worth = np.where(trials == 0, 0.0, worth)
    return np.where(trials == 0, successes, observed * worth), worth

"""What every method is given and gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from howsure.designs.counted import Design, FixedMargins, Simple
from howsure.designs.linearised import Linearised
from howsure.errors import HowsureError
from howsure.metrics.metric import Metric, Proportion
from howsure.tables.table import Counts, Table

Array = NDArray[Any]


NOISE = 1e-12  # relative to the value: a standard error below it is rounding
CONSTANT = "the metric does not vary between samples of this design"


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence or credible interval; nan limits come with a reason."""

    low: float
    high: float
    standard_error: float = np.nan
    draws: Array | None = None
    reason: str = ""


@runtime_checkable
class Method(Protocol):
    """A frozen dataclass of settings that turns a metric and a table into an interval."""

    @property
    def name(self) -> str:
        """The word that stands for the method."""
        ...

    def interval(self, metric: Metric, table: Table, confidence_level: float, rng: Any = None) -> Interval:
        """Return the interval of the metric on the table; ``rng`` seeds the methods that draw."""
        ...


@runtime_checkable
class DrawingMethod(Method, Protocol):
    """A method that draws tables: many metrics share one stream of them."""

    def intervals(
        self, metrics: Sequence[Metric], table: Table, confidence_level: float, rng: Any = None
    ) -> list[Interval]:
        """Return the interval of each metric, from the same draws."""
        ...


def normal_quantile(confidence_level: float) -> float:
    """Two-sided standard normal quantile."""
    from scipy import special

    return float(special.ndtri((1 + confidence_level) / 2))


def quantile(confidence_level: float, design: Design) -> float:
    """Two-sided quantile: normal, or Student's t where the design has few degrees of freedom."""
    return student_quantile(confidence_level, design.degrees_of_freedom)


def student_quantile(confidence_level: float, freedom: float) -> float:
    """Two-sided quantile of Student's t; normal for infinite degrees of freedom, nan for none."""
    if np.isposinf(freedom):
        return normal_quantile(confidence_level)
    from scipy import special

    return float(special.stdtrit(freedom, (1 + confidence_level) / 2)) if freedom > 0 else np.nan


def shows_variation(error: float, value: float) -> bool:
    """Whether a standard error is more than what rounding leaves of zero."""
    return bool(error > NOISE * max(1.0, abs(value)))


def standard_error(metric: Metric, table: Table) -> float:
    """Delta-method standard error of the metric; nan where the metric or its slope is."""
    counts = Counts(table.counts, table.kind)
    if not np.isfinite(metric(counts)):
        return np.nan
    gradient = metric.gradient(counts)
    if not np.isfinite(gradient[table.counts > 0]).all():
        return np.nan
    # An empty cell has no cases that vary, unless its count is an estimate cut off at zero.
    variance = table.design.variance(table.counts, np.where(np.isfinite(gradient), gradient, 0.0))
    return float(np.sqrt(variance)) if variance >= 0 else np.nan


def refuse_estimated_counts(method: str, table: Table) -> None:
    """Raise an error where counts are estimates: no number of trials has their noise near 0 and 1."""
    if isinstance(table.design, Linearised):
        message = (
            f"`{method}` needs cases that were counted, and these counts are estimates. Use `Fieller()` or `Delta()`."
        )
        raise HowsureError(message)


def effective_counts(share: Proportion, table: Table, confidence_level: float) -> tuple[float, float]:
    """Successes and trials of the simple random sample that the design's data are worth.

    For independent cases these are the counts. Otherwise trials are scaled so that the binomial variance equals
    the design's (Korn and Graubard 1998), also for the heavier tail of Student's t, and never beyond the cases seen.
    """
    trials = float(table.counts[share.trials].sum())
    successes = float(table.counts[share.successes].sum())
    design = table.design
    if isinstance(design, Simple) or trials == 0:
        return successes, trials
    observed = successes / trials
    gradient = (share.successes - observed * share.trials) / trials
    variance = design.variance(table.counts, gradient)
    worth = design.effective_trials(table.counts, share.trials)
    if shows_variation(np.sqrt(variance), observed):
        worth = observed * (1 - observed) / variance
    elif isinstance(design, FixedMargins) and 0 < observed < 1:
        worth = np.inf  # a share of the margins, which the design fixes
    if np.isfinite(design.degrees_of_freedom):
        worth *= (normal_quantile(confidence_level) / quantile(confidence_level, design)) ** 2
        worth = min(worth, trials)
    return observed * worth, worth

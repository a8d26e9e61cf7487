"""What estimating gives: an estimate, and an evaluation of several."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.methods import Method
from howsure.methods.summary import Probability, Summary, probability_above, summarise
from howsure.metrics.binding import resolve
from howsure.tables.table import Table

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A metric's value with its interval.

    Unpacks as ``value, (low, high)``, and is its value where a float is wanted. What is undefined is nan, with
    the reason in words.

    Parameters
    ----------
    metric
        Spec string of the metric.
    value, low, high
        The observed value and the limits of the interval.
    confidence_level
        Nominal coverage of the interval.
    method
        Name of the method.
    standard_error
        Standard error (of the draws, where there are some).
    draws
        Draws of the metric, where the method makes some.
    reason
        Why something is undefined, or what to know of the number; empty if nothing.

    Examples
    --------
    >>> import howsure as hs
    >>> estimate = hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall")
    >>> print(estimate)
    0.894 [0.774, 0.954]
    >>> value, (low, high) = estimate
    >>> round(value, 3)
    0.894
    """

    metric: str
    value: float
    low: float
    high: float
    confidence_level: float = 0.95
    method: str = ""
    standard_error: float = math.nan
    draws: Array | None = field(default=None, repr=False)
    reason: str = ""

    def __iter__(self) -> Iterator[Any]:
        yield self.value
        yield (self.low, self.high)

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        digits = significant_decimals(self.low, self.high)
        interval = f"[{self.low:.{digits}f}, {self.high:.{digits}f}]"
        text = f"{self.value:.{digits}f} {interval}"
        return f"{text} ({self.reason})" if self.reason else text

    def summary(self, confidence_level: float | None = None) -> Summary:
        """Return what the draws say (median, mean, mode, interval, shape), each number with its Monte Carlo error.

        Raises
        ------
        HowsureError
            If the method made no draws.
        """
        return summarise(self._drawn(), checked_level(confidence_level or self.confidence_level))

    def probability_above(self, threshold: float) -> Probability:
        """Return the share of the draws above a threshold, with its Monte Carlo error.

        Examples
        --------
        >>> import howsure as hs
        >>> table = hs.from_counts([[50, 3], [5, 42]])
        >>> estimate = hs.estimate(table, "recall", method="bayes", random_state=0)
        >>> probability, error = estimate.probability_above(0.85)
        >>> 0.75 < probability < 0.85, error < 0.01
        (True, True)
        """
        return probability_above(self._drawn(), threshold)

    def _drawn(self) -> Array:
        if self.draws is None:
            message = f"`{self.method}` makes no draws. Use 'bootstrap_percentile', 'bootstrap_bca' or 'bayes'."
            raise HowsureError(message)
        return self.draws

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, without the draws."""
        return {
            "metric": self.metric,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "confidence_level": self.confidence_level,
            "method": self.method,
            "standard_error": self.standard_error,
            "reason": self.reason,
        }

    def _repr_html_(self) -> str:
        from howsure.grids import estimate_html

        return estimate_html(self)


def significant_decimals(low: float, high: float) -> int:
    """Decimals that show an interval's width to about two digits, at least 3 and at most 8."""
    width = high - low
    if not math.isfinite(width) or width <= 0:
        return 3
    return min(max(3, 1 - math.floor(math.log10(width))), 8)


def checked_level(confidence_level: float) -> float:
    """Return the level as a float; refuse what is not strictly between 0 and 1."""
    try:
        level = float(confidence_level)
    except (TypeError, ValueError):
        level = math.nan
    if 0 < level < 1:
        return level
    hint = f" Did you mean {level / 100:g}?" if 1 < level < 100 else ""  # noqa: PLR2004 - a percentage
    message = f"`confidence_level` must lie between 0 and 1, not {confidence_level!r}.{hint}"
    raise HowsureError(message)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Several metrics of one table, each with its interval.

    ``evaluation["f1@macro"]`` is an `Estimate`; iterating gives them in order.
    """

    estimates: tuple[Estimate, ...]
    table: Table
    confidence_level: float = 0.95
    threshold: float | None = None
    method: Method | None = None  # None for what suits each metric
    seed: Any = None  # of the methods that draw

    def __getitem__(self, metric: str) -> Estimate:
        for each in self.estimates:
            if each.metric == metric:
                return each
        canonical = resolve(metric, self.table, threshold=self.threshold).name
        for each in self.estimates:
            if each.metric == canonical:
                return each
        raise HowsureError.unknown("metric of this evaluation", metric, [each.metric for each in self.estimates])

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    @property
    def draws(self) -> Array:
        """The draws of all metrics, a structured array with one field a metric; one row is one drawn table.

        Raises
        ------
        HowsureError
            If the method made no draws.
        """
        rows = [each.draws for each in self.estimates if each.draws is not None]
        if len(rows) < len(self.estimates):
            message = (
                "There are no draws: the method makes none. Use 'bootstrap_percentile', 'bootstrap_bca' or 'bayes'."
            )
            raise HowsureError(message)
        names = dict.fromkeys(each.metric for each in self.estimates)  # one metric may be named twice
        joint = np.empty(len(rows[0]), dtype=[(name, float) for name in names])
        for each, row in zip(self.estimates, rows, strict=True):
            joint[each.metric] = row
        return joint

    def correlations(self) -> dict[str, dict[str, float]]:
        """Return how the metrics' draws correlate, over the draws on which all are defined."""
        draws = self.draws
        names = [each.metric for each in self.estimates]
        columns = np.array([draws[name] for name in names])
        matrix = np.atleast_2d(np.corrcoef(columns[:, np.isfinite(columns).all(0)]))
        return {
            name: dict(zip(names, (float(value) for value in row), strict=True))
            for name, row in zip(names, matrix, strict=True)
        }

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the estimates' fields by metric."""
        return {each.metric: each.to_dict() for each in self.estimates}

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record an estimate."""
        return [each.to_dict() for each in self.estimates]

    def to_pandas(self) -> Any:
        """Return a pandas frame, one row a metric."""
        from howsure.grids import to_frame

        return to_frame(self.records(), "pandas")

    def to_polars(self) -> Any:
        """Return a Polars frame, one row a metric."""
        from howsure.grids import to_frame

        return to_frame(self.records(), "polars")

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        from howsure.grids import evaluation_markdown

        return evaluation_markdown(self)

    def to_html(self, title: str = "") -> str:
        """Return a report as one page that needs no other file: see `report_of`.

        Raises
        ------
        HowsureError
            If Jinja2 is not installed.
        """
        from howsure.report.measured import report_of_evaluation

        return report_of_evaluation(self, title).to_html()

    def __str__(self) -> str:
        from howsure.grids import evaluation_text

        return evaluation_text(self)

    def _repr_html_(self) -> str:
        from howsure.grids import evaluation_html

        return evaluation_html(self)

"""The difference of two experiments, from their draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.estimation import significant_decimals
from howsure.methods.summary import Probability, Summary, probability_above, summarise
from howsure.render import interval_text, number, percent

Array = NDArray[Any]
Region = float | tuple[float, float]
# Makowski et al. (2019), Frontiers in Psychology 10: words for a probability of direction.
WORDS = ((0.95, "uncertain"), (0.97, "possible"), (0.99, "likely"), (0.999, "probable"), (math.inf, "certain"))


@dataclass(frozen=True, slots=True)
class Rope:
    """How much of the draws lies below, inside and above a region of practical equivalence.

    ``bayes_factor`` is the odds of the region under the draws over those under two classifiers that guess: above 1
    speaks for practical equivalence. Each number comes with its Monte Carlo error.
    """

    low: float
    high: float
    below: Probability
    inside: Probability
    above: Probability
    bayes_factor: Probability


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """The draws of ``first - second`` in a few numbers.

    Parameters
    ----------
    metric, first, second
        What is compared: a metric, and two experiments, groups or ``"random"``.
    value
        Difference of the observed values.
    summary
        Median, mean, mode, interval … of the drawn difference.
    probability_greater
        P(first > second), with its Monte Carlo error.
    rope
        Probabilities of the region of practical equivalence, where one was named.
    confidence_level
        Level of the summary's interval.
    draws
        The drawn differences.
    """

    metric: str
    first: str
    second: str
    value: float
    summary: Summary
    probability_greater: Probability
    rope: Rope | None
    confidence_level: float
    draws: Array = field(repr=False)

    @property
    def low(self) -> float:
        """Lower limit of the drawn difference."""
        return self.summary.low

    @property
    def high(self) -> float:
        """Upper limit of the drawn difference."""
        return self.summary.high

    @property
    def probability_of_direction(self) -> float:
        """The larger of P(first > second) and P(first < second)."""
        kept = self.draws[np.isfinite(self.draws)]
        return float(max((kept > 0).mean(), (kept < 0).mean())) if kept.size else math.nan

    def record(self) -> dict[str, Any]:
        """Return the numbers as one flat record."""
        summary = self.summary
        return {
            "metric": self.metric,
            "first": self.first,
            "second": self.second,
            "observed": self.value,
            "median": summary.median,
            "mean": summary.mean,
            "mode": summary.mode,
            "low": summary.low,
            "high": summary.high,
            "uncertainty": summary.uncertainty,
            "probability_greater": self.probability_greater.value,
            "probability_greater_error": self.probability_greater.error,
            "probability_of_direction": self.probability_of_direction,
            **self._regions(),
        }

    def _regions(self) -> dict[str, float]:
        nan, none = math.nan, Probability(math.nan, math.nan)
        rope = self.rope or Rope(nan, nan, none, none, none, none)
        return {
            "rope_low": rope.low,
            "rope_high": rope.high,
            "rope_below": rope.below.value,
            "rope_inside": rope.inside.value,
            "rope_above": rope.above.value,
            "bayes_factor": rope.bayes_factor.value,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as one flat record."""
        return self.record()

    def __str__(self) -> str:
        digits = significant_decimals(self.summary.low, self.summary.high)
        interval = interval_text(self.summary.low, self.summary.high, digits)
        text = (
            f"{self.metric}: {self.first} less {self.second} is {number(self.summary.median, digits)} {interval} "
            f"(median, {percent(self.confidence_level)} interval). "
            f"P({self.first} > {self.second}) = {self.probability_greater.value:.3f}: that they differ in this "
            f"direction is {self.word}."
        )
        if self.rope is None:
            return text
        rope = self.rope
        return (
            f"{text} Within [{rope.low:g}, {rope.high:g}] with probability {rope.inside.value:.3f}, below with "
            f"{rope.below.value:.3f}, above with {rope.above.value:.3f}."
        )

    @property
    def word(self) -> str:
        """How sure the direction is, in one word."""
        if math.isnan(self.probability_of_direction):
            return "undefined"
        return next(word for limit, word in WORDS if self.probability_of_direction <= limit)


def difference(
    metric: str,
    names: tuple[str, str],
    draws: tuple[Array, Array],
    value: float,
    *,
    rope: Region | None,
    confidence_level: float,
    guesses: Array | None = None,
) -> Difference:
    """Return the difference of two arrays of draws; ``guesses`` are those of two classifiers that guess."""
    drawn = draws[0] - draws[1]
    regions = None if rope is None else _regions(_region(rope), drawn, guesses)
    summary, greater = summarise(drawn, confidence_level), probability_above(drawn, 0.0)
    return Difference(metric, *names, value, summary, greater, regions, confidence_level, drawn)


def _region(rope: Region) -> tuple[float, float]:
    ends = tuple(rope) if isinstance(rope, Sequence) else (-rope, rope)
    if len(ends) == 2 and all(map(math.isfinite, ends)) and ends[0] < ends[1]:  # noqa: PLR2004 - low and high
        return float(ends[0]), float(ends[1])
    message = f"`rope` is the largest difference that does not matter, or a pair (low, high), not {rope!r}."
    raise HowsureError(message)


def _regions(region: tuple[float, float], drawn: Array, guesses: Array | None) -> Rope:
    low, high = region
    inside = _within(drawn, region)
    factor = Probability(math.nan, math.nan) if guesses is None else _odds_ratio(inside, _within(guesses, region))
    return Rope(low, high, probability_above(-drawn, -low), inside, probability_above(drawn, high), factor)


def _within(drawn: Array, region: tuple[float, float]) -> Probability:
    """Return the share of the defined draws within a region, ends included."""
    kept = drawn[np.isfinite(drawn)]
    return probability_above(((kept >= region[0]) & (kept <= region[1])).astype(float), 0.5)


def _odds_ratio(part: Probability, whole: Probability) -> Probability:
    """Return the ratio of two odds, with the Monte Carlo error of its logarithm carried over."""
    first, second = (share.value / (1 - share.value) if share.value < 1 else math.inf for share in (part, whole))
    if not (0 < first < math.inf and 0 < second < math.inf):
        bounded = first / second if second not in {0.0, math.inf} else math.nan
        return Probability(bounded, math.nan)
    relative = math.hypot(*(share.error / (share.value * (1 - share.value)) for share in (part, whole)))
    return Probability(first / second, first / second * relative)

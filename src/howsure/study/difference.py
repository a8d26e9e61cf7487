"""The difference of two experiments, from their draws."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.estimation import significant_decimals
from howsure.methods.summary import Probability, Summary, probability_above, summarise
from howsure.render import interval_text, number, percent

Array = NDArray[Any]
# Makowski et al. (2019), Frontiers in Psychology 10: words for a probability of direction.
WORDS = ((0.95, "uncertain"), (0.97, "possible"), (0.99, "likely"), (0.999, "probable"), (math.inf, "certain"))


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """The draws of ``first - second`` in a few numbers.

    Parameters
    ----------
    metric, first, second
        What is compared: a metric, and two experiments, groups or ``"random"``.
    observed
        Difference of the observed values.
    summary
        Median, mean, mode, interval … of the drawn difference.
    probability_greater
        P(first > second), with its Monte Carlo error.
    rope
        Half width of the region of practical equivalence, None if none was named.
    rope_below, rope_inside, rope_above
        Probabilities that the difference is below ``-rope``, within, and above ``rope``, with their errors.
    bayes_factor
        Odds of the region under the draws over those under two classifiers that guess; above 1 speaks for practical
        equivalence.
    confidence_level
        Level of the summary's interval.
    draws
        The drawn differences.
    """

    metric: str
    first: str
    second: str
    observed: float
    summary: Summary
    probability_greater: Probability
    rope: float | None
    rope_below: Probability
    rope_inside: Probability
    rope_above: Probability
    bayes_factor: float
    confidence_level: float
    draws: Array = field(repr=False)

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
            "observed": self.observed,
            "median": summary.median,
            "mean": summary.mean,
            "mode": summary.mode,
            "low": summary.low,
            "high": summary.high,
            "uncertainty": summary.uncertainty,
            "probability_greater": self.probability_greater.value,
            "probability_greater_error": self.probability_greater.error,
            "probability_of_direction": self.probability_of_direction,
            "rope": math.nan if self.rope is None else self.rope,
            "rope_below": self.rope_below.value,
            "rope_inside": self.rope_inside.value,
            "rope_above": self.rope_above.value,
            "bayes_factor": self.bayes_factor,
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
        return (
            f"{text} Within ±{self.rope:g} with probability {self.rope_inside.value:.3f}, below with "
            f"{self.rope_below.value:.3f}, above with {self.rope_above.value:.3f}."
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
    observed: float,
    *,
    rope: float | None,
    confidence_level: float,
    guesses: Array | None = None,
) -> Difference:
    """Return the difference of two arrays of draws; ``guesses`` are those of two classifiers that guess."""
    drawn = draws[0] - draws[1]
    none = Probability(math.nan, math.nan)
    below, inside, above, factor = none, none, none, math.nan
    if rope is not None:
        if not (math.isfinite(rope) and rope > 0):
            message = f"`rope` is the largest difference that does not matter, a number above 0, not {rope!r}."
            raise HowsureError(message)
        below, above = probability_above(-drawn, rope), probability_above(drawn, rope)
        inside = _inside(drawn, rope)
        if guesses is not None:
            factor = _ratio(_odds(inside.value), _odds(_inside(guesses, rope).value))
    return Difference(
        metric,
        *names,
        observed,
        summarise(drawn, confidence_level),
        probability_above(drawn, 0.0),
        rope,
        below,
        inside,
        above,
        factor,
        confidence_level,
        drawn,
    )


def _inside(drawn: Array, rope: float) -> Probability:
    kept = drawn[np.isfinite(drawn)]
    # A strict bound one step further is the closed region.
    return probability_above(-np.abs(kept), math.nextafter(-rope, -math.inf))


def _odds(probability: float) -> float:
    return probability / (1 - probability) if probability < 1 else math.inf


def _ratio(part: float, whole: float) -> float:
    if math.isinf(part) and math.isinf(whole):
        return math.nan
    return part / whole if whole > 0 else math.inf if part > 0 else math.nan

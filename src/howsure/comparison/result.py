"""What a comparison of two models says: the contrast with its interval, tests, probabilities and words."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import NDArray

from howsure.comparison.rope import Rope, share_within
from howsure.errors import HowsureError
from howsure.estimates.evaluation import Estimate, checked_level, significant_decimals
from howsure.methods.inversion import Limits, p_text, p_value
from howsure.methods.summary import Probability, Summary, probability_above, summarise
from howsure.metrics.contrast import EFFECTS

if TYPE_CHECKING:
    from howsure.grids import Grid

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class MarginTest:
    """A test of non-inferiority or equivalence for a margin.

    ``shown`` says whether the p-value is at most one minus the confidence level. Posterior draws give the
    ``probability`` of it instead of a p-value, and ``shown`` says whether that reaches the confidence level.
    """

    question: Literal["non-inferiority", "equivalence"]
    margin: float
    p_value: float
    probability: float
    shown: bool
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The contrast of a metric of two models, with its interval.

    Parameters
    ----------
    metric
        Spec string of the metric.
    contrast
        ``"difference"`` (first − second), ``"ratio"`` or ``"odds_ratio"``.
    a, b
        Estimates of the first and the second model.
    names
        The names of the two models.
    value, low, high
        The observed contrast and the limits of its interval.
    p_value
        Two-sided p-value of no difference: one less the level at which the interval would end there. nan for
        posterior draws.
    standard_error
        Standard error of the contrast (of the draws, where there are some).
    confidence_level, method, draws, reason
        As of an `Estimate`.
    rope
        Probabilities of the region of practical equivalence, where one was given and the method draws.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1, 0], {"A": [1, 1, 0, 1, 1, 0], "B": [1, 0, 0, 1, 0, 1]})
    >>> print(hs.compare(table, "accuracy"))
    accuracy: A − B = 0.500 [-0.086, 0.812], p = 0.083
    """

    metric: str
    contrast: str
    a: Estimate
    b: Estimate
    names: tuple[str, str]
    value: float
    low: float
    high: float
    p_value: float
    standard_error: float
    confidence_level: float
    method: str
    better: str = "higher"
    draws: Array | None = field(default=None, repr=False)
    rope: Rope | None = None
    reason: str = ""
    _limits: Limits = field(default=lambda level: (math.nan, math.nan), repr=False)  # noqa: ARG005

    def __str__(self) -> str:
        words = EFFECTS[self.contrast].words(*self.names)
        digits = significant_decimals(self.low, self.high)
        interval = f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"
        text = f"{self.metric}: {words} = {interval}"
        text += "" if math.isnan(self.p_value) else f", {p_text(self.p_value)}"
        return f"{text} ({self.reason})" if self.reason else text

    @property
    def null(self) -> float:
        """The contrast of two equal models: 0, or 1 for a ratio."""
        return EFFECTS[self.contrast].null

    def summary(self, confidence_level: float | None = None) -> Summary:
        """Return what the draws say (median, mean, mode, interval, shape), each number with its Monte Carlo error.

        Raises
        ------
        HowsureError
            If the method made no draws.
        """
        return summarise(self._drawn(), checked_level(confidence_level or self.confidence_level))

    @property
    def probability_greater(self) -> Probability:
        """Probability that the first model's metric is the greater one, with its Monte Carlo error.

        Of posterior draws it is that, given the prior; of bootstrap draws the share of resamples, which comes close to
        it under a flat prior.

        Raises
        ------
        HowsureError
            If the method made no draws.
        """
        return probability_above(self._drawn(), self.null)

    @property
    def probability_of_direction(self) -> Probability:
        """Probability of the likelier direction, between 0.5 and 1, with its Monte Carlo error."""
        greater, less = self.probability_greater, probability_above(-self._drawn(), -self.null)
        return greater if greater.value >= less.value else less

    def non_inferiority(self, margin: float) -> MarginTest:
        """Test whether the first model is worse than the second by less than a margin.

        Parameters
        ----------
        margin
            Positive, in the metric's units; chosen before the data were seen.
        """
        self._check_margin(margin)
        first, second = self.names
        bounds, side = ((-math.inf, margin), "above") if self.better == "lower" else ((-margin, math.inf), "below")
        claim = f"{first} is no more than {margin:g} {side} {second}"
        return self._margin_test("non-inferiority", margin, bounds, claim)

    def equivalence(self, margin: float) -> MarginTest:
        """Test whether the two models differ by less than a margin either way (two one-sided tests).

        Parameters
        ----------
        margin
            Positive, in the metric's units; chosen before the data were seen.

        References
        ----------
        Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15.
        """
        self._check_margin(margin)
        claim = "{} and {} differ by less than {:g}".format(*self.names, margin)
        return self._margin_test("equivalence", margin, (-margin, margin), claim)

    def _margin_test(
        self,
        question: Literal["non-inferiority", "equivalence"],
        margin: float,
        bounds: tuple[float, float],
        claim: str,
    ) -> MarginTest:
        from howsure.grids import percent

        size = round(1 - self.confidence_level, 12)
        if self.draws is not None and math.isnan(self.p_value):
            probability = share_within(self.draws, bounds).value
            sentence = f"Given the data and the prior, {claim} in {self.metric} with probability {probability:.3f}."
            return MarginTest(question, margin, math.nan, probability, probability >= self.confidence_level, sentence)
        low, high = bounds
        tails = [] if math.isinf(low) else [self._one_sided(low, above=True)]
        tails += [] if math.isinf(high) else [self._one_sided(high, above=False)]
        p = math.nan if any(map(math.isnan, tails)) else max(tails)
        shown = p <= size
        tested = f"one-sided {p_text(p)}, tested at {percent(size)}"
        if math.isnan(p):
            sentence = f"{question.capitalize()} in {self.metric} cannot be tested: {self.reason or 'no interval'}."
        elif shown:
            sentence = f"The data show that {claim} in {self.metric} ({tested})."
        else:
            sentence = (
                f"The data do not show that {claim} in {self.metric} ({tested}). That is not evidence of the opposite."
            )
        return MarginTest(question, margin, p, math.nan, shown, sentence)

    def _check_margin(self, margin: float) -> None:
        if self.contrast != "difference":
            message = f"A margin is for a difference, not for contrast='{self.contrast}'."
            raise HowsureError(message)
        if not (isinstance(margin, int | float) and margin > 0 and math.isfinite(margin)):
            message = f"`margin` is the largest difference that does not matter, a positive number, not {margin!r}."
            raise HowsureError(message)

    def _one_sided(self, null: float, *, above: bool) -> float:
        """Return the p-value of the contrast not being above (or below) a value."""
        two_sided = p_value(self._limits, self.value, null)
        return two_sided / 2 if (self.value > null) == above else 1 - two_sided / 2

    def _drawn(self) -> Array:
        if self.draws is None:
            message = f"`{self.method}` makes no draws. Use method='bayes' or 'bootstrap_percentile'."
            raise HowsureError(message)
        return self.draws

    def sentence(self) -> str:
        """Return what the numbers mean, in plain words that claim no more than they say."""
        from howsure.grids import comparison_sentence

        return comparison_sentence(self)

    def to_dict(self) -> dict[str, Any]:
        """Return one flat record, without the draws."""
        record = {
            "metric": self.metric,
            "contrast": self.contrast,
            "first": self.names[0],
            "second": self.names[1],
            "first_value": self.a.value,
            "second_value": self.b.value,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "p_value": self.p_value,
            "standard_error": self.standard_error,
            "confidence_level": self.confidence_level,
            "method": self.method,
            "reason": self.reason,
        }
        if self.draws is not None:
            record["probability_greater"] = self.probability_greater.value
        if self.rope is not None:
            parts = {"below": self.rope.below, "inside": self.rope.inside, "above": self.rope.above}
            record |= {"rope_low": self.rope.low, "rope_high": self.rope.high}
            record |= {f"rope_{name}": part.value for name, part in parts.items()}
            record["bayes_factor"] = self.rope.bayes_factor.value
        return record

    def by_name(self) -> dict[str, Comparison]:
        """Return the comparison by what is compared, such as ``"A − B"``."""
        return {EFFECTS[self.contrast].words(*self.names): self}

    def records(self) -> list[dict[str, Any]]:
        """Return the record in a list, as of a comparison of many models."""
        return [self.to_dict()]

    def to_pandas(self) -> Any:
        """Return a pandas frame of one row."""
        from howsure.grids import to_frame

        return to_frame(self.records(), "pandas")

    def to_polars(self) -> Any:
        """Return a Polars frame of one row."""
        from howsure.grids import to_frame

        return to_frame(self.records(), "polars")

    def grid(self) -> Grid:
        """Return a table of strings: either model, and the contrast."""
        from howsure.grids import comparison_grid

        return comparison_grid([self])

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        return self.grid().markdown()

    def _repr_html_(self) -> str:
        return self.grid().html()

"""Results of comparing two models: the contrast with its interval, tests, probabilities and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from howsure.arrays import Array
from howsure.comparison.limits import ContrastLimits
from howsure.comparison.margin import MarginTest
from howsure.comparison.rope import Rope, share_within
from howsure.errors import HowsureError, one_of
from howsure.estimates.draws_mixin import Drawn
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.estimates.named import Named
from howsure.estimates.sentences import Style, capitalized
from howsure.grids import Grid, OneRecord
from howsure.methods.core.interval_spec import IntervalSpec
from howsure.methods.numerics.draw_summaries import Probability, probability_above
from howsure.metrics.contrast import EFFECTS
from howsure.metrics.descriptions import metric_words
from howsure.numbers import interval_text, number, p_cell, p_text, percent, significant_decimals, value_text


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Comparison(OneRecord, Drawn, Named):
    """The contrast of a metric of two models, with its interval.

    Parameters
    ----------
    metric : str
        Spec string of the metric.
    contrast : {"difference", "ratio", "odds_ratio"}
        ``"difference"`` is first − second.
    a, b : Estimate
        Estimates of the first and the second model.
    names : tuple of two str
        The names of the two models.
    value, low, high : float
        The observed contrast and the limits of its interval.
    p_value : float
        p-value of no difference, two-sided or for the requested side: 1 minus the confidence level at which a limit of
        the interval equals the null value. nan for posterior draws.
    standard_error : float
        Standard error of the contrast; that of the draws, if there are any.
    confidence_level : float
        Nominal coverage of the interval.
    method : str
        Name of the method.
    draws : ndarray of shape (n_draws,), optional
        Draws of the contrast, for methods that draw.
    reason : str
        Why a number is undefined, or a caveat about it. Empty if there is neither.
    better : {"higher", "lower", "neither"}
        Which values of the metric are better.
    rope : Rope, optional
        Probabilities of the region of practical equivalence, if one was given and the method draws.
    limits : ContrastLimits, optional
        The inputs for tests of other null values.

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
    draws: Array | None = None
    rope: Rope | None = None
    reason: str = ""
    limits: ContrastLimits | None = None

    def __str__(self) -> str:
        words = EFFECTS[self.contrast].words(*self.names)
        text = f"{self.label}: {words} = {value_text(self.value, self.low, self.high)}"
        text += "" if math.isnan(self.p_value) else f", {p_text(self.p_value)}"
        notes = [] if self.a.is_positive_stated or not self.a.positive else [f"positive: {self.a.positive}"]
        notes += [self.reason] * bool(self.reason)
        return f"{text} ({'; '.join(notes)})" if notes else text

    @property
    def label(self) -> str:
        """Name of the metric as requested, for printing."""
        return self.a.label

    @property
    def null(self) -> float:
        """The contrast of two equal models: 0, or 1 for a ratio."""
        return EFFECTS[self.contrast].null

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest possible value of the contrast."""
        return EFFECTS[self.contrast].bounds(*self.a.bounds)

    @property
    def is_settled(self) -> bool:
        """Whether the interval excludes equality, and the p-value, which may be adjusted for many comparisons, too."""
        if not (self.high < self.null or self.low > self.null):
            return False
        return not self.p_value > (1 - self.confidence_level) * (1 + 1e-6)

    @property
    def e_value(self) -> float:
        """E-value against no difference by ``method="anytime"``, valid at any look; nan for other methods.

        Its expectation is at most 1 if there is no difference, so e-values of independent data may be multiplied.

        Examples
        --------
        >>> import howsure as hs
        >>> first, second = hs.from_counts([[500, 30], [50, 420]]), hs.from_counts([[400, 130], [90, 380]])
        >>> found = hs.compare(first, second, "accuracy", method="anytime")
        >>> round(found.e_value * found.p_value, 6)
        1.0
        """
        return math.nan if self.limits is None else self.limits.e_value(self.null)

    @property
    def probability_greater(self) -> Probability:
        """Probability that the first model's metric is greater, with its Monte Carlo error.

        For posterior draws it is the posterior probability; for bootstrap draws it is the proportion of resamples,
        which approximates the posterior probability under a flat prior.

        Returns
        -------
        Probability
            ``value`` and ``error``.

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
        margin : float
            Positive, in the metric's units; chosen before the data were seen.

        Returns
        -------
        MarginTest

        Raises
        ------
        HowsureError
            If the margin is not a positive number, or the contrast is no difference.

        Examples
        --------
        >>> import howsure as hs
        >>> new, old = hs.from_counts([[500, 30], [50, 420]]), hs.from_counts([[490, 40], [60, 410]])
        >>> print(hs.compare(new, old, "accuracy", a="new", b="old").non_inferiority(0.02))
        The data show that new is no more than 0.02 below old in accuracy (one-sided p < 0.001, tested at 5 %).
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
        margin : float
            Positive, in the metric's units; chosen before the data were seen.

        Returns
        -------
        MarginTest

        Raises
        ------
        HowsureError
            If the margin is not a positive number, or the contrast is no difference.

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
        size = round(1 - self.confidence_level, 12)
        if self.draws is not None and math.isnan(self.p_value):
            probability = share_within(self.draws, bounds).value
            sentence = f"Given the data and the prior, {claim} in {self.label} with probability {probability:.3f}."
            return MarginTest(
                question=question,
                margin=margin,
                p_value=math.nan,
                probability=probability,
                shown=probability >= self.confidence_level,
                sentence=sentence,
            )
        low, high = bounds
        tails = [] if math.isinf(low) else [self._one_sided(low, above=True)]
        tails += [] if math.isinf(high) else [self._one_sided(high, above=False)]
        p = math.nan if any(map(math.isnan, tails)) else max(tails)
        shown = p <= size
        tested = f"one-sided {p_text(p)}, tested at {percent(size)}"
        if math.isnan(p):
            sentence = f"{question.capitalize()} in {self.label} cannot be tested: {self.reason or 'no interval'}."
        elif shown:
            sentence = f"The data show that {claim} in {self.label} ({tested})."
        else:
            sentence = (
                f"The data do not show that {claim} in {self.label} ({tested}). That is not evidence of the opposite."
            )
        return MarginTest(
            question=question, margin=margin, p_value=p, probability=math.nan, shown=shown, sentence=sentence
        )

    def _check_margin(self, margin: float) -> None:
        if self.contrast != "difference":
            raise HowsureError(f"A margin is for a difference, not for contrast='{self.contrast}'.")
        if not (isinstance(margin, int | float) and margin > 0 and math.isfinite(margin)):
            raise HowsureError(
                f"`margin` is the largest difference that does not matter, a positive number, not {margin!r}."
            )

    def _one_sided(self, null: float, *, above: bool) -> float:
        """Return the p-value of the contrast not being above (or below) a value."""
        two_sided = math.nan if self.limits is None else self.limits.p_value(null)
        if self.limits is not None and self.limits.method.is_anytime_valid and not math.isnan(two_sided):
            return two_sided if (self.value > null) == above else 1.0  # half of it would not be valid at every look
        return IntervalSpec(self.confidence_level, "greater" if above else "less").p_value(two_sided, self.value, null)

    def sentence(self, style: Style = "card") -> str:
        """Return the comparison as one sentence, with the interval, the p-value and the number of paired cases.

        Parameters
        ----------
        style : {"card", "clinical", "ml"}
            Plain words for an evaluation card; or the form of a clinical paper; or of a machine-learning paper, with
            differences of proportions in percentage points.

        Raises
        ------
        HowsureError
            If there is no such style.

        Examples
        --------
        >>> import howsure as hs
        >>> models = hs.paired([1, 1, 0, 0, 1, 0] * 9, {"A": [1, 1, 0, 1, 1, 0] * 9, "B": [1, 0, 0, 1, 0, 1] * 9})
        >>> print(hs.compare(models, "accuracy").sentence("ml"))
        Accuracy: A − B = +50.0 points (95 % CI +37.1 to +62.9, p < 0.001; paired, n = 54).
        """
        return comparison_sentence(self, style)

    def to_dict(self) -> dict[str, Any]:
        """Return one flat record, without the draws."""
        record = {
            "metric": self.label,
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
            "positive": self.a.positive,
            "reason": self.reason,
        }
        if self.draws is not None:
            record["probability_greater"] = self.probability_greater.value
        if self.rope is not None:
            parts = self.rope.to_dict()
            factor = parts.pop("bayes_factor")
            record |= {f"rope_{name}": part for name, part in parts.items()} | {"bayes_factor": factor}
        return record

    def by_name(self) -> dict[str, Comparison]:
        """Return the comparison by name, such as ``"A − B"``."""
        return {EFFECTS[self.contrast].words(*self.names): self}

    def grid(self) -> Grid:
        """Return a table of strings: either model, and the contrast."""
        return comparison_grid([self])


def comparison_grid(comparisons: Sequence[Comparison]) -> Grid:
    """Return both values, the contrast, its interval, p-value and method of each comparison."""
    rows = []
    for each in comparisons:
        decimals = significant_decimals(each.low, each.high)
        chance = p_cell(each.p_value)
        rows.append(
            (
                f"{each.label}: {EFFECTS[each.contrast].words(*each.names)}",
                number(each.a.value, decimals),
                number(each.b.value, decimals),
                number(each.value, decimals),
                interval_text(each.low, each.high, decimals),
                chance,
                each.method,
            )
        )
    notes = [f"{each.label}: {each.reason}" for each in comparisons if each.reason]
    notes += positive_notes(each.a for each in comparisons)
    level = percent(comparisons[0].confidence_level)
    contrast = comparisons[0].contrast.replace("_", " ")
    headers = ("metric", "first", "second", contrast, f"{level} interval", "p", "method")
    return Grid(headers, tuple(rows), "; ".join(dict.fromkeys(notes)))


def comparison_sentence(comparison: Comparison, style: Style) -> str:
    """Return a sentence on the result of a comparison; see `Comparison.sentence`."""
    one_of("style", style, get_args(Style))
    first, second = comparison.names
    if style != "card" and not (math.isnan(comparison.value) or math.isnan(comparison.low)):
        return _paper_sentence(comparison, style)
    each, decimals = comparison, significant_decimals(comparison.low, comparison.high)
    metric = metric_words(each.label)
    if math.isnan(each.value) or math.isnan(each.low):
        return f"{first} and {second} cannot be compared in {metric}: {each.reason}."
    ends = f"{number(each.low, decimals)} to {number(each.high, decimals)}"
    seen = f"{EFFECTS[each.contrast].words(first, second)} = {number(each.value, decimals)}"
    lower = f" Lower values of {metric} are better." if each.better == "lower" else ""
    if math.isnan(each.p_value):
        probability, error = each.probability_greater
        chance = f"{_share(probability)} (Monte Carlo error {max(error, 0.001):.3f})"
        return (
            f"Given the data and the prior, {first} has the higher {metric} with probability {chance}: {seen}, "
            f"{percent(each.confidence_level)} credible interval {ends}.{_rope_sentence(each)}{lower}"
        )
    evidence = f"{seen}, {percent(each.confidence_level)} interval {ends}, {p_text(each.p_value)}, by {each.method}"
    if not each.is_settled:
        return (
            f"The data do not settle which of {first} and {second} has the higher {metric} ({evidence}). They are "
            f"compatible with every {each.contrast.replace('_', ' ')} in the interval, and do not show that the two "
            f"are equal.{lower}"
        )
    more, less = (first, second) if each.value > each.null else (second, first)
    return f"The data show a higher {metric} of {more} than of {less} ({evidence}).{lower}"


def _paper_sentence(each: Comparison, style: Style) -> str:
    """Return contrast, interval, p-value and number of cases, in the format of papers."""
    in_points = style == "ml" and each.contrast == "difference"
    is_share = in_points and each.a.bounds[0] >= 0 and each.a.bounds[1] <= 1
    unit, sign = (100.0, "+") if is_share else (1.0, "+" if each.contrast == "difference" else "")
    decimals = significant_decimals(each.low, each.high) - (2 if is_share else 0)
    value, low, high = (
        f"{unit * end:{sign}.{decimals}f}".replace("-", "−") for end in (each.value, each.low, each.high)
    )
    interval = "credible interval" if math.isnan(each.p_value) else "CI"
    level = percent(each.confidence_level, is_spaced=style != "clinical")
    said = [f"{level} {interval} {low} to {high}"]
    said += [] if math.isnan(each.p_value) else [p_text(each.p_value)]
    joint = None if each.limits is None else each.limits.joint()
    is_paired = joint is not None and len(joint.design.test_sets) < 2
    size = f"; paired, n = {int(joint.rows):,}" if joint is not None and is_paired else ""
    tie = "" if each.is_settled else "; the difference is not significant"
    return (
        f"{capitalized(metric_words(each.label))}: {EFFECTS[each.contrast].words(*each.names)} = {value}"
        f"{' points' if is_share else ''} ({', '.join(said)}{size}){tie}."
    )


def _rope_sentence(comparison: Comparison) -> str:
    """Return a sentence on the region of practical equivalence, if there is one."""
    if comparison.rope is None:
        return ""
    rope = comparison.rope
    return (
        f" It lies within [{rope.low:g}, {rope.high:g}] with probability {_share(rope.inside.value)}, below with "
        f"{_share(rope.below.value)}, above with {_share(rope.above.value)}."
    )


def _share(probability: float) -> str:
    """Return a proportion of draws as text; one that is not 0 or 1 is not rounded to it."""
    if probability < 0.0005:
        return "below 0.001"
    return "above 0.999" if probability > 0.9995 else f"{probability:.3f}"

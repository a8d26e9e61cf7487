"""What a comparison means, in a sentence: in plain words, or as papers have it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

from howsure.errors import one_of
from howsure.grids import number, p_text, percent, significant_decimals
from howsure.metrics.contrast import EFFECTS
from howsure.metrics.words import metric_words
from howsure.tables.paired import SeparateTables

if TYPE_CHECKING:
    from howsure.comparison.result import Comparison

ComparisonStyle = Literal["plain", "clinical", "ml"]


def comparison_sentence(comparison: Comparison, style: ComparisonStyle = "plain") -> str:
    """Return what a comparison means in a sentence, see `Comparison.sentence`."""
    one_of("style", style, get_args(ComparisonStyle))
    first, second = comparison.names
    if style != "plain" and not (math.isnan(comparison.value) or math.isnan(comparison.low)):
        return _paper_sentence(comparison, in_points=style == "ml" and comparison.contrast == "difference")
    each, decimals = comparison, significant_decimals(comparison.low, comparison.high)
    if math.isnan(each.value) or math.isnan(each.low):
        return f"{first} and {second} cannot be compared in {each.label}: {each.reason}."
    ends = f"{number(each.low, decimals)} to {number(each.high, decimals)}"
    seen = f"{EFFECTS[each.contrast].words(first, second)} = {number(each.value, decimals)}"
    lower = f" Lower values of {each.label} are better." if each.better == "lower" else ""
    if math.isnan(each.p_value):
        probability, error = each.probability_greater
        chance = f"{_share(probability)} (Monte Carlo error {max(error, 0.001):.3f})"
        return (
            f"Given the data and the prior, {first} has the higher {each.label} with probability {chance}: {seen}, "
            f"{percent(each.confidence_level)} credible interval {ends}.{_rope_sentence(each)}{lower}"
        )
    evidence = f"{seen}, {percent(each.confidence_level)} interval {ends}, {p_text(each.p_value)}, by {each.method}"
    if not settled(each):
        return (
            f"The data do not settle which of {first} and {second} has the higher {each.label} ({evidence}). They are "
            f"compatible with every {each.contrast.replace('_', ' ')} in the interval, and do not show that the two "
            f"are equal.{lower}"
        )
    more, less = (first, second) if each.value > each.null else (second, first)
    return f"The data show a higher {each.label} of {more} than of {less} ({evidence}).{lower}"


def _paper_sentence(each: Comparison, *, in_points: bool) -> str:
    """Return contrast, interval, p-value and number of cases, as papers have them."""
    is_share = in_points and each.a.bounds[0] >= 0 and each.a.bounds[1] <= 1
    unit, sign = (100.0, "+") if is_share else (1.0, "+" if each.contrast == "difference" else "")
    decimals = significant_decimals(each.low, each.high) - (2 if is_share else 0)
    value, low, high = (
        f"{unit * end:{sign}.{decimals}f}".replace("-", "−") for end in (each.value, each.low, each.high)
    )
    interval = "credible interval" if math.isnan(each.p_value) else "CI"
    said = [f"{percent(each.confidence_level)} {interval} {low} to {high}"]
    said += [] if math.isnan(each.p_value) else [p_text(each.p_value)]
    joint = None if each.limits is None else each.limits.joint()
    size = "" if joint is None or isinstance(joint, SeparateTables) else f"; paired, n = {int(joint.rows):,}"
    what = metric_words(each.label)
    tie = "" if settled(each) else "; the data do not tell the two apart"
    return (
        f"{what[:1].upper()}{what[1:]}: {EFFECTS[each.contrast].words(*each.names)} = {value}"
        f"{' points' if is_share else ''} ({', '.join(said)}{size}){tie}."
    )


def settled(comparison: Comparison) -> bool:
    """Whether a comparison shows which value is higher: by its interval, and by its p-value where there is one.

    A p-value adjusted for many comparisons asks for more than the interval of one.
    """
    each = comparison
    if not (each.high < each.null or each.low > each.null):
        return False
    return not each.p_value > (1 - each.confidence_level) * (1 + 1e-6)


def _rope_sentence(comparison: Comparison) -> str:
    """Return what the draws say of a region of practical equivalence, where there is one."""
    if comparison.rope is None:
        return ""
    rope = comparison.rope
    return (
        f" It lies within [{rope.low:g}, {rope.high:g}] with probability {_share(rope.inside.value)}, below with "
        f"{_share(rope.below.value)}, above with {_share(rope.above.value)}."
    )


def _share(probability: float) -> str:
    """Return a share of draws: what is not certain is not rounded to it."""
    if probability < 0.0005:
        return "below 0.001"
    return "above 0.999" if probability > 0.9995 else f"{probability:.3f}"

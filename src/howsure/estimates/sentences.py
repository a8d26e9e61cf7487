"""Estimates and evaluations as sentences for a paper, a model card or a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal, Protocol, get_args

from howsure.errors import one_of
from howsure.metrics.descriptions import metric_words
from howsure.numbers import number, percent, significant_decimals


class Quoted(Protocol):
    """The fields of an estimate that appear in its sentence."""

    label: str
    positive: str
    low: float
    high: float
    bounds: tuple[float, float]
    confidence_level: float
    method: str
    cases: int
    counts: tuple[int, int] | None
    reason: str

    @property
    def value(self) -> float:
        """The observed value."""


Style = Literal["clinical", "ml", "card"]
METHODS = {  # descriptions for a methods section, for names that are not self-explanatory
    "mid_p": "mid-p exact interval",
    "flow": "score interval (flow)",
    "delong_score": "DeLong score interval",
    "delong": "DeLong interval",
    "wilson": "Wilson score interval",
    "clopper_pearson": "Clopper–Pearson exact interval",
    "tango": "Tango score interval",
    "nam_blackwelder": "Nam–Blackwelder score interval",
    "empirical_likelihood_score": "empirical-likelihood score interval",
    "bootstrap_bca": "BCa bootstrap interval",
    "bootstrap_percentile": "percentile bootstrap interval",
    "bayes": "posterior interval",
    "two_rates": "interval from both rates' mid-p intervals",
    "extremes": "simultaneous intervals of the classes",
    "delta": "delta-method interval",
}
MOST_PERCENT = 1.0  # largest upper bound of metrics that are printed in per cent


def sentence_of(each: Quoted, style: Style) -> str:
    """Return an estimate as one sentence; see `Estimate.sentence`."""
    one_of("style", style, get_args(Style))
    what = capitalized(subject(each.label, each.positive) or "value")
    if math.isnan(each.value):
        return f"{what} is undefined: {each.reason.removeprefix('undefined: ') or 'it has no value on these cases'}."
    return WRITERS[style](what, each)


def subject(label: str, positive: str = "") -> str:
    """Return a metric in words, with the positive class if it has a name."""
    return f"{metric_words(label)} of {positive}" if positive else metric_words(label)


def capitalized(text: str) -> str:
    """Return the text with a capital first letter; the others stay as they are."""
    return text[:1].upper() + text[1:]


def _clinical(what: str, each: Quoted) -> str:
    value, low, high = quoted_numbers(each)
    about = [f"{percent(each.confidence_level, is_spaced=False)} CI {low} to {high}" if low else "no interval"]
    if each.counts is not None:
        about.append(f"{each.counts[0]:,} of {each.counts[1]:,}")
    elif each.cases:
        about.append(f"{each.cases:,} cases")
    return f"{what} was {value} ({'; '.join([*about, *_method(each)])})."


def _ml(what: str, each: Quoted) -> str:
    value, low, high = quoted_numbers(each, 100.0 if in_percent(each) else 1.0)
    unit = " %" if in_percent(each) else ""
    interval = f"{percent(each.confidence_level)} CI {low}–{high}{unit}" if low else "no interval"
    size = [f"n = {each.cases:,}"] if each.cases else []
    return f"{what}: {value}{unit} ({'; '.join([', '.join([interval, *size]), *_method(each)])})."


def _card(what: str, each: Quoted) -> str:
    value, low, high = quoted_numbers(each)
    cases = f"these {each.cases:,} cases" if each.cases else "the data"
    if not low:
        return f"{what} is {value}; {cases} give no interval."
    level = percent(each.confidence_level)
    return f"{what} is {value}; {cases} are compatible with {low} to {high} ({level} interval: {_by(each)})."


WRITERS: dict[str, Callable[[str, Quoted], str]] = {"clinical": _clinical, "ml": _ml, "card": _card}


def sentences_of(estimates: Iterable[Quoted], style: Style) -> str:
    """Return the sentences of several estimates."""
    return " ".join(sentence_of(each, style) for each in estimates)


def quoted_numbers(each: Quoted, unit: float = 1.0) -> tuple[str, str, str]:
    """Return value and limits as text in a unit, rounded by the interval's width; empty limits if undefined."""
    value, low, high = unit * each.value, unit * each.low, unit * each.high
    decimals = significant_decimals(each.low, each.high) - round(math.log10(unit))
    if math.isnan(low) or math.isnan(high):
        return number(value, decimals), "", ""
    return number(value, decimals), number(low, decimals), number(high, decimals)


def in_percent(each: Quoted) -> bool:
    """Whether papers quote the metric in per cent: its range is within 0 to 1."""
    return each.bounds[0] >= 0 and each.bounds[1] <= MOST_PERCENT


def _by(each: Quoted) -> str:
    return METHODS.get(each.method, each.method.replace("_", " "))


def _method(each: Quoted) -> list[str]:
    return [_by(each)] if each.method and not math.isnan(each.low) else []

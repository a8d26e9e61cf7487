"""The first sentence of a report, which the command line prints too: the main metric with its plausible values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from howsure.estimates.sentences import capitalized
from howsure.metrics.descriptions import metric_words
from howsure.numbers import count_text, number, percent, significant_decimals

if TYPE_CHECKING:
    from howsure.estimates.estimate import Estimate
    from howsure.pooling.pooled import Pooled
    from howsure.report.evidence import Part

MAIN = ("f1", "f1@macro", "roc_auc")  # the first that is there leads if no metric was requested
SMALL = 20  # cases of a class, below which the interval of a rate of 0.9 is some 0.25 wide and more
RARE = 0.1  # proportion of the cases below which a small class is named


def main_place(labels: Sequence[str], *, is_usual: bool) -> int:
    """Return the position of the metric that leads: the first, or among the usual metrics the first of `MAIN`."""
    return next((labels.index(name) for name in MAIN if name in labels and is_usual), 0)


def lead(part: Part, estimate: Estimate) -> str:
    """Return the value of a metric on some cases and its plausible values."""
    what = metric_words(estimate.label)
    subject = f"{what} of {part.model}" if part.model else what
    return plausible(capitalized(subject), estimate, f"these {part.cases}{_rare(part)}")


def _rare(part: Part) -> str:
    """Return which classes are nearly absent among many cases; empty where none is."""
    table = part.any_table
    totals = [float(total) for total in table.class_totals]
    rare = [place for place, total in enumerate(totals) if total < min(SMALL, RARE * sum(totals))]
    if not rare:
        return ""
    if len(rare) > 1:
        return f", fewer than {SMALL} of them in each of {len(rare)} classes"
    count, label = totals[rare[0]], table.labels[rare[0]]
    return f", only {count_text(count)} of them “{label}”" if count else f", none of them “{label}”"


def plausible(subject: str, each: Estimate | Pooled, cases: str) -> str:
    """Return a value and what else would be plausible, in a sentence."""
    if math.isnan(each.value):
        return f"{subject} is undefined on {cases}."
    level = percent(each.confidence_level)
    # Two decimals, unless they would make the limits equal.
    decimals = 2 if each.high - each.low > 0.02 else significant_decimals(each.low, each.high)
    if each.value == 1.0 and each.low < 1.0 <= each.high:
        low = number(each.low, decimals)
        return f"{subject} is 1 in this sample; with {cases}, values down to {low} are plausible ({level} interval)."
    text = f"{subject} is {number(each.value, decimals)}"
    if math.isnan(each.low):
        return f"{text}; {cases} give no interval."
    return (
        f"{text}; with {cases}, anything between {number(each.low, decimals)} and "
        f"{number(each.high, decimals)} is plausible ({level} interval)."
    )

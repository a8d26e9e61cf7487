"""Sections on several models or experiments: comparisons, ranks, and pooled values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from howsure.comparison.ranks import Ranks
from howsure.comparison.result import Comparison
from howsure.metrics.contrast import EFFECTS
from howsure.metrics.descriptions import metric_words
from howsure.numbers import interval_text, number, p_cell, percent, significant_decimals
from howsure.pooling.pooled import Pooled
from howsure.report.bars import Ruler
from howsure.report.content import Cell, Section, Sheet, Texts, word

MOST_SENTENCES = 6
OWN_LEVEL = "Each interval keeps its own confidence level, which is stated with it."
LIMITS = ("value", "low", "high")
FAMILYWISE = "without true differences, at least one is below 0.05 in at most 1 of 20 studies"
CORRECTIONS = {
    "holm": f"by Holm’s method: {FAMILYWISE}",
    "bonferroni": f"by Bonferroni’s method: {FAMILYWISE}",
    "fdr_bh": "by Benjamini and Hochberg’s method: at most 1 in 20 below 0.05 is expected to be a false finding",
}
OPTIONAL = {
    "p_value": "p-value",
    "probability_greater": "probability that it is above",
    "rope": "probability of no practical difference",
}


def comparisons(found: Mapping[str, Any], correction: str = "") -> Section:
    """Return the section of differences, as sentences and as intervals on one axis, at their own confidence level."""
    metrics = {metric_words(each.label) for each in found.values() if getattr(each, "label", "")}
    title = f"Differences in {metrics.pop()}" if len(metrics) == 1 else "Differences"
    return Section("Comparisons", ((OWN_LEVEL,),), sentences(found), (difference_sheet(title, found, correction),))


def sentences(found: Mapping[str, object]) -> tuple[Texts, ...]:
    """Return a sentence for each of the first comparisons."""
    texts: list[Texts] = [(each.sentence(),) for each in found.values() if hasattr(each, "sentence")]
    further = len(texts) - MOST_SENTENCES
    return (*texts[:MOST_SENTENCES], *([(f"{further} more are in the table.",)] if further > 0 else []))


def difference_sheet(title: str, found: Mapping[str, object], correction: str = "", *, folded: bool = False) -> Sheet:
    """Return a sheet of differences on one axis, with a line at no difference."""
    nulls = {EFFECTS[each.contrast].null if isinstance(each, Comparison) else 0.0 for each in found.values()}
    null = nulls.pop() if len(nulls) == 1 else math.nan
    ruler = ruler_of(found.values(), [null])
    known = [name for name in OPTIONAL if any(_field(each, name) is not None for each in found.values())]
    rows = tuple(
        (word(name), interval_cell(each, ruler, f"{name}: "), *(_optional(each, field) for field in known))
        for name, each in found.items()
    )
    contrasts = {each.contrast for each in found.values() if isinstance(each, Comparison)}
    contrast = contrasts.pop().replace("_", " ") if len(contrasts) == 1 else "difference"
    is_adjusted = correction not in {"", "none"}
    endings = {"probability_greater": "" if math.isnan(null) else f" {null:g}", "p_value": ", adjusted" * is_adjusted}
    headers = [OPTIONAL[name] + endings.get(name, "") for name in known]
    axis = ruler.axis(title, [1], null, "no difference")
    return Sheet(title, (contrast, "value and interval", *headers), rows, folded=folded, axes=(axis,))


def aggregates(found: Mapping[str, Any]) -> Section:
    """Return the section of pooled values at their own confidence level, each with a forest plot of its experiments."""
    ruler = ruler_of(found.values())
    rows = tuple(
        (word(name), interval_cell(each, ruler), _prediction(each), _optional(each, "i2"), _optional(each, "tau2"))
        for name, each in found.items()
    )
    headers = ("pooled", "value and interval", "a further experiment", "I²", "τ²")
    title = "Pooled experiments"
    sheets = [Sheet(title, headers, rows, axes=(ruler.axis(title, [1]),))] if found else []
    sheets += [forest_sheet(name, each) for name, each in found.items() if _is_several(each)]
    return Section(title, ((OWN_LEVEL,),), sheets=tuple(sheets))


def _is_several(each: object) -> bool:
    return isinstance(each, Pooled) and len(each.values) > 1


def forest_sheet(title: str, pooled: Pooled) -> Sheet:
    """Return a forest plot: each experiment with its interval and weight, followed by the pooled value."""
    single = pooled.experiments
    further = [math.nan] if math.isnan(pooled.prediction_interval[0]) else list(pooled.prediction_interval)
    ruler = ruler_of([*single.values(), pooled], further)
    rows = [
        (word(name, index), interval_cell(each, ruler, f"{name}: "), Cell(value=f"{100 * weight:.1f} %", order=weight))
        for index, ((name, each), weight) in enumerate(zip(single.items(), pooled.weights.tolist(), strict=True))
    ]
    rows.append((word("pooled", len(rows)), interval_cell(pooled, ruler, "pooled: "), word("100 %", 1.0)))
    if len(further) > 1:
        interval = interval_text(*pooled.prediction_interval, significant_decimals(pooled.low, pooled.high))
        bar = ruler.bar(pooled.value, [pooled.prediction_interval])
        rows.append((word("a further experiment", len(rows)), Cell((interval,), bar=bar), word("–", math.nan)))
    headers = ("experiment", "value and interval", "weight")
    axis = ruler.axis(title, [1], pooled.value, "pooled")
    return Sheet(f"Forest plot of {title}", headers, tuple(rows), f"{pooled.note}.", axes=(axis,))


def rank_sheet(title: str, found: Ranks) -> Sheet:
    """Return a sheet with the probability of each rank, as shaded cells."""
    rows = tuple(
        (
            word(name),
            *(Cell(value=_probability_text(value), order=value, shade=value) for value in found[name].values()),
        )
        for name in found
    )
    headers = ("name", *(f"rank {rank + 1}" for rank in range(len(found))))
    return Sheet(title, headers, rows, f"Probability of each rank; 1 is the best. From {found.draws:,} draws.")


def _probability_text(value: float) -> str:
    return "< 0.01" if value < 0.005 else "> 0.99" if value > 0.995 else f"{value:.2f}"


def cautions(found: Mapping[str, Any], correction: str, pooled: Mapping[str, Any]) -> tuple[Texts, ...]:
    """Return cautions about many comparisons and about heterogeneous experiments."""
    lines = []
    if len(found) > 1:
        lines.append(_multiplicity(len(found), correction))
    for name, each in pooled.items():
        i2 = getattr(each, "i2", math.nan)
        if i2 >= 0.5:
            lines.append(
                f"{name}: the experiments differ by more than chance (I² = {100 * i2:.0f} %). The pooled value "
                "is a mean of different values, and a further experiment may well lie outside its interval."
            )
        if getattr(each, "reason", ""):
            lines.append(f"{name}: {each.reason}.")
    return tuple((line,) for line in lines)


def _multiplicity(size: int, correction: str) -> str:
    """Return the caution about the number of comparisons."""
    if correction == "max_t":
        return f"Intervals and p-values are adjusted for {size} comparisons: the intervals cover simultaneously."
    if correction in CORRECTIONS:
        return (
            f"The p-values of the {size} comparisons are adjusted {CORRECTIONS[correction]}. The intervals are "
            "not adjusted for their number; among many, some miss the true value."
        )
    return (
        f"{size} comparisons are made, and neither intervals nor p-values are adjusted for their number: among many, "
        "some look like differences by chance alone."
    )


def records(found: Mapping[str, object]) -> dict[str, dict[str, Any]]:
    """Return comparisons or pooled values by name as dicts: all their fields, or value and limits."""
    return {name: _record(each) for name, each in found.items()}


def _record(each: object) -> dict[str, Any]:
    made = each.to_dict() if hasattr(each, "to_dict") else {name: getattr(each, name) for name in LIMITS}
    return dict(made)


# --- cells -------------------------------------------------------------------------------------------------------


def ruler_of(found: Iterable[Any], others: Sequence[float] = ()) -> Ruler:
    """Return an axis that contains values, limits and further numbers."""
    return Ruler.over([*(end for each in found for end in (each.value, each.low, each.high)), *others])


def interval_cell(each: Any, ruler: Ruler, where: str = "", series: int = 0, *, has_level: bool = True) -> Cell:
    """Return a cell with a value and its interval, drawn on the axis, and with the level unless the text states it."""
    decimals = significant_decimals(each.low, each.high)
    level = getattr(each, "confidence_level", None) if has_level else None
    interval = interval_text(each.low, each.high, decimals) + (f" ({percent(level)})" if level else "")
    value = number(each.value, decimals)
    metric = metric_words(getattr(each, "metric", ""))
    start = " ".join(filter(None, (where.strip(), metric, value)))
    tip = "; ".join(filter(None, (start, getattr(each, "method", ""), getattr(each, "reason", ""))))
    bar = ruler.bar(each.value, [(each.low, each.high)], series)
    return Cell((interval,), value, float(each.value), bar, tip=tip)


def _field(each: object, name: str) -> float | None:
    """Return a field as a number, or None if there is none."""
    if name == "probability_greater" and getattr(each, "draws", True) is None:
        return None
    found = getattr(each, name, None)
    found = found.inside if name == "rope" and found is not None else found
    found = getattr(found, "value", found)
    return None if found is None or math.isnan(found) else float(found)


def _optional(each: object, name: str) -> Cell:
    """Return a field as a cell; a dash if there is none."""
    found = _field(each, name)
    if found is None:
        return word("–", math.nan)
    text = p_cell(found) if name == "p_value" else f"{found:.3g}"
    return Cell(value=text, order=found)


def _prediction(each: object) -> Cell:
    """Return the prediction interval for a further experiment."""
    low, high = getattr(each, "prediction_interval", (math.nan, math.nan))
    if math.isnan(low):
        return word("–", math.nan)
    return Cell(value=interval_text(low, high, significant_decimals(low, high)), order=float(low))

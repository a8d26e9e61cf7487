"""`report_of_decisions`: report on a decision curve."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from howsure.arrays import Floats
from howsure.decisions.limits import ALL
from howsure.decisions.result import DecisionCurve, NetBenefit
from howsure.errors import HowsureError
from howsure.estimates.estimate import positive_notes
from howsure.grids import plain
from howsure.numbers import count_text, interval_text, percent, value_text
from howsure.report.charts import Scale
from howsure.report.content import Chart, Line, Mark, Section, Sheet, Texts, careful, word
from howsure.report.report import Report
from howsure.report.reproduction import origin, reproduction

LEAST = 0.01  # net benefit at the top of the chart
ROWS = 21  # thresholds in the tables
MARKS = 40  # points with a tooltip
BELOW, ABOVE = 0.3, 1.1  # of the largest net benefit: how much of the chart lies below 0, and above


def report_of_decisions(curve: Any, *, title: str = "", command: str = "", files: Sequence[str | Path] = ()) -> Report:
    """Return the report on a decision curve: where each model is useful, the curve, differences, and cautions.

    Parameters
    ----------
    curve : DecisionCurve
        The result of `howsure.decision_curve`.
    title, command, files : optional
        As of `report_of`.

    Raises
    ------
    HowsureError
        If it is the result of several groups.
    """
    if not isinstance(curve, DecisionCurve):
        raise HowsureError(
            "A report is on one decision curve: give that of a group, `curves['a']`, or of all, `curves.overall`."
        )
    level = percent(curve.confidence_level)
    together = f"Bands and intervals cover at all thresholds together, with {level} confidence for each curve."
    unit = "The net benefit, per case, is true positives minus false positives times the odds of the threshold."
    apart = [curve.difference(one, other) for one, other in _pairs(curve)]
    return Report(
        title=title,
        about=", ".join(
            [
                f"{count_text(float(curve.table.counts.sum()))} cases",
                f"{len(curve.thresholds)} thresholds",
                *positive_notes([curve]),
            ]
        ),
        headline=tuple((_useful(curve, name),) for name in curve.models),
        sections=(
            Section(
                "Net benefit",
                ((unit,), (together,), (_best(curve),)),
                sheets=(_sheet("Net benefit", [curve[name] for name in curve.strategies[1:]]),),
                charts=(_chart(curve),),
            ),
            Section("Differences", ((together,),), sheets=(_sheet("Differences of strategies", apart),)),
            Section("Value of information", ((_EVPI,),), sheets=(_information(curve),)),
            careful(_cautions(curve)),
            reproduction(command, "", files),
        ),
        levels=(curve.confidence_level,),
        level=0,
        results=plain(
            {
                **origin(title),
                "net_benefit": curve.records(),
                "differences": [record for each in apart for record in each.records()],
            }
        ),
    )


def report_of_net_benefit(
    band: NetBenefit, *, title: str = "", command: str = "", files: Sequence[str | Path] = ()
) -> Report:
    """Return the report on one net benefit along thresholds, or on the difference of two strategies.

    Parameters
    ----------
    band : NetBenefit
        Of a decision curve: ``curve["A"]`` or ``curve.difference("A", "B")``.
    title, command, files : optional
        As of `report_of`.
    """
    level = percent(band.confidence_level)
    together = f"The band covers at all thresholds together, with {level} confidence."
    low, high = (
        np.where(np.isfinite(each), each, band.value) for each in (band.simultaneous_low, band.simultaneous_high)
    )
    edge = max(LEAST, float(high.max() - low.min())) * (ABOVE - 1)
    lowest, highest = min(float(low.min()), 0.0) - edge, max(float(high.max()), 0.0) + edge
    said = [f"Limits are undefined: {band.reason}."] if band.reason else []
    said.append("The threshold is a choice of those who decide, not of the data: state the range before looking.")
    return Report(
        title=title,
        about=", ".join([f"{len(band.thresholds)} thresholds", *positive_notes([band])]),
        headline=((_shown(band),),),
        sections=(
            Section(
                "Net benefit",
                ((together,),),
                sheets=(_sheet("Net benefit", [band]),),
                charts=(
                    _drawn([band], lowest, highest, f"Net benefit, {band.name}, against the threshold", band.reason),
                ),
            ),
            careful([(each,) for each in said]),
            reproduction(command, "", files),
        ),
        levels=(band.confidence_level,),
        level=0,
        results=plain(
            {
                **origin(title),
                "net_benefit": band.records(),
            }
        ),
    )


def _shown(band: NetBenefit) -> str:
    """Return the thresholds at which the simultaneous band is above 0, as a sentence."""
    if band.reason:
        return f"{band.name}: whether the value is above 0 is unknown, as {band.reason}."
    found = band.thresholds[band.simultaneous_low > 0]
    if not len(found):
        return f"{band.name}: no threshold shows a value above 0."
    return (
        f"{band.name}: the value is shown to be above 0 at {len(found)} of {len(band.thresholds)} thresholds, "
        f"between {found[0]:g} and {found[-1]:g}."
    )


_EVPI = (
    "The probability that a model is useful is that it has a larger net benefit than treating all and than treating "
    "none. The expected value of perfect information is the net benefit per case that is lost because this sample, "
    "and not the population, chooses the strategy. Both are of the Bayesian bootstrap."
)


def _pairs(curve: DecisionCurve) -> list[tuple[str, str]]:
    models = curve.models
    return [
        *((name, ALL) for name in models),
        *((one, other) for place, one in enumerate(models) for other in models[place + 1 :]),
    ]


def _useful(curve: DecisionCurve, model: str) -> str:
    if curve.reason:
        return f"{model}: whether it is useful is unknown, as {curve.reason}."
    found = curve.useful(model)
    if not len(found):
        return f"{model}: no threshold shows a larger net benefit than treating all and than treating none."
    within = np.isin(curve.thresholds, found)
    first, last = np.flatnonzero(within)[[0, -1]]
    gaps = "" if within[first : last + 1].all() else f", at {len(found)} of {last - first + 1} thresholds"
    return (
        f"{model} has a larger net benefit than treating all and than treating none from {found[0]:g} to "
        f"{found[-1]:g}{gaps}, by both simultaneous bands."
    )


def _best(curve: DecisionCurve) -> str:
    runs = (f"{name} from {first:g} to {last:g}" for name, first, last in curve.ranges)
    return f"The largest observed net benefit: {'; '.join(runs)}."


def _kept(curve: NetBenefit | DecisionCurve, most: int) -> list[int]:
    size = len(curve.thresholds)
    return list(map(int, np.unique(np.linspace(0, size - 1, min(size, most)).round())))


def _sheet(title: str, bands: Sequence[NetBenefit]) -> Sheet:
    rows = []
    for at in _kept(bands[0], ROWS):
        cells = [
            word(
                value_text(band.value[at], band.simultaneous_low[at], band.simultaneous_high[at]), float(band.value[at])
            )
            for band in bands
        ]
        rows.append((word(f"{bands[0].thresholds[at]:g}", float(bands[0].thresholds[at])), *cells))
    return Sheet(title, ("threshold", *(band.name for band in bands)), tuple(rows))


def _information(curve: DecisionCurve) -> Sheet:
    useful, evpi = curve.probability_useful, curve.evpi
    rows = [
        (
            word(f"{curve.thresholds[at]:g}", float(curve.thresholds[at])),
            word(curve.best[at]),
            *(word(f"{useful[name][at]:.3f}", float(useful[name][at])) for name in curve.models),
            word(f"{evpi[at]:.5f}", float(evpi[at])),
        )
        for at in _kept(curve, ROWS)
    ]
    headers = ("threshold", "best", *(f"{name} is useful" for name in curve.models), "perfect information")
    return Sheet("Which strategy", headers, tuple(rows))


def _chart(curve: DecisionCurve) -> Chart:
    """Return the chart of all strategies with simultaneous bands, which ends a little below 0."""
    every = [curve[name] for name in curve.strategies[1:]]
    highest = max(LEAST, *(float(np.fmax(band.high, band.value).max()) for band in every))
    words = f"Net benefit of {', '.join(curve.strategies[1:])} against the threshold"
    return _drawn([*every[1:], every[0]], -BELOW * highest, ABOVE * highest, words, curve.reason)


def _drawn(bands: Sequence[NetBenefit], lowest: float, highest: float, words: str, reason: str) -> Chart:
    """Return the chart of net benefits with simultaneous bands between two heights."""
    x, height = bands[0].thresholds, highest - lowest
    ends = (float(x[0]), float(x[-1])) if len(x) > 1 else (0.0, 1.0)
    scale = Scale(*ends)

    def placed(values: Floats) -> Floats:
        return np.asarray((values - lowest) / height)

    def line(band: NetBenefit) -> Line:
        if band.name == ALL:
            inside = np.append(x[band.value > lowest], _leaving(x, band.value, lowest))
            return Line(ALL, scale.path(inside, placed(np.interp(inside, x, band.value))), ("",), ())
        outline = scale.band(x, placed(band.simultaneous_low), placed(band.simultaneous_high))
        marks = []
        for at in _kept(band, MARKS):
            up = float(scale.y(np.clip(placed(band.value[at]), 0, 1)))
            tip = f"{band.name}: threshold {x[at]:g}, net benefit {band.value[at]:.3f}"
            limits = interval_text(band.simultaneous_low[at], band.simultaneous_high[at], 3)
            marks.append(Mark(round(float(scale.x(x[at])), 1), round(up, 1), tip, (limits,)))
        return Line(band.name, scale.path(x, placed(band.value)), (outline,), tuple(marks))

    how = f"without bands: {reason}" if reason else "with simultaneous bands"
    ticks = [each + 0.0 for each in Scale(lowest, lowest + height).ticks()]  # no negative zero
    return Chart(
        "Decision curve",
        f"{words}, {how}.",
        "threshold: treated from this risk on",
        "net benefit",
        tuple((round(float(scale.x(each)), 1), f"{each:g}") for each in scale.ticks()),
        tuple((round(float(scale.y(placed(np.asarray(each)))), 1), f"{each:g}") for each in ticks),
        tuple(map(line, bands)),
        scale.path(np.array(ends), placed(np.zeros(2))),
    )


def _leaving(x: Floats, value: Floats, lowest: float) -> Floats:
    """Return where a falling line leaves the chart, if it does, as an array of at most one number."""
    below = np.flatnonzero(value <= lowest)
    if not below.size or below[0] == 0:
        return x[:0]
    ends = slice(below[0] - 1, below[0] + 1)
    return np.atleast_1d(np.interp(-lowest, -value[ends], x[ends]))


def _cautions(curve: DecisionCurve) -> list[Texts]:
    said = [f"Limits and probabilities are undefined: {curve.reason}."] if curve.reason else []
    said += [
        "The threshold is a choice of those who decide, not of the data: state the range before looking at the curve.",
        "The net benefit of new cases is lower if these cases trained the model, and if risks are miscalibrated there.",
    ]
    if np.isnan(curve.prevalence):
        said.append("The prevalence is that of the sample. Case-control data need `prevalence=`.")
    if any((curve[name].simultaneous_high < 0).any() for name in curve.models):
        said.append("At some thresholds a model is shown to be worse than treating none: do not use it there.")
    return [*((each,) for each in said), *((each,) for each in curve.table.cautions)]

"""The joint region of two metrics: a section of a report, and `report_of_regions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from howsure.arrays import Floats
from howsure.estimates.estimate import positive_notes
from howsure.estimates.grouped import Grouped
from howsure.grids import plain
from howsure.metrics.descriptions import metric_words
from howsure.numbers import interval_text, number, percent
from howsure.report.charts import Scale
from howsure.report.content import Chart, Line, Mark, Section, Sheet, careful, word
from howsure.report.report import Report
from howsure.report.reproduction import origin, reproduction
from howsure.requirements.region import JointRegion

MOST = 6  # regions in the chart
ARM = 4.0  # of the cross at the values
MARGIN = 0.1  # around the regions and the bounds, relative to their extent


def report_of_regions(
    found: JointRegion | Grouped[Any], *, title: str = "", command: str = "", files: Sequence[str | Path] = ()
) -> Report:
    """Return the report on joint regions of two metrics: the ranges, the values, and the regions in a chart.

    Parameters
    ----------
    found : JointRegion or Grouped
        The result of `howsure.joint_region`, also of groups.
    title, command, files : optional
        As of `report_of`.
    """
    regions = found.by_name() if isinstance(found, Grouped) else {"": found}
    first = next(iter(regions.values()))
    said = [
        "The region contains the pairs of true values that agree with these cases. Cases sampled otherwise may differ."
    ]
    if len(regions) > 1:
        said.append(
            f"Each group has its own {percent(first.confidence_level)} confidence. Together they err more often."
        )
    return Report(
        title=title,
        about="; ".join(
            [f"{metric_words(first.x.label)} and {metric_words(first.y.label)}", *positive_notes([first.x])]
        ),
        headline=tuple((f"{name}: {each.sentence()}" if name else each.sentence(),) for name, each in regions.items()),
        sections=(region_section(regions), careful([(each,) for each in said]), reproduction(command, "", files)),
        levels=(first.confidence_level,),
        level=0,
        results=plain(
            {
                **origin(title),
                "regions": [{"group": name, **each.to_dict()} for name, each in regions.items()],
            }
        ),
    )


def region_section(regions: Mapping[str, JointRegion], bounds: Sequence[float] = ()) -> Section:
    """Return the section on the joint regions of two metrics, by group, with the bounds that are required of them.

    Parameters
    ----------
    regions : mapping of str to JointRegion
        The regions by group; "" for all cases alone.
    bounds : sequence of two float, optional
        The bounds of the two metrics, which are drawn as lines.
    """
    first = next(iter(regions.values()))
    level = percent(first.confidence_level)
    words = (
        f"The joint region contains both true values together with {level} confidence. Its ranges are wider than the "
        f"{level} interval of each metric by itself."
    )
    rows = []
    for name, each in regions.items():
        for one, limits in ((each.x, each.x_limits), (each.y, each.y_limits)):
            label = f"{name}: {metric_words(one.label)}" if name else metric_words(one.label)
            joint = each.reason or interval_text(float(limits[0]), float(limits[1]), 3)
            own = interval_text(one.low, one.high, 3)
            rows.append((word(label), word(number(one.value, 3), one.value), word(own, one.low), word(joint)))
    headers = ("metric", "value", f"{level} interval", "range of the joint region")
    sheet = Sheet("Joint region", headers, tuple(rows))
    drawn = {name: each for name, each in list(regions.items())[:MOST] if not each.reason}
    return Section("Both together", ((words,),), sheets=(sheet,), charts=(_chart(drawn, bounds),) if drawn else ())


def _chart(regions: Mapping[str, JointRegion], bounds: Sequence[float]) -> Chart:
    every = list(regions.values())
    left, right = _around(np.concatenate([each.boundary_x for each in every]), bounds[:1], every[0].x.bounds)
    bottom, top = _around(np.concatenate([each.boundary_y for each in every]), bounds[1:], every[0].y.bounds)
    scale = Scale(left, right)

    def placed(values: Floats) -> Floats:
        return np.asarray((values - bottom) / (top - bottom))

    def line(name: str, each: JointRegion) -> Line:
        x, y = (np.append(part, part[0]) for part in (each.boundary_x, each.boundary_y))
        outline = scale.path(x, placed(y))
        at = scale.x(each.x.value), scale.y(placed(np.asarray(each.y.value)))
        cross = f"M{at[0] - ARM:.1f} {at[1]:.1f}H{at[0] + ARM:.1f}M{at[0]:.1f} {at[1] - ARM:.1f}V{at[1] + ARM:.1f}"
        tip = ", ".join(f"{metric_words(one.label)} {number(one.value, 3)}" for one in (each.x, each.y))
        mark = Mark(round(float(at[0]), 1), round(float(at[1]), 1), f"{name}: {tip}" if name else tip, ("",))
        return Line(name, outline + cross, (outline + "Z",), (mark,))

    across, up = (metric_words(one.label) for one in (every[0].x, every[0].y))
    lines: list[tuple[Floats, Floats]] = []
    if bounds:
        lines = [
            (np.full(2, bounds[0]), np.array([0.0, 1.0])),
            (np.array([left, right]), placed(np.full(2, bounds[1]))),
        ]
    return Chart(
        "Joint region",
        f"Joint region of {across} and {up}{', with the required bounds as dotted lines' * bool(bounds)}.",
        across,
        up,
        tuple((round(float(scale.x(each)), 1), f"{each:g}") for each in scale.ticks()),
        tuple((round(float(scale.y(placed(np.asarray(each)))), 1), f"{each:g}") for each in Scale(bottom, top).ticks()),
        tuple(line(name, each) for name, each in regions.items()),
        "".join(scale.path(*each) for each in lines),
    )


def _around(values: Floats, bound: Sequence[float], limits: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of an axis with values and a bound, if there is one, within the range of the metric."""
    low, high = min([values.min(), *bound]), max([values.max(), *bound])
    margin = MARGIN * (high - low)
    return float(max(low - margin, limits[0])), float(min(high + margin, limits[1]))

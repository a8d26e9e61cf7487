"""Layout of curves for the page: positions and outlines, without markup."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.curves.axes import DIAGONALS, axes_of, is_along_thresholds
from howsure.curves.calibration import calibration_curve
from howsure.curves.curves import Curve, precision_recall_curve, roc_curve
from howsure.curves.points import roc_points, threshold_points
from howsure.curves.thresholds import threshold_curves
from howsure.errors import HowsureError
from howsure.metrics.descriptions import metric_words
from howsure.numbers import interval_text
from howsure.report.content import Chart, Line, Mark
from howsure.tables.scores import ScoresTable

WIDTH, HEIGHT = 250.0, 220.0  # of a chart; the units are pixels if four charts are in a row
LEFT, RIGHT, TOP, BOTTOM = 46.0, 8.0, 8.0, 38.0  # margins
UP_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
POINTS = 120  # largest number of points of a curve; more would not be visible
MARKS = 40  # points with a tooltip
FOLLOWED = ("precision", "recall", "f1")  # metrics drawn against the threshold


def charts_of(scored: Mapping[str, ScoresTable], levels: Sequence[float]) -> tuple[Chart, ...]:
    """Return the charts of each model: ROC, precision–recall, calibration, and metrics against the threshold."""
    return tuple(chart for name, table in scored.items() for chart in _of_model(name, table, levels))


def _of_model(name: str, table: ScoresTable, levels: Sequence[float]) -> Iterator[Chart]:
    def along(**settings: Any) -> dict[str, list[Curve]]:
        return {"": [calibration_curve(table, confidence_level=level, **settings) for level in levels]}

    roc, precision = (curve_of(table, band="none") for curve_of in (roc_curve, precision_recall_curve))
    metrics = threshold_curves(table, FOLLOWED, band="none")
    curves = [precision, *(metrics[metric] for metric in FOLLOWED)]
    places = [_drawn(each, _scale([each])) for each in curves]
    shown = threshold_points(curves, ["precision", *FOLLOWED], table, places, levels)
    yield _chart("ROC curve", name, {"": roc_points(roc, table, _drawn(roc, _scale([roc])), levels)})
    yield _chart("Precision–recall curve", name, {"": shown[0]})
    if can_be_checked(table):
        yield _chart("Calibration", name, along())
        with suppress(HowsureError):  # no such fit, as for separated classes
            yield _chart("Calibration, smooth", name, along(method="spline"))
    followed = dict(zip(map(metric_words, FOLLOWED), shown[1:], strict=True))
    yield _chart("Metrics along the threshold", name, followed)


def can_be_checked(table: ScoresTable) -> bool:
    """Return whether the scores are probabilities and labels are known; without labels, calibration is assumed."""
    are_probabilities = bool(table.scores[0] >= 0 and table.scores[-1] <= 1)
    return are_probabilities and bool(table.design.traits.has_labels)


def _chart(title: str, model: str, curves: Mapping[str, Sequence[Curve]]) -> Chart:
    first = next(iter(curves.values()))[0]
    labels = axes_of(first.name)
    scale = _scale([each[0] for each in curves.values()])
    reference = ""
    if first.name in DIAGONALS:
        reference = scale.path(np.array([0.0, 1.0]), np.array(DIAGONALS[first.name]))
    names = ", ".join(name for name in (model, *curves) if name)
    words = f"{title}{' of ' + names if names else ''}: {labels[1]} against {labels[0]}, "
    words += f"without bands: {first.reason}." if first.reason else "with bands."
    return Chart(
        title,
        words,
        *labels,
        tuple((round(scale.x(tick), 1), f"{tick:g}") for tick in scale.ticks()),
        tuple((round(scale.y(tick), 1), f"{tick:g}") for tick in UP_TICKS),
        tuple(_line(name, each, scale) for name, each in curves.items()),
        reference,
        has_whiskers=first.name == "calibration",
        model=model,
    )


def _scale(curves: Sequence[Curve]) -> Scale:
    """Return the horizontal scale of curves with the same axes."""
    finite = np.concatenate([each.x[np.isfinite(each.x)] for each in curves])
    is_share = not is_along_thresholds(curves[0].name) or (finite.min() >= 0 and finite.max() <= 1)
    return Scale(0.0, 1.0) if is_share else Scale(float(finite.min()), float(finite.max()))


class Scale:
    """Transformation of values to positions on the chart; the vertical axis is always from 0 to 1."""

    def __init__(self, lowest: float, highest: float) -> None:
        self.lowest, self.width = lowest, (highest - lowest) or 1.0

    def x(self, value: Any) -> Any:
        """Return the horizontal position of a value."""
        return LEFT + (WIDTH - LEFT - RIGHT) * (value - self.lowest) / self.width

    def y(self, value: Any) -> Any:
        """Return the vertical position of a value between 0 and 1."""
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value)

    def ticks(self) -> list[float]:
        """Return round values between the ends of the horizontal axis."""
        step = 10 ** np.floor(np.log10(self.width / 2))
        step *= next(factor for factor in (1, 2, 5, 10) if self.width / (factor * step) <= 5)
        first = np.ceil(self.lowest / step) * step
        return [float(round(tick, 12)) for tick in np.arange(first, self.lowest + self.width * (1 + 1e-9), step)]

    def path(self, x: Array, y: Array) -> str:
        """Return the line through points as SVG path data."""
        pairs = zip(self.x(x), self.y(np.clip(y, 0, 1)), strict=True)
        return "M" + "L".join(f"{across:.1f} {up:.1f}" for across, up in pairs)

    def band(self, x: Array, low: Array, high: Array) -> str:
        """Return the outline of a band as SVG path data, one piece for each run of points with known limits."""
        known = np.flatnonzero(np.isfinite(low) & np.isfinite(high))
        runs = np.split(known, np.flatnonzero(np.diff(known) > 1) + 1) if len(known) else []
        around = ((np.concatenate([x[run], x[run][::-1]]), np.concatenate([low[run], high[run][::-1]])) for run in runs)
        return "".join(self.path(*outline) + "Z" for outline in around)

    def whiskers(self, x: Array, low: Array, high: Array) -> str:
        """Return lines between the limits as SVG path data, at points with known limits."""
        known = np.flatnonzero(np.isfinite(low) & np.isfinite(high))
        return "".join(self.path(x[[i, i]], np.array([low[i], high[i]])) for i in known)


def _line(name: str, at: Sequence[Curve], scale: Scale) -> Line:
    curve = at[0]
    kept = _drawn(curve, scale)
    x = curve.x[kept]
    shape: Callable[[Array], Array] = np.asarray
    if is_along_thresholds(curve.name):
        kept = kept[::-1]
        x, shape = np.repeat(curve.x[kept], 2)[:-1], _stepped
    draw = scale.whiskers if curve.name == "calibration" else scale.band
    bands = tuple(draw(x, shape(each.low[kept]), shape(each.high[kept])) for each in at)
    chosen = np.unique(np.linspace(0, len(kept) - 1, min(MARKS, len(kept))).round().astype(np.intp))
    marks = tuple(_mark(name, at, int(kept[i]), scale) for i in chosen)
    return Line(name, scale.path(x, shape(curve.y[kept])), bands, marks)


def _drawn(curve: Curve, scale: Scale) -> Array:
    """Return the positions of the points of a curve that are drawn; of these the result is all."""
    order = np.flatnonzero(np.isfinite(curve.x) & np.isfinite(curve.y))
    return order[_spread(scale.x(curve.x[order]), scale.y(curve.y[order]), POINTS)]


def _stepped(values: Array) -> Array:
    return np.repeat(values, 2)[1:]


def _spread(across: Array, up: Array, size: int) -> Array:
    """Return positions of at most ``size`` points, evenly spaced along the curve's length, including both ends."""
    if len(across) <= size:
        return np.arange(len(across))
    length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(across), np.diff(up)))])
    return np.unique(np.searchsorted(length, np.linspace(0, length[-1], size)).clip(0, len(across) - 1))


def _mark(name: str, at: Sequence[Curve], index: int, scale: Scale) -> Mark:
    curve = at[0]
    across, up = axes_of(curve.name)
    along = is_along_thresholds(curve.name)
    tip = f"{name + ': ' if name else ''}{'threshold' if along else across} {curve.x[index]:.3g}"
    tip += f", {up} {curve.y[index]:.3f}"
    if not along and "threshold" in curve.columns:
        tip += f", threshold {curve['threshold'][index]:.3g}"
    texts = tuple(interval_text(each.low[index], each.high[index], 3) for each in at)
    return Mark(
        round(float(scale.x(curve.x[index])), 1), round(float(scale.y(np.clip(curve.y[index], 0, 1))), 1), tip, texts
    )

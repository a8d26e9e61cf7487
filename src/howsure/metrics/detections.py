"""Metrics of detections with a score: average precision as COCO has it, and sensitivity at false alarms per unit.

Both sort the detections of a class by score and go down: a truth that was never detected is never reached. Values are
COCO's where scores are distinct; detections of one score come at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.forms import divide
from howsure.metrics.kinds import Form
from howsure.metrics.operating import roc_slope
from howsure.metrics.registry import Scored, declare
from howsure.native.interpolated_precisions import envelope, from_top, interpolated_precisions
from howsure.tables.detections import DetectionsTable, Slice

CLOSE = 1e-9


def _examples() -> Iterator[DetectionsTable]:
    rng, size = np.random.default_rng(0), 11
    scores = tuple(np.sort(rng.uniform(0.03, 0.97, size)) for _ in range(2))
    cells = [rng.integers(1, 9, (size, 2)) + 10 * np.stack([1 - each, each], -1) for each in scores for _ in range(2)]
    counts = np.concatenate([[100.0], *(np.append(each, 15.0) for each in cells)])
    iou = np.array([0.5, 0.75])
    yield DetectionsTable(counts=counts, labels=np.arange(2), scores=scores, iou=iou, rows=100)


detection_metric = declare(  # (table of detections by score, arguments) → Scored
    Form(
        name="detections",
        maker="a table of detections: `detections(preds, target)`",
        examples=_examples,
        counterparts={"average_precision": "map"},
    )
)


def _from_top(part: Slice, cells: Array) -> tuple[Array, Array, Array]:
    """Return the false alarms and hits at or above each score, descending, ``(..., S)``, and the number of truths."""
    false, hits = from_top(part.by_score(cells))
    return false, hits, hits[..., -1:].sum(-1) + cells[..., part.stop]


def _average_precision(part: Slice, cells: Array) -> Array:
    """Return the average precision as COCO has it; nan without truths."""
    found = interpolated_precisions(cells.reshape(-1, cells.shape[-1]), part.start, (part.stop - part.start) // 2)
    return found.reshape(cells.shape[:-1])


def _slopes(part: Slice, cells: Array, slopes: Array) -> None:
    """Add the derivative of the area under the largest precisions, which the mean over recalls approaches."""
    false, hits, number = _from_top(part, cells)
    if not (number > 0 and len(hits)):
        return
    precision, largest = envelope(false, hits)
    last = len(hits) - 1
    where = np.where(
        precision >= largest * (1 - CLOSE), np.arange(len(hits)), last
    )  # the score that has the largest precision
    where = np.minimum.accumulate(where[::-1])[::-1]
    share = np.diff(hits, prepend=0.0) / number
    weight = np.bincount(where, share, len(hits))
    every = hits + false
    by_hit, by_false = (divide(each, every**2) for each in (false, -hits))
    later_hit, later_false = (np.cumsum((weight * np.nan_to_num(each))[::-1])[::-1] for each in (by_hit, by_false))
    area = float(share @ largest)
    by_score = np.stack([later_false, largest / number + later_hit - area / number], -1)
    slopes[part.start : part.stop] += by_score[::-1].ravel()
    slopes[part.stop] -= area / number


def _sensitivity(part: Slice, cells: Array, rate: float) -> Array:
    """Return the largest share of the truths that is detected with so many false alarms per unit; nan without any."""
    false, hits, number = _from_top(part, cells)
    last = (false <= (rate * cells[..., :1]) * (1 + CLOSE)).sum(-1) - 1
    found = np.take_along_axis(hits, np.maximum(last, 0)[..., None], -1)[..., 0] if hits.shape[-1] else 0.0 * number
    return divide(np.where(last >= 0, found, 0.0), number)


def _slopes_of_sensitivity(part: Slice, cells: Array, slopes: Array, rate: float, units: int) -> None:
    """Add the derivative: with more false alarms the threshold moves, by the ratio of densities there."""
    false, hits, number = _from_top(part, cells)
    last = int((false <= rate * cells[0] * (1 + CLOSE)).sum()) - 1
    if not number > 0:
        return
    found = float(hits[last]) if last >= 0 else 0.0
    above = (np.arange(len(hits)) <= last).astype(float)
    steep = 0.0
    if 0 <= last < len(hits) - 1 and hits[-1] > 0 and false[-1] > 0:  # else there is nothing to move to
        by_score = part.by_score(cells)
        steep = float(roc_slope(by_score, units)[::-1][last] * hits[-1] / false[-1])
    slopes[part.start : part.stop] += np.stack([-steep * above, above - found / number], -1)[::-1].ravel() / number
    slopes[part.stop] -= found / number**2
    slopes[0] += steep * float(false[last] if last >= 0 else 0.0) / cells[0] / number


def _mean_over(
    table: DetectionsTable,
    iou: float,
    label: str,
    value: Callable[[Any, Array], Array],
    add_slopes: Callable[[Any, Array, Array], None],
) -> Scored:
    """Return the mean of the defined values over the chosen classes and thresholds."""
    chosen = [each for each in table.slices if label == "" or each.label == table.position(label)]
    if not math.isnan(iou):
        near = np.flatnonzero(np.abs(table.iou - iou) < CLOSE)
        if not len(near):
            known = ", ".join(f"{each:g}" for each in table.iou.tolist())
            raise HowsureError(f"The table has no hits at an overlap of {iou:g}, but at {known}. Name one of these.")
        chosen = [each for each in chosen if each.threshold == near[0]]

    def values(cells: Array) -> Array:
        # In single units most classes are empty, and have no value.
        some = [each for each in chosen if cells[..., each.start : each.stop + 1].any()]
        return np.stack([value(each, cells) for each in some or chosen[:1]], -1)

    def mean(cells: Array) -> Array:
        found = values(cells)
        known = ~np.isnan(found)
        return divide(np.where(known, found, 0.0).sum(-1), known.sum(-1))

    def of_one(cells: Array) -> Array:
        defined, slopes = 0, np.zeros(len(cells))
        for each in chosen:
            defined += bool(cells[each.stop] > 0 or each.by_score(cells)[:, 1].any())
            add_slopes(each, cells, slopes)
        return slopes / max(defined, 1)

    return Scored(mean, lambda cells: np.apply_along_axis(of_one, -1, cells))


@detection_metric(name="map", is_step=True, aliases=("mean_average_precision", "coco_map"))
def _mean_average_precision(table: DetectionsTable, *, iou: float = math.nan, label: str = "") -> Scored:
    """Average precision as COCO has it, over 101 recalls, and its mean over classes and overlaps."""
    unit = float(np.min(table.counts, where=table.counts > 0, initial=np.inf))  # counts may be whole in another one
    found = _mean_over(table, iou, label, _average_precision, _slopes)
    return replace(
        found,
        value=lambda cells: found.value(cells if unit == 1 else cells / unit),
        gradient=lambda cells: found.gradient(cells / unit) / unit,
    )


@detection_metric(
    name="froc",
    is_step=True,
    always_stated=("fp_per_unit",),
    aliases=("sensitivity_at_fp_per_unit", "froc_sensitivity"),
)
def _froc(table: DetectionsTable, *, fp_per_unit: float = 1.0, iou: float = math.nan, label: str = "") -> Scored:
    """Largest sensitivity with at most so many false positives of a class per unit; mean over classes and overlaps."""
    if fp_per_unit <= 0:
        raise HowsureError(f"`fp_per_unit` of `froc` is positive, not {fp_per_unit:g}.")
    return _mean_over(
        table,
        iou,
        label,
        lambda part, cells: _sensitivity(part, cells, fp_per_unit),
        lambda part, cells, slopes: _slopes_of_sensitivity(part, cells, slopes, fp_per_unit, int(np.max(table.rows))),
    )

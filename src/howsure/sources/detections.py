"""From detections with scores and the truths of each image to the table of detections, matched as COCO does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.errors import HowsureError, real_numbers, several, whole_number
from howsure.sources.columns import checked_weight
from howsure.sources.encoding import Column, encoded, sort_order
from howsure.sources.units import UnitRows
from howsure.tables.detections import DetectionsTable, Slice, slices_of
from howsure.tables.labels import as_labels
from howsure.tables.units import PairedUnitsTable

Array = NDArray[Any]
COCO = tuple((np.arange(10, 20) / 20).tolist())  # thresholds of the overlap
MOST = 100  # detections of a class in an image, COCO's
ONE_CLASS = "object"
ALMOST_ALL = 1 - 1e-10  # overlap of equal boxes, to rounding
Images = Sequence[Mapping[str, Any]]


@overload
def detections(
    preds: Mapping[str, Images],
    target: Sequence[Any],
    *,
    iou: ArrayLike = ...,
    max_detections: int = ...,
    sample_weight: Any = ...,
    groups: Any = ...,
) -> PairedUnitsTable: ...


@overload
def detections(
    preds: Images,
    target: Sequence[Any],
    *,
    iou: ArrayLike = ...,
    max_detections: int = ...,
    sample_weight: Any = ...,
    groups: Any = ...,
) -> DetectionsTable: ...


def detections(
    preds: Images | Mapping[str, Images],
    target: Sequence[Any],
    *,
    iou: ArrayLike = COCO,
    max_detections: int = MOST,
    sample_weight: Any = None,
    groups: Any = None,
) -> DetectionsTable | PairedUnitsTable:
    """Count detections by score, as hits and false alarms, and the truths that were never detected, image by image.

    Images are what a study draws: all that is detected and missed in one varies together. The table is for ``map``,
    average precision as COCO has it, and ``froc``, sensitivity at a number of false positives per image.

    Parameters
    ----------
    preds : sequence of mapping, or mapping of str to such sequences
        For each image its detections: ``"scores"``, with ``"labels"`` where there are several classes, and ``"boxes"``
        (left, top, right, bottom), or ``"hits"``: whether each is a hit, one column for each threshold in ``iou``. Of
        several models on the same images the name of each → its detections.
    target : sequence of mapping, or of int
        For each image its truths: ``"boxes"``, or else ``"labels"``; of one class, where hits are given, their number.
    iou : float or array-like of shape (T,)
        Intersections over unions with a truth from which on a detection is a hit: by default 0.5, 0.55 … 0.95.
    max_detections : int
        How many detections of a class count in an image, those of the highest scores.
    sample_weight : array-like of shape (n,), optional
        Non-negative weight of each image.
    groups : array-like of shape (n,), optional
        Cluster of each image: images of one patient or video vary together.

    Returns
    -------
    DetectionsTable or PairedUnitsTable
        The counts; of several models side by side, where ``table.model("A")`` is the table of one.

    Raises
    ------
    HowsureError
        If the images of predictions and truths differ in number, or an image's columns in length; if a score or box is
        no number; if hits and thresholds, or hits and truths, do not fit.

    Notes
    -----
    In the order of their scores detections take the truth of their class with which they overlap most, among those
    that are not yet taken. Crowds and ranges of areas are not known here. Detections of equal score come at once:
    COCO takes them one by one, in the order of the images.

    References
    ----------
    Lin et al. (2014), Microsoft COCO, arXiv 1405.0312.

    Examples
    --------
    >>> import howsure as hs
    >>> preds = [
    ...     {"boxes": [[10, 10, 30, 30], [50, 50, 80, 70]], "scores": [0.9, 0.4]},
    ...     {"boxes": [[12, 8, 31, 30]], "scores": [0.7]},
    ...     {"boxes": [[60, 40, 90, 80], [0, 0, 9, 9]], "scores": [0.8, 0.3]},
    ... ]
    >>> target = [{"boxes": [[11, 10, 31, 30]]}, {"boxes": [[10, 10, 30, 30]]}, {"boxes": [[60, 42, 88, 80]]}]
    >>> table = hs.detections(preds, target, iou=0.5)
    >>> print(hs.estimate(table, "map").value, hs.estimate(table, "froc+fp_per_unit=0.5").value)
    1.0 1.0
    """
    thresholds = np.atleast_1d(real_numbers("iou", iou))
    if thresholds.ndim != 1 or not ((thresholds > 0) & (thresholds <= 1)).all() or (np.diff(thresholds) <= 0).any():
        message = f"`iou` has overlaps between 0 and 1, ascending, such as 0.5 or [0.5, 0.75], not {iou!r}."
        raise HowsureError(message)
    most = whole_number("max_detections", max_detections)
    truths = [_Truths.of(index, each) for index, each in enumerate(several("target", target, "images"))]
    models = preds if isinstance(preds, Mapping) else {"": preds}
    found = {str(name): _matched(name, each, truths, thresholds, most) for name, each in models.items()}
    if not truths or (isinstance(preds, Mapping) and len(found) < 2):
        what = "`preds` names one model only" if truths else "`target` is empty"
        message = f"{what}. Give the detections of each image, of several models by name."
        raise HowsureError(message)
    weight = None if sample_weight is None else checked_weight(sample_weight)
    units = _units(len(truths), weight, None if groups is None else encoded("groups", groups))
    named = [each.labels for each in truths] + [each.labels for images in found.values() for each in images]
    names = as_labels(list(dict.fromkeys(name for each in named for name in each)) or [ONE_CLASS])
    labels = names[sort_order(names)]
    place = {name: index for index, name in enumerate(labels.tolist())}
    parts = [_Counted.of(images, truths, place, len(thresholds)) for images in found.values()]
    own = [
        DetectionsTable(
            counts=np.zeros(each.size), labels=labels, scores=each.scores, iou=thresholds, rows=units.number
        )
        for each in parts
    ]
    starts = np.cumsum([0, *(each.size for each in parts)])
    counts, design = units.counted(
        np.concatenate([each.unit for each in parts]),
        np.concatenate([each.cell + start for each, start in zip(parts, starts, strict=False)]),
        np.concatenate([each.count for each in parts]),
        int(starts[-1]),
    )
    facts: dict[str, Any] = {"counts": counts, "labels": labels, "design": design, "rows": units.number}
    if not isinstance(preds, Mapping):
        return DetectionsTable(scores=own[0].scores, iou=thresholds, **facts)
    return PairedUnitsTable(names=tuple(found), own=tuple(own), **facts)


def _units(number: int, weight: Array | None, groups: Column | None) -> UnitRows:
    for name, each in {"sample_weight": weight, "groups": groups}.items():
        if each is not None and len(each) != number:
            message = f"`{name}` has {len(each)} entries for {number} images. Give one for each image."
            raise HowsureError(message)
    return UnitRows.of(number, None, groups, weight)


@dataclass(frozen=True, slots=True, eq=False)
class _Truths:
    """The truths of one image: their labels, and their boxes where they have some."""

    labels: list[Any]
    boxes: Array | None

    @classmethod
    def of(cls, index: int, given: Any) -> _Truths:
        if isinstance(given, Mapping):
            boxes = _boxes(f"target[{index}]['boxes']", given["boxes"]) if "boxes" in given else None
            number = (
                len(boxes)
                if boxes is not None
                else len(several(f"target[{index}]['labels']", given.get("labels"), "labels"))
            )
            return cls(_labels(f"target[{index}]", given, number), boxes)
        return cls([ONE_CLASS] * whole_number(f"target[{index}]", given, least=0), None)


@dataclass(frozen=True, slots=True, eq=False)
class _Detected:
    """The detections of one image: their labels, their scores, and whether they are hits at each threshold."""

    labels: list[Any]
    scores: Array
    hits: Array


def _matched(name: str, images: Any, truths: Sequence[_Truths], thresholds: Array, most: int) -> list[_Detected]:
    """Return the detections of each image, matched with its truths."""
    role = f"preds['{name}']" if name else "preds"
    given = several(role, images, "images")
    if len(given) != len(truths):
        message = f"`{role}` has {len(given)} images and `target` {len(truths)}. Give both of the same images."
        raise HowsureError(message)
    return [
        _in_image(f"{role}[{index}]", each, own, thresholds, most)
        for index, (each, own) in enumerate(zip(given, truths, strict=True))
    ]


def _in_image(role: str, given: Any, truths: _Truths, thresholds: Array, most: int) -> _Detected:
    if not isinstance(given, Mapping) or "scores" not in given or ("hits" in given) == ("boxes" in given):
        message = f"`{role}` has 'scores' and either 'boxes' or 'hits' of an image's detections, and no others."
        raise HowsureError(message)
    scores = _numbers(f"{role}['scores']", given["scores"])
    if scores.ndim != 1:
        message = f"`{role}['scores']` has the shape {scores.shape}. Give one number for each detection."
        raise HowsureError(message)
    number, labels = len(scores), _labels(role, given, len(scores))
    chosen = _highest(scores, labels, most)
    scores, labels = scores[chosen], [labels[place] for place in chosen.tolist()]
    if "hits" in given:
        hits = _numbers(f"{role}['hits']", given["hits"])
        wanted = (number, len(thresholds))
        if hits.size != wanted[0] * wanted[1] or hits.shape[:1] != wanted[:1] or not np.isin(hits, (0, 1)).all():
            message = (
                f"`{role}['hits']` has the shape {hits.shape}; give 0 or 1 for each of {wanted[0]} detections and each "
                f"of {wanted[1]} thresholds, or one threshold, `iou=0.5`."
            )
            raise HowsureError(message)
        hits = hits.reshape(wanted)
        return _Detected(labels, scores, hits[chosen])
    boxes = _boxes(f"{role}['boxes']", given["boxes"])
    if len(boxes) != number or truths.boxes is None:
        message = f"`{role}` and its truths need a box for each object: [left, top, right, bottom]."
        raise HowsureError(message)
    return _Detected(labels, scores, _hits(boxes[chosen], labels, truths.boxes, truths.labels, thresholds))


def _highest(scores: Array, labels: list[Any], most: int) -> Array:
    """Return the places of the detections that count, by descending score: so many of each label."""
    order = np.argsort(-scores, kind="stable")
    if len(order) <= most:
        return order
    kept, seen = [], dict.fromkeys(labels, 0)
    for place in order.tolist():
        seen[labels[place]] += 1
        if seen[labels[place]] <= most:
            kept.append(place)
    return np.array(kept, dtype=np.intp)


def _hits(boxes: Array, labels: list[Any], others: Array, their_labels: list[Any], thresholds: Array) -> Array:
    """Return whether detections, by descending score, are hits at each threshold."""
    hits = np.zeros((len(boxes), len(thresholds)))
    if not len(others):
        return hits
    every = np.fromiter([*labels, *their_labels], dtype=object)
    alike = every[: len(boxes), None] == every[len(boxes) :]
    overlap = np.where(alike, overlaps(boxes, others), -1.0)
    near = np.flatnonzero(overlap.max(1) >= min(thresholds[0], ALMOST_ALL))
    for column, threshold in enumerate(np.minimum(thresholds, ALMOST_ALL).tolist()):
        left = overlap[near]
        for row, each in zip(near.tolist(), left, strict=True):
            best = len(others) - 1 - int(each[::-1].argmax())  # of equal ones the last
            if each[best] >= threshold:
                hits[row, column] = 1.0
                left[:, best] = -1.0  # it is taken
    return hits


def overlaps(boxes: Array, others: Array) -> Array:
    """Return the intersections over unions of boxes (left, top, right, bottom) with others, ``(n, m)``.

    Examples
    --------
    >>> import numpy as np
    >>> others = np.array([[1.0, 0.0, 3.0, 2.0], [5.0, 5.0, 6.0, 6.0]])
    >>> overlaps(np.array([[0.0, 0.0, 2.0, 2.0]]), others).round(3).tolist()
    [[0.333, 0.0]]
    """
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    shared = np.maximum(high - low, 0.0).prod(-1)
    areas, theirs = ((each[:, 2:] - each[:, :2]).prod(-1) for each in (boxes, others))
    union = areas[:, None] + theirs[None] - shared
    return np.asarray(shared / np.where(union > 0, union, 1.0))


def _numbers(role: str, given: Any) -> Array:
    found = np.atleast_1d(real_numbers(role, given))
    if not np.isfinite(found).all():
        message = f"`{role}` holds a missing or infinite number. Drop it first."
        raise HowsureError(message)
    return found


def _boxes(role: str, given: Any) -> Array:
    boxes = _numbers(role, given)
    if boxes.size % 4 or (boxes.size and (boxes.ndim != 2 or boxes.shape[1] != 4)):
        message = f"`{role}` has shape {boxes.shape}. Give [left, top, right, bottom] of each box."
        raise HowsureError(message)
    boxes = boxes.reshape(-1, 4)
    if (boxes[:, 2:] < boxes[:, :2]).any():
        message = f"`{role}` has a box that ends before it begins. Give [left, top, right, bottom]."
        raise HowsureError(message)
    return boxes


def _labels(role: str, given: Mapping[str, Any], number: int) -> list[Any]:
    if "labels" not in given:
        return [ONE_CLASS] * number
    column = given["labels"]
    listed = several(f"{role}['labels']", column.tolist() if hasattr(column, "tolist") else column, "labels")
    found: list[Any] = as_labels(listed).tolist()
    if len(found) != number:
        message = f"`{role}` has {len(found)} labels for {number} objects. Give one for each."
        raise HowsureError(message)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The entries of one model: how many each unit has in each cell."""

    scores: tuple[Array, ...]
    size: int
    unit: Array
    cell: Array
    count: Array

    @classmethod
    def of(
        cls, images: Sequence[_Detected], truths: Sequence[_Truths], place: Mapping[Any, int], thresholds: int
    ) -> _Counted:
        unit = np.repeat(np.arange(len(images)), [len(each.scores) for each in images])
        label = np.array([place[name] for each in images for name in each.labels], dtype=np.intp)
        score = np.concatenate([each.scores for each in images])
        hits = np.concatenate([each.hits for each in images])
        true_unit = np.repeat(np.arange(len(truths)), [len(each.labels) for each in truths])
        true_label = np.array([place[name] for each in truths for name in each.labels], dtype=np.intp)
        number = np.bincount(true_unit * len(place) + true_label, minlength=len(truths) * len(place)).astype(float)
        known = [np.unique(score[label == index], return_inverse=True) for index in range(len(place))]
        slices = slices_of([len(scores) for scores, _ in known], thresholds)
        entries = [(np.arange(len(images)), np.zeros(len(images), dtype=np.intp), np.ones(len(images)))]
        for each in slices:
            own = label == each.label
            hit, of_unit = hits[own, each.threshold], unit[own]
            entries.append((of_unit, each.start + 2 * known[each.label][1] + hit.astype(np.intp), np.ones(len(hit))))
            entries.append(_misses(each, number.reshape(-1, len(place))[:, each.label], of_unit, hit))
        size = slices[-1].stop + 1 if slices else 1
        return cls(tuple(scores for scores, _ in known), size, *map(np.concatenate, zip(*entries, strict=True)))


def _misses(each: Slice, number: Array, unit: Array, hit: Array) -> tuple[Array, Array, Array]:
    """Return the entries of the truths that were never detected."""
    missed = number - np.bincount(unit, hit, len(number))
    if (missed < 0).any():
        message = f"The image at position {int(np.argmin(missed))} has more hits than truths. A truth is hit once."
        raise HowsureError(message)
    some = np.flatnonzero(missed)
    return some, np.full(len(some), each.stop), missed[some]

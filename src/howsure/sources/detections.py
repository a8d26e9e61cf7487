"""The source of detection tables: scored detections and truths of each image, matched by COCO's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError, listed, real_numbers, several, whole_number
from howsure.sources.boxes import (
    alike,
    boxes_of,
    finite_numbers,
    highest,
    hits_of,
    overlaps,
    refuse_other_units,
    shares_inside,
)
from howsure.sources.coco import of_coco
from howsure.sources.columns import checked_weight
from howsure.sources.detection_tables import of_tables
from howsure.sources.encoding import Column, encoded, sort_order
from howsure.sources.frames import expanded, weight_or_counts
from howsure.sources.groups import by_columns, groups_of_columns, roles
from howsure.sources.locations import is_folder
from howsure.sources.units import UnitRows
from howsure.sources.yolo import of_yolo
from howsure.tables.batch import Tables
from howsure.tables.detections import DetectionsTable, Slice, slices_of
from howsure.tables.labels import as_labels, plain_labels
from howsure.tables.units import PairedUnitsTable

COCO = tuple((np.arange(10, 20) / 20).tolist())  # thresholds of the overlap
MOST = 100  # detections of a class in an image, COCO's
ONE_CLASS = "object"
OF_IMAGES = (
    "Give a mapping for each image, such as {'boxes': [[left, top, right, bottom], …], 'labels': […]}; tables with the "
    "columns image, label, xmin, ymin, xmax, ymax and score; or results and the whole data set of COCO, or their files."
)
Images: TypeAlias = Sequence[Mapping[str, Any]] | str | Path
Objects: TypeAlias = Sequence[object] | Mapping[str, Any] | str | Path


class _Keywords(TypedDict, total=False):
    """Keyword arguments that do not decide the type of the result."""

    iou: ArrayLike
    max_detections: int
    sample_weight: object
    counts: object
    groups: object


@overload
def detections(
    preds: Mapping[str, Images], target: Objects, *, by: None = None, **keywords: Unpack[_Keywords]
) -> PairedUnitsTable: ...


@overload
def detections(
    preds: Images, target: Objects, *, by: None = None, **keywords: Unpack[_Keywords]
) -> DetectionsTable: ...


@overload
def detections(
    preds: Images | Mapping[str, Images], target: Objects, *, by: Sized, **keywords: Unpack[_Keywords]
) -> Tables[Any]: ...


def detections(
    preds: Images | Mapping[str, Images],
    target: Objects,
    *,
    iou: ArrayLike = COCO,
    max_detections: int = MOST,
    sample_weight: object = None,
    counts: object = None,
    groups: object = None,
    by: Sized | None = None,
) -> DetectionsTable | PairedUnitsTable | Tables[Any]:
    """Count detections by score, as hits and false alarms, and the truths that were never detected, image by image.

    The sampling unit is the image: detections and misses within an image may be correlated. The table is for ``map``,
    average precision as COCO has it, and ``froc``, sensitivity at a number of false positives per image.

    Parameters
    ----------
    preds : sequence of mapping, path, or mapping of str to these
        The detections of each image: ``"scores"``, ``"labels"`` if there are several classes, and either ``"boxes"``
        (left, top, right, bottom) or ``"hits"``. Hits are 0 or 1, with one column for each threshold in ``iou``. For
        several models on the same images, a mapping from model name to detections. Or the results of COCO, as a list or
        a JSON file; a frame or a file with a row for each detection (image, label, xmin, ymin, xmax, ymax, score); or a
        folder of YOLO's text files with scores.
    target : sequence of mapping or of int, mapping, or path
        The truths of each image: ``"boxes"``, or else ``"labels"``; for a single class with given hits, their number.
        For boxes, ``"iscrowd"`` marks crowds, which are not truths; detections inside a crowd are not false positives.
        Or the data set of COCO, a mapping or a JSON file, whose ``"images"`` state the order of the images; a frame or
        a file with a row for each object; or a folder of YOLO's text files. Images are known by their rows or files:
        one without objects has a row without a box, or an empty file.
    iou : float or array-like of shape (T,)
        Smallest intersections over union (IoU) with a truth at which a detection is a hit; 0.5, 0.55 … 0.95 by default.
    max_detections : int
        Maximum number of detections of a class in an image that count; those with the highest scores.
    sample_weight : array-like of shape (n,), optional
        Non-negative weight of each image.
    counts : array-like of shape (n,), optional
        Number of identical images in each row.
    groups : array-like of shape (n,), optional
        Cluster of each image: images of one patient or video may be correlated.
    by : array-like of shape (n,), mapping or frame, optional
        One column, or several, to split the images by: one table for each value, or combination of values.

    Returns
    -------
    DetectionsTable, PairedUnitsTable or Tables
        The counts; for several models a joint table, where ``table.model("A")`` is the table of one. If ``by`` is
        given, a mapping of the group tables, where ``overall`` is the table of all images.

    Raises
    ------
    HowsureError
        If the numbers of images, or the lengths of an image's columns, differ; if a score or box is not a number, or a
        label is missing; or if the hits are inconsistent with the thresholds or the truths.

    Notes
    -----
    In descending order of score, each detection is matched to the unmatched truth of its class with the largest
    overlap. Area ranges are not supported. Detections with equal scores share one threshold, whereas COCO ranks them
    one by one in the order of the images.

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
    if (
        thresholds.ndim != 1
        or not thresholds.size
        or not ((thresholds > 0) & (thresholds <= 1)).all()
        or (np.diff(thresholds) <= 0).any()
    ):
        raise HowsureError(f"`iou` has overlaps between 0 and 1, ascending, such as 0.5 or [0.5, 0.75], not {iou!r}.")
    most = whole_number("max_detections", max_detections)
    if is_folder(target):
        preds, target = of_yolo(preds, Path(target))
    else:
        preds, target = of_coco(*of_tables(preds, target))
    if isinstance(preds, Mapping) and "scores" in preds:
        raise HowsureError(
            "`preds` holds the detections of one image. Give a list of images, or a mapping of models to such lists."
        )
    if isinstance(target, Mapping):
        raise HowsureError(f"`target` is a mapping, and no list of images. {OF_IMAGES}")
    truths = [_Truths.of(index, each) for index, each in enumerate(several("target", target, "images"))]
    models = preds if isinstance(preds, Mapping) else {"": preds}
    found = {str(name): _matched(name, each, truths, thresholds, most) for name, each in models.items()}
    if not truths or (isinstance(preds, Mapping) and len(found) < 2):
        what = "`preds` names one model only" if truths else "`target` is empty"
        raise HowsureError(f"{what}. Give the detections of each image, of several models by name.")
    named = by_columns(by, None)
    split = [encoded(role, column) for role, column in roles(named).items()]
    weight = None if sample_weight is None else checked_weight(sample_weight)
    cluster = None if groups is None else encoded("groups", groups)
    for name, each in {"sample_weight": weight, "groups": cluster, **{each.name: each for each in split}}.items():
        if each is not None and len(each) != len(truths):
            raise HowsureError(f"`{name}` has {len(each)} entries for {len(truths)} images. Give one for each image.")
    images = _Images(truths, found, thresholds, weight, cluster, isinstance(preds, Mapping))
    weight_or_counts(sample_weight, counts)
    every = expanded({"images": np.arange(len(truths)), **({} if counts is None else {"counts": counts})})["images"]
    if not named:
        return images.table(every)
    split = [replace(each, codes=each.codes[every]) for each in split]
    return groups_of_columns(list(named), split).each(lambda some: images.table(every[some]))


@dataclass(frozen=True, slots=True, eq=False)
class _Truths:
    """The truths of one image: their labels, and their boxes where they have some; and likewise its crowds."""

    labels: list[Any]
    boxes: Array | None
    crowds: list[Any]
    crowd_boxes: Array

    @classmethod
    def of(cls, index: int, given: object) -> _Truths:
        role = f"target[{index}]"
        if not isinstance(given, Mapping):
            return cls([None] * whole_number(role, given, least=0), None, [], np.empty((0, 4)))
        if "boxes" not in given and "labels" not in given:
            raise HowsureError(f"`{role}` has neither 'boxes' nor 'labels' of an image's objects. {OF_IMAGES}")
        boxes = boxes_of(f"{role}['boxes']", given["boxes"]) if "boxes" in given else None
        number = len(several(f"{role}['labels']", given["labels"], "labels") if boxes is None else boxes)
        labels, none = _labels(role, given, number), np.empty((0, 4))
        if "iscrowd" not in given:
            return cls(labels, boxes, [], none)
        crowd = finite_numbers(f"{role}['iscrowd']", given["iscrowd"]) != 0
        if crowd.shape != (number,) or (boxes is None and crowd.any()):
            raise HowsureError(f"`{role}['iscrowd']` is 0 or 1 for each of the boxes, of which there are {number}.")
        own, others = ([labels[place] for place in np.flatnonzero(each)] for each in (~crowd, crowd))
        return cls(own, None, [], none) if boxes is None else cls(own, boxes[~crowd], others, boxes[crowd])


@dataclass(frozen=True, slots=True, eq=False)
class _Detected:
    """The detections of one image: labels, scores, whether they are hits (nan: not counted), and boxes if given."""

    labels: list[Any]
    scores: Array
    hits: Array
    boxes: Array | None = None


def _matched(name: str, images: object, truths: Sequence[_Truths], thresholds: Array, most: int) -> list[_Detected]:
    """Return the detections of each image, matched with its truths."""
    role = f"preds['{name}']" if name else "preds"
    given = several(role, images, "images")
    if len(given) != len(truths):
        raise HowsureError(
            f"`{role}` has {len(given)} images and `target` {len(truths)}. Give both of the same images."
        )
    found = [
        _in_image(f"{role}[{index}]", each, own, thresholds, most)
        for index, (each, own) in enumerate(zip(given, truths, strict=True))
    ]
    boxes = {role: [each.boxes for each in found], "target": [each.boxes for each in truths]}
    refuse_other_units({name: [each for each in every if each is not None] for name, every in boxes.items()})
    return found


def _in_image(argument_name: str, given: object, truths: _Truths, thresholds: Array, most: int) -> _Detected:
    if not isinstance(given, Mapping) or "scores" not in given or ("hits" in given) == ("boxes" in given):
        raise HowsureError(
            f"`{argument_name}` has 'scores' and either 'boxes' or 'hits' of an image's detections, and no others. "
            f"{OF_IMAGES}"
        )
    scores = finite_numbers(f"{argument_name}['scores']", given["scores"])
    if scores.ndim != 1:
        raise HowsureError(
            f"`{argument_name}['scores']` has the shape {scores.shape}. Give one number for each detection."
        )
    number, labels = len(scores), _labels(argument_name, given, len(scores))
    chosen = highest(scores, labels, most)
    scores, labels = scores[chosen], [labels[place] for place in chosen.tolist()]
    if "hits" in given:
        hits = finite_numbers(f"{argument_name}['hits']", given["hits"])
        wanted = (number, len(thresholds))
        if hits.size != wanted[0] * wanted[1] or hits.shape[:1] != wanted[:1] or not np.isin(hits, (0, 1)).all():
            raise HowsureError(
                f"`{argument_name}['hits']` has the shape {hits.shape}; give 0 or 1 for each of {wanted[0]} "
                "detections and each "
                f"of {wanted[1]} thresholds, or one threshold, `iou=0.5`."
            )
        hits = hits.reshape(wanted)
        return _Detected(labels, scores, hits[chosen])
    boxes = boxes_of(f"{argument_name}['boxes']", given["boxes"])
    if len(boxes) != number or truths.boxes is None:
        raise HowsureError(f"`{argument_name}` and its truths need a box for each object: [left, top, right, bottom].")
    boxes = boxes[chosen]
    overlap = np.where(alike(labels, truths.labels), overlaps(boxes, truths.boxes), -1.0)
    inside = np.empty((len(boxes), 0))
    if truths.crowds:
        inside = np.where(alike(labels, truths.crowds), shares_inside(boxes, truths.crowd_boxes), -1.0)
    return _Detected(labels, scores, hits_of(overlap, inside, thresholds), boxes)


def _labels(argument_name: str, given: Mapping[str, object], number: int) -> list[Any]:
    if "labels" not in given:
        return [None] * number
    column = given["labels"]
    listed = several(f"{argument_name}['labels']", column.tolist() if hasattr(column, "tolist") else column, "labels")
    found = plain_labels(listed)
    if len(found) != number:
        raise HowsureError(f"`{argument_name}` has {len(found)} labels for {number} objects. Give one for each.")
    if [each for each in found if each is None or each != each]:  # noqa: PLR0124 - nan
        raise HowsureError(f"`{argument_name}['labels']` has a missing label. Drop the object, or give its class.")
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Images:
    """The truths of images, the detections of each model, and the images' weights and clusters."""

    truths: list[_Truths]
    found: dict[str, list[_Detected]]
    iou: Array
    weight: Array | None
    groups: Column | None
    is_paired: bool

    def labels(self) -> Array:
        """Return the classes, in order; refuse objects without one where others have one."""
        every = dict.fromkeys(name for each in self.truths for name in (*each.labels, *each.crowds))
        every |= dict.fromkeys(name for images in self.found.values() for each in images for name in each.labels)
        if None in every and len(every) > 1:
            raise HowsureError(
                "Some objects have 'labels' and others none. Give those of all, in `preds` and in `target`."
            )
        self._refuse_other_labels()
        names = as_labels([ONE_CLASS] if not every or None in every else list(every))
        return names[sort_order(names)]

    def _refuse_other_labels(self) -> None:
        """Refuse detections of which no label is one of the objects, where either are numbers: other codes."""
        known = {name for each in self.truths for name in (*each.labels, *each.crowds)}
        for model, images in self.found.items():
            found = {name for each in images for name in each.labels}
            are_words = all(isinstance(name, str) for name in known | found)
            if known and found and not known & found and not are_words:
                of = f" of {model!r}" if model else ""
                raise HowsureError(
                    f"The detections{of} have the labels {listed(found)}, and the objects {listed(known)}: none could "
                    "be right. Give both in the same codes."
                )

    def table(self, some: Array) -> DetectionsTable | PairedUnitsTable:
        """Return the table of some of the images."""
        groups = None if self.groups is None else replace(self.groups, codes=self.groups.codes[some])
        units = UnitRows.of(len(some), None, groups, None if self.weight is None else self.weight[some])
        truths, labels = [self.truths[each] for each in some.tolist()], self.labels()
        place = {name: index for index, name in enumerate(labels.tolist())} | {None: 0}
        parts = [
            _Counted.of([images[each] for each in some.tolist()], truths, place, len(labels), len(self.iou))
            for images in self.found.values()
        ]
        own = tuple(
            DetectionsTable(
                counts=np.zeros(each.size), labels=labels, scores=each.scores, iou=self.iou, rows=units.number
            )
            for each in parts
        )
        starts = np.cumsum([0, *(each.size for each in parts)])
        counts, design = units.counted(
            np.concatenate([each.unit for each in parts]),
            np.concatenate([each.cell + start for each, start in zip(parts, starts, strict=False)]),
            np.concatenate([each.count for each in parts]),
            int(starts[-1]),
        )
        if not self.is_paired:
            return replace(own[0], counts=counts, design=design)
        facts: dict[str, Any] = {"labels": labels, "design": design, "rows": units.number}
        return PairedUnitsTable(counts=counts, names=tuple(self.found), own=own, **facts)


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
        cls,
        images: Sequence[_Detected],
        truths: Sequence[_Truths],
        place: Mapping[Any, int],
        labels: int,
        thresholds: int,
    ) -> _Counted:
        unit = np.repeat(np.arange(len(images)), [len(each.scores) for each in images])
        label = np.array([place[name] for each in images for name in each.labels], dtype=np.intp)
        score = np.concatenate([each.scores for each in images])
        hits = np.concatenate([each.hits for each in images])
        true_unit = np.repeat(np.arange(len(truths)), [len(each.labels) for each in truths])
        true_label = np.array([place[name] for each in truths for name in each.labels], dtype=np.intp)
        number = np.bincount(true_unit * labels + true_label, minlength=len(truths) * labels).astype(float)
        known = [np.unique(score[label == index], return_inverse=True) for index in range(labels)]
        # A missed truth could have been detected: it gets one score.
        known = [(scores, where) if len(scores) else (np.zeros(1), where) for scores, where in known]
        slices = slices_of([len(scores) for scores, _ in known], thresholds)
        entries = [(np.arange(len(images)), np.zeros(len(images), dtype=np.intp), np.ones(len(images)))]
        for each in slices:
            own = np.flatnonzero(label == each.label)
            counts = ~np.isnan(hits[own, each.threshold])
            hit, of_unit = hits[own[counts], each.threshold], unit[own[counts]]
            cell = each.start + 2 * known[each.label][1][counts] + hit.astype(np.intp)
            entries.append((of_unit, cell, np.ones(len(hit))))
            entries.append(_misses(each, number.reshape(-1, labels)[:, each.label], of_unit, hit))
        return cls(
            tuple(scores for scores, _ in known), slices[-1].stop + 1, *map(np.concatenate, zip(*entries, strict=True))
        )


def _misses(each: Slice, number: Array, unit: Array, hit: Array) -> tuple[Array, Array, Array]:
    """Return the entries of the truths that were never detected."""
    missed = number - np.bincount(unit, hit, len(number))
    if (missed < 0).any():
        raise HowsureError(
            f"The image at position {int(np.argmin(missed))} has more hits than truths. A truth is hit once."
        )
    some = np.flatnonzero(missed)
    return some, np.full(len(some), each.stop), missed[some]

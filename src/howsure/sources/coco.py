"""COCO's JSON: a data set with images and annotations, and the results of detectors on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError, listed
from howsure.sources.locations import is_file, missing
from howsure.sources.text_encoding import decoded

ANNOTATIONS = "annotations"
EXPORT = "Export annotations in the format of COCO or YOLO, as CVAT, Label Studio and Roboflow do."
IMAGE, CLASS, BOX, SCORE, CROWD = "image_id", "category_id", "bbox", "score", "iscrowd"


def of_coco(preds: Any, target: Any) -> tuple[Any, Any]:
    """Return detections and objects of each image, in the order of COCO's images; other data are unchanged.

    Parameters
    ----------
    preds : list, path, or mapping of model to these
        The results: objects with ``image_id``, ``category_id``, ``bbox`` and ``score``, or a JSON file of them.
    target : mapping or path
        The data set, with ``images``, ``annotations`` and ``categories``, or a JSON file of it.

    Raises
    ------
    HowsureError
        If a file cannot be read, an object is incomplete, or results are of other images or classes.

    Examples
    --------
    >>> objects = [{"image_id": 7, "category_id": 1, "bbox": [10, 10, 20, 30]}]
    >>> data = {"images": [{"id": 7}], "categories": [{"id": 1, "name": "cat"}], "annotations": objects}
    >>> of_coco([objects[0] | {"score": 0.9}], data)[0]
    [{'boxes': [[10, 10, 30, 40]], 'labels': ['cat'], 'scores': [0.9]}]
    """
    target = _loaded(target)
    is_data_set = isinstance(target, Mapping) and ANNOTATIONS in target
    read: Callable[[Any], Any] = _DataSet(target).detections if is_data_set else _loaded
    is_of_models = isinstance(preds, Mapping) and not {ANNOTATIONS, "scores"} & preds.keys()
    found = {name: read(each) for name, each in preds.items()} if is_of_models else read(preds)
    return found, _DataSet(target).objects() if is_data_set else target


def _loaded(given: Any) -> Any:
    """Return the content of a JSON file; other values unchanged."""
    if not isinstance(given, str | Path):
        return given
    if not is_file(Path(given)):
        raise missing(Path(given))
    try:
        return json.loads(decoded(Path(given)))
    except (ValueError, RecursionError):
        raise HowsureError(f"'{given}' is no JSON of COCO. {EXPORT}") from None


class _DataSet:
    """The images of a data set, by place, and its classes, by name."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.annotations = _lines("target['annotations']", found[ANNOTATIONS])
        images, classes = (_by_id(found, name) for name in ("images", "categories"))
        self.places = {each: place for place, each in enumerate(images)}
        self.names = {each: str(about.get("name", each)) for each, about in classes.items()}
        if len(set(self.names.values())) < len(self.names):
            self.names = {each: each for each in classes}

    def objects(self) -> list[dict[str, Any]]:
        """Return boxes, labels and crowds of each image."""
        return self._of_images(
            "target['annotations']", [{CROWD: 0} | {**each} for each in self.annotations], CROWD, CROWD
        )

    def detections(self, given: Any) -> list[dict[str, Any]]:
        """Return boxes, labels and scores of each image, from results or a file of them."""
        found = _loaded(given)
        found = found.get(ANNOTATIONS) if isinstance(found, Mapping) else found
        return self._of_images("preds", _lines("preds", found), SCORE, "scores")

    def _of_images(self, role: str, lines: Iterable[Mapping[str, Any]], name: str, column: str) -> list[dict[str, Any]]:
        """Return the columns of each image from lines of one object each, with a further field as a column."""
        made: list[dict[str, Any]] = [{"boxes": [], "labels": [], column: []} for _ in self.places]
        for number, line in enumerate(lines):
            where = f"`{role}[{number}]`"
            if absent := [each for each in (IMAGE, CLASS, BOX, name) if line.get(each) is None]:
                raise HowsureError(f"{where} has no {listed(absent)}. COCO has them for each object.")
            image = made[_known(where, IMAGE, line[IMAGE], self.places)]
            box = line[BOX].tolist() if hasattr(line[BOX], "tolist") else line[BOX]
            if not isinstance(box, Sequence) or len(box) != 4 or not all(isinstance(each, Real) for each in box):
                raise HowsureError(f"{where} has the bbox {box!r}. COCO has [left, top, width, height].")
            left, top, width, height = box
            image["boxes"].append([left, top, left + width, top + height])
            image["labels"].append(_known(where, CLASS, line[CLASS], self.names))
            image[column].append(line[name])
        return made


def _lines(role: str, found: Any) -> Sequence[Mapping[str, Any]]:
    """Return a list of objects."""
    if isinstance(found, Sequence) and all(isinstance(each, Mapping) for each in found):
        return found
    raise HowsureError(
        f"`{role}` is no list of objects of COCO. Give {{'image_id': …, 'category_id': …, 'bbox': [left, top, width, "
        "height]}, with the 'score' of each detection, or the JSON file of these."
    )


def _by_id(found: Mapping[str, Any], name: str) -> dict[Any, Mapping[str, Any]]:
    """Return the images or the categories of a data set by their identifiers."""
    lines = found.get(name)
    if isinstance(lines, Sequence) and all(
        isinstance(each, Mapping) and isinstance(each.get("id", []), Hashable) for each in lines
    ):
        return {each["id"]: each for each in lines}
    raise HowsureError(
        f"`target` has '{ANNOTATIONS}' and no '{name}' with an 'id' each. Give the whole data set of COCO."
    )


def _known(where: str, name: str, given: Any, known: Mapping[Any, Any]) -> Any:
    """Return the value of an identifier; refuse one that the data set lacks."""
    if isinstance(given, Hashable) and given in known:
        return known[given]
    raise HowsureError(
        f"{where} has the {name} {given!r}, and the data set has {listed(known)}. Give detections and objects of the "
        "same data set, with the same identifiers."
    )

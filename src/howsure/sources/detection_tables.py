"""Tables with a row for each object or detection: its image, its class, the sides of its box, and a score."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import HowsureError, listed, real_numbers
from howsure.sources.encoding import is_missing
from howsure.sources.frames import columns, opened
from howsure.sources.locations import FORMATS, JSON, suffix_of
from howsure.sources.nested import column_names

IMAGE = ("image", "imageid", "imagename", "imagepath", "filename", "file", "img", "imgid")
LABEL = ("label", "labelname", "class", "classname", "classid", "category", "categoryname", "categoryid", "name")
SCORE = ("score", "confidence", "conf", "probability", "prob")
CROWD = ("iscrowd", "isgroupof")
COLUMNS = {"label": "labels", "score": "scores"}  # of an image, from those of a row
SIDES = (("xmin", "ymin", "xmax", "ymax"), ("x1", "y1", "x2", "y2"), ("left", "top", "right", "bottom"))


def of_tables(preds: Any, target: Any) -> tuple[Any, Any]:
    """Return detections and objects of each image from tables; other data are unchanged.

    The columns are found by their names, as Open Images, Roboflow, VoTT and Pascal VOC converters write them. The
    images are those of any table, in the order in which they occur; an image without a row is not known, and one in a
    row without a box has no object. A group of objects, as Open Images marks it, is a crowd.

    Parameters
    ----------
    preds : frame, path, or mapping of model to these
        A row for each detection: image, class, left, top, right, bottom and score.
    target : frame or path
        A row for each object, without a score.

    Raises
    ------
    HowsureError
        If a table has no column for the image, a side of the box, or the score; if a row has no image; or if tables
        have no image in common.
    """
    if not _is_table(target):
        return preds, target
    models = preds if isinstance(preds, Mapping) and not _is_table(preds) else {"": preds}
    roles = {name: f"preds['{name}']" if name else "preds" for name in models}
    said = {name: _by_image(roles[name], each, scored=True) for name, each in models.items()}
    true = _by_image("target", target, scored=False)
    for name, each in said.items():
        if each and each.keys().isdisjoint(true):
            raise HowsureError(
                f"`{roles[name]}` has images such as {next(iter(each))!r}, and `target` has {listed(true)}: none is in "
                "both. Write their names in the same way."
            )
    images = list(dict.fromkeys([*true, *(image for each in said.values() for image in each)]))
    made = {name: [found.get(image, _empty(found)) for image in images] for name, found in said.items()}
    return made.get("", made), [true.get(image, _empty(true)) for image in images]


def _is_table(given: Any) -> bool:
    """Whether rows of objects are given: a frame, a file of a table, or a mapping of columns with an image."""
    if isinstance(given, str | Path):
        return suffix_of(given) in FORMATS and suffix_of(given) not in JSON
    if isinstance(given, list):
        return bool(given) and isinstance(given[0], Mapping) and _is_table(given[0])
    if isinstance(given, Mapping):
        return _named(given, IMAGE) is not None and any(_named(given, (side,)) for sides in SIDES for side in sides)
    return hasattr(given, "columns") and hasattr(given, "__getitem__")


def _named(names: Any, known: tuple[str, ...]) -> str | None:
    """Return the first name that is among the known ones, apart from case and punctuation."""
    plain = {re.sub(r"[\W_]", "", str(name)).casefold(): name for name in names}
    return next((plain[name] for name in known if name in plain), None)


def _by_image(role: str, given: Any, *, scored: bool) -> dict[Any, dict[str, list[Any]]]:
    """Return the boxes, labels and scores of each image."""
    frame = opened(str(given) if isinstance(given, Path) else given)
    known = list(map(str, column_names(frame)))
    sides = next((found for each in SIDES if all(found := [_named(known, (side,)) for side in each])), None)
    wanted = {"image": _named(known, IMAGE), "label": _named(known, LABEL)}
    wanted |= {"score": _named(known, SCORE)} if scored else {"iscrowd": _named(known, CROWD)}
    if sides is None or wanted["image"] is None or wanted.get("score", "") is None:
        needed = "image, xmin, ymin, xmax, ymax" + (" and score" if scored else "")
        raise HowsureError(f"`{role}` has the columns {', '.join(known)}. Name those of each object {needed}.")
    names = {role: name for role, name in wanted.items() if name} | dict(zip(SIDES[0], sides, strict=True))
    held = columns(frame, names)
    boxes = np.column_stack([real_numbers(f"{role}[{names[side]!r}]", held[side]) for side in SIDES[0]])
    rest = {COLUMNS.get(name, name): np.asarray(held[name], dtype=object).tolist() for name in names if name in wanted}
    made: dict[Any, dict[str, list[Any]]] = {}
    for place, image in enumerate(rest.pop("image")):
        if is_missing(image):
            raise HowsureError(f"`{role}` has a row without an image. Leave it out, or give its image.")
        each = made.setdefault(image, {"boxes": [], **{name: [] for name in rest}})
        if not np.isnan(boxes[place]).all():
            each["boxes"].append(boxes[place].tolist())
            for name, values in rest.items():
                each[name].append(values[place])
    return made


def _empty(found: Mapping[Any, Mapping[str, list[Any]]]) -> dict[str, list[Any]]:
    """Return the columns of an image without a row."""
    return {name: [] for name in next(iter(found.values()), ("boxes", "scores"))}

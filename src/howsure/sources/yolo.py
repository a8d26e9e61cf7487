"""YOLO's folders of text files: one file for each image, one line for each object or detection."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError
from howsure.sources.coco import EXPORT
from howsure.sources.text_encoding import text_lines

OF_OBJECT = ("class", "x", "y", "width", "height")  # the centre and the size, in fractions of the image
OF_DETECTION = (*OF_OBJECT, "score")
CLASSES = "classes.txt"  # the names of the classes, in the same folder


def of_yolo(preds: Any, target: Path) -> tuple[Any, list[dict[str, Any]]]:
    """Return detections and objects of each image; images are sorted by name.

    Parameters
    ----------
    preds : path, or mapping of model to paths
        A folder with lines of class, centre, size and score, as `model.predict(save_txt=True, save_conf=True)` has it.
    target : Path
        A folder with lines of class, centre and size. An image without a file, or with an empty one, has no objects;
        one without a file in any folder is not known.

    Raises
    ------
    HowsureError
        If a folder has no text files, or none of the same name as the other one; or if a line is not as above.
    """
    folders = preds if isinstance(preds, Mapping) else {"": preds}
    if others := [each for each in folders.values() if not isinstance(each, str | Path)]:
        raise HowsureError(
            f"`target` is a folder, and `preds` holds {type(others[0]).__name__}. Give YOLO's folders for both."
        )
    models = {name: _files(Path(folder), OF_DETECTION) for name, folder in folders.items()}
    truths = _files(target, OF_OBJECT)
    for name, found in models.items():
        if found.keys().isdisjoint(truths):
            raise HowsureError(
                f"'{folders[name]}' and '{target}' have no file of the same name. Give those of the same images."
            )
    images = sorted({*truths, *(image for found in models.values() for image in found)})
    objects = [_columns(truths.get(image, [])) for image in images]
    made = {name: [_with_scores(found.get(image, [])) for image in images] for name, found in models.items()}
    return made if isinstance(preds, Mapping) else made[""], objects


def _files(folder: Path, names: tuple[str, ...]) -> dict[str, list[list[float]]]:
    """Return the numbers of each line of a folder's files, by the name of the file."""
    files = [each for each in sorted(folder.glob("[!.]*.txt")) if each.name != CLASSES]  # without hidden files
    if not files:
        raise HowsureError(f"'{folder}' holds no text files of YOLO. {EXPORT}")
    return {file.stem: [_numbers(file, line, names) for line in text_lines(file) if line.strip()] for file in files}


def _numbers(file: Path, line: str, names: tuple[str, ...]) -> list[float]:
    cells = line.split()
    try:
        if len(cells) == len(names) and float(cells[0]).is_integer():
            return [float(each) for each in cells]
    except ValueError:
        pass
    scored = " Write the scores too: save_conf=True." if names == OF_DETECTION and len(cells) == len(OF_OBJECT) else ""
    raise HowsureError(
        f"'{file}' has the line {line!r}. YOLO's boxes are {', '.join(names)}, separated by blanks.{scored}"
    )


def _columns(lines: list[list[float]]) -> dict[str, Any]:
    """Return boxes as left, top, right and bottom, and labels."""
    boxes = [[x - width / 2, y - height / 2, x + width / 2, y + height / 2] for _, x, y, width, height, *_ in lines]
    return {"boxes": boxes, "labels": [int(each[0]) for each in lines]}


def _with_scores(lines: list[list[float]]) -> dict[str, Any]:
    return _columns(lines) | {"scores": [each[-1] for each in lines]}

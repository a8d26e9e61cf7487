"""brat's standoff files: a folder with the entities of each document in a file of its name (``.ann``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError, listed
from howsure.escapes import shown
from howsure.sources.locations import is_folder
from howsure.sources.text_encoding import text_lines

ENTITY = re.compile(r"T\d+\t(?P<type>\S+) (?P<places>\d+ \d+(?:;\d+ \d+)*)(\t.*)?")  # several places if it has gaps
SUFFIX = ".ann"


def of_brat(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return the spans of each document of folders, sorted by the name of its file; other data are unchanged.

    ``y_pred`` may be a mapping of models to folders. An entity of several parts, as brat writes one over several lines,
    is from the first start to the last end.

    Raises
    ------
    HowsureError
        If only some of the arguments are folders; if a folder has no such files, or lacks one that the true entities
        have; or if a line is not as brat has it.
    """
    models = y_pred if isinstance(y_pred, Mapping) else {"": y_pred}
    if not any(is_folder(each) for each in (y_true, *models.values())):
        return y_true, y_pred
    if others := [each for each in (y_true, *models.values()) if not is_folder(each)]:
        raise HowsureError(
            f"{shown(others[0])} is no folder of brat's files, and another argument is one. Give folders for all."
        )
    true = _documents(Path(y_true))
    said = {name: _documents(Path(folder)) for name, folder in models.items()}
    for name, found in said.items():
        if others := sorted(found.keys() ^ true.keys()):
            raise HowsureError(
                f"'{y_true}' and '{models[name]}' are not of the same documents: only one of them has "
                f"{listed(others)}. Give a file for each document, which is empty if it has no entity."
            )
    made = {name: [found[document] for document in true] for name, found in said.items()}
    return list(true.values()), made if isinstance(y_pred, Mapping) else made[""]


def _documents(folder: Path) -> dict[str, list[Any]]:
    """Return the spans of each file by its name."""
    files = sorted(folder.glob(f"[!.]*{SUFFIX}"))  # without hidden files
    if not files:
        raise HowsureError(
            f"'{folder}' holds no file '*{SUFFIX}' of brat. Give a folder of them, or lists of tags or spans."
        )
    return {file.name: [_span(file, line) for line in text_lines(file) if line[:1] == "T"] for file in files}


def _span(file: Path, line: str) -> tuple[Any, Any, str]:
    found = ENTITY.fullmatch(line)
    if found is None:
        raise HowsureError(f"'{file}' has the line {line!r}. brat's entities are 'T1', a tab, and type, start and end.")
    places = re.split("[ ;]", found["places"])
    return int(places[0]), int(places[-1]), found["type"]

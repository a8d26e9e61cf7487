"""Files of tagged tokens (CoNLL): one line per token, a blank line after each sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError
from howsure.sources.locations import ARCHIVES, COMPRESSED, FORMATS, PLAIN, Location, is_file
from howsure.sources.text_encoding import text_lines

CONLL = (".conll", ".iob", ".iob2", ".bio", ".bioes", ".bilou", ".ner")
TAG = re.compile(r"([BIMELSU])(?:-(.+))?|O", re.DOTALL)
START = "-DOCSTART-"  # the line before each document
NUMBER = re.compile(r"\d*\.?\d+(e-?\d+)?", re.IGNORECASE)
FEWEST = 2  # columns
OTHERS = frozenset({*FORMATS, *COMPRESSED, *ARCHIVES}) - {*PLAIN[1:]}  # suffixes of files that hold no such lines


def is_conll(data: object) -> bool:
    """Whether data are the path of a CoNLL file, by its suffix or because its first line ends in a tag.

    Taggers that write their confidence have it behind the tag.
    """
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(each, str | Path) and is_conll(each) for each in data)
    if not isinstance(data, str | Path) or not is_file(Path(data)):
        return False
    path = Path(data)
    if path.suffix.lower() in CONLL:
        return True
    if path.suffix.lower() in OTHERS:
        return False
    lines = (line.split() for line in text_lines(path) if line.strip())
    first = next((cells for cells in lines if not _is_comment(cells)), [""])
    last = first[-2 if len(first) > FEWEST and NUMBER.fullmatch(first[-1]) else -1]
    return first[0] == START or TAG.fullmatch(last) is not None


def tag_columns(data: dict[str, list[Any]]) -> list[str]:
    """Return the numbers of the columns of `read_conll`, without a last one with the confidence of the tags."""
    numbers = [name for name in data if name.isdigit()]
    return numbers[:-1] if all(map(NUMBER.fullmatch, data[numbers[-1]])) else numbers


def _is_comment(cells: list[str]) -> bool:
    return cells[0].startswith("#") and TAG.fullmatch(cells[-1]) is None


def read_conll(data: Location | Sequence[Location]) -> dict[str, list[Any]]:
    """Return the columns of files of tagged tokens by their numbers, "1", "2" …, and ``sentence`` and ``document``.

    Parameters
    ----------
    data : str, Path, or sequence of them
        Files with lines such as ``EU NNP B-ORG B-ORG``, separated by tabs or blanks. Comments (``# …``) are ignored;
        lines ``-DOCSTART-`` separate documents.

    Raises
    ------
    HowsureError
        If lines have different numbers of columns, or there are fewer than two.
    """
    rows: list[list[str]] = []
    sentences, documents = [], []
    sentence = document = 0
    is_open, width = False, 0
    for path, number, cells in _lines([data] if isinstance(data, str | Path) else data):
        if not cells or cells[0] == START or _is_comment(cells):
            sentence, is_open = sentence + is_open, False
            document += bool(cells) and cells[0] == START
            continue
        width = width or len(cells)
        if len(cells) != width or width < FEWEST:
            raise HowsureError(
                f"'{path}' cannot be read: line {number} has {len(cells)} columns, and the first one {width}. Give a "
                "line for each token, with its tags, and a blank line after each sentence."
            )
        rows.append(cells)
        sentences.append(sentence)
        documents.append(document)
        is_open = True
    if not rows:
        raise HowsureError("The files of tagged tokens hold none. Give a line for each token, with its tags.")
    found: dict[str, list[Any]] = {str(place): list(each) for place, each in enumerate(zip(*rows, strict=True), 1)}
    return found | {"sentence": sentences} | ({"document": documents} if document else {})


def _lines(files: Sequence[Location]) -> Iterator[tuple[Location, int, list[str]]]:
    """Yield the cells of each line (none for a blank line) with file and line number; a blank line ends each file."""
    for path in files:
        lines = text_lines(Path(path))
        separator = "\t" if any("\t" in line for line in lines) else None
        for number, line in enumerate([*lines, ""], 1):
            yield path, number, [cell.strip() for cell in line.split(separator)] if line.strip() else []

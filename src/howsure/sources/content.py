"""Files whose first bytes are of another format than their suffix states."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from howsure.errors import HowsureError
from howsure.sources.locations import ARROW, COMPRESSED, JSON, PARQUET, PLAIN, SHEETS, suffix_of

START = 1024  # bytes
COMPRESSIONS = {  # first bytes → suffix; pzstd writes a frame of its own first
    b"\x1f\x8b": ".gz",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"\x50\x2a\x4d\x18": ".zst",
    b"BZh": ".bz2",
    b"\xfd7zXZ": ".xz",
}
ZIPPED = tuple(suffix for suffix in SHEETS if suffix != ".xls")
CONTAINERS = {  # first bytes → what the file is, and the suffixes of such files
    b"PAR1": ("a Parquet file", PARQUET),
    b"ARROW1": ("an Arrow file", ARROW),
    b"FEA1": ("a Feather file", ARROW),
    b"PK\x03\x04": ("a workbook or a ZIP archive", ZIPPED),
    b"\xd0\xcf\x11\xe0": ("a workbook", (".xls", *ZIPPED)),  # also others with a password
}
PAGE = re.compile(rb"\s*<(!doctype|html|head|body|meta|style|table)\b(?![^<>\n]*>([,;|]|\t\w))", re.IGNORECASE)
NOT_IN_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f]")
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # byte order marks


def compression_of(start: bytes) -> str:
    """Return the suffix of the compression that the first bytes of a file state; empty if they state none."""
    known = next((suffix for begin, suffix in COMPRESSIONS.items() if start.startswith(begin)), "")
    return known if NOT_IN_TEXT.search(start) else ""  # the header of a text may begin so


def is_page(path: Path) -> bool:
    """Whether a file of this machine starts as a web page or a table of one, whatever its suffix."""
    return path.is_file() and PAGE.match(_start(path).removeprefix(codecs.BOM_UTF8)) is not None


def refuse_other_content(path: Path, *, pages: bool = False) -> None:
    """Refuse a file of this machine whose suffix does not state its format or its compression.

    Parameters
    ----------
    path : Path
        The file; one that does not exist is not checked.
    pages : bool
        Whether the caller reads the tables of web pages, whatever the suffix.

    Raises
    ------
    HowsureError
        For example if a workbook or a compressed file is named ``.csv``, or a text ``.xlsx``; or if the file cannot be
        read.
    """
    if not path.is_file() or (pages and is_page(path)):
        return
    start = _start(path)
    if remedy := _other_compression(path, start) or _other_format(path, start):
        raise HowsureError(f"'{path}' is {remedy}")


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(START)
    except OSError as error:
        raise HowsureError.unreadable(f"'{path}'", error) from None


def _other_compression(path: Path, start: bytes) -> str:
    packed, suffix = compression_of(start), path.suffix.lower()
    stated = suffix if suffix in COMPRESSED else ""
    if packed == stated or not start:
        return ""
    name = path.stem if stated else path.name
    return (
        f"compressed, and its suffix does not say so. Name it '{name}{packed}'."
        if packed
        else f"not compressed, as its suffix says. Name it '{name}'."
    )


def _other_format(path: Path, start: bytes) -> str:
    suffix = suffix_of(path)
    if path.suffix.lower() in COMPRESSED or suffix not in (*PLAIN, *JSON, *PARQUET, *ARROW, *SHEETS):
        return ""
    if PAGE.match(start.removeprefix(codecs.BOM_UTF8)):
        return "a web page. Open it in a spreadsheet program, and save its table as CSV."
    is_text = start.startswith(UTF_16) or not NOT_IN_TEXT.search(start)
    known = next((each for begin, each in CONTAINERS.items() if start.startswith(begin)), None)
    if known is not None and suffix not in known[1] and not is_text:
        name = f"'{path.stem}{known[1][0]}'"
        remedy = f"Unpack it, or name the workbook {name}" if known[1] is ZIPPED else f"Name it {name}"
        return f"{known[0]}, and its suffix does not say so. {remedy}."
    if known is None and is_text and start and suffix in (*PARQUET, *ARROW, *SHEETS):
        return f"a text, and its suffix is of another format. Name it '{path.stem}.csv' if it is CSV."
    return ""

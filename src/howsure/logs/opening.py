"""A log's file, opened: an archive of JSON, one document, or one line after the other; never by the file's name."""

from __future__ import annotations

import gzip
import importlib
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError

ARCHIVE, GZIP = b"PK\x03\x04", b"\x1f\x8b"
ZSTANDARD = 93  # compression method in an archive
LOCAL_HEADER = 30  # bytes before an entry's name, which with the name's and the rest's lengths precede its data


@dataclass(frozen=True)
class Opened:
    """What a file holds.

    Parameters
    ----------
    path : Path
        The file.
    archive : Archive or None
        Its entries, where it is an archive.
    records : sequence
        Its JSON values: one of a document, or one for each line; none of an archive.
    """

    path: Path
    archive: Archive | None
    records: Sequence[Any]

    @cached_property
    def first(self) -> dict[str, Any]:
        """The first record; empty where it is no object."""
        found = self.records[0] if self.records else None
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True)
class Archive:
    """A zip file of JSON, also one whose entries are compressed by Zstandard."""

    path: Path
    entries: dict[str, zipfile.ZipInfo]

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def named(self, folder: str) -> list[str]:
        """Return the names of the entries in a folder, in the order they were written in."""
        return [name for name in self.entries if name.startswith(folder)]

    def json(self, names: Sequence[str]) -> list[Any]:
        """Return what entries hold."""
        with self.path.open("rb") as file, zipfile.ZipFile(file) as whole:
            return [json.loads(self._bytes(file, whole, self.entries[name])) for name in names]

    def _bytes(self, file: Any, whole: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
        if entry.compress_type != ZSTANDARD:
            return whole.read(entry)
        file.seek(entry.header_offset + LOCAL_HEADER - 4)
        lengths = file.read(4)
        file.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), 1)
        return _without_zstandard(file.read(entry.compress_size), self.path)


def opened(path: Path) -> Opened:
    """Return what a file holds; what is neither an archive nor JSON raises whatever its reader does."""
    with path.open("rb") as file:
        start = file.read(4)
    if start == ARCHIVE:
        with zipfile.ZipFile(path) as whole:
            return Opened(path, Archive(path, {each.filename: each for each in whole.infolist()}), [])
    data = gzip.decompress(path.read_bytes()) if start[:2] == GZIP else path.read_bytes()
    return Opened(path, None, _records(data.decode("utf-8-sig")))


def _records(text: str) -> list[Any]:
    """Return one JSON document, or one for each line."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        return [json.loads(line) for line in lines]
    return [found]


def _without_zstandard(data: bytes, path: Path) -> bytes:
    """Return data decompressed by what there is: Python from 3.14 on, `zstandard`, or PyArrow."""
    for module, decompress in DECOMPRESSORS.items():
        try:
            package = importlib.import_module(module)
        except ImportError:
            continue
        return decompress(package, data)
    message = f"'{path}' is compressed by Zstandard. To read it: pip install zstandard."
    raise HowsureError(message)


def _by_pyarrow(pyarrow: Any, data: bytes) -> bytes:
    with pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd") as stream:
        return bytes(stream.read())


def _by_zstandard(zstandard: Any, data: bytes) -> bytes:
    with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as stream:
        return bytes(stream.read())


DECOMPRESSORS: dict[str, Callable[[Any, bytes], bytes]] = {
    "compression.zstd": lambda zstd, data: bytes(zstd.decompress(data)),
    "zstandard": _by_zstandard,
    "pyarrow": _by_pyarrow,
}

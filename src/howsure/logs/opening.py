"""Opening of log files: archives of JSON, JSON documents or JSON lines, detected by content."""

from __future__ import annotations

import importlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from howsure.cached import cached_property
from howsure.errors import HowsureError, reading
from howsure.sources.content import START, UTF_16, compression_of
from howsure.sources.file_checks import OPENERS
from howsure.tables.parquet import MOST_BYTES, unpacked_bytes

ARCHIVE, PARQUET = b"PK\x03\x04", b"PAR1"
PACKED = ("", ".gz", ".zst", ".bz2", ".xz")  # suffixes of compressed files, and of plain ones
SUFFIX = re.compile(r"\.(jsonl?|eval|parquet)(\.(gz|zst|bz2|xz))?$", re.IGNORECASE)
ZSTANDARD = 93  # compression method in an archive
LOCAL_HEADER = 30  # bytes before an entry's name, which with the name's and the rest's lengths precede its data


@dataclass(frozen=True)
class Opened:
    """The content of a file.

    Parameters
    ----------
    path : Path
        The file.
    archive : Archive or None
        Its entries, if it is an archive.
    records : sequence
        Its JSON values: one for a document, or one per line; empty for an archive.
    """

    path: Path
    archive: Archive | None
    records: Sequence[Any]

    @cached_property
    def first(self) -> dict[str, Any]:
        """The first record; empty if it is not an object."""
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
        """Return the content of entries.

        Raises
        ------
        HowsureError
            If they unpack to more than 2 GiB together.
        """
        if sum(self.entries[name].file_size for name in names) > MOST_BYTES:
            refuse_size(self.path)
        with self.path.open("rb") as file, zipfile.ZipFile(file) as whole:
            return [json.loads(self._bytes(file, whole, self.entries[name])) for name in names]

    def _bytes(self, file: Any, whole: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
        if entry.compress_type != ZSTANDARD:
            return whole.read(entry)
        file.seek(entry.header_offset + LOCAL_HEADER - 4)
        lengths = file.read(4)
        file.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), 1)
        return _without_zstandard(file.read(entry.compress_size), entry.file_size, self.path)


def opened(path: Path) -> Opened:
    """Return the content of a file; errors of the reader are raised for other formats."""
    with path.open("rb") as file:
        start = file.read(START)
    if start.startswith(ARCHIVE):
        with zipfile.ZipFile(path) as whole:
            return Opened(path, Archive(path, {each.filename: each for each in whole.infolist()}), [])
    if start.startswith(PARQUET):
        return Opened(path, None, _parquet(path))
    packed = compression_of(start)
    with OPENERS.get(packed, open)(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if packed == ".zst":
        data = _decompressed(data, MOST_BYTES + 1, path)
    if len(data) > MOST_BYTES:
        refuse_size(path)
    return Opened(path, None, _records(data.decode("utf-16" if data.startswith(UTF_16) else "utf-8-sig"), path))


def stem_of(path: Path) -> str:
    """Return the name of a file without the suffixes of its format and compression; other dots are kept.

    Examples
    --------
    >>> stem_of(Path("gpt-4.1.json.gz"))
    'gpt-4.1'
    """
    return SUFFIX.sub("", path.name)


def beside(path: Path) -> Any:
    """Return the JSON value of a file next to a log, plain or compressed; None if there is none."""
    for suffix in PACKED:
        packed = path.with_name(f"{path.name}{suffix}")
        with suppress(OSError):
            return _stored(packed, packed.stat().st_mtime)
    return None


@lru_cache(maxsize=64)
def _stored(path: Path, _changed: float) -> Any:
    with suppress(HowsureError), reading(f"'{path}'"):
        return next(iter(opened(path).records), None)
    return None


def _parquet(path: Path) -> list[Any]:
    """Return the rows of a Parquet file."""
    try:
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise HowsureError(f"'{path}' is a Parquet file. To read it: pip install pyarrow.") from None
    about = parquet.read_metadata(str(path))
    if unpacked_bytes(about) > MOST_BYTES:
        refuse_size(path)
    return list(parquet.read_table(str(path)).to_pylist())


def _records(text: str, path: Path) -> list[Any]:
    """Return one JSON document, or one for each line."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        return [_of_line(line, place, path) for place, line in enumerate(lines, 1)]
    if isinstance(found, list) and found and all(isinstance(each, dict) for each in found):
        return found  # of early versions of lm-evaluation-harness, which name it .jsonl
    return [found]


def _of_line(line: str, place: int, path: Path) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        message = f"'{path}' cannot be read: record {place:,} is no JSON, or is cut short. Complete it, or remove it."
        if place == 1:
            message = f"'{path}' is no log: its first line is no JSON. Give JSON, JSON Lines, Parquet or .eval."
        raise HowsureError(message) from None


def refuse_size(path: Path) -> NoReturn:
    """Raise the error for a file that unpacks to more than the size limit."""
    raise HowsureError(
        f"'{path}' unpacks to more than {MOST_BYTES >> 30} GiB. Split the log by task, and give its parts."
    )


def _without_zstandard(data: bytes, size: int, path: Path) -> bytes:
    found = _decompressed(data, size + 1, path)
    if len(found) > size:
        raise HowsureError(f"'{path}' is damaged: an entry is longer than it states.")
    return found


def _decompressed(data: bytes, most: int, path: Path) -> bytes:
    """Return at most so many decompressed bytes, by Python (from 3.14 on), `zstandard`, or PyArrow."""
    for module, decompress in DECOMPRESSORS.items():
        try:
            package = importlib.import_module(module)
        except ImportError:
            continue
        return decompress(package, data, most)
    raise HowsureError(f"'{path}' is compressed by Zstandard. To read it: pip install zstandard.")


def _by_python(zstd: Any, data: bytes, most: int) -> bytes:
    with zstd.open(io.BytesIO(data)) as stream:
        return bytes(stream.read(most))


def _by_pyarrow(pyarrow: Any, data: bytes, most: int) -> bytes:
    with pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd") as stream:
        return bytes(stream.read(most))


def _by_zstandard(zstandard: Any, data: bytes, most: int) -> bytes:
    with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as stream:
        return bytes(stream.read(most))


DECOMPRESSORS: dict[str, Callable[[Any, bytes, int], bytes]] = {
    "compression.zstd": _by_python,
    "zstandard": _by_zstandard,
    "pyarrow": _by_pyarrow,
}

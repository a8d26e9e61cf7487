"""Checks for files that readers would read in part only, or that would crash the process."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import HowsureError
from howsure.sources.content import refuse_other_content
from howsure.sources.locations import COMPRESSED, JSON, LINES, suffix_of

CHUNK = 2**20  # bytes per block
DEEPEST = 1000  # nested brackets; at about ten thousand DuckDB's JSON reader crashes the process
CASE = 0x20  # the bit by which "{" differs from "["
OPENERS: dict[str, Any] = {".bz2": bz2.open, ".gz": gzip.open, ".xz": lzma.open}
NESTING = np.zeros(256, dtype=np.int8)
NESTING[list(b"[{")], NESTING[list(b"]}")] = 1, -1


def refuse_unsound(path: Path) -> None:
    """Refuse files that are empty, truncated (DuckDB reads these in part) or misnamed, and very deeply nested JSON."""
    suffix = suffix_of(path)
    if not path.is_file():
        return
    if path.stat().st_size == 0:
        raise HowsureError(f"'{path}' is empty.")
    refuse_other_content(path)
    if suffix not in JSON and path.suffix.lower() not in COMPRESSED:
        return
    try:
        if suffix in JSON:
            depth, size = _depth(path), len(next(chunks(path), b""))
        else:
            depth, size = 0, sum(map(len, chunks(path)))  # to the end, which may lack
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise HowsureError.unreadable(f"'{path}'", error) from None
    if not size and path.suffix.lower() in OPENERS:
        raise HowsureError(f"'{path}' is empty.")
    if depth > DEEPEST:
        raise HowsureError(f"'{path}' nests brackets more than {DEEPEST} deep. Give flat records, one per case.")


def _depth(path: Path) -> int:
    """Return a bound on the depth of a file's JSON: a line is no deeper than its numbers of bytes and of brackets."""
    if suffix_of(path) in LINES:
        for brackets in (False, True):
            bound = longest_line(chunks(path), brackets=brackets)
            if bound <= DEEPEST:
                return bound
    return greatest_depth(chunks(path))


def longest_line(blocks: Iterable[bytes], *, brackets: bool = False) -> int:
    """Return the largest number of bytes in a line of a text, or of its opening brackets."""
    longest = carried = 0
    for block in blocks:
        codes = np.frombuffer(block, dtype=np.uint8)
        ends, size = np.flatnonzero(codes == ord("\n")), len(codes)
        if brackets:
            opened = np.flatnonzero((codes | CASE) == ord("{"))
            ends, size = np.searchsorted(opened, ends), len(opened)
        lengths = np.diff(ends, prepend=-carried, append=size)
        longest, carried = max(longest, int(lengths.max())), int(lengths[-1])
    return longest


def greatest_depth(blocks: Iterable[bytes]) -> int:
    """Return the greatest depth of nested brackets outside of quotes in a JSON text, or the first above `DEEPEST`."""
    depth = quotes = greatest = 0
    rest = b""
    for block in blocks:
        whole = rest + block
        bare = whole.rstrip(b"\\")  # keep a backslash together with the character that it escapes
        rest = whole[len(bare) :]
        codes = np.frombuffer(bare.replace(rb"\\", b"").replace(rb"\"", b""), dtype=np.uint8)
        quoted = np.cumsum(codes == ord('"')) + quotes
        depths = depth + np.cumsum(np.where(quoted % 2, 0, NESTING[codes]))
        greatest = max(greatest, int(depths.max(initial=0)))
        if greatest > DEEPEST:
            break
        if len(codes):
            depth, quotes = int(depths[-1]), int(quoted[-1])
    return greatest


def chunks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed."""
    compression = path.suffix.lower()
    if compression == ".zst":
        yield from _zstandard(path)
        return
    with OPENERS.get(compression, open)(path, "rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _zstandard(path: Path) -> Iterator[bytes]:
    """Yield the bytes decompressed by PyArrow; nothing without it (Python has Zstandard from 3.14 on)."""
    try:
        import pyarrow as pa
    except ImportError:
        return
    with pa.OSFile(str(path)) as raw, pa.CompressedInputStream(raw, "zstd") as file:
        while chunk := file.read(CHUNK):
            yield chunk

"""Checks for files that readers would read in part only, or that would crash the process."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.sources.locations import COMPRESSED, JSON, suffix_of

Array = NDArray[Any]
CHUNK = 2**20  # bytes per block
DEEPEST = 1000  # nested brackets; at about ten thousand DuckDB's JSON reader crashes the process
NESTING = np.zeros(256, dtype=np.int8)
NESTING[list(b"[{")], NESTING[list(b"]}")] = 1, -1


def refuse_unsound(path: Path) -> None:
    """Refuse empty files, truncated files (which DuckDB reads in part), and very deeply nested JSON."""
    suffix = suffix_of(path)
    if not path.is_file():
        return
    if path.stat().st_size == 0:
        message = f"'{path}' is empty."
        raise HowsureError(message)
    if suffix not in JSON and path.suffix.lower() not in COMPRESSED:
        return
    depth = quotes = size = 0
    rest = b""
    try:
        for chunk in chunks(path):
            size += len(chunk)
            if suffix not in JSON:
                continue
            whole = rest + chunk
            bare = whole.rstrip(b"\\")  # keep a backslash together with the character that it escapes
            rest = whole[len(bare) :]
            codes = np.frombuffer(bare.replace(rb"\\", b"").replace(rb"\"", b""), dtype=np.uint8)
            quoted = np.cumsum(codes == ord('"')) + quotes
            depths = depth + np.cumsum(np.where(quoted % 2, 0, NESTING[codes]))
            if depths.max(initial=0) > DEEPEST:
                message = f"'{path}' nests brackets more than {DEEPEST} deep. Give flat records, one per case."
                raise HowsureError(message)
            if len(codes):
                depth, quotes = int(depths[-1]), int(quoted[-1])
    except (EOFError, OSError, zlib.error) as error:
        raise HowsureError.unreadable(f"'{path}'", error) from None
    if not size and path.suffix.lower() == ".gz":
        message = f"'{path}' is empty."
        raise HowsureError(message)


def chunks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed."""
    compression = path.suffix.lower()
    if compression == ".zst":
        yield from _zstandard(path)
        return
    with gzip.open(path) if compression == ".gz" else path.open("rb") as file:
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

"""Compiled kernels: a shared library next to this file, built from these C sources and called through `ctypes`.

The NumPy counterparts run if the library is missing or the environment variable ``HOWSURE_NATIVE`` is 0. A call
releases Python's global interpreter lock, and kernels keep no state between calls.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import HowsureError, warn

HERE = Path(__file__).parent
FILES = ("kernels.so", "kernels.dylib", "kernels.dll")
VERSION = 3  # version of the functions' arguments: a library with another version is not used
SWITCH = "HOWSURE_NATIVE"
OFF, ON = ("0", "no", "off", "false"), ("", "1", "yes", "on", "true")  # values of the switch
Memory = ctypes.c_char * 0  # which C takes as the place where it starts


def kernel(name: str) -> Callable[..., None] | None:
    """Return a compiled function of arrays and integers, or None if there is none.

    Parameters
    ----------
    name : str
        Name of the kernel, such as ``"rank_sums"``.
    """
    function = None if is_off() else getattr(_library(), f"howsure_{name}", None)  # an older library can lack some
    if function is None:
        return None

    def call(*arguments: object) -> None:
        if function(*[_argument(each) for each in arguments]):
            raise HowsureError(
                f"The compiled `{name}` refuses its arguments. Set {SWITCH}=0 to run without it; report this error."
            )

    return call


def require_equal(name: str, *sizes: object) -> None:
    """Raise an error unless all lengths or shapes are equal; kernels get addresses and cannot check them."""
    if any(size != sizes[0] for size in sizes[1:]):
        raise HowsureError(f"`{name}` needs arrays of one size, not of {', '.join(map(str, sizes))}.")


def is_off() -> bool:
    """Whether the environment variable switches the compiled kernels off.

    Raises
    ------
    HowsureError
        If its value does not mean on or off.
    """
    value = os.environ.get(SWITCH, "").strip().lower()
    if value not in OFF + ON:
        raise HowsureError(f"The environment variable {SWITCH} is {os.environ[SWITCH]!r}. Set it to 0 (off) or 1 (on).")
    return value in OFF


def running() -> str:
    """Return a text on the backend: the compiled kernels, or NumPy with the reason.

    Examples
    --------
    >>> running().split()[0] in {"compiled", "NumPy"}
    True
    """
    if is_off():
        return f"NumPy ({SWITCH}={os.environ[SWITCH]})"
    return "NumPy (not compiled)" if _library() is None else "compiled C"


@lru_cache
def _library() -> ctypes.CDLL | None:
    for name in FILES:
        try:
            if not is_whole((HERE / name).read_bytes()):
                warn(f"'{HERE / name}' is truncated: NumPy runs instead, and is slower. Install howsure again.")
                continue
            library = ctypes.CDLL(str(HERE / name))
            if library.howsure_version() == VERSION:
                return library
        except (OSError, AttributeError):  # missing, for another system, or of another version
            continue
    return None


def is_whole(library: bytes) -> bool:
    """Return False for a 64-bit ELF file whose end is missing; True for other files, which their loaders check.

    Linux maps a truncated library without an error and ends the process where a missing page is read.
    """
    if library[:6] != b"\x7fELF\x02\x01":  # 64 bits, little-endian
        return True
    try:
        segments, sections = struct.unpack_from("<QQ", library, 32)
        segment_size, segment_count, section_size, section_count = struct.unpack_from("<HHHH", library, 54)
        ends = [sections + section_size * section_count]
        for index in range(segment_count):
            start = segments + segment_size * index
            ends.append(sum(struct.unpack_from("<Q", library, start + at)[0] for at in (8, 32)))  # offset and size
    except struct.error:
        return False
    return bool(max(ends) <= len(library))


def _argument(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        try:  # in a quarter of the time of asking where it lies
            return Memory.from_buffer(value)  # type: ignore[arg-type]
        except TypeError:  # it is read-only, or has gaps
            if value.flags.c_contiguous:
                return ctypes.c_void_p(value.ctypes.data)
        raise HowsureError(
            f"A compiled kernel needs arrays without gaps, not strides of {value.strides}. Copy the array."
        )
    if isinstance(value, ctypes.c_void_p):  # where an array starts whose steps are given beside it
        return value
    return ctypes.c_int64(value)

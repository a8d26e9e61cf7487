"""The compiled kernels: a shared library beside this file, built from the C sources here, called through `ctypes`.

Without it, or with the environment variable ``HOWSURE_NATIVE`` at 0, every kernel's NumPy counterpart runs instead.
A call releases Python's lock, and no kernel keeps anything between calls.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import HowsureError

HERE = Path(__file__).parent
FILES = ("kernels.so", "kernels.dylib", "kernels.dll")
VERSION = 3  # of the functions' arguments: a library of another one is not called
SWITCH = "HOWSURE_NATIVE"
Memory = ctypes.c_char * 0  # which C takes as the place where it starts


def kernel(name: str) -> Callable[..., None] | None:
    """Return a compiled function that takes arrays and whole numbers, or None where there is none.

    Parameters
    ----------
    name : str
        Such as ``"rank_sums"``.
    """
    function = None if is_off() else getattr(_library(), f"howsure_{name}", None)  # an older library may lack some
    if function is None:
        return None

    def call(*arguments: Any) -> None:
        if function(*[_argument(each) for each in arguments]):
            message = f"The compiled `{name}` refuses its arguments. Set {SWITCH}=0 to run without it, and tell us."
            raise HowsureError(message)

    return call


def require_equal(name: str, *sizes: Any) -> None:
    """Raise an error unless all lengths or shapes are equal, as a kernel that gets addresses alone cannot check them.

    Parameters
    ----------
    name : str
        The kernel.
    *sizes : int or tuple of int
        Lengths or shapes.
    """
    if any(size != sizes[0] for size in sizes[1:]):
        message = f"`{name}` needs arrays of one size, not of {', '.join(map(str, sizes))}."
        raise HowsureError(message)


def is_off() -> bool:
    """Whether the environment says that nothing compiled shall run."""
    return os.environ.get(SWITCH, "") in {"0", "off", "false"}


def running() -> str:
    """Return in words what computes: the compiled kernels, or NumPy and why.

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
            library = ctypes.CDLL(str(HERE / name))
            if library.howsure_version() == VERSION:
                return library
        except (OSError, AttributeError):  # none there, of another system, or of another version
            continue
    return None


def _argument(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return ctypes.c_int64(value)
    if value.flags.writeable and value.flags.c_contiguous:
        return Memory.from_buffer(value)  # type: ignore[arg-type]  # in a quarter of the time of asking where it lies
    return ctypes.c_void_p(value.ctypes.data)

"""Files are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from howsure.errors import HowsureError


def written(path: str | Path, content: str | Callable[[Path], object]) -> Path:
    """Write a file under a temporary name and then rename it, so that a full disk leaves the previous file.

    Parameters
    ----------
    path : str or Path
        Destination. If it is not a regular file, such as ``/dev/stdout`` or a pipe, it is written directly.
    content : str or callable
        Text, or a function that writes to the path that it receives.

    Raises
    ------
    HowsureError
        If the file cannot be written.
    """
    path = checked_path(path)
    try:
        place = Path(os.path.realpath(path))  # a link stays, its target is replaced; one to itself is replaced
        if place.exists() and not place.is_file():
            _fill(path, content)
        else:
            _replace(place, content)
    except OSError as error:
        raise HowsureError(f"'{path}' cannot be written: {error.strerror or error}.") from None
    return path


def checked_path(path: str | Path) -> Path:
    """Return a path; raise an error for other objects."""
    try:
        return Path(path)
    except TypeError:
        raise HowsureError(f"A file is named by a text or a path, not by {path!r}.") from None


def _replace(place: Path, content: str | Callable[[Path], object]) -> None:
    import tempfile

    mode = place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".", suffix=place.suffix)
    os.close(handle)
    beside = Path(name)
    try:
        _fill(beside, content)
        beside.chmod(mode)
        beside.replace(place)
    except BaseException:
        beside.unlink(missing_ok=True)  # PyArrow removes a file that it cannot fill
        raise


def _fill(path: Path, content: str | Callable[[Path], object]) -> None:
    if callable(content):
        content(path)
    else:
        path.write_text(content, encoding="utf-8", newline="\n")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""The section on reproducing a report."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError
from howsure.escapes import shortened
from howsure.report.content import Section
from howsure.sources.locations import is_file, sheet_of

installed = functools.cache(importlib.metadata.version)


def reproduction(command: str, chance: str, files: Sequence[str | Path] = ()) -> Section:
    """Return the section with command, time, versions, fingerprints of the files, and the use of random numbers.

    Parameters
    ----------
    command : str
        Command that makes the report.
    chance : str
        A sentence about random draws; may be empty.
    files : sequence of str or Path
        Input files; folders and patterns are ignored.
    """
    listed = ", ".join(f"{name} {version}" for name, version in versions().items())
    said = [f"Made on {made_at():%Y-%m-%d, %H:%M} UTC.", f"Versions: {listed}.", chance]
    said += [fingerprint(each) for each in paths(files) if is_file(sheet_of(each)[0])]
    return Section("How to reproduce this", (), tuple((each,) for each in said if each), code=command)


def paths(files: Sequence[str | Path]) -> list[Path]:
    """Return the paths of the files.

    Raises
    ------
    HowsureError
        If ``files`` is not a list of names.
    """
    several = [files] if isinstance(files, str | os.PathLike) else files
    try:
        return [Path(each) for each in several]
    except TypeError:
        raise HowsureError(
            f"`files` are the names of the files that were read, not {shortened(repr(files))}."
        ) from None


def made_at() -> datetime:
    """Return the current time, or the time in ``SOURCE_DATE_EPOCH``, for reproducible builds."""
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(stated), UTC) if stated.isdigit() else datetime.now(UTC)


def origin(title: str) -> dict[str, Any]:
    """Return the title, the time and the versions, the first entries of machine-readable results."""
    return {"title": title, "made": made_at().isoformat(timespec="seconds"), "versions": versions()}


def fingerprint(path: Path) -> str:
    """Return name, size and SHA-256 of a file as text."""
    file, _ = sheet_of(path)
    with file.open("rb") as held:
        digest = hashlib.file_digest(held, "sha256").hexdigest()
    return f"{path.name}: {file.stat().st_size:,} bytes, SHA-256 {digest}."


def versions() -> dict[str, str]:
    """Return the versions of howsure, NumPy, SciPy and Python."""
    found = {name: installed(name) for name in ("howsure", "numpy", "scipy")}
    return found | {"Python": platform.python_version()}

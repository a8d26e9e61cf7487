"""How a report can be made again."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from howsure.errors import HowsureError
from howsure.escapes import shortened
from howsure.report.content import Section
from howsure.sources.locations import is_file, sheet_of

installed = functools.cache(importlib.metadata.version)


def reproduction(command: str, chance: str, files: Sequence[str | Path] = ()) -> Section:
    """Return the command, the day, the versions, the files' fingerprints, and what was drawn at random, if anything.

    Parameters
    ----------
    command : str
        The command that makes the report.
    chance : str
        What was drawn at random, in a sentence.
    files : sequence of str or Path
        The files that were read; what is no single file is passed over.
    """
    listed = ", ".join(f"{name} {version}" for name, version in versions().items())
    said = [f"Made on {made_at():%Y-%m-%d, %H:%M} UTC.", f"Versions: {listed}.", chance]
    said += [fingerprint(each) for each in paths(files) if is_file(sheet_of(each)[0])]
    return Section("How to reproduce this", (), tuple((each,) for each in said if each), code=command)


def paths(files: Sequence[str | Path]) -> list[Path]:
    """Return the files' paths.

    Raises
    ------
    HowsureError
        If they are no list of names.
    """
    several = [files] if isinstance(files, str | os.PathLike) else files
    try:
        return [Path(each) for each in several]
    except TypeError:
        message = f"`files` are the names of the files that were read, not {shortened(repr(files))}."
        raise HowsureError(message) from None


def made_at() -> datetime:
    """Return the time now, or that in ``SOURCE_DATE_EPOCH``, which makes builds repeatable."""
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(stated), UTC) if stated.isdigit() else datetime.now(UTC)


def fingerprint(path: Path) -> str:
    """Return a file's name, size and SHA-256, by which it can be known again."""
    file, _ = sheet_of(path)
    with file.open("rb") as held:
        digest = hashlib.file_digest(held, "sha256").hexdigest()
    return f"{path.name}: {file.stat().st_size:,} bytes, SHA-256 {digest}."


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    found = {name: installed(name) for name in ("howsure", "numpy", "scipy")}
    return found | {"Python": platform.python_version()}

"""How a report can be made again."""

from __future__ import annotations

import functools
import importlib.metadata
import platform

from howsure.report.content import Section

installed = functools.cache(importlib.metadata.version)


def reproduction(command: str, chance: str) -> Section:
    """Return the command, the versions and what was drawn at random, if anything was."""
    listed = ", ".join(f"{name} {version}" for name, version in versions().items())
    said = tuple((each,) for each in (f"Versions: {listed}.", chance) if each)
    return Section("How to reproduce this", (), said, code=command)


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    found = {name: installed(name) for name in ("howsure", "numpy", "scipy")}
    return found | {"Python": platform.python_version()}

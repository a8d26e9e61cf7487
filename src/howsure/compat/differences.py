"""Warnings, once each, about numbers that differ from those of the imitated package."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from howsure.errors import HowsureWarning

HERE = str(Path(__file__).parents[1])
_said: set[str] = set()


class DifferentNumbersWarning(HowsureWarning):
    """A number differs from that of the other package, whose number is wrong."""


def say_once(message: str) -> None:
    """Warn of a difference at its first occurrence, at the line outside howsure that requested the number."""
    if message in _said:
        return
    _said.add(message)
    level, frame = 1, sys._getframe()  # noqa: SLF001 - as `warnings` itself finds the line
    while frame.f_back is not None and frame.f_code.co_filename.startswith(HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DifferentNumbersWarning, stacklevel=level)

"""Said once: where numbers differ from those of a package whose names are used here."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from howsure.errors import HowsureWarning

HERE = str(Path(__file__).parents[1])
_said: set[str] = set()


class DifferentNumbersWarning(HowsureWarning):
    """A number is not the one that the other package returns, which is wrong there."""


def say_once(message: str) -> None:
    """Warn of a difference the first time that it is met, at the line outside howsure that asked for the number."""
    if message in _said:
        return
    _said.add(message)
    level, frame = 1, sys._getframe()  # noqa: SLF001 - as `warnings` itself finds the line
    while frame.f_back is not None and frame.f_code.co_filename.startswith(HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DifferentNumbersWarning, stacklevel=level)

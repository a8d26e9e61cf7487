"""Confidence levels so near 1 that only what they leave tells them apart."""

from __future__ import annotations

from typing import final


@final
class Level(float):
    """A confidence level that knows what it leaves, also where it rounds to 1.

    Parameters
    ----------
    tail : float
        1 minus the level.

    Examples
    --------
    >>> level = Level(1e-40)
    >>> float(level), tail_of(level)
    (1.0, 1e-40)
    """

    __slots__ = ("tail",)
    tail: float

    def __new__(cls, tail: float) -> Level:
        """Return the level that leaves this much."""
        level = super().__new__(cls, 1 - tail)
        level.tail = tail
        return level


def tail_of(confidence_level: float) -> float:
    """Return 1 minus a confidence level, to full precision where the level knows it."""
    return confidence_level.tail if isinstance(confidence_level, Level) else 1 - confidence_level

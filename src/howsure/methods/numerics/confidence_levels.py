"""Confidence levels so close to 1 that they are represented by their tail probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from howsure.arrays import Array

_ERFC = np.frompyfunc(math.erfc, 1, 1)


@final
class Level(float):
    """A confidence level that stores its tail probability, so that it is exact even if the level rounds to 1.

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
        """Return the level with this tail probability."""
        level = super().__new__(cls, 1 - tail)
        level.tail = tail
        return level


@final
@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A confidence level for each table of a batch, stored as its tail probability.

    Parameters
    ----------
    tail : ndarray of the shape of the batch
        1 minus the levels.
    """

    tail: Any


def tail_of(confidence_level: float | Levels) -> Any:
    """Return 1 minus a confidence level, to full precision for `Level` and `Levels`."""
    return confidence_level.tail if isinstance(confidence_level, Level | Levels) else 1 - confidence_level


def share_beyond(z: object) -> Array:
    """Return the two-sided tail probability of a standard normal quantile, elementwise.

    Examples
    --------
    >>> share_beyond([0.0, 1.959963984540054]).round(12).tolist()
    [1.0, 0.05]
    """
    return np.asarray(_ERFC(np.asarray(z) / math.sqrt(2)), dtype=float)

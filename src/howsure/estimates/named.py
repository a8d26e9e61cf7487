"""Results that contain several numbers by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from howsure.errors import HowsureError


class Named(ABC):
    """A collection of comparisons, estimates or pooled values with names."""

    __slots__ = ()

    @abstractmethod
    def by_name(self) -> Mapping[str, Any]:
        """Return the items by name, such as ``"A − B"``."""


def by_name(given: Named | Mapping[str, object]) -> dict[str, Any]:
    """Return comparisons, estimates or pooled values by name, from a `Named` collection or a mapping."""
    if isinstance(given, Named):
        return dict(given.by_name())
    if isinstance(given, Mapping) and all(hasattr(each, "value") for each in given.values()):
        return dict(given)
    raise HowsureError(
        "Give what `compare`, `compare_all`, `pool` or a study returns, or a mapping of names to such, "
        f"not {type(given).__name__}."
    )

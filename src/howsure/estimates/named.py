"""Results that hold several numbers, and can say what each is of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from howsure.errors import HowsureError


class Named(ABC):
    """What holds comparisons, estimates or pooled values, and names them in words."""

    __slots__ = ()

    @abstractmethod
    def by_name(self) -> Mapping[str, Any]:
        """Return what it holds by what each is of, such as ``"A − B"``."""


def by_name(given: Named | Mapping[str, Any]) -> dict[str, Any]:
    """Return comparisons, estimates or pooled values by name, as they name themselves or as given."""
    if isinstance(given, Named):
        return dict(given.by_name())
    if isinstance(given, Mapping) and all(hasattr(each, "value") for each in given.values()):
        return dict(given)
    message = (
        "Give what `compare`, `compare_all`, `pool` or a study returns, or a mapping of names to such, "
        f"not {type(given).__name__}."
    )
    raise HowsureError(message)

"""What was worked out last."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")


class Last(Generic[Found]):
    """What was worked out last, for those that ask for the same again.

    Examples
    --------
    >>> last = Last()
    >>> last.at(2, lambda: "two"), last.at(2, lambda: "not asked")
    ('two', 'two')
    """

    def __init__(self) -> None:
        self._known: tuple[Hashable, Found] | None = None

    def at(self, key: Hashable, function: Callable[[], Found]) -> Found:
        """Return what the key had last, or what the function gives."""
        known = self._known  # read once: another thread may ask for something else meanwhile
        if known is None or known[0] != key:
            known = self._known = key, function()
        return known[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()  # what was worked out is worked out again

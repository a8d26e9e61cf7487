"""Cache of the most recent result."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")


class LastValueCache(Generic[Found]):
    """Cache with one entry: the most recent result, for repeated calls with the same key.

    Examples
    --------
    >>> last = LastValueCache()
    >>> last.at(2, lambda: "two"), last.at(2, lambda: "not asked")
    ('two', 'two')
    """

    def __init__(self) -> None:
        self._known: tuple[Hashable, Found] | None = None

    def at(self, key: Hashable, function: Callable[[], Found]) -> Found:
        """Return the cached result of the key, or the result of the function."""
        known = self._known  # read once: another thread can replace it meanwhile
        if known is None or known[0] != key:
            known = self._known = key, function()
        return known[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()  # the cached result is recomputed

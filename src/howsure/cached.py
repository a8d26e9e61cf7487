"""A property that is computed once for each object, without the lock of Python 3.11's `functools.cached_property`.

A process that forks while another thread holds the lock inherits it locked, and waits for ever. Two threads may compute
a value at the same time; both get what was stored first. Python 3.12 dropped the lock, but there each gets its
own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property
else:
    import functools

    class Stored(functools.cached_property):
        """A property that is computed once for each object.

        Examples
        --------
        >>> class Circle:
        ...     @Stored
        ...     def area(self):
        ...         return 3.14
        >>> Circle().area
        3.14
        """

        def __get__(self, instance: object, owner: type | None = None) -> Any:
            """Return the stored value, or compute and store it."""
            if instance is None:
                return self
            stored = vars(instance)
            if self.attrname not in stored:
                return stored.setdefault(self.attrname, self.func(instance))
            return stored[self.attrname]

    cached_property = Stored


__all__ = ["cached_property"]

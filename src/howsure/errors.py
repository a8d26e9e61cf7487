"""Errors that name the culprit and the remedy in one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, SupportsIndex


class HowsureError(ValueError):
    """Input that howsure cannot use; the message says what is wrong and what to do."""

    @classmethod
    def unknown(cls, what: str, word: str, known: Iterable[str]) -> HowsureError:
        """Return the error for a name that is not known, with the nearest names that are."""
        names = [str(name) for name in known]
        return cls(f"There is no {what} '{word}'.{did_you_mean(word, names)}")

    @classmethod
    def unreadable(cls, what: str, error: Exception) -> HowsureError:
        """Return the error for data that another library cannot read, with its reason in one line."""
        lines = [line.strip() for line in str(error).strip().partition("\n\n")[0].splitlines()]
        reason = "; ".join(line for line in lines if not line.startswith(("Original Line", "Possible", "* ")))
        return cls(f"{what} cannot be read: {reason or type(error).__name__}")


class OneClassError(HowsureError):
    """Only one class occurs, where a table needs two."""

    def __init__(self, label: object) -> None:
        super().__init__(f"Only the class {label!r} occurs. Name all classes with `labels=`, at least two.")
        self.label = label


def whole_number(name: str, value: Any, least: int = 1) -> int:
    """Return a whole number of at least ``least``; the error calls it ``name``."""
    if not isinstance(value, bool) and isinstance(value, SupportsIndex | float):
        number = float(value)
        if number >= least and number.is_integer():
            return int(value)
    message = f"`{name}` must be a whole number of at least {least}, not {value!r}."
    raise HowsureError(message)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint with the names nearest to a word; with all of them where none is near and they are few.

    Examples
    --------
    >>> did_you_mean("acuracy", ["accuracy", "f1"])
    " Did you mean 'accuracy'?"
    """
    names = list(dict.fromkeys(str(name) for name in known))
    lowered = {name.lower(): name for name in reversed(names)}
    close = [lowered[each] for each in difflib.get_close_matches(word.lower(), lowered, n=3, cutoff=0.6)]
    if close:
        return f" Did you mean {' or '.join(repr(name) for name in close)}?"
    few = 12
    return f" Known: {', '.join(names)}." if names and len(names) <= few else ""

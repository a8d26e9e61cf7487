"""Spellings of one name that a reader cannot tell apart: blanks, invisible characters and composed letters."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from howsure.arrays import Array
from howsure.errors import HowsureError

INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")  # soft hyphen, zero width, direction, byte order mark
NO_NAMES = frozenset({"nan", "NaN", "NaT", "<NA>"})  # how missing values become text


def plain_spelling(label: object) -> str:
    """Return the text of a label with single ordinary blanks, composed letters and no invisible character.

    Examples
    --------
    >>> plain_spelling(" big\u00a0 cell"), plain_spelling("cafe\u0301") == "café", plain_spelling(3)
    ('big cell', True, '3')
    """
    text = label.decode(errors="replace") if isinstance(label, bytes) else str(label)
    if text.isascii():
        return " ".join(text.split())
    return " ".join(INVISIBLE.sub("", unicodedata.normalize("NFC", text)).split())


def shown_apart(*labels: object) -> list[str]:
    """Return labels as they are quoted in a message: with escapes where their plain forms look the same."""
    texts = [repr(label) for label in labels]
    is_clear = all(isinstance(label, str | bytes) and str(label).isascii() for label in labels)
    return texts if is_clear or len({type(label) for label in labels}) > 1 else [ascii(label) for label in labels]


def refuse_alike_groups(name: str, levels: Array) -> None:
    """Refuse names of groups that differ only in blanks, in invisible characters, or in being text or a number.

    They would be separate groups, such as clusters, which makes an interval too narrow. Missing values that became text
    are refused too: they would be one group.

    Parameters
    ----------
    name : str
        Name of the column in errors.
    levels : ndarray
        The distinct names.
    """
    if levels.dtype.kind not in "UO":
        return
    labels: list[Any] = levels.tolist()
    absent = min(NO_NAMES.intersection(labels), default=None)
    if absent is not None:
        raise HowsureError(
            f"`{name}` has the name {absent!r}, which stands for a missing value and would be one group. Name the "
            "group of these rows, or drop them."
        )
    if _are_plain(labels):
        return
    known: dict[str, Any] = {}
    for label in labels:
        other = known.setdefault(plain_spelling(label), label)
        if other is not label:
            one, two = shown_apart(other, label)
            raise HowsureError(
                f"`{name}` has {one} and {two}, which are written alike and would be two groups. Write them alike."
            )


def _are_plain(labels: list[Any]) -> bool:
    """Whether labels are texts with their plain spellings; False is possible for plain ones. Fast for many."""
    if set(map(type, labels)) != {str}:
        return False
    joined = f"|{'|'.join(labels)}|"
    return joined.isascii() and joined.isprintable() and not any(odd in joined for odd in ("  ", " |", "| "))

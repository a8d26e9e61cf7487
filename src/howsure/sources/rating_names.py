"""Names of columns that state their meaning."""

from __future__ import annotations

import re
from typing import Any

ITEMS = frozenset(
    {"case", "doc", "document", "example", "id", "image", "index", "instance", "item", "key", "passage", "patient"}
    | {"pmid", "prompt", "q", "query", "question", "record", "row", "sample", "segment", "sentence", "specimen"}
    | {"subject", "task", "unit", "uuid"}
)
NUMBERING = frozenset({"code", "id", "idx", "index", "key", "name", "no", "nr", "num", "number"})


def names_item(name: Any) -> bool:
    """Whether a name is that of an item, or of its number.

    Examples
    --------
    >>> [names_item(name) for name in ("item", "doc_id", "itemID", "Question 3", "ann", 3)]
    [True, True, True, True, False, False]
    """
    return _names(name, ITEMS)


def _names(name: Any, kinds: frozenset[str]) -> bool:
    """Whether a name has a word of a kind, and beside it only words for a number."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name) if isinstance(name, str) else ""
    words = {word.removesuffix("id").removesuffix("s") or "id" for word in re.findall("[a-z]+", spaced.casefold())}
    return bool(words & kinds) and words <= kinds | NUMBERING

"""Names of columns and axes that state their meaning: items, raters, or ratings one a row."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any

from howsure.errors import DoubtfulDataError

ITEMS = frozenset(
    {"case", "doc", "document", "example", "id", "image", "index", "instance", "item", "key", "passage", "patient"}
    | {"pmid", "prompt", "q", "query", "question", "record", "row", "sample", "segment", "sentence", "specimen"}
    | {"subject", "task", "unit", "uuid"}
)
RATERS = frozenset(
    {"annotator", "assessor", "clinician", "coder", "evaluator", "grader", "judge", "labeler", "labeller", "observer"}
    | {"pathologist", "physician", "radiologist", "rater", "reader", "reviewer", "worker"}
)
NUMBERING = frozenset({"code", "id", "idx", "index", "key", "name", "no", "nr", "num", "number"})
FEWEST = 2  # columns that may be items


def names_item(name: object) -> bool:
    """Whether a name is that of an item, or of its number.

    Examples
    --------
    >>> [names_item(name) for name in ("item", "doc_id", "itemID", "Question 3", "ann", 3)]
    [True, True, True, True, False, False]
    """
    return _names(name, ITEMS)


def names_rater(name: object) -> bool:
    """Whether a name is that of a rater, or of its number.

    Examples
    --------
    >>> [names_rater(name) for name in ("annotator", "worker_id", "Rater 2", "id", "rating")]
    [True, True, True, False, False]
    """
    return _names(name, RATERS)


def name_words(name: object) -> set[str]:
    """Return the words of a column's name in the singular; an ending ``id`` is a word.

    Examples
    --------
    >>> sorted(name_words("PatientID")), sorted(name_words("doc_ids"))
    (['id', 'patient'], ['doc', 'id'])
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name) if isinstance(name, str) else ""
    found = re.findall("[a-z]+", spaced.casefold())
    words = {word.removesuffix("s").removesuffix("id").removesuffix("s") or "id" for word in found}
    return words | {"id" for word in found if word.removesuffix("s").endswith("id")}


def _names(name: object, kinds: frozenset[str]) -> bool:
    """Whether a name has a word of a kind, and beside it only words for a number."""
    words = name_words(name)
    return bool(words & kinds) and words <= kinds | NUMBERING


def refuse_one_a_row(columns: Mapping[Any, list[Any]], argument_name: str) -> None:
    """Refuse columns of the item, the rater and the rating of each row, by their names.

    Parameters
    ----------
    columns : mapping
        Columns by name.
    argument_name : str
        Name of the ratings in errors.
    """
    item = next((name for name in columns if names_item(name) and _repeats(columns[name])), None)
    rater = next((name for name in columns if names_rater(name) and not any(map(str.isdigit, name))), None)
    said = [name for name in columns if not names_item(name) and not names_rater(name)]
    if item is None or rater is None or not said:
        return
    rating = repr(said[0]) if len(said) == 1 else "…"
    raise DoubtfulDataError(
        f"`{argument_name}` has the columns {item!r} and {rater!r}: one rating a row, it seems. Say which column is "
        "which: "
        f"ratings({rating}, item={item!r}, rater={rater!r}, data=frame)."
    )


def _repeats(column: list[Any]) -> bool:
    return all(isinstance(value, Hashable) for value in column) and len(set(column)) < len(column)


def refuse_items_in_columns(columns: Mapping[Any, object], frame: object, argument_name: str) -> None:
    """Refuse columns that are named like items, and a frame whose axes are named so.

    Parameters
    ----------
    columns : mapping
        Columns by name.
    frame : object
        The ratings as passed by the caller; the axes of a pandas frame may have names.
    argument_name : str
        Name of the ratings in errors.
    """
    items = [name for name in columns if names_item(name)]
    others = [name for name in columns if not names_item(name)]
    by_name = len(items) >= FEWEST and len(others) <= 1 and all(map(names_rater, others))
    if not by_name and not names_item(_name_of(frame, "columns")) and not names_rater(_name_of(frame, "index")):
        return
    shown = f"columns named as items, such as {items[0]!r}" if by_name else "items in columns, as its axes are named"
    remedy = f", and leave out {others[0]!r}" if by_name and others else ""
    raise DoubtfulDataError(f"`{argument_name}` has {shown}. Say layout='raters_by_items'{remedy}.")


def _name_of(frame: object, axis: str) -> Any:
    return getattr(getattr(frame, axis, None), "name", None)

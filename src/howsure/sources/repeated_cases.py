"""A caution for an identifier of persons, images or documents that repeats, where nobody stated its clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from howsure.errors import warn
from howsure.names import word_set
from howsure.sources.encoding import Column
from howsure.sources.nested import column_names
from howsure.sources.pooled_models import are_many, coded
from howsure.sources.rating_names import NUMBERING, name_words, names_item, names_rater
from howsure.sources.streams import Stream

PERSONS = word_set("client customer mrn participant patient person respondent speaker user")
OWNERS = PERSONS | word_set(  # with a word for a number beside them
    """
    animal article author conversation document doc exam image img lesion record scan slide subject video writer
    """
)
ROLES = ("by", "counts", "sample_weight", "score", "truth", "y_pred", "y_score", "y_true")  # of ungrouped cases
FEWEST = 5  # values of a column without a word for a number in its name
SHARE = 0.05  # of the cases; fewer may have been entered twice


def names_owner(name: object) -> bool:
    """Whether a name is that of an identifier of persons, images or documents.

    Examples
    --------
    >>> [names_owner(name) for name in ("patient_id", "PatientID", "patient", "image_id", "image", "subject")]
    [True, True, True, True, False, False]
    """
    words = name_words(name)
    return bool(words & (OWNERS if words & NUMBERING else PERSONS)) and words <= OWNERS | NUMBERING


def warn_of_repeated_cases(frame: Any, given: Mapping[str, str]) -> None:
    """Warn if an unused identifier of persons, images or documents has several cases of one value.

    With a column of raters, such as annotators, this also holds for identifiers of other items.

    Cases are compared within the groups of ``by``. There is no warning if clusters or crossed factors are stated, if
    the data can be read only once, and if they have more rows than are read into memory.

    Parameters
    ----------
    frame : mapping, frame, lazy frame or stream
        The data.
    given : mapping of str
        Role → name of the column.
    """
    if isinstance(frame, Stream) or not all(role.startswith(ROLES) for role in given):
        return
    known = column_names(frame)
    kinds = [names_owner, *([names_item] if any(map(names_rater, known)) else [])]
    names = [name for name in known if name not in given.values() and any(is_kind(name) for is_kind in kinds)]
    if not names or are_many(frame):
        return
    split = [name for role, name in given.items() if role.startswith("by")]
    columns = dict(coded(frame, [*split, *names]))
    if not columns.keys() >= {*split}:
        return
    names = [name for name in names if name in columns and _is_identifier(columns[name])]
    found = {name: _number(columns, [*split, name]) for name in names}
    name, number = min(found.items(), key=lambda each: each[1], default=("", 0))
    cases = len(columns[name].codes) if name else 0
    if cases - number > SHARE * cases:
        each, values = " in each group" if split else "", len(columns[name].levels)
        warn(
            f"The column '{name}' has several cases for one value{each}: {values:,} values for {cases:,} cases. Such "
            f"cases are often correlated, and the interval is then too narrow: give groups={name!r}."
        )


def _is_identifier(column: Column) -> bool:
    """Whether a column has a word for a number in its name, or more values than the roles in a dialogue."""
    return bool(name_words(column.name) & NUMBERING) or len(column.levels) >= FEWEST


def _number(columns: Mapping[str, Column], names: list[str]) -> int:
    """Return the number of distinct combinations of the values of columns."""
    return len(np.unique(np.column_stack([columns[name].codes for name in names]), axis=0))

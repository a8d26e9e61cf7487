"""Numbers by name, in one flat dict: what loggers of experiments take."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, count, takewhile

from howsure.errors import HowsureError
from howsure.escapes import identifier

SETTINGS = frozenset({"confidence_level", "standard_error"})  # not tracked over runs


def flat_of(records: Sequence[Mapping[str, object]]) -> dict[str, float]:
    """Return the numbers of records by name: the columns that identify a record, and the number's column.

    The value itself has the record's name alone; settings are left out.

    Raises
    ------
    HowsureError
        If records have no names, such as the points of a curve.

    Examples
    --------
    >>> flat_of([{"model": "A", "metric": "f1@macro", "value": 0.5, "low": 0.4}])
    {'f1_macro_A': 0.5, 'f1_macro_A_low': 0.4}
    """
    naming, found = _naming(records), dict[str, float]()
    for record in records:
        name = _words_of(record, naming)
        for column, value in record.items():
            if isinstance(value, int | float) and column not in {*naming, *SETTINGS}:
                words = name if name and column == "value" else (*name, column)
                found[_free(identifier("_".join(words)), found)] = float(value)
    return found


def _naming(records: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the columns that identify a record: the fewest that distinguish all, among those before numbers."""
    columns = list(dict.fromkeys(name for record in records for name in record))
    ahead = list(takewhile(lambda name: not any(isinstance(each.get(name), float) for each in records), columns))
    of_text = [name for name in ahead if any(isinstance(each.get(name), str) for each in records)]
    upto = ahead[: max(map(ahead.index, of_text), default=-1) + 1]
    for chosen in (of_text, upto, ahead):
        naming = list(dict.fromkeys([*({"metric"} & {*columns}), *chosen]))
        if len({_words_of(each, naming) for each in records}) == len(records):
            return naming
    raise HowsureError(
        f"`flat` names each number, and {len(records):,} rows here have no names. Log `to_pandas()` as a table."
    )


def _words_of(record: Mapping[str, object], naming: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(value) for name in naming if (value := record.get(name)) not in {None, ""})


def _free(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken: with a number where labels differ only in what names cannot hold."""
    return next(each for each in chain([name], (f"{name}_{i}" for i in count(2))) if each not in taken)

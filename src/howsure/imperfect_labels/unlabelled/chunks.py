"""Chunks of cases: values of columns, periods of time, or runs of consecutive cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, one_of
from howsure.sources.encoding import refuse_missing
from howsure.sources.groups import Groups, groups_of, roles

Every = Literal["hour", "day", "week", "month", "quarter", "year"]
UNITS = {"hour": "h", "day": "D", "week": "W", "month": "M", "quarter": "M", "year": "Y"}
MONTHS = 3  # per quarter


def chunks(
    named: Mapping[str, object], given: Mapping[str, object], every: Every | int | None, rows: int
) -> Groups | None:
    """Return the chunk of each case, in order; None if there is a single chunk.

    Parameters
    ----------
    named : mapping of str
        The columns to split by, from `by_columns`.
    given : mapping of str
        The columns by role, including the columns to split by.
    every : str or int, optional
        Period of a column of times, or size of a chunk of consecutive cases.
    rows : int
        Number of cases.

    Raises
    ------
    HowsureError
        If the period is unknown, the column does not contain times, or a size and columns are given together.

    Examples
    --------
    >>> import numpy as np
    >>> days = np.array(["2024-01-31", "2024-02-01"], dtype="datetime64[D]")
    >>> found = chunks({"day": days}, {"by": days}, "month", 2)
    >>> found.keys, found.code.tolist()
    (('2024-01', '2024-02'), [0, 1])
    """
    if isinstance(every, str):
        return _periods(named, given, every, rows)
    if every is not None:
        return _runs(named, every, rows)
    return groups_of(named, given, rows) if named else None


def _runs(named: Mapping[str, object], size: int, rows: int) -> Groups:
    if named:
        raise HowsureError(
            "`every` as a number makes chunks of consecutive cases; leave out `by`, or name a period of it."
        )
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:  # arrays have an index, too
        raise HowsureError(f"`every` is a period or a whole number of cases of at least 1, not {size!r}.")
    starts = range(0, rows, int(size))
    names = tuple(f"{start}–{min(start + size, rows) - 1}" for start in starts)
    return Groups(("cases",), names, np.arange(rows) // int(size))


def _periods(named: Mapping[str, object], given: Mapping[str, object], every: str, rows: int) -> Groups:
    one_of("period", every, UNITS)
    if len(named) != 1:
        raise HowsureError(f"`every='{every}'` needs one column of times: name it with `by`.")
    times = _times(given[next(iter(roles(named)))], every)
    if len(times) != rows:
        raise HowsureError(f"The columns differ in length: `by` has {len(times)}, the others {rows}.")
    if every == "week":  # NumPy weeks start on Thursdays, the weekday of 1970-01-01
        days = times.astype("datetime64[D]").astype(np.int64)
        periods = (days - (days + 3) % 7).astype("datetime64[D]")
    elif every == "quarter":
        months = times.astype("datetime64[M]").astype(np.int64)
        periods = (months - months % MONTHS).astype("datetime64[M]")
    else:
        periods = times.astype(f"datetime64[{UNITS[every]}]")
    distinct, codes = np.unique(periods, return_inverse=True)
    names = [str(each) for each in distinct]
    if every == "quarter":
        names = [f"{name[:4]}-Q{(int(name[5:7]) + 2) // MONTHS}" for name in names]
    return Groups(tuple(named), tuple(names), codes)


def _times(values: object, every: str) -> Array:
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    try:
        times = array if array.dtype.kind == "M" else np.asarray(array.tolist(), dtype="datetime64[s]")
    except (TypeError, ValueError):
        raise HowsureError(f"`by` holds no times, such as 2024-03-31, and has no period '{every}'.") from None
    refuse_missing("by", np.isnat(times))
    return times

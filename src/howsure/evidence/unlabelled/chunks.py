"""Chunks of cases: values of a column, periods of time, or so many consecutive cases."""

from __future__ import annotations

from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.sources.columns import encoded, refuse_missing, sort_order

Array = NDArray[Any]
Every = Literal["hour", "day", "week", "month", "quarter", "year"]
UNITS = {"hour": "h", "day": "D", "week": "W", "month": "M", "quarter": "M", "year": "Y"}
MONTHS = 3  # of a quarter


def chunk_codes(values: Any, every: Every | int | None, rows: int) -> tuple[list[Any], Array] | None:
    """Return the chunks' names, in order, and each case's position among them; None where there is one chunk.

    Parameters
    ----------
    values
        The column to split by, or None.
    every
        Period of a column of times, size of a chunk of consecutive cases, or None.
    rows
        Number of cases.

    Raises
    ------
    HowsureError
        If the period is not known, the column holds no times, or sizes and columns are given together.

    Examples
    --------
    >>> import numpy as np
    >>> names, codes = chunk_codes(np.array(["2024-01-31", "2024-02-01"], dtype="datetime64[D]"), "month", 2)
    >>> names, codes.tolist()
    (['2024-01', '2024-02'], [0, 1])
    """
    if values is not None and len(values) != rows:
        message = f"The columns differ in length: `y_score` has {rows}, `by` has {len(values)}."
        raise HowsureError(message)
    if isinstance(every, str):
        return _periods(values, every)
    if every is not None:
        return _runs(values, every, rows)
    if values is None:
        return None
    column = encoded("by", values)
    used, codes = np.unique(np.asarray(column.codes, dtype=np.int64) - column.offset, return_inverse=True)
    levels = column.levels[used]
    order = sort_order(levels)
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return levels[order].tolist(), place[codes]


def _runs(values: Any, size: int, rows: int) -> tuple[list[Any], Array]:
    if values is not None:
        message = "`every` as a number makes chunks of consecutive cases; leave out `by`, or name a period of it."
        raise HowsureError(message)
    if isinstance(size, bool) or not isinstance(size, SupportsIndex) or size < 1:
        message = f"`every` is a period or a whole number of cases of at least 1, not {size!r}."
        raise HowsureError(message)
    starts = range(0, rows, int(size))
    return [f"{start}–{min(start + size, rows) - 1}" for start in starts], np.arange(rows) // int(size)


def _periods(values: Any, every: str) -> tuple[list[Any], Array]:
    if every not in UNITS:
        raise HowsureError.unknown("period", every, UNITS)
    if values is None:
        message = f"`every='{every}'` needs a column of times: name it with `by`."
        raise HowsureError(message)
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    try:
        times = array if array.dtype.kind == "M" else np.asarray(array.tolist(), dtype="datetime64[s]")
    except (TypeError, ValueError):
        message = f"`by` holds no times, such as 2024-03-31, and has no period '{every}'."
        raise HowsureError(message) from None
    refuse_missing("by", np.isnat(times))
    unit = UNITS[every]
    if every == "week":  # weeks of NumPy begin on Thursdays, the weekday of 1970-01-01
        days = times.astype("datetime64[D]").astype(np.int64)
        periods = (days - (days + 3) % 7).astype("datetime64[D]")
    elif every == "quarter":
        months = times.astype("datetime64[M]").astype(np.int64)
        periods = (months - months % MONTHS).astype("datetime64[M]")
    else:
        periods = times.astype(f"datetime64[{unit}]")
    distinct, codes = np.unique(periods, return_inverse=True)
    names = [str(each) for each in distinct]
    if every == "quarter":
        names = [f"{name[:4]}-Q{(int(name[5:7]) + 2) // MONTHS}" for name in names]
    return names, codes

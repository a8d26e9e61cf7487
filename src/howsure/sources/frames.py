"""Columns or counts from frames of any library, lazy frames, relations, streams and files.

Columns of frames in memory are used directly; engines count by ``GROUP BY`` where the data are.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, boolean, one_of, reading
from howsure.sources.columns import (
    Grouped,
    checked_counts,
    checked_weight,
    group,
    group_again,
    refuse_other_lengths,
)
from howsure.sources.crossed import joined_factors, split_factors
from howsure.sources.encoding import Column, missing, refuse_missing
from howsure.sources.engines import CLUSTER, Counted, N, collected, counted, is_held
from howsure.sources.groups import Tally
from howsure.sources.input_checks import (
    refuse_confused,
)
from howsure.sources.locations import is_located
from howsure.sources.nested import column_names, fields_named, with_fields
from howsure.sources.pooled_models import header_names_models, refuse_pooled_models
from howsure.sources.repeated_cases import warn_of_repeated_cases
from howsure.sources.streams import Stream
from howsure.sources.text_counts import distinct_texts, large_text
from howsure.sources.text_scores import distinct_scores
from howsure.sources.to_numpy import one_each, plain, several_models
from howsure.tables.labels import as_labels

WEIGHT, COUNTS = "sample_weight", "counts"
MOST_EXPANDED = 2**25  # rows to expand counts to, for tables that need one row per case


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of columns: one per case, or the distinct rows counted by an engine.

    Parameters
    ----------
    columns : dict of str
        Role → values.
    tally : Tally, optional
        Number of cases of each row, and their weights; by default one unweighted case.
    spread : dict of str
        Role of scores counted in bins → the spread of the scores that each row represents.
    """

    columns: dict[str, Any]
    tally: Tally | None = None
    spread: dict[str, Array] = field(default_factory=dict)

    def numbers(self, rows: int) -> Array:
        """Return the number of cases of each of the rows."""
        return np.broadcast_to(1.0, rows) if self.tally is None else self.tally.n


def rows(
    data: object,
    names: Mapping[str, object],
    weight: object = None,
    *,
    scores: Sequence[str] = (),
    gaps: Sequence[str] = (),
    exact: bool = False,
    check: bool = False,
    counts: object = None,
) -> Rows:
    """Return the rows of named columns, the distinct ones where an engine can count them.

    Parameters
    ----------
    data
        None (the columns themselves are given), or data for `opened`.
    names
        Role → column, or its name in ``data``; None for none.
    weight
        Weights, or the name of their column.
    scores
        Roles of columns of scores, which an engine counts in bins if there are too many distinct values.
    gaps
        Roles of columns that may have missing values.
    exact
        Whether to count all distinct scores without bins.
    check
        Whether to refuse a column compared with itself, and Series whose indices differ.
    counts
        Numbers of identical cases of the rows, or the name of their column.
    """
    asked = {role: each for role, each in names.items() if each is not None or role != CLUSTER}
    asked, factors = split_factors(asked, data)
    found = _rows(data, asked, weight, scores, gaps, exact=exact, check=check, counts=counts)
    return replace(found, columns=joined_factors(found.columns, factors))


def _rows(
    data: object,
    asked: Mapping[str, object],
    weight: object,
    scores: Sequence[str],
    gaps: Sequence[str],
    *,
    exact: bool,
    check: bool,
    counts: object,
) -> Rows:
    """Return the rows of `rows`, with each crossed factor as a separate column."""
    role, weight = weight_or_counts(weight, counts)
    if scores and weight is None and is_located(data):
        counted_texts = _counted_scores(data, asked, scores, gaps, exact=exact, check=check)
        if counted_texts is not None:
            n = counted_texts.n
            return _in_order(Rows(counted_texts.columns, Tally(n, n, n), counted_texts.spread))
    frame, given = _found(data, asked, weight, role, check=check)
    weight = None if weight is None else given.pop(role)
    if frame is None:
        if role == COUNTS:
            number = checked_counts(weight)
            _refuse_other_counts(number, given)
            kept = np.flatnonzero(number)
            given = given if len(kept) == len(number) else {name: taken(each, kept) for name, each in given.items()}
            return Rows(given, Tally(number[kept], number[kept], number[kept]))
        return Rows(given, None if weight is None else Tally.of_weights(checked_weight(weight)))
    with _named_as(role):
        found = _counted(frame, given, weight, scores, gaps, exact=exact)
    if role == COUNTS:
        number = checked_counts(found.weight)
        return _in_order(Rows(found.columns, Tally(number, number, number), found.spread))
    tally = Tally(found.n, found.weight, found.weight_squared, is_weighted=weight is not None)
    return _in_order(Rows(found.columns, tally, found.spread))


@contextmanager
def _named_as(role: str) -> Iterator[None]:
    """Name `counts` in errors of an engine, which adds them up as weights."""
    try:
        yield
    except HowsureError as error:
        if role == COUNTS:
            error.args = (str(error).replace(f"`{WEIGHT}`", f"`{COUNTS}`"),)
        raise


def weight_or_counts(weight: object, counts: object) -> tuple[str, Any]:
    """Return the column of weights or counts, and its role; refuse both at once.

    Parameters
    ----------
    weight, counts : object, optional
        Weights of the cases, or numbers of identical cases.
    """
    if counts is None:
        return WEIGHT, weight
    if weight is not None:
        raise HowsureError("Give `counts`, numbers of identical cases, or `sample_weight`, and not both.")
    return COUNTS, counts


def expanded(given: Mapping[Any, object]) -> dict[Any, Any]:
    """Return columns with each row repeated ``counts`` times; unchanged without such a column.

    Parameters
    ----------
    given : mapping of str
        Role → column.
    """
    columns = dict(given)
    if COUNTS not in columns:
        return columns
    number = checked_counts(columns.pop(COUNTS))
    if number.sum() > MOST_EXPANDED:
        raise HowsureError(
            f"`counts` sum to {number.sum():.3g}: more cases than fit into memory here. Aggregate them first."
        )
    _refuse_other_counts(number, columns)
    places = np.repeat(np.arange(len(number)), number.astype(np.intp))
    return {role: taken(each, places) for role, each in columns.items()}


def _refuse_other_counts(number: Array, columns: Mapping[Any, object]) -> None:
    """Refuse ``counts`` whose length differs from that of the other columns."""
    refuse_other_lengths({COUNTS: number, **{role: each for role, each in columns.items() if hasattr(each, "__len__")}})


def taken(column: Any, places: Array) -> Any:
    """Return some rows of a column, or of a frame or an array of two dimensions, in its own type."""
    if hasattr(column, "iloc"):
        return column.iloc[places].reset_index(drop=True)
    if isinstance(column, Column):
        return replace(column, codes=column.codes[places])
    if type(column).__module__.startswith(("polars", "pyarrow")):
        return column[places] if hasattr(column, "to_arrow") else column.take(places)
    if isinstance(column, list | tuple):
        return [column[place] for place in places.tolist()]
    found = np.asarray(column)
    if not found.ndim:
        raise HowsureError(
            f"A column cannot be of the type {type(column).__name__}. Give a list or an array with one value per case."
        )
    return found[places]


def grouped(
    data: object, keys: Mapping[str, object], weight: object = None, *, check: bool = False, counts: object = None
) -> Grouped:
    """Count the combinations of key columns; the arguments are those of `rows`."""
    role, weight = weight_or_counts(weight, counts)
    found = _grouped(data, keys, weight, role, check=check)
    if role == COUNTS:
        number = checked_counts(found.weight)
        kept = number > 0
        own = {name: getattr(found, name) for name in ("levels", "ranks", "multiplicity")}
        codes = tuple(code[kept] for code in found.codes)
        return Grouped(codes=codes, n=number[kept], weight=number[kept], weight_squared=number[kept], **own)
    return found


def _grouped(data: object, keys: Mapping[str, object], weight: object, argument_name: str, *, check: bool) -> Grouped:
    keys, factors = split_factors(keys, data)
    asked = {name for name, each in keys.items() if each is not None}
    if weight is None and CLUSTER not in asked and is_located(data):  # else random draws depend on the engine's order
        data = _held_or_located(data)
        if is_located(data) and (found := _counted_texts(data, keys, check=check)) is not None:
            return group_again(joined_factors(found.columns, factors), found.n, found.n, found.n)
    frame, given = _found(data, keys, weight, argument_name, check=check)
    weight = None if weight is None else given.pop(argument_name)
    if frame is None:
        if weight is not None and argument_name == COUNTS:
            weight = checked_counts(weight)
            _refuse_other_counts(weight, given)
        return group(joined_factors(given, factors), weight)
    with _named_as(argument_name):
        found = _counted(frame, given, weight)
    columns = joined_factors(found.columns, factors)
    again = group_again(columns, found.n, found.weight, found.weight_squared)
    return replace(again, ranks=tuple(map(found.ranks.get, columns)), multiplicity=found.multiplicity)


def columns(data: object, names: Mapping[str, object], *, check: bool = False, counts: object = None) -> dict[str, Any]:
    """Return the named columns of the data, each row repeated ``counts`` times."""
    if counts is not None:
        weight_or_counts(names.get(WEIGHT), counts)
        return expanded(columns(data, {**names, COUNTS: counts}, check=check))
    asked, factors = split_factors(names, data)
    frame, given = _found(data, asked, None, check=check)  # only these are collected from an engine
    if frame is None:
        given = {role: plain(role, values) for role, values in given.items()} if data is None else given
        return joined_factors(given, factors)
    with reading("`data`"):
        found = collected(frame.select(*dict.fromkeys(given.values())))
    return joined_factors({role: found[name] for role, name in given.items()}, factors)


def _in_order(found: Rows) -> Rows:
    """Return distinct rows sorted, independent of the engine's order, because random draws depend on it."""
    arrays, numbers = {role: _array(values) for role, values in found.columns.items()}, []
    for role, each in arrays.items():
        with one_each(role):
            numbers.append(each if each.dtype.kind in "biuf" else each.astype(str))
    order = np.lexsort(numbers[::-1])
    columns = {role: each[order] for role, each in arrays.items()}
    tally = None if found.tally is None else found.tally.of(order)
    return Rows(columns, tally, {role: spread[order] for role, spread in found.spread.items()})


def _array(values: Any) -> Array:
    return values if isinstance(values, np.ndarray) else as_labels(values)


def _found(
    data: Any, names: Mapping[str, Any], weight: Any, argument_name: str = WEIGHT, *, check: bool
) -> tuple[Any, dict[str, Any]]:
    """Return the frame and its column names if an engine holds the data, else None and the columns."""
    given = dict(names) if weight is None else {**names, argument_name: weight}
    if boolean("check", check):
        refuse_confused(given)
    if data is None:
        return None, given
    frame, named = with_fields(opened(data, given.values()), given.values())
    given = {argument_name: checked_name(argument_name, named(name), frame) for argument_name, name in given.items()}
    if check:
        refuse_pooled_models(frame, given)
        warn_of_repeated_cases(frame, given)
    if is_held(frame):
        return frame, given
    given = {argument_name: column_of(frame, name) for argument_name, name in given.items()}
    if check:
        refuse_confused(given)
    return None, given


def _held_or_located(data: Any) -> Any:
    """Return the columns of a file that is read faster without an engine; other data are returned unchanged."""
    from howsure.sources.files import plain_columns

    columns = plain_columns(data)
    return data if columns is None else columns


def _counted_texts(data: Any, names: Mapping[str, Any], *, check: bool) -> Counted | None:
    """Return the counts of a large text file whose columns are named; None for other data."""
    if not _are_plain_names(data, names, check=check):
        return None
    found = distinct_texts(data, names.values())
    if found is None:
        return None
    n = np.asarray(found[N], dtype=float)
    return _without_gaps(Counted({role: found[name] for role, name in names.items()}, n, n, n), ())


def _counted_scores(
    data: Any, names: Mapping[str, Any], scores: Sequence[str], gaps: Sequence[str], *, exact: bool, check: bool
) -> Counted | None:
    """Return the counts of a large text file by label and score; None for other data, and for clusters."""
    if CLUSTER in names or not _are_plain_names(data, names, check=check):
        return None
    found = distinct_scores(data, names, scores, exact=exact)
    return None if found is None else _without_gaps(found, {*scores, *gaps})


def _are_plain_names(data: Any, names: Mapping[str, Any], *, check: bool) -> bool:
    """Whether all columns are named, and the header has no column of models whose rows must be read as well."""
    if not all(isinstance(name, str) for name in names.values()) or large_text(data) is None:
        return False
    if check:
        refuse_confused(dict(names))
    return not (check and header_names_models(Path(data if isinstance(data, str | Path) else data[0])))


def _counted(
    frame: object,
    names: dict[str, str],
    weight: str | None,
    scores: Sequence[str] = (),
    gaps: Sequence[str] = (),
    *,
    exact: bool = False,
) -> Counted:
    """Return an engine's counts; refuse missing values except in columns that may have gaps."""
    return _without_gaps(counted(frame, names, weight, scores, exact=exact), {*scores, *gaps})


def _without_gaps(found: Counted, spared: Collection[str]) -> Counted:
    """Return counts; refuse missing values except in the spared columns."""
    for role, values in found.columns.items():
        if role not in spared:
            refuse_missing(role, missing(values), found.n)
    return found


def opened(data: Any, wanted: Iterable[Any] | None = None) -> Any:
    """Return data as a narwhals frame or a stream; columns or rows become a mapping of columns, and a path is read.

    Parameters
    ----------
    data : object
        The data that the caller passed.
    wanted : iterable of str, optional
        Names of the columns that will be read; all by default.
    """
    if isinstance(data, Mapping):
        return data
    if isinstance(data, list | tuple) and data and all(isinstance(row, Mapping) for row in data):
        return {name: [row.get(name) for row in data] for name in dict.fromkeys(name for row in data for name in row)}
    if is_located(data):
        from howsure.sources.files import read

        data = read(data, None if wanted is None else {name for name in wanted if isinstance(name, str)})
    if isinstance(data, Mapping):
        return data
    import narwhals as nw

    try:
        with warnings.catch_warnings():
            # narwhals 2.29 warns of a move to a package that has no release.
            warnings.filterwarnings("ignore", "Dask support is moving", FutureWarning)
            frame = nw.from_native(data)
        frame.collect_schema()  # pandas allows duplicate column names until they are accessed
    except nw.exceptions.DuplicateError:
        raise HowsureError("`data` has several columns of one name. Rename or drop them.") from None
    except TypeError:
        stream = Stream.of(data)
        if stream is not None:
            return stream
        raise HowsureError(
            f"`data` is a {type(data).__name__}, not a frame. Give a pandas, Polars or Arrow frame, a DuckDB relation, "
            "an Ibis, Dask or Spark frame, a mapping of columns, a list of rows, or the path of a file."
        ) from None
    return frame


def checked_name(argument_name: str, name: object, frame: Any) -> str:
    """Return a column's name; refuse one that the frame lacks, with the nearest names in the error."""
    if not isinstance(name, str):
        message = f"With `data`, `{argument_name}` is the name of a column, not {type(name).__name__}."
        if isinstance(name, list | tuple | Mapping):
            message += several_models(argument_name)
            if argument_name == "y_score" and isinstance(name, list | tuple):
                message += f" For a column of each class: `hs.multiclass_scores(y_true, {list(name)}, data=…)`."
        elif hasattr(name, "dtype"):
            message += " Name all columns, or give all of them as arrays without `data`."
        raise HowsureError(message)
    known = column_names(frame)
    cells = re.split(r"[,;\t|]" if re.search(r"[,;\t|]", known[0]) else r"\s+", known[0]) if len(known) == 1 else []
    if len(cells) > 1 and name in cells:
        raise HowsureError(
            f"There is no column '{name}': not all rows have {len(cells)} cells, as the first one has. Put quotes "
            "around text that holds the separator."
        )
    if name not in known and {"images", "annotations"} <= {*known}:
        raise HowsureError(
            "The file is a data set of COCO. Its objects are compared with results by `detections(results, file)`."
        )
    if name not in known and (fields := fields_named(frame, name)):
        raise HowsureError(f"There is no column '{name}'. Did you mean the field '{fields[0]}'?")
    return one_of("column", name, known)


def column_of(frame: Any, name: str) -> Any:
    """Return one column of a frame in memory, in the type of its library."""
    return frame[name] if isinstance(frame, Mapping) else frame[name].to_native()

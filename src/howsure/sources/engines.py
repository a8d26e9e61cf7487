"""Counting by ``GROUP BY`` inside the engine of a lazy frame, relation or stream of batches.

Only the distinct rows of the required columns are collected, with their numbers of cases and sums of weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, NoCaseError, reading
from howsure.running.progress import followed
from howsure.sources.bins import Bins
from howsure.sources.columns import ordinary_scale
from howsure.sources.duckdb_files import percent_read
from howsure.sources.encoding import is_missing
from howsure.sources.spellings import NO_NAMES
from howsure.sources.streams import Stream
from howsure.sources.to_numpy import plain
from howsure.tables.labels import as_labels
from howsure.tables.union import ascending

Columns = dict[str, Any]
Measure = tuple[Any, str]  # an expression and its aggregation
AS_ARRAYS = {"BIGINT", "BOOLEAN", "DOUBLE", "INTEGER", "VARCHAR"}  # of DuckDB's types: arrays hold them exactly
IN_MEMORY = ("pandas", "polars", "pyarrow")  # whose columns are read as they are
N, TOTAL, SQUARE, ABSENT, SMALLEST, LARGEST = (
    f"howsure_{what}" for what in ("n", "weight", "square", "absent", "smallest", "largest")
)
CLUSTER = "groups"  # the role of the column of clusters
MOST_SUMS = 16  # aggregations for each cluster
PLAIN = (str, bool, int, float)  # types of labels that are passed to an engine
MANY = 2**22  # cases, or distinct rows of a stream, beyond which scores are counted in bins


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Distinct rows, with their numbers of cases and sums of weights.

    Parameters
    ----------
    columns : dict of str
        Role → values.
    n, weight, weight_squared : ndarray of shape (rows,)
        Number of cases, and their sums of weights and of squared weights.
    multiplicity : ndarray of shape (clusters,), optional
        Number of clusters with the same rows, if these are merged.
    spread : dict of str
        Role of scores counted in bins → the spread of the scores that each row represents.
    ranks : dict of str
        Role of ordered categories → the rank of each.
    """

    columns: Columns
    n: Array
    weight: Array
    weight_squared: Array
    multiplicity: Array | None = None
    spread: dict[str, Array] = field(default_factory=dict)
    ranks: dict[str, dict[Any, int]] = field(default_factory=dict)


def is_held(frame: object) -> bool:
    """Whether an engine holds the rows: a lazy frame, a relation, a stream, or a partitioned frame."""
    if isinstance(frame, Mapping):
        return False
    import narwhals as nw

    if isinstance(frame, nw.DataFrame):
        return frame.implementation.value not in IN_MEMORY
    return isinstance(frame, nw.LazyFrame | Stream)


def counted(
    frame: Any,
    names: Mapping[str, str],
    weight: str | None = None,
    scores: Sequence[str] = (),
    *,
    exact: bool = False,
    scale: float = 1.0,
) -> Counted:
    """Count the distinct rows of the columns of a table.

    Parameters
    ----------
    frame : LazyFrame or Stream
        The rows.
    names : mapping of str
        Role → column.
    weight : str, optional
        Column of weights.
    scores : sequence of str
        Roles of numeric columns, which are binned if they have many values.
    exact : bool
        Whether to count all distinct numbers without bins.
    scale : float
        Factor that multiplies the weights.

    Raises
    ------
    HowsureError
        If there is no row, or a weight is not valid; if the engine fails.
    """
    schema = frame.collect_schema()
    # The columns to split by (the last) come first: Spark's hashes collide in the other order.
    keys = list(dict.fromkeys(reversed(list(names.values()))))
    others = [name for role, name in names.items() if role not in scores]
    bins = Bins([names[role] for role in scores if names[role] not in others and schema[names[role]].is_numeric()])
    if exact or (not isinstance(frame, Stream) and not _are_many(frame, names, bins)):
        bins = Bins()
    measures = {} if weight is None else _of_weights(weight, schema[weight], scale)
    kinds = None if scores or CLUSTER not in names else _of_clusters(frame, names, measures, weight)
    columns = keys if weight is None else [*keys, weight]
    found, multiplicity = kinds or (totals(frame, columns, keys, measures | bins.measures, bins), None)
    n = _floats(found[N])
    if not len(n):
        raise NoCaseError("The data have no rows: there is no case to evaluate.")
    if weight is not None and not kinds and scale == 1 and (other := _checked_scale(found, weight)) != 1:
        if isinstance(frame, Stream):
            raise HowsureError(f"`sample_weight` (column '{weight}') is of no ordinary size. Multiply it by {other:g}.")
        return counted(frame, names, weight, scores, exact=exact, scale=other)
    total, squared = (n, n) if weight is None else (_floats(found[what]) for what in (TOTAL, SQUARE))
    values, spread = settled(found, names, n, bins)
    ranks = {role: rank for role, name in names.items() if (rank := _rank(schema[name])) is not None}
    return Counted(values, n, total, squared, multiplicity, spread, ranks)


def settled(found: Columns, names: Mapping[str, str], n: Array, bins: Bins) -> tuple[Columns, dict[str, Array]]:
    """Return the values of each role with the representative scores of bins, and the spread of the scores in them.

    Parameters
    ----------
    found : dict of str
        The columns of `totals`.
    names : mapping of str
        Role → column.
    n : ndarray of shape (rows,)
        Number of cases of each row.
    bins : Bins
        The bins of the scores.
    """
    scores = {role: bins.settled(found, n, name) for role, name in names.items() if name in bins.columns}
    columns = {role: scores[role][0] if role in scores else found[name] for role, name in names.items()}
    return columns, {role: spread for role, (_, spread) in scores.items() if spread is not None}


def totals(
    frame: Any, names: Sequence[str], keys: Sequence[str], measures: Mapping[str, Measure], bins: Bins
) -> Columns:
    """Return the distinct combinations of keys, with their number of rows, `N`, and their measures.

    A missing value is a key too.

    Parameters
    ----------
    frame : LazyFrame or Stream
        The rows.
    names : sequence of str
        The columns that are needed.
    keys : sequence of str
        The columns to group by.
    measures : mapping of str
        Name → expression, and ``"sum"``, ``"min"`` or ``"max"``.
    bins : Bins
        The bins of the scores among the keys; widened for a stream with many distinct scores.
    """
    import narwhals as nw

    own = {name: expression for name, (expression, _) in measures.items()}
    reduced = [getattr(nw.col(name), reduction)() for name, (_, reduction) in measures.items()]

    def counted(rows: Any) -> Any:
        # Not all engines accept expressions within an aggregation: compute the columns first, then plain sums.
        named = bins.keys(keys)
        if not named:
            return rows.select(**own).select(
                nw.len().alias(N), *reduced
            )  # some engines take them from the file's metadata
        return rows.select(**named, **own).group_by(*named).agg(nw.len().alias(N), *reduced)

    def together(parts: list[Any]) -> Any:
        return nw.concat(parts).group_by(*keys).agg(nw.col(N).sum(), *reduced)

    with reading("`data`"):
        if not isinstance(frame, Stream):
            return collected(counted(frame.lazy()))
        parts: list[Any] = []
        most = MANY
        for batch in frame.batches(names):
            parts.append(counted(batch))
            if sum(map(len, parts)) > most:
                held = together(parts)
                while len(held) > MANY // 2 and (wider := bins.coarsened(held, N)) is not None:
                    held = together([wider])
                parts, most = [held], max(MANY, 2 * len(held))
        return _columns(together(parts))


def collected(frame: Any) -> Columns:
    """Return the columns of a frame, stream or lazy frame; PyArrow is not needed for DuckDB."""
    import narwhals as nw

    if isinstance(frame, nw.DataFrame):
        return _columns(frame)
    if frame.implementation.is_dask():
        return _columns(_of_one_type(frame.collect(), frame.collect_schema()))
    if not frame.implementation.is_duckdb():
        return _columns(frame.collect())
    native = frame.to_native()
    with followed("counting", percent_read):
        if {str(each) for each in native.types} <= AS_ARRAYS:
            return {name: plain(name, column) for name, column in native.fetchnumpy().items()}
        rows = native.fetchall()
    return {name: [row[i] for row in rows] for i, name in enumerate(native.columns)}


def _of_one_type(found: Any, declared: Any) -> Any:
    """Return a collected Dask frame; refuse columns that are text in some of its parts only."""
    import narwhals as nw

    for each in found.iter_columns():
        may_differ = each.dtype in {nw.Object, nw.String} and declared[each.name] != nw.Object
        if may_differ and len({isinstance(value, str) for value in each.to_list() if not is_missing(value)}) > 1:
            raise HowsureError(
                f"`data` cannot be read: column '{each.name}' holds text in some parts alone. Give all one type."
            )
    return found


def _columns(frame: Any) -> Columns:
    """Return the columns of a frame in memory: numbers and text as arrays, others as lists of Python values."""
    import narwhals as nw

    plain_types = {nw.Boolean, nw.String}
    return {
        each.name: each.to_numpy()
        if each.dtype.is_integer() or each.dtype.is_float() or each.dtype in plain_types
        else each.to_list()
        for each in frame.iter_columns()
    }


def _are_many(frame: object, names: Mapping[str, str], bins: Bins) -> bool:
    """Whether there are too many distinct scores to count each; if so, fit the bins to their range."""
    if not bins.columns:
        return False
    others = list(dict.fromkeys(n for role, n in names.items() if role != CLUSTER and n not in bins.columns))
    found = totals(frame, others, others, bins.ranges, Bins())
    if _floats(found[N]).sum() <= MANY:
        return False
    bins.fit(found, len(found[N]))
    return True


def _of_clusters(
    frame: Any, names: Mapping[str, str], measures: Mapping[str, Measure], weight: str | None
) -> tuple[Columns, Array] | None:
    """Return the rows of the distinct cluster tables, and the number of clusters with each; None for many rows.

    Each cluster's cases and weights are added up by row, a column each, and clusters that agree in all columns are
    counted together.
    """
    import narwhals as nw

    cluster = names[CLUSTER]
    keys = list(dict.fromkeys(name for role, name in names.items() if role != CLUSTER))
    if isinstance(frame, Stream) or cluster in keys or (dtype := frame.collect_schema()[cluster]).is_float():
        return None  # floats may be no labels
    gaps = {"howsure_gaps": (_is_no_name(cluster, dtype), "sum")}
    found = totals(frame, [], keys, {**measures, **gaps}, Bins())
    levels = _in_order([_listed(found[name]) for name in keys])
    weights = {name: measures[name][0] for name in (TOTAL, SQUARE) if name in measures}
    summed = [N, *weights]
    if (
        len(found[N]) * len(summed) > MOST_SUMS
        or not all(isinstance(value, PLAIN) and not is_missing(value) for each in levels for value in each)
        or _floats(found["howsure_gaps"]).any()
        or (weight is not None and _checked_scale(found, weight) != 1)
    ):
        return None
    sums: Columns = {}
    for place, row in enumerate(zip(*levels, strict=True)):
        is_row = reduce(and_, (nw.col(name) == value for name, value in zip(keys, row, strict=True)))
        # Ones are integers, because engines have their own types for fractions; missing values add nothing.
        sums[f"{N}_{place}"] = nw.when(is_row).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Float64)
        sums |= {f"{name}_{place}": nw.when(is_row).then(each) for name, each in weights.items()}
    with reading("`data`"):
        rows = frame.lazy().select(howsure_cluster=nw.col(cluster), **sums)
        of_cluster = rows.group_by("howsure_cluster").agg(*(nw.col(name).sum() for name in sums))
        kinds = collected(of_cluster.group_by(*sums).agg(nw.len().alias(N)))
    tables = np.stack([_floats(kinds[name]) for name in sums], 1)
    order = np.lexsort(tables.T[::-1])  # independent of the engine's order
    tables, number = tables[order].reshape(len(order), -1, len(summed)), _floats(kinds[N])[order]
    kind, row_of = np.nonzero(tables[..., 0])
    columns: Columns = {name: as_labels(each)[row_of] for name, each in zip(keys, levels, strict=True)}
    columns |= {name: tables[kind, row_of, i] for i, name in enumerate(summed)}
    return columns | {cluster: kind}, number


def _in_order(levels: list[list[Any]]) -> list[list[Any]]:
    """Return the rows sorted, independent of the engine's order, because random draws depend on the order."""
    rows = list(zip(*levels, strict=True))
    return [list(level) for level in zip(*(rows[i] for i in ascending(rows)), strict=True)]


def _rank(dtype: Any) -> dict[Any, int] | None:
    """Return the rank of each category of an ordered type."""
    import narwhals as nw

    return {name: place for place, name in enumerate(dtype.categories)} if dtype == nw.Enum else None


def _is_absent(expression: Any) -> Any:
    """Return 1 for missing values, else 0, because not all engines cast booleans to numbers."""
    import narwhals as nw

    return nw.when(expression.is_null()).then(nw.lit(1)).otherwise(nw.lit(0))


def _is_no_name(column: str, dtype: Any) -> Any:
    """Return 1 for missing values, and for text that is blank, in outer blanks, or a missing value; else 0."""
    import narwhals as nw

    name = nw.col(column)
    if dtype != nw.String:
        return _is_absent(name)
    is_odd = name.is_null() | (name != name.str.strip_chars()) | name.is_in(["", *sorted(NO_NAMES)])
    return nw.when(is_odd).then(nw.lit(1)).otherwise(nw.lit(0))


def _of_weights(name: str, dtype: Any, scale: float) -> dict[str, Measure]:
    """Return the aggregations of weights as floats, because squares of small integer types overflow."""
    import narwhals as nw

    each = nw.col(name)
    if dtype == nw.Boolean:
        each = nw.when(each).then(nw.lit(1)).otherwise(nw.when(~each).then(nw.lit(0)))
    elif not dtype.is_numeric():
        raise HowsureError(f"`sample_weight` (column '{name}') is not numeric. Give one non-negative number a case.")
    each = each.cast(nw.Float64) * scale
    return {
        TOTAL: (each, "sum"),
        SQUARE: (each * each, "sum"),
        ABSENT: (_is_absent(each), "sum"),
        SMALLEST: (each, "min"),
        LARGEST: (each, "max"),
    }


def _checked_scale(found: Columns, name: str) -> float:
    """Return the factor that scales weights to a moderate size; refuse non-finite, negative and all-zero weights."""
    absent, smallest, largest, total = (_floats(found[what]) for what in (ABSENT, SMALLEST, LARGEST, TOTAL))
    bad = absent.any() or np.isnan(total).any() or (smallest < 0).any() or not largest.any()
    if bad or not np.isfinite(largest).all():
        raise HowsureError(
            f"`sample_weight` (column '{name}') has missing, infinite or negative values, or is all zeros."
        )
    return ordinary_scale(largest)


def _listed(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _floats(values: object) -> Array:
    """Return counts or sums of an engine as floats; nan for null."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        return values.astype(float, copy=False)
    return np.array([np.nan if each is None else float(each) for each in _listed(values)])

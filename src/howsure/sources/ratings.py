"""The source of rating tables: categories assigned to items by several raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any, Unpack, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError, one_of
from howsure.sources.beside import Beside
from howsure.sources.counted_values import counted_units, distinct_tuples
from howsure.sources.crossed import drawn_anew
from howsure.sources.encoding import coded_with_gaps, encoded, positions
from howsure.sources.frames import columns, expanded, weight_or_counts
from howsure.sources.groups import by_columns, roles
from howsure.sources.input_checks import (
    MOST_LINES,
    refuse_consensus,
    refuse_counted_lines,
    refuse_identifiers,
    refuse_odd_classes,
    refuse_similar_labels,
)
from howsure.sources.keywords import Cases
from howsure.sources.layout import class_order, in_own_order, is_stated, stated_order
from howsure.sources.rating_layouts import Layout, arranged, by_rater
from howsure.sources.repeated import first_rows
from howsure.sources.wide import named_columns
from howsure.tables.batch import Tables
from howsure.tables.labels import as_labels, label_array
from howsure.tables.paired_values import PairedValuesTable
from howsure.tables.ratings import FEWEST, NOBODY, RatingsTable
from howsure.tables.union import places_of_rows

ROLE = "rating"


class _Keywords(Cases, total=False):
    """Keyword arguments that do not decide the type of the result."""

    item: object
    rater: object
    layout: Layout
    labels: ArrayLike | None
    fixed: str | None


@overload
def ratings(rating: object, *, by: None = None, **keywords: Unpack[_Keywords]) -> Any: ...


@overload
def ratings(rating: object, *, by: Sized, **keywords: Unpack[_Keywords]) -> Tables[Any]: ...


def ratings(
    rating: object,
    *,
    item: object = None,
    rater: object = None,
    data: object = None,
    layout: Layout = "items_by_raters",
    labels: ArrayLike | None = None,
    sample_weight: object = None,
    counts: object = None,
    groups: object = None,
    fixed: str | None = None,
    by: Sized | None = None,
    check: bool = True,
) -> RatingsTable | PairedValuesTable | Tables[Any]:
    """Count items by their ratings by several raters, for Fleiss' kappa, Gwet's AC1 and Krippendorff's alpha.

    Parameters
    ----------
    rating : array-like of shape (n_items, n_raters), mapping, frame, list of str or str
        Ratings by item and rater; None or nan if a rater has not rated an item. A mapping or frame has one column per
        rater. If ``data`` is given, the names of the raters' columns. If ``item`` and ``rater`` are given, one rating
        per row, or its column's name. For several sets of raters on the same items, such as before and after a
        training, a mapping from the name of each set to its ratings.
    item, rater : array-like of shape (n,) or str, optional
        The item and the rater of each row, where each row is one rating.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    layout : {"items_by_raters", "raters_by_items", "category_counts"}
        Meaning of rows and columns: items in rows and raters in columns; the transpose; or items in rows and categories
        in columns, with numbers of ratings as entries. Raters have no identity in the last layout, so ``conger_kappa``
        and intervals for other raters are not defined.
    labels : array-like of shape (K,), optional
        The categories from the lowest to the highest; all that occur by default. Numbers and ordered categories need no
        ``labels=`` for their order.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each item; where each row is one rating, the same in all rows of an item.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    groups : array-like of shape (n,), str, or two of them, optional
        Cluster of each item (document, patient): items of one cluster may be correlated. Two crossed factors, such as
        readers and cases or models and items, are a list of two columns or a mapping of them by name.
    fixed : str, optional
        One of two factors, whose levels a new study would keep: only those of the other are drawn anew.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values. Groups are treated as
        independent; if groups of raters rate the same items, pass sets of raters instead, which are paired.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    RatingsTable, PairedValuesTable or Tables
        The counts of items by pattern of ratings; for several sets of raters a joint table, where
        ``table.model("before")`` is the table of one. If ``by`` is given, a mapping of the group tables, where
        ``overall`` is the table of all items.

    Raises
    ------
    HowsureError
        If there are fewer than two raters, or no item has two ratings; if a rater rates an item twice; if columns
        differ in length; or if a rating is not among the labels.

    Notes
    -----
    The sampling unit is the item: intervals generalise to other items, rated by the same raters. The methods
    ``"raters"`` and ``"items_and_raters"`` also account for the variation between raters.

    Examples
    --------
    >>> import howsure as hs
    >>> verdicts = [["ok", "ok", "ok"], ["bad", "bad", "ok"], ["bad", "bad", "bad"], ["ok", "ok", None]] * 5
    >>> table = hs.ratings(verdicts)
    >>> {name: round(found.value, 3) for name, found in hs.evaluate(table).items()}
    {'percent_agreement': 0.833, 'fleiss_kappa': 0.657, 'gwet_ac1': 0.676, 'krippendorff_alpha': 0.64}
    """
    groups = drawn_anew(groups, fixed, data)
    if (item is None) != (rater is None):
        raise HowsureError(
            "`item` and `rater` go together: the columns that say which item a rating is of, and whose it is."
        )
    one_of("layout", layout, get_args(Layout))
    named = by_columns(by, data)
    weight_or_counts(sample_weight, counts)
    others = {"sample_weight": sample_weight, "counts": counts, "groups": groups} | roles(named)
    read: Any = _wide if item is None else _long
    found: RatingsTable | PairedValuesTable | Tables[Any] = read(
        rating, {"item": item, "rater": rater}, others, data, labels, list(named), layout=layout, check=check
    )
    return found


def _wide(
    rating: Any,
    _: Any,
    others: dict[str, Any],
    data: Any,
    labels: ArrayLike | None,
    split: list[str],
    *,
    layout: Layout,
    check: bool,
) -> Any:
    rating = by_rater(rating)
    sets = rating if _is_several(rating, data) else {None: rating}
    if len(sets) < 2 and None not in sets:
        raise HowsureError("Give several sets of raters as a mapping, such as {'before': ratings, 'after': ratings}.")
    given_by: dict[Any, dict[Any, Any]] = {}
    categories = None
    found: dict[str, Any] = {}
    for name, each in sets.items():
        role = ROLE if name is None else f"{ROLE}[{str(name)!r}]"
        given, found = named_columns(role, each, others, data, check=check)
        given, categories = arranged(given, layout, role, each, check=check)
        more = {each: found[each] for each in others if each in found}
        both = expanded({(ROLE, rater): column for rater, column in given.items()} | more)
        given_by[name], found = {rater: both[ROLE, rater] for rater in given}, both
        labels = categories if labels is None else labels
    coded = {
        (name, rater): coded_with_gaps(ROLE if name is None else f"{ROLE}[{str(name)!r}]", column)
        for name, by_name in given_by.items()
        for rater, column in by_name.items()
    }
    if check:
        for name, by_name in given_by.items():
            refuse_identifiers(ROLE, {rater: coded[name, rater] for rater in by_name})
            refuse_consensus(ROLE, list(by_name))
    stated = _stated_order([column for by_name in given_by.values() for column in by_name.values()])
    axis, is_ordered = _categories([*coded.values()], stated if labels is None else labels, check=check)
    lengths = {f"{ROLE}[{str(rater)!r}]": codes for (_, rater), (_, codes) in coded.items()}
    if categories is not None and labels is categories:
        is_ordered = is_stated(axis.tolist(), in_own_order(axis.tolist()))
    beside = Beside.of(found, split, lengths)
    rows = [
        np.stack([positions(*coded[name, rater], axis) for rater in by_name], 1) for name, by_name in given_by.items()
    ]
    weight = beside.of_rows(slice(None))[0]
    if check and weight is not None and len(rows) == 1 and len(rows[0]) <= MOST_LINES:
        refuse_counted_lines(np.unique(rows[0], axis=0, return_counts=True)[1], weight)
    unknown = layout == "category_counts"
    raters = [as_labels([NOBODY] * len(each) if unknown else list(each)) for each in given_by.values()]
    names = () if None in sets else tuple(map(str, sets))

    def table(some: Any) -> Any:
        return _counted(names, raters, [each[some] for each in rows], (axis, is_ordered), *beside.of_rows(some))

    return beside.tables(split, table)


def _is_several(rating: object, data: object) -> bool:
    """Whether a mapping is of sets of raters rather than of raters."""
    if not isinstance(rating, Mapping) or not rating:
        return False
    first = next(iter(rating.values()))
    if data is not None:
        return not isinstance(first, str)
    if hasattr(first, "columns") or isinstance(first, Mapping) or np.ndim(getattr(first, "shape", ())) > 1:
        return True
    if isinstance(first, np.ndarray):
        return first.ndim > 1
    return isinstance(first, Sequence) and len(first) > 0 and isinstance(first[0], list | tuple | np.ndarray)


def _long(
    rating: object,
    names: dict[str, Any],
    others: dict[str, Any],
    data: object,
    labels: ArrayLike | None,
    split: list[str],
    *,
    layout: Layout,
    check: bool,
) -> Any:
    if others["counts"] is not None:
        raise HowsureError(
            "`counts` is for a table of ratings, whose rows are items. With `item` and `rater` each row is one rating."
        )
    if layout != "items_by_raters":
        raise HowsureError("`layout` is for a table of ratings. With `item` and `rater` each row is one rating.")
    asked = {ROLE: rating} | names | {role: each for role, each in others.items() if each is not None}
    found = columns(data, asked, check=check)
    coded = coded_with_gaps(ROLE, found[ROLE])
    stated = _stated_order([found[ROLE]])
    axis, is_ordered = _categories([coded], stated if labels is None else labels, check=check)
    item, rater = (encoded(role, found[role]) for role in ("item", "rater"))
    beside = Beside.of(found, split, {ROLE: coded[1], "item": item, "rater": rater})
    said = positions(*coded, axis)

    def table(some: Any) -> Any:
        (unit, units), (who, raters) = (replace(each, codes=each.codes[some]).used() for each in (item, rater))
        _refuse_repeated(unit, units, who, raters)
        rows = np.full((len(units), len(raters)), -1, dtype=np.intp)
        rows[unit, who] = said[some]
        weight, cluster, clusters_named = beside.of_rows(some)
        first = first_rows("item", unit, units, {"sample_weight": weight, "groups": cluster})
        own = [None if each is None else each[first] for each in (weight, cluster)]
        return _counted((), [raters], [rows], (axis, is_ordered), own[0], own[1], clusters_named)

    return beside.tables(split, table)


def _refuse_repeated(unit: Array, units: Array, who: Array, raters: Array) -> None:
    pair = unit * len(raters) + who
    found, number = np.unique(pair, return_counts=True)
    if (number > 1).any():
        at, which = divmod(int(found[np.argmax(number > 1)]), len(raters))
        raise HowsureError(
            f"{int((number > 1).sum()):,} times a rater rates an item more than once, such as "
            f"{raters.tolist()[which]!r} the item {units.tolist()[at]!r}. Keep one rating of each."
        )


def _stated_order(given: Sequence[object]) -> list[Any] | None:
    """Return the ordered categories shared by all columns; None if they differ or have no stated order."""
    orders = [stated_order(each) for each in given]
    return orders[0] if orders and all(each == orders[0] for each in orders) else None


def _categories(coded: Sequence[tuple[Array, Array]], labels: Any, *, check: bool) -> tuple[Array, bool]:
    """Return the categories in order, and whether that order is known."""
    if labels is not None:
        return label_array(labels), True
    used = (levels[np.unique(codes[codes >= 0])].tolist() for levels, codes in coded)
    every = list(dict.fromkeys(label for each in used for label in each))
    found = as_labels(every)
    if not every:
        raise HowsureError(f"`{ROLE}` has no rating: all are missing.")
    if check and found.dtype.kind not in "iuf":
        refuse_odd_classes(every, "Give None for a rating that is missing")
        refuse_similar_labels(every)
    return class_order(every), is_stated(every)


def _counted(
    names: tuple[str, ...],
    raters: Sequence[Array],
    rows: Sequence[Array],
    scale: tuple[Array, bool],
    weight: Array | None,
    cluster: Array | None,
    clusters_named: Array | None,
) -> Any:
    """Return the table of items from each set's ratings, which are positions of categories, ``(n, R)`` per set."""
    labels, is_ordered = scale
    for each, own in zip(rows, raters, strict=True):
        if len(own) < FEWEST:
            raise HowsureError(f"There is one rater only, {own.tolist()[0]!r}: agreement is between two or more.")
        several = (each >= 0).sum(1) >= FEWEST
        if not several.any():
            raise HowsureError(
                "No item has two ratings, between which they could agree. Give the items that several rated."
            )
        if weight is not None and not weight[several].any():
            raise HowsureError(
                "No item with two ratings has a weight above 0. Give the items that several rated a weight."
            )
    rated = np.any([(each >= 0).any(1) for each in rows], axis=0)
    coded = [_cells(each[rated], own, labels, is_ordered) for each, own in zip(rows, raters, strict=True)]
    empty, places = zip(*coded, strict=True)
    weight, cluster = (None if each is None else each[rated] for each in (weight, cluster))
    return counted_units(names, empty, places, weight, cluster, clusters_named=clusters_named)


def _cells(rows: Array, raters: Array, labels: Array, is_ordered: bool) -> tuple[RatingsTable, Array]:
    """Return an empty table of the patterns that occur or have prior weight, and each item's cell."""
    patterns, place = distinct_tuples(rows + 1, [len(labels) + 1] * len(raters))
    items = np.bincount(place, minlength=len(patterns))
    empty = RatingsTable.of_patterns(patterns - 1, labels, raters, is_ordered=is_ordered, items=items)
    return empty, places_of_rows(patterns - 1, empty.codes)[place]

"""Ratings in the layouts of other packages: items × raters, raters × items, and items × categories of counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError, HowsureError, one_of
from howsure.sources.encoding import missing
from howsure.sources.rating_names import refuse_items_in_columns, refuse_one_a_row
from howsure.sources.to_numpy import one_each, plain

Layout: TypeAlias = Literal["items_by_raters", "raters_by_items", "category_counts"]
LAYOUTS = ("items_by_raters", "raters_by_items", "category_counts")
FEW_RATERS = 3  # fewest columns that may be a rater, an item and a rating
FIRST = 100  # rows, of which ratings have a value in common
ABSENT = frozenset({"None", "nan", "<NA>", "NaT"})
FEW_ITEMS = 4  # fewest rows with equal sums that are no coincidence, and fewest columns that may be items


def arranged(
    by_name: dict[Any, Any], layout: Layout, argument_name: str, frame: object, *, check: bool
) -> tuple[dict[Any, Any], Any]:
    """Return the raters' columns by their names, and the categories where the layout names them.

    Parameters
    ----------
    by_name : dict
        The columns passed by the caller.
    layout : {"items_by_raters", "raters_by_items", "category_counts"}
        Meaning of rows and columns.
    argument_name : str
        Name of the ratings in errors.
    frame : object
        The ratings as passed by the caller.
    check : bool
        Whether to refuse ratings that look like one of the other layouts.

    Raises
    ------
    HowsureError
        If numbers of ratings are not whole.
    """
    one_of("layout", layout, LAYOUTS)
    if layout == "category_counts":
        return _raters_of_counts(by_name, argument_name), list(by_name)
    if layout == "raters_by_items":
        columns = [_listed(each) for each in by_name.values()]
        return {rater: [column[rater] for column in columns] for rater in range(len(columns[0]))}, None
    if check:
        _refuse_other_layouts(by_name, argument_name, frame)
    return by_name, None


def by_rater(rating: object) -> Any:
    """Return records of items, or a mapping of raters to ratings by item, as a column for each rater.

    Parameters
    ----------
    rating : object
        ``[{rater: rating, …}, …]``, one mapping for each item, or ``{rater: {item: rating, …}, …}``; ratings that are
        absent are missing. Other objects are unchanged.

    Examples
    --------
    >>> by_rater([{"ann": 1, "bob": 0}, {"bob": 1}])
    {'ann': [1, None], 'bob': [0, 1]}
    >>> by_rater({"ann": {"q1": 1}, "bob": {"q1": 0, "q2": 1}})
    {'ann': [1, None], 'bob': [0, 1]}
    """
    if isinstance(rating, list | tuple) and rating and all(isinstance(each, Mapping) for each in rating):
        raters = dict.fromkeys(name for each in rating for name in each)
        return {name: [each.get(name) for each in rating] for name in raters}
    if isinstance(rating, Mapping) and rating and all(_is_of_items(each) for each in rating.values()):
        items = dict.fromkeys(item for each in rating.values() for item in each)
        return {name: [each.get(item) for item in items] for name, each in rating.items()}
    return rating


def _is_of_items(given: object) -> bool:
    return isinstance(given, Mapping) and not any(map(np.ndim, given.values()))


def _listed(column: Any) -> list[Any]:
    with one_each("rating"):
        return list(column.tolist() if hasattr(column, "tolist") else column)


def _refuse_other_layouts(by_name: Mapping[Any, object], argument_name: str, frame: object) -> None:
    """Refuse names of another layout, rows of equal sums, columns that share no value, and many unnamed raters."""
    columns = [_listed(plain(argument_name, each)) for each in by_name.values()]
    refuse_one_a_row(dict(zip(by_name, columns, strict=True)), argument_name)
    refuse_items_in_columns(by_name, frame, argument_name)
    items, raters = len(columns[0]) if columns else 0, len(columns)
    numbers = _counts(columns)
    if numbers is not None and items >= FEW_ITEMS and _have_equal_sums(numbers):
        raise DoubtfulDataError(
            f"Every row of `{argument_name}` sums to {int(numbers[0].sum())}: these are numbers of ratings by "
            "category, it "
            "seems, and no ratings. Say layout='category_counts'."
        )
    if raters >= FEW_RATERS and items >= FEW_ITEMS and all(_are_disjoint(columns, end) for end in (FIRST, items)):
        raise DoubtfulDataError(
            f"No two columns of `{argument_name}` have a value in common: the columns seem to be rater, item and "
            "rating. Name them: ratings(rating, item=…, rater=…)."
        )
    is_named = any(isinstance(name, str) for name in by_name)
    if not is_named and raters > 2 * items and raters >= FEW_ITEMS:
        raise DoubtfulDataError(
            f"`{argument_name}` has {items} rows and {raters} columns: far more raters than items. If rows are "
            "raters, pass layout='raters_by_items'."
        )


def _are_disjoint(columns: list[list[Any]], end: int) -> bool:
    """Whether some column holds text, and no two have a value in common before this row."""
    values = [{value for value in map(str, column[:end]) if value not in ABSENT} for column in columns]
    is_text = any(isinstance(value, str) for column in columns for value in column[:FIRST])
    return is_text and sum(map(len, values)) == len(set().union(*values))


def _have_equal_sums(numbers: Array) -> bool:
    sums = numbers.sum(1)
    return bool(sums[0] > 1 and (sums == sums[0]).all() and (numbers != numbers[0]).any() and (numbers == 0).any())


def _counts(columns: list[list[Any]]) -> Array | None:
    """Return columns of whole numbers as an array of rows × columns; None if a value is not a whole number."""
    try:
        found = np.array(columns).T
    except ValueError:
        return None
    if found.dtype.kind not in "iuf" or found.ndim != 2 or not found.size:
        return None
    is_whole = np.isfinite(found).all() and (found >= 0).all() and (found == np.floor(found)).all()
    return found if is_whole else None


def _raters_of_counts(by_name: Mapping[Any, object], argument_name: str) -> dict[Any, Any]:
    """Return one column for each of the exchangeable raters, as many as the largest number of ratings of an item."""
    columns = [_listed(each) for each in by_name.values()]
    gaps = [missing(column) for column in columns]
    numbers = _counts(
        [[0 if gap else cell for gap, cell in zip(*each, strict=True)] for each in zip(gaps, columns, strict=True)]
    )
    if numbers is None:
        raise HowsureError(
            f"`{argument_name}` holds no numbers of ratings. Give whole numbers: one row an item, one column a "
            "category."
        )
    most, names = int(numbers.sum(1).max()), list(by_name)
    rows = [[name for name, number in zip(names, row, strict=True) for _ in range(int(number))] for row in numbers]
    full = [row + [None] * (most - len(row)) for row in rows]
    return {rater: [row[rater] for row in full] for rater in range(most)}

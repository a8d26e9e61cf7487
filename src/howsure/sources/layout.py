"""Names, order and orientation of classes as stated by the input, by the same rules for every source.

An order is stated by ``labels=``, by ordered categories, and by numbers (also as text). Columns are matched to classes
by name. The axes of a matrix are recognised by their names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from itertools import pairwise
from typing import Any, TypeVar, cast

import numpy as np

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError, HowsureError, listed
from howsure.tables.labels import TWO, as_labels, is_plain_order, numbers_in_text
from howsure.tables.union import ascending

Rank = Mapping[Any, int] | None
Source = TypeVar("Source", bound=Callable[..., Any])
DEFAULT_NAME = re.compile(r"(column_|V|Unnamed: )\d+")  # default names that libraries give to columns
MOST_NAMED = 2000  # most columns for which common prefixes are searched


# ------------------------------------------------------------------ order


def stated_order(values: Any) -> list[Any] | None:
    """Return the categories of a column with a stated order: ordered ones of pandas or Arrow, an Enum of Polars."""
    kind: Any = getattr(values, "dtype", getattr(values, "type", None))
    if type(kind).__name__ == "Enum" or (getattr(kind, "ordered", None) and hasattr(kind, "categories")):
        return list(kind.categories)
    if type(values).__module__.startswith("pyarrow") and getattr(kind, "ordered", False) and len(values):
        chunk = values.chunk(0) if hasattr(values, "chunk") else values
        return list(chunk.dictionary.to_pylist())
    return None


def categories_of(values: object) -> list[Any] | None:
    """Return the categories of a categorical column of pandas without a stated order, as it lists them."""
    kind = getattr(values, "dtype", None)
    is_listed = hasattr(kind, "categories") and not getattr(kind, "ordered", False)
    return list(kind.categories) if is_listed else None  # type: ignore[union-attr]


def class_order(values: Sequence[object], *ranks: Rank) -> Array:
    """Return distinct classes in order.

    Parameters
    ----------
    values : sequence
        The classes, each once.
    *ranks : mapping, optional
        The ranks of the ordered categories of each column; None for a column without.

    Returns
    -------
    ndarray
        Ordered categories in their order; else numbers (also as text) ascending, and words alphabetically.

    Raises
    ------
    HowsureError
        If the columns state different orders.

    Examples
    --------
    >>> class_order(["10", "9", "1"]).tolist(), class_order(["Lo", "Hi"], {"Lo": 0, "Hi": 1}).tolist()
    (['1', '9', '10'], ['Lo', 'Hi'])
    """
    stated = [rank for rank in ranks if rank]
    for first, second in pairwise(stated):
        common = [label for label in first if label in second]
        if sorted(common, key=lambda label: second[label]) != common:
            raise HowsureError(
                f"The columns order their categories differently: {listed(first)} and {listed(second)}. Give both the "
                "same order, or name it with `labels=`."
            )
    for rank in stated:
        if rank.keys() >= set(values):
            return as_labels(sorted(values, key=lambda label: rank[label]))
    numbers = numbers_in_text(values)
    if numbers is not None:
        return as_labels([values[place] for place in np.argsort(numbers).tolist()])
    axis = as_labels(list(values))
    return axis[ascending(axis.tolist())]


def covers(ranks: Sequence[Rank], values: Sequence[object]) -> bool:
    """Whether the ordered categories of some column include all these classes, and so determine their order.

    Parameters
    ----------
    ranks : sequence of mapping
        The ranks of the ordered categories of each column; None for a column without.
    values : sequence
        The classes.
    """
    return any(rank is not None and rank.keys() >= set(values) for rank in ranks)


def is_stated(axis: Sequence[object], labels: object = None, pos_label: object = None, *, ranked: bool = False) -> bool:
    """Whether the input states the order of the classes (for two classes: which one is positive).

    Parameters
    ----------
    axis : sequence
        The classes, in order.
    labels, pos_label : object, optional
        The caller's arguments.
    ranked : bool
        Whether ordered categories or numbers determine the order.
    """
    if len(axis) == TWO:
        return pos_label is not None or ranked or is_plain_order(axis)
    return labels is not None or ranked or is_plain_order(axis)


def order_as_stated(source: Source) -> Source:
    """Decorate a source of tables of imperfect labels, whose ``labels=`` and ``pos_label=`` state the order."""

    @wraps(source)
    def stating(*given: object, **named: object) -> Any:
        found = source(*given, **named)
        labels, pos_label = named.get("labels"), named.get("pos_label")

        def stated(table: Any) -> Any:
            return replace(table, is_ordered=is_stated(table.labels.tolist(), labels, pos_label))

        if labels is None and pos_label is None:
            return found
        return found.mapped(stated) if hasattr(found, "mapped") else stated(found)

    return cast("Source", stating)


def in_own_order(names: Sequence[object]) -> Sequence[Any] | None:
    """Return names if their order differs from that of `class_order`, and so states an order; else None.

    A matrix with rows Lo, Med, Hi states an order; Hi, Lo, Med may just be alphabetical.
    """
    return names if list(names) != class_order(list(names)).tolist() else None


# ------------------------------------------------------------------ names of columns


def with_names(values: object) -> Any:
    """Return an array of xarray as a frame, with its names of axes and labels; other objects unchanged."""
    return values.to_pandas() if hasattr(values, "dims") and hasattr(values, "to_pandas") else values


def in_one_order(columns: Mapping[str, object]) -> dict[str, Any]:
    """Return columns with the rows of indexed ones in the order of the first one.

    Raises
    ------
    HowsureError
        If two columns have different indices.
    """
    found, first = dict(columns), None
    for name, column in columns.items():
        if not (hasattr(column, "reindex") and hasattr(column, "index")):
            continue
        first = column if first is None else first
        if not column.index.equals(first.index):
            if sorted(map(str, column.index)) != sorted(map(str, first.index)) or not column.index.is_unique:
                raise HowsureError(f"`{name}` has another index than the column before it. Give all the same rows.")
            found[name] = column.reindex(first.index)
    return found


def names_of(frame: Any) -> Any:
    """Return the names of the columns of a frame; None for others."""
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    return None if callable(names) else names


def column_names(values: object) -> list[Any] | None:
    """Return the names of a frame's or mapping's columns; None for an array, or for default names of a library."""
    if isinstance(values, Mapping):
        return list(values)
    names = names_of(values)
    return None if names is None or are_numbered(names) else [last_level(name) for name in names]


def are_numbered(names: Sequence[object]) -> bool:
    """Whether these are consecutive numbers or default names of a library: ``column_1``, ``V1``, ``Unnamed: 0``."""
    found = [last_level(name) for name in names]
    return all(isinstance(each, int) or DEFAULT_NAME.fullmatch(str(each)) for each in found) and _count_up(found)


def columns_by_name(names: Sequence[object], present: Sequence[object], what: str = "y_true") -> list[Any] | None:
    """Return the class of each column by its name, ignoring a common prefix or suffix; None if no name is a class.

    Parameters
    ----------
    names : sequence
        The names of the columns.
    present : sequence
        The classes that occur.
    what : str
        Name in errors of the column with these classes.

    Raises
    ------
    HowsureError
        If some classes have a column of their name and others have none.

    Examples
    --------
    >>> columns_by_name([".pred_VF", ".pred_F", ".pred_L"], ["F", "VF"])
    ['VF', 'F', 'L']
    >>> columns_by_name(["score 1", "score 2"], ["cat", "dog"])
    """
    texts = [str(name).strip() for name in names]
    for read in (as_written, _folded, _plain) if present else ():
        wanted = {read(label): label for label in present}
        found = [each for each in _without_affix(texts, wanted, read) if wanted.keys() <= set(map(read, each))]
        distinct = {tuple(map(read, each)): each for each in found}
        if len(distinct) == 1:
            ((keys, each),) = distinct.items()
            kind = type(present[0])
            return [wanted.get(key, _like(text, kind)) for key, text in zip(keys, each, strict=True)]
        if distinct:
            raise DoubtfulDataError(
                f"The columns {listed(texts)} match the classes {listed(present)} in several ways. Name the class of "
                "each column, in order, with `labels=`."
            )
    _refuse_half_named(texts, present, what)
    return None


def _without_affix(
    texts: Sequence[str], wanted: Mapping[str, object], read: Callable[[Any], str]
) -> Iterator[list[str]]:
    """Yield the names unchanged, then without each common prefix and suffix around a class."""
    yield list(texts)
    if not wanted or len(texts) > MOST_NAMED:
        return
    label = max(wanted, key=len)
    ends: set[tuple[str, str]] = set()
    for text in map(read, texts):
        ends |= {(text[: found.start()], text[found.end() :]) for found in re.finditer(re.escape(label), text)}
    for before, after in sorted(ends - {("", "")}):
        if all(
            each.startswith(before) and each.endswith(after) and len(each) > len(before + after)
            for each in map(read, texts)
        ):
            yield [text[len(before) : len(text) - len(after)] for text in texts]


def _refuse_half_named(texts: Sequence[str], present: Sequence[object], what: str) -> None:
    """Refuse columns if some are named after classes but a class has no column of its name."""
    wanted = {as_written(label): label for label in present}
    if _count_up(texts) and _count_up(list(wanted)) and len(texts) == len(wanted):
        return  # numbered from 0 and from 1: the order is the same
    for each in _without_affix(texts, wanted, as_written):
        known = wanted.keys() & set(each)
        if len(known) > (each != list(texts)):
            other = next(label for key, label in wanted.items() if key not in known)
            raise DoubtfulDataError(
                f"`{what}` holds {other!r}, and no column has this name: they are {listed(texts)}. Rename the column, "
                "or name the class of each, in order, with `labels=`."
            )


def refuse_unnamed(names: Sequence[object], present: Sequence[object]) -> None:
    """Refuse columns whose names are none of the classes, where their order would decide.

    Names that count up, in the order of the columns, are positions. So are names of numbered classes, if these do not
    contain other numbers.
    """
    texts = [str(name).strip() for name in names]
    are_numbers = numbers_in_text([str(each) for each in present]) is not None
    ends = [re.search(r"\d+$", text) for text in texts]
    if _count_up(texts) or (are_numbers and not all(ends)):
        return
    raise DoubtfulDataError(
        f"The columns {listed(texts)} are not named after the classes {listed(present)}. Name the class of each "
        "column, in order, with `labels=`, or give an array."
    )


def refuse_other_order(labels: Sequence[object], names: Sequence[object]) -> None:
    """Refuse ``labels=`` whose order contradicts the names of the columns."""
    keys = list(map(as_written, labels))
    stated = list(_without_affix([str(name).strip() for name in names], dict.fromkeys(keys), as_written))
    if len(set(keys)) == len(keys) and any(sorted(each) == sorted(keys) and each != keys for each in stated):
        raise HowsureError(
            f"`labels` says that the columns are of {listed(labels)}, and their names say {listed(names)}. Give both "
            "in one order."
        )


def aligned_columns(first: object, second: object, argument_name: str, other: str) -> tuple[Any, Any, list[Any] | None]:
    """Return two frames, the columns of the second in the order of the first, and the names; arrays are unchanged.

    Parameters
    ----------
    first, second : array-like or frame of shape (n, L)
        Two frames or arrays with the same labels.
    argument_name, other : str
        Their names in errors.

    Raises
    ------
    HowsureError
        If the frames have different columns.
    """
    names, more = column_names(first), column_names(second)
    if names is None or more is None:
        return first, second, names or more
    found = columns_by_name(more, names, argument_name)
    if found is None or set(found) != set(names):
        if found is None and len(names) != len(more):
            return first, second, names  # the shapes are compared later
        raise HowsureError(
            f"`{argument_name}` has the columns {listed(names)} and `{other}` {listed(more)}. Give both the same, or "
            "arrays "
            "whose columns are in one order."
        )
    order = [found.index(name) for name in names]
    return first, dense(second)[:, order], names


def dense(values: object) -> Array:
    """Return a frame, a mapping of columns or an array as an array of two dimensions."""
    if isinstance(values, Mapping):
        columns = [np.asarray(column) for column in values.values()]
        if not columns or any(not each.ndim for each in columns):
            found = ", ".join(type(each).__name__ for each in values.values()) or "nothing"
            raise HowsureError(f"A mapping of columns holds {found}. Give a list or an array for each column.")
        return np.stack(columns, 1)
    return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)


def as_written(label: object) -> str:
    """Return the text of a label; a whole number is written without decimals."""
    text = str(int(label)) if isinstance(label, float) and label.is_integer() else str(label).strip()
    return text[:-2] if re.fullmatch(r"[+-]?\d+\.0", text) else text


def _folded(label: object) -> str:
    """Return a label in lower case with one character for everything but letters and digits (as in R)."""
    return re.sub(r"[^\w+\-−]", ".", as_written(label)).replace("_", ".").casefold()


def _plain(label: object) -> str:
    """Return a label with one character for everything but letters and digits."""
    return re.sub(r"[+\-−]", ".", _folded(label))


def _like(text: str, kind: type) -> Any:
    """Return the class named by a text, converted to the type of the other classes."""
    if kind in {int, float} and numbers_in_text([text]) is not None:
        return int(float(text)) if float(text).is_integer() else float(text)
    return text


def last_level(name: object) -> Any:
    """Return the last level of a name of several levels."""
    return name[-1] if isinstance(name, tuple) and name else name


def _count_up(names: Sequence[object]) -> bool:
    """Whether the names end in consecutive numbers."""
    ends = [re.search(r"(\d+)$", str(name)) for name in names]
    numbers = [int(each[1]) for each in ends if each]
    heads = {str(name)[: each.start()] for name, each in zip(names, ends, strict=True) if each}
    return len(numbers) == len(names) and len(heads) == 1 and all(b - a == 1 for a, b in pairwise(numbers))

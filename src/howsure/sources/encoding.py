"""Encoding of a column (array, list, pandas, Polars, Arrow) as codes of its distinct values.

Integers are offset by their minimum, strings and objects are looked up in a dictionary, other
numbers are sorted, and categorical or dictionary-encoded columns already have codes.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.crossed import Combinations
from howsure.errors import HowsureError, listed, several
from howsure.native.pairs import whole_numbers
from howsure.sources.spellings import refuse_alike_groups
from howsure.sources.to_numpy import one_each, plain, several_models
from howsure.tables.cautions import TAG
from howsure.tables.labels import as_labels
from howsure.tables.union import ascending

BLOCK = 2**16  # rows handled at once: codes stay in the processor's cache
WIDEST_RANGE = 2**16  # of integers that are coded by offset
SLOT_BITS = 20  # of the table from a string's hash to its code
SLOT_SHIFT = np.uint64(64 - SLOT_BITS)
FEW_LEVELS = 4  # comparing each row with them is faster than counting
FEW = 2**12  # sorting so few rows is faster than filling a table of slots
MOST_SLOTTED = 200  # labels; with more of them collisions of slots are frequent
GROUPING = ("groups", "by", "strata")  # roles of columns whose values are not labels of cases
EXACT = 2.0**53  # from here on floats skip whole numbers


@dataclass(frozen=True, slots=True)
class Column:
    """A column as codes: row r holds ``levels[codes[r] - offset]``."""

    name: str
    levels: Array
    codes: Array
    offset: int = 0
    rank: dict[Any, int] | None = None  # of all categories, where they are ordered

    def __len__(self) -> int:
        return len(self.codes)

    def occurring(self) -> Array:
        """Return the positions of the levels that occur."""
        number = len(self.levels)
        if number > FEW_LEVELS:
            return np.flatnonzero(np.bincount(self.places, minlength=number))
        return np.flatnonzero([self._occurs(self.offset + place) for place in range(number)])

    def _occurs(self, code: int) -> bool:
        """Whether a code occurs; most do among the first rows."""
        return bool((self.codes[:FEW] == code).any() or (self.codes[FEW:] == code).any())

    def used(self) -> tuple[Array, Array]:
        """Return each row's code among the sorted values that occur, and these values; independent of the row order."""
        present = self.occurring()
        order = sort_order(self.levels[present])
        code = np.zeros(len(self.levels), dtype=np.intp)
        code[present[order]] = np.arange(len(order))
        return code[self.places], self.levels[present[order]]

    def is_at(self, levels: Array) -> Array:
        """Return whether each row holds one of the levels of a mask, ``(n,)``."""
        marked = np.flatnonzero(levels)
        return self.codes == self.offset + int(marked[0]) if len(marked) == 1 else levels[self.places]

    @property
    def places(self) -> Array:
        """The position of each row's level; small types of codes could overflow."""
        return np.asarray(self.codes, dtype=np.intp) - self.offset if self.offset else self.codes


def sort_order(values: Array) -> Array:
    """Return the order of distinct values: ascending, or by type and text if they cannot be compared."""
    if isinstance(values, Combinations):
        return np.arange(len(values))  # of distinct ones, which are in order
    if values.dtype.kind in "iuf" and bool((values[1:] > values[:-1]).all()):
        return np.arange(len(values))
    return np.array(ascending(values.tolist()), dtype=np.intp)


def encoded(name: str, values: object) -> Column:
    """Return a column as codes of its distinct values.

    Raises
    ------
    HowsureError
        If it is not one-dimensional, has missing values, or holds numbers that cannot be labels.
    """
    if isinstance(values, Column):
        return replace(values, name=name)
    column = _encoded(name, plain(name, values))
    _refuse_inexact(column)
    if name.startswith(GROUPING) and column.levels.dtype.kind in "UO" and "" in column.levels.tolist():
        place = column.levels.tolist().index("")
        blank = column.codes - np.int64(column.offset) == place
        if blank.any():
            raise HowsureError(
                f"`{name}` is blank in {int(blank.sum()):,} rows (first at row {int(np.argmax(blank))}), which would "
                "be one group. Give each a name, or drop these rows."
            )
    if name.startswith(GROUPING):
        refuse_alike_groups(name, column.levels[column.occurring()])
    return column


def _refuse_inexact(column: Column) -> None:
    """Refuse float labels that are ambiguous: infinite ones, and whole numbers with 16 or more digits."""
    if column.levels.dtype.kind not in "fO":
        return
    levels = column.levels if column.levels.dtype.kind == "O" else column.levels[~(np.abs(column.levels) < EXACT)]
    for value in levels.tolist():
        if isinstance(value, complex) or (isinstance(value, float) and not abs(value) < EXACT):
            is_long = isinstance(value, float) and abs(value) < math.inf
            why = "floats round whole numbers of this size. Give them as text" if is_long else "no label"
            raise HowsureError(f"`{column.name}` holds {value:g}: {why}.")


def _encoded(name: str, values: object) -> Column:
    if isinstance(values, Mapping):
        raise HowsureError(f"`{name}` is a mapping, not a column of values.{several_models(name)}")
    if isinstance(values, str | bytes | AbstractSet) or not hasattr(values, "__len__"):
        is_iterator = isinstance(values, Iterator)
        remedy = f"Give `list({name})`." if is_iterator else "To name a column of a frame or file, give `data=`."
        raise HowsureError(f"`{name}` is {values!r}, not a column of values. {remedy}")
    special = _from_package(name, values)
    if special is not None:
        return special
    array = _one_dimensional(name, values)
    kind = array.dtype.kind
    if kind == "b":
        return Column(name, np.array([False, True]), array.view(np.uint8))
    if kind in "iu":
        return _integers(name, array)
    if kind == "f":
        return _floats(name, array)
    if kind == "U" and array.itemsize:
        fixed = hashed(name, array)
        if fixed is not None:
            return fixed
    return _looked_up(name, array)


def _floats(name: str, array: Array) -> Column:
    """Code floats as integers if all are whole numbers, else by sorting them."""
    whole = _as_integers(name, array)
    if whole is not None:
        return _integers(name, whole)
    return Column(name, *np.unique(array.astype(float), return_inverse=True))


def _as_integers(name: str, array: Array) -> Array | None:
    """Return floats as integers; None unless all are whole numbers below the largest exact float."""
    small = whole_numbers(array)
    if small is not None:
        return small
    refuse_missing(name, np.isnan(array))
    whole = array.astype(np.int64) if np.isfinite(array).all() and np.abs(array).max(initial=0) < EXACT else None
    return whole if whole is not None and (whole == array).all() else None


def hashed(name: str, array: Array) -> Column | None:
    """Code strings of fixed width, or whole numbers, by a hash of their bytes; None if there are many labels.

    The hash is checked for equality. Reading the bytes as numbers avoids making a Python object of each row. A few rows
    are sorted.
    """
    if len(array) <= FEW:
        return Column(name, *np.unique(array, return_inverse=True))
    lane = np.dtype(np.uint64 if array.itemsize % 8 == 0 else np.uint32)
    lanes = array.itemsize // lane.itemsize
    factors = np.random.default_rng(0).integers(2**63, size=lanes, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    known = array[:0]
    slots = np.empty(0, dtype=np.int32)
    numbers = np.empty((0, lanes), dtype=lane)
    codes = np.empty(len(array), dtype=np.int32)
    for start in range(0, len(array), BLOCK):
        block = np.ascontiguousarray(array[start : start + BLOCK])
        words = block.view(lane).reshape(-1, lanes)
        slot = (words @ factors) >> SLOT_SHIFT
        found = slots[slot] if len(slots) else np.full(len(block), -1, dtype=np.int32)
        if (found < 0).any() or not (numbers[found] == words).all():
            known = np.concatenate([known, np.setdiff1d(block, known)])
            numbers = known.view(lane).reshape(-1, lanes)
            places = (numbers @ factors) >> SLOT_SHIFT
            if len(known) > MOST_SLOTTED or len(np.unique(places)) < len(known):
                return None
            slots = np.full(2**SLOT_BITS, -1, dtype=np.int32)
            slots[places] = np.arange(len(known))
            found = slots[slot]
        codes[start : start + BLOCK] = found
    return Column(name, known, codes)


def _one_dimensional(name: str, values: object) -> Array:
    if not hasattr(values, "__array__"):
        values = several(name, values, "labels, one a case")
    try:
        # Lists of mixed types stay objects: NumPy would turn [1, "a"] into strings.
        array = values if isinstance(values, np.ndarray) else _from_list(values)
    except ValueError:
        array = np.empty((0, 0))
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        if array.size and isinstance(first := array.ravel()[0], Mapping):
            raise HowsureError(
                f"`{name}` holds several objects a case, with {listed(list(first))}. Give one label a case, such as "
                "the one of the highest score."
            )
        shape = "ragged" if not array.size else f"of shape {array.shape}"
        if name == "strata":
            raise HowsureError(f"`{name}` is {shape}; give one stratum a case.{several_models(name)}")
        message = f"`{name}` is {shape}; give one label a case (`.ravel()` a column, `.argmax(axis=1)` scores)."
        raise HowsureError(of_other_shape(name, values) or message)
    return array


def of_other_shape(name: str, values: Any) -> str:
    """Return the error for masks, lists of tags or lists of labels in place of a label a case; "" for others."""
    is_list = isinstance(values, list | tuple) and len(values) > 0
    if len(getattr(values, "shape", ())) > 2 or (is_list and len(getattr(values[0], "shape", ())) > 1):
        return (
            f"`{name}` has the shape of masks. The pixels of an image are correlated: count a matrix for each image, "
            "`hs.from_counts(matrices, groups=image)`, or give columns, `.ravel()`, with the image of each pixel as "
            "`groups`."
        )
    rows = values.tolist() if isinstance(values, np.ndarray) else values
    words = {word for row in rows if isinstance(row, list | tuple) for word in row}
    if not words or not all(isinstance(word, str) for word in words):
        return ""
    if all(word == "O" or TAG.fullmatch(word) for word in words) and words != {"O"}:
        return f"`{name}` holds the tags of tokens. Metrics of entities are of a table `hs.entities(y_true, y_pred)`."
    return (
        f"`{name}` holds lists of labels. Give arrays of 0 and 1, cases × labels, as scikit-learn's "
        "`MultiLabelBinarizer` makes them."
    )


def _from_list(values: Any) -> Array:
    if hasattr(values, "__array__"):
        return np.asarray(values)
    listed = list(values)
    kinds = {type(value) for value in listed}
    if len(kinds) == 1 and hasattr(listed[0], "__array__") and not np.ndim(listed[0]):  # scalars of arrays and tensors
        return np.asarray([np.asarray(value)[()] for value in listed])
    if len(kinds) == 1 and issubclass(next(iter(kinds)), bool | int | float | str | np.generic | list | tuple):
        return np.asarray(listed)
    if kinds <= {int, float, bool, np.float64, np.int64} and bool not in kinds:
        return np.asarray(listed)
    objects = np.empty(len(listed), dtype=object)
    objects[:] = listed
    return objects


def _integers(name: str, array: Array) -> Column:
    if not len(array):
        return Column(name, array, array)
    if array.dtype == np.uint64 and array.max() <= np.iinfo(np.int64).max:  # unsigned codes and offsets do not mix
        array = array.astype(np.int64)
    low, high = _ends(array)
    if high - low < WIDEST_RANGE and high <= np.iinfo(np.int64).max:
        return Column(name, np.arange(low, high + 1), array, low)
    return hashed(name, array) or Column(name, *np.unique(array, return_inverse=True))


def _ends(array: Array) -> tuple[int, int]:
    """Return the smallest and the largest integer, read block by block: the second reading is from the cache."""
    blocks = (array[start : start + BLOCK] for start in range(0, len(array), BLOCK))
    lows, highs = zip(*((int(block.min()), int(block.max())) for block in blocks), strict=True)
    return min(lows), max(highs)


def _looked_up(name: str, array: Array) -> Column:
    """Code strings and objects by a dictionary, block by block."""
    index: dict[Any, int] = {}
    codes = np.empty(len(array), dtype=np.int32)
    for start in range(0, len(array), BLOCK):
        block = array[start : start + BLOCK].tolist()
        try:
            codes[start : start + BLOCK] = np.fromiter(map(index.__getitem__, block), np.int32, len(block))
        except KeyError:
            for value in dict.fromkeys(block):
                index.setdefault(value, len(index))
            codes[start : start + BLOCK] = np.fromiter(map(index.__getitem__, block), np.int32, len(block))
        except TypeError:
            raise HowsureError(
                f"`{name}` holds values that cannot be labels (such as lists). Give one label a case{_fields(block)}."
                f"{several_models(name) if name == 'strata' else ''}"
            ) from None
    absent = [code for value, code in index.items() if is_missing(value)]
    if absent:
        refuse_missing(name, np.isin(codes, absent))
    return Column(name, as_labels(list(index)), codes)


def _fields(values: Sequence[object]) -> str:
    """Return how to name a field of values that are objects; empty for other values."""
    first = next((value for value in values if value is not None), None)
    return f": a field, as in 'column.{next(iter(first))}'" if isinstance(first, Mapping) and first else ""


def is_missing(value: object) -> bool:
    """Whether a value is missing: None, nan, or a library's own missing value."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - nan alone differs from itself
    except (TypeError, ValueError):
        return False


def _from_package(name: str, values: Any) -> Column | None:
    """Return the existing codes of pandas, Polars and PyArrow columns; None for all other columns."""
    package = type(values).__module__.split(".", 1)[0]
    if package not in {"pandas", "polars", "pyarrow"} or package not in sys.modules:
        return None
    if package == "pandas":
        return _from_pandas(name, values)
    has_arrow = hasattr(values, "to_arrow") and importlib.util.find_spec("pyarrow") is not None
    arrow = values.to_arrow() if package == "polars" and has_arrow else values
    found = _from_arrow(name, arrow)
    if found is not None and type(getattr(values, "dtype", None)).__name__ == "Enum":  # whose categories are in order
        return replace(found, rank={level: place for place, level in enumerate(values.dtype.categories)})
    return found


def _from_pandas(name: str, values: object) -> Column | None:
    pandas = sys.modules["pandas"]
    if getattr(values, "ndim", 1) != 1:
        return None
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "biufU":
        return encoded(name, np.asarray(values))
    with one_each(name):
        codes, levels = pandas.factorize(values)
    refuse_missing(name, codes < 0)
    if isinstance(dtype, pandas.CategoricalDtype) and dtype.ordered:
        rank = {level: position for position, level in enumerate(dtype.categories)}
    else:
        rank = None
    return Column(name, as_labels(np.asarray(levels, dtype=object).tolist()), codes, rank=rank)


def _from_arrow(name: str, values: Any) -> Column | None:
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None or not isinstance(values, pyarrow.Array | pyarrow.ChunkedArray):
        return encoded(name, values.to_numpy()) if hasattr(values, "to_numpy") else None
    if values.null_count:
        refuse_missing(name, np.asarray(values.is_null()))
    if pyarrow.types.is_integer(values.type) or pyarrow.types.is_floating(values.type):
        return encoded(name, np.asarray(values))
    if isinstance(values, pyarrow.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pyarrow.ChunkedArray):  # no chunk, or too long for one
        return encoded(name, np.asarray(values.to_pylist(), dtype=object))
    with one_each(name):
        encodings = values if pyarrow.types.is_dictionary(values.type) else values.dictionary_encode()
    levels = encodings.dictionary.to_pylist()
    rank = {level: place for place, level in enumerate(levels)} if encodings.type.ordered else None
    return Column(name, as_labels(levels), np.asarray(encodings.indices), rank=rank)


def missing(values: Any) -> Array:
    """Return a mask of the missing values of an array or a list."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind != "O":
            return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
        with suppress(TypeError, ValueError):  # of pandas.NA, or of arrays
            return np.asarray(np.equal(values, np.array(None)) | np.not_equal(values, values))  # only nan differs
    return np.fromiter(map(is_missing, values), bool, len(values))


GAPS_OF = {  # arguments → the remedy for missing values, where dropping them may bias the result
    "y_true": "Drop these rows if labels are missing at random. If the prediction decided which cases were labelled, "
    "use `hs.judged(y_true, y_pred)`.",
    "y_pred": "With a label of their own, such as 'none', these cases count as errors. Drop them only if they are "
    "missing at random.",
}


def refuse_missing(name: str, gaps: Array, n: Array | None = None) -> None:
    """Raise an error if values are missing; `n` is the number of cases of each row, 1 by default."""
    if gaps.any():
        number = int(gaps.sum() if n is None else n[gaps].sum())
        values = "value" if number == 1 else "values"
        where = f" (first at row {int(np.argmax(gaps))})" if n is None else ""
        remedy = GAPS_OF.get(name.partition("[")[0], "Drop or fill them first.")  # y_pred['A'] of a model
        raise HowsureError(f"`{name}` has {number} missing {values}{where}. {remedy}")


def coded_with_gaps(name: str, values: object) -> tuple[Array, Array]:
    """Return the distinct values of a column and each row's code, -1 where it is missing."""
    array = _one_dimensional(name, plain(name, values))
    gaps = missing(array)
    codes = np.full(len(array), -1, dtype=np.intp)
    if gaps.all():
        return array[:0], codes
    present = array[~gaps]
    column = encoded(name, present if present.dtype.kind != "O" else as_labels(present.tolist()))
    codes[~gaps] = np.asarray(column.codes, dtype=np.intp) - column.offset
    return column.levels, codes


def refuse_gaps(argument_name: str, codes: Array, spared: str) -> None:
    """Refuse missing values of a column; the error names the other column, which may have gaps.

    Parameters
    ----------
    argument_name : str
        Name of the column in errors.
    codes : ndarray of shape (n,)
        The codes from `coded_with_gaps`.
    spared : str
        The column that may have missing values.
    """
    if gaps := int((codes < 0).sum()):
        raise HowsureError(f"`{argument_name}` has {gaps} missing values. Only `{spared}` may lack some.")


def positions(levels: Array, codes: Array, labels: Array) -> Array:
    """Return each row's position among the labels, -1 for missing values; refuse other values."""
    place = {label: index for index, label in enumerate(labels.tolist())}
    used = np.unique(codes[codes >= 0])
    found = np.full(len(levels) + 1, -1, dtype=np.intp)
    for code in used.tolist():
        value = levels.tolist()[code]
        if value not in place:
            raise HowsureError.unknown("label", str(value), map(str, place))
        found[code] = place[value]
    return found[codes]  # a missing code, -1, reads the last entry

"""Checks of tables and designs, shared by constructors and the loading of files."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, NoReturn

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.native.ends import ends

Shape = tuple[int | None, ...]
LARGEST = float(np.finfo(float).max)
SMALLEST = float(np.finfo(float).tiny)
MOST_CASES = 2**53  # largest number up to which every integer is a float
REAL, WHOLE, ANY = "iuf", "iu", "biufUOMm"  # kinds of NumPy types
EACH_SUM = 1e-6  # tolerance of probabilities that sum to 1
BLOCK = 2**13  # rows whose sums stay in the processor's cache


def refuse(message: str) -> NoReturn:
    """Raise the error for a table or a design that breaks an invariant."""
    raise HowsureError(message)


def array(name: str, value: object, shape: Shape, kinds: str = REAL) -> None:
    """Check the type and the shape of an array; None in the shape stands for any length."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds:
        found = f"dtype {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
        wanted = {REAL: "numbers", WHOLE: "whole numbers"}.get(kinds, "names")
        refuse(f"`{name}` must be an array of {wanted}, not {found}.")
    if value.shape != shape and (
        value.ndim != len(shape)
        or any(want is not None and have != want for have, want in zip(value.shape, shape, strict=True))
    ):
        wanted = "(" + ", ".join("any" if each is None else str(each) for each in shape) + ")"
        refuse(f"`{name}` has the shape {value.shape}, and the table needs {wanted}.")


def numbers(name: str, value: Any, shape: Shape, low: float = 0.0, high: float = LARGEST) -> None:
    """Check an array of finite numbers, from ``low`` to ``high``."""
    array(name, value, shape)
    _within(name, value, low, high)


def whole_numbers_of_cases(sums: Array) -> Array:
    """Return sums of counts as whole numbers of cases; refuse those above `MOST_CASES`."""
    if sums.size and sums.max() > MOST_CASES:
        refuse(
            f"`counts` add up to {sums.max():.3g}, and the most cases are {MOST_CASES:.3g}. Divide them by a factor."
        )
    return np.asarray(np.rint(sums).astype(int))


def positions(name: str, value: Any, shape: Shape, size: int, least: int = 0) -> None:
    """Check an array of positions from ``least`` (0, or −1 if a position can be missing) to ``size − 1``."""
    array(name, value, shape, WHOLE)
    _within(name, value, least, size - 1)


def _within(name: str, value: Array, low: float, high: float) -> None:
    if not value.size:
        return
    least, greatest = ends(value) if value.dtype.kind == "f" else (value.min(), value.max())
    if not (low <= least and greatest <= high):
        place = int(np.argmin((value >= low) & (value <= high)))
        wanted = f"from {low:g} to {high:g}" if high < LARGEST else f"at least {low:g}" if low > -LARGEST else "finite"
        refuse(f"`{name}` has {value.flat[place]!s} at position {place}, and its numbers must be {wanted}.")


def ascending(name: str, value: Any, size: int | None = None, low: float = -LARGEST, high: float = LARGEST) -> None:
    """Check an array of distinct finite numbers in ascending order."""
    array(name, value, (size,))
    ascends = bool((value[1:] > value[:-1]).all())
    if not (ascends and value.size and low <= value[0] and value[-1] <= high):  # those between are within the ends
        _within(name, value, low, high)
    if not ascends:
        refuse(f"`{name}` must ascend, without repeated numbers.")


def sums(name: str, found: Array, counts: Array) -> None:
    """Check that entries add up to the counts of the table, ``(..., cells)``, to rounding."""
    largest = float(counts.max(initial=0.0))
    apart = ~(np.abs(found.ravel() - counts.ravel()) <= EACH_SUM * largest)
    if apart.any():
        cell = int(np.argmax(apart))
        refuse(
            f"`{name}` adds up to {found.flat[cell]:g} in cell {cell}, and `counts` has {counts.flat[cell]:g} there."
        )


def probabilities(name: str, value: Any, shape: Shape) -> None:
    """Check an array whose last axis has probabilities that sum to 1."""
    array(name, value, shape)
    rows = np.atleast_2d(value)
    for first in range(0, len(rows), BLOCK):
        block = rows[first : first + BLOCK]
        totals = block.sum(-1)
        if totals.size and not (block.min() >= 0 and totals.min() >= 1 - EACH_SUM and totals.max() <= 1 + EACH_SUM):
            numbers(name, value, shape, 0.0, 1.0 + EACH_SUM)
            refuse(f"`{name}` must be probabilities that sum to 1.")


def number(name: str, value: object, low: float = -LARGEST, high: float = LARGEST) -> None:
    """Check one finite number, from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not low <= value <= high:
        refuse(f"`{name}` is {value!r}, and must be a number from {low:g} to {high:g}.")


def limits(name: str, value: object) -> None:
    """Check the lowest and the highest possible number, either of which may be infinite, or None."""
    if value is None:
        return
    if not isinstance(value, tuple) or len(value) != 2:
        refuse(f"`{name}` is {value!r}, and must be two numbers.")
    for each in value:
        number(name, each, -math.inf, math.inf)
    if not value[0] <= value[1]:
        refuse(f"`{name}` is {value!r}, and must be in ascending order.")


def names(name: str, value: object, size: int | None = None, *, are_distinct: bool = True) -> None:
    """Check an array of at least one name; the names are distinct, unless stated otherwise."""
    if not isinstance(value, np.ndarray) or value.ndim != 1 or not len(value):
        refuse(f"`{name}` must be an array with at least one name.")
    listed = value.tolist()
    if not all(issubclass(kind, Hashable) for kind in set(map(type, listed))):
        refuse(f"`{name}` must be texts, numbers or dates.")
    if are_distinct and len(set(listed)) < len(listed):
        refuse(f"`{name}` must be distinct.")
    if size is not None and len(listed) != size:
        refuse(f"`{name}` has {len(listed):,} names, and the table needs {size:,}.")


def texts(name: str, value: object, size: int | None = None) -> None:
    """Check a tuple of distinct texts."""
    if not isinstance(value, tuple) or not value or not all(isinstance(each, str) for each in value):
        refuse(f"`{name}` must be a tuple of texts, not {value!r}.")
    if len(set(value)) < len(value) or (size is not None and len(value) != size):
        refuse(f"`{name}` must be {'distinct' if size is None else f'{size:,} distinct'} texts.")


def parts(name: str, value: object, kind: type, size: int | None = None) -> None:
    """Check a tuple of at least one object of a class."""
    if not isinstance(value, tuple) or not value or not all(isinstance(each, kind) for each in value):
        refuse(f"`{name}` must be a tuple of objects of {kind.__name__}.")
    if size is not None and len(value) != size:
        refuse(f"`{name}` has {len(value):,} parts, and the table needs {size:,}.")


def instance(name: str, value: object, *kinds: type) -> None:
    """Check the class of a part."""
    if not isinstance(value, kinds):
        refuse(f"`{name}` must be {' or '.join(kind.__name__ for kind in kinds)}, not {type(value).__name__}.")


def rows(value: object, batch: tuple[int, ...]) -> None:
    """Check a number of cases, or one for each table of a batch."""
    found = np.asarray(value)
    if found.dtype.kind not in REAL or found.shape not in {(), batch}:
        refuse(f"`rows` is {value!r}, and must be the number of cases of each table.")
    _within("rows", found, 0, MOST_CASES)


def sparse(name: str, value: Any, shape: Sequence[int]) -> None:
    """Check a finite matrix, dense or sparse."""
    if hasattr(value, "indptr"):
        _within(name, value.data, -LARGEST, LARGEST)
    else:
        numbers(name, value, tuple(shape), -LARGEST)
    if tuple(value.shape) != tuple(shape):
        refuse(f"`{name}` has the shape {tuple(value.shape)}, and the design needs {tuple(shape)}.")

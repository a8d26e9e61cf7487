"""Bins for scores with too many distinct values to count each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure.arrays import Array

DIGITS = 20  # binary digits of the number of bins for the scores of one table
FEWEST_DIGITS = 8  # binary digits for each of many groups
EPSILON = float(np.finfo(float).eps)  # relative rounding error of each term of a sum
FINITE = float(np.finfo(float).max)


class Bins:
    """Bins for columns of numbers, as expressions with the same result in every engine.

    The width is a power of two and each bin starts at a multiple of it. The limits are therefore exact, and two
    neighbouring bins merge into one of twice the width. For each bin the engine returns the number of rows, and the sum
    and the minimum of the offsets from the start of the bin, which are exact in floating point. If the minimum equals
    the mean (up to rounding of the sum), the bin holds a single value and nothing is lost.

    Parameters
    ----------
    columns : sequence of str
        The columns; unbinned until they are found to have many values.
    """

    def __init__(self, columns: Sequence[str] = ()) -> None:
        self.columns = list(dict.fromkeys(columns))
        self.widths = dict.fromkeys(self.columns, 0.0)

    def keys(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the named columns as expressions; scores are replaced by the start of their bin."""
        import narwhals as nw

        return {name: self._begin(number_of(name), name) if name in self.widths else nw.col(name) for name in names}

    @property
    def measures(self) -> dict[str, tuple[Any, str]]:
        """The expressions to aggregate for each bin."""
        rests = {name: number_of(name) - self._begin(number_of(name), name) for name in self.columns}
        return {
            f"howsure_{reduction}_{name}": (rest, reduction)
            for name, rest in rests.items()
            for reduction in ("sum", "min")
        }

    @property
    def ranges(self) -> dict[str, tuple[Any, str]]:
        """The expressions to aggregate for `fit`: the smallest and the largest value."""
        return {f"howsure_{end}_{name}": (number_of(name), end) for name in self.columns for end in ("min", "max")}

    def fit(self, found: dict[str, Any], groups: int) -> None:
        """Choose bins that divide the range of each column; with many groups the bins are wider.

        Columns with non-finite values, which are rejected later, get a few bins only.
        """
        digits = max((DIGITS - math.ceil(math.log2(max(groups, 1)))) // max(len(self.columns), 1), FEWEST_DIGITS)
        for name in self.columns:
            low, high = (
                [float(each) for each in found[f"howsure_{what}_{name}"] if each is not None] for what in ("min", "max")
            )
            if np.isfinite([*low, *high]).all():
                self.widths[name] = _width(min(low, default=0.0), max(high, default=0.0), digits)
            else:
                self.widths[name] = _width(-FINITE, FINITE, digits)

    def coarsened(self, held: Any, number: str) -> Any:
        """Return a stream's counts in bins of twice the width; the first call creates the bins from the range.

        Returns None if wider bins would be too coarse, or if no column is binned.
        """
        import narwhals as nw

        changed = False
        columns: dict[str, Any] = {}
        for name in self.columns:
            begin, least = held[name].to_numpy(), held[f"howsure_min_{name}"].to_numpy()
            with np.errstate(invalid="ignore"):  # not a number
                low, high = begin + least, begin + self.widths[name]
            low, high = np.min(low[np.isfinite(low)], initial=FINITE), np.max(high[np.isfinite(high)], initial=-FINITE)
            first, widest = (_width(low, high, digits) for digits in (DIGITS // len(self.columns), FEWEST_DIGITS))
            width = min(max(2 * self.widths[name], first), widest)
            changed |= width > self.widths[name]
            self.widths[name] = max(width, self.widths[name])
            wider = self._begin(nw.col(name), name)
            columns |= {name: wider, f"howsure_min_{name}": nw.col(f"howsure_min_{name}") + nw.col(name) - wider}
            moved = (nw.col(name) - wider) * nw.col(number)
            columns[f"howsure_sum_{name}"] = nw.col(f"howsure_sum_{name}") + moved
        return held.with_columns(**columns) if changed else None

    def settled(self, found: dict[str, Any], n: Array, name: str) -> tuple[Any, Array | None]:
        """Return the representative score of each row's bin, and the spread of the scores in it.

        A bin with a single value is represented by that value, any other bin by the mean of its values; the spread is
        at most the distance from the smallest value to the end of the bin. The spread is None if every bin has a single
        value, or if there are no bins.
        """
        width = self.widths[name]
        if not width:
            return found[name], None
        begin, total, smallest = (
            np.asarray(found[key], dtype=float) for key in (name, f"howsure_sum_{name}", f"howsure_min_{name}")
        )
        bins, place = np.unique(begin, return_inverse=True)
        least, number = np.full(len(bins), np.inf), np.bincount(place, n)
        with np.errstate(invalid="ignore"):  # bins of values that are not numbers
            np.minimum.at(least, place, smallest)
            mean = np.bincount(place, total) / number
            several = ~(mean - least <= EPSILON * number * least)
            score = (bins + np.where(several, mean, least))[place]
            return score, np.where(several, width - least, 0.0)[place] if several.any() else None

    def start_in_sql(self, value: str, name: str) -> str:
        """Return the start of a number's bin as SQL; the number itself if it is unbinned."""
        width = self.widths[name]
        return value if not width else f"floor({value} * {1 / width!r}::DOUBLE) * {width!r}::DOUBLE"

    def _begin(self, value: Any, name: str) -> Any:
        width = self.widths[name]
        return value if not width else (value * (1 / width)).floor() * width


def number_of(name: str) -> Any:
    """Return a column as an expression of floats."""
    import narwhals as nw

    return nw.col(name).cast(nw.Float64)


def _width(low: float, high: float, digits: int) -> float:
    """Return the width of about 2**digits bins over a range; 0 if the range is a single value."""
    if not low < high:
        return 0.0
    return math.ldexp(1.0, max(math.frexp(high / 2 - low / 2)[1] + 1 - digits, -1000))

"""Bins of scores that are too many to be counted one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
DIGITS = 20  # binary ones, in which all scores of a table are told apart
FEWEST_DIGITS = 8  # in which those of one of many groups are
ROUNDING = 1e-13  # relative, of a sum of equal values
FINITE = float(np.finfo(float).max)


class Bins:
    """Bins for columns of numbers, as expressions that any engine computes alike.

    A bin is as wide as a power of two and begins at a multiple of it, so that its limits are exact, and bins of twice
    the width are two of these. With its number of rows come the sum and the smallest of its values: where this is also
    their mean, nothing was lost.

    Parameters
    ----------
    columns : sequence of str
        The columns; as they are, until they are found to be many.
    """

    def __init__(self, columns: Sequence[str] = ()) -> None:
        self.columns = list(dict.fromkeys(columns))
        self.widths = dict.fromkeys(self.columns, 0.0)

    def keys(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the named columns as expressions, those of scores as the begin of their bins."""
        import narwhals as nw

        return {name: self._begin(number_of(name), name) if name in self.widths else nw.col(name) for name in names}

    @property
    def measures(self) -> dict[str, tuple[Any, str]]:
        """What is measured of each bin."""
        return {
            f"howsure_{reduction}_{name}": (number_of(name), reduction)
            for name in self.columns
            for reduction in ("sum", "min")
        }

    @property
    def ranges(self) -> dict[str, tuple[Any, str]]:
        """What `fit` needs to know: the smallest and the largest value."""
        return {
            f"howsure_{reduction}_{name}": (number_of(name), reduction)
            for name in self.columns
            for reduction in ("min", "max")
        }

    def fit(self, found: dict[str, Any], groups: int) -> None:
        """Take bins that divide the range of each column; with many groups wider ones.

        Of columns with values that are not finite, which no table takes, a few bins are as good as many.

        Parameters
        ----------
        found : dict of str
            The `ranges` of each group.
        groups : int
            Their number.
        """
        digits = max((DIGITS - math.ceil(math.log2(max(groups, 1)))) // max(len(self.columns), 1), FEWEST_DIGITS)
        for name in self.columns:
            low, high = (
                [each for each in found[f"howsure_{what}_{name}"] if each is not None] for what in ("min", "max")
            )
            if np.isfinite([*low, *high]).all():
                self.widths[name] = _width(min(low, default=0.0), max(high, default=0.0), digits)
            else:
                self.widths[name] = _width(-FINITE, FINITE, digits)

    def coarsened(self, held: Any) -> Any:
        """Return a stream's counts in bins of twice the width, the first time in those that divide its range.

        None where wider bins would tell too little apart, or there is nothing in bins.
        """
        import narwhals as nw

        changed = False
        for name in self.columns:
            low, high = held[f"howsure_min_{name}"].to_numpy(), held[name].to_numpy() + self.widths[name]
            low, high = np.min(low[np.isfinite(low)], initial=FINITE), np.max(high[np.isfinite(high)], initial=-FINITE)
            first, widest = (_width(low, high, digits) for digits in (DIGITS // len(self.columns), FEWEST_DIGITS))
            width = min(max(2 * self.widths[name], first), widest)
            changed |= width > self.widths[name]
            self.widths[name] = max(width, self.widths[name])
        if not changed:
            return None
        return held.with_columns(**{name: self._begin(nw.col(name), name) for name in self.columns})

    def settled(self, found: dict[str, Any], n: Array, name: str) -> tuple[Any, Array | None]:
        """Return the score that stands for those of each row's bin, and how far these are apart.

        A bin of one value stands for this one, others for the mean of theirs, which are apart by no more than from the
        smallest to where the bin ends. Where all bins are of one value, and where there are no bins: None.
        """
        if not self.widths[name]:
            return found[name], None
        begin, total, smallest = (
            np.asarray(found[key], dtype=float) for key in (name, f"howsure_sum_{name}", f"howsure_min_{name}")
        )
        bins, place = np.unique(begin, return_inverse=True)
        low = np.full(len(bins), np.inf)
        with np.errstate(invalid="ignore"):  # bins of what is no number
            np.minimum.at(low, place, smallest)
            mean = np.bincount(place, total) / np.bincount(place, n)
            several = ~(np.abs(mean - low) <= ROUNDING * np.abs(low))
            score = np.where(several, mean, low)[place]
            return score, np.where(several, bins + self.widths[name] - low, 0.0)[place] if several.any() else None

    def _begin(self, value: Any, name: str) -> Any:
        width = self.widths[name]
        return value if not width else (value * (1 / width)).floor() * width


def number_of(name: str) -> Any:
    """Return a column as an expression of floats."""
    import narwhals as nw

    return nw.col(name).cast(nw.Float64)


def _width(low: float, high: float, digits: int) -> float:
    """Return the width of bins that divide a range by a number of binary digits; 0 where it holds one value."""
    if not low < high:
        return 0.0
    return math.ldexp(1.0, max(math.frexp(high / 2 - low / 2)[1] + 1 - digits, -1000))

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
EPSILON = float(np.finfo(float).eps)  # relative, by which each of the terms of a sum may round
FINITE = float(np.finfo(float).max)


class Bins:
    """Bins for columns of numbers, as expressions that any engine computes alike.

    A bin is as wide as a power of two and begins at a multiple of it, so that its limits are exact, and bins of twice
    the width are two of these. With its number of rows come the sum and the smallest of how far its values are beyond
    its begin, which floats tell exactly: where the smallest is the mean, to the rounding of a sum, nothing was lost.

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
        rests = {name: number_of(name) - self._begin(number_of(name), name) for name in self.columns}
        return {
            f"howsure_{reduction}_{name}": (rest, reduction)
            for name, rest in rests.items()
            for reduction in ("sum", "min")
        }

    @property
    def ranges(self) -> list[Any]:
        """What `fit` needs to know: the smallest and the largest value, which some files say of their columns."""
        import narwhals as nw

        columns = [(name, nw.col(name)) for name in self.columns]
        return [
            reduced.alias(f"howsure_{reduction}_{name}")
            for name, column in columns
            for reduction, reduced in (("min", column.min()), ("max", column.max()))
        ]

    def fit(self, found: dict[str, Any], groups: int) -> None:
        """Take bins that divide the range of each column; with many groups wider ones.

        Of columns with values that are not finite, which no table takes, a few bins are as good as many.

        Parameters
        ----------
        found : dict of str
            The `ranges`.
        groups : int
            Their number.
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
        """Return a stream's counts in bins of twice the width, the first time in those that divide its range.

        None where wider bins would tell too little apart, or there is nothing in bins.

        Parameters
        ----------
        held : DataFrame
            The bins.
        number : str
            Column with their numbers of rows.
        """
        import narwhals as nw

        changed = False
        columns: dict[str, Any] = {}
        for name in self.columns:
            begin, least = held[name].to_numpy(), held[f"howsure_min_{name}"].to_numpy()
            with np.errstate(invalid="ignore"):  # what is no number
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
        """Return the score that stands for those of each row's bin, and how far these are apart.

        A bin of one value stands for this one, others for the mean of theirs, which are apart by no more than from the
        smallest to where the bin ends. Where all bins are of one value, and where there are no bins: None.
        """
        width = self.widths[name]
        if not width:
            return found[name], None
        begin, total, smallest = (
            np.asarray(found[key], dtype=float) for key in (name, f"howsure_sum_{name}", f"howsure_min_{name}")
        )
        bins, place = np.unique(begin, return_inverse=True)
        least, number = np.full(len(bins), np.inf), np.bincount(place, n)
        with np.errstate(invalid="ignore"):  # bins of what is no number
            np.minimum.at(least, place, smallest)
            mean = np.bincount(place, total) / number
            several = ~(mean - least <= EPSILON * number * least)
            score = (bins + np.where(several, mean, least))[place]
            return score, np.where(several, width - least, 0.0)[place] if several.any() else None

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

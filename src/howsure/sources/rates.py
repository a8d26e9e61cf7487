"""The table behind published figures: sensitivity and specificity, and how many cases they are of."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.errors import HowsureError, HowsureWarning, whole_number
from howsure.sources.matrices import from_counts
from howsure.tables.confusion import ConfusionTable

Array = NDArray[Any]
Figure = float | str | Decimal
DECIMALS = 2  # of a number, at least: 0.9 may be 0.90
ROUNDING = 1e-9  # of a float, beside that of the figure


def from_rates(
    *,
    sensitivity: Figure,
    specificity: Figure,
    positives: int | None = None,
    negatives: int | None = None,
    prevalence: Figure | None = None,
    n: int | None = None,
    labels: ArrayLike | None = None,
) -> ConfusionTable:
    """Return the 2×2 table that published figures are of.

    The counts are the whole numbers that give the figures when they are rounded to the decimals that they are written
    with. Where several do, as of a figure of two decimals and more than a hundred cases, the nearest are taken, and a
    warning tells which others fit.

    Parameters
    ----------
    sensitivity, specificity : float, str or Decimal
        Shares of the positives and of the negatives that are predicted right. A text has the decimals that it is
        written with, such as ``"0.900"``; a number, which has no zeros at its end, at least two.
    positives, negatives : int, optional
        Numbers of cases of either class, unless ``prevalence`` and ``n`` are given.
    prevalence : float, str or Decimal, optional
        Share of the positives.
    n : int, optional
        Number of all cases.
    labels : array-like of shape (2,), optional
        The negative and the positive class; 0 and 1 by default.

    Returns
    -------
    ConfusionTable
        Of whole counts, for every metric and method.

    Raises
    ------
    HowsureError
        If no whole numbers give the figures, or a figure or a number is no such.

    Warns
    -----
    HowsureWarning
        If the figures are rounded so that other counts give them too.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_rates(sensitivity=0.894, specificity=0.943, positives=47, negatives=53)
    >>> table.counts.tolist()
    [[50.0, 3.0], [5.0, 42.0]]
    >>> print(hs.estimate(table, "ppv_at+prevalence=0.01"))
    0.138 [0.058, 0.383]
    """
    right, cleared = (
        _Rounded.of(name, figure) for name, figure in (("sensitivity", sensitivity), ("specificity", specificity))
    )
    if n is not None and prevalence is not None and positives is None and negatives is None:
        ill = _positives(_Rounded.of("prevalence", prevalence), whole_number("n", n, 2), right, cleared)
        well = whole_number("n", n, 2) - ill
    elif n is None and prevalence is None and positives is not None and negatives is not None:
        ill, well = whole_number("positives", positives), whole_number("negatives", negatives)
    else:
        message = "Give `positives` and `negatives`, or `prevalence` and `n`: the numbers that the rates are of."
        raise HowsureError(message)
    hits, passes = right.count(ill, "positives"), cleared.count(well, "negatives")
    return from_counts([[passes, well - passes], [ill - hits, hits]], labels)


@dataclass(frozen=True, slots=True)
class _Rounded:
    """A share as it is printed, and how far the true one may lie from it."""

    name: str
    text: str
    value: float
    reach: float

    @classmethod
    def of(cls, name: str, figure: Any) -> _Rounded:
        text = str(figure).strip()
        try:
            exact = Decimal(text)
        except InvalidOperation:
            exact = Decimal("nan")
        value = float(exact)
        if not 0 <= value <= 1:
            hint = f" Did you mean {value / 100:g}?" if 1 < value <= 100 else ""
            message = f"`{name}` is a share between 0 and 1, not {text}.{hint}"
            raise HowsureError(message)
        decimals = -int(exact.as_tuple().exponent)
        if not isinstance(figure, str | Decimal):
            decimals = max(decimals, DECIMALS)
        return cls(name, text, value, 0.5 * 10.0**-decimals + ROUNDING)

    def fits(self, total: Any) -> Array:
        """Whether a whole number of so many cases gives the share."""
        return np.asarray(np.abs(np.rint(self.value * total) / total - self.value) <= self.reach)

    def ends(self, total: int) -> tuple[int, int]:
        """Return the smallest and the largest number of cases that give the share."""
        low, high = np.ceil((self.value - self.reach) * total), np.floor((self.value + self.reach) * total)
        return max(int(low), 0), min(int(high), total)

    def count(self, total: int, what: str) -> int:
        """Return the number of cases that gives the share; the nearest, with a warning, where there are several."""
        nearest = int(np.rint(self.value * total))
        if not self.fits(total):
            below = int(self.value * total)
            near = ", ".join(f"{each} give {each / total:.4g}" for each in (below, below + 1))
            message = (
                f"`{self.name}` = {self.text} fits no whole number of {total} {what}: {near}. "
                f"Check both, or write the figure as it is printed, such as '{self.value:.1f}'."
            )
            raise HowsureError(message)
        self.tell(nearest, self.ends(total), f"of {total} {what}")
        return nearest

    def tell(self, taken: int, fitting: tuple[int, int], what: str) -> None:
        if fitting[0] < fitting[1]:
            counts = f"{fitting[0]} to {fitting[1]} {what} give it; {taken} is taken"
            message = f"`{self.name}` = {self.text} is rounded: {counts}."
            warnings.warn(message, HowsureWarning, stacklevel=4)


def _positives(prevalence: _Rounded, n: int, right: _Rounded, cleared: _Rounded) -> int:
    """Return the number of positives nearest to the prevalence with which all figures can be whole numbers."""
    low, high = prevalence.ends(n)
    possible = np.arange(max(low, 1), min(high, n - 1) + 1)
    possible = possible[right.fits(possible) & cleared.fits(n - possible)]
    if not possible.size:
        message = (
            f"No whole numbers of {n} cases give `prevalence` = {prevalence.text}, `sensitivity` = {right.text} and "
            f"`specificity` = {cleared.text}. Check them, or write them as they are printed, such as '0.9'."
        )
        raise HowsureError(message)
    taken = int(possible[np.argmin(np.abs(possible / n - prevalence.value))])
    prevalence.tell(taken, (int(possible[0]), int(possible[-1])), f"positives of {n} cases")
    return taken

"""Printed proportions, and the numbers of cases that give them."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, HowsureWarning, of_per_cent

MOST_TABLES = 2**24  # most combinations of true and false positives that are tried
DECIMALS = 2  # fewest decimals of a number: 0.9 may be 0.90
ROUNDING = 1e-9  # rounding error of a float, added to that of the figure


@dataclass(frozen=True, slots=True)
class Rounded:
    """A printed proportion and its rounding error.

    Parameters
    ----------
    name : str
        Its name in errors.
    text : str
        As it is printed.
    value, reach : float
        Its value, and the largest rounding error.
    """

    name: str
    text: str
    value: float
    reach: float

    @classmethod
    def of(cls, name: str, figure: object) -> Rounded:
        """Return a printed figure with the error of its last decimal."""
        text = str(figure).strip()
        try:
            exact = Decimal(text)
        except InvalidOperation:
            exact = Decimal("nan")
        value = float(exact)
        if not 0 <= value <= 1:
            raise HowsureError(
                f"`{name}` is a share between 0 and 1, not {text}.{_share_meant(text) or of_per_cent(value)}"
            )
        decimals = -int(exact.as_tuple().exponent)
        if not isinstance(figure, str | Decimal):
            decimals = max(decimals, DECIMALS)
        return cls(name, text, value, 0.5 * 10.0**-decimals + ROUNDING)

    def fits(self, total: Any) -> Array:
        """Whether some whole number of cases reproduces the proportion."""
        return np.asarray(np.abs(np.rint(self.value * total) / total - self.value) <= self.reach)

    def ends(self, total: int) -> tuple[int, int]:
        """Return the smallest and the largest number of cases that reproduce the proportion."""
        low, high = np.ceil((self.value - self.reach) * total), np.floor((self.value + self.reach) * total)
        return max(int(low), 0), min(int(high), total)

    def count(self, total: int, what: str) -> int:
        """Return the number of cases that reproduces the proportion; warn and return the nearest of several."""
        nearest = int(np.rint(self.value * total))
        if not self.fits(total):
            below = int(self.value * total)
            near = ", ".join(f"{each} give {each / total:.4g}" for each in (below, below + 1))
            raise HowsureError(
                f"`{self.name}` = {self.text} fits no whole number of {total} {what}: {near}. "
                f"Check both, or give the rate as text with the printed decimals, such as '{self.value:.1f}'."
            )
        self.warn_if_several(nearest, self.ends(total), f"of {total} {what}")
        return nearest

    def warn_if_several(self, taken: int, fitting: tuple[int, int], what: str) -> None:
        """Warn if further numbers of cases give the figure."""
        if fitting[0] < fitting[1]:
            counts = f"{fitting[0]} to {fitting[1]} {what} give it; {taken} is taken"
            message = f"`{self.name}` = {self.text} is rounded: {counts}."
            warnings.warn(message, HowsureWarning, stacklevel=4)


def _share_meant(text: str) -> str:
    """Return how to write k/n, or a share with a percent sign, a decimal comma or its interval; else an empty text."""
    if re.match(r"\d+ ?/ ?\d", text):
        return " Give such numbers of cases as they are: `from_counts(tp=…, fn=…, fp=…, tn=…)`."
    found = re.match(r"(\d*[.,]?\d+) ?(%?)(?![\d.])", text)
    if found is None:
        return ""
    number = Decimal(found[1].replace(",", "."))
    share = number.scaleb(-2) if found[2] else number
    return f" Write '{share}'." if 0 <= float(share) <= 1 else ""

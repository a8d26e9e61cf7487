"""Layout of intervals on an axis: positions in per cent, without markup."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from howsure.report.content import Axis, Bar

STEPS = 4  # largest number of steps between the ticks of an axis
IN_PANELS = 2  # the same for narrow axes in panels, whose labels need room
FACTORS = (1, 2, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class Ruler:
    """An axis between two ticks, with equal steps that are round numbers.

    Examples
    --------
    >>> Ruler.over([0.924, 0.998]).axis("F1", [1]).ticks
    ('0.92', '0.94', '0.96', '0.98', '1.00')
    """

    first: int  # in steps
    last: int
    step: float

    @classmethod
    def over(cls, values: Iterable[float], steps: int = STEPS) -> Ruler:
        """Return the shortest axis that contains all finite values."""
        finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        low, high = min(finite), max(finite)
        if high <= low:
            low, high = low - 0.05, high + 0.05
        size = 10.0 ** math.floor(math.log10((high - low) / steps))
        axes = (
            cls(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9), step)
            for step in (size * factor for factor in FACTORS)
        )
        return next(axis for axis in axes if axis.last - axis.first <= steps)

    def place(self, value: float) -> float:
        """Return the position of a value, in per cent of the axis."""
        return round(100 * (value / self.step - self.first) / (self.last - self.first), 2)

    def bar(self, value: float, limits: Sequence[tuple[float, float]], series: int = 0) -> Bar | None:
        """Return the bar of a value with its interval at each level; None if the value or a limit is not finite."""
        if not all(math.isfinite(end) for end in (value, *(end for pair in limits for end in pair))):
            return None
        spans = tuple((self.place(low), round(self.place(high) - self.place(low), 2)) for low, high in limits)
        return Bar(self.place(value), spans, series)

    def axis(self, title: str, columns: Sequence[int], line: float = math.nan, about: str = "") -> Axis:
        """Return the axis of the given columns, with a reference line if its value is on the axis."""
        decimals = max(0, -math.floor(math.log10(self.step) + 1e-9))
        ticks = tuple(
            f"{place * self.step:.{decimals}f}".replace("-", "−") for place in range(self.first, self.last + 1)
        )
        place = self.place(line) if math.isfinite(line) else math.nan
        return Axis(title, tuple(columns), ticks, place if 0 <= place <= 100 else None, about)

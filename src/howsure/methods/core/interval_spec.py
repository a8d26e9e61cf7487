"""One-sided limits: those of the two-sided interval with the same tail probability, cut to the metric's range."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, final, get_args

import numpy as np

from howsure.errors import HowsureError, checked_level
from howsure.methods.core.interval import Interval
from howsure.methods.core.method import Method
from howsure.metrics.metric import Metric

Alternative = Literal["two-sided", "less", "greater"]
SIDES = get_args(Alternative)
NOTES = {"less": "one-sided: an upper limit", "greater": "one-sided: a lower limit"}


@final
@dataclass(frozen=True, slots=True)
class IntervalSpec:
    """The confidence level of an interval, and which limits are requested.

    Parameters
    ----------
    level : float
        Coverage, between 0 and 1.
    alternative : {"two-sided", "less", "greater"}
        Both limits, only the upper one, or only the lower one.
    """

    level: float
    alternative: Alternative = "two-sided"

    @classmethod
    def checked(cls, confidence_level: object, alternative: Any) -> IntervalSpec:
        """Return the requested sides; raise an error for unknown ones and for one-sided levels of at most 1/2."""
        level = checked_level(confidence_level)
        if str(alternative) not in SIDES:
            raise HowsureError(
                f"There is no alternative '{alternative}'. 'two-sided' gives both limits, 'greater' a lower and 'less' "
                "an upper one.",
                "unknown-alternative",
            )
        if alternative != "two-sided" and level <= 0.5:
            raise HowsureError(f"`confidence_level` of a one-sided limit lies between 0.5 and 1, not {level:g}.")
        return cls(level, alternative)

    @property
    def two_sided(self) -> float:
        """Level of the two-sided interval that has the same limit."""
        return self.level if self.alternative == "two-sided" else round(2 * self.level - 1, 15)

    def form_of(self, method: Method | None) -> Method | None:
        """Return the method, or its one-sided form if only one limit is requested."""
        return method if method is None or self.alternative == "two-sided" else method.one_sided()

    def p_value(self, two_sided: float, value: float, null: float) -> float:
        """Return the p-value of the requested side, from the two-sided one.

        Parameters
        ----------
        two_sided : float
            The two-sided p-value of the null value; nan where nothing is tested.
        value, null : float
            The observed value, and the hypothetical one.
        """
        if self.alternative == "two-sided":
            return two_sided
        return two_sided / 2 if (value > null) == (self.alternative == "greater") else 1 - two_sided / 2

    def cut(self, interval: Interval, metric: Metric) -> Interval:
        """Return the two-sided interval with the other limit moved to the end of the metric's range."""
        if self.alternative == "two-sided":
            return interval
        undefined = np.isnan(interval.low) | np.isnan(interval.high)
        end = np.where(undefined, np.nan, metric.range[self.alternative == "greater"])[()]
        note = NOTES[self.alternative]
        reason = np.array(np.broadcast_to(interval.reason, np.shape(end)), dtype=object)
        reason = np.where(undefined, reason, np.where(reason == "", note, reason + f"; {note}"))[()]
        if self.alternative == "greater":
            return replace(interval, high=end, reason=reason)
        return replace(interval, low=end, reason=reason)

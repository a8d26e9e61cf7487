"""Requirements: bounds that metrics must be shown to exceed or to stay below, such as ``recall>0.9``."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from howsure.errors import PER_CENT, HowsureError, several
from howsure.metrics.binding import requested
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec

FORM = re.compile(r"(?P<metric>.*[^<>=\s])\s*(?P<relation>[<>])=?\s*(?P<bound>[^<>=]+)", re.DOTALL)
REMEDY = "Give a metric, > or <, and a number, such as 'recall>0.9'."


@dataclass(frozen=True, slots=True, eq=False)
class Requirement:
    """A bound of a metric.

    Parameters
    ----------
    metric : Spec or Metric
        The metric.
    is_above : bool
        Whether the metric must be above the bound; otherwise below.
    bound : float
        The bound.
    """

    metric: Spec | Metric
    is_above: bool
    bound: float

    @classmethod
    def of(cls, given: object) -> Requirement:
        """Return the requirement that a text such as ``"recall>0.9"``, or a tuple ``(metric, ">", 0.9)``, states.

        Raises
        ------
        HowsureError
            If it is neither, or the metric is unknown.
        """
        if isinstance(given, cls):
            return given
        found = FORM.fullmatch(given.strip()) if isinstance(given, str) else None
        parts = found.groups() if found else given
        if isinstance(parts, tuple) and len(parts) == 3 and parts[1] in {">", "<", ">=", "<="}:
            try:
                bound = float(parts[2])
            except (TypeError, ValueError):
                bound = math.nan
            if math.isfinite(bound):
                return cls(requested(parts[0]), parts[1][0] == ">", bound)
        raise HowsureError(f"{given!r} is no requirement. {REMEDY}")

    @property
    def relation(self) -> str:
        """``">"`` or ``"<"``."""
        return ">" if self.is_above else "<"

    def text(self, label: str) -> str:
        """Return the requirement as text, with the metric's name as requested."""
        return f"{label} {self.relation} {self.bound:g}"

    def check(self, metric: Metric) -> None:
        """Raise an error if the bound is outside of the metric's range."""
        low, high = metric.range
        if low <= self.bound <= high:
            return
        hint = f" Did you mean {self.bound / PER_CENT:g}?" if low <= self.bound / PER_CENT <= high else ""
        raise HowsureError(
            f"The bound of `{self.text(metric.label)}` is outside of its range, {low:g} to {high:g}.{hint}"
        )


Asked = str | tuple[str | Metric, str, float] | Requirement


def listed_requirements(given: object) -> list[Requirement]:
    """Return one or several requirements as a list; raise an error if there are none."""
    is_one = isinstance(given, str | Requirement) or (
        isinstance(given, tuple) and len(given) == 3 and isinstance(given[1], str) and given[1][:1] in {"<", ">"}
    )
    listed: Sequence[Any] = [given] if is_one else several("requirements", given, "requirements such as 'recall>0.9'")
    if not listed:
        raise HowsureError(f"`requirements` is empty. {REMEDY}")
    return [Requirement.of(each) for each in listed]

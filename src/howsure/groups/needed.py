"""Number of cases that groups need for narrow intervals of their gaps, or to find a gap."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from howsure.errors import HowsureError, of_per_cent, real_number
from howsure.grids import Grid, Tabular


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class CasesNeeded(Tabular):
    """Number of cases that each group needs.

    Parameters
    ----------
    needed : mapping of tuple of str to float
        (metric, group) → cases; nan if the metric has no value in the group, or in no other group.
    cases : mapping of str to int
        Present number of cases of each group.
    goal : str
        The goal in words.

    Examples
    --------
    >>> import howsure as hs
    >>> tables = {"a": hs.from_counts([[50, 3], [5, 42]]), "b": hs.from_counts([[40, 13], [9, 38]])}
    >>> found = hs.gaps(tables, "accuracy", random_state=0).needed(0.05)
    >>> [(each["group"], each["cases"]) for each in found.records()]
    [('a', 100), ('b', 100)]
    """

    needed: Mapping[tuple[str, str], float]
    cases: Mapping[str, int]
    goal: str

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per metric and group."""
        return [
            {"metric": metric, "group": group, "cases": self.cases[group], "needed": needed}
            for (metric, group), needed in self.needed.items()
        ]

    def grid(self) -> Grid:
        """Return a table of strings, one row per metric and group."""
        rows = []
        for each in self.records():
            needed, own = each["needed"], each["cases"]
            words = ("–", "–") if math.isnan(needed) else (f"{needed:,.0f}", f"{max(needed - own, 0):,.0f}")
            rows.append((each["group"], each["metric"], f"{own:,}", *words))
        return Grid(("group", "metric", "cases", "needed", "more"), tuple(rows), self.goal)


def cases_needed(
    errors: Mapping[str, Mapping[str, float]],
    cases: Mapping[str, int],
    critical: float,
    margin: float,
    power: float | None,
) -> CasesNeeded:
    """Return the cases that make the difference of two groups precise, or found with a stated power.

    The variance of a group's value is inversely proportional to its cases. Each of the two groups gets half of the
    variance of a difference that has ``margin = (critical + z) * error``, with z the quantile of the power.

    Parameters
    ----------
    errors : mapping
        Metric → group → standard error.
    cases : mapping
        Group → cases.
    critical : float
        Half-width of the simultaneous intervals in standard errors; nan if no two groups can be compared.
    margin : float
        Half-width of the interval, or the difference to find.
    power : float, optional
        Probability of finding it.
    """
    above = 0.0
    goal = f"Cases of each group for differences ± {margin:g}, simultaneously for all pairs"
    if power is not None:
        share = real_number("power", power)
        if not 0 < share < 1:
            raise HowsureError(f"`power` is a probability between 0 and 1, not {power!r}.{of_per_cent(power)}")
        above = NormalDist().inv_cdf(share)
        goal = f"Cases of each group to find a difference of {margin:g} between two with probability {share:g}"
    target = margin / (critical + above) / math.sqrt(2)  # nan where no two groups can be compared
    needed = {
        (metric, group): math.nan if math.isnan(error / target) else math.ceil(cases[group] * (error / target) ** 2)
        for metric, groups in errors.items()
        for group, error in groups.items()
    }
    return CasesNeeded(needed=needed, cases=dict(cases), goal=f"{goal}.")

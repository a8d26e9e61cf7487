"""Stopping rules for growing data: the interval is narrow enough, or decides a question."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.comparison.compare import compare
from howsure.comparison.result import Comparison
from howsure.errors import HowsureError, real_numbers
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate
from howsure.grids import OneRecord
from howsure.methods.composed.anytime import Anytime, units
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.methods.numerics.bisection import edge
from howsure.numbers import count_text, value_text
from howsure.tables.table import Table, require_table

TOUCHES = 1 - 1e-9  # share of a limit that just touches the value
MOST = 1e6  # times as many cases, beyond which it is never


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Stopping(OneRecord):
    """Whether to stop, why, and about how many more cases are needed if not; true if it is time to stop.

    Parameters
    ----------
    found : Estimate or Comparison
        The value with its interval.
    cases : int
        Cases so far.
    why : str
        The rule that is met; empty if none.
    more : float
        Approximate number of further cases needed if the value does not change: 0 if a rule is met, infinite if none
        will be, nan if the value is undefined.

    Examples
    --------
    >>> import howsure as hs
    >>> answer = hs.stop(hs.from_counts([[50, 3], [5, 42]]), "mcc", excludes=0.7)
    >>> bool(answer), answer.more, answer.found.value > 0.7
    (False, 150.0, True)
    """

    found: Estimate | Comparison
    cases: int
    why: str
    more: float

    @property
    def positive(self) -> str:
        """The positive class, if it has a name and the metric depends on it."""
        return self.found.positive if isinstance(self.found, Estimate) else self.found.a.positive

    def __bool__(self) -> bool:
        return bool(self.why)

    def __str__(self) -> str:
        value = value_text(self.found.value, self.found.low, self.found.high)
        value += f" ({self.found.label} of {self.positive})" if self.positive else ""
        if self:
            return f"{value} after {count_text(self.cases)} cases: stop, {self.why}"
        if math.isnan(self.more):
            return f"{value} after {count_text(self.cases)} cases: go on; {self.found.reason or 'there is no interval'}"
        if math.isinf(self.more):
            return f"{value} after {count_text(self.cases)} cases: go on; at this value no number of cases is enough"
        return f"{value} after {count_text(self.cases)} cases: go on, about {count_text(self.more)} more"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        found = self.found
        return {
            "metric": found.label,
            "positive": self.positive,
            "cases": self.cases,
            **{name: float(getattr(found, name)) for name in ("value", "low", "high")},
            "stop": bool(self),
            "why": self.why,
            "more": self.more,
            "confidence_level": found.confidence_level,
            "method": found.method,
        }


def stop(
    table: Table,
    metric: str,
    *,
    width: float | None = None,
    excludes: float | None = None,
    within: tuple[float, float] | None = None,
    method: MethodName | Method = "anytime",
    confidence_level: float = 0.95,
) -> Stopping:
    """Return whether the cases so far are enough, why, and about how many more are needed.

    It can be called after each batch: the intervals cover simultaneously at all looks, so optional stopping does not
    invalidate them. It is time to stop if one of the rules is met.

    Parameters
    ----------
    table : Table
        All cases so far, for example from an `Accumulator`. For two models on the same cases, their difference is used.
    metric : str
        Spec string.
    width : float, optional
        Rule: the interval is at most this wide.
    excludes : float, optional
        Rule: the interval does not contain this value, such as 0 for a difference.
    within : tuple of two float, optional
        Rule: the interval lies within these limits, such as those of a negligible difference.
    method : str or Anytime
        ``"anytime"``, or `Anytime` with its settings.
    confidence_level : float
        Simultaneous coverage of the intervals at all looks, between 0 and 1.

    Returns
    -------
    Stopping
        True if it is time to stop, with the reason; otherwise with the number of further cases.

    Raises
    ------
    HowsureError
        If no rule is given, a rule is not valid, or the method's intervals are not valid at every look.

    Examples
    --------
    >>> import howsure as hs
    >>> seen = hs.from_counts([[50, 3], [5, 42]])
    >>> print(hs.stop(seen, "accuracy", width=0.1))
    0.920 [0.812, 0.980] after 100 cases: go on, about 170 more
    >>> print(hs.stop(seen, "accuracy", width=0.1, excludes=0.8))
    0.920 [0.812, 0.980] after 100 cases: stop, the interval excludes 0.8
    """
    rules = _checked(width, excludes, within)
    chosen = named(method)
    if not isinstance(chosen, Anytime):
        raise HowsureError(
            "`stop` needs intervals that hold at every look. Use method='anytime' or `Anytime(n_optimal=…)`."
        )
    asked: Any = {"method": chosen, "confidence_level": confidence_level}
    found = looked(table, metric, **asked)
    each = list(_progress(found, **rules))
    why = "; ".join(words for words, share in each if share >= 1)
    cases = int(table.rows)
    share = max(share for _, share in each)
    more = 0.0 if why else _more(chosen, float(units(table)), cases, share, confidence_level)
    return Stopping(found=found, cases=cases, why=why, more=more)


def looked(table: Any, metric: str, **settings: Any) -> Estimate | Comparison:
    """Return the estimate of a metric, or for a table of several models the comparison of two."""
    several = hasattr(require_table(Table, table, "`stop` takes a table, as `Accumulator.table` holds it."), "models")
    answer: Estimate | Comparison = (compare if several else estimate)(table, metric, **settings)
    return answer


def _checked(width: object, excludes: object, within: object) -> dict[str, Any]:
    rules = {"width": width, "excludes": excludes, "within": within}
    given = {name: real_numbers(name, rule) for name, rule in rules.items() if rule is not None}
    shapes = {"width": (), "excludes": (), "within": (2,)}
    if not given or any(rule.shape != shapes[name] or np.isnan(rule).any() for name, rule in given.items()):
        raise HowsureError("`stop` needs a rule: `width=0.05`, `excludes=0` or `within=(-0.02, 0.02)`.")
    if "width" in given and given["width"] <= 0:
        raise HowsureError(f"`width` is how wide the interval may be, above 0, not {width!r}.")
    if "within" in given and given["within"][0] >= given["within"][1]:
        raise HowsureError(f"`within` is two limits, the lowest first, not {within!r}.")
    return {name: rule.tolist() for name, rule in given.items()}


def _progress(
    found: Estimate | Comparison,
    width: float | None = None,
    excludes: float | None = None,
    within: tuple[float, float] | None = None,
) -> Iterator[tuple[str, float]]:
    """Yield each rule in words, and the allowed half width over the present one; the rule is met from 1 on."""
    value, low, high = found.value, found.low, found.high

    def share(allowed: float, reached: float) -> float:
        return allowed / reached if reached > 0 else math.nan if math.isnan(reached) else math.inf * np.sign(allowed)

    if width is not None:
        yield f"the interval is at most {width:g} wide", share(width, high - low)
    if excludes is not None:
        apart = share(value - excludes, value - low) if value > excludes else share(excludes - value, high - value)
        yield f"the interval excludes {excludes:g}", apart if not low <= excludes <= high else min(apart, TOUCHES)
    if within is not None:
        lowest, highest = within
        inside = min(share(value - lowest, value - low), share(highest - value, high - value))
        yield f"the interval lies within [{lowest:g}, {highest:g}]", inside


def _more(method: Anytime, seen: float, cases: int, share: float, confidence_level: float) -> float:
    """Return the approximate number of further cases that reduce the half width to a fraction of the present one."""
    if math.isnan(share):
        return math.nan
    now = method.reach(seen, confidence_level)

    def too_wide(times: Any) -> Any:
        return method.reach(seen * times, confidence_level) / now / np.sqrt(times) > share

    times = float(edge(too_wide, 1.0, MOST, relative=1e-3))
    if times >= MOST:
        return math.inf
    more = (times - 1) * cases
    return float(f"{more:.2g}") if more > 1 else 1.0

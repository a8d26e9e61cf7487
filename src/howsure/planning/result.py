"""Result of a plan: number and kind of cases, and their uncertainty from the pilot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, final, get_args

import numpy as np

from howsure.arrays import Array
from howsure.errors import one_of
from howsure.estimates.sentences import Style, capitalized, subject
from howsure.grids import Grid, Tabular
from howsure.numbers import percent
from howsure.planning.splits import Share


class PlanCurve(NamedTuple):
    """Width or power of studies of several sizes, with an uncertainty band from the pilot.

    Parameters
    ----------
    n : ndarray of shape (points,)
        Numbers of cases, ascending.
    reached, low, high : ndarray of shape (points,)
        Width of the interval, or power, at each number of cases; and the limits of the band, at the plan's confidence
        level.
    """

    n: Array
    reached: Array
    low: Array
    high: Array


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Plan(Tabular):
    """Number of cases of a study; see `plan`.

    Parameters
    ----------
    metric : str
        Specification string of the metric, as requested; for two models, with their names.
    goal : {"width", "power", "support"}
        Goal that determines the number of cases.
    target : float
        Requested width or power; if the number of cases is given, the value for that number.
    n : int
        Cases of the study.
    asymptotic : float
        Number of cases from the normal approximation, before the simulated check; nan if the number was given.
    low, high : float
        Interval of the number of cases from the uncertainty of the pilot, at the confidence level; it contains ``n``.
        ``high`` is infinite if the pilot is compatible with an unreachable goal, such as a difference of 0. Both are
        nan if the uncertainty cannot be computed.
    units : int
        Clusters of the study; the number of its cases without clusters.
    width, power, support : float
        Results of simulated studies with this number of cases: mean width of the interval, proportion of studies that
        succeed, and proportion in which each class has enough cases. A value that was not requested is nan.
    true_value : float
        Assumed true value of the metric or of the contrast.
    regions : tuple of tuple of two float
        Regions of a successful study: its interval lies inside one of them. Empty without such a goal.
    confidence_level : float
        Confidence level of the intervals.
    alternative : str
        Which limits these have.
    method : str
        Method of the intervals.
    studies : int
        Number of simulated studies at the planned number; 0 if none can be drawn, so that the number is from the normal
        approximation.
    pilot : int
        Number of cases of the pilot.
    curve : PlanCurve
        Width or power for other numbers of cases.
    splits : tuple of Share
        Cases of each class, verdict, cell or test set: as planned, and in the split that reaches the goal with the
        fewest cases.
    cluster_sizes : tuple of tuple of two int
        Other cluster sizes, and the number of clusters with the same result.
    note : str
        Caveat about the number of cases.
    split_note : str
        Caveat about the best split.
    positive : str
        The positive class, if the metric depends on it and the two classes have names.

    Examples
    --------
    >>> import howsure as hs
    >>> plan = hs.plan(hs.from_counts([[50, 3], [5, 42]]), "accuracy", width=0.05)
    >>> plan.n, round(plan.width, 3)
    (453, 0.05)
    """

    metric: str
    goal: str
    target: float
    n: int
    asymptotic: float
    low: float
    high: float
    units: int
    width: float
    power: float
    support: float
    true_value: float
    regions: tuple[tuple[float, float], ...]
    confidence_level: float
    alternative: str
    method: str
    studies: int
    pilot: int
    curve: PlanCurve
    splits: tuple[Share, ...] = ()
    cluster_sizes: tuple[tuple[int, int], ...] = ()
    note: str = ""
    split_note: str = ""
    positive: str = ""

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict for all cases, for each part of them, and for each other size of the clusters.

        The first one has the interval of the number of cases, ``low`` to ``high``, and whether it is ``unbounded``.
        """
        best = sum(each.best for each in self.splits) if self.splits else None
        rows: list[dict[str, Any]] = [{"part": "all", "cases": self.n, "clusters": None, "best_split": best}]
        if self.units != self.n:
            rows[0]["clusters"] = self.units
        rows += [
            {"part": each.name, "cases": each.cases, "clusters": None, "best_split": each.best} for each in self.splits
        ]
        rows += [
            {"part": f"or clusters of {size:,}", "cases": size * number, "clusters": number, "best_split": None}
            for size, number in self.cluster_sizes
        ]
        nothing = dict.fromkeys(("low", "high", "unbounded"))
        interval = {"low": self.low, "high": self.high, "unbounded": math.isinf(self.high)}
        return [row | (nothing if place else interval) for place, row in enumerate(rows)]

    def grid(self) -> Grid:
        """Return the plan as a table of strings."""
        rows = self.records()
        caption = " ".join(filter(None, (self.sentence(), self.split_note)))
        columns = [name for name in ("cases", "clusters", "best_split") if any(row[name] is not None for row in rows)]
        cells = tuple(
            (row["part"], *("" if row[name] is None else f"{row[name]:,}" for name in columns)) for row in rows
        )
        return Grid(("part", *(name.replace("_", " ") for name in columns)), cells, caption)

    def sentence(self, style: Style = "card") -> str:
        """Return the number of cases with its assumptions.

        Parameters
        ----------
        style : {"card", "clinical", "ml"}
            A summary in sentences, with what the pilot leaves open; or one sentence for the methods section of a
            clinical paper; or of a machine-learning paper.

        Raises
        ------
        HowsureError
            If there is no such style.

        Examples
        --------
        >>> import howsure as hs
        >>> print(hs.plan(hs.from_counts([[50, 3], [5, 42]]), "accuracy", width=0.05).sentence("ml"))
        Accuracy: n = 453 for a 95 % interval 0.05 wide on average at a true value of 0.92 (4,000 simulated studies).
        """
        return plan_sentence(self, style)


def curve_of(n: Array, reached: Array, band: Array | None, level: float) -> PlanCurve:
    """Return a curve, and the band with this proportion of the resampled pilots.

    Parameters
    ----------
    n, reached : ndarray of shape (points,)
        The curve.
    band : ndarray of shape (pilots, points), optional
        Values for resampled pilots.
    level : float
        Of the band.
    """
    if band is None:
        nothing = np.full(len(n), math.nan)
        return PlanCurve(n, reached, nothing, nothing)
    low, high = np.quantile(band, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return PlanCurve(n, reached, np.minimum(low, reached), np.maximum(high, reached))


def plan_sentence(plan: Plan, style: Style) -> str:
    """Return the number of cases with its assumptions, see `Plan.sentence`."""
    one_of("style", style, get_args(Style))
    many = f"{plan.n:,} cases" + (f" in {plan.units:,} clusters" if plan.units != plan.n else "")
    if style == "card":
        return _summary(plan, many)
    what = subject(plan.metric, plan.positive)
    by = f"{plan.studies:,} simulated studies" if plan.studies else "normal approximation"
    if style == "clinical":
        return f"A sample of {many} {_aim(plan, what)} ({by})."
    size = f"n = {plan.n:,}" + (f" ({plan.units:,} clusters)" if plan.units != plan.n else "")
    return f"{capitalized(what)}: {size} for {_aim_in_short(plan)} ({by})."


def _aim(plan: Plan, what: str) -> str:
    level, truth = percent(plan.confidence_level, is_spaced=False), f"at a true value of {plan.true_value:.3g}"
    if plan.goal == "width":
        return f"gives a {level} CI of the {what} that is {plan.target:.3g} wide on average, {truth}"
    if plan.goal == "support":
        return f"contains enough cases of each class with a probability of {plan.target:.3g}"
    shown = f"to show that the value of the {what} {_words(plan.regions)}"
    return f"has a power of {plan.target:.3g} {shown}, {truth} and with {level} CIs"


def _aim_in_short(plan: Plan) -> str:
    truth = f"at a true value of {plan.true_value:.3g}"
    if plan.goal == "width":
        return f"a {percent(plan.confidence_level)} interval {plan.target:.3g} wide on average {truth}"
    if plan.goal == "support":
        return f"a probability of {plan.target:.3g} of enough cases of each class"
    return f"a power of {plan.target:.3g} to show that the value {_words(plan.regions)} {truth}"


def _summary(plan: Plan, many: str) -> str:
    """Return the number of cases, the interval that the pilot leaves for it, and the caveat."""
    named = f" of {plan.positive}" if plan.positive else ""
    about = "" if plan.goal == "support" else f"{plan.metric}{named}: "
    said = [f"{about}{many} {_reach(plan)}{_how(plan)}."]
    if math.isfinite(plan.low) and plan.low < plan.high * (1 - 1e-6):
        open_ended = "or more: the interval has no upper end, as the pilot does not exclude that no number suffices"
        to = f"to {math.ceil(plan.high):,}" if math.isfinite(plan.high) else open_ended
        needed = f"{math.ceil(plan.low):,} {to}"
        said.append(f"Given the uncertainty of the pilot ({plan.pilot:,} cases), it may take {needed}.")
    return " ".join([*said, *([f"{plan.note}."] if plan.note else [])])


def _reach(plan: Plan) -> str:
    level = percent(plan.confidence_level)
    if plan.goal == "width":
        return (
            f"give {level} intervals {plan.target:.3g} wide on average, if the value is {round(plan.true_value, 9):.3g}"
        )
    if plan.goal == "support":
        return f"hold enough cases of each class with a chance of {plan.target:.3g}"
    return (
        f"show with a power of {plan.target:.3g} that the value {_words(plan.regions)}, "
        f"if it is {round(plan.true_value, 9):.3g} ({level} intervals)"
    )


def _how(plan: Plan) -> str:
    if not plan.studies:
        return ", by the normal distribution alone"
    first = "" if math.isnan(plan.asymptotic) else f"{math.ceil(plan.asymptotic):,} by the normal distribution, "
    return f" ({first}checked on {plan.studies:,} simulated studies)"


def _words(regions: tuple[tuple[float, float], ...]) -> str:
    """Return the claim about a value as text, after "the value"."""
    if len(regions) > 1:
        return f"differs from {regions[0][0]:g}"
    ((low, high),) = regions
    if math.isinf(low):
        return f"is below {high:g}"
    return f"is above {low:g}" if math.isinf(high) else f"is between {low:g} and {high:g}"

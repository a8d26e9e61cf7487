"""Numbers of cases to label next by verdict, for an interval of a given width."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import safe_divide
from howsure.errors import HowsureError, checked_level
from howsure.grids import Grid, Tabular
from howsure.imperfect_labels.partial.two_phase import TwoPhase
from howsure.methods.core.standard_errors import normal_quantile
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.numbers import percent
from howsure.tables.table import Table

BISECTIONS = 100


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LabelPlan(Tabular):
    """Number of cases of each verdict to label next, for an interval of a given width; made by `label_plan`.

    Parameters
    ----------
    metric : str
        Spec string of the metric.
    strata : tuple of str
        Names of the strata: verdicts, pairs of verdict and prediction, or ranges of the judge's grades.
    cases, labelled, labels : ndarray of shape (strata,)
        For each stratum: its cases, those with a human label, and the number of further cases to label, drawn at
        random from the unlabelled ones.
    at_random : int or None
        Number of further labels for the same width if they are drawn from all cases; None if there are not enough.
    width, current_width : float
        Requested width, and width of the current normal interval.
    confidence_level : float
        Confidence level of the interval.

    Examples
    --------
    >>> import howsure as hs
    >>> judge = ["pass"] * 800 + ["fail"] * 200
    >>> human = ["pass"] * 57 + ["fail"] * 3 + [None] * 740 + ["fail"] * 10 + ["pass"] * 5 + [None] * 185
    >>> plan = hs.labels.label_plan(hs.judged(human, judge), "pass_rate", width=0.08)
    >>> int(plan.labels.sum()) < plan.at_random
    True
    """

    metric: str
    strata: tuple[str, ...]
    cases: Array
    labelled: Array
    labels: Array
    at_random: int | None
    width: float
    current_width: float
    confidence_level: float

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict for each stratum that contains cases."""
        rows = zip(self.strata, self.cases, self.labelled, self.labels, strict=True)
        return [
            {"verdict": name, "cases": int(cases), "labelled": int(labelled), "label": int(more)}
            for name, cases, labelled, more in rows
            if cases > 0
        ]

    def grid(self) -> Grid:
        """Return the plan as a table of strings."""
        rows = tuple(
            (each["verdict"], f"{each['cases']:,}", f"{each['labelled']:,}", f"{each['label']:,}")
            for each in self.records()
        )
        return Grid(("verdict", "cases", "labelled", "label next"), rows, self.sentence())

    def sentence(self) -> str:
        """Return the plan in a sentence."""
        level, more = percent(self.confidence_level), int(self.labels.sum())
        otherwise = "more than there are" if self.at_random is None else f"{self.at_random:,}"
        which = ", ".join(f"{each['verdict']} {each['label']:,}" for each in self.records())
        return (
            f"{self.metric}: {level} interval {self.current_width:.3f} wide now; {self.width:g} takes {more:,} more "
            f"labels ({which}), or {otherwise} from all cases."
        )


def label_plan(
    table: Table, metric: str | Spec | Metric = "pass_rate", *, width: float, confidence_level: float = 0.95
) -> LabelPlan:
    """Return the numbers of cases to label next by verdict, so that the interval for a metric has a given width.

    Parameters
    ----------
    table : Table
        Table made by `judged` or `judged_values`.
    metric : str or Metric
        The metric to plan for.
    width : float
        Requested width of the interval: upper minus lower limit.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    LabelPlan
        The number of cases of each verdict to label.

    Raises
    ------
    HowsureError
        If the width is not positive, or the metric is undefined on the table. If the interval would be wider than
        requested even with human labels of all cases: more cases must be judged then.

    Notes
    -----
    A stratum contributes ``(N s)**2 / n`` to the variance: N is its number of cases, n its number of labels, and s the
    standard deviation of a case's contribution to the metric. The sum is smallest for n proportional to N s (Neyman
    1934). Existing labels are kept. The standard deviations are estimated from these, so plan again after some labels.

    References
    ----------
    Neyman (1934), Journal of the Royal Statistical Society 97.

    Examples
    --------
    >>> import howsure as hs
    >>> judge = ["pass"] * 800 + ["fail"] * 200
    >>> human = ["pass"] * 57 + ["fail"] * 3 + [None] * 740 + ["fail"] * 10 + ["pass"] * 5 + [None] * 185
    >>> print(label_plan(hs.judged(human, judge), width=0.08))
    verdict  cases  labelled  label next
    ────────────────────────────────────
    fail       200        15          54
    pass       800        60          77
    pass_rate: 95 % interval 0.133 wide now; 0.08 takes 131 more labels (fail 54, pass 77), or 154 from all cases.
    """
    level = checked_level(confidence_level)
    if not (isinstance(width, int | float) and 0 < width < math.inf):
        raise HowsureError(f"`width` is {width!r}. Give a positive number, such as 0.05.")
    design = getattr(table, "design", None)
    if not isinstance(table, Table) or not isinstance(design, TwoPhase):
        raise HowsureError("A label plan needs a table of judged cases: make one with `judged` or `judged_values`.")
    bound = resolve(metric, table)
    with np.errstate(all="ignore"):
        value = float(bound(table.counted))
    if not math.isfinite(value):
        raise HowsureError(f"`{bound.name}` is undefined on this table, so no label can narrow its interval.")
    parts = design.stratum_contributions(table.cells, bound.finite_gradient(table.counted).ravel())
    labelled = design.labelled.sum(1)
    spreads = _Spreads(parts.within * np.where(labelled > 0, labelled, 1.0), labelled, design.totals)
    twice = 2 * normal_quantile(level)
    wanted, now, least = (width / twice) ** 2 - float(parts.between), parts.within.sum(), spreads.left(design.totals)
    if wanted < least:
        reached = twice * math.sqrt(float(parts.between) + least)
        raise HowsureError(
            f"Human labels of all cases would make the interval {reached:.3g} wide, more than {width:g}. "
            "Judge more cases, or ask for a wider one."
        )
    most = int(np.floor(design.others.sum()))
    return LabelPlan(
        metric=bound.name,
        strata=design.names,
        cases=design.totals,
        labelled=labelled,
        labels=spreads.best(wanted),
        at_random=spreads.at_random(wanted, most),
        width=float(width),
        current_width=twice * math.sqrt(float(parts.between + now)),
        confidence_level=level,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Spreads:
    """Contributions of the strata to the variance, ``squares / labels``."""

    squares: Array
    labelled: Array
    cases: Array

    def left(self, labels: Array) -> float:
        """Return the variance for given numbers of labels in the strata; zero labels count as one."""
        return float((self.squares / np.maximum(labels, 1.0))[self.cases > 0].sum())

    def best(self, wanted: float) -> Array:
        """Return the smallest numbers of further labels by stratum with at most the wanted variance."""
        roots = np.sqrt(self.squares)

        def shared(multiplier: float) -> Array:
            return np.clip(multiplier * roots, self.labelled, self.cases)

        low, high = 0.0, float(safe_divide(self.cases, roots).max(initial=0.0))
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.left(shared(middle)) <= wanted else (middle, high)
        return np.asarray(np.ceil(shared(high) - self.labelled - 1e-6).astype(int))

    def at_random(self, wanted: float, most: int) -> int | None:
        """Return the number of further labels with that variance if drawn from all cases; None if there are too few."""
        others = self.cases - self.labelled
        low, high = 0, most
        while low < high:
            middle = (low + high) // 2
            enough = self.left(self.labelled + middle * safe_divide(others, others.sum())) <= wanted
            low, high = (low, middle) if enough else (middle + 1, high)
        return low if self.left(self.labelled + low * safe_divide(others, others.sum())) <= wanted else None

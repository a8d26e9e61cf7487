"""Sample size of a study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.arrays import Array, Seed
from howsure.errors import HowsureError, one_of, real_number, whole_number
from howsure.estimates.coercion import coerce_table
from howsure.estimates.estimate import positive_class
from howsure.methods.core.draws import child_seed, seed_sequence
from howsure.methods.core.interval_spec import Alternative, IntervalSpec
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.metrics.binding import requested, resolve
from howsure.metrics.contrast import EFFECTS
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.planning import splits, validation
from howsure.planning.clustered import (
    Clustering,
    checked_icc,
    independent,
    intracluster_correlation,
    refuse_clusters,
    with_runs,
)
from howsure.planning.goals import MOST, NORMAL, Goal, Shown, Spread, Support, Width
from howsure.planning.labelled import plan_of_labels
from howsure.planning.own_plan import or_own_plan
from howsure.planning.pilots import Asked, Pilot
from howsure.planning.result import Plan, PlanCurve, curve_of
from howsure.planning.search import Reached, corrected, corrected_cases, simulated, whole
from howsure.tables.protocols import incompatibility
from howsure.tables.table import Table, require_table

PILOTS = 200  # resampled pilots, for the sensitivity of a plan
POINTS = 41  # points of the curve
AROUND = 8.0  # range of the curve: from n / 8 to 8 n cases
UNTOLD = "No new studies can be drawn from counts of this design, so that the number is not checked by simulation"
USUAL_CHANCE, TINY = 0.8, 1e-12
SHORT = 1e-3  # smallest distance of a true value from the end of its range, relative to that of the null value
MOST_NUMBERS = 2**24  # values of one study: in larger ones the normal distribution is accurate
CALLS = (
    "Call `plan(table, metric, width=0.05)`, `plan(paired_table, metric, power=0.8)` or "
    "`plan(table_a, table_b, metric, power=0.8)`, with tables from `confusion`, `from_rates`, `paired` or `scores`. "
    "A proportion has the table `hs.proportions({'A': 85}, 100)['A']` and the metric 'mean'."
)


@or_own_plan
def plan(
    table: Table,
    *others: Table | Asked,
    width: float | None = None,
    power: float | None = None,
    support: int | Mapping[Any, int] | None = None,
    n: int | None = None,
    true_value: float | None = None,
    null: float | None = None,
    margin: float | tuple[float, float] | None = None,
    cluster_size: int | None = None,
    icc: float | None = None,
    a: str | None = None,
    b: str | None = None,
    method: MethodName | Method | None = None,
    contrast: str = "difference",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    random_state: Seed = 0,
) -> Plan:
    """Plan the number of cases of a study from a pilot or a stated population; or evaluate a given number of cases.

    Parameters
    ----------
    table, *others : Table, str or Metric
        A pilot, or a population stated with `from_rates` or `from_counts`, and the metric, as in `compare`. Use
        ``plan(table, metric)`` for one model, ``plan(paired_table, metric)`` for two on the same cases, and
        ``plan(table_a, table_b, metric)`` for two test sets, whose ratio of sizes stays fixed. A reader study plans
        another by its own method: ``plan(study, readers=8, power=0.8)``.
    width : float, optional
        Largest mean width of the interval.
    power : float, optional
        Probability that the study shows the claim given by ``null`` and ``margin``. If ``n`` is given, `plan` finds the
        smallest true value that is shown with this probability.
    support : int or mapping of labels to int, optional
        Required number of cases of each class, or of each named class, with the probability ``power`` (default 0.8).
    n : int, optional
        Number of cases to evaluate.
    true_value : float, optional
        True value of the metric or the contrast; by default the pilot's.
    null : float, optional
        Value that the interval should exclude; for a comparison, by default the value for equal models.
    margin : float or tuple of two float, optional
        Largest irrelevant distance from the null value. The study should show that the value does not differ by more
        (equivalence) or, with ``alternative`` "greater" or "less", that it is not worse by more (non-inferiority).
    cluster_size : int, optional
        Cases of each cluster, or runs of each task; by default the pilot's.
    icc : float, optional
        Correlation of two cases of one cluster, or two runs of one task; by default the pilot's.
    a, b : str, optional
        Names of two models, as for `compare`.
    method : str or Method, optional
        Method of the intervals, as for `estimate` and `compare`.
    contrast : {"difference", "ratio", "odds_ratio"}
        Contrast of two models.
    confidence_level : float
        Confidence level of the intervals, between 0 and 1.
    alternative : {"two-sided", "less", "greater"}
        Limits of the intervals: one or both.
    random_state : int, Generator, SeedSequence or None
        Seed of the simulated studies.

    Returns
    -------
    Plan
        Number of cases, simulated results, curve and best split; of a reader study, a `ReaderPlan`.

    Raises
    ------
    HowsureError
        If no goal is given, or an argument is not valid or not applicable to such a table. Also if the metric is
        undefined on the pilot or does not vary, or if the goal is unreachable.

    Notes
    -----
    The variance of the metric is V / n to first order, where V follows from its gradient and the table's design. A
    width w therefore requires ``V (2 z / w)**2`` cases. A power requires ``(z_α sqrt(V0) + z_β sqrt(V))**2 / (value -
    null)**2`` cases, where V0 is the variance under the null value. Studies of that size are then drawn from the pilot
    with its design and evaluated by the method itself. The number is adjusted until these studies reach the goal.
    Another true value is represented by the nearest table along the gradient. The uncertainty of the pilot is estimated
    from resampled pilots.

    References
    ----------
    Connor (1987), Biometrics 43, for paired shares; Obuchowski, McClish (1997), Statistics in Medicine 16, for areas;
    Neyman (1934), Journal of the Royal Statistical Society 97, for splits.

    Examples
    --------
    >>> import howsure as hs
    >>> pilot = hs.from_counts([[50, 3], [5, 42]])
    >>> hs.plan(pilot, "accuracy", width=0.1).asymptotic  # 4 · 1.96² · 0.92 · 0.08 / 0.1²
    113.09...
    """
    sides = IntervalSpec.checked(confidence_level, alternative)
    one_of("contrast", contrast, EFFECTS)
    tables, metric = _given(table, others)
    if all(each is None for each in (width, power, support, n)):
        raise HowsureError(validation.ASK)
    chance = None if power is None else validation.checked_power(power)
    if n is not None:
        n = whole_number("n", n, 2)
        if width is not None:
            raise HowsureError(
                "Give `width`, to learn how many cases it takes, or `n`, to learn how wide it is: not both."
            )
    if not tables[0].design.traits.is_counted and width is not None and power is support is n is None:
        found = plan_of_labels(tables[0], metric, width, sides)
        if found is not None:
            return found
    pilot = Pilot.of(tables, metric, effect=EFFECTS[contrast], names=(a, b), method=sides.form_of(named(method)))
    pilot = in_clusters(pilot, cluster_size, icc)
    told = round(pilot.cases)
    pilot = (pilot if support is not None else pilot.reduced()).varies()
    own = pilot if true_value is None else pilot.moved(real_number("true_value", true_value))
    regions = validation.regions_of(pilot, null, margin, sides)
    if chance is not None and not regions and support is None:
        raise HowsureError("`power` of one model needs the value that the interval is to exclude: `null=0.8`.")
    request = _Request(
        pilot=pilot,
        truth=own,
        cases=told,
        states_value=true_value is not None,
        sides=sides,
        regions=regions,
        least=None if support is None else validation.least_of_classes(support, pilot.tables[0]),
        seed=seed_sequence(random_state),
    )
    if n is not None and chance is not None and regions:
        if true_value is not None:
            raise HowsureError("Of `n`, `power` and `true_value` one is found from the others: give two.")
        return request.smallest_value(n, chance)
    if n is not None:
        return request.of_number(n)
    return request.of_goals(width, chance)


def _given(table: object, others: tuple[object, ...]) -> tuple[tuple[Table, ...], Spec | Metric]:
    """Return the tables and the metric from the arguments."""
    *against, metric = others or (None,)
    if len(against) > 1 or not isinstance(metric, str | Spec | Metric):
        raise HowsureError(CALLS)
    table = coerce_table(table, "plan")
    if hasattr(table, "overall"):
        raise HowsureError(
            "A plan is for one table at a time: give that of a group, `tables['a']`, or of all, `tables.overall`."
        )
    tables = tuple(require_table(Table, each, CALLS) for each in (table, *against))
    if len(tables) > 1 and (refusal := incompatibility(tables[0], tables[1])):
        raise HowsureError(refusal)
    if any(each.batch for each in tables):
        raise HowsureError(CALLS)
    return tables, requested(metric)


def in_clusters(pilot: Pilot, size: object, icc: object) -> Pilot:
    """Return the pilot with the given cluster size, or number of runs per task."""
    if size is None and icc is None:
        return pilot
    first = pilot.tables[0]
    if "trials" in first.data_kinds and not pilot.is_comparison:
        return replace(pilot, tables=(with_runs(first, size, icc),))
    for table in pilot.tables:
        refuse_clusters(table)
    pairs = [pilot.joint] if len(pilot.tables) == 1 else [(each, resolve(pilot.asked, each)) for each in pilot.tables]
    told = [intracluster_correlation(metric, table) for table, metric in pairs]
    if size is None or icc is None:
        missing, why = ("cluster_size", "their size") if size is None else ("icc", "the correlation of their cases")
        if not any(math.isfinite(each.design.degrees_of_freedom) for each in pilot.tables):
            raise HowsureError(f"The pilot has no clusters, which would determine {why}. State it too, `{missing}=`.")
    cases = whole_number("cluster_size", round(float(np.mean([mean for _, mean in told]))) if size is None else size)
    together = float(np.mean([own for own, _ in told])) if icc is None else checked_icc(icc)
    tables = tuple(independent(each) for each in pilot.tables)
    return replace(pilot, tables=tables, clustering=Clustering(cases, together))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Request:
    """Checked arguments of a plan: the pilot, the assumed population and the goals."""

    pilot: Pilot
    truth: Pilot
    cases: int
    states_value: bool
    sides: IntervalSpec
    regions: validation.Regions
    least: Array | None
    seed: np.random.SeedSequence

    @property
    def level(self) -> float:
        """The level of the two-sided intervals."""
        return self.sides.two_sided

    def of_goals(self, width: float | None, power: float | None) -> Plan:
        """Return the plan with the number of cases that reaches all goals."""
        goals: dict[str, Goal] = {}
        if width is not None:
            low, high = self.truth.joint[1].range
            goals["width"] = Width(validation.checked_width(width, self.sides, high - low), self.level)
        if power is not None and self.regions:
            validation.refuse_outside(self.truth, self.regions)
            goals["power"] = Shown(power, self.level, self.regions)
        if self.least is not None:
            goals["support"] = self._support(USUAL_CHANCE if power is None else power)
        told = {name: self._cases(goal) for name, goal in goals.items()}
        deciding = max(told, key=lambda name: told[name][1])
        asymptotic, n = told[deciding]
        return self._plan(deciding, goals[deciding], n, asymptotic, goals[deciding].target)

    def of_number(self, n: int) -> Plan:
        """Return the plan for a given number of cases."""
        if self.least is not None:
            return self._plan("support", self._support(USUAL_CHANCE), n, math.nan)
        if self.regions:
            return self._plan("power", Shown(USUAL_CHANCE, self.level, self.regions), n, math.nan)
        return self._plan("width", Width(1.0, self.level), n, math.nan)

    def smallest_value(self, n: int, power: float) -> Plan:
        """Return the smallest true value that this number of cases shows with a given probability."""
        goal = Shown(power, self.level, self.regions)
        low, high = self.regions[0]
        if math.isfinite(low) and math.isfinite(high):
            raise HowsureError(
                "With `n`, a smallest difference is of one that is to be shown: drop `margin`, or give no `n`."
            )
        sign = -1.0 if self.sides.alternative == "less" else 1.0
        edge = high if self.sides.alternative == "less" else low
        if self.sides.alternative == "two-sided" and self.pilot.value < edge:
            sign = -1.0
        value, truth = edge, self.pilot
        quantiles = NORMAL.inv_cdf((1 + self.level) / 2), NORMAL.inv_cdf(power)
        ends = [end + SHORT * (edge - end) if math.isfinite(end) else end for end in self.pilot.joint[1].range]

        def within(place: float) -> float:
            return min(max(place, ends[0]), ends[1])

        for _ in range(4):  # the variance changes with the value
            null = math.sqrt(truth.null_variance(edge) / n)
            value = within(edge + sign * (quantiles[0] * null + quantiles[1] * math.sqrt(truth.variance / n)))
            truth = self.pilot.moved(value)
        if self._draws(n):

            def reached(place: float, turn: int, part: int) -> Reached:
                studies = self.pilot.moved(place)
                return simulated(studies, [goal], self.level, n, child_seed(self.seed, turn), part)[0]

            error = math.sqrt(truth.variance / n)
            value = corrected(goal, value, sign / error, within, reached)
        found = replace(self, truth=self.pilot.moved(within(value)), states_value=True)
        plan = found._plan("power", goal, n, math.nan, power)  # noqa: SLF001 - method of the same class
        if plan.power < power and within(value) != value:
            raise HowsureError(
                f"{n:,} cases show no value of `{self.truth.name}` with a power of {power:g}: at {within(value):.4g} "
                f"it is {plan.power:.3g}. Give a larger `n`, or another `null`."
            )
        return plan

    def _support(self, chance: float) -> Support:
        table = self.truth.tables[0]
        assert self.least is not None  # noqa: S101 - set for this goal
        return Support(chance, table.class_totals / table.class_totals.sum(), self.least)

    def _spread(self, truth: Pilot) -> Spread:
        """Return the first-order summary; the null has its own variance if both limits belong to it."""
        ends = {end for region in self.regions for end in region if math.isfinite(end)}
        null = truth.null_variance(ends.pop()) if len(ends) == 1 else truth.variance
        return Spread(truth.value, truth.variance, null)

    def _draws(self, n: float) -> bool:
        return self.truth.draws_studies and self.truth.numbers(n) <= MOST_NUMBERS

    def _cases(self, goal: Goal) -> tuple[float, float]:
        """Return the number of cases from the normal approximation, and from simulation."""
        spread = self._spread(self.truth)
        start = goal.cases(spread)
        if not start < MOST:
            raise HowsureError(
                f"`{self.truth.name}` takes more than {MOST:.0e} cases for this, were the truth like the pilot. "
                "Ask for a wider interval, or a difference farther from the null value."
            )
        known = goal.is_exact and self.truth.clustering is None and self.truth.tables[0].design.traits.is_independent
        if known or not self._draws(start):
            return start, whole(self.truth, start)
        found = corrected_cases(
            self.truth, goal, self.level, start, lambda n: goal.expected(spread, n), child_seed(self.seed, 0)
        )
        return start, found

    def _plan(self, name: str, goal: Goal, n: float, asymptotic: float, target: float | None = None) -> Plan:
        truth, spread = self.truth, self._spread(self.truth)
        measures: dict[str, Goal] = {"width": Width(1.0, self.level)}
        if self.regions:
            measures["power"] = Shown(USUAL_CHANCE, self.level, self.regions)
        if self.least is not None:
            measures["support"] = self._support(USUAL_CHANCE)
        if draws := self._draws(n):
            found = simulated(truth, [*measures.values()], self.level, n, child_seed(self.seed, 1))
        else:
            found = [Reached(each.expected(spread, n), 0.0, 0) for each in measures.values()]
        reached = dict(zip(measures, found, strict=True))
        low, high, curve = self._uncertainty(goal, n, reached[name])
        shares, weighed = self._splits(name, n)
        table, metric = truth.joint
        return Plan(
            metric=truth.name,
            goal=name,
            target=reached[name].mean if target is None else target,
            n=round(n),
            asymptotic=asymptotic,
            low=math.nan if math.isnan(asymptotic) else low,
            high=math.nan if math.isnan(asymptotic) else high,
            units=round(n / truth.unit),
            **{each: reached[each].mean if each in reached else math.nan for each in ("width", "power", "support")},
            true_value=truth.value,
            regions=self.regions,
            confidence_level=self.sides.level,
            alternative=self.sides.alternative,
            method=truth.chosen.name,
            studies=reached[name].studies,
            pilot=self.cases,
            curve=curve,
            splits=shares,
            cluster_sizes=splits.of_clusters(truth, n),
            note=". ".join(filter(None, (truth.note, truth.beyond(n), "" if draws else UNTOLD))),
            split_note=weighed,
            positive=positive_class(metric, table),
        )

    def _splits(self, name: str, n: float) -> tuple[tuple[splits.Share, ...], str]:
        """Return the best split of the cases and its caveat; nothing if the goal does not depend on the variance."""
        if name == "support" or self.truth.clustering is not None:
            return (), ""
        if len(self.truth.tables) > 1:
            return splits.of_test_sets(self.truth, n), ""
        table, metric = self.truth.joint
        return splits.of_classes(metric, table, n)

    def _uncertainty(self, goal: Goal, n: float, reached: Reached) -> tuple[float, float, PlanCurve]:
        """Return the interval of n over resampled pilots, which contains n, and the curve with their band.

        The upper limit is infinite if the interval of the true value over these pilots contains one that no study can
        show.
        """
        spread = self._spread(self.truth)
        start = goal.cases(spread)
        shift = goal.scaled(goal.steadied(reached.mean, max(reached.studies, 1))) if reached.studies else math.nan
        shift = shift - goal.scaled(goal.expected(spread, n)) if math.isfinite(shift) else 0.0
        along = np.exp(np.linspace(math.log(max(n / AROUND, 2.0)), math.log(AROUND * n), POINTS))

        def curve(one: Goal, own: Spread) -> list[float]:
            return [one.unscaled(one.scaled(max(one.expected(own, each), TINY)) + shift) for each in along]

        own = np.array(curve(goal, spread))
        others = self._others(goal, spread)
        if not others:
            return math.nan, math.nan, curve_of(along, own, None, self.level)
        factor = n / start if math.isfinite(start) else 1.0
        numbers = np.array([min(one.cases(each) * factor, MOST) for one, each in others])
        ends = [(1 - self.level) / 2, (1 + self.level) / 2]
        low, high = (float(end) for end in np.quantile(numbers, ends))
        if high >= MOST or goal.is_unreachable(*np.quantile([each.value for _, each in others], ends).tolist()):
            high = math.inf
        band = np.array([curve(one, each) for one, each in others])
        return min(low, n), max(high, n), curve_of(along, own, band, self.level)

    def _others(self, goal: Goal, spread: Spread) -> list[tuple[Goal, Spread]]:
        """Return the results for other pilots from the same population."""
        rng = np.random.Generator(np.random.PCG64(child_seed(self.seed, 2)))
        told = self.pilot.told(PILOTS, rng) if self.pilot.numbers(self.pilot.cases) <= MOST_NUMBERS // PILOTS else None
        if told is None:
            return []
        joint, values, variances = told
        if self.states_value and not self.pilot.is_comparison and self.pilot.joint[1].proportion is not None:
            with np.errstate(all="ignore"):  # a proportion with a stated value has a known variance
                variances = variances * self.pilot.value * (1 - self.pilot.value) / (values * (1 - values))
        scale, null = spread.variance / self.pilot.variance, spread.null_variance / spread.variance
        known = np.isfinite(values) & np.isfinite(variances)
        shares = joint.class_totals / joint.class_totals.sum(-1, keepdims=True) if self.least is not None else values
        return [
            (
                replace(goal, shares=shares[place]) if isinstance(goal, Support) else goal,
                Spread(
                    spread.value if self.states_value else float(values[place]),
                    scale * float(variances[place]),
                    scale * null * float(variances[place]),
                ),
            )
            for place in np.flatnonzero(known & (variances > 0))
        ]

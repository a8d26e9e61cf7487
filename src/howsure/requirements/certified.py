"""`certified_threshold`: thresholds that meet requirements with stated confidence (learn then test)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from howsure.arrays import Array, Seed
from howsure.curves.along import confusion_along, on_counts
from howsure.curves.curves import score_table
from howsure.errors import INVALID_ARGUMENT, HowsureError, checked_level, of_per_cent, one_of, real_numbers
from howsure.estimates.batched_intervals import method_and_table
from howsure.estimates.grouped import apply_by_group
from howsure.estimates.reasons import without_variation
from howsure.methods.core.draws import seed_sequence
from howsure.methods.core.interval_spec import IntervalSpec
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.methods.numerics.confidence_levels import Level
from howsure.metrics.binding import resolve
from howsure.metrics.forms import Proportion, Ratio
from howsure.metrics.metric import Metric
from howsure.requirements.certificate import CertifiedThreshold
from howsure.requirements.requirement import Asked, Requirement, listed_requirements
from howsure.requirements.risk_tests import binomial_p_values, bounded_mean_p_values, exact_binomial, has_counts
from howsure.tables.scores import ScoresTable

Choice = Literal["largest", "smallest"]
CHOICES = ("largest", "smallest")
STARTS = tuple(place / 10 for place in range(1, 10))  # for scores from 0 to 1
MOST = 200  # thresholds that are tested by interval methods, one by one
EXACT, BOUNDED = "exact_binomial", "hoeffding_bentkus"


@apply_by_group
def certified_threshold(
    table: ScoresTable,
    requirements: Asked | Sequence[Asked],
    *,
    choose: Choice | None = None,
    starts: Sequence[float] | None = None,
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Seed = None,
) -> CertifiedThreshold:
    r"""Return the largest, or smallest, threshold at which requirements are met with stated confidence.

    The threshold is chosen on the data, and the guarantee accounts for the choice: in repeated studies, the population
    value of each metric meets its requirement at the returned threshold with at least the stated probability. A study
    without a certified threshold makes no false statement.

    Parameters
    ----------
    table : ScoresTable or Tables
        Table made by `scores`, also by group.
    requirements : str, tuple or sequence of them
        Requirements on metrics of counts, such as ``"recall>0.9"``, ``"fpr<0.1"`` or ``"f1>0.8"``; or tuples
        ``(metric, ">", 0.9)``. All must be met at the threshold.
    choose : {"largest", "smallest"}, optional
        Which certified threshold to return. By default the smallest if all requirements are easier to meet at higher
        thresholds, such as bounds of the false positive rate and of precision; otherwise the largest.
    starts : sequence of float, optional
        Thresholds at which the sequences of tests start, for metrics such as precision or F1 that neither rise nor fall
        steadily along the thresholds. They must be chosen without these data, and fewer starts make stricter bounds
        possible. By default 0.1, 0.2, …, 0.9, for scores from 0 to 1.
    method : str or Method, optional
        Interval method whose tests are used. By default the exact binomial test for proportions, the Hoeffding–Bentkus
        bound for other ratios of counts of independent cases, and otherwise the default interval method of the metric.
    confidence_level : float
        Confidence 1 − δ of the guarantee, between 0 and 1.
    random_state : int, Generator, SeedSequence or None
        Seed of methods that draw.

    Returns
    -------
    CertifiedThreshold
        For `Tables`, a `Grouped` of such results.

    Raises
    ------
    HowsureError
        If the table has no scores or no labels, or an argument is not valid.

    Notes
    -----
    Learn then test: each threshold has the null hypothesis that some requirement is not met, with the largest of the
    p-values of the requirements. Thresholds are tested in a sequence that is fixed in advance, and the sequence stops
    at the first that is not significant (fixed-sequence testing).

    *Monotone metrics*, such as recall and the false positive rate, have one sequence each, from the end where the
    requirement is easy. With R requirements each has level δ/R. *Other metrics* have a sequence from each of m starts,
    at level δ/m, upwards for the largest and downwards for the smallest threshold. The sequences contain all
    thresholds, not only the observed scores, so no error can hide between them.

    For independent cases without weights the p-values hold in finite samples: exact binomial for proportions and
    functions of one, such as recall, precision, accuracy and F1 (given the number of trials, as TP + FP + FN for F1),
    and Hoeffding–Bentkus for other ratios of counts. Weighted, clustered, stratified or crossed data are tested at up
    to 200 thresholds, by exact binomial tests with effective sample sizes for proportions and by the interval methods
    for other metrics, and the guarantee holds in large samples. In 2,000 simulated studies of each of
    20 to 100 clusters of five cases, the test of level 10 % showed a false statement about a rate in at most 10.2 %
    (standard error 0.7 %).

    References
    ----------
    Angelopoulos, Bates, Candès, Jordan, Lei (2025), Annals of Applied Statistics 19(2), learn then test; Bates et al.
    (2021), Journal of the ACM 68(6):43.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> y_true = np.repeat([0, 1], 300)
    >>> scores = hs.scores(y_true, np.random.default_rng(0).normal(2.0 * y_true))
    >>> print(hs.certified_threshold(scores, ["recall>0.85", "fpr<0.3"]))
    requirements                 largest   certified range         value               p
    ────────────────────────────────────────────────────────────────────────────────────
    recall > 0.85 and fpr < 0.3   0.8629  [0.6942, 0.8629]  0.893, 0.190  0.018, < 0.001
    95 % confidence, for any number of cases; exact_binomial
    """
    own, level, seed = score_table(table), checked_level(confidence_level), seed_sequence(random_state)
    if not own.design.traits.has_labels:
        raise HowsureError("`certified_threshold` needs labels, and these scores have none. Label some cases.")
    if choose is not None:
        one_of("choose", choose, CHOICES)
    asked, chosen = listed_requirements(requirements), named(method)
    metrics = [on_counts(each.metric, own) for each in asked]
    pairs = list(zip(metrics, asked, strict=True))
    for metric, each in pairs:
        each.check(metric)
    easier_above, mostly = (
        [None if (up := rule(metric.proportion)) is None else up == each.is_above for metric, each in pairs]
        for rule in (_is_rising, _mostly_rises)
    )
    direction = choose or ("smallest" if all(mostly) else "largest")
    begun = _starts(starts, own) if None in easier_above else ()
    if starts is not None and not begun:
        raise HowsureError(
            "`starts` is for metrics that may rise and fall along the thresholds, and these do not: drop it."
        )
    path = _Path.of(own, asked, metrics, chosen, seed, begun)
    tested = (1 - level) / len(begun or asked)
    low, high = _from_starts(path, begun, tested, direction) if begun else _from_ends(path, easier_above, tested)
    return path.certificate(
        low,
        high,
        direction,
        begun,
        requirements=tuple(each.text(metric.label) for metric, each in pairs),
        confidence_level=level,
        test_level=tested,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Path:
    """The thresholds, ascending, with the confusion table and the tests of the requirements at each."""

    table: ScoresTable
    metrics: Sequence[Metric]
    thresholds: Array
    cells: Array
    tests: Sequence[_Finite | _ByInterval]
    methods: tuple[str, ...]

    @classmethod
    def of(
        cls,
        table: ScoresTable,
        asked: Sequence[Requirement],
        metrics: Sequence[Metric],
        method: Method | None,
        seed: Seed,
        starts: Sequence[float],
    ) -> _Path:
        """Return the path; with interval methods that of fewer thresholds, which include the starts."""
        thresholds, cells = (each[::-1] for each in confusion_along(table))
        kinds = [_kind(table, metric) if method is None else "" for metric in metrics]
        if not all(kinds) and len(thresholds) > MOST:
            even = np.linspace(0, len(thresholds) - 1, MOST).round().astype(np.intp)
            kept = np.union1d(even, np.searchsorted(thresholds, starts))
            thresholds, cells = thresholds[kept], cells[kept]
        tests: list[_Finite | _ByInterval] = []
        names = []
        for each, metric, kind in zip(asked, metrics, kinds, strict=True):
            if kind:
                tests.append(_Finite(_finite(metric, each, cells)))
                names.append(kind)
            else:
                test = _ByInterval(table, thresholds, each, method, seed)
                tests.append(test)
                names.append(test.name)
        return cls(table, metrics, thresholds, cells, tests, tuple(names))

    def last(self, start: int, step: int, level: float, some: Sequence[int]) -> int | None:
        """Return the last position, from a start on, up to which some requirements are all shown."""
        positions = np.arange(start, len(self.thresholds) if step > 0 else -1, step)
        by_interval = any(self.methods[place] not in {EXACT, BOUNDED} for place in some)
        found = None
        for block in np.array_split(positions, len(positions)) if by_interval else [positions]:
            shown = np.all([self.tests[place].shown(block, level) for place in some], axis=0)
            failed = np.flatnonzero(~shown)
            certified = block[: failed[0]] if len(failed) else block
            found = int(certified[-1]) if len(certified) else found
            if len(failed):
                break
        return found

    def certificate(
        self, low: float, high: float, choose: str, begun: tuple[float, ...], **facts: Any
    ) -> CertifiedThreshold:
        """Return the result, with values and p-values at the chosen threshold."""
        is_certified = low <= high
        threshold = (high if choose == "largest" else low) if is_certified else np.nan
        values = p_values = (np.nan,) * len(self.metrics)
        if is_certified:
            place = np.searchsorted(self.thresholds, [threshold])
            with np.errstate(all="ignore"):
                values = tuple(float(metric(self.cells[place[0]])) for metric in self.metrics)
            p_values = tuple(test.p_value(int(place[0])) for test in self.tests)
        return CertifiedThreshold(
            threshold=float(threshold),
            choose=choose,
            values=values,
            p_values=p_values,
            low=float(low) if is_certified else np.nan,
            high=float(high) if is_certified else np.nan,
            method=", ".join(self.methods if len(set(self.methods)) > 1 else self.methods[:1]),
            is_finite_sample=set(self.methods) <= {EXACT, BOUNDED},
            starts=begun,
            positive=self.table.positive,
            reason="" if is_certified else without_variation(self.table) or "the tests do not show it at any threshold",
            **facts,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Finite:
    """The tests of one requirement at all thresholds, computed at once."""

    p_values: Array

    def shown(self, positions: Array, level: float) -> Array:
        """Return whether the requirement is shown at each position."""
        return np.asarray(self.p_values[positions] <= level)

    def p_value(self, position: int) -> float:
        """Return the p-value at a position."""
        return float(self.p_values[position])


class _ByInterval:
    """The test of one requirement at each threshold that inverts the interval of the metric."""

    def __init__(
        self, table: ScoresTable, thresholds: Array, requirement: Requirement, method: Method | None, seed: Seed
    ) -> None:
        self.table, self.thresholds, self.requirement, self.seed = table, thresholds, requirement, seed
        self.sides = IntervalSpec(0.95, "greater" if requirement.is_above else "less")
        if method is None:
            at = table.at(float(thresholds[len(thresholds) // 2]))
            method = exact_binomial(resolve(requirement.metric, at), at)
        self.method = self.sides.form_of(method)
        self.name = self._at(len(thresholds) // 2)[0].name

    def shown(self, positions: Array, level: float) -> Array:
        """Return whether the one-sided limit at each position is beyond the bound, which needs one level of each."""
        return np.array([self._is_shown(int(each), level) for each in positions])

    def _is_shown(self, position: int, level: float) -> bool:
        method, metric, table = self._at(position)
        found = method.at_levels(metric, table, self.seed)(Level(2 * level)).to_scalars()
        bound = self.requirement.bound
        return bool(found.low >= bound if self.requirement.is_above else found.high <= bound)  # not where they are nan

    def p_value(self, position: int) -> float:
        """Return the p-value at a position."""
        method, metric, table = self._at(position)
        value = float(np.asarray(metric.value_at(table.counted)))
        two_sided = method.p_value(metric, table, self.requirement.bound, rng=self.seed)
        return self.sides.p_value(two_sided, value, self.requirement.bound)

    def _at(self, position: int) -> tuple[Method, Metric, Any]:
        table = self.table.at(float(self.thresholds[position]))
        return method_and_table(resolve(self.requirement.metric, table), table, self.method)


def _kind(table: ScoresTable, metric: Metric) -> str:
    """Return the name of the test that is valid in finite samples; empty if there is none."""
    if metric.ratio is None or not has_counts(table):
        return ""
    return BOUNDED if metric.proportion is None else EXACT


def _finite(metric: Metric, requirement: Requirement, cells: Array) -> Array:
    """Return the p-values of a metric for which `_kind` has a name."""
    if metric.proportion is not None:
        return binomial_p_values(metric.proportion, requirement, cells)
    return bounded_mean_p_values(cast("Ratio", metric.ratio), requirement, cells)


def _is_rising(share: Proportion | None) -> bool | None:
    """Return whether a metric rises with the threshold in all samples, or falls; None if it may do both."""
    if share is None:
        return None
    hits, trials = (np.asarray(each, dtype=bool).reshape(2, 2) for each in (share.successes, share.trials))
    if (trials.any(1) != trials.all(1)).any():
        return None
    of_rows = {tuple(row) for row in hits[trials.all(1)].tolist()}  # negative and positive predictions
    return {(True, False): True, (False, True): False}.get(of_rows.pop()) if len(of_rows) == 1 else None


def _mostly_rises(share: Proportion | None) -> bool | None:
    """Return whether a metric rises with the threshold as a rule, as precision does; None if it has no such rule."""
    rising = _is_rising(share)
    if rising is not None or share is None:
        return rising
    hits, trials = (np.asarray(each, dtype=bool).reshape(2, 2) for each in (share.successes, share.trials))
    return bool(hits[1].any()) if (trials.any(0) == trials.all(0)).all() and trials.any(0).sum() == 1 else None


def _starts(given: Sequence[float] | None, table: ScoresTable) -> tuple[float, ...]:
    """Return the starts of the sequences; by default for scores from 0 to 1."""
    low, high = table.ends
    if given is None:
        if not 0 <= low <= high <= 1:
            raise HowsureError(
                f"The scores run from {low:g} to {high:g}, and a metric may rise and fall along them. Give `starts`, "
                "thresholds that were chosen without these data."
            )
        return STARTS
    found = np.unique(real_numbers("starts", given))
    if not found.size or np.isnan(found).any():
        raise HowsureError(f"`starts` is a list of thresholds, not {given!r}.")
    bounds = (0.0, 1.0) if 0 <= low <= high <= 1 else (low, high)
    outside = found[(found < bounds[0]) | (found > bounds[1])]
    if outside.size and (bounds == (0.0, 1.0) or outside.size == found.size):
        hint = of_per_cent(outside[0]) if bounds == (0.0, 1.0) else ""
        raise HowsureError(
            f"`starts` has {outside[0]:g}, and all scores lie from {bounds[0]:g} to {bounds[1]:g}."
            f"{hint or ' Give thresholds there.'}",
            INVALID_ARGUMENT,
        )
    return tuple(found.tolist())


def _from_ends(path: _Path, easier_above: Sequence[bool | None], level: float) -> tuple[float, float]:
    """Return the range of thresholds that monotone requirements allow, each by a sequence from its easy end."""
    low, high, top = -np.inf, np.inf, len(path.thresholds) - 1
    for place, above in enumerate(easier_above):
        last = path.last(top if above else 0, -1 if above else 1, level, [place])
        if last is None:
            return np.inf, -np.inf
        if above:
            low = max(low, path.thresholds[last])
        else:
            high = min(high, path.thresholds[last])
    return float(low), float(high)


def _from_starts(path: _Path, starts: Sequence[float], level: float, choose: str) -> tuple[float, float]:
    """Return the range of the sequence that reaches the largest, or smallest, threshold."""
    every, found = range(len(path.metrics)), [(np.inf, -np.inf)]
    for start in starts:
        first = int(np.searchsorted(path.thresholds, start))
        last = path.last(first, 1 if choose == "largest" else -1, level, every)
        if last is not None:
            reached = float(path.thresholds[last])
            found.append((start, reached) if choose == "largest" else (min(reached, start), start))
    certified = [each for each in found if each[0] <= each[1]]
    if not certified:
        return np.inf, -np.inf
    return max(certified, key=lambda each: each[1]) if choose == "largest" else min(certified)

"""Comparison of two models: on the same cases, on different ones, or of one model with chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack, cast, overload

import numpy as np

from howsure.arrays import Array, Seed
from howsure.comparison.limits import ContrastLimits
from howsure.comparison.result import Comparison
from howsure.comparison.rope import UNKNOWN, Region, Rope, odds_ratio, region_of, region_shares, share_within
from howsure.errors import HowsureError, listed, one_of, refuse_results
from howsure.estimates.estimate import Estimate, Quantity, estimate_of
from howsure.estimates.estimation import estimate
from howsure.estimates.grouped import Grouped, apply_by_group
from howsure.methods.areas.delong import DeLong
from howsure.methods.composed.anytime import Anytime
from howsure.methods.core.draws import child_seed, seed_sequence
from howsure.methods.core.interval import Interval
from howsure.methods.core.interval_spec import Alternative, IntervalSpec
from howsure.methods.core.lookup import named
from howsure.methods.core.method import DrawingMethod, Method
from howsure.methods.core.names import MethodName
from howsure.methods.default import checked
from howsure.methods.drawn.dirichlet import Dirichlet
from howsure.methods.variance.delta import Delta, Wald
from howsure.metrics.binding import of_counts, predictions_at, requested, resolve, resolve_each, threshold_for
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Contrast, Effect, Metric, Side
from howsure.metrics.spec import Spec
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.joint import paired_table
from howsure.tables.protocols import incompatibility
from howsure.tables.separate import SeparateTables
from howsure.tables.table import Table, require_table

Asked = str | Spec | Metric
STREAMS_OF_SIDES = 2**21  # index of the first child seed that is used for the sides
CALLS = (
    "Call `compare(paired_table, metric)` or `compare(table_a, table_b, metric)`, with tables from `paired`, "
    "`confusion`, `from_counts`, `scores` or `values`."
)
OF_ESTIMATES = (
    "An estimate has no cases: compare the tables that estimates are of. Two proportions: "
    "`t = hs.proportions({'A': 85, 'B': 80}, 100)`, then `hs.compare(t['A'], t['B'], 'mean')`."
)

OF_ONE_SIZE = "test sets of one size: if they are the same cases, compare one table of both, such as `paired`"


class _Keywords(TypedDict, total=False):
    """Keyword arguments that do not decide the type of the result."""

    a: str | None
    b: str | None
    method: MethodName | Method | None
    contrast: str
    confidence_level: float
    alternative: Alternative
    rope: Region | None
    threshold: float | None
    random_state: Seed


@overload
def compare(table: Tables[Any], *others: Tables[Any] | Asked, **keywords: Unpack[_Keywords]) -> Grouped[Comparison]: ...


@overload
def compare(table: Table, *others: Table | Asked, **keywords: Unpack[_Keywords]) -> Comparison: ...
def compare(
    table: Table | Tables[Any],
    *others: Table | Tables[Any] | Asked,
    a: str | None = None,
    b: str | None = None,
    method: MethodName | Method | None = None,
    contrast: str = "difference",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    rope: Region | None = None,
    threshold: float | None = None,
    random_state: Any = None,
) -> Comparison | Grouped[Comparison]:
    """Compare a metric of two models.

    Parameters
    ----------
    table, *others : Table or Tables, str or Metric
        ``compare(paired_table, metric)`` for models on the same cases; ``compare(table_a, table_b, metric)`` for
        different test sets; ``compare(table, "random", metric)`` for a model against one that predicts at random with
        the same prevalence, all distributions of its predictions being equally likely (by posterior draws). The metric
        is a spec string such as ``"f1@macro"``. `Tables` by group are compared overall and for each group; two of them
        are matched by the values of the groups.
    a, b : str, optional
        Names of the two models. For a paired table with more than two models, they select the models to compare. For
        two tables they set the names.
    method : str or Method, optional
        The default is Tango's score interval for a difference of proportions of the same cases, the
        empirical-likelihood score interval for means of values, DeLong's for areas under the ROC curve and MOVER for
        different test sets. In all other cases it is `Flow`, or the delta method for scores.
    contrast : {"difference", "ratio", "odds_ratio"}
        Contrast of the first model's metric with the second's.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    alternative : {"two-sided", "less", "greater"}
        Limits of the contrast: both, only the upper one, or only the lower one. The p-value is for the same side. The
        models' own intervals always have two limits.
    rope : float or tuple of two float, optional
        Region of practical equivalence: its limits, or the largest difference either way. For methods that draw.
    threshold : float, optional
        For a metric of counts on tables of scores: a case is predicted positive if its score is at least this.
    random_state : int, Generator or SeedSequence, optional
        Seed of the methods that draw; each group has a stream of its own.

    Returns
    -------
    Comparison
        For `Tables`, a `Grouped` of comparisons.

    Raises
    ------
    HowsureError
        If a name, the metric, the method or the level is not valid, or they are not compatible; if there are more than
        two models and none is named; if a group is missing on one side.

    Examples
    --------
    >>> import howsure as hs
    >>> first, second = hs.from_counts([[50, 3], [5, 42]]), hs.from_counts([[41, 13], [9, 38]])
    >>> print(hs.compare(first, second, "accuracy", a="new", b="old"))
    accuracy: new − old = 0.138 [0.039, 0.236], p = 0.007

    Groups are compared separately, after all of them together:

    >>> y_true, old, new = [1, 0, 1, 0] * 30, [1, 0, 0, 1] * 30, [1, 0, 1, 1] * 30
    >>> by_site = hs.paired(y_true, {"new": new, "old": old}, by=["x", "y"] * 60)
    >>> found = hs.compare(by_site, "accuracy")
    >>> found.overall.value, found["x"].value
    (0.25, 0.5)
    """
    one_of("contrast", contrast, EFFECTS)
    refuse_results(table, "compare")
    *against, metric = others or (None,)
    if isinstance(metric, list | tuple) and metric and all(isinstance(each, str | Spec | Metric) for each in metric):
        raise HowsureError(
            f"`compare` takes one metric, not {len(metric)}. Call it for each, such as {metric[0]!r}, or `compare_all`."
        )
    if len(against) > 1 or not isinstance(metric, str | Spec | Metric):
        raise HowsureError(OF_ESTIMATES if isinstance(metric, Estimate) else CALLS)
    asked = requested(metric)
    if hasattr(getattr(table, "overall", table), "at"):
        threshold = threshold_for(asked, threshold)
    if threshold is not None:
        table = _at(table, threshold, asked)
        against = [each if isinstance(each, str) else _at(each, threshold, asked) for each in against]
    request = _Request(
        metric=asked,
        effect=EFFECTS[contrast],
        names=(a, b),
        method=named(method),
        sides=IntervalSpec.checked(confidence_level, alternative),
        rope=rope,
    )
    if not against:
        _refuse_groups(table)
        return apply_by_group(request.of_models)(table, random_state=random_state)
    if isinstance(against[0], str) and against[0] == "random":
        return apply_by_group(request.against_random)(table, random_state=random_state)
    return apply_by_group(request.of_test_sets)(_side_by_side(table, against[0]), random_state=random_state)


def _at(table: Any, threshold: float, metric: Spec | Metric) -> Any:
    """Return the table, or the tables of groups, of the predictions at a threshold."""
    if not of_counts(metric):
        raise HowsureError(f"`threshold` is for metrics of counts, and `{metric.label}` uses all scores: drop it.")
    if hasattr(table, "overall"):
        tables = [_at(each, threshold, metric) for each in table.values()]
        return Tables(list(table), tables, _at(table.overall, threshold, metric), table.columns)
    if not hasattr(table, "at"):
        raise HowsureError("`threshold` is for tables of scores, from `paired_scores` or `scores`: drop it.")
    return predictions_at(table, threshold, metric)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Request:
    """A contrast, its method and settings, which can be applied to several tables."""

    metric: Spec | Metric
    effect: Effect
    names: tuple[str | None, str | None]
    method: Method | None
    sides: IntervalSpec
    rope: Region | None

    def of_models(self, table: Table, *, random_state: Seed) -> Comparison:
        """Compare two models on the same cases."""
        models = paired_table(table, "compare")
        names = models.chosen(*self.names)
        joint = models.pair(*names)
        tables = [joint.model(name) for name in names]
        sides = map(Side, names, resolve_each(self.metric, tables), map(joint.view, names))
        return self._of(joint, list(sides), tables, random_state)

    def of_test_sets(self, joint: SeparateTables, *, random_state: Seed) -> Comparison:
        """Compare two models on different cases."""
        names = (self.names[0] or "first", self.names[1] or "second")
        sides = map(Side, names, resolve_each(self.metric, joint.tables), joint.views)
        found = self._of(joint, list(sides), joint.tables, random_state)
        return replace(found, reason="; ".join(filter(None, (found.reason, OF_ONE_SIZE * joint.are_of_one_size))))

    def _of(self, joint: Table, sides: list[Side], tables: Sequence[Table], random_state: Seed) -> Comparison:
        metric, own = contrast_metric(self.effect, *sides), dict(zip(sides, tables, strict=True))

        def alone(side: Side, _joint: Table, method: Method | None, level: float) -> Estimate:
            return estimate(own[side], side.metric, method=method, confidence_level=level)

        return compared(joint, metric, self.method, self.sides, random_state, self.rope, alone)

    def against_random(self, table: Table, *, random_state: Seed) -> Comparison:
        """Compare a model with one that predicts at random, from independent posterior draws of either."""
        chosen, level = self.sides.form_of(self.method or Dirichlet()), self.sides.level
        if not isinstance(chosen, Dirichlet) or not isinstance(table, ConfusionTable):
            raise HowsureError(
                "The comparison with a random classifier is for one confusion table, with method='bayes'."
            )
        metric, seed = resolve(self.metric, table), seed_sequence(random_state)
        self.effect.check(metric)
        first, second = (
            each.draws([metric], table, child_seed(seed, STREAMS_OF_SIDES + index))[0]
            for index, each in enumerate((replace(chosen, source="posterior"), replace(chosen, source="random")))
        )
        with np.errstate(all="ignore"):
            draws = np.asarray(self.effect.value(first, second))
        quantiles = chosen.of_draws_alone()
        own, chance = (
            estimate_of(
                metric, Quantity.of(metric), value, quantiles.interval_of(drawn, metric, table, level), level, chosen
            )
            for value, drawn in ((float(metric(table.counts)), first), (float(np.nanmean(second)), second))
        )
        contrast = replace(metric, range=self.effect.bounds(*metric.range))
        found = self.sides.cut(quantiles.interval_of(draws, metric, table, self.sides.two_sided), contrast)
        region = region_of(self.rope, self.effect.null)
        return Comparison(
            metric=metric.name,
            contrast=self.effect.name,
            a=own,
            b=chance,
            names=(self.names[0] or "model", self.names[1] or "random"),
            value=float(self.effect.value(np.asarray(own.value), np.asarray(chance.value))),
            low=float(found.low),
            high=float(found.high),
            p_value=math.nan,
            standard_error=found.standard_error,
            confidence_level=level,
            method=chosen.name,
            better=metric.better,
            draws=draws,
            rope=None if region is None else region_shares(region, draws),
            reason=found.reason,
        )


def _side_by_side(first: Any, second: Any) -> SeparateTables | Tables[SeparateTables]:
    """Return two test sets as one table, or group by group."""
    if not all(isinstance(each, Tables) for each in (first, second)):
        return _joined(first, second)
    if alone := [*(key for key in first if key not in second), *(key for key in second if key not in first)]:
        raise HowsureError(f"Groups on one side only: {listed(alone)}. Both need the same groups to be compared.")
    joined = [_joined(table, second[key]) for key, table in first.items()]
    return Tables(first, joined, _joined(first.overall, second.overall), first.columns)


def _refuse_groups(table: Any) -> None:
    """Raise an error for tables by group with one model each: two of them are compared by name."""
    if hasattr(table, "overall") and len(table) > 1 and not hasattr(table.overall, "pair"):
        first, second, *_ = table
        raise HowsureError(
            f"The groups have one model each. Compare two of them, `compare(tables[{first!r}], tables[{second!r}], "
            "metric)`, or all, `compare_all(tables, metric)`."
        )


def _joined(first: object, second: object) -> SeparateTables:
    otherwise = OF_ESTIMATES if isinstance(first, Estimate) or isinstance(second, Estimate) else CALLS
    tables = (require_table(Table, first, otherwise), require_table(Table, second, otherwise))
    if refusal := incompatibility(tables[0], tables[1]):
        raise HowsureError(refusal)
    return SeparateTables.of(tables)


OfOneModel = Callable[[Side, Table, Method | None, float], Estimate]


def of_one_model(side: Side, joint: Table, method: Method | None, level: float) -> Estimate:
    """Return the estimate of one of the two models by itself."""
    return estimate(side.view.table(joint), side.metric, method=method, confidence_level=level)


def compared(
    joint: Table,
    metric: Metric,
    method: Method | None,
    sides: IntervalSpec,
    random_state: Seed = None,
    rope: Any = None,
    alone: OfOneModel = of_one_model,
) -> Comparison:
    """Return the comparison for a contrast on a joint table."""
    contrast = cast("Contrast", metric.contrast)  # made by `contrast_metric`
    region = region_of(rope, contrast.effect.null)
    seed = seed_sequence(random_state)
    value = float(metric(joint.counted))
    chosen = chosen_method(method, metric, joint, sides)
    level = sides.level
    pair = (contrast.first, contrast.second)
    if isinstance(chosen, DrawingMethod):
        wanted = [metric, *(side.as_metric() for side in pair)]
        first, *singles = chosen.intervals(wanted, joint, level, seed)
        if sides.two_sided != level:
            first = chosen.interval(metric, joint, sides.two_sided, seed)
        counts = joint.counted
        a, b = (
            estimate_of(side.metric, Quantity.of(side.metric), float(side.value(counts)), each, level, chosen)
            for side, each in zip(pair, singles, strict=True)
        )
        test = chosen.p_value(metric, joint, contrast.effect.null, draws=first.draws, rng=seed)
    else:
        first, test = chosen.intervals_and_p_values(metric, joint, sides.two_sided, contrast.effect.null)
        a, b = (alone(side, joint, own_method(method), level) for side in pair)
    interval = sides.cut(first, metric)
    limits = ContrastLimits(method=chosen, contrast=contrast, joint=lambda: joint, draws=interval.draws, seed=seed)
    reason = interval.reason
    if math.isnan(value):
        undefined = [
            (side.name, each) for side, each in zip(pair, (a, b), strict=True) if not math.isfinite(each.value)
        ]
        reason = "; ".join(f"{name}: {each.reason or 'the metric is undefined'}" for name, each in undefined)
        reason = reason or "undefined: the second model's value is at the end of its range"
    found = comparison_of(limits, (a, b), value, replace(interval, reason=reason), float(test), sides)
    if region is None:
        return found
    return replace(found, rope=_rope(region, interval.draws, chosen, metric, joint, seed))


def chosen_method(method: Method | None, metric: Metric, joint: Table, sides: IntervalSpec) -> Method:
    """Return the method of a comparison, the given one or the default; one-sided if one side is requested."""
    found = checked(method, metric, joint)
    return found if sides.alternative == "two-sided" else checked(found.one_sided(), metric, joint)


def own_method(method: Method | None) -> Method | None:
    """Return the method for each model's own estimate: the requested one, or None if it is only for pairs."""
    return method if isinstance(method, Delta | Wald | DeLong | Anytime) else None


def comparison_of(
    limits: ContrastLimits,
    models: tuple[Estimate, Estimate],
    value: float,
    interval: Interval,
    two_sided: float,
    sides: IntervalSpec,
) -> Comparison:
    """Return the comparison from the two models' estimates, the interval of the contrast and its two-sided p-value."""
    contrast = limits.contrast
    return Comparison(
        metric=contrast.first.metric.name,
        contrast=contrast.effect.name,
        a=models[0],
        b=models[1],
        names=(contrast.first.name, contrast.second.name),
        value=value,
        low=float(interval.low),
        high=float(interval.high),
        p_value=sides.p_value(two_sided, value, contrast.effect.null),
        standard_error=float(interval.standard_error),
        confidence_level=sides.level,
        method=limits.method.name,
        better=contrast.first.metric.better,
        draws=interval.draws,
        reason=interval.reason,
        limits=limits,
    )


def _rope(
    region: tuple[float, float], draws: Array | None, method: Method, metric: Metric, joint: Table, seed: Seed
) -> Rope:
    if draws is None:
        raise HowsureError(f"`rope` needs draws, and `{method.name}` makes none. Use method='bayes'.")
    factor = UNKNOWN
    if isinstance(method, Dirichlet) and not replace(method, source="prior").fits(joint):
        prior = replace(method, source="prior").draws([metric], joint, seed)[0]
        factor = odds_ratio(share_within(draws, region), share_within(prior, region))
    return region_shares(region, draws, factor)

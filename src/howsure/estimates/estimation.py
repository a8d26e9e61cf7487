"""`estimate` and `evaluate`: estimates of metrics from tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, TypedDict, Unpack, final, overload

import numpy as np

from howsure.arrays import Array, Seed
from howsure.errors import HowsureError
from howsure.estimates.batch import Estimates, Evaluations
from howsure.estimates.batched_intervals import Answer, batched_intervals, own_table
from howsure.estimates.by_class import of_classes
from howsure.estimates.coercion import coerce_table
from howsure.estimates.estimate import Estimate, Quantity, estimate_of
from howsure.estimates.evaluation import Evaluation
from howsure.estimates.grouped import of_groups
from howsure.estimates.rank_batches import needs_ranks, rank_batches
from howsure.estimates.reasons import reasons, with_other_class
from howsure.methods.core.draws import group_seed, seed_sequence
from howsure.methods.core.interval import Interval
from howsure.methods.core.interval_spec import Alternative, IntervalSpec
from howsure.methods.core.lookup import named
from howsure.methods.core.method import DrawingMethod, Method
from howsure.methods.core.names import MethodName
from howsure.methods.default import checked
from howsure.metrics.binding import each_class, listed_metrics, requested, resolve, smallest
from howsure.metrics.class_sets import alike
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables import protocols
from howsure.tables.batch import Tables
from howsure.tables.confusion import OF_TWO_CLASSES
from howsure.tables.table import Table

Asked = str | Spec | Metric
FEW = 2  # with as many metrics, those with the same method are computed in one pass


class _Keywords(TypedDict, total=False):
    """Keyword arguments that do not decide the type of the result."""

    method: MethodName | Method | None
    confidence_level: float
    alternative: Alternative
    random_state: Seed
    threshold: float | None


@overload
def estimate(
    table: Tables[Any], metric: Asked, *, classes: Sequence[int] | None = ..., **keywords: Unpack[_Keywords]
) -> Estimates: ...


@overload
def estimate(
    table: Table, metric: Asked, *, classes: Sequence[int] | None = ..., **keywords: Unpack[_Keywords]
) -> Estimate: ...


def estimate(
    table: Table | Tables[Any],
    metric: Asked,
    *,
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    random_state: Any = None,
    classes: Sequence[int] | None = None,
    threshold: float | None = None,
) -> Estimate | Estimates:
    """Estimate one metric with its interval; `evaluate` estimates several.

    Parameters
    ----------
    table : Table or Tables
        A table made by `confusion`, `from_counts` or a similar function; or the tables of groups.
    metric : str or Metric
        A spec string such as ``"mcc"``, ``"f1@macro"`` or ``"fbeta+beta=2@weighted"``, or a metric.
    method : str or Method, optional
        A method or its name; by default the default method of the metric.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    alternative : {"two-sided", "less", "greater"}
        Requested limits: both, only the upper one, or only the lower one, as in SciPy's tests. A missing limit is the
        end of the metric's range.
    random_state : int, Generator, SeedSequence or None
        Seed of methods that draw. Each group has its own stream, which depends only on the seed and the group's key.
    classes : sequence of int, optional
        Positions of the classes to average over; by default all.
    threshold : float, optional
        Threshold for a metric of counts on a table of scores: cases with at least this score are predicted positive.

    Returns
    -------
    Estimate or Estimates
        The estimate; for tables of groups, arrays over the groups and an estimate for each group.

    Raises
    ------
    HowsureError
        If the metric, the method or the level is invalid, or they do not match.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> print(hs.estimate(table, "f1", confidence_level=0.9))
    0.913 [0.850, 0.954]
    >>> scores = hs.scores([0, 0, 1, 1, 1], [0.2, 0.6, 0.4, 0.7, 0.9])
    >>> round(hs.estimate(scores, "recall", threshold=0.5).value, 3)
    0.667
    """
    given, asked = coerce_table(table, "estimate"), requested(metric)
    sides = IntervalSpec.checked(confidence_level, alternative)
    request = _Request((asked,), sides.form_of(named(method)), sides, random_state, classes, threshold)
    tables, first = (given, given.overall) if isinstance(given, Tables) else (None, given)
    if threshold is not None:
        request.refuse_unused_threshold(first)
    overall = request.of_one(asked, first)
    return overall if tables is None else next(iter(request.of_tables(tables, [overall]).values()))


@overload
def evaluate(
    table: Tables[Any], metrics: Asked | Sequence[Asked] | None = ..., **keywords: Unpack[_Keywords]
) -> Evaluations: ...


@overload
def evaluate(
    table: Table, metrics: Asked | Sequence[Asked] | None = ..., **keywords: Unpack[_Keywords]
) -> Evaluation: ...


def evaluate(
    table: Table | Tables[Any],
    metrics: Asked | Sequence[Asked] | None = None,
    *,
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    random_state: Any = None,
    threshold: float | None = None,
) -> Evaluation | Evaluations:
    """Estimate many metrics of one table, or of the table of each group.

    Parameters
    ----------
    table : Table or Tables
        A table made by `confusion`, `from_counts` or a similar function; or the tables of groups.
    metrics : str, Metric or sequence of them, optional
        Spec strings or metrics; ``"f1@none"`` gives one estimate per class. By default a common selection.
    method : str or Method, optional
        A method or its name; by default the default method of each metric.
    confidence_level : float
        Confidence level of each interval, between 0 and 1.
    alternative : {"two-sided", "less", "greater"}
        Requested limits: both, only the upper one, or only the lower one.
    random_state : int, Generator, SeedSequence or None
        Seed of methods that draw; all metrics of a table share one stream of draws.
    threshold : float, optional
        Threshold for metrics of counts on a table of scores: cases with at least this score are predicted positive.
        Metrics of scores, which use all thresholds, can be requested in the same call.

    Returns
    -------
    Evaluation or Evaluations
        The evaluation; for tables of groups, that of all groups together and of each group.

    Raises
    ------
    HowsureError
        If a metric, the method or the level is invalid, or they do not match.

    Examples
    --------
    >>> import howsure as hs
    >>> evaluation = hs.evaluate(hs.from_counts([[50, 3], [5, 42]]), ["accuracy", "f1"])
    >>> print(evaluation["f1"])
    0.913 [0.836, 0.960]
    >>> scores = hs.scores([0, 0, 1, 1, 1], [0.2, 0.6, 0.4, 0.7, 0.9])
    >>> list(hs.evaluate(scores, ["roc_auc", "f1"], threshold=0.5))
    ['roc_auc', 'f1']
    """
    given = coerce_table(table, "evaluate")
    tables, first = (given, given.overall) if isinstance(given, Tables) else (None, given)
    wanted = default_metrics(first, threshold) if metrics is None else listed_metrics(metrics)
    specs = list(map(requested, wanted))
    if tables is not None:
        specs = asked_metrics(first, specs)
    sides = IntervalSpec.checked(confidence_level, alternative)
    chosen = sides.form_of(named(method))
    seed = seed_sequence(random_state) if isinstance(chosen, DrawingMethod) else random_state
    request = _Request(tuple(specs), chosen, sides, seed, None, threshold)
    if threshold is not None:
        request.refuse_unused_threshold(first)
    found = request.of_table(first)
    overall = Evaluation(
        estimates={each.label: each for each in found},
        table=first,
        method=chosen,
        seed=seed,
        threshold=threshold,
        confidence_level=sides.level,
    )
    if tables is None:
        return overall
    seeds = {key: group_seed(seed, key) for key in tables} if isinstance(chosen, DrawingMethod) else {}
    return Evaluations(tables=tables, overall=overall, by_metric=request.of_tables(tables, found), seeds=seeds)


def evaluated_without(made: Evaluation, without: Mapping[str, Any], metrics: Sequence[Asked]) -> Evaluation:
    """Return an evaluation whose averages leave out some classes, so that it matches evaluations of other tables.

    Parameters
    ----------
    made : Evaluation
        Evaluation with averages over all classes of its own table.
    without : mapping of str to ndarray of bool
        Classes to leave out, by metric.
    metrics : sequence of str, Spec or Metric
        The requested metrics; metrics without a spec string are taken from here.
    """
    if not without:
        return made
    own, unnamed = replace(made, without=without), {each.label: each for each in metrics if isinstance(each, Metric)}
    found = evaluate(
        made.table,
        [unnamed.get(name) or own.bound(name) for name in made],
        method=made.method,
        confidence_level=made.confidence_level,
        random_state=made.seed,
        threshold=made.threshold,
    )
    return replace(own, estimates=found.estimates)


def asked_metrics(table: Table, metrics: Sequence[Asked]) -> list[Spec | Metric]:
    """Return the requested metrics, with one per class where the average is ``none``."""
    return list(chain.from_iterable(each_class(requested(each), table) for each in metrics))


def default_metrics(table: Table, threshold: float | None = None) -> tuple[str, ...]:
    """Return the metrics that `evaluate` reports by default."""
    return protocols.default_metrics(table) + (OF_TWO_CLASSES if threshold is not None else ())


@final
@dataclass(frozen=True, slots=True)
class _Request:
    """The arguments of `estimate` or `evaluate`, which apply to one table or to the tables of all groups."""

    metrics: tuple[Spec | Metric, ...]
    method: Method | None
    sides: IntervalSpec
    seed: Any
    classes: Sequence[int] | None
    threshold: float | None

    def of_one(self, asked: Spec | Metric, table: Table) -> Estimate:
        """Return the estimate of one metric for one table."""
        metric, method = resolve(asked, table, classes=self.classes, threshold=self.threshold), self.method_for(table)
        quantity, level = Quantity.of(metric, table), self.sides.two_sided
        own, metric = own_table(table, metric)
        small, same = (own, metric) if isinstance(method, DrawingMethod) else smallest(own, metric)
        chosen = checked(method, same, small)
        (interval,) = chosen.intervals([same], small, level, self.seed)
        return finished(quantity, own, metric, self.sides.level, chosen, self.sides.cut(interval, metric))

    def of_table(self, table: Table) -> list[Estimate]:
        """Return the estimates of all metrics for one table; an average ``none`` has one for each class."""
        method = self.method_for(table)
        batched = not (isinstance(method, DrawingMethod) or self.threshold is not None)
        found = of_classes(table, self.metrics, method, self.sides) if batched else {}
        rest = {place: each_class(each, table) for place, each in enumerate(self.metrics) if place not in found}
        estimates = iter(self._in_passes([*chain(*rest.values())], table, method))
        found |= {place: [*islice(estimates, len(each))] for place, each in rest.items()}
        return [*chain.from_iterable(found[place] for place in range(len(self.metrics)))]

    def method_for(self, table: Table) -> Method | None:
        """Return the requested method, or else the design's own, if it has one."""
        own = table.design.traits.default_method
        return self.sides.form_of(named(own)) if self.method is None and own else self.method

    def _in_passes(self, metrics: Sequence[Spec | Metric], table: Table, method: Method | None) -> Iterator[Estimate]:
        """Return the estimates of metrics for one table, in one pass per method and smaller table."""
        if len(metrics) < FEW:
            return (self.of_one(each, table) for each in metrics)
        bound = self._bound(metrics, table)
        quantities = [Quantity.of(metric, table) for metric in bound]
        if table.kind.has_thresholds and all(metric.reduced_to for metric in bound):
            own = [own_table(table, metric) for metric in bound]  # the smaller table has all the information
            table, bound = own[0][0], [metric for _, metric in own]
        level = self.sides.two_sided
        answers: list[Answer]
        if isinstance(method, DrawingMethod):
            for metric in bound:
                checked(method, metric, table)
            answers = [(method, each) for each in method.intervals(bound, table, level, self.seed)]
        else:
            found = batched_intervals(table, bound, method, level, self.seed)
            answers = [found[place] for place in range(len(bound))]
        return (
            finished(quantity, *own_table(table, metric), self.sides.level, chosen, self.sides.cut(interval, metric))
            for quantity, metric, (chosen, interval) in zip(quantities, bound, answers, strict=True)
        )

    def of_tables(self, tables: Tables[Any], overall: Sequence[Estimate]) -> Mapping[str, Estimates]:
        """Return the estimates of each group by metric, in one pass if tables and method allow it."""
        found = {} if isinstance(self.method, DrawingMethod) else self._in_batches(tables, overall)
        rest = [place for place, whole in enumerate(overall) if whole.label not in found]
        if rest:
            alone = replace(self, metrics=tuple(self.metrics[place] for place in rest))
            groups = of_groups(tables, lambda table, seed: replace(alone, seed=seed).of_table(table), self.seed)
            for index, place in enumerate(rest):
                estimates = tuple(group[index] for group in groups.values())
                found[overall[place].label] = Estimates.of(tables, overall[place], estimates)
        return {whole.label: found[whole.label] for whole in overall}

    def _in_batches(self, tables: Tables[Any], overall: Sequence[Estimate]) -> dict[str, Estimates]:
        """Return the estimates of the metrics that are computed for many groups at once."""
        stack, found = tables.stack, {}
        if stack is None:
            bound = self._bound(self.metrics, tables.overall)
            ranked = [place for place, each in enumerate(bound) if needs_ranks(each, self.method, tables.overall)]
            return self._in_parts(tables, rank_batches(tables) if ranked else [], ranked, overall)
        if stack.design.traits.default_method:
            return {}
        bound = self._bound(self.metrics, stack)
        for place, answer in batched_intervals(stack, bound, self.method, self.sides.two_sided).items():
            whole = overall[place]
            found[whole.label] = _of_a_batch(tables, *own_table(stack, bound[place]), answer, self.sides, whole)
        averages = [(place, metric.class_average) for place, metric in enumerate(bound)]
        places = [place for place, average in averages if average is not None and average.members.differs]
        groups = alike(stack) if places and stack.design.traits.is_independent else []
        return found | self._in_parts(tables, groups if len(groups) <= len(tables) / 2 else [], places, overall)

    def _in_parts(
        self,
        tables: Tables[Any],
        batches: Sequence[tuple[Array, Table]],
        places: Sequence[int],
        overall: Sequence[Estimate],
    ) -> dict[str, Estimates]:
        """Return the estimates of some metrics, from batches that each contain the tables of some groups."""
        parts: dict[int, list[Estimates]] = {place: [] for place in places}
        for _, some in batches:
            own = self._bound([self.metrics[place] for place in places], some)
            for index, answer in batched_intervals(some, own, self.method, self.sides.two_sided).items():
                which = *own_table(some, own[index]), answer, self.sides, overall[places[index]]
                parts[places[index]].append(_of_a_batch(tables, *which))
        return {
            overall[place].label: Estimates.joined(each, [groups for groups, _ in batches])
            for place, each in parts.items()
            if each and len(each) == len(batches)
        }

    def _bound(self, metrics: Sequence[Spec | Metric], table: Table) -> list[Metric]:
        return [resolve(each, table, classes=self.classes, threshold=self.threshold) for each in metrics]

    def refuse_unused_threshold(self, table: Table) -> None:
        """Raise an error if no metric counts cases at the threshold."""
        asked = asked_metrics(table, self.metrics)
        counts = any(
            not resolve(each, table, classes=self.classes, threshold=self.threshold).of_scores for each in asked
        )
        if not table.kind.has_thresholds:
            raise HowsureError(
                f"`threshold` is for tables of scores, and this one holds {table.data_kinds[-1]}: drop it."
            )
        if not counts:
            names = ", ".join(f"`{resolve(each, table).name}`" for each in asked)
            raise HowsureError(
                f"`threshold` applies to count metrics such as 'f1'; {names} uses all scores. "
                "Drop `threshold`, or request a count metric."
            )


def _of_a_batch(
    tables: Tables[Any], table: Table, metric: Metric, answer: Answer, sides: IntervalSpec, overall: Estimate
) -> Estimates:
    """Return the estimates of a metric for all groups at once."""
    chosen, interval = answer
    found = sides.cut(interval, metric)
    with np.errstate(all="ignore"):
        value = np.asarray(metric(table.counted), dtype=float)
    return Estimates(
        tables=tables,
        metric=overall.metric,
        overall=overall,
        value=value,
        low=found.low,
        high=found.high,
        standard_error=np.broadcast_to(found.standard_error, value.shape),
        method=np.full(value.shape, chosen.name),
        reason=with_other_class(reasons(metric, table, value, found.reason), metric, table, value, found.high),
        confidence_level=overall.confidence_level,
    )


def counts_of(metric: Metric, table: Table) -> tuple[int, int] | None:
    """Return numerator and denominator of a metric that is a proportion of unweighted cases, else None."""
    share = metric.proportion
    if share is None or (share.success_coefficients, share.failure_coefficients) != ((1, 1), (0, 1)):
        return None
    if not table.design.traits.is_counted or table.counts.sum() != table.rows:
        return None
    counts = table.cells.reshape(share.trials.shape)
    return int(counts[share.successes].sum()), int(counts[share.trials].sum())


def finished(
    quantity: Quantity, table: Table, metric: Metric, level: float, method: Method, interval: Interval
) -> Estimate:
    """Return the estimate for a metric and its interval, from a table with all the cells that enter the metric."""
    value = np.asarray(metric.value_at(method.target_table(table).counted), dtype=float)
    found = reasons(metric, table, value, interval.reason)
    if table.kind.has_thresholds:
        found = with_other_class(found, metric, table, value, interval.high)
    reason = found.item()
    interval = interval if reason == interval.reason else replace(interval, reason=reason)
    return estimate_of(metric, quantity, float(value), interval, level, method, counts_of(metric, table))

"""Several models on one test set: all their metrics from the same draws, and comparisons of all pairs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from howsure.arrays import Seed
from howsure.cached import cached_property
from howsure.comparison.compare import OF_ONE_SIZE, compare
from howsure.comparison.contenders import OtherCases, groups_are_models
from howsure.comparison.multiplicity import CORRECTIONS, adjusted_p_values, simultaneous_differences
from howsure.comparison.pairs import compared_pairs
from howsure.comparison.result import Comparison, comparison_grid
from howsure.errors import HowsureError, UnknownKeyError, checked_level, one_of
from howsure.estimates.estimate import Estimate, Quantity
from howsure.estimates.estimation import asked_metrics, default_metrics, evaluate, finished
from howsure.estimates.evaluation import Evaluation
from howsure.estimates.grouped import Results, apply_by_group
from howsure.estimates.named import Named
from howsure.grids import Grid, Tabular
from howsure.methods.core.draws import seed_sequence, stream_of
from howsure.methods.core.interval_spec import Alternative, IntervalSpec
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.methods.drawn.bootstrap import Bootstrap
from howsure.methods.drawn.dirichlet import Dirichlet
from howsure.methods.drawn.joint_draws import draws_of_models
from howsure.metrics.binding import at_stated_threshold, left_out, listed_metrics, requested, resolve, resolve_each
from howsure.metrics.contrast import EFFECTS
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.joint import JointTable, paired_table
from howsure.tables.table import Table

Correction = Literal["holm", "fdr_bh", "bonferroni", "none", "max_t"]


@apply_by_group
def evaluate_models(
    table: Table,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Seed = None,
) -> Results[Evaluation]:
    """Estimate metrics of every model of a paired table.

    Parameters
    ----------
    table : Table or Tables
        A table from `paired` or `paired_scores`, also by group.
    metrics : str, Metric or sequence of them, optional
        Spec strings or metrics; a usual selection by default.
    method : str or Method, optional
        A bootstrap or ``"bayes"`` draws whole test sets: draw d of every model and metric comes from the same one. The
        ``stream`` of the estimates identifies these joint draws, which `ranks` and `simultaneous_differences` need.
        The default is the default method of each metric.
    confidence_level : float
        Confidence level of each interval, between 0 and 1.
    random_state : int, Generator or SeedSequence, optional
        Seed of the methods that draw; each group has a stream of its own.

    Returns
    -------
    Results of Evaluation
        A mapping of models to estimates; for `Tables`, a `Grouped` of them.

    Raises
    ------
    HowsureError
        If the table is not paired, or a metric, the method or the level is not valid.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1], {"A": [1, 1, 0, 1, 1], "B": [1, 0, 0, 1, 0]})
    >>> found = hs.evaluate_models(table, "accuracy", method="bayes", random_state=0)
    >>> hs.ranks({name: each["accuracy"] for name, each in found.items()}).best["A"] > 0.8
    True
    """
    models = paired_table(table, "evaluate_models")
    chosen, level = named(method), checked_level(confidence_level)
    tables = {name: models.model(name) for name in models.models}
    first = tables[models.models[0]]
    settings: dict[str, Any] = {"confidence_level": level, "random_state": random_state}
    if not isinstance(chosen, Bootstrap | Dirichlet):
        listed = default_metrics(first) if metrics is None else asked_metrics(first, listed_metrics(metrics))
        of_metrics = [resolve_each(each, list(tables.values())) for each in listed]
        without = left_out_of(listed, list(tables.values()))
        alone = {
            name: replace(evaluate(own, bound, method=chosen, **settings), without=without)
            for (name, own), bound in zip(tables.items(), zip(*of_metrics, strict=True), strict=True)
        }
        return Results(results=alone, column="model")
    if isinstance(chosen, Dirichlet) and not chosen.is_plain:
        raise HowsureError("Of several models at once `Dirichlet` takes `prior=` only.")
    wanted = evaluate(first, metrics, confidence_level=level)  # the metrics of the specs
    bound = [resolve_each(each, list(tables.values())) for each in wanted]
    without = left_out_of(list(wanted), list(tables.values()))
    seed = seed_sequence(random_state)
    stream = stream_of(chosen, models, seed)
    draws = draws_of_models([_of_any_model(each[0], first) for each in bound], models, chosen, seed)
    found = {}
    for index, (name, own) in enumerate(tables.items()):
        metrics_of = [each[index] for each in bound]
        intervals = [
            chosen.interval_of(draws[row, index], each, own, level, seed) for row, each in enumerate(metrics_of)
        ]
        estimates = {
            metric.label: finished(Quantity.of(metric), own, metric, level, chosen, interval).replace(stream=stream)
            for metric, interval in zip(metrics_of, intervals, strict=True)
        }
        found[name] = Evaluation(
            estimates=estimates,
            table=own,
            method=chosen,
            seed=seed,
            threshold=None,
            confidence_level=level,
            without=without,
        )
    return Results(results=found, column="model")


def left_out_of(metrics: Sequence[str | Spec | Metric], tables: Sequence[Table]) -> dict[str, Any]:
    """Return the classes that averages over several models leave out, by metric; see `left_out`."""
    found = {resolve(each, tables[0]).label: left_out(each, tables) for each in metrics}
    return {name: each for name, each in found.items() if each is not None and each.any()}


def _of_any_model(metric: Metric, table: Table) -> Metric:
    """Return the metric for draws of every model: no class is treated as constant because of a single model."""
    average = metric.class_average
    if average is None or average.members.varies:
        return metric
    some = average.members.kept.tolist()
    return resolve(metric.spec or metric, replace(table, counts=np.ones(table.counts.shape)), classes=some)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparisons(Tabular, Named, Mapping[tuple[str, ...], Comparison]):
    """All pairs of models compared in one or several metrics, with p-values adjusted for their number.

    A mapping of pairs to comparisons: ``comparisons["A", "B"]``. For several metrics the keys are
    ``("f1", "A", "B")``, and a pair alone refers to the first metric.

    Parameters
    ----------
    comparisons : tuple of Comparison
        With adjusted p-values.
    correction : str
        The correction for multiple comparisons.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1], {"A": [1, 1, 0, 1, 1], "B": [1, 0, 0, 1, 0], "C": [0, 1, 0, 0, 1]})
    >>> list(hs.compare_all(table, "accuracy"))
    [('A', 'B'), ('A', 'C'), ('B', 'C')]
    """

    comparisons: tuple[Comparison, ...]
    correction: str

    @classmethod
    def adjusted(cls, comparisons: Sequence[Comparison], correction: Any) -> Comparisons:
        """Return comparisons with p-values adjusted for their number.

        Parameters
        ----------
        comparisons : sequence of Comparison
            With p-values of single comparisons.
        correction : {"holm", "fdr_bh", "fdr_by", "bonferroni", "none"}
            The correction.
        """
        adjusted = adjusted_p_values([each.p_value for each in comparisons], correction)
        changed = (replace(each, p_value=float(p)) for each, p in zip(comparisons, adjusted, strict=True))
        return cls(comparisons=tuple(changed), correction=correction)

    @cached_property
    def _by_key(self) -> dict[tuple[str, ...], Comparison]:
        several = len({each.label for each in self.comparisons}) > 1
        return {(each.label, *each.names) if several else each.names: each for each in self.comparisons}

    @cached_property
    def _by_either(self) -> dict[tuple[str, ...], Comparison]:
        with_metric = {(name, *each.names): each for each in self.comparisons for name in (each.metric, each.label)}
        return with_metric | {each.names: each for each in reversed(self.comparisons)}  # a pair alone: the first metric

    def __getitem__(self, pair: tuple[str, ...]) -> Comparison:
        wanted = tuple(map(str, pair if isinstance(pair, Iterable) and not isinstance(pair, str) else [pair]))
        if wanted in self._by_either:
            return self._by_either[wanted]
        known = [" − ".join(each.names) for each in self.comparisons]
        raise UnknownKeyError.unknown("pair", " − ".join(wanted), known)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._by_key)

    def __len__(self) -> int:
        return len(self._by_key)

    def by_name(self) -> dict[str, Comparison]:
        """Return the comparisons by name, such as ``"A − B"``; with the metric if there are several."""
        several = len({each.label for each in self.comparisons}) > 1
        return {
            f"{each.label}: {name}" if several else name: each for each in self.comparisons for name in each.by_name()
        }

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per comparison."""
        return [each.to_dict() for each in self.comparisons]

    def grid(self) -> Grid:
        """Return a table of strings, one row per comparison."""
        grid = comparison_grid(self.comparisons)
        note = f"p-values of {len(self)} comparisons, correction: {self.correction}"
        return replace(grid, caption="; ".join(filter(None, (note, grid.caption))))


@groups_are_models
@apply_by_group
def compare_all(
    table: object,
    metrics: str | Metric | Sequence[str | Metric],
    *,
    correction: Correction = "holm",
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    random_state: Seed = None,
) -> Comparisons:
    """Compare all pairs of the models of a paired table, or of separate tables.

    Parameters
    ----------
    table : Table, Tables or mapping of str to Table
        A table from `paired` or `paired_scores`, also by group. Or tables of different cases by name, or the groups of
        one model by `by=`, which are compared with one another.
    metrics : str, Metric or sequence of them
        One metric, or several.
    correction : {"holm", "fdr_bh", "fdr_by", "bonferroni", "none", "max_t"}
        ``"holm"``, ``"fdr_bh"`` (Benjamini–Hochberg), ``"bonferroni"`` or ``"none"`` adjust the p-values of all
        comparisons (of one group); the intervals are those of a single comparison. If the p-values are valid at every
        look, those adjusted by ``"holm"`` and ``"bonferroni"`` are too, and those by ``"fdr_by"`` at the look at which
        one stops. ``"max_t"`` adjusts both p-values and intervals, metric by metric, from joint draws: all intervals of
        a metric cover simultaneously with the confidence level.
    method : str or Method, optional
        As in `compare`; for ``"max_t"`` a bootstrap (the default) or ``"bayes"``.
    confidence_level : float
        Coverage of each interval; for ``"max_t"`` simultaneous coverage of all intervals of a metric.
    alternative : {"two-sided", "less", "greater"}
        As in `compare`, for the first model of each pair minus the second; two-sided for ``"max_t"``.
    random_state : int, Generator or SeedSequence, optional
        Seed of the methods that draw; each group has a stream of its own.

    Returns
    -------
    Comparisons
        For `Tables`, a `Grouped` of them.

    Raises
    ------
    HowsureError
        If the table is not paired, no metric is named, or the correction is not available for the method.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 500)
    >>> models = {name: np.where(rng.random(500) < share, truth, 1 - truth) for name, share in
    ...           {"A": 0.9, "B": 0.8, "C": 0.8}.items()}
    >>> found = hs.compare_all(hs.paired(truth, models), "accuracy")
    >>> found["A", "B"].p_value < 0.01 < found["B", "C"].p_value
    True
    """
    wanted = listed_metrics(metrics)
    models = dict(table) if isinstance(table, Mapping) else paired_table(table, "compare_all")
    if isinstance(models, dict) and len(models) < 2:
        raise HowsureError("There is one table. Give at least two by name, or one of several models.")
    settings: dict[str, Any] = {"confidence_level": confidence_level, "random_state": random_state}
    sides = IntervalSpec.checked(confidence_level, alternative)
    one_of("correction", correction, [*CORRECTIONS, "max_t"])
    if correction == "max_t":
        if sides.alternative != "two-sided":
            raise HowsureError(
                "correction='max_t' has two-sided intervals alone. Use another correction, such as 'holm'."
            )
        if isinstance(models, dict):
            raise HowsureError(
                "correction='max_t' is for models on the same cases. Use another correction, such as 'holm', or take "
                "`leaderboard(tables, metric).differences`, which hold together."
            )
        return _simultaneous(models, wanted, Bootstrap() if method is None else named(method), settings)
    chosen = named(method)
    if isinstance(models, dict):
        settings |= {"method": chosen, "alternative": alternative}
        items = [
            compare(models[a], models[b], metric, a=str(a), b=str(b), **settings)
            for metric in wanted
            for a, b in combinations(models, 2)
        ]
        if isinstance(table, OtherCases):
            items = [replace(each, reason=each.reason.removesuffix(OF_ONE_SIZE).removesuffix("; ")) for each in items]
    else:
        tables = [(metric, at_stated_threshold(models, requested(metric))) for metric in wanted]
        items = [each for metric, own in tables for each in compared_pairs(own, metric, chosen, sides, random_state)]
    return Comparisons.adjusted(items, correction)


def _simultaneous(
    table: JointTable, metrics: list[str | Metric], method: Method | None, settings: dict[str, Any]
) -> Comparisons:
    if not isinstance(method, Bootstrap | Dirichlet):
        raise HowsureError("correction='max_t' needs joint draws: a bootstrap or 'bayes'.")
    level = checked_level(settings["confidence_level"])
    evaluations = evaluate_models(table, metrics, method=method, **settings)
    items = []
    for spec in evaluations[table.models[0]]:
        estimates = {name: each[spec] for name, each in evaluations.items()}
        metric = resolve(spec, table.model(table.models[0]))
        differences = simultaneous_differences(estimates, confidence_level=level, better=metric.better)
        for i, j in combinations(range(len(table.models)), 2):
            pair = (table.models[i], table.models[j])
            items.append(_pair(pair, estimates, differences, (i, j), metric))
    return Comparisons(comparisons=tuple(items), correction="max_t")


def _pair(
    names: tuple[str, str], estimates: dict[str, Estimate], differences: Any, place: tuple[int, int], metric: Metric
) -> Comparison:
    a, b = (estimates[name] for name in names)
    assert a.draws is not None  # noqa: S101 - made by a method that draws
    assert b.draws is not None  # noqa: S101
    draws = a.draws - b.draws
    undefined = math.isnan(float(differences.low[place]))
    low, high = np.clip((differences.low[place], differences.high[place]), *EFFECTS["difference"].bounds(*metric.range))
    return Comparison(
        metric=a.metric,
        contrast="difference",
        a=a,
        b=b,
        names=names,
        value=float(differences.value[place]),
        low=float(low),
        high=float(high),
        p_value=float(differences.p_value[place]),
        standard_error=float(np.std(draws[np.isfinite(draws)], ddof=1)),
        confidence_level=differences.confidence_level,
        method=f"max_t, {a.method}",
        better=metric.better,
        draws=draws,
        reason=f"{names[0]} and {names[1]} differ by the same on every draw" if undefined else "",
    )

"""Evaluation of a log: each model's score on each task with an interval, and differences on the same items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal, NoReturn

import numpy as np

from howsure.arrays import Seed
from howsure.comparison.compare import compare
from howsure.comparison.multiplicity import adjusted_p_values
from howsure.comparison.result import Comparison
from howsure.errors import HowsureError, checked_level, listed, looked_up, one_of, several
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate
from howsure.grids import Grid, Tabular
from howsure.logs import cautions
from howsure.logs.joined import Joined
from howsure.logs.log import OF_FRAMES, Log
from howsure.logs.parts import parts_of
from howsure.logs.records import Reported
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.metrics.binding import resolve
from howsure.numbers import interval_text, number, p_cell, percent, significant_decimals

Key = tuple[str, str]  # task and model
OF_SCORES = {"mean", "median", "quantile"}  # statistics with the unit and direction of the scores


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LogEvaluation(Tabular, Mapping[Key, Estimate]):
    """The evaluation of a log: a mapping from task and model to an estimate.

    Parameters
    ----------
    estimates : mapping
        Estimates by task and model, on the items shared by all models of the task.
    comparisons : mapping
        Differences by task and model (the model minus its reference) on the same items; the p-values are adjusted for
        the number of comparisons over all tasks.
    joined : mapping
        The scores of the task by task and model, with the items that do not match.
    reported : mapping
        The harness's own values by task and model.
    absent : tuple of tuple of str
        Tasks and models of the log that have no score, or none by the requested metric, or the model's first.
    lacking : tuple of tuple of str
        Tasks and models of the log where the model has no samples of the task.
    statistic : str
        The name of the statistic.
    baseline : str, optional
        The reference model of the comparisons; None for the best model of each task.
    pairs : int
        Number of comparisons that the p-values are adjusted for.
    notes : tuple of str
        Caveats of the files.

    Examples
    --------
    >>> import howsure as hs
    >>> log = hs.results.Log({"task": ["sums"] * 6, "model": ["new", "old"] * 3, "item": ["a", "a", "b", "b", "c", "c"],
    ...               "run": [1] * 6, "metric": ["accuracy"] * 6, "score": [1, 0, 1, 1, 0, 0]})
    >>> found = hs.evaluate_log(log)
    >>> print(found["sums", "new"], found.comparisons["sums", "old"].value)
    0.667 [0.132, 0.983] -0.3333333333333333
    """

    estimates: Mapping[Key, Estimate]
    comparisons: Mapping[Key, Comparison]
    joined: Mapping[Key, Joined]
    reported: Mapping[Key, Reported]
    absent: tuple[Key, ...]
    lacking: tuple[Key, ...]
    statistic: str
    baseline: str | None
    pairs: int
    notes: tuple[str, ...]

    def __getitem__(self, key: Key) -> Estimate:
        return looked_up("task and model", key, self.estimates)

    def __iter__(self) -> Iterator[Key]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in the order of the log."""
        return tuple(dict.fromkeys(task for task, _ in self.estimates))

    def unit(self, task: str, model: str) -> str:
        """Return the sampling units of a model's interval: items, with their runs or clusters."""
        joined = self.joined[task, model]
        fewest, most = int(joined.runs.min()), int(joined.runs.max())
        runs = f" × {most}" if fewest == most else f" × {fewest} to {most}"
        clusters = "" if joined.cluster is None else f" in {len(set(joined.cluster.tolist())):,}"
        return f"{joined.shared:,}{runs if most > 1 else ''}{clusters}"

    def measured(self, task: str, model: str) -> str:
        """Return the name of the metric, with the direction if lower is better."""
        joined = self.joined[task, model]
        return f"{joined.metric}{' (lower is better)' if joined.better == 'lower' else ''}"

    def not_told_apart(self, task: str) -> list[str]:
        """Return the models without a significant difference from their reference model."""
        found = {model: each for (of, model), each in self.comparisons.items() if of == task}
        return [model for model, each in found.items() if not _differs(each) and not self._is_unknown((task, model))]

    def _is_unknown(self, key: Key) -> bool:
        """Whether a difference has no interval, and is not that of equal scores on every item."""
        compared, joined = self.comparisons[key], self.joined[key]
        return math.isnan(compared.low) and not joined.is_alike(*compared.names)

    def below(self, threshold: float) -> list[Key]:
        """Return tasks and models whose whole interval is below a value, for scores where higher is better."""
        return [key for key, each in self.estimates.items() if not self.is_lower_better(key) and each.high < threshold]

    def above(self, threshold: float) -> list[Key]:
        """Return tasks and models whose whole interval is above a value, for scores where lower is better."""
        return [key for key, each in self.estimates.items() if self.is_lower_better(key) and each.low > threshold]

    def not_compared(self) -> list[Key]:
        """Return tasks and models that no difference from the baseline checks: it, the model or the interval lacks."""
        own = dict.fromkeys(key for key in (*self.estimates, *self.absent, *self.lacking) if key[1] != self.baseline)
        blind = {task for task, model in self.absent if model == self.baseline}
        checked = {key for key in self.comparisons if not self._is_unknown(key) and key[0] not in blind}
        return [key for key in own if key not in checked.difference(self.absent)]

    def unchecked(self, *, below: bool, above: bool) -> list[Key]:
        """Return tasks and models without a score or an interval, which no bound can check."""
        wanted = {False: below, True: above}
        fit = [key for key in self.estimates if wanted[self.is_lower_better(key)]]
        without_limits = [key for key in fit if math.isnan(self.estimates[key].low)]
        return list(dict.fromkeys([*without_limits, *self.absent, *([] if fit else self.estimates)]))

    def is_lower_better(self, key: Key) -> bool:
        """Whether lower values of a task and model are better."""
        return _is_lower_better(self.statistic, self.joined[key])

    def worse(self, margin: float) -> list[Key]:
        """Return tasks and models that are worse than the reference by more than a margin over the whole interval."""
        return [
            key
            for key, each in self.comparisons.items()
            if (each.low > margin if each.better == "lower" else each.high < -margin)
        ]

    def sentences(self) -> list[str]:
        """Return, for each task, a sentence on the models without significant differences."""
        said = []
        for task in self.tasks:
            own = {model: each for (of, model), each in self.comparisons.items() if of == task}
            alike = self.not_told_apart(task)
            unknown = [model for model in own if self._is_unknown((task, model))]
            for against in dict.fromkeys(each.names[1] for each in own.values()):
                if alike:
                    said.append(f"{task}: not significantly different from {against}: {', '.join(alike)}.")
                said += [f"{task}: all differ from {against}."] if not alike and not unknown else []
                said += [f"{task}: {model} − {against} {_without_interval(own[model])}." for model in unknown]
        return said

    @property
    def cautions(self) -> tuple[str, ...]:
        """Caveats: items that do not match, few clusters, tasks that all models solve, many tests."""
        parts = {id(each): each for each in self.joined.values()}.values()
        return (*self.notes, *(said for each in parts for said in cautions.of_items(each)), *self._many())

    def _many(self) -> Iterator[str]:
        if self.pairs > 1:
            yield (
                f"The p-values of the {self.pairs:,} comparisons are adjusted by Holm's method; the intervals are not "
                "adjusted for their number."
            )

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict for each task and model."""
        return [self._record(*key) for key in self.estimates]

    def _record(self, task: str, model: str) -> dict[str, Any]:
        own, joined, said = self.estimates[task, model], self.joined[task, model], self.reported[task, model]
        compared = self.comparisons.get((task, model))
        found = {
            "task": task,
            "model": model,
            "metric": joined.metric,
            "scorer": said.scorer,
            "filter": said.filter or joined.metric.partition(",")[2],
            "better": "lower" if self.is_lower_better((task, model)) else "higher",
            "aggregation": joined.aggregation,
            "reported": said.value,
            "reported_samples": said.samples,
            "statistic": self.statistic,
            "items": joined.shared,
            "items_lacking": joined.lacking[model],
            "runs": int(joined.runs[joined.models.index(model)].sum()),
            "clusters": None if joined.cluster is None else len(set(joined.cluster.tolist())),
            "value": own.value,
            "low": own.low,
            "high": own.high,
            "standard_error": own.standard_error,
            "method": own.method,
            "confidence_level": own.confidence_level,
            "reason": own.reason,
        }
        found["against"] = None if compared is None else compared.names[1]
        fields = {"difference": "value", "difference_low": "low", "difference_high": "high"}
        fields |= {"difference_standard_error": "standard_error", "p_value": "p_value"}
        return found | {name: getattr(compared, field, math.nan) for name, field in fields.items()}

    def grid(self) -> Grid:
        """Return a table of strings, one row for each task and model, with the cautions as notes."""
        levels = [each.confidence_level for each in self.estimates.values()]
        compared = ("difference", "from", "p") if self.comparisons else ()
        headers = ("task", "model", "metric", "items", self.statistic, f"{percent(levels[0])} interval", *compared)
        rows = tuple(self._row(*key) for key in self.estimates)
        return Grid(headers, rows, "\n".join([*self.sentences(), *self.cautions]))

    def _row(self, task: str, model: str) -> tuple[str, ...]:
        own, compared = self.estimates[task, model], self.comparisons.get((task, model))
        decimals = significant_decimals(own.low, own.high)
        shown = (task, model, self.measured(task, model), self.unit(task, model))
        row = (*shown, number(own.value, decimals), interval_text(own.low, own.high, decimals))
        if not self.comparisons:
            return row
        if compared is None:
            return (*row, "", "", "")
        digits = significant_decimals(compared.low, compared.high)
        difference = f"{number(compared.value, digits)} {interval_text(compared.low, compared.high, digits)}"
        return (*row, difference, compared.names[1], p_cell(compared.p_value))


def evaluate_log(
    log: Log,
    *,
    baseline: str | None = None,
    metric: str | None = None,
    task: str | Sequence[str] | None = None,
    better: Literal["higher", "lower"] | None = None,
    statistic: str = "mean",
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Seed = None,
) -> LogEvaluation:
    """Evaluate all models of a log on each of its tasks, and compare them on the same items.

    The cases are the items; runs are nested in items, and items in clusters. Only items shared by all models of a task
    are used, and the result lists the number of items that each model lacks. Models with scores of another metric, or
    with less than half of the items, are reported separately and not compared.

    Parameters
    ----------
    log : Log
        The result of `read_log`.
    baseline : str, optional
        The reference model of the comparisons; tasks without it have no comparison. The default is the best model of
        each task; p-values are then adjusted for all pairs of its models.
    metric : str, optional
        Name of the score in the log; by default the first one of each task that most of its models have.
    task : str or list of str, optional
        Tasks to evaluate; all by default.
    better : {"higher", "lower"}, optional
        Direction of the scores; by default as stated in the log, else by the metric's name (lower is better for a
        perplexity).
    statistic : str
        Statistic of the scores: ``"mean"``, or another metric of values or of trials such as ``"pass_at+k=5"``.
    method : str or Method, optional
        Interval method; the default depends on the statistic.
    confidence_level : float
        Confidence level of each interval, between 0 and 1.
    random_state : int, Generator or SeedSequence, optional
        Seed of methods that draw.

    Returns
    -------
    LogEvaluation
        Estimates by task and model, comparisons, and cautions.

    Raises
    ------
    HowsureError
        If the baseline, the metric or the statistic is not there, or models of a task have no item in common.

    Examples
    --------
    >>> import howsure as hs
    >>> passed = {"new": [1, 1, 1, 0, 1, 1, 1, 1], "old": [1, 0, 1, 0, 0, 1, 0, 0]}
    >>> log = hs.results.Log({"task": ["sums"] * 16, "model": ["new"] * 8 + ["old"] * 8, "item": [*"abcdefgh"] * 2,
    ...               "run": [1] * 16, "metric": ["accuracy"] * 16, "score": passed["new"] + passed["old"]})
    >>> print(hs.evaluate_log(log, baseline="old").comparisons["sums", "new"])
    mean: new − old = 0.500 [0.013, 0.785], p = 0.046
    """
    if not isinstance(log, Log):
        is_path = isinstance(log, str | PathLike)
        remedy = f"Read it first: `hs.evaluate_log(hs.read_log({str(log)!r}))`." if is_path else OF_FRAMES
        raise HowsureError(f"`evaluate_log` takes a log, from `read_log`, not {type(log).__name__}. {remedy}")
    level = checked_level(confidence_level)
    if baseline is not None:
        one_of("model", baseline, log.models)
    settings: dict[str, Any] = {"method": method, "confidence_level": level, "random_state": random_state}
    wanted = log.tasks if task is None else [one_of("task", each, log.tasks) for each in _several(task)]
    tasks = {each: parts for each in wanted if (parts := parts_of(log, each, metric))}
    if not tasks:
        _refuse_without_scores(log, wanted, metric)
    absent = [(each, model) for each in wanted for model in log.without(each, metric)]
    if better is not None:
        tasks = {each: [replace(part, better=better) for part in parts] for each, parts in tasks.items()}
    notes = [*log.notes, *cautions.of_tasks([each for each in wanted if each not in tasks], metric)]
    estimates: dict[Key, Estimate] = {}
    comparisons: dict[Key, Comparison] = {}
    joined: dict[Key, Joined] = {}
    pairs = 0
    for name, parts in tasks.items():
        notes += cautions.of_parts(name, parts)
        unscored = log.unscored(name) if metric is None else []
        notes += cautions.of_unscored(name, unscored)
        notes += cautions.of_absent(name, [model for of, model in absent if of == name], metric)
        if baseline is not None and not any(baseline in part.models for part in parts):
            notes.append(f"{name}: {baseline} has no scores, and nothing is compared with it.")
        absent += [(name, model) for model, _ in unscored]
        for part in parts:
            notes += [*cautions.of_harness(log, part), *cautions.of_group(log, part)]
            own = _estimates(part, statistic, settings)
            estimates |= {(name, model): found for model, found in own.items()}
            joined |= dict.fromkeys(((name, model) for model in own), part)
            against = _best(own, statistic, part) if baseline is None else baseline
            others = [model for model in own if model != against] if against in own else []
            pairs += len(others) * (len(own) if baseline is None else 2) // 2
            compared = _compared(part, others, against, statistic, settings)
            comparisons |= {(name, model): each for model, each in compared.items()}
    every = dict.fromkeys([*wanted, *(inner for each in wanted for inner in log.groups.get(each, ()))])
    lacking = [(each, model) for each in every for model in log.models if model not in log.models_of(each)]
    notes += cautions.of_lacking(lacking)
    p_values = [each.p_value for each in comparisons.values()]
    # Unreported pairs, among which the best was selected: taken as equal, which makes the adjustment sufficient.
    adjusted = adjusted_p_values([*p_values, *[1.0] * (pairs - len(p_values))])
    changed = {
        key: replace(each, p_value=float(p)) for (key, each), p in zip(comparisons.items(), adjusted, strict=False)
    }
    return LogEvaluation(
        estimates=estimates,
        comparisons=changed,
        joined=joined,
        reported={key: log.said(*key, each.metric) for key, each in joined.items()},
        absent=tuple(absent),
        lacking=tuple(lacking),
        statistic=statistic,
        baseline=baseline,
        pairs=pairs,
        notes=tuple(dict.fromkeys(notes)),
    )


def _estimates(part: Joined, statistic: str, settings: Mapping[str, Any]) -> dict[str, Estimate]:
    """Return the estimate of each model; perplexities in their own unit, if the statistic has one."""
    own = {model: estimate(table, statistic, **settings) for model, table in part.of_models.items()}
    if part.is_exponential and statistic.partition("+")[0] in OF_SCORES:
        return {model: _aggregated(found, part) for model, found in own.items()}
    return own


def _compared(
    part: Joined, models: Sequence[str], against: str, statistic: str, settings: Mapping[str, Any]
) -> dict[str, Comparison]:
    """Return the comparison of each model with another one, with the direction of the metric."""
    lower = _is_lower_better(statistic, part)
    found = {model: compare(part.table, statistic, a=model, b=against, **settings) for model in models}
    return {model: replace(each, better="lower" if lower else each.better) for model, each in found.items()}


def _differs(found: Comparison) -> bool:
    """Whether a difference is significant; by its interval for methods without p-values."""
    return found.is_settled if math.isnan(found.p_value) else found.p_value <= 1 - found.confidence_level


def _without_interval(found: Comparison) -> str:
    return f"has no interval: {found.reason.partition(':')[0]}" if found.reason else "has no interval"


def _refuse_without_scores(log: Log, tasks: Sequence[str], metric: str | None) -> NoReturn:
    known = dict.fromkeys(name for each in tasks for name in log.metrics(each))
    if metric is None or metric in known:
        message = f"No item of {listed(tasks)} has a score{'' if metric is None else f' by {metric!r}'}."
        raise HowsureError(f"{message} Look whether the evaluation ended in errors.")
    raise HowsureError.unknown("metric", metric, known)


def _several(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else several("task", given, "names of tasks")


def _aggregated(found: Estimate, joined: Joined) -> Estimate:
    """Return the estimate of a perplexity from that of the mean log loss."""
    with np.errstate(over="ignore"):
        value, low, high = (float(np.exp(each)) for each in (float(found), found.low, found.high))
        draws = None if found.draws is None else np.exp(found.draws)
    return Estimate(
        value,
        low=low,
        high=high,
        metric=joined.metric,
        confidence_level=found.confidence_level,
        method=found.method,
        standard_error=value * found.standard_error,
        draws=draws,
        reason=found.reason,
        stream=found.stream,
    )


def _best(own: Mapping[str, Estimate], statistic: str, joined: Joined) -> str:
    """Return the model with the best value: the highest, or the lowest if lower is better."""
    sign = -1.0 if _is_lower_better(statistic, joined) else 1.0
    return max(own, key=lambda model: sign * own[model].value)


def _is_lower_better(statistic: str, joined: Joined) -> bool:
    own = resolve(statistic, joined.of_models[joined.models[0]]).better
    return own == "lower" if statistic.partition("+")[0] not in OF_SCORES else joined.better == "lower"

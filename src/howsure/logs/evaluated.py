"""A log evaluated: each model's score on each task with its interval, and the differences on the same items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from howsure.comparison.compare import compare
from howsure.comparison.multiplicity import adjusted_p_values
from howsure.comparison.result import Comparison
from howsure.designs.clusters import FEW
from howsure.errors import HowsureError, checked_level, listed, looked_up, one_of
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate
from howsure.grids import Grid, Tabular, interval_text, number, p_text, percent, significant_decimals
from howsure.logs.joined import Joined
from howsure.logs.log import Log
from howsure.methods.method import Method
from howsure.methods.names import MethodName
from howsure.metrics.binding import resolve

Key = tuple[str, str]  # task and model
NEARLY = 0.95  # share right, from which on a task has little left to tell


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LogEvaluation(Tabular, Mapping[Key, Estimate]):
    """What a log says of its models: a mapping of task and model to an estimate.

    Parameters
    ----------
    estimates : mapping
        By task and model, on the items that all models of the task have.
    comparisons : mapping
        By task and model: the model less the one it is compared with, on the same items; their p-values are adjusted
        for the number of comparisons of all tasks.
    joined : mapping
        By task: its scores, with what does not match.
    statistic : str
        What was estimated.
    baseline : str, optional
        What all others are compared with; without one the model that is best in the task.
    pairs : int
        Number of comparisons that the p-values are adjusted for.
    notes : tuple of str
        What to know of the files.

    Examples
    --------
    >>> import howsure as hs
    >>> log = hs.Log({"task": ["sums"] * 6, "model": ["new", "old"] * 3, "item": ["a", "a", "b", "b", "c", "c"],
    ...               "run": [1] * 6, "metric": ["accuracy"] * 6, "score": [1, 0, 1, 1, 0, 0]})
    >>> found = hs.evaluate_log(log)
    >>> print(found["sums", "new"], found.comparisons["sums", "old"].value)
    0.667 [0.132, 0.983] -0.3333333333333333
    """

    estimates: Mapping[Key, Estimate]
    comparisons: Mapping[Key, Comparison]
    joined: Mapping[str, Joined]
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

    def unit(self, task: str) -> str:
        """Return what the intervals rest on: items, and runs within or clusters above them."""
        joined = self.joined[task]
        fewest, most = int(joined.runs.min()), int(joined.runs.max())
        runs = f" × {most}" if fewest == most else f" × {fewest} to {most}"
        clusters = "" if joined.cluster is None else f" in {len(set(joined.cluster.tolist())):,}"
        return f"{joined.shared:,}{runs if most > 1 else ''}{clusters}"

    def not_told_apart(self, task: str) -> list[str]:
        """Return the models that are not shown to differ from the one that they are compared with."""
        found = {model: each for (of, model), each in self.comparisons.items() if of == task}
        return [model for model, each in found.items() if not each.p_value <= 1 - each.confidence_level]

    def below(self, threshold: float) -> list[Key]:
        """Return tasks and models that are shown to be below a value: their whole interval is."""
        return [key for key, each in self.estimates.items() if each.high < threshold]

    def worse(self, margin: float) -> list[Key]:
        """Return tasks and models that are shown to be worse than the other by more than a margin: the interval is."""
        return [
            key
            for key, each in self.comparisons.items()
            if (each.low > margin if each.better == "lower" else each.high < -margin)
        ]

    def sentences(self) -> list[str]:
        """Return, for each task, which models cannot be told apart."""
        said = []
        for task in self.joined:
            against = next((each.names[1] for (of, _), each in self.comparisons.items() if of == task), None)
            alike = self.not_told_apart(task)
            if against is not None:
                said.append(
                    f"{task}: "
                    + (
                        f"not told apart from {against}: {', '.join(alike)}."
                        if alike
                        else f"all differ from {against}."
                    )
                )
        return said

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to be careful about: items that do not match, few clusters, tasks that all models solve, many tests."""
        return (*self.notes, *(said for each in self.joined.values() for said in cautions(each)), *self._many())

    def _many(self) -> Iterator[str]:
        if self.pairs > 1:
            yield (
                f"{self.pairs:,} comparisons are made; their p-values are adjusted for that by Holm's method, and each "
                "interval holds by itself."
            )

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict for each task and model."""
        return [self._record(*key) for key in self.estimates]

    def _record(self, task: str, model: str) -> dict[str, Any]:
        own, joined, compared = self.estimates[task, model], self.joined[task], self.comparisons.get((task, model))
        found = {
            "task": task,
            "model": model,
            "metric": joined.metric,
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
        """Return a table of strings, one row for each task and model; below it what to be careful about."""
        levels = [each.confidence_level for each in self.estimates.values()]
        compared = ("difference", "from", "p") if self.comparisons else ()
        headers = ("task", "model", "items", self.statistic, f"{percent(levels[0])} interval", *compared)
        rows = tuple(self._row(*key) for key in self.estimates)
        return Grid(headers, rows, "\n".join([*self.sentences(), *self.cautions]))

    def _row(self, task: str, model: str) -> tuple[str, ...]:
        own, compared = self.estimates[task, model], self.comparisons.get((task, model))
        decimals = significant_decimals(own.low, own.high)
        row = (task, model, self.unit(task), number(own.value, decimals), interval_text(own.low, own.high, decimals))
        if not self.comparisons:
            return row
        if compared is None:
            return (*row, "", "", "")
        digits = significant_decimals(compared.low, compared.high)
        difference = f"{number(compared.value, digits)} {interval_text(compared.low, compared.high, digits)}"
        return (*row, difference, compared.names[1], p_text(compared.p_value)[2:].removeprefix("= "))


def evaluate_log(
    log: Log,
    *,
    baseline: str | None = None,
    metric: str | None = None,
    statistic: str = "mean",
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
) -> LogEvaluation:
    """Evaluate all models of a log on each of its tasks, and compare them on the same items.

    Items are the cases; their runs vary within them, and clusters above. Only items that all models of a task have are
    taken, and the result says which model lacks how many.

    Parameters
    ----------
    log : Log
        From `read_log`.
    baseline : str, optional
        The model that all others are compared with. By default the best of each task: the highest, unless the statistic
        is better where it is lower, such as ``"flip_rate"``; p-values are then adjusted for all pairs of its models.
    metric : str, optional
        Which of the log's scores; by default the main one of each task.
    statistic : str
        What is estimated of them: ``"mean"``, or another metric of values or of trials such as ``"pass_at+k=5"``.
    method : str or Method, optional
        Interval method; by default the one that suits the statistic.
    confidence_level : float
        Coverage of each interval, between 0 and 1.
    random_state : int, Generator or SeedSequence, optional
        Seed of the methods that draw.

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
    >>> log = hs.Log({"task": ["sums"] * 16, "model": ["new"] * 8 + ["old"] * 8, "item": [*"abcdefgh"] * 2,
    ...               "run": [1] * 16, "metric": ["accuracy"] * 16, "score": passed["new"] + passed["old"]})
    >>> print(hs.evaluate_log(log, baseline="old").comparisons["sums", "new"])
    mean: new − old = 0.500 [0.013, 0.785], p = 0.046
    """
    if not isinstance(log, Log):
        message = f"`evaluate_log` takes a log, from `read_log`, not {type(log).__name__}."
        raise HowsureError(message)
    level = checked_level(confidence_level)
    if baseline is not None:
        one_of("model", baseline, log.models)
    settings: dict[str, Any] = {"method": method, "confidence_level": level, "random_state": random_state}
    tasks = {task: log.joined(task, metric) for task in log.tasks if metric is None or metric in log.metrics(task)}
    if not tasks:
        known = dict.fromkeys(name for task in log.tasks for name in log.metrics(task))
        raise HowsureError.unknown("metric", metric, known)
    if absent := [task for task, each in tasks.items() if baseline is not None and baseline not in each.models]:
        message = (
            f"The baseline {baseline!r} has no scores of the tasks {listed(absent)}. Add its log, or leave out theirs."
        )
        raise HowsureError(message)
    estimates: dict[Key, Estimate] = {}
    comparisons: dict[Key, Comparison] = {}
    pairs = 0
    for task, each in tasks.items():
        own = {model: estimate(table, statistic, **settings) for model, table in each.of_models.items()}
        estimates |= {(task, model): found for model, found in own.items()}
        against = _best(own, statistic, each) if baseline is None else baseline
        others = [model for model in own if model != against]
        pairs += len(others) * (len(own) if baseline is None else 2) // 2
        comparisons |= {
            (task, model): compare(each.table, statistic, a=model, b=against, **settings) for model in others
        }
    p_values = [each.p_value for each in comparisons.values()]
    # Pairs among which the best was found, but that are not shown: as if they did not differ, which adjusts enough.
    adjusted = adjusted_p_values([*p_values, *[1.0] * (pairs - len(p_values))])
    changed = {
        key: replace(each, p_value=float(p)) for (key, each), p in zip(comparisons.items(), adjusted, strict=False)
    }
    return LogEvaluation(
        estimates=estimates,
        comparisons=changed,
        joined=tasks,
        statistic=statistic,
        baseline=baseline,
        pairs=pairs,
        notes=log.notes,
    )


def _best(own: Mapping[str, Estimate], statistic: str, joined: Joined) -> str:
    """Return the model with the best value: the highest, unless the statistic says that lower is better."""
    sign = -1.0 if resolve(statistic, joined.of_models[joined.models[0]]).better == "lower" else 1.0
    return max(own, key=lambda model: sign * own[model].value)


def cautions(found: Joined) -> Iterator[str]:
    """Yield what to be careful about with a task."""
    task, lacking = found.task, {name: number for name, number in found.lacking.items() if number}
    if dropped := found.items - found.shared:
        lacks = ", ".join(f"{name} lacks {number:,}" for name, number in lacking.items())
        yield f"{task}: {dropped:,} of {found.items:,} items lack a score and are left out for all models: {lacks}."
    if found.unlike:
        many = f"{found.unlike:,} item{'' if found.unlike == 1 else 's'}"
        yield f"{task}: {many} asked different things of different models: look whether the items are the same."
    if found.cluster is not None and (number := len(set(found.cluster.tolist()))) < FEW:
        yield f"{task}: there are only {number} clusters: so few make the intervals themselves uncertain."
    means = found.means
    if found.bounds is not None and means.mean(1).min() > NEARLY:
        alike = int((means == means[0]).all(0).sum())
        yield f"{task}: all models nearly always succeed; {alike:,} of {found.shared:,} items do not tell them apart."
    if found.bounds is not None and (best := float(means.mean(1).max())) < 1 - NEARLY:
        yield f"{task}: no model scores above {best:.3f}: the task is too hard to tell the models apart."

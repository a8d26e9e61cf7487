"""A log as columns, with one row for each item, run, metric and model; and its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.errors import HowsureError, listed, one_of
from howsure.grids import Grid
from howsure.logs.joined import Joined
from howsure.logs.metrics import better_by_name, name_of
from howsure.logs.records import Reported
from howsure.sources.columns import refuse_other_lengths
from howsure.tables.table import Table

KINDS: dict[str, Any] = {"run": np.intp, "score": float, "weight": float}  # other columns hold text
REQUIRED = {"task", "model", "item", "run", "metric", "score"}
OPTIONAL = ("cluster", "content", "target", "answer", "weight")  # optional columns
OF_FRAMES = (
    "A frame with one row per answer is a table of `hs.trials(success, task=…, model=…, data=frame)`, or of "
    "`hs.values` for grades."
)


@dataclass(frozen=True, eq=False, repr=False)
class Log(Mapping[str, Array]):
    """Scores of language models by item: a mapping of columns, for use as ``data=``.

    The columns are ``task``, ``model``, ``item``, ``run``, ``metric`` and ``score``. Depending on the logs there are
    also ``cluster``, ``content`` (the start of the question, or its hash), ``target``, ``answer`` and ``weight``. The
    score for a perplexity is the log loss of the item (per word or byte, with their number as weight); the perplexity
    is the exponential of the mean log loss.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n,)
        The columns by name.
    notes : tuple of str
        Caveats of the files.
    reported : tuple of Reported
        The harness's own results: value, number of samples, direction and aggregation for each task, model and metric.
    groups : mapping of str to list of str
        Tasks of each group of tasks that has a total.

    Examples
    --------
    >>> import howsure as hs
    >>> log = hs.results.Log({"task": ["sums"] * 6, "model": ["new", "old"] * 3, "item": ["a", "a", "b", "b", "c", "c"],
    ...               "run": [1] * 6, "metric": ["accuracy"] * 6, "score": [1, 0, 1, 1, 0, 0]})
    >>> log
    <Log: 6 scores of 3 items, 1 task, 2 models, 1 metric>
    >>> print(hs.compare(log.table(), "mean"))
    mean: new − old = 0.333 [-0.415, 0.792], p = 0.317
    """

    columns: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    reported: tuple[Reported, ...] = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping) or not self.columns.keys() >= REQUIRED:
            raise HowsureError(f"A log is a mapping with the columns {', '.join(sorted(REQUIRED))}, and may have more.")
        made = {str(name): _column(str(name), each) for name, each in self.columns.items()}
        refuse_other_lengths(made)
        object.__setattr__(self, "columns", made)

    def __getitem__(self, name: str) -> Array:
        found: Array = self.columns[name]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        numbers = [
            f"{len(each):,} {noun}{'' if len(each) == 1 else 's'}"
            for noun, each in (("task", self.tasks), ("model", self.models), ("metric", _distinct(self["metric"])))
        ]
        items = len(set(zip(self["task"].tolist(), self["item"].tolist(), strict=True)))
        return f"<Log: {len(self['score']):,} scores of {items:,} items, {', '.join(numbers)}>"

    def _repr_html_(self) -> str:
        names = ("task", "model", "metric")
        known = Counter(zip(*(self[name].tolist() for name in names), strict=True))
        rows = tuple((*map(str, key), f"{number:,}") for key, number in known.items())
        return Grid((*names, "scores"), rows, repr(self)).for_notebook()

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in the order of the logs."""
        return _distinct(self["task"])

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order of the logs."""
        return _distinct(self["model"])

    def metrics(self, task: str) -> tuple[str, ...]:
        """Return the metrics of a task, the main one first."""
        return _distinct(self["metric"][self["task"] == one_of("task", task, self.tasks)])

    def metrics_of(self, task: str, model: str) -> tuple[str, ...]:
        """Return the metrics of one model on a task, the main one first."""
        return tuple(self._metrics.get((task, model), ()))

    @cached_property
    def _metrics(self) -> dict[tuple[str, str], dict[str, bool]]:
        """The metrics of each task and model, and whether there is a score by each and not only items without one."""
        found: dict[tuple[str, str], dict[str, bool]] = {}
        names = (self[name].tolist() for name in ("task", "model", "metric"))
        for task, model, metric, has in zip(*names, np.isfinite(self["score"]).tolist(), strict=True):
            own = found.setdefault((task, model), {})
            own[metric] = own.get(metric, False) or has
        return found

    def scored_metrics(self, task: str, model: str) -> tuple[str, ...]:
        """Return the metrics by which one model has a score, and not only items without one."""
        return tuple(name for name, has in self._metrics.get((task, model), {}).items() if has)

    def unscored(self, task: str) -> list[tuple[str, str]]:
        """Return models of a task without a score by their first metric, but by another one, and that metric."""
        known = {model: self.scored_metrics(task, model) for model in self.models_of(task)}
        first = {model: self.metrics_of(task, model)[0] for model, names in known.items() if names}
        return [(model, metric) for model, metric in first.items() if metric not in known[model]]

    def models_of(self, task: str) -> tuple[str, ...]:
        """Return the models with samples of a task, in the order of the logs."""
        return tuple(model for of, model in self._metrics if of == task)

    def main_metric(self, task: str) -> str:
        """Return the main metric of a task: the first of those by which most of its models have scores."""
        models = Counter(name for model in self.models_of(task) for name in self.scored_metrics(task, model))
        return max(self.metrics(task), key=models.__getitem__)  # the first for ties

    def without(self, task: str, metric: str | None = None) -> list[str]:
        """Return the models of a task without a score, by one metric or by any."""
        known = {model: self.scored_metrics(task, model) for model in self.models_of(task)}
        return [model for model, names in known.items() if not names or metric not in {None, *names}]

    def _refuse_without(self, found: Joined) -> None:
        if absent := self.without(found.task, found.metric):
            raise HowsureError(
                f"{listed(absent)} {'has' if len(absent) == 1 else 'have'} no score of the task {found.task!r} by "
                f"{found.metric!r}. Name a metric that all models have, or leave such models out."
            )

    def said(self, task: str, model: str, metric: str) -> Reported:
        """Return the harness's own result of a task, model and metric; its value is nan if absent."""
        key = task, model, metric
        found = next((each for each in self.reported if each[:3] == key), None)
        return Reported(*key) if found is None else found

    def better(self, task: str, metric: str) -> str:
        """Return the direction of a metric from the log, else by the metric's name."""
        stated = [each.better for each in self.reported if (each.task, name_of(each.metric)) == (task, name_of(metric))]
        return next(filter(None, stated), better_by_name(metric))

    def table(
        self,
        task: str | None = None,
        metric: str | None = None,
        *,
        incomplete: Literal["refuse", "drop"] = "refuse",
    ) -> Table:
        """Return the table of a task; its cases are the items, clustered if the log has clusters.

        Models are joined by item. Passes and failures of several runs form a table of trials, with runs nested in
        items; other scores are averaged over the runs of each item.

        Parameters
        ----------
        task : str, optional
            The task; required if the log has several.
        metric : str, optional
            Name of the score; by default the main one.
        incomplete : {"refuse", "drop"}
            Whether items that a model lacks, and models without any score of the metric, are refused or left out.

        Returns
        -------
        ValuesTable, TrialsTable or PairedValuesTable
            The table of the task; a PairedValuesTable for several models.

        Raises
        ------
        HowsureError
            If the task or the metric is not there, a task must be chosen, items are incomplete, or one has several
            clusters.
        """
        one_of("way with incomplete items", incomplete, ("refuse", "drop"))
        found = self.joined(task, metric)
        if incomplete == "refuse":
            self._refuse_without(found)
        elif absent := self.without(found.task, found.metric):
            rest = [model for model in found.models if model not in absent]
            found = self.joined(task, metric, rest or None)
        if incomplete == "refuse" and (dropped := found.items - found.shared):
            lacks = ", ".join(f"{name!r} lacks {number:,}" for name, number in found.lacking.items() if number)
            raise HowsureError(
                f"{dropped:,} of the {found.items:,} items of the task {found.task!r} lack a score ({lacks}). "
                "Add them, or leave such items out: incomplete='drop'."
            )
        return found.table

    def contenders(self, task: str | None = None, metric: str | None = None) -> Table | dict[str, Table]:
        """Return the table of a task for a leaderboard, which does not require shared items.

        Parameters
        ----------
        task, metric : str, optional
            As in `table`.

        Returns
        -------
        Table or dict of str to Table
            The paired table if every model has every item. Otherwise the table of each model, clustered by item or by
            the clusters of the log, so that models can be compared.
        """
        found = self.joined(task, metric)
        self._refuse_without(found)
        if found.items == found.shared:
            return found.table
        return found.alone(self)

    def joined(self, task: str | None = None, metric: str | None = None, models: Sequence[str] | None = None) -> Joined:
        """Return the scores of a task and metric for all or some models, joined by item, with the mismatches."""
        if task is None and len(self.tasks) > 1:
            raise HowsureError(f"The log has several tasks: {listed(self.tasks)}. Name one.")
        task = one_of("task", self.tasks[0] if task is None else task, self.tasks)
        known = self.metrics(task)
        metric = one_of(f"metric of the task {task!r}", self.main_metric(task) if metric is None else metric, known)
        found = joined(self, task, metric, models)
        stated = (each.aggregation for each in self.reported if (each.task, each.metric) == (task, metric))
        aggregation = next(filter(None, stated), "")
        return replace(found, better=self.better(task, metric), aggregation=aggregation)


def joined(log: Mapping[str, Array], task: str, metric: str, models_of: Sequence[str] | None = None) -> Joined:
    """Return the scores of a task and metric for all or some models, joined by item."""
    own = (log["task"] == task) & (log["metric"] == metric)
    if models_of is not None:
        own &= np.isin(log["model"].astype(str), list(models_of))
    rows = np.flatnonzero(own)
    models, model = _coded(log["model"][rows])
    items, item = _coded(log["item"][rows])
    score = log["score"][rows]
    has = np.isfinite(score)
    _refuse_repeated(task, models, items, model, item, log["run"][rows])
    counted = np.bincount(model[has] * len(items) + item[has], minlength=len(models) * len(items))
    present = counted.reshape(len(models), len(items)) > 0
    shared = np.asarray(present.all(0))
    kept = has & shared[item]
    place = np.cumsum(shared) - 1
    beside = {name: log[name][rows] if name in log else None for name in ("cluster", "content", "weight")}
    return Joined(
        task=task,
        metric=metric,
        models=tuple(models),
        items=len(items),
        lacking=dict(zip(models, (~present).sum(1).tolist(), strict=True)),
        unlike=_unlike(item, beside["content"]),
        score=score[kept],
        model=model[kept],
        item=place[item[kept]],
        cluster=_clusters(items, item, beside["cluster"], shared),
        weight=_weights(item, beside["weight"], shared),
    )


def _column(name: str, given: object) -> Array:
    try:
        found = np.asarray(given, dtype=KINDS.get(name, object))
    except (TypeError, ValueError):
        raise HowsureError(f"`{name}` holds an entry that is not a number. Give one for each score.") from None
    if found.ndim != 1 or not len(found):
        raise HowsureError(f"`{name}` has shape {found.shape}. Give one value for each of at least one score.")
    return found


def _distinct(column: Array) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column.tolist()))


def _coded(column: Array) -> tuple[list[str], Array]:
    """Return the distinct values of a column in order of appearance, and each row's code."""
    values = column.tolist()
    places = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return list(places), np.fromiter(map(places.__getitem__, values), dtype=np.intp, count=len(values))


def _several(item: Array, codes: Array) -> Array:
    """Return whether an item has several codes, for each item."""
    first = np.zeros(int(item.max(initial=-1)) + 1, dtype=np.intp)
    first[item[::-1]] = codes[::-1]
    found = np.zeros(len(first), dtype=bool)
    found[item[codes != first[item]]] = True
    return found


def _refuse_repeated(
    task: str, models: Sequence[str], items: Sequence[str], model: Array, item: Array, run: Array
) -> None:
    """Refuse duplicate runs of an item, which would count as two runs."""
    runs, place = np.unique(run, return_inverse=True)
    flat = (model * len(items) + item) * len(runs) + place.ravel()
    distinct, first = np.unique(flat, return_index=True)
    if len(distinct) < len(flat):
        again = int(np.setdiff1d(np.arange(len(flat)), first)[0])
        raise HowsureError(
            f"The model {models[model[again]]!r} has run {run[again]} of the item {items[item[again]]!r} twice in the "
            f"task {task!r}. Give each run a number of its own."
        )


def _unlike(item: Array, content: Array | None) -> int:
    return 0 if content is None else int(_several(item, _coded(content)[1]).sum())


def _weights(item: Array, weight: Array | None, shared: Array) -> Array | None:
    """Return the weight of each shared item; None if all are equal."""
    if weight is None or (weight == weight[0]).all():
        return None
    found = np.ones(len(shared))
    found[item] = weight
    return np.asarray(found[shared])


def _clusters(items: Sequence[str], item: Array, cluster: Array | None, shared: Array) -> Array | None:
    """Return the cluster of each shared item as text; None if no item has one."""
    if cluster is None or all(each is None for each in cluster.tolist()):
        return None
    named, codes = _coded(cluster)
    if (several := _several(item, codes)).any():
        raise HowsureError(
            f"The item {items[int(np.argmax(several))]!r} is in several clusters. Give it one in all logs."
        )
    found = np.empty(len(items), dtype=np.intp)
    found[item] = codes
    if None in (of := [named[code] for code in found[shared].tolist()]):
        raise HowsureError(
            f"The item {items[int(np.flatnonzero(shared)[of.index(None)])]!r} has no cluster. Give one to all."
        )
    return np.array([str(each) for each in of])

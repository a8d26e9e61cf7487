"""The scores of one task and metric, joined over models by item and never by position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.errors import HowsureError
from howsure.logs.metrics import BITS, is_exponential
from howsure.sources.trials import counted_tasks
from howsure.sources.values import values
from howsure.tables.joint import paired_table
from howsure.tables.table import Table

KEYS = ("model", "item")  # columns that identify a score; repeated ones are runs


@dataclass(frozen=True, eq=False)
class Joined:
    """The scores of the items of a task that are shared by all its models.

    Parameters
    ----------
    task, metric : str
        The task and the metric of the scores.
    models : tuple of str
        The models, in the log's order.
    items : int
        Number of items of any model.
    lacking : dict of str to int
        Number of items without a score, by model.
    unlike : int
        Number of items with the same name but different content between models.
    score : ndarray of shape (n,)
        The scores of the shared items.
    model, item : ndarray of shape (n,)
        Position of each score's model, and of its item among the shared ones.
    cluster : ndarray of shape (shared items,), optional
        Cluster of each shared item.
    weight : ndarray of shape (shared items,), optional
        Weight of each shared item in the mean.
    better : {"higher", "lower"}
        Which values are better.
    aggregation : str
        The harness's aggregation of scores, if stated in the log.
    """

    task: str
    metric: str
    models: tuple[str, ...]
    items: int
    lacking: dict[str, int]
    unlike: int
    score: Array
    model: Array
    item: Array
    cluster: Array | None
    weight: Array | None = None
    better: str = "higher"
    aggregation: str = ""

    @property
    def is_exponential(self) -> bool:
        """Whether the metric is the exponential of the mean of the scores, which are log losses."""
        return is_exponential(self.aggregation)

    @property
    def shared(self) -> int:
        """Number of items that all models have."""
        return int(self.runs.shape[1])

    @cached_property
    def runs(self) -> Array:
        """Number of runs of each model and item."""
        size = len(self.models), int(self.item.max(initial=-1)) + 1
        return np.bincount(self.model * size[1] + self.item, minlength=size[0] * size[1]).reshape(size)

    def is_alike(self, first: str, second: str) -> bool:
        """Whether two models have the same mean score on every item."""
        places = [self.models.index(each) for each in (first, second)]
        return bool((self.means[places[0]] == self.means[places[1]]).all())

    @cached_property
    def means(self) -> Array:
        """Mean over its runs of each model's scores of each item."""
        place = self.model * self.runs.shape[1] + self.item
        return np.bincount(place, self.score, self.runs.size).reshape(self.runs.shape) / self.runs

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The bounds 0 and 1 if all scores are within them, else None."""
        if self.is_exponential or self.aggregation in BITS:
            return None
        return (0.0, 1.0) if self.score.min() >= 0 and self.score.max() <= 1 else None

    @cached_property
    def table(self) -> Table:
        """The table of the shared items: trials if passes and failures have several runs, else means.

        Raises
        ------
        HowsureError
            If no item is shared by all models.
        """
        if not self.shared:
            raise HowsureError(
                f"No item of the task {self.task!r} has a score by {self.metric!r} of each of its {len(self.models)} "
                "models. Look whether the logs are of the same items, or leave out a model."
            )
        names = self.models if len(self.models) > 1 else ()
        named, cluster = (None, None) if self.cluster is None else np.unique(self.cluster, return_inverse=True)
        if self.weight is None and self.runs.max() > 1 and np.isin(self.score, (0, 1)).all():
            successes = np.rint(self.means * self.runs).astype(np.intp)
            found: Table = counted_tasks(names, successes, self.runs, None, cluster, named)
            return found
        numbers = dict(zip(names, self.means, strict=True)) if names else self.means[0]
        return values(numbers, bounds=self.bounds, groups=self.cluster, sample_weight=self.weight, check=False)

    def alone(self, log: Mapping[str, Array]) -> dict[str, Table]:
        """Return the table of each model's own items, clustered as in the log, else by item.

        Parameters
        ----------
        log : mapping of str to ndarray
            The columns of the log.
        """
        own = (log["task"] == self.task) & (log["metric"] == self.metric) & np.isfinite(log["score"])
        every = log["score"][own]
        passes = bool(np.isin(every, (0, 1)).all()) and len(
            {*zip(*(log[name][own] for name in KEYS), strict=True)}
        ) < len(every)
        within = (0.0, 1.0) if every.min() >= 0 and every.max() <= 1 else None
        given = log.get("cluster")
        known = given is not None and all(each is not None for each in given[own].tolist())
        tables: dict[str, Table] = {}
        for name in self.models:
            rows = np.flatnonzero(own & (log["model"] == name))
            items, item = np.unique(log["item"][rows].astype(str), return_inverse=True)
            runs = np.bincount(item)
            sums = np.bincount(item, log["score"][rows])
            first = np.unique(item, return_index=True)[1]
            groups = given[rows][first].astype(str) if known and given is not None else items
            if passes:
                named, cluster = np.unique(groups, return_inverse=True)
                successes = np.rint(sums).astype(np.intp)[None]
                tables[name] = counted_tasks((), successes, runs[None], None, cluster, named)
            else:
                tables[name] = values(sums / runs, bounds=within, groups=groups, check=False)
        return tables

    @property
    def of_models(self) -> dict[str, Table]:
        """The table of each model."""
        if len(self.models) < 2:
            return {self.models[0]: self.table}
        paired = paired_table(self.table, "evaluate_log")
        return {name: paired.model(name) for name in self.models}

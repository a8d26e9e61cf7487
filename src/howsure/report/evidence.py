"""What a report is made from: the tables of each model, and their metrics at several confidence levels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import evaluate
from howsure.methods import Bootstrap, Method
from howsure.metrics.metric import Metric
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """One model and what is known of it.

    Parameters
    ----------
    name
        The model's name; may be empty where there is one only.
    table
        Its confusion (or multilabel) table.
    scores
        Its table of scores, for curves and metrics of scores.
    groups
        Its table for each value of a column: part of the cases each.
    threshold
        The score from which on a case counts as predicted positive, where the table was made so.
    """

    name: str = ""
    table: Table | None = None
    scores: Table | None = None
    groups: Mapping[Any, Table] = field(default_factory=dict)
    threshold: float | None = None

    @property
    def any_table(self) -> Table:
        """The table that counts the cases by class."""
        found = self.table if self.table is not None else self.scores
        assert found is not None  # noqa: S101 - `report_of` refuses a subject without evidence
        return found

    @property
    def class_totals(self) -> Any:
        """Cases of each true class."""
        table = self.any_table
        return table.counts.sum(0) if isinstance(table, ScoresTable) else table.counted.rows


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Settings:
    """How everything in a report is estimated; ``given`` has what was estimated already, at the main level."""

    metrics: Sequence[str | Metric] | None
    method: Method | None
    levels: tuple[float, ...]
    level: int
    seed: np.random.SeedSequence
    given: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One metric of one table at all levels."""

    at: tuple[Estimate, ...]
    main: Estimate

    @property
    def metric(self) -> str:
        """Its spec string."""
        return self.main.metric

    @property
    def value(self) -> float:
        """The observed value."""
        return self.main.value

    @property
    def limits(self) -> list[tuple[float, float]]:
        """The interval at each level."""
        return [(each.low, each.high) for each in self.at]

    @property
    def is_drawable(self) -> bool:
        """Whether value and all limits are finite and within the usual [-1, 1], so that metrics share an axis."""
        ends = [self.value, *(end for pair in self.limits for end in pair)]
        return all(math.isfinite(end) and abs(end) <= 1 for end in ends)

    def shown_as(self, given: Estimate | None, level: int) -> Measured:
        """Return the metric with the estimate that was made before in place of its own at a level."""
        if given is None:
            return self
        return Measured((*self.at[:level], given, *self.at[level + 1 :]), given)


def measured(
    table: Table, metrics: Sequence[str | Metric] | None, settings: Settings, method: Method | None
) -> list[Measured]:
    """Return the metrics of a table at all levels; methods that draw take the same draws at each."""
    runs = [
        evaluate(table, metrics, method=method, confidence_level=level, random_state=settings.seed)
        for level in settings.levels
    ]
    return [Measured(each, each[settings.level]) for each in zip(*(run.values() for run in runs), strict=True)]


def overall(subject: Subject, settings: Settings) -> list[Measured]:
    """Return a model's metrics of counts and of scores."""
    found = []
    if subject.table is not None:
        found += measured(subject.table, settings.metrics, settings, settings.method)
    if subject.scores is not None:
        wanted = None if subject.table is not None else settings.metrics
        method = settings.method
        if subject.table is not None and not isinstance(method, Bootstrap):  # the others are for counts
            method = None
        found += measured(subject.scores, wanted, settings, method)
    return [each.shown_as(settings.given.get(each.metric), settings.level) for each in found]


def by_class(subject: Subject, settings: Settings) -> dict[str, list[Measured]]:
    """Return precision, recall and F1 of each class, by metric."""
    if subject.table is None:
        return {}
    every = measured(subject.table, ["precision@none", "recall@none", "f1@none"], settings, settings.method)
    size = len(subject.table.labels)
    return {name: every[i * size : (i + 1) * size] for i, name in enumerate(("precision", "recall", "F1"))}


def by_group(subject: Subject, settings: Settings) -> dict[Any, list[Measured]]:
    """Return the metrics of each group."""
    return {
        value: measured(table, settings.metrics, settings, settings.method) for value, table in subject.groups.items()
    }

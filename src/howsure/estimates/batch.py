"""Estimates for many tables: arrays over the groups, and an estimate of each group by its key."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.errors import UnknownKeyError
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.estimates.evaluation import Evaluation
from howsure.estimates.grouped import word_for_all
from howsure.grids import Grid, MadeRows, Tabular
from howsure.numbers import interval_text, number, percent, significant_decimals
from howsure.tables.batch import Tables

COLUMNS = ("value", "low", "high", "standard_error", "method", "reason")
MOST_NAMES = 3  # in a note


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Estimates(Tabular, Mapping[Hashable, Estimate]):
    """Estimates of one metric for each group: arrays over the groups, and an `Estimate` by key or position.

    Parameters
    ----------
    tables : Tables
        The tables of the groups.
    metric : str
        Spec string of the metric.
    overall : Estimate
        Estimate for the table of all groups.
    value, low, high, standard_error : ndarray of shape (G,)
        Values, limits and standard errors.
    method : ndarray of shape (G,) of str
        Name of the method for each group.
    reason : ndarray of shape (G,) of str
        Why an estimate is undefined, or a caveat about it; empty if there is none.
    confidence_level : float
        Confidence level of the intervals.
    drawn : tuple of Estimate
        Estimates of the groups with their draws, if the method draws; else empty.

    Examples
    --------
    >>> import howsure as hs
    >>> tables = hs.from_counts([[[50, 3], [5, 42]], [[40, 13], [9, 38]]])
    >>> found = hs.estimate(tables, "f1")
    >>> found.low.round(3).tolist(), str(found[1]), str(found.overall)
    ([0.836, 0.672], '0.776 [0.672, 0.856]', '0.842 [0.779, 0.892]')
    """

    tables: Tables[Any]
    metric: str
    overall: Estimate
    value: Array
    low: Array
    high: Array
    standard_error: Array
    method: Array
    reason: Array
    confidence_level: float = 0.95
    drawn: tuple[Estimate, ...] = ()

    @classmethod
    def of(cls, tables: Tables[Any], overall: Estimate, estimates: tuple[Estimate, ...]) -> Estimates:
        """Return the estimates of groups that were estimated one at a time."""
        columns = {name: np.array([getattr(each, name) for each in estimates]) for name in COLUMNS}
        drawn = estimates if any(each.draws is not None for each in estimates) else ()
        level = overall.confidence_level
        return cls(
            tables=tables, metric=overall.metric, overall=overall, confidence_level=level, drawn=drawn, **columns
        )

    @classmethod
    def joined(cls, parts: Sequence[Estimates], places: Sequence[Array]) -> Estimates:
        """Join estimates of disjoint subsets of the groups.

        Parameters
        ----------
        parts : sequence of Estimates
            Estimates whose arrays contain a subset of the groups each.
        places : sequence of ndarray of int
            Positions of these groups among all groups.
        """
        order = np.argsort(np.concatenate(places))
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(each, name) for each in parts])[order] for name in COLUMNS
        }
        return replace(parts[0], **columns)

    def __getitem__(self, key: Hashable) -> Estimate:
        position = self.tables.position(key)
        if self.drawn:
            return self.drawn[position]
        return Estimate(
            float(self.value[position]),
            low=self.low[position],
            high=self.high[position],
            metric=self.metric,
            confidence_level=self.confidence_level,
            method=str(self.method[position]),
            standard_error=self.standard_error[position],
            reason=str(self.reason[position]),
            bounds=self.overall.bounds,
            label=self.overall.label,
            positive=self.overall.positive,
            is_positive_stated=self.overall.is_positive_stated,
        )

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict for all groups together, then one per group; the columns of the group are first."""
        columns = self._columns()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """Return the columns as lists."""
        return self._columns()

    def grid(self) -> Grid:
        """Return a table of strings with groups, value, interval, standard error and method."""
        return batch_grid([self])

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns of the records; the first row is that of all groups together."""
        size, overall = len(self) + 1, self.overall.to_dict()
        columns: dict[str, list[Any]] = dict(self.tables.group_columns())
        for name in (
            "metric",
            "value",
            "low",
            "high",
            "confidence_level",
            "method",
            "standard_error",
            "reason",
            "positive",
        ):
            is_by_group = name in COLUMNS
            columns[name] = [overall[name], *getattr(self, name).tolist()] if is_by_group else [overall[name]] * size
        return columns


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Evaluations(Tabular, Mapping[Hashable, Evaluation]):
    """Estimates of several metrics for each group: an `Evaluation` by key, and `Estimates` by metric.

    Parameters
    ----------
    tables : Tables
        The tables of the groups.
    overall : Evaluation
        Evaluation of the table of all groups.
    by_metric : mapping of str to Estimates
        Estimates of each metric over the groups.
    seeds : mapping of hashable to seed
        Seed of each group's draws, if the method draws.

    Examples
    --------
    >>> import howsure as hs
    >>> tables = hs.confusion([1, 0, 1, 0, 1, 0], [1, 0, 0, 0, 1, 1], by=["a", "a", "a", "b", "b", "b"])
    >>> print(hs.evaluate(tables, ["accuracy", "recall"]))
    group    metric  value   95 % interval  std. error  method
    ──────────────────────────────────────────────────────────
    all    accuracy  0.667  [0.262, 0.940]      0.1925   mid_p
    all      recall  0.667  [0.132, 0.983]      0.2722   mid_p
    a      accuracy  0.667  [0.132, 0.983]      0.2722   mid_p
    a        recall  0.500  [0.025, 0.975]      0.3536   mid_p
    b      accuracy  0.667  [0.132, 0.983]      0.2722   mid_p
    b        recall  1.000  [0.050, 1.000]      0.0000   mid_p
    """

    tables: Tables[Any]
    overall: Evaluation
    by_metric: Mapping[str, Estimates]
    seeds: Mapping[Hashable, Any]

    @property
    def confidence_level(self) -> float:
        """Confidence level of the intervals."""
        return self.overall.confidence_level

    def __getitem__(self, key: Hashable) -> Evaluation:
        if key not in self.tables:
            raise UnknownKeyError.unknown("group", str(key), map(str, self.tables))
        whole = self.overall
        return Evaluation(
            estimates={name: each[key] for name, each in self.by_metric.items()},
            table=self.tables[key],
            method=whole.method,
            seed=self.seeds.get(key),
            threshold=whole.threshold,
            confidence_level=whole.confidence_level,
        )

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per group and metric, those of all groups together first."""
        columns = [each.records() for each in self.by_metric.values()]
        return [record for group in zip(*columns, strict=True) for record in group]

    def grid(self) -> Grid:
        """Return a table of strings with groups, metric, value, interval, standard error and method."""
        return batch_grid(list(self.by_metric.values()))


def batch_grid(estimates: list[Estimates]) -> Grid:
    """Return a table of strings with one row per metric, for all groups together and then for each group."""
    first, number_of_metrics = estimates[0], len(estimates)
    all_groups = [word_for_all(first.tables.group_columns())] * len(first.tables.columns)
    keys, columns = list(first.tables), [each.to_dict() for each in estimates]

    def group(place: int) -> tuple[str, ...]:
        values = first.tables.group(keys[place - 1]).values() if place else all_groups
        return tuple(map(str, values))

    def row(index: int) -> tuple[str, ...]:
        place, metric = divmod(index, number_of_metrics)
        record = {name: values[place] for name, values in columns[metric].items()}
        decimals = significant_decimals(record["low"], record["high"])
        return (
            *group(place),
            record["metric"],
            number(record["value"], decimals),
            interval_text(record["low"], record["high"], decimals),
            number(record["standard_error"], decimals + 1),
            record["method"],
        )

    rows = number_of_metrics * (len(first.tables) + 1)
    names_by_reason: dict[str, list[str]] = {}
    for place, reasons in enumerate(zip(*(each["reason"] for each in columns), strict=True)):
        for reason, metric in zip(reasons, estimates, strict=True):
            if reason:
                name = f"{' '.join(group(place))} {metric.overall.label}"
                names_by_reason.setdefault(reason, []).append(name)
    notes = [_note(reason, names, rows) for reason, names in names_by_reason.items()]
    notes += positive_notes(each.overall for each in estimates)
    headers = (*first.tables.columns, "metric", "value", f"{percent(first.confidence_level)} interval")
    return Grid((*headers, "std. error", "method"), MadeRows(rows, row), "; ".join(notes))


def _note(reason: str, names: list[str], rows: int) -> str:
    """Return a reason, preceded by at most three names that it applies to unless these are all rows."""
    if len(names) == rows > 1:
        return reason
    shown = ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
    return f"{shown}: {reason}"

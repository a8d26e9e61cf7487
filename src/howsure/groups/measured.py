"""Metrics of groups and of all cases: their intervals as functions of the half-width, and their correlation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array, Seed
from howsure.comparison.contenders import covariance_within, covariances_by_unit, finite_gradients
from howsure.designs.base import safe_divide
from howsure.designs.clustering import Clustering
from howsure.estimates.batched_intervals import method_and_table
from howsure.groups.simultaneous import Estimated, level_at
from howsure.methods.core.interval import IntervalAtLevel
from howsure.methods.core.method import Method
from howsure.metrics.binding import resolve_each
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.batch import Tables
from howsure.tables.table import Table


@dataclass(frozen=True, eq=False)
class Measured:
    """Metrics of groups and of all cases.

    Parameters
    ----------
    names : tuple of str
        The groups.
    metrics : tuple of str
        Labels of the metrics.
    tables : tuple of Table
        The tables of the groups, and last that of all cases.
    bound : tuple of tuple of Metric
        Each metric for each table.
    estimated : Estimated
        The estimates: for each metric those of the groups, and last that of all cases.
    method : Method, optional
        The requested method.
    seed : SeedSequence
        Seed of methods that draw.
    """

    names: tuple[str, ...]
    metrics: tuple[str, ...]
    tables: tuple[Table, ...]
    bound: tuple[tuple[Metric, ...], ...]
    estimated: Estimated
    method: Method | None
    seed: Any

    @classmethod
    def of(cls, tables: Tables[Any], metrics: Sequence[Spec | Metric], method: Method | None, seed: Any) -> Measured:
        """Return the metrics of the tables.

        Parameters
        ----------
        tables : Tables
            The tables of the groups.
        metrics : sequence of Spec or Metric
            The metrics.
        method : Method, optional
            Method of the intervals; by default the default method of each.
        seed : SeedSequence
            Seed of methods that draw.
        """
        names = tuple(", ".join(map(str, tables.group(key).values())) for key in tables)
        every = (*tables.values(), tables.overall)
        bound = tuple(tuple(resolve_each(each, every)) for each in metrics)
        at = [
            _at_levels(metric, table, method, seed)
            for of_one in bound
            for metric, table in zip(of_one, every, strict=True)
        ]
        with np.errstate(all="ignore"):
            values = np.array(
                [float(one(own.counted)) for of_one in bound for one, own in zip(of_one, every, strict=True)]
            )

        def limits(half_width: float) -> tuple[Array, Array]:
            level = level_at(half_width)
            found = [each(level).to_scalars() for each in at]
            return np.array([each.low for each in found]), np.array([each.high for each in found])

        estimated = Estimated(values, limits, _correlation(every, bound))
        return cls(names, tuple(of_one[0].label for of_one in bound), every, bound, estimated, method, seed)


def _at_levels(metric: Metric, table: Table, method: Method | None, seed: Seed) -> IntervalAtLevel:
    """Return the interval of a metric of one table as a function of its level."""
    chosen, same, small = method_and_table(metric, table, method)
    return chosen.at_levels(same, small, seed)


def _correlation(tables: Sequence[Table], bound: Sequence[Sequence[Metric]]) -> Array:
    """Return the correlation of all metrics of all tables, the last of which has the cases of all others.

    Tables are correlated through units of the same name, such as clusters. Without such units a group is correlated
    with all cases through its own cases, if both tables have the same cells. An unknown correlation is 0, which makes
    the simultaneous intervals wider.
    """
    size, number = len(tables), len(bound)
    with np.errstate(all="ignore"):
        gradients = [
            [finite_gradients([m.gradient(t.counted)], 1, t)[0] for m, t in zip(of_one, tables, strict=True)]
            for of_one in bound
        ]
    covariance = np.zeros((number * size, number * size))
    units = [Clustering.of(each.design).named_units for each in tables]
    if all(units):
        parts = [(units[k], tables[k].cells, gradients[row][k]) for row in range(number) for k in range(size)]
        covariance = covariances_by_unit(parts)[0].sum(0)
        for place, (_, cells, gradient) in enumerate(parts):
            covariance[place, place] = tables[place % size].design.variance(cells, gradient)
    else:
        whole = size - 1
        for k, table in enumerate(tables):
            own = [row * size + k for row in range(number)]
            within = [gradients[row][k] for row in range(number)]
            is_part = k != whole and table.cells.shape == tables[whole].cells.shape
            others = [gradients[row][whole] for row in range(number)] if is_part else []
            found = covariance_within(table, np.stack([*within, *others]))
            covariance[np.ix_(own, own)] = found[:number, :number]
            if is_part:
                all_cases = [row * size + whole for row in range(number)]
                covariance[np.ix_(own, all_cases)] = found[:number, number:]
                covariance[np.ix_(all_cases, own)] = found[number:, :number]
    own_variance = np.diag(covariance)
    spread = np.sqrt(np.where(np.isfinite(own_variance), np.maximum(own_variance, 0.0), 0.0))
    found = np.clip(np.nan_to_num(safe_divide(covariance, np.outer(spread, spread))), -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray((found + found.T) / 2)

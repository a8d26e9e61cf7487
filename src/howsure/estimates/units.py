"""`per_unit`: the metric of each unit as a value, for means, quantiles and paired comparisons of units."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np

from howsure.designs.clustering import Clustering
from howsure.errors import HowsureError, UndefinedDesignError, one_of
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.sources.counted_values import counted_values
from howsure.tables.batch import ALL, Tables
from howsure.tables.joint import JointTable
from howsure.tables.paired_values import PairedValuesTable
from howsure.tables.protocols import unit_weights
from howsure.tables.table import Table, require_table
from howsure.tables.values import ValuesTable

NanPolicy = Literal["raise", "omit"]
BLOCK_CELLS = 2**20  # cells of units' tables in memory at once


@overload
def per_unit(  # type: ignore[overload-overlap]  # a joint table is a table too: the narrower comes first
    table: JointTable, metric: str | Spec, *, nan_policy: NanPolicy = ...
) -> PairedValuesTable: ...
@overload
def per_unit(table: Tables[Any], metric: str | Spec, *, nan_policy: NanPolicy = ...) -> Tables[Any]: ...
@overload
def per_unit(table: Table, metric: str | Spec, *, nan_policy: NanPolicy = ...) -> ValuesTable: ...


def per_unit(
    table: Table | Tables[Any], metric: str | Spec, *, nan_policy: NanPolicy = "raise"
) -> ValuesTable | PairedValuesTable | Tables[Any]:
    """Return the metric of each unit, such as Dice of each image or F1 of each document, to average over units.

    The mean over units differs from the metric of the pooled units: small units count as much as large ones. Units are
    the units of `events` and `from_counts`, and the clusters of ``groups`` for other tables. Clusters of units become
    clusters of the values, and weights of units are kept.

    Parameters
    ----------
    table : Table or Tables
        Table made by `events`, by `from_counts` from a stack of matrices with ``groups``, or from rows with ``groups``.
        The values of several models are paired.
    metric : str
        A spec string such as ``"dice"`` or ``"f1@macro"``. With ``"dice+zero_division=1"``, units on which the metric
        is undefined (no object present and none detected) have the value 1.
    nan_policy : {"raise", "omit"}
        Treatment of units on which the metric of any model is undefined: raise an error with their number, or leave
        them out.

    Returns
    -------
    ValuesTable, PairedValuesTable or Tables
        A table of values with the range of the metric as bounds, for ``mean``, ``median``, ``quantile+q=0.1`` …

    Raises
    ------
    HowsureError
        If the table has no units, the metric is invalid, or it is undefined on all units (or, with "raise", on some).

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.events(tp=[8, 5, 90, 2, 7, 6], fp=[1, 0, 20, 1, 0, 1], fn=[2, 3, 10, 1, 1, 2])
    >>> print(hs.estimate(table, "dice"), hs.estimate(hs.per_unit(table, "dice"), "mean"), sep="; ")
    0.849 [0.774, 0.905]; 0.811 [0.680, 0.906]
    """
    one_of("nan_policy", nan_policy, ("raise", "omit"))
    if isinstance(table, Tables):
        every = {key: per_unit(each, metric, nan_policy=nan_policy) for key, each in table.all_and_groups().items()}
        overall = every.pop(ALL)
        return Tables(every, list(every.values()), overall, table.columns)
    given = require_table(Table, table, "`per_unit` takes a table of units, from `events` or with `groups`.")
    joint = given if isinstance(given, JointTable) else None
    names = () if joint is None else joint.names
    views = [None] if joint is None else [joint.view(name) for name in names]
    metrics = [resolve(metric, given if view is None else view.table(given)) for view in views]
    if not all(each.takes_batches for each in metrics):
        raise HowsureError(
            f"`{metrics[0].name}` is fitted to the counts of the whole table: a unit has none of its own."
        )
    try:
        units, cluster, names_of_clusters = Clustering.of(given.design).unit_tables(int(np.prod(given.shape)))
    except UndefinedDesignError:
        raise HowsureError(
            f"This {given.kind.noun} has no units ({type(given.design).__name__} design). Make one with `events`, "
            "`from_counts(stack, groups=…)`, or give `groups` to the source."
        ) from None
    values, weight = np.empty((len(metrics), units.shape[0])), np.ones(units.shape[0])
    step = max(1, BLOCK_CELLS // units.shape[1])
    for start in range(0, units.shape[0], step):
        cells = units[start : start + step].toarray()
        counts = given.make_counts(cells)
        with np.errstate(all="ignore"):
            for row, each, view in zip(values, metrics, views, strict=True):
                found = each(counts if view is None else counts.through(view))
                row[start : start + step] = np.clip(found, *each.range)  # sums of weights have rounding errors
        own = unit_weights(given, cells)
        weight[start : start + step] = 1.0 if own is None else own
    defined = np.asarray(np.isfinite(values).all(0))
    if not defined.all() and (nan_policy == "raise" or not defined.any()):
        raise _undefined(metrics[0], int((~defined).sum()), len(defined))
    is_weighted = bool((weight != weight[0]).any())
    made: ValuesTable | PairedValuesTable = counted_values(
        names,
        list(values[:, defined]),
        weight[defined] if is_weighted else None,
        None if cluster is None else cluster[defined],
        limits=None if np.isinf(metrics[0].range).all() else metrics[0].range,
        clusters_named=names_of_clusters,
    )
    return made


def _undefined(metric: Metric, number: int, units: int) -> HowsureError:
    said = f"`{metric.name}` is undefined on {number:,} of {units:,} units, where its denominator is zero."
    if number == units:
        return HowsureError(f"{said} There is nothing to take the mean of.")
    fill = ""
    if metric.spec is not None and metric.spec.definition.has_outcomes:
        fill = f"Give them a value, '{metric.spec.definition.name}+zero_division=1', or leave"
    return HowsureError(f"{said} {fill or 'Leave'} them out: nan_policy='omit'.")

"""Groups of scores as batches, for metrics that depend on the order of the scores alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.methods.core.method import Method
from howsure.methods.default import checked
from howsure.metrics.metric import Metric
from howsure.native.resampling import Ranked
from howsure.tables.batch import Tables
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

MOST_CELLS = 2**18  # of a batch: 2 MiB


def needs_ranks(metric: Metric, method: Method | None, whole: Table) -> bool:
    """Return whether an estimate depends on the order of the scores alone, and not on scores that no case has.

    Parameters
    ----------
    metric : Metric
        Bound to the table of all groups.
    method : Method, optional
        The requested method.
    whole : Table
        That table.
    """
    return isinstance(metric.structure, Ranked) and checked(method, metric, whole).ignores_empty_cells


def rank_batches(tables: Tables[Any]) -> list[tuple[Array, ScoresTable]]:
    """Return the tables of groups with the ranks of their scores as scores, in batches, with their places.

    Groups of similar length share a batch. The shorter ones are filled up with scores that no case has, at most as many
    as they have. The list is empty for other tables than scores of independent cases.

    Examples
    --------
    >>> import howsure as hs
    >>> tables = hs.scores([0, 1, 1, 0, 0, 1, 1], [0.1, 0.4, 0.7, 0.2, 0.3, 0.8, 0.9], by=[*"aaabbbb"])
    >>> [(places.tolist(), batch.counts.astype(int).tolist()) for places, batch in rank_batches(tables)]
    [([0, 1], [[[1, 0], [0, 1], [0, 1], [0, 0]], [[1, 0], [1, 0], [0, 1], [0, 1]]])]
    """
    whole, groups = tables.overall, list(tables.values())
    if not (whole.kind.has_thresholds and all(_is_alike(each, whole) for each in groups)):
        return []
    sizes = np.array([len(each.scores) for each in groups])
    order = np.argsort(sizes, kind="stable")
    found = []
    for power, places in groupby(order.tolist(), lambda place: int(sizes[place] - 1).bit_length()):
        some, most = list(places), max(1, MOST_CELLS >> (power + 1))
        for start in range(0, len(some), most):
            part = np.array(some[start : start + most])
            found.append((part, _stacked(whole, [groups[place] for place in part], int(sizes[part[-1]]))))
    return found


def _is_alike(table: Any, whole: ScoresTable) -> bool:
    return bool(table.design.traits.is_independent and table.labels.tolist() == whole.labels.tolist())


def _stacked(whole: ScoresTable, groups: list[Any], size: int) -> ScoresTable:
    counts = np.moveaxis(np.zeros((len(groups), 2, size)), 1, 2)  # each class lies together
    for own, each in zip(counts, groups, strict=True):
        own[: len(each.scores)] = each.counts
    ranks, rows = np.arange(float(size)), np.array([each.rows for each in groups])
    return replace(whole, counts=counts, scores=ranks, design=groups[0].design, rows=rows, limits=None, spread=None)

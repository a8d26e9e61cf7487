"""Comparisons of all pairs of models on one test set, with joint tables in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from howsure.arrays import Seed
from howsure.comparison.compare import chosen_method, compared, comparison_of, of_one_model, own_method
from howsure.comparison.limits import ContrastLimits
from howsure.comparison.result import Comparison
from howsure.estimates.estimate import Estimate
from howsure.methods.core.interval_spec import IntervalSpec
from howsure.methods.core.method import DrawingMethod, Method
from howsure.metrics.binding import left_out, resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Contrast, Metric, Side
from howsure.tables.joint import JointTable
from howsure.tables.table import Table, select_table

DIFFERENCE = EFFECTS["difference"]


def compared_pairs(
    models: JointTable, metric: str | Metric, method: Method | None, sides: IntervalSpec, random_state: Seed = None
) -> list[Comparison]:
    """Return the differences of a metric of all pairs of models.

    Parameters
    ----------
    models : JointTable
        The table of all models.
    metric : str or Metric
        A spec string or a metric.
    method : Method, optional
        The default method for the pairs, unless given.
    sides : Sides
        The level, and the requested limits.
    random_state : int, Generator or SeedSequence, optional
        Seed of the methods that draw.
    """
    names = list(combinations(models.models, 2))
    alone, seen = _Alone(), _Seen.of(metric, models)
    found: dict[int, Comparison] = {}
    draws = isinstance(method, DrawingMethod)  # by pair, each from the seed
    for places, batch in () if draws else models.batches_of_pairs(names):
        chosen = [names[place] for place in places]
        told = _in_one_pass(models, batch, chosen, seen, method, sides, alone)
        found |= {int(places[index]): comparison for index, comparison in told.items()}
    rest = [place for place in range(len(names)) if place not in found]
    found |= {place: _one(models, names[place], seen, method, sides, random_state, alone) for place in rest}
    return [found[place] for place in range(len(names))]


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """A metric of one model over the classes of all models; models of the table of all are bound once."""

    metric: str | Metric
    models: JointTable
    without: Any
    bound: dict[str, Metric]

    @classmethod
    def of(cls, metric: str | Metric, models: JointTable) -> _Seen:
        """Bind the metric to each model of the table of all."""
        tables = [models.model(name) for name in models.models]
        without = left_out(metric, tables)
        bound = {
            name: resolve(metric, table, without=without) for name, table in zip(models.models, tables, strict=True)
        }
        return cls(metric, models, without, bound)

    def side(self, joint: JointTable, name: str) -> Side:
        """Return the model's metric and its view of a joint table."""
        if joint is self.models:
            return Side(name, self.bound[name], joint.view(name))
        return Side(name, resolve(self.metric, joint.model(name), without=self.without), joint.view(name))


class _Alone:
    """The estimate of each model by itself, computed once for all its pairs with the same method."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, Method | None], Estimate] = {}

    def __call__(self, side: Side, joint: Table, method: Method | None, level: float) -> Estimate:
        key = side.name, method
        if key not in self.found:
            self.found[key] = of_one_model(side, joint, method, level)
        return self.found[key]


def _one(
    models: JointTable,
    names: tuple[str, str],
    seen: _Seen,
    method: Method | None,
    sides: IntervalSpec,
    random_state: Seed,
    alone: _Alone,
) -> Comparison:
    """Return the comparison of one pair, by its own joint table."""
    joint = models.pair(*names)
    contrast = contrast_metric(DIFFERENCE, *(seen.side(joint, name) for name in names))
    return compared(joint, contrast, method, sides, random_state, alone=alone)


def _in_one_pass(
    models: JointTable,
    batch: JointTable,
    names: Sequence[tuple[str, str]],
    seen: _Seen,
    method: Method | None,
    sides: IntervalSpec,
    alone: _Alone,
) -> dict[int, Comparison]:
    """Return the comparisons of a batch by their positions, except those that need a reason in words."""
    both = [seen.side(batch, name) for name in batch.models]
    if not all(side.metric.takes_batches for side in both):
        return {}
    contrast = contrast_metric(DIFFERENCE, *both)
    chosen = chosen_method(method, contrast, batch, sides)
    if not chosen.takes_batches:
        return {}
    with np.errstate(all="ignore"):
        values = np.asarray(contrast(batch.counted))
    intervals, tests = chosen.intervals_and_p_values(contrast, batch, sides.two_sided, DIFFERENCE.null)
    first, second = (
        {pair[place]: replace(side, name=pair[place]) for pair in names} for place, side in enumerate(both)
    )
    own = {
        name: alone(Side(name, side.metric, models.view(name)), models, own_method(method), sides.level)
        for name, side in (first | second).items()
    }
    found = {}
    for index, ((a, b), value, one, test) in enumerate(
        zip(names, values.tolist(), intervals.each(), tests, strict=True)
    ):
        if one.reason or not np.isfinite(value):
            continue
        limits = ContrastLimits(
            method=chosen, contrast=Contrast(DIFFERENCE, first[a], second[b]), joint=partial(select_table, batch, index)
        )
        found[index] = comparison_of(limits, (own[a], own[b]), value, sides.cut(one, contrast), float(test), sides)
    return found

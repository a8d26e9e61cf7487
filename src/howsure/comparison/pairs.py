"""Comparisons of all pairs of models on one test set, with joint tables in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from howsure.comparison.compare import compared, comparison_of, of_one_model, own_method, suited
from howsure.comparison.limits import ContrastLimits
from howsure.comparison.result import Comparison
from howsure.estimates.estimate import Estimate
from howsure.methods.core.interval_spec import IntervalSpec
from howsure.methods.core.method import DrawingMethod, Method
from howsure.metrics.binding import left_out, resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Contrast, Metric, Side
from howsure.tables.joint import JointTable
from howsure.tables.table import Table

DIFFERENCE = EFFECTS["difference"]
Seen = Callable[[JointTable, str], tuple[Metric, Any]]


def compared_pairs(
    models: JointTable, metric: str | Metric, method: Method | None, sides: IntervalSpec, random_state: Any = None
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
    alone, without = _Alone(), left_out(metric, [models.model(name) for name in models.models])
    found: dict[int, Comparison] = {}
    draws = isinstance(method, DrawingMethod)  # by pair, each from the seed
    for places, batch in () if draws else models.batches_of_pairs(names):
        chosen = [names[place] for place in places]
        told = _in_one_pass(models, batch, chosen, partial(_seen, metric, without), method, sides, alone)
        found |= {int(places[index]): comparison for index, comparison in told.items()}
    rest = [place for place in range(len(names)) if place not in found]
    seen = partial(_seen, metric, without)
    found |= {place: _one(models, names[place], seen, method, sides, random_state, alone) for place in rest}
    return [found[place] for place in range(len(names))]


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
    seen: Seen,
    method: Method | None,
    sides: IntervalSpec,
    random_state: Any,
    alone: _Alone,
) -> Comparison:
    """Return the comparison of one pair, by its own joint table."""
    joint = models.pair(*names)
    contrast = contrast_metric(DIFFERENCE, *(Side(name, *seen(joint, name)) for name in names))
    return compared(joint, contrast, method, sides, random_state, alone=alone)


def _seen(metric: str | Metric, without: Any, joint: JointTable, name: str) -> tuple[Metric, Any]:
    """Return one model's metric over all models' classes, and the view of its table in the joint one."""
    return resolve(metric, joint.model(name), without=without), joint.view(name)


def _in_one_pass(
    models: JointTable,
    batch: JointTable,
    names: Sequence[tuple[str, str]],
    seen_of: Seen,
    method: Method | None,
    sides: IntervalSpec,
    alone: _Alone,
) -> dict[int, Comparison]:
    """Return the comparisons of a batch by their positions, except those that need a reason in words."""
    seen = [seen_of(batch, name) for name in batch.models]
    if not all(each.takes_batches for each, _ in seen):
        return {}
    contrast = contrast_metric(DIFFERENCE, *(Side(name, *each) for name, each in zip(batch.models, seen, strict=True)))
    chosen = suited(method, contrast, batch, sides)
    if not chosen.takes_batches:
        return {}
    with np.errstate(all="ignore"):
        values = np.asarray(contrast(batch.counted))
    intervals, tests = chosen.intervals_and_p_values(contrast, batch, sides.two_sided, DIFFERENCE.null)
    first, second = ({pair[place]: Side(pair[place], *each) for pair in names} for place, each in enumerate(seen))
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
            method=chosen, contrast=Contrast(DIFFERENCE, first[a], second[b]), joint=partial(batch.picked, index)
        )
        found[index] = comparison_of(limits, (own[a], own[b]), value, sides.cut(one, contrast), float(test), sides)
    return found

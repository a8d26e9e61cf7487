"""Paths of contrasts of averages over classes, for two models on the same cases."""

from __future__ import annotations

from typing import cast, final

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import safe_divide
from howsure.designs.cell_sums import added_up
from howsure.designs.two_level import TwoLevel
from howsure.methods.flow.all_cells import EVERY, LUMPED_CELLS, AllCells
from howsure.methods.flow.class_averages import ClassPath, FewClasses, ManyClasses
from howsure.methods.flow.class_bias import variances
from howsure.metrics.metric import Contrast, Metric, Side
from howsure.native.averages import ClassShares
from howsure.tables.counts import ConfusionCounts
from howsure.tables.marginals import Marginal
from howsure.tables.table import Table


def path_kind(metric: Metric, table: Table) -> type[AllCells]:
    """Return the class of the paths of a metric: one of those here for two models' tables of the same cases."""
    if metric.contrast is None or table.design.supports(TwoLevel.table_from_observed):
        return AllCells
    sides = metric.contrast.first, metric.contrast.second
    views = [side.view for side in sides if isinstance(side.view, Marginal)]
    if len(views) < len(sides):
        return AllCells
    of_classes = all(view.empty.counts_class is ConfusionCounts for view in views)
    are_averages = of_classes and all(side.metric.class_shares is not None for side in sides)
    return ContrastOfAverages if are_averages and not table.design.traits.is_stratified else ContrastOfTables


class ContrastOfTables(AllCells):
    """Tables stored by all their joint cells: a change of one of these is a change of one cell of either model's table.

    For the parameters see `AllCells`.
    """

    def __init__(self, metric: Metric, table: Table, cases: Array, part: slice = EVERY) -> None:
        super().__init__(metric, table, cases, part)
        self.contrast = cast("Contrast", metric.contrast)
        self.views = [cast("Marginal", side.view) for side in self._each]

    @property
    def _each(self) -> tuple[Side, Side]:
        return self.contrast.first, self.contrast.second

    def _moved_values(self, nudges: Array, chosen: Array) -> Array:
        sides = (
            side.metric(self._start.through(view).moved(nudges, view.cells.ravel()[chosen]))
            for side, view in zip(self._each, self.views, strict=True)
        )
        return self.scale.scaled(np.asarray(self.contrast.effect.value(*sides)))


@final
class ContrastOfAverages(ContrastOfTables):
    """Tables stored by all their joint cells, with the bias and the inflation of the variance of `ClassPath`.

    For the parameters see `AllCells`.
    """

    def __init__(self, metric: Metric, table: Table, cases: Array, part: slice = EVERY) -> None:
        super().__init__(metric, table, cases, part)
        self.sides = [_path_of(side, self.cases) for side in self._each]
        self.sums_classes = not self.scale.sign

    def is_sparse(self) -> Array:
        """Return whether many classes of each table have few cases on average."""
        return np.logical_or(*(each.is_sparse() for each in self.sides))

    def second_order(self) -> tuple[Array, Array]:
        """Return bias and inflation of the variance; on a log scale the bias is that of `AllCells`."""
        weights = self.contrast.effect.slopes(*(each.left_out.mean[:, 0] for each in self.sides))
        bias: Array = np.zeros(len(self.cases))
        gradient, changes = np.zeros((2, *self.cases.shape))
        for weight, view, each in zip(weights, self.views, self.sides, strict=True):
            bias = bias + weight * each.centre_bias()
            gradient += weight[:, None] * self._joint(view, each, each.left_out.slopes())
            changes += weight[:, None] * self._joint(view, each, each.left_out.changes())
        of_class = added_up(self.cases * gradient**2, self.table.true_class.ravel(), len(self.table.labels))
        centre = self.bias() if self.scale.sign else bias
        plain, whole = variances(self.cases, gradient, changes, of_class)
        return centre, np.where(plain > 0, safe_divide(whole, plain), 1.0)

    def _joint(self, view: Marginal, path: ClassPath, values: Array) -> Array:
        """Return values for the cells of one model's path as values for the joint cells."""
        every, size = np.arange(path.classes), path.classes
        cells = np.zeros((len(values), size, size))
        cells[:, every, every], cells[:, path.told.true_class, path.told.prediction] = np.split(values, [size], axis=-1)
        return np.asarray(view.pulled_back(cells, self.cases.shape[-1]))


def _path_of(side: Side, cases: Array) -> ClassPath:
    """Return the path of one model's average."""
    counts = cast("ConfusionCounts", side.view.counts(cases))
    averages = ClassShares.beside([cast("ClassShares", side.metric.class_shares)]).at(np.zeros(len(cases), dtype=int))
    kind = FewClasses if counts.classes**2 < LUMPED_CELLS else ManyClasses
    return kind(averages, counts, np.ones(len(cases)))

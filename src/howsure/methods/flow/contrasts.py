"""Paths of contrasts of averages over classes, for two models on the same cases."""

from __future__ import annotations

from typing import Any, cast, final

import numpy as np
from numpy.typing import NDArray

from howsure.designs.cell_sums import added_up
from howsure.methods.flow.all_cells import EVERY, LUMPED_CELLS, AllCells
from howsure.methods.flow.class_averages import ClassPath, FewClasses, ManyClasses
from howsure.methods.flow.class_bias import inflation
from howsure.metrics.metric import Contrast, Metric, Side
from howsure.native.averages import ClassShares
from howsure.tables.counts import ConfusionCounts
from howsure.tables.marginals import Marginal
from howsure.tables.table import Table

Array = NDArray[Any]


def compares_averages(metric: Metric, table: Table) -> bool:
    """Return whether a metric is a contrast of class averages of two models on the same counted cases."""
    if metric.contrast is None or table.design.traits.is_stratified:
        return False
    sides = metric.contrast.first, metric.contrast.second
    return all(
        isinstance(side.view, Marginal)
        and side.view.empty.counts_class is ConfusionCounts
        and side.metric.class_shares is not None
        for side in sides
    )


@final
class ContrastOfAverages(AllCells):
    """Tables stored by all their joint cells, with the bias and the inflation of the variance of `ClassPath`.

    For the parameters see `AllCells`.
    """

    def __init__(self, metric: Metric, table: Table, cases: Array, part: slice = EVERY) -> None:
        super().__init__(metric, table, cases, part)
        self.contrast = cast("Contrast", metric.contrast)
        sides = self.contrast.first, self.contrast.second
        self.views = [cast("Marginal", side.view) for side in sides]
        self.sides = [_path_of(side, self.cases) for side in sides]
        self.sums_classes = not self.scale.sign

    def is_sparse(self) -> Array:
        """Return whether many classes of each table have few cases on average."""
        return np.logical_or(*(each.is_sparse() for each in self.sides))

    def second_order(self) -> tuple[Array, Array]:
        """Return bias and inflation of the variance; on a log scale the bias is that of `AllCells`."""
        weights = self.contrast.effect.slopes(*(each.left_out.mean[:, 0] for each in self.sides))
        bias: Array = np.zeros(len(self.cases))
        slopes, changes = np.zeros((2, *self.cases.shape))
        for weight, view, each in zip(weights, self.views, self.sides, strict=True):
            bias = bias + weight * each.centre_bias()
            slopes += weight[:, None] * self._joint(view, each, each.left_out.slopes())
            changes += weight[:, None] * self._joint(view, each, each.left_out.changes())
        of_class = added_up(self.cases * slopes**2, self.table.truth.ravel(), len(self.table.labels))
        centre = self.bias() if self.scale.sign else bias
        return centre, inflation(self.cases, slopes, changes, of_class)

    def _joint(self, view: Marginal, path: ClassPath, values: Array) -> Array:
        """Return values for the cells of one model's path as values for the joint cells."""
        every, size = np.arange(path.classes), path.classes
        cells = np.zeros((len(values), size, size))
        cells[:, every, every], cells[:, path.told.truth, path.told.prediction] = np.split(values, [size], axis=-1)
        return np.asarray(view.pulled_back(cells, self.cases.shape[-1]))


def _path_of(side: Side, cases: Array) -> ClassPath:
    """Return the path of one model's average."""
    counts = cast("ConfusionCounts", side.view.counts(cases))
    averages = ClassShares.beside([cast("ClassShares", side.metric.class_shares)]).at(np.zeros(len(cases), dtype=int))
    kind = FewClasses if counts.classes**2 < LUMPED_CELLS else ManyClasses
    return kind(averages, counts, np.ones(len(cases)))

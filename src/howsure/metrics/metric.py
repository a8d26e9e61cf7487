"""The `Metric` class: a function from tables of counts to numbers, with the properties that interval methods use.

A `Metric` has a value on any number of tables at once and a gradient. A ratio of linear forms in the counts also has
that ratio, which may be a proportion. The `Spec` that the metric was created from (definition, arguments and average)
is stored with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.forms import Better, Distance, Parts, Proportion, Ratio
from howsure.metrics.registry import RowLoss
from howsure.metrics.spec import Spec
from howsure.metrics.structures import CellSums, ClassAverage, Structure, ViewAverage, parts_of
from howsure.native.averages import ClassShares
from howsure.tables.counts import Counts
from howsure.tables.marginals import Marginal, Part
from howsure.tables.table import Table


@dataclass(frozen=True, eq=False)
class Metric:
    """A function from a table of counts to a number, with the properties that interval methods use.

    Parameters
    ----------
    name : str
        The spec string, ``"f1@macro"``.
    counts_class : type of Counts
        The class of the counts.
    value : callable
        Counts with any leading axes → values in the shape of those axes.
    gradient : callable
        Counts with any leading axes → the derivative with respect to each cell, in the cells' shape.
    range : tuple of float
        Smallest and largest possible value.
    better : {"higher", "lower", "neither"}
        Whether higher or lower values are better.
    spec : Spec, optional
        The spec that it was bound from: definition, arguments, average, class. None for a contrast.
    structure : Structure, optional
        A property beyond value and gradient that some interval methods use.
    population : Metric, optional
        The metric that it estimates, if its value is corrected for the sample size.
    contrast : Contrast, optional
        The metrics of the two models, for a contrast.
    side : Side, optional
        The model that the metric describes, for a joint table.
    reduced_to : callable, optional
        Table → a smaller table that determines the metric, and the metric of that table.
    takes_batches : bool
        Whether it can be bound to a batch of tables. A metric whose form depends on the observed counts (bins of equal
        mass, a correction for the sample size) is bound to each table separately.
    """

    name: str
    counts_class: type[Counts]
    value: Callable[[Any], Array]
    gradient: Callable[[Any], Array]
    range: tuple[float, float] = (0.0, 1.0)
    better: Better = "higher"
    spec: Spec | None = None
    structure: Structure | None = None
    population: Metric | None = None
    contrast: Contrast | None = None
    side: Side | None = None
    reduced_to: Callable[[Table], tuple[Table, Metric]] | None = None
    takes_batches: bool = True

    def __call__(self, counts: Any) -> Array:
        """Return the value on counts, shape ``(..., *cells)``."""
        return self.value(counts if isinstance(counts, Counts) else self.counts_class(counts))

    def value_at(self, counts: Counts) -> Array:
        """Return the value on counts, which cache it."""
        return np.asarray(counts.once_for(self, "value", self.value))

    def gradient_at(self, counts: Counts) -> Array:
        """Return the gradient on counts, with its cells in a row; the counts cache it.

        An interval uses it more than once: for the variance, and for its degrees of freedom.
        """
        return counts.once_for(self, "gradient", lambda own: np.ascontiguousarray(self.gradient(own)))

    def finite_gradient(self, counts: object) -> Array:
        """Return the gradient on counts, in their shape; 0 where it is undefined."""
        with np.errstate(all="ignore"):
            gradient = np.asarray(self.gradient(counts), dtype=float)
        return np.where(np.isfinite(gradient), gradient, 0.0)

    @property
    def label(self) -> str:
        """Its name as it was asked for, ``"sensitivity"`` of the metric ``"recall"``."""
        return self.name if self.spec is None else self.spec.label

    @property
    def of_scores(self) -> bool:
        """Whether it depends on all scores, not on predictions."""
        return self.spec is not None and self.spec.definition.of_scores

    @property
    def is_mean_loss(self) -> bool:
        """Whether it is the mean of what each case loses by its scores."""
        if self.spec is None or self.spec.average is not None:
            return False
        rows = self.spec.definition.rows
        return isinstance(rows, RowLoss) and rows.null is None

    @property
    def is_area(self) -> bool:
        """Whether it is the whole area under the ROC curve, of two classes or averaged over more."""
        return self.spec is not None and self.spec.definition.is_area and not self.spec.arguments

    @property
    def is_distance(self) -> bool:
        """Whether it is a distance from calibration, to which noise only adds, or an average or contrast of such."""
        one = self.single_model
        return isinstance(one.structure, Distance) or one.averages_distances

    @property
    def single_model(self) -> Metric:
        """Itself; of a contrast the metric that it compares, as the first model's."""
        return self if self.contrast is None else self.contrast.first.metric

    def of_itself(self, table: Table) -> tuple[Metric, Table]:
        """Return the metric bound to its own table, and that table, if it describes one side of a joint table."""
        return (self, table) if self.side is None else (self.side.metric, self.side.view.table(table))

    @property
    def estimand(self) -> Metric:
        """The metric of a population that it estimates: itself, unless its value is corrected for a sample's size."""
        return self if self.population is None else self.population

    @property
    def average(self) -> str | None:
        """The average over classes, or None."""
        return None if self.spec is None else self.spec.average

    @property
    def averages_distances(self) -> bool:
        """Whether it is an average of distances from calibration, one for each class."""
        return isinstance(self.structure, ViewAverage) and self.structure.of_distances

    @property
    def class_average(self) -> ClassAverage | None:
        """Its structure, if it is an average over classes of a table of predictions."""
        return self.structure if isinstance(self.structure, ClassAverage) else None

    @property
    def class_shares(self) -> ClassShares | None:
        """The average over classes of ratios of their hits and totals that it is, if it is one."""
        return self.structure.shares if isinstance(self.structure, ClassAverage) else None

    @property
    def per_class(self) -> Callable[[Any], Array] | None:
        """The function from counts to the values that it averages, ``(..., classes)``; None if it is no average."""
        return self.structure.per_class if isinstance(self.structure, ClassAverage | ViewAverage) else None

    @property
    def classes(self) -> Array | None:
        """Positions of the classes that it averages, or adds up if these are not all."""
        if isinstance(self.structure, ClassAverage):
            return self.structure.members.kept
        return self.structure.classes if isinstance(self.structure, CellSums) else None

    @property
    def positive(self) -> int | None:
        """Position of the class that is compared with all others, for a table of predictions."""
        return self.structure.positive if isinstance(self.structure, CellSums) else None

    @property
    def collapsible_cells(self) -> Callable[[], Array] | None:
        """The function that returns codes of a table's cells: it depends only on sums of cells with equal codes."""
        return self.structure.codes if isinstance(self.structure, CellSums | ClassAverage) else None

    @property
    def proportion_sum(self) -> Parts | None:
        """The weighted sum of proportions that it is, if it is one."""
        if isinstance(self.structure, ClassAverage):
            return self.structure.proportion_sum
        if self.positive is not None and self.spec is not None:
            return parts_of(self.spec, np.array([self.positive]))
        return self.structure if isinstance(self.structure, Parts) else None

    @property
    def ratio(self) -> Ratio | None:
        """The ratio of linear forms in the cells that it is, if it is one."""
        if isinstance(self.structure, CellSums):
            return self.structure.ratio
        return self.structure if isinstance(self.structure, Ratio) else None

    @property
    def is_mean(self) -> bool:
        """Whether it is the mean over all cases of a number that each cell has, or a difference of two such."""
        if self.contrast is not None:
            sides = (self.contrast.first, self.contrast.second)
            return self.contrast.effect.name == "difference" and all(side.metric.is_mean for side in sides)
        ratio = self.ratio
        return ratio is not None and bool((ratio.denominator == 1).all())

    @property
    def proportion(self) -> Proportion | None:
        """The binomial proportion that the metric follows from, if any."""
        ratio = self.ratio
        return None if ratio is None else ratio.proportion


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """How two values are compared.

    ``words(a, b)`` writes it; ``value(a, b)``; ``slopes(a, b)``, the derivatives by either; ``null``, its value where
    the two are equal; and ``bounds``, its range for two values in a range.
    """

    name: str
    words: Callable[[str, str], str]
    null: float
    value: Callable[[Array, Array], Array]
    slopes: Callable[[Array, Array], tuple[Array, Array]]
    bounds: Callable[[float, float], tuple[float, float]]
    needs: tuple[float, float]  # the range that the values must lie in

    def check(self, metric: Metric) -> None:
        """Raise an error if the effect is undefined for the range: ratios need values ≥ 0, odds ratios proportions."""
        if not (self.needs[0] <= metric.range[0] and metric.range[1] <= self.needs[1]):
            stated = " For values of a known range state it, `values(…, bounds=(0, 1))`."
            raise HowsureError(
                f"`{metric.name}` lies in [{metric.range[0]:g}, {metric.range[1]:g}]: its "
                f"{self.name.replace('_', ' ')} has no meaning. Use contrast='difference'."
                f"{stated if metric.range[0] == -np.inf else ''}"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of two models: its name, its metric, and how its table follows from the joint one."""

    name: str
    metric: Metric
    view: Marginal | Part

    def value(self, counts: Counts) -> Array:
        """Return the model's metric on joint counts; the last result is cached, since a gradient uses it too."""
        return self.metric.value_at(counts.through(self.view))

    def gradient(self, counts: Counts, times: object = 1.0) -> Array:
        """Return its derivative by the joint cells, in their shape, times a number for each table."""
        slopes = self.metric.gradient_at(counts.through(self.view))
        axes = len(self.view.shape)
        joint = counts.cells.shape[slopes.ndim - axes :]
        slopes = np.asarray(times)[..., *(None,) * axes] * slopes
        return self.view.pulled_back(slopes, math.prod(joint)).reshape(counts.cells.shape)

    def marks(self, cells: Array, shape: tuple[int, ...]) -> Array:
        """Return which joint cells fall in marked cells of the model's table."""
        return self.view.pulled_back(cells.astype(float), int(np.prod(shape))).reshape(shape) > 0

    def as_metric(self) -> Metric:
        """Return the model's metric as one of the joint table."""
        return Metric(
            self.metric.name,
            Counts,
            self.value,
            self.gradient,
            range=self.metric.range,
            better=self.metric.better,
            side=self,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """What a metric compares, and how."""

    effect: Effect
    first: Side
    second: Side

    @property
    def is_of_areas(self) -> bool:
        """Whether it compares areas under the ROC curve, of two classes."""
        return self.first.metric.is_area and self.first.metric.average is None

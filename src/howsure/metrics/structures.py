"""Structures of metrics: the properties beyond value and gradient that some interval methods use.

The structures of metrics of a function of the cells (ratios, ranks, mean losses …) are in `forms` and `registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.metrics.averages import Average
from howsure.metrics.class_sets import ClassSet
from howsure.metrics.collapsible_cells import CellCodes
from howsure.metrics.forms import Distance, OperatingPoint, Parts, Rank, Ratio, Undefined, divide
from howsure.metrics.registry import REGISTRY, MeanLoss
from howsure.metrics.spec import Spec
from howsure.native.averages import ClassShares
from howsure.native.resampling import Ranked
from howsure.tables.counts import ClassCounts

MEANS = ("macro", "weighted")
BY_TOTAL = np.array([[1, 0, 0], [-1, 1, 0], [-1, 0, 1], [0, 0, 0]])  # tp, fn, fp, tn by hits, row and column total


@final
@dataclass(frozen=True, eq=False)
class CellSums:
    """A metric that depends on a table with classes only through sums of its cells.

    Parameters
    ----------
    codes : callable, optional
        Returns codes of the cells, in their shape: cells with equal codes are added. None if all cells differ.
    form : callable, optional
        Returns the metric as a ratio of linear forms of the cells, if it is one.
    positive : int, optional
        Position of the class that is compared with all others.
    classes : ndarray of int, optional
        Positions of the classes whose outcomes are added, if these are not all.
    """

    codes: CellCodes = None
    form: Callable[[], Ratio] | None = None
    positive: int | None = None
    classes: Array | None = None

    @cached_property
    def ratio(self) -> Ratio | None:
        """The metric as a ratio of linear forms."""
        return None if self.form is None else self.form()


@final
@dataclass(frozen=True, eq=False)
class ClassAverage:
    """An average over classes of a metric of one class against the rest.

    Parameters
    ----------
    spec : Spec
        Spec of the metric of one class.
    average : Average
        The average over classes.
    members : ClassSet
        The classes that enter, and those that are left out.
    kept : ndarray of int, optional
        Positions of the classes that enter; None for all, in order.
    codes : callable, optional
        As of `CellSums`.
    scale : float
        Factor of the average, for one that is measured from that of a random classifier.
    """

    spec: Spec
    average: Average
    members: ClassSet
    kept: Array | None
    codes: CellCodes = None
    scale: float = 1.0

    def value(self, counts: ClassCounts) -> Array:
        """Return the average without its factor."""
        return self.average.value(*self._each(counts))

    def gradient(self, counts: ClassCounts) -> Array:
        """Return the derivative of `value` by each cell."""
        by_value, by_weight = self.average.slopes(*self._each(counts))
        if self.kept is not None:
            by_value, by_weight = (_scatter(part, self.kept, counts.classes) for part in (by_value, by_weight))
        if not self.members.varies:
            by_value = np.where(np.isnan(self.members.constants), by_value, 0.0)
        with np.errstate(invalid="ignore"):
            slopes = self.spec.definition.slopes(*counts.outcomes(), **self.spec.arguments) * by_value
        slopes = np.where(by_value == 0, 0.0, slopes)
        slopes[:2] += by_weight  # a class's weight is its true total, tp + fn
        return counts.by_cell(slopes)

    def per_class(self, counts: ClassCounts) -> Array:
        """Return the values that are averaged, ``(..., classes)``."""
        return self._each(counts)[0]

    def _each(self, counts: ClassCounts) -> tuple[Array, Array]:
        """Return values and true totals of the classes that enter."""
        return counts.once_for(self, "classes", self._computed)

    def _computed(self, counts: ClassCounts) -> tuple[Array, Array]:
        values = self._filled(*counts.outcomes())
        return (values, counts.rows) if self.kept is None else (values[..., self.kept], counts.rows[..., self.kept])

    def _filled(self, *outcomes: Array) -> Array:
        values = self.spec.definition.evaluate(*outcomes, **self.spec.arguments)
        return self.members.filled(filled(values, self.spec))

    @property
    def class_terms(self) -> Callable[..., Array] | None:
        """The contribution of each class as a function of its outcomes; None where it depends on other classes."""
        average, kept = self.average, self.members.kept
        if self.scale != 1 or average.name not in MEANS or (average.reads_weights and self.kept is not None):
            return None
        times = np.bincount(kept, minlength=len(self.members.constants)) / len(kept)

        def terms(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
            values = self._filled(tp, fn, fp, tn)
            if average.reads_weights:
                return values * divide(tp + fn, tp + fn + fp + tn)
            return np.where(times > 0, values * times, 0.0)

        return terms

    @cached_property
    def shares(self) -> ClassShares | None:
        """The average as one of ratios of the hits and totals of each class; None if it is not."""
        ratio = self.spec.definition.outcome_ratio(**self.spec.arguments)
        if self.scale != 1 or ratio is None or self.average.name not in MEANS:
            return None
        forms = np.array([ratio.numerator, ratio.denominator])
        if forms[:, 3].any():
            return None
        above, below = (forms @ BY_TOTAL).tolist()
        members, size = self.members, len(self.members.constants)
        times = np.zeros(size) if members.is_empty else np.bincount(members.kept, minlength=size)
        return ClassShares.of(
            above, below, by_total=self.average.reads_weights, times=times, constants=members.constants
        )

    @property
    def proportion_sum(self) -> Parts | None:
        """The average as a sum of proportions of the classes that vary; None if it is not."""
        if self.average.name != "macro":
            return None
        kept = self.members.kept
        varying = kept[np.isnan(self.members.constants[kept])]
        if not len(varying):
            varying = kept
        return parts_of(self.spec, varying, self.scale * (len(varying) / len(kept)))


@final
@dataclass(frozen=True, slots=True, eq=False)
class RankedViews:
    """Areas or average precisions of views of a table, and their average.

    Parameters
    ----------
    kind : Ranked
        The metric.
    cells : sequence of callable
        Return, for each view, the cell of its flat table of scores and two classes that each cell of the whole table is
        part of, or -1 if none.
    average : callable
        Values and numbers of positive cases, ``(..., views)``, → the average.
    """

    kind: Ranked
    cells: Sequence[Callable[[], Array]]
    average: Callable[[Array, Array], Array]


@dataclass(frozen=True, slots=True, eq=False)
class ViewAverage:
    """An average of a metric of scores over views of a table, such as classes against the rest or pairs of classes.

    Parameters
    ----------
    per_class : callable
        Counts → the values that are averaged, ``(..., views)``.
    of_distances : bool
        Whether these are distances from calibration.
    ranked : RankedViews, optional
        The views, if the values follow from the ranks of their cases.
    """

    per_class: Callable[[Any], Array]
    of_distances: bool = False
    ranked: RankedViews | None = None


Structure = (
    CellSums
    | ClassAverage
    | Distance
    | MeanLoss
    | OperatingPoint
    | Parts
    | Rank
    | Ranked
    | Ratio
    | Undefined
    | ViewAverage
)


def parts_of(spec: Spec, classes: Array, weight: float = 1.0) -> Parts | None:
    """Return an average of a metric of outcomes as a sum of proportions, or None if it is not one."""
    definition = spec.definition
    if definition.terms:
        ratios = [REGISTRY.find(name).outcome_ratio() for name in definition.terms]  # type: ignore[union-attr]
        return Parts(tuple((weight, ratio) for ratio in ratios if ratio is not None), classes)
    share = definition.share_ratio(**spec.arguments)
    return None if share is None else Parts(((weight, share),), classes)


def filled(values: Array, spec: Spec) -> Array:
    """Return values of classes with ``zero_division`` where they are undefined."""
    return values if np.isnan(spec.zero_division) else np.where(np.isnan(values), spec.zero_division, values)


def _scatter(values: Array, chosen: Array, size: int) -> Array:
    every = np.zeros((*values.shape[:-1], size))
    every[..., chosen] = values
    return every

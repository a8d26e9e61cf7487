"""Metrics of scores of many classes: averages of metrics of two classes, and losses of whole rows of scores.

Each class against the rest, each pair of classes, and all classes pooled are *views*: tables of scores of two classes
that are linear in the cells of the whole table. A metric of two classes is evaluated on the views and averaged. Its
gradient is mapped back to the cells of the whole table, so that the variance includes the covariance of the views.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import final

import numpy as np

from howsure.arrays import Array
from howsure.designs.independent import Independent
from howsure.errors import HowsureError
from howsure.metrics.areas_of_pairs import AreasOfPairs
from howsure.metrics.averages import BY_NAME, Average
from howsure.metrics.counted import needs_average
from howsure.metrics.metric import Metric
from howsure.metrics.registry import RowShare
from howsure.metrics.rows import of_rows, share_of_rows
from howsure.metrics.scored import of_scores
from howsure.metrics.spec import Spec
from howsure.metrics.structures import RankedViews, ViewAverage
from howsure.metrics.two_class_views import AgainstRest, Pair, Pooled, TwoClassView
from howsure.native.resampling import Ranked
from howsure.tables.counts import Counts
from howsure.tables.score_matrix import ScoreMatrixTable as Table


@final
@dataclass(frozen=True, slots=True, eq=False)
class OfViews:
    """A metric of scores of two classes on views of a table; the weights are the true cases of their classes."""

    table: Table
    views: list[TwoClassView]
    metrics: list[Metric]

    @classmethod
    def of(cls, spec: Spec, views: list[TwoClassView], table: Table) -> OfViews:
        """Bind a metric to each of the views, for their values alone."""
        whole = table.sides(table.counts)
        metrics = [of_scores(spec, view.table(table, view.cells(whole), Independent())) for view in views]
        return cls(table, views, metrics)

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest possible value."""
        return self.metrics[0].range

    @property
    def of_distances(self) -> bool:
        """Whether the metric is a distance from calibration."""
        return self.metrics[0].is_distance

    @property
    def takes_batches(self) -> bool:
        """Whether it may be bound to a batch of tables."""
        return all(metric.takes_batches for metric in self.metrics)

    def ranked(self, average: Average) -> RankedViews | None:
        """Return the classes against the rest, if the metric follows from ranks."""
        kind, views = self.metrics[0].structure, [each for each in self.views if isinstance(each, AgainstRest)]
        if not isinstance(kind, Ranked) or len(views) < len(self.views):
            return None
        cells = [partial(self.table.class_cells, each.index, each.ranking) for each in views]
        return RankedViews(kind, cells, average.value)

    def values(self, counts: Array) -> Array:
        """Return the metric of each view, ``(..., views)``."""
        whole = self.table.sides(counts)
        return np.stack([metric(view.cells(whole)) for metric, view in zip(self.metrics, self.views, strict=True)], -1)

    def weights(self, counts: Array) -> Array:
        """Return the numbers of true cases, ``(..., views)``."""
        totals = self.table.sides(counts).present.sum(-2)
        return np.stack([totals[..., view.classes].sum(-1) for view in self.views], -1)

    def gradient(self, counts: Array, by_value: Array, by_weight: Array) -> Array:
        """Return the derivative, by each cell, of what has these slopes by values and weights."""
        whole = self.table.sides(counts)
        total = whole.blank()
        for index, (metric, view) in enumerate(zip(self.metrics, self.views, strict=True)):
            weight = by_value[..., index, None, None]
            if weight.any():
                slopes = metric.gradient(Counts(view.cells(whole)))
                view.add_slopes(np.where(weight == 0, 0.0, weight * slopes), total)
            total.present[..., view.classes] += by_weight[..., index, None, None]
        return self.table.from_sides(total)


Parts = OfViews | AreasOfPairs  # of which an average is


def _against_rest(table: Table, index: int) -> TwoClassView:
    return AgainstRest(table.rankings.column(index), index)


def _pairs(spec: Spec, table: Table) -> Parts:
    """Return the metric of each class against each other one, by the scores of the first (Hand and Till 2001)."""
    if spec.definition.is_area and not spec.arguments:
        return AreasOfPairs(table)
    size = len(table.labels)
    couples = ((first, second) for first in range(size) for second in range(size) if first != second)
    return OfViews.of(spec, [Pair(table.rankings.column(first), first, second) for first, second in couples], table)


def of_score_matrix(spec: Spec, table: Table) -> Metric:
    """Return the metric of a spec for a table of scores of many classes.

    Parameters
    ----------
    spec : Spec
        Spec of a metric of scores of two classes, with an average: ``"roc_auc@macro"``, ``"average_precision@micro"``,
        ``"roc_auc@weighted+multi_class=ovo"``, ``"roc_auc@binary+positive_class=2"``; or of a metric of whole rows of
        probabilities, ``"log_loss"`` and ``"brier_score"``.
    table : ScoreMatrixTable
        A table from `multiclass_scores`.

    Raises
    ------
    HowsureError
        If the metric needs an average or a class, or its average is not defined for the table.

    References
    ----------
    Hand, Till (2001), Machine Learning 45, for pairs of classes.
    """
    if spec.average is None:
        rows = spec.definition.rows
        if isinstance(rows, RowShare):
            return share_of_rows(spec, rows, table)
        if rows is None or not table.kind.has_one_label_per_case:
            raise needs_average(spec, table)
        return of_rows(spec, table)
    if spec.average == "binary":
        return _single(spec, table)
    if spec.average == "none":
        raise HowsureError(f"`{spec.text}` is one value per class: give it to `evaluate`, without `multi_class`.")
    if spec.pairs and not table.kind.has_one_label_per_case:
        raise HowsureError(
            "Labels of multilabel data are no alternatives, and have no pairs: leave out `multi_class=ovo`."
        )
    own = replace(spec, average=None, positive_class=None, pairs=False)
    if spec.average == "micro":
        pooled = Pooled(table.rankings.pooled(), len(table.labels))
        return _averaged(spec, OfViews.of(own, [pooled], table), table, BY_NAME["macro"])
    if spec.pairs:
        return _averaged(spec, _pairs(own, table), table, BY_NAME[spec.average])
    views = [_against_rest(table, index) for index in range(len(table.labels))]
    return _averaged(spec, OfViews.of(own, views, table), table, BY_NAME[spec.average])


def _single(spec: Spec, table: Table) -> Metric:
    if spec.positive_class is None:
        example = f"{spec.head}@binary+positive_class={table.labels[-1]}"
        raise HowsureError(f"`{spec.head}@binary` needs the class: '{example}'.")
    index = table.position(spec.positive_class)
    view = _against_rest(table, index)
    design = table.class_design(index, view.ranking)
    counts = view.cells(table.sides(table.counts))
    small = view.table(table, counts, Independent() if design is None else design)  # without a design, for the value
    own = replace(spec, average=None, positive_class=None)
    metric = of_scores(own, small)
    named = replace(spec, positive_class=str(table.labels[index]))
    bound = _averaged(named, OfViews(table, [view], [metric]), table, BY_NAME["macro"])
    return bound if design is None else replace(bound, reduced_to=lambda _: (small, metric))


def _averaged(spec: Spec, parts: Parts, table: Table, average: Average) -> Metric:
    """Return the average of a metric over parts of a table."""
    observed: list[tuple[Array, Array]] = []  # cache for the table itself, shared by value, gradient and reasons

    def found(counts: Array) -> tuple[Array, Array]:
        if counts is not table.counts:
            return parts.values(counts), parts.weights(counts)
        if not observed:
            observed.append((parts.values(counts), parts.weights(counts)))
        return observed[0]

    def gradient(counts: Counts) -> Array:
        return parts.gradient(counts.cells, *average.slopes(*found(counts.cells)))

    ranked = parts.ranked(average) if isinstance(parts, OfViews) else None
    return Metric(
        name=spec.text,
        counts_class=Counts,
        value=lambda counts: np.asarray(average.value(*found(counts.cells))),
        gradient=gradient,
        range=parts.range,
        better=spec.definition.better,
        spec=spec,
        structure=ViewAverage(lambda counts: found(counts.cells)[0], parts.of_distances, ranked),
        takes_batches=parts.takes_batches,
    )

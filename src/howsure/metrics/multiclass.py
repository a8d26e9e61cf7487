"""Metrics of scores of many classes: averages of the metrics of two, and losses of the whole row of scores.

Each class against the rest, each pair of classes, and all classes pooled are *views*: a table of scores of two classes
that is linear in the cells of the whole. A metric of two classes is evaluated on the views and averaged; its slopes go
back through them, so that what the views have in common, the cases, enters the variance by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.designs.base import Design
from howsure.designs.counted import Independent
from howsure.errors import HowsureError
from howsure.metrics.averages import BY_NAME, Average
from howsure.metrics.counted import needs_average
from howsure.metrics.metric import Metric
from howsure.metrics.rows import of_rows
from howsure.metrics.scored import of_scores
from howsure.metrics.spec import Spec
from howsure.tables.counts import Counts
from howsure.tables.score_matrix import ScoreMatrixTable as Table
from howsure.tables.scores import ScoresTable

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class SortedScores:
    """The scores of some columns, sorted once.

    Parameters
    ----------
    columns
        The columns, ``(m,)``.
    order, starts, row
        Order of the ``n m`` scores, where each distinct one starts in it, and the distinct one that each is.
    scores
        The distinct scores, ascending.
    """

    columns: Array
    order: Array
    starts: Array
    row: Array
    scores: Array

    @classmethod
    def of(cls, scores: Array, columns: Any) -> SortedScores:
        """Sort the scores of some columns."""
        read = scores[:, np.atleast_1d(columns)].ravel()
        order = np.argsort(read, kind="stable")
        ascending = read[order]
        first = np.concatenate([[True], ascending[1:] != ascending[:-1]])
        row = np.empty(len(read), dtype=np.intp)
        row[order] = np.cumsum(first) - 1
        return cls(np.atleast_1d(columns), order, np.flatnonzero(first), row, ascending[first])

    def collected(self, values: Array, width: int, side: Array) -> Array:
        """Return sums at each distinct score of values ``(..., n width)``, of which ``side`` belong to the columns."""
        case, column = np.divmod(self.order, len(self.columns))
        ordered = np.take(values, case * width + side[column], axis=-1)
        distinct = len(self.starts) == len(self.order)
        return np.asarray(ordered if distinct else np.add.reduceat(ordered, self.starts, axis=-1))


@dataclass(frozen=True, slots=True, eq=False)
class TwoClassView:
    """Scores of two classes in a table of many.

    Parameters
    ----------
    ranking
        The scores that are read.
    negative, positive
        Which of the ``2 K`` indicator counts of a case are negative and positive, for each of the ranking's columns.
    """

    ranking: SortedScores
    negative: Array
    positive: Array

    @property
    def members(self) -> Array:
        """The indicator counts whose totals are the view's weight: true cases of its classes."""
        both = np.concatenate([self.positive, self.negative])
        return np.asarray(both[both % 2 == 1])

    def cells(self, counts: Array) -> Array:
        """Return the counts of two classes at each distinct score, ``(..., S, 2)``, of indicator counts."""
        flat = counts.reshape(*counts.shape[:-3], -1)
        width = 2 * counts.shape[-2]
        return np.stack([self.ranking.collected(flat, width, side) for side in (self.negative, self.positive)], -1)

    def add_slopes(self, by_cell: Array, total: Array) -> None:
        """Add slopes by the view's cells, ``(..., S, 2)``, to those by the indicator counts, ``(..., n, K, 2)``."""
        cases = total.shape[-3]
        flat = total.reshape(*total.shape[:-2], -1)
        for column, side in enumerate((self.negative, self.positive)):
            flat[..., side] += by_cell[..., self.ranking.row, column].reshape(*total.shape[:-3], cases, -1)

    def table(self, whole: Table, design: Design) -> ScoresTable:
        """Return the table of scores of two classes."""
        counts = self.cells(whole.indicator(whole.counts))
        label = whole.labels[self.ranking.columns[0]]
        names = np.array([f"not {label}", str(label)], dtype=object)
        own = {"rows": whole.rows, "identity": whole.identity_of(self.ranking.columns.tolist())}
        return ScoresTable(counts=counts, scores=self.ranking.scores, labels=names, design=design, **own)


def against_rest(table: Table) -> list[TwoClassView]:
    """Return the view of each class against all others."""
    return [_against_rest(table, index) for index in range(len(table.labels))]


def _against_rest(table: Table, index: int) -> TwoClassView:
    return TwoClassView(SortedScores.of(table.scores, index), np.array([2 * index]), np.array([2 * index + 1]))


def pooled(table: Table) -> list[TwoClassView]:
    """Return the view of all scores of all classes together."""
    every = np.arange(len(table.labels))
    return [TwoClassView(SortedScores.of(table.scores, every), 2 * every, 2 * every + 1)]


def pairs(table: Table) -> list[TwoClassView]:
    """Return the views of each class against each other one, by the scores of the first (Hand and Till 2001)."""
    size = len(table.labels)
    rankings = [SortedScores.of(table.scores, index) for index in range(size)]
    return [
        TwoClassView(rankings[first], np.array([2 * second + 1]), np.array([2 * first + 1]))
        for first in range(size)
        for second in range(size)
        if first != second
    ]


def of_score_matrix(spec: Spec, table: Table) -> Metric:
    """Return the metric that a spec names on a table of scores of many classes.

    Parameters
    ----------
    spec : Spec
        Of a metric of scores of two classes, with an average: ``"roc_auc@macro"``, ``"average_precision@micro"``,
        ``"roc_auc@weighted+multi_class=ovo"``, ``"roc_auc@binary+positive_class=2"``; or of one of whole rows of
        probabilities, ``"log_loss"`` and ``"brier_score"``.
    table : ScoreMatrixTable
        From `multiclass_scores`.

    Raises
    ------
    HowsureError
        If the metric needs an average or a class, or its average does not suit the table.

    References
    ----------
    Hand, Till (2001), Machine Learning 45, for pairs of classes.
    """
    if spec.average is None:
        if spec.definition.rows is None or not table.has_one_label_per_case:
            raise needs_average(spec, table)
        return of_rows(spec, table)
    if spec.average == "binary":
        return _single(spec, table)
    if spec.average == "none":
        message = f"`{spec.text}` is one value per class: give it to `evaluate`, without `multi_class`."
        raise HowsureError(message)
    if spec.pairs and not table.has_one_label_per_case:
        message = "Labels of multilabel data are no alternatives, and have no pairs: leave out `multi_class=ovo`."
        raise HowsureError(message)
    if spec.average == "micro":
        return _averaged(spec, pooled(table), table, BY_NAME["macro"])
    return _averaged(spec, pairs(table) if spec.pairs else against_rest(table), table, BY_NAME[spec.average])


def _single(spec: Spec, table: Table) -> Metric:
    if spec.positive_class is None:
        example = f"{spec.head}@binary+positive_class={table.labels[-1]}"
        message = f"`{spec.head}@binary` needs the class: '{example}'."
        raise HowsureError(message)
    index = table.position(spec.positive_class)
    view = _against_rest(table, index)
    design = table.class_design(index, view.ranking.row, len(view.ranking.scores))
    small = view.table(table, Independent() if design is None else design)  # without a design, for the value alone
    own = replace(spec, average=None, positive_class=None)
    metric = of_scores(own, small)
    bound = _averaged(replace(spec, positive_class=str(table.labels[index])), [view], table, BY_NAME["macro"])
    return bound if design is None else replace(bound, smaller=lambda _: (small, metric))


def _averaged(spec: Spec, views: list[TwoClassView], table: Table, average: Average) -> Metric:
    """Return the average of a metric over views; a view's weight is the number of true cases of its classes."""
    own = replace(spec, average=None, positive_class=None, pairs=False)
    metrics = [of_scores(own, view.table(table, Independent())) for view in views]  # for their values alone
    observed: list[tuple[Array, Array]] = []  # of the table itself, which value, gradient and reasons all ask for

    def parts(counts: Array) -> tuple[Array, Array]:
        if counts is not table.counts:
            return added(counts)
        if not observed:
            observed.append(added(counts))
        return observed[0]

    def added(counts: Array) -> tuple[Array, Array]:
        every = table.indicator(counts)
        values = [metric(view.cells(every)) for metric, view in zip(metrics, views, strict=True)]
        totals = every.sum(-3).reshape(*every.shape[:-3], -1)
        return np.stack(values, -1), np.stack([totals[..., view.members].sum(-1) for view in views], -1)

    def gradient(counts: Counts) -> Array:
        every = table.indicator(counts.cells)
        by_value, by_weight = (part[..., None, None, :] for part in average.slopes(*parts(counts.cells)))
        total = np.zeros(every.shape)
        flat = total.reshape(*every.shape[:-2], -1)
        for index, (metric, view) in enumerate(zip(metrics, views, strict=True)):
            weight = by_value[..., index]
            if weight.any():
                view.add_slopes(np.where(weight == 0, 0.0, weight * metric.gradient(Counts(view.cells(every)))), total)
            flat[..., view.members] += by_weight[..., index]
        return table.from_indicator(total)

    return Metric(
        name=spec.text,
        counts_class=Counts,
        value=lambda counts: np.asarray(average.value(*parts(counts.cells))),
        gradient=gradient,
        range=metrics[0].range,
        better=metrics[0].better,
        spec=spec,
        per_class=lambda counts: parts(counts.cells)[0],
        averages_distances=metrics[0].is_distance,
        takes_batches=all(metric.takes_batches for metric in metrics),
    )

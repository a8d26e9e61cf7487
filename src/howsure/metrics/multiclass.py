"""Metrics of scores of many classes: averages of the metrics of two, and losses of the whole row of scores.

Each class against the rest, each pair of classes, and all classes pooled are *views*: a table of scores of two classes
that is linear in the cells of the whole. A metric of two classes is evaluated on the views and averaged; its slopes go
back through them, so that what the views have in common, the cases, enters the variance by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.designs.base import Design
from howsure.designs.counted import Independent
from howsure.errors import HowsureError
from howsure.metrics import averages
from howsure.metrics.metric import Metric
from howsure.metrics.probability import SMALLEST, mean_metric
from howsure.metrics.registry import bound
from howsure.tables.counts import Counts
from howsure.tables.score_matrix import ScoreMatrixTable as Table
from howsure.tables.scores import ScoresTable

Array = NDArray[Any]
SUM_TOLERANCE = 1e-3  # of a row of probabilities: float32 and rounding to three digits


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
        """Add slopes by the view's cells, ``(S, 2)``, to those by the indicator counts, ``(n, K, 2)``."""
        flat = total.reshape(len(total), -1)
        for column, side in enumerate((self.negative, self.positive)):
            flat[:, side] += by_cell[:, column][self.ranking.row].reshape(len(total), -1)

    def table(self, whole: Table, design: Design) -> ScoresTable:
        """Return the table of scores of two classes."""
        counts = self.cells(whole.indicator(whole.counts))
        label = whole.labels[self.ranking.columns[0]]
        names = np.array([f"not {label}", str(label)], dtype=object)
        return ScoresTable(counts=counts, scores=self.ranking.scores, labels=names, design=design, rows=whole.rows)


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


def resolve_multiclass(spec: str, table: Table) -> Metric:
    """Return the metric that a spec names on a table of scores of many classes.

    Parameters
    ----------
    spec
        A metric of scores of two classes with an average: ``"roc_auc@macro"``, ``"average_precision@micro"``,
        ``"roc_auc@weighted+multi_class=ovo"``, ``"roc_auc@binary+positive_class=2"``; or ``"log_loss"`` and
        ``"brier_score"`` of whole rows of probabilities.
    table
        From `multiclass_scores`.

    References
    ----------
    Hand, Till (2001), Machine Learning 45, for pairs of classes.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.multiclass_scores([0, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]])
    >>> resolve_multiclass("auc @ mean + multi_class = ovo", table).name
    'roc_auc@macro+multi_class=ovo'
    """
    head, at, tail = spec.partition("@")
    if not at:
        return _whole(head, table)
    word, plus, rest = tail.partition("+")  # a class's name may hold a plus: "ER+"
    average = averages.canonical_average(word)
    given = dict([_pair(rest, spec)]) if plus else {}
    if average == "binary":
        return _single(head, given, table)
    scheme = given.pop("multi_class", "ovr")
    if given:
        raise HowsureError.unknown("argument of an average", next(iter(given)), ["multi_class"])
    return _averaged(head, average, scheme, table)


def _pair(text: str, spec: str) -> tuple[str, str]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        message = f"'{text}' in '{spec}' is not of the form argument=value."
        raise HowsureError(message)
    return name, value


def _single(head: str, given: dict[str, str], table: Table) -> Metric:
    if set(given) != {"positive_class"}:
        example = f"{head}@binary+positive_class={table.labels[-1]}"
        message = f"`{head}@binary` needs the class, and nothing else: '{example}'."
        raise HowsureError(message)
    index = table.position(given["positive_class"])
    view = _against_rest(table, index)
    design = table.class_design(index, view.ranking.row, len(view.ranking.scores))
    small = view.table(table, Independent() if design is None else design)  # without a design, for the value alone
    metric = bound(head, small)
    return _of_views(
        f"{metric.name}@binary+positive_class={table.labels[index]}",
        [metric],
        [view],
        table,
        lambda values, _: values[..., 0],
        lambda _, weights: (np.ones(1), np.zeros_like(weights)),
        smaller=None if design is None else lambda _: (small, metric),
    )


def _averaged(head: str, average: str, scheme: str, table: Table) -> Metric:
    if scheme not in {"ovr", "ovo"}:
        raise HowsureError.unknown("scheme (`multi_class`)", scheme, ("ovr", "ovo"))
    if scheme == "ovo" and not table.has_pairs:
        message = "Labels of multilabel data are no alternatives, and have no pairs: leave out `multi_class=ovo`."
        raise HowsureError(message)
    if average == "none":
        message = f"`{head}@none` is one value a class: give it to `evaluate`, without `multi_class`."
        raise HowsureError(message)
    if average == "micro":
        if scheme == "ovo":
            message = "`micro` pools each class against the rest, and has no form for pairs: use 'macro' or 'weighted'."
            raise HowsureError(message)
        views, mean = pooled(table), averages.BY_NAME["macro"]
    else:
        views, mean = (against_rest if scheme == "ovr" else pairs)(table), averages.BY_NAME[average]
    metrics = [bound(head, view.table(table, Independent())) for view in views]  # for their values alone
    name = f"{metrics[0].name}@{average}" + ("" if scheme == "ovr" else "+multi_class=ovo")
    return _of_views(name, metrics, views, table, mean.value, mean.slopes)


def _of_views(
    name: str,
    metrics: list[Metric],
    views: list[TwoClassView],
    table: Table,
    value: Any,
    slopes: Any,
    smaller: Any = None,
) -> Metric:
    """Return the average of a metric over views; a view's weight is the number of true cases of its classes."""
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
        by_value, by_weight = slopes(*parts(counts.cells))
        total = np.zeros(every.shape)
        for index, (metric, view) in enumerate(zip(metrics, views, strict=True)):
            if by_value[index]:
                own = metric.gradient(Counts(view.cells(every)))
                view.add_slopes(by_value[index] * own, total)
            total.reshape(len(total), -1)[:, view.members] += by_weight[index]
        return table.from_indicator(total)

    return Metric(
        name=name,
        counts_class=Counts,
        value=lambda counts: np.asarray(value(*parts(counts.cells))),
        gradient=gradient,
        range=metrics[0].range,
        better=metrics[0].better,
        per_class=lambda counts: parts(counts.cells)[0],
        smaller=smaller,
    )


def _whole(head: str, table: Table) -> Metric:
    """Return a loss of whole rows of probabilities, or say that an average is missing."""
    two = bound(head, TWO_CASES)
    if two.name not in LOSSES or not table.has_pairs:
        message = (
            f"`{two.name}` looks at one class against the rest, and there are {len(table.labels)}. Name an average, "
            f"'{two.name}@macro', or a class, '{two.name}@binary+positive_class={table.labels[-1]}'."
        )
        raise HowsureError(message)
    scores = table.scores
    sums = scores.sum(1)
    if scores.min() < 0 or np.abs(sums - 1).max() > SUM_TOLERANCE:
        message = f"`{two.name}` needs rows of probabilities; they sum to {sums.min():g} … {sums.max():g}, not to 1."
        raise HowsureError(message)
    loss = mean_metric(LOSSES[two.name](scores))
    return Metric(
        name=two.name,
        counts_class=Counts,
        value=lambda counts: loss["value"](counts.cells),
        gradient=lambda counts: loss["slopes"](counts.cells),
        range=(0.0, np.inf if two.name == "log_loss" else 2.0),
        better="lower",
    )


def _log_losses(scores: Array) -> Array:
    return np.asarray(-np.log(np.clip(scores, SMALLEST, 1 - SMALLEST)))


def _brier_losses(scores: Array) -> Array:
    return np.asarray((scores**2).sum(1, keepdims=True) + 1 - 2 * scores)


LOSSES = {"log_loss": _log_losses, "brier_score": _brier_losses}
TWO_CASES = ScoresTable(
    counts=np.eye(2), scores=np.array([0.0, 1.0]), labels=np.array([0, 1])
)  # to look up a metric's name

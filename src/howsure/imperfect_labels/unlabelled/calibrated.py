"""Tables of expected counts from scores without labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from dataclasses import replace
from typing import Any, Literal, SupportsIndex, TypedDict, Unpack, get_args, overload

import numpy as np

from howsure.arrays import Array
from howsure.designs.cases import Cases
from howsure.designs.distribution import ScoreDistribution
from howsure.designs.expected import Batch, Population
from howsure.designs.known import Known
from howsure.errors import HowsureError, one_of, whole_number
from howsure.imperfect_labels.calibration.calibrator import Calibrator
from howsure.imperfect_labels.unlabelled.batch import calibrated_batch
from howsure.imperfect_labels.unlabelled.chunks import Every, chunks
from howsure.imperfect_labels.unlabelled.columns import NONE, case_weights, predicted_positions, probability_columns
from howsure.native.ends import are_ones, total
from howsure.native.sides import by_side
from howsure.native.sorting import count_numbers
from howsure.sources.frames import Rows, columns, rows, weight_or_counts
from howsure.sources.groups import by_columns, roles
from howsure.sources.layout import order_as_stated, refuse_other_order
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.labels import label_array
from howsure.tables.score_matrix import MulticlassScoresTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Target = Literal["batch", "population"]
Kind = Literal["confusion", "scores"]
Make = Callable[[Any], Table]  # makes the table of a selection of rows
TARGETS: Mapping[str, type[Batch | Population]] = {"batch": Batch, "population": Population}


class _Keywords(TypedDict, total=False):
    """Keyword arguments that do not decide the type of the result."""

    data: object
    counts: object
    y_pred: object
    kind: Kind | None
    labels: object
    target: Target
    sample_weight: object
    calibrator: Calibrator | None


@overload
def calibrated(  # for n×K probabilities the result is another type, but array types do not show this
    y_score: object, *, by: None = None, every: None = None, n: int | None = ..., **keywords: Unpack[_Keywords]
) -> ScoresTable: ...


@overload
def calibrated(
    y_score: object, *, by: Sized, every: Every | None = ..., check: bool = ..., **keywords: Unpack[_Keywords]
) -> Tables[ScoresTable]: ...


@overload
def calibrated(
    y_score: object, *, every: int, check: bool = ..., **keywords: Unpack[_Keywords]
) -> Tables[ScoresTable]: ...


@order_as_stated
def calibrated(
    y_score: object,
    *,
    data: object = None,
    counts: object = None,
    by: Sized | None = None,
    every: Every | int | None = None,
    y_pred: object = None,
    kind: Kind | None = None,
    labels: object = None,
    target: Target = "batch",
    sample_weight: object = None,
    n: int | None = None,
    calibrator: Calibrator | None = None,
    check: bool = True,
) -> Table | Tables[Any]:
    """Return the table of expected counts of a calibrated classifier, for metrics without any label.

    Parameters
    ----------
    y_score : array-like of shape (n,) or (n, K), str, list of str, or distribution
        Probability of the positive class for each case, in [0, 1], or n×K probabilities of K classes. With ``data``,
        the name of the column, or a list of K names. Also the distribution of the scores: a frozen SciPy distribution,
        another object with a ``cdf``, a distribution function, or a ``scipy.stats.gaussian_kde``, which is truncated
        to [0, 1].
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, combination of values, or period.
    every : str or int, optional
        Chunks. If ``by`` is a column of times, the period: ``"hour"``, ``"day"``, ``"week"``, ``"month"``,
        ``"quarter"`` or ``"year"``. Without ``by``, the number of consecutive cases per chunk.
    y_pred : array-like of shape (n,) or str, optional
        Predicted class of each case; the table then evaluates these predictions. By default, the most probable of K
        classes is the prediction, and a single score per case is evaluated at thresholds.
    kind : {"confusion", "scores"}, optional
        Kind of the table: of predictions, for metrics such as F1, or of scores, for metrics such as ROC AUC and log
        loss. The default is predictions for n×K probabilities or with ``y_pred``, and scores otherwise.
    labels : array-like of shape (K,), optional
        Names of the classes in order: ``(negative, positive)``, or K names; by default 0 … K−1.
    target : {"batch", "population"}
        Target of the intervals: ``"batch"`` is the metric of these cases after they are labelled, ``"population"``
        the metric of the population from which they are a sample.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case; not with a ``calibrator``.
    n : int, optional
        Size of a new batch drawn from a distribution of scores. Without it, metrics of a distribution have no
        uncertainty.
    calibrator : Calibrator, optional
        Calibrator made by `calibrate`, for scores that are not calibrated probabilities. It converts them, and
        intervals account for its uncertainty. Thresholds stay on the scale of the scores.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    ScoresTable, ConfusionTable or Tables
        For scores: ``n (1 - s)`` expected negative and ``n s`` expected positive cases at each distinct score s with n
        cases; ``.at(threshold)``, ROC AUC, average precision and all curves are available. For n×K probabilities: the
        K×K confusion table ``C_ij = sum of p_i over the cases predicted as j``, or, with ``kind="scores"``, each row of
        probabilities with these probabilities as the expected counts of its classes. If ``by`` or ``every`` is given,
        the tables of the chunks, a mapping with the table of all cases as ``overall``.

    Raises
    ------
    HowsureError
        If a score is missing or outside [0, 1], there is no case, or the probabilities of a case do not sum to 1. If
        the distribution is not continuous on [0, 1]. If ``every`` and ``by`` do not match.

    Notes
    -----
    All estimates assume calibration: a share s of the cases with score s is positive. Their `reason` states this
    assumption.

    For a batch, true positives and false negatives at a threshold are independent Poisson-binomial variables, and
    intervals follow from their exact joint distribution. For the population, only the sampling of the scores is
    uncertain, since labels carry no further information given calibrated probabilities. The interval for the metric of
    another labelled batch from the population would be wider than both.

    References
    ----------
    Hong (2013), Computational Statistics & Data Analysis 59.

    Examples
    --------
    >>> import howsure as hs
    >>> scores = hs.calibrated([0.1, 0.3, 0.35, 0.6, 0.8, 0.9])
    >>> scores.at(0.5).counts.round(2).tolist()
    [[2.25, 0.7], [0.75, 2.3]]
    >>> estimate = hs.estimate(scores, "precision", threshold=0.5)
    >>> round(estimate.value, 3), estimate.reason
    (0.767, 'prediction for these cases; assumes calibrated scores')
    >>> chunks = hs.calibrated([0.1, 0.3, 0.35, 0.6, 0.8, 0.9], every=3)
    >>> {cases: table.rows for cases, table in chunks.items()}
    {'0–2': 3, '3–5': 3}
    """
    one_of("target", target, TARGETS)
    if kind is not None:
        one_of("kind of table (`kind`)", kind, get_args(Kind))
    if callable(y_score) or hasattr(y_score, "cdf"):
        _refuse_given(
            "a distribution",
            data=data,
            by=by,
            every=every,
            y_pred=y_pred,
            kind=kind,
            sample_weight=sample_weight,
            counts=counts,
            calibrator=calibrator,
        )
        return _of_distribution(y_score, n, _binary(labels))
    _refuse_given("scores", n=n)
    weight_or_counts(sample_weight, counts)
    named = by_columns(by, data)

    def read(names: Mapping[str, object]) -> Rows:
        if isinstance(every, SupportsIndex):  # keep the order of consecutive cases
            return Rows(columns(data, names, check=check, counts=counts))
        scored = ["y_score"] if "y_score" in names else []
        return rows(data, names, scores=scored, check=check, counts=counts)

    if calibrator is not None:
        _refuse_given("one calibrated score per case", y_pred=y_pred, kind=kind, labels=labels)
        _refuse_unfit(calibrator, target, sample_weight)
        found = read({"y_score": y_score} | roles(named))
        number, make = _batches(found, calibrator)
    else:
        others = {"y_pred": y_pred, "sample_weight": sample_weight} | roles(named)
        present = {role: column for role, column in others.items() if column is not None}
        score, found, names = probability_columns(y_score, data, read, present)
        if names is not None and labels is not None:
            refuse_other_order(np.asarray(labels).tolist(), names)
        classes = names if labels is None else labels
        number = found.numbers(len(score))
        weight = case_weights(found.columns.get("sample_weight"), len(score))
        make = _maker(score, number, found.columns.get("y_pred"), weight, kind, classes, TARGETS[target])
    split = chunks(named, found.columns, every, len(number))
    return make(slice(None)) if split is None else split.each(make)


def _refuse_unfit(calibrator: object, target: Target, sample_weight: object) -> None:
    if not isinstance(calibrator, Calibrator):
        raise HowsureError(
            f"`calibrator` comes from `calibrate(y_score, y_true)`; this is {type(calibrator).__name__}."
        )
    if target != "batch":
        raise HowsureError("A calibrator's intervals are about the batch at hand: leave out `target`.")
    if sample_weight is not None:
        raise HowsureError(
            "With a calibrator all cases count the same: leave out `sample_weight`, or give the probabilities "
            "`calibrator.predict(y_score)` as scores, without `calibrator`."
        )


def _batches(found: Rows, calibrator: Calibrator) -> tuple[Array, Make]:
    """Return the number of cases of each row of scores, and a function from a selection of rows to its table."""
    score = calibrator.checked(found.columns["y_score"])
    number = found.numbers(len(score))
    known = np.concatenate([score, calibrator.table.scores])
    limits = float(known.min()), float(known.max())
    return number, lambda some: replace(calibrated_batch(score[some], number[some], calibrator), limits=limits)


def _maker(
    score: Array,
    number: Array,
    predicted: object,
    weight: Array | None,
    kind: Kind | None,
    labels: Any,
    design: type[Batch | Population],
) -> Make:
    """Return the function from a selection of rows of probabilities to its table."""

    def cases(some: Any) -> tuple[Array, Array | float]:
        own = None if weight is None else weight[some]
        return number[some], 1.0 if own is None or (own == own[0]).all() else own

    if predicted is not None and kind == "scores":
        raise HowsureError("`y_pred` is of predictions, and kind='scores' uses scores alone: leave out one of them.")
    if score.ndim == 1 and predicted is None:
        if kind == "confusion":
            raise HowsureError(
                "One score per case has no predictions: give `y_pred`, or take `.at(threshold)` of the table."
            )
        two = _binary(labels)
        return lambda some: _of_scores(score[some], *cases(some), two, design)
    if score.ndim == 1:
        labels = _binary(labels)
    classes = np.arange(score.shape[1]) if labels is None else label_array(labels)
    decisions = predicted_positions(score, predicted, classes)
    if kind == "scores":
        return lambda some: _of_rows(score[some], *cases(some), classes, design)
    return lambda some: _of_probabilities(score[some], *cases(some), decisions[some], classes, design)


def _refuse_given(what: str, **arguments: object) -> None:
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise HowsureError(f"`{given[0]}` has no meaning for {what}. Leave it out.")


def _binary(labels: Any) -> Array:
    classes = np.arange(2) if labels is None else label_array(labels)
    if len(classes) != 2:
        raise HowsureError(
            f"`labels` names {len(classes)} classes; one score per case has two, the negative and the positive."
        )
    return classes


def _of_scores(
    score: Array, number: Array, weight: Array | float, classes: Array, design: type[Batch | Population]
) -> Table:
    if np.ndim(weight) == 0 and are_ones(number):
        distinct, number_each = count_numbers(score)
    else:
        distinct, place = np.unique(score, return_inverse=True)
        number_each = np.bincount(place, number)
    counts = _of_both_classes(distinct)
    second = counts[:, 1]
    if np.array_equal(second[:2], distinct[:2]):  # no score was below `NONE`: one memory for both
        distinct = second
    if np.ndim(weight) == 0:
        cases = Cases(second, number_each)
        counts = counts if are_ones(number_each) else counts * number_each[:, None]
    else:
        cells = np.arange(2 * len(second)).reshape(-1, 2)
        cases = Cases(second[place], number, place, cells, weight)
        counts = cases.counts((len(second), 2))
    return ScoresTable(counts=counts, scores=distinct, labels=classes, design=design(cases), rows=_total(number))


def _of_both_classes(score: Array) -> Array:
    """Return the probabilities of both classes at ascending scores, each contiguous in memory, ``(n, 2)``."""
    columns = np.empty((2, len(score)))
    columns[1] = score
    columns[1, : np.searchsorted(score, NONE)] = 0.0
    np.subtract(1, columns[1], out=columns[0])
    return columns.T


def _of_probabilities(
    score: Array,
    number: Array,
    weight: Array | float,
    predicted: Array,
    classes: Array,
    design: type[Batch | Population],
) -> Table:
    size = len(classes)
    if score.ndim == 1:
        score, number, weight, predicted = _by_prediction(score, number, weight, predicted)
    cells = size * np.arange(size) + np.arange(size)[:, None]
    cases = Cases(score, number, predicted, cells, weight)
    counts = cases.counts((size, size))
    return ConfusionTable(counts=counts, labels=classes, design=design(cases), rows=_total(number))


def _by_prediction(
    score: Array, number: Array, weight: Array | float, predicted: Array
) -> tuple[Array, Array, Array | float, Array]:
    """Put the cases with the same prediction together: sums over them then need no copies."""
    called = predicted.view(bool)
    ordered, first = by_side(score, called, NONE)
    if not (are_ones(number) and np.ndim(weight) == 0):
        order = np.concatenate([np.flatnonzero(~called), np.flatnonzero(called)])
        number, weight = number[order], weight if np.ndim(weight) == 0 else np.asarray(weight)[order]
    grouped = np.zeros(len(score), dtype=np.int8)
    grouped[first:] = 1
    return ordered, number, weight, grouped


def _of_rows(
    probability: Array, number: Array, weight: Array | float, classes: Array, design: type[Batch | Population]
) -> Table:
    rows, size = probability.shape
    place = np.arange(rows)
    cases = Cases(probability, number, place, size * place[:, None] + np.arange(size), weight)
    counts = cases.counts(probability.shape)
    return MulticlassScoresTable(
        counts=counts, scores=probability, labels=classes, design=design(cases), rows=_total(number)
    )


def _total(number: Array) -> int:
    return round(total(number))


def _of_distribution(distribution: object, n: int | None, classes: Array) -> Table:
    if n is not None:
        n = whole_number("n", n)
    known = ScoreDistribution(distribution)
    edges = known.edges()
    # Each row contains the scores from its edge up to the next one, so thresholds at the edges are exact.
    under, over = known.below(edges), known.cells(edges)[:, 1, 1]
    counts = np.stack([np.diff(under) + np.diff(over), -np.diff(over)], 1)
    design = Known(known, np.inf if n is None else float(n))
    counts = np.maximum(counts, 0.0) * (1.0 if n is None else n)
    rows = 0 if n is None else int(n)
    return ScoresTable(counts=counts, scores=edges[:-1], labels=classes, design=design, rows=rows)

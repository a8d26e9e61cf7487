"""Scores without labels, made into tables of expected counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from howsure.designs.distribution import ScoreDistribution
from howsure.designs.expected import Batch, Cases, Known, Population
from howsure.errors import HowsureError, whole_number
from howsure.evidence.calibration.calibrators import Calibrator
from howsure.evidence.unlabelled.batch import calibrated_batch
from howsure.evidence.unlabelled.chunks import Every, chunk_codes
from howsure.sources.columns import encoded
from howsure.sources.frames import columns
from howsure.sources.scores import score_values
from howsure.tables.confusion import ConfusionTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table, label_array

Array = NDArray[Any]
Target = Literal["batch", "population"]
TARGETS: Mapping[str, type[Batch | Population]] = {"batch": Batch, "population": Population}
ROUNDING = 2e-3  # by which the probabilities of a case, printed with few decimals, may miss a sum of 1
NONE = 1e-30  # a probability below it is none: its inverse square would overflow


def calibrated(
    y_score: Any,
    *,
    data: Any = None,
    by: Any = None,
    every: Every | int | None = None,
    y_pred: Any = None,
    labels: Any = None,
    target: Target = "batch",
    n: int | None = None,
    calibrator: Calibrator | None = None,
) -> Any:
    """Return the expected counts of a calibrated classifier: every metric, without a single label.

    Parameters
    ----------
    y_score
        Probability of the positive class of each case; n×K probabilities of K classes; or the distribution of the
        scores: a frozen SciPy distribution, anything else with a ``cdf``, or a distribution function. With ``data``
        the name of the column, or a list of K names.
    data
        A frame, a lazy frame or relation, a mapping of columns, or the path of a file.
    by
        Column to split by: one table for each of its values, or each period of it.
    every
        Chunks: with ``by`` a column of times the period, ``"hour"``, ``"day"``, ``"week"``, ``"month"``,
        ``"quarter"`` or ``"year"``; without ``by`` how many consecutive cases make a chunk.
    y_pred
        Of n×K probabilities: the predicted class of each case; by default the most probable.
    labels
        The classes' names, in order: ``(negative, positive)``, or K of them. 0 … K−1 by default.
    target
        What intervals are about: ``"batch"``, what these very cases will turn out to be once they are labelled, or
        ``"population"``, the metric of the population that they are a sample of.
    n
        Of a distribution: the size of a new batch drawn from it. Without it there is nothing uncertain.
    calibrator
        From `calibrate`, for scores that are no probabilities yet: it makes them so, and its uncertainty enters every
        interval. Thresholds stay on the scale of the scores.

    Returns
    -------
    Table, or dict of Table
        Of scores: kind ``"scores"``, with ``n (1 - s)`` expected negative and ``n s`` positive cases at each distinct
        score, so that ``.at(threshold)``, ROC AUC, average precision and all curves follow. Of n×K probabilities: the
        K×K confusion table ``C_ij = sum of p_i over the cases predicted as j``.

    Raises
    ------
    HowsureError
        If a score is missing or outside [0, 1], there is no case, the probabilities of a case do not sum to 1, or the
        distribution is not one of continuous scores in [0, 1].

    Notes
    -----
    All of it rests on calibration: of the cases with score s a share s is positive. Estimates say so in `reason`.

    For a batch, true positives and false negatives at a threshold are independent Poisson-binomial variables; the
    interval of any metric is read off their exact joint distribution. For the population only the sampling of the
    scores counts: a label adds nothing to what its probability says. The interval of the metric that another, labelled
    batch of the population would show is wider than either.

    Examples
    --------
    >>> import howsure as hs
    >>> scores = hs.calibrated([0.1, 0.3, 0.35, 0.6, 0.8, 0.9])
    >>> scores.at(0.5).counts.round(2).tolist()
    [[2.25, 0.7], [0.75, 2.3]]
    >>> estimate = hs.estimate(scores, "precision", threshold=0.5)
    >>> round(estimate.value, 3), estimate.reason
    (0.767, 'what these cases will turn out to be, if their scores are calibrated')
    """
    if target not in TARGETS:
        raise HowsureError.unknown("target", str(target), TARGETS)
    if callable(y_score) or hasattr(y_score, "cdf"):
        _refuse_given("a distribution", data=data, by=by, every=every, y_pred=y_pred, calibrator=calibrator)
        return _of_distribution(y_score, n, _binary(labels))
    _refuse_given("scores", n=n)
    if calibrator is not None:
        _refuse_given("one calibrated score a case", y_pred=y_pred, labels=labels)
        if not isinstance(calibrator, Calibrator):
            message = f"`calibrator` comes from `calibrate(y_score, y_true)`; this is {type(calibrator).__name__}."
            raise HowsureError(message)
        if target != "batch":
            message = "A calibrator's intervals are about the batch at hand: leave out `target`."
            raise HowsureError(message)
        given = columns(data, {"y_score": y_score} if by is None else {"y_score": y_score, "by": by})
        score = calibrator.checked(given["y_score"])
        chunk = chunk_codes(given.get("by"), every, len(score))
        return _by_chunk(chunk, lambda rows: calibrated_batch(score[rows], calibrator))
    score, others, named = _columns(y_score, data, {"y_pred": y_pred, "by": by})
    chunk = chunk_codes(others.get("by"), every, len(score))
    if score.ndim == 2 and labels is None:  # noqa: PLR2004 - probabilities of K classes
        labels = named
    predicted = others.get("y_pred")
    if score.ndim == 1:
        if predicted is not None:
            message = "`y_pred` goes with n×K probabilities; of one score a case, `.at(threshold)` gives predictions."
            raise HowsureError(message)
        classes = _binary(labels)
        build: Any = lambda rows: _of_scores(score[rows], classes, TARGETS[target])  # noqa: E731 - one of two
    else:
        classes = np.arange(score.shape[1]) if labels is None else label_array(labels)
        decisions = _decisions(score, predicted, classes)
        build = lambda rows: _of_probabilities(score[rows], decisions[rows], classes, TARGETS[target])  # noqa: E731
    return _by_chunk(chunk, build)


def _by_chunk(chunk: tuple[list[Any], Array] | None, build: Callable[[Any], Table]) -> Any:
    if chunk is None:
        return build(slice(None))
    names, codes = chunk
    return {name: build(codes == code) for code, name in enumerate(names)}


def _refuse_given(what: str, **arguments: Any) -> None:
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        message = f"`{given[0]}` has no meaning for {what}. Leave it out."
        raise HowsureError(message)


def _columns(y_score: Any, data: Any, others: Mapping[str, Any]) -> tuple[Array, dict[str, Any], list[str] | None]:
    """Return checked scores, ``(n,)`` or ``(n, K)``, the other columns by role, and the names of K columns."""
    present = {role: column for role, column in others.items() if column is not None}
    if data is not None and isinstance(y_score, list | tuple):
        names = [str(each) for each in y_score]
        given = columns(data, {**{f"y_score[{i}]": name for i, name in enumerate(names)}, **present})
        score = np.stack([score_values(given[f"y_score[{i}]"]) for i in range(len(names))], 1)
        return _probabilities(score), given, names
    given = columns(data, {"y_score": y_score, **present})
    values = given["y_score"]
    names = [str(each) for each in values.columns] if hasattr(values, "columns") else []
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.ndim == 2:  # noqa: PLR2004 - cases and classes
        flat = score_values(array.ravel()).reshape(array.shape)
        return _probabilities(flat), given, names or None
    return _in_range(score_values(values)), given, None


def _in_range(score: Array) -> Array:
    if not score.size:
        message = "`y_score` is empty: there is no case to evaluate."
        raise HowsureError(message)
    outside = (score < 0) | (score > 1)
    if outside.any():
        first = int(np.argmax(outside.reshape(len(score), -1).any(1)))
        worst = float(score[outside][0])
        message = (
            f"`y_score` has {int(outside.sum())} values outside [0, 1] (first {worst:g}, at row {first}). "
            "Without labels a score must be the probability of the class: give a `calibrator` from `calibrate`."
        )
        raise HowsureError(message)
    return score


def _probabilities(score: Array) -> Array:
    """Return n×K probabilities; refuse cases whose probabilities do not sum to 1."""
    _in_range(score)
    if score.shape[1] < 2:  # noqa: PLR2004 - a table needs two classes
        message = "`y_score` has a single column. Give one score a case, `y_score[:, 0]`."
        raise HowsureError(message)
    sums = score.sum(1)
    off = np.abs(sums - 1) > ROUNDING
    if off.any():
        first = int(np.argmax(off))
        message = (
            f"The probabilities of {int(off.sum())} cases do not sum to 1 (first at row {first}: {sums[first]:g}). "
            "Give the probability of every class."
        )
        raise HowsureError(message)
    return np.where(score < NONE, 0.0, score / sums[:, None])


def _binary(labels: Any) -> Array:
    classes = np.arange(2) if labels is None else label_array(labels)
    if len(classes) != 2:  # noqa: PLR2004 - negative and positive
        message = f"`labels` names {len(classes)} classes; one score a case has two, the negative and the positive."
        raise HowsureError(message)
    return classes


def _decisions(score: Array, predicted: Any, classes: Array) -> Array:
    if len(classes) != score.shape[1]:
        message = f"`labels` names {len(classes)} classes, and `y_score` has {score.shape[1]} columns."
        raise HowsureError(message)
    if predicted is None:
        return np.asarray(score.argmax(1))
    column = encoded("y_pred", predicted)
    if len(column) != len(score):
        message = f"The columns differ in length: `y_score` has {len(score)}, `y_pred` has {len(column)}."
        raise HowsureError(message)
    known = {str(label): index for index, label in enumerate(classes.tolist())}
    used, position = np.unique(np.asarray(column.codes, dtype=np.int64) - column.offset, return_inverse=True)
    values = column.levels[used].tolist()
    for value in values:
        if str(value) not in known:
            raise HowsureError.unknown("class", str(value), known)
    return np.array([known[str(value)] for value in values])[position]


def _of_scores(score: Array, classes: Array, design: type[Batch | Population]) -> Table:
    distinct, number = np.unique(score, return_counts=True)
    probability = np.stack([1 - distinct, np.where(distinct < NONE, 0.0, distinct)], 1)
    place = np.arange(len(distinct))
    cases = Cases(probability, number.astype(float), place, 2 * place[:, None] + np.arange(2))
    counts = probability * cases.number[:, None]
    return ScoresTable(counts=counts, scores=distinct, labels=classes, design=design(cases), rows=len(score))


def _of_probabilities(probability: Array, predicted: Array, classes: Array, design: type[Batch | Population]) -> Table:
    size = len(classes)
    cells = size * np.arange(size) + np.arange(size)[:, None]
    cases = Cases(probability, np.ones(len(probability)), predicted, cells)
    counts = cases.counts((size, size))
    return ConfusionTable(counts=counts, labels=classes, design=design(cases), rows=len(probability))


def _of_distribution(distribution: Any, n: int | None, classes: Array) -> Table:
    if n is not None:
        n = whole_number("n", n)
    known = ScoreDistribution(distribution)
    edges = known.edges()
    # Each row stands for the scores from its edge up to the next: thresholds at the edges are exact.
    under, over = known.below(edges), known.cells(edges)[:, 1, 1]
    counts = np.stack([np.diff(under) + np.diff(over), -np.diff(over)], 1)
    design = Known(known, np.inf if n is None else float(n))
    counts = np.maximum(counts, 0.0) * (1.0 if n is None else n)
    rows = 0 if n is None else int(n)
    return ScoresTable(counts=counts, scores=edges[:-1], labels=classes, design=design, rows=rows)

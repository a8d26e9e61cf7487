"""Binding of specs to metrics: `resolve` handles every form of metric and every kind of table."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, listed, several
from howsure.metrics.class_averages import gaps_of, unseen_of
from howsure.metrics.counted import of_predictions
from howsure.metrics.kinds import form_of
from howsure.metrics.metric import Metric
from howsure.metrics.multiclass import of_score_matrix
from howsure.metrics.probability import probabilities
from howsure.metrics.scored import of_scores, of_values
from howsure.metrics.spec import Spec, named, of_class, of_two_classes, parse
from howsure.tables.counts import ClassCounts, ConfusionCounts, Counts
from howsure.tables.joint import JointTable
from howsure.tables.labels import OUTCOMES, TWO
from howsure.tables.protocols import one_against_rest
from howsure.tables.score_matrix import ScoreMatrixTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table


def requested(metric: str | Spec | Metric) -> Spec | Metric:
    """Return the spec that a text states; a spec or a metric is returned as it is."""
    return metric if isinstance(metric, Spec | Metric) else parse(metric)


def listed_metrics(metrics: object) -> list[Any]:
    """Return one or several metrics as a list; raise an error if it is empty."""
    found = [metrics] if isinstance(metrics, str | Spec | Metric) else several("metrics", metrics, "metrics")
    if not found:
        raise HowsureError("`metrics` is empty. Name at least one, such as 'accuracy'.")
    return found


def resolve(
    spec: str | Spec | Metric,
    table: Table,
    *,
    classes: Sequence[int] | None = None,
    threshold: float | None = None,
    without: Array | None = None,
) -> Metric:
    """Return the metric that a spec names on a table.

    Parameters
    ----------
    spec : str, Spec or Metric
        A spec string, read or not; a metric is returned as it is.
    table : Table
        Its labels give ``positive_class`` a position; two classes without an average mean the second one.
    classes : sequence of int, optional
        Positions of the classes to average over; all by default.
    threshold : float, optional
        Where a metric of predictions reads a table of scores. Metrics of scores do not look at it; a net benefit has
        an argument of this name instead, and another value is refused.
    without : ndarray of bool of shape (K,), optional
        Classes that an average leaves out for another model of the comparison: see `resolve_each`.

    Raises
    ------
    HowsureError
        If a name is unknown, the metric is not for this kind of table, or it is of one class, there are more than two
        and no average is named.

    Examples
    --------
    >>> import howsure as hs
    >>> resolve("auc + max_fpr=0.2", hs.scores([0, 1], [0.1, 0.9])).name
    'roc_auc+max_fpr=0.2'
    >>> table = hs.multiclass_scores([0, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]])
    >>> resolve("auc @ mean + multi_class = ovo", table).average
    'macro'
    """
    asked = requested(spec)
    if isinstance(table, ScoresTable) and of_counts(asked):
        cutoff = threshold_for(asked, threshold)
        if cutoff is not None:
            return _at_threshold(asked, table, cutoff, classes)
    if isinstance(asked, Metric):
        return asked
    _check(asked, table)
    if isinstance(table, ScoresTable):
        return of_scores(asked, table)
    if isinstance(table, ScoreMatrixTable):
        return of_score_matrix(asked, table)
    if asked.definition.takes_table(table.data_kinds):
        return of_values(asked, table)
    return of_predictions(asked, table, classes, without)


def stated_threshold(spec: Spec | Metric) -> float | None:
    """Return the threshold that a spec states for scores, as a net benefit does; otherwise None."""
    return spec.arguments["threshold"] if isinstance(spec, Spec) and spec.definition.cuts_scores else None


def threshold_for(spec: Spec | Metric, threshold: float | None) -> float | None:
    """Return the threshold of scores for a metric of counts: the one that its spec states, or the one given.

    Raises
    ------
    HowsureError
        If the two differ.
    """
    own = stated_threshold(spec)
    if own is None or threshold is None or threshold == own:
        return threshold if own is None else own
    raise HowsureError(
        f"`{spec.label}` states the threshold of its decision, and the argument is `threshold={threshold:g}`. "
        "Drop one of the two, or ask for the metrics in two calls."
    )


def predictions_at(table: Any, threshold: float, spec: Spec | Metric) -> Any:
    """Return the predictions of a table of scores at a threshold; a metric that states its own needs probabilities.

    Parameters
    ----------
    table : ScoresTable or PairedScoresTable
        The scores of one or of several models.
    threshold : float
        As of `threshold_for`.
    spec : Spec or Metric
        A metric of counts.
    """
    if stated_threshold(spec) is not None:
        if spec.average is not None:
            raise HowsureError(
                f"`{spec.label}` cuts the risk of the positive class, and the risks of other classes at other points. "
                f"Drop '@{spec.average}', or make predictions of each class first."
            )
        for each in (table,) if isinstance(table, ScoresTable) else map(table.model, table.models):
            probabilities(each, spec.label)
    return table.at(threshold)


def at_stated_threshold(table: object, spec: Spec | Metric) -> Any:
    """Return the predictions of a table of scores at the threshold that a metric states; any other table unchanged."""
    own = stated_threshold(spec)
    return table if own is None or not hasattr(table, "at") else predictions_at(table, own, spec)


def _check(asked: Spec, table: Table) -> None:
    """Refuse a metric that is not defined for a table, or whose arguments are not."""
    if isinstance(table, JointTable):
        raise HowsureError(table.needs_one_model)
    if not asked.definition.reads_any(table.data_kinds):
        raise _of_another_kind(asked, table)
    if asked.arguments and asked.definition.also:
        _refuse_others_arguments(asked, table)
    if table.labels.tolist() == [*OUTCOMES] and asked.definition.name not in {"accuracy", "error_rate"}:
        raise HowsureError(
            f"Joint counts are of right and wrong answers, and `{asked.text}` needs the classes. Give predictions, "
            "paired(y_true, {'A': …, 'B': …}), or the counts by class, paired_counts(K × K × K)."
        )
    if asked.definition.is_ordinal:
        _refuse_unordered(asked, table)


def left_out(spec: str | Spec | Metric, tables: Sequence[Table]) -> Array | None:
    """Return the classes that an average leaves out for all of several models; None for other metrics.

    Parameters
    ----------
    spec : str, Spec or Metric
        The metric; one that is bound already has its classes.
    tables : sequence of Table
        The table of each model.
    """
    if isinstance(spec, Metric):
        return None
    return gaps_of(spec if isinstance(spec, Spec) else parse(spec), tables)


def resolve_each(spec: str | Spec | Metric, tables: Sequence[Table]) -> list[Metric]:
    """Return the metric on the tables of several models: an average is over one set of classes.

    A class on which the metric is undefined for one of them is left out for all.

    Examples
    --------
    >>> import howsure as hs
    >>> first = hs.confusion(["a", "b", "a"], ["a", "b", "b"], labels=["a", "b", "c"])
    >>> stray = hs.confusion(["a", "b", "a"], ["a", "b", "c"], labels=["a", "b", "c"])
    >>> [metric.classes.tolist() for metric in resolve_each("f1@macro", [first, stray])]
    [[0, 1], [0, 1]]
    """
    without = left_out(spec, tables)
    return [resolve(spec, each, without=without) for each in tables]


def resolve_experiment(spec: str | Spec | Metric, table: Table) -> Metric:
    """Return the metric on one of several test sets: an average is over the classes with true cases there.

    It depends on no other test set. Models on the same cases are averaged over the same classes, whatever they predict.

    Examples
    --------
    >>> import howsure as hs
    >>> stray = hs.confusion(["a", "b", "a"], ["a", "b", "c"])
    >>> resolve("f1@macro", stray).classes.tolist(), resolve_experiment("f1@macro", stray).classes.tolist()
    ([0, 1, 2], [0, 1])
    """
    return resolve(spec, table, without=unseen(spec, table))


def unseen(spec: str | Spec | Metric, table: Table) -> Array | None:
    """Return the classes that an average leaves out on one of several test sets, ``(K,)``; None for other metrics."""
    return None if isinstance(spec, Metric) else unseen_of(spec if isinstance(spec, Spec) else parse(spec), table)


def _at_threshold(spec: Spec | Metric, table: ScoresTable, threshold: float, classes: Sequence[int] | None) -> Metric:
    small = predictions_at(table, threshold, spec)
    counted = resolve(spec, small, classes=classes)

    def reduced_to(scored: Table) -> tuple[Table, Metric]:
        return small if scored is table else scored.at(threshold), counted  # type: ignore[attr-defined]  # of scores

    return replace(from_split(counted, int(np.searchsorted(table.scores, threshold))), reduced_to=reduced_to)


def _refuse_others_arguments(spec: Spec, table: Table) -> None:
    """Refuse arguments that belong to the metric's form for another kind of table."""
    taken = inspect.signature(spec.definition.form_for(table.data_kinds)).parameters
    if foreign := [name for name in spec.arguments if name not in taken]:
        raise HowsureError(
            f"`{foreign[0]}` of `{spec.definition.name}` has no meaning for a {table.kind.noun}. Drop it."
        )


def _refuse_unordered(spec: Spec, table: Table) -> None:
    """Refuse classes whose order nothing states, where there are more than two."""
    known = table.labels.tolist()
    if "errors" in table.data_kinds or table.is_ordered or len(known) <= TWO:
        return
    raise HowsureError(
        f"`{spec.text}` needs the order of the classes, and {listed(known)} is that of the alphabet. State it, from "
        f"the lowest to the highest: `labels=[{known[-1]!r}, {known[0]!r}, …]`, or give ordered categories."
    )


def _of_another_kind(spec: Spec, table: Table) -> HowsureError:
    """Return the error for a metric that is not defined for a kind of table, with what to use instead."""
    wanted, held = spec.definition.form, table.data_kinds[-1]
    own = form_of(held)
    if own is not None and (same := own.counterparts.get(spec.definition.name)):
        kind = wanted.reads if wanted.maker else "predictions and the truth"
        message = f"`{spec.text}` is a metric of {kind}. Its counterpart for {held} is `{same}`."
    elif wanted.maker:
        message = (
            f"`{spec.text}` is a metric of {wanted.reads}, and a {table.kind.noun} holds {held}. Make {wanted.maker}."
        )
    elif table.kind.has_thresholds:
        message = (
            f"`{spec.text}` counts the cases at a threshold: give `threshold=0.5` to `estimate` or `evaluate`, "
            "or take the confusion table there, `table.at(0.5)`."
        )
    elif hasattr(table, "at"):
        message = (
            f"`{spec.text}` counts the {held} from a score on: take the table of events there, such as "
            f"`estimate(table.at(0.5), '{spec.text}')`."
        )
    else:
        message = (
            f"`{spec.text}` is a metric of predictions, and a {table.kind.noun} holds none. "
            "Choose a class for each case and make a table of these: `confusion(y_true, y_pred)`."
        )
    return HowsureError(message, "other-evidence")


def of_counts(spec: str | Spec | Metric) -> bool:
    """Whether a spec names a metric of a confusion table."""
    if isinstance(spec, Metric):
        return issubclass(spec.counts_class, ClassCounts)
    definition = spec.definition if isinstance(spec, Spec) else named(spec)
    return definition is not None and definition.of_predictions


def from_split(metric: Metric, split: int) -> Metric:
    """Return a metric of the confusion table as one of scores; the first ``split`` scores are predicted negative."""

    def divided(cells: Array) -> ConfusionCounts:
        return ConfusionCounts(np.stack([cells[..., :split, :].sum(-2), cells[..., split:, :].sum(-2)], -1))

    def gradient(counts: Counts) -> Array:
        below, above = np.moveaxis(metric.gradient(divided(counts.cells)), -1, 0)[..., None, :]
        return np.asarray(np.where(np.arange(counts.cells.shape[-2])[:, None] < split, below, above))

    return replace(
        metric,
        counts_class=Counts,
        value=lambda counts: metric.value(divided(counts.cells)),
        gradient=gradient,
        structure=None,
    )


def smallest(table: Table, metric: Metric) -> tuple[Table, Metric]:
    """Return the smallest table that determines a metric: the 2×2 table for a metric of one class."""
    if metric.positive is None or table.shape == (2, 2) or metric.spec is None:
        return table, metric
    small = one_against_rest(table, metric.positive)
    if small is None:
        return table, metric
    return small, resolve(of_two_classes(metric.spec), small)


def each_class(asked: Spec | Metric, table: Table) -> Sequence[Spec | Metric]:
    """Return the metric, or one for each class if the average is ``none``."""
    if isinstance(asked, Metric) or not asked.is_each_class:
        return (asked,)
    return [of_class(asked, label) for label in table.labels]


def labels_to_expand(spec: str | Spec | Metric, table: Table) -> list[str] | None:
    """Return one spec for each class if the average is ``none``, by the requested name; otherwise None."""
    if isinstance(spec, Metric):
        return None
    asked = spec if isinstance(spec, Spec) else parse(spec)
    if not asked.is_each_class:
        return None
    return [of_class(asked, label).label for label in table.labels]

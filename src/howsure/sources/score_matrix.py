"""The source of multiclass score tables: one score per case and class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from functools import partial
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError, listed
from howsure.sources.columns import checked_weight, indicator, same_length
from howsure.sources.crossed import drawn_anew
from howsure.sources.encoding import Column, encoded
from howsure.sources.frames import columns, expanded, weight_or_counts
from howsure.sources.groups import Tally, by_columns, clusters, groups_of_columns, roles
from howsure.sources.input_checks import refuse_odd_classes, refuse_similar_labels
from howsure.sources.keywords import Sampled
from howsure.sources.layout import (
    aligned_columns,
    categories_of,
    class_order,
    column_names,
    columns_by_name,
    covers,
    dense,
    is_stated,
    refuse_other_order,
    refuse_unnamed,
    with_names,
)
from howsure.sources.scores import score_values
from howsure.sources.strata import ROLE, refuse_strata, stratum_role
from howsure.tables.batch import Tables
from howsure.tables.labels import as_labels, label_array, numbers_in_text
from howsure.tables.score_matrix import MulticlassScoresTable, MultilabelScoresTable, ScoreMatrixTable

MATRIX = 2  # dimensions


class _Keywords(Sampled, total=False):
    """Keyword arguments that do not decide the type of the result."""

    labels: ArrayLike | None


@overload
def multiclass_scores(
    y_true: object, y_score: object, *, by: None = None, **keywords: Unpack[_Keywords]
) -> ScoreMatrixTable: ...


@overload
def multiclass_scores(
    y_true: object, y_score: object, *, by: Sized, **keywords: Unpack[_Keywords]
) -> Tables[ScoreMatrixTable]: ...


def multiclass_scores(
    y_true: object,
    y_score: Any,
    *,
    data: object = None,
    labels: ArrayLike | None = None,
    sample_weight: object = None,
    counts: object = None,
    groups: object = None,
    fixed: str | None = None,
    strata: object = None,
    stratum_sizes: Mapping[Any, float] | None = None,
    by: Sized | None = None,
    check: bool = True,
) -> ScoreMatrixTable | Tables[ScoreMatrixTable]:
    """Return a table of scores with one column per class, for multiclass score metrics.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, K), or str
        True class of each case, or for multilabel data an indicator array; with ``data`` the name of its column.
    y_score : array-like of shape (n, K), frame, mapping, or list of str
        Finite scores: column k is higher for class k. If ``data`` is given, the names of K columns. Columns named after
        the classes, with or without a common prefix or suffix, are matched by name.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    labels : array-like of shape (K,), optional
        The classes of the columns, in order. The default is the names of the columns, else the ordered categories of
        ``y_true``, else the classes that occur, ascending; for an indicator array the names or 0 … K−1.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    groups : array-like of shape (n,), str, or two of them, optional
        Cluster of each case (patient, document, user): cases of one cluster may be correlated. Two crossed factors,
        such as readers and cases or models and items, are a list of two columns or a mapping of them by name.
    fixed : str, optional
        One of two factors, whose levels a new study would keep: only those of the other are drawn anew.
    strata : array-like of shape (n,) or str, optional
        Stratum of each case, for samples whose cases, or ``groups``, were drawn stratum by stratum.
    stratum_sizes : mapping, optional
        Number of cases of each stratum in a finite population; or, for a large population, the proportion of each
        stratum (they sum to 1). Without it the sizes are unknown, and cases count by ``sample_weight``.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    MulticlassScoresTable, MultilabelScoresTable or Tables
        Counts of each row of scores by true class; for multilabel data by label (absent, present), where each case is a
        cluster of its labels. Metrics take an average: ``"roc_auc@macro"`` is one class against the rest,
        ``"roc_auc@macro+multi_class=ovo"`` each pair of classes. If ``by`` is given, a mapping of the group tables,
        where ``overall`` is the table of all cases.

    Raises
    ------
    HowsureError
        If shapes differ, a score is not finite, or the classes do not match the columns.

    Examples
    --------
    >>> import howsure as hs
    >>> score = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.3, 0.4, 0.3], [0.5, 0.4, 0.1], [0.2, 0.2, 0.6]]
    >>> table = hs.multiclass_scores(["a", "b", "c", "b", "c"], score)
    >>> round(hs.estimate(table, "roc_auc@macro").value, 4)
    0.9444
    """
    groups = drawn_anew(groups, fixed, data)
    many = data is not None and isinstance(y_score, Sequence) and not isinstance(y_score, str)
    names = {f"y_score[{place}]": name for place, name in enumerate(y_score)} if many else {"y_score": y_score}
    of_columns = list(y_score) if many else None
    if data is None:
        y_true, y_score, of_columns, labels = _aligned(y_true, y_score, labels)
        names = {"y_score": y_score}
    weight_or_counts(sample_weight, counts)
    others = {"sample_weight": sample_weight, "counts": counts, "groups": groups}
    named = by_columns(by, data)
    others |= stratum_role(strata, stratum_sizes) | roles(named)
    present = names | {"y_true": y_true} | {role: column for role, column in others.items() if column is not None}
    given = expanded(columns(data, present, check=check))
    score = _matrix(np.stack([score_values(given[role]) for role in names], 1) if many else given["y_score"])
    weight = checked_weight(given["sample_weight"]) if "sample_weight" in given else None
    cluster = encoded("groups", given["groups"]) if "groups" in given else None
    stratum = encoded(ROLE, given[ROLE]) if ROLE in given else None
    split = [encoded(role, given[role]) for role in roles(named)]
    beside = [each for each in (cluster, stratum) if each is not None]
    rows = [*beside, *split, Column("y_score", score, score[:, 0])]
    group, clusters_named = (None, None) if cluster is None else cluster.used()
    if _is_matrix(given["y_true"]):
        refuse_strata(strata, "cases with one label each")
        same_length(rows, weight)
        truth_of, classes = _indicator(given["y_true"], score), _label_names(labels, score.shape[1])
        make: Any = _multilabel
    else:
        truth = encoded("y_true", given["y_true"])
        same_length([truth, *rows], weight)
        classes = _classes(truth, labels, of_columns, score.shape[1], categories_of(given["y_true"]), check=check)
        order = _by_name(truth, classes, of_columns, labels)
        score, classes = (score, classes) if order is None else (score[:, order], classes[order])
        truth_of = _positions(truth, classes)
        stated = is_stated(classes.tolist(), labels, ranked=covers([truth.rank], classes.tolist()))
        make = partial(_multiclass, stated=stated)
    tally = Tally.of_cases(len(score)) if weight is None else Tally.of_weights(weight)
    if stratum is not None:
        tally = tally.stratified(*stratum.used(), stratum_sizes, group, clusters_named)

    def table(some: Any) -> ScoreMatrixTable:
        parts = tally.of(some), None if group is None else group[some]
        made: ScoreMatrixTable = make(truth_of[some], score[some], classes, *parts, names=clusters_named)
        return made

    return groups_of_columns(list(named), split).each(table) if named else table(slice(None))


def _is_matrix(values: Any) -> bool:
    try:
        return np.ndim(values) == MATRIX
    except ValueError:  # ragged lists
        return False


def _matrix(scores: object) -> Array:
    try:
        array = np.asarray(scores.to_numpy() if hasattr(scores, "to_numpy") else scores, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise HowsureError(
            "`y_score` is not a numeric n×K array. Give one row a case and one column a class."
        ) from None
    if array.ndim != MATRIX or array.shape[1] < 2:
        raise HowsureError(
            f"`y_score` has shape {array.shape}; it has one row a case and one column a class. "
            "For one score a case use `scores`."
        )
    if not np.isfinite(array.sum()) and not (finite := np.isfinite(array).all(1)).all():  # summing needs no array
        number, first = int((~finite).sum()), int(np.argmin(finite))
        raise HowsureError(
            f"`y_score` has missing or infinite values in {number} rows (first at row {first}). Drop or fill them."
        )
    return array


def _aligned(y_true: object, y_score: object, labels: object) -> tuple[Any, Any, list[Any] | None, Any]:
    """Return truth, scores, column names and labels, aligned by name for two frames."""
    y_true, y_score = with_names(y_true), with_names(y_score)
    if _is_matrix(y_true):
        y_true, y_score, names = aligned_columns(y_true, y_score, "y_true", "y_score")
        return dense(y_true), dense(y_score), None, names if labels is None else labels
    names = column_names(y_score)
    return y_true, dense(y_score) if isinstance(y_score, Mapping) else y_score, names, labels


def _classes(
    truth: Column, labels: ArrayLike | None, names: Any, size: int, categories: list[Any] | None, *, check: bool
) -> Array:
    """Return the classes of the columns: by ``labels=``, by their names, by ordered categories, or ascending."""
    present = as_labels(truth.levels[truth.occurring()].tolist())
    if check:
        refuse_similar_labels(present.tolist())
    if labels is not None:
        return _named_classes(present.tolist(), labels, names, size)
    if check:
        refuse_odd_classes(present.tolist())
    by_name = None if names is None else columns_by_name(names, present.tolist())
    if by_name is not None:
        return as_labels(by_name)
    if truth.rank is not None and len(truth.rank) == size:
        return as_labels(list(truth.rank))
    if names is not None and check and len(present) == size:
        refuse_unnamed(names, present.tolist())
    classes = class_order(present.tolist(), truth.rank)
    listing = [label for label in categories or () if label in set(classes.tolist())]
    if check and listing and listing != classes.tolist():
        _refuse_two_orders(
            listing, classes.tolist(), "`y_true` lists its categories in another order than the alphabet"
        )
    if len(classes) != size:
        raise HowsureError(
            f"`y_score` has {size} columns and `y_true` {len(classes)} classes. Name the columns' classes with "
            "`labels=`."
        )
    if check:
        _refuse_numbers_in_text(classes.tolist())
    return classes


def _named_classes(present: list[Any], labels: ArrayLike, names: Any, size: int) -> Array:
    """Return the classes of ``labels=``; refuse them if they contradict the names of the columns."""
    classes = label_array(labels)
    if len(classes) != size:
        raise HowsureError(f"`labels` names {len(classes)} classes, and `y_score` has {size} columns.")
    if names is not None:
        refuse_other_order(classes.tolist(), names)
    unknown = [label for label in present if label not in set(classes.tolist())]
    if unknown:
        raise HowsureError.unknown("class among `labels`", str(unknown[0]), map(str, classes.tolist()))
    return classes


def _refuse_numbers_in_text(classes: list[Any]) -> None:
    """Refuse numbers as text whose numeric order is not alphabetical, the order of columns in scikit-learn."""
    by_text = sorted(classes, key=str)
    if numbers_in_text(classes) is not None and by_text != classes:
        _refuse_two_orders(by_text, classes, "The classes are numbers in text")


def _refuse_two_orders(first: list[Any], second: list[Any], why: str) -> None:
    orders = f"{listed(first)} or {listed(second)}"
    raise HowsureError(f"{why}: the columns of `y_score` may be in the order {orders}. Name it with `labels=`.")


def _by_name(truth: Column, classes: Array, names: object, labels: object) -> list[int] | None:
    """Return the column indices, matched by name, in the order of the classes; None if already in order."""
    if names is None or labels is not None:
        return None
    every = classes.tolist()
    order = [every.index(label) for label in class_order(every, truth.rank).tolist()]
    return None if order == list(range(len(every))) else order


def _positions(truth: Column, classes: Array) -> Array:
    """Return the column index of each case's true class."""
    code = np.asarray(truth.codes, dtype=np.int64) - truth.offset
    place = {label: position for position, label in enumerate(classes.tolist())}
    column = np.array([place.get(label, 0) for label in truth.levels.tolist()], dtype=np.intp)
    return np.asarray(column[code])


def _label_names(labels: ArrayLike | None, size: int) -> Array:
    axis = np.arange(size) if labels is None else label_array(labels)
    if len(axis) != size:
        raise HowsureError(f"`labels` names {len(axis)} labels, and the arrays have {size} columns.")
    return axis


def _multiclass(
    position: Array,
    score: Array,
    classes: Array,
    tally: Tally,
    group: Array | None,
    *,
    names: Array | None,
    stated: bool,
) -> MulticlassScoresTable:
    size = score.shape[1]
    cell = np.arange(len(score)) * size + position
    counts = tally.counts(cell, score.size).reshape(score.shape)
    design = tally.design(cell, score.size, group, names)
    own: dict[str, Any] = {"labels": classes, "is_ordered": stated}
    return MulticlassScoresTable(counts=counts, scores=score, design=design, rows=len(score), **own)


def _indicator(values: object, score: Array) -> Array:
    array = np.asarray(values)
    if array.shape != score.shape:
        raise HowsureError(f"`y_true` has shape {array.shape} and `y_score` {score.shape}; both are cases × labels.")
    return indicator("y_true", array)


def _multilabel(
    truth: Array,
    score: Array,
    labels: Array,
    tally: Tally,
    group: Array | None,
    *,
    names: Array | None,
) -> MultilabelScoresTable:
    rows, size = score.shape
    cell = (2 * np.arange(rows * size).reshape(rows, size) + truth).ravel()
    count = np.repeat(tally.weight, size)
    counts = np.zeros((rows, size, 2))
    counts.ravel()[cell] = count
    cluster = np.arange(rows) if group is None else group
    design = clusters(np.repeat(cluster, size), cell, count, count**2, names=names, labels_per_case=size)
    design = design.with_unshared_units() if names is None else design
    return MultilabelScoresTable(counts=counts, scores=score, labels=labels, design=design, rows=rows)

"""The table of scores from scikit-learn's arguments: synonyms, columns, labels, and the positive class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.compat.keywords import Settings, listed, some_classes
from howsure.compat.targets import MATRIX, classes, flattened, is_matrix
from howsure.errors import HowsureError, one_label
from howsure.sources.encoding import encoded, sort_order
from howsure.sources.layout import aligned_columns, column_names, dense
from howsure.sources.score_matrix import multiclass_scores
from howsure.sources.scores import scores
from howsure.tables.labels import as_labels, numbers_in_text
from howsure.tables.score_matrix import ScoreMatrixTable
from howsure.tables.scores import ScoresTable

Scored = ScoresTable | ScoreMatrixTable
PARAMETERS = """
y_true : array-like of shape (n,) or (n, K), or str
    True class of each case, two or more; or an indicator array (multilabel); or, with ``data``, the column's name.
y_score : array-like of shape (n,) or (n, K), or str or list of str
    Score of each case, higher for the positive class; of more classes a score for each, in ascending order of the
    classes; or the columns' names.
y_pred, y_proba : array-like of shape (n,) or (n, K), optional
    Synonyms of ``y_score``.
labels : array-like of shape (K,), optional
    Classes of the columns of ``y_score``, ascending, where not all occur.
pos_label : object, optional
    The positive one of two classes; by default 1 where the classes are 0 and 1 or −1 and 1, else the last in order.
"""


def given(**synonyms: object) -> Any:
    """Return the synonym that was passed.

    Raises
    ------
    HowsureError
        If none was passed, or two were.
    """
    found = {name: value for name, value in synonyms.items() if value is not None}
    if len(found) == 1:
        return next(iter(found.values()))
    names = ", ".join(f"`{name}`" for name in found or synonyms)
    raise HowsureError(
        f"{names} say the same: give one of them." if found else f"Scores are missing: give one of {names}."
    )


def scores_of(settings: Settings, y_true: object, score: object) -> tuple[Any, Any]:
    """Return truth and scores, columns flattened; or the names of columns."""
    return (y_true, score) if settings.data is not None else (classes("y_true", y_true), flattened("y_score", score))


def table_of(settings: Settings, y_true: object, score: object, labels: ArrayLike | None, pos_label: object) -> Scored:
    """Return the table of scores for two classes, or with one score per class or label."""
    y_true, score = scores_of(settings, y_true, score)
    facts: dict[str, Any] = {name: getattr(settings, name) for name in ("data", "sample_weight", "groups", "check")}
    ordered = by_text(settings, y_true, score) if labels is None else ascending(labels)
    if settings.data is None and is_matrix(y_true) and is_matrix(score):
        y_true, score, _ = aligned_columns(y_true, score, "y_true", "y_score")
        y_true, score = dense(y_true), dense(score)
    if is_matrix_of_scores(score, settings.data):
        if one_label("pos_label", pos_label) not in {None, 1}:
            raise HowsureError(
                "`pos_label` is for two classes with one score per case; with a score for each class leave it out."
            )
        matrix: ScoreMatrixTable = multiclass_scores(y_true, score, labels=ordered, **facts)
        return matrix
    positive = listed(ordered)[-1] if pos_label is None and ordered is not None else pos_label
    table: ScoresTable = scores(y_true, score, pos_label=positive, **facts)
    return table


def ascending(labels: ArrayLike) -> Array:
    """Return the classes of the columns; refuse them unless they are distinct and ascending, as in scikit-learn."""
    every = some_classes(labels)
    array = as_labels(every)
    if len(set(every)) < len(every) or (np.diff(sort_order(array)) < 0).any():
        raise HowsureError(
            "`labels` are distinct and ascending here, and so are the columns of `y_score`, as in scikit-learn. Sort "
            "both; `multiclass_scores` takes any order."
        )
    return array


def by_text(settings: Settings, y_true: object, score: object) -> Array | None:
    """Return classes that are numbers as text in alphabetical order, as in scikit-learn; None for other classes."""
    if settings.data is not None or is_matrix(y_true) or column_names(score) is not None:
        return None
    if isinstance(y_true, np.ndarray) and y_true.dtype.kind in "biuf":
        return None
    column = encoded("y_true", y_true)
    known = column.levels[column.occurring()].tolist()
    return None if numbers_in_text(known) is None else as_labels(sorted(known))


def is_matrix_of_scores(score: Any, data: object) -> bool:
    """Whether there is a score for each class."""
    if data is not None:
        return isinstance(score, list | tuple)
    return np.ndim(score) == MATRIX


def refuse_text(settings: Settings, y_true: object, score: object, pos_label: object) -> None:
    """Refuse text labels without `pos_label`, because the class of the probabilities is not stated."""
    if pos_label is not None or settings.data is not None or is_matrix_of_scores(flattened("y_score", score), None):
        return
    known = np.unique(np.asarray(flattened("y_true", y_true)).astype(str)) if _is_text(y_true) else np.array([])
    if len(known):
        raise HowsureError(
            f"The classes are {', '.join(map(repr, known[:2].tolist()))}: name the one that the probabilities are of "
            "with `pos_label=`."
        )


def _is_text(values: object) -> bool:
    return np.asarray(flattened("y_true", values)).dtype.kind in "OUST"

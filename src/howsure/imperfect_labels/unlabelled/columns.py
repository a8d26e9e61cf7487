"""Checks of the columns of unlabelled cases: probabilities, predictions, weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.native.ends import ends
from howsure.sources.columns import checked_weight, refuse_other_lengths
from howsure.sources.encoding import encoded
from howsure.sources.frames import Rows
from howsure.sources.groups import Tally
from howsure.sources.scores import refuse_infinite, score_array, score_values
from howsure.sources.to_numpy import one_each

ROUNDING = 2e-3  # tolerance of the sum of a case's probabilities, which may be rounded to few decimals
PERCENT = 100
NONE = 1e-30  # smaller probabilities become 0: their inverse square would overflow


def probability_columns(
    y_score: object, data: object, read: Callable[[dict[str, Any]], Rows], others: Mapping[str, object]
) -> tuple[Array, Rows, list[str] | None]:
    """Return checked scores, ``(n,)`` or ``(n, K)``, the rows with the other columns, and the names of K columns.

    Parameters
    ----------
    y_score : object
        The scores; with ``data``, the name of the column, or a list of K names.
    data : object
        Source of named columns.
    read : callable
        Function that reads columns by role and returns rows.
    others : mapping of str
        The other columns by role.

    Raises
    ------
    HowsureError
        If no column is named.
    """
    if data is not None and isinstance(y_score, list | tuple):
        names = [str(each) for each in y_score]
        if not names:
            raise HowsureError("`y_score` names no column. Give the column of the scores, or one for each class.")
        found = read({**{f"y_score[{i}]": name for i, name in enumerate(names)}, **others})
        score = np.stack([score_values(found.columns[f"y_score[{i}]"], found.tally) for i in range(len(names))], 1)
        return _probabilities(score), found, names
    found = read({"y_score": y_score, **others})
    values = found.columns["y_score"]
    names = [str(each) for each in values.columns] if hasattr(values, "columns") else []
    with one_each("y_score"):
        array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.ndim == 2 and array.shape[1] == 1:
        return _in_range(score_array(array.ravel()), found.tally), found, None
    if array.ndim == 2:
        flat = score_values(array.ravel()).reshape(array.shape)
        return _probabilities(flat), found, names or None
    return _in_range(score_array(values), found.tally), found, None


def _in_range(score: Array, tally: Tally | None = None) -> Array:
    """Return scores; refuse an empty column, scores that are not finite, and scores outside [0, 1]."""
    if not score.size:
        raise HowsureError("`y_score` is empty: there is no case to evaluate.")
    low, high = ends(score)
    if not (low >= 0 and high <= 1):
        if score.ndim == 1:
            refuse_infinite(score, tally)
        outside = (score < 0) | (score > 1)
        first = int(np.argmax(outside.reshape(len(score), -1).any(1)))
        worst = float(score[outside][0])
        number = outside.sum() if tally is None else tally.n[outside].sum()
        where = f", at row {first}" if tally is None or tally.is_single else ""
        percent = "divide percentages by 100, or " if low >= 0 and 1 < high <= PERCENT else ""
        raise HowsureError(
            f"`y_score` has {int(number)} values outside [0, 1] (first {worst:g}{where}). "
            f"Without labels a score must be the probability of the class: {percent}give a `calibrator` from "
            "`calibrate`."
        )
    return score


def _probabilities(score: Array) -> Array:
    """Return n×K probabilities; refuse cases whose probabilities do not sum to 1."""
    _in_range(score)
    sums = score.sum(1)
    off = np.abs(sums - 1) > ROUNDING
    if off.any():
        first = int(np.argmax(off))
        raise HowsureError(
            f"The probabilities of {int(off.sum())} cases do not sum to 1 (first at row {first}: {sums[first]:g}). "
            "Give the probability of every class."
        )
    return np.where(score < NONE, 0.0, score / sums[:, None])


def predicted_positions(score: Array, predicted: object, classes: Array) -> Array:
    """Return the position of each case's predicted class, by default of the most probable one."""
    if score.ndim == 2 and len(classes) != score.shape[1]:
        raise HowsureError(f"`labels` names {len(classes)} classes, and `y_score` has {score.shape[1]} columns.")
    if predicted is None:
        return np.asarray(score.argmax(1))
    column = encoded("y_pred", predicted)
    refuse_other_lengths({"y_score": score, "y_pred": column})
    words = {str(label): index for index, label in enumerate(classes.tolist())}
    known = {**words, **{label: index for index, label in enumerate(classes.tolist())}}  # True is 1, too
    used = column.occurring()
    place = np.zeros(len(column.levels), dtype=np.intp)
    for level, value in zip(used.tolist(), column.levels[used].tolist(), strict=True):
        found = known.get(value, words.get(str(value)))
        if found is None:
            raise HowsureError.unknown("class", str(value), words)
        place[level] = found
    if len(classes) == 2:
        return column.is_at(place == 1).view(np.int8)
    return place[column.places]


def case_weights(given: object, rows: int) -> Array | None:
    """Return the checked weights of the cases; None without weights."""
    if given is None:
        return None
    weight = checked_weight(given)
    refuse_other_lengths({"y_score": range(rows), "sample_weight": weight})
    return weight

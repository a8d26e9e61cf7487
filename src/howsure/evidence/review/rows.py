"""A review from rows: one row a case, with the corrected label where it was reviewed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.errors import HowsureError
from howsure.evidence.review.reviewed import reviewed
from howsure.methods.dirichlet import Prior
from howsure.sources.columns import as_labels, encoded, is_missing, same_length
from howsure.sources.confusion import class_labels, refuse_mixed
from howsure.sources.frames import columns
from howsure.tables.table import Table

Array = NDArray[Any]


def review(
    y_true: Any,
    y_pred: Any,
    y_reviewed: Any,
    *,
    data: Any = None,
    labels: ArrayLike | None = None,
    prior: Prior | None = None,
) -> Table:
    """Return the corrected confusion table of predictions whose labels were reviewed in part.

    Parameters
    ----------
    y_true, y_pred
        Label as it was recorded, and predicted label, of each case; with ``data`` the names of their columns.
    y_reviewed
        Corrected label of each reviewed case, and a missing value (None, nan …) where a case was not reviewed. A
        reviewed case whose record was right has its label here again.
    data
        A frame, a lazy frame or relation, a mapping of columns, or the path of a file.
    labels
        The classes, in order; by default all that occur in any of the three columns. Cases recorded or predicted
        as another are left out.
    prior
        As in `reviewed`.

    Returns
    -------
    Table
        As from `reviewed`.

    Raises
    ------
    HowsureError
        If no case was reviewed, a corrected label is not among the classes, or the columns do not fit.

    Notes
    -----
    Cases must be reviewed at random, either within each cell of the table (as many as one likes in each) or over
    all cases: given how many were reviewed in a cell, both choose them alike. A review of the cases that looked
    wrong is neither.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.review(
    ...     ["cat", "cat", "cat", "dog", "dog", "dog"],
    ...     ["cat", "cat", "dog", "dog", "dog", "cat"],
    ...     ["cat", None, "dog", "dog", None, None],
    ... )
    >>> table.rows, table.design.note
    (6, '1 cell has no review (recorded/predicted dog/cat): only the prior speaks there')
    """
    found = columns(data, {"y_true": y_true, "y_pred": y_pred, "y_reviewed": y_reviewed})
    coded = [encoded(role, found[role]) for role in ("y_true", "y_pred")]
    corrected = _listed(found["y_reviewed"])
    known = np.array([not is_missing(label) for label in corrected], dtype=bool)
    same_length([*coded, encoded("y_reviewed", known)], None)
    if not known.any():
        message = "`y_reviewed` is missing everywhere: no case was reviewed. Use `confusion` for unreviewed labels."
        raise HowsureError(message)
    of_reviewed = encoded("y_reviewed", _narrowed([label for label, one in zip(corrected, known, strict=True) if one]))
    levels = [each.levels[np.unique(each.codes) - each.offset] for each in (*coded, of_reviewed)]
    refuse_mixed(levels[0], levels[2])
    axis = class_labels(levels[0], as_labels([*levels[1].tolist(), *levels[2].tolist()]), labels)
    true, predicted, third = (_positions(each, axis) for each in (*coded, of_reviewed))
    if (third < 0).any():
        unknown = of_reviewed.levels[of_reviewed.codes[np.argmax(third < 0)] - of_reviewed.offset]
        raise HowsureError.unknown("class", str(unknown), map(str, axis.tolist()))
    size = len(axis)
    kept = (true >= 0) & (predicted >= 0)
    cell = true * size + predicted
    counts = np.bincount(cell[kept], minlength=size**2).reshape(size, size)
    among = kept[known]
    flat = (cell[known] * size + third)[among]
    reviews = np.bincount(flat, minlength=size**3).reshape(size, size, size)
    return reviewed(counts, reviews, labels=axis, prior=prior)


def _listed(values: Any) -> list[Any]:
    for name in ("to_list", "to_pylist", "tolist"):
        if hasattr(values, name):
            listed = getattr(values, name)()
            return listed if isinstance(listed, list) else [listed]
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        message = f"`y_reviewed` is {values!r}, not a column of labels. To name one of a frame or file, give `data=`."
        raise HowsureError(message)
    return list(values)


def _narrowed(labels: list[Any]) -> list[Any]:
    """Turn whole floats back into integers: columns with missing values hold floats."""
    if all(isinstance(label, float) and label == int(label) for label in labels):
        return [int(label) for label in labels]
    return labels


def _positions(column: Any, axis: Array) -> Array:
    """Return each row's class, −1 where it is none."""
    position = {label: index for index, label in enumerate(axis.tolist())}
    of_level = np.array([position.get(label, -1) for label in column.levels.tolist()], dtype=np.intp)
    return np.asarray(of_level[column.codes.astype(np.int64) - column.offset])

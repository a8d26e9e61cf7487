"""A review as rows: one row per case, with a corrected label if the case was reviewed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.sources.columns import same_length
from howsure.sources.confusion import class_labels, refuse_mixed
from howsure.sources.encoding import encoded, is_missing
from howsure.sources.frames import Rows
from howsure.tables.labels import as_labels


@dataclass(frozen=True, slots=True, eq=False)
class ReviewedRows:
    """Recorded, predicted and corrected labels of the cases, as positions of the classes.

    Parameters
    ----------
    labels : ndarray of shape (K,)
        The classes.
    cell : ndarray of shape (n,)
        Flat position of the recorded and the predicted label; −1 if one of them is not among the classes.
    corrected : ndarray of shape (n,)
        Position of the corrected label; −1 if the case was not reviewed.
    number : ndarray of shape (n,)
        Number of cases in each row.
    """

    labels: Array
    cell: Array
    corrected: Array
    number: Array

    @classmethod
    def of(cls, found: Rows, labels: ArrayLike | None, pos_label: object = None, *, check: bool = True) -> ReviewedRows:
        """Read the cases from the columns ``y_true``, ``y_pred`` and ``y_reviewed``."""
        given = found.columns
        coded = [encoded(role, given[role]) for role in ("y_true", "y_pred")]
        listed = _listed(given["y_reviewed"])
        known = np.array([not is_missing(label) for label in listed], dtype=bool)
        same_length([*coded, encoded("y_reviewed", known)], None)
        reviewed = encoded("y_reviewed", _narrowed([label for label, one in zip(listed, known, strict=True) if one]))
        levels = [each.levels[np.unique(each.codes) - each.offset] for each in (*coded, reviewed)]
        refuse_mixed(levels[0], levels[1], check=check)
        refuse_mixed(levels[0], levels[2], said="y_reviewed", check=check)
        said = as_labels([*levels[1].tolist(), *levels[2].tolist()])
        axis = class_labels(levels[0], said, labels, pos_label=pos_label, check=check)
        true, predicted, place = (_positions(each, axis) for each in (*coded, reviewed))
        if (place < 0).any():
            unknown = reviewed.levels[reviewed.codes[np.argmax(place < 0)] - reviewed.offset]
            raise HowsureError.unknown("class", str(unknown), map(str, axis.tolist()))
        corrected = np.full(len(known), -1)
        corrected[known] = place
        inside = (true >= 0) & (predicted >= 0)
        cell = np.where(inside, true * len(axis) + predicted, -1)
        return cls(axis, cell, corrected, found.numbers(len(cell)))

    def counted(self, some: Any) -> tuple[Array, Array]:
        """Return the counts, ``(K, K)``, and the reviews, ``(K, K, K)``, of a selection of rows."""
        size, cell, corrected, number = len(self.labels), self.cell[some], self.corrected[some], self.number[some]
        seen = corrected >= 0
        seen &= cell >= 0
        counts = np.bincount(cell[cell >= 0], number[cell >= 0], size**2)
        reviews = np.bincount(cell[seen] * size + corrected[seen], number[seen], size**3)
        return counts.reshape(size, size), reviews.reshape(size, size, size)


def _listed(values: object) -> list[Any]:
    for name in ("to_list", "to_pylist", "tolist"):
        if hasattr(values, name):
            listed = getattr(values, name)()
            return listed if isinstance(listed, list) else [listed]
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise HowsureError(
            f"`y_reviewed` is {values!r}, not a column of labels. To name one of a frame or file, give `data=`."
        )
    return list(values)


def _narrowed(labels: list[Any]) -> list[Any]:
    """Convert whole floats back to integers: a column with missing values contains floats."""
    if all(isinstance(label, float) and label.is_integer() for label in labels):
        return [int(label) for label in labels]
    return labels


def _positions(column: Any, axis: Array) -> Array:
    """Return the class of each row as a position, −1 if it is not among the classes."""
    position = {label: index for index, label in enumerate(axis.tolist())}
    of_level = np.array([position.get(label, -1) for label in column.levels.tolist()], dtype=np.intp)
    return np.asarray(of_level[column.codes.astype(np.int64) - column.offset])

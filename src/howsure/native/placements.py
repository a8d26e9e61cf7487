"""Area under the ROC curve of a table of scores, and DeLong's sums, in one or two passes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.native.library import kernel


@dataclass(frozen=True, slots=True, eq=False)
class PlacementSums:
    """Sums for the variance of an area, for the negative and the positive class.

    Parameters
    ----------
    area : float
        The area under the ROC curve.
    cases : ndarray of shape (2,)
        Cases of each class.
    squares, fourths : ndarray of shape (2,)
        Sums over a class of its placements' distances from the area, squared and to the fourth power.
    """

    area: float
    cases: Array
    squares: Array
    fourths: Array


def area(counts: Array) -> Array:
    """Return the area under the ROC curve of a table of scores, ``(S, 2)``; nan where it lacks a class.

    Examples
    --------
    >>> float(area(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])))
    0.75
    """
    negatives, positives = _sides(counts)
    compiled = kernel("area")
    if compiled is not None:
        found = np.empty(3)
        compiled(len(counts), negatives, positives, found)
        return np.asarray(found[0])
    upto = np.cumsum(negatives)
    wins = np.einsum("s,s->", positives, upto) - np.einsum("s,s->", positives, negatives) / 2
    with np.errstate(invalid="ignore"):
        return np.asarray(wins / (upto[-1] * positives.sum()))


def area_slopes(counts: Array) -> Array:
    """Return the derivative of the area by each count of a table of scores, ``(S, 2)``.

    It is DeLong's placement less the area, over the class totals; nan where the table lacks a class.

    Examples
    --------
    >>> area_slopes(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])).tolist()
    [[0.125, -0.25], [0.0, -0.125], [-0.125, 0.0], [-0.25, 0.125]]
    """
    negatives, positives = _sides(counts)
    slopes = np.empty((len(counts), 2))
    compiled = kernel("area_slopes")
    if compiled is not None:
        compiled(len(counts), negatives, positives, slopes)
        return slopes
    below, above = np.cumsum(negatives), np.cumsum(positives)
    others, number = below[-1], above[-1]
    below -= negatives / 2
    above -= positives / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.einsum("s,s->", positives, below) / (others * number)
        np.subtract((1 - value) / others, above / (others * number), out=slopes[:, 0])
        np.subtract(below / (others * number), value / number, out=slopes[:, 1])
    return slopes


def _sides(counts: Array) -> tuple[Array, Array]:
    return np.ascontiguousarray(counts[:, 0], dtype=float), np.ascontiguousarray(counts[:, 1], dtype=float)


def placement_sums(counts: Array) -> PlacementSums:
    """Return the sums over a table of scores, ``(S, 2)``; nan where it lacks a class.

    Examples
    --------
    >>> sums = placement_sums(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> sums.area, sums.cases.tolist(), sums.squares.tolist()
    (0.75, [2.0, 2.0], [0.125, 0.125])
    """
    negatives, positives = _sides(counts)
    compiled = kernel("placement_sums")
    if compiled is not None:
        sums = np.empty(7)
        compiled(len(counts), negatives, positives, sums)
        return PlacementSums(float(sums[0]), sums[1:3], sums[3:5], sums[5:7])
    below, above = np.cumsum(negatives), np.cumsum(positives)
    cases = np.array([below[-1], above[-1]])
    below -= negatives / 2
    above -= positives / 2
    squares, fourths = np.empty(2), np.empty(2)
    with np.errstate(invalid="ignore"):
        value = np.einsum("s,s->", positives, below) / cases.prod()
        below /= cases[0]
        below -= value
        np.subtract(1 - value, above / cases[1], out=above)
    for side, (number, distance) in enumerate(((negatives, above), (positives, below))):
        np.square(distance, out=distance)
        squares[side] = np.einsum("s,s->", number, distance)
        fourths[side] = np.einsum("s,s,s->", number, distance, distance)
    return PlacementSums(float(value), cases, squares, fourths)


def case_placements(scores: Array, positive: Array) -> Array:
    """Return the placement of each case: the proportion of the cases of the other class that are ordered correctly.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        The scores, higher for positive cases; ties count half.
    positive : ndarray of bool of shape (n,)
        Which cases are positive.

    Examples
    --------
    >>> case_placements(np.array([0.1, 0.2, 0.2, 0.3]), np.array([False, True, False, True])).tolist()
    [1.0, 0.75, 0.75, 1.0]
    """
    support, cell = np.unique(scores, return_inverse=True)
    cell = cell.ravel()
    negatives, positives = (np.bincount(cell[positive == side], minlength=len(support)) for side in (False, True))
    below, above = np.cumsum(negatives) - negatives / 2, positives[::-1].cumsum()[::-1] - positives / 2
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(positive, below[cell] / negatives.sum(), above[cell] / positives.sum()))

"""Overlaps of bounding boxes, and the matching of detections to truths by COCO's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, real_numbers

LARGEST_FRACTION, LEAST_PIXELS = 1.5, 10.0  # of coordinates that are fractions of the image, or numbers of pixels
SMALLEST = float(np.finfo(float).tiny)  # area: nothing is shared with a box without one
ALMOST_ALL = 1 - 1e-10  # overlap of equal boxes, to rounding


def hits_of(overlap: Array, inside: Array, thresholds: Array) -> Array:
    """Return whether detections are hits at each threshold; nan for detections inside a crowd, which do not count.

    Parameters
    ----------
    overlap : ndarray of shape (n, m)
        Overlaps of detections (by descending score) with truths; -1 for truths of another class.
    inside : ndarray of shape (n, crowds)
        The fraction of each detection inside each crowd; -1 for another class.
    thresholds : ndarray of shape (T,)
        Smallest overlap at which a detection is a hit.

    Examples
    --------
    >>> import numpy as np
    >>> hits_of(np.array([[0.8], [0.9], [0.1]]), np.array([[0.0], [0.0], [1.0]]), np.array([0.5])).ravel().tolist()
    [1.0, 0.0, nan]
    """
    hits = np.zeros((len(overlap), len(thresholds)))
    limits = np.minimum(thresholds, ALMOST_ALL)
    rows, others = np.nonzero(overlap >= limits[0])
    near: dict[int, list[tuple[float, int]]] = {}
    for row, other, shared in zip(rows.tolist(), others.tolist(), overlap[rows, others].tolist(), strict=True):
        near.setdefault(row, []).append((shared, other))
    for column, threshold in enumerate(limits.tolist()):
        taken: set[int] = set()
        for row, pairs in near.items():
            if left := [pair for pair in pairs if pair[0] >= threshold and pair[1] not in taken]:
                hits[row, column] = 1.0
                taken.add(max(left)[1])  # for ties the last
    if not inside.size:
        return hits
    in_crowd = inside.max(1)[:, None] >= limits
    return np.where(in_crowd & (hits == 0), np.nan, hits)


def alike(labels: list[Any], others: list[Any]) -> Array:
    """Return whether labels are equal to others, ``(n, m)``."""
    every = np.fromiter([*labels, *others], dtype=object)
    return np.asarray(every[: len(labels), None] == every[len(labels) :], dtype=bool)


def highest(scores: Array, labels: list[Any], most: int) -> Array:
    """Return the places of the detections that count, by descending score: so many of each label."""
    order = np.argsort(-scores, kind="stable")
    if len(order) <= most:
        return order
    kept, seen = [], dict.fromkeys(labels, 0)
    for place in order.tolist():
        seen[labels[place]] += 1
        if seen[labels[place]] <= most:
            kept.append(place)
    return np.array(kept, dtype=np.intp)


def overlaps(boxes: Array, others: Array) -> Array:
    """Return the intersections over unions of boxes (left, top, right, bottom) with others, ``(n, m)``.

    Examples
    --------
    >>> import numpy as np
    >>> others = np.array([[1.0, 0.0, 3.0, 2.0], [5.0, 5.0, 6.0, 6.0]])
    >>> overlaps(np.array([[0.0, 0.0, 2.0, 2.0]]), others).round(3).tolist()
    [[0.333, 0.0]]
    """
    shared = _shared(boxes, others)
    union = _areas(boxes)[:, None] + _areas(others) - shared
    return np.asarray(shared / np.maximum(union, SMALLEST))


def shares_inside(boxes: Array, others: Array) -> Array:
    """Return the fraction of each box that lies within each of the others, ``(n, m)``.

    Examples
    --------
    >>> import numpy as np
    >>> shares_inside(np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([[1.0, 0.0, 9.0, 9.0]])).tolist()
    [[0.5]]
    """
    return np.asarray(_shared(boxes, others) / np.maximum(_areas(boxes)[:, None], SMALLEST))


def _areas(boxes: Array) -> Array:
    left, top, right, bottom = boxes.T
    return np.asarray((right - left) * (bottom - top))


def _shared(boxes: Array, others: Array) -> Array:
    ends, starts = np.minimum(boxes[:, None, 2:], others[:, 2:]), np.maximum(boxes[:, None, :2], others[:, :2])
    sides = np.maximum(ends - starts, 0.0)
    return np.asarray(sides[..., 0] * sides[..., 1])


def finite_numbers(argument_name: str, given: object) -> Array:
    """Return numbers as an array of at least one axis; refuse missing and infinite values."""
    found = real_numbers(argument_name, given)
    if not np.isfinite(found).all():
        raise HowsureError(f"`{argument_name}` holds a missing or infinite number. Drop it first.")
    return found if found.ndim else found[None]


def boxes_of(argument_name: str, given: object) -> Array:
    """Return boxes (left, top, right, bottom), ``(n, 4)``; refuse invalid boxes."""
    boxes = finite_numbers(argument_name, given)
    if boxes.size % 4 or (boxes.size and (boxes.ndim != 2 or boxes.shape[1] != 4)):
        raise HowsureError(f"`{argument_name}` has shape {boxes.shape}. Give [left, top, right, bottom] of each box.")
    boxes = boxes.reshape(-1, 4)
    if (boxes[:, 2:] < boxes[:, :2]).any():
        raise HowsureError(f"`{argument_name}` has a box that ends before it begins. Give [left, top, right, bottom].")
    return boxes


def refuse_other_units(boxes: Mapping[str, Sequence[Array]]) -> None:
    """Refuse boxes in pixels and boxes in fractions of the image, which would never overlap.

    Parameters
    ----------
    boxes : mapping of str
        The boxes of each image, by argument.

    Raises
    ------
    HowsureError
        If one argument has fractions, and the other one pixels.
    """
    reach = {name: float(np.concatenate(each).max(initial=0.0)) if each else 0.0 for name, each in boxes.items()}
    (fraction, small), (pixels, large) = sorted((largest, name) for name, largest in reach.items())
    if 0 < fraction <= LARGEST_FRACTION and pixels >= LEAST_PIXELS:
        raise HowsureError(
            f"The boxes of `{small}` reach to {fraction:.3g} and those of `{large}` to {pixels:,.6g}: fractions of the "
            "image and pixels never overlap. Multiply the fractions by the width and height of each image."
        )

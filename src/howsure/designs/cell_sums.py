"""Sums over cells (by merged cell, by class, from the top of the scores) and variances computed from them."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import safe_divide
from howsure.native.moments import class_moments

FEW_PRODUCTS = 2**14  # products of cells and places up to which a matrix product is faster


def variance_by_class(counts: Array, squares: Array, truth: Array, gradient: Array) -> Array:
    """Return the sum of the sample variances of the classes; nan if a class has a single case.

    Parameters
    ----------
    counts, squares : ndarray of shape (..., cells)
        Sums of the weights and of their squares: of cases without weights both are the counts.
    truth : ndarray of shape (cells,)
        Position of the true class of each cell.
    gradient : ndarray of shape (..., cells)
        What is summed, with a mean of zero in each class.
    """
    spread, size, _ = _by_class(counts, squares, truth, gradient)
    single = (size > 0) & (size < 2 - 1e-9)
    each = np.where(single, np.nan, safe_divide(spread * size, size - 1))
    return np.asarray(np.where(size > 0, each, 0.0).sum(-1))


def degrees_of_freedom_by_class(counts: Array, squares: Array, truth: Array, gradient: Array) -> Array:
    """Return Satterthwaite's degrees of freedom of ``sum(squares * slopes**2)``; infinite where that is zero.

    The result is the smaller of two numbers. The first is Welch's, where each class has its number of cases minus 1 (at
    least 1). The second is twice the squared variance divided by the sum of the fourth powers of the cases'
    contributions; heavy tails lower it.

    Parameters
    ----------
    counts, squares : ndarray of shape (..., cells)
        Sums of the weights and of their squares: of cases without weights both are the counts.
    truth : ndarray of shape (cells,)
        Position of the true class of each cell.
    gradient : ndarray of shape (..., cells)
        What is summed.
    """
    each, size, fourths = _by_class(counts, squares, truth, gradient)
    square = each.sum(-1) ** 2
    welch = safe_divide(square, safe_divide(each**2, np.maximum(size - 1, 1.0)).sum(-1))
    return np.where(square > 0, np.minimum(welch, safe_divide(2 * square, fourths.sum(-1))), np.inf)


def _by_class(counts: Array, squares: Array, truth: Array, gradient: Array) -> tuple[Array, Array, Array]:
    """Return ``squares * slopes**2``, the effective number of cases (Kish's) and the fourth powers of each class."""
    if counts.ndim == squares.ndim == gradient.ndim == 1:
        totals, worth, spread, fourths = class_moments(counts, squares, truth, gradient).T
    else:
        counts, squares, gradient = np.broadcast_arrays(counts, squares, np.where(counts == 0, 0.0, gradient))
        second = squares * gradient**2
        sums = (counts, squares, second, safe_divide(squares, counts) ** 2 * second * gradient**2)
        totals, worth, spread, fourths = (sums_by_place(each, truth, int(truth.max()) + 1) for each in sums)
    return spread, safe_divide(totals**2, worth), fourths


def within_classes(counts: Array, truth: Array, gradient: Array) -> Array:
    """Return slopes minus their mean in each class."""
    size = int(truth.max()) + 1
    means = safe_divide(added_up(counts * gradient, truth, size), added_up(counts, truth, size))
    return np.asarray(gradient - means[..., truth])


def apportioned(cases: int, shares: Array) -> Array:
    """Return whole numbers that sum to ``cases`` in proportion to shares, by largest remainders.

    Examples
    --------
    >>> apportioned(10, np.array([1.0, 1.0, 1.0])).tolist()
    [4, 3, 3]
    """
    exact = cases * shares / shares.sum()
    whole: Array = np.floor(exact + 1e-9).astype(int)
    whole[np.argsort(whole - exact, kind="stable")[: cases - int(whole.sum())]] += 1
    return whole


def dot(first: Array, second: Array) -> Array:
    """Return the sum of products over the cells, ``(...)``."""
    return np.asarray(np.einsum("...c,...c->...", first, second))


def added_up(values: Array, cells: Array, size: int) -> Array:
    """Return the sums of values ``(..., cells)`` over merged cells, ``(..., size)``."""
    if values.ndim == 1:
        return np.bincount(cells, values, size)
    tables = values.reshape(-1, values.shape[-1])
    place = (size * np.arange(len(tables))[:, None] + cells).ravel()
    return np.bincount(place, tables.ravel(), size * len(tables)).reshape(*values.shape[:-1], size)


def sums_by_place(values: Array, places: Array, size: int) -> Array:
    """Return the sums of values over their places; a matrix product is faster for few cells."""
    if values.ndim == 1 or len(places) * size > FEW_PRODUCTS:
        return added_up(values, places, size)
    return np.asarray(values @ (places[:, None] == np.arange(size)))


def confusion_from_top(counts: Array, index: Array | None = None) -> Array:
    """Return the confusion tables at each threshold of tables of scores.

    Parameters
    ----------
    counts : ndarray of shape (..., S, 2)
        Negative and positive cases by distinct score, ascending.
    index : ndarray of shape (T,), optional
        Thresholds from the top among the ``S + 1``, of which the first is above all scores; all by default.

    Returns
    -------
    ndarray of shape (..., T, 2, 2)
        True class × predicted class.
    """
    above = np.zeros((*counts.shape[:-2], counts.shape[-2] + 1, 2))
    np.cumsum(counts[..., ::-1, :], -2, out=above[..., 1:, :])
    total = above[..., -1:, :]
    above = above if index is None else above[..., index, :]
    return np.stack([total - above, above], -1)

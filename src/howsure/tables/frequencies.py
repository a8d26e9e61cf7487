"""Stated class frequencies: their checks, and the design of a table with these frequencies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import Design
from howsure.designs.stratified import StratifiedSample
from howsure.errors import HowsureError, by_index, listed

CLOSE = 1e-6  # tolerance of the sum of frequencies


def class_shares(prevalence: object, labels: Array, position: Callable[[object], int], totals: Array) -> Array:
    """Return the frequency of each class in the order of the labels.

    Parameters
    ----------
    prevalence : array-like of shape (K,), or mapping
        Share of each class, in the order of the labels or by label; of two classes also that of the positive one.
    labels : ndarray of shape (K,)
        The classes.
    position : callable
        The position of a label.
    totals : ndarray of shape (..., K)
        Cases of each class.

    Raises
    ------
    HowsureError
        If these are no shares, or a class has a share and no case.
    """
    if isinstance(prevalence, Real) and not isinstance(prevalence, bool) and len(labels) == 2:
        positive = float(prevalence)
        prevalence = [1 - positive, positive] if 0 <= positive <= 1 else prevalence
    share = _by_label(prevalence, len(labels), position)
    if share.shape != labels.shape or not (share >= 0).all() or not abs(share.sum() - 1) <= CLOSE:
        raise HowsureError(
            f"`prevalence` is {prevalence!r}; give each class a share, that sum to 1: of {listed(labels.tolist())}."
        )
    empty = (share > 0) & (totals <= 0).any(tuple(range(totals.ndim - 1)))
    if empty.any():
        label = labels[empty].tolist()[0]
        raise HowsureError(
            f"Class {label!r} has a share of {share[empty][0]:g} and no case. Give cases of it, or a share of 0."
        )
    return np.asarray(share / share.sum())


def share_covariance(covariance: object, number: int) -> Array | None:
    """Return the covariance of the class frequencies; None if they are exact.

    Parameters
    ----------
    covariance : array-like of shape (K, K), optional
        Covariance from the caller.
    number : int
        Number of classes.

    Raises
    ------
    HowsureError
        If it is not a covariance of frequencies that sum to 1.
    """
    if covariance is None:
        return None
    spread = _numbers(covariance, number)
    small = CLOSE * np.abs(spread).max(initial=0.0)
    if spread.shape != (number, number) or not (
        np.isfinite(spread).all()
        and (np.abs(spread - spread.T) <= small).all()
        and (np.abs(spread.sum(0)) <= number * small).all()
        and (np.linalg.eigvalsh(spread) >= -number * small).all()
    ):
        raise HowsureError(
            f"`covariance` is no covariance of {number} shares that sum to 1. Give a symmetric matrix, {number} × "
            f"{number}, whose rows sum to 0: of two shares with standard error s, [[s², −s²], [−s², s²]]."
        )
    return spread


def _by_label(prevalence: object, number: int, position: Callable[[object], int]) -> Array:
    prevalence = by_index(prevalence)
    if isinstance(prevalence, Mapping):
        places = [position(label) for label in prevalence]
        share = np.full(number, np.nan)
        share[places] = _numbers(list(prevalence.values()), len(places))
        return share
    return _numbers(prevalence, number)


def _numbers(values: object, number: int) -> Array:
    """Return values as numbers; nan for other types."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return np.full(number, np.nan)


def at_shares(
    counts: Array, truth: Array, names: Sequence[object], share: Array, design: Design, covariance: Array | None = None
) -> StratifiedSample:
    """Return the design of a table with stated class frequencies.

    Parameters
    ----------
    counts : ndarray of shape (..., cells)
        The observed counts.
    truth : ndarray of shape (cells,)
        Position of the true class of each cell.
    names : sequence
        The classes.
    share : ndarray of shape (K,)
        Share of each class; they sum to 1.
    design : Design
        Design of the observed counts.
    covariance : ndarray of shape (K, K), optional
        Covariance of the frequencies, if they are estimates.
    """
    cells = counts.shape[-1]
    found = counts, truth, np.arange(cells), cells, share, design, tuple(names)
    return StratifiedSample(*found, noun="classes", covariance=covariance)

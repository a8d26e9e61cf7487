"""Pointwise and simultaneous bands for curves of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.estimates.reasons import without_variation
from howsure.methods.areas.delong import class_sizes
from howsure.methods.core.standard_errors import effective_counts
from howsure.methods.numerics.binomial import clopper_pearson
from howsure.methods.proportions.threshold_limits import cumulated
from howsure.metrics.forms import Proportion, divide
from howsure.tables.scores import ScoresTable as Table

Limits = Callable[[Array, Array, float], tuple[Array, Array]]  # (successes, trials, level) -> low and high


def limits_of_band(
    table: Table, band: str, size: int, limits: Mapping[str, Callable[[], tuple[Array, Array]]]
) -> tuple[dict[str, Array], str]:
    """Return the limits as columns, none without a band, and the reason why they are undefined.

    Parameters
    ----------
    table : ScoresTable
        The cases.
    band : str
        Kind of the band.
    size : int
        Number of points of the curve.
    limits : mapping of str to callable
        Function that returns the lower and upper limits, for each kind of band but ``"none"``.
    """
    if band == "none":
        return {}, ""
    reason = without_variation(table)
    low, high = (np.full(size, np.nan), np.full(size, np.nan)) if reason else limits[band]()
    return {"low": low, "high": high}, reason


def from_top(table: Table) -> tuple[Array, Array, Array]:
    """Return thresholds in descending order (infinity first), and the negatives and positives at or above each."""
    return thresholds_from_top(table), *cumulated(table.counts)


def thresholds_from_top(table: Table) -> Array:
    """Return the thresholds of a table of scores in descending order: infinity, and then each score."""
    return np.concatenate([[np.inf], table.scores[::-1]])


def _distances(table: Table, level: float, parts: int) -> tuple[float, float]:
    """Return the Dvoretzky–Kiefer–Wolfowitz–Massart distances of the two classes, each at a root of the level."""
    if not table.design.traits.has_labels:
        raise HowsureError(
            "Simultaneous bands need labelled cases; of scores without labels ask for `band='pointwise'`."
        )
    each = 1 - level ** (1 / parts)
    negative, positive = (np.sqrt(np.log(2 / each) / (2 * max(size, 1e-9))) for size in class_sizes(table))
    return min(float(negative), 1.0), min(float(positive), 1.0)


def _least(y: Array, x: Array, limit: Array) -> Array:
    """Return the smallest y of the points with ``x >= limit``; both are ascending. 0 for ``limit <= 0``."""
    index = np.searchsorted(x, limit - 1e-12)
    return np.where(limit <= 0, 0.0, y[np.minimum(index, len(y) - 1)])


def _most(y: Array, x: Array, limit: Array) -> Array:
    """Return the largest y of the points with ``x <= limit``; both are ascending."""
    return np.asarray(y[np.maximum(np.searchsorted(x, limit + 1e-12, side="right") - 1, 0)])


def roc_simultaneous(table: Table, false: Array, true: Array, level: float) -> tuple[Array, Array]:
    """Return the limits of the true positive rate by rectangles around all thresholds (Campbell 1994)."""
    around_false, around_true = _distances(table, level, parts=2)
    low = np.maximum(_least(true, false, false - around_false) - around_true, 0.0)
    return low, np.minimum(_most(true, false, false + around_false) + around_true, 1.0)


def precision_simultaneous(table: Table, negatives: Array, positives: Array, level: float) -> tuple[Array, Array]:
    """Return the limits of the precision by bounds of the false positive rate and of the prevalence."""
    false, true = divide(negatives, negatives[-1]), divide(positives, positives[-1])
    parts = 2 if table.design.traits.has_fixed_class_totals else 3
    around_false, around_true = _distances(table, level, parts)
    least = np.maximum(_least(false, true, true - around_true) - around_false, 0.0)
    most = np.minimum(_beyond(false, true, true + around_true) + around_false, 1.0)
    low_share = high_share = positives[-1] / (positives[-1] + negatives[-1])
    if parts == 3:
        every = np.ones(table.counts.shape, dtype=bool)
        positive = np.zeros(table.counts.shape, dtype=bool)
        positive[:, 1] = True
        share = Proportion(positive, every, (1.0, 1.0), (0.0, 1.0))
        hits, trials = effective_counts(share, table, level ** (1 / 3))
        limits = clopper_pearson(np.asarray(hits), np.asarray(trials), level ** (1 / 3))
        low_share, high_share = (float(limit) for limit in limits)
    return _precision(low_share, true, most, 0.0), _precision(high_share, true, least, 1.0)


def _beyond(y: Array, x: Array, limit: Array) -> Array:
    """Return y of the first point with ``x > limit``, an upper bound between the points; 1 after the last point."""
    index = np.searchsorted(x, limit + 1e-12, side="right")
    return np.where(index < len(y), y[np.minimum(index, len(y) - 1)], 1.0)


def _precision(share: float, recall: Array, false: Array, otherwise: float) -> Array:
    whole = share * recall + (1 - share) * false
    return np.where(whole > 0, share * recall / np.where(whole > 0, whole, 1.0), otherwise)


def _bin_counts(table: Table, inside: Array, level: float) -> tuple[Array, Array]:
    trials = np.repeat(inside[:, None], 2, axis=1)
    return effective_counts(Proportion(trials & np.array([False, True]), trials, (1.0, 1.0), (0.0, 1.0)), table, level)


def bin_limits(table: Table, starts: Array, level: float, limits: Limits) -> tuple[Array, Array]:
    """Return the limits of the share of positive cases in each bin, by an interval for a proportion."""
    if table.design.traits.is_independent:
        negatives, positives = np.add.reduceat(table.counts, starts, axis=0).T
        return limits(positives, negatives + positives, level)
    merged = binned(table, starts)
    each = np.arange(len(starts))
    effective = np.array([_bin_counts(merged, each == number, level) for number in each])
    return limits(effective[:, 0], effective[:, 1], level)


def binned(table: Table, starts: Array) -> Table:
    """Return the table with the scores of each bin merged, which is sufficient for the shares of the bins."""
    index = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(table.counts)))
    design = table.design.collapse_cells((2 * index[:, None] + np.arange(2)).ravel(), 2 * len(starts))
    counts = np.add.reduceat(table.counts, starts, axis=0)
    return replace(table, counts=counts, scores=table.scores[starts], spread=None, design=design)

"""Fieller's interval for a ratio of two linear forms in the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from howsure.errors import HowsureError
from howsure.methods.delta import smoothed
from howsure.methods.interval import CONSTANT, Interval, quantile, shows_variation, standard_error
from howsure.metrics.metric import Metric, Ratio
from howsure.tables.table import Table


@dataclass(frozen=True, slots=True)
class Fieller:
    """The values θ that ``A - θ B`` does not contradict: ``(A - θB)**2 <= z**2 Var(A - θB)``.

    For ``metric = A / B`` with both linear in the counts (F1, F-beta, Jaccard, any proportion, mean absolute
    error). The variance is evaluated at θ, not at the estimate, so the limits are the roots of a quadratic;
    they are cut at the metric's range.

    References
    ----------
    Fieller (1954), Journal of the Royal Statistical Society B 16.
    """

    name: ClassVar[str] = "fieller"

    def interval(
        self,
        metric: Metric,
        table: Table,
        confidence_level: float,
        rng: Any = None,  # noqa: ARG002 - the protocol's signature
    ) -> Interval:
        """Return the interval; see the class."""
        if metric.ratio is None:
            message = (
                f"`Fieller` needs a ratio of linear forms in the counts, and `{metric.name}` is not one. "
                "Use `Delta()` or `Bootstrap()`."
            )
            raise HowsureError(message)
        ratio = metric.ratio(table.counts.shape)
        value, error = float(metric(table.counts)), standard_error(metric, table)
        if not np.isfinite(value) or not (table.counts * ratio.denominator).any():
            return Interval(np.nan, np.nan, reason="its denominator is zero")
        z = quantile(confidence_level, table.design)
        if not np.isfinite(z):
            return Interval(np.nan, np.nan, error, reason="a single cluster shows no variation between clusters")
        low, high = _roots(ratio, table, z, table if shows_variation(error, value) else smoothed(table))
        lowest, highest = metric.range
        low, high = max(min(low, value), lowest), min(max(high, value), highest)
        if not low < high:
            return Interval(np.nan, np.nan, error, reason=CONSTANT)
        return Interval(low, high, error)


def _roots(ratio: Ratio, table: Table, z: float, variation: Table) -> tuple[float, float]:
    a, b = ratio.numerator, ratio.denominator
    part, whole = float((table.counts * a).sum()), float((table.counts * b).sum())
    design, counts = variation.design, variation.counts
    of_part, of_whole = design.variance(counts, a), design.variance(counts, b)
    together = (design.variance(counts, a + b) - design.variance(counts, a - b)) / 4
    square = whole**2 - z**2 * of_whole
    if square <= 0:
        return -np.inf, np.inf
    middle = part * whole - z**2 * together
    root = np.sqrt(max(middle**2 - square * (part**2 - z**2 * of_part), 0.0))
    return (middle - root) / square, (middle + root) / square

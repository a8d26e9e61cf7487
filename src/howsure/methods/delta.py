"""The delta method, on a scale that keeps the metric's range."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from howsure.designs.counted import FixedMargins, Simple, Strata, Weighted
from howsure.designs.expected import Expected
from howsure.designs.linearised import Linearised
from howsure.methods.interval import CONSTANT, Interval, quantile, shows_variation, standard_error, student_quantile
from howsure.metrics.metric import Metric
from howsure.tables.table import Counts, Table

Array = NDArray[Any]
Scale = Literal["auto", "identity", "logit", "log"]
AtLevels = Callable[[float], Interval]
PSEUDO_CASES = 2.0  # spread evenly over the cells where the sample alone shows no variation


@dataclass(frozen=True, slots=True)
class Delta:
    """Normal interval from the delta-method standard error, on a transformed scale.

    Parameters
    ----------
    transform
        ``"logit"`` of ``(value - lowest) / (highest - lowest)``, which for a range of [-1, 1] is twice Fisher's z;
        ``"log"`` of the distance from the one finite end; ``"identity"`` (Wald); ``"auto"`` by the metric's range.

    Notes
    -----
    ``Var = sum(C * g**2)`` for independent cases, with ``g`` the gradient by the counts; other designs have their
    own. Where the sample shows no variation (a perfect table) or sits on the edge of the range, centre and
    standard error come from the table with two cases spread evenly over its cells, and the interval is extended
    to the observed value: it is never a point. Of counts that are estimates (`Linearised`) the automatic scale is the
    identity, cut at the metric's range.

    References
    ----------
    Takahashi, Yamamoto, Kuchiba, Koyama (2022), Applied Intelligence 52.
    """

    transform: Scale = "auto"
    name: ClassVar[str] = "delta"

    def interval(
        self,
        metric: Metric,
        table: Table,
        confidence_level: float,
        rng: Any = None,  # noqa: ARG002 - the protocol's signature
    ) -> Interval:
        """Return the interval; see the class."""
        return self.at_levels(metric, table)(confidence_level)

    def at_levels(self, metric: Metric, table: Table) -> AtLevels:
        """Return the interval as a function of its level: the standard error is worked out once."""
        return normal_intervals(metric, table, self.transform)


def normal_intervals(
    metric: Metric,
    table: Table,
    transform: Scale = "auto",
    *,
    error_of: Callable[[Metric, Table], float] = standard_error,
    freedom: float | None = None,
) -> AtLevels:
    """Return the normal interval on a transformed scale as a function of its level, for any standard error.

    Its degrees of freedom are the design's, unless they are given.
    """
    value, error = float(metric(Counts(table.counts, table.kind))), error_of(metric, table)
    if not np.isfinite(value):
        return lambda _: Interval(np.nan, np.nan, reason="the metric is undefined")
    scale = _automatic(metric.range) if transform == "auto" else transform
    centre, spread = value, error
    estimated = isinstance(table.design, Linearised) and shows_variation(error, value)
    if estimated and transform == "auto":
        scale = "identity"  # the noise of estimated counts does not fade near the ends of the range
    shows = estimated or (shows_variation(error, value) and _inside(value, metric.range))
    if not shows and transform != "identity":
        filled = smoothed(table)
        centre, spread = float(metric(Counts(filled.counts, filled.kind))), error_of(metric, filled)
        shows = shows_variation(spread, centre) or bool(np.isnan(spread))

    def interval(confidence_level: float) -> Interval:
        z = quantile(confidence_level, table.design) if freedom is None else student_quantile(confidence_level, freedom)
        if not np.isfinite(z):
            return Interval(np.nan, np.nan, error, reason="a single cluster shows no variation between clusters")
        if transform == "identity":
            return Interval(value - z * error, value + z * error, error)
        low, high = _on_scale(scale, centre, z * spread, metric.range)
        if not shows or not low < high:
            return Interval(np.nan, np.nan, error, reason=CONSTANT)
        return Interval(max(min(low, value), metric.range[0]), min(max(high, value), metric.range[1]), error)

    return interval


@dataclass(frozen=True, slots=True)
class Wald(Delta):
    """Plain normal interval, value ± z · standard error: may leave the metric's range, and be a point."""

    transform: Scale = "identity"
    name: ClassVar[str] = "wald"


def smoothed(table: Table) -> Table:
    """Return the table with two pseudo-cases, worth a case of average weight each, spread over its cells."""
    extra = PSEUDO_CASES * table.shares
    design = table.design
    if isinstance(design, Expected):
        return table  # what does not vary is certain, given the scores
    if isinstance(design, FixedMargins | Strata):
        return replace(table, counts=table.counts + extra)
    if isinstance(design, Weighted):
        mean = design.weight_squared.sum() / table.counts.sum()
        design = Weighted(design.weight_squared + extra * mean**2)
        return replace(table, counts=table.counts + extra * mean, design=design)
    # Clusters that all agree show no variance; pseudo-cases vary on their own, as large as a cluster.
    size = table.counts.sum() / max(design.effective_trials(table.counts, np.ones(table.counts.shape, bool)), 1.0)
    if not isinstance(design, Simple) and size > 1:
        squared = (table.counts + extra * size) * size
        return replace(table, counts=table.counts + extra * size, design=Weighted(squared))
    return replace(table, counts=table.counts + extra, design=Simple())


def _automatic(bounds: tuple[float, float]) -> Scale:
    finite = np.isfinite(bounds)
    return "logit" if finite.all() else "log" if finite.any() else "identity"


def _inside(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] < value < bounds[1]


def _on_scale(scale: Scale, value: float, half: float, bounds: tuple[float, float]) -> tuple[float, float]:
    lowest, highest = bounds
    if not np.isfinite(value):
        return np.nan, np.nan
    if not np.isfinite(half):
        return lowest, highest
    if scale == "identity" or not _inside(value, bounds):
        return value - half, value + half
    if scale == "logit":
        width = highest - lowest
        share = (value - lowest) / width
        factor = np.exp(min(half / (width * share * (1 - share)), 700.0))
        return lowest + width * share / (share + (1 - share) * factor), lowest + width * share / (
            share + (1 - share) / factor
        )
    if np.isfinite(lowest):
        factor = np.exp(min(half / (value - lowest), 700.0))
        return lowest + (value - lowest) / factor, lowest + (value - lowest) * factor
    factor = np.exp(min(half / (highest - value), 700.0))
    return highest - (highest - value) * factor, highest - (highest - value) / factor

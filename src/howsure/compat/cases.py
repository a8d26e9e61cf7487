"""Metrics that are a mean of a value per case: averages over samples, and losses of label sets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.compat.keywords import Settings
from howsure.estimates.estimate import Estimate
from howsure.metrics.forms import Better
from howsure.metrics.metric import Metric
from howsure.metrics.probability import mean_loss
from howsure.native.losses import CellLosses
from howsure.sources.confusion import confusion
from howsure.sources.encoding import encoded
from howsure.sources.scores import scores
from howsure.tables.counts import Counts


def mean_of_cases(
    settings: Settings,
    name: str,
    values: Array,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    better: Better = "higher",
    normalize: bool = True,
) -> Estimate:
    """Return the mean of a value per case; nan values are left out, with a note in the estimate."""
    defined = ~np.isnan(values)
    if not defined.any():
        why = "undefined on every case"
        return Estimate(np.nan, low=np.nan, high=np.nan, metric=name, confidence_level=settings.level, reason=why)
    own = replace(
        settings, sample_weight=_part(settings.sample_weight, defined), groups=_part(settings.groups, defined)
    )
    kept = values[defined]
    if bounds == (0.0, 1.0) and np.isin(kept, bounds).all():
        hit = share_of_cases(own, kept == 1, "accuracy", normalize=normalize).replace(metric=name)
        return _said(hit, defined)
    # All cases are alike in kind: the table counts how often each value occurs.
    table = scores(
        np.zeros(len(kept)), kept, pos_label=1, sample_weight=own.sample_weight, groups=own.groups, check=False
    )
    mean = mean_loss(CellLosses(np.stack([table.scores, table.scores], -1)))
    metric = Metric(
        name,
        Counts,
        lambda counts: mean.value(counts.cells),
        lambda counts: mean.gradient(np.asarray(counts.cells, dtype=float)),
        range=bounds,
        better=better,
    )
    return _said(own.estimated(table, metric, normalize=normalize), defined)


def _said(estimate: Estimate, defined: Array) -> Estimate:
    """Return an estimate with a note of the number of cases left out."""
    left_out = int((~defined).sum())
    if not left_out:
        return estimate
    reason = f"averaged without {left_out} of {len(defined)} cases, where it is undefined"
    return estimate.replace(reason="; ".join(filter(None, (reason, estimate.reason))))


def share_of_cases(settings: Settings, right: Array, metric: str, *, normalize: bool = True) -> Estimate:
    """Return the proportion of cases that are right (``"accuracy"``), or wrong (``"error_rate"``)."""
    table = confusion(
        np.ones(len(right), dtype=bool),
        right,
        labels=[False, True],
        sample_weight=settings.sample_weight,
        groups=settings.groups,
        check=False,
    )
    return settings.estimated(table, metric, normalize=normalize)


def _part(column: object, kept: Array) -> Any:
    """Return the entries of a column that are kept; None for none."""
    if column is None or kept.all():
        return column
    known = encoded("groups", column)
    return known.levels[np.asarray(known.codes) - known.offset][kept]

"""The limits of a contrast's interval at any level, which its tests invert."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.methods import Bootstrap, DeLong, Delta, DrawingMethod, Method
from howsure.methods.delta import AtLevels
from howsure.methods.inversion import Limits, p_value, resolved
from howsure.methods.pairs import PairedShares
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, Side, contrast_metric
from howsure.metrics.metric import Metric
from howsure.tables.table import Table
from howsure.tables.views import Marginal, Part

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ContrastLimits:
    """What the limits of a contrast follow from; its metric, which is code, is found by name again where it is sent.

    Parameters
    ----------
    method : Method
        The method of the interval.
    metric : Metric
        The contrast.
    table : Table
        The joint table.
    draws : ndarray, optional
        The contrast's draws, where the method resamples.
    seed : SeedSequence
        Of the draws.
    """

    method: Method
    metric: Metric
    table: Table
    draws: Array | None
    seed: Any

    def p_value(self, value: float, null: float) -> float:
        """Return the two-sided p-value of a hypothetical value; nan where nothing is tested, as by posterior draws."""
        return p_value(self._limits(), value, null)

    def _limits(self) -> Limits:
        method = self.method
        if isinstance(method, Bootstrap):
            draws = np.empty(0) if self.draws is None else self.draws
            kept = draws[np.isfinite(draws)]
            if kept.size and np.ptp(kept) > 0:
                return resolved(method.limits(self.metric, self.table, kept, self.seed), kept.size)
            method = Delta()
        if isinstance(method, DrawingMethod):
            return lambda _: (math.nan, math.nan)  # posterior draws test nothing
        at_level: AtLevels = partial(method.interval, self.metric, self.table)
        if isinstance(method, Delta | DeLong | PairedShares):
            at_level = method.at_levels(self.metric, self.table)

        def limits(level: float) -> tuple[float, float]:
            found = at_level(level)
            return float(found.low), float(found.high)

        return limits

    def __reduce__(self) -> tuple[Any, ...]:
        contrast = self.metric.contrast
        assert contrast is not None  # noqa: S101 - made by `contrast_metric`
        sides = tuple((side.name, side.metric.name, side.view) for side in (contrast.first, contrast.second))
        return _found_again, (contrast.effect.name, sides, self.method, self.table, self.draws, self.seed)


def _found_again(
    effect: str,
    sides: tuple[tuple[str, str, Marginal | Part], ...],
    method: Method,
    table: Table,
    draws: Array | None,
    seed: Any,
) -> ContrastLimits:
    first, second = (Side(name, resolve(spec, view.table(table)), view) for name, spec, view in sides)
    metric = contrast_metric(EFFECTS[effect], first, second)
    return ContrastLimits(method=method, metric=metric, table=table, draws=draws, seed=seed)

"""What tests of a contrast rest on, in a form that can be sent to other processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from howsure.methods.interval import Method
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Contrast, Metric, Side
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

    @property
    def contrast(self) -> Contrast:
        """What is compared, and how."""
        contrast = self.metric.contrast
        assert contrast is not None  # noqa: S101 - made by `contrast_metric`
        return contrast

    def p_value(self, null: float) -> float:
        """Return the two-sided p-value of a hypothetical value; nan where nothing is tested, as by posterior draws.

        Parameters
        ----------
        null : float
            The hypothetical value of the contrast.
        """
        return self.method.p_value(self.metric, self.table, null, draws=self.draws, rng=self.seed)

    def e_value(self, null: float) -> float:
        """Return the e-value of a hypothetical value; nan where the method has none.

        Parameters
        ----------
        null : float
            The hypothetical value of the contrast.
        """
        return self.method.e_value(self.metric, self.table, null)

    def __reduce__(self) -> tuple[Any, ...]:
        contrast = self.contrast
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

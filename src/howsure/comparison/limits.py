"""Inputs for tests of a contrast, in a form that can be sent to other processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from howsure.arrays import Array, Seed
from howsure.cached import cached_property
from howsure.methods.core.method import Method
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Contrast, Metric, Side
from howsure.tables.marginals import Marginal, Part
from howsure.tables.table import Table


@dataclass(frozen=True, eq=False, kw_only=True)
class ContrastLimits:
    """The inputs of a contrast's limits; the metric, which is code, is looked up by name in the receiving process.

    Table and metric are created on demand, since most pairs of models are never tested against other null values.

    Parameters
    ----------
    method : Method
        The method of the interval.
    contrast : Contrast
        The two sides and the effect.
    joint : callable
        Returns the joint table.
    draws : ndarray, optional
        The contrast's draws, if the method draws.
    seed : SeedSequence
        Seed of the draws.
    """

    method: Method
    contrast: Contrast
    joint: Callable[[], Table]
    draws: Array | None = None
    seed: Any = None

    @cached_property
    def table(self) -> Table:
        """The joint table."""
        return self.joint()

    @cached_property
    def metric(self) -> Metric:
        """The contrast as a metric of the joint table."""
        return contrast_metric(self.contrast.effect, self.contrast.first, self.contrast.second)

    def p_value(self, null: float) -> float:
        """Return the two-sided p-value of a hypothetical value; nan without a test, as for posterior draws."""
        return self.method.p_value(self.metric, self.table, null, draws=self.draws, rng=self.seed)

    def e_value(self, null: float) -> float:
        """Return the e-value of a hypothetical value; nan if the method has none."""
        return self.method.e_value(self.metric, self.table, null)

    def __reduce__(self) -> tuple[Any, ...]:
        contrast = self.contrast
        sides = tuple(_sent(side) for side in (contrast.first, contrast.second))
        return _found_again, (contrast.effect.name, sides, self.method, self.table, self.draws, self.seed)


SentSide = tuple[str, str, list[int] | None, Marginal | Part]


def _sent(side: Side) -> SentSide:
    """Return the name of a side, its metric's name and classes, and its view."""
    some = side.metric.classes
    return side.name, side.metric.name, None if some is None else some.tolist(), side.view


def _found_again(
    effect: str,
    sides: tuple[SentSide, ...],
    method: Method,
    table: Table,
    draws: Array | None,
    seed: Seed,
) -> ContrastLimits:
    first, second = (Side(name, _of_classes(spec, view.table(table), some), view) for name, spec, some, view in sides)
    contrast = Contrast(EFFECTS[effect], first, second)
    return ContrastLimits(method=method, contrast=contrast, joint=lambda: table, draws=draws, seed=seed)


def _of_classes(spec: str, table: Table, some: list[int] | None) -> Metric:
    """Return a metric of a table, over some of its classes where these are not all, in order."""
    return resolve(spec, table, classes=None if some == list(range(len(table.labels))) else some)

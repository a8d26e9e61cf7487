"""Pilots: a table, or the tables of two test sets, assumed as the true population of future studies."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs.base import active_cells
from howsure.designs.resampling import Resampling
from howsure.designs.two_level import TwoLevel
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError, UndefinedDesignError
from howsure.estimates.batched_intervals import own_table
from howsure.methods.core.method import DrawingMethod, Method
from howsure.methods.core.standard_errors import is_positive_error, standard_error
from howsure.methods.default import checked, default_method
from howsure.metrics.binding import resolve, resolve_each, smallest
from howsure.metrics.contrast import contrast_metric
from howsure.metrics.metric import Effect, Metric, Side
from howsure.metrics.spec import Spec
from howsure.planning.clustered import Clustering
from howsure.tables.protocols import effective_sample_size
from howsure.tables.separate import SeparateTables
from howsure.tables.table import Table, select_table, with_pseudo_counts

Asked = str | Spec | Metric
STRIDE = 0.5  # largest change of the logarithm of a unit's frequency in one step towards another true value
MOST_STRIDES = 500
ROUNDING = 1e-14  # tolerance of a value of zero
CLOSE = 1e-9  # steps to the requested value
PSEUDO = (
    "The pilot shows no variation; as for intervals, two pseudo-counts over its cells replace the missing variation"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Pilot:
    """Tables assumed as the true population, with the metric and the methods of the planned studies.

    Parameters
    ----------
    tables : tuple of Table
        One table, of one model or of two on the same cases; or the tables of two test sets.
    asked : str, Spec or Metric
        The metric.
    effect : Effect
        Contrast of two models.
    names : tuple of two str or None
        Names of the models.
    method : Method, optional
        Method of the intervals; by default the default method of the metric.
    clustering : Clustering, optional
        Clusters with another size than the pilot's.
    note : str
        Caveat about the assumed population.
    """

    tables: tuple[Table, ...]
    asked: Asked
    effect: Effect
    names: tuple[str | None, str | None] = (None, None)
    method: Method | None = None
    clustering: Clustering | None = None
    note: str = ""

    @classmethod
    def of(cls, tables: tuple[Table, ...], asked: Asked, **settings: Any) -> Pilot:
        """Return the pilot; only the two compared models are kept if there are more."""
        _refuse_crossed(tables)
        made = cls(tables=tables, asked=asked, **settings)
        models: Any = tables[0]
        if len(tables) == 1 and hasattr(models, "models"):
            names = models.chosen(*made.names)
            return replace(made, tables=(models.pair(*names),), names=names)
        return made

    def reduced(self) -> Pilot:
        """Return the pilot with the smallest table from which the metric can be computed."""
        if self.is_comparison or not self.joint[1].takes_batches:
            return self
        table, metric = smallest(*own_table(*self.joint))
        return replace(self, tables=(table,), asked=metric)

    @property
    def is_comparison(self) -> bool:
        """Whether two models are compared."""
        return len(self.tables) > 1 or hasattr(self.tables[0], "models")

    def bound(self, tables: tuple[Table, ...]) -> tuple[Table, Metric]:
        """Return these tables as one, with its metric or its contrast of two models."""
        if len(tables) > 1:
            joint = SeparateTables.of(tables)
            names = (self.names[0] or "first", self.names[1] or "second")
            both = map(Side, names, resolve_each(self.asked, tables), joint.views)
            return joint, contrast_metric(self.effect, *both)
        table = tables[0]
        if not self.is_comparison:
            return table, resolve(self.asked, table)
        models: Any = table
        bound = resolve_each(self.asked, [models.model(name) for name in self.names])
        sides = [Side(str(name), each, models.view(name)) for name, each in zip(self.names, bound, strict=True)]
        return table, contrast_metric(self.effect, *sides)

    @cached_property
    def joint(self) -> tuple[Table, Metric]:
        """The tables as one, with the metric of it."""
        return self.bound(self.tables)

    @property
    def name(self) -> str:
        """The metric, with the models where two are compared."""
        return self.joint[1].label

    @cached_property
    def chosen(self) -> Method:
        """The method of the intervals."""
        table, metric = self.joint
        if self.clustering is not None:
            drawn = self.drawn(self.cases, 1, np.random.Generator(np.random.PCG64(0)))
            table, metric = self.bound(tuple(select_table(each, 0) for each in drawn))
        return checked(self.method, metric, table)

    @cached_property
    def value(self) -> float:
        """The true value of the metric, or of the contrast."""
        table, metric = self.joint
        with np.errstate(all="ignore"):
            found = float(metric(table.counted))
        return 0.0 if abs(found) < ROUNDING else found

    @property
    def cases(self) -> float:
        """Number of cases of the pilot."""
        return float(sum(table.rows for table in self.tables))

    @property
    def unit(self) -> float:
        """Mean number of cases of a sampling unit: 1, or that of a cluster."""
        if self.clustering is not None:
            return float(self.clustering.size)
        return max(_unit(table) for table in self.tables)

    @cached_property
    def variance(self) -> float:
        """Variance of the metric per case; to first order the variance for n cases is this divided by n."""
        table, metric = self.joint
        effect = 1.0 if self.clustering is None else self.clustering.effect
        error = math.nan
        if self.clustering is None and not isinstance(self.chosen, DrawingMethod):
            error = float(self.chosen.interval(metric, table, 0.95).standard_error)
        if not math.isfinite(error):
            error = float(standard_error(metric, table))
        return self.cases * effect * error**2

    def varies(self) -> Pilot:
        """Return the pilot, with pseudo-counts if its cases have no variation.

        Raises
        ------
        HowsureError
            If the metric is undefined, does not vary, or has no derivative.
        """
        if not math.isfinite(self.value):
            raise HowsureError(
                f"`{self.name}` is undefined on the pilot. Give one on which it is defined, or state the counts."
            )
        if is_positive_error(math.sqrt(self.variance), self.value):
            return self
        filled = replace(self, tables=tuple(_smoothed(each) for each in self.tables), note=PSEUDO)
        if not (math.isfinite(filled.value) and math.isfinite(filled.variance)):
            raise HowsureError(
                f"`{self.name}` has no standard error on the pilot. Give a larger one, or another metric."
            )
        if not is_positive_error(math.sqrt(filled.variance), filled.value):
            raise HowsureError(
                f"`{self.name}` does not vary between samples of this design: no number of cases changes it."
            )
        return filled

    @cached_property
    def takes_batches(self) -> bool:
        """Whether the intervals of many studies, and of either model, are computed in one pass."""
        table, metric = self.joint
        if not (self.chosen.takes_batches and metric.single_model.takes_batches):
            return False
        sides = () if metric.contrast is None else (metric.contrast.first, metric.contrast.second)
        return all(default_method(each.metric, each.view.table(table)).takes_batches for each in sides)

    def numbers(self, n: float) -> int:
        """Return the approximate number of values in memory for one study of n cases."""
        cells = sum(int(np.prod(each.shape)) for each in self.tables)
        return cells if self.unit == 1 else cells + int(n)

    def null_variance(self, null: float) -> float:
        """Return the variance per case under the null value.

        A single proportion has the variance of the nearest table with the null value. The variance of a difference of
        equal proportions is larger than the true variance by the squared difference, divided by the fraction of the
        cases that enter the metric. This is the variance of McNemar's test, and of pooled proportions. All other
        metrics have their true variance.
        """
        table, metric = self.joint
        if metric.single_model.proportion is None:
            return self.variance
        if not self.is_comparison:
            try:
                return self.moved(null).variance
            except HowsureError:
                return self.variance
        if self.effect.null != 0 or null != 0 or table.kind.has_values:
            return self.variance
        filled = with_pseudo_counts(table)
        with np.errstate(all="ignore"):
            gradient = np.nan_to_num(metric.gradient(filled.counted)).reshape(filled.cells.shape)
        if len(self.tables) > 1:
            return self._pooled(metric.single_model, gradient)
        n_effective = float(effective_sample_size(table, active_cells(np.ones(gradient.shape), gradient)))
        return self.variance + self.value**2 * self.cases / n_effective if n_effective > 0 else self.variance

    def _pooled(self, metric: Metric, gradient: Array) -> float:
        """Return the variance per case of the difference of two test sets with the same proportion."""
        ends = np.cumsum([int(np.prod(each.shape)) for each in self.tables])[:-1]
        heard = [active_cells(np.ones(part.shape), part) for part in np.split(gradient, ends)]
        pairs = zip(self.tables, heard, strict=True)
        n_effective = np.array([float(effective_sample_size(each, part.reshape(each.shape))) for each, part in pairs])
        if not (n_effective > 0).all():
            return self.variance
        values = np.array([float(metric(each.counted)) for each in self.tables])
        pooled = float(n_effective @ values / n_effective.sum())
        return float(pooled * (1 - pooled) * self.cases * (1 / n_effective).sum())

    def told(self, size: int, rng: np.random.Generator) -> tuple[Table, Array, Array] | None:
        """Return pilots resampled from this one, their values and variances per case; None if none can be drawn."""
        if not (self.draws_studies and self.joint[1].single_model.takes_batches):
            return None
        joint, metric = self.of_batch(self.drawn(self.cases, size, rng))
        with np.errstate(all="ignore"):
            values, error = np.asarray(metric(joint.counted)), np.asarray(standard_error(metric, joint))
            filled = standard_error(metric, with_pseudo_counts(joint)) if (error <= ROUNDING).any() else error
            return joint, values, self.cases * np.where(error > ROUNDING, error, filled) ** 2

    def beyond(self, n: float) -> str:
        """Return the caveat about a number of cases that are not drawn from a single infinite population."""
        designs: list[Any] = [table.design for table in self.tables]
        if any(len(getattr(design, "samples", ())) > 1 for design in designs):
            return "The other samples that the table rests on are as many times as large, too"
        drawn = [design.fraction for design in designs if design.traits.is_stratified and design.fraction is not None]
        whole = [float((fraction * n / self.cases > 1).mean()) for fraction in drawn]
        if not any(whole):
            return ""
        return "Some strata have fewer cases than their part of these: all of theirs are enough"

    @property
    def draws_studies(self) -> bool:
        """Whether new studies can be drawn from the pilot."""
        return self.clustering is not None or all(
            each.design.supports(Resampling.simulate_studies) for each in self.tables
        )

    def drawn(self, n: float, size: int, rng: np.random.Generator) -> tuple[Table, ...]:
        """Return the tables of studies with this number of cases, as batches."""
        if self.clustering is not None:
            shares = [n * table.rows / self.cases for table in self.tables]
            pairs = zip(self.tables, shares, strict=True)
            return tuple(self.clustering.drawn(table, cases, size, rng) for table, cases in pairs)
        return tuple(_repeated(table, n / self.cases, size, rng) for table in self.tables)

    def of_batch(self, tables: tuple[Table, ...]) -> tuple[Table, Metric]:
        """Return drawn tables as one batch, with its metric."""
        return (tables[0], self.joint[1]) if len(tables) == 1 else self.bound(tables)

    def one_by_one(self, tables: tuple[Table, ...]) -> list[tuple[Table, Metric]]:
        """Return each drawn study, with its metric."""
        number = tables[0].batch[0]
        return [self.bound(tuple(select_table(each, index) for each in tables)) for index in range(number)]

    def moved(self, value: float) -> Pilot:
        """Return the pilot with another true value: the nearest table with that value along the gradient.

        The frequency of each unit (a case, a cluster) is multiplied by a factor that depends on its contribution to the
        metric, until the metric has the value. This is exponential tilting along the least favourable family.

        Raises
        ------
        HowsureError
            If there is no such pilot.
        """
        moved = self
        for _ in range(MOST_STRIDES):
            ahead = value - moved.value
            if abs(ahead) <= CLOSE * max(1.0, abs(value)):
                return moved
            if not all(each.design.supports(Resampling.exponential_tilt) for each in self.tables):
                raise HowsureError(
                    f"`{self.name}` is {self.value:.4g} on the pilot, whose counts are estimates: no truth like it has "
                    f"the value {value:g}. Drop `true_value`, or state that truth by `from_counts`."
                )
            moved = moved._nearer(ahead)
            if not math.isfinite(moved.value):
                break
        raise HowsureError(
            f"No truth like the pilot, where `{self.name}` is {self.value:.4g}, has the value {value:g}: what makes it "
            "does not occur there. Give one that is nearer, or a larger pilot."
        )

    def _nearer(self, ahead: float) -> Pilot:
        table, metric = self.joint
        parts = np.split(
            metric.finite_gradient(table.counted).reshape(-1),
            np.cumsum([int(np.prod(each.shape)) for each in self.tables])[:-1],
        )
        gradient = [
            TwoLevel.of(each.design).project_gradient(each.cells, part)
            if each.design.traits.has_fixed_class_totals
            else part
            for each, part in zip(self.tables, parts, strict=True)
        ]
        variance = sum(
            float(each.design.variance(each.cells, part)) for each, part in zip(self.tables, gradient, strict=True)
        )
        pace = ahead / variance if variance > 0 else 0.0
        most = max(_largest(each, pace * part) for each, part in zip(self.tables, gradient, strict=True))
        pace *= min(1.0, STRIDE / most) if most > 0 else 1.0
        tables = []
        for each, part in zip(self.tables, gradient, strict=True):
            cells, design = Resampling.of(each.design).exponential_tilt(each.cells, pace * part)
            tables.append(replace(each, counts=cells.reshape(each.shape), design=design))
        return replace(self, tables=tuple(tables))


def _refuse_crossed(tables: tuple[Table, ...]) -> None:
    """Refuse pilots with two crossed factors: a number of cases does not determine the levels of each."""
    if not all(each.design.traits.has_one_unit for each in tables):
        raise HowsureError(
            "A plan draws one kind of unit, and the pilot has two crossed factors. Name the one that the study would "
            "keep, `fixed=`, or give one column of `groups`."
        )


def _largest(table: Table, gradient: Array) -> float:
    found = VarianceDetails.of(table.design).influence_functions(table.cells, gradient)
    if found is None:
        raise UndefinedDesignError(type(table.design).__name__, "another truth than the table's own")
    return float(np.abs(found[0]).max(initial=0.0))


def _unit(table: Table) -> float:
    design: Any = table.design
    if design.traits.has_strata:
        return float(table.rows / design.number)
    degrees_of_freedom = float(design.degrees_of_freedom)
    if design.traits.is_stratified and design.units is not None:
        degrees_of_freedom = float(design.units.sum()) - 1
    return float(table.rows / (degrees_of_freedom + 1)) if math.isfinite(degrees_of_freedom) else 1.0


def _smoothed(table: Table) -> Table:
    filled = with_pseudo_counts(table)
    return replace(filled, rows=table.rows * float(_observed(filled) / _observed(table)))


def _repeated(table: Table, scale: float, size: int, rng: np.random.Generator) -> Table:
    cells, design = Resampling.of(table.design).simulate_studies(table.cells, scale, size, rng)
    drawn = replace(table, counts=cells.reshape(size, *table.shape), design=design)
    rows = np.rint(table.rows * _observed(drawn) / _observed(table)).astype(int)
    same = int(rows[0]) if (rows == rows[0]).all() else rows
    return replace(drawn, rows=same)


def _observed(table: Table) -> Array:
    """Return the observed total; the total of the counts can be that of the population."""
    return np.asarray(TwoLevel.of(table.design).observed_cells(table.cells).sum(-1))

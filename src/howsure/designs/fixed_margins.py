"""Design of cases that are sampled class by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import Design, safe_divide
from howsure.designs.cell_sums import (
    added_up,
    apportioned,
    confusion_from_top,
    degrees_of_freedom_by_class,
    dot,
    variance_by_class,
    within_classes,
)
from howsure.designs.independent import Independent
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import Blocks, gammas_with_prior, multinomial
from howsure.designs.traits import Traits
from howsure.designs.two_level import TwoLevel
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError, UndefinedDesignError


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FixedMargins(VarianceDetails, Algebra, Resampling, TwoLevel):
    """A test set sampled class by class: the number of cases of each true class is fixed by design.

    Parameters
    ----------
    stratum : ndarray of shape (cells,), optional
        Stratum of each cell, 0 … S−1, with a fixed total; the true class once the design is attached to a table.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]]).with_design(hs.designs.FixedMargins())
    >>> hs.estimate(table, "prevalence").reason
    'the metric does not vary between samples of this design'
    """

    stratum: Array | None = None
    traits: ClassVar[Traits] = Traits(has_fixed_class_totals=True)

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        if self.stratum is not None:
            invariants.positions("stratum", self.stratum, shape[-1:], 2 * shape[-1])

    def with_true_classes(self, true_class: Array) -> FixedMargins:
        """Use the true classes as strata unless others are set; cells without a stratum get that of their class."""
        if self.stratum is None:
            return FixedMargins(true_class)
        reached = self.stratum >= 0
        of_class = self.stratum.max() + 1 + np.arange(true_class.max() + 1)
        of_class[true_class[reached]] = self.stratum[reached]
        return FixedMargins(np.where(reached, self.stratum, of_class[true_class]))

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the sum of the multinomial variances within the strata."""
        return np.asarray((counts * self.project_gradient(counts, gradient) ** 2).sum(-1))

    def project_gradient(self, observed: Array, gradient: Array) -> Array:
        """Return the gradient minus its mean in each stratum."""
        means = safe_divide(self._sums(observed * gradient), self._sums(observed))
        return np.asarray(gradient - means[..., self._strata])

    def rescale_to_fixed_totals(self, cells: Array, counts: Array) -> Array:
        """Scale ``cells`` to the total of each stratum."""
        scale = safe_divide(self._sums(counts), self._sums(cells))
        return np.asarray(cells * scale[..., self._strata])

    def placement_variance(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return DeLong's variance; fixed class totals have no variance."""
        return variance_by_class(counts, counts, true_class, within_classes(counts, true_class, gradient))

    def satterthwaite_df(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return Satterthwaite's degrees of freedom; fixed class totals have no variance."""
        return degrees_of_freedom_by_class(counts, counts, true_class, within_classes(counts, true_class, gradient))

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return the number of cases in the marked cells."""
        return dot(counts, cells)

    def collapse_cells(self, codes: Array, size: int) -> FixedMargins:
        """Keep the strata if no merged cell spans several; an empty merged cell has -1 until `bound` is called."""
        stratum = np.full(size, -1, dtype=np.intp)
        stratum[codes] = self._strata
        if (stratum[codes] != self._strata).any():
            raise UndefinedDesignError(type(self).__name__)
        return FixedMargins(stratum)

    def collapsible_cells(self, cells: int) -> Array:
        """Return the strata: the cells of a stratum are multinomial, or Dirichlet, with its fixed total."""
        return self._strata

    def add_tables(self, others: Sequence[Self]) -> FixedMargins:
        """Return itself, where all tables fix the totals of the same strata."""
        for each in others:
            pairs = len(np.unique(np.stack([self._strata, each._strata]), axis=1).T)  # noqa: SLF001 - of its own class
            if not pairs == len(np.unique(self._strata)) == len(np.unique(each._strata)):  # noqa: SLF001
                raise UndefinedDesignError(type(self).__name__, "the sum of tables of different strata")
        return self

    def stack_tables(self, others: Sequence[Self], size: int) -> FixedMargins:
        """Return itself, where all tables fix the totals of the same strata."""
        return self.add_tables(others)

    def with_pseudo_counts(self, counts: Array, extra: Array) -> tuple[Array, Design]:
        """Add the pseudo-counts."""
        return counts + extra, self

    def influence_functions(self, counts: Array, gradient: Array) -> tuple[Array, Array]:
        """Return the gradient minus its stratum mean, and the counts, for the non-empty cells."""
        filled = np.flatnonzero(counts)
        return self.project_gradient(counts, gradient)[filled], counts[filled]

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw a multinomial within each stratum."""
        drawn = np.zeros((counts.size, size)).T
        for cells in self._members():
            drawn[:, cells] = multinomial(counts[cells], size, rng)
        return drawn

    def simulate_studies(
        self, counts: Array, scale: float, size: int, rng: np.random.Generator
    ) -> tuple[Array, Design]:
        """Draw a multinomial within each stratum, whose total is fixed in proportion to the table's."""
        totals, drawn = self._sums(counts), np.zeros((size, counts.size))
        for cells, number in zip(self._members(), apportioned(round(float(scale * totals.sum())), totals), strict=True):
            if number:
                drawn[:, cells] = rng.multinomial(number, counts[cells] / counts[cells].sum(), size)
        return drawn, self

    def exponential_tilt(self, counts: Array, log_factors: Array) -> tuple[Array, Design]:
        """Multiply the counts; the total of each stratum stays."""
        return self.rescale_to_fixed_totals(counts * np.exp(log_factors), counts), self

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw a Dirichlet within each stratum, scaled to its fixed total."""
        return self._scaled(gammas_with_prior(counts, prior, size, rng), counts)

    def leave_one_out(self, counts: Array) -> Blocks:
        """Leave out one case of each non-empty cell, and rescale its stratum to the fixed total."""
        for tables, number in Independent().leave_one_out(counts):
            yield self._scaled(tables, counts), number

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return the sum of the two classes' variances at each threshold."""
        cells = confusion_from_top(counts, thresholds)
        totals = counts.sum(0)
        means = safe_divide((cells * gradients).sum(-1), totals)
        return np.asarray((cells * (gradients - means[..., None]) ** 2).sum((-2, -1)))

    @property
    def _strata(self) -> Array:
        if self.stratum is None:
            raise HowsureError("`FixedMargins` belongs to a table: use `table.with_design(FixedMargins())`.")
        return self.stratum

    def _sums(self, cells: Array) -> Array:
        return added_up(cells, self._strata, int(self._strata.max()) + 1)

    def _members(self) -> list[Array]:
        order = np.argsort(self._strata, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self._strata))[:-1])

    def _scaled(self, drawn: Array, counts: Array) -> Array:
        """Scale each stratum of drawn tables, ``(size, cells)``, to its fixed total."""
        for cells, total in zip(self._members(), self._sums(counts), strict=True):
            sums = drawn[:, cells].sum(-1, keepdims=True)
            drawn[:, cells] *= safe_divide(total, sums)
        return drawn

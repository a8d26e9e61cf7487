"""Designs of independent, counted cases, without and with weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import Design, active_cells, safe_divide
from howsure.designs.cell_sums import (
    added_up,
    confusion_from_top,
    degrees_of_freedom_by_class,
    dot,
    variance_by_class,
)
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import (
    Blocks,
    gammas_with_pair,
    gammas_with_prior,
    multinomial,
    multinomial_of_number,
    without_one,
)
from howsure.designs.traits import INDEPENDENT, Description, Traits
from howsure.designs.units import Units
from howsure.designs.variance_details import VarianceDetails

WEIGHTED = "The cases are weighted; the intervals take this into account."
MOST_ATOMS = 100_000  # largest number of distinct weights by cell stored for exact resampling


@final
@dataclass(frozen=True, slots=True, repr=False)
class Independent(VarianceDetails, Algebra, Resampling):
    """Independent cases: the counts are one multinomial sample.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(Independent().variance(np.array([30.0, 70.0]), np.array([0.007, -0.003]))), 6)
    0.0021
    """

    traits: ClassVar[Traits] = INDEPENDENT

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return ``sum(counts * gradient**2)``."""
        return dot(counts * gradient, gradient)

    def squared_weights(self, counts: Array) -> Array:
        """Return the counts: every weight is one."""
        return counts

    def placement_variance(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return DeLong's variance."""
        return variance_by_class(counts, counts, true_class, gradient)

    def satterthwaite_df(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return Satterthwaite's degrees of freedom."""
        return degrees_of_freedom_by_class(counts, counts, true_class, gradient)

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return the number of cases in the marked cells."""
        return dot(counts, cells)

    def collapse_cells(self, codes: Array, size: int) -> Independent:
        """Return itself: merging cells of a multinomial leaves a multinomial."""
        return self

    def add_tables(self, others: Sequence[Self]) -> Independent:
        """Return itself: cases of several tables are cases of their sum."""
        return self

    def stack_tables(self, others: Sequence[Self], size: int) -> Independent:
        """Return itself."""
        return self

    def collapse_cells_per_table(self, codes: Array, size: int) -> Independent:
        """Return itself, as `merged` does."""
        return self

    def collapsible_cells(self, cells: int) -> Array:
        """Return one code: multinomial and Dirichlet distributions are closed under sums of cells."""
        return np.zeros(cells, dtype=np.intp)

    def with_pseudo_counts(self, counts: Array, extra: Array) -> tuple[Array, Design]:
        """Add the pseudo-counts."""
        return counts + extra, self

    def influence_functions(self, counts: Array, gradient: Array) -> tuple[Array, Array]:
        """Return the gradient of the non-empty cells and their counts."""
        filled = counts != 0
        return (gradient, counts) if filled.all() else (gradient[filled], counts[filled])

    def exchangeable_units(self, counts: Array) -> Units:
        """Return the cases."""
        filled = np.flatnonzero(counts)
        number = counts[filled].astype(np.intp)
        return Units(np.arange(len(filled)), filled, np.ones(len(filled)), number)

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw multinomial tables: the same distribution as counting resampled rows."""
        return multinomial(counts, size, rng)

    def simulate_studies(
        self, counts: Array, scale: float, size: int, rng: np.random.Generator
    ) -> tuple[Array, Design]:
        """Draw multinomial tables."""
        return multinomial_of_number(counts, round(float(scale * counts.sum())), size, rng), self

    def exponential_tilt(self, counts: Array, log_factors: Array) -> tuple[Array, Design]:
        """Multiply the counts."""
        moved = counts * np.exp(log_factors)
        return moved * safe_divide(counts.sum(-1), moved.sum(-1))[..., None], self

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw gamma variables; divided by their sum they are a Dirichlet draw."""
        return gammas_with_prior(counts, prior, size, rng)

    def posterior_with_pairs(self, counts: Array, pair: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw those gamma variables, and add those of the pseudo-counts."""
        return gammas_with_pair(counts, pair, size, rng)

    def leave_one_out(self, counts: Array) -> Blocks:
        """Leave out one case of each non-empty cell."""
        filled = np.flatnonzero(counts)
        return without_one(counts, filled, np.ones(len(filled)), counts[filled])

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return ``sum(counts * slopes**2)`` of the confusion table at each threshold."""
        return np.asarray((confusion_from_top(counts, thresholds) * gradients**2).sum((-2, -1)))


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Weighted(VarianceDetails, Algebra, Resampling):
    """Independent cases with weights (survey, importance or inverse-probability weights).

    Parameters
    ----------
    weight_squared : ndarray of shape (..., cells)
        Sum of the squared weights by cell; the counts of the table are then the sums of the weights.
    atoms : tuple of three ndarray of shape (atoms,), optional
        ``(cell, weight, number)`` of each distinct weight in each cell, for exact resampling; None in a batch, and if
        there are too many weights to store.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.confusion([1, 0, 1], [1, 0, 0], sample_weight=[1.0, 2.0, 0.5])
    >>> table.design.weight_squared.tolist()
    [4.0, 0.0, 0.25, 1.0]
    """

    weight_squared: Array
    atoms: tuple[Array, Array, Array] | None = None

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.numbers("weight_squared", self.weight_squared, shape)
        if self.atoms is not None:
            invariants.parts("atoms", self.atoms, np.ndarray, 3)
            cell, weight, number = self.atoms
            invariants.positions("atoms", cell, (None,), shape[-1])
            invariants.numbers("atoms", weight, cell.shape)
            invariants.numbers("atoms", number, cell.shape)

    def check_sums(self, counts: Array) -> None:
        """Check that the weights add up to the counts, and their squares to the squared weights."""
        if self.atoms is not None:
            cell, weight, number = self.atoms
            invariants.sums("atoms", np.bincount(cell, weight * number, counts.size), counts)
            invariants.sums("atoms", np.bincount(cell, weight**2 * number, counts.size), self.weight_squared)

    @property
    def description(self) -> Description:
        """Text on weighted cases."""
        return Description("of different weights", caveats=(WEIGHTED,))

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return ``sum(weight_squared * gradient**2)``."""
        return dot(self.weight_squared * gradient, gradient)

    def small_sample_correction(self, counts: Array, gradient: Array) -> tuple[Any, Any]:
        """Return the variance at Kish's effective sample size, divided by the weighted variance; at least 1.

        A few heavy cases dominate the variance of weighted cases. Most samples contain no error among them, and the
        remaining cases then underestimate the variance.
        """
        heard = active_cells(counts, gradient)
        mean = safe_divide(dot(self.weight_squared, heard), dot(counts, heard))  # weighted mean of the weights
        worth = mean * dot(counts * gradient, gradient)
        return np.maximum(safe_divide(worth, self.variance(counts, gradient)), 1.0), self.degrees_of_freedom

    def squared_weights(self, counts: Array) -> Array:
        """Return the sums of squared weights."""
        return self.weight_squared

    def placement_variance(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return DeLong's variance, with Kish's effective number of cases of each class."""
        return variance_by_class(counts, self.weight_squared, true_class, gradient)

    def satterthwaite_df(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return Satterthwaite's degrees of freedom, with the effective weight of each cell for its cases."""
        return degrees_of_freedom_by_class(counts, self.weight_squared, true_class, gradient)

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return Kish's effective sample size, ``sum(w)**2 / sum(w**2)``."""
        return safe_divide(dot(counts, cells) ** 2, dot(self.weight_squared, cells))

    def collapse_cells(self, codes: Array, size: int) -> Weighted:
        """Add up the squared weights of the merged cells."""
        atoms = None if self.atoms is None else (codes[self.atoms[0]], *self.atoms[1:])
        return Weighted(added_up(self.weight_squared, codes, size), atoms)

    def add_tables(self, others: Sequence[Self]) -> Weighted:
        """Add the squared weights, and combine the distinct weights if all tables store them."""
        designs: list[Self] = [self, *others]
        squared = np.sum([each.weight_squared for each in designs], axis=0)
        kept = [each.atoms for each in designs if each.atoms is not None]
        if len(kept) < len(designs):
            return Weighted(squared)
        cell, weight, number = (np.concatenate(part) for part in zip(*kept, strict=True))
        atoms, place = np.unique(np.stack([cell, weight]), axis=1, return_inverse=True)
        if atoms.shape[1] > MOST_ATOMS:
            return Weighted(squared)
        return Weighted(squared, (atoms[0].astype(np.intp), atoms[1], np.bincount(place.ravel(), number)))

    def stack_tables(self, others: Sequence[Self], size: int) -> Weighted:
        """Stack the squared weights."""
        designs: list[Self] = [self, *others]
        return Weighted(np.stack([each.weight_squared for each in designs]))

    def collapse_cells_per_table(self, codes: Array, size: int) -> Weighted:
        """Add up the squared weights of the merged cells of each table."""
        return Weighted(np.stack([added_up(self.weight_squared, each, size) for each in codes]))

    def select_table(self, index: int) -> Weighted:
        """Return the squared weights of one table of a batch."""
        return Weighted(self.weight_squared[index])

    def mean_unit_size(self, counts: Array) -> Any:
        """Return the average weight of a case."""
        return safe_divide(self.weight_squared.sum(-1), counts.sum(-1))

    def with_pseudo_counts(self, counts: Array, extra: Array) -> tuple[Array, Design]:
        """Add pseudo-counts of the average weight."""
        mean = self.mean_unit_size(counts)[..., None]
        return counts + extra * mean, Weighted(self.weight_squared + extra * mean**2)

    def influence_functions(self, counts: Array, gradient: Array) -> tuple[Array, Array]:
        """Return weight times gradient of each distinct weight, and its number of cases."""
        cell, weight, number = self.units(counts)
        return weight * gradient[cell], number

    def exchangeable_units(self, counts: Array) -> Units | None:
        """Return the cases with their weights, if these are stored."""
        if self.atoms is None:
            return None
        cell, weight, number = self.atoms
        return Units(np.arange(len(cell)), cell, weight, number.astype(np.intp))

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw the number of occurrences of each distinct weight.

        If the weights are not stored, each cell is a Poisson number of cases with the effective weight ``sum(w**2) /
        sum(w)``, which has the correct mean and variance.
        """
        drawn = np.zeros((size, counts.size))
        if self.atoms is None:
            weight, number = self._typical(counts)
            return np.asarray(rng.poisson(number, (size, counts.size)) * weight)
        cell, weight, number = self.atoms
        order = np.argsort(cell, kind="stable")
        sampled = multinomial(number[order], size, rng) * weight[order]
        filled, starts = np.unique(cell[order], return_index=True)
        drawn[:, filled] = np.add.reduceat(sampled, starts, axis=1)
        return drawn

    def simulate_studies(
        self, counts: Array, scale: float, size: int, rng: np.random.Generator
    ) -> tuple[Array, Design]:
        """Draw cases with their weights."""
        cell, weight, number = self.units(counts)
        drawn = rng.multinomial(round(float(scale * number.sum())), number / number.sum(), size)
        sums, squares = (added_up(drawn * power, cell, counts.size) for power in (weight, weight**2))
        return sums, Weighted(squares)

    def exponential_tilt(self, counts: Array, log_factors: Array) -> tuple[Array, Design]:
        """Multiply the number of cases of each distinct weight."""
        cell, weight, number = self.units(counts)
        moved = number * np.exp(weight * log_factors[cell])
        moved = moved * (number.sum() / moved.sum())
        sums, squares = (added_up(moved * power, cell, counts.size) for power in (weight, weight**2))
        return sums, Weighted(squares, (cell, weight, moved))

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw gamma variables with the sums of weights as means and the sums of squared weights as variances."""
        weight, number = self._typical(counts)
        mean = self.weight_squared.sum() / counts.sum()
        prior_weight = np.where(number > 0, weight, mean)
        return gammas_with_prior(number, prior, size, rng) * prior_weight

    def leave_one_out(self, counts: Array) -> Blocks:
        """Leave out one case of each distinct weight in each cell."""
        return without_one(counts, *self.units(counts))

    def units(self, counts: Array) -> tuple[Array, Array, Array]:
        """Return cell, weight and number of cases of each distinct weight, or of the effective weight of each cell."""
        if self.atoms is not None:
            return self.atoms
        weight, number = self._typical(counts)
        filled = np.flatnonzero(number)
        return filled, weight[filled], number[filled]

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return ``sum(weight_squared * slopes**2)`` of the confusion table at each threshold."""
        squares = self.weight_squared.reshape(counts.shape)
        return np.asarray((confusion_from_top(squares, thresholds) * gradients**2).sum((-2, -1)))

    def _typical(self, counts: Array) -> tuple[Array, Array]:
        """Return the effective weight and the effective number of cases of each cell."""
        return safe_divide(self.weight_squared, counts), safe_divide(counts**2, self.weight_squared)


def smoothed(design: Design, counts: Array, extra: Array) -> tuple[Array, Design]:
    """Return counts and design after adding pseudo-counts, in sampling units of mean size.

    Clusters that all agree have no variance. The pseudo-counts then vary separately and have the size of a cluster.

    Parameters
    ----------
    design : Design
        How the counts vary.
    counts : ndarray of shape (..., cells)
        The tables.
    extra : ndarray of shape (cells,)
        Pseudo-cases of each cell.
    """
    if not design.traits.has_labels:  # without variation they are certain, given the scores
        return counts, design
    own = Algebra.of(design).with_pseudo_counts(counts, extra)
    if own is not None:
        return own
    size = VarianceDetails.of(design).mean_unit_size(counts)[..., None]
    filled = counts + extra * size
    return filled, Weighted(filled * size)

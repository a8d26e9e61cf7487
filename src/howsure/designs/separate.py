"""Design of independent test sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import Design, safe_divide
from howsure.designs.independent import smoothed
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import Blocks
from howsure.designs.variance_details import VarianceDetails


@final
@dataclass(frozen=True, slots=True, repr=False)
class Separate(VarianceDetails, Algebra, Resampling):
    """Independent test sets with their cells concatenated.

    Parameters
    ----------
    parts : tuple of Design
        Design of each test set.
    sizes : tuple of int
        Number of cells of each.
    """

    parts: tuple[Design, ...]
    sizes: tuple[int, ...]

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.parts("parts", self.parts, Design)
        invariants.array("sizes", np.asarray(self.sizes), (len(self.parts),), invariants.WHOLE)
        if sum(self.sizes) != shape[-1] or min(self.sizes) < 0:
            invariants.refuse(f"`sizes` is {self.sizes}, and the table has {shape[-1]:,} cells.")
        for part, size in zip(self.parts, self.sizes, strict=True):
            part.check((*shape[:-1], size))

    def check_sums(self, counts: Array) -> None:
        """Check that the entries of each test set add up to its counts."""
        for part, cells in zip(self.parts, self.split(counts), strict=True):
            part.check_sums(cells)

    @property
    def test_sets(self) -> tuple[Design, ...]:
        """The parts."""
        return self.parts

    @property
    def degrees_of_freedom(self) -> Any:
        """Smallest degrees of freedom among the parts, which is conservative if they differ."""
        return np.minimum.reduce([part.degrees_of_freedom for part in self.parts])

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the sum of the parts' variances."""
        pairs = zip(self.parts, self.split(counts), self.split(gradient), strict=True)
        return np.asarray(sum(part.variance(cells, slopes) for part, cells, slopes in pairs))

    def squared_weights(self, counts: Array) -> Array | None:
        """Return the squared weights of the parts, if all have them."""
        found = [
            VarianceDetails.of(part).squared_weights(cells)
            for part, cells in zip(self.parts, self.split(counts), strict=True)
        ]
        known = [each for each in found if each is not None]
        return np.concatenate(known, -1) if len(known) == len(found) else None

    def placement_variance(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return the sum of the parts'."""
        pairs = zip(self.parts, *(self.split(each) for each in (counts, true_class, gradient)), strict=True)
        return np.asarray(sum(VarianceDetails.of(part).placement_variance(*each) for part, *each in pairs))

    def satterthwaite_df(self, counts: Array, true_class: Array, gradient: Array) -> Any:
        """Return Welch's degrees of freedom from the parts' variances and degrees of freedom."""
        pairs = zip(self.parts, *(self.split(each) for each in (counts, true_class, gradient)), strict=True)
        own = [
            (part.variance(cells, form), VarianceDetails.of(part).satterthwaite_df(cells, side, form))
            for part, cells, side, form in pairs
        ]
        square = np.asarray(sum(variance for variance, _ in own)) ** 2
        found = safe_divide(
            square, np.asarray(sum(variance**2 / degrees_of_freedom for variance, degrees_of_freedom in own))
        )
        return np.where(found > 0, found, self.degrees_of_freedom)

    def supports(self, member: Callable[..., object]) -> bool:
        """Return whether all parts define the member."""
        return all(part.supports(member) for part in self.parts)

    def effective_sample_size(self, counts: Array, trials: Array) -> Array:
        """Return the sum of the parts'."""
        pairs = zip(self.parts, self.split(counts), self.split(trials), strict=True)
        return np.asarray(sum(part.effective_sample_size(cells, selected) for part, cells, selected in pairs))

    def select_table(self, index: int) -> Separate:
        """Return each test set's design of one table of a batch."""
        return Separate(tuple(Algebra.of(part).select_table(index) for part in self.parts), self.sizes)

    def with_pseudo_counts(self, counts: Array, extra: Array) -> tuple[Array, Design]:
        """Add the pseudo-counts of each test set, in its own units."""
        pairs = zip(self.parts, self.split(counts), self.split(extra), strict=True)
        filled, designs = zip(*(smoothed(part, cells, more) for part, cells, more in pairs), strict=True)
        return np.concatenate(filled, -1), Separate(designs, self.sizes)

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Resample each test set on its own."""
        pairs = zip(self.parts, self.split(counts), strict=True)
        return np.hstack([Resampling.of(part).resample(cells, size, rng) for part, cells in pairs])

    def simulate_studies(
        self, counts: Array, scale: float, size: int, rng: np.random.Generator
    ) -> tuple[Array, Design]:
        """Draw new studies of each test set on its own."""
        pairs = zip(self.parts, self.split(counts), strict=True)
        return self._together([Resampling.of(part).simulate_studies(cells, scale, size, rng) for part, cells in pairs])

    def exponential_tilt(self, counts: Array, log_factors: Array) -> tuple[Array, Design]:
        """Tilt each test set on its own."""
        pairs = zip(self.parts, self.split(counts), self.split(log_factors), strict=True)
        return self._together([Resampling.of(part).exponential_tilt(*each) for part, *each in pairs])

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw the posterior of each test set on its own."""
        pairs = zip(self.parts, self.split(counts), self.split(prior), strict=True)
        return np.hstack([Resampling.of(part).posterior(cells, extra, size, rng) for part, cells, extra in pairs])

    def leave_one_out(self, counts: Array) -> Blocks:
        """Leave out one unit of one of the test sets."""
        start = 0
        for part, cells in zip(self.parts, self.split(counts), strict=True):
            for tables, number in Resampling.of(part).leave_one_out(cells):
                whole = np.repeat(counts.reshape(1, -1).astype(float), len(tables), axis=0)
                whole[:, start : start + cells.size] = tables
                yield whole, number
            start += cells.size

    def split(self, cells: Array) -> list[Array]:
        """Return the cells of each test set, ``(..., cells)``."""
        return np.split(cells, np.cumsum(self.sizes)[:-1], axis=-1)

    def _together(self, parts: list[tuple[Array, Design]]) -> tuple[Array, Design]:
        return np.concatenate([cells for cells, _ in parts], -1), Separate(tuple(each for _, each in parts), self.sizes)

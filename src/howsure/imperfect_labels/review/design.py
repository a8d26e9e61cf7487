"""Design of a test set in which some cases of each cell were reviewed: a two-phase sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import safe_divide
from howsure.designs.cell_sums import dot
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import BLOCK_CELLS, Blocks
from howsure.designs.traits import Description, Traits
from howsure.imperfect_labels.review.prior import Cells


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reviewed(Algebra, Resampling):
    """Design of a test set in which some cases of each cell were reviewed: a two-phase sample.

    Parameters
    ----------
    cells : tuple of Cells
        The recorded cells with their reviews, in groups with a common prior.
    labels : ndarray of shape (K,)
        Class labels of the recorded table.
    note : str
        Caveat about few reviews, or about cells without a review; empty if there is none.

    Notes
    -----
    Consider a cell of ``N`` cases, of which ``m`` are unreviewed and ``r`` reviewed, with ``A`` reviews and
    pseudo-reviews. The corrected labels of the unreviewed cases are Dirichlet-multinomial. With corrected counts ``C``
    and gradient ``g``, ``Var = sum(C g**2) + sum(m (A + m) / (A + 1) * v)``, where v is the variance of g over the
    corrected labels of the cell. Without pseudo-reviews this is the variance of double sampling,
    ``N * mean(g)**2 + N**2 / r * v`` (Tenenbein 1970).

    References
    ----------
    Tenenbein (1970), Journal of the American Statistical Association 65.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.reviewed([[90, 10], [20, 80]], [[[48, 2], [3, 5]], [[6, 4], [0, 60]]]).design.note
    ''
    """

    cells: tuple[Cells, ...]
    labels: Array
    note: str = ""
    traits: ClassVar[Traits] = Traits(is_counted=False)

    @property
    def description(self) -> Description:
        """The note."""
        return Description(estimate_caveat=self.note)

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.parts("cells", self.cells, Cells)
        invariants.names("labels", self.labels)
        invariants.instance("note", self.note, str)
        for each in self.cells:
            each.check(shape[-1])

    def check_sums(self, counts: Array) -> None:
        """Check that the reviews imply the counts."""
        invariants.sums("cells", self.expected(counts.size), counts)

    def expected(self, size: int) -> Array:
        """Return the expected corrected counts, ``(size,)``."""
        return sum((each.gathered(each.expected, size) for each in self.cells), np.zeros(size))

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the sum of the sampling variance of the corrected cases and the variance of the imputation."""
        imputation = sum(each.imputation_variance(gradient) for each in self.cells)
        return np.asarray(dot(counts * gradient, gradient) + imputation)

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return the Kish effective sample size; a review counts as all the cases that it represents."""
        resting = sum(dot(each.gathered(each.expected * each.weight, counts.size), cells) for each in self.cells)
        return safe_divide(dot(counts, cells) ** 2, np.asarray(resting))

    def collapse_cells(self, codes: Array, size: int) -> Reviewed:
        """Return the design after merging cells of the corrected table; recorded cells and reviews are unchanged."""
        return replace(self, cells=tuple(replace(each, destination=codes[each.destination]) for each in self.cells))

    def collapsible_cells(self, cells: int) -> Array:
        """Return one code for all cells: sums of gamma variables are gamma variables of the summed counts."""
        return np.zeros(cells, dtype=np.intp)

    def add_tables(self, others: Sequence[Self]) -> Reviewed:
        """Return the design of the sum of tables: the recorded cells of all, each with its own reviews."""
        parts: list[Self] = [self, *others]
        note = "; ".join(dict.fromkeys(each.note for each in parts if each.note))
        return replace(self, cells=tuple(cell for each in parts for cell in each.cells), note=note)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Impute the unreviewed cases, and draw gamma variables with the completed counts plus the prior as shapes."""
        drawn = np.empty((size, counts.size))
        step = max(1, BLOCK_CELLS // max(each.reviews.size for each in self.cells))
        for start in range(0, size, step):
            number = min(step, size - start)
            tables = sum(each.imputed(number, rng) @ each.gathering(counts.size) for each in self.cells)
            drawn[start : start + number] = rng.standard_gamma(tables + prior)
        return drawn

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Return tables after resampling both phases: the cases of each cell, and their reviews."""
        recorded = np.concatenate([each.recorded for each in self.cells])
        cases = rng.multinomial(round(recorded.sum()), recorded / recorded.sum(), size)
        drawn = np.zeros((size, counts.size))
        first = 0
        for each in self.cells:
            last = first + len(each.recorded)
            for start in range(0, size, step := max(1, BLOCK_CELLS // each.reviews.size)):
                block = slice(start, start + step)
                drawn[block] += each.repeated(cases[block, first:last], rng) @ each.gathering(counts.size)
            first = last
        return drawn

    def leave_one_out(self, counts: Array) -> Blocks:
        """Return the tables without one unreviewed case of each cell, or without one review of each corrected label."""
        for each in self.cells:
            for changes, number in each.left_out():
                tables = np.tile(counts, (len(number), 1)) - changes @ each.gathering(counts.size)
                yield np.maximum(tables, 0.0), number

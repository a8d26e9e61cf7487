"""Designs of expected counts: cases with class probabilities instead of labels.

Two designs of the same counts have different targets. `Batch` targets the realised metric of the given cases: only
their classes are random. `Population` targets the metric of the population from which the cases were sampled: only the
cases are random, and the classes enter through their probabilities. The two variances add up to the multinomial
variance of labelled cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.cases import Cases
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import BLOCK_CELLS, Blocks
from howsure.designs.traits import EXPECTED, Description, Traits
from howsure.designs.variance_details import VarianceDetails

MOST_TIES = 4  # mean number of cases of a kind up to which they are drawn one by one


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _OfCases(VarianceDetails, Algebra, Resampling):
    """The parts that both designs have in common.

    Parameters
    ----------
    cases : Cases
        The cases with the probabilities of their classes.
    """

    cases: Cases

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.instance("cases", self.cases, Cases)
        self.cases.check(shape[-1])

    def check_sums(self, counts: Array) -> None:
        """Check that the expected counts of the cases are those of the table."""
        invariants.sums("cases", self.cases.counts(counts.shape), counts)

    @property
    def minimum_unit_size(self) -> float:
        """What a case counts on average, whatever the unit of the weights."""
        return self.cases.unit

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return the expected number of cases in the marked cells, or their effective number."""
        return self.cases.effective_sample_size(counts, cells)

    def collapse_cells(self, codes: Array, size: int) -> Self:
        """Merge the cells that the cases may fall in."""
        return replace(self, cases=self.cases.merged(codes))

    def at_threshold(self, row: int, rows: int) -> Self:
        """Merge the cells below a row of scores, and those from it on."""
        return replace(self, cases=self.cases.cut(row))

    def collapsible_cells(self, cells: int) -> Array:
        """Return one code: draws are of whole cases or of their classes, and do not depend on their cells."""
        return np.zeros(cells, dtype=np.intp)

    def add_tables(self, others: Sequence[Self]) -> Self:
        """Put the cases of all tables together."""
        return replace(self, cases=self.cases.joined([each.cases for each in others]))

    def leave_one_out(self, counts: Array) -> Blocks:
        """Leave out one case of each kind."""
        return self.cases.left_out(counts)


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Batch(_OfCases):
    """Given cases, each with a true class drawn from its probabilities.

    Intervals are prediction intervals: they cover the metric of these cases once their labels are observed.

    Parameters
    ----------
    cases : Cases
        The cases with the probabilities of their classes.

    Examples
    --------
    >>> import howsure as hs
    >>> scores = hs.calibrated([0.1, 0.4, 0.8, 0.9])
    >>> type(scores.design).__name__
    'Batch'
    """

    traits: ClassVar[Traits] = replace(
        EXPECTED, has_known_probabilities=True, assumes_calibrated_scores=True, has_all_cases=True
    )
    description: ClassVar[Description] = Description(
        estimate_caveat="prediction for these cases; assumes calibrated scores"
    )

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the sum over the cases of the variance of the slope at their class."""
        if self.cases.classes == 2:
            return np.asarray(self.cases.label_variance(gradient))
        slopes, mean = self.cases.means(gradient)
        each = np.einsum("mk,mk->m", self.cases.rows, (slopes - mean[:, None]) ** 2)
        return np.asarray(self.cases.squared @ each)

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return the variance at each threshold of a table of scores, of slopes by the confusion table there."""
        gap = gradients[:, 1] - gradients[:, 0]
        return np.asarray((self.cases.products_from_top(thresholds)[..., 0, 1] * gap**2).sum(-1))

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw every case's class."""
        cases = self.cases
        drawn = np.empty((size, counts.size)) if cases.cells is None else np.zeros((size, counts.size))
        if cases.classes != 2:
            for row in range(size):
                drawn[row] = self._classes(counts.size, rng)
            return drawn
        if cases.is_binary:
            second = np.stack([start + _picked(mass, size, rng) for start, mass in cases.sums], 1)
        else:
            second = self._successes(size, rng)
        if cases.cells is None:
            pairs = drawn.reshape(size, -1, 2)
            pairs[..., 1] = second
            np.subtract(cases.group_totals, second, out=pairs[..., 0])
            return drawn
        for cells, own in zip(cases.targets.T, (cases.group_totals - second, second), strict=True):
            steps = np.diff(cells)
            if len(steps) and steps[0] > 0 and (steps == steps[0]).all():  # a slice takes a tenth of the time
                drawn[:, cells[0] : cells[-1] + 1 : steps[0]] += own
            elif (steps > 0).all():
                drawn[:, cells] += own
            else:
                np.add.at(drawn.T, cells, own.T)
        return drawn

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw every case's class; the scores determine its distribution, and the prior has no effect."""
        return self.resample(counts, size, rng)

    def _successes(self, size: int, rng: np.random.Generator) -> Array:
        """Yield draws of the number of second-class cases in each group, ``(size, groups)``, in blocks."""
        cases = self.cases
        step = max(1, BLOCK_CELLS // len(cases.number))
        blocks = [self._of_second_class(min(step, size - start), rng) for start in range(0, size, step)]
        return np.concatenate(blocks)

    def _of_second_class(self, size: int, rng: np.random.Generator) -> Array:
        cases, groups = self.cases, self.cases.number_of_groups
        order = np.argsort(cases.groups, kind="stable")
        number, second = cases.number[order], cases.second[order]
        weight = np.broadcast_to(cases.weight, cases.number.shape)[order]
        if number.sum() <= MOST_TIES * len(number):  # single cases are drawn faster
            each, repeats = second.astype(np.float32), number.astype(np.intp)
            drawn: Array = rng.random((size, repeats.sum()), dtype=np.float32) < np.repeat(each, repeats)
            if (repeats != 1).any():
                drawn = np.add.reduceat(drawn, np.cumsum(repeats) - repeats, axis=1, dtype=float)
        else:
            drawn = rng.binomial(number.astype(np.int64), second, (size, len(second)))
        if (weight != 1).any():
            drawn = drawn * weight
        if len(second) == groups:
            return drawn
        place = groups * np.arange(size)[:, None] + cases.groups[order]
        return np.bincount(place.ravel(), drawn.ravel(), size * groups).reshape(size, groups)

    def _classes(self, cells: int, rng: np.random.Generator) -> Array:
        cases = self.cases
        edges = np.cumsum(cases.rows[:, :-1], axis=1)
        repeats = cases.number.astype(np.intp)
        if (repeats != 1).any():
            edges = np.repeat(edges, repeats, axis=0)
        drawn = (rng.random(len(edges))[:, None] >= edges).sum(1)
        weights = np.repeat(np.broadcast_to(cases.weight, repeats.shape), repeats)
        return np.bincount(cases.targets[np.repeat(cases.groups, repeats), drawn], weights, cells)


def _picked(mass: Array, size: int, rng: np.random.Generator) -> Array:
    return np.minimum(np.searchsorted(np.cumsum(mass), rng.random(size), side="right"), len(mass) - 1)


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Population(_OfCases):
    """A sample of cases from a population in which the scores are the class probabilities.

    Intervals are confidence intervals for the metric of the population. Labels are not drawn: given the score of a
    case, its label adds no information on the population.

    Parameters
    ----------
    cases : Cases
        The cases with the probabilities of their classes.

    Examples
    --------
    >>> import howsure as hs
    >>> scores = hs.calibrated([0.1, 0.4, 0.8, 0.9], target="population")
    >>> type(scores.design).__name__
    'Population'
    """

    traits: ClassVar[Traits] = replace(
        EXPECTED, has_pending_labels=False, assumes_calibrated_scores=True, has_all_cases=True
    )
    description: ClassVar[Description] = Description(
        estimate_caveat="population of these cases; assumes calibrated scores"
    )

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the sum over the cases of the square of the expected slope."""
        _, mean = self.cases.means(gradient)
        return np.asarray(self.cases.squared @ mean**2)

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return the variance at each threshold of a table of scores, of slopes by the confusion table there."""
        products = self.cases.products_from_top(thresholds)
        return np.asarray(np.einsum("tjkl,tkj,tlj->t", products, gradients, gradients))

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw cases with replacement."""
        cases = self.cases.thinned()
        share, total = cases.number / cases.total, round(cases.total)
        return _tables(cases, counts.size, size, lambda rows: rng.multinomial(total, share, rows))

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw the cases' weights from a flat Dirichlet (the Bayesian bootstrap)."""
        cases = self.cases.thinned()
        return _tables(
            cases, counts.size, size, lambda rows: rng.standard_gamma(cases.number, (rows, len(cases.number)))
        )


def _tables(cases: Cases, cells: int, size: int, weights: Callable[[int], Array]) -> Array:
    """Add up the expected tables of drawn cases, in blocks."""
    tables = cases.sparse(cells)
    drawn = np.empty((size, cells))
    step = max(1, BLOCK_CELLS // len(cases.number))
    for start in range(0, size, step):
        drawn[start : start + step] = weights(min(step, size - start)) @ tables
    return drawn

"""Designs of expected counts: cases with class probabilities instead of labels.

Two designs of the same counts have different targets. `Batch` targets the realised metric of the given cases: only
their classes are random. `Population` targets the metric of the population from which the cases were sampled: only the
cases are random, and the classes enter through their probabilities. The two variances add up to the multinomial
variance of labelled cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from howsure.designs import invariants
from howsure.designs.base import NOTHING, Design
from howsure.designs.cases import Cases
from howsure.designs.distribution import ScoreDistribution
from howsure.designs.sampling import BLOCK_CELLS, Blocks

Array = NDArray[Any]


class Expected(Design):
    """Base class of the designs of expected counts, for which no label was observed."""

    __slots__ = ()
    is_counted: ClassVar[bool] = False
    has_trials: ClassVar[bool] = False
    has_labels: ClassVar[bool] = False
    awaits_labels: ClassVar[bool] = True

    def smoothed(self, counts: Array, extra: Array) -> tuple[Array, Design]:
        """Return the counts unchanged: without variation they are certain, given the scores."""
        return counts, self

    def unit_size(self, counts: Array) -> float:
        """Return 0: counts without variation are certain, given the scores."""
        return 0.0

    def effective_trials(self, counts: Array, trials: Array) -> Array:
        """Return the expected number of cases in the marked cells."""
        return np.asarray((counts * trials).sum(-1))


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Batch(Expected):
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

    cases: Cases
    knows_chances: ClassVar[bool] = True
    trusts_scores: ClassVar[bool] = True

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.instance("cases", self.cases, Cases)
        self.cases.check(shape[-1])

    def check_sums(self, counts: Array) -> None:
        """Check that the expected counts of the cases are those of the table."""
        invariants.sums("cases", self.cases.counts(counts.shape), counts)

    @property
    def note(self) -> str:
        """Target and assumptions of the interval."""
        return "prediction for these cases; assumes calibrated scores"

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the sum over the cases of the variance of the slope at their class."""
        slopes, mean = self.cases.means(gradient)
        each = np.einsum("mk,mk->m", self.cases.probability, (slopes - mean[:, None]) ** 2)
        return np.asarray(self.cases.squared @ each)

    @property
    def least_unit(self) -> float:
        """What a case counts on average, whatever the unit of the weights."""
        return self.cases.unit

    def effective_trials(self, counts: Array, trials: Array) -> Array:
        """Return the expected number of cases in the marked cells, or their effective number."""
        return self.cases.effective_trials(counts, trials)

    def variance_from_top(self, counts: Array, slopes: Array, index: Array | None = None) -> Array:
        """Return the variance at each threshold of a table of scores, of slopes by the confusion table there."""
        gap = slopes[:, 1] - slopes[:, 0]
        return np.asarray((self.cases.products_from_top(index)[..., 0, 1] * gap**2).sum(-1))

    def merged(self, cells: Array, size: int) -> Batch:
        """Merge the cells that the cases may fall in."""
        return Batch(self.cases.merged(cells))

    def cut(self, row: int, rows: int) -> Batch:
        """Merge the cells below a row of scores, and those from it on."""
        return Batch(self.cases.cut(row))

    def lumps(self, cells: int) -> Array:
        """Return one code: draws are of the classes of the cases and do not depend on their cells."""
        return np.zeros(cells, dtype=np.intp)

    def joined(self, others: Sequence[Self]) -> Batch:
        """Put the cases of all tables together."""
        return Batch(self.cases.joined([each.cases for each in others]))

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw every case's class."""
        cases = self.cases
        drawn = np.zeros((size, counts.size))
        if cases.probability.shape[1] != 2:
            for row in range(size):
                drawn[row] = self._classes(counts.size, rng)
            return drawn
        if cases.is_binary:
            second = np.stack([start + _picked(mass, size, rng) for start, mass in cases.sums], 1)
        else:
            second = self._successes(size, rng)
        np.add.at(drawn.T, cases.cells[:, 1], second.T)
        np.add.at(drawn.T, cases.cells[:, 0], (cases.group_totals - second).T)
        return drawn

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw every case's class; the scores determine its distribution, and the prior has no effect."""
        return self.resample(counts, size, rng)

    def left_out(self, counts: Array) -> Blocks:
        """Leave out one case of each kind."""
        return self.cases.left_out(counts)

    def _successes(self, size: int, rng: np.random.Generator) -> Array:
        """Yield draws of the number of second-class cases in each group, ``(size, groups)``, in blocks."""
        cases = self.cases
        step = max(1, BLOCK_CELLS // len(cases.number))
        blocks = [self._of_second_class(min(step, size - start), rng) for start in range(0, size, step)]
        return np.concatenate(blocks)

    def _of_second_class(self, size: int, rng: np.random.Generator) -> Array:
        cases = self.cases
        second = cases.probability[:, 1]
        if (cases.number == 1).all():
            drawn = (rng.random((size, len(second))) < second).astype(float)
        else:
            drawn = rng.binomial(cases.number.astype(np.int64), second, (size, len(second))).astype(float)
        drawn *= cases.weight
        if len(cases.cells) == len(second):
            ordered = np.empty_like(drawn)
            ordered[:, cases.group] = drawn
            return ordered
        groups = len(cases.cells)
        place = groups * np.arange(size)[:, None] + cases.group
        return np.bincount(place.ravel(), drawn.ravel(), size * groups).reshape(size, groups)

    def _classes(self, cells: int, rng: np.random.Generator) -> Array:
        cases = self.cases
        edges = np.cumsum(cases.probability[:, :-1], axis=1)
        repeats = cases.number.astype(np.intp)
        if (repeats != 1).any():
            edges = np.repeat(edges, repeats, axis=0)
        drawn = (rng.random(len(edges))[:, None] >= edges).sum(1)
        weights = np.repeat(np.broadcast_to(cases.weight, repeats.shape), repeats)
        return np.bincount(cases.cells[np.repeat(cases.group, repeats), drawn], weights, cells)


def _picked(mass: Array, size: int, rng: np.random.Generator) -> Array:
    return np.minimum(np.searchsorted(np.cumsum(mass), rng.random(size), side="right"), len(mass) - 1)


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Population(Expected):
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

    cases: Cases
    awaits_labels: ClassVar[bool] = False
    trusts_scores: ClassVar[bool] = True

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.instance("cases", self.cases, Cases)
        self.cases.check(shape[-1])

    def check_sums(self, counts: Array) -> None:
        """Check that the expected counts of the cases are those of the table."""
        invariants.sums("cases", self.cases.counts(counts.shape), counts)

    @property
    def note(self) -> str:
        """Target and assumptions of the interval."""
        return "population of these cases; assumes calibrated scores"

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the sum over the cases of the square of the expected slope."""
        _, mean = self.cases.means(gradient)
        return np.asarray(self.cases.squared @ mean**2)

    @property
    def least_unit(self) -> float:
        """What a case counts on average, whatever the unit of the weights."""
        return self.cases.unit

    def effective_trials(self, counts: Array, trials: Array) -> Array:
        """Return the expected number of cases in the marked cells, or their effective number."""
        return self.cases.effective_trials(counts, trials)

    def variance_from_top(self, counts: Array, slopes: Array, index: Array | None = None) -> Array:
        """Return the variance at each threshold of a table of scores, of slopes by the confusion table there."""
        products = self.cases.products_from_top(index)
        return np.asarray(np.einsum("tjkl,tkj,tlj->t", products, slopes, slopes))

    def merged(self, cells: Array, size: int) -> Population:
        """Merge the cells that the cases may fall in."""
        return Population(self.cases.merged(cells))

    def cut(self, row: int, rows: int) -> Population:
        """Merge the cells below a row of scores, and those from it on."""
        return Population(self.cases.cut(row))

    def lumps(self, cells: int) -> Array:
        """Return one code: draws are of whole cases and do not depend on their cells."""
        return np.zeros(cells, dtype=np.intp)

    def joined(self, others: Sequence[Self]) -> Population:
        """Put the cases of all tables together."""
        return Population(self.cases.joined([each.cases for each in others]))

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

    def left_out(self, counts: Array) -> Blocks:
        """Leave out one case of each kind."""
        return self.cases.left_out(counts)


def _tables(cases: Cases, cells: int, size: int, weights: Callable[[int], Array]) -> Array:
    """Add up the expected tables of drawn cases, in blocks."""
    tables = cases.sparse(cells)
    drawn = np.empty((size, cells))
    step = max(1, BLOCK_CELLS // len(cases.number))
    for start in range(0, size, step):
        drawn[start : start + step] = weights(min(step, size - start)) @ tables
    return drawn


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Known(Expected):
    """Cases still to be drawn from a known distribution of the scores.

    Parameters
    ----------
    distribution
        The distribution of the scores; None if only the counts are needed.
    n
        Number of cases to draw; infinity stands for the distribution itself, without uncertainty.
    """

    distribution: ScoreDistribution | None
    n: float = np.inf
    knows_chances: ClassVar[bool] = True

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.number("n", self.n, 0.0, np.inf)

    @property
    def is_exact(self) -> bool:
        """Whether the number of cases is infinite, so that estimates have no uncertainty."""
        return bool(np.isinf(self.n))

    @property
    def note(self) -> str:
        """Target and assumptions of the interval."""
        if self.is_exact:
            return "exact; assumes calibrated scores of this distribution"
        return f"prediction for {self.n:,.0f} new cases; assumes calibrated scores of this distribution"

    @property
    def exact_values(self) -> Mapping[str, float]:
        """The areas under the curves of a known distribution."""
        return NOTHING if self.distribution is None else self.distribution.areas

    def cells_at(self, threshold: float) -> Array | None:
        """Return the exact cell probabilities of the confusion table at a threshold."""
        return None if self.distribution is None else self.distribution.cells(np.array(threshold))

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the multinomial variance for the known table; 0 for the distribution itself."""
        return np.asarray((counts * gradient**2).sum(-1) * counts.sum(-1) / self.n)

    def variance_from_top(self, counts: Array, slopes: Array, index: Array | None = None) -> Array:
        """Return the variance at each threshold of a table of scores, of slopes by the confusion table there."""
        above = np.zeros((len(counts) + 1, 2))
        np.cumsum(counts[::-1], 0, out=above[1:])
        total = above[-1]
        above = above if index is None else above[index]
        cells = np.stack([total - above, above], -1)
        return np.asarray((cells * slopes**2).sum((-2, -1)) * (total.sum() / self.n))

    def squares(self, counts: Array) -> Array:
        """Return the counts, scaled to the number of cases."""
        return np.asarray(counts * (counts.sum() / self.n))

    def effective_trials(self, counts: Array, trials: Array) -> Array:
        """Return the expected number of cases in the marked cells."""
        return np.asarray((counts * trials).sum(-1) / counts.sum(-1) * self.n)

    def merged(self, cells: Array, size: int) -> Known:
        """Merge cells: the result is again multinomial."""
        return Known(None, self.n)

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw scores and labels."""
        if self.is_exact:
            return np.repeat(counts.reshape(1, -1), size, axis=0)
        return rng.multinomial(int(self.n), counts.ravel() / counts.sum(), size).astype(float)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw scores and labels; a known distribution needs no prior."""
        return self.resample(counts, size, rng)

    def left_out(self, counts: Array) -> Blocks:
        """Return the table itself: there is no sampled case to leave out."""
        yield counts.reshape(1, -1), np.ones(1)

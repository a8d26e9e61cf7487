"""Designs: how the counts would vary if the study were repeated.

A design knows the variance of a linear form in the counts. Together with a metric's gradient that is the
delta method, for independent cases, weighted cases, cases in clusters, and test sets sampled class by class.

Every metric is unchanged when the counts are multiplied by a constant, so ``sum(counts * gradient) == 0``
(Euler), and no term has to be subtracted for the mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from howsure.designs.sampling import BLOCK_CELLS, Blocks, gammas, multinomial, without_one

Array = NDArray[Any]


@runtime_checkable
class Design(Protocol):
    """What every design answers; counts and gradients have the shape of the table's cells."""

    @property
    def degrees_of_freedom(self) -> float:
        """Degrees of freedom of the variance estimate; infinite where a normal quantile is right."""
        ...

    @property
    def note(self) -> str:
        """What estimates must say of counts that rest on more than counting cases; empty for counted cases."""
        ...

    @property
    def method(self) -> str:
        """Name of the method that suits every metric of such counts; empty where it depends on the metric."""
        ...

    @property
    def credible(self) -> str:
        """Kind of credible interval that draws of such counts are given, ``"hdi"`` or ``"equal_tailed"``."""
        ...

    def variance(self, counts: Array, gradient: Array) -> float:
        """Variance of ``sum(gradient * counts)``."""
        ...

    def squares(self, counts: Array) -> Array | None:
        """Sum of squared weights by cell when cells vary independently, else None."""
        ...

    def effective_trials(self, counts: Array, trials: Array) -> float:
        """Size of the simple random sample that the cells marked by ``trials`` are worth when all agree."""
        ...

    def collapsed(self, cells: Array, shape: tuple[int, ...]) -> Design | None:
        """Return the design of the table whose cell ``cells[c]`` collects cell ``c``; None if not defined."""
        ...

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Tables that a repetition of the study could have given, ``(size, cells)``."""
        ...

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Tables in proportion to draws of the cells' probabilities, ``(size, cells)``."""
        ...

    def left_out(self, counts: Array) -> Blocks:
        """Tables without one unit, ``(distinct units, cells)``, and how many units each stands for, in blocks."""
        ...


class CountedCases:
    """What the designs of counted cases have in common: there is nothing to add to what their counts say."""

    __slots__ = ()
    note: ClassVar[str] = ""
    method: ClassVar[str] = ""
    credible: ClassVar[str] = "hdi"


@dataclass(frozen=True, slots=True)
class Simple(CountedCases):
    """Independent cases: the counts are one multinomial sample.

    Examples
    --------
    >>> import numpy as np
    >>> Simple().variance(np.array([30.0, 70.0]), np.array([0.007, -0.003]))
    0.0021
    """

    degrees_of_freedom: float = field(default=np.inf, init=False)

    def variance(self, counts: Array, gradient: Array) -> float:
        """Return ``sum(counts * gradient**2)``."""
        return float(np.vdot(counts * gradient, gradient))

    def squares(self, counts: Array) -> Array:
        """Return the counts: every weight is one."""
        return counts

    def effective_trials(self, counts: Array, trials: Array) -> float:
        """Return the number of cases in the marked cells."""
        return float(counts[trials].sum())

    def collapsed(self, cells: Array, shape: tuple[int, ...]) -> Simple:  # noqa: ARG002 - the protocol's signature
        """Return itself: merging cells of a multinomial leaves a multinomial."""
        return self

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw multinomial tables: the same distribution as counting resampled rows."""
        return multinomial(counts.ravel(), size, rng)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw gamma variables, which are a Dirichlet draw up to their sum."""
        return gammas(counts.ravel() + prior.ravel(), size, rng)

    def left_out(self, counts: Array) -> Blocks:
        """Leave out one case of each non-empty cell."""
        filled = np.flatnonzero(counts)
        return without_one(counts.ravel(), filled, np.ones(len(filled)), counts.ravel()[filled])


@dataclass(frozen=True, slots=True, eq=False)
class Weighted(CountedCases):
    """Independent cases that count with a weight (survey, importance or inverse-probability weights).

    Parameters
    ----------
    weight_squared
        Sum of the squared weights by cell; the table's counts then hold the sums of the weights.
    atoms
        ``(cell, weight, number)`` of each distinct weight in each cell, for exact resampling; None when the
        weights are too many to keep.
    """

    weight_squared: Array
    atoms: tuple[Array, Array, Array] | None = None
    degrees_of_freedom: float = field(default=np.inf, init=False)

    def variance(self, counts: Array, gradient: Array) -> float:  # noqa: ARG002 - the protocol's signature
        """Return ``sum(weight_squared * gradient**2)``."""
        return float(np.vdot(self.weight_squared * gradient, gradient))

    def squares(self, counts: Array) -> Array:  # noqa: ARG002 - the protocol's signature
        """Return the sums of squared weights."""
        return self.weight_squared

    def effective_trials(self, counts: Array, trials: Array) -> float:
        """Return Kish's effective sample size, ``sum(w)**2 / sum(w**2)``."""
        return _quotient(counts[trials].sum() ** 2, self.weight_squared[trials].sum())

    def collapsed(self, cells: Array, shape: tuple[int, ...]) -> Weighted:
        """Add up the squared weights of the merged cells."""
        squared = np.bincount(cells.ravel(), self.weight_squared.ravel(), int(np.prod(shape))).reshape(shape)
        atoms = None if self.atoms is None else (cells.ravel()[self.atoms[0]], *self.atoms[1:])
        return Weighted(squared, atoms)

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw how often each distinct weight occurs.

        Where the weights were too many to keep, each cell is a Poisson number of cases of its effective weight
        ``sum(w**2) / sum(w)``, which has the right mean and variance.
        """
        drawn = np.zeros((size, counts.size))
        if self.atoms is None:
            weight, number = self._typical(counts.ravel())
            return np.asarray(rng.poisson(number, (size, counts.size)) * weight)
        cell, weight, number = self.atoms
        order = np.argsort(cell, kind="stable")
        sampled = multinomial(number[order], size, rng) * weight[order]
        filled, starts = np.unique(cell[order], return_index=True)
        drawn[:, filled] = np.add.reduceat(sampled, starts, axis=1)
        return drawn

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw gamma variables with the cells' sums of weights as means and sums of squared weights as variances."""
        weight, number = self._typical(counts.ravel())
        mean = self.weight_squared.sum() / counts.sum()
        prior_weight = np.where(number > 0, weight, mean)
        return gammas(number + prior.ravel(), size, rng) * prior_weight

    def left_out(self, counts: Array) -> Blocks:
        """Leave out one case of each distinct weight in each cell."""
        return without_one(counts.ravel(), *self.units(counts))

    def units(self, counts: Array) -> tuple[Array, Array, Array]:
        """Return the cell, weight and number of cases of each distinct weight (of each cell's effective one)."""
        if self.atoms is not None:
            return self.atoms
        weight, number = self._typical(counts.ravel())
        filled = np.flatnonzero(number)
        return filled, weight[filled], number[filled]

    def _typical(self, counts: Array) -> tuple[Array, Array]:
        """Effective weight and effective number of cases of each cell."""
        squared = self.weight_squared.ravel()
        weight = np.divide(squared, counts, out=np.zeros(counts.size), where=counts > 0)
        number = np.divide(counts**2, squared, out=np.zeros(counts.size), where=squared > 0)
        return weight, number


@dataclass(frozen=True, slots=True)
class FixedMargins(CountedCases):
    """A test set sampled class by class: the number of cases of each true class is fixed by design.

    Parameters
    ----------
    axis
        The axis of the truth: 0 in a confusion table, 1 in a table of scores.
    """

    axis: int = 0
    degrees_of_freedom: float = field(default=np.inf, init=False, repr=False)

    def variance(self, counts: Array, gradient: Array) -> float:
        """Return the sum of the multinomial variances within the true classes."""
        return self._strata(counts).variance(counts, gradient)

    def squares(self, counts: Array) -> None:
        """Return None: cells of one row vary together."""

    def effective_trials(self, counts: Array, trials: Array) -> float:
        """Return the number of cases in the marked cells."""
        return float(counts[trials].sum())

    def collapsed(self, cells: Array, shape: tuple[int, ...]) -> None:
        """Return None: merging rows loses which totals were fixed."""

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw a multinomial within each true class."""
        return self._strata(counts).resample(counts, size, rng)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw a Dirichlet within each true class, scaled to the class's fixed total."""
        return self._strata(counts).posterior(counts, prior, size, rng)

    def left_out(self, counts: Array) -> Blocks:
        """Leave out one case of each non-empty cell, and weight its class up to the fixed total again."""
        return self._strata(counts).left_out(counts)

    def _strata(self, counts: Array) -> Strata:
        return Strata(np.indices(counts.shape, sparse=True)[self.axis] + np.zeros(counts.shape, dtype=np.intp))


@dataclass(frozen=True, slots=True, eq=False)
class Strata(CountedCases):
    """A test set sampled stratum by stratum: the number of cases of each is fixed by design.

    Parameters
    ----------
    stratum
        Stratum of each cell, 0 … S−1.
    """

    stratum: Array
    degrees_of_freedom: float = field(default=np.inf, init=False, repr=False)

    def variance(self, counts: Array, gradient: Array) -> float:
        """Return the sum of the multinomial variances within the strata."""
        weights, slopes = counts.ravel(), gradient.ravel()
        totals = self._sums(weights)
        mean = np.divide(self._sums(weights * slopes), totals, out=np.zeros(len(totals)), where=totals > 0)
        return float(np.vdot(weights, (slopes - mean[self.stratum.ravel()]) ** 2))

    def squares(self, counts: Array) -> None:
        """Return None: cells of one stratum vary together."""

    def effective_trials(self, counts: Array, trials: Array) -> float:
        """Return the number of cases in the marked cells."""
        return float(counts[trials].sum())

    def collapsed(self, cells: Array, shape: tuple[int, ...]) -> None:
        """Return None: merging cells loses which totals were fixed."""

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw a multinomial within each stratum."""
        drawn = np.zeros((counts.size, size)).T
        for cells in self._members():
            drawn[:, cells] = multinomial(counts.ravel()[cells], size, rng)
        return drawn

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw a Dirichlet within each stratum, scaled to its fixed total."""
        return self._scaled(gammas(counts.ravel() + prior.ravel(), size, rng), counts)

    def left_out(self, counts: Array) -> Blocks:
        """Leave out one case of each non-empty cell, and weight its stratum up to the fixed total again."""
        for tables, number in Simple().left_out(counts):
            yield self._scaled(tables, counts), number

    def _sums(self, cells: Array) -> Array:
        return np.bincount(self.stratum.ravel(), cells)

    def _members(self) -> list[Array]:
        order = np.argsort(self.stratum.ravel(), kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.stratum.ravel()))[:-1])

    def _scaled(self, drawn: Array, counts: Array) -> Array:
        """Scale each stratum of drawn tables, ``(size, cells)``, to its fixed total."""
        for cells, total in zip(self._members(), self._sums(counts.ravel()), strict=True):
            sums = drawn[:, cells].sum(-1, keepdims=True)
            drawn[:, cells] *= np.divide(total, sums, out=np.zeros(sums.shape), where=sums > 0)
        return drawn


@dataclass(frozen=True, slots=True)
class Separate(CountedCases):
    """Test sets that vary independently of each other, their cells side by side.

    Parameters
    ----------
    parts
        Design of each test set.
    shapes
        Shape of each one's cells.
    """

    parts: tuple[Design, ...]
    shapes: tuple[tuple[int, ...], ...]

    @property
    def degrees_of_freedom(self) -> float:
        """Return the smallest of the parts': cautious where they differ."""
        return min(part.degrees_of_freedom for part in self.parts)

    def variance(self, counts: Array, gradient: Array) -> float:
        """Return the sum of the parts' variances."""
        pairs = zip(self.parts, self.split(counts), self.split(gradient), strict=True)
        return sum(part.variance(cells, slopes) for part, cells, slopes in pairs)

    def squares(self, counts: Array) -> Array | None:
        """Return the parts' squares, where all have some."""
        found = [part.squares(cells) for part, cells in zip(self.parts, self.split(counts), strict=True)]
        known = [each.ravel() for each in found if each is not None]
        return np.concatenate(known) if len(known) == len(found) else None

    def effective_trials(self, counts: Array, trials: Array) -> float:
        """Return the sum of the parts'."""
        pairs = zip(self.parts, self.split(counts), self.split(trials), strict=True)
        return sum(part.effective_trials(cells, marked) for part, cells, marked in pairs)

    def collapsed(self, cells: Array, shape: tuple[int, ...]) -> None:
        """Return None: cells of different test sets do not merge."""

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw each test set on its own."""
        pairs = zip(self.parts, self.split(counts), strict=True)
        return np.hstack([part.resample(cells, size, rng) for part, cells in pairs])

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw the posterior of each test set on its own."""
        pairs = zip(self.parts, self.split(counts), self.split(prior), strict=True)
        return np.hstack([part.posterior(cells, extra, size, rng) for part, cells, extra in pairs])

    def left_out(self, counts: Array) -> Blocks:
        """Leave out one unit of one of the test sets."""
        start = 0
        for part, cells in zip(self.parts, self.split(counts), strict=True):
            for tables, number in part.left_out(cells):
                whole = np.repeat(counts.reshape(1, -1).astype(float), len(tables), axis=0)
                whole[:, start : start + cells.size] = tables
                yield whole, number
            start += cells.size

    def split(self, cells: Array) -> list[Array]:
        """Return the cells of each test set, in its shape."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        parts = np.split(cells.ravel(), ends[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Clusters(CountedCases):
    """Cases that come in groups and vary together: images of one patient, sentences of one document.

    The table of each cluster is kept in sparse form: entry ``e`` says that cluster ``cluster[e]`` has
    ``count[e]`` (summed weights) in cell ``cell[e]``. Clusters whose tables are identical may be kept once,
    with their ``multiplicity``.
    """

    cluster: Array
    cell: Array
    count: Array
    multiplicity: Array

    @property
    def number(self) -> int:
        """How many clusters there are."""
        return int(self.multiplicity.sum())

    @property
    def degrees_of_freedom(self) -> float:
        """Return the number of clusters less one."""
        return float(self.number - 1)

    def totals(self, gradient: Array) -> Array:
        """Sum of ``gradient * counts`` within each distinct cluster."""
        return np.bincount(self.cluster, self.count * gradient.ravel()[self.cell], len(self.multiplicity))

    def variance(self, counts: Array, gradient: Array) -> float:  # noqa: ARG002 - the protocol's signature
        """Return ``G / (G - 1) * sum over clusters of sum(counts * gradient)**2``; nan for a single cluster."""
        if self.number < 2:  # noqa: PLR2004 - a variance needs two
            return float("nan")
        correction = self.number / (self.number - 1)
        return float(correction * np.vdot(self.multiplicity, self.totals(gradient) ** 2))

    def squares(self, counts: Array) -> None:
        """Return None: cells vary together."""

    def effective_trials(self, counts: Array, trials: Array) -> float:
        """Return Kish's effective number of clusters: all cases of a cluster are taken to agree."""
        sizes = self.totals(trials.astype(float))
        return _quotient(counts[trials].sum() ** 2, np.vdot(self.multiplicity, sizes**2))

    def collapsed(self, cells: Array, shape: tuple[int, ...]) -> Clusters:  # noqa: ARG002 - the protocol's signature
        """Relabel the cells."""
        return Clusters(self.cluster, cells.ravel()[self.cell], self.count, self.multiplicity)

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw whole clusters with replacement."""
        if len(self.multiplicity) < self.number:
            chosen = multinomial(self.multiplicity, size, rng)
        else:
            picks = rng.integers(self.number, size=(size, self.number))
            picks += self.number * np.arange(size)[:, None]
            chosen = np.bincount(picks.ravel(), minlength=size * self.number).reshape(size, -1).astype(float)
        return self._tables(chosen, counts.size)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw the clusters' weights from a flat Dirichlet (the Bayesian bootstrap), and add the prior's cells."""
        chosen = gammas(self.multiplicity, size, rng)
        extra = gammas(prior.ravel(), size, rng) if prior.any() else 0.0
        return self._tables(chosen, counts.size) + extra

    def left_out(self, counts: Array) -> Blocks:
        """Leave out one cluster of each distinct kind."""
        tables = self._sparse(counts.size)
        step = max(1, BLOCK_CELLS // counts.size)
        for start in range(0, len(self.multiplicity), step):
            yield (
                counts.reshape(1, -1) - tables[start : start + step].toarray(),
                self.multiplicity[start : start + step],
            )

    def _tables(self, chosen: Array, cells: int) -> Array:
        """Add up the tables of the chosen clusters."""
        return np.asarray(chosen @ self._sparse(cells))

    def _sparse(self, cells: int) -> Any:
        """Return the clusters' tables as one sparse matrix, ``(distinct clusters, cells)``."""
        from scipy import sparse

        shape = (len(self.multiplicity), cells)
        return sparse.csr_array((self.count, (self.cluster, self.cell)), shape=shape)


def _quotient(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else 0.0

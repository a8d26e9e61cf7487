"""Design of counts that are estimated from other counts: corrected, imputed or calibrated counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.base import Design, safe_divide
from howsure.designs.independent import Independent
from howsure.designs.refit import Refit, Refittable
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import Blocks
from howsure.designs.traits import ESTIMATED, Description, Traits
from howsure.designs.variance_details import VarianceDetails

Draws = Callable[[Array, int, np.random.Generator], Array]  # (prior, size, rng) -> (size, cells)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One of the independent samples that a table was estimated from.

    Parameters
    ----------
    counts : ndarray of shape (observed cells,)
        Number of cases in each observed cell.
    influence : ndarray or sparse array of shape (observed cells, cells)
        Effect of one more case in each observed cell on each cell of the table.
    design : Design
        Design of the observed counts; their total is taken as given.
    """

    counts: Array
    influence: Any
    design: Design = field(default_factory=Independent)

    def check(self, cells: int) -> None:
        """Check the observed counts and their influence on this number of cells."""
        invariants.numbers("counts", self.counts, (None,))
        observed = len(self.counts)
        if hasattr(self.influence, "check"):
            self.influence.check(observed)
        else:
            invariants.sparse("influence", self.influence, (observed, cells))
        invariants.instance("design", self.design, Design)
        self.design.check((observed,))

    def slopes(self, gradient: Array) -> Array:
        """Return the effect of one more case in each observed cell on ``sum(gradient * table)``, ``(..., cells)``."""
        return np.asarray((self.influence @ gradient.reshape(-1, gradient.shape[-1]).T).T).reshape(
            *gradient.shape[:-1], self.counts.size
        )

    def variance(self, gradient: Array) -> Array:
        """Return the contribution of this sample to the variance of ``sum(gradient * table)``."""
        slopes = self.slopes(gradient)
        centred = slopes - np.average(slopes, weights=np.broadcast_to(self.counts, slopes.shape), axis=-1)[..., None]
        return self.design.variance(self.counts, centred)

    def deviations(self, observed: Array) -> Array:
        """Return the change of the table for other observed counts, both ``(size, cells)``."""
        total = observed.sum(1, keepdims=True)
        scale = np.divide(self.counts.sum(), total, out=np.ones(total.shape), where=total > 0)
        return np.asarray((observed * scale - self.counts) @ self.influence)


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Linearised(VarianceDetails, Resampling, Refittable):
    """Counts estimated as a smooth function of independent samples.

    A change of the samples changes the table by ``sum(influence * change)`` to first order. Variances, resamples and
    jackknife tables use this approximation. Negative counts in a resample are set to zero.

    Parameters
    ----------
    samples : tuple of Sample
        The samples, each with its influence on the table.
    centre : ndarray of shape (cells,)
        The estimated counts before negative ones are set to zero.
    draws : callable, optional
        ``(prior, size, rng)`` → posterior tables from a model. The default propagates the posterior of each sample to
        the table to first order.
    note : str
        Caveat attached to every estimate; empty if there is none.
    estimates_shares : bool
        Whether the class frequencies are estimates, which may be close to 0.
    refit : Refit, optional
        The samples as multinomials and the table as a function of their counts, if that is known.
    """

    samples: tuple[Sample, ...]
    centre: Array
    draws: Draws | None = None
    note: str = ""
    estimates_shares: bool = False
    refit: Refit | None = None

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.numbers("centre", self.centre, shape, -invariants.LARGEST)
        invariants.parts("samples", self.samples, Sample)
        for each in self.samples:
            each.check(shape[-1])
        invariants.instance("note", self.note, str)
        check_draws(self.draws, shape[-1])

    def check_sums(self, counts: Array) -> None:
        """Check that the entries of each sample's design add up to the sample's counts."""
        for each in self.samples:
            each.design.check_sums(each.counts)

    @property
    def traits(self) -> Traits:
        """Properties of estimated counts."""
        return replace(ESTIMATED, has_estimated_prevalence=self.estimates_shares)

    @property
    def description(self) -> Description:
        """The note."""
        return Description(estimate_caveat=self.note)

    @property
    def degrees_of_freedom(self) -> float:
        """Smallest degrees of freedom among the samples."""
        return min(float(sample.design.degrees_of_freedom) for sample in self.samples)

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the sum of the samples' variances."""
        return np.asarray(sum(sample.variance(gradient) for sample in self.samples))

    def satterthwaite_df(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return the degrees of freedom of the sum of variances (Welch, Satterthwaite); each sample is one class."""
        own = [(sample.counts, sample.slopes(gradient)) for sample in self.samples]
        centred = [each - safe_divide(seen @ each.T, seen.sum())[..., None] for seen, each in own]
        parts = [
            (
                sample.variance(gradient),
                VarianceDetails.of(sample.design).satterthwaite_df(seen, np.zeros(seen.size, dtype=int), each),
            )
            for sample, (seen, _), each in zip(self.samples, own, centred, strict=True)
        ]
        total = np.asarray(sum(variance for variance, _ in parts))
        lost = np.asarray(sum(safe_divide(variance**2, degrees_of_freedom) for variance, degrees_of_freedom in parts))
        return np.where(lost > 0, safe_divide(total**2, lost), np.inf)

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return Kish's size: the squared total of the cells divided by its variance under Poisson sampling."""
        selected = np.broadcast_to(np.asarray(cells, dtype=float), counts.shape)
        square = sum(sample.design.variance(sample.counts, sample.slopes(selected)) for sample in self.samples)
        return safe_divide((counts * selected).sum(-1) ** 2, np.asarray(square))

    def collapse_cells(self, codes: Array, size: int) -> Linearised:
        """Add up the influences on the merged cells."""
        merge = np.zeros((len(codes), size))
        merge[np.arange(len(codes)), codes] = 1.0
        samples = tuple(replace(sample, influence=sample.influence @ merge) for sample in self.samples)
        draws = self.draws and MergedDraws(self.draws, merge)
        refit = self.refit and self.refit.merged(codes, size)
        return Linearised(samples, self.centre @ merge, draws, self.note, self.estimates_shares, refit)

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Resample each sample, and propagate the change to the table."""
        drawn = self.centre + sum(
            sample.deviations(Resampling.of(sample.design).resample(sample.counts, size, rng))
            for sample in self.samples
        )
        return np.maximum(drawn, 0.0)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw from the model if there is one, else from each sample's posterior, and add draws of the prior."""
        if self.draws is not None:
            return self.draws(prior, size, rng)
        drawn = self.centre + sum(
            sample.deviations(
                Resampling.of(sample.design).posterior(sample.counts, np.zeros(sample.counts.size), size, rng)
            )
            for sample in self.samples
        )
        worth = counts.sum() / max(self.effective_sample_size(counts, np.ones(counts.shape, bool)), 1.0)
        return np.asarray(np.maximum(drawn, 0.0) + rng.standard_gamma(prior, (size, prior.size)) * worth)

    def leave_one_out(self, counts: Array) -> Blocks:
        """Leave out one unit of each sample."""
        for sample in self.samples:
            for observed, number in Resampling.of(sample.design).leave_one_out(sample.counts):
                yield np.maximum(self.centre + sample.deviations(observed), 0.0), number


@final
@dataclass(frozen=True, slots=True, eq=False)
class MergedDraws:
    """Draws of merged cells; the prior of a merged cell is spread evenly over its parts.

    Parameters
    ----------
    draws : callable
        Draws of the parts.
    merge : ndarray of shape (cells, merged cells)
        1 where a cell is a part of a merged one.
    """

    draws: Draws
    merge: Array

    def check(self, cells: int) -> None:
        """Check the number of merged cells and the draws of their parts."""
        invariants.numbers("merge", self.merge, (None, cells), 0.0, 1.0)
        check_draws(self.draws, len(self.merge))

    def __call__(self, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Return drawn tables."""
        spread = self.merge @ (prior / np.maximum(self.merge.sum(0), 1.0))
        return np.asarray(self.draws(spread, size, rng) @ self.merge)


def check_draws(draws: Draws | None, cells: int) -> None:
    """Check the number of cells of the draws, if their source has a check."""
    if draws is not None and not callable(draws):
        invariants.refuse("`draws` must be a function.")
    source: Any = getattr(draws, "__self__", draws)
    if hasattr(source, "check"):
        source.check(cells)

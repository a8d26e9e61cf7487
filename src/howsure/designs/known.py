"""Design of cases that are still to be drawn from a known distribution of the scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.base import DesignProtocol
from howsure.designs.distribution import ScoreDistribution
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import Blocks
from howsure.designs.traits import EXPECTED, Description, Traits
from howsure.designs.variance_details import VarianceDetails

NO_VALUES: Mapping[str, float] = MappingProxyType({})


class KnownProbabilities(DesignProtocol):
    """Designs with known class probabilities, for which some values are exact."""

    __slots__ = ()

    @property
    def known_metric_values(self) -> Mapping[str, float]:
        """Exact values of metrics of scores, by name."""
        return NO_VALUES

    def known_cells_at(self, threshold: float) -> Array | None:
        """Return the exact cell probabilities of the confusion table at a threshold, if they are known."""
        return None


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Known(VarianceDetails, Resampling, KnownProbabilities):
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

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.number("n", self.n, 0.0, np.inf)

    @property
    def traits(self) -> Traits:
        """Properties of expected counts; exact if the number of cases is infinite."""
        return replace(EXPECTED, has_known_probabilities=True, is_exact=bool(np.isinf(self.n)))

    @property
    def description(self) -> Description:
        """Target and assumptions of the interval."""
        target = "exact" if self.traits.is_exact else f"prediction for {self.n:,.0f} new cases"
        return Description(estimate_caveat=f"{target}; assumes calibrated scores of this distribution")

    @property
    def known_metric_values(self) -> Mapping[str, float]:
        """The areas under the curves of a known distribution."""
        return NO_VALUES if self.distribution is None else self.distribution.areas

    def known_cells_at(self, threshold: float) -> Array | None:
        """Return the exact cell probabilities of the confusion table at a threshold."""
        return None if self.distribution is None else self.distribution.cells(np.array(threshold))

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the multinomial variance for the known table; 0 for the distribution itself."""
        return np.asarray((counts * gradient**2).sum(-1) * counts.sum(-1) / self.n)

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return the variance at each threshold of a table of scores, of slopes by the confusion table there."""
        above = np.zeros((len(counts) + 1, 2))
        np.cumsum(counts[::-1], 0, out=above[1:])
        total = above[-1]
        above = above if thresholds is None else above[thresholds]
        cells = np.stack([total - above, above], -1)
        return np.asarray((cells * gradients**2).sum((-2, -1)) * (total.sum() / self.n))

    def squared_weights(self, counts: Array) -> Array:
        """Return the counts, scaled to the number of cases."""
        return np.asarray(counts * (counts.sum() / self.n))

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return the expected number of cases in the marked cells."""
        return np.asarray((counts * cells).sum(-1) / counts.sum(-1) * self.n)

    def collapse_cells(self, codes: Array, size: int) -> Known:
        """Merge cells: the result is again multinomial."""
        return Known(None, self.n)

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw scores and labels."""
        if self.traits.is_exact:
            return np.repeat(counts.reshape(1, -1), size, axis=0)
        return rng.multinomial(int(self.n), counts.ravel() / counts.sum(), size).astype(float)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw scores and labels; a known distribution needs no prior."""
        return self.resample(counts, size, rng)

    def leave_one_out(self, counts: Array) -> Blocks:
        """Return the table itself: there is no sampled case to leave out."""
        yield counts.reshape(1, -1), np.ones(1)

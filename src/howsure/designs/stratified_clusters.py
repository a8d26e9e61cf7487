"""Sampling design of clusters that are drawn within strata of unknown size, as in most public survey files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import RELATIVE_TOLERANCE, Design, safe_divide
from howsure.designs.cell_sums import added_up
from howsure.designs.clustering import Clustering
from howsure.designs.clusters import FEW, Clusters
from howsure.designs.entries import threshold_squares
from howsure.designs.sampling import Blocks
from howsure.designs.stratified_text import caveat_of_single
from howsure.designs.traits import Description, Traits
from howsure.designs.units import Units

WITHIN_STRATA = Traits(has_strata=True)


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StratifiedClusters(Clusters):
    """Clusters, or single cases, that are drawn with replacement within strata of unknown size.

    The number of clusters of each stratum is fixed, and the weights of cases are theirs alone: this is the design of
    `svydesign(ids = ~psu, strata = ~stratum, weights = ~w)` of R's survey. Clusters without a case in the table, such
    as those outside a domain, are stored without entries and count in the number of their stratum.

    Parameters
    ----------
    cluster, cell, count, multiplicity, owner, shape, labels_per_case, case_weight, names, unit
        As in `Clusters`; a cluster is a case if there are no ``groups``.
    stratum : ndarray of shape (clusters,)
        Stratum of each distinct cluster.
    strata : tuple
        Names of the strata.
    degrees : float or ndarray of shape (...)
        Clusters minus strata, among the strata with cases; at most the number of clusters with cases minus 1.

    Examples
    --------
    >>> import howsure as hs
    >>> columns = {"groups": ["a", "a", "b", "c", "d"], "strata": ["north", "north", "north", "south", "south"]}
    >>> table = hs.confusion([1, 0, 1, 0, 1], [1, 0, 0, 0, 1], **columns)
    >>> table.design.description.sample, float(table.design.degrees_of_freedom)
    ('in 4 clusters of 2 strata', 2.0)
    """

    stratum: Array = field(kw_only=True)
    strata: tuple[Any, ...] = field(kw_only=True)
    degrees: Any = field(kw_only=True)

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        Clusters.check(self, shape)  # `slots=True` replaces the class: no bare super()
        invariants.parts("strata", self.strata, object)
        invariants.positions("stratum", self.stratum, self.multiplicity.shape, len(self.strata))
        invariants.numbers("degrees", np.asarray(self.degrees), np.shape(self.degrees))

    @property
    def traits(self) -> Traits:
        """Clusters are drawn within strata."""
        return WITHIN_STRATA

    @property
    def description(self) -> Description:
        """Text on the number of clusters and strata, on strata with a single cluster and, if applicable, on few."""
        strata = f"{len(self.strata):,} {'stratum' if len(self.strata) == 1 else 'strata'}"
        noun = "cluster" if self.unit_names is not None or len(self.cell) > len(self.multiplicity) else "case"
        sample = f"in {np.sum(self.number):,} clusters of {strata}" if noun == "cluster" else f"from {strata}"
        few = " So few make the intervals themselves uncertain." if np.min(self.degrees) < FEW - 1 else ""
        is_weighted = (np.asarray(self.case_weight) != 1).any()
        count = "cases count by their weights" if is_weighted else "each case counts once, in proportion to the sample"
        own = f"The cases come {sample} of unknown size: {noun}s were drawn within strata, and {count}.{few}"
        single = [str(name) for name, number in zip(self.strata, self._numbers.min(0), strict=True) if number < 2]
        return Description(sample, caveats=(own, *caveat_of_single(single, noun)))

    @property
    def degrees_of_freedom(self) -> Any:
        """The number of clusters minus the number of strata, among the strata with cases, and at least 1."""
        return np.maximum(self.degrees, 1.0)

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the sum over strata of ``n / (n - 1)`` times the squared deviations of the clusters' totals.

        The deviation of a single cluster in a stratum is from the mean of all, which is 0.
        """
        return np.asarray(self._variances(np.broadcast_to(gradient, counts.shape)).sum(-1))

    def small_sample_correction(self, counts: Array, gradient: Array) -> tuple[Any, Any]:
        """Return the inflation factor of clusters, and the smaller of their degrees of freedom and Satterthwaite's."""
        inflation, freedom = Clusters.small_sample_correction(self, counts, gradient)
        return inflation, np.minimum(freedom, self._welch(np.broadcast_to(gradient, counts.shape)))

    def heavy_case_inflation(self, effect: Array) -> Array:
        """Return 1 for several strata: their variance is smaller than that of one sample with the same weights."""
        return np.ones(np.shape(effect)) if len(self.strata) > 1 else Clusters.heavy_case_inflation(self, effect)

    def satterthwaite_df(self, counts: Array, true_class: Array, gradient: Array) -> Any:
        """Return Satterthwaite's degrees of freedom, where the kurtosis of its totals limits those of a stratum."""
        form = np.broadcast_to(gradient, counts.shape)
        square, fourth = (self._sums(self._deviations(self.totals(form)) ** power) for power in (2, 4))
        return self._welch(form, np.where(fourth > 0, safe_divide(2 * square**2, fourth), np.inf))

    def placement_variance(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return the variance within strata, with the small-sample factor of Obuchowski's variance of clusters."""
        plain = Clusters.variance(self, counts, gradient)
        whole = Clusters.placement_variance(self, counts, true_class, gradient)
        return np.asarray(self.variance(counts, gradient) * np.where(plain == 0, 1.0, safe_divide(whole, plain)))

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return the variance at each threshold: the squares of the clusters minus those of the strata's means."""
        numbers = self._numbers[0]
        entries = self.cluster, self.cell, self.count, self.multiplicity * self._factors[0][self.stratum]
        means = np.where(numbers > 1, safe_divide(self._factors[0], numbers), 0.0)
        whole = self.stratum[self.cluster], self.cell, self.count * self.multiplicity[self.cluster], means
        squares, less = (threshold_squares(each, len(counts), gradients, thresholds) for each in (entries, whole))
        return np.asarray(np.maximum(squares - less, 0.0))

    # Refused: a part of a sample lacks the numbers of clusters of its strata, and a table of units would lose them.
    add_tables = Algebra.add_tables  # type: ignore[assignment]  # it never returns
    unit_tables = Clustering.unit_tables

    def stack_tables(self, others: Sequence[Self], size: int) -> StratifiedClusters:
        """Put the clusters of all tables side by side."""
        designs: list[Self] = [self, *others]
        if any(each.strata != self.strata for each in designs):
            Algebra.stack_tables(self, others, size)
        stacked = Clusters.stack_tables(self, others, size)
        return within_strata(stacked, np.concatenate([each.stratum for each in designs]), self.strata)

    def collapse_cells_per_table(self, codes: Array, size: int) -> StratifiedClusters:
        """Relabel the cells of each table; every table has all clusters."""
        found = Clusters.collapse_cells_per_table(self, codes, size)
        return within_strata(found, np.tile(self.stratum, len(codes)), self.strata, np.full(len(codes), self.degrees))

    def keep_cells(self, selected: Array, position: Array) -> StratifiedClusters:
        """Return the clusters restricted to the selected cells; cell ``c`` becomes ``position[c]``."""
        found = Clusters.keep_cells(self, selected, position)
        return within_strata(found, self.stratum, self.strata, self.degrees)

    def select_table(self, index: int) -> StratifiedClusters:
        """Return the clusters of one table of a batch."""
        if self.owner is None:
            return self
        first, last = np.searchsorted(self.owner, [index, index + 1])
        found, degrees = Clusters.select_table(self, index), float(self.degrees[index])
        return within_strata(found, self.stratum[first:last], self.strata, degrees)

    def influence_functions(self, counts: Array, gradient: Array) -> tuple[Array, Array]:
        """Return the deviation of each distinct cluster from its stratum, with its factor, and its multiplicity."""
        deviations = self._deviations(self.totals(np.broadcast_to(gradient, counts.shape)))
        return deviations * np.sqrt(self._factors.ravel()[self._places]), self.multiplicity

    def exchangeable_units(self, counts: Array) -> Units:
        """Return the clusters of each stratum, of which one fewer is drawn (Rao and Wu 1988)."""
        order = np.argsort(self.stratum, kind="stable")
        kind = np.empty(len(order), dtype=np.intp)
        kind[order] = np.arange(len(order))
        numbers = np.rint(self._numbers[0]).astype(int)
        drawn = tuple(zip(numbers.tolist(), np.maximum(numbers - 1, 1).tolist(), strict=True))
        count = self.count * self._factors[0][self.stratum[self.cluster]]
        return Units(kind[self.cluster], self.cell, count, self.multiplicity[order].astype(np.intp), drawn)

    def chosen(self, size: int, rng: np.random.Generator) -> Array:
        """Draw n − 1 of the n clusters of each stratum, and return their weights, ``(size, distinct clusters)``."""
        fewer = np.maximum(np.rint(self._numbers[0]).astype(int) - 1, 1)
        return np.asarray(self._drawn(fewer, size, rng) * self._factors[0][self.stratum])

    def simulate_studies(
        self, counts: Array, scale: float, size: int, rng: np.random.Generator
    ) -> tuple[Array, Design]:
        """Draw whole clusters within strata, at least two from each that has several."""
        numbers = np.rint(scale * self._numbers[0]).astype(int)
        times = self._drawn(np.maximum(numbers, np.minimum(self._numbers[0], 2).astype(int)), size, rng)
        sums, found = self.studies(counts, times)
        return sums, within_strata(found, self.stratum[np.nonzero(times)[1]], self.strata)

    def exponential_tilt(self, counts: Array, log_factors: Array) -> tuple[Array, Design]:
        """Multiply the number of clusters of each distinct kind; their number in each stratum stays."""
        moved = self.multiplicity * np.exp(self.totals(log_factors))
        moved *= safe_divide(self._numbers[0], np.bincount(self.stratum, moved, len(self.strata)))[self.stratum]
        sums = np.bincount(self.cell, self.count * moved[self.cluster], counts.size)
        return sums, replace(self, multiplicity=moved)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw the weights of the n clusters of each stratum from a Dirichlet, and add the prior's cells.

        Its parameters are (n − 2) / n, which give the draws the variance of the design. For two clusters their limit
        0 chooses one of them, as in a half-sample.
        """
        numbers = self._numbers[0]
        shape = (np.maximum(numbers - 2, 0.0) / numbers)[self.stratum] * self.multiplicity
        is_pair = (numbers <= 2)[self.stratum]

        def weights(draws: int) -> Array:
            gammas = rng.standard_gamma(shape, (draws, len(shape)))
            totals = added_up(gammas, self.stratum, len(numbers))[:, self.stratum]
            return np.where(is_pair, self.chosen(draws, rng), safe_divide(gammas, totals) * numbers[self.stratum])

        drawn = self.weighted_sums(counts.size, size, weights)
        return np.asarray(drawn + self.pseudo_draws(counts, prior, size, rng))

    def leave_one_out(self, counts: Array) -> Blocks:
        """Yield tables moved away from one cluster, towards the others of its stratum.

        The jackknife variance of all units, with N the number of clusters, is then the variance of the design: the
        deviation of a cluster from the mean of its stratum is subtracted √(n / (n − 1) · N / (N − 1)) times.
        """
        total, numbers = float(self.number), self._numbers[0]
        several = (numbers > 1) / numbers
        means = np.zeros((len(self.strata), counts.size))
        np.add.at(means, (self.stratum[self.cluster], self.cell), self.count * self.multiplicity[self.cluster])
        means *= several[:, None]
        scale = np.sqrt(self._factors[0] * total / max(total - 1, 1.0))
        place = 0
        for tables, number in Clusters.leave_one_out(self, counts):
            of = self.stratum[place : place + len(tables)]
            moved = counts.reshape(1, -1) - scale[of, None] * (counts.reshape(1, -1) - tables - means[of])
            yield np.maximum(moved, 0.0), number
            place += len(tables)

    @property
    def _places(self) -> Array:
        """Position of each distinct cluster's stratum among those of all tables."""
        return self.stratum if self.owner is None else self.owner * len(self.strata) + self.stratum

    def _sums(self, values: Array) -> Array:
        """Sum values of the distinct clusters, times their multiplicity, for each table and stratum."""
        tables, strata = 1 if self.owner is None else self.shape[0], len(self.strata)
        return np.bincount(self._places, self.multiplicity * values, tables * strata).reshape(tables, strata)

    @property
    def _numbers(self) -> Array:
        """Number of clusters of each stratum, ``(tables, strata)``."""
        return self._sums(np.ones(len(self.multiplicity)))

    @property
    def _factors(self) -> Array:
        """``n / (n - 1)`` for each stratum, and 1 for a single cluster, ``(tables, strata)``."""
        numbers = self._numbers
        return np.where(numbers > 1, safe_divide(numbers, numbers - 1), 1.0)

    def _deviations(self, totals: Array) -> Array:
        """Return the deviations of the clusters' totals from the mean of their stratum."""
        numbers = self._numbers
        means = np.where(numbers > 1, safe_divide(self._sums(totals), numbers), 0.0)
        away = totals - means.ravel()[self._places]
        return np.where(np.abs(away) > RELATIVE_TOLERANCE * np.abs(totals).max(initial=0.0), away, 0.0)

    def _variances(self, gradient: Array) -> Array:
        """Return the variance of a linear form within each stratum: ``(strata,)``, or ``(tables, strata)``."""
        found = self._factors * self._sums(self._deviations(self.totals(gradient)) ** 2)
        return found[0] if self.owner is None else found

    def _welch(self, gradient: Array, most: Any = np.inf) -> Array:
        """Return Satterthwaite's degrees of freedom of the sum of the strata's variances.

        They are the squared sum of the variances divided by the sum of ``V**2 / d``, where a stratum has d = n − 1, or
        ``most`` if that is smaller. Both are estimated without bias for normal totals, whose V̂² exceeds V² by the
        factor ``1 + 2 / d`` on average.
        """
        variances = self._variances(gradient).reshape(-1, len(self.strata))
        own = np.maximum(np.minimum(self._numbers - 1, most), 1.0)
        squares = (variances**2 / (own + 2)).sum(-1)
        found = np.maximum(safe_divide(variances.sum(-1) ** 2, squares) - 2, 1.0)
        found = np.where(squares > 0, np.minimum(found, self.degrees_of_freedom), self.degrees_of_freedom)
        return np.asarray(found if self.owner is not None else found[0])

    def _drawn(self, numbers: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw a number of clusters of each stratum, and return how often each, ``(size, distinct clusters)``."""
        drawn = np.zeros((size, len(self.multiplicity)))
        order = np.argsort(self.stratum, kind="stable")
        ends = np.cumsum(np.bincount(self.stratum, minlength=len(self.strata)))[:-1]
        for number, some in zip(numbers.tolist(), np.split(order, ends), strict=True):
            share = self.multiplicity[some]
            drawn[:, some] = rng.multinomial(number, share / share.sum(), size) if len(some) else 0.0
        return drawn


def within_strata(
    clusters: Clusters, stratum: Array, strata: tuple[Any, ...], degrees: Any = None
) -> StratifiedClusters:
    """Return the design of clusters that are drawn within strata.

    Parameters
    ----------
    clusters : Clusters
        All clusters of the sample.
    stratum : ndarray of shape (clusters,)
        Stratum of each.
    strata : tuple
        Names of the strata.
    degrees : float or ndarray of shape (...), optional
        See `StratifiedClusters`; by default from the clusters with entries.
    """
    own = {each.name: getattr(clusters, each.name) for each in fields(Clusters)}
    if degrees is None:
        tables, number = (1 if clusters.owner is None else clusters.shape[0]), len(strata)
        place = stratum if clusters.owner is None else clusters.owner * number + stratum
        present = np.bincount(clusters.cluster, clusters.count, len(stratum)) > 0
        held, numbers = (
            np.bincount(place, clusters.multiplicity * each, tables * number).reshape(tables, number)
            for each in (present, np.ones(len(stratum)))
        )
        degrees = np.maximum(np.minimum(((numbers - 1) * (held > 0)).sum(-1), held.sum(-1) - 1), 0.0)
        degrees = float(degrees[0]) if clusters.owner is None else degrees
    return StratifiedClusters(**own, stratum=stratum, strata=strata, degrees=degrees)

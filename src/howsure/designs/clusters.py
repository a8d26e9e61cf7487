"""Sampling design of clusters: cases in groups whose outcomes are correlated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import RELATIVE_TOLERANCE, Design, active_cells, safe_divide
from howsure.designs.clustering import Clustering
from howsure.designs.entries import OWN, Entries, joined_names, threshold_squares
from howsure.designs.equicorrelated import correction
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import BLOCK_CELLS, Blocks, gammas_with_prior, multinomial
from howsure.designs.traits import Description
from howsure.designs.units import Units
from howsure.designs.variance_details import VarianceDetails

FEW = 20  # number of clusters below which the variance between clusters is unreliable
UNSEEN = 1 / 12  # fraction of an unobserved average cluster with only best or only worst outcomes
LARGE = 18.0  # limit of the size of that cluster, in multiples of the design effect


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Clusters(VarianceDetails, Algebra, Resampling, Clustering):
    """Correlated cases in clusters, such as images of one patient or sentences of one document.

    The table of each cluster is stored in sparse form: for entry ``e``, cluster ``cluster[e]`` has the count
    ``count[e]`` (summed weights) in cell ``cell[e]``. Clusters with identical tables can be stored once, with their
    number.

    Parameters
    ----------
    cluster, cell, count : ndarray of shape (entries,)
        The entries; in a batch, cells are numbered through all tables.
    multiplicity : ndarray of shape (clusters,)
        Number of clusters with each distinct table.
    owner : ndarray of shape (clusters,), optional
        Table of each distinct cluster of a batch, ascending. Entries are then in the order of their tables.
    shape : tuple of int
        Number of tables of a batch, and number of cells of each table.
    labels_per_case : int
        Number of cells in which each case is counted: once per label for multilabel data, else once.
    case_weight : float, or ndarray of shape (...)
        Weighted mean weight of a case, ``sum(w**2) / sum(w)``; one value per table for a batch.
    names : ndarray of shape (clusters,) or (0,), optional
        Names of the clusters in ``groups``, for matching them in other parts of the data. Empty if they occur in no
        other part, like single cases; None if the names were not stored.
    unit : ndarray of shape (entries,), optional
        Unit (such as an image of a patient) of each entry, numbered through all clusters, if clusters contain several
        units. The default is one unit per cluster.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.confusion([1, 0, 1, 0, 1], [1, 0, 0, 0, 1], groups=["ann", "ann", "bob", "bob", "cid"])
    >>> table.design.number, table.design.degrees_of_freedom
    (3, 2.0)
    """

    cluster: Array
    cell: Array
    count: Array
    multiplicity: Array
    owner: Array | None = None
    shape: tuple[int, int] = (1, 0)
    labels_per_case: int = 1
    case_weight: Any = 1.0
    names: Array | None = None
    unit: Array | None = None

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        tables, cells = (1, shape[-1]) if self.owner is None else (int(np.prod(shape[:-1])), shape[-1])
        entries, clusters = self.cell.shape, len(self.multiplicity)
        invariants.positions("cluster", self.cluster, entries, clusters)
        invariants.positions("cell", self.cell, (None,), tables * cells)
        invariants.numbers("count", self.count, entries)
        invariants.numbers("multiplicity", self.multiplicity, (None,), invariants.SMALLEST, invariants.MOST_CASES)
        invariants.number("labels_per_case", self.labels_per_case, 1, cells)
        if isinstance(self.case_weight, np.ndarray):
            invariants.numbers("case_weight", self.case_weight, self.case_weight.shape)
        else:
            invariants.number("case_weight", self.case_weight, 0.0)
        invariants.array("shape", np.asarray(self.shape), (2,), invariants.WHOLE)
        if self.owner is not None:
            invariants.positions("owner", self.owner, (clusters,), tables)
            if tuple(self.shape) != (tables, cells) or (np.diff(self.owner) < 0).any():
                invariants.refuse("`owner` must be the table of each cluster, in order.")
        if self.names is not None and len(self.names):
            invariants.array("names", self.names, (clusters,), invariants.ANY)  # distinct ones would cost a pass
        if self.unit is not None:
            invariants.positions("unit", self.unit, entries, max(len(self.cell), 1))

    def check_sums(self, counts: Array) -> None:
        """Check that the cells of all clusters add up to the counts."""
        found = np.bincount(self.cell, self.count * self.multiplicity[self.cluster], counts.size)
        invariants.sums("count", found, counts)

    @property
    def number(self) -> Any:
        """Number of clusters, for each table of a batch."""
        if self.owner is None:
            return round(float(self.multiplicity.sum()))
        return self._per_table(np.ones(len(self.multiplicity)))

    @property
    def unit_names(self) -> Array | None:
        """Names of the clusters, if all are named."""
        return self.names if self.names is not None and len(self.names) else None

    @property
    def description(self) -> Description:
        """Text on the number of clusters, on correlated cases and, if applicable, on few clusters."""
        sample = f"in {np.sum(self.number):,} clusters"
        few = " So few make the intervals themselves uncertain." if np.min(self.number) < FEW else ""
        account = "and are correlated within them; the intervals account for this."
        return Description(sample, caveats=(f"The cases come {sample} {account}{few}",))

    @property
    def degrees_of_freedom(self) -> Any:
        """The number of clusters minus 1."""
        return self.number - 1.0

    def totals(self, gradient: Array) -> Array:
        """Return the sum of ``gradient * counts`` within each distinct cluster."""
        return np.bincount(self.cluster, self.count * gradient.ravel()[self.cell], len(self.multiplicity))

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return ``G / (G - 1) * sum over clusters of sum(counts * gradient)**2``; nan for a single cluster."""
        spread = np.broadcast_to(gradient, counts.shape)
        squares, number = self._per_table(self.totals(spread) ** 2), np.asarray(self.number, dtype=float)
        enough = number > 1
        return np.where(enough, safe_divide(number, number - 1) * squares, np.nan)

    def small_sample_correction(self, counts: Array, gradient: Array) -> tuple[Any, Any]:
        """Return the inflation factor of the cluster variance, and Satterthwaite's degrees of freedom.

        See `equicorrelated.correction`. Cases of different weights have at least the variance of independent ones.
        """
        active = active_cells(counts, gradient)
        total = (counts * active).sum(-1)
        shares = safe_divide(self.totals(active), total if self.owner is None else total[self.owner])
        h2, h3, h4, h5 = (self._per_table(shares**power) for power in range(2, 6))
        one_case = safe_divide(self.case_weight, total)  # fraction of the cases: one over their number
        effect, _ = self._design_effect(counts, np.broadcast_to(gradient, counts.shape))
        numbers = self.number, self.degrees_of_freedom
        found, degrees_of_freedom = correction((h2, h3, h4, h5), one_case, effect, *numbers)
        return np.maximum(found, self.heavy_case_inflation(effect)), degrees_of_freedom

    def heavy_case_inflation(self, effect: Array) -> Array:
        """Return the factor that raises a design effect below 1 to 1 if the weights of the cases differ, else 1.

        Most samples contain no error among a few heavy cases, and then underestimate the variance; see `Weighted`.
        """
        if (np.asarray(self.case_weight) == 1).all():
            return np.ones(np.shape(effect))
        weight = np.broadcast_to(self.case_weight, self.shape[0])
        size = self.count / weight[0 if self.owner is None else self.owner[self.cluster]]  # whole for equal weights
        differs = ~np.isclose(size, np.rint(size), rtol=1e-9)
        is_uneven = self._per_table(np.bincount(self.cluster, differs, len(self.multiplicity))) > 0
        is_below = is_uneven & (effect > RELATIVE_TOLERANCE) & (effect < 1)  # not where nothing but rounding varies
        return np.where(is_below, safe_divide(np.ones(()), effect), 1.0)

    def missed_cluster_inflation(self, counts: Array, gradient: Array) -> Any:
        """Return the design effect after adding part of an unobserved cluster, divided by the design effect.

        A few bad clusters contribute most of the variance, and a sample without them resembles independent cases. Both
        variances therefore get a small part of an average cluster whose cases all fall in one of the two cells with the
        extreme slopes. Its size is limited to a multiple of the design effect, because large clusters with a small
        design effect leave little doubt.
        """
        active = active_cells(counts, gradient)
        slopes = np.where(active, gradient, 0.0)
        effect, independent = self._design_effect(counts, slopes)
        effect = effect * self.heavy_case_inflation(effect)
        squares, total = self._per_table(self.totals(active) ** 2), (counts * active).sum(-1)
        average = safe_divide(squares, total * self.labels_per_case)
        size = np.minimum(average, LARGE * self.case_weight * np.maximum(effect, 1.0))
        part = UNSEEN * size * safe_divide((slopes.max(-1) ** 2 + slopes.min(-1) ** 2) / 2, independent)
        return np.maximum(safe_divide(1 + part * safe_divide(size, effect), 1 + part * self.case_weight), 1.0)

    def excess_skewness(self, counts: Array, design_effect: Array) -> Array:
        """Return ``(1 - r + 2 m r) / ((1 + r) (1 - r + m r)) - 1`` for clusters of m cases with correlation r.

        The formula holds if the cell probabilities of each cluster have a Dirichlet distribution; r follows from the
        design effect. Clusters with many errors are few, and a sample without them underestimates the variance.
        """
        size = np.broadcast_to(safe_divide(self.mean_unit_size(counts), self.case_weight), np.shape(design_effect))
        together = np.clip(safe_divide(safe_divide(design_effect, self.case_weight) - 1, size - 1), 0.0, 1.0)
        apart = 1 - together
        part = (apart + 2 * size * together) / ((1 + together) * (apart + size * together)) - 1
        return np.asarray(np.where(size > 1, part, 0.0))

    def placement_variance(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return Obuchowski's variance (1997), with the covariance of the classes within clusters."""
        sides = [np.broadcast_to(true_class == side, counts.shape) for side in range(int(true_class.max()) + 1)]
        totals = np.stack([self.totals(gradient * side) for side in sides])
        # Number of clusters with a case of the class; the covariance of the classes is over all clusters.
        present = np.stack([self._per_table((self.totals(side * 1.0) > 0) * 1.0) for side in sides])
        own = np.stack([self._per_table(each**2) for each in totals])
        across = self._per_table(totals.sum(0) ** 2) - own.sum(0)
        number = np.asarray(self.number, dtype=float)
        variance = safe_divide(own * present, present - 1).sum(0) + safe_divide(number, number - 1) * across
        single = ((present > 0) & (present < 2)).any(0)
        return np.where(single, np.nan, np.maximum(variance, 0.0))

    def satterthwaite_df(self, counts: Array, true_class: Array, gradient: Array) -> Any:
        """Return Satterthwaite's degrees of freedom from the kurtosis of cluster totals; at most the number minus 1."""
        totals = self.totals(np.broadcast_to(gradient, counts.shape))
        square = self._per_table(totals**2) ** 2
        tails = np.where(square > 0, safe_divide(2 * square, self._per_table(totals**4)), np.inf)
        return np.minimum(tails, self.degrees_of_freedom)

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return Kish's effective number of clusters, under the assumption that all cases of a cluster agree."""
        selected = np.broadcast_to(np.asarray(cells, dtype=float), counts.shape)
        return safe_divide((counts * selected).sum(-1) ** 2, self._per_table(self.totals(selected) ** 2))

    def mean_unit_size(self, counts: Array) -> Any:
        """Return the mean cluster size over cases, that is, weighted by cluster size."""
        total = counts.sum(-1)
        return safe_divide(total, self.effective_sample_size(counts, np.ones(counts.shape[-1])))

    def collapse_cells(self, codes: Array, size: int) -> Clusters:
        """Relabel the cells."""
        table, cell = np.divmod(self.cell, len(codes))
        return replace(self, cell=codes[cell] + size * table, shape=(self.shape[0], size))

    def collapsible_cells(self, cells: int) -> Array:
        """Return one code: draws are of whole clusters and do not depend on the cells of their cases."""
        return np.zeros(cells, dtype=np.intp)

    def add_tables(self, others: Sequence[Self]) -> Clusters:
        """Combine the clusters of all tables; clusters with the same name are one cluster.

        Raises
        ------
        HowsureError
            If the clusters of a table have no names, so that they may also occur in another table.
        """
        designs: list[Self] = [self, *others]
        entries, names = Entries.of_sum(designs)
        found = entries.cluster, entries.cell, entries.count, entries.multiplicity
        totals = np.array([each.multiplicity[each.cluster] @ each.count for each in designs])
        weight = float(safe_divide(totals @ [each.case_weight for each in designs], totals.sum()))
        return Clusters(
            *found, labels_per_case=self.labels_per_case, case_weight=weight, names=names, unit=entries.unit
        )

    def split_by_class(self, class_of_cell: Array, number: int) -> list[Design]:
        """Return one design per part, with the clusters' entries in its cells."""
        cell = self.cell if self.owner is None else self.cell % len(class_of_cell)
        of_entry = class_of_cell.astype(np.int16 if number < 2**15 else np.intp)[cell]  # which sorts quickly
        order, ends = np.argsort(of_entry, kind="stable"), np.cumsum(np.bincount(of_entry, minlength=number))[:-1]
        columns = (np.split(each[order], ends) for each in (self.cluster, self.cell, self.count))
        return [self._part(*entries) for entries in zip(*columns, strict=True)]

    def _part(self, cluster: Array, cell: Array, count: Array) -> Clusters:
        """Return the clusters with some entries, whose cases have at most the mean weight of an entry."""
        squares, sums = (self._per_table(np.bincount(cluster, count**k, len(self.multiplicity))) for k in (2, 1))
        weight = np.minimum(self.case_weight, safe_divide(squares, sums))
        return replace(self, cluster=cluster, cell=cell, count=count, unit=None, case_weight=weight)

    def with_unshared_units(self) -> Clusters:
        """Return the clusters of this table, without names shared with other tables."""
        return replace(self, names=OWN)

    def stack_tables(self, others: Sequence[Self], size: int) -> Clusters:
        """Put the clusters of all tables side by side."""
        designs: list[Self] = [self, *others]
        entries = Entries.side_by_side(designs)
        owner = np.repeat(np.arange(len(designs)), [len(each.multiplicity) for each in designs])
        weights = np.array([each.case_weight for each in designs])
        names = [each.names for each in designs if each.names is not None]
        return Clusters(
            *(entries.cluster, entries.cell + size * owner[entries.cluster], entries.count, entries.multiplicity),
            owner,
            (len(designs), size),
            self.labels_per_case,
            weights,
            joined_names(names) if len(names) == len(designs) else None,
            entries.unit,
        )

    def collapse_cells_per_table(self, codes: Array, size: int) -> Clusters:
        """Relabel the cells of each table; every table has all clusters."""
        tables, clusters = len(codes), len(self.multiplicity)
        shift = np.arange(tables)[:, None]
        cluster = (self.cluster + clusters * shift).ravel()
        cell = (codes[:, self.cell] + size * shift).ravel()
        owner = np.repeat(np.arange(tables), clusters)
        count, multiplicity = np.tile(self.count, tables), np.tile(self.multiplicity, tables)
        shape, names = (tables, size), None if self.names is None else np.tile(self.names, tables)
        return Clusters(cluster, cell, count, multiplicity, owner, shape, self.labels_per_case, self.case_weight, names)

    def keep_cells(self, selected: Array, position: Array) -> Clusters:
        """Return the clusters restricted to the selected cells (of one label); cell ``c`` becomes ``position[c]``."""
        inside = selected[self.cell]
        found = self.cluster[inside], position[self.cell[inside]], self.count[inside], self.multiplicity
        unit = None if self.unit is None else self.unit[inside]
        return Clusters(*found, case_weight=self.case_weight, names=self.names, unit=unit)

    def unit_tables(self, size: int) -> tuple[Any, Array | None, Array | None]:
        """Return the table of each unit as a sparse matrix, the cluster of each unit, and the clusters' names."""
        if self.unit is None:
            each = np.repeat(np.arange(len(self.multiplicity)), self.multiplicity.astype(int))
            return self._sparse(size)[each], None, None
        from scipy import sparse

        units, first, row = np.unique(self.unit, return_index=True, return_inverse=True)
        tables = sparse.csr_array((self.count, (row, self.cell)), shape=(len(units), size))
        return tables, self.cluster[first], self.names

    def select_table(self, index: int) -> Clusters:
        """Return the clusters of one table of a batch."""
        if self.owner is None:
            return self
        first, last = np.searchsorted(self.owner, [index, index + 1])
        start, stop = np.searchsorted(self.owner[self.cluster], [index, index + 1])
        entries = slice(int(start), int(stop))
        cell = self.cell[entries] - index * self.shape[1]
        found = self.cluster[entries] - first, cell, self.count[entries], self.multiplicity[first:last]
        weight = float(np.broadcast_to(self.case_weight, self.shape[0])[index])
        names = None if self.names is None else self.names[first:last]
        unit = None if self.unit is None else self.unit[entries]
        return Clusters(*found, labels_per_case=self.labels_per_case, case_weight=weight, names=names, unit=unit)

    def influence_functions(self, counts: Array, gradient: Array) -> tuple[Array, Array]:
        """Return the total of each distinct cluster, and its multiplicity."""
        return self.totals(gradient), self.multiplicity

    def exchangeable_units(self, counts: Array) -> Units:
        """Return the clusters."""
        return Units(self.cluster, self.cell, self.count, self.multiplicity.astype(np.intp))

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw whole clusters with replacement."""
        return self.weighted_sums(counts.size, size, lambda number: self.chosen(number, rng))

    def simulate_studies(
        self, counts: Array, scale: float, size: int, rng: np.random.Generator
    ) -> tuple[Array, Design]:
        """Draw whole clusters."""
        number = max(round(float(scale * self.number)), 1)
        return self.studies(counts, rng.multinomial(number, self.multiplicity / self.multiplicity.sum(), size))

    def studies(self, counts: Array, times: Array) -> tuple[Array, Clusters]:
        """Return tables with each cluster a number of times, ``(size, distinct clusters)``, and their design."""
        size, (tables, distinct) = len(times), np.nonzero(times)
        order = np.argsort(self.cluster, kind="stable")
        held = np.bincount(self.cluster, minlength=len(self.multiplicity))  # entries of each distinct cluster
        cluster = np.repeat(np.arange(len(tables)), held[distinct])
        first = np.cumsum(held[distinct]) - held[distinct]
        entry = order[np.arange(len(cluster)) - first[cluster] + (np.cumsum(held) - held)[distinct][cluster]]
        cell, count = self.cell[entry] + counts.size * tables[cluster], self.count[entry]
        multiplicity = times[tables, distinct].astype(float)
        sums = np.bincount(cell, count * multiplicity[cluster], size * counts.size).reshape(size, -1)
        shape = (size, counts.size)
        return sums, Clusters(cluster, cell, count, multiplicity, tables, shape, self.labels_per_case, self.case_weight)

    def exponential_tilt(self, counts: Array, log_factors: Array) -> tuple[Array, Design]:
        """Multiply the number of clusters of each distinct kind."""
        moved = self.multiplicity * np.exp(self.totals(log_factors))
        moved *= self.multiplicity.sum() / moved.sum()
        sums = np.bincount(self.cell, self.count * moved[self.cluster], counts.size)
        return sums, replace(self, multiplicity=moved)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw the clusters' weights from a flat Dirichlet (the Bayesian bootstrap), and add the prior's cells."""
        # Draw by draw, so that the draws do not depend on the block size.
        shape = self.multiplicity
        drawn = self.weighted_sums(counts.size, size, lambda number: rng.standard_gamma(shape, (number, len(shape))))
        return np.asarray(drawn + self.pseudo_draws(counts, prior, size, rng))

    def pseudo_draws(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Any:
        """Return draws of pseudo-counts, each with the size of an average cluster; 0 without a prior."""
        if not prior.any():
            return 0.0
        pseudo = gammas_with_prior(np.zeros(counts.size), prior, size, rng)
        return pseudo * (self.mean_unit_size(counts) / self.labels_per_case)

    def leave_one_out(self, counts: Array) -> Blocks:
        """Leave out one cluster of each distinct kind."""
        tables = self._sparse(counts.size)
        step = max(1, BLOCK_CELLS // counts.size)
        for start in range(0, len(self.multiplicity), step):
            some = slice(start, start + step)
            yield counts.reshape(1, -1) - tables[some].toarray(), self.multiplicity[some]

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return the variance at each threshold, exactly, in one pass over the sorted cases."""
        entries = self.cluster, self.cell, self.count, self.multiplicity
        squares = threshold_squares(entries, len(counts), gradients, thresholds)
        return np.asarray(squares * (self.number / (self.number - 1) if self.number > 1 else np.nan))

    def _design_effect(self, counts: Array, gradient: Array) -> tuple[Array, Array]:
        """Return the variance relative to that of independent cases at Kish's effective number, and the latter."""
        independent = np.asarray(self.case_weight * (counts * gradient**2).sum(-1))
        return safe_divide(self._per_table(self.totals(gradient) ** 2), independent), independent

    def _per_table(self, values: Array) -> Array:
        """Sum values of the distinct clusters, times their multiplicity, for each table."""
        if self.owner is None:
            return np.asarray(np.vdot(self.multiplicity, values))
        return np.bincount(self.owner, self.multiplicity * values, self.shape[0])

    def chosen(self, size: int, rng: np.random.Generator) -> Array:
        """Draw the number of occurrences of each distinct cluster in a replicate, ``(size, distinct clusters)``."""
        if len(self.multiplicity) != self.number:
            return multinomial(self.multiplicity, size, rng)
        picks = rng.integers(self.number, size=(size, self.number))
        picks += self.number * np.arange(size)[:, None]
        return np.bincount(picks.ravel(), minlength=size * self.number).reshape(size, -1).astype(float)

    def weighted_sums(self, cells: int, size: int, weights: Callable[[int], Array]) -> Array:
        """Return sums of the clusters' tables with drawn weights, ``(size, cells)``, in blocks that fit in memory."""
        tables, drawn = self._sparse(cells), np.empty((size, cells))
        step = max(1, BLOCK_CELLS // max(len(self.multiplicity), 1))
        for start in range(0, size, step):
            some = drawn[start : start + step]
            some[:] = weights(len(some)) @ tables
        return drawn

    def _sparse(self, cells: int) -> Any:
        """Return the clusters' tables as one sparse matrix, ``(distinct clusters, cells)``."""
        from scipy import sparse

        shape = (len(self.multiplicity), cells)
        return sparse.csr_array((self.count, (self.cluster, self.cell)), shape=shape)


def clusters_of(counts: Array) -> Clusters:
    """Return the design of a batch of tables from the counts of their clusters.

    Parameters
    ----------
    counts : ndarray of shape (tables, clusters, cells)
        Counts of each cluster, none of which is empty.
    """
    tables, clusters, cells = counts.shape
    table, cluster, cell = np.nonzero(counts)
    owner = np.repeat(np.arange(tables), clusters)
    entries = (clusters * table + cluster, cells * table + cell, counts[table, cluster, cell].astype(float))
    return Clusters(*entries, np.ones(len(owner)), owner, (tables, cells))

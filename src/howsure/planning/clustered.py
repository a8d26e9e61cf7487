"""Plans with a different cluster size, or a different number of runs per task, than the pilot."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.designs.base import safe_divide
from howsure.designs.clusters import Clusters
from howsure.designs.independent import Independent
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError, real_number, whole_number
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.tables.protocols import cases_per_count
from howsure.tables.table import Table

MOST_CORRELATED = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class Clustering:
    """Clusters of equal size in which any two cases have the same correlation.

    The probability that a case is of the same kind as an earlier case of its cluster grows with their number (Pólya's
    urn). The cell probabilities of a cluster therefore have a Dirichlet distribution. Every metric has the same design
    effect, ``1 + (size - 1) * icc``.

    Parameters
    ----------
    size : int
        Cases of each cluster.
    icc : float
        Correlation of two cases of one cluster.
    """

    size: int
    icc: float

    @property
    def effect(self) -> float:
        """Design effect: the variance divided by that of independent cases."""
        return 1 + (self.size - 1) * self.icc

    def drawn(self, table: Table, cases: float, size: int, rng: np.random.Generator) -> Table:
        """Return a batch of drawn tables with about this number of cases, in such clusters."""
        number = max(round(cases / self.size), 1)
        cumulative = np.cumsum(table.cells / table.cells.sum())
        cells = len(cumulative)
        cell = np.empty((self.size, size * number), dtype=np.intp)
        concentration = _concentration(self.icc) if self.icc > 0 else math.inf
        clusters = np.arange(size * number)
        for place in range(self.size):
            new = np.searchsorted(cumulative, rng.random(len(clusters)) * cumulative[-1], side="right")
            cell[place] = np.minimum(new, cells - 1)
            if place and math.isfinite(concentration):  # some repeat the cell of a random earlier case of the cluster
                repeats = rng.random(len(clusters)) >= concentration / (concentration + place)
                cell[place, repeats] = cell[rng.integers(place, size=int(repeats.sum())), clusters[repeats]]
        cluster = np.repeat(clusters, self.size)
        owner = np.repeat(np.arange(size), number)
        flat = cell.T.ravel() + cells * owner[cluster]
        ones = np.ones(len(flat))
        counts = np.bincount(flat, minlength=size * cells).reshape(size, *table.shape).astype(float)
        design = Clusters(cluster, flat, ones, np.ones(len(owner)), owner, (size, cells))
        return replace(table, counts=counts, design=design, rows=number * self.size)


def _concentration(icc: float) -> float:
    """Return the sum of the parameters of a Dirichlet distribution under which two cases have this correlation."""
    return (1 - icc) / icc


def intracluster_correlation(metric: Metric, table: Table) -> tuple[float, float]:
    """Return the intracluster correlation of the contributions to a metric, and the mean cluster size.

    The estimate is by moments: the design effect is ``1 + (m - 1) * icc``, where m is the mean cluster size over cases.
    The returned mean size is over clusters.
    """
    if not math.isfinite(table.design.degrees_of_freedom):
        return 0.0, 1.0
    size = float(VarianceDetails.of(table.design).mean_unit_size(table.cells))
    mean = float(table.rows / (float(table.design.degrees_of_freedom) + 1))
    gradient = metric.finite_gradient(table.counted)
    effect = safe_divide(table.variance(gradient), independent(table).variance(gradient))
    return float(np.clip(safe_divide(effect - 1, np.asarray(size - 1)), 0.0, MOST_CORRELATED)), mean


def independent(table: Table) -> Table:
    """Return the table under the assumption of independent cases."""
    return replace(table, design=Independent())


def checked_icc(icc: object) -> float:
    """Return a valid intracluster correlation; refuse other values."""
    found = real_number("icc", icc)
    if not 0 <= found < 1:
        raise HowsureError(f"`icc` is the correlation of two cases of one cluster, from 0 to below 1, not {icc!r}.")
    return found


def has_weights(table: Table) -> bool:
    """Whether cases of the table have weights other than 1."""
    design = table.design
    if design.traits.is_stratified or design.traits.has_strata or hasattr(design, "weight_squared"):
        return True
    return bool(np.any(np.abs(cases_per_count(table) - 1) > 1e-9))


def refuse_clusters(table: Table) -> None:
    """Refuse tables whose cases cannot form clusters of another size."""
    counted = table.kind.has_one_cell_per_case and table.kind.has_one_label_per_case and table.design.traits.is_counted
    if not counted or has_weights(table) or table.design.traits.has_fixed_class_totals:
        raise HowsureError(
            f"`cluster_size` and `icc` are for counted cases, one label each and without weights, not for this "
            f"{table.kind.noun} ({type(table.design).__name__}). Drop them: the pilot's own clusters are drawn."
        )


def with_runs(table: Any, runs: Any, icc: Any) -> Table:
    """Return the table of the same number of tasks with another number of runs each.

    The success probabilities of the tasks have a beta distribution with the pilot's mean and correlation of runs, by
    moments.

    Parameters
    ----------
    table : TrialsTable
        The pilot: a table of trials.
    runs : int
        Number of runs of each task.
    icc : float, optional
        Correlation of two runs of one task; by default the pilot's.
    """
    from scipy import stats

    number = int(table.runs.max()) if runs is None else whole_number("cluster_size", runs)
    if not table.design.traits.is_independent:
        raise HowsureError(
            "`cluster_size` is for tasks without weights and clusters. Drop it: the pilot's own runs are kept."
        )
    if icc is None and table.runs.min() < 2:
        raise HowsureError(
            "The correlation of runs cannot be estimated, because some tasks have one run. State it: `icc=0.3`."
        )
    mean = float(resolve("mean", table)(table.counted))
    correlation = float(resolve("icc", table)(table.counted)) if icc is None else checked_icc(icc)
    successes = np.arange(number + 1)
    if 0 < mean < 1 and correlation > 0:
        total = _concentration(min(correlation, MOST_CORRELATED))
        probabilities = stats.betabinom.pmf(successes, number, mean * total, (1 - mean) * total)
    else:
        probabilities = stats.binom.pmf(successes, number, mean)
    changed: Table = replace(
        table, counts=probabilities * table.rows, runs=np.full(number + 1, number), successes=successes
    )
    return changed

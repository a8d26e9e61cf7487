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
        shares = table.cells / table.cells.sum()
        steps = np.cumsum(shares)
        cell = np.empty((self.size, size * number), dtype=np.intp)
        fresh = (1 - self.icc) / self.icc if self.icc > 0 else math.inf
        every = np.arange(size * number)
        for place in range(self.size):
            new = np.searchsorted(steps, rng.random(size * number) * steps[-1], side="right")
            cell[place] = np.minimum(new, len(steps) - 1)
            if place and math.isfinite(fresh):
                old = rng.random(size * number) >= fresh / (fresh + place)
                cell[place, old] = cell[rng.integers(place, size=int(old.sum())), every[old]]
        cluster = np.repeat(every, self.size)
        owner = np.repeat(np.arange(size), number)
        flat = cell.T.ravel() + len(steps) * owner[cluster]
        ones = np.ones(len(flat))
        counts = np.bincount(flat, minlength=size * len(steps)).reshape(size, *table.shape).astype(float)
        design = Clusters(cluster, flat, ones, np.ones(len(owner)), owner, (size, len(steps)))
        return replace(table, counts=counts, design=design, rows=number * self.size)


def intracluster_correlation(metric: Metric, table: Table) -> tuple[float, float]:
    """Return the intracluster correlation of the contributions to a metric, and the mean cluster size.

    The estimate is by moments: the design effect is ``1 + (m - 1) * icc``, where m is the mean cluster size over cases.
    """
    if not math.isfinite(table.design.degrees_of_freedom):
        return 0.0, 1.0
    size, mean = (
        float(VarianceDetails.of(table.design).mean_unit_size(table.cells)),
        table.rows / (float(table.design.degrees_of_freedom) + 1),
    )
    gradient = metric.finite_gradient(table.counted)
    effect = safe_divide(table.variance(gradient), independent(table).variance(gradient))
    return float(np.clip(safe_divide(effect - 1, np.asarray(size - 1)), 0.0, MOST_CORRELATED)), float(mean)


def independent(table: Table) -> Table:
    """Return the table under the assumption of independent cases."""
    return replace(table, design=Independent())


def checked_icc(icc: object) -> float:
    """Return a valid intracluster correlation; refuse other values."""
    found = real_number("icc", icc)
    if not 0 <= found < 1:
        message = f"`icc` is the correlation of two cases of one cluster, from 0 to below 1, not {icc!r}."
        raise HowsureError(message)
    return found


def has_weights(table: Table) -> bool:
    """Whether cases of the table have weights other than 1."""
    design = table.design
    if design.traits.is_stratified or hasattr(design, "weight_squared"):
        return True
    return bool(np.any(np.abs(cases_per_count(table) - 1) > 1e-9))


def refuse_clusters(table: Table) -> None:
    """Refuse tables whose cases cannot form clusters of another size."""
    counted = table.kind.has_one_cell_per_case and table.kind.has_one_label_per_case and table.design.traits.is_counted
    if not counted or has_weights(table) or table.design.traits.has_fixed_class_totals:
        message = (
            f"`cluster_size` and `icc` are for counted cases, one label each and without weights, not for this "
            f"{table.kind.noun} ({type(table.design).__name__}). Drop them: the pilot's own clusters are drawn."
        )
        raise HowsureError(message)


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
        message = "`cluster_size` is for tasks without weights and clusters. Drop it: the pilot's own runs are kept."
        raise HowsureError(message)
    if icc is None and table.runs.min() < 2:
        message = "The correlation of runs cannot be estimated, because some tasks have one run. State it: `icc=0.3`."
        raise HowsureError(message)
    mean = float(resolve("mean", table)(table.counted))
    together = float(resolve("icc", table)(table.counted)) if icc is None else checked_icc(icc)
    successes = np.arange(number + 1)
    if 0 < mean < 1 and together > 0:
        fresh = (1 - min(together, MOST_CORRELATED)) / together
        chances = stats.betabinom.pmf(successes, number, mean * fresh, (1 - mean) * fresh)
    else:
        chances = stats.binom.pmf(successes, number, mean)
    runs_of = np.full(number + 1, number)
    made: Table = replace(table, counts=chances * table.rows, runs=runs_of, successes=successes)
    return made

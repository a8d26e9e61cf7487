"""Strata of unknown sizes: the clusters, or cases, that were drawn within each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import Design, safe_divide
from howsure.designs.clusters import Clusters
from howsure.designs.crossed import Combinations
from howsure.designs.entries import OWN
from howsure.designs.stratified_clusters import within_strata
from howsure.errors import HowsureError


@dataclass(frozen=True, slots=True, eq=False)
class DrawnStrata:
    """The stratum and cluster of each row of the whole sample, and the rows that belong to a table.

    Clusters without a case in the table, such as those outside a group, still count as drawn from their strata.

    Parameters
    ----------
    code : ndarray of shape (n,)
        Position of each row's stratum.
    names : tuple
        Names of the strata.
    number, weight, weight_squared : ndarray of shape (n,)
        Number of cases of each row, and their sums of weights and of squared weights. The cases of a row have the same
        weight if there are no clusters.
    cluster : ndarray of shape (n,), optional
        Cluster of each row, 0 … C−1; by default each case is one.
    stratum : ndarray of shape (C,)
        Stratum of each cluster; empty without clusters.
    clusters_named : ndarray of shape (C,), optional
        Names of the clusters.
    multiplicity : ndarray of shape (C,)
        Number of identical clusters that each represents; a single 1 without clusters.
    chosen : ndarray, optional
        The rows of the table; all by default.
    """

    code: Array
    names: tuple[Any, ...]
    number: Array
    weight: Array
    weight_squared: Array
    cluster: Array | None
    stratum: Array
    clusters_named: Array | None
    multiplicity: Array
    chosen: Array | None = None

    def of(self, some: Any) -> DrawnStrata:
        """Return the strata of a table with some of these rows."""
        return replace(self, chosen=self._rows[some])

    def table(self, cell: Array, size: int, _classes: Array | None = None) -> tuple[Array, Design]:
        """Return the counts and the design of a table.

        Parameters
        ----------
        cell : ndarray of shape (rows,)
            The cell of each of its rows.
        size : int
            Number of cells.
        """
        counts = self.weight[self._rows] > 0
        rows, cell = self._rows[counts], cell[counts]
        own = self.cluster
        clusters, stratum = self._cases(rows, cell, size) if own is None else self._clusters(own, rows, cell)
        table = np.bincount(clusters.cell, clusters.count * clusters.multiplicity[clusters.cluster], size)
        present = np.bincount(clusters.cluster, minlength=len(clusters.multiplicity)) > 0
        if clusters.multiplicity[present].sum() < 2:  # whose variance is unknown
            return table, replace(clusters, cluster=0 * clusters.cluster, multiplicity=np.ones(1), names=OWN)
        return table, within_strata(clusters, stratum, self.names)

    @property
    def _rows(self) -> Array:
        return np.arange(len(self.code)) if self.chosen is None else self.chosen

    def _cases(self, rows: Array, cell: Array, size: int) -> tuple[Clusters, Array]:
        """Return the cases of some rows as clusters, equal ones once, then those of no table, and their strata."""
        weights, weight = np.unique(self.weight[rows] / self.number[rows], return_inverse=True)
        pairs, pair = np.unique(self.code[rows] * np.int64(size) + cell, return_inverse=True)
        kinds, kind = np.unique(pair.ravel() * len(weights) + weight.ravel(), return_inverse=True)
        own, count = np.divmod(kinds, max(len(weights), 1))
        stratum, place = np.divmod(pairs[own], size)
        number = np.bincount(kind.ravel(), self.number[rows], len(kinds))
        others = np.bincount(self.code, self.number) - np.bincount(self.code[rows], self.number[rows], len(self.names))
        beside = np.flatnonzero(others > 0)
        found = np.arange(len(kinds)), place, weights[count], np.concatenate([number, others[beside]])
        return Clusters(*found, case_weight=self._case_weight(rows), names=OWN), np.append(stratum, beside)

    def _clusters(self, cluster: Array, rows: Array, cell: Array) -> tuple[Clusters, Array]:
        """Return the clusters of the whole sample, with the cases of some rows, and the stratum of each."""
        found = cluster[rows], cell, self.weight[rows], self.multiplicity
        return Clusters(*found, case_weight=self._case_weight(rows), names=self.clusters_named), self.stratum

    def _case_weight(self, rows: Array) -> float:
        """Return the weighted mean weight of the cases of some rows."""
        like = 1.0 if self.cluster is None else self.multiplicity[self.cluster[rows]]
        return float(safe_divide((self.weight_squared[rows] * like).sum(), (self.weight[rows] * like).sum()))


def drawn_strata(
    code: Array,
    names: Array,
    tally: tuple[Array, Array, Array],
    cluster: Array | None,
    clusters_named: Array | None,
    multiplicity: Array | None,
) -> DrawnStrata:
    """Return strata of unknown sizes; refuse clusters in several strata, and strata with one cluster or case each.

    Parameters
    ----------
    code, names
        Position of each row's stratum, and the names of the strata.
    tally : tuple of three ndarray
        Number of cases of each row, and their sums of weights and of squared weights.
    cluster : ndarray of shape (n,), optional
        Cluster of each row.
    clusters_named, multiplicity : ndarray, optional
        Name of each cluster, which can be a combination with the stratum, and the number of clusters identical to it.
    """
    known = tuple(names.tolist())
    if cluster is None:
        _refuse_single(tally[0], known, "case")
        return DrawnStrata(code, known, *tally, None, code[:0], None, np.ones(1))
    if isinstance(clusters_named, Combinations):
        clusters_named = _nested(code, cluster, clusters_named)
    present, first, own = np.unique(cluster, return_index=True, return_inverse=True)
    named = None if clusters_named is None else clusters_named[present]
    stratum, like = code[first], np.ones(len(present)) if multiplicity is None else multiplicity[present]
    if (across := stratum[own.ravel()] != code).any():
        name = "A cluster" if named is None else f"The cluster '{named[own.ravel()[np.argmax(across)]]}'"
        raise HowsureError(
            f"{name} has cases in several strata. If each stratum numbers its own clusters, give both columns: "
            "`groups=[stratum, cluster]`. If clusters were not drawn within strata, leave `strata` out.",
            code="crossed-strata",
        )
    _refuse_single(like, known, "cluster")
    return DrawnStrata(code, known, *tally, own.ravel(), stratum, named, like)


def _refuse_single(units: Array, strata: tuple[Any, ...], noun: str) -> None:
    """Refuse strata with a single unit each."""
    if len(units) == len(strata) and units.max() < 2:
        raise HowsureError(
            f"Each stratum has a single {noun}, so nothing varies within strata. Merge strata, or leave them out.",
            code="single-units",
        )


def _nested(code: Array, cluster: Array | None, pairs: Combinations) -> Array:
    """Return names of the combinations of stratum and cluster; refuse other pairs of columns."""
    for levels in pairs.levels:
        own = np.unique(np.stack([levels[cluster], code]), axis=1)
        if own.shape[1] == len(np.unique(own[0])) == len(np.unique(own[1])):
            return np.array([" / ".join(map(str, each)) for each in pairs.tolist()])
    raise HowsureError(
        "`groups` has two columns, of which neither is that of `strata`. With `strata` give one column, or the strata "
        "and the clusters that each numbers: `groups=[stratum, cluster]`.",
        code="crossed-strata",
    )

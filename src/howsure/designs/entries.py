"""Clusters in sparse form: their combination by name, or by identical tables, and their sums at each threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import RELATIVE_TOLERANCE
from howsure.errors import HowsureError

OWN = np.empty(0)  # names of clusters that no other table has


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Entry ``e``: cluster ``cluster[e]`` has the count ``count[e]`` in cell ``cell[e]``; see `Clusters`."""

    cluster: Array
    cell: Array
    count: Array
    multiplicity: Array
    unit: Array | None = None  # unit of each entry, if clusters contain several

    @classmethod
    def side_by_side(cls, parts: Sequence[Any]) -> Entries:
        """Return the entries of several designs of clusters, all of whose clusters are distinct."""
        starts = np.cumsum([0, *(len(each.multiplicity) for each in parts[:-1])])
        cluster = np.concatenate([each.cluster + start for each, start in zip(parts, starts, strict=True)])
        cell, count, multiplicity = (
            np.concatenate([getattr(each, name) for each in parts]) for name in ("cell", "count", "multiplicity")
        )
        if any(each.unit is None for each in parts):
            return cls(cluster, cell, count, multiplicity)
        ends = np.cumsum([0, *(int(each.unit.max(initial=-1)) + 1 for each in parts[:-1])])
        unit = np.concatenate([each.unit + end for each, end in zip(parts, ends, strict=True)])
        return cls(cluster, cell, count, multiplicity, unit)

    @classmethod
    def of_sum(cls, parts: Sequence[Any]) -> tuple[Entries, Array]:
        """Return the entries of the sum of tables, and the names of its clusters; clusters of one name are one cluster.

        Raises
        ------
        HowsureError
            If the clusters of a table have no names, so that they may also occur in another table.
        """
        if len({each.unit is None for each in parts}) > 1:
            raise HowsureError(
                "Some of the tables have units within their clusters and others none. Count all in the same way."
            )
        known = [each.names for each in parts if each.names is not None]
        if len(known) < len(parts):
            raise HowsureError(
                "The clusters' names were not kept, so that one may be in several of the tables. Count them in memory; "
                "or, if no cluster is in two of them, add them by `pool_tables`."
            )
        filled = [len(each.names) > 0 for each in parts if len(each.multiplicity)]
        if any(filled) and not all(filled):
            raise HowsureError("Some of the tables have `groups` and others none: their clusters cannot be matched.")
        entries = cls.side_by_side(parts)
        return entries.by_name(known) if any(filled) else (entries.by_content(), OWN)

    def by_name(self, names: Sequence[Array]) -> tuple[Entries, Array]:
        """Return the entries after combining clusters with the same name, and the names, sorted if sortable."""
        every = joined_names(names)
        try:
            known, code = np.unique(every, return_inverse=True)
        except TypeError:  # names of several types
            place: dict[Any, int] = {}
            code = np.array([place.setdefault(name, len(place)) for name in every.tolist()])
            known = every[np.unique(code, return_index=True)[1]]
        cluster = code.ravel()[self.cluster]
        if self.unit is not None:
            return Entries(cluster, self.cell, self.count, np.ones(len(known)), self.unit), known
        flat, where = np.unique(self.cell * np.int64(len(known)) + cluster, return_inverse=True)
        cell, cluster = np.divmod(flat, len(known))
        return Entries(cluster, cell, np.bincount(where.ravel(), self.count), np.ones(len(known))), known

    def by_content(self) -> Entries:
        """Return the entries with identical clusters stored once, if all clusters have the same number of entries."""
        held = np.bincount(self.cluster, minlength=len(self.multiplicity))
        if self.unit is not None or not len(held) or (held != held[0]).any():
            return self
        order = np.lexsort((self.cell, self.cluster))
        tables = np.stack([self.cell, self.count], 1)[order].reshape(len(held), -1)
        kinds, kind = np.unique(tables, axis=0, return_inverse=True)
        cell, count = kinds.reshape(-1, 2).T
        cluster = np.repeat(np.arange(len(kinds)), held[0])
        return Entries(cluster, cell.astype(np.intp), count, np.bincount(kind.ravel(), self.multiplicity))


def joined_names(parts: Sequence[Array]) -> Array:
    """Concatenate arrays of names; strings stay strings and numbers stay numbers."""
    if len({each.dtype.kind for each in parts}) == 1:
        return np.concatenate(parts)
    every = np.empty(sum(map(len, parts)), dtype=object)
    every[:] = [name for part in parts for name in part.tolist()]
    return every


def threshold_squares(
    entries: tuple[Array, Array, Array, Array], rows: int, gradients: Array, thresholds: Array | None
) -> Array:
    """Return the sum over clusters of squared linear forms at each threshold of a table of scores.

    The linear form of a cluster is ``sum_k below_k N_k + (above_k - below_k) A_k``, where N_k counts its cases of class
    k and A_k those above the threshold. When the threshold passes a case, the sums over clusters of A A and A N change
    by the terms of one cluster.

    Parameters
    ----------
    entries : tuple of four ndarray
        Cluster, cell and count of each entry, and multiplicity of each cluster.
    rows : int
        Number of distinct scores.
    gradients, thresholds : ndarray
        As for `VarianceDetails.threshold_variances`.
    """
    cluster, cell, entry, multiplicity = entries
    rank, truth = rows - 1 - cell // 2, cell % 2
    order = np.lexsort((rank, cluster))
    rank, truth, cluster = rank[order], truth[order], cluster[order]
    count = np.stack([np.where(truth == side, entry[order], 0.0) for side in range(2)])
    number = np.stack([np.bincount(cluster, each, len(multiplicity)) for each in count])
    before = np.cumsum(count, axis=1) - count  # cases above in the same cluster, after the next lines
    first = np.flatnonzero(np.diff(cluster, prepend=-1))
    before -= np.repeat(before[:, first], np.diff(first, append=len(cluster)), axis=1)
    weight = multiplicity[cluster]

    def products(change: Array) -> Array:
        sums = np.concatenate([[0.0], np.cumsum(np.bincount(rank, weight * change, rows))])
        return sums if thresholds is None else sums[thresholds]

    below, step = gradients[:, :, 0].T, (gradients[:, :, 1] - gradients[:, :, 0]).T
    terms = []
    for k, j in np.ndindex(2, 2):
        terms.append(below[k] * below[j] * float((multiplicity * number[k]) @ number[j]))
        terms.append(2 * step[k] * below[j] * products(count[k] * number[j][cluster]))
        added = count[k] * before[j] + before[k] * count[j] + count[k] * count[j]
        terms.append(step[k] * step[j] * products(added))
    variance = np.sum(terms, 0)
    variance[variance <= RELATIVE_TOLERANCE * np.abs(terms).sum(0)] = 0.0  # rounding error of terms that cancel
    return np.asarray(variance)

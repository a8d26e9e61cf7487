"""Combination of clusters in sparse form: by name, or by identical tables if they have no names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


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

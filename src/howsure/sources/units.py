"""Counts and design of units such as images, which have their own tables and may be clustered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.designs.clusters import Clusters
from howsure.designs.entries import OWN
from howsure.errors import HowsureError
from howsure.sources.crossed import refuse_crossed
from howsure.sources.encoding import Column
from howsure.sources.repeated import first_rows


@dataclass(frozen=True, slots=True, eq=False)
class UnitRows:
    """The unit of each row, and the weight and cluster of each unit.

    Parameters
    ----------
    unit : ndarray of shape (n,)
        Position of each row's unit.
    names : ndarray of shape (units,), optional
        Names of the units.
    weight : ndarray of shape (units,), optional
        Weight of each unit.
    cluster : ndarray of shape (units,), optional
        Position of each unit's cluster.
    cluster_names : ndarray, optional
        Names of the clusters.
    """

    unit: Array
    names: Array | None
    weight: Array | None
    cluster: Array | None
    cluster_names: Array | None

    @classmethod
    def of(cls, rows: int, unit: Column | None, groups: Column | None, weight: Array | None) -> UnitRows:
        """Return the units of rows; refuse units with several weights or groups."""
        cluster, cluster_names = (None, None) if groups is None else groups.used()
        refuse_crossed(cluster_names, "Units")
        if unit is None:
            return cls(np.arange(rows, dtype=np.int32), None, weight, cluster, cluster_names)
        codes, names = unit.used()
        codes = codes.astype(np.int32 if len(names) < 2**31 else np.intp)
        first = first_rows("unit", codes, names, {"groups": cluster, "sample_weight": weight})
        weight, cluster = (None if each is None else each[first] for each in (weight, cluster))
        return cls(codes, names, weight, cluster, cluster_names)

    @property
    def number(self) -> int:
        """The number of units."""
        return len(self.unit) if self.names is None else len(self.names)

    def refuse_gaps(self, model: Array, models: Array) -> None:
        """Refuse units that have no row of one of the models."""
        present = np.zeros((len(models), self.number), dtype=bool)
        present[model, self.unit] = True
        if not present.all():
            which, missing = (int(each[0]) for each in np.nonzero(~present))
            name = missing if self.names is None else self.names.tolist()[missing]
            raise HowsureError(
                f"The unit {name!r} has no row of the model {str(models[which])!r}. Give it one, of zeros where the "
                "model found nothing, or leave the unit out of all."
            )

    def counted(self, unit: Array, cell: Array, count: Array, size: int) -> tuple[Array, Clusters]:
        """Return the counts by cell of all units, and their design.

        Parameters
        ----------
        unit, cell, count : ndarray of shape (entries,)
            Number of events of a unit in a cell.
        size : int
            Number of cells.
        """
        weight = 1.0
        if self.weight is not None:
            if not self.weight.any():
                raise HowsureError("`sample_weight` is all zeros: no unit counts. Give some unit a positive weight.")
            counts = self.weight[unit] > 0  # units of zero weight are dropped
            unit, cell, own = unit[counts], cell[counts], self.weight[unit[counts]]
            count, squared = own * count[counts], own**2 * count[counts]
            weight = float(squared.sum() / count.sum())
        outer, names, units = unit, self.names, None
        if self.cluster is not None:
            outer, names, units = self.cluster[unit], self.cluster_names, unit
        present = np.bincount(outer) > 0
        cluster = (np.cumsum(present, dtype=np.int32) - 1)[outer]
        names = OWN if names is None else names[np.flatnonzero(present)]
        entries = cluster, cell, count, np.ones(present.sum())
        return np.bincount(cell, count, size), Clusters(*entries, case_weight=weight, names=names, unit=units)

"""Further columns of each case: weights, clusters and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from typing import Any

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.sources.columns import checked_weight, refuse_other_lengths
from howsure.sources.encoding import Column, encoded
from howsure.sources.groups import groups_of_columns, roles


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """Weights, clusters and groups of each row."""

    weight: Array | None
    cluster: Array | None
    clusters_named: Array | None
    split: list[Column]

    @classmethod
    def of(cls, found: Mapping[str, object], split: list[str], lengths: Mapping[str, Sized]) -> Beside:
        """Return them from the columns by role; refuse columns of differing length."""
        group = [encoded(role, found[role]) for role in roles(dict.fromkeys(split))]
        weight = checked_weight(found["sample_weight"]) if "sample_weight" in found else None
        cluster = encoded("groups", found["groups"]) if "groups" in found else None
        refuse_other_lengths(
            {**lengths, "sample_weight": weight, "groups": cluster} | {each.name: each for each in group}
        )
        role, first = next(iter(lengths.items()), ("columns", ()))
        if not len(first):
            raise HowsureError(f"`{role}` is empty: there is no case to evaluate.")
        codes, names = (None, None) if cluster is None else cluster.used()
        return cls(weight, codes, names, group)

    def of_rows(self, some: Any) -> tuple[Array | None, Array | None, Array | None]:
        """Return weights, clusters and names of clusters of some rows."""
        weight, cluster = (None if each is None else each[some] for each in (self.weight, self.cluster))
        return weight, cluster, self.clusters_named

    def tables(self, split: list[str], table: Any) -> Any:
        """Return the table of all rows, or those of the groups."""
        return groups_of_columns(split, self.split).each(table) if split else table(slice(None))

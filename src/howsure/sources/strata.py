"""Strata: case weights and sampling designs of known sizes, and the columns of both kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import Design
from howsure.designs.cell_sums import added_up
from howsure.designs.independent import Independent
from howsure.designs.separate import Separate
from howsure.designs.stratified import NOWHERE, StratifiedSample
from howsure.errors import HowsureError, by_index, listed, warn
from howsure.sources.drawn_strata import DrawnStrata

ROLE = "strata"
CASE_WEIGHT = "sample_weight of each case"
FEWEST_STRATA = 3  # in all of which a cluster seldom has cases
CLOSE = 1e-6  # tolerance of the sum of proportions
MOST_PAIRS = 2**20  # of stratum and cell, up to which empty pairs are kept: pseudo-counts may fall there


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """The stratum of each row of the whole sample, and the rows that belong to a table.

    Rows outside the table, such as those of other groups, still count as sampled cases of their strata.

    Parameters
    ----------
    code : ndarray of shape (n,)
        Position of each row's stratum.
    names : tuple
        Names of the strata.
    share : ndarray of shape (S,)
        Proportion of each stratum in the population.
    number, weight : ndarray of shape (n,)
        Number of cases of each row, and their sum of weights.
    design_of : callable
        Function of ``(rows, cell, size)`` that returns the design of some of the rows, given their cells and the number
        of cells.
    cluster : ndarray of shape (n,), optional
        Cluster of each row.
    is_plain : bool
        Whether the cases are unweighted and unclustered.
    total : float, optional
        Number of cases in the population; None if only proportions are known.
    chosen : ndarray, optional
        The rows of the table; all by default.
    """

    code: Array
    names: tuple[Any, ...]
    share: Array
    number: Array
    weight: Array
    design_of: Callable[[Array, Array, int], Design]
    cluster: Array | None
    is_plain: bool
    total: float | None
    chosen: Array | None = None

    def of(self, some: Any) -> Strata:
        """Return the strata of a table with some of these rows."""
        chosen = np.arange(len(self.code)) if self.chosen is None else self.chosen
        return replace(self, chosen=chosen[some])

    def table(self, cell: Array, size: int, classes: Array | None = None) -> tuple[Array, Design]:
        """Return the counts and the design of a table: see `design`."""
        found = self.design(cell, size, classes)
        return found.whole, found

    def design(self, cell: Array, size: int, classes: Array | None = None) -> StratifiedSample:
        """Return the design of a table.

        Parameters
        ----------
        cell : ndarray of shape (rows,)
            The cell of each of its rows.
        size : int
            Number of cells.
        classes : ndarray of shape (cells, columns), optional
            The true and predicted classes of each cell. If a class determines the stratum, as in a map whose classes
            are the strata, cells of other classes cannot occur in a stratum.
        """
        every = np.full(len(self.code), size)
        every[slice(None) if self.chosen is None else self.chosen] = cell
        stratum, place, pair = self._pairs(every, size, classes)
        observed = np.bincount(pair, self.weight, len(stratum))
        number = len(self.names)
        found: dict[str, Any] = {
            "observed": observed,
            "stratum": stratum,
            "place": np.where(place == size, NOWHERE, place),
            "cells": size,
            "share": self.share,
            "names": self.names,
            "total": self.total,
        }
        drawn = np.bincount(self.code, self.number, number)
        if self.total is not None:
            sampled = np.round(drawn / (self.share * self.total), 12)
            found["fraction"] = np.minimum(sampled, 1.0)  # 1 for a fully sampled stratum
        if self.is_plain:
            return StratifiedSample(**found, design=Independent(), units=drawn)
        if self._crosses():
            every_row = np.arange(len(pair))
            return StratifiedSample(**found, design=self.design_of(every_row, pair, len(stratum)))
        first = np.searchsorted(stratum, np.arange(number + 1))
        order = np.argsort(self.code, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(self.code, minlength=number))[:-1])
        sizes = tuple(np.diff(first).tolist())
        parts = tuple(
            self.design_of(rows, pair[rows] - start, each)
            for rows, start, each in zip(members, first, sizes, strict=False)
        )
        heavy = np.bincount(self.code, self.number * (self.weight > 0), number)
        freedoms = np.array([float(part.degrees_of_freedom) for part in parts])
        units = np.where(np.isfinite(freedoms), freedoms + 1, heavy)
        if (np.isfinite(freedoms) & (units < 2)).any():
            name = self.names[int(np.argmax(units < 2))]
            raise HowsureError(
                f"Stratum {name!r} has a single cluster, which shows no variation. Merge it with another stratum."
            )
        return StratifiedSample(**found, design=Separate(parts, sizes), units=units)

    def designs(
        self, cell: Array, size: int, group: Array, groups: int, classes: Array | None = None
    ) -> StratifiedSample:
        """Return the design of a batch of group tables, for unweighted and unclustered cases.

        Parameters
        ----------
        cell, size, classes
            As for `design`.
        group : ndarray of shape (rows,)
            Group of each row of the table of all.
        groups : int
            How many groups there are.
        """
        every = np.full(len(self.code), size)
        chosen = np.arange(len(self.code)) if self.chosen is None else self.chosen
        every[chosen] = cell
        of_all = self.design(cell, size, classes)
        stratum, place, pair = self._pairs(every, size, classes, has_others=True)
        flat = group * len(stratum) + pair[chosen]
        observed = np.bincount(flat, self.weight[chosen], groups * len(stratum)).reshape(groups, -1)
        drawn = np.bincount(self.code, self.number, len(self.names))
        others = place == size
        observed[:, others] = drawn - added_up(observed, stratum, len(self.names))
        place = np.where(others, NOWHERE, place)
        return replace(of_all, observed=observed, stratum=stratum, place=place)

    def _pairs(
        self, place: Array, size: int, classes: Array | None, *, has_others: bool = False
    ) -> tuple[Array, Array, Array]:
        """Return the sorted pairs of stratum and cell that are kept, and the index of each row's pair."""
        number = len(self.names)
        flat = self.code * np.int64(size + 1) + place
        if number * (size + 1) > MOST_PAIRS:
            others = (size + 1) * np.arange(number if has_others else 0) + size
            kept = np.unique(np.concatenate([flat, others]))
            return *np.divmod(kept, size + 1), np.searchsorted(kept, flat)
        possible = np.ones((number, size + 1), dtype=bool)
        possible[:, size] = has_others or (place == size).any()
        for column in [] if classes is None else classes.T:
            possible[:, :size] &= self._told_by(column, place)
        possible.ravel()[flat] = True
        kept = np.flatnonzero(possible)
        return *np.divmod(kept, size + 1), np.searchsorted(kept, flat)

    def _told_by(self, column: Array, place: Array) -> Array:
        """Return the cells possible in each stratum, if a class of the cells determines the stratum; else all."""
        inside = place < len(column)
        met = np.zeros((len(self.names), int(column.max()) + 1), dtype=bool)
        met[self.code[inside], column[place[inside]]] = True
        strata = met.sum(0)
        tells = (strata <= 1).all() and (met.sum(1) > 0).all()
        return np.asarray((met | (strata == 0))[:, column]) if tells else np.ones((len(met), len(column)), dtype=bool)

    def _crosses(self) -> bool:
        """Whether clusters have cases in several strata."""
        if self.cluster is None:
            return False
        pairs = np.unique(np.stack([self.cluster, self.code]), axis=1).shape[1]
        return bool(pairs > len(np.unique(self.cluster)))


AnyStrata = Strata | DrawnStrata  # of known sizes, or of unknown ones


def known_sizes(names: Array, sizes: object, drawn: Array) -> tuple[Array, float | None]:
    """Return the proportion of each stratum, and the population size (None if only proportions are known).

    Parameters
    ----------
    names : ndarray of shape (S,)
        The strata that occur.
    sizes : mapping
        Number of cases of each stratum in the population, or proportions, which sum to 1.
    drawn : ndarray of shape (S,)
        Cases drawn from each.

    Raises
    ------
    HowsureError
        If there are no sizes, if a stratum has a size and no case, or a case and no size, or if its size is less than
        the number of its sampled cases.
    """
    sizes = by_index(sizes)
    if not isinstance(sizes, Mapping):
        raise HowsureError(
            "`strata` needs `stratum_sizes`: a mapping of each stratum to its number of cases, or its share."
        )
    known = names.tolist()
    size = _in_order(known, sizes)
    if not (size > 0).all():
        raise HowsureError(f"Stratum '{known[int(np.argmin(size))]}' has cases and a size of 0. Give its size.")
    total = float(size.sum())
    if abs(total - 1) <= CLOSE:
        return size / total, None
    if (size <= 1).all() and (drawn > size).any():
        raise HowsureError(
            f"`stratum_sizes` has shares that sum to {total:.9g}. Give each stratum its share of the population, which "
            "sum to 1, or its number of cases."
        )
    if (drawn > size * (1 + CLOSE)).any():
        place = int(np.argmax(drawn > size * (1 + CLOSE)))
        raise HowsureError(
            f"Stratum '{known[place]}' has {drawn[place]:,.0f} cases drawn from {size[place]:g}. Sizes are numbers "
            "of cases; give other measures, such as areas, as shares that sum to 1."
        )
    return size / total, total


def warn_of_restarted_numbers(code: Array, cluster: Array | None, names: object) -> None:
    """Warn about clusters 1, 2, … that all have cases in each of several strata, as where each stratum numbers its own.

    Parameters
    ----------
    code : ndarray of shape (n,)
        Position of the stratum of each row.
    cluster : ndarray of shape (n,), optional
        Cluster of each row.
    names : ndarray, optional
        Names of the clusters.
    """
    if cluster is None or not isinstance(names, np.ndarray) or names.dtype.kind not in "iu":
        return
    pairs, numbers = np.unique(np.stack([cluster, code]), axis=1), np.sort(names)
    strata, clusters = (len(np.unique(each)) for each in (code, cluster))
    if (
        strata >= FEWEST_STRATA
        and pairs.shape[1] == strata * clusters
        and clusters > 1
        and (np.diff(numbers) == 1).all()
    ):
        warn(
            f"Each of the clusters {numbers[0]} to {numbers[-1]} has cases in all {strata} strata, and is taken as one "
            "unit. If each stratum numbers its own clusters, make the names differ: `stratum * 1000 + cluster`."
        )


def _in_order(known: list[Any], sizes: Mapping[Any, object]) -> Array:
    """Return the sizes in the order of the strata; refuse unknown strata and missing sizes."""
    size = np.full(len(known), np.nan)
    for name, given in sizes.items():
        number, place = _size(name, given), _place(name, known)
        if place is None and number > 0:
            raise HowsureError(
                f"Stratum '{name}' has a size and no case, so nothing is known of it. Draw cases from it, or merge it "
                "with another stratum, sizes too."
            )
        if place is not None and not np.isnan(size[place]):
            raise HowsureError(f"`stratum_sizes` has two sizes for the stratum '{name}'. Give one.")
        if place is not None:
            size[place] = number
    if np.isnan(size).any():
        name = known[int(np.argmax(np.isnan(size)))]
        raise HowsureError(
            f"Stratum '{name}' has cases and no size. Name it in `stratum_sizes`, which has "
            f"{listed([str(each) for each in sizes])}."
        )
    return size


def _place(name: object, known: list[Any]) -> int | None:
    """Return the position of a stratum, which may be given as text or as another numeric type."""
    if name in known:
        return known.index(name)
    names = [str(each) for each in known]
    return names.index(str(name)) if str(name) in names else None


def _size(name: object, size: Any) -> float:
    try:
        found = float(size)
    except (TypeError, ValueError):
        found = np.nan
    if not (np.isfinite(found) and found >= 0):
        raise HowsureError(f"`stratum_sizes[{name!r}]` is {size!r}. Give a number of cases, or a share, of at least 0.")
    return found


def counted_roles(strata: object, sizes: object, groups: object, weight: object) -> dict[str, Any]:
    """Return the roles by which a source that merges equal cases has to distinguish them: see `stratum_role`.

    Without sizes and groups each case is drawn on its own, so that the weights of the merged cases must be equal.
    """
    found = stratum_role(strata, sizes)
    return {CASE_WEIGHT: weight} | found if found and sizes is None and groups is None and weight is not None else found


def stratum_role(strata: object, sizes: object) -> dict[str, Any]:
    """Return a mapping from role to the column of strata; empty without strata. Without sizes these are unknown.

    Raises
    ------
    HowsureError
        If there are sizes without strata.
    """
    if strata is None and sizes is None:
        return {}
    if strata is None:
        raise HowsureError("`stratum_sizes` needs `strata`: the stratum of each case. Give it, or leave the sizes out.")
    return {ROLE: strata}


def refuse_strata(strata: object, what: str) -> None:
    """Refuse strata for data that do not support them.

    Parameters
    ----------
    strata : object
        The column of strata, or None.
    what : str
        The data that support strata, for the error.
    """
    if strata is not None:
        raise HowsureError(f"`strata` is for {what}. Leave it out, or give the cases' strata as `by`.")

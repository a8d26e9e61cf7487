"""Splitting by one or several columns: one table per group, in time linear in rows and groups."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import Design, safe_divide
from howsure.designs.clusters import Clusters
from howsure.designs.crossed import Combinations, Crossed, crossed
from howsure.designs.independent import MOST_ATOMS, Independent, Weighted
from howsure.errors import HowsureError
from howsure.sources.crossed import refuse_crossed
from howsure.sources.drawn_strata import DrawnStrata, drawn_strata
from howsure.sources.encoding import Column, encoded
from howsure.sources.strata import AnyStrata, Strata, known_sizes, warn_of_restarted_numbers
from howsure.tables.batch import Tables
from howsure.tables.table import Table
from howsure.tables.union import ascending, natural

Made = TypeVar("Made", bound=Table)
ROLE = "by"  # followed in errors by the column's name in brackets
MOST_CELLS = 2**28  # of all tables together: 2 GiB


def by_columns(by: Any, data: object) -> dict[str, Any]:
    """Return the grouping columns by name.

    Parameters
    ----------
    by : str, list of str, array-like, mapping or frame
        Names of one or several columns of ``data``; without ``data`` one column, or several in a mapping or frame.
    data : frame, path or None
        The data with the named columns.
    """
    if by is None:
        return {}
    if data is not None and isinstance(by, str):
        return {by: by}
    if data is not None and not isinstance(by, Iterable):
        raise HowsureError(f"With `data`, `by` is the name of a column, or a list of names, not {by!r}.")
    if data is not None and not isinstance(by, Mapping):
        names = list(by)
        if hasattr(by, "dtype") and (not all(isinstance(each, str) for each in names) or len({*names}) < len(names)):
            raise HowsureError(
                "With `data`, `by` is the name of a column, or a list of names, not a column. Add it to the data."
            )
        return {str(name): name for name in names}
    if hasattr(by, "column_names") or hasattr(by, "collect"):  # a table of Arrow, or a lazy frame
        import narwhals as nw

        frame = nw.from_native(by)
        frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
        return {name: frame[name].to_native() for name in frame.columns}
    if isinstance(by, Mapping) or (hasattr(by, "columns") and hasattr(by, "__getitem__")):
        return {str(name): by[name] for name in (by if isinstance(by, Mapping) else by.columns)}
    return {str(getattr(by, "name", None) or "group"): by}


def roles(columns: Mapping[str, object]) -> dict[str, Any]:
    """Return the grouping columns by their names in errors."""
    return {ROLE if len(columns) == 1 else f"{ROLE}[{name!r}]": column for name, column in columns.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The group of each row, or of each combination of values.

    Parameters
    ----------
    columns : tuple of str
        Names of the grouping columns.
    keys : tuple of hashable
        The groups' values, in order; tuples where there are several columns.
    code : ndarray of shape (n,)
        Position of each row's group.
    """

    columns: tuple[str, ...]
    keys: tuple[Hashable, ...]
    code: Array

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        levels: Sequence[Array],
        codes: Sequence[Array],
        ranks: Sequence[dict[Any, int] | None],
    ) -> Groups:
        """Return the groups of columns that are given as codes of levels: ordered categories by their rank."""
        orders = [_order(values.tolist(), rank) for values, rank in zip(levels, ranks, strict=True)]
        codes = [np.argsort(order)[code] for order, code in zip(orders, codes, strict=True)]
        levels = [values[order] for order, values in zip(orders, levels, strict=True)]
        flat = np.zeros(len(codes[0]), dtype=np.int64)
        for values, code in zip(levels, codes, strict=True):
            flat = flat * len(values) + code
        present, code = np.unique(flat, return_inverse=True)
        places = np.unravel_index(present, [len(values) for values in levels])
        listed = [values[place].tolist() for values, place in zip(levels, places, strict=True)]
        keys = tuple(zip(*listed, strict=True)) if len(listed) > 1 else tuple(listed[0])
        return cls(tuple(names), keys, code.ravel())

    def counted(self, cell: Array, values: Array, size: int) -> Array:
        """Return the sums of values by group and cell, ``(G, size)``."""
        number = len(self.keys)
        if number * size > MOST_CELLS:
            raise HowsureError(
                f"{number:,} groups of tables with {size:,} cells are too many. Merge groups or classes."
            )
        return np.bincount(self.code * size + cell, values, number * size).reshape(number, size)

    def kept(self, chosen: Array) -> Groups:
        """Return the groups of some of the rows."""
        return Groups(self.columns, self.keys, self.code[chosen])

    def tables(self, tables: Made | Sequence[Made], overall: Made) -> Tables[Made]:
        """Return the tables by the groups' keys."""
        return Tables(self.keys, tables, overall, self.columns)

    def each(self, make: Callable[[Any], Made]) -> Tables[Made]:
        """Return the results of a function for the rows of each group, and for all rows.

        Raises
        ------
        HowsureError
            If the function raises one; the message names the group.
        """
        overall = make(slice(None))
        order = np.argsort(self.code, kind="stable")
        rows = np.split(order, np.searchsorted(self.code[order], np.arange(1, len(self.keys))))
        return self.tables([_made(make, *each) for each in zip(self.keys, rows, strict=True)], overall)


def _order(values: list[Any], rank: dict[Any, int] | None) -> list[int]:
    return ascending(values, rank.__getitem__ if rank and rank.keys() >= set(values) else natural)


def _made(make: Callable[[Any], Made], key: Hashable, rows: Array) -> Made:
    try:
        return make(rows)
    except HowsureError as error:
        raise HowsureError(f"In the group {key!r}: {error}") from error


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Numbers and weights of the cases in each row.

    Parameters
    ----------
    n, weight, weight_squared : ndarray of shape (rows,)
        Number of cases of each row, and their sums of weights and of squared weights.
    is_weighted : bool
        Whether cases are weighted.
    is_single : bool
        Whether each row is one case.
    strata : Strata, optional
        The strata of the rows.
    """

    n: Array
    weight: Array
    weight_squared: Array
    is_weighted: bool = False
    is_single: bool = False
    strata: AnyStrata | None = None

    @classmethod
    def of_cases(cls, number: int) -> Tally:
        """Return the tally of rows that are one case each."""
        one = np.ones(number)
        return cls(one, one, one, is_single=True)

    @classmethod
    def of_weights(cls, weight: Array) -> Tally:
        """Return the tally of rows that are one weighted case each."""
        return cls(np.ones(len(weight)), weight, weight**2, is_weighted=True, is_single=True)

    def of(self, some: Any) -> Tally:
        """Return the tally of some of the rows."""
        found = self.n[some], self.weight[some], self.weight_squared[some]
        return Tally(*found, self.is_weighted, self.is_single, None if self.strata is None else self.strata.of(some))

    def stratified(
        self,
        code: Array,
        names: Array,
        sizes: object,
        cluster: Array | None,
        clusters_named: Array | None = None,
        multiplicity: Array | None = None,
    ) -> Tally:
        """Return the tally with strata; the rows must be the whole sample.

        Parameters
        ----------
        code : ndarray of shape (rows,)
            Position of each row's stratum among the names.
        names : ndarray of shape (S,)
            Names of the strata.
        sizes : mapping, optional
            Number of cases of each stratum in the population, or its proportion; None if unknown.
        cluster, clusters_named, multiplicity : ndarray, optional
            As in `clusters`.
        """
        if sizes is None:
            own = self.n, self.weight, self.weight_squared
            return replace(self, strata=drawn_strata(code, names, own, cluster, clusters_named, multiplicity))
        refuse_crossed(clusters_named, "Samples with `strata`")
        warn_of_restarted_numbers(code, cluster, clusters_named)
        like = np.ones(len(code)) if multiplicity is None else multiplicity[cluster]
        number = self.n * like
        share, total = known_sizes(names, sizes, np.bincount(code, number, len(names)))
        of_each = np.bincount(code, self.weight * like, len(names))
        if not (of_each > 0).all():
            raise HowsureError(
                f"Stratum '{names[int(np.argmin(of_each))]}' has only cases of weight 0, so nothing is known of it. "
                "Draw others from it, or merge it with another stratum, sizes too."
            )

        def design_of(rows: Array, cell: Array, size: int) -> Design:
            own = self.of(rows)
            of_rows = None if cluster is None else cluster[rows]
            return own.design(cell, size, of_rows, clusters_named, multiplicity)

        plain = cluster is None and not self.is_weighted
        found = code, tuple(names.tolist()), share, number, self.weight * like, design_of, cluster, plain, total
        return replace(self, strata=Strata(*found))

    @property
    def cases(self) -> int:
        """The number of cases of all rows."""
        return round(float(self.n.sum()))

    def counts(self, cell: Array, size: int) -> Array:
        """Return the sums of weights by cell, ``(size,)``."""
        if self.strata is not None:
            return self.strata.table(cell, size)[0]
        return np.bincount(cell, self.weight, size)

    def design(
        self,
        cell: Array,
        size: int,
        cluster: Array | None,
        names: Array | None = None,
        multiplicity: Array | None = None,
    ) -> Design:
        """Return the design of the rows for their cells, clustered if ``cluster`` is given."""
        if self.strata is not None:
            return self.strata.table(cell, size)[1]
        if cluster is not None:
            squared = self.weight_squared
            return clusters(cluster, cell, self.weight, squared, multiplicity=multiplicity, names=names)
        if not self.is_weighted:
            return Independent()
        atoms = (cell, self.weight, self.n) if self.is_single and len(cell) <= MOST_ATOMS else None
        return Weighted(np.bincount(cell, self.weight_squared, size), atoms)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Counted combinations of values, each with its cell of a table.

    Parameters
    ----------
    cell : ndarray of shape (combinations,)
        Flat cell of each combination.
    size : int
        Number of cells.
    n, weight, weight_squared : ndarray of shape (combinations,)
        Rows, weights and squared weights of each.
    cluster : ndarray of shape (combinations,), optional
        Cluster of each.
    multiplicity : ndarray of shape (clusters,), optional
        Number of identical clusters that each represents; 1 by default.
    names : ndarray of shape (clusters,), optional
        Names of the clusters.
    atoms : tuple of three ndarray, optional
        Distinct weights: see `Weighted`.
    strata : Strata, optional
        The strata of the combinations.
    classes : ndarray of shape (size, columns), optional
        The classes of each cell, which may determine the stratum.
    """

    cell: Array
    size: int
    n: Array
    weight: Array
    weight_squared: Array
    is_weighted: bool = False
    cluster: Array | None = None
    names: Array | None = None
    atoms: tuple[Array, Array, Array] | None = None
    multiplicity: Array | None = None
    strata: AnyStrata | None = None
    classes: Array | None = None

    @property
    def tally(self) -> Tally:
        """Numbers and weights of the cases of the combinations."""
        return Tally(self.n, self.weight, self.weight_squared, is_weighted=self.is_weighted, strata=self.strata)

    def drawn_from(self, code: Array, names: Array, sizes: object) -> Cells:
        """Return the combinations with strata: see `Tally.stratified`.

        Cell −1 marks cases that are in no table.
        """
        beside = self.cluster, self.names, self.multiplicity
        return replace(self, strata=self.tally.stratified(code, names, sizes, *beside).strata)

    def of(self, some: Any) -> Cells:
        """Return some of the combinations."""
        own = {name: getattr(self, name)[some] for name in ("cell", "n", "weight", "weight_squared")}
        cluster = None if self.cluster is None else self.cluster[some]
        return replace(self, **own, cluster=cluster, strata=None if self.strata is None else self.strata.of(some))

    def _all(self, values: Array) -> Array:
        """Return values of the combinations, multiplied by the number of identical clusters."""
        return values if self.multiplicity is None else values * self.multiplicity[self.cluster]

    def table(self, make: Callable[[Array, Design, Any], Made]) -> Made:
        """Return the table of all combinations, from flat counts, design and number of rows."""

        def added(values: Array) -> Array:
            return np.bincount(self.cell, self._all(values), self.size)

        rows = round(float(self._all(self.n).sum()))
        design: Design = Independent()
        if self.strata is not None:
            return make(*self.strata.table(self.cell, self.size, self.classes), rows)
        if self.cluster is not None:
            entries = self.cluster, self.cell, self.weight, self.weight_squared
            design = clusters(*entries, multiplicity=self.multiplicity, names=self.names)
        elif self.is_weighted:
            design = Weighted(added(self.weight_squared), self.atoms)
        return make(added(self.weight), design, rows)

    def tables(self, groups: Groups, make: Callable[[Array, Design, Any], Made]) -> Tables[Made]:
        """Return a table for each group, as one batch if they share a design, and the overall table."""
        rows = np.rint(np.bincount(groups.code, self._all(self.n), len(groups.keys))).astype(int)
        if isinstance(self.strata, DrawnStrata) or (self.strata is not None and not self.strata.is_plain):
            return groups.each(lambda some: self.of(some).table(make))
        if self.strata is not None:
            drawn = self.strata.designs(self.cell, self.size, groups.code, len(groups.keys), self.classes)
            return groups.tables(make(drawn.whole, drawn, rows), self.table(make))
        design: Design = Independent()
        if self.cluster is not None:
            entries = self.cluster, self.cell, self.weight, self.weight_squared
            design = clusters(*entries, groups, self.size, multiplicity=self.multiplicity, names=self.names)
        elif self.is_weighted:
            design = Weighted(groups.counted(self.cell, self.weight_squared, self.size))
        stack = make(groups.counted(self.cell, self._all(self.weight), self.size), design, rows)
        return groups.tables(stack, self.table(make))


def clusters(
    cluster: Array,
    cell: Array,
    count: Array,
    squared: Array,
    groups: Groups | None = None,
    size: int = 0,
    *,
    multiplicity: Array | None = None,
    names: Array | Combinations | None = None,
    labels_per_case: int = 1,
) -> Clusters | Crossed:
    """Return the design of cases in clusters, from sparse counts; cluster codes become consecutive.

    A cluster with cases in several groups counts as a cluster in each; clusters of zero weight are dropped. ``squared``
    holds the sums of squared weights of the entries, ``multiplicity`` the number of clusters identical to each, and
    ``names`` the names of the clusters by code. Clusters that are combinations of two factors have a crossed design.
    """
    counts = count > 0
    cluster, cell, count, squared = cluster[counts], cell[counts], count[counts], squared[counts]
    groups = None if groups is None else groups.kept(counts)
    number = int(cluster.max(initial=0)) + 1
    like = np.ones(number) if multiplicity is None else multiplicity
    times = like[cluster]
    beside: dict[str, Any] = {"labels_per_case": labels_per_case}
    if groups is None:
        present, codes = np.unique(cluster, return_inverse=True)
        weight = float(safe_divide(squared @ times, count @ times))
        found = Clusters(codes, cell, count, like[present], case_weight=weight, **beside)
    else:
        tables = len(groups.keys)
        weights = safe_divide(*(np.bincount(groups.code, each * times, tables) for each in (squared, count)))
        present, codes = np.unique(groups.code * number + cluster, return_inverse=True)
        order = np.argsort(codes, kind="stable")  # entries sorted by table
        entries = codes[order], (groups.code * size + cell)[order], count[order], like[present % number]
        found = Clusters(*entries, present // number, (tables, size), case_weight=weights, **beside)
    if isinstance(names, Combinations):
        return crossed(found, names[present % number])
    return found if names is None else replace(found, names=names[present % number])


def groups_of(named: Mapping[str, object], given: Mapping[str, object], rows: int) -> Groups:
    """Return the groups of the named columns; refuse columns of differing length.

    Parameters
    ----------
    named : mapping of str
        The result of `by_columns`.
    given : mapping of str
        The columns by role, including those of `roles`.
    rows : int
        Number of cases.
    """
    split = [encoded(role, given[role]) for role in roles(named)]
    for column in split:
        if len(column) != rows:
            raise HowsureError(f"The columns differ in length: `{column.name}` has {len(column)}, the others {rows}.")
    return groups_of_columns(list(named), split)


def groups_of_columns(names: Sequence[str], columns: Sequence[Column]) -> Groups:
    """Return the groups of encoded columns, their values in order."""
    levels, codes = [], []
    for column in columns:
        code, values = column.used()
        levels.append(values)
        codes.append(code)
    return Groups.of(names, levels, codes, [column.rank for column in columns])

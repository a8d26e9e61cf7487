"""Mappings from keys to tables of groups, chunks or experiments."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar, final

from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.errors import HowsureError, UndefinedDesignError, listed, looked_up
from howsure.grids import MOST_ROWS, Grid
from howsure.tables.addition import add_tables, stack_tables, sum_over
from howsure.tables.protocols import span, with_limits_of
from howsure.tables.serialization import registered, save
from howsure.tables.table import Table, select_table
from howsure.tables.union import in_order, natural

Table_co = TypeVar("Table_co", bound=Table, covariant=True)
ALL: Hashable = ()  # key of the table of all groups together


@final
@registered
class Tables(Mapping[Hashable, Table_co], Generic[Table_co]):
    """One table for each group, and the table of all groups together.

    An ordered mapping from group values to tables. Tables with the same cells are stored as one table with a leading
    axis, which methods evaluate in one pass.

    Parameters
    ----------
    keys : iterable of hashable
        Group values; tuples if there are several columns.
    tables : Table or sequence of Table
        A batch with one leading axis, or one table for each group.
    overall : Table
        The table of all groups together.
    columns : sequence of str
        Names of the columns that define the groups.

    Examples
    --------
    >>> import howsure as hs
    >>> tables = hs.confusion([1, 0, 1, 0], [1, 0, 0, 0], by=["a", "a", "b", "b"])
    >>> {group: table.counts.tolist() for group, table in tables.items()}
    {'a': [[1.0, 0.0], [0.0, 1.0]], 'b': [[1.0, 0.0], [1.0, 0.0]]}
    >>> tables.overall.rows
    4
    """

    def __init__(
        self,
        keys: Iterable[Hashable],
        tables: Table_co | Sequence[Table_co],
        overall: Table_co,
        columns: Sequence[str] = ("group",),
    ) -> None:
        self._keys = tuple(keys)
        self._tables = tables
        self.overall = overall
        self.columns = tuple(columns)
        self._check()

    def _check(self) -> None:
        """Check that there is one table for each key, and one of all groups."""
        invariants.instance("overall", self.overall, Table)
        invariants.instance("tables", self._tables, Table, list, tuple)
        if isinstance(self._tables, Table):
            number = self._tables.batch
        else:
            number = (len(self._tables),)
            invariants.parts("tables", tuple(self._tables) or (self.overall,), type(self.overall))
        if number != (len(self._keys),) or len(set(self._keys)) < len(self._keys):
            invariants.refuse(f"`keys` must be distinct, one for each table; there are {len(self._keys):,}.")
        width = len(self.columns)
        if width > 1 and not all(isinstance(key, tuple) and len(key) == width for key in self._keys):
            invariants.refuse(f"`keys` must have a value of each of the {width} columns.")

    @property
    def stack(self) -> Table_co | None:
        """The tables as one with a leading axis, where they have the same cells."""
        return self._tables if isinstance(self._tables, Table) else None

    def at(self, threshold: float) -> Tables[Any]:
        """Return the confusion tables of scores at a threshold.

        Parameters
        ----------
        threshold : float
            Threshold in the units of the scores; see `ScoresTable.at`.

        Raises
        ------
        HowsureError
            If the tables are not tables of scores, or the threshold is not valid for them.
        """
        if not self.overall.kind.has_thresholds:
            raise HowsureError(
                f"A threshold is for tables of one score per case, and these are of another kind: {self!r}."
            )
        return self.mapped(lambda table: table.at(threshold))

    def against_rest(self, label: object) -> Tables[Any]:
        """Return the tables of scores of one class against the rest; see `ScoreMatrixTable.against_rest`.

        Parameters
        ----------
        label : object
            The class, or its name.

        Raises
        ------
        HowsureError
            If the tables are not scores with one column per class, or there is no such class.
        """
        if "scores" not in self.overall.data_kinds or self.overall.kind.has_thresholds:
            raise HowsureError(
                f"One class against the rest is for scores with one column per class, and these are: {self!r}."
            )
        return self.mapped(lambda table: table.against_rest(label))

    def mapped(self, function: Any) -> Tables[Any]:
        """Return the results of a function for each table and for the overall table."""
        tables = function(self.stack) if self.stack is not None else [function(each) for each in self.values()]
        return Tables(self._keys, tables, function(self.overall), self.columns)

    def all_and_groups(self) -> dict[Hashable, Table_co]:
        """Return the overall table by the key `ALL`, and then each group's by its own."""
        return {ALL: self.overall, **self}

    def group(self, key: Hashable) -> dict[str, Any]:
        """Return a group's values by column, in the form of records; None in each column for `ALL`."""
        return dict.fromkeys(self.columns) if key == ALL else by_column(self.columns, key)

    def group_columns(self) -> dict[str, list[Any]]:
        """Return the groups' values by column, in the form of records; the first entry, None, is for all groups."""
        if len(self.columns) == 1:
            return {self.columns[0]: [None, *self._keys]}
        values = zip(*self._keys, strict=True)
        return {name: [None, *column] for name, column in zip(self.columns, values, strict=True)}

    def position(self, key: Hashable) -> int:
        """Return the position of a group, given by its key or its value.

        Raises
        ------
        UnknownKeyError
            If there is no such group.
        """
        if isinstance(key, int) and key not in self._positions and -len(self) <= key < len(self):
            return key % len(self)
        return looked_up("group", key, self._positions)

    @cached_property
    def _positions(self) -> dict[Hashable, int]:
        return {key: position for position, key in enumerate(self._keys)}

    def __add__(self, other: object) -> Tables[Table_co]:
        """Return the tables of both by their keys: groups of one key are parts of one group.

        Parameters
        ----------
        other : Tables
            Tables with the same columns and of the same kind, from other cases.

        Raises
        ------
        HowsureError
            If the columns differ, or tables do not add up: see `Table`.

        Examples
        --------
        >>> import howsure as hs
        >>> monday = hs.confusion([1, 0, 1], [1, 0, 0], by=["a", "a", "b"])
        >>> tuesday = hs.confusion([1, 0], [1, 1], by=["b", "c"])
        >>> {site: table.rows for site, table in (monday + tuesday).items()}
        {'a': 2, 'b': 2, 'c': 1}
        """
        if not isinstance(other, Tables):
            return NotImplemented
        if other.columns != self.columns:
            raise HowsureError(
                f"The groups are by {listed(self.columns)} and by {listed(other.columns)}. Use the same columns."
            )
        overall = add_tables(self.overall, [other.overall])
        keys = in_order([list(self), list(other)], "groups", "Give the groups of all parts in one order.", natural)
        members = [[each[key] for each in (self, other) if key in each] for key in keys]
        if self.stack is None or other.stack is None:
            apart = [with_limits_of(sum_over(span(first, more), [first, *more]), overall) for first, *more in members]
            return Tables(keys, apart, overall, self.columns)
        empty = span(self.overall, [other.overall])
        tables = [sum_over(empty, each) for each in members]
        try:
            return Tables(keys, stack_tables(tables), overall, self.columns)
        except UndefinedDesignError:
            return Tables(keys, tables, overall, self.columns)

    def __radd__(self, other: object) -> Tables[Table_co]:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # `sum` starts from 0

    def save(self, path: str | Path) -> Path:
        """Write the tables to a file, whole or not at all: see `Table.save`; `howsure.load` reads them again.

        Parameters
        ----------
        path : str or Path
            Where to.

        Returns
        -------
        Path
        """
        return save(self, path)

    def parts(self) -> dict[str, Any]:
        """Return the parts of the tables, in the form stored in files."""
        tables = self._tables if isinstance(self._tables, Table) else tuple(self._tables)
        return {"keys": self._keys, "tables": tables, "overall": self.overall, "columns": self.columns}

    def __getitem__(self, key: Hashable) -> Table_co:
        position = self.position(key)
        return select_table(self._tables, position) if isinstance(self._tables, Table) else self._tables[position]

    def __contains__(self, key: object) -> bool:
        with suppress(TypeError):  # lists are no keys
            return key in self._positions
        return False

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def _repr_html_(self) -> str:
        shown = list(islice(self, MOST_ROWS - 2))
        groups = [(*map(str, self.group(key).values()), f"{self[key].rows:,}") for key in shown]
        left = [(f"… {len(self) - len(shown):,} more", *[""] * len(self.columns))] if len(self) > len(shown) else []
        whole = ("all", *[""] * (len(self.columns) - 1), f"{self.overall.rows:,}")
        rows = (whole, *groups, *left) if self.columns else (("all", whole[-1]),)
        return Grid((*(self.columns or ("group",)), "cases"), tuple(rows), repr(self)).for_notebook()

    def __repr__(self) -> str:
        return f"<Tables by {', '.join(self.columns)}: {len(self):,} groups of {self.overall!r}>"


def by_column(columns: Sequence[str], key: Hashable) -> dict[str, Any]:
    """Return the values of a group's key by column."""
    values = key if len(columns) > 1 and isinstance(key, tuple) else (key,)
    return dict(zip(columns, values, strict=True))


def in_groups(tables: Table | Tables[Any]) -> Tables[Any]:
    """Return tables unchanged, and a single table as the overall table without groups."""
    return tables if isinstance(tables, Tables) else Tables((), [], tables, ())

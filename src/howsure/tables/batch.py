"""Tables of groups, chunks or experiments, by their keys."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Generic, TypeVar, final

from howsure.errors import HowsureError, looked_up
from howsure.tables.table import Table

Table_co = TypeVar("Table_co", bound=Table, covariant=True)
ALL: Hashable = ()  # in place of a group's key: the cases of all groups


@final
class Tables(Mapping[Hashable, Table_co], Generic[Table_co]):
    """One table for each group, and all groups together.

    A mapping of the groups' values to their tables, in order. Where the tables have the same cells they are one
    table with a leading axis, which methods take in one pass.

    Parameters
    ----------
    keys : iterable of hashable
        The groups' values; tuples where there are several columns.
    tables : Table or sequence of Table
        A batch with one leading axis, or one table for each group.
    overall : Table
        The table of all groups together.
    columns : sequence of str
        Names of the columns that the groups are made by.

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

    @property
    def stack(self) -> Table_co | None:
        """The tables as one with a leading axis, where they have the same cells."""
        return self._tables if isinstance(self._tables, Table) else None

    def at(self, threshold: float) -> Tables[Any]:
        """Return the confusion tables of scores at a threshold.

        Parameters
        ----------
        threshold : float
            In the units of the scores; see `ScoresTable.at`.

        Raises
        ------
        HowsureError
            If the tables are not of scores, or the threshold is none of theirs.
        """
        if not self.overall.has_thresholds:
            message = f"A threshold is for tables of one score per case, and these are of another kind: {self!r}."
            raise HowsureError(message)
        return self.mapped(lambda table: table.at(threshold))

    def mapped(self, function: Any) -> Tables[Any]:
        """Return what a function makes of each table, and of the overall one."""
        tables = function(self.stack) if self.stack is not None else [function(each) for each in self.values()]
        return Tables(self._keys, tables, function(self.overall), self.columns)

    def all_and_groups(self) -> dict[Hashable, Table_co]:
        """Return the overall table by the key `ALL`, and then each group's by its own."""
        return {ALL: self.overall, **self}

    def group(self, key: Hashable) -> dict[str, Any]:
        """Return a group's values by column, as records show them; None in each column for `ALL`."""
        return dict.fromkeys(self.columns) if key == ALL else by_column(self.columns, key)

    def group_columns(self) -> dict[str, list[Any]]:
        """Return the groups' values by column, as records show them; None leads, for all groups together."""
        if len(self.columns) == 1:
            return {self.columns[0]: [None, *self._keys]}
        values = zip(*self._keys, strict=True)
        return {name: [None, *column] for name, column in zip(self.columns, values, strict=True)}

    def position(self, key: Hashable) -> int:
        """Return the position of a group, which may be given itself where it is no key.

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

    def __getitem__(self, key: Hashable) -> Table_co:
        position = self.position(key)
        return self._tables.picked(position) if isinstance(self._tables, Table) else self._tables[position]

    def __contains__(self, key: object) -> bool:
        with suppress(TypeError):  # lists are no keys
            return key in self._positions
        return False

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return f"<Tables by {', '.join(self.columns)}: {len(self):,} groups of {self.overall!r}>"


def by_column(columns: Sequence[str], key: Hashable) -> dict[str, Any]:
    """Return the values of a group's key by the columns that the groups are made by."""
    values = key if len(columns) > 1 and isinstance(key, tuple) else (key,)
    return dict(zip(columns, values, strict=True))


def in_groups(tables: Table | Tables[Any]) -> Tables[Any]:
    """Return tables as they are, and a single table as the overall one of no groups."""
    return tables if isinstance(tables, Tables) else Tables((), [], tables, ())

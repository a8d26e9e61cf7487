"""Results for the tables of groups: for all groups together, and for each group with its own random stream."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast, final, overload

import numpy as np

from howsure.arrays import Seed
from howsure.errors import HowsureError, looked_up
from howsure.estimates.named import Named, by_name
from howsure.grids import MOST_LINES, MOST_ROWS, Grid, Tabular, grid_of
from howsure.methods.core.draws import group_seed, seed_sequence
from howsure.tables.batch import Tables, by_column

T = TypeVar("T", bound=Tabular)
T_co = TypeVar("T_co", bound=Tabular, covariant=True)
P = ParamSpec("P")
ALL = "all"  # printed name of the row of all groups


def word_for_all(columns: Mapping[str, Sequence[object]]) -> str:
    """Return the name of the row of all groups: "all", or "all cases" if a group is named "all".

    Parameters
    ----------
    columns : mapping of str to sequence
        The values of the groups' columns.
    """
    return "all cases" if any(str(value) == ALL for values in columns.values() for value in values) else ALL


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Results(Tabular, Named, Mapping[str, T_co], Generic[T_co]):
    """Results of one kind by name, for example by model or by metric.

    Parameters
    ----------
    results : mapping of str to result
        Results by name, in order.
    column : str
        Kind of the names, such as ``"model"``: the first column of the records.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1], {"A": [1, 1, 0, 1, 1], "B": [1, 0, 0, 1, 0]})
    >>> found = hs.evaluate_models(table, "accuracy")
    >>> list(found), [(each["model"], each["value"]) for each in found.records()]
    (['A', 'B'], [('A', 0.8), ('B', 0.4)])
    """

    results: Mapping[str, T_co]
    column: str

    def __getitem__(self, name: str) -> T_co:
        return looked_up(self.column, str(name), self.results)  # a modality or reader may be a number

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def by_name(self) -> dict[str, Any]:
        """Return the results by name."""
        return dict(self.results)

    def records(self) -> list[dict[str, Any]]:
        """Return the records of all results, with the name first."""
        return [{self.column: name} | record for name, each in self.items() for record in each.records()]

    def grid(self) -> Grid:
        """Return a table of strings with the rows of all results."""
        rows = _stacked((self.column,), (((name,), each) for name, each in self.items()))
        return grid_of(self.records()) if rows is None else rows


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Grouped(Tabular, Named, Mapping[Hashable, T_co], Generic[T_co]):
    """Results of groups: a mapping from the value of each group to its result, and the result of all groups together.

    Parameters
    ----------
    results : mapping of hashable to result
        Results by group, in order. The key is the group's value, or a tuple of values for several columns.
    overall : result
        Result of all groups together.
    columns : tuple of str
        Names of the columns that define the groups.

    Examples
    --------
    >>> import howsure as hs
    >>> y_true, group = [1, 1, 0, 0, 1, 0] * 20, ["a", "a", "a", "b", "b", "b"] * 20
    >>> tables = hs.scores(y_true, range(120), by=group)
    >>> curves = hs.roc_curve(tables)
    >>> list(curves), curves.columns, len(curves["a"].x), len(curves.overall.x)
    (['a', 'b'], ('group',), 61, 121)
    >>> curves.records()[0]["group"] is None, curves.records()[-1]["group"]
    (True, 'b')
    """

    results: Mapping[Hashable, T_co]
    overall: T_co
    columns: tuple[str, ...] = ("group",)

    def __getitem__(self, key: Hashable) -> T_co:
        return looked_up("group", key, self.results)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def _word_for_all(self) -> str:
        columns = [values for values, _ in self._all() if values is not None]
        return word_for_all({str(place): list(values.values()) for place, values in enumerate(columns)})

    def by_name(self) -> dict[str, Any]:
        """Return the items by name, such as ``"all"`` and ``"a"``, or ``"a: A − B"``."""
        found: dict[str, Any] = {}
        for values, each in self._all():
            words = self._word_for_all if values is None else ", ".join(map(str, values.values()))
            inside: dict[str, Any] = by_name(each) if isinstance(each, Named) else {}
            found |= {f"{words}: {name}": one for name, one in inside.items()} if inside else {words: each}
        return found

    def records(self) -> list[dict[str, Any]]:
        """Return the records of the overall result, with None as group, followed by those of each group.

        The groups' columns come first. Their names get the prefix ``group_`` if the result has a column of that name.
        """
        nothing = dict.fromkeys(self.columns)
        rows = [(values or nothing, record) for values, each in self._all() for record in each.records()]
        taken = {name for _, record in rows for name in record}
        names = [f"group_{name}" if name in taken else name for name in self.columns]
        return [dict(zip(names, values.values(), strict=True)) | record for values, record in rows]

    def grid(self) -> Grid:
        """Return a table of strings with the rows of all results."""
        first = (self._word_for_all,) * len(self.columns)
        parts = ((first if values is None else tuple(map(str, values.values())), each) for values, each in self._all())
        rows = _stacked(self.columns, parts)
        return grid_of(self.records()) if rows is None else rows

    def __repr__(self) -> str:
        return self._first(MOST_LINES - 3).for_terminal()

    def _repr_html_(self) -> str:
        return self._first(MOST_ROWS).for_notebook()

    def _first(self, most_rows: int) -> Grid:
        """Return the grid of the first groups, with a note on the number of groups left out."""
        shown: dict[Hashable, T_co] = {}
        rows = len(self.overall.records())
        for key, each in self.items():
            rows += len(each.records())
            if rows > most_rows:
                break
            shown[key] = each
        grid = Grouped(results=shown, overall=self.overall, columns=self.columns).grid().shortened(most_rows)
        left = len(self) - len(shown)
        words = [f"… and {left:,} more groups"] if left else []
        return replace(grid, caption="; ".join([*words, *filter(None, [grid.caption])]))

    def _all(self) -> Iterator[tuple[dict[str, Any] | None, T_co]]:
        yield None, self.overall
        for key, each in self.items():
            yield by_column(self.columns, key), each


def _stacked(headers: Sequence[str], parts: Iterable[tuple[tuple[str, ...], Tabular]]) -> Grid | None:
    """Return the grids of several results as one; None if their columns differ, or rows are the fields of a record."""
    rows: list[tuple[str, ...]] = []
    captions: dict[str, list[str]] = {}
    shown: tuple[str, ...] | None = None
    for words, each in parts:
        grid = each.grid()
        shown = grid.headers if shown is None else shown
        if grid.headers != shown or (not grid.headers[0] and len(grid.rows) != len(each.records())):
            return None
        rows += [(*words, *row) for row in grid.rows]
        if grid.caption:
            captions.setdefault(grid.caption, []).append(" ".join(words))
    said = [", ".join(of) + f": {each}" for each, of in captions.items()] if len(captions) > 1 else [*captions]
    return Grid((*headers, *(shown or ())), tuple(rows), "; ".join(said))


def grouped(
    tables: Tables[Any], function: Callable[[Any, np.random.SeedSequence], T], random_state: Any = None
) -> Grouped[T]:
    """Apply a function to the overall table and to the table of each group, each with its own random stream.

    Parameters
    ----------
    tables : Tables
        The tables of the groups.
    function : callable
        ``(table, seed)`` → result.
    random_state : int, sequence of int, Generator, SeedSequence or None
        Seed for the overall table, from which the seeds of the groups are derived (see `group_seed`).

    Raises
    ------
    HowsureError
        If the function raises it for a table; the message names the group.
    """
    seed = seed_sequence(random_state)
    overall = function(tables.overall, seed)
    return Grouped(results=of_groups(tables, function, seed), overall=overall, columns=tables.columns)


def of_groups(
    tables: Mapping[Any, object], function: Callable[[Any, np.random.SeedSequence], Any], random_state: Seed = None
) -> dict[Any, Any]:
    """Apply a function to the table of each group; see `grouped`."""
    seed = seed_sequence(random_state)
    found = {}
    for key, table in tables.items():
        try:
            found[key] = function(table, group_seed(seed, key))
        except HowsureError as error:
            raise HowsureError(f"Group '{key}': {error}") from None
    return found


class AppliedByGroup(Protocol[P, T_co]):
    """A function of one table that also accepts `Tables`."""

    @overload
    def __call__(self, table: Tables[Any], /, *args: P.args, **settings: P.kwargs) -> Grouped[T_co]: ...
    @overload
    def __call__(self, table: object, /, *args: P.args, **settings: P.kwargs) -> T_co: ...


def apply_by_group(function: Callable[Concatenate[Any, P], T]) -> AppliedByGroup[P, T]:
    """Decorate a function of one table so that it also accepts `Tables`; each group gets its own ``random_state``."""
    of_table: Callable[..., T] = function

    @wraps(function)
    def taken(table: object, *args: object, **settings: object) -> Any:
        if not isinstance(table, Tables):
            return of_table(table, *args, **settings)
        draws = "random_state" in inspect.signature(function).parameters
        random_state = settings.pop("random_state", None) if draws else None

        def of_one(one: object, seed: np.random.SeedSequence) -> T:
            return of_table(one, *args, **settings, **({"random_state": seed} if draws else {}))

        return grouped(table, of_one, random_state)

    return cast("AppliedByGroup[P, T]", taken)

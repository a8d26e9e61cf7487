"""The source of event tables: true positives, false positives and false negatives of each unit."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass, replace
from typing import Any, Unpack, overload

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.sources.columns import checked_weight, refuse_other_lengths
from howsure.sources.encoding import EXACT, Column, encoded
from howsure.sources.frames import columns
from howsure.sources.groups import by_columns, groups_of_columns, roles
from howsure.sources.keywords import Cases
from howsure.sources.repeated import as_met, names_of_models
from howsure.sources.to_numpy import plain
from howsure.sources.units import UnitRows
from howsure.tables.batch import Tables
from howsure.tables.events import EACH, EventsTable
from howsure.tables.units import PairedUnitsTable

NUMBERS = ("tp", "fn", "fp")  # in the order of a class's cells
NO_LABEL = np.array(["event"])


class _Keywords(Cases, total=False):
    """Keyword arguments that do not decide the type of the result."""

    unit: object
    label: object


@overload
def events(
    tp: object, fp: object, fn: object, *, model: None = None, by: None = None, **keywords: Unpack[_Keywords]
) -> EventsTable: ...


@overload
def events(
    tp: object, fp: object, fn: object, *, model: Sized, by: None = None, **keywords: Unpack[_Keywords]
) -> PairedUnitsTable: ...


@overload
def events(
    tp: object, fp: object, fn: object, *, model: Sized | None = ..., by: Sized, **keywords: Unpack[_Keywords]
) -> Tables[Any]: ...


def events(
    tp: object,
    fp: object,
    fn: object,
    *,
    unit: object = None,
    label: object = None,
    model: Sized | None = None,
    data: object = None,
    sample_weight: object = None,
    groups: object = None,
    counts: object = None,
    by: Sized | None = None,
    check: bool = True,
) -> EventsTable | PairedUnitsTable | Tables[Any]:
    """Count true positives, false positives and false negatives in units such as images, documents or patients.

    True negatives are not defined for entities, lesions, boxes or foreground pixels, so metrics that need them are
    refused. Precision, recall, F1 (Dice), Jaccard's index (IoU) and false positives per unit pool the counts of all
    units. The sampling unit is the image, document or patient: counts within a unit may be correlated. For the mean
    over units of a metric of each unit, see `per_unit`.

    Parameters
    ----------
    tp, fp, fn : array-like of shape (n,) or str
        True positives, false positives and false negatives of each row: numbers that are not negative; or, with
        ``data``, the names of their columns. Rows of one unit, label and model add up.
    unit : array-like of shape (n,) or str, optional
        The image, document or patient of each row; by default each row is one.
    label : array-like of shape (n,) or str, optional
        The class of each row's numbers. A class without a row in a unit has counts of zero there.
    model : array-like of shape (n,) or str, optional
        The model of each row, where several were run on the same units. A unit without events has a row of zeros.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each row's unit: the same in all its rows.
    groups : array-like of shape (n,) or str, optional
        Cluster of each row's unit, the same in all its rows: images of one patient may be correlated. For nested
        clusters give the outermost level.
    counts : array-like of shape (n,) or str, optional
        Number of identical units in each row; only without ``unit``.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    EventsTable, PairedUnitsTable or Tables
        The counts by class; with ``model`` those of all models, where ``table.model("A")`` is the table of one. If
        ``by`` is given, a mapping of the group tables, where ``overall`` is the table of all units.

    Raises
    ------
    HowsureError
        If columns differ in length, are empty or have missing values; if a number is negative or not finite; or if a
        unit has two groups or weights, or no row of one of the models.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.events(tp=[8, 5, 9, 0, 7, 6], fp=[1, 0, 2, 1, 0, 1], fn=[2, 3, 0, 1, 1, 2])
    >>> print(hs.evaluate(table, ["precision", "recall", "f1", "fp_per_unit"]))
    metric       value   95 % interval  std. error  method
    ──────────────────────────────────────────────────────
    precision    0.875  [0.650, 0.978]      0.0419   mid_p
    recall       0.795  [0.551, 0.941]      0.0631   mid_p
    f1           0.833  [0.690, 0.924]      0.0364   mid_p
    fp_per_unit  0.833  [0.308, 2.257]      0.3073   delta
    """
    named = by_columns(by, data)
    others = {"unit": unit, "label": label, "model": model, "sample_weight": sample_weight, "groups": groups}
    if counts is not None and unit is not None:
        raise HowsureError(
            "`counts` say how many identical units a row stands for, and `unit` tells units apart. Give one."
        )
    given = columns(
        data,
        {"tp": tp, "fn": fn, "fp": fp}
        | {role: each for role, each in (others | roles(named)).items() if each is not None},
        check=check,
        counts=counts,
    )
    numbers = {role: _numbers(role, given[role]) for role in NUMBERS}
    coded: dict[str, Column] = {
        role: encoded(role, given[role]) for role in ("unit", "label", "model", "groups") if role in given
    }
    split = [encoded(role, given[role]) for role in roles(named)]
    weight = checked_weight(given["sample_weight"]) if "sample_weight" in given else None
    refuse_other_lengths({**numbers, **coded, **{each.name: each for each in split}, "sample_weight": weight})
    alone = [role for role in ("label", "model") if role in coded and "unit" not in coded]
    if alone:
        raise HowsureError(f"`{alone[0]}` needs `unit`: which image, document or patient each row is of.")
    rows = _Rows(numbers, coded, weight)
    return groups_of_columns(list(named), split).each(rows.table) if named else rows.table(slice(None))


def _numbers(argument_name: str, given: object) -> Array:
    try:
        found = np.asarray(plain(argument_name, given), dtype=float)
    except (TypeError, ValueError, OverflowError):
        remedy = "To name a column of a frame or file, give `data=`" if isinstance(given, str) else "Give numbers"
        raise HowsureError(f"`{argument_name}` is not numeric. {remedy}: how many there are in each row.") from None
    if found.ndim != 1 or not len(found):
        what = f"has shape {found.shape}" if found.ndim != 1 else "is empty"
        raise HowsureError(f"`{argument_name}` {what}. Give one number for each unit, or each class in a unit.")
    for bad, words in (
        (~np.isfinite(found), "missing or infinite"),
        (found < 0, "negative"),
        (found > EXACT, "beyond what is counted exactly"),
    ):
        if bad.any():
            first = int(np.argmax(bad))
            raise HowsureError(
                f"`{argument_name}[{first}]` = {found[first]:g} is {words}. Give how many there are, 0 or more."
            )
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows: numbers by role, the encoded columns of unit, class and model, and weights."""

    numbers: dict[str, Array]
    coded: dict[str, Column]
    weight: Array | None

    def table(self, some: Any) -> EventsTable | PairedUnitsTable:
        """Return the table of some of the rows."""
        weight = None if self.weight is None else self.weight[some]
        label, labels = self.coded["label"].used() if "label" in self.coded else (None, NO_LABEL)
        own = {role: replace(each, codes=each.codes[some]) for role, each in self.coded.items()}
        size = 1 + EACH * len(labels)
        units = UnitRows.of(len(self.numbers["tp"][some]), own.get("unit"), own.get("groups"), weight)
        first = np.ones(len(units.unit), dtype=np.int32)  # of the row's cells
        if label is not None:
            first += np.multiply(EACH, label[some], dtype=np.int32)
        models, number = None, 1
        if "model" in own:
            model, models = as_met(own["model"])
            units.refuse_gaps(model, models)
            first, number = first + np.multiply(size, model, dtype=np.int32), len(models)
        every = np.arange(units.number, dtype=np.int32)
        entries = [
            (every, np.full(len(every), size * each, dtype=np.int32), np.ones(len(every))) for each in range(number)
        ]
        for place, role in enumerate(NUMBERS):
            column = self.numbers[role][some]
            rows = np.flatnonzero(column)
            entries.append((units.unit[rows], first[rows] + np.int32(place), column[rows]))
        unit, cell, count = (np.concatenate(each) for each in zip(*entries, strict=True))
        counts, design = units.counted(unit, cell, count, size * number)
        facts: dict[str, Any] = {"labels": labels, "rows": units.number}
        if models is None:
            return EventsTable(counts=counts, design=design, **facts)
        parts = tuple(EventsTable(counts=np.zeros(size), **facts) for _ in range(number))
        return PairedUnitsTable(counts=counts, design=design, names=names_of_models(models), own=parts, **facts)

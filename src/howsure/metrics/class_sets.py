"""The classes of an average: fixed when a metric is bound to its table, and equal for all models of a comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, cast, final

import numpy as np

from howsure.arrays import Array
from howsure.metrics.spec import Spec
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table

ROUNDING = 1e-12  # change of a value, per relative change of the counts, that is rounding


@final
@dataclass(frozen=True, slots=True, eq=False)
class ClassSet:
    """The classes that enter an average, fixed by the observed tables; resamples and priors do not change them.

    A class on which the metric is undefined is left out, or has the constant value ``zero_division``. A class without
    true cases whose value cannot vary (precision, F1 and Jaccard's index are 0) keeps that value as a constant.

    Parameters
    ----------
    named : ndarray of int
        Positions of the requested classes.
    kept : ndarray of int
        Positions of the classes that enter; equal to ``named`` if none would be left.
    constants : ndarray of shape (K,)
        The value of each constant class, otherwise nan.
    is_empty : bool
        Whether no class is left, so that the average is undefined.
    differs : bool
        Whether the tables of a batch have different sets; each is then bound separately.
    """

    named: Array
    kept: Array
    constants: Array
    is_empty: bool = False
    differs: bool = False

    @classmethod
    def of(cls, spec: Spec, table: Table, named: Array | None, without: Array | None) -> Self:
        """Return the classes of an average on a table.

        Parameters
        ----------
        spec : Spec
            The metric of one class; its ``zero_division``.
        table : Table
            A table, or a batch.
        named : ndarray of int, optional
            Positions of the classes to average over; all by default.
        without : ndarray of bool of shape (K,), optional
            Classes that are left out for another model of the comparison.
        """
        every = np.arange(len(table.labels)) if named is None else named
        elsewhere = np.zeros(len(table.labels), dtype=bool) if without is None else without
        undefined, constants = _observed(spec, table)
        constants = np.where(elsewhere, np.nan, constants)
        left = elsewhere | (undefined & np.isnan(constants))
        if any((part != part[:1]).any() for part in (left, np.isnan(constants))):
            kept = every[~elsewhere[every]]
            return cls(every, kept, np.full(constants.shape[-1], np.nan), not len(kept), differs=True)
        kept = every[~left[0][every]]
        is_empty = not len(kept) and bool(elsewhere.any())  # a single table's values are undefined by themselves
        return cls(every, kept if len(kept) else every, constants[0], is_empty)

    @property
    def varies(self) -> bool:
        """Whether no class is a constant."""
        return bool(np.isnan(self.constants).all())

    def among_named(self, undefined: Array) -> Array:
        """Return which of the named classes are undefined, from those of the average that are."""
        found = ~np.isin(self.named, self.kept)
        found[~found] = undefined
        return found

    @property
    def fixed(self) -> Array:
        """The values of the classes of the average that are constants."""
        own = self.constants[self.kept]
        return np.asarray(own[~np.isnan(own)])

    def filled(self, values: Array) -> Array:
        """Return values of all classes, ``(..., K)``, with the constants in place."""
        if self.is_empty:
            return np.full(values.shape, np.nan)
        return values if self.varies else np.where(np.isnan(self.constants), values, self.constants)


def _observed(spec: Spec, table: Table) -> tuple[Array, Array]:
    """Return which classes are undefined, and the constants, on each table of a batch, ``(tables, K)``."""
    counts = cast("ClassCounts", table.counted)
    outcomes = tuple(part.reshape(-1, part.shape[-1]) for part in np.broadcast_arrays(*counts.outcomes()))
    with np.errstate(all="ignore"):
        values = np.asarray(spec.definition.evaluate(*outcomes, **spec.arguments), dtype=float)
        undefined = np.isnan(values)
        constants = np.where(undefined, spec.zero_division, np.nan)
        absent = (outcomes[0] + outcomes[1] == 0) & ~undefined
        if absent.any():
            by_others = spec.definition.slopes(*outcomes, **spec.arguments)[2:]
            moves = np.abs(by_others) * np.sum(outcomes, axis=0)  # whatever the unit of the counts
            constants = np.where(absent & (moves <= ROUNDING).all(0), values, constants)
    return undefined, constants


def gaps(spec: Spec, tables: Sequence[Table]) -> Array:
    """Return the classes that an average leaves out for all of several models, ``(K,)``.

    They are those on which it is undefined for one of them, or which are a constant for some and not for others: a
    class without true cases that one model alone predicts enters no average.

    Parameters
    ----------
    spec : Spec
        The metric of one class.
    tables : sequence of Table
        The models' tables, of the same classes.
    """
    if not math.isnan(spec.zero_division):
        return np.zeros(len(tables[0].labels), dtype=bool)
    undefined, constants = map(np.concatenate, zip(*(_observed(spec, each) for each in tables), strict=True))
    constant = ~np.isnan(constants)
    return np.asarray(undefined.any(0) | (constant.any(0) & ~constant.all(0)))


def unseen(spec: Spec, table: Table) -> Array:
    """Return the classes without true cases, ``(K,)``, which enter no average of one of several test sets.

    Parameters
    ----------
    spec : Spec
        The metric of one class; with ``zero_division`` every class enters.
    table : Table
        One table.
    """
    counts = cast("ClassCounts", table.counted)
    return np.asarray((counts.rows == 0) & math.isnan(spec.zero_division))


def alike(table: Table) -> list[tuple[Array, Table]]:
    """Return the parts of a batch in which the same classes occur, in truth and in predictions, with their places."""
    counts = cast("ClassCounts", table.counted)
    occurs = np.concatenate([counts.rows > 0, counts.columns > 0], -1).reshape(math.prod(table.batch), -1)
    _, kind = np.unique(occurs, axis=0, return_inverse=True)
    order = np.argsort(kind.ravel(), kind="stable")
    rows = np.broadcast_to(table.rows, table.batch)
    parts = np.split(order, np.flatnonzero(np.diff(kind.ravel()[order])) + 1)
    return [(part, replace(table, counts=table.counts[part], rows=rows[part])) for part in parts]

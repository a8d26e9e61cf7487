"""Several models on one test set: the joint table of true and predicted labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.designs.base import Design
from howsure.errors import HowsureError, NoCaseError
from howsure.sources.columns import Grouped
from howsure.sources.confusion import are_named, class_labels, grouped_by_weight, refuse_mixed, warn_of_left_out
from howsure.sources.crossed import drawn_anew
from howsure.sources.doubtful_lines import refuse_doubtful_lines
from howsure.sources.frames import grouped
from howsure.sources.groups import Cells, Groups, by_columns, roles
from howsure.sources.keywords import Classes, Models, Sampled
from howsure.sources.layout import covers, is_stated
from howsure.sources.long import Incomplete, by_model, refuse_incomplete
from howsure.sources.strata import ROLE, counted_roles
from howsure.tables.batch import Tables
from howsure.tables.labels import as_labels
from howsure.tables.paired import PairedTable
from howsure.tables.prior_tuples import pseudo_tuples
from howsure.tables.union import distinct_and_places


class _Keywords(Sampled, Classes, Models, total=False):
    """Keyword arguments that do not decide the type of the result."""


@overload
def paired(
    y_true: object, y_pred: Mapping[str, object] | Sequence[str], *, by: None = None, **keywords: Unpack[_Keywords]
) -> PairedTable: ...


@overload
def paired(
    y_true: object, y_pred: Mapping[str, object] | Sequence[str], *, by: Sized, **keywords: Unpack[_Keywords]
) -> Tables[PairedTable]: ...


def paired(
    y_true: object,
    y_pred: Mapping[str, object] | Sequence[str],
    *,
    data: object = None,
    model: object = None,
    case: object = None,
    incomplete: Incomplete = "refuse",
    labels: ArrayLike | None = None,
    pos_label: object = None,
    groups: object = None,
    fixed: str | None = None,
    strata: object = None,
    stratum_sizes: Mapping[Any, float] | None = None,
    sample_weight: object = None,
    counts: object = None,
    by: Sized | None = None,
    check: bool = True,
) -> PairedTable | Tables[PairedTable]:
    """Count the predictions of several models on the same cases.

    Parameters
    ----------
    y_true : array-like of shape (n,) or str
        True label of each case; or, with ``data``, the name of its column.
    y_pred : mapping of str to array-like of shape (n,), frame, or list of str
        Mapping from model name to predicted labels, or to their column's name; with ``data`` also a list of columns,
        without it a frame with a column for each model. If ``model`` is given, the predicted label of each row.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    model, case : array-like of shape (n,) or str, optional
        The model name and the case identifier of each row, for long data with one row per model and case. Models are
        joined by case, never by position.
    incomplete : {"refuse", "drop"}
        Whether cases of long data that a model lacks are refused or left out.
    labels : array-like of shape (K,), optional
        The classes, in order; cases with any other label are left out. The default is all that occur, sorted.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    groups : array-like of shape (n,), str, or two of them, optional
        Cluster of each case (patient, document, user): cases of one cluster may be correlated. Two crossed factors,
        such as readers and cases or models and items, are a list of two columns or a mapping of them by name.
    fixed : str, optional
        One of two factors, whose levels a new study would keep: only those of the other are drawn anew.
    strata : array-like of shape (n,) or str, optional
        Stratum of each case, for samples whose cases, or ``groups``, were drawn stratum by stratum.
    stratum_sizes : mapping, optional
        Number of cases of each stratum in a finite population; or, for a large population, the proportion of each
        stratum (they sum to 1). Without it the sizes are unknown, and cases count by ``sample_weight``.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    PairedTable or Tables
        Counts of the distinct tuples (true, first model, second model …); ``table.model("A")`` is one model's confusion
        table. If ``by`` is given, a mapping of the group tables, where ``overall`` is the table of all cases.

    Raises
    ------
    HowsureError
        If there are fewer than two models, or columns differ in length, are empty, have missing values, or do
        not exist.

    Notes
    -----
    The joint table includes the correlation between models, so the variance of a difference follows from it like that
    of any metric. Pseudo-counts of a prior are distributed so that, for each pair of models, both right, both wrong,
    and only the first or only the second right have equal prior weight. For two models and two classes this is half a
    case in each of the four cells, as recommended by Agresti and Min (2005, Statistics in Medicine 24).

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1], {"A": [1, 1, 0, 1, 1], "B": [1, 0, 0, 1, 0]})
    >>> table.models, table.model("B").counts.astype(int).tolist()
    (['A', 'B'], [[1, 1], [2, 1]])
    """
    groups = drawn_anew(groups, fixed, data)
    if model is not None or case is not None:
        named = by_columns(by, data)
        others = {"groups": groups, "sample_weight": sample_weight, "counts": counts, ROLE: strata} | named
        data, y_pred = by_model(data, y_true, y_pred, model, case, others, incomplete)
        y_true, groups, sample_weight, counts, strata, by = roles_of_long(groups, sample_weight, counts, strata, named)
    else:
        refuse_incomplete(incomplete)
    models = models_by_name(y_pred, data)
    keys = {"y_true": y_true} | {f"y_pred['{name}']": column for name, column in models.items()}
    if groups is not None:
        keys["groups"] = groups
    clustered = len(keys) - 1
    keys |= counted_roles(strata, stratum_sizes, groups, sample_weight)
    named = by_columns(by, data)
    first = len(keys)
    counted = grouped(data, keys | roles(named), sample_weight, check=check, counts=counts)
    if check:
        columns = 1 + len(models)
        refuse_doubtful_lines(counted, columns, data, keys, labels=labels, weight=sample_weight, counts=counts)
    by_weight = None
    if sample_weight is not None and groups is None and data is None and not named:
        by_weight = grouped_by_weight(keys, sample_weight)
    if by_weight is not None:
        each = by_weight.levels[-1][by_weight.codes[-1]].astype(float)
        mass = each * by_weight.n
        counted = replace(by_weight, weight=mass, weight_squared=each * mass)
    axis, stated = _axis(counted, list(models), labels, pos_label, check=check)
    codes = _coded(counted, axis, len(models) + 1)
    kept = (codes >= 0).all(1)
    if not kept.any():
        raise NoCaseError("No case has all its labels among `labels`.")
    warn_of_left_out(counted, axis, len(models), check=check)
    possible = pseudo_tuples(len(axis), len(models))
    tuples, inverse = distinct_and_places(np.vstack([codes[kept], possible]))
    cell, pseudo = np.split(inverse, [int(kept.sum())])
    shares = np.bincount(pseudo, minlength=len(tuples)) / len(pseudo)
    every = np.full(len(codes), -1)
    every[kept] = cell
    cells = Cells(
        every,
        len(tuples),
        counted.n,
        counted.weight,
        counted.weight_squared,
        is_weighted=sample_weight is not None,
        cluster=None if groups is None else counted.codes[clustered],
        names=None if groups is None or counted.multiplicity is not None else counted.levels[clustered],
        atoms=None if by_weight is None else (cell, each[kept], by_weight.n[kept]),
        multiplicity=counted.multiplicity,
        classes=tuples,
    )
    if strata is not None:
        cells = cells.drawn_from(counted.codes[first - 1], counted.levels[first - 1], stratum_sizes)
    cells = cells.of(kept)

    def table(counts: Array, design: Design, rows: object) -> PairedTable:
        own: dict[str, Any] = {"labels": axis, "is_ordered": stated, "names": tuple(models)}
        return PairedTable(counts=counts, codes=tuples, pseudo=shares, design=design, rows=rows, **own)

    if not named:
        return cells.table(table)
    split = [code[kept] for code in counted.codes[first:]]
    return cells.tables(Groups.of(list(named), counted.levels[first:], split, counted.ranks[first:]), table)


def _coded(counted: Grouped, axis: Array, columns: int) -> Array:
    """Return the position of each combination's labels among the classes, by column; −1 for other labels."""
    position = {label: index for index, label in enumerate(axis.tolist())}
    places = [np.array([position.get(label, -1) for label in levels.tolist()]) for levels in counted.levels[:columns]]
    return np.stack([each[codes] for each, codes in zip(places, counted.codes[:columns], strict=True)], axis=1)


def _axis(
    counted: Grouped, models: list[str], labels: ArrayLike | None, pos_label: object, *, check: bool
) -> tuple[Array, bool]:
    """Return the classes of all columns in order, and whether the input states that order."""
    for name, levels in zip(models, counted.levels[1:], strict=False):
        meant = are_named(labels, counted.levels[0], levels)
        refuse_mixed(counted.levels[0], levels, said=f"y_pred['{name}']", check=check and not meant)
    said = dict.fromkeys(label for levels in counted.levels[1 : len(models) + 1] for label in levels.tolist())
    ranks = counted.ranks[: len(models) + 1]
    axis = class_labels(counted.levels[0], as_labels(list(said)), labels, *ranks, pos_label=pos_label, check=check)
    return axis, is_stated(axis.tolist(), labels, pos_label, ranked=covers(ranks, axis.tolist()))


def roles_of_long(
    groups: object, sample_weight: object, counts: object, strata: object, named: Mapping[str, object]
) -> tuple[Any, ...]:
    """Return the current names of columns from long data.

    Parameters
    ----------
    groups, sample_weight, counts, strata
        The arguments of the source.
    named : mapping of str
        The columns to split by.
    """
    asked = {"groups": groups, "sample_weight": sample_weight, "counts": counts, ROLE: strata}
    return "y_true", *(None if each is None else role for role, each in asked.items()), list(named) or None


def models_by_name(given: object, data: object) -> dict[str, Any]:
    """Return the models' columns by name; refuse fewer than two.

    Parameters
    ----------
    given : mapping, frame or iterable of str
        The models passed by the caller; without ``data`` a frame has a column for each.
    data : frame, mapping, path or None
        The data with the named columns.
    """
    if data is None and hasattr(given, "columns"):
        given = by_columns(given, None)
    if not isinstance(given, Mapping):
        message = "Give the models as a mapping, such as {'A': predictions_a, 'B': predictions_b}."
        if data is None or isinstance(given, str) or not isinstance(given, Iterable):
            raise HowsureError(message)
        given = list(given)
        if not all(isinstance(name, str) for name in given):
            raise HowsureError(message)
        repeated = next((name for name, number in Counter(given).items() if number > 1), None)
        if repeated is not None:
            raise HowsureError(f"The models' columns name '{repeated}' more than once. Give each column once.")
        given = {name: name for name in given}
    if len(given) < 2:
        raise HowsureError(
            f"A paired table needs at least two models, not {len(given)}. For one use `confusion` or `scores`."
        )
    named = {str(name): column for name, column in given.items()}
    if len(named) < len(given):
        raise HowsureError(
            f"Two models have the same name: {', '.join(map(repr, given))}. Models are told apart by their text."
        )
    return named

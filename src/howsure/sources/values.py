"""The source of value tables: one number per case, for one model or several, sorted once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError, one_of, real_numbers
from howsure.sources.beside import Beside
from howsure.sources.columns import refuse_other_lengths
from howsure.sources.counted_values import counted_values
from howsure.sources.crossed import drawn_anew
from howsure.sources.doubtful_lines import refuse_doubtful_numbers
from howsure.sources.encoding import encoded
from howsure.sources.frames import columns, expanded, taken, weight_or_counts
from howsure.sources.groups import Tally, by_columns, roles
from howsure.sources.keywords import Models, Sampled
from howsure.sources.long import Incomplete, by_model
from howsure.sources.number_checks import refuse_last_sum, refuse_marks_of_missing, refuse_other_units
from howsure.sources.strata import ROLE, stratum_role
from howsure.sources.to_numpy import numbers_of, plain
from howsure.tables.batch import Tables
from howsure.tables.paired_values import PairedValuesTable
from howsure.tables.values import ErrorsTable, ValuesTable

LARGEST = 1e100  # largest number whose squares and cubes can be summed


class _Keywords(Sampled, Models, total=False):
    """Keyword arguments that do not decide the type of the result."""

    run: object
    bounds: ArrayLike | None


@overload
def values(
    score: Mapping[str, Any] | list[str] | tuple[str, ...],
    *,
    truth: object = ...,
    by: None = None,
    **keywords: Unpack[_Keywords],
) -> PairedValuesTable: ...


@overload
def values(score: Any, *, truth: None = ..., by: None = None, **keywords: Unpack[_Keywords]) -> ValuesTable: ...


@overload
def values(score: Any, *, truth: Sized, by: None = None, **keywords: Unpack[_Keywords]) -> ErrorsTable: ...


@overload
def values(score: Any, *, truth: object = ..., by: Sized, **keywords: Unpack[_Keywords]) -> Tables[Any]: ...


def values(
    score: Any,
    *,
    truth: object = None,
    data: object = None,
    model: object = None,
    case: object = None,
    run: object = None,
    incomplete: Incomplete = "refuse",
    bounds: ArrayLike | None = None,
    sample_weight: object = None,
    counts: object = None,
    groups: object = None,
    fixed: str | None = None,
    strata: object = None,
    stratum_sizes: Mapping[Any, float] | None = None,
    by: Sized | None = None,
    check: bool = True,
) -> ValuesTable | ErrorsTable | PairedValuesTable | Tables[Any]:
    """Count cases by a number per case: a grade, a reward, a loss, Dice per image, nDCG per query.

    Parameters
    ----------
    score : array-like of shape (n,) or str, or mapping of str to array-like
        Finite number of each case; or, with ``data``, the name of its column. For several models on the same cases, a
        mapping from model name to numbers or to their column's name; with ``data`` also a list of columns.
    truth : array-like of shape (n,) or str, optional
        The true number of each case, if the scores are predictions of it: for ``mae``, ``rmse`` and ``r2``.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    model, case : array-like of shape (n,) or str, optional
        Model name and case identifier of each row, for long data with one row per model and case. Rows are joined by
        case, never by their order.
    run : array-like of shape (n,) or str, optional
        Identifier of the run, if a model has several runs on a case; the runs of a case then form a cluster.
    incomplete : {"refuse", "drop"}
        Whether cases without a row, or without a number, of some model are refused or dropped.
    bounds : tuple of two float, optional
        Smallest and largest possible number of a case, such as ``(0, 1)``. Intervals are kept within the bounds. The
        bounds also determine the uncertainty of a sample without variation, and distribution-free intervals require
        them. Use ``(0, inf)`` for times and losses without an upper limit. The default for booleans is ``(0, 1)``.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    groups : array-like of shape (n,), str, or two of them, optional
        Cluster of each case (passage, patient, conversation): cases of one cluster may be correlated. Two crossed
        factors, such as readers and cases or models and items, are a list of two columns or a mapping of them by name.
    fixed : str, optional
        One of two factors, whose levels a new study would keep: only those of the other are drawn anew.
    strata : array-like of shape (n,) or str, optional
        Stratum of each case, for samples whose cases, or ``groups``, were drawn stratum by stratum.
    stratum_sizes : mapping, optional
        Number of cases of each stratum in a finite population; or, for a large population, the proportion of each
        stratum (they sum to 1). Without it the sizes are unknown, and cases count by ``sample_weight``.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    ValuesTable, ErrorsTable, PairedValuesTable or Tables
        The counts by distinct value, or pair of prediction and truth; for several models by distinct tuple, where
        ``table.model("A")`` is the table of one. If ``by`` is given, a mapping of the group tables, where ``overall``
        is the table of all cases.

    Raises
    ------
    HowsureError
        If columns differ in length, are empty or have missing values; if a number is not finite, or outside the
        bounds.

    Examples
    --------
    >>> import howsure as hs
    >>> grades = [0.9, 0.4, 1.0, 0.7, 0.0, 1.0, 0.8, 0.6, 0.9, 1.0]
    >>> print(hs.estimate(hs.values(grades, bounds=(0, 1)), "mean"))
    0.730 [0.479, 0.961]
    >>> both = hs.values({"new": grades, "old": [0.7, 0.1, 0.9, 0.8, 0.1, 0.9, 0.4, 0.6, 0.5, 0.9]})
    >>> print(hs.compare(both, "mean"))
    mean: new − old = 0.140 [-0.006, 0.271], p = 0.056
    >>> predicted, true = [2.5, 0.1, 2.1, 7.8, 4.4, 5.1], [3.0, -0.5, 2.0, 7.0, 4.0, 5.5]
    >>> print(hs.estimate(hs.values(predicted, truth=true), "mae"))
    0.467 [0.221, 0.781]
    """
    groups = drawn_anew(groups, fixed, data)
    if model is not None or case is not None or run is not None:
        if truth is not None:
            raise HowsureError(
                "`truth` is for the predictions of one model, or of several in columns of their own: not with `model`."
            )
        named_beside = {"sample_weight": sample_weight, "counts": counts, "groups": groups, ROLE: strata}
        of_rows = {"score": score, "model": model, "case": case, "run": run}
        data, score, roles_of = _of_rows(data, of_rows, named_beside, by_columns(by, data), incomplete)
        sample_weight, counts, groups, strata, by = roles_of
    models = _models(score, data)
    asked = models if truth is None else models | {"truth": truth}
    named = by_columns(by, data)
    weight_or_counts(sample_weight, counts)
    others = (
        {"sample_weight": sample_weight, "counts": counts, "groups": groups}
        | stratum_role(strata, stratum_sizes)
        | roles(named)
    )
    given = columns(data, asked | {role: each for role, each in others.items() if each is not None}, check=check)
    given = expanded(given)
    several = isinstance(score, Mapping) or (data is not None and not isinstance(score, str))
    plain_columns = {role: number_column(role, given[role]) for role in asked}
    if several:
        given, plain_columns = _complete(given, plain_columns, [*models], incomplete)
    limits = bounds_of(bounds, list(plain_columns.values()))
    numbers = [finite_numbers(role, column, limits) for role, column in plain_columns.items()]
    if check:
        _refuse_doubtful(
            dict(zip(plain_columns, numbers, strict=True)),
            are_models=several and truth is None,
            are_bounded=bounds is not None,
        )
    true = None if truth is None else numbers.pop()
    stratum = encoded(ROLE, given[ROLE]) if ROLE in given else None
    beside = Beside.of(given, list(named), plain_columns if stratum is None else {**plain_columns, ROLE: stratum})
    weight, group, clusters_named = beside.of_rows(slice(None))
    names = tuple(map(str, score)) if several else ()
    if check and not several and truth is None:
        own = None if sample_weight is None else weight
        refuse_doubtful_numbers(numbers[0], None, data, asked | others, weight=own, counts=counts)
    drawn = None
    if stratum is not None:
        tally = Tally.of_cases(len(numbers[0])) if weight is None else Tally.of_weights(weight)
        drawn = tally.stratified(*stratum.used(), stratum_sizes, group, clusters_named).strata

    def table(some: Any) -> Any:
        *parts, clusters_named = beside.of_rows(some)
        own, wanted = [each[some] for each in numbers], None if true is None else true[some]
        more: dict[str, Any] = {"clusters_named": clusters_named, "strata": None if drawn is None else drawn.of(some)}
        return counted_values(names, own, *parts, truth=wanted, limits=limits, **more)

    found: ValuesTable | ErrorsTable | PairedValuesTable | Tables[Any] = beside.tables(list(named), table)
    return found


def _refuse_doubtful(numbers: dict[str, Array], *, are_models: bool, are_bounded: bool) -> None:
    """Refuse a total at the end of a column, marks of missing numbers, and percentages of one model beside shares."""
    for role, column in numbers.items():
        refuse_last_sum(role, column)
        if not are_bounded:
            refuse_marks_of_missing(role, column)
    if are_models:
        refuse_other_units(numbers)


def _of_rows(
    data: object, of_rows: dict[str, Any], beside: dict[str, Any], named: dict[str, Any], incomplete: Incomplete
) -> tuple[Any, Any, tuple[Any, ...]]:
    """Convert long data to one row per case: the columns, the models' columns, and the names of the others."""
    score, model, case, run = of_rows.values()
    if run is not None and case is not None:
        if beside["groups"] is not None:
            raise HowsureError("The runs of a case are a cluster: give `run` or `groups`, and not both.")
        found = columns(data, {"case": case, "run": run})
        cells = [encoded(role, found[role]) for role in ("case", "run")]
        units = [each.levels[np.asarray(each.codes) - each.offset].tolist() for each in cells]
        asked = {"score": score, "model": model, **{role: each for role, each in beside.items() if each is not None}}
        given = columns(data, asked | named)
        data = given | {"groups": units[0], "case": [f"{one} / {other}" for one, other in zip(*units, strict=True)]}
        score, model, case, named = "score", "model", "case", {name: name for name in named}
        beside = {role: None if each is None else role for role, each in beside.items()} | {"groups": "groups"}
    rows, names = by_model(data, None, score, model, case, beside | named, incomplete)
    roles_of = tuple(None if each is None else role for role, each in beside.items())
    sample_weight, counts, groups, strata = roles_of
    return rows, names, (sample_weight, counts, groups, strata, list(named) or None)


def _models(score: object, data: object) -> dict[str, Any]:
    """Return the columns of numbers by their names in errors; without data, texts are numbers and no names."""
    if isinstance(score, Mapping):
        named = {f"score['{name}']": column for name, column in score.items()}
    elif data is not None and isinstance(score, list | tuple) and score and isinstance(score[0], str):
        named = {f"score['{name}']": name for name in score}
    else:
        return {"score": score}
    if len(named) < max(2, len(score)):
        raise HowsureError(
            "Give several models as a mapping, such as {'A': numbers_a, 'B': numbers_b}, each with its own name."
        )
    return named


def number_column(argument_name: str, given: object) -> Array:
    """Return a column as a numeric or boolean array; refuse one that is empty or not one-dimensional."""
    column = plain(argument_name, given)
    try:
        found = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    except ValueError:  # of ragged lists
        found = np.empty(0, dtype=object)
    if found.dtype.kind != "b":
        found = numbers_of(argument_name, column, "Give one number per case.")
    if found.ndim != 1:
        remedy = "Give several models by name, such as {'A': numbers_a, 'B': numbers_b}."
        raise HowsureError(f"`{argument_name}` has shape {found.shape}; it is one number per case. {remedy}")
    if not len(found):
        raise HowsureError(f"`{argument_name}` is empty: there is no case to evaluate.")
    return found


def _complete(
    given: dict[str, Any], numbers: dict[str, Array], models: list[str], incomplete: Incomplete
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Drop or refuse the cases that lack a model's number, and return the columns."""
    one_of("way with incomplete cases", incomplete, ("refuse", "drop"))
    refuse_other_lengths(numbers)
    lacking = np.isnan([numbers[role] for role in models])
    cases = np.asarray(lacking.any(0))
    if not cases.any():
        return given, numbers
    if incomplete == "refuse":
        role, first = models[int(lacking[:, cases.argmax()].argmax())], int(cases.argmax())
        raise HowsureError(
            f"{int(cases.sum()):,} of {len(cases):,} cases lack a model's number (the first: row {first} of `{role}`). "
            "Fill them, or leave such cases out: incomplete='drop'."
        )
    if cases.all():
        raise HowsureError(f"No case has the numbers of all {len(models):,} models. Leave out a model.")
    refuse_other_lengths({**given, **numbers})
    kept = np.flatnonzero(~cases)
    beside = {role: taken(column, kept) for role, column in given.items() if role not in numbers}
    return beside, {role: column[kept] for role, column in numbers.items()}


def finite_numbers(argument_name: str, column: Array, limits: tuple[float, float] | None) -> Array:
    """Return a column as floats; refuse numbers that are not finite, or outside the bounds."""
    numbers = column + 0.0  # merges −0 and 0
    finite = np.isfinite(numbers)
    if not finite.all():
        first, number = int(np.argmin(finite)), int((~finite).sum())
        raise HowsureError(
            f"`{argument_name}` has {number} missing or infinite values (first at row {first}). Drop or fill them "
            "first."
        )
    largest = float(np.abs(numbers).max(initial=0.0))
    if largest and not 1 / LARGEST < largest < LARGEST:
        raise HowsureError(
            f"`{argument_name}` holds {largest:g}: no float holds its powers. Give the numbers in another unit."
        )
    refuse_outside(argument_name, numbers, limits)
    return np.asarray(numbers)


def refuse_outside(argument_name: str, numbers: Array, limits: tuple[float, float] | None) -> None:
    """Refuse numbers outside the bounds."""
    if limits is None or not len(numbers) or limits[0] <= numbers.min() <= numbers.max() <= limits[1]:
        return
    worst = numbers.min() if numbers.min() < limits[0] else numbers.max()
    raise HowsureError(
        f"`{argument_name}` holds {worst:g}, outside the bounds {limits[0]:g} and {limits[1]:g}. Give wider `bounds`."
    )


def bounds_of(bounds: ArrayLike | None, given: Sequence[Array]) -> tuple[float, float] | None:
    """Return the bounds; by default 0 and 1 for booleans."""
    if bounds is None:
        return (0.0, 1.0) if all(each.dtype.kind == "b" for each in given) else None
    ends = real_numbers("bounds", bounds)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise HowsureError(
            f"`bounds` are the smallest and the largest value there can be, such as (0, 1), not {bounds!r}."
        )
    return float(ends[0]), float(ends[1])

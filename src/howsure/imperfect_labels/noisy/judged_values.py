"""Numeric grades of a model for all cases and human grades for a few: the expected human grades of all cases."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import replace
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.imperfect_labels.noisy.judged import systems_of
from howsure.imperfect_labels.partial.two_phase import two_phase
from howsure.sources.columns import checked_weight, refuse_other_lengths
from howsure.sources.counted_values import distinct_tuples
from howsure.sources.encoding import coded_with_gaps, encoded, refuse_gaps
from howsure.sources.frames import columns
from howsure.sources.groups import Tally, by_columns, groups_of, roles
from howsure.sources.input_checks import refuse_marks
from howsure.sources.keywords import Cases
from howsure.sources.values import bounds_of, refuse_outside
from howsure.tables.batch import Tables
from howsure.tables.paired_values import PairedValuesTable, extremes
from howsure.tables.union import shares_of_rows
from howsure.tables.values import ValuesTable

LABELS_PER_STRATUM = 10
MOST_STRATA = 10  # five strata would lose 4 % of the gain under a linear relation, ten lose 1 % (Cochran 1968)


class _Keywords(Cases, total=False):
    """Keyword arguments that do not decide the type of the result."""

    bounds: ArrayLike | None


@overload
def judged_values(
    human: Mapping[str, Any], judge: Mapping[str, Any], *, by: None = None, **keywords: Unpack[_Keywords]
) -> PairedValuesTable: ...


@overload
def judged_values(human: Any, judge: Any, *, by: None = None, **keywords: Unpack[_Keywords]) -> ValuesTable: ...


@overload
def judged_values(human: Any, judge: Any, *, by: Sized, **keywords: Unpack[_Keywords]) -> Tables[Any]: ...


def judged_values(
    human: Any,
    judge: Any,
    *,
    data: object = None,
    bounds: ArrayLike | None = None,
    sample_weight: object = None,
    groups: object = None,
    counts: object = None,
    by: Sized | None = None,
    check: bool = True,
) -> ValuesTable | PairedValuesTable | Tables[Any]:
    """Return the table of human grades of all cases, from a judge's grades and a few human grades.

    The cases are divided into at most ten strata by the judge's grade, with ten human grades in each if there are
    enough. Within a stratum, human grades are assumed to be missing at random. Only the order of the judge's grades
    matters, not their scale. For two systems on the same cases, the strata are ranges of the difference between the
    judge's grades, which predicts the human difference best.

    Parameters
    ----------
    human : array-like of shape (n,) or str, or mapping of str to array-like
        Number that people gave each case (a grade, 0 or 1, a share); None or nan if it is missing. For two systems, a
        mapping from each system's name to its grades; a case counts as graded if people graded the outputs of both.
    judge : array-like of shape (n,) or str, or mapping of str to array-like
        Number that the judge gave every case, on any scale.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file. The
        arguments above then name its columns.
    bounds : tuple of two float, optional
        Smallest and largest possible human grade, such as ``(1, 5)``; by default the smallest and largest observed one.
        The default for Boolean values is 0 and 1.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    groups : array-like of shape (n,) or str, optional
        Cluster of each case: cases of one cluster may be correlated.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values, from its own grades.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    ValuesTable, PairedValuesTable or Tables
        Table for ``"mean"``, ``"share+at_least=4"``, ``"median"`` and the other metrics of `values`. For two systems, a
        table for `compare`. If ``by`` is given, the tables of the groups, with the table of all cases as ``overall``.

    Raises
    ------
    HowsureError
        If columns differ in length, or fewer than two cases have a human grade (overall or in a group). If a grade is
        not a finite number or is outside the bounds.

    References
    ----------
    Cochran (1968), Biometrics 24, on the number of strata; Angelopoulos, Duchi, Zrnic (2023), PPI++.

    Examples
    --------
    >>> import howsure as hs
    >>> judge = [0.2, 0.9, 0.4, 0.8, 0.3, 0.7, 0.1, 0.9, 0.6, 0.2]
    >>> human = [2, 5, 3, 4, None, None, 1, 5, None, None]
    >>> table = hs.judged_values(human, judge, bounds=(1, 5))
    >>> round(hs.estimate(table, "mean").value, 3)  # 5 · 2 for the lower half, 5 · 14/3 for the upper one
    3.333
    """
    systems = systems_of(human, judge)
    named = by_columns(by, data)
    plain = {f"human{of}": human_of for of, (human_of, _) in systems.items()}
    plain |= {f"judge{of}": judge_of for of, (_, judge_of) in systems.items()}
    optional = {"sample_weight": sample_weight, "groups": groups}
    asked = plain | {role: each for role, each in optional.items() if each is not None}
    given = columns(data, asked | roles(named), check=check, counts=counts)
    coded = {f"human{of}": coded_with_gaps(f"human{of}", given[f"human{of}"]) for of in systems}
    judged_as = {f"judge{of}": _judged(f"judge{of}", given[f"judge{of}"]) for of in systems}
    for of in systems if check else ():
        said = judged_as[f"judge{of}"]
        refuse_marks(coded[f"human{of}"], (said, np.arange(len(said))), f"human{of}", f"judge{of}")
    cluster = encoded("groups", given["groups"]) if "groups" in given else None
    weight = checked_weight(given["sample_weight"]) if "sample_weight" in given else None
    beside = {"groups": cluster, "sample_weight": weight}
    refuse_other_lengths({**{role: codes for role, (_, codes) in coded.items()}, **judged_as, **beside})
    limits = bounds_of(bounds, [np.asarray(levels) for levels, _ in coded.values()])
    graded = {role: (_numbers(role, levels), codes) for role, (levels, codes) in coded.items()}
    for role, (numbers, _) in graded.items():
        refuse_outside(role, numbers, limits)
    size = len(next(iter(judged_as.values())))
    tally = Tally.of_cases(size) if weight is None else Tally.of_weights(weight / weight.mean())
    group, clusters_named = (None, None) if cluster is None else cluster.used()
    grades = [*judged_as.values()]
    names = () if "" in systems else tuple(map(str, human))
    guide = grades[0] - grades[1] if names else grades[0]

    def table(some: Any) -> Any:
        # Only the grades of this group are possible outcomes in its table.
        own, cells = zip(*(_graded(numbers, codes[some], limits) for numbers, codes in graded.values()), strict=True)
        empty, known, worth = _pairs(names, own, cells) if names else (own[0], cells[0], own[0].values)
        clusters = None if group is None else group[some]
        stratum = _strata(guide[some], known >= 0)
        number = int(stratum.max(initial=0)) + 1
        places = np.broadcast_to(np.arange(len(worth)), (number, len(worth)))
        kin = np.zeros(number, dtype=int)
        called = _ranges(guide[some], stratum)
        design = two_phase(known, stratum, kin, places, called, tally.of(some), clusters, clusters_named, scores=worth)
        return replace(empty, counts=design.counts(len(worth)), design=design, rows=len(known))

    return groups_of(named, given, size).each(table) if named else table(slice(None))


def _graded(numbers: Array, codes: Array, limits: tuple[float, float] | None) -> tuple[ValuesTable, Array]:
    """Return an empty table with the human grades and bounds as values, and the cell of each case, −1 if ungraded."""
    given = codes[codes >= 0]
    ends = limits if limits is not None and np.isfinite(limits).all() else ()
    axis = np.unique([*numbers[np.unique(given)].tolist(), *ends])
    empty = ValuesTable(counts=np.zeros(len(axis)), values=axis, bounds=limits, rows=0)
    return empty, np.append(np.searchsorted(axis, numbers), -1)[codes]


def _pairs(
    names: tuple[str, ...], own: tuple[ValuesTable, ...], cells: tuple[Array, ...]
) -> tuple[PairedValuesTable, Array, Array]:
    """Return an empty table of pairs of human grades, the cell of each case (−1 if ungraded), and the differences."""
    every = np.column_stack(cells)
    known = (every >= 0).all(1)
    possible = extremes(own)
    tuples, cell = distinct_tuples(np.vstack([every[known], possible]), [len(each.values) for each in own])
    outcome = np.full(len(every), -1)
    outcome[known] = cell[: known.sum()]
    pseudo = shares_of_rows(possible, tuples)
    counts = np.zeros(len(tuples))
    empty = PairedValuesTable(counts=counts, names=names, codes=tuples, own=own, pseudo=pseudo, rows=0)
    first, second = (each.values[place] for each, place in zip(own, tuples.T, strict=True))
    return empty, outcome, first - second


def _judged(argument_name: str, column: object) -> Array:
    """Return the judge's grades; refuse missing grades."""
    levels, codes = coded_with_gaps(argument_name, column)
    refuse_gaps(argument_name, codes, "human")
    return np.asarray(_numbers(argument_name, levels)[codes])


def _numbers(argument_name: str, levels: Array) -> Array:
    try:
        numbers = np.asarray(levels, dtype=float) + 0.0  # turn -0.0 into 0.0
    except (TypeError, ValueError):
        raise HowsureError(
            f"`{argument_name}` is not numeric. Give one number per case; verdicts in words go to `judged`."
        ) from None
    if not np.isfinite(numbers).all():
        raise HowsureError(f"`{argument_name}` has infinite values. Give finite numbers.")
    return numbers


def _strata(judge: Array, known: Array) -> Array:
    """Return the stratum of each case by the judge's grade: one per distinct grade if these are few, else quantiles."""
    number = int(np.clip(known.sum() // LABELS_PER_STRATUM, 2, MOST_STRATA))
    distinct, code = np.unique(judge, return_inverse=True)
    if len(distinct) <= number or not known.any():
        return np.asarray(code.ravel())
    cuts = np.unique(np.quantile(judge[known], np.arange(1, number) / number, method="inverted_cdf"))
    _, stratum = np.unique(np.searchsorted(cuts, judge), return_inverse=True)
    return np.asarray(stratum.ravel())


def _ranges(judge: Array, stratum: Array) -> tuple[str, ...]:
    """Return the range of the judge's grades in each stratum, as text."""
    parts = [judge[stratum == each] for each in range(int(stratum.max(initial=-1)) + 1)]
    ends = [(f"{part.min():.4g}", f"{part.max():.4g}") for part in parts]
    return tuple(low if low == high else f"{low} to {high}" for low, high in ends)

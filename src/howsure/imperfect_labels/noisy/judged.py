"""Verdicts of a model for all cases and human labels for a few: the expected human labels of all cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.imperfect_labels.partial.two_phase import ALONE, two_phase
from howsure.sources.columns import checked_weight, refuse_other_lengths
from howsure.sources.confusion import class_labels, refuse_mixed
from howsure.sources.encoding import coded_with_gaps, encoded, positions, refuse_gaps
from howsure.sources.frames import columns
from howsure.sources.groups import Tally, by_columns, groups_of, roles
from howsure.sources.input_checks import refuse_marks
from howsure.sources.keywords import Cases, Classes
from howsure.sources.layout import order_as_stated
from howsure.sources.positive import passing
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.judged import PairedJudgedTable
from howsure.tables.labels import as_labels

SYSTEMS = 2


class _Keywords(Cases, Classes, total=False):
    """Keyword arguments that do not decide the type of the result."""

    y_pred: object


@overload
def judged(
    human: Mapping[str, Any], judge: Mapping[str, Any], *, by: None = None, **keywords: Unpack[_Keywords]
) -> PairedJudgedTable: ...


@overload
def judged(human: Any, judge: Any, *, by: None = None, **keywords: Unpack[_Keywords]) -> ConfusionTable: ...


@overload
def judged(human: Any, judge: Any, *, by: Sized, **keywords: Unpack[_Keywords]) -> Tables[Any]: ...


@order_as_stated
def judged(
    human: Any,
    judge: Any,
    *,
    y_pred: object = None,
    data: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    sample_weight: object = None,
    groups: object = None,
    counts: object = None,
    by: Sized | None = None,
    check: bool = True,
) -> ConfusionTable | PairedJudgedTable | Tables[Any]:
    """Return the table of human label × verdict for all cases, from a judge's verdicts and a few human labels.

    Within each verdict, labels are assumed to be missing at random. ``"pass_rate"`` is the share of cases that people
    would pass, ``"recall"`` and ``"specificity"`` are the judge's true positive and true negative rates, and
    ``"kappa"`` is the judge's agreement with people. The estimates are unbiased for any quality of the judge; a better
    judge gives narrower intervals.

    A diagnostic test whose reference standard is known for some patients only (partial verification) is the same
    problem: pass the reference as ``human`` and the test result as ``judge``.

    Parameters
    ----------
    human : array-like of shape (n,) or str, or mapping of str to array-like
        Human label of each case; None or nan if it is missing. For two systems on the same cases, a mapping from each
        system's name to its labels; a case counts as labelled if people labelled the outputs of both systems.
    judge : array-like of shape (n,) or str, or mapping of str to array-like
        The judge's verdict on every case, one of the same classes. The last class in order means "pass".
    y_pred : array-like of shape (n,) or str, optional
        A prediction for each case, for example by a filter. The table is then human label × prediction, and metrics
        evaluate the predictions.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file. The
        arguments above then name its columns.
    labels : array-like of shape (K,), optional
        The classes, in order; by default all classes that occur, sorted.
    pos_label : object, optional
        The positive class of two; by default the one that means a pass (pass, correct, safe …) if the other means a
        failure, else the last in order.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    groups : array-like of shape (n,) or str, optional
        Cluster of each case (conversation, passage, user); cases of the same cluster may be correlated.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values, from its own labels.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    ConfusionTable, PairedJudgedTable or Tables
        Table with fractional counts that add up to the number of cases. For two systems, a table for `compare`. If
        ``by`` is given, the tables of the groups, with the table of all cases as ``overall``.

    Raises
    ------
    HowsureError
        If columns differ in length, or a verdict is missing. If fewer than two cases have a human label (overall or in
        a group). If human and judge have no class in common.

    Notes
    -----
    The labelled cases must be a random sample: of all cases, or of the cases of each verdict (and prediction), at any
    rate. If people chose which cases to label, for example suspicious ones, the estimates are biased. The method is
    post-stratification; for verdicts the estimate equals prediction-powered inference with the optimal weight.

    References
    ----------
    Neyman (1938), Journal of the American Statistical Association 33; Angelopoulos, Duchi, Zrnic (2023), PPI++.

    Examples
    --------
    >>> import howsure as hs
    >>> judge = ["pass"] * 80 + ["fail"] * 20
    >>> human = ["pass"] * 19 + ["fail"] + [None] * 60 + ["fail"] * 4 + ["pass"] + [None] * 15
    >>> table = hs.judged(human, judge)
    >>> print(hs.estimate(table, "pass_rate"))  # 0.8 · 19/20 + 0.2 · 1/5
    0.800 [0.654, 0.910] (positive: pass)
    >>> print(hs.estimate(table, "recall"))  # of those that people pass, the judge passes
    0.950 [0.831, 1.000] (positive: pass)
    """
    systems = systems_of(human, judge)
    if y_pred is not None and "" not in systems:
        raise HowsureError("Two systems are compared without `y_pred`: give each system's labels and verdicts alone.")
    named = by_columns(by, data)
    plain = {f"human{of}": human_of for of, (human_of, _) in systems.items()}
    plain |= {f"judge{of}": judge_of for of, (_, judge_of) in systems.items()}
    optional = {"y_pred": y_pred, "sample_weight": sample_weight, "groups": groups}
    given = columns(
        data,
        plain | {role: each for role, each in optional.items() if each is not None} | roles(named),
        check=check,
        counts=counts,
    )
    cases = _Cases.of(given, [*plain], labels, pos_label, check=check)
    names = () if "" in systems else tuple(map(str, human))

    def table(some: object) -> Any:
        return cases.paired(some, names) if names else cases.table(some)

    return groups_of(named, given, len(cases.tally.n)).each(table) if named else table(slice(None))


def systems_of(human: object, judge: object) -> dict[str, tuple[Any, Any]]:
    """Return the columns (human, judge) of each system, keyed by the suffix of their names in error messages.

    The key of a single system is an empty string.

    Parameters
    ----------
    human, judge : array-like of shape (n,) or str, or mapping of str to array-like
        Human labels and verdicts of one system, or of two systems by name.

    Raises
    ------
    HowsureError
        If only one argument is a mapping, if the names differ, or if there are not two systems.
    """
    if not (isinstance(human, Mapping) or isinstance(judge, Mapping)):
        return {"": (human, judge)}
    if not (isinstance(human, Mapping) and isinstance(judge, Mapping) and {*human} == {*judge}):
        raise HowsureError(
            "Give `human` and `judge` of two systems both by name, such as {'A': human_a, 'B': human_b}."
        )
    if len(human) != SYSTEMS:
        raise HowsureError(
            f"There are {len(human)} systems. Two are compared at a time: give a mapping with two names."
        )
    return {f"[{name!r}]": (human[name], judge[name]) for name in human}


@dataclass(frozen=True, slots=True, eq=False)
class _Cases:
    """Human labels (−1 if missing), verdicts and predictions of the cases, as positions of the classes."""

    human: Array  # (systems, n)
    judge: Array
    predicted: Array | None
    axis: Array
    tally: Tally
    cluster: Array | None
    names: Array | None

    @classmethod
    def of(
        cls,
        given: Mapping[str, object],
        roles: Sequence[str],
        labels: ArrayLike | None,
        pos_label: object,
        *,
        check: bool,
    ) -> _Cases:
        said = [*roles, *(["y_pred"] if "y_pred" in given else [])]
        coded = {role: coded_with_gaps(role, given[role]) for role in said}
        cluster = encoded("groups", given["groups"]) if "groups" in given else None
        weight = checked_weight(given["sample_weight"]) if "sample_weight" in given else None
        beside = {"groups": cluster, "sample_weight": weight}
        refuse_other_lengths({**{role: codes for role, (_, codes) in coded.items()}, **beside})
        number = len(roles) // 2
        for role in said[number:]:
            refuse_gaps(role, coded[role][1], "human")
        levels = [coded[role][0] for role in said]
        for role, level in zip(roles[:number], levels, strict=False):
            if check and labels is None:
                refuse_marks(coded[role], coded[roles[number]], role, roles[number])
            refuse_mixed(level, levels[number], role, roles[number], check=check)
        if "y_pred" in given:
            refuse_mixed(levels[number], levels[-1], roles[number], check=check)
        *most, last = levels
        first = as_labels([value for level in most for value in level.tolist()])
        if labels is None and pos_label is None:
            pos_label = passing(list(dict.fromkeys([*first.tolist(), *last.tolist()])))
        axis = class_labels(first, last, labels, pos_label=pos_label, check=check)
        place = {role: positions(*coded[role], axis) for role in said}
        size = len(place[said[0]])
        group, names = (None, None) if cluster is None else cluster.used()
        return cls(
            np.stack([place[role] for role in roles[:number]]),
            np.stack([place[role] for role in roles[number:]]),
            place.get("y_pred"),
            axis,
            Tally.of_cases(size) if weight is None else Tally.of_weights(weight / weight.mean()),
            group,
            names,
        )

    def table(self, some: Any) -> ConfusionTable:
        """Return the table of one system for a selection of cases."""
        predicted = None if self.predicted is None else self.predicted[some]
        cluster = None if self.cluster is None else self.cluster[some]
        codes = self.human[0][some], self.judge[0][some], predicted
        return post_stratified(*codes, self.axis, self.tally.of(some), cluster, self.names)

    def paired(self, some: Any, names: tuple[str, ...]) -> PairedJudgedTable:
        """Return the table of two systems for a selection of cases."""
        size = len(self.axis)
        human, judge = self.human[:, some], self.judge[:, some]
        outcome = np.where((human >= 0).all(0), human[0] * size + human[1], -1)
        pairs = size * size
        stratum, labels = np.divmod(np.arange(pairs * pairs), pairs)
        codes = np.stack([*np.divmod(labels, size), *np.divmod(stratum, size)], 1)
        called = [f"{first}, {second}" for first in self.axis.tolist() for second in self.axis.tolist()]
        design = two_phase(
            outcome,
            judge[0] * size + judge[1],
            np.zeros(pairs, dtype=int),
            np.arange(pairs * pairs).reshape(pairs, pairs),
            tuple(called),
            self.tally.of(some),
            None if self.cluster is None else self.cluster[some],
            self.names,
        )
        counts = design.counts(pairs * pairs)
        rows = len(outcome)
        return PairedJudgedTable(counts=counts, labels=self.axis, names=names, codes=codes, design=design, rows=rows)


def post_stratified(
    true: Array,
    made: Array,
    predicted: Array | None,
    axis: Array,
    tally: Tally,
    cluster: Array | None = None,
    clusters_named: Array | None = None,
    *,
    alone: str = ALONE,
) -> ConfusionTable:
    """Return the post-stratified table of true class × prediction; strata are machine label and prediction.

    Parameters
    ----------
    true, made : ndarray of shape (n,)
        Positions of the true class (−1 if unknown) and of the machine label of each case.
    predicted : ndarray of shape (n,), optional
        Position of the predicted class; by default the machine label.
    axis : ndarray of shape (K,)
        The classes.
    tally : Tally
        Weight of each case.
    cluster, clusters_named : ndarray, optional
        Cluster of each case, and names of the clusters.
    alone : str
        Note for a table in which the true labels alone are as precise.
    """
    size = len(axis)
    number = size if predicted is None else size * size
    words = list(map(str, axis.tolist()))
    design = two_phase(
        true,
        made if predicted is None else made * size + predicted,
        np.arange(number) if predicted is None else np.arange(number) // size,
        np.arange(size) * size + (np.arange(number) % size)[:, None],
        tuple(words if predicted is None else [f"{said}, {other}" for said in words for other in words]),
        tally,
        cluster,
        clusters_named,
        alone=alone,
    )
    counts = design.counts(size * size).reshape(size, size)
    return ConfusionTable(counts=counts, labels=axis, design=design, rows=len(true))

"""Many cases graded by a model, a few by people too: what people would say of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.errors import HowsureError
from howsure.evidence.labels.two_phase import ALONE, two_phase
from howsure.sources.columns import checked_weight, refuse_other_lengths
from howsure.sources.confusion import class_labels, refuse_mixed
from howsure.sources.encoding import coded_with_gaps, encoded, positions, refuse_gaps
from howsure.sources.frames import columns
from howsure.sources.groups import Tally, by_columns, groups_of, roles
from howsure.sources.layout import order_as_stated
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.judged import PairedJudgedTable
from howsure.tables.labels import as_labels

Array = NDArray[Any]
SYSTEMS = 2


@overload
def judged(
    human: Mapping[str, Any],
    judge: Mapping[str, Any],
    *,
    y_pred: None = None,
    data: Any = ...,
    labels: ArrayLike | None = ...,
    pos_label: Any = ...,
    sample_weight: Any = ...,
    groups: Any = ...,
    counts: Any = ...,
    by: None = None,
    check: bool = ...,
) -> PairedJudgedTable: ...


@overload
def judged(
    human: Any,
    judge: Any,
    *,
    y_pred: Any = ...,
    data: Any = ...,
    labels: ArrayLike | None = ...,
    pos_label: Any = ...,
    sample_weight: Any = ...,
    groups: Any = ...,
    counts: Any = ...,
    by: None = None,
    check: bool = ...,
) -> ConfusionTable: ...


@overload
def judged(
    human: Any,
    judge: Any,
    *,
    y_pred: Any = ...,
    data: Any = ...,
    labels: ArrayLike | None = ...,
    pos_label: Any = ...,
    sample_weight: Any = ...,
    groups: Any = ...,
    counts: Any = ...,
    by: Sized,
    check: bool = ...,
) -> Tables[Any]: ...


@order_as_stated
def judged(
    human: Any,
    judge: Any,
    *,
    y_pred: Any = None,
    data: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    counts: Any = None,
    by: Sized | None = None,
    check: bool = True,
) -> ConfusionTable | PairedJudgedTable | Tables[Any]:
    """Return the table of what people would say of all cases, by a judge's verdicts and the few that people labelled.

    Among the cases of each verdict, those without a human label are taken to be as those with one. The table is of
    human label × verdict: ``"pass_rate"`` is the share that people would pass, ``"recall"`` and ``"specificity"`` are
    the judge's true positive and true negative rate, ``"kappa"`` its agreement. It is right on average whatever the
    judge is worth; the better the judge, the narrower the intervals.

    Parameters
    ----------
    human : array-like of shape (n,) or str, or mapping of str to array-like
        Human label of each case; missing (None, nan) where there is none. Of two systems on the same cases the name
        of each → its labels; cases of which people labelled the output of one only count as not labelled.
    judge : array-like of shape (n,) or str, or mapping of str to array-like
        The judge's verdict of every case: one of the same classes. The last class, in order, is the one that passes.
    y_pred : array-like of shape (n,) or str, optional
        A prediction for each case, such as that of a filter: the table then is of human label × prediction, and any
        metric is of these.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file. The
        arguments above then name its columns.
    labels : array-like of shape (K,), optional
        The classes, in order; by default all classes that occur, sorted.
    pos_label : object, optional
        The positive class of two; by default the last in order.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    groups : array-like of shape (n,) or str, optional
        Cluster of each case (conversation, passage, user): cases of one cluster vary together.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases that each row stands for; with ``data``, the name of the column.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values, by its own labels.
    check : bool
        Whether to raise an error if a column does not look like the kind of data that its argument expects; False
        disables this check.

    Returns
    -------
    ConfusionTable, PairedJudgedTable or Tables
        With fractional counts that add up to the number of cases; of two systems a table that `compare` takes. With
        ``by`` the tables of the groups, with the table of all cases as ``overall``.

    Raises
    ------
    HowsureError
        If columns differ in length, fewer than two cases have a human label (in all, or in a group), a verdict is
        missing, or human and judge share no class.

    Notes
    -----
    The cases that people label must be drawn at random: from all cases, or from those of each verdict (and
    prediction), any number of each. Labels of the cases that looked wrong are neither. This is post-stratification,
    and of verdicts the same estimate as prediction-powered inference with its best weight.

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
    0.950 [0.850, 1.000] (positive: pass)
    """
    systems = systems_of(human, judge)
    if y_pred is not None and "" not in systems:
        message = "Two systems are compared without `y_pred`: give each system's labels and verdicts alone."
        raise HowsureError(message)
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

    def table(some: Any) -> Any:
        return cases.paired(some, names) if names else cases.table(some)

    return groups_of(named, given, len(cases.tally.n)).each(table) if named else table(slice(None))


def systems_of(human: Any, judge: Any) -> dict[str, tuple[Any, Any]]:
    """Return the columns of each system, by what is added to their names in errors; of one alone by nothing.

    Parameters
    ----------
    human, judge : array-like of shape (n,) or str, or mapping of str to array-like
        What people and the judge say, of one system or of two by name.

    Raises
    ------
    HowsureError
        If one is a mapping and the other is not, their names differ, or there are not two of them.
    """
    if not (isinstance(human, Mapping) or isinstance(judge, Mapping)):
        return {"": (human, judge)}
    if not (isinstance(human, Mapping) and isinstance(judge, Mapping) and {*human} == {*judge}):
        message = "Give `human` and `judge` of two systems both by name, such as {'A': human_a, 'B': human_b}."
        raise HowsureError(message)
    if len(human) != SYSTEMS:
        message = f"There are {len(human)} systems. Two are compared at a time: give a mapping with two names."
        raise HowsureError(message)
    return {f"[{name!r}]": (human[name], judge[name]) for name in human}


@dataclass(frozen=True, slots=True, eq=False)
class _Cases:
    """The cases: human labels (−1 if none), verdicts and predictions as positions among the classes."""

    human: Array  # (systems, n)
    judge: Array
    predicted: Array | None
    axis: Array
    tally: Tally
    cluster: Array | None
    names: Array | None

    @classmethod
    def of(
        cls, given: Mapping[str, Any], roles: Sequence[str], labels: ArrayLike | None, pos_label: Any, *, check: bool
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
            refuse_mixed(level, levels[number], role, roles[number], check=check)
        if "y_pred" in given:
            refuse_mixed(levels[number], levels[-1], roles[number], check=check)
        *most, last = levels
        first = as_labels([value for level in most for value in level.tolist()])
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
        """Return the table of one system, of some of the cases."""
        predicted = None if self.predicted is None else self.predicted[some]
        cluster = None if self.cluster is None else self.cluster[some]
        codes = self.human[0][some], self.judge[0][some], predicted
        return post_stratified(*codes, self.axis, self.tally.of(some), cluster, self.names)

    def paired(self, some: Any, names: tuple[str, ...]) -> PairedJudgedTable:
        """Return the table of two systems, of some of the cases."""
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
    """Return the table of true class × prediction, with strata by made label and prediction.

    Parameters
    ----------
    true, made : ndarray of shape (n,)
        Position of each case's true class, −1 where it is not known, and of its made label.
    predicted : ndarray of shape (n,), optional
        Position of the predicted class; the made label by default.
    axis : ndarray of shape (K,)
        The classes.
    tally : Tally
        What the cases count.
    cluster, clusters_named : ndarray, optional
        Cluster of each case, and what the clusters are called.
    alone : str
        Note of a table that the true labels alone tell as well.
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

"""Scores of several models on one test set: the joint table of true label and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any, Unpack, overload

import numpy as np

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError, HowsureError, listed
from howsure.sources.columns import same_length
from howsure.sources.crossed import drawn_anew
from howsure.sources.encoding import encoded
from howsure.sources.frames import rows
from howsure.sources.groups import Tally, by_columns, groups_of_columns, roles
from howsure.sources.keywords import ScoredModels
from howsure.sources.long import Incomplete, by_model, refuse_incomplete
from howsure.sources.paired import models_by_name, roles_of_long
from howsure.sources.scores import binary_truth, is_positive_stated, score_values
from howsure.sources.strata import ROLE, counted_roles
from howsure.tables.batch import Tables
from howsure.tables.paired_scores import PairedScoresTable
from howsure.tables.union import distinct_and_places

ROUNDING = 1e-6  # of two probabilities that sum to 1


@overload
def paired_scores(
    y_true: object, y_score: Mapping[str, object] | Sequence[str], *, by: None = None, **keywords: Unpack[ScoredModels]
) -> PairedScoresTable: ...


@overload
def paired_scores(
    y_true: object, y_score: Mapping[str, object] | Sequence[str], *, by: Sized, **keywords: Unpack[ScoredModels]
) -> Tables[PairedScoresTable]: ...


def paired_scores(
    y_true: object,
    y_score: Mapping[str, object] | Sequence[str],
    *,
    data: object = None,
    model: object = None,
    case: object = None,
    incomplete: Incomplete = "refuse",
    pos_label: object = None,
    groups: object = None,
    fixed: str | None = None,
    strata: object = None,
    stratum_sizes: Mapping[Any, float] | None = None,
    sample_weight: object = None,
    counts: object = None,
    by: Sized | None = None,
    exact: bool = False,
    check: bool = True,
) -> PairedScoresTable | Tables[PairedScoresTable]:
    """Count cases by the scores of several models and the true class.

    Parameters
    ----------
    y_true : array-like of shape (n,) or str
        True class of each case, two classes of any type; or, with ``data``, the name of its column.
    y_score : mapping of str to array-like of shape (n,), frame, or list of str
        Mapping from model name to scores (higher for the positive class), or to their column's name; with ``data`` also
        a list of columns, without it a frame with a column for each model. If ``model`` is given, the score of each
        row.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    model, case : array-like of shape (n,) or str, optional
        The model name and the case identifier of each row, for long data with one row per model and case. Models are
        joined by case, never by position.
    incomplete : {"refuse", "drop"}
        Whether cases of long data that a model lacks are refused or left out.
    pos_label : object, optional
        The positive class; by default 1 where the classes are 0 and 1 or −1 and 1, else the last in order.
    groups : array-like of shape (n,), str, or two of them, optional
        Cluster of each case: cases of one cluster may be correlated. Two crossed factors, such as readers and cases or
        models and items, are a list of two columns or a mapping of them by name.
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
    exact : bool
        Whether an engine counts all distinct scores. If false, more than 4 million cases are counted in bins, some
        hundreds for each model, as in `scores`.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    PairedScoresTable or Tables
        Counts of the distinct tuples of scores by class; ``table.model("A")`` is one model's table of scores. If ``by``
        is given, a mapping of the group tables, where ``overall`` is the table of all cases.

    Raises
    ------
    HowsureError
        If there are fewer than two models, columns differ in length, are empty or have missing values, a score is not
        finite, or there are not two classes.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired_scores([1, 0, 1, 0], {"A": [0.9, 0.2, 0.6, 0.4], "B": [0.5, 0.1, 0.1, 0.3]})
    >>> hs.estimate(table.model("B"), "roc_auc").value
    0.625
    """
    groups = drawn_anew(groups, fixed, data)
    if model is not None or case is not None:
        named = by_columns(by, data)
        others = {"groups": groups, "sample_weight": sample_weight, "counts": counts, ROLE: strata} | named
        data, y_score = by_model(data, y_true, y_score, model, case, others, incomplete)
        y_true, groups, sample_weight, counts, strata, by = roles_of_long(groups, sample_weight, counts, strata, named)
    else:
        refuse_incomplete(incomplete)
    models = models_by_name(y_score, data)
    of_models = {f"y_score['{name}']": column for name, column in models.items()}
    named = by_columns(by, data)
    names = (
        {"y_true": y_true}
        | of_models
        | {"groups": groups}
        | counted_roles(strata, stratum_sizes, groups, sample_weight)
        | roles(named)
    )
    found = rows(data, names, sample_weight, scores=list(of_models), exact=exact, check=check, counts=counts)
    given, tally = found.columns, found.tally
    truth = encoded("y_true", given["y_true"])
    scores = [score_values(given[role], tally) for role in of_models]
    for name, score in zip(models, scores, strict=True):
        if len(score) != len(truth):
            raise HowsureError(
                f"`y_true` has {len(truth)} cases and the scores of '{name}' {len(score)}. Give one per case."
            )
    if check and len(scores) == 2 and np.allclose(scores[0] + scores[1], 1, rtol=0, atol=ROUNDING):
        raise DoubtfulDataError(
            f"The scores of {listed(list(models))} sum to 1 in each case: they seem to be the probabilities of two "
            "classes of one model. For this use `scores`, with the column of the positive class."
        )
    cluster = encoded("groups", given["groups"]) if groups is not None else None
    stratum = encoded(ROLE, given[ROLE]) if ROLE in given else None
    split = [encoded(role, given[role]) for role in roles(named)]
    beside = [each for each in (cluster, stratum) if each is not None]
    same_length([truth, *split, *beside], None if tally is None else tally.weight)
    positive, classes = binary_truth(truth, pos_label, check=check)
    stated = is_positive_stated(truth, classes, pos_label)
    group, clusters_named = (None, None) if cluster is None else cluster.used()
    spreads = [found.spread.get(role) for role in of_models]
    tally = Tally.of_cases(len(truth)) if tally is None else tally
    if stratum is not None:
        tally = tally.stratified(*stratum.used(), stratum_sizes, group, clusters_named)

    def table(some: Any) -> PairedScoresTable:
        parts = tally.of(some), None if group is None else group[some]
        own = [score[some] for score in scores]
        made = _paired_scores(positive[some], own, classes, tuple(models), *parts, names=clusters_named)
        return replace(
            made, limits=limits, is_ordered=stated, spreads=tuple(map(_of_levels, made.scores, scores, spreads))
        )

    limits = tuple((float(score.min()), float(score.max())) for score in scores)
    return groups_of_columns(list(named), split).each(table) if named else table(slice(None))


def _of_levels(levels: Array, score: Array, spread: Array | None) -> Array | None:
    """Return the spread of the scores that each level represents."""
    if spread is None:
        return None
    known, first = np.unique(score, return_index=True)
    return spread[first][np.searchsorted(known, levels)]


def _paired_scores(
    positive: Array,
    scores: list[Array],
    classes: Array,
    models: tuple[str, ...],
    tally: Tally,
    cluster: Array | None,
    *,
    names: Array | None,
) -> PairedScoresTable:
    distinct = [np.unique(score, return_inverse=True) for score in scores]
    tuples, row = distinct_and_places(np.column_stack([code for _, code in distinct]))
    cell = 2 * row + positive
    return PairedScoresTable(
        counts=tally.counts(cell, 2 * len(tuples)).reshape(-1, 2),
        labels=classes,
        names=models,
        codes=tuples,
        scores=tuple(levels for levels, _ in distinct),
        design=tally.design(cell, 2 * len(tuples), cluster, names),
        rows=tally.cases,
    )

"""The source of score tables: scores and true classes, sorted once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from typing import Any, Unpack, overload

import numpy as np

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError, HowsureError, OneClassError
from howsure.native.ends import ends
from howsure.native.sorting import count_scores
from howsure.sources.columns import refuse_other_lengths, same_length
from howsure.sources.crossed import drawn_anew
from howsure.sources.doubtful_lines import refuse_doubtful_numbers
from howsure.sources.encoding import Column, encoded
from howsure.sources.frames import rows
from howsure.sources.groups import Tally, by_columns, groups_of_columns, roles
from howsure.sources.input_checks import refuse_odd_classes, refuse_similar_labels
from howsure.sources.keywords import Scored
from howsure.sources.layout import Rank, class_order, covers, is_stated
from howsure.sources.number_checks import refuse_marks_of_missing
from howsure.sources.positive import opposite, positive_class, refuse_score_of_other
from howsure.sources.strata import ROLE, counted_roles
from howsure.sources.to_numpy import numbers_of, plain, several_models
from howsure.tables.batch import Tables
from howsure.tables.scores import ScoresTable

FEW_FRACTIONS = 10  # so many values may be shares of votes, and more are scores
POSITIVE_BY_HABIT = ({0, 1}, {-1, 1})  # in these, 1 is the positive class in scikit-learn


@overload
def scores(y_true: object, y_score: object, *, by: None = None, **keywords: Unpack[Scored]) -> ScoresTable: ...


@overload
def scores(y_true: object, y_score: object, *, by: Sized, **keywords: Unpack[Scored]) -> Tables[ScoresTable]: ...


def scores(
    y_true: object,
    y_score: object,
    *,
    data: object = None,
    pos_label: object = None,
    sample_weight: object = None,
    counts: object = None,
    groups: object = None,
    fixed: str | None = None,
    strata: object = None,
    stratum_sizes: Mapping[Any, float] | None = None,
    by: Sized | None = None,
    exact: bool = False,
    check: bool = True,
) -> ScoresTable | Tables[ScoresTable]:
    """Count cases by distinct score and true class; the scores are sorted once.

    Parameters
    ----------
    y_true : array-like of shape (n,) or str
        True class of each case, two classes of any type; or, with ``data``, the name of its column.
    y_score : array-like of shape (n,) or str
        Finite score of each case, higher for the positive class; or the name of its column.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    pos_label : object, optional
        The positive class; by default 1 where the classes are 0 and 1 or −1 and 1, else the last in order.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
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
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values.
    exact : bool
        Whether an engine counts all distinct scores. If false, more than 4 million cases are counted in 2**19 bins. A
        bin with several scores is represented by their mean; ``table.cautions`` report the largest possible effect on
        ROC AUC. Scores in memory are never binned.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    ScoresTable or Tables
        The counts by distinct score, ascending, and class, so that ties are exact; ``table.at(threshold)`` is the
        confusion table at a threshold. If ``by`` is given, a mapping of the group tables, where ``overall`` is the
        table of all cases.

    Raises
    ------
    HowsureError
        If columns differ in length, are empty or have missing values; if a score is not finite; or if there are not two
        classes, or ``pos_label`` is not one of them.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores(["ill", "well", "ill", "well"], [0.9, 0.2, 0.4, 0.4], pos_label="ill")
    >>> table.scores.tolist(), table.counts.astype(int).tolist()
    ([0.2, 0.4, 0.9], [[1, 0], [1, 1], [0, 1]])
    """
    groups = drawn_anew(groups, fixed, data)
    named = by_columns(by, data)
    names = {"y_true": y_true, "y_score": y_score, "groups": groups} | roles(named)
    names |= counted_roles(strata, stratum_sizes, groups, sample_weight)
    found = rows(data, names, sample_weight, scores=("y_score",), exact=exact, check=check, counts=counts)
    given, tally = found.columns, found.tally
    truth = encoded("y_true", given["y_true"])
    score = score_values(given["y_score"], tally)
    cluster = encoded("groups", given["groups"]) if "groups" in given else None
    stratum = encoded(ROLE, given[ROLE]) if ROLE in given else None
    split = [encoded(role, given[role]) for role in roles(named)]
    refuse_other_lengths({"y_true": truth, "y_score": score})
    beside = [each for each in (cluster, stratum) if each is not None]
    same_length([truth, *split, *beside], None if tally is None else tally.weight)
    positive, classes = binary_truth(truth, pos_label, check=check)
    if check:
        refuse_score_of_other(y_score, classes)
        refuse_marks_of_missing("y_score", score)
        if tally is None or tally.n.max() == 1:
            weight = None if tally is None or sample_weight is None else tally.weight
            refuse_doubtful_numbers(score, positive, data, names, weight=weight, counts=counts)
    stated = is_positive_stated(truth, classes, pos_label)
    group, clusters_named = (None, None) if cluster is None else cluster.used()
    spread = found.spread.get("y_score")
    if stratum is not None:
        tally = Tally.of_cases(len(score)) if tally is None else tally
        tally = tally.stratified(*stratum.used(), stratum_sizes, group, clusters_named)

    limits = (float(score.min()), float(score.max())) if named else None

    def table(some: Any) -> ScoresTable:
        own = None if tally is None else tally.of(some)
        of_group, of_spread = (None if part is None else part[some] for part in (group, spread))
        columns = positive[some], score[some], classes, own, of_group, of_spread
        return scores_table(*columns, names=clusters_named, is_ordered=stated, limits=limits)

    return groups_of_columns(list(named), split).each(table) if named else table(slice(None))


def score_values(values: object, tally: Tally | None = None, role: str = "y_score") -> Array:
    """Return scores as floats; refuse scores that are not one-dimensional, not numeric or not finite.

    Parameters
    ----------
    values : array-like of shape (n,)
        The scores.
    tally : Tally, optional
        Number of cases of each score, if not one.
    role : str
        Their name in messages.
    """
    array = score_array(values, role)
    refuse_infinite(array, tally, role)
    return array


def score_array(values: object, role: str = "y_score") -> Array:
    """Return scores as floats, finite or not; refuse scores that are not one-dimensional or not numeric."""
    array = numbers_of(role, plain(role, values), "Give one number a case, higher for the positive class.")
    if array.ndim != 1:
        remedy = f"For n×2 probabilities give the positive class's column, `{role}[:, 1]`.{several_models(role)}"
        raise HowsureError(f"`{role}` has shape {array.shape}; it is one score a case. {remedy}")
    return array


def refuse_infinite(array: Array, tally: Tally | None = None, role: str = "y_score") -> None:
    """Refuse scores that are missing or infinite.

    Parameters
    ----------
    array : ndarray of shape (n,)
        The scores.
    tally : Tally, optional
        Number of cases of each score, if not one.
    role : str
        Their name in messages.
    """
    if not len(array) or all(map(math.isfinite, ends(array))):
        return
    finite = np.isfinite(array)
    is_row = tally is None or tally.is_single
    is_counted = tally is not None and len(tally.n) == len(array)  # else it is of the rows without gaps
    number = int(tally.n[~finite].sum() if tally is not None and is_counted else (~finite).sum())
    where = f" (first at row {int(np.argmin(finite))})" if is_row else ""
    raise HowsureError(f"`{role}` has {number} missing or infinite values{where}. Drop or fill them first.")


def binary_truth(column: Column, pos_label: object, *, check: bool = True) -> tuple[Array, Array]:
    """Return which cases are positive, and the names of the negative and the positive class."""
    used = column.occurring()
    present = column.levels[used].tolist()
    if check:
        refuse_similar_labels(present)
        if len(present) > FEW_FRACTIONS and all(isinstance(each, float) for each in present):
            fraction = next(each for each in present if not each.is_integer())
            raise DoubtfulDataError(
                f"`y_true` holds fractions, such as {fraction:g}: scores, it seems. Exchange the two columns."
            )
        refuse_odd_classes(present)
    if len(present) > 2:
        raise HowsureError(
            f"`y_true` has {len(present)} classes. Give one class against the rest, or n×K scores to "
            "`multiclass_scores`."
        )
    label = _positive(present, pos_label, column.rank)
    others = [value for value in present if value != label]
    negative = others[0] if others else opposite(label)
    chosen = [index for index, value in zip(used, present, strict=True) if value == label]
    positive = column.codes == column.offset + chosen[0] if chosen else np.zeros(len(column), dtype=bool)
    kinds = {type(negative), type(label)}
    return positive, np.array([negative, label], dtype=None if len(kinds) == 1 else object)


def is_positive_stated(truth: Column, classes: Array, pos_label: object) -> bool:
    """Whether the positive class is named, or is the last of two ordered categories.

    Parameters
    ----------
    truth : Column
        The true classes.
    classes : ndarray of shape (2,)
        The negative and the positive class.
    pos_label : object, optional
        The argument of the caller.
    """
    both = classes.tolist()
    return is_stated(both, None, pos_label, ranked=covers([truth.rank], both))


def _positive(present: list[Any], pos_label: object, rank: Rank) -> Any:
    if len(present) == 1 and pos_label is None:
        raise OneClassError(present[0], " in `y_true`. Name the positive class with `pos_label=`.")
    if pos_label is None:
        if any(set(present) == habit for habit in POSITIVE_BY_HABIT):
            return next(label for label in present if label == 1)  # True for booleans
        return class_order(present, rank).tolist()[-1]
    return positive_class(present, pos_label)


def scores_table(
    positive: Array,
    score: Array,
    classes: Array,
    tally: Tally | None = None,
    group: Array | None = None,
    spread: Array | None = None,
    names: Array | None = None,
    **stated: Any,
) -> ScoresTable:
    """Return the table of checked columns.

    Parameters
    ----------
    positive, score : ndarray of shape (n,)
        Which rows are positive, and their scores.
    classes : ndarray of shape (2,)
        The negative and the positive class.
    tally : Tally, optional
        Numbers and weights of the cases of the rows, if not one case each.
    group : ndarray of shape (n,), optional
        Their clusters.
    spread : ndarray of shape (n,), optional
        Spread of the scores that each score represents.
    names : ndarray of shape (clusters,), optional
        Names of the clusters.
    **stated
        Further fields of the table.
    """
    if tally is None and group is None:
        support, counts = count_scores(positive, score)
        return ScoresTable(counts=counts, scores=support, labels=classes, rows=len(score), **stated)
    tally = Tally.of_cases(len(score)) if tally is None else tally
    support, first, row = np.unique(score, return_index=True, return_inverse=True)
    cell = 2 * row + positive
    return ScoresTable(
        counts=tally.counts(cell, 2 * len(support)).reshape(-1, 2),
        scores=support,
        labels=classes,
        design=tally.design(cell, 2 * len(support), group, names),
        rows=tally.cases,
        spread=None if spread is None else spread[first],
        **stated,
    )

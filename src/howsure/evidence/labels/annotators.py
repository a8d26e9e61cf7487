"""Several annotators who disagree: the truth behind their labels, and metrics against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.designs.base import PSEUDO_CASES
from howsure.designs.linearised import Linearised, Sample
from howsure.errors import HowsureError, checked_level
from howsure.estimates.estimate import Estimate
from howsure.evidence.labels.dawid_skene import Votes
from howsure.grids import Tabular
from howsure.methods.draws import seed_sequence
from howsure.methods.summary import equal_tailed
from howsure.sources.columns import checked_counts, refuse_other_lengths
from howsure.sources.confusion import class_labels, refuse_mixed
from howsure.sources.encoding import coded_with_gaps, positions
from howsure.sources.groups import by_columns, groups_of, roles
from howsure.sources.layout import order_as_stated
from howsure.sources.wide import named_columns
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.labels import as_labels

Array = NDArray[Any]
FEWEST = 2  # annotators, for whom there is agreement to learn from
PRIOR_RIGHT, PRIOR_WRONG = 2.0, 1.0  # pseudo-cases of each annotator and class: more often right than wrong
N_DRAWS = 4_000
LEAST_RIGHT = 0.75  # mean of the annotators' rates of right labels: below it 95 % intervals cover 86 to 92 %
DOUBTFUL = "annotators are right in {:.0%} of the cases on average, too few for the interval to cover as stated"


@overload
def annotated(
    annotations: Any,
    y_pred: Any,
    *,
    data: Any = ...,
    labels: ArrayLike | None = ...,
    pos_label: Any = ...,
    counts: Any = ...,
    by: None = None,
    check: bool = ...,
) -> ConfusionTable: ...


@overload
def annotated(
    annotations: Any,
    y_pred: Any,
    *,
    data: Any = ...,
    labels: ArrayLike | None = ...,
    pos_label: Any = ...,
    counts: Any = ...,
    by: Sized,
    check: bool = ...,
) -> Tables[ConfusionTable]: ...


@order_as_stated
def annotated(
    annotations: Any,
    y_pred: Any,
    *,
    data: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    counts: Any = None,
    by: Sized | None = None,
    check: bool = True,
) -> ConfusionTable | Tables[ConfusionTable]:
    """Return the confusion table against the truth behind several annotators' labels.

    The model of Dawid and Skene: each case has one true class; given it, each annotator labels by a confusion matrix
    of their own and the classifier predicts by its own, all independently. The counts are those expected at the most
    probable matrices; intervals carry that neither the truth nor the annotators are known.

    Parameters
    ----------
    annotations : array-like of shape (n, A), mapping, frame or list of str
        Labels by case and annotator, with None or nan where an annotator has not labelled a case; or a mapping or
        frame with one column per annotator; with ``data`` the names of the annotators' columns.
    y_pred : array-like of shape (n,) or str
        Prediction for each case; with ``data``, the name of the column.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    labels : array-like of shape (K,), optional
        The classes, in order; by default all classes that occur.
    pos_label : object, optional
        The positive class of two; by default the last in order.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases that each row stands for; with ``data``, the name of the column.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values, with annotators of
        its own.
    check : bool
        Whether to raise an error if a column does not look like the kind of data that its argument expects; False
        disables this check.

    Returns
    -------
    ConfusionTable or Tables
        With fractional counts. ``method="bayes"`` draws from the model's posterior, by Gibbs sampling. With ``by`` the
        tables of the groups, with the table of all cases as ``overall``.

    Raises
    ------
    HowsureError
        If there are fewer than two annotators, no case that two of them labelled (in all, or in a group), or a case
        that nobody labelled.

    Notes
    -----
    Each annotator and class has a prior of two cases labelled right and one labelled wrong. Where annotators err on
    the same hard cases, or as the classifier does, they agree more than the model allows for, and metrics come out
    too high. Where they are right in less than 75 % of the cases on average, 95 % intervals cover 86 to 92 % (150
    cases, 3 annotators), and every estimate carries a note.

    References
    ----------
    Dawid, Skene (1979), Applied Statistics 28; Paun et al. (2018), TACL 6.

    Examples
    --------
    >>> import howsure as hs
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 500)
    >>> votes = np.where(rng.random((500, 3)) < [0.9, 0.85, 0.8], truth[:, None], 1 - truth[:, None])
    >>> predicted = np.where(rng.random(500) < 0.9, truth, 1 - truth)
    >>> print(hs.estimate(hs.annotated(votes, predicted), "accuracy"))
    0.923 [0.892, 0.948]
    """
    if y_pred is None:
        message = "`y_pred` is None. Give the predictions, or ask `consensus` what the annotators say alone."
        raise HowsureError(message)
    named = by_columns(by, data)
    others = {"y_pred": y_pred, "counts": counts} | roles(named)
    given_by, given = named_columns("annotations", annotations, others, data, check=check)
    rows, axis = _positions(given_by, given["y_pred"], labels, pos_label, check=check)
    number = _numbers_of_cases(given, len(rows))

    def table(some: Any) -> ConfusionTable:
        return _expected(_votes(rows[some], number[some], len(axis))[0], axis)

    return groups_of(named, given, len(rows)).each(table) if named else table(slice(None))


def _expected(votes: Votes, axis: Array) -> ConfusionTable:
    """Return the table that is expected at the most probable matrices."""
    shares, rates = votes.fitted()
    counts = votes.totals(votes.counts[:, None] * votes.memberships(shares, rates))[0]
    # Two pseudo-cases, for the variance alone: a cell that seems empty may have a few cases.
    smooth = counts + PSEUDO_CASES / counts.size
    sample = Sample(votes.counts, votes.influence(smooth / smooth.sum(), rates))
    right = float(np.diagonal(rates, axis1=-2, axis2=-1).mean())
    design = Linearised((sample,), counts.ravel(), votes.draws, DOUBTFUL.format(right) if right < LEAST_RIGHT else "")
    return ConfusionTable(counts=counts, labels=axis, design=design, rows=round(float(votes.counts.sum())))


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Consensus(Tabular):
    """What several annotators' labels say together.

    Parameters
    ----------
    labels : ndarray of shape (n_cases,)
        The most probable class of each case.
    probabilities : ndarray of shape (n_cases, n_classes)
        Probability of each class.
    classes : ndarray of shape (n_classes,)
        The classes, in the order of the columns.
    annotators : dict of dict of Estimate
        For each annotator, for each class, the share of its cases that the annotator labels so, with its interval:
        of two classes the second is sensitivity, the first specificity. The records and tables are of these.

    Examples
    --------
    >>> import howsure as hs
    >>> votes = [["a", "a", "b"], ["b", "b", None], ["a", "a", "a"], ["b", "b", "b"], ["a", "b", "a"]]
    >>> agreed = hs.consensus(votes, ["a", "b", "a", "b", "a"], random_state=0)
    >>> agreed.probabilities.argmax(1).tolist(), len(agreed.records())
    ([0, 1, 0, 1, 0], 6)
    """

    labels: Array
    probabilities: Array
    classes: Array
    annotators: dict[Any, dict[Any, Estimate]]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per annotator and class."""
        return [
            {"annotator": name, "class": label} | each.to_dict()
            for name, of_classes in self.annotators.items()
            for label, each in of_classes.items()
        ]


def consensus(
    annotations: Any,
    y_pred: Any = None,
    *,
    data: Any = None,
    counts: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
    check: bool = True,
) -> Consensus:
    """Return each case's most probable class and how reliable each annotator is, by the model of `annotated`.

    Parameters
    ----------
    annotations : array-like of shape (n, A), mapping, frame or list of str
        Labels by case and annotator, as in `annotated`.
    y_pred : array-like of shape (n,) or str, optional
        Prediction for each case, where a classifier's word counts too; with ``data`` the name of its column.
    data : frame, mapping, path or None
        A frame, a lazy frame or relation, a mapping of columns, or the path of a file.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases that each row stands for; with ``data``, the name of the column.
    labels : array-like of shape (K,), optional
        The classes, in order; by default all classes that occur.
    pos_label : object, optional
        The positive class of two; by default the last in order.
    confidence_level : float
        Probability that an annotator's interval holds, between 0 and 1.
    random_state : int, Generator or None
        Seed of the posterior draws behind them.
    check : bool
        Whether to raise an error if a column does not look like the kind of data that its argument expects; False
        disables this check.

    Returns
    -------
    Consensus
        Class and probabilities of each case, or row of identical ones; an estimate for each annotator and class.

    Raises
    ------
    HowsureError
        As `annotated`.

    References
    ----------
    Dawid, Skene (1979), Applied Statistics 28.

    Examples
    --------
    >>> import howsure as hs
    >>> votes = [["a", "a", "b"], ["b", "b", None], ["a", "a", "a"], ["b", "b", "b"], ["a", "b", "a"]]
    >>> hs.consensus(votes, random_state=0).labels.tolist()
    ['a', 'b', 'a', 'b', 'a']
    """
    level = checked_level(confidence_level)
    others = {"y_pred": y_pred, "counts": counts}
    given_by, given = named_columns("annotations", annotations, others, data, check=check)
    rows, axis = _positions(given_by, given.get("y_pred"), labels, pos_label, check=check)
    votes, combination = _votes(rows, _numbers_of_cases(given, len(rows)), len(axis))
    fitted = votes.fitted()
    probabilities = votes.memberships(*fitted)[combination]
    said = np.ones(len(axis)) if y_pred is not None else np.eye(len(axis))[rows[0, -1]]  # one and the same for all
    prior = np.tile(PSEUDO_CASES / len(axis) * said / said.sum(), len(axis))
    rng = np.random.default_rng(seed_sequence(random_state))
    drawn = votes.chains(prior, N_DRAWS, rng)[1]
    reliability = {
        name: {
            label: _rate(drawn[:, which, index, index], float(fitted[1][which, index, index]), level)
            for index, label in enumerate(axis.tolist())
        }
        for which, name in enumerate(given_by)
    }
    labels_of_cases = axis[probabilities.argmax(1)]
    return Consensus(labels=labels_of_cases, probabilities=probabilities, classes=axis, annotators=reliability)


def _rate(draws: Array, value: float, level: float) -> Estimate:
    low, high = equal_tailed(draws, level)
    low, high = min(low, value), max(high, value)
    return Estimate(
        value,
        low=low,
        high=high,
        metric="recall",
        confidence_level=level,
        method="bayes",
        standard_error=float(draws.std(ddof=1)),
        draws=draws,
    )


def _positions(
    given_by: dict[Any, Any], y_pred: Any, labels: ArrayLike | None, pos_label: Any, *, check: bool
) -> tuple[Array, Array]:
    """Return each case's labels and prediction as positions of the classes, ``(n, A + 1)``, and the classes."""
    coded = [coded_with_gaps(f"annotations[{name!r}]", column) for name, column in given_by.items()]
    levels, codes = _without_predictions(coded) if y_pred is None else coded_with_gaps("y_pred", y_pred)
    if len({len(each) for each in (codes, *(column for _, column in coded))}) > 1:
        number = len(coded[0][1]) if coded else 0
        message = f"`annotations` has {number} cases and `y_pred` {len(codes)}. Give the same."
        raise HowsureError(message)
    if (codes < 0).any():
        message = f"`y_pred` has {int((codes < 0).sum())} missing values. Every case needs a prediction."
        raise HowsureError(message)
    _refuse_unlabelled(np.sum([each >= 0 for _, each in coded], axis=0))
    given = as_labels(list(dict.fromkeys(label for each, _ in coded for label in each.tolist())))
    refuse_mixed(given, levels, "annotations", check=check)
    axis = class_labels(given, levels, labels, pos_label=pos_label, check=check)
    return np.stack([*(positions(*each, axis) for each in coded), positions(levels, codes, axis)], axis=1), axis


def _without_predictions(coded: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return one class for all cases, which tells nothing of them: one that occurs."""
    levels, codes = next(((levels, codes) for levels, codes in coded if len(levels)), (np.empty(0), np.empty(0, int)))
    return levels[:1], np.zeros(len(codes), dtype=int)


def _refuse_unlabelled(number: Array) -> None:
    """Refuse cases, by how many annotators labelled each, that say nothing of the annotators or of the truth."""
    if not (number >= FEWEST).any():
        message = (
            "No case has labels of two annotators: nothing tells how often they err. With one source of labels use "
            "`corrected` (error rates known) or `reviewed` (some labels checked)."
        )
        raise HowsureError(message)
    if (number == 0).any():
        first, all_of_them = int(np.argmax(number == 0)), int((number == 0).sum())
        message = f"Nobody labelled case {first} ({all_of_them} in all). Leave such cases out."
        raise HowsureError(message)


def _numbers_of_cases(given: Mapping[str, Any], rows: int) -> Array:
    """Return the number of identical cases that each row stands for."""
    if "counts" not in given:
        return np.ones(rows)
    number = checked_counts(given["counts"])
    refuse_other_lengths({"annotations": range(rows), "counts": number})
    return number


def _votes(rows: Array, number: Array, size: int) -> tuple[Votes, Array]:
    """Return the distinct combinations of some rows with their numbers of cases, and each row's combination."""
    _refuse_unlabelled((rows[:, :-1] >= 0).sum(1))
    distinct, combination = _distinct(rows, size)
    counts = np.bincount(combination, number)
    prior = np.full((size, size), PRIOR_WRONG / (size - 1))
    np.fill_diagonal(prior, PRIOR_RIGHT)
    every = np.broadcast_to(prior, (rows.shape[1] - 1, size, size))
    return Votes(distinct[:, :-1], distinct[:, -1], counts, every), combination


def _distinct(rows: Array, size: int) -> tuple[Array, Array]:
    """Return the distinct rows, and each row's place among them."""
    shape = (size + 1,) * rows.shape[1]
    if np.prod([float(each) for each in shape]) < 2.0**62:  # one number stands for a row, which sorts faster
        flat = np.ravel_multi_index(tuple(rows.T + 1), shape)
        known, place = np.unique(flat, return_inverse=True)
        return np.stack(np.unravel_index(known, shape), axis=1) - 1, place
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    return distinct, place.ravel()

"""Labels of several annotators who disagree: the estimated true classes, and metrics against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array, Seed
from howsure.designs.base import PSEUDO_COUNT
from howsure.designs.linearised import Linearised, Sample
from howsure.errors import HowsureError, checked_level
from howsure.estimates.estimate import Estimate
from howsure.grids import Tabular
from howsure.imperfect_labels.noisy.dawid_skene import Votes
from howsure.methods.core.draws import seed_sequence
from howsure.methods.numerics.draw_summaries import equal_tailed
from howsure.sources.columns import checked_counts, refuse_other_lengths
from howsure.sources.confusion import class_labels, refuse_mixed
from howsure.sources.encoding import coded_with_gaps, positions
from howsure.sources.groups import by_columns, groups_of, roles
from howsure.sources.input_checks import refuse_marks
from howsure.sources.keywords import Classes, Rows
from howsure.sources.layout import order_as_stated
from howsure.sources.wide import named_columns
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.labels import as_labels

FEWEST = 2  # annotators: their agreement identifies the error rates
PRIOR_RIGHT, PRIOR_WRONG = 2.0, 1.0  # pseudo-counts for each annotator and class: more often right than wrong
N_DRAWS = 4_000
LEAST_RIGHT = 0.75  # mean rate of correct labels over annotators; below it 95 % intervals cover 86 to 92 %
DOUBTFUL = "annotators are right in {:.0%} of the cases on average, too few for the interval to cover as stated"


class _Keywords(Rows, Classes, total=False):
    """Keyword arguments that do not decide the type of the result."""


@overload
def annotated(
    annotations: object, y_pred: object, *, by: None = None, **keywords: Unpack[_Keywords]
) -> ConfusionTable: ...


@overload
def annotated(
    annotations: object, y_pred: object, *, by: Sized, **keywords: Unpack[_Keywords]
) -> Tables[ConfusionTable]: ...


@order_as_stated
def annotated(
    annotations: object,
    y_pred: object,
    *,
    data: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    counts: object = None,
    by: Sized | None = None,
    check: bool = True,
) -> ConfusionTable | Tables[ConfusionTable]:
    """Return the confusion table of predictions against the true classes that several annotators' labels imply.

    The model is that of Dawid and Skene. Each case has one true class. Given this class, every annotator and the
    classifier err independently, each with a confusion matrix of their own. The counts are the expected counts at the
    most probable matrices. The intervals account for the unknown true classes and the unknown annotator error rates.

    Parameters
    ----------
    annotations : array-like of shape (n, A), mapping, frame or list of str
        Labels by case and annotator; None or nan for a missing label. Also a mapping or frame with one column per
        annotator, or, with ``data``, the names of the annotators' columns.
    y_pred : array-like of shape (n,) or str
        Prediction for each case; with ``data``, the name of the column.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    labels : array-like of shape (K,), optional
        The classes, in order; by default all classes that occur.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values, with its own annotator
        error rates.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    ConfusionTable or Tables
        Table with fractional counts. ``method="bayes"`` draws from the model's posterior by Gibbs sampling. If ``by``
        is given, the tables of the groups, with the table of all cases as ``overall``.

    Raises
    ------
    HowsureError
        If there are fewer than two annotators, if no case has labels of two annotators (overall or in a group), or if
        a case has no label.

    Notes
    -----
    The prior for each annotator and class is two correct labels and one wrong label. If annotators err on the same
    hard cases, or on the same cases as the classifier, they agree more often than the model allows, and metrics are
    too high. If annotators are right in less than 75 % of the cases on average, 95 % intervals cover 86 to 92 % (150
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
    >>> print(hs.estimate(hs.labels.annotated(votes, predicted), "accuracy"))
    0.923 [0.892, 0.948]
    """
    if y_pred is None:
        raise HowsureError("`y_pred` is None. Give the predictions, or use `consensus` for the annotators alone.")
    named = by_columns(by, data)
    others = {"y_pred": y_pred, "counts": counts} | roles(named)
    given_by, given = named_columns("annotations", annotations, others, data, check=check)
    rows, axis = _positions(given_by, given["y_pred"], labels, pos_label, check=check)
    number = _numbers_of_cases(given, len(rows))

    def table(some: Any) -> ConfusionTable:
        return _expected(_votes(rows[some], number[some], len(axis))[0], axis)

    return groups_of(named, given, len(rows)).each(table) if named else table(slice(None))


def _expected(votes: Votes, axis: Array) -> ConfusionTable:
    """Return the expected table at the most probable matrices."""
    shares, rates = votes.fitted()
    counts = votes.totals(votes.counts[:, None] * votes.memberships(shares, rates))[0]
    # Add two pseudo-cases for the variance only: a cell that is estimated as empty may contain a few cases.
    smooth = counts + PSEUDO_COUNT / counts.size
    sample = Sample(votes.counts, votes.influence(smooth / smooth.sum(), rates))
    right = float(np.diagonal(rates, axis1=-2, axis2=-1).mean())
    design = Linearised((sample,), counts.ravel(), votes.draws, DOUBTFUL.format(right) if right < LEAST_RIGHT else "")
    return ConfusionTable(counts=counts, labels=axis, design=design, rows=round(float(votes.counts.sum())))


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Consensus(Tabular):
    """Estimated class of each case and reliability of each annotator; made by `consensus`.

    Parameters
    ----------
    labels : ndarray of shape (n_cases,)
        Most probable class of each case.
    probabilities : ndarray of shape (n_cases, n_classes)
        Probability of each class for each case.
    classes : ndarray of shape (n_classes,)
        The classes, in the order of the columns.
    annotators : dict of dict of Estimate
        The recall of each annotator for each class, with its interval. For two classes, that of the second class is
        the sensitivity and that of the first the specificity. `records` and printed tables contain these estimates.

    Examples
    --------
    >>> import howsure as hs
    >>> votes = [["a", "a", "b"], ["b", "b", None], ["a", "a", "a"], ["b", "b", "b"], ["a", "b", "a"]]
    >>> agreed = hs.labels.consensus(votes, ["a", "b", "a", "b", "a"], random_state=0)
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
    annotations: object,
    y_pred: object = None,
    *,
    data: object = None,
    counts: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    confidence_level: float = 0.95,
    random_state: Seed = None,
    check: bool = True,
) -> Consensus:
    """Return the most probable class of each case and the reliability of each annotator, by the model of `annotated`.

    Parameters
    ----------
    annotations : array-like of shape (n, A), mapping, frame or list of str
        Labels by case and annotator, as in `annotated`.
    y_pred : array-like of shape (n,) or str, optional
        Prediction for each case, if a classifier is part of the model; with ``data``, the name of the column.
    data : frame, mapping, path or None
        A frame, a lazy frame or relation, a mapping of columns, or the path of a file.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    labels : array-like of shape (K,), optional
        The classes, in order; by default all classes that occur.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    confidence_level : float
        Coverage probability of the annotators' intervals, between 0 and 1.
    random_state : int, Generator or None
        Seed of the posterior draws behind these intervals.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    Consensus
        Class and probabilities of each row of the data, and an estimate for each annotator and class.

    Raises
    ------
    HowsureError
        For the same reasons as `annotated`.

    References
    ----------
    Dawid, Skene (1979), Applied Statistics 28.

    Examples
    --------
    >>> import howsure as hs
    >>> votes = [["a", "a", "b"], ["b", "b", None], ["a", "a", "a"], ["b", "b", "b"], ["a", "b", "a"]]
    >>> hs.labels.consensus(votes, random_state=0).labels.tolist()
    ['a', 'b', 'a', 'b', 'a']
    """
    level = checked_level(confidence_level)
    others = {"y_pred": y_pred, "counts": counts}
    given_by, given = named_columns("annotations", annotations, others, data, check=check)
    rows, axis = _positions(given_by, given.get("y_pred"), labels, pos_label, check=check)
    votes, combination = _votes(rows, _numbers_of_cases(given, len(rows)), len(axis))
    fitted = votes.fitted()
    probabilities = votes.memberships(*fitted)[combination]
    said = np.ones(len(axis)) if y_pred is not None else np.eye(len(axis))[rows[0, -1]]  # constant
    prior = np.tile(PSEUDO_COUNT / len(axis) * said / said.sum(), len(axis))
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
    given_by: dict[Any, Any], y_pred: object, labels: ArrayLike | None, pos_label: object, *, check: bool
) -> tuple[Array, Array]:
    """Return each case's labels and prediction as positions of the classes, ``(n, A + 1)``, and the classes."""
    coded = [coded_with_gaps(f"annotations[{name!r}]", column) for name, column in given_by.items()]
    levels, codes = _without_predictions(coded) if y_pred is None else coded_with_gaps("y_pred", y_pred)
    if len({len(each) for each in (codes, *(column for _, column in coded))}) > 1:
        number = len(coded[0][1]) if coded else 0
        raise HowsureError(f"`annotations` has {number} cases and `y_pred` {len(codes)}. Give the same.")
    if (codes < 0).any():
        raise HowsureError(f"`y_pred` has {int((codes < 0).sum())} missing values. Every case needs a prediction.")
    _refuse_unlabelled(np.sum([each >= 0 for _, each in coded], axis=0))
    given = as_labels(list(dict.fromkeys(label for each, _ in coded for label in each.tolist())))
    if check and labels is None and y_pred is not None:
        for name, column in zip(given_by, coded, strict=True):
            refuse_marks(column, (levels, codes), f"annotations[{name!r}]", "y_pred")
    refuse_mixed(given, levels, "annotations", check=check)
    axis = class_labels(given, levels, labels, pos_label=pos_label, check=check)
    return np.stack([*(positions(*each, axis) for each in coded), positions(levels, codes, axis)], axis=1), axis


def _without_predictions(coded: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return a constant prediction, which carries no information, as levels and codes."""
    levels, codes = next(((levels, codes) for levels, codes in coded if len(levels)), (np.empty(0), np.empty(0, int)))
    return levels[:1], np.zeros(len(codes), dtype=int)


def _refuse_unlabelled(number: Array) -> None:
    """Refuse numbers of labels per case if none is two or more, or if one is zero."""
    if not (number >= FEWEST).any():
        raise HowsureError(
            "No case has labels of two annotators: their error rates cannot be estimated. For one source of labels "
            "use `corrected` (error rates known) or `reviewed` (some labels checked)."
        )
    if (number == 0).any():
        first, all_of_them = int(np.argmax(number == 0)), int((number == 0).sum())
        raise HowsureError(f"Nobody labelled case {first} ({all_of_them} in all). Leave such cases out.")


def _numbers_of_cases(given: Mapping[str, object], rows: int) -> Array:
    """Return the number of identical cases that each row stands for."""
    if "counts" not in given:
        return np.ones(rows)
    number = checked_counts(given["counts"])
    refuse_other_lengths({"annotations": range(rows), "counts": number})
    return number


def _votes(rows: Array, number: Array, size: int) -> tuple[Votes, Array]:
    """Return the distinct combinations among the rows with their numbers of cases, and the combination of each row."""
    _refuse_unlabelled((rows[:, :-1] >= 0).sum(1))
    distinct, combination = _distinct(rows, size)
    counts = np.bincount(combination, number)
    prior = np.full((size, size), PRIOR_WRONG / (size - 1))
    np.fill_diagonal(prior, PRIOR_RIGHT)
    every = np.broadcast_to(prior, (rows.shape[1] - 1, size, size))
    return Votes(distinct[:, :-1], distinct[:, -1], counts, every), combination


def _distinct(rows: Array, size: int) -> tuple[Array, Array]:
    """Return the distinct rows, and the position of each row among them."""
    shape = (size + 1,) * rows.shape[1]
    if np.prod([float(each) for each in shape]) < 2.0**62:  # encode a row as one number, which sorts faster
        flat = np.ravel_multi_index(tuple(rows.T + 1), shape)
        known, place = np.unique(flat, return_inverse=True)
        return np.stack(np.unravel_index(known, shape), axis=1) - 1, place
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    return distinct, place.ravel()

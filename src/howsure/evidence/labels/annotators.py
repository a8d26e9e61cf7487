"""Several annotators who disagree: the truth behind their labels, and metrics against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
from howsure.sources.columns import as_labels, coded_with_gaps, positions
from howsure.sources.confusion import class_labels, refuse_mixed
from howsure.sources.frames import columns, opened
from howsure.tables.confusion import ConfusionTable
from howsure.tables.table import Table

Array = NDArray[Any]
FEWEST = 2  # annotators, for whom there is agreement to learn from
PRIOR_RIGHT, PRIOR_WRONG = 2.0, 1.0  # pseudo-cases of each annotator and class: more often right than wrong
N_DRAWS = 4_000


def annotated(annotations: Any, y_pred: Any, *, data: Any = None, labels: ArrayLike | None = None) -> Table:
    """Return the confusion table against the truth behind several annotators' labels.

    The model of Dawid and Skene: each case has one true class; given it, each annotator labels by a confusion matrix
    of their own and the classifier predicts by its own, all independently. The counts are those expected at the most
    probable matrices; intervals carry that neither the truth nor the annotators are known.

    Parameters
    ----------
    annotations
        Cases × annotators, with None or nan where an annotator has not labelled a case; or a mapping or frame with
        one column an annotator; with ``data`` the names of the annotators' columns.
    y_pred
        Prediction of each case; with ``data`` the name of its column.
    data
        A frame, a lazy frame or relation, a mapping of columns, or the path of a file.
    labels
        The classes, in order; all that occur by default.

    Returns
    -------
    Table
        With fractional counts. ``method="bayes"`` draws from the model's posterior, by Gibbs sampling.

    Raises
    ------
    HowsureError
        If there are fewer than two annotators, no case that two of them labelled, or a case that nobody labelled.

    Notes
    -----
    Each annotator and class has a prior of two cases labelled right and one labelled wrong. Where annotators err on
    the same hard cases, or as the classifier does, they agree more than the model allows for, and metrics come out
    too high.

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
    0.923 [0.895, 0.951]
    """
    votes, axis, _ = _counted(*_columns(annotations, y_pred, data), labels)
    shares, rates = votes.fitted()
    table = votes.totals(votes.counts[:, None] * votes.memberships(shares, rates))[0]
    # Two pseudo-cases, for the variance alone: a cell that seems empty may have a few cases.
    smooth = table + PSEUDO_CASES / table.size
    sample = Sample(votes.counts, votes.influence(smooth / smooth.sum(), rates))
    rows = round(float(votes.counts.sum()))
    return ConfusionTable(counts=table, labels=axis, design=Linearised((sample,), table, votes.draws), rows=rows)


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
    y_pred: Any,
    *,
    data: Any = None,
    labels: ArrayLike | None = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
) -> Consensus:
    """Return each case's most probable class and how reliable each annotator is, by the model of `annotated`.

    Parameters
    ----------
    annotations, y_pred, data, labels
        As in `annotated`.
    confidence_level
        Probability that the annotators' intervals hold.
    random_state
        Seed of the posterior draws behind them.

    Returns
    -------
    Consensus

    Raises
    ------
    HowsureError
        As `annotated`.

    Examples
    --------
    >>> import howsure as hs
    >>> votes = [["a", "a", "b"], ["b", "b", None], ["a", "a", "a"], ["b", "b", "b"], ["a", "b", "a"]]
    >>> hs.consensus(votes, ["a", "b", "a", "b", "a"], random_state=0).labels.tolist()
    ['a', 'b', 'a', 'b', 'a']
    """
    level = checked_level(confidence_level)
    given_by, made = _columns(annotations, y_pred, data)
    votes, axis, combination = _counted(given_by, made, labels)
    fitted = votes.fitted()
    probabilities = votes.memberships(*fitted)[combination]
    prior = np.full((len(axis), len(axis)), PSEUDO_CASES / len(axis) ** 2)
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


def _columns(annotations: Any, y_pred: Any, data: Any) -> tuple[dict[Any, Any], Any]:
    """Return the annotators' columns by name, and the predictions."""
    if data is not None:
        names = [annotations] if isinstance(annotations, str) else list(annotations)
        found = columns(data, {"y_pred": y_pred, **{f"annotations[{name!r}]": name for name in names}})
        made = found.pop("y_pred")
        return dict(zip(names, found.values(), strict=True)), made
    if isinstance(annotations, Mapping):
        return dict(annotations), y_pred
    if hasattr(annotations, "iloc"):  # pandas: names of any type
        return {name: annotations[name] for name in annotations.columns}, y_pred
    if any(hasattr(type(annotations), each) for each in ("columns", "column_names")):
        names = opened(annotations).collect_schema().names()
        return columns(annotations, {name: name for name in names}), y_pred
    if isinstance(annotations, np.ndarray) and annotations.ndim == 2:  # noqa: PLR2004 - cases × annotators
        return dict(enumerate(annotations.T)), y_pred
    try:
        listed = [list(row) for row in annotations]
    except TypeError:
        message = "`annotations` is no table of cases × annotators. To name columns of a frame or file, give `data=`."
        raise HowsureError(message) from None
    if len({len(row) for row in listed}) != 1:
        message = "`annotations` is ragged. Give one row a case and one column an annotator, None where missing."
        raise HowsureError(message)
    return {column: list(each) for column, each in enumerate(zip(*listed, strict=True))}, y_pred


def _counted(given_by: dict[Any, Any], y_pred: Any, labels: ArrayLike | None) -> tuple[Votes, Array, Array]:
    """Return the distinct combinations with their counts, the classes, and each case's combination."""
    coded = [coded_with_gaps(f"annotations[{name!r}]", column) for name, column in given_by.items()]
    levels, codes = coded_with_gaps("y_pred", y_pred)
    _refuse_unusable([each for _, each in coded], codes)
    given = as_labels(list(dict.fromkeys(label for each, _ in coded for label in each.tolist())))
    refuse_mixed(given, levels, "annotations")
    axis = class_labels(given, levels, labels)
    rows = np.stack([*(positions(*each, axis) for each in coded), positions(levels, codes, axis)], axis=1)
    size = len(axis)
    distinct, combination, counts = _distinct(rows, size)
    prior = np.full((size, size), PRIOR_WRONG / (size - 1))
    np.fill_diagonal(prior, PRIOR_RIGHT)
    every = np.broadcast_to(prior, (len(coded), size, size))
    return Votes(distinct[:, :-1], distinct[:, -1], counts.astype(float), every), axis, combination


def _distinct(rows: Array, size: int) -> tuple[Array, Array, Array]:
    """Return the distinct rows, each row's place among them, and how often they occur."""
    shape = (size + 1,) * rows.shape[1]
    if np.prod([float(each) for each in shape]) < 2.0**62:  # one number stands for a row, which sorts faster
        flat = np.ravel_multi_index(tuple(rows.T + 1), shape)
        known, place, counts = np.unique(flat, return_inverse=True, return_counts=True)
        return np.stack(np.unravel_index(known, shape), axis=1) - 1, place, counts
    distinct, place, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return distinct, place.ravel(), counts


def _refuse_unusable(given: list[Array], predicted: Array) -> None:
    lengths = {len(codes) for codes in (*given, predicted)}
    if len(lengths) > 1:
        message = (
            f"`annotations` has {len(given[0]) if given else 0} cases and `y_pred` {len(predicted)}. Give the same."
        )
        raise HowsureError(message)
    if (predicted < 0).any():
        message = f"`y_pred` has {int((predicted < 0).sum())} missing values. Every case needs a prediction."
        raise HowsureError(message)
    number = np.sum([codes >= 0 for codes in given], axis=0)
    if len(given) < FEWEST or not (number >= FEWEST).any():
        message = (
            "No case has labels of two annotators: nothing tells how often they err. With one source of labels use "
            "`corrected` (error rates known) or `reviewed` (some labels checked)."
        )
        raise HowsureError(message)
    if (number == 0).any():
        first, all_of_them = int(np.argmax(number == 0)), int((number == 0).sum())
        message = f"Nobody labelled case {first} ({all_of_them} in all). Leave such cases out."
        raise HowsureError(message)

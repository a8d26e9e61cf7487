"""A partially labelled pool of predictions with scores: strata by prediction and score."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass, replace
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError, NoCaseError
from howsure.imperfect_labels.partial.two_phase import FEWEST, TwoPhase, two_phase
from howsure.sources.columns import checked_weight, refuse_other_lengths
from howsure.sources.confusion import class_labels, refuse_mixed
from howsure.sources.encoding import coded_with_gaps, encoded, positions, refuse_gaps
from howsure.sources.frames import columns
from howsure.sources.groups import Tally, by_columns, groups_of, roles
from howsure.sources.input_checks import refuse_marks
from howsure.sources.keywords import Cases, Classes
from howsure.sources.layout import order_as_stated
from howsure.sources.scores import score_values
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable

BINS = 3  # score ranges per predicted class: with more of them, strata without an observed error widen the intervals
SILENT = "{} of {} strata have no label"


class _Keywords(Cases, Classes, total=False):
    """Keyword arguments that do not decide the type of the result."""


@overload
def partly_labelled(
    y_true: object, y_pred: object, y_score: object, *, by: None = None, **keywords: Unpack[_Keywords]
) -> ConfusionTable: ...


@overload
def partly_labelled(
    y_true: object, y_pred: object, y_score: object, *, by: Sized, **keywords: Unpack[_Keywords]
) -> Tables[ConfusionTable]: ...


@order_as_stated
def partly_labelled(
    y_true: object,
    y_pred: object,
    y_score: object,
    *,
    data: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    sample_weight: object = None,
    groups: object = None,
    counts: object = None,
    by: Sized | None = None,
    check: bool = True,
) -> ConfusionTable | Tables[ConfusionTable]:
    """Return the confusion table of a partially labelled pool of predictions.

    The pool is divided into strata by predicted class and score, the same as in `sample_to_label`. Within a stratum,
    labels are assumed to be missing at random. The scores need not be calibrated: poor scores give wider intervals,
    not invalid ones.

    Parameters
    ----------
    y_true : array-like of shape (n,) or str
        True class of each case of the pool; None or nan if it is missing.
    y_pred : array-like of shape (n,) or str
        Predicted class of every case.
    y_score : array-like of shape (n,) or str
        Score of every case, in [0, 1]: the probability of the last class if there are two classes, otherwise of the
        predicted class.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file. The
        arguments above then name its columns.
    labels : array-like of shape (K,), optional
        The classes, in order; by default all classes that occur, sorted.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    groups : array-like of shape (n,) or str, optional
        Cluster of each case: cases of one cluster may be correlated.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    ConfusionTable or Tables
        Table with fractional counts that add up to the number of cases. If ``by`` is given, the tables of the groups,
        with the table of all cases as ``overall``.

    Raises
    ------
    HowsureError
        If columns differ in length, a prediction or score is missing, or a score is outside [0, 1]. If fewer than two
        cases have a label, or all cases have one.

    Notes
    -----
    The labelled cases must be drawn at random from the whole pool or within each stratum, as `sample_to_label` does.
    The strata depend only on predictions and scores, so cases can be labelled in several rounds if the pool stays the
    same.

    References
    ----------
    Neyman (1938), Journal of the American Statistical Association 33.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> score = rng.beta(0.2, 1.8, 2000)
    >>> truth = rng.random(2000) < score
    >>> known = np.where(rng.random(2000) < 0.2, truth, np.nan)
    >>> print(hs.estimate(hs.partly_labelled(known, score > 0.5, score), "recall"))
    0.347 [0.213, 0.475]
    """
    named = by_columns(by, data)
    beside = sample_weight, groups, counts, roles(named)
    pool = Pool.of(y_true, y_pred, y_score, data, labels, pos_label, *beside, check=check)
    if (pool.true_class >= 0).all():
        raise HowsureError(
            "Every case has a label, so nothing is left to infer: give `y_true` the whole pool, or use `confusion`."
        )
    return groups_of(named, pool.given, len(pool.true_class)).each(pool.table) if named else pool.table(slice(None))


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """True classes (−1 if unknown) and predictions of the cases as positions of the classes, and their strata.

    Parameters
    ----------
    true_class, predicted, score, stratum : ndarray of shape (n,)
        True class, predicted class, score and stratum of each case.
    axis : ndarray of shape (K,)
        The classes.
    column : ndarray of shape (strata,)
        Predicted class of each stratum.
    names : tuple of str
        Names of the strata.
    tally : Tally
        Weight of each case.
    cluster, clusters_named : ndarray, optional
        Cluster of each case, and names of the clusters.
    given : dict
        The columns as they were read.
    """

    true_class: Array
    predicted: Array
    score: Array
    stratum: Array
    axis: Array
    column: Array
    names: tuple[str, ...]
    tally: Tally
    cluster: Array | None
    clusters_named: Array | None
    given: dict[str, Any]

    @classmethod
    def of(  # noqa: PLR0917 - the columns of the pool
        cls,
        y_true: object,
        y_pred: object,
        y_score: object,
        data: object,
        labels: ArrayLike | None,
        pos_label: object,
        sample_weight: object = None,
        groups: object = None,
        counts: object = None,
        others: Any = None,
        *,
        check: bool = True,
    ) -> Pool:
        """Read and check the columns, and divide the cases into strata."""
        optional = {"y_true": y_true, "sample_weight": sample_weight, "groups": groups}
        asked = {"y_pred": y_pred, "y_score": y_score}
        asked |= {role: each for role, each in optional.items() if each is not None} | (others or {})
        given = columns(data, asked, check=check, counts=counts)
        score = _probabilities(given["y_score"])
        levels, codes = coded_with_gaps("y_pred", given["y_pred"])
        true_levels, true_codes = levels[:0], np.full(len(codes), -1)
        if "y_true" in given:
            true_levels, true_codes = coded_with_gaps("y_true", given["y_true"])
        cluster = encoded("groups", given["groups"]) if "groups" in given else None
        weight = checked_weight(given["sample_weight"]) if "sample_weight" in given else None
        beside = {"y_score": score, "groups": cluster, "sample_weight": weight}
        refuse_other_lengths({"y_true": true_codes, "y_pred": codes, **beside})
        refuse_gaps("y_pred", codes, "y_true")
        if check and labels is None:
            refuse_marks((true_levels, true_codes), (levels, codes), "y_true", "y_pred")
        refuse_mixed(true_levels, levels, "y_true", "y_pred", check=check)
        axis = class_labels(true_levels, levels, labels, pos_label=pos_label, check=check)
        truth, predicted = positions(true_levels, true_codes, axis), positions(levels, codes, axis)
        stratum, column = _strata(predicted, score)
        words = axis.tolist()
        ends = [(score[stratum == each].min(), score[stratum == each].max()) for each in range(len(column))]
        names = tuple(
            f"{words[place]}, {low:.3g} to {high:.3g}" for place, (low, high) in zip(column.tolist(), ends, strict=True)
        )
        group, clusters_named = (None, None) if cluster is None else cluster.used()
        tally = Tally.of_cases(len(codes)) if weight is None else Tally.of_weights(weight / weight.mean())
        return cls(truth, predicted, score, stratum, axis, column, names, tally, group, clusters_named, given)

    def table(self, some: Any) -> ConfusionTable:
        """Return the table of a selection of cases."""
        size, truth = len(self.axis), self.true_class[some]
        if (known := int((truth >= 0).sum())) < FEWEST:
            raise HowsureError(f"`y_true` has {known} labels of {len(truth)} cases. Have two or more of them labelled.")
        places = np.arange(size) * size + self.column[:, None]
        cluster = None if self.cluster is None else self.cluster[some]
        found = two_phase(
            truth,
            self.stratum[some],
            self.column,
            places,
            self.names,
            self.tally.of(some),
            cluster,
            self.clusters_named,
        )
        design = replace(found, note=_note(found))
        counts = design.counts(size * size).reshape(size, size)
        return ConfusionTable(counts=counts, labels=self.axis, design=design, rows=len(truth))


def _note(design: TwoPhase) -> str:
    silent = int(((design.labelled.sum(1) == 0) & (design.totals > 0)).sum())
    return SILENT.format(silent, int((design.totals > 0).sum())) if silent else ""


def _probabilities(values: object) -> Array:
    """Return the scores; refuse an empty column, and scores outside [0, 1]."""
    score = score_values(values)
    if not len(score):
        raise NoCaseError("`y_score` is empty: there is no case to label.")
    outside = (score < 0) | (score > 1)
    if outside.any():
        first = int(np.argmax(outside))
        raise HowsureError(
            f"`y_score` has {int(outside.sum())} values outside [0, 1] (first {score[first]:g}, at row {first}). "
            "Bring scores to that range, such as by `scipy.special.expit`; they need not be calibrated."
        )
    return score


def _strata(predicted: Array, score: Array) -> tuple[Array, Array]:
    """Return the stratum of each case, and the predicted class of each stratum.

    The scores p of a predicted class are cut so that each stratum has the same sum of the standard deviations
    ``sqrt(p (1 - p))``. These cuts are near the best ones for equal numbers of labels (Dalenius and Hodges 1959).
    """
    stratum = np.zeros(len(score), dtype=np.intp)
    column: list[int] = []
    for place in np.unique(predicted).tolist():
        chosen = np.flatnonzero(predicted == place)
        ordered = np.sort(score[chosen])
        load = np.cumsum(np.sqrt(ordered * (1 - ordered)))
        at = np.searchsorted(load, load[-1] * np.arange(1, BINS) / BINS)
        cuts = np.unique(ordered[np.minimum(at, len(ordered) - 1)])
        used, code = np.unique(np.searchsorted(cuts, score[chosen]), return_inverse=True)
        stratum[chosen] = len(column) + code.ravel()
        column += [place] * len(used)
    return stratum, np.array(column)

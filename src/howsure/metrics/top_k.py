"""Top-k accuracy: the proportion of cases whose true class is among the k classes with the highest scores."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, whole_number
from howsure.metrics.registry import RowShare, Scored, score_metric
from howsure.metrics.scored import marked_share
from howsure.tables.score_matrix import ScoreMatrixTable
from howsure.tables.scores import ScoresTable as Table

BLOCK = 2**22  # scores that are compared at once: bounds the memory
HALF = 0.5


def among_highest(table: ScoreMatrixTable, *, k: int = 2) -> Array:
    """Return for each row of scores and each class whether it is among the k highest, ``(n, K)``.

    Parameters
    ----------
    table : ScoreMatrixTable
        Scores of classes.
    k : int
        Number of classes, at least 1. Among equal scores the later classes come first, as in scikit-learn.

    Raises
    ------
    HowsureError
        If the columns are labels of multilabel data.
    """
    if not table.kind.has_one_label_per_case:
        raise HowsureError("Top-k accuracy is of one true class per case, not of multilabel data.")
    size = whole_number("k", k)
    number, classes = table.scores.shape
    marks = np.ones((number, classes), dtype=bool)
    step = max(1, BLOCK // classes)
    for start in range(0, number if size < classes else 0, step):
        marks[start : start + step] = _highest(table.scores[start : start + step], size)
    return marks


def _highest(scores: Array, size: int) -> Array:
    least = np.partition(scores, scores.shape[1] - size, axis=1)[:, -size:].min(1, keepdims=True)
    marks = scores >= least
    (several,) = np.nonzero(np.count_nonzero(marks, axis=1) > size)
    if len(several):
        above, tied = scores[several] > least[several], scores[several] == least[several]
        later = np.cumsum(tied[:, ::-1], axis=1)[:, ::-1]  # position among the equal scores, from the last
        marks[several] = above | (tied & (later <= size - above.sum(1, keepdims=True)))
    return np.asarray(marks)


@score_metric(
    name="top_k_accuracy",
    aliases=("top_k", "top_k_accuracy_score"),
    rows=RowShare(among_highest),
    always_stated=("k",),
    sklearn="top_k_accuracy_score",
)
def _top_k_accuracy(table: Table, *, k: int = 2) -> Scored:
    """Proportion of cases whose true class is among the k with the highest scores; of equal scores the later classes.

    ``top_5_accuracy`` is short for ``top_k_accuracy+k=5``. With k classes or fewer it is 1 and has no interval.
    """
    size = whole_number("k", k)
    threshold = HALF if table.scores[0] >= 0 and table.scores[-1] <= 1 else 0.0
    positive = table.scores > threshold
    return marked_share(np.stack([~positive, positive], -1) | (size > 1))

"""Questions that the intervals of trained models answer, and cautions about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from howsure.estimates.estimation import estimate
from howsure.numbers import percent
from howsure.sources.confusion import confusion
from howsure.sources.scores import scores
from howsure.training.predictions import Predictions

Fixed = Literal["runs", "cases"]
FEW_RUNS = 3  # below it the variance between runs is hardly known
FEW_IN_FOLD = 10  # cases of a fold below which its own value is rough
FEW_CASES = 50  # below which the intervals were not simulated
CHANCE = 3.0  # standard errors from useless predictions
METHODS = {
    "all_pairs": "all-pairs variance of the folds",
    "within_folds": "within-fold variance",
    "crossed": "runs crossed with cases",
    "runs": "variance between runs",
    "cases": "variance between cases",
    "corrected_t": "corrected resampled t",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of a study that would be drawn anew.

    Parameters
    ----------
    folds : int
        Number of folds of each run; 0 if runs share a test set.
    runs : int
        Number of runs.
    cases : int
        Number of test cases.
    fixed : {"runs", "cases"} or None
        The factor that is not drawn anew.
    resampled : bool
        Whether training sets are drawn anew too, as by the corrected resampled t.
    """

    folds: int
    runs: int
    cases: int
    fixed: Fixed | None = None
    resampled: bool = False

    def question(self, names: tuple[str, ...] = ()) -> str:
        """Return the question that an interval answers; with two names, that of their difference."""
        start = f"How much do {names[0]} and {names[1]} differ" if names else "How good"
        where = f"on these {self.cases:,} cases" if self.fixed == "cases" else "on new cases"
        share = percent(round(100 - 100 / self.folds) / 100) if self.folds else ""
        trained = f", each trained on {share} of these cases" if share else ""
        subject = "on average" if names else "is the algorithm on average"
        if self.resampled:
            return f"{start}, {where}, {subject} over training sets of {share} as many cases?"
        if self.fixed != "runs" and self.runs > 1:
            sources = f"splits and seeds of models{trained}" if share else f"training runs like these {self.runs}"
            return f"{start}, {where}, {subject} over {sources}?"
        number = f"{self.runs * max(self.folds, 1):,}"
        models = f"as the average of {number} models each" if names else f"are these {number} models on average"
        return f"{start}, {where}, {models}{trained}?"


def cautions(predictions: Predictions, scope: Scope, names: Sequence[str]) -> tuple[str, ...]:
    """Return the cautions about an interval."""
    said = []
    if scope.fixed != "runs" and 1 < scope.runs < FEW_RUNS:
        said.append(f"{scope.runs} runs hardly show the variance between runs: use five or more.")
    if predictions.folds is not None:
        smallest = int(min(np.bincount(fold).min() for fold in predictions.folds))
        if smallest < FEW_IN_FOLD:
            said.append(f"The smallest fold has {smallest} cases: values of single folds are rough.")
        if lacking := _folds_without_a_class(predictions):
            said.append(f"{lacking} of the folds lack a class: stratify the folds.")
        for name in names:
            if _is_near_chance(predictions, name):
                models = f"Models of {name}" if name else "The models"
                said.append(f"{models} are hardly better than chance: 95 % intervals of such models cover 85 to 90 %.")
    if len(predictions.size) < FEW_CASES:
        noun = "clusters" if predictions.is_clustered else "cases"
        said.append(f"There are only {len(predictions.size)} {noun}, for which normal intervals are rough.")
    return tuple(said)


def _is_near_chance(predictions: Predictions, name: str) -> bool:
    """Return whether the predictions of the first run are within three standard errors of useless ones."""
    said = predictions.said[name][0]
    settings: dict[str, Any] = {"labels": predictions.labels, "check": False}
    if predictions.kind == "labels":
        found, useless = estimate(confusion(predictions.truth, said, **settings), "mcc", method="wald"), 0.0
    elif predictions.kind == "scores":
        positive = predictions.truth == predictions.labels[1]
        found, useless = estimate(scores(positive, said, pos_label=True), "roc_auc", method="delong_wald"), 0.5
    else:
        return False
    return not abs(found.value - useless) > CHANCE * found.standard_error


def _folds_without_a_class(predictions: Predictions) -> int:
    """Return the number of folds without a case of some class."""
    if predictions.kind == "values" or predictions.folds is None:
        return 0
    classes, code = np.unique(predictions.truth, return_inverse=True)
    lacking = 0
    for fold in predictions.folds:
        number = int(fold.max()) + 1
        counts = np.bincount(fold * len(classes) + code, minlength=number * len(classes)).reshape(number, -1)
        lacking += int((counts == 0).any(1).sum())
    return lacking

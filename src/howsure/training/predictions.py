"""Predictions of trained models: algorithms, their training runs, folds and test cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.sources.confusion import confusion
from howsure.sources.score_matrix import multiclass_scores
from howsure.sources.scores import scores_table
from howsure.sources.values import values
from howsure.tables.table import Table

Kind = Literal["labels", "scores", "rows of scores", "values"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Predictions:
    """Complete predictions: each training run of each algorithm predicts each case once.

    Parameters
    ----------
    kind : {"labels", "scores", "rows of scores", "values"}
        Predicted labels, scores of the positive class, scores of each class, or one number per case.
    truth : ndarray of shape (cases,)
        True label of each case; empty for values.
    said : mapping of str to tuple of ndarray of shape (cases, ...)
        Algorithm → predictions of each run.
    folds : tuple of ndarray of shape (cases,), or None
        Fold of each case in each run, from 0; None if each run is one model, trained on other cases.
    runs : mapping of str to tuple of str
        Algorithm → names of its runs.
    unit : ndarray of shape (cases,)
        Unit of each case, from 0: the case itself, or its cluster.
    is_clustered : bool
        Whether units are clusters.
    labels : ndarray of shape (K,)
        The classes; empty for values.
    is_ordered : bool
        Whether the order of the classes is stated.
    """

    kind: Kind
    truth: Array
    said: Mapping[str, tuple[Array, ...]]
    folds: tuple[Array, ...] | None
    runs: Mapping[str, tuple[str, ...]]
    unit: Array
    is_clustered: bool
    labels: Array
    is_ordered: bool

    @property
    def cases(self) -> int:
        """Number of test cases."""
        return len(self.unit)

    @cached_property
    def size(self) -> Array:
        """Number of cases of each unit."""
        return np.bincount(self.unit).astype(float)

    def fold_of_units(self, run: int) -> Array:
        """Return the fold of each unit in a run; 0 without folds."""
        found = np.zeros(len(self.size), dtype=np.intp)
        if self.folds is not None:
            found[self.unit] = self.folds[run]
        return found

    def number_of_folds(self, run: int = 0) -> int:
        """Return the number of folds of a run; 1 without folds."""
        return 1 if self.folds is None else int(self.folds[run].max()) + 1

    def table(self, algorithm: str, run: int, fold: int | None = None) -> Table:
        """Return the table of a run, or of one of its folds, in which each unit is a cluster."""
        some = slice(None) if fold is None or self.folds is None else np.flatnonzero(self.folds[run] == fold)
        said, unit = self.said[algorithm][run][some], self.unit[some]
        if self.kind == "values":
            return values(said, groups=unit, check=False)
        truth = self.truth[some]
        if self.kind == "labels":
            table: Table = confusion(truth, said, labels=self.labels, groups=unit, check=False)
        elif self.kind == "scores":
            names, group = np.unique(unit, return_inverse=True)
            table = scores_table(truth == self.labels[1], said, self.labels, group=group, names=names)
        else:
            table = multiclass_scores(truth, said, labels=self.labels, groups=unit, check=False)
        return replace(table, is_ordered=self.is_ordered)

"""Conversion of scikit-learn's cross-validation results to one table per fold, without scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.sources.confusion import class_labels, confusion
from howsure.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Named table of one fold."""

    name: str
    table: Table


def fold_tables(
    result: Any,
    y: Any,
    *,
    X: Any = None,  # noqa: N803 - scikit-learn's name
    folds: Any = None,
    labels: Any = None,
) -> list[Fold]:
    """Return one table per fold; see `Study.add_cross_validation`."""
    true = np.asarray(y)
    parts = list(
        _of_estimators(result, true, X) if isinstance(result, Mapping) else _of_predictions(result, true, folds)
    )
    axis = labels if labels is not None else class_labels(true, np.concatenate([each for _, each in parts]), None)
    return [
        Fold(f"fold_{number}", confusion(true[cases], predicted, labels=axis))
        for number, (cases, predicted) in enumerate(parts)
    ]


def _of_estimators(result: Mapping[str, Any], true: Array, features: Any) -> Iterator[tuple[Array, Array]]:
    for key, argument in (("estimator", "return_estimator"), ("indices", "return_indices")):
        if key not in result:
            raise HowsureError(f"The result of `cross_validate` has no '{key}'. Call it with {argument}=True.")
    if features is None:
        raise HowsureError("The models of `cross_validate` have to predict again: give the features with `X=`.")
    if len(features) != len(true):
        raise HowsureError(f"`X` has {len(features)} rows and `y` {len(true)}.")
    for model, cases in zip(result["estimator"], result["indices"]["test"], strict=True):
        rows = features.iloc[cases] if hasattr(features, "iloc") else features[cases]
        yield np.asarray(cases), np.asarray(model.predict(rows))


def _of_predictions(result: object, true: Array, folds: Any) -> Iterator[tuple[Array, Array]]:
    predicted = np.asarray(result)
    if predicted.shape != true.shape:
        raise HowsureError(f"The predictions have shape {predicted.shape} and `y` {true.shape}: give one label a case.")
    if folds is None:
        raise HowsureError(
            "Name the folds of the predictions with `folds=`: the fold of each case, or `cv.split(X, y)`."
        )
    listed = list(folds)
    if len(listed) == len(true) and np.ndim(listed[0]) == 0:
        numbers = np.asarray(listed)
        splits = [np.flatnonzero(numbers == number) for number in np.unique(numbers)]
    else:
        splits = [np.asarray(test) for _, test in listed]
    for cases in splits:
        yield cases, predicted[cases]

"""`cross_validated` and `training_runs`: predictions of trained models, by fold and by run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howsure.errors import INVALID_ARGUMENT, DoubtfulDataError, HowsureError, without
from howsure.training.algorithms import Algorithms
from howsure.training.reading import ALONE, fold_column, matched, one_role, read, refuse_divided_units

ELSEWHERE = {  # arguments of other sources, and what to do instead
    "counts": "Each row is a case: repeat the rows, such as by numpy.repeat(rows, counts, axis=0).",
    "sample_weight": "Cases have equal weights. Take the predictions of one run as one test set: `hs.confusion(…, "
    "sample_weight=…)`.",
    "by": "Select the rows of each group, and give it those.",
    "fixed": "Name the factor for an estimate: `algorithms.estimate(metric, fixed='runs')`.",
    "metric": "Name it for an estimate: `algorithms.estimate(metric)`.",
    "strata": "Take the predictions of one run as one test set: `hs.confusion(…, strata=…, stratum_sizes=…)`.",
}


@without(**ELSEWHERE)
def cross_validated(
    y_true: object,
    y_pred: object = None,
    *,
    y_score: object = None,
    value: object = None,
    fold: object = None,
    run: object = None,
    model: object = None,
    case: object = None,
    data: object = None,
    groups: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    check: bool = True,
) -> Algorithms:
    """Return the out-of-fold predictions of a cross-validation, for estimates about the learning algorithm.

    Parameters
    ----------
    y_true : array-like of shape (n,) or str, or list of these
        True label of each case; with ``data`` the name of its column. Without ``fold``, a list with one array for each
        fold, or a list of pairs ``(y_true, y_pred)``. None with ``value``.
    y_pred : array-like of shape (n,) or str, list or mapping, optional
        Predicted label of each case by a model that was trained without it, as from scikit-learn's
        ``cross_val_predict``. Several algorithms are a mapping from name to labels, or to their column's name; with
        ``data`` also a list of columns.
    y_score : array-like of shape (n,) or (n, K), str, list or mapping, optional
        Scores in place of labels: of the positive class, or of each class.
    value : array-like of shape (n,) or str, list or mapping, optional
        One number per case in place of labels, such as a loss.
    fold : array-like of shape (n,) or str, or iterable of pairs of array-like
        Fold of each row; or the splits of a splitter, ``cv.split(X, y)``; or the test cases of each fold, as in
        ``cross_validate(..., return_indices=True)["indices"]``.
    run : array-like of shape (n,) or str, optional
        Repeat of the cross-validation, or seed, of each row. It needs ``case``.
    model, case : array-like of shape (n,) or str, optional
        Algorithm and case of each row, for long data. Rows are joined by case.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    groups : array-like of shape (n,) or str, optional
        Cluster of each case; the cases of a cluster need to be in one fold.
    labels : array-like of shape (K,), optional
        The classes, in order; the default is all that occur, sorted.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    Algorithms
        Its methods `estimate`, `evaluate` and `compare` take metrics.

    Raises
    ------
    HowsureError
        If a case occurs in several folds of one run, or lacks a prediction; if its truth differs between rows; if
        algorithms have different folds; or if each fold has one case.

    References
    ----------
    Bayle, Bayle, Janson, Mackey (2020), Advances in Neural Information Processing Systems 33.

    Examples
    --------
    >>> import howsure as hs
    >>> data = hs.load_example("breast_cancer")
    >>> folds = hs.cross_validated("label", "forest", data=data, fold="fold")
    >>> print(folds.estimate("accuracy"))
    0.965 [0.946, 0.977]
    >>> folds.estimate("accuracy").question
    'How good, on new cases, are these 5 models on average, each trained on 80 % of these cases?'
    """
    if fold is None:
        y_true, (y_pred, y_score, value), fold = _by_fold(y_true, y_pred, y_score, value)
    role, given = one_role(y_pred, y_score, value)
    if (run is not None or model is not None) and case is None:
        raise HowsureError("`run` and `model` need `case`: the column that says which case a row is of.")
    said = {(name, ALONE): column for name, column in _by_algorithm(given, role, data).items()}
    if model is not None and len(said) > 1:
        raise HowsureError("`model` is for rows of one algorithm each, with one column of predictions. Drop it.")
    rows = None if data is not None else len(next(iter(said.values())))
    others = {"fold": fold_column(fold, rows), "run": run, "model": model, "case": case, "groups": groups}
    found = matched(read(data, role, y_true, said, others, check=check), labels, pos_label, check=check)
    refuse_divided_units(found)
    return Algorithms(found)


@without(**ELSEWHERE)
def training_runs(
    y_true: object,
    y_pred: object = None,
    *,
    y_score: object = None,
    value: object = None,
    run: object = None,
    model: object = None,
    case: object = None,
    data: object = None,
    groups: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    check: bool = True,
) -> Algorithms:
    """Return the predictions of several training runs on one test set, for estimates about the learning algorithm.

    Parameters
    ----------
    y_true : array-like of shape (n,) or str
        True label of each case; with ``data`` the name of its column. None with ``value``.
    y_pred : sequence of array-like of shape (n,), or of str, or mapping of these
        Predicted labels of each run; with ``data`` the names of the columns. Several algorithms are a mapping from
        name to such a sequence. If ``run`` is given, the label of each row.
    y_score : sequence of array-like of shape (n,) or (n, K), or of str, or mapping of these
        Scores in place of labels: of the positive class, or of each class.
    value : sequence of array-like of shape (n,), or of str, or mapping of these
        One number per case in place of labels, such as a loss.
    run, case : array-like of shape (n,) or str, optional
        Training run (such as a seed) and case of each row, for long data. Rows are joined by case.
    model : array-like of shape (n,) or str, optional
        Algorithm of each row, for long data.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    groups : array-like of shape (n,) or str, optional
        Cluster of each case (patient, document, user): cases of one cluster may be correlated.
    labels : array-like of shape (K,), optional
        The classes, in order; the default is all that occur, sorted.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    Algorithms
        Its methods `estimate`, `evaluate` and `compare` take metrics.

    Raises
    ------
    HowsureError
        If an algorithm has a single run, a run lacks a case or has one twice, or the truth of a case differs between
        rows.

    Examples
    --------
    >>> import howsure as hs
    >>> y_true = [0, 1, 1, 0, 1, 0, 0, 1] * 20
    >>> seeds = [[0, 1, 1, 0, 1, 0, 1, 1] * 20, [0, 1, 0, 0, 1, 0, 0, 1] * 20, [0, 1, 1, 0, 0, 0, 1, 1] * 20]
    >>> runs = hs.training_runs(y_true, seeds)
    >>> print(runs.estimate("accuracy"))
    0.833 [0.590, 0.946] (training runs 81 %, test cases 5 %, interaction 14 %)
    """
    role, given = one_role(y_pred, y_score, value)
    if (run is None) != (case is None):
        raise HowsureError("`run` and `case` go together: the columns that say which run a row is of, and which case.")
    said = {(ALONE, ALONE): given} if run is not None else _by_run(given, role, data)
    if run is None and data is None:
        _refuse_transposed(said, role, y_true, check=check)
    others = {"run": run, "model": model, "case": case, "groups": groups}
    found = matched(read(data, role, y_true, said, others, check=check), labels, pos_label, check=check)
    for name, runs in found.runs.items():
        if len(runs) < 2:
            of = f" of {name}" if name else ""
            raise HowsureError(
                f"There is a single training run{of}, which shows nothing of the variance between runs. Give two or "
                "more; for one trained model use `confusion` or `scores`."
            )
    return Algorithms(found)


def _by_algorithm(given: object, argument_name: str, data: object) -> dict[str, Any]:
    """Return the column of predictions of each algorithm."""
    found = {ALONE: given}
    if isinstance(given, Mapping):
        found = {str(name): column for name, column in given.items()}
    elif data is not None and isinstance(given, Iterable) and not isinstance(given, str):
        found = {str(name): name for name in given}
    if not found:
        raise HowsureError(f"`{argument_name}` is empty. Name at least one algorithm.")
    for each in found.values():
        if not hasattr(each, "__len__"):
            raise HowsureError(
                f"`{argument_name}` is a {type(each).__name__}. Give a list or an array with a value for each case."
            )
    return found


def _by_run(given: Any, argument_name: str, data: Any) -> dict[tuple[str, str], Any]:
    """Return the column of predictions of each algorithm and run."""
    several = given if isinstance(given, Mapping) else {ALONE: given}
    if not several:
        raise HowsureError(f"`{argument_name}` is empty. Name at least one algorithm.")
    found: dict[tuple[str, str], Any] = {}
    for name, listed in several.items():
        runs: list[Any] = []
        with suppress(TypeError):  # a single number is no list
            runs = [] if isinstance(listed, str) else list(listed)
        if data is None and hasattr(listed, "columns"):  # a frame with a column for each run
            runs = [listed[each] for each in listed.columns]
        if not runs or (data is None and np.ndim(runs[0]) == 0):
            raise HowsureError(
                f"`{argument_name}` of {name or 'the algorithm'} has not the predictions of several runs. Give a "
                "list with one "
                "array, or one column, for each run; or name the run of each row by `run=`."
            )
        for place, each in enumerate(runs):
            found[str(name), str(each) if isinstance(each, str) else str(place + 1)] = each
    return found


def _refuse_transposed(said: Mapping[tuple[str, str], Any], argument_name: str, y_true: Any, *, check: bool) -> None:
    """Refuse an array with a row for each case and a column for each run, whose rows would be taken for runs."""
    for name in dict.fromkeys(name for name, _ in said):
        given = [each for (owner, _), each in said.items() if owner == name]
        runs = [len(each) for each in given]
        shape = f"`{argument_name}`{f' of {name}' if name else ''} has {len(runs):,} rows of {runs[0]:,} values"
        if len(set(runs)) > 1 or len(runs) <= runs[0]:
            continue
        turned = "T" if np.ndim(given[0]) == 1 else "swapaxes(0, 1)"
        remedy = f"If each column is a run, transpose it: `{argument_name}.{turned}`."
        if y_true is not None and runs[0] != np.size(y_true) == len(runs):
            raise HowsureError(
                f"{shape}, and each row is a run over all {len(runs):,} cases. {remedy}", INVALID_ARGUMENT
            )
        if y_true is None and check:
            raise DoubtfulDataError(
                f"{shape}, which would be {len(runs):,} training runs on {runs[0]:,} cases. {remedy}"
            )


def _by_fold(y_true: object, y_pred: object, y_score: object, value: object) -> tuple[Any, tuple[Any, Any, Any], Any]:
    """Return lists of arrays, one for each fold, as columns with the fold of each case."""
    if y_pred is None and y_score is None and value is None and isinstance(y_true, list | tuple):
        pairs = [tuple(each) for each in y_true if isinstance(each, Iterable)]
        if pairs and len(pairs) == len(y_true) and all(len(each) == 2 for each in pairs):
            y_true, y_pred = ([each[side] for each in pairs] for side in range(2))
    parts = {"y_true": y_true, "y_pred": y_pred, "y_score": y_score, "value": value}
    kept = {name: _parts(each) for name, each in parts.items() if each is not None}
    lengths = {name: [len(part) for part in each] for name, each in kept.items() if each is not None}
    if len(lengths) < len(kept) or not kept:
        raise HowsureError(
            "Name the fold of each case with `fold=`: a column, or the splits of `cv.split(X, y)`. For one score per "
            "fold, as from `cross_validate` or a paper, use `hs.pool_folds(scores)`; the predictions of "
            "`cross_val_predict` give more."
        )
    first = next(iter(lengths.values()))
    if any(each != first for each in lengths.values()):
        raise HowsureError("The folds of `y_true` and of the predictions differ in their numbers of cases.")
    joined = {name: np.concatenate([np.asarray(part) for part in each or ()]) for name, each in kept.items()}
    said = joined.get("y_pred"), joined.get("y_score"), joined.get("value")
    return joined.get("y_true"), said, np.repeat(np.arange(len(first)), first)


def _parts(given: object) -> Sequence[Any] | None:
    """Return arrays, one for each fold, or None for other arguments."""
    if not isinstance(given, list | tuple) or not given or any(np.ndim(part) == 0 for part in given):
        return None
    return given

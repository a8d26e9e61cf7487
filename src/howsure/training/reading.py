"""Reading of predictions by fold and training run: from long data, or from a column for each model or run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, listed
from howsure.sources.columns import refuse_other_lengths
from howsure.sources.confusion import confusion
from howsure.sources.encoding import encoded
from howsure.sources.frames import columns
from howsure.sources.score_matrix import multiclass_scores
from howsure.sources.scores import scores
from howsure.sources.to_numpy import numbers_of, plain
from howsure.tables.table import Table
from howsure.training.predictions import Kind, Predictions

ALONE = ""  # name of the only algorithm, or of the only run
SAID = {"y_pred": "labels", "y_score": "scores", "value": "values"}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Given:
    """Rows of predictions before they are matched by case.

    Parameters
    ----------
    role : {"y_pred", "y_score", "value"}
        Name of the argument with the predictions.
    truth : ndarray of shape (rows,), optional
        True label of each row; None for values.
    said : mapping of tuple of str to ndarray of shape (rows, ...)
        Algorithm and run → its predictions. Rows that name their run or algorithm themselves have a single entry.
    codes : mapping of str to tuple of ndarray and list
        ``"model"``, ``"run"``, ``"case"``, ``"fold"`` and ``"groups"`` → the code of each row and the names, if given.
    """

    role: str
    truth: Array | None
    said: Mapping[tuple[str, str], Array]
    codes: Mapping[str, tuple[Array, list[Any]]]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.said.values())))


def one_role(y_pred: object, y_score: object, value: object) -> tuple[str, Any]:
    """Return which of the three kinds of predictions was given, and its argument."""
    given = {"y_pred": y_pred, "y_score": y_score, "value": value}
    found = [(role, each) for role, each in given.items() if each is not None]
    if len(found) != 1:
        raise HowsureError(
            "Give one of `y_pred` (predicted labels), `y_score` (scores of the positive class, or of each class) and "
            f"`value` (one number per case), not {len(found)} of them."
        )
    return found[0]


def read(
    data: Any,
    argument_name: str,
    y_true: object,
    said: Mapping[tuple[str, str], Any],
    others: Mapping[str, object],
    *,
    check: bool,
) -> Given:
    """Return the rows of the named columns.

    Parameters
    ----------
    data : frame, mapping, path or None
        The data with the named columns.
    argument_name : str
        Name of the argument with the predictions.
    y_true : array-like of shape (rows,) or str, optional
        True label of each row.
    said : mapping of tuple of str
        Algorithm and run → column of predictions.
    others : mapping of str
        Columns by role; None for a role without a column.
    check : bool
        Whether to refuse a column that is compared with itself.
    """
    if (y_true is None) != (argument_name == "value"):
        raise HowsureError("`y_true` is needed with `y_pred` and `y_score`, and is None with `value`.")
    keys = (
        {name: f"{argument_name}[{place}]" for place, name in enumerate(said)}
        if len(said) > 1
        else dict.fromkeys(said, argument_name)
    )
    asked = {
        keys[name]: each
        for name, each in said.items()
        if data is not None or argument_name != "y_score" or np.ndim(each) < 2
    }
    asked |= {name: each for name, each in others.items() if each is not None}
    if y_true is not None:
        asked = {"y_true": y_true} | asked
    found = columns(data, asked, check=check)
    codes = {name: _coded(name, found[name]) for name in others if name in found}
    refuse_other_lengths({name: each if hasattr(each, "__len__") else list(each) for name, each in found.items()})
    truth = None if y_true is None else _levels("y_true", found["y_true"])
    numbers = {
        name: _numbers(argument_name, found.get(key, said[name]))
        if argument_name != "y_pred"
        else _levels(key, found[key])
        for name, key in keys.items()
    }
    lengths = {len(each) for each in numbers.values()} | ({len(truth)} if truth is not None else set())
    if len(lengths) > 1:
        raise HowsureError(
            f"`{argument_name}` and `y_true` have {' and '.join(map(str, sorted(lengths)))} rows. Give one per case."
        )
    return Given(role=argument_name, truth=truth, said=numbers, codes=codes)


def _coded(name: str, values: object) -> tuple[Array, list[Any]]:
    codes, levels = encoded(name, values).used()
    return codes, levels.tolist()


def _levels(name: str, values: object) -> Array:
    column = encoded(name, values)
    return np.asarray(column.levels[column.codes - np.int64(column.offset)])


def _numbers(argument_name: str, values: Any) -> Array:
    given = plain(argument_name, values) if np.ndim(values) < 2 else values
    array = np.asarray(numbers_of(argument_name, given, "Give one number per case."), dtype=float)
    if array.ndim > (2 if argument_name == "y_score" else 1) or not array.ndim:
        raise HowsureError(
            f"`{argument_name}` has shape {array.shape}. Give one number per case, or a mapping from algorithm to "
            "numbers."
        )
    if not np.isfinite(array).all():
        raise HowsureError(
            f"`{argument_name}` has {int((~np.isfinite(array)).sum()):,} missing or infinite numbers. Drop or fill "
            "them."
        )
    return array


def matched(given: Given, labels: object, pos_label: object, *, check: bool) -> Predictions:
    """Return the predictions of each run for each case, joined by case.

    Raises
    ------
    HowsureError
        If a run has a case twice or lacks one, or a case has several truths, or folds or clusters contradict each
        other.
    """
    case, names = given.codes.get("case", (np.arange(given.rows), range(given.rows)))
    rows = _rows_of_runs(given, case, names)
    said: dict[str, list[Array]] = {}
    runs: dict[str, list[str]] = {}
    for (algorithm, run), (key, row) in rows.items():
        said.setdefault(algorithm, []).append(given.said[key][row])
        runs.setdefault(algorithm, []).append(run)
    each = [row for _, row in rows.values()]
    truth = np.empty(0) if given.truth is None else _same(given.truth, each, names, "truth")
    group, groups = given.codes.get("groups", (None, []))
    unit = np.arange(len(names)) if group is None else _same(group, each, names, "groups", groups)
    kind, axis, stated = _classes(given, truth, said, labels, pos_label, check=check)
    return Predictions(
        kind=kind,
        truth=truth,
        said={name: tuple(several) for name, several in said.items()},
        folds=_folds(given, rows, runs, names),
        runs={name: tuple(several) for name, several in runs.items()},
        unit=unit,
        is_clustered=group is not None,
        labels=axis,
        is_ordered=stated,
    )


Rows = dict[tuple[str, str], tuple[tuple[str, str], Array]]  # algorithm and run → column of predictions, row of case


def _rows_of_runs(given: Given, case: Array, names: Sequence[object]) -> Rows:
    """Return the row of each case, for each algorithm and run."""
    model, models = given.codes.get("model", (np.zeros(given.rows, dtype=np.intp), [ALONE]))
    run, runs = given.codes.get("run", (np.zeros(given.rows, dtype=np.intp), [ALONE]))
    found: Rows = {}
    for key in given.said:
        for place, name in enumerate(models):
            for at, which in enumerate(runs):
                some = np.flatnonzero((model == place) & (run == at))
                if len(some):
                    own = (key[0] or str(name), key[1] or str(which))
                    found[own] = key, _row_of_case(some, case, names, own)
    return found


def _row_of_case(some: Array, case: Array, names: Sequence[object], own: tuple[str, str]) -> Array:
    number = np.bincount(case[some], minlength=len(names))
    where = "".join(f" of {word} {name!r}" for word, name in zip(("model", "run"), own, strict=True) if name)
    if (number > 1).any():
        name = names[int(np.argmax(number > 1))]
        raise HowsureError(
            f"Case {name!r} occurs {int(number.max())} times among the predictions{where}. Give each case one held-out "
            "prediction; repeats of the cross-validation, or other seeds, are named by `run=`."
        )
    if not number.all():
        raise HowsureError(
            f"{int((number == 0).sum()):,} of {len(names):,} cases lack a prediction{where}, such as case "
            f"{names[int(np.argmin(number))]!r}. All models and runs need the same cases."
        )
    row = np.empty(len(names), dtype=np.intp)
    row[case[some]] = some
    return row


def _same(
    column: Array,
    rows: Sequence[Array],
    names: Sequence[object],
    argument_name: str,
    levels: Sequence[object] | None = None,
) -> Array:
    """Return the value of each case; refuse different values in its rows."""
    first = column[rows[0]]
    for row in rows[1:]:
        differs = column[row] != first
        if differs.any():
            at = int(np.argmax(differs))
            pair = [each[at] if levels is None else levels[int(each[at])] for each in (first, column[row])]
            shown = [each.item() if hasattr(each, "item") else each for each in pair]
            message = (
                f"Case {names[at]!r} has different values of `{argument_name}`, {shown[0]!r} and {shown[1]!r}: "
                "give a case the same in all rows."
            )
            raise HowsureError(message.replace("`truth`", "`y_true`"))
    return first


def _folds(
    given: Given, rows: Rows, runs: Mapping[str, Sequence[str]], names: Sequence[object]
) -> tuple[Array, ...] | None:
    """Return the fold of each case in each run; refuse algorithms with other folds."""
    if "fold" not in given.codes:
        return None
    code, folds = given.codes["fold"]
    (first, own), *others = runs.items()
    for other, its in others:
        if its != own:
            raise HowsureError(
                f"{first} has the runs {listed(own)} and {other} {listed(its)}. Give both the same runs."
            )
    found = []
    for run in own:
        fold = code[rows[first, run][1]]
        for other, _ in others:
            differs = code[rows[other, run][1]] != fold
            if differs.any():
                raise HowsureError(
                    f"{first} and {other} have different folds, such as of case {names[int(np.argmax(differs))]!r}. "
                    "Compare algorithms on the same folds: give both one splitter with one `random_state`."
                )
        used, places = np.unique(fold, return_inverse=True)
        if given.role == "value" and len(used) == len(fold) > 1:
            raise HowsureError(
                "Each fold has a single value. For one number per fold, as from `cross_val_score`, use "
                "`hs.pool_folds(values)`; of two models, with the differences of their values."
            )
        _refuse_folds(used, len(fold), folds, run)
        found.append(places.astype(np.intp))
    return tuple(found)


def _refuse_folds(used: Array, cases: int, names: Sequence[object], run: str) -> None:
    """Refuse a single fold, and folds of one case each."""
    if len(used) == 1:
        where = f" in run {run!r}" if run else ""
        raise HowsureError(
            f"All cases{where} are in fold {names[int(used[0])]!r}. A cross-validation has two folds or more; for one "
            "test set use `training_runs`, or `confusion`."
        )
    if len(used) == cases:
        raise HowsureError(
            "Each fold has a single case: `fold` numbers the cases, or this is leave-one-out. The all-pairs interval "
            "also holds for leave-one-out with stable learners, and is that of all cases as one test set: "
            "`hs.estimate(hs.confusion(y_true, y_pred), metric, method='wald')`."
        )


def refuse_divided_units(predictions: Predictions) -> None:
    """Refuse clusters with cases in several folds of a run: models were tested on clusters of their training data."""
    for fold in predictions.folds or ():
        least, most = np.full(len(predictions.size), np.iinfo(np.intp).max), np.full(len(predictions.size), -1)
        np.minimum.at(least, predictions.unit, fold)
        np.maximum.at(most, predictions.unit, fold)
        if number := int((least != most).sum()):
            raise HowsureError(
                f"{number:,} of {len(least):,} clusters have cases in several folds, so that models were tested on "
                "clusters of their training data. Split by cluster, as scikit-learn's GroupKFold does."
            )


def _classes(
    given: Given, truth: Array, said: Mapping[str, Sequence[Array]], labels: Any, pos_label: Any, *, check: bool
) -> tuple[Kind, Array, bool]:
    """Return the kind of predictions, the classes and whether their order is stated."""
    if given.role == "value":
        return "values", np.empty(0), True
    every = [each for several in said.values() for each in several]
    settings: dict[str, Any] = {"check": check}
    if given.role == "y_pred":
        table: Table = confusion(
            np.concatenate([truth] * len(every)), np.concatenate(every), labels=labels, pos_label=pos_label, **settings
        )
        known = table.labels.tolist()
        if labels is not None and table.rows < len(truth) * len(every):
            raise HowsureError(
                f"Some labels are not among `labels`, {listed(known)}. Name all classes, or drop those cases."
            )
        return "labels", table.labels, table.is_ordered
    if every[0].ndim == 2:
        table = multiclass_scores(truth, every[0], labels=labels, **settings)
        return "rows of scores", table.labels, table.is_ordered
    positive = list(labels)[-1] if pos_label is None and labels is not None else pos_label
    table = scores(truth, every[0], pos_label=positive, **settings)
    return "scores", table.labels, table.is_ordered


def fold_column(fold: Any, rows: int | None) -> Any:
    """Return the fold of each row from a column, or from the positions that a splitter yields.

    Parameters
    ----------
    fold : array-like of shape (rows,), str, or iterable of array-like
        The argument of the caller: a column, the pairs of ``cv.split(X, y)``, or the positions of the test cases of
        each fold, also as ``cross_validate(..., return_indices=True)["indices"]``.
    rows : int, optional
        Number of rows, if the predictions are arrays.
    """
    if isinstance(fold, Mapping) and "test" in fold:
        fold = fold["test"]
    if fold is None or isinstance(fold, str) or rows is None:
        return fold
    if hasattr(fold, "__len__") and not isinstance(fold, list | tuple):
        return fold
    if not hasattr(fold, "__iter__"):
        raise HowsureError(
            f"`fold` is the fold of each case, or the splits of a splitter, `cv.split(X, y)`, not {fold!r}."
        )
    listed_folds = list(fold)
    tests = [each[1] if isinstance(each, tuple) and len(each) == 2 else each for each in listed_folds]
    if not all(np.ndim(each) == 1 for each in tests):
        return listed_folds
    code, seen = np.full(rows, -1), np.zeros(rows, dtype=np.intp)
    for place, test in enumerate(tests):
        where = np.asarray(test)
        is_mask = where.dtype.kind == "b" and len(where) == rows
        is_inside = where.dtype.kind in "iu" and bool(((where >= 0) & (where < rows)).all())
        if where.size and not (is_mask or is_inside):
            raise HowsureError(
                f"`fold` holds lists that are no positions of test cases, whole numbers from 0 to {rows - 1}. Give the "
                "fold of each case, or the splits of `cv.split(X, y)` for these cases."
            )
        if where.size:
            code[where] = place
            seen[where] += 1
    if (seen != 1).any():
        at = int(np.argmax(seen != 1))
        raise HowsureError(
            f"Case {at} is in {int(seen[at])} test parts of `fold`. Give the splits of one cross-validation, such as "
            "`KFold(5).split(X)`; predictions of repeats have one row each, named by `run=`."
        )
    return code

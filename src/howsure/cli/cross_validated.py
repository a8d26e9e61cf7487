"""``howsure cross-validated FILE --fold …``: learning algorithms, by folds or by training runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from howsure.cli.inputs import Files
from howsure.cli.option_groups import SOURCE, Source
from howsure.cli.options import Format, Level, Metrics, Words, split
from howsure.cli.output import Block, write, write_grid, write_records
from howsure.errors import HowsureError

if TYPE_CHECKING:
    from howsure.training.algorithms import Algorithms


def cross_validated(
    files: Files,
    /,
    *,
    y_true: str | None = None,
    y_pred: Words = None,
    y_score: Words = None,
    value: Words = None,
    fold: str | None = None,
    run: str | None = None,
    case: str | None = None,
    model: str | None = None,
    fixed: Literal["runs", "cases"] | None = None,
    method: Literal["all_pairs", "within_folds", "corrected_t"] | None = None,
    metrics: Metrics = None,
    threshold: float | None = None,
    confidence_level: Level = 0.95,
    groups: str | None = None,
    source: Source = SOURCE,
    how: Format = "table",
) -> None:
    """Metrics of learning algorithms, from cross-validation folds or training runs.

    Parameters
    ----------
    files
        Predictions by models that were trained without the case, one row per case, or per case, run and model.
    y_true
        Column with the true labels.
    y_pred
        Column with the predicted labels. Several columns are several algorithms; without --fold and --run they are the
        training runs of one algorithm.
    y_score
        Columns with the scores of the positive class, instead of labels.
    value
        Columns with one number per case, such as a loss, instead of labels and y_true.
    fold
        Column with the fold of each case. Without it all runs predict the cases of one test set.
    run
        Column with the repeat of the cross-validation, the training run or the seed; needs --case.
    case
        Column with the case identifier, for files with several rows per case.
    model
        Column with the name of the algorithm, for files with one row per algorithm and case; needs --case.
    fixed
        The factor that is not drawn anew: the trained models (runs), or the test cases.
    method
        Variance of one cross-validation; corrected_t is for repeated cross-validation.
    metrics
        Metrics as spec strings, such as f1@macro; a common selection by default.
    threshold
        Smallest score that is predicted positive, for metrics of counts on scores.
    groups
        Column with the cluster of each case (patient, document, user): cases of one cluster may be correlated.
    """
    from howsure.training.doors import cross_validated as by_folds, training_runs

    given = source.read(files)
    columns = {"y_pred": split(y_pred), "y_score": split(y_score), "value": split(value)}
    said = {role: each for role, each in columns.items() if each}
    if len(said) != 1:
        raise HowsureError("Name the columns of the predictions by one of --y-pred, --y-score and --value.")
    ((role, names),) = said.items()
    truths = [y_true] if y_true is not None else []
    classes = source.classes(given, truths + (names if role == "y_pred" else []))
    settings: dict[str, Any] = {"data": given.data, "run": run, "case": case, "model": model, "groups": groups}
    settings |= {"labels": classes, "check": not source.no_check, role: names if len(names) > 1 else names[0]}
    if fold is not None:
        algorithms = by_folds(y_true, fold=fold, **settings)
    elif run is None and len(names) == 1:
        raise HowsureError("Name the column of the folds with --fold, or of the training runs with --run.")
    else:
        algorithms = training_runs(y_true, **settings)
    chosen: dict[str, Any] = {"method": method, "fixed": fixed, "threshold": threshold}
    _write(algorithms, split(metrics) or None, chosen | {"confidence_level": confidence_level}, given.title, how)


def _write(algorithms: Algorithms, metrics: list[str] | None, settings: dict[str, Any], title: str, how: str) -> None:
    """Write the estimates of each algorithm, then the comparisons of all pairs."""
    found = {name: algorithms.evaluate(metrics, model=name, **settings) for name in algorithms.names}
    several = len(found) > 1
    blocks = [
        Block(about={"model": name} if several else {}, grid=each.grid(), records=each.records())
        for name, each in found.items()
    ]
    pairs = None
    if several:
        named = list(next(iter(found.values()))) if metrics is None else metrics
        pairs = algorithms.compare_all(named, **settings)
    if how in {"json", "csv"}:
        records = [record for block in blocks for record in block.records]
        write_records(records + (pairs.records() if pairs is not None and how == "json" else []), how)
        return
    write(blocks, title, how)
    if pairs is not None:
        notes = dict.fromkeys(str(each["question"]) for each in pairs.records()) if len(found) == 2 else ()
        write_grid(pairs.grid(), how=how, title=title, note="\n".join(notes))

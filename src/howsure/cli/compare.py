"""``howsure compare FILE --y-true … --y-pred A B C``: models on one test set, pair by pair."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from howsure.cli.classes import classes_of
from howsure.cli.options import Format, Metrics, Words, split
from howsure.cli.output import write_grid, write_records
from howsure.errors import HowsureError


def compare(
    file: Path,
    /,
    *,
    y_true: str,
    y_pred: Words = None,
    y_score: Words = None,
    labels: Words = None,
    pos_label: str | None = None,
    metrics: Metrics = None,
    method: str | None = None,
    correction: Literal["holm", "fdr_bh", "bonferroni", "none", "max_t"] = "holm",
    level: float = 0.95,
    groups: str | None = None,
    sample_weight: str | None = None,
    no_check: bool = False,
    seed: int | None = None,
    how: Format = "table",
) -> None:
    """Compare the models of a file, pair by pair, on the same cases.

    Parameters
    ----------
    file
        Predictions, one row per case: CSV, TSV, JSON lines, Parquet, Arrow or Feather.
    y_true
        Column with the true labels.
    y_pred
        Columns with the predicted labels, one per model.
    y_score
        Columns with the scores, one per model, instead of labels.
    labels
        The classes, in order; the last of two is the positive one.
    pos_label
        Which of two classes is the positive one; the last in order by default.
    metrics
        Metrics as spec strings, such as f1@macro; accuracy by default, roc_auc of scores.
    method
        Interval method; see `howsure methods`. By default the one that suits each metric.
    correction
        How p-values are adjusted for the number of comparisons; max_t makes the intervals hold together too.
    level
        Confidence level, between 0 and 1.
    groups
        Column with the cluster of each case (patient, document, user): cases of one cluster vary together.
    sample_weight
        Column with the weight of each case.
    no_check
        Take data as they are, also where they do not look like what they are given as.
    seed
        Seed of the methods that draw.
    how
        How to print: a table, or json, csv, markdown, html or latex for machines.
    """
    from howsure.comparison.models import compare_all
    from howsure.methods.library import named
    from howsure.sources.paired import paired, paired_scores

    if (y_pred is None) == (y_score is None):
        message = "Name the columns of the models' predictions with --y-pred, or of their scores with --y-score."
        raise HowsureError(message)
    columns: dict[str, Any] = {"data": file, "groups": groups, "sample_weight": sample_weight, "check": not no_check}
    if y_pred is not None:
        models = split(y_pred)
        classes = classes_of(file, [y_true, *models], labels, pos_label)
        table, default = paired(y_true, models, labels=classes, **columns), "accuracy"
    else:
        classes = classes_of(file, [y_true], labels, pos_label)
        positive = None if classes is None else classes[-1]
        table, default = paired_scores(y_true, split(y_score), pos_label=positive, **columns), "roc_auc"
    wanted = split(metrics) or [default]
    found = compare_all(
        table, wanted, correction=correction, method=named(method), confidence_level=level, random_state=seed
    )
    if how in {"json", "csv"}:
        write_records(found.records(), how)
    elif how == "table" and len(found) == 1 and len(table.models) == 2:
        pair = next(iter(found.values()))
        write_grid(pair.grid(), how=how, title=str(file), note=pair.sentence())
    else:
        write_grid(found.grid(), how=how, title=str(file), note=f"{table.rows:,} cases")

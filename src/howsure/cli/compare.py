"""``howsure compare FILE --y-true … --y-pred A B C``: models on one test set, pair by pair."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from howsure.cli.models import paired_columns
from howsure.cli.option_groups import OUTPUT, SAMPLE, SOURCE, Output, Sample, Source
from howsure.cli.options import (
    Fixed,
    Level,
    MethodName,
    Metrics,
    Predictions,
    Seed,
    TrueLabels,
    Words,
    split,
)
from howsure.cli.pages import drawing, report_on


def compare(
    files: Predictions,
    /,
    *,
    y_true: TrueLabels,
    y_pred: Words = None,
    y_score: Words = None,
    model: str | None = None,
    case: str | None = None,
    incomplete: Literal["refuse", "drop"] = "refuse",
    metrics: Metrics = None,
    method: MethodName = None,
    correction: Literal["holm", "fdr_bh", "bonferroni", "none", "max_t"] = "holm",
    confidence_level: Level = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    sample: Sample = SAMPLE,
    fixed: Fixed = None,
    source: Source = SOURCE,
    random_state: Seed = None,
    output: Output = OUTPUT,
) -> None:
    """Compare two or more models on the same cases, pair by pair.

    Parameters
    ----------
    y_pred
        Columns with the predicted labels, one per model.
    y_score
        Columns with the scores, one per model, instead of labels.
    model
        Column with the name of the model, for long files with one row per model and case. y_pred or y_score is then one
        column.
    case
        Column with the case identifier, for long files. Models are joined by it.
    incomplete
        Whether cases of long files that a model lacks are refused or left out.
    metrics
        Metrics as spec strings, such as f1@macro; accuracy by default, roc_auc of scores.
    correction
        How p-values are adjusted for the number of comparisons; max_t also makes the intervals simultaneous.
    alternative
        Which limits of the difference (first model minus second) to compute: both, the upper one (less), or the lower
        one (greater); the p-value is for the same side.
    """
    from howsure.comparison.models import compare_all
    from howsure.methods.core.lookup import named

    given = source.read(files)
    long = {"model": model, "case": case, "incomplete": incomplete}
    table, default = paired_columns(
        given, source, y_true, y_pred, y_score, long=long, fixed=fixed, **sample.arguments()
    )
    wanted = split(metrics) or [default]
    settings: dict[str, Any] = {
        "confidence_level": confidence_level,
        "alternative": alternative,
        "random_state": random_state,
    }
    found = compare_all(table, wanted, correction=correction, method=named(method), **settings)
    chosen: dict[str, Any] = {
        "method": drawing(method),
        "confidence_level": confidence_level,
        "random_state": random_state,
    }
    page = output.save(given, partial(report_on, table, metrics=wanted, comparisons=found, **chosen))
    if output.how == "table" and len(found) == 1 and len(table.models) == 2:
        pair = next(iter(found.values()))
        output.write(pair, page, given.title, pair.sentence())
    else:
        output.write(found, page, given.title, f"{table.rows:,} cases")
